// Command growth prints how the time of PCC and of two other renderers grows
// with the turns of a loop, with nesting, with the size of the source, with the
// number of names, and how rendering scales over cores.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"time"

	"github.com/pcc-lang/pcc/bench/engine"
	"github.com/pcc-lang/pcc/bench/measure"
	"github.com/pcc-lang/pcc/bench/workload"
)

// measurement is one of the tables.
type measurement struct {
	name  string
	print func(*growth) error
}

var measurements = []measurement{
	{"turns", (*growth).turns},
	{"nesting", (*growth).nesting},
	{"names", (*growth).names},
	{"source", (*growth).source},
	{"cores", (*growth).cores},
}

// growth is what the flags chose.
type growth struct {
	engines *regexp.Regexp
	options measure.Options
	wall    time.Duration
	out     io.Writer
}

func main() {
	g := &growth{out: os.Stdout}
	engines := flag.String("engines", "^(hand-written, map data|PCC.*|quicktemplate, map data|text/template)$", "regular expression: which `engines`")
	tables := flag.String("tables", ".", "regular expression: which `tables`: turns, nesting, names, source, cores")
	flag.IntVar(&g.options.Rounds, "rounds", 5, "batches of each engine; the `number` should be odd")
	flag.DurationVar(&g.options.Batch, "batch", 20*time.Millisecond, "CPU `time` of one batch")
	flag.DurationVar(&g.wall, "wall", time.Second, "how long to render on each number of cores, a `time` by the clock")
	flag.Parse()
	if flag.NArg() > 0 || g.options.Rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := g.run(*engines, *tables); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func (g *growth) run(engines, tables string) error {
	var err error
	if g.engines, err = regexp.Compile(engines); err != nil {
		return err
	}
	chosen, err := regexp.Compile(tables)
	if err != nil {
		return err
	}
	cores := runtime.GOMAXPROCS(1) // the last table takes all of them
	defer runtime.GOMAXPROCS(cores)
	for _, m := range measurements {
		if !chosen.MatchString(m.name) {
			continue
		}
		if err := m.print(g); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// kind is what a table measures of an engine.
type kind func(*engine.Engine, *workload.Workload) (func() error, error)

// rendering renders the workload's first data set.
func rendering(e *engine.Engine, w *workload.Workload) (func() error, error) {
	if e.CompileOnly {
		return nil, &engine.UnsupportedError{Reason: "renders as another does"}
	}
	r, err := e.Prepare(w)
	if err != nil {
		return nil, err
	}
	return func() error {
		_, err := r(0)
		return err
	}, nil
}

func compiling(e *engine.Engine, w *workload.Workload) (func() error, error) {
	if e.Compile == nil {
		return nil, &engine.UnsupportedError{Reason: "compiles nothing"}
	}
	return e.Compile(w)
}

// point is one column of a table: a workload, its heading and by what the time
// is divided.
type point struct {
	heading string
	units   float64
	make    func() *workload.Workload
}

// table prints, for each engine and point, what cell makes of the time for one
// unit in nanoseconds.
func (g *growth) table(title string, k kind, points []point, cell func(ns float64) string) error {
	t := measure.Table{{title}}
	rows := map[string]int{}
	for column, p := range points {
		t[0] = append(t[0], p.heading)
		w := p.make()
		var functions []measure.Function
		for _, e := range engine.All() {
			if !g.engines.MatchString(e.Name) {
				continue
			}
			f, err := k(e, w)
			if _, ok := engine.Unsupported(err); ok {
				continue
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", p.heading, e.Name, err)
			}
			functions = append(functions, measure.Function{Name: e.Name, Run: func(n int) error {
				for range n {
					if err := f(); err != nil {
						return err
					}
				}
				return nil
			}})
		}
		results, err := measure.Compare(functions, 0, g.options)
		if err != nil {
			return err
		}
		for _, r := range results {
			if column == 0 {
				rows[r.Name] = len(t)
				t = append(t, []string{r.Name})
			}
			i := rows[r.Name]
			t[i] = append(t[i], cell(r.Time/p.units))
		}
	}
	fmt.Fprintln(g.out, t.String())
	return nil
}

func (g *growth) turns() error {
	var points []point
	for _, n := range []int{10, 100, 1000, 10_000, 100_000} {
		points = append(points, point{fmt.Sprint(n), float64(n), func() *workload.Workload { return workload.Nested(n) }})
	}
	return g.table("W6, time for each turn", rendering, points, measure.Duration)
}

func (g *growth) nesting() error {
	var points []point
	for _, n := range []int{1, 10, 50, 100, 190} {
		points = append(points, point{fmt.Sprint(n), float64(n), func() *workload.Workload { return workload.Deep(n) }})
	}
	if err := g.table("Nested conditions, rendering, time for each level", rendering, points, measure.Duration); err != nil {
		return err
	}
	return g.table("Nested conditions, compiling, time for each level", compiling, points, measure.Duration)
}

func (g *growth) names() error {
	var points []point
	for _, n := range []int{10, 100, 1000, 10_000, 100_000} {
		points = append(points, point{fmt.Sprint(n), float64(n), func() *workload.Workload { return workload.Distinct(n) }})
	}
	return g.table("Distinct names, compiling, time for each name", compiling, points, measure.Duration)
}

func (g *growth) source() error {
	var points []point
	for _, s := range []struct {
		heading string
		size    int
	}{{"1 KB", 1 << 10}, {"10 KB", 10 << 10}, {"100 KB", 100 << 10}, {"1 MB", 1 << 20}, {"9 MB", 9 << 20}} {
		// The sources of the languages differ a little in length; all hold as
		// many copies of W2 as fit, and the time is for one copy.
		copies := workload.Copies(s.size)
		points = append(points, point{s.heading, float64(copies), func() *workload.Workload { return workload.Long(copies) }})
	}
	return g.table("W2 repeated, compiling, time for each copy", compiling, points, measure.Duration)
}
