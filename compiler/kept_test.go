package compiler_test

import (
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// A function of the host that keeps `loop` sees nothing of later renders, even
// where the render failed inside the loop.
func TestKeptLoopsSeeNoLaterRender(t *testing.T) {
	var kept vm.Value
	keep := func(v vm.Value) string {
		if kept.IsNull() {
			kept = v
		}
		return ""
	}
	p, err := compiler.Compile(`{% for x in xs %}{{ loop|keep }}{{ x.a.b }}{% endfor %}`, compiler.WithSyntax("jinja"),
		compiler.WithFilter("keep", keep))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Render(map[string]any{"xs": []any{"first", "theirs"}}); err == nil {
		t.Fatal("the first render does not fail")
	}
	inner := map[string]any{"b": "x"}
	for range 3 {
		if _, err := p.Render(map[string]any{"xs": []any{map[string]any{"a": inner}, map[string]any{"a": inner}, map[string]any{"a": inner}}}); err != nil {
			t.Fatal(err)
		}
	}
	env := vm.NewEnv(p.Image().Dialect, vm.DefaultLimits())
	for name, want := range map[string]string{"nextitem": "theirs", "length": "2", "index": "1"} {
		v, err := env.Attr(kept, name)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := env.Str(v); err != nil || s != want {
			t.Errorf("loop.%s of the kept loop is %q, %v; want %q", name, s, err, want)
		}
	}
}
