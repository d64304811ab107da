package prompt

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
)

// Slips in documents are told with what was meant.
func TestSlipsInDocuments(t *testing.T) {
	for _, c := range []struct{ text, code, help string }{
		{"messages:\n  - role: user\n    contnt: hi\n", "PCC420", "did you mean `content`?"},
		{"messages:\n  - role: user\n    text: hi\n", "PCC420", "did you mean `content`?"},
		{"prompts:\n  - user: hi\n", "PCC410", "did you mean `prompt`?"},
		{"prompts:\n  user: hi\n  notes: x\n", "PCC419", "metadata"},
		{"prompts:\n  system: hi\n", "PCC419", "add `user:`"},
		{"messages: hi\n", "PCC410", "- user: …"},
		{"Prompts:\n  Task: hi\n  Format: x\n", "PCC419", "write `prompts:` with `user:` below it"},
		{"prompts:\n  Task: hi\n", "PCC419", "the sections one step further in"},
		{"Prompts:\n  Task:\n    a: hi\n  User: x\n", "PCC419", "metadata"},
	} {
		_, err := Load(filesOf("a.yaml", c.text), "a.yaml")
		var d *diag.Diagnostic
		if !errors.As(err, &d) || string(d.Code) != c.code || !strings.Contains(d.Help, c.help) {
			t.Errorf("%q: %v, help %q", c.text, err, d.Help)
		}
	}
	if _, err := Load(filesOf("a.yaml", "messages:\n  - role: assistant\n    tool_calls: []\n"), "a.yaml"); err != nil {
		t.Errorf("a message that calls tools: %v", err)
	}
}

