package main

import (
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/bench/measure"
)

// Each template gives the same text for all forms of its data.
func TestEqual(t *testing.T) {
	for _, s := range sets() {
		for _, c := range s.cases {
			for _, syntax := range languages {
				want := ""
				for _, f := range s.forms {
					if c.sorted && f.unsorted {
						continue
					}
					p, err := compile(c, syntax)
					if err != nil {
						t.Fatalf("%s, %s, %s: %v", s.name, c.name, syntax, err)
					}
					for range 3 { // code is bound to a type when it is met again
						got, err := p.Render(f.data)
						if err != nil {
							t.Fatalf("%s, %s, %s, %s: %v", s.name, c.name, syntax, f.name, err)
						}
						if want == "" {
							want = got
						}
						if got != want || strings.Count(got, "\n") < items {
							t.Errorf("%s, %s, %s, %s: %.200q, not %.200q", s.name, c.name, syntax, f.name, got, want)
						}
					}
				}
			}
		}
	}
}

// Tables have a figure in each cell but where order shows.
func TestTables(t *testing.T) {
	var out strings.Builder
	if err := run(&out, "chat", "^(two texts|entries)$", "Message|struct of", measure.Options{Rounds: 1, Batch: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2+1+3 {
		t.Fatalf("%d lines:\n%s", len(lines), out.String())
	}
	for _, line := range lines[2:] {
		want := 0
		if strings.Contains(line, "vm.Message") {
			want = 2
		}
		if n := strings.Count(line, "– |"); n != want {
			t.Errorf("%d empty cells: %s", n, line)
		}
	}
}
