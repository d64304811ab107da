package prompt

import (
	"testing"

	"github.com/pcc-lang/pcc/compiler"
)

func idOf(t *testing.T, files ...string) string {
	t.Helper()
	s := mustLoad(t, filesOf(files...), files[0])
	p, err := s.Find("")
	if err != nil {
		t.Fatal(err)
	}
	return p.ID()
}

// TestID: the id of a prompt follows what it renders, and nothing else.
func TestID(t *testing.T) {
	const doc = "variables: {q: string, xs: list}\nvars: {x: 1}\nroles: [user]\ntools: {f: {parameters: {a: string}}}\nparameters: {n: '{q}'}\nmessages:\n  - system: Hello {q}\n  - when: q\n    messages: [{user: a}]\n  - messages: xs\n  - user: [{image: {url: u}}]\n"
	base := idOf(t, "a.yaml", doc)
	if base != idOf(t, "a.yaml", doc) {
		t.Fatal("the id of the same prompt differs")
	}
	for what, same := range map[string][]string{
		"another name":   {"sub/b.yaml", doc},
		"a comment":      {"a.yaml", "# note\n" + doc + "# end\n"},
		"layout":         {"a.yaml", "variables:\n    q: string\n    xs: list\nvars: {x:  1}\nroles: [user]\ntools: {f: {parameters: {a: 'string'}}}\nparameters: {n: '{q}'}\nmessages:\n- system: \"Hello {q}\"\n- {when: q,   messages: [user: a]}\n- messages: xs\n- user:\n  - image: {url: u}\n"},
		"metadata":       {"a.yaml", "version: 2\nlabels: [a]\nmetadata: {x: 1}\ndescription: d\n" + doc},
		"tests":          {"a.yaml", doc + "tests: [{data: {q: a}}]\n"},
		"the short form": {"a.yaml", "variables: {q: string, xs: list}\nvars: {x: 1}\nroles: [user]\ntools: [{type: function, function: {name: f, parameters: {type: object, properties: {a: {type: string}}}}}]\nparameters: {n: '{q}'}\nmessages:\n  - system: Hello {q}\n  - when: q\n    messages: [{user: a}]\n  - messages: xs\n  - user: [{image: {url: u}}]\n"},
	} {
		if idOf(t, same...) != base {
			t.Errorf("%s changes the id", what)
		}
	}
	seen := map[string]string{base: "the prompt itself"}
	for what, text := range map[string]string{
		"text": "variables: {q: string}\nmessages:\n  - system: Hello {q}!\n", "role": "variables: {q: string}\nmessages:\n  - user: Hello {q}!\n",
		"variable": "variables: {q: any}\nmessages:\n  - system: Hello {q}!\n", "default": "variables: {q: {type: string, default: a}}\nmessages:\n  - system: Hello {q}!\n",
		"vars": "vars: {q: 1}\nmessages:\n  - system: Hello {q}!\n", "vars2": "vars: {q: 2}\nmessages:\n  - system: Hello {q}!\n",
		"width": "messages:\n  - system: Hello {{q}}!\n", "undefined": "undefined: empty\nmessages:\n  - system: Hello {q}!\n",
		"condition": "messages:\n  - when: q\n    messages: [{system: Hello}]\n", "condition2": "messages:\n  - when: not q\n    messages: [{system: Hello}]\n",
		"case": "messages:\n  - switch: q\n    cases: {a: [{system: Hello}]}\n", "case2": "messages:\n  - switch: q\n    cases: {b: [{system: Hello}]}\n",
		"list": "messages:\n  - messages: q\n", "list2": "messages:\n  - messages: p\n", "roles": "roles: [user]\nmessages:\n  - messages: p\n",
		"loop": "messages:\n  - loop: q\n    messages: [{system: '{item}'}]\n", "filter": "messages:\n  - system: Hello {q|upper}!\n", "filter2": "messages:\n  - system: Hello {q|lower}!\n",
		"key": "messages:\n  - system: a\n    cache: true\n", "key2": "messages:\n  - system: a\n    cache: false\n", "name": "messages:\n  - system: a\n    name: b\n",
		"no content": "messages:\n  - role: assistant\n", "null content": "messages:\n  - role: assistant\n    content: null\n", "no text": "messages:\n  - role: assistant\n    content: ''\n",
		"parts": "messages:\n  - user: [a, b]\n", "parts2": "messages:\n  - user: [ab]\n", "parts3": "messages:\n  - user: ['{a}']\n",
		"model": "model: a\nmessages:\n  - user: a\n", "model2": "model: b\nmessages:\n  - user: a\n", "parameter": "parameters: {a: 1}\nmessages:\n  - user: a\n",
		"parameter2": "parameters: {a: '{x}'}\nmessages:\n  - user: a\n", "parameter3": "parameters: {a: '{y}'}\nmessages:\n  - user: a\n", "number": "parameters: {a: '1'}\nmessages:\n  - user: a\n",
		"tool": "tools: {f: {}}\nmessages:\n  - user: a\n", "tool2": "tools: {g: {}}\nmessages:\n  - user: a\n", "choice": "tool_choice: none\nmessages:\n  - user: a\n",
		"output": "output: {a: string}\nmessages:\n  - user: a\n", "examples": "examples: [1]\nmessages:\n  - user: a\n", "template": "template: a\n", "messages": "messages:\n  - user: a\n",
	} {
		id := idOf(t, "a.yaml", text)
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s have the same id", what, other)
		}
		seen[id] = what
	}
}

// Templates that a program takes in are part of it.
func TestIDOfIncludes(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"a.md", "{include \"x.md\"}"},
		{"a.yaml", "messages:\n  - user: {file: x.md}\n"},
		{"a.yaml", "messages:\n  - user: '{include \"x.md\"}'\n"},
		{"a.yaml", "syntax: jinja\nmessages:\n  - user: '{% include \"x.md\" %}'\n"},
		{"a.j2", "{% include 'x.md' %}"},
		{"a.j2", "{% include ['x.md', 'y.md'] %}"},
		{"a.j2", "{% extends 'x.md' %}{% block b %}{% endblock %}"},
		{"a.j2", "{% import 'x.md' as x %}{{ x.y }}"},
		{"a.j2", "{% from 'x.md' import y %}{{ y }}"},
		{"a.j2", "{% if q %}{% include 'deep.j2' %}{% endif %}"},
		{"a.yaml", "examples: x.jsonl\nmessages:\n  - user: hi\n"},
		{"a.yaml", "messages:\n  - user: [{image: {file: x.png}}]\n"},
	} {
		id := func(inner string) string {
			return idOf(t, c.name, c.text, "x.md", inner, "deep.j2", "{% include 'x.md' %}{% include 'deep.j2' %}", "x.jsonl", `{"a":"`+inner+`"}`, "x.png", inner)
		}
		if a, b := id("one"), id("two"); a == b {
			t.Errorf("%s %s: a change of what it takes in does not change the id", c.name, c.text)
		} else if a != id("one") {
			t.Errorf("%s %s: the id is not stable", c.name, c.text)
		}
	}
	p := compiler.Must(compiler.Compile("Hi {x}"))
	q := compiler.Must(compiler.Compile("{# a #}Hi {x}"))
	if p.ID() != q.ID() || len(p.ID()) != 64 {
		t.Errorf("%s, %s", p.ID(), q.ID())
	}
}
