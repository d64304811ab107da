package prompt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// findingsOf lists what loading a file of fsys says, one finding a line: its code,
// its place (with the file, where that is another one than name) and its help.
func findingsOf(files []string, name string) string {
	var l diag.List
	set, err := Load(filesOf(files...), name)
	if err != nil {
		l = diag.AsList(err)
	} else {
		l = set.Warnings()
	}
	var b strings.Builder
	for _, d := range l {
		if d.Severity == diag.Note {
			continue
		}
		where := "?"
		if f, p, ok := d.Position(); ok {
			where = fmt.Sprintf("%d:%d", p.Line, p.Column)
			if f.Name != name {
				where = f.Name + ":" + where
			}
		}
		fmt.Fprintf(&b, "%s %s %s (%s)\n", d.Code, where, d.Message, d.Help)
	}
	return b.String()
}

// Each row is a document that is likely not what its author means, with the code
// and place of the finding and a part of what it says; or one that is all right, with
// "" for what it says.
func TestDocumentFindings(t *testing.T) {
	for _, c := range []struct{ name, text, want, says string }{
		{"shared parameters", "parameters: {top_p: 0.5, top_k: 3, frequency_penalty: 1, presence_penalty: 1, stop: [x], seed: 1, max_tokens: 3, temperature: 1, parallel_tool_calls: true}\nmessages: [{user: hi}]", "", ""},
		{"a misspelt parameter", "messages: [{user: hi}]\nparameters: {temperture: 0.5}", "PCC411 2:14", "did you mean `temperature`?"},

		{"a key of a message", "- user: hi\n  cach: true\n", "PCC239 2:3", "did you mean `cache`?"},
		{"its case", "- user: hi\n  Content: y\n", "PCC239 2:3", "did you mean `content`?"},
		{"that of a tool", "- tool: r\n  tool_call: c1\n", "PCC239 2:3", "did you mean `tool_call_id`?"},
		{"that of an assistant", "- assistant: r\n  tool_call: []\n", "PCC239 2:3", "did you mean `tool_calls`?"},
		{"in the long form", "- role: user\n  content: hi\n  nmae: Ada\n", "PCC239 3:3", "did you mean `name`?"},
		{"in a branch", "- when: x\n  messages:\n    - user: hi\n      chache: true\n", "PCC239 4:7", "did you mean `cache`?"},
		{"of prompt_templates", "prompt:\n  template:\n    - role: user\n      content: hi\n      nam: x\n", "PCC239 5:7", "did you mean `name`?"},
		{"keys of messages", "- user: hi\n  name: Ada\n  cache: true\n  id: 7\n  metadata: {a: 1}\n  cache_control: {type: ephemeral}\n- assistant: a\n  tool_calls: []\n  reasoning: b\n  refusal: c\n- tool: c\n  tool_call_id: x\n  is_error: true\n", "", ""},
		{"declared otherwise", "prompt:\n  template: '{{ name }}'\n  template_variables: [nme]\n", "PCC421 3:3", "did you mean `name` by the declared `nme`?"},
		{"a condition in braces", "- when: '{plan}'\n  messages: [{user: hi}]\n", "PCC420 1:9", "write when: plan"},
		{"a condition in angles", "- when: <plan>\n  messages: [{user: hi}]\n", "PCC420 1:9", "write when: plan"},
		{"a loop in braces", "- loop: '{items}'\n  messages: [{user: hi}]\n", "PCC420 1:9", "write loop: items"},
		{"a switch in braces", "- switch: '{plan}'\n  cases: {a: [{user: hi}]}\n", "PCC420 1:11", "write switch: plan"},
		{"a map as a condition", "- when: '{\"a\": b}[\"a\"]'\n  messages: [{user: hi}]\n", "", ""},
		{"if", "- if: plan\n  messages: [{user: hi}]\n", "PCC417 1:3", "write `when: …`"},
		{"for", "- for: x in xs\n  messages: [{user: hi}]\n", "PCC417 1:3", "write `loop: …`"},
		{"a declared role", "roles: [critic]\nmessages:\n  - critic: hi\n", "PCC417 3:5", "role: critic, and below it content"},
		{"half a pair", "template: a\nsystem-template: b\n", "PCC411 2:1", "did you mean `system_template`?"},
		{"content twice", "- user: hi\n  content: you\n", "PCC420 2:3", "twice"},
	} {
		got := findingsOf([]string{"a.yaml", c.text}, "a.yaml")
		switch {
		case c.want == "" && got != "":
			t.Errorf("%s: %s", c.name, got)
		case c.want != "" && (!strings.HasPrefix(got, c.want+" ") || !strings.Contains(got, c.says) || strings.Count(got, "\n") != 1):
			t.Errorf("%s: %q; want %s with %q", c.name, got, c.want, c.says)
		}
	}
}

// Each row is a document whose render fails or warns, with where and what is advised.
func TestDocumentRenderFindings(t *testing.T) {
	for _, c := range []struct{ name, files, main, data, want, help string }{
		{"a missing variable", "a.yaml§prompt:\n  template: 'x {{ name }}'\n", "a.yaml", `{}`, "PCC354 a.yaml:2:16", ""},
		{"in a chat", "a.yaml§prompt:\n  template:\n    - {role: user, content: a}\n    - {role: user, content: '{{ q }} {{ name.x }}'}\n", "a.yaml", `{"q":1}`, "PCC354 a.yaml:4:38", ""},
		{"in braces", "a.yaml§prompt:\n  template: 'x {name}'\n  populator: single_brace\n", "a.yaml", `{}`, "PCC354 a.yaml:2:16", ""},
		{"an unexpected one", "a.yaml§prompt:\n  template: 'x {{ name }}'\n", "a.yaml", `{"name":1,"q":2}`, "PCC354 a.yaml:2:13", ""},
		{"a loop over a map", "config.yaml§prompt: [{loop: m, prompt: [{user: a.jinja}]}]§templates/a.jinja§x", ".", `{"m":{"a":1}}`, "PCC310 config.yaml:1:17", "give a list: the entries"},
		{"a loop over a text", "config.yaml§prompt: [{loop: m, prompt: [{user: a.jinja}]}]§templates/a.jinja§x", ".", `{"m":"b"}`, "PCC310 config.yaml:1:17", "give a list: the entries"},
		{"a native loop over a map", "a.yaml§- {loop: m as x, messages: [{user: '{x}'}]}\n", "a.yaml", `{"m":{"a":1}}`, "PCC310 a.yaml:1:10", "as key, value"},
		{"a plain template", "a.jinja§{{ name }}", "a.jinja", `{}`, "PCC355 a.jinja:1:1", "give the value, or write {{ name | default('') }} where it may be missing"},
		{"a template of a tree", "config.yaml§prompt: [{user: a.jinja}]§templates/a.jinja§{{ q }}", ".", `{"a":{}}`, "PCC355 templates/a.jinja:1:1", ".defaults.yaml"},
	} {
		set, err := Load(filesOf(strings.Split(c.files, "§")...), c.main, WithStrict())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p, _ := set.Lookup("")
		data, err := vm.DecodeJSON([]byte(c.data), vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Report(t.Context(), data)
		l := diag.AsList(err)
		if len(l) != 1 {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		f, at, _ := l[0].Position()
		got := fmt.Sprintf("%s %s:%d:%d", l[0].Code, f.Name, at.Line, at.Column)
		help := l[0].Help
		if e, ok := diag.Lookup(l[0].Code); ok && help == "" {
			help = e.Help
		}
		if got != c.want || !strings.Contains(help, c.help) {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, got, help, c.want, c.help)
		}
	}
}
