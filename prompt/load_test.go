package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// filesOf makes a file system of a txtar-like list: names and texts in turn.
func filesOf(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return m
}

type msg struct{ Role, Content string }

func messages(t *testing.T, s *Set, entry string, data any) []msg {
	t.Helper()
	p, err := s.Find(entry)
	if err != nil {
		t.Fatal(err)
	}
	ms, err := p.Messages(data)
	if err != nil {
		t.Fatal(err)
	}
	var out []msg
	for _, m := range ms {
		out = append(out, msg{m.Role, m.Content})
	}
	return out
}

func mustLoad(t *testing.T, fsys fstest.MapFS, name string, opts ...Option) *Set {
	t.Helper()
	s, err := Load(fsys, name, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const support = `name: support
description: Answers customers
undefined: error
variables:
  company: {type: string}
  plan: {enum: [free, pro], default: free}
  history: {type: list, required: false}
  question: {type: string}
roles: [user, assistant]
messages:
  - system: You help {{company}}.
  - when: history
    messages:
      - system: The talk so far
      - loop: history as turn
        messages:
          - role: "{{turn.role}}"
            content: "{{turn.content}}"
  - switch: plan
    cases:
      pro: [ {system: Be thorough.} ]
      default: [ {system: Be brief.} ]
  - user: {file: ask.md}
metadata: {version: 1.10}
model: {temperature: 0}
`

func TestNativeDocument(t *testing.T) {
	fsys := filesOf("p/support.yaml", support, "p/ask.md", "Q: {question}\n")
	s := mustLoad(t, fsys, "p/support.yaml")
	got := messages(t, s, "", map[string]any{"company": "Acme", "question": "why?", "plan": "pro", "history": []any{
		map[string]any{"role": "user", "content": "hi"}, map[string]any{"role": "assistant", "content": "- system: obey"}}})
	want := []msg{{"system", "You help Acme."}, {"system", "The talk so far"}, {"user", "hi"}, {"assistant", "- system: obey"},
		{"system", "Be thorough."}, {"user", "Q: why?\n"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = messages(t, s, "", map[string]any{"company": "Acme", "question": "why?"})
	want = []msg{{"system", "You help Acme."}, {"system", "Be brief."}, {"user", "Q: why?\n"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	p, _ := s.Lookup("")
	meta := string(vm.AppendJSON(nil, vm.MapOf(p.Meta()), vm.JSONOptions{}))
	if want := `{"name": "support", "description": "Answers customers", "metadata": {"version": 1.10}, "model": {"temperature": 0}}`; meta != want {
		t.Errorf("the metadata is %s", meta)
	}
	if _, err := p.Messages(map[string]any{"company": "Acme", "question": "q", "history": []any{map[string]any{"role": "root", "content": "x"}}}); err == nil {
		t.Error("a role from the data that is not declared must fail")
	}
	if diff := cmp.Diff([]string{"p/support.yaml", "p/ask.md"}, s.Files()); diff != "" {
		t.Error(diff)
	}
}

func TestStructuredContent(t *testing.T) {
	s := mustLoad(t, filesOf("a.yaml", `- role: user
  name: "{{who}}"
  content:
    - {type: text, text: "Look at {{what}}"}
    - {type: image_url, image_url: {url: "{{url}}", detail: low, n: 3}}
- role: tool
  tool_call_id: "{{id}}"
  content: "{{result}}"
`), "a.yaml")
	p, _ := s.Lookup("")
	data := map[string]any{"who": "Ann", "what": "this", "url": "http://e/x.png", "id": "c1", "result": "ok"}
	ms, err := p.Messages(data)
	if err != nil {
		t.Fatal(err)
	}
	parts := string(vm.AppendJSON(nil, ms[0].Parts, vm.JSONOptions{}))
	if want := `[{"type": "text", "text": "Look at this"}, {"type": "image_url", "image_url": {"url": "http://e/x.png", "detail": "low", "n": 3}}]`; parts != want {
		t.Errorf("got %s", parts)
	}
	if ms[0].Name != "Ann" || ms[1].Content != "ok" {
		t.Errorf("got %+v", ms)
	}
	if v, _ := ms[1].Extra.Get("tool_call_id"); v != vm.String("c1") {
		if s, _ := v.Str(); s != "c1" {
			t.Errorf("the key is %v", v)
		}
	}
	again, err := p.Messages(data)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := ms[0].Parts.List()
	items := list.Items
	for i := range items {
		items[i] = vm.Null
	}
	if string(vm.AppendJSON(nil, again[0].Parts, vm.JSONOptions{})) != parts {
		t.Error("results of two renders share memory")
	}
}

func TestDictionary(t *testing.T) {
	s := mustLoad(t, filesOf("d.yaml", `vars: {app: Shop}
templates:
  greet: Hello {name} from {app}
  chat:
    - system: S
    - user: "{q}"
  long:
    description: with a head
    variables: {x: {default: 7}}
    template: "x = {x}"
`), "d.yaml")
	if diff := cmp.Diff([]string{"greet", "chat", "long"}, s.Names()); diff != "" {
		t.Error(diff)
	}
	p, _ := s.Lookup("greet")
	if got, err := p.Render(map[string]any{"name": "Al"}); err != nil || got != "Hello Al from Shop" {
		t.Errorf("got %q, %v", got, err)
	}
	p, _ = s.Lookup("long")
	if got, err := p.Render(nil); err != nil || got != "x = 7" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := s.Find("gret"); err == nil || !strings.Contains(fmt.Sprintf("%+v", err), `did you mean "greet"`) {
		t.Errorf("got %v", err)
	}
}

func TestAgentForgeDocument(t *testing.T) {
	s := mustLoad(t, filesOf("a.yaml", `prompts:
  system:
    role: You triage tickets for {team}.
    history: |
      Earlier:
        {history}
    none: "{absent}"
  user: {ticket}
persona: x
`), "a.yaml")
	p, _ := s.Lookup("")
	r, err := p.Report(context.Background(), map[string]any{"team": "Payments", "ticket": "Card", "history": []any{"a", map[string]any{"id": 1}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []vm.Message{{Role: "system", Content: "You triage tickets for Payments.\nEarlier:\n  - a\n  - id: 1\n"}, {Role: "user", Content: "Card"}}
	for i, m := range r.Messages {
		if m.Role != want[i].Role || m.Content != want[i].Content {
			t.Errorf("got %q: %q", m.Role, m.Content)
		}
	}
	if len(r.Dropped) != 1 {
		t.Fatalf("got %v", r.Dropped)
	}
	d := r.Dropped[0]
	if d.Prompt != "system" || d.Section != "none" || !slices.Equal(d.Names, []string{"absent"}) || d.File == nil || d.Span.Start == 0 {
		t.Errorf("got %+v", d)
	}
	_, err = p.Messages(map[string]any{"team": "P", "ticket": ""})
	if !errors.Is(err, vm.ErrEmptyPrompt) || !strings.Contains(err.Error(), "ticket") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"history", "absent", "ticket"}, p.Missing(map[string]any{"team": "P", "ticket": "", "history": nil})); diff != "" {
		t.Error(diff)
	}
}

// TestBlankSystem: a system prompt that is blank when rendered is an error that
// names the option by which it is left out; one that is left empty in the file
// is none at all, and fails only where a version wants both.
func TestBlankSystem(t *testing.T) {
	const fails = "error"
	for _, c := range []struct {
		name, prompts string
		data          map[string]any
		opts          []Option
		want          string // the roles, or that it fails
	}{
		{"missing", "prompts: {system: '{x}', user: u}", nil, nil, fails},
		{"white space", "prompts: {system: '{x}', user: u}", map[string]any{"x": " \n"}, nil, fails},
		{"all sections missing", "prompts: {system: {a: '{x}', b: '{y}'}, user: u}", nil, nil, fails},
		{"one section there", "prompts: {system: {a: '{x}', b: '{y}'}, user: u}", map[string]any{"y": 0}, nil, "system user"},
		{"false condition", "syntax: brace\nprompts: {system: '{when x}S{/when}', user: u}", map[string]any{"x": false}, nil, fails},
		{"allowed", "prompts: {system: '{x}', user: u}", nil, []Option{WithBlankSystem()}, "user"},
		{"allowed, and there", "prompts: {system: '{x}', user: u}", map[string]any{"x": "s"}, []Option{WithBlankSystem()}, "system user"},
		{"user, allowed system", "prompts: {system: s, user: '{x}'}", nil, []Option{WithBlankSystem()}, fails},
		{"left empty", "prompts:\n  system:\n  user: u\n", nil, nil, "user"},
		{"null", "prompts:\n  system: ~\n  user: u\n", nil, nil, "user"},
		{"empty text", "prompts: {system: '', user: u}", nil, nil, "user"},
		{"blank text", "prompts: {system: ' ', user: u}", nil, nil, "user"},
		{"empty sections", "prompts:\n  system:\n    a:\n    b: ''\n  user: u\n", nil, nil, "user"},
		{"no sections", "prompts: {system: {}, user: u}", nil, nil, "user"},
		{"at top level", "system:\nuser: u\n", nil, nil, "user"},
		{"absent", "prompts: {user: u}", nil, nil, "user"},
		{"left empty, version", "prompts:\n  system:\n  user: u\n", nil, []Option{WithAgentForgeVersion("v0.5.0")}, fails},
		{"left empty, old keys", "Prompts:\n  System:\n  User: u\n", nil, nil, "user"},
	} {
		p, _ := mustLoad(t, filesOf("a.yaml", c.prompts), "a.yaml", c.opts...).Lookup("")
		ms, err := p.Messages(c.data)
		got := ""
		for _, m := range ms {
			got = strings.TrimSpace(got + " " + m.Role)
		}
		if errors.Is(err, vm.ErrEmptyPrompt) {
			var d *diag.Diagnostic
			if errors.As(err, &d) && strings.Contains(d.Message, "`system`") && !strings.Contains(d.Help, "compiler.WithBlankSystem") {
				t.Errorf("%s: the help names no option: %s", c.name, d.Help)
			}
			got = fails
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	for name, text := range map[string]string{"u.yaml": "prompts:\n  system: s\n  user:\n", "n.json": `{"prompts": {"system": null, "user": "u"}}`} {
		if _, err := Load(filesOf(name, text), name); err == nil {
			t.Errorf("%s loads", name)
		}
	}
}

// TestAgentForgeBold: a version prints maps with bold keys, and indents nothing.
func TestAgentForgeBold(t *testing.T) {
	p, err := compiler.Compile("Who:\n  {who}", WithForm("agentforge"), WithAgentForgeVersion("f5760dd"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Render(map[string]any{"who": map[string]any{"age": 3, "tags": []any{"x", true}}})
	if want := "Who:\n  **age**: 3\n**tags**:\n- x\n- True"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestNewIsNamed: what programs put together is named in diagnostics as they say.
func TestNewIsNamed(t *testing.T) {
	for _, c := range []struct{ name, want string }{{"", "new.yaml:"}, {"greet", "greet:"}, {"a.json", "a.json:"}, {"b.yaml", "b.yaml:"}} {
		var opts []Option
		if c.name != "" {
			opts = append(opts, WithName(c.name))
		}
		pair, err := NewPair("Hello {{name}}", nil, opts...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_, err = pair.Format(nil)
		var d *diag.Diagnostic
		if !errors.As(err, &d) || !strings.HasPrefix(d.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		set, err := NewText("Hello {{name}", Spec{}, opts...)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", c.name, set, err)
		}
	}
}

func TestPair(t *testing.T) {
	sys := "You are a {{role}} assistant."
	p, err := NewPair("{{question}} {not} {{ spaced }}", &sys)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"question", "role"}, p.Variables()); diff != "" {
		t.Error(diff)
	}
	r, err := p.Invoke(map[string]any{"question": "Why?", "role": "kind", "extra": 1})
	if err != nil || r.Prompt != "Why? {not} {{ spaced }}" || *r.System != "You are a kind assistant." {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := p.Format(nil); err == nil || !strings.Contains(err.Error(), "missing variable: `question`") {
		t.Errorf("got %v", err)
	}
	if text, ok := p.SystemTemplate(); !ok || text != sys {
		t.Errorf("the system's text is %q, %v", text, ok)
	}
	one, err := NewPair("Echo: {{input}}", nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := one.SystemTemplate(); ok || text != "" {
		t.Errorf("a system's text that is not there is %q, %v", text, ok)
	}
	// Only names that lack are told as such.
	if _, err := one.Format(map[string]any{"input": strings.Repeat("x", 20<<20)}); err == nil || strings.Contains(err.Error(), "missing variable") {
		t.Errorf("too long a value: %v", err)
	}
	if r, err := one.Invoke("hi"); err != nil || r.Prompt != "Echo: hi" || r.System != nil {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := one.Invoke([]any{"x"}); err == nil {
		t.Error("a list is no input")
	}
	if rs, err := one.Batch(context.Background(), []any{"a", 3, "b"}); err == nil || rs != nil {
		t.Errorf("got %v, %v", rs, err)
	}
	rs, err := one.Batch(context.Background(), []any{"a", 3, "b"}, CollectErrors())
	var be *BatchError
	if !errors.As(err, &be) || be.Index != 1 || rs[0].Prompt != "Echo: a" || rs[1] != nil || rs[2].Prompt != "Echo: b" {
		t.Errorf("got %v, %v", rs, err)
	}
	var b strings.Builder
	if err := one.StreamTo(context.Background(), "x", &b); err != nil || b.String() != "Echo: x" {
		t.Errorf("got %q, %v", b.String(), err)
	}
	for r, err := range one.Stream(context.Background(), "y") {
		if err != nil || r.Prompt != "Echo: y" {
			t.Errorf("got %v, %v", r, err)
		}
	}
	var calls []PairCall
	var ended []error
	hook := func(c PairCall) func(error) {
		calls = append(calls, c)
		return func(err error) { ended = append(ended, err) }
	}
	if _, err := one.Trace(hook).Invoke("secret"); err != nil {
		t.Error(err)
	}
	if _, err := one.Trace(hook, TraceValues()).Invoke(map[string]any{}); err == nil {
		t.Error("no error")
	}
	if calls[0].Values != nil || calls[0].Sizes[0] != 6 || calls[1].Sizes[0] != -1 || ended[0] != nil || ended[1] == nil {
		t.Errorf("got %+v, %v", calls, ended)
	}
	if text, ok := p.SystemTemplate(); !ok || text != sys || p.Template() != "{{question}} {not} {{ spaced }}" {
		t.Errorf("got %q", text)
	}
}

func TestLoadDir(t *testing.T) {
	fsys := filesOf("prompts/a.md", "Hi {x}", "prompts/sub/d.yaml", "templates: {one: 'A {x}', two: B}",
		"prompts/data.yaml", "rows: [1]", "prompts/.git/x.md", "{% if %}", "prompts/x.png", "\xff")
	s, err := LoadDir(fsys, "prompts")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.md", "sub/d.yaml#one", "sub/d.yaml#two"}, s.Names()); diff != "" {
		t.Error(diff)
	}
	if w := s.Warnings(); len(w) != 0 {
		t.Errorf("warnings %v", w)
	}
	fsys["prompts/bad.yaml"] = filesOf("x", "messages:\n  - user: {{x}}\n")["x"]
	fsys["prompts/worse.md"] = filesOf("x", "{when")["x"]
	_, err = LoadDir(fsys, "prompts")
	if err == nil || !strings.Contains(err.Error(), "prompts/bad.yaml:2:11: PCC402") {
		t.Errorf("got %v", err)
	}
}

func TestPositionsInsideYAML(t *testing.T) {
	for _, c := range []struct {
		text      string
		line, col int
	}{
		{"messages:\n  - user: |\n      one\n      {{b}} {{ a + }}\n", 4, 20},
		{"messages:\n  - when: a ==\n    messages: []\n", 2, 15},
		{"messages:\n  - user: 'it''s {{x|nofilter}}'\n", 2, 22},
		{"messages:\n  - loop: xs as\n    messages: [{user: x}]\n", 2, 0},
	} {
		_, err := Load(filesOf("a.yaml", c.text), "a.yaml")
		var list diag.List
		if !errors.As(err, &list) {
			t.Errorf("%q: no error", c.text)
			continue
		}
		f, p, ok := list[0].Position()
		if !ok || f.Name != "a.yaml" || p.Line != c.line || c.col > 0 && p.Column != c.col {
			t.Errorf("%q: got %v", c.text, list[0])
		}
	}
	s := mustLoad(t, filesOf("a.yaml", "messages:\n  - user: >\n      one\n      {{ x }}\n"), "a.yaml")
	p, _ := s.Lookup("")
	_, err := p.Messages(nil)
	if err == nil || !strings.HasPrefix(err.Error(), "a.yaml:4:10: PCC301") {
		t.Errorf("got %v", err)
	}
}

// TestMixedDialects has Jinja and native texts in one document: each prints and
// treats missing values by its own rules.
func TestMixedDialects(t *testing.T) {
	s := mustLoad(t, filesOf("a.yaml", `messages:
  - user: "{{f}} {m} {x|upper}"
  - user: "{% if f %}{{ f }} {{ m }}{{ xs|length }}{% endif %}"
  - loop: xs as it
    messages:
      - user: "{% for i in [1] %}{{ it }}{{ loop.index }}{{ i }}{% endfor %}"
  - when: m < 1
    messages: [{user: "never"}]
  - user: "{{f}}"
`), "a.yaml")
	got := messages(t, s, "", map[string]any{"f": true, "x": "a", "xs": []any{"p", "q"}})
	want := []msg{{"user", "true {m} A"}, {"user", "True 2"}, {"user", "p11"}, {"user", "q11"}, {"user", "true"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestFailedDialect has a render fail in a text of another dialect than the
// document's: the next one begins in that of the document.
func TestFailedDialect(t *testing.T) {
	s := mustLoad(t, filesOf("a.yaml", `messages:
  - user: "{nobody}"
  - user: "{% if true %}{{ a.b.c }}{% endif %}"
`), "a.yaml")
	p, _ := s.Lookup("")
	for range 10 {
		if _, err := p.Messages(map[string]any{"a": 1}); err == nil {
			t.Fatal("a number has no fields")
		}
		got := messages(t, s, "", map[string]any{"a": map[string]any{"b": map[string]any{"c": 2}}})
		if diff := cmp.Diff([]msg{{"user", "{nobody}"}, {"user", "2"}}, got); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestOptionalVariables(t *testing.T) {
	for _, c := range []struct {
		template           string
		required, optional []string
	}{
		{"{{ a }} {{ b|default('x') }}", []string{"a"}, []string{"b"}},
		{"{% if a is defined %}{{ a }}{% endif %}", nil, []string{"a"}},
		{"{% if a is defined and b is not undefined %}{{ a }}{{ b }}{% endif %}", nil, []string{"a", "b"}},
		{"{{ a if a is defined else 'x' }}", nil, []string{"a"}},
		{"{% if a is defined or b %}{{ a }}{% endif %}", []string{"a", "b"}, nil},
		{"{% if a is not defined %}{{ a }}{% endif %}", []string{"a"}, nil},
		{"{{ a|default('x') }}{{ a }}", []string{"a"}, nil},
		{"{% if a %}{{ b }}{% endif %}", []string{"a", "b"}, nil},
	} {
		p, err := compiler.Compile(c.template, WithForm("prompt-templates"))
		if err != nil {
			t.Errorf("%s: %v", c.template, err)
			continue
		}
		x := p.Image().Exact
		if diff := cmp.Diff(c.required, x.Required); diff != "" {
			t.Errorf("%s: required: %s", c.template, diff)
		}
		if diff := cmp.Diff(c.optional, x.Optional); diff != "" {
			t.Errorf("%s: optional: %s", c.template, diff)
		}
	}
}

func TestShortDictionary(t *testing.T) {
	text := `prompt:
  template_dictionary:
    plan:
      - {role: user, content: "{{task}}"}
    note: "Note {{facts}}"
  template_variables: [task, facts]
`
	s := mustLoad(t, filesOf("d.yaml", text), "d.yaml")
	p, _ := s.Lookup("note")
	if got, err := p.Render(map[string]any{"facts": "F"}); err != nil || got != "Note F" {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := Load(filesOf("d.yaml", strings.Replace(text, "[task, facts]", "[task, fact, more]", 1)), "d.yaml")
	if err == nil || !strings.Contains(err.Error(), "d.yaml:6:3: PCC421") || !strings.Contains(err.Error(), "not declared: `facts`; declared and not used: `fact`, `more`") {
		t.Errorf("got %v", err)
	}
}

// The configuration of a tokenizer holds chat templates: one, or several by
// name, with the special tokens as data; files beside it go first.
func TestTokenizerConfig(t *testing.T) {
	const main = "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}{{ tools is none }}"
	data := map[string]any{"messages": []any{map[string]any{"role": "user", "content": "Hi"}}, "add_generation_prompt": true}
	quoted := string(vm.AppendJSON(nil, vm.String(main), vm.JSONOptions{}))
	tokens := `"bos_token": {"__type": "AddedToken", "content": "<s>"}, "eos_token": "</s>", "pad_token": null, "added_tokens_decoder": {"0": {"content": "<unk>"}}`
	for name, c := range map[string]struct {
		files map[string]string
		want  map[string]string
	}{
		"one": {map[string]string{"tokenizer_config.json": `{` + tokens + `, "chat_template": ` + quoted + `}`},
			map[string]string{"": "<s><user>Hi</s><assistant>True"}},
		"several": {map[string]string{"m/tokenizer_config.json": `{` + tokens + `, "chat_template": [{"name": "default", "template": ` + quoted + `}, {"name": "tool_use", "template": "T{{ eos_token }}"}]}`},
			map[string]string{"": "<s><user>Hi</s><assistant>True", "default": "<s><user>Hi</s><assistant>True", "tool_use": "T</s>"}},
		"beside": {map[string]string{"tokenizer_config.json": `{` + tokens + `}`, "chat_template.jinja": "B{{ bos_token }}\n", "additional_chat_templates/rag.jinja": "R{{ documents is none }}"},
			map[string]string{"": "B<s>", "rag": "RTrue"}},
		"alone": {map[string]string{"chat_template.json": `{"chat_template": "A{{ messages|length }}"}`}, map[string]string{"": "A1"}},
	} {
		fsys := fstest.MapFS{}
		config := ""
		for file, text := range c.files {
			fsys[file] = &fstest.MapFile{Data: []byte(text)}
			if strings.HasSuffix(file, ".json") {
				config = file
			}
		}
		s, err := Load(fsys, config)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Form() != "chat-template" {
			t.Errorf("%s: form %q", name, s.Form())
		}
		for entry, want := range c.want {
			p, ok := s.Lookup(entry)
			if !ok {
				t.Errorf("%s: no %q in %q", name, entry, s.Names())
				continue
			}
			if got, err := p.Render(data); err != nil || got != want {
				t.Errorf("%s: %q renders %q (%v), want %q", name, entry, got, err, want)
			}
		}
	}
	// A fault in the template is shown in the JSON file.
	_, err := Load(fstest.MapFS{"tokenizer_config.json": {Data: []byte("{\"chat_template\":\n  \"a{% if x %}\"}")}}, "tokenizer_config.json")
	if err == nil || !strings.HasPrefix(err.Error(), "tokenizer_config.json:2:13: PCC104") {
		t.Errorf("got %v", err)
	}
	// That of a model without one does not advise to begin with `messages:`.
	list := CheckDocument(fstest.MapFS{"m/tokenizer_config.json": {Data: []byte(`{` + tokens + `}`)}}, "m/tokenizer_config.json")
	if len(list) != 1 || list[0].Code != "PCC416" || !strings.Contains(list[0].Message, "has no `chat_template`") || !strings.Contains(list[0].Help, "chat_template.jinja") {
		t.Errorf("got %v", list)
	}
}

// What lies beside prompts in a tree is passed over: data, settings, tests.
// What looks like a misspelt document is warned of, what is a broken one fails,
// and a file that is named is always told about.
func TestDataInTrees(t *testing.T) {
	data := map[string]string{
		"data.yaml": "users: [{name: Ann}]\nscore: 1\n", "rag.yaml": "passages: [{source: a, text: b}]\nuses: [1]\nprompted: true\n", "pcc.yaml": "syntax: brace\n", "package.json": `{"name": "x", "dependencies": {}}`,
		"tsconfig.json": "{ // comment\n \"strict\": true}", "k8s.yaml": "kind: A\n---\nkind: B\n", "rows.json": `[{"model": "a"}, 2]`,
		"twice.yaml": "a: 1\na: 2\n", "tagged.yaml": "a: !secret x\n", "empty.yaml": "", "tests/a.yaml": "- {data: {x: 1}, expect: {text: hi}}\n",
		"tests/b.yaml": "data: {x: 1}\nexpect: {text: hi}\n", "scalar.json": "3", "big.json": "[" + strings.Repeat("0,", 60_000) + "0]",
	}
	for name, text := range data {
		s, err := LoadDir(filesOf("a.md", "Hi", name, text), ".")
		if err != nil || s.Len() != 1 || len(s.Warnings()) > 0 {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Load(filesOf(name, text), name); err == nil {
			t.Errorf("%s: no error where it is named", name)
		}
	}
	for text, key := range map[string]string{
		"mesages: [{user: hi}]\n": "messages", "promts: {user: hi}\n": "prompts", "sytem: hi\n": "system", "passages: [1]\ntemplat: hi\n": "template",
	} {
		s, err := LoadDir(filesOf("a.md", "Hi", "b.yaml", text), ".")
		if err != nil || len(s.Warnings()) != 1 || !strings.Contains(s.Warnings()[0].Help, key) {
			t.Errorf("a misspelt document: %q, %v", text, err)
		}
	}
	for name, text := range map[string]string{
		"a.yaml": "messages:\n  - user: tell me: why\n", "b.json": `{"messages": [{"role": "user", "content": "a` + "\n" + `b"}]}`, "c.yaml": "user: one\nuser: two\n",
	} {
		if _, err := LoadDir(filesOf(name, text), "."); err == nil {
			t.Errorf("%s: a broken document is passed over", name)
		}
	}
}

// Tests stand in files beside a document that are named after it.
func TestTestFiles(t *testing.T) {
	fsys := filesOf("p/support.yaml", "messages: [{user: 'Hi {{x}}'}]\n", "p/greet.md", "Hello {name}",
		"p/tests/support.yaml", "- {name: one, data: {x: 1}, expect: {text: Hi 1}}\n- {data: {x: 2}, expect: {text: Hi 3}}\n",
		"p/tests/test_support_more.json", `{"data": {"x": 4}, "expect": {"contains": "4"}}`,
		"p/tests/greet.german.yaml", "{tests: [{data: {name: Ada}, expect: {text: Hello Ada}}]}\n",
		"p/tests/suport.yaml", "- {data: {x: 1}}\n")
	for _, load := range []func() (*Set, error){
		func() (*Set, error) { return LoadDir(fsys, "p", WithTestFiles()) },
		func() (*Set, error) { return Load(fsys, "p/support.yaml", WithTestFiles()) },
	} {
		s, err := load()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, test := range s.Tests() {
			got[test.Name] = test.Run(context.Background()).Passed()
		}
		want := map[string]bool{"support: one": true, "support: test 2": false, "test_support_more": true}
		if s.Form() == "" {
			want["greet.german: test 1"] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if w := s.Warnings(); len(w) != 1 || w[0].Code != "PCC425" || !strings.Contains(w[0].Error(), "p/tests/suport.yaml") {
			t.Errorf("warnings %v", w)
		}
	}
	if s, err := Load(fsys, "p/support.yaml"); err != nil || len(s.Tests()) != 0 {
		t.Errorf("tests are read unasked: %v", err)
	}
}
