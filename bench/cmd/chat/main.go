// Command chat renders the public chat templates of the conformance folder with
// PCC and, where python3 and jinja2 are, with Jinja2, on conversations of several
// lengths, and prints Markdown: CPU time of a render and the ratio to Python's.
// Outputs must be equal; templates whose are not are left out and counted.
package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pcc-lang/pcc/bench/measure"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

var (
	lengths  = flag.String("n", "5,50,500", "numbers of messages")
	rounds   = flag.Int("rounds", 5, "batches of each engine; medians count")
	batch    = flag.Duration("batch", 20*time.Millisecond, "CPU time of a batch")
	every    = flag.Int("every", 1, "take one template of so many")
	only     = flag.String("only", "", "regexp of the templates' ids or sources")
	detailed = flag.Bool("v", false, "a row for each template")
)

// row is a template with the context of its conformance row.
type row struct {
	ID       string                     `json:"id"`
	Template string                     `json:"template"`
	Context  map[string]json.RawMessage `json:"context"`
}

func main() {
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	rows, err := templates(filepath.Join(os.Getenv("PCC_CONFORMANCE"), "jinja", "chat.jsonl.gz"))
	if err != nil {
		return err
	}
	python, err := startPython()
	if err != nil {
		return err
	}
	defer python.stop()
	runtime.GOMAXPROCS(1)
	fmt.Println("| messages | templates | PCC µs, median | Jinja2 / PCC, median | least | below 2 | allocations, median | most | bytes / output, median |")
	fmt.Println("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, text := range strings.Split(*lengths, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		if err := table(rows, python, n); err != nil {
			return err
		}
	}
	return nil
}

// result is what one template took.
type result struct {
	id                          string
	ns, ratio, allocs, overhead float64
}

func table(rows []row, python *python, n int) error {
	var all []result
	different := 0
	for _, r := range rows {
		one, err := compare(r, python, n)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", r.ID, err)
		case one == nil:
			different++
		default:
			all = append(all, *one)
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("no template renders %d messages in both", n)
	}
	of := func(get func(result) float64) []float64 {
		var xs []float64
		for _, x := range all {
			xs = append(xs, get(x))
		}
		slices.Sort(xs)
		return xs
	}
	median := func(xs []float64) float64 { return xs[len(xs)/2] }
	ratios := of(func(x result) float64 { return x.ratio })
	below, _ := slices.BinarySearch(ratios, 2)
	allocs := of(func(x result) float64 { return x.allocs })
	fmt.Printf("| %d | %d (%d left out) | %.1f | %.2f | %.2f | %d | %.0f | %.0f | %.2f |\n", n, len(all), different, median(of(func(x result) float64 { return x.ns }))/1e3,
		median(ratios), ratios[0], below, median(allocs), allocs[len(allocs)-1], median(of(func(x result) float64 { return x.overhead })))
	if *detailed {
		slices.SortFunc(all, func(a, b result) int { return cmp.Compare(a.ratio, b.ratio) })
		for _, x := range all {
			fmt.Printf("  %s %.1f µs, %.2f, %.0f allocations\n", x.id, x.ns/1e3, x.ratio, x.allocs)
		}
	}
	return nil
}

