package fuzz

import (
	"testing"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/parser"
)

// FuzzParse: no input makes the parser panic; all spans lie in the source; what
// Print writes of a good tree parses to that tree again.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, which byte, src string) {
		syn := pick(which)
		file := source.New("x", src)
		tree, list := parser.Parse(file, parser.Options{Syntax: syn, Filters: known})
		if tree == nil {
			t.Fatal("no tree")
		}
		inside := func(s source.Span) {
			if s.Start > s.End || int(s.End) > len(src) {
				t.Fatalf("span %v of %d bytes", s, len(src))
			}
		}
		for _, d := range list {
			inside(d.Span)
			for _, l := range d.Labels {
				inside(l.Span)
			}
		}
		ast.Walk(tree.Body, func(n ast.Node) bool {
			inside(n.Span())
			ast.Exprs(n, func(e ast.Expr) {
				ast.WalkExpr(e, func(e ast.Expr) bool {
					inside(e.Span())
					return true
				})
			})
			return true
		})
		if list.HasErrors() {
			return
		}
		printed := ast.Print(tree)
		again, ok := parse(printed, syn)
		if !ok {
			_, list := parser.Parse(source.New("x", printed), parser.Options{Syntax: syn, Filters: known})
			t.Fatalf("%s: %q prints as %q, which does not parse: %v", syn.Name, src, printed, list)
		}
		if d := diff(tidy(tree.Body), tidy(again.Body)); d != "" {
			t.Fatalf("%s: %q prints as %q, which parses to another tree:\n%s", syn.Name, src, printed, d)
		}
	})
}

// FuzzEscape: the escaped form of any text parses to that text, with no tag and
// no word of complaint.
func FuzzEscape(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, which byte, text string) {
		if !utf8.ValidString(text) {
			return
		}
		syn := pick(which)
		escaped := parser.Escape(text, syn)
		tree, list := parser.Parse(source.New("x", escaped), parser.Options{Syntax: syn, Filters: known})
		for _, d := range list {
			if d.Code != "PCC007" && d.Code != "PCC009" { // what cannot be seen in the text is there still
				t.Fatalf("%s: %q is escaped as %q: %v", syn.Name, text, escaped, d)
			}
		}
		got := ""
		for _, n := range tree.Body {
			switch n := n.(type) {
			case *ast.Text:
				got += n.Value
			case *ast.Comment:
			default:
				t.Fatalf("%s: %q is escaped as %q, which holds %T", syn.Name, text, escaped, n)
			}
		}
		if got != text {
			t.Fatalf("%s: %q is escaped as %q, which prints %q", syn.Name, text, escaped, got)
		}
	})
}
