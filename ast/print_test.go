package ast_test

import (
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// TestPrintExpr: parentheses stand where precedence needs them, and only there.
func TestPrintExpr(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"(a + b) * c", "(a + b) * c"}, {"a + (b * c)", "a + b * c"}, {"a - (b - c)", "a - (b - c)"},
		{"-(2 ** 2)", "-(2 ** 2)"}, {"-2 ** 2", "-2 ** 2"}, {"2 ** (3 ** 2)", "2 ** (3 ** 2)"},
		{"not (a and b)", "not (a and b)"}, {"(not a) and b", "not a and b"}, {"(a < b) < c", "(a < b) < c"},
		{"(a|f)|g(1, x=2, *y, **z)", "a|f|g(1, x=2, *y, **z)"}, {"(a + b)|f", "(a + b)|f"}, {"-a|f", "-a|f"}, {"-(a|f)", "-(a|f)"},
		{"(x is a) is b", "(x is a) is b"}, {"x is not divisibleby 3", "x is not divisibleby(3)"}, {"(x|f).y", "(x|f).y"},
		{"(a if b else c) if d", "(a if b else c) if d"}, {"a if b if c", "a if b if c"}, {"a if (b if c else d) else e", "a if (b if c else d) else e"},
		{"a if b else c if d else e", "a if b else c if d else e"}, {"(a if b) or c", "(a if b) or c"},
		{"(1).real", "(1).real"}, {"a[1:][:2][::3][x:y:z]", "a[1:][:2][::3][x:y:z]"}, {"a.0", "a[0]"},
		{`{"k": {"l": []}, {}: 1}`, `{"k": {"l": []}, {}: 1}`}, {"{{}: 1}", "{ {}: 1}"},
		{`'a"b\n\x00\u202e'`, `"a\"b\n\x00\u202e"`}, {"1e3 + 2.50 + 1e-7", "1000.0 + 2.5 + 1e-07"},
		{"a ~ (b + c)", "a ~ (b + c)"}, {"(a ~ b) + c", "a ~ b + c"}, {"a + (b ~ c)", "a + b ~ c"},
		{"f(a)(b)|g", "f(a)(b)|g"}, {"(x|f)(1)", "(x|f)(1)"}, {"x|f(1)(2)", "(x|f(1))(2)"},
		{"true and None", "true and none"}, {"a not in b", "a not in b"}, {"(-a).b", "(-a).b"},
	} {
		f := source.New("x", tt.src)
		e, list := parser.ParseExpr(f, source.Span{End: source.Pos(len(tt.src))}, parser.Options{})
		got := ast.PrintExpr(e)
		if len(list) > 0 || got != tt.want {
			t.Errorf("%s prints as %s, want %s %v", tt.src, got, tt.want, list)
			continue
		}
		again, list := parser.ParseExpr(source.New("x", got), source.Span{End: source.Pos(len(got))}, parser.Options{})
		if second := ast.PrintExpr(again); second != got || len(list) > 0 {
			t.Errorf("%s prints as %s, then as %s %v", tt.src, got, second, list)
		}
	}
}

// TestPrint: templates print as source of their own syntax. The fuzz target
// FuzzParse checks that they read back as the same trees.
func TestPrint(t *testing.T) {
	for _, tt := range []struct{ syntax, src, want string }{
		{"brace", "{when a}x{else when b>1}y{else}z{/when}{{a|upper}}", "{when a}x{else when b > 1}y{else}z{/when}{{a|upper}}"},
		{"angle", "<when (a>1)>x</when><y>", "<<when a > 1>>x<</when>><y>"},
		{"single-angle", "<when (a > b)>x</when>", "<when (a > b)>x</when>"},
		{"double-brace", "{{when a}}{x}{{/when}}", "{{when a}}{x}{{/when}}"},
		{"brace", "/{id/} {{##}x}", "{{##}id} {{##}x}"},
		{"brace", "{when a}\n\nx\n{/when}\ny", "{when a}\n\nx\n{/when}y"},
		{"brace", "{message user}\nhi\n\n{/message}\n", "{message user}hi\n\n{/message}\n"},
		{"brace", "a\n  {include \"x\" with b=1}\nc", "a\n{include \"x\" with b=1}\nc"},
		{"brace", "{loop m as k, v}{k}{/loop}{loop xs}{/loop}{switch a}{case 1, 'b'}{default}{/switch}", "{loop m as k, v}{k}{/loop}{loop xs}{/loop}{switch a}{case 1, \"b\"}{default}{/switch}"},
		{"[[ ]]", "[[when a]]x [[y]] {z}[[else]][[##]y[[/when]] /[[b/]]", "[[when a]]x [[y]] {z}[[else]][[[[##]]##]y[[/when]] [[[[##]]b]]"},
		{"${ }", "${loop xs as x}${x|upper}${/loop} $x {y}", "${loop xs as x}${x|upper}${/loop} $x {y}"},
		{"brace", "{message a.b name=\"x\" n=1}{/message}", "{message a.b name=\"x\" n=1}\n{/message}\n"},
	} {
		syn, ok := lexer.ByName(tt.syntax)
		if open, closer, custom := strings.Cut(tt.syntax, " "); !ok && custom {
			var err error
			if syn, err = lexer.Custom(open, closer); err != nil {
				t.Fatal(err)
			}
		}
		tree, list := parser.Parse(source.New("x", tt.src), parser.Options{Syntax: syn, Filters: func(string) bool { return true }})
		if got := ast.Print(tree); got != tt.want || list.HasErrors() {
			t.Errorf("%s: %q prints as\n%q, want\n%q %v", tt.syntax, tt.src, got, tt.want, list)
		}
	}
}

// TestWalk: every body and expression of a tree is met, in the order of the
// source.
func TestWalk(t *testing.T) {
	src := `{a}{when b}{c}{else when d}{e}{else}{f}{/when}{loop g}{h}{else}{i}{/loop}` +
		`{switch j}{case k, l}{m}{default}{n}{/switch}{include o with x=p}{{ A and (q(r, s=t)|f(u) is v(w))[x:y:z] }}`
	tree, list := parser.Parse(source.New("x", src), parser.Options{Syntax: lexer.Brace()})
	if list.HasErrors() {
		t.Fatal(list)
	}
	got := ""
	ast.Walk(tree.Body, func(n ast.Node) bool {
		ast.Exprs(n, func(e ast.Expr) {
			ast.WalkExpr(e, func(e ast.Expr) bool {
				if n, ok := e.(*ast.Name); ok {
					got += n.Name
				}
				return true
			})
		})
		return true
	})
	if want := "abdcefghijklmnopAqrtuwxyz"; got != want {
		t.Errorf("names %s, want %s", got, want)
	}
	count := 0
	ast.Walk(tree.Body, func(ast.Node) bool { count++; return false })
	if count != len(tree.Body) {
		t.Errorf("%d nodes at the top, want %d", count, len(tree.Body))
	}
}
