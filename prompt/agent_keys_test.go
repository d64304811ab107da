package prompt

import (
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// Keys in the map of a template that the template does not read are told, near one or
// not, of the request and of defaults, at every level; what any template of that name
// reads is read, with what it takes in.
func TestUnreadKeysOfTemplates(t *testing.T) {
	const base = "config.yaml§prompt: [{system: sys.jinja}, {user: ask.jinja}]§templates/ask.jinja§{{ q }}§templates/sys.jinja§"
	const again = "config.yaml§prompt: [{user: ask.jinja}, {when: more, prompt: [{user: again.jinja, pointer: ask}]}]§templates/ask.jinja§{{ q }}§templates/again.jinja§{{ r }}"
	for _, c := range []struct{ files, data, says, help string }{
		{base + "{{ x|default(1) }}", `{"sys":{"xx":1},"ask":{"q":1}}`, "the data of `sys` has a key `xx` that the template does not read", "did you mean `x`?"},
		{base + "{{ x|default(1) }}", `{"sys":{"other":1,"x":2},"ask":{"q":1}}`, "key `other`", "it reads `x`"},
		{base + "{{ x.a }}{{ y[0] }}§templates/sys.defaults.yaml§z: 1", `{"sys":{"x":{"a":1},"y":[1]},"ask":{"q":1}}`, "the defaults of `sys` have a key `z`", ""},
		{base + "{% include 'part.jinja' %}§templates/part.jinja§{{ deep }}", `{"sys":{"deap":1,"deep":1},"ask":{"q":1}}`, "key `deap`", "did you mean `deep`?"},
		{base + "{% if x %}{% for i in list %}{{ i }}{% endfor %}{% endif %}", `{"sys":{"x":1,"list":[],"lists":1},"ask":{"q":1}}`, "key `lists`", "`list`"},
		{"config.yaml§prompt: [{loop: turns, prompt: [{user: ask.jinja}]}]§templates/ask.jinja§{{ q }}", `{"turns":[{"ask":{"q":1}},{"ask":{"q":1,"qq":2}}]}`, "key `qq`", ""},
		{again, `{"ask":{"q":1,"r":2},"more":{"ask":{"s":1,"q":3}}}`, "key `s`", ""},
		// nothing to say
		{base + "{{ x }}", `{"sys":{"x":1},"ask":{"q":1}}`, "", ""},
		{base + "{% include name %}§templates/part.jinja§{{ deep }}", `{"sys":{"name":"part.jinja","deep":1},"ask":{"q":1}}`, "", ""},
		{base + "{% include 'part.jinja' %}§templates/part.jinja§{% include n %}§templates/end.jinja§{{ deep }}", `{"sys":{"n":"end.jinja","deep":1},"ask":{"q":1}}`, "", ""},
		{base + "{% from 'm.jinja' import m with context %}{{ m() }}§templates/m.jinja§{% macro m() %}{{ deep }}{% endmacro %}", `{"sys":{"deep":1},"ask":{"q":1}}`, "", ""},
		{again, `{"ask":{"q":1,"r":2},"more":{"ask":{"r":1}}}`, "", ""},
		{"config.yaml§prompt: [{user: sub/ask.jinja}]§templates/sub/ask.jinja§{{ q }}", `{"sub/ask":{"q":1}}`, "", ""},
		{"config.yaml§prompt: [{user: '{{ q }}'}]§templates/x.jinja§", `{"q":1}`, "", ""},
		{"config.yaml§syntax: brace\nprompt: [{user: ask.md}]§templates/ask.md§{q}{{ vars|tojson }}", `{"ask":{"q":1,"r":2}}`, "", ""},
	} {
		data, err := vm.DecodeJSON([]byte(c.data), vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		set, err := Load(filesOf(strings.Split(c.files, "§")...), ".")
		if err != nil {
			t.Errorf("%s: %v", c.files, err)
			continue
		}
		p, ok := set.Lookup("")
		if !ok {
			t.Fatal(c.files)
		}
		r, err := p.Report(t.Context(), data)
		if err != nil {
			t.Errorf("%s: %v", c.files, err)
			continue
		}
		var got diag.List
		for _, d := range r.Warnings {
			if d.Code == "PCC353" {
				got = append(got, d)
			}
		}
		switch {
		case c.says == "" && len(got) > 0:
			t.Errorf("%s with %s: %v", c.files, c.data, got)
		case c.says == "":
		case len(got) != 1 || !strings.Contains(got[0].Message, c.says) || !strings.Contains(got[0].Help, c.help):
			t.Errorf("%s with %s: %v", c.files, c.data, got)
		}
	}
}