// compare measures one template; nil is where outputs differ or there is none.
func compare(r row, python *python, n int) (*result, error) {
	context := conversation(r, n)
	data, err := json.Marshal(context)
	if err != nil {
		return nil, err
	}
	p, err := compiler.ChatTemplate(r.Template, compiler.WithLimits(vm.Limits{Steps: 1 << 40, Memory: 1 << 40, OutputBytes: 1 << 40, Iterations: 1 << 40}))
	if err != nil {
		return nil, nil
	}
	decoded, err := vm.DecodeJSON(data, vm.DecodeOptions{})
	if err != nil {
		return nil, err
	}
	text, err := p.Render(decoded)
	if err != nil {
		return nil, nil
	}
	ours := measure.Function{Name: "PCC", Run: func(n int) error {
		for range n {
			if _, err := p.Render(decoded); err != nil {
				return err
			}
		}
		return nil
	}}
	out := &result{id: r.ID}
	pythons := 0
	if python != nil {
		if a, err := python.ask(map[string]any{"load": r.Template}); err != nil || a.Error != "" {
			return nil, err
		}
		a, err := python.ask(map[string]any{"context": json.RawMessage(data)})
		if err != nil || a.Error != "" || a.Text != text {
			return nil, err
		}
		if a, err = python.ask(map[string]any{"run": 1}); err != nil {
			return nil, err
		}
		pythons = max(1, int(float64(*batch)/max(a.NS, 1)))
	}
	var times, ratios []float64
	for range *rounds {
		results, err := measure.Compare([]measure.Function{ours}, 0, measure.Options{Rounds: 1, Batch: *batch})
		if err != nil {
			return nil, err
		}
		times = append(times, results[0].Time)
		out.allocs, out.overhead = results[0].Allocs, results[0].Bytes/float64(max(len(text), 1))
		if python != nil {
			a, err := python.ask(map[string]any{"run": pythons})
			if err != nil {
				return nil, err
			}
			ratios = append(ratios, a.NS/results[0].Time)
		}
	}
	slices.Sort(times)
	slices.Sort(ratios)
	out.ns = times[len(times)/2]
	if len(ratios) > 0 {
		out.ratio = ratios[len(ratios)/2]
	}
	return out, nil
}

// conversation is the context of a row with n messages: its system message, if it
// begins with one, then turns of user and assistant.
func conversation(r row, n int) map[string]any {
	context := map[string]any{}
	for k, v := range r.Context {
		context[k] = v
	}
	var messages []map[string]any
	say := func(role, content string) {
		messages = append(messages, map[string]any{"role": role, "content": content})
	}
	say("system", "You are a helpful assistant. Answer in one paragraph.")
	for len(messages) < n {
		i := strconv.Itoa(len(messages))
		if len(messages)%2 == 1 {
			say("user", "Question "+i+": how do I sort a list of tuples by the second element, and what does it cost?")
		} else {
			say("assistant", "Answer "+i+": use sorted with a key function, for instance an itemgetter; it takes n log n comparisons.\nThe list itself stays as it is.")
		}
	}
	context["messages"] = messages
	delete(context, "tools")
	delete(context, "documents")
	return context
}

// templates reads one row for each template of the file.
func templates(path string) ([]row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	filter, err := regexp.Compile(*only)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var rows []row
	for d, i := json.NewDecoder(z), 0; ; {
		var r row
		if err := d.Decode(&r); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		if seen[r.Template] || !filter.MatchString(r.ID) && !filter.MatchString(r.Template) {
			continue
		}
		seen[r.Template] = true
		if i++; i%*every == 0 {
			rows = append(rows, r)
		}
	}
}

// python is a running interpreter with jinja2.
type python struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

type answer struct {
	Text, Error string
	NS          float64
}

// startPython returns nil where there is no python3 with jinja2.
func startPython() (*python, error) {
	if err := exec.Command("python3", "-c", "import jinja2").Run(); err != nil {
		fmt.Fprintln(os.Stderr, "no python3 with jinja2: PCC alone")
		return nil, nil
	}
	_, self, _, _ := runtime.Caller(0)
	p := &python{cmd: exec.Command("python3", filepath.Join(filepath.Dir(self), "render.py"))}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

func (p *python) ask(question any) (a answer, err error) {
	line, err := json.Marshal(question)
	if err != nil {
		return a, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return a, err
	}
	if line, err = p.out.ReadBytes('\n'); err != nil {
		return a, err
	}
	return a, json.Unmarshal(line, &a)
}

func (p *python) stop() {
	if p != nil {
		p.in.Close()
		p.cmd.Wait()
	}
}
