package compiler_test

import (
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// Messages that one program made are data of another: they read as Value has
// them, with structured content and further keys.
func TestMessagesAreData(t *testing.T) {
	extra := vm.NewMap(1)
	extra.Set("tool_call_id", vm.String("t1"))
	parts := vm.ListOf([]vm.Value{vm.String("p")})
	messages := []vm.Message{{Role: "user", Content: "hi", Name: "ann"}, {Role: "tool", Content: "text", Parts: parts, Extra: extra}}
	pointers := []*vm.Message{&messages[0], nil, &messages[1]}
	const jinja = `{% for m in ms %}{% if m %}{{ m.role }}:{{ m.content }}:{{ m['name'] }}:{{ m.tool_call_id|default('-') }}:{{ m is mapping }};{% endif %}{% endfor %}{{ ms[0] }}`
	const want = "user:hi:ann:-:True;tool:['p']::t1:True;{'role': 'user', 'content': 'hi', 'name': 'ann'}"
	p, err := compiler.Compile(jinja, compiler.WithSyntax("jinja"))
	if err != nil {
		t.Fatal(err)
	}
	type data struct {
		Ms []vm.Message `json:"ms"`
	}
	for name, d := range map[string]any{
		"a map": map[string]any{"ms": messages}, "pointers": map[string]any{"ms": pointers}, "anys": map[string]any{"ms": []any{messages[0], &messages[1]}},
		"a struct": data{messages}, "a pointer": &data{messages},
	} {
		for range 3 { // the program binds itself to types that it meets again
			if got, err := p.Render(d); err != nil || got != want {
				t.Errorf("%s: %q, %v; want %q", name, got, err, want)
			}
		}
	}
	p, err = compiler.Compile("{loop ms as m}{m.role}={m.content} {when m.name}{m.name}{/when};{/loop}{{ms[1]}}")
	if err != nil {
		t.Fatal(err)
	}
	const native = `user=hi ann;tool=["p"] ;{"role": "tool", "content": ["p"], "tool_call_id": "t1"}`
	for range 3 {
		if got, err := p.Render(&data{messages}); err != nil || got != native {
			t.Errorf("%q, %v; want %q", got, err, native)
		}
	}
}
