package compiler_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/fuzz/growth"
	"github.com/pcc-lang/pcc/vm"
)

// TestReadsInBareLoops checks that what a name costs in code and in the list
// of variables does not grow with the bare loops around it.
func TestReadsInBareLoops(t *testing.T) {
	deep := func(depth int) *vm.Program {
		return compile(t, strings.Repeat("{loop xs}", depth)+strings.Repeat("{{ a.b }}", 100)+strings.Repeat("{/loop}", depth))
	}
	size := func(p *vm.Program) (n int) {
		for _, f := range p.Image().Functions {
			n += len(f.Code)
		}
		return n
	}
	few, many := deep(10), deep(100)
	if grown := size(many) - size(few); grown > 90*10 {
		t.Errorf("90 loops more made %d instructions of 100 reads", grown)
	}
	for _, v := range many.Variables() {
		if len(v.Name) > 200 {
			t.Errorf("a variable is named %s", v.Name)
		}
	}
}

// TestAttributesAndItems checks that branches on d.items and d["items"] are
// told apart where they are not the same.
func TestAttributesAndItems(t *testing.T) {
	src := `{% if d.items == "a" %}A{% elif d["items"] == "b" %}B{% elif d["items"] == "c" %}C{% else %}-{% endif %}`
	got, err := compile(t, src, compiler.WithSyntax("jinja")).Render(map[string]any{"d": map[string]any{"items": "b"}})
	if err != nil || got != "B" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestHostileCosts compiles and renders sources whose costs must not multiply.
func TestHostileCosts(t *testing.T) {
	each := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name string
		n    int
		src  func(n int) string
	}{
		{"near misses of declared names", 2000, func(n int) string {
			return "---\nvariables:\n" + each("  variable_%d: string\n", n) + "---\n" + each("{variabel_%d}", n)
		}},
		{"many names in one line", 20_000, func(n int) string { return each("{v%d}", n) }},
		{"many cases in one line", 20_000, func(n int) string { return "{switch a}" + each("{case \"b%d\"}x", n) + "{/switch}" }},
		{"a long path from the root map", 60_000, func(n int) string { return "{{ vars" + strings.Repeat(".b", n) + " }}" }},
		{"a long path in a bare loop", 60_000, func(n int) string { return "{loop xs}{{ a" + strings.Repeat(".b", n) + "|default(0) }}{/loop}" }},
		{"a long missing path", 30_000, func(n int) string { return "{{ a" + strings.Repeat(".b", n) + " }}" }},
		{"many missing paths", 5000, func(n int) string { return each("{{ a%d"+strings.Repeat(".b", 20)+" }}", n) }},
		{"kept names that are near", 5000, func(n int) string { return each("{variabel_%d}", n) }},
		{"heads that read near names", 5000, func(n int) string { return each("{when variabel_%d}x{/when}", n) }},
		{"required names that are near", 5000, func(n int) string {
			return "---\nvariables:\n" + each("  variable_%d: {type: string, required: true}\n", n) + "---\n"
		}},
	} {
		growth.Linear(t, c.name, c.n, func(n int) {
			p, err := compiler.Compile(c.src(n), compiler.WithSyntax("brace"))
			if err == nil {
				data := map[string]any{}
				for i := range n {
					data[fmt.Sprintf("varaible_%d", i)] = "x"
				}
				_, _ = p.Render(data) // an error is as good
				_, _ = p.Report(t.Context(), data)
			}
		})
	}
}

// TestRaisedSourceLimit checks that a limit above the default is obeyed by
// every reader of a template.
func TestRaisedSourceLimit(t *testing.T) {
	limit := compiler.WithLimits(vm.Limits{SourceBytes: 12 << 20})
	for _, syntax := range []string{"brace", "jinja"} {
		if _, err := compiler.Compile(strings.Repeat("x", 11<<20), limit, compiler.WithSyntax(compiler.Syntax(syntax))); err != nil {
			t.Errorf("%s: 11 MiB of 12: %v", syntax, err)
		}
	}
}
