package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/bench/engine"
	"github.com/pcc-lang/pcc/bench/measure"
	"github.com/pcc-lang/pcc/bench/workload"
)

// TestTable measures the smallest points of each kind of table: all engines
// with templates for them must compile and render what is made.
func TestTable(t *testing.T) {
	var out strings.Builder
	g := &growth{engines: regexp.MustCompile("."), out: &out, options: measure.Options{Rounds: 1, Batch: time.Millisecond}}
	one := func(make func() *workload.Workload) []point { return []point{{"1", 1, make}} }
	for name, make := range map[string]func() *workload.Workload{
		"turns":   func() *workload.Workload { return workload.Nested(10) },
		"nesting": func() *workload.Workload { return workload.Deep(3) },
		"names":   func() *workload.Workload { return workload.Distinct(5) },
		"source":  func() *workload.Workload { return workload.Long(2) },
	} {
		for _, k := range []kind{rendering, compiling} {
			if err := g.table(name, k, one(make), measure.Duration); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if n := strings.Count(out.String(), "| text/template "); n != 8 {
		t.Errorf("text/template stands in %d tables, want 8\n%s", n, out.String())
	}
}

// TestMade checks what the made templates render to, in each language that
// has one.
func TestMade(t *testing.T) {
	for _, c := range []struct {
		w    *workload.Workload
		want string
	}{
		{workload.Deep(2), "some text value; some text value; "},
		{workload.Distinct(1), "A line of text before a value of its own: value and after it."},
	} {
		renderers := 0
		for _, e := range engine.All() {
			r, err := e.Prepare(c.w)
			if _, ok := engine.Unsupported(err); ok {
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", c.w.Name, e.Name, err)
				continue
			}
			got, err := r(0)
			if got != c.want || err != nil {
				t.Errorf("%s, %s: got %q, %v", c.w.Name, e.Name, got, err)
			}
			renderers++
		}
		if renderers < 3 {
			t.Errorf("%s has only %d renderers", c.w.Name, renderers)
		}
	}
}

func TestCopies(t *testing.T) {
	for _, size := range []int{1, 1 << 10, 100 << 10} {
		n := workload.Copies(size)
		src, _ := workload.Long(n).Source("jinja")
		if n < 1 || n > 1 && len(src) > size {
			t.Errorf("%d copies for %d bytes make %d", n, size, len(src))
		}
		if size > 10_000 && len(src) < size*3/4 {
			t.Errorf("%d copies for %d bytes make only %d", n, size, len(src))
		}
	}
}
