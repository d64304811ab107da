package prompt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

const treeConfig = `# PDX AGENT CONFIG
---
name: helper
model: {id: gpt-4, temperature: 0}
prompt:
  - system: sys.jinja
  - when: vip
    prompt:
      - user: note.jinja
      - loop: turns
        prompt:
          - switch: kind
            prompt:
              user: [ {user: said.jinja} ]
              yes: [ {assistant: said.jinja, pointer: bot} ]
              default: [ {user: "unknown {{ loop.index }}"} ]
  - user: sub/ask.v2.jinja
`

func treeFiles() map[string]string {
	return map[string]string{
		"agent/config.yaml":                     treeConfig,
		"agent/templates/sys.jinja":             "You are {{ role }}.",
		"agent/templates/note.jinja":            "VIP {{ n }} ({{ role }})",
		"agent/templates/said.jinja":            "{% if loop.first %}First: {% endif %}{{ text }}",
		"agent/templates/sub/ask.v2.jinja":      "{% include 'part.jinja' %}Q: {{ q }}",
		"agent/templates/sub/part.jinja":        "[{{ q }}] ",
		"agent/templates/sys.defaults.yaml":     "role: a helper\n",
		"agent/templates/sub/ask.defaults.yaml": "q: yes\n",
		"agent/tests/test_1.yaml":               "sys: {role: kind}\n",
		"agent/tests/test_2.yaml":               "sys: {role: kind}\nexpect:\n  contains: kind\n",
	}
}

func agentSet(t *testing.T, files map[string]string) *Set {
	t.Helper()
	var pairs []string
	for k, v := range files {
		pairs = append(pairs, k, v)
	}
	return mustLoad(t, filesOf(pairs...), "agent")
}

