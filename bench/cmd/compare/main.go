// Command compare prints how long PCC, hand-written Go and other engines take
// for the same work, as ratios: rendering to the hand-written renderer,
// compiling to text/template.
//
// Each workload is measured in a process of its own, so that an engine's pools
// and the garbage collector's pace are those of a program that renders this
// kind of prompt. With -mixed they have seen all kinds.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/pcc-lang/pcc/bench/engine"
	"github.com/pcc-lang/pcc/bench/measure"
	"github.com/pcc-lang/pcc/bench/workload"
)

// The two kinds of work.
const (
	rendering = "render"
	compiling = "compile"
)

// baselines are the engines to which the ratios refer.
var baselines = map[string]string{rendering: engine.Baseline, compiling: "text/template"}

func main() {
	var (
		o         measure.Options
		engines   = flag.String("engines", ".", "regular expression: which `engines`; the baselines are always there")
		workloads = flag.String("workloads", ".", "regular expression: which `workloads`")
		work      = flag.String("work", "render|compile", "regular expression: which `work`, render or compile")
		mixed     = flag.Bool("mixed", false, "before each batch let the engine render all workloads, so that pools and caches have seen many sizes")
		spread    = flag.Bool("spread", false, "print the quartiles too")
		child     = flag.Bool("child", false, "measure in this process and write JSON; for compare's own use")
	)
	flag.IntVar(&o.Rounds, "rounds", 11, "batches of each engine; the `number` should be odd")
	flag.DurationVar(&o.Batch, "batch", 20*time.Millisecond, "CPU `time` of one batch")
	flag.Parse()
	if flag.NArg() > 0 || o.Rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	c, err := newComparison(*engines, *workloads, *mixed, o)
	if err == nil {
		c.spread = *spread
		if *child {
			err = c.answer(*work)
		} else {
			err = c.print(*work)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// comparison is what the flags chose.
type comparison struct {
	engines   *regexp.Regexp
	workloads []string // names
	mixed     bool
	spread    bool
	options   measure.Options
}

func newComparison(engines, workloads string, mixed bool, o measure.Options) (*comparison, error) {
	c := &comparison{mixed: mixed, options: o}
	var err error
	if c.engines, err = regexp.Compile(engines); err != nil {
		return nil, err
	}
	chosen, err := regexp.Compile(workloads)
	if err != nil {
		return nil, err
	}
	for _, name := range workload.Names() {
		if chosen.MatchString(name) {
			c.workloads = append(c.workloads, name)
		}
	}
	if len(c.workloads) == 0 {
		return nil, fmt.Errorf("no workload matches %q", workloads)
	}
	return c, nil
}

// print starts a process for each workload and kind of work and prints their
// results as tables.
func (c *comparison) print(work string) error {
	chosen, err := regexp.Compile(work)
	if err != nil {
		return err
	}
	for _, kind := range []string{rendering, compiling} {
		if !chosen.MatchString(kind) {
			continue
		}
		results := map[string][]measure.Result{}
		for _, w := range c.workloads {
			if results[w], err = c.ask(kind, w); err != nil {
				return err
			}
		}
		c.tables(os.Stdout, kind, results)
	}
	return nil
}

// ask runs this program again for one workload and one kind of work.
func (c *comparison) ask(kind, w string) ([]measure.Result, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-child",
		"-work", kind,
		"-workloads", "^"+w+"$",
		"-engines", c.engines.String(),
		fmt.Sprintf("-mixed=%t", c.mixed),
		fmt.Sprintf("-rounds=%d", c.options.Rounds),
		fmt.Sprintf("-batch=%s", c.options.Batch))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", kind, w, err)
	}
	var r []measure.Result
	return r, json.Unmarshal(out, &r)
}

// answer is the other side of ask.
func (c *comparison) answer(kind string) error {
	r, err := c.measure(kind, c.workloads[0])
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// measure compares the chosen engines and the baseline on one workload. Engines
// that cannot do it are left out.
func (c *comparison) measure(kind, name string) ([]measure.Result, error) {
	w, err := workload.Named(name)
	if err != nil {
		return nil, err
	}
	var functions []measure.Function
	base, outputs := -1, 1
	for _, e := range engine.All() {
		if e.Name != baselines[kind] && !c.engines.MatchString(e.Name) {
			continue
		}
		f, err := c.function(kind, e, w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		if f == nil {
			continue
		}
		if e.Name == baselines[kind] {
			base = len(functions)
		}
		f.Name = e.Name
		functions = append(functions, *f)
	}
	if kind == rendering {
		outputs = len(w.Sets)
	}
	if base < 0 {
		return nil, fmt.Errorf("%s cannot do it and is the baseline", baselines[kind])
	}
	results, err := measure.Compare(functions, base, c.options)
	for i := range results {
		results[i].Divide(float64(outputs))
	}
	return results, err
}

// function makes what is measured; nil where the engine cannot do the work.
// One operation of rendering renders each data set once, so that every batch
// holds all of them equally often.
func (c *comparison) function(kind string, e *engine.Engine, w *workload.Workload) (*measure.Function, error) {
	if kind == rendering && e.CompileOnly {
		return nil, nil
	}
	if kind == rendering {
		pass, err := rendersAll(e, w)
		if pass == nil || err != nil {
			return nil, err
		}
		f := &measure.Function{Run: repeat(pass)}
		if c.mixed {
			f.Before, err = mix(e, pass)
		}
		return f, err
	}
	if e.Compile == nil {
		return nil, nil
	}
	compile, err := e.Compile(w)
	if _, ok := engine.Unsupported(err); ok {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &measure.Function{Run: repeat(compile)}, nil
}

// tables prints the results of one kind of work, by workload.
func (c *comparison) tables(out io.Writer, kind string, results map[string][]measure.Result) {
	title := map[string]string{rendering: "Rendering", compiling: "Compiling"}[kind]
	type view struct {
		what string
		cell func(measure.Result) string
	}
	views := []view{
		{"ratio to " + baselines[kind], func(r measure.Result) string { return measure.Ratio(r.Ratio) }},
		{"CPU time", func(r measure.Result) string { return measure.Duration(r.Time) }},
		{"allocations", func(r measure.Result) string { return fmt.Sprintf("%.0f", r.Allocs) }},
	}
	if c.spread {
		views = append(views, view{"quartiles of the CPU time, as ratio to its median", func(r measure.Result) string {
			return measure.Ratio(r.Low/r.Time) + "–" + measure.Ratio(r.High/r.Time)
		}})
	}
	for _, t := range views {
		table := measure.Table{{title + ", " + t.what}}
		table[0] = append(table[0], c.workloads...)
		for _, e := range engine.All() {
			row := []string{e.Name}
			for _, w := range c.workloads {
				cell := "–"
				if i := slices.IndexFunc(results[w], func(r measure.Result) bool { return r.Name == e.Name }); i >= 0 {
					cell = t.cell(results[w][i])
				}
				row = append(row, cell)
			}
			if slices.ContainsFunc(row[1:], func(cell string) bool { return cell != "–" }) {
				table = append(table, row)
			}
		}
		fmt.Fprintln(out, table.String())
	}
}

// rendersAll returns a function that renders each data set once; nil where the
// engine has no template.
func rendersAll(e *engine.Engine, w *workload.Workload) (func() error, error) {
	r, err := e.Prepare(w)
	if _, ok := engine.Unsupported(err); ok {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return func() error {
		for i := range w.Sets {
			if _, err := r(i); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

func repeat(f func() error) func(int) error {
	return func(n int) error {
		for range n {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
}

// mixWarm is how many small renders come before the first batch of a mixed
// comparison: pools that choose a buffer size by what they have seen decide
// after some 40,000 uses.
const mixWarm = 50_000

// mix returns a function that lets an engine render all workloads. own is the
// workload that is measured, with its renderer.
func mix(e *engine.Engine, own func() error) (func() error, error) {
	var passes []func() error
	for _, w := range workload.All() {
		pass, err := rendersAll(e, w)
		if err != nil {
			return nil, err
		}
		if pass != nil {
			passes = append(passes, pass)
		}
	}
	// The first is the smallest: mostly small outputs, and each size at times.
	for i := 0; i < mixWarm/len(workload.All()[0].Sets); i++ {
		if err := passes[0](); err != nil {
			return nil, err
		}
		if i%1000 == 0 {
			for _, p := range passes {
				if err := p(); err != nil {
					return nil, err
				}
			}
		}
	}
	return func() error {
		for _, p := range passes {
			if err := p(); err != nil {
				return err
			}
		}
		return own()
	}, nil
}
