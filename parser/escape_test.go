package parser

import (
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// plain returns the text that a template without tags prints; ok is false if it
// has tags or diagnostics.
func plain(src string, syn *lexer.Syntax) (text string, ok bool) {
	t, list := Parse(source.New("x", src), Options{Syntax: syn, Filters: knownFilters})
	for _, d := range list {
		if d.Code != "PCC009" { // what is invisible in the text is so when escaped
			return list.Error(), false
		}
	}
	for _, n := range t.Body {
		switch n := n.(type) {
		case *ast.Text:
			text += n.Value
		case *ast.Comment:
		default:
			return "a tag", false
		}
	}
	return text, true
}

// TestEscapeExhaustive escapes all short strings over the characters that marks
// are made of.
func TestEscapeExhaustive(t *testing.T) {
	long := 6
	if testing.Short() || slowBuild {
		long = 4
	}
	square, err := lexer.Custom("[[", "]]")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		syn      *lexer.Syntax
		alphabet string
		long     int
	}{
		{lexer.Brace(), "{}/a \n", long}, {lexer.SingleBrace(), "{}/a \n", long}, {lexer.DoubleBrace(), "{}/a \n", long},
		{lexer.Angle(), "<>/a \n", long}, {lexer.SingleAngle(), "<>/a \n", long}, {lexer.DoubleAngle(), "<>/a \n", long},
		{lexer.Brace(), "{}/#-\ufeff", long - 1}, {lexer.Angle(), "<>/#0é", long - 1}, {lexer.DoubleBrace(), "{}0#\t_", long - 1},
		{square, "[]/a #", long},
		{lexer.Brace(), "{}-(\"| ", long - 1}, {lexer.DoubleBrace(), "{}-(\"|\n", long - 1}, {lexer.Angle(), "<>-(\"| ", long - 1},
	} {
		checkAll(t, tt.syn, strings.Split(tt.alphabet, ""), "", tt.long)
	}
	// Words that make raw blocks, comments and placeholders count as one character.
	for _, syn := range []*lexer.Syntax{lexer.Brace(), lexer.SingleBrace(), lexer.DoubleBrace()} {
		checkAll(t, syn, []string{"{", "}", "/", "raw", " ", "\n", "(", "|"}, "", long-1)
		checkAll(t, syn, []string{"{raw}", "{/raw}", "{", "}", "{{raw}}", "{{/raw}}", "# "}, "", long-1)
	}
	for _, syn := range []*lexer.Syntax{lexer.Angle(), lexer.DoubleAngle(), lexer.SingleAngle()} {
		checkAll(t, syn, []string{"<", ">", "/", "raw", " ", "a"}, "", long-1)
	}
}

func checkAll(t *testing.T, syn *lexer.Syntax, alphabet []string, s string, left int) {
	e := Escape(s, syn)
	if got, ok := plain(e, syn); !ok || got != s {
		t.Errorf("%s: Escape(%q) = %q, which prints %q", syn.Name, s, e, got)
	}
	if left == 0 || t.Failed() {
		return
	}
	for _, r := range alphabet {
		checkAll(t, syn, alphabet, s+r, left-1)
	}
}

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ syntax, in, want string }{
		{"brace", `{"a": {"b": 1}} and {}`, `{"a": {"b": 1}} and {}`},
		{"brace", "Hello {name}", "Hello {{##}name}"},
		{"brace", "{when x}y{/when}", "{{##}when x}y{{##}/when}"},
		{"brace", "a/{b/}", "a/{##}{{##}b/}"},
		{"brace", "---\nx: 1\n---\n", "{##}---\nx: 1\n---\n"},
		{"angle", "<x> <br/>", "<<##>x> <<##>br/>"},
		{"double-brace", "{x} {{x}} { {/when}", "{x} {{##}{x}} { {/when}"},
		{"jinja", "Hello {name}", "Hello {name}"},
		{"jinja", "Hello {{ name }}", "{% raw %}Hello {{ name }}{% endraw %}"},
		{"jinja", "{% raw %}\"{% endraw %}\r\n", `{{ "{% raw %}\"{% endraw %}\r\n" }}`},
		{"jinja", "a\n  ", `{{ "a\n  " }}`},
	} {
		syn, _ := lexer.ByName(tt.syntax)
		if got := Escape(tt.in, syn); got != tt.want {
			t.Errorf("%s: Escape(%q) = %q, want %q", tt.syntax, tt.in, got, tt.want)
		}
	}
	// Long runs and whole templates come through too.
	for _, s := range []string{strings.Repeat("{", 50000), strings.Repeat("/{a ", 5000), "{# open", "{{#if x}}{% if %}"} {
		if got, ok := plain(Escape(s, lexer.Brace()), lexer.Brace()); !ok || got != s {
			t.Errorf("Escape(%.20q…) prints %.40q…", s, got)
		}
	}
}