func TestPromptTree(t *testing.T) {
	s := agentSet(t, treeFiles())
	got := messages(t, s, "", map[string]any{
		"note": map[string]any{"role": "from outside", "n": "hidden"},
		"vip": map[string]any{
			"note": map[string]any{"n": 1},
			"turns": []any{
				map[string]any{"kind": map[string]any{"user": map[string]any{"said": map[string]any{"text": "hi"}}}},
				map[string]any{"kind": "yes", "bot": map[string]any{"text": "hello"}},
				map[string]any{"kind": map[string]any{"odd": nil}},
			},
		},
	})
	want := []msg{{"system", "You are a helper."}, {"user", "VIP 1 (from outside)"}, {"user", "First: hi"}, {"assistant", "hello"},
		{"user", "unknown 3"}, {"user", "[yes] Q: yes"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := len(s.doc.Tests); n != 2 {
		t.Errorf("%d tests", n)
	}
	p, _ := s.Lookup("")
	var names []string
	for _, v := range p.Variables() {
		names = append(names, v.Name)
	}
	wantNames := []string{"sys.role", "vip", "vip.note.n", "vip.note.role", "vip.turns", "vip.turns[].kind",
		"vip.turns[].kind.user.said.text", "vip.turns[].kind.yes.bot.text", "sub/ask.q"}
	for _, w := range wantNames {
		found := false
		for _, n := range names {
			found = found || n == w
		}
		if !found {
			t.Errorf("the variable %s is missing from %q", w, names)
		}
	}
}

// The variables of an agent are those of its templates and of what these take
// in, each under the level that it is read from.
func TestAgentVariables(t *testing.T) {
	s := agentSet(t, map[string]string{
		"agent/config.yaml": "prompt:\n  - system: main.jinja\n  - when: w\n    prompt: [ {user: sub/ask.jinja} ]\n" +
			"  - loop: items\n    prompt: [ {user: item.jinja, pointer: it} ]\n  - switch: mode\n    prompt: {a: [ {user: main.jinja, pointer: m} ]}\n",
		"agent/templates/main.jinja":     "{{ x }}{% include 'part.jinja' %}",
		"agent/templates/part.jinja":     "{{ y }}{% for q in qs %}{{ q.n }}{% endfor %}{% include 'deep.jinja' %}",
		"agent/templates/deep.jinja":     "{% set own = 1 %}{{ own }}{{ deep }}",
		"agent/templates/sub/ask.jinja":  "{% extends 'base.jinja' %}{% block b %}{{ z }}{% endblock %}",
		"agent/templates/sub/base.jinja": "{{ b }}{% block b %}{{ lost }}{% endblock %}",
		"agent/templates/item.jinja":     "{% from 'm.jinja' import f %}{{ f(v) }}",
		"agent/templates/m.jinja":        "{% macro f(x) %}{{ x }}{% endmacro %}",
	})
	p, err := s.Find("")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range p.Variables() {
		names = append(names, v.Name)
	}
	want := []string{"main.x", "main.y", "main.qs", "main.qs[].n", "main.deep", "w", "w.sub/ask.z", "w.sub/ask.lost", "w.sub/ask.b",
		"items", "items[].it.v", "mode", "mode.a.m.x", "mode.a.m.y", "mode.a.m.qs", "mode.a.m.qs[].n", "mode.a.m.deep"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWhenAndSwitchValues(t *testing.T) {
	fsys := filesOf("a.yaml", `prompt:
  - when: w
    prompt: [ {user: "ran {{ x }}"} ]
  - switch: s
    prompt:
      1: [ {user: one} ]
      on: [ {user: "on"} ]
      long: [ {user: "long {{ x }}"} ]
  - loop: l
    prompt: [ {user: "{{ item }}{{ loop.index }}"} ]
`)
	s := mustLoad(t, fsys, "a.yaml")
	for _, c := range []struct {
		data map[string]any
		want []msg
	}{
		{map[string]any{}, nil},
		{map[string]any{"w": nil, "s": nil, "l": nil}, nil},
		{map[string]any{"w": false, "s": "", "l": []any{}}, nil},
		{map[string]any{"w": map[string]any{}, "s": map[string]any{}}, nil},
		{map[string]any{"w": []any{}}, nil},
		{map[string]any{"w": 0}, nil},
		{map[string]any{"w": true}, []msg{{"user", "ran "}}},
		{map[string]any{"w": "yes", "x": "outer"}, []msg{{"user", "ran outer"}}},
		{map[string]any{"w": map[string]any{"x": 1}}, []msg{{"user", "ran 1"}}},
		{map[string]any{"w": []any{1}}, []msg{{"user", "ran "}}},
		{map[string]any{"s": 1}, []msg{{"user", "one"}}},
		{map[string]any{"s": "1"}, []msg{{"user", "one"}}},
		{map[string]any{"s": true}, []msg{{"user", "on"}}},
		{map[string]any{"s": "on"}, []msg{{"user", "on"}}},
		{map[string]any{"s": "other"}, nil},
		{map[string]any{"s": map[string]any{"long": map[string]any{"x": 2}}}, []msg{{"user", "long 2"}}},
		{map[string]any{"l": []any{"a", map[string]any{"item": "b"}}}, []msg{{"user", "a1"}, {"user", "b2"}}},
	} {
		if diff := cmp.Diff(c.want, messages(t, s, "", c.data)); diff != "" {
			t.Errorf("%v: %s", c.data, diff)
		}
	}
	p, _ := s.Lookup("")
	for _, c := range []struct {
		data map[string]any
		code string
	}{
		{map[string]any{"s": []any{"long"}}, "PCC351"},
		{map[string]any{"l": "text"}, "PCC310"},
	} {
		_, err := p.Messages(c.data)
		if !errors.Is(err, &diag.Diagnostic{Code: diag.Code(c.code)}) {
			t.Errorf("%v: got %v", c.data, err)
		}
	}
}

func TestTreeReportsUnknownKeys(t *testing.T) {
	s := agentSet(t, treeFiles())
	p, _ := s.Lookup("")
	r, err := p.Report(context.Background(), map[string]any{"syss": map[string]any{}, "vip": map[string]any{"nte": 1,
		"turns": []any{map[string]any{"kind": "yes", "but": 1}, map[string]any{"kind": "yes", "but": 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	var got, blank []string
	for _, d := range r.Warnings {
		if d.Code == "PCC355" { // what the misspelt keys would have given
			blank = append(blank, d.Names[0])
			continue
		}
		got = append(got, d.Names[0]+": "+d.Help)
	}
	if diff := cmp.Diff([]string{"n", "role", "text"}, blank); diff != "" {
		t.Error(diff)
	}
	want := []string{"syss: did you mean `sys`?", "nte: did you mean `note`?", "but: did you mean `bot`?"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTextTree(t *testing.T) {
	s := mustLoad(t, filesOf("a.yaml", "prompt:\n  - template: 'A {{ x }}'\n  - when: b\n    prompt: [ {template: B} ]\n  - template: C\n"), "a.yaml")
	p, _ := s.Lookup("")
	for _, c := range []struct {
		data map[string]any
		want string
	}{{map[string]any{"x": 1}, "A 1 C"}, {map[string]any{"b": true}, "A  B C"}} {
		if got, err := p.Render(c.data); err != nil || got != c.want {
			t.Errorf("got %q, %v, want %q", got, err, c.want)
		}
	}
}

func TestAgentFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		code  diag.Code
		help  string
	}{
		{"no prompt", []string{"config.yaml", "name: a", "templates/a.jinja", ""}, "PCC416", "prompt: [{system: system.jinja}"},
		{"misspelt prompt", []string{"config.yaml", "promt: [{user: a.jinja}]", "templates/a.jinja", ""}, "PCC416", "did you mean `prompt`?"},
		{"no templates folder", []string{"config.yaml", "prompt: [{user: a.jinja}]"}, "PCC418", ""},
		{"missing file", []string{"config.yaml", "prompt: [{user: b.jinja}]", "templates/a.jinja", ""}, "PCC418", ""},
		{"outside", []string{"config.yaml", "prompt: [{user: ../../x}]", "templates/a.jinja", ""}, "PCC418", ""},
		{"mixed", []string{"config.yaml", "prompt: [{user: a.jinja}, {when: w, prompt: [{template: a.jinja}]}]", "templates/a.jinja", ""}, "PCC424", ""},
		{"two systems", []string{"config.yaml", "prompt: [{system: a.jinja}, {system: a.jinja}]", "templates/a.jinja", ""}, "PCC424", "join"},
		{"unknown entry", []string{"config.yaml", "prompt: [{usr: a.jinja}]", "templates/a.jinja", ""}, "PCC423", "did you mean `user`?"},
		{"a role from data", []string{"config.yaml", "prompt: [{'{{ role }}': a.jinja}]", "templates/a.jinja", ""}, "PCC417", ""},
		{"when without entries", []string{"config.yaml", "prompt: [{when: w}]", "templates/a.jinja", ""}, "PCC423", "prompt"},
		{"an expression as key", []string{"config.yaml", "prompt: [{when: '{{ x }}', prompt: []}]", "templates/a.jinja", ""}, "PCC423", "alone"},
		{"misnamed defaults", []string{"config.yaml", "prompt: [{user: a.jinja}]", "templates/a.jinja", "", "templates/a.default.yaml", "x: 1"}, "PCC425", "a.defaults.yaml"},
		{"misnamed test", []string{"config.yaml", "prompt: [{user: a.jinja}]", "templates/a.jinja", "", "tests/check.yaml", "x: 1"}, "PCC425", "test….yaml"},
		{"syntax error in a template", []string{"config.yaml", "prompt: [{user: a.jinja}]", "templates/a.jinja", "one\n{{ x"}, "PCC", ""},
		{"defaults that are no map", []string{"config.yaml", "prompt: [{user: a.jinja}]", "templates/a.jinja", "", "templates/a.defaults.yaml", "- x"}, "PCC410", ""},
	} {
		list := CheckDocument(filesOf(c.files...), ".")
		if len(list) == 0 || !strings.HasPrefix(string(list[0].Code), string(c.code)) || !strings.Contains(list[0].Help, c.help) {
			t.Errorf("%s: got %v", c.name, list)
			continue
		}
	}
	if list := CheckDocument(filesOf("config.yaml", "prompt: [{user: a.jinja}]", "templates/a.jinja", "one\n{{ x"), "."); len(list) > 0 {
		if _, p, _ := list[0].Position(); p.Line != 2 {
			t.Errorf("got %v", list[0])
		}
	}
}

// TestLinksStayInside reads through a root that has links to the outside.
func TestLinksStayInside(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.yaml")
	root := filepath.Join(dir, "agent")
	for name, text := range map[string]string{
		secret: "x: CANARY", filepath.Join(root, "config.yaml"): "prompt: [{user: u.jinja}]", filepath.Join(root, "templates", "u.jinja"): "{{ x }}",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := LoadFile(root); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "templates", "u.defaults.yaml")
	if err := os.Symlink("../../secret.yaml", link); err != nil {
		t.Skip("no links here:", err)
	}
	if _, err := LoadFile(root); err == nil || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, "templates", "u.jinja"), filepath.Join(dir, "u.jinja")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../u.jinja", filepath.Join(root, "templates", "u.jinja")); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFile(root); err == nil {
		t.Error("a template was read through a link to the outside")
	}
}

func TestRendersKeepNothing(t *testing.T) {
	s := agentSet(t, treeFiles())
	p, _ := s.Lookup("")
	first, err := p.Messages(map[string]any{"sys": map[string]any{"role": "SECRET"}})
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Messages(map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	if first[0].Content != "You are SECRET." || second[0].Content != "You are a helper." {
		t.Errorf("got %q, then %q", first[0].Content, second[0].Content)
	}
}

func TestSpelledValues(t *testing.T) {
	s := mustLoad(t, filesOf("a.yaml", `vars: {a: no, b: 1.10, c: 01234, d: 2026-01-02}
prompt:
  - user: "{{ a }} {{ b }} {{ c }} {{ d }} {% if a %}true{% else %}false{% endif %} {{ b + 1 }}"
`), "a.yaml")
	if got := messages(t, s, "", nil)[0].Content; got != "no 1.10 01234 2026-01-02 false 2.1" {
		t.Errorf("got %q", got)
	}
}

// A number has one form wherever it is printed and however it is spelled;
// what is no quantity keeps its spelling everywhere.
func TestNumbersOfYAML(t *testing.T) {
	for _, c := range []struct{ yaml, alone, list string }{
		{"3.0", "3", "[3]"}, {"1.50", "1.50", "[1.50]"}, {"-2.00", "-2.00", "[-2.00]"}, {"1.10", "1.10", "[1.10]"},
		{"007", "007", `["007"]`}, {"00.5", "00.5", `["00.5"]`}, {"1e3", "1000", "[1000]"}, {"1.50e1", "15", "[15]"}, {"0x10", "16", "[16]"},
		{"0o17", "15", "[15]"}, {"+5", "5", "[5]"}, {"+1.10", "1.1", "[1.1]"}, {".50", "0.5", "[0.5]"}, {"1_000", "1_000", `["1_000"]`},
		{"2026-01-02", "2026-01-02", `["2026-01-02"]`}, {"10.", "10", "[10]"}, {"0", "0", "[0]"},
	} {
		s, err := LoadText("a.yaml", "vars: {x: "+c.yaml+", xs: ["+c.yaml+"]}\ntemplate: '{{x}} {{xs}} {{xs|json}}'\n", nil)
		if err != nil {
			t.Errorf("%s: %v", c.yaml, err)
			continue
		}
		p, _ := s.Lookup("")
		want := c.alone + " " + c.list + " " + c.list
		if got, err := p.Render(nil); err != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", c.yaml, got, err, want)
		}
	}
	s, err := LoadText("a.yaml", "variables: {v: {type: string}, n: {type: number}}\nvars: {v: 1.10, n: 2.50}\ntemplate: '{{v}} {{n * 2}} {{n == 2.5}}'\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := s.Lookup("")
	if got, err := p.Render(nil); err != nil || got != "1.10 5 true" {
		t.Errorf("got %q, %v", got, err)
	}
}

// A placeholder of a prompt tree that prints nothing is reported, with the key
// of the request that was likely meant; what the template provides for is not.
func TestBlankPlaceholders(t *testing.T) {
	s := mustLoad(t, filesOf("a.yaml", `prompt:
  - system: "{{ tone | default('kind') }}{% if extra %}{{ extra }}{% endif %}"
    pointer: sys
  - loop: turns
    prompt:
      - user: "Hi {{ name }}, {{ who.city }}"
        pointer: ask
`), "a.yaml")
	p, _ := s.Lookup("")
	ask := func(m map[string]any) map[string]any {
		return map[string]any{"turns": []any{map[string]any{"ask": m}, map[string]any{"ask": m}}}
	}
	for _, c := range []struct {
		data map[string]any
		want []string
	}{
		{ask(map[string]any{"name": "Ann", "who": map[string]any{"city": "Ulm"}}), nil},
		{ask(map[string]any{"nmae": "Ann", "who": map[string]any{"town": "Ulm"}}), []string{
			"a.yaml:6:19: PCC355: no value for `name`, so nothing is printed here | the request has `nmae`; did you mean that?",
			"a.yaml:6:31: PCC355: a value of type dict has no `city`, so nothing is printed here | "}},
	} {
		r, err := p.Report(context.Background(), c.data)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range r.Warnings {
			help := ""
			if strings.Contains(d.Help, "did you mean") {
				help = d.Help
			}
			got = append(got, d.Error()+" | "+help)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// A text of a document that includes others is a template of its own. What it
// changes is the render's copy of the data as well: the caller's stays as it is,
// and so do the items of the loops around it.
func TestIncludingTextsChangeCopies(t *testing.T) {
	s := mustLoad(t, filesOf("part", "+", "a.yaml", "syntax: jinja\nmessages:\n"+
		"  - loop: xs as x\n    messages:\n      - user: '{% include \"part\" %}{% set _ = xs.reverse() %}{{ x }}'\n"+
		"  - user: '{% include \"part\" %}{% set _ = xs.append(9) %}{{ xs }}'\n"), "a.yaml")
	decoded, err := vm.DecodeJSON([]byte(`{"xs": [1, 2, 3]}`), vm.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []msg{{"user", "+1"}, {"user", "+2"}, {"user", "+3"}, {"user", "+[3, 2, 1, 9]"}}
	for _, data := range []any{decoded, decoded, map[string]any{"xs": []any{1, 2, 3}}} {
		if d := cmp.Diff(want, messages(t, s, "", data)); d != "" {
			t.Errorf("%T: %s", data, d)
		}
	}
}
