// Command forms prints how long PCC takes to render the same template with the same
// data in each form in which Go programs hold it, as ratios to map[string]any and
// []any.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/pcc-lang/pcc/bench/measure"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

func main() {
	var o measure.Options
	data := flag.String("data", ".", "regular expression: which `data`: chat, records, keyed")
	work := flag.String("work", ".", "regular expression: which `templates`, by their names")
	forms := flag.String("forms", ".", "regular expression: which `forms`; the first is always there")
	flag.IntVar(&o.Rounds, "rounds", 11, "batches of each form; the `number` should be odd")
	flag.DurationVar(&o.Batch, "batch", 10*time.Millisecond, "CPU `time` of one batch")
	flag.Parse()
	if flag.NArg() > 0 || o.Rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	if err := run(os.Stdout, *data, *work, *forms, o); err != nil {
		fmt.Fprintln(os.Stderr, "forms:", err)
		os.Exit(1)
	}
}

// run prints a table for each set of data: a row for each form, a column for each
// template in each of its two languages.
func run(out io.Writer, data, work, forms string, o measure.Options) error {
	var chosen [3]*regexp.Regexp
	for i, s := range []string{data, work, forms} {
		var err error
		if chosen[i], err = regexp.Compile(s); err != nil {
			return err
		}
	}
	for _, s := range sets() {
		if !chosen[0].MatchString(s.name) {
			continue
		}
		t := measure.Table{{s.title}}
		rows := map[string]int{}
		for _, f := range s.forms {
			if len(rows) == 0 || chosen[2].MatchString(f.name) {
				t = append(t, []string{f.name})
				rows[f.name] = len(t) - 1
			}
		}
		for _, c := range s.cases {
			if !chosen[1].MatchString(c.name) {
				continue
			}
			for _, syntax := range languages {
				if err := column(t, rows, s, c, syntax, o); err != nil {
					return fmt.Errorf("%s, %s, %s: %w", s.name, c.name, syntax, err)
				}
			}
		}
		fmt.Fprintln(out, t.String())
	}
	return nil
}

// languages are the syntaxes in which each case has a template.
var languages = []string{"brace", "jinja"}

// column measures one template with all forms. The first cell is the time of the
// first form, with its allocations; the others are ratios to it, with theirs.
func column(t measure.Table, rows map[string]int, s *set, c testCase, syntax string, o measure.Options) error {
	var functions []measure.Function
	var at []int
	for _, f := range s.forms {
		row, is := rows[f.name]
		if !is || c.sorted && f.unsorted {
			continue
		}
		p, err := compile(c, syntax)
		if err != nil {
			return err
		}
		root := f.data
		functions = append(functions, measure.Function{Name: f.name, Run: func(n int) error {
			for range n {
				if _, err := p.Render(root); err != nil {
					return err
				}
			}
			return nil
		}})
		at = append(at, row)
	}
	results, err := measure.Compare(functions, 0, o)
	if err != nil {
		return err
	}
	t[0] = append(t[0], c.name+", "+map[string]string{"brace": "native", "jinja": "Jinja"}[syntax])
	for i := range t[1:] {
		t[i+1] = append(t[i+1], "–")
	}
	last := len(t[0]) - 1
	for i, r := range results {
		cell := measure.Ratio(r.Ratio)
		if i == 0 {
			cell = measure.Duration(r.Time)
		}
		t[at[i]][last] = fmt.Sprintf("%s (%.0f)", cell, r.Allocs)
	}
	return nil
}

// compile returns the template of a case in one of the languages.
func compile(c testCase, syntax string) (*vm.Program, error) {
	src := map[string]string{"brace": c.native, "jinja": c.jinja}[syntax]
	return compiler.Compile(strings.TrimPrefix(src, "\n"), compiler.WithSyntax(compiler.Syntax(syntax)))
}
