package bench

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/bench/engine"
	"github.com/pcc-lang/pcc/bench/workload"
)

var update = flag.Bool("update", false, "rewrite testdata from the hand-written renderers")

// cannot lists what an engine has no template for. Anything else that an
// engine leaves out fails the test.
var cannot = map[string][]string{
	"fasttemplate":                  {"W2", "W3", "W4", "W6"},
	"langchaingo prompts, f-string": {"W2", "W3", "W4", "W6"},
	"eino prompts, f-string":        {"W2", "W3", "W4", "W6"},
	"mustache (cbroglie)":           {"W3"},
}

// TestOutputs renders every data set of every workload with every engine.
func TestOutputs(t *testing.T) {
	for _, w := range workload.All() {
		want := expected(t, w)
		for _, e := range engine.All() {
			t.Run(w.Name+"/"+e.Name, func(t *testing.T) {
				render, err := e.Prepare(w)
				lacks := slices.Contains(cannot[e.Name], w.Name)
				if _, unsupported := engine.Unsupported(err); unsupported && lacks {
					return // in the list above, so nothing is passed over in silence
				}
				if err != nil {
					t.Fatal(err)
				}
				if lacks {
					t.Fatal("renders this workload now: take it from the list")
				}
				for round := range 2 {
					for i := range w.Sets {
						got, err := render(i)
						if err != nil {
							t.Fatalf("set %d: %v", i, err)
						}
						if got != want[i] {
							t.Fatalf("set %d, round %d: %s", i, round, difference(got, want[i]))
						}
					}
				}
			})
		}
	}
}

// expected are the texts that all engines must give, from the hand-written
// renderer; a golden file pins the first of them.
func expected(t *testing.T, w *workload.Workload) []string {
	t.Helper()
	e, err := engine.Named(engine.Baseline)
	if err != nil {
		t.Fatal(err)
	}
	render, err := e.Prepare(w)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]string, len(w.Sets))
	for i := range w.Sets {
		if want[i], err = render(i); err != nil {
			t.Fatal(err)
		}
	}
	return want
}

// TestGolden compares the shorter outputs with files that a person can read.
func TestGolden(t *testing.T) {
	for _, w := range workload.All() {
		want := expected(t, w)[0]
		if len(want) > 100_000 {
			want = want[:2000] + "\n[…]\n" + want[len(want)-1000:]
		}
		file := filepath.Join("testdata", strings.ToLower(w.Name)+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		golden, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(golden) != want {
			t.Errorf("%s: %s", w.Name, difference(want, string(golden)))
		}
	}
}

// TestSizes holds the workloads to what their titles say.
func TestSizes(t *testing.T) {
	near := map[string]int{"W1": 300, "W2": 2000, "W3": 9000, "W4": 64_000, "W5": 1_000_000}
	for _, w := range workload.All() {
		sum := 0
		seen := map[int]bool{}
		for _, s := range expected(t, w) {
			sum += len(s)
			seen[len(s)] = true
		}
		mean := sum / len(w.Sets)
		t.Logf("%s: %d bytes on average", w.Name, mean)
		if n := near[w.Name]; n > 0 && (mean < n*85/100 || mean > n*115/100) {
			t.Errorf("%s: %d bytes on average, the title says %d", w.Name, mean, n)
		}
		if len(seen) < 2 {
			t.Errorf("%s: all outputs have one length", w.Name)
		}
	}
}

// TestTurns counts the turns of W6's innermost loop.
func TestTurns(t *testing.T) {
	for _, n := range []int{1, 10, 15, 16, 17, 100, 1000, 12_345} {
		turns := 0
		for _, p := range workload.Nested(n).Sets[0].Struct.(*workload.Tree).Parts {
			for _, c := range p.Chapters {
				for _, s := range c.Sections {
					if p.Shown && c.Shown && s.Shown {
						turns += len(s.Lines)
					}
				}
			}
		}
		if turns != n {
			t.Errorf("Nested(%d) has %d turns", n, turns)
		}
	}
}

// TestCompile checks that what the compile figures measure succeeds.
func TestCompile(t *testing.T) {
	for _, w := range workload.All() {
		for _, e := range engine.All() {
			if e.Compile == nil || slices.Contains(cannot[e.Name], w.Name) {
				continue
			}
			compile, err := e.Compile(w)
			if err == nil {
				err = compile()
			}
			if err != nil {
				t.Errorf("%s, %s: %v", w.Name, e.Name, err)
			}
		}
	}
}

func BenchmarkRender(b *testing.B) {
	for _, w := range workload.All() {
		for _, e := range engine.All() {
			render, err := e.Prepare(w)
			if _, ok := engine.Unsupported(err); ok {
				continue
			}
			if err != nil {
				b.Fatal(err)
			}
			b.Run(w.Name+"/"+e.Name, func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if _, err := render(i % len(w.Sets)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, w := range workload.All() {
		for _, e := range engine.All() {
			if e.Compile == nil {
				continue
			}
			compile, err := e.Compile(w)
			if _, ok := engine.Unsupported(err); ok {
				continue
			}
			if err != nil {
				b.Fatal(err)
			}
			b.Run(w.Name+"/"+e.Name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := compile(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// difference shows where two texts part.
func difference(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	around := func(s string) string { return s[max(0, i-40):min(len(s), i+60)] }
	return fmt.Sprintf("lengths %d and %d, different from byte %d:\n got %q\nwant %q",
		len(got), len(want), i, around(got), around(want))
}
