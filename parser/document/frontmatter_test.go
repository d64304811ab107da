package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

func TestSplitFrontMatter(t *testing.T) {
	for _, c := range []struct {
		text, yaml, body string
		ok               bool
	}{
		{"---\na: 1\n---\nbody\n", "a: 1\n", "body\n", true},
		{"---\r\na: 1\r\n---\r\nbody\r\n", "a: 1\r\n", "body\r\n", true},
		{"\ufeff---\na: 1\n---\nbody", "a: 1\n", "body", true},
		{"---\n---\n", "", "", true},
		{"--- \na: 1\n---\t\nx", "a: 1\n", "x", true},
		{"---\na: 1\n---", "a: 1\n", "", true},
		{"---\na: 1\n", "", "---\na: 1\n", false},
		{"----\na\n----\n", "", "----\na\n----\n", false},
		{"text\n---\na: 1\n---\n", "", "text\n---\na: 1\n---\n", false},
		{"{##}---\na\n---\n", "", "{##}---\na\n---\n", false},
		{"", "", "", false},
	} {
		f := source.New("a.md", c.text)
		yaml, body, ok := SplitFrontMatter(f)
		if ok != c.ok || f.Slice(body) != c.body || f.Slice(yaml) != c.yaml {
			t.Errorf("%q: got %q, %q, %v", c.text, f.Slice(yaml), f.Slice(body), ok)
		}
	}
}

