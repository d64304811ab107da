package prompt

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// agentOf are the files of an agent with one entry, and more.
func agentOf(more ...string) fstest.MapFS {
	return filesOf(append([]string{"config.yaml", "prompt: [{user: ask.jinja}]", "templates/ask.jinja", "Hi {{ name }}"}, more...)...)
}

// Broken tests are a warning where a prompt is loaded, whatever is wrong with
// them and wherever they stand; Set.TestFaults has them as errors.
func TestBrokenTests(t *testing.T) {
	const doc = "messages: [{user: hi}]\n"
	for _, c := range []struct {
		name, file string
		fsys       fs.FS
		opts       []Option
		code       diag.Code
		tests      int // that can be run all the same
	}{
		{"not well-formed", ".", agentOf("tests/test_1.yaml", "a: b: c", "tests/test_2.yaml", "ask: {name: A}"), nil, "PCC401", 1},
		{"a list", ".", agentOf("tests/test_1.yaml", "- 1"), nil, "PCC410", 0},
		{"two documents", ".", agentOf("tests/test_1.yaml", "a: 1\n---\nb: 2\n"), nil, "PCC405", 0},
		{"no UTF-8", ".", agentOf("tests/test_1.yaml", "a: \xff"), nil, "PCC415", 0},
		{"a key twice", ".", agentOf("tests/test_1.yaml", "a: 1\na: 2\n"), nil, "PCC403", 0},
		{"a tag", ".", agentOf("tests/test_1.yaml", "a: !x 1\n"), nil, "PCC404", 0},
		{"too large", ".", agentOf("tests/test_1.yaml", "a: "+strings.Repeat("x", 2<<20)), nil, "PCC920", 0},
		{"expect is a text", ".", agentOf("tests/test_1.yaml", "ask: {name: A}\nexpect: hi\n"), nil, "PCC410", 1},
		{"in the configuration", ".", filesOf("config.yaml", "prompt: [{user: a.jinja}]\ntests: {a: 1}\n", "templates/a.jinja", "x"), nil, "PCC410", 0},
		{"in a document", "a.yaml", filesOf("a.yaml", doc+"tests: 3\n"), nil, "PCC410", 0},
		{"one of two", "a.yaml", filesOf("a.yaml", doc+"tests: [1, {expect: {text: hi}}]\n"), nil, "PCC410", 1},
		{"of AgentForge", "a.yaml", filesOf("a.yaml", "user: hi\ntests: {a: 1}\n"), nil, "PCC410", 0},
		{"of prompt_templates", "a.yaml", filesOf("a.yaml", "prompt: {template: hi, tests: x}\n"), nil, "PCC410", 0},
		{"in front matter", "a.md", filesOf("a.md", "---\ntests: 3\n---\nhi\n"), nil, "PCC410", 0},
		{"beside a document", "a.yaml", filesOf("a.yaml", doc, "tests/a.yaml", "a: b: c"), []Option{WithTestFiles()}, "PCC401", 0},
		{"beside a template", "a.md", filesOf("a.md", "hi", "tests/a.yaml", "- {expect: 3}"), []Option{WithTestFiles()}, "PCC410", 1},
	} {
		s, err := Load(c.fsys, c.file, c.opts...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		faults := s.TestFaults()
		if len(faults) == 0 || faults[0].Code != c.code || faults[0].Severity != diag.Error || faults[0].File == nil {
			t.Errorf("%s: the faults are %v", c.name, faults)
		}
		if w := s.Warnings(); w.HasErrors() || len(w) == 0 || w[0].Code != c.code {
			t.Errorf("%s: the warnings are %v", c.name, w)
		}
		if got := len(s.Tests()); got != c.tests {
			t.Errorf("%s: %d tests can be run, want %d", c.name, got, c.tests)
		}
		if p, _ := s.Lookup(""); p == nil {
			t.Errorf("%s: there is no prompt", c.name)
		}
	}
	all, err := LoadDir(filesOf("x/config.yaml", "prompt: [{user: a.jinja}]", "x/templates/a.jinja", "x", "x/tests/test.yaml", "a: b: c", "good.yaml", doc), ".")
	if err != nil || len(all.TestFaults()) != 1 || all.Len() != 2 {
		t.Errorf("a folder: %v", err)
	}
	// Faults of the prompt itself stay errors.
	if _, err := Load(filesOf("a.yaml", "messages: [{usr: hi}]\ntests: 3\n"), "a.yaml"); err == nil {
		t.Error("a broken prompt loads")
	}
}

// A test of an agent is a request, or has one under `data` or `request`.
func TestAgentTestForms(t *testing.T) {
	for _, c := range []struct{ name, test, label, fails string }{
		{"a request", "ask: {name: Ann}\n", "test_1", ""},
		{"and expect", "ask: {name: Ann}\nexpect: {text: Hi Ann}\n", "test_1", ""},
		{"data", "data: {ask: {name: Ann}}\nexpect: {text: Hi Ann}\n", "test_1", ""},
		{"request", "request: {ask: {name: Ann}}\nexpect: {text: Hi Ann}\n", "test_1", ""},
		{"name and request", "name: greets\nrequest: {ask: {name: Ann}}\nexpect: {text: Hi Ann}\n", "greets", ""},
		{"name and data", "name: greets\ndata: {ask: {name: Ann}}\nexpect: {text: Hi Bob}\n", "greets", "the text is another one"},
		{"no request", "request:\nexpect: {text: 'Hi '}\n", "test_1", "the render warns"},
	} {
		s := mustLoad(t, agentOf("tests/test_1.yaml", c.test), ".")
		if w := append(s.Warnings(), s.TestFaults()...); len(w) > 0 || len(s.Tests()) != 1 {
			t.Errorf("%s: %v", c.name, w)
			continue
		}
		test := s.Tests()[0]
		r := test.Run(context.Background())
		got := ""
		if !r.Passed() {
			got = r.Failures[0].Message
		}
		if got != c.fails || test.Name != c.label {
			t.Errorf("%s: %q, %q", c.name, test.Name, got)
		}
	}
	// Where an entry reads the key, it is part of the request.
	s := mustLoad(t, filesOf("config.yaml", "prompt: [{user: data.jinja}]", "templates/data.jinja", "Hi {{ name }}",
		"tests/test_1.yaml", "data: {name: Ann}\nexpect: {text: Hi Ann}\n"), ".")
	if r := s.Tests()[0].Run(context.Background()); !r.Passed() {
		t.Errorf("got %v", r.Failures)
	}
	s = mustLoad(t, agentOf("tests/test_1.yaml", "request: {ask: {name: Ann}}\nnote: x\nexpect: {text: Hi Ann}\n"), ".")
	if w := s.Warnings(); len(w) != 1 || w[0].Code != "PCC411" {
		t.Errorf("got %v", w)
	}
}

// An item that would say twice what it is is refused, in every form: else one
// half would be lost.
func TestOneKindOfItem(t *testing.T) {
	for _, c := range []struct{ text, code string }{
		{"prompt:\n- {user: 'a {{ x }}', assistant: 'b {{ x }}'}\n", "PCC423"},
		{"prompt:\n- {system: 'a {{ x }}', user: 'b {{ x }}', assistant: 'c {{ x }}'}\n", "PCC423"},
		{"prompt:\n- {template: 'a {{ x }}', user: 'b {{ x }}'}\n", "PCC423"},
		{"prompt:\n- {when: a, user: 'b {{ x }}', prompt: [{user: 'c {{ x }}'}]}\n", "PCC423"},
		{"prompt:\n- {when: a, loop: b, prompt: [{user: 'c {{ x }}'}]}\n", "PCC423"},
		{"prompt:\n- when: a\n  prompt:\n  - {user: 'a {{ x }}', assistant: 'b {{ x }}'}\n", "PCC423"},
		{"messages:\n- {user: a, assistant: b}\n", "PCC417"},
		{"- {user: a, assistant: b}\n", "PCC417"},
		{"messages:\n- {when: a, user: b}\n", "PCC420"},
		{"messages:\n- {switch: a, cases: {c: [{user: c}]}, default: [{user: d}]}\n", "PCC420"},
		{"messages:\n- {switch: a, cases: {c: [{user: c}]}, else: [{user: d}]}\n", "PCC420"},
		{"messages:\n- {loop: xs, as: x, messages: [{user: c}]}\n", "PCC420"},
		{"messages:\n- {when: a, messages: [{user: c}], elif: b}\n", "PCC420"},
		{"messages:\n- {when: a, loop: b, messages: [{user: c}]}\n", "PCC420"},
		{"messages:\n- {switch: a, when: b, cases: {c: [{user: c}]}}\n", "PCC420"},
		{"messages:\n- {role: user, system: b, content: c}\n", "PCC420"},
		{"messages:\n- {system: b, role: user}\n", "PCC420"},
	} {
		_, err := Load(filesOf("a.yaml", c.text), "a.yaml")
		var d *diag.Diagnostic
		if !errors.As(err, &d) || string(d.Code) != c.code || d.Help == "" || d.Span.Start == 0 {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// TestMixedTexts: texts of one document that show different syntaxes are told, those
// without tags and those of one family are not.
func TestMixedTexts(t *testing.T) {
	for text, want := range map[string]int{
		"messages:\n- system: 'Hi {name}.'\n- user: 'Never {% if x %}y{% endif %}.'\n":                   1,
		"messages:\n- system: 'Use <name> tags.'\n- user: 'Hi {name}.'\n- user: 'Hi {{ name }}.'\n":      1,
		"messages:\n- when: x\n  messages: [{user: '{{ a }}'}]\n  else: [{user: '<a>'}]\n":               1,
		"messages:\n- system: 'Hi {name}.'\n- user: 'Hi {{ name }} and a < b.'\n- assistant: plain\n":    0,
		"messages:\n- system: 'What is <b>?'\n- user: 'Hi {name}.'\n- user: 'Hi {{ name }}.'\n":          0,
		"syntax: brace\nmessages:\n- system: 'Hi {name}.'\n- user: 'Use <name> tags.'\n":                 0,
		"messages:\n- system: '{% if x %}y{% endif %}'\n- user: '{{ name }}{% if name %}z{% endif %}'\n": 0,
	} {
		set, err := Load(filesOf("d.yaml", text), "d.yaml")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		n := 0
		for _, p := range set.All() {
			for _, d := range p.Warnings() {
				if d.Code == "PCC127" {
					n++
				}
			}
		}
		for _, d := range set.Warnings() {
			if d.Code == "PCC127" {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: told %d times", text, n)
		}
		if _, err := Load(filesOf("d.yaml", text), "d.yaml", WithStrict()); (err != nil) != (want > 0) {
			t.Errorf("%s, strict: %v", text, err)
		}
	}
}

// Nothing is no prompt: empty lists and dictionaries are refused in files and
// where programs make them.
func TestNoPrompt(t *testing.T) {
	// The library prompt_templates loads these: a warning, and with WithStrict an error.
	for _, text := range []string{"prompt: {template: []}", "prompt: {messages: []}", "prompt: {template_dictionary: {}}", "prompt: {template_dictionary: {a: []}}"} {
		s, err := Load(filesOf("a.yaml", text), "a.yaml")
		if err != nil || len(s.Warnings()) != 1 || s.Warnings()[0].Code != "PCC429" || s.Warnings()[0].Help == "" {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := Load(filesOf("a.yaml", text), "a.yaml", WithStrict()); err == nil {
			t.Errorf("%s is no error with WithStrict", text)
		}
	}
	for _, text := range []string{"messages: []", "[]", "templates: {}", "templates: {a: []}", "templates: {a: {messages: []}}", "prompt: []"} {
		_, err := Load(filesOf("a.yaml", text), "a.yaml")
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Help == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
	if s, err := NewChat(nil, Spec{}); err != nil || len(s.Warnings()) == 0 {
		t.Errorf("a chat of no messages is made without a warning: %v", err)
	}
	if s, err := NewDictionary(nil, Spec{}); err != nil || len(s.Warnings()) == 0 {
		t.Errorf("a dictionary of no prompts is made without a warning: %v", err)
	}
}

// The two templates of a pair are asked for together.
func TestPairListsAllMissing(t *testing.T) {
	system := "{{role}} {{lang}} {{tone}}"
	p, err := NewPair("{{lang}} {{text}}", &system)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data map[string]any
		want string
	}{
		{nil, "missing variable: `lang`, `text`, `role`, `tone`"},
		{map[string]any{"lang": 1}, "missing variable: `text`, `role`, `tone`"},
		{map[string]any{"lang": 1, "text": 1}, "missing variable: `role`, `tone`"},
		{map[string]any{"lang": 1, "role": 1, "tone": 1}, "missing variable: `text`"},
	} {
		_, err := p.Invoke(c.data)
		if err == nil {
			t.Errorf("%v: no error", c.data)
			continue
		}
		if got, _, _ := strings.Cut(err.Error(), ": a"); !strings.HasPrefix(got, c.want+":") && got != c.want {
			t.Errorf("%v: %s", c.data, err)
		}
		var list diag.List
		var one *diag.Diagnostic
		if !errors.As(err, &list) && !errors.As(err, &one) {
			t.Errorf("%v: the error holds no findings: %v", c.data, err)
		}
	}
	got, err := p.Invoke(map[string]any{"lang": "l", "text": "t", "role": "r", "tone": "o"})
	if err != nil || got.Prompt != "l t" || *got.System != "r l o" {
		t.Errorf("%v, %v", got, err)
	}
}

// Braces around nothing but blanks are the variable without a name, which can be
// given.
func TestNamelessVariable(t *testing.T) {
	for populator, text := range map[string]string{"single_brace": "f() { } {x}", "double_brace": "f() {{ }} {{x}}"} {
		s, err := NewText(text, Spec{Populator: populator})
		if err != nil {
			t.Fatal(err)
		}
		p, _ := s.Lookup("")
		if got, err := p.Render(map[string]any{"": "E", "x": "X"}); err != nil || got != "f() E X" {
			t.Errorf("%s: %q, %v", populator, got, err)
		}
		_, err = p.Render(map[string]any{"x": "X"})
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != "PCC354" || !strings.Contains(d.Help, "another populator") {
			t.Errorf("%s: %v", populator, err)
		}
	}
}

// The level relaxed has Jinja's own functions: len is a variable there.
func TestRelaxedLen(t *testing.T) {
	for _, c := range []struct {
		level string
		data  map[string]any
		want  string
	}{
		{"relaxed", map[string]any{"len": 5}, "5"}, {"strict", map[string]any{"len": 5}, "5"}, {"standard", nil, "<built-in function len>"},
	} {
		s, err := NewText("{{ len }}", Spec{Security: c.level})
		if err != nil {
			t.Fatal(err)
		}
		p, _ := s.Lookup("")
		if got, err := p.Render(c.data); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.level, got, err)
		}
	}
}

// A tree of which nothing is rendered gives no message, one whose templates
// render to nothing does.
func TestTreeWithoutMessages(t *testing.T) {
	const tree = "prompt:\n- when: vip\n  prompt:\n  - {template: '{{ x }}', pointer: t}\n"
	for _, c := range []struct {
		text string
		data map[string]any
		want []vm.Message
	}{
		{tree, nil, nil},
		{tree, map[string]any{"vip": false}, nil},
		{tree, map[string]any{"vip": map[string]any{"t": map[string]any{"x": "v"}}}, []vm.Message{{Role: "user", Content: "v"}}},
		{tree, map[string]any{"vip": true}, []vm.Message{{Role: "user"}}},
		{"prompt: [{template: '{{ x }}', pointer: t}]", nil, []vm.Message{{Role: "user"}}},
	} {
		p, _ := mustLoad(t, filesOf("a.yaml", c.text), "a.yaml").Lookup("")
		for range 2 { // nothing is kept from one render to the next
			got, err := p.Messages(c.data)
			if err != nil || len(got) != len(c.want) || len(got) == 1 && got[0].Content != c.want[0].Content {
				t.Errorf("%v: %v, %v", c.data, got, err)
			}
		}
	}
}

// A `template` alone is native, or by option a pair.
func TestTemplateAlone(t *testing.T) {
	const text = "template: '{x} {{x}} {{ spaced }}'\n"
	for _, c := range []struct {
		opts       []Option
		form, want string
	}{
		{nil, "native", "X X S"}, {[]Option{WithForm("pair")}, "pair", "{x} X {{ spaced }}"}, {[]Option{WithForm("native")}, "native", "X X S"},
	} {
		s, err := LoadText("a.yaml", text, nil, c.opts...)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := s.Lookup("")
		ms, err := p.Messages(map[string]any{"x": "X", "spaced": "S"})
		if err != nil || len(ms) != 1 || string(s.Form()) != c.form {
			t.Fatalf("%s: %v, %v", s.Form(), ms, err)
		}
		if diff := cmp.Diff(c.want, ms[0].Content); diff != "" {
			t.Error(diff)
		}
	}
}

// What lacks, or means nothing, is told as it is.
func TestDocumentAdvice(t *testing.T) {
	for _, c := range []struct {
		name, file string
		fsys       fs.FS
		code, text string // a part of the message or help
	}{
		{"system without a template", "a.yaml", filesOf("a.yaml", "system_template: hi\n"), "PCC420", "add `template:`"},
		{"a message with a short role", "a.yaml", filesOf("a.yaml", "prompt: {template: [{user: hi}]}\n"), "PCC420", "- role: user, and below it content: …"},
		{"a message without a role", "a.yaml", filesOf("a.yaml", "prompt: {template: [{content: hi}]}\n"), "PCC420", "add `role: user`"},
		{"a message without content", "a.yaml", filesOf("a.yaml", "prompt: {template: [{role: user}]}\n"), "PCC420", "add `content:`"},
		{"a misspelt role key", "a.yaml", filesOf("a.yaml", "prompt: {template: [{rol: user, content: hi}]}\n"), "PCC420", "did you mean `role` by `rol`?"},
		{"messages right under prompt", "a.yaml", filesOf("a.yaml", "prompt: [{role: user, content: hi}]\n"), "PCC419", "write `template:` under `prompt:`"},
		{"then", "a.yaml", filesOf("a.yaml", "messages:\n- when: x\n  then: [{user: hi}]\n"), "PCC420", "write `messages:` for `then:`"},
		{"do", "a.yaml", filesOf("a.yaml", "messages:\n- loop: xs as x\n  do:\n  - user: hi\n"), "PCC420", "write `messages:` for `do:`"},
		{"prompt", "a.yaml", filesOf("a.yaml", "messages:\n- when: x\n  prompt: [{user: hi}]\n"), "PCC420", "write `messages:` for `prompt:`"},
		{"a message in the item", "a.yaml", filesOf("a.yaml", "messages:\n- when: x\n  user: hi\n"), "PCC420", "write `messages:`, and the message under it: - user: …"},
		{"neither", "a.yaml", filesOf("a.yaml", "messages:\n- when: x\n"), "PCC420", "list what depends on it under `messages:`"},
	} {
		_, err := Load(c.fsys, c.file)
		var d *diag.Diagnostic
		if !errors.As(err, &d) || string(d.Code) != c.code || !strings.Contains(d.Help, c.text) {
			t.Errorf("%s: %v, help %q", c.name, err, d.Help)
		}
	}
}

// Files of defaults that nothing reads get advice that helps: following it ends
// the warning.
func TestStrayDefaults(t *testing.T) {
	for _, c := range []struct{ file, help, renamed string }{
		{"ask.default.yaml", "rename it to ask.defaults.yaml", "ask.defaults.yaml"},
		{"ask.defauls.yaml", "rename it to ask.defaults.yaml", "ask.defaults.yaml"},
		{"asks.defauls.yaml", "rename it to ask.defaults.yaml", "ask.defaults.yaml"},
		{"asks.defaults.yaml", "rename it to ask.defaults.yaml", "ask.defaults.yaml"},
		{"ask.defaults.yml", "rename it to ask.defaults.yaml", "ask.defaults.yaml"},
		{"ASK.Defaults.yaml", "rename it to ask.defaults.yaml", "ask.defaults.yaml"},
		{"weather.defaults.yaml", "remove it", ""},
	} {
		w := mustLoad(t, agentOf("templates/"+c.file, "x: 1"), ".").Warnings()
		if len(w) != 1 || w[0].Code != "PCC425" || !strings.HasPrefix(w[0].Help, c.help) {
			t.Errorf("%s: %v", c.file, w)
			continue
		}
		if c.renamed != "" {
			if w := mustLoad(t, agentOf("templates/"+c.renamed, "x: 1"), ".").Warnings(); len(w) != 0 {
				t.Errorf("%s: %v", c.renamed, w)
			}
		}
	}
}

// Keys that mean nothing are told together, but for those with advice of their
// own.
func TestForeignKeys(t *testing.T) {
	w := mustLoad(t, filesOf("config.yaml", "id: a\nprovider: b\ninput: c\ncoment: d\nprompt: [{user: ask.jinja}]", "templates/ask.jinja", "x"), ".").Warnings()
	if len(w) != 2 || w[0].Message != "the keys `id`, `provider`, `input` mean nothing here" || w[1].Help != "did you mean `comment`?" {
		t.Errorf("got %v", w)
	}
}