// The variables of the only section of a user prompt are required: without them
// the prompt is blank. The error names the near miss.
func TestOnlySection(t *testing.T) {
	s := mustLoad(t, filesOf("a.yaml", "system: 'You are {role}'\nuser: 'Hi {name}'\n", "b.yaml", "user: {a: 'Hi {name}', b: Bye}\n"), "a.yaml")
	p, _ := s.Lookup("")
	need := map[string]bool{}
	for _, v := range p.Variables() {
		need[v.Name] = v.Required
	}
	if diff := cmp.Diff(map[string]bool{"role": true, "name": true}, need); diff != "" {
		t.Error(diff)
	}
	for data, help := range map[string]string{"nmae": "did you mean `name`?", "other": "/{name/}"} {
		_, err := p.Messages(map[string]any{data: "x", "role": "r"})
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != "PCC350" || !strings.Contains(d.Help, help) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// TestPopulators renders with each populator of prompt_templates: values print
// as Python's str() has them, names are whatever stands in the braces, and what
// was not given is missing even where the data is not checked beforehand.
func TestPopulators(t *testing.T) {
	data := map[string]any{"x": []any{1, "s", nil, true, 2.0}, "a b": "v"}
	for _, c := range []struct{ populator, template, want string }{
		{"double_brace_regex", "{{x}} {{ a b }} {x} {{}}", "[1, 's', None, True, 2.0] v {x} {{}}"},
		{"single_brace_regex", "{x} {a b} {{x}} {}", "[1, 's', None, True, 2.0] v {[1, 's', None, True, 2.0]} {}"},
		{"jinja2", "{{ x }} {x}", "[1, 's', None, True, 2.0] {x}"},
		{"double_brace_regex", "{{y}}", "PCC301"},
		{"single_brace_regex", "{y}", "PCC301"},
		{"jinja2", "{{ y }}", "PCC301"},
	} {
		p, err := compiler.Compile(c.template, WithForm("prompt-templates"), WithPopulator(Populator(c.populator)), WithUncheckedVariables())
		if err != nil {
			t.Errorf("%s, %q: %v", c.populator, c.template, err)
			continue
		}
		got, err := p.Render(data)
		if d := (*diag.Diagnostic)(nil); errors.As(err, &d) {
			got = string(d.Code)
		}
		if got != c.want {
			t.Errorf("%s, %q: %q (%v), want %q", c.populator, c.template, got, err, c.want)
		}
	}
}

// TestAgentForgeKeeps: a form's own way with missing values goes before the
// option.
func TestAgentForgeKeeps(t *testing.T) {
	for _, undefined := range []Undefined{UndefinedKeep, UndefinedError, UndefinedEmpty} {
		p, err := compiler.Compile("a {x} {y}", WithForm("agentforge"), WithUndefined(undefined))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Render(map[string]any{"y": 1}); got != "a {x} 1" || err != nil {
			t.Errorf("undefined: %s: %q, %v", undefined, got, err)
		}
	}
	// The white space before a placeholder is that of all its lines.
	p, err := compiler.Compile("  {x}\n\t{y}", WithForm("agentforge"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Render(map[string]any{"x": "a\n\nb", "y": "c"}); got != "  a\n\n  b\n\tc" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestFaultsTogether: faults of syntax and of names in a document are told at
// once, with the nearest name.
func TestFaultsTogether(t *testing.T) {
	for text, want := range map[string]string{
		"template: '{{ a b }} {{ x|nope }}'": "PCC101 PCC201", "prompt: {template: '{{ name }}', template_variables: [nmae]}": "PCC421",
	} {
		_, err := Load(filesOf("a.yaml", text), "a.yaml")
		var l diag.List
		errors.As(err, &l)
		var codes []string
		for _, d := range l {
			codes = append(codes, string(d.Code))
			if d.Code == "PCC421" && d.Help != "did you mean `name` by the declared `nmae`?" {
				t.Errorf("the help is %q", d.Help)
			}
		}
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestMainPrompt looks for the prompt that has no name.
func TestMainPrompt(t *testing.T) {
	for text, want := range map[string]bool{"templates: {one: A}": true, "templates: {one: A, two: B}": false, "template: A": true} {
		s, err := Load(filesOf("a.yaml", text), "a.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Lookup(""); ok != want {
			t.Errorf("%s: found %v", text, ok)
		}
		if _, err := s.Find(""); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
		if _, ok := s.Lookup("none"); ok {
			t.Errorf("%s: a prompt that is not there is found", text)
		}
	}
}

// A section that its own blocks leave blank comes without a separator, wherever
// it stands; what is from values or written as text stays as it is.
func TestBlankSections(t *testing.T) {
	const block = "    b: |\n      {when y}\n      B {y}\n      {/when}\n"
	for _, c := range []struct{ sections, want string }{
		{"    a: A\n" + block + "    c: C\n", "A\nC"},
		{block + "    c: C\n", "C"},
		{"    a: A\n" + block, "A"},
		{"    a: A\n    b: '{when y}B{/when} '\n    c: C\n", "A\nC"},
		{"    a: A\n    b: '{# nothing #}'\n    c: C\n", "A\nC"},
		{"    a: A\n    b: '{loop xs as x}{x}{/loop}'\n    c: C\n", "A\nC"},
		{"    a: '{x}'\n    b: ' {when y}B{/when}{x}'\n    c: C\n", "1\n 1\nC"},
		{"    a: A\n    b: ' {when x}B{x}{/when} '\n    c: C\n", "A\n B1 \nC"},
		{"    a: A\n    b: '{when x}{text}{/when}'\n    c: C\n", "A\n{when y}\nC"},
		{"    a: A\n    b: '{blank}'\n    c: C\n", "A\n \nC"},
		{"    a: A\n    b: '{y}'\n    c: C\n", "A\nC"},
	} {
		p, _ := mustLoad(t, filesOf("a.yaml", "syntax: brace\nprompts:\n  user:\n"+c.sections), "a.yaml").Lookup("")
		ms, err := p.Messages(map[string]any{"x": 1, "text": "{when y}", "blank": " "})
		if err != nil || len(ms) != 1 || ms[0].Content != c.want {
			t.Errorf("%s: %+v, %v, want %q", c.sections, ms, err, c.want)
		}
	}
}
