package main

import (
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/bench/measure"
)

// TestMeasure goes through both kinds of work with very short batches and
// checks that the tables name each engine and hold a figure for it.
func TestMeasure(t *testing.T) {
	c, err := newComparison("^(memcpy of the output|fasttemplate)$", "W[12]", false, measure.Options{Rounds: 1, Batch: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	c.spread = true
	var out strings.Builder
	for _, kind := range []string{rendering, compiling} {
		results := map[string][]measure.Result{}
		for _, w := range c.workloads {
			if results[w], err = c.measure(kind, w); err != nil {
				t.Fatal(err)
			}
		}
		c.tables(&out, kind, results)
	}
	rows := map[string]int{}
	for line := range strings.Lines(out.String()) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		name := strings.TrimSpace(cells[1])
		rows[name]++
		if name == "fasttemplate" {
			if w1, w2 := strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3]); w1 == "–" || w2 != "–" {
				t.Errorf("fasttemplate can render W1 and not W2, the table says %q and %q", w1, w2)
			}
		}
	}
	// Four tables for each kind of work; memcpy compiles nothing.
	for name, want := range map[string]int{"hand-written, map data": 4, "memcpy of the output": 4, "fasttemplate": 8, "text/template": 4} {
		if rows[name] != want {
			t.Errorf("%s stands in %d tables, want %d\n%s", name, rows[name], want, out.String())
		}
	}
}

func TestMixed(t *testing.T) {
	c, err := newComparison("^fasttemplate$", "^W1$", true, measure.Options{Rounds: 1, Batch: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := c.measure(rendering, c.workloads[0]); err != nil || len(r) != 2 {
		t.Errorf("got %v, %v", r, err)
	}
}

func TestFlags(t *testing.T) {
	for _, f := range [][2]string{{"(", "."}, {".", "("}, {".", "W9"}} {
		if _, err := newComparison(f[0], f[1], false, measure.Options{}); err == nil {
			t.Errorf("engines %q and workloads %q were taken", f[0], f[1])
		}
	}
}
