package prompt

import (
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
)

// An option that means nothing for what is loaded is told once for each call,
// unless it is meant for many files.
func TestOptionsWithoutEffect(t *testing.T) {
	files := filesOf(
		"native.yaml", "messages:\n  - user: 'Hi {x}'\n  - user: 'and {y}'\n",
		"hf.yaml", "prompt:\n  template_dictionary:\n    a: {template: 'Hi {{ x }}'}\n    b: {template: 'Hi {{ y }}'}\n",
		"af.yaml", "prompts: {user: 'Hi {x}'}\n",
		"pair.yaml", "template: 'Hi {{x}}'\nsystem_template: s\n",
		"tokenizer_config.json", `{"chat_template": "{{ messages[0].content }}"}`,
		"t.md", "Hi {x}",
		"tree/one.yaml", "messages:\n  - user: 'Hi {x}'\n",
		"tree/two.md", "Hi {x}",
	)
	all := map[string]Option{
		"WithSyntax": WithSyntax("single-brace"), "WithDelimiters": WithDelimiters("{", "}"), "WithProfile": WithProfile("hf"), "WithJinja": WithJinja(JinjaOptions{}),
		"WithPopulator": WithPopulator("jinja2"), "WithSecurityLevel": WithSecurityLevel("standard"), "WithUncheckedVariables": WithUncheckedVariables(),
		"WithAgentForgeVersion": WithAgentForgeVersion("head"), "WithBlankSystem": WithBlankSystem(), "WithForm": WithForm("pair"),
		"WithUndefined": WithUndefined(UndefinedKeep),
	}
	const hf, jinja, native, af = "WithPopulator WithSecurityLevel WithUncheckedVariables", "WithProfile WithJinja", "WithSyntax WithDelimiters", "WithAgentForgeVersion WithBlankSystem"
	for name, want := range map[string]string{
		"native.yaml":           hf + " " + af + " WithForm",
		"hf.yaml":               native + " " + af + " WithForm",
		"af.yaml":               native + " " + jinja + " " + hf + " WithForm WithUndefined",
		"pair.yaml":             native + " " + jinja + " " + hf + " " + af,
		"tokenizer_config.json": native + " " + hf + " " + af + " WithForm",
		"t.md":                  hf + " " + af,
		"tree":                  hf + " " + af,
	} {
		for option, o := range all {
			load := func(opts ...Option) (*Set, diag.List) {
				if name == "tree" {
					return LoadAll(files, name, opts...)
				}
				return load(files, name, opts)
			}
			told := func(list diag.List) int {
				n := 0
				for _, d := range list {
					if d.Code == "PCC427" {
						n++
						if !strings.HasPrefix(d.Message, option+" has no effect on ") || d.Help == "" || (d.File == nil) != (name == "tree") {
							t.Errorf("%s, %s: %s, help %q", name, option, d.Message, d.Help)
						}
					}
				}
				return n
			}
			wantTold := 0
			if slices.Contains(strings.Fields(want), option) {
				wantTold = 1
			}
			s, list := load(o)
			if got := told(list); got != wantTold || s == nil && list.HasErrors() && wantTold == 1 {
				t.Errorf("%s, %s: told %d times, want %d: %v", name, option, got, wantTold, list)
			}
			if s != nil && told(s.Warnings()) != wantTold {
				t.Errorf("%s, %s: the set has other warnings: %v", name, option, s.Warnings())
			}
			if _, list := load(WithDefaults(o)); told(list) != 0 {
				t.Errorf("%s, %s as a default: %v", name, option, list)
			}
			if _, list := load(o, WithStrict()); wantTold == 1 && !list.HasErrors() {
				t.Errorf("%s, %s, strict: no error", name, option)
			}
		}
	}
}

// Templates that are compiled alone are of the form that WithForm gives them.
func TestTemplateOptionsWithoutEffect(t *testing.T) {
	for _, c := range []struct {
		opts []Option
		told bool
	}{
		{[]Option{WithPopulator("jinja2")}, true},
		{[]Option{WithPopulator("jinja2"), WithForm("prompt-templates")}, false},
		{[]Option{WithForm("agentforge"), WithAgentForgeVersion("head")}, false},
		{[]Option{WithForm("agentforge"), WithSyntax("brace")}, true},
		{[]Option{WithSyntax("brace")}, false},
		{[]Option{WithForm("pair")}, false},
		{[]Option{WithDefaults(WithPopulator("jinja2"))}, false},
	} {
		p, err := compiler.Compile("Hi {{x}}", c.opts...)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		told := slices.ContainsFunc(p.Warnings(), func(d *diag.Diagnostic) bool { return d.Code == "PCC427" })
		if told != c.told {
			t.Errorf("%d options: %v", len(c.opts), p.Warnings())
		}
		if _, err := compiler.Compile("Hi {{x}}", append(c.opts, WithStrict())...); (err != nil) != c.told {
			t.Errorf("%d options, strict: %v", len(c.opts), err)
		}
	}
}
