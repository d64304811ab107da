package compiler_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
)

// TestRawCallsGrow: what calls of the host's functions allocate grows with the
// number of raw values that were decoded before them, and no faster.
func TestRawCallsGrow(t *testing.T) {
	p, err := compiler.Compile("{% for x in xs %}{{ x.a|f }}{% endfor %}", compiler.WithSyntax("jinja"),
		compiler.WithFilter("f", func(s string) string { return s }))
	if err != nil {
		t.Fatal(err)
	}
	allocated := func(n int) float64 {
		xs := make([]json.RawMessage, n)
		for i := range xs {
			xs[i] = json.RawMessage(fmt.Sprintf(`{"a": "text %d"}`, i))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out, err := p.Render(map[string]any{"xs": xs})
		runtime.ReadMemStats(&after)
		if err != nil || !strings.HasPrefix(out, "text 0") {
			t.Fatalf("%.20q, %v", out, err)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	allocated(10)
	if few, many := allocated(500), allocated(4_000); many > 12*few {
		t.Errorf("8 times the values take %.1f times the memory", many/few)
	}
}

// TestRawResults: a function of the host that gives raw JSON in memory that it
// uses again gives what it holds at each call.
func TestRawResults(t *testing.T) {
	buf := make(json.RawMessage, 0, 200)
	long := strings.Repeat("x", 100)
	p, err := compiler.Compile("{% for i in [1, 2, 3] %}{{ (i|f).n }}{% endfor %}", compiler.WithSyntax("jinja"),
		compiler.WithFilter("f", func(n int) json.RawMessage {
			buf = fmt.Appendf(buf[:0], `{"n": %d, "long": %q}`, n, long)
			return buf
		}))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Render(map[string]any{}); got != "123" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
