package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/vm"
)

// benchFlags are the flags of `pcc bench`.
type benchFlags struct {
	templateFlags
	dataFlags
	entry string
	count int
	time  benchTime
	run   string
}

// benchTime is how long a benchmark runs: a duration, or a number of times such
// as 100x.
type benchTime struct {
	d time.Duration
	n int
}

func (b *benchTime) Type() string { return "DURATION|Nx" }

func (b *benchTime) String() string {
	if b.n > 0 {
		return strconv.Itoa(b.n) + "x"
	}
	return b.d.String()
}

func (b *benchTime) Set(text string) error {
	if times, ok := strings.CutSuffix(text, "x"); ok {
		n, err := strconv.Atoi(times)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of times such as 100x", text)
		}
		*b = benchTime{n: n}
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is neither a duration such as 2s nor a number of times such as 100x", text)
	}
	*b = benchTime{d: d}
	return nil
}

func (a *app) benchCommand() *cobra.Command {
	f := &benchFlags{count: 1, time: benchTime{d: time.Second}}
	cmd := &cobra.Command{
		Use:   "bench FILE",
		Short: "Measure how fast a template renders and compiles",
		Long: `Renders FILE with data again and again, then compiles it again and again, and
prints time, memory and allocations of one time in the form of Go's benchmarks,
which benchstat compares. With rows of a .jsonl file they take turns. Compiling
includes reading the files.`,
		Example: `  pcc bench greeting.md -d customer.json
  pcc bench greeting.md -d customers.jsonl --count 10 > old.txt
  pcc bench greeting.md -D name=Ada --benchtime 100x --run Render`,
		Args: exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error { return a.bench(args[0], f) },
	}
	fs := cmd.Flags()
	f.dataFlags.add(fs)
	f.templateFlags.add(fs)
	fs.StringVar(&f.entry, "entry", "", "which prompt of a document that holds several")
	fs.IntVar(&f.count, "count", f.count, "how often to run each benchmark")
	fs.Var(&f.time, "benchtime", "how long to run each, a duration or a number of times")
	fs.StringVar(&f.run, "run", "", "only the benchmarks whose names match this regular expression: Render, Compile")
	return cmd
}

func (a *app) bench(path string, f *benchFlags) error {
	a.strict = f.strict
	if f.count < 1 {
		return usagef("--count %d: there is nothing to run", f.count)
	}
	only, err := regexp.Compile(f.run)
	if err != nil {
		return usagef("--run %s: %v", f.run, err)
	}
	loaded, err := a.loadOne(path, f.entry, &f.templateFlags)
	if loaded == nil || err != nil {
		return err
	}
	rows, _, err := a.rows(&f.dataFlags)
	if rows == nil || err != nil {
		return err
	}
	// What goes wrong is said once, and before anything is measured.
	for _, row := range rows {
		ctx, cancel := a.deadline(&f.templateFlags)
		r, err := loaded.Report(ctx, row)
		cancel()
		if err != nil {
			return a.report(err)
		}
		a.reportRender(loaded.Program, r)
	}
	if a.failed() {
		return nil
	}
	marks := []benchmark{{"Render", renderer(a.ctx, loaded.Program, rows)}}
	if path != "-" {
		found := len(a.found)
		marks = append(marks, benchmark{"Compile", func(int) error {
			_, err := a.load(path, &f.templateFlags)
			a.found = a.found[:found]
			return err
		}})
	}
	if !slices.ContainsFunc(marks, func(m benchmark) bool { return only.MatchString(m.name) }) {
		return usagef("--run %s matches no benchmark; there are Render and, of a file, Compile", f.run)
	}
	if len(rows) == 0 {
		return nil // which was said
	}
	a.measuring = true
	var out bytes.Buffer
	fmt.Fprintf(&out, "goos: %s\ngoarch: %s\npkg: pcc\n", runtime.GOOS, runtime.GOARCH)
	for _, m := range marks {
		if !only.MatchString(m.name) {
			continue
		}
		for range f.count {
			r, err := m.measure(a.ctx, f.time)
			if err != nil {
				return a.report(err)
			}
			fmt.Fprintf(&out, "Benchmark%s/%s \t%s\n", m.name, benchName(loaded.name), r)
		}
	}
	return a.writeText("", out.Bytes())
}

// benchName is name without the blanks that would end a benchmark's name.
func benchName(name string) string { return strings.Join(strings.Fields(name), "_") }

// renderer renders the rows in turn as programs would do.
func renderer(ctx context.Context, p *vm.Program, rows []vm.Value) func(int) error {
	if p.IsChat() {
		return func(i int) error {
			_, err := p.MessagesContext(ctx, rows[i%len(rows)])
			return err
		}
	}
	return func(i int) error {
		_, err := p.RenderContext(ctx, rows[i%len(rows)])
		return err
	}
}

// benchmark is something to measure: once gets the number of the time, from 0.
type benchmark struct {
	name string
	once func(i int) error
}

// benchResult is what n times took.
type benchResult struct {
	n      int
	took   time.Duration
	bytes  uint64
	allocs uint64
}

// String writes the result as Go's benchmarks do, for one time.
func (r benchResult) String() string {
	each := float64(r.took.Nanoseconds()) / float64(r.n)
	digits := 0
	switch { // as many as package testing shows
	case each < 10:
		digits = 3
	case each < 100:
		digits = 2
	case each < 1000:
		digits = 1
	}
	return fmt.Sprintf("%8d\t%10.*f ns/op\t%8d B/op\t%8d allocs/op", r.n, digits, each, r.bytes/uint64(r.n), r.allocs/uint64(r.n))
}

// measure runs m for so long, in batches that grow until one takes that time.
func (m *benchmark) measure(ctx context.Context, t benchTime) (benchResult, error) {
	const most = 1_000_000_000
	n := max(t.n, 1)
	for {
		r, err := m.batch(ctx, n)
		if err != nil || t.n > 0 || r.took >= t.d || n >= most {
			return r, err
		}
		// Aim a fifth beyond the time, at most a hundredfold at once.
		next := int(1.2 * float64(n) * float64(t.d) / float64(max(r.took, 1)))
		n = min(max(next, n+1), 100*n, most)
	}
}

func (m *benchmark) batch(ctx context.Context, n int) (benchResult, error) {
	var before, after runtime.MemStats
	runtime.GC()
	if err := m.once(0); err != nil { // fills pools that the collector has emptied
		return benchResult{}, err
	}
	runtime.ReadMemStats(&before)
	start := time.Now()
	for i := range n {
		if i&1023 == 1023 && ctx.Err() != nil {
			return benchResult{}, errInterrupted
		}
		if err := m.once(i); err != nil {
			return benchResult{}, err
		}
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return benchResult{n, took, after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs}, ctx.Err()
}
