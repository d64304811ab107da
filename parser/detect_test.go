package parser

import (
	"testing"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// TestGoTemplate looks for actions of Go templates where braces overlap.
func TestGoTemplate(t *testing.T) {
	for _, c := range []struct {
		src  string
		want int
	}{
		{"", -1}, {"{", -1}, {"a {b} {", -1}, {"{%", -1}, {"{{% set", -1}, {"{{", -1},
		{"{{ .A }}", 0}, {"{ {{- if .A }}", 2}, {"{{{ .A }}", -1}, {"{{{{ .A }}", 2}, {"{{.", -1},
		{"{{ a }} {{ range .B }}{{ .C }}", 8}, {"{{ .A }}{% if x %}", 0},
	} {
		if got := goTemplate(c.src); got != c.want {
			t.Errorf("%q: %d, want %d", c.src, got, c.want)
		}
	}
}

// TestLastLine ends texts in all that the standalone rule tells apart, in front
// of a tag that stands alone on its line or not.
func TestLastLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "b"}, {" \t", "b"}, {"a", "a\nb"}, {"a ", "a \nb"}, {"a\n", "a\nb"}, {"a\n \t", "a\nb"}, {"a\n b", "a\n b\nb"},
		{"a\r\n", "a\r\nb"}, {"a\n\n", "a\n\nb"}, {"a\r", "a\r\nb"},
	} {
		tree, list := Parse(source.New("t", c.text+"{when x}\nb{/when}"), Options{Syntax: lexer.Brace()})
		if len(list) > 0 {
			t.Fatal(list)
		}
		got := ""
		ast.Walk(tree.Body, func(n ast.Node) bool {
			if text, ok := n.(*ast.Text); ok {
				got += text.Value
			}
			return true
		})
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