func TestFrontMatterMeta(t *testing.T) {
	f := source.New("a.md", `---
syntax: brace
description: Greets a customer
undefined: error
roles: [tool]
model: m
variables:
  name:  {type: string, description: whom to greet}
  plan:  {type: string, enum: [free, pro], default: free}
  items: {type: list, required: false}
  zip: string
  any:
vars: {day: 2026-01-02}
---
Hello {name}
`)
	tmpl, diags := ReadTemplate(f, parser.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	m := tmpl.Front.Meta
	type v struct {
		Name, Type, Description string
		Required                bool
		Enum                    int
		Default                 string
	}
	var got []v
	for _, x := range m.Variables {
		d := ""
		if x.Default != nil {
			d = x.Default.Str
		}
		got = append(got, v{x.Name, x.Type, x.Description, x.Required, len(x.Enum), d})
	}
	want := []v{
		{"name", "string", "whom to greet", true, 0, ""},
		{"plan", "string", "", false, 2, "free"},
		{"items", "list", "", false, 0, ""},
		{"zip", "string", "", true, 0, ""},
		{"any", "any", "", true, 0, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if m.Syntax != "brace" || m.Undefined != "error" || !m.Contract || len(m.Roles) != 1 || len(m.Extra) != 1 || m.Vars.Map[0].Value.Str != "2026-01-02" {
		t.Errorf("got %+v", m)
	}
}

func TestFrontMatterFaults(t *testing.T) {
	for _, c := range []struct {
		yaml      string
		code      diag.Code
		line, col int
		help      string
	}{
		{"syntax: bracee", "PCC412", 2, 9, "did you mean `brace`? it is one of brace, angle, single-brace, double-brace, single-angle, double-angle, jinja, auto"},
		{"undefined: nope", "PCC412", 2, 12, "it is one of keep, error, empty"},
		{"variables: 3", "PCC410", 2, 12, "give a value of the type that the message names"},
		{"variables: {a: {type: strin}}", "PCC412", 2, 23, "did you mean `string`? it is one of string, integer, number, boolean, list, map, any"},
		{"variables: {a: {typ: string}}", "PCC411", 2, 17, "did you mean `type`?"},
		{"variables: {a: {type: integer, default: x}}", "PCC410", 2, 41, "give a value of the type that the message names"},
		{"variables: {a: {enum: [x, y], default: z}}", "PCC410", 2, 40, "use one of the listed values, or add it to `enum`"},
		{"variabels: {}", "PCC411", 2, 1, "did you mean `variables`?"},
		{"Syntax: brace", "PCC411", 2, 1, "did you mean `syntax`?"},
		{"description: {x}", "PCC402", 2, 14, "quote the value: \"{x}\""},
		{"just text", "PCC410", 2, 1, "if the first line `---` is meant as text, write {##} before it"},
	} {
		_, diags := ReadTemplate(source.New("a.md", "---\n"+c.yaml+"\n---\nx"), parser.Options{Syntax: lexer.Brace()})
		if len(diags) == 0 {
			t.Errorf("%s: no diagnostic", c.yaml)
			continue
		}
		_, p, _ := diags[0].Position()
		if diags[0].Code != c.code || p.Line != c.line || p.Column != c.col || diags[0].Help != c.help {
			t.Errorf("%s: got %v, help %q; want %s at %d:%d", c.yaml, diags[0], diags[0].Help, c.code, c.line, c.col)
		}
	}
}

type message struct{ Role, Text string }

func messagesOf(t *ast.Template) (out []message) {
	for _, n := range t.Body {
		m := n.(*ast.Message)
		text := ""
		for _, b := range m.Body {
			switch b := b.(type) {
			case *ast.Text:
				text += b.Value
			case *ast.Output:
				text += b.Raw
			default:
				text += "?"
			}
		}
		out = append(out, message{m.Role.(*ast.Literal).Str, text})
	}
	return out
}

// TestSplitRoles builds the bodies by hand: what counts is the text of the
// template and the nodes between.
func TestSplitRoles(t *testing.T) {
	out := &ast.Output{Raw: "{{q}}", Range: ast.Range{Start: 30, End: 35}}
	for _, c := range []struct {
		name, text string
		split      int // offset of the output node, -1 for none
		want       []message
		codes      []diag.Code
	}{
		{"two", "system:\nBe kind.\nuser:\nhi", -1, []message{{"system", "Be kind."}, {"user", "hi"}}, nil},
		{"CRLF", "system:\r\nA\r\nuser:\r\nB\r\n", -1, []message{{"system", "A"}, {"user", "B"}}, nil},
		{"only the last break", "user:\na\n\nassistant:\nb\n", -1, []message{{"user", "a\n"}, {"assistant", "b"}}, nil},
		{"no exact line", "user:\n system:\nsystem: x\nsystem:x\nSystem:\n", -1, []message{{"user", " system:\nsystem: x\nsystem:x\nSystem:"}}, []diag.Code{"PCC414", "PCC414", "PCC414"}},
		{"empty message", "system:\nuser:\nx", -1, []message{{"system", ""}, {"user", "x"}}, nil},
		{"blanks before", "\n \nuser:\nx", -1, []message{{"user", "x"}}, nil},
		{"text before", "hello\nuser:\nx", -1, []message{{"user", "x"}}, []diag.Code{"PCC413"}},
		{"no marker", "hello\n", -1, nil, []diag.Code{"PCC413", "PCC413"}},
		{"marker at the end", "user:\nx\nassistant:", -1, []message{{"user", "x"}, {"assistant", ""}}, nil},
		{"marker behind an output", "user:\nsystem:\n", 6, []message{{"user", "{{q}}system:"}}, nil},
		{"marker before an output", "user:\nsystem:", 13, []message{{"user", "system:{{q}}"}}, nil},
	} {
		f := source.New("a.md", c.text)
		tmpl := &ast.Template{File: f}
		text := func(from, to int) *ast.Text {
			return &ast.Text{Range: ast.Range{Start: source.Pos(from), End: source.Pos(to)}, Value: c.text[from:to]}
		}
		if c.split < 0 {
			tmpl.Body = []ast.Node{text(0, len(c.text))}
		} else {
			tmpl.Body = []ast.Node{text(0, c.split), out}
			if c.split < len(c.text) {
				// The output stands in the place of a byte, so that the text
				// behind it does not begin a line.
				f = source.New("a.md", c.text[:c.split]+"@"+c.text[c.split:])
				behind := &ast.Text{Range: ast.Range{Start: source.Pos(c.split + 1), End: source.Pos(len(c.text) + 1)}, Value: c.text[c.split:]}
				tmpl.Body = append(tmpl.Body, behind)
			}
		}
		r := &reporter{file: f}
		r.splitRoles(tmpl, source.Span{End: source.Pos(len(f.Text))})
		var codes []diag.Code
		for _, d := range r.diags {
			codes = append(codes, d.Code)
		}
		if diff := cmp.Diff(c.codes, codes); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if c.want == nil {
			continue
		}
		if diff := cmp.Diff(c.want, messagesOf(tmpl)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestForeignHeads has keys of other systems' users that bear our names.
func TestForeignHeads(t *testing.T) {
	for _, text := range []string{
		"prompts: {user: hi}\nformat: json\nroles: {a: 1}\ndescription: [x]\n",
		"prompt:\n  template: hi\n  format: json\n  roles: 3\n  name: {en: x}\n",
		"prompt: [{user: hi}]\ndescription:\n",
	} {
		doc, diags := ReadFile(source.New("a.yaml", text), nil, Options{})
		if diags.HasErrors() || doc == nil || len(doc.Entries) != 1 {
			t.Errorf("%q: %v", text, diags)
		}
	}
}
