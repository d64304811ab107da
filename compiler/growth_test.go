package compiler_test

import (
	"strings"
	"testing"

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
		if len(v.Name) > 60 {
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
