package compiler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/compiler"
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
	var contract, near strings.Builder
	contract.WriteString("---\nvariables:\n")
	for i := range 2000 {
		fmt.Fprintf(&contract, "  variable_%d: string\n", i)
		fmt.Fprintf(&near, "{variabel_%d}", i)
	}
	contract.WriteString("---\n")
	var names, cases strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&names, "{v%d}", i)
		fmt.Fprintf(&cases, "{case \"b%d\"}x", i)
	}
	keys := strings.Repeat(".b", 60_000)
	for _, c := range []struct{ name, src string }{
		{"near misses of declared names", contract.String() + near.String()},
		{"many names in one line", names.String()},
		{"many cases in one line", "{switch a}" + cases.String() + "{/switch}"},
		{"a long path from the root map", "{{ vars" + keys + " }}"},
		{"a long path in a bare loop", "{loop xs}{{ a" + keys + "|default(0) }}{/loop}"},
	} {
		start := time.Now()
		p, err := compiler.Compile(c.src, compiler.WithSyntax("brace"))
		if err == nil {
			data := map[string]any{}
			for i := range 1000 {
				data[fmt.Sprintf("varaible_%d", i)] = "x"
			}
			_, _ = p.Render(data) // an error is as good
		}
		if took := time.Since(start); took > slow {
			t.Errorf("%s: took %v", c.name, took)
		}
	}
}

// TestRaisedSourceLimit checks that a limit above the default is obeyed by
// every reader of a template.
func TestRaisedSourceLimit(t *testing.T) {
	limit := compiler.WithLimits(vm.Limits{SourceBytes: 12 << 20})
	for _, syntax := range []string{"brace", "jinja"} {
		if _, err := compiler.Compile(strings.Repeat("x", 11<<20), limit, compiler.WithSyntax(syntax)); err != nil {
			t.Errorf("%s: 11 MiB of 12: %v", syntax, err)
		}
	}
}
