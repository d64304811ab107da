package compiler_test

import (
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/prompt"
)

// A value prints the same wherever it stands: behind text, other values, in
// sums, captures, macros and behind what the caller has in the buffer.
func TestPrintedBehindOthers(t *testing.T) {
	data := map[string]any{"x": 2.0, "xs": []any{1.5, 2.0, 3.0}}
	for src, want := range map[string]string{
		"v1.{{ x }}": "v1.2.0", "{{ x }}{{ x }}": "2.02.0", "{% for y in xs %}{{ y }}{% endfor %}": "1.52.03.0",
		"{{ '1.' ~ x }}": "1.2.0", "{% set c %}1.{{ x }}{% endset %}{{ c }}{{ x }}": "1.2.02.0", "1.{{ [x, x] }}": "1.[2.0, 2.0]",
		"{% macro m() %}1.{{ x }}{% endmacro %}1.{{ m() }}": "1.1.2.0", "1.{{ 2.0 }}": "1.2.0", "1.{{ x | tojson }}": "1.2.0",
		"{% filter upper %}1.{{ x }}{% endfilter %}": "1.2.0",
	} {
		p := compile(t, src, compiler.WithProfile("jinja"))
		if got, err := p.AppendTo([]byte("v0."), data); err != nil || string(got) != "v0."+want {
			t.Errorf("%s: %q, %v, want %q", src, got, err, "v0."+want)
		}
	}
	s, err := prompt.LoadText("chat.yaml", "prompt:\n  template:\n  - {role: system, content: 'v1.{{ x }}1.'}\n  - {role: user, content: '{{ x }}'}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Find("")
	if err != nil {
		t.Fatal(err)
	}
	ms, err := p.Messages(map[string]any{"x": 2.0})
	if err != nil || len(ms) != 2 || ms[0].Content != "v1.2.01." || ms[1].Content != "2.0" {
		t.Errorf("%v, %v", ms, err)
	}
}
