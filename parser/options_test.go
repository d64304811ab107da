package parser

import (
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// sketch writes a body in short: texts quoted, placeholders as <expression>.
func sketch(body []ast.Node) string {
	var b strings.Builder
	for _, n := range body {
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(n.Value)
		case *ast.Output:
			b.WriteString("‹" + ast.PrintExpr(n.Expr) + "›")
		default:
			b.WriteString("?")
		}
	}
	return b.String()
}

// TestPlaceholdersOnly: the rules of the seed forms.
func TestPlaceholdersOnly(t *testing.T) {
	for _, tt := range []struct {
		syntax string
		names  Names
		groups bool
		src    string
		want   string
	}{
		{"single-brace", NamesASCIIPath, true, "{a.b} {{a}} { a } {1a} {a-b} {a.} {ä} {a|upper} {when x}{/when} {# c #}", "‹a.b› {‹a›} { a } {1a} {a-b} {a.} {ä} {a|upper} {when x}{/when} {# c #}"},
		{"single-brace", NamesASCIIPath, true, `/{"k": {v}/} /{id/} /items/{id}`, `{"k": ‹v›} {id} /items/‹id›`},
		{"single-brace", NamesASCIIPath, false, "/{id/} {id}", "/{id/} ‹id›"},
		{"double-brace", NamesWord, false, "{{a}} {{0}} {{ a }} {{a.b}} {{{a}}} {a} {{größe}} {{}}", "‹a› ‹0› {{ a }} {{a.b}} {‹a›} {a} {{größe}} {{}}"},
		{"double-brace", NamesFlat, false, `{{ a b }} {{"k": 1}} {{}} {{ }} {{{x}}} {{a|upper}} {{a{b}}`, `‹a b› ‹"k": 1› {{}} ‹› {‹x›} ‹a|upper› {{a{b}}`},
		{"single-brace", NamesFlat, false, `{"k": 1} {{x}} {}`, `‹"k": 1› {‹x›} {}`},
		{"brace", NamesPath, false, "{a.0} {{ b.c }} {{ b + c }} {a|upper}", "‹a[0]› ‹b.c› {{ b + c }} {a|upper}"},
	} {
		syn, _ := lexer.ByName(tt.syntax)
		body, list := Parse(source.New("x", tt.src), Options{
			Syntax: syn, PlaceholdersOnly: true, Names: tt.names, LiteralGroups: tt.groups, Filters: knownFilters,
		})
		if got := sketch(body.Body); got != tt.want || len(list) > 0 {
			t.Errorf("%s, rule %d: %s\n got %s %v\nwant %s", tt.syntax, tt.names, tt.src, got, list, tt.want)
		}
	}
}

func TestBodyAndBOM(t *testing.T) {
	src := "---\nsyntax: brace\n---\n{a}"
	tree, _ := Parse(source.New("x", src), Options{Syntax: lexer.Brace(), Body: source.Span{Start: 22, End: source.Pos(len(src))}})
	if got := sketch(tree.Body); got != "‹a›" {
		t.Errorf("body: %s", got)
	}
	if s := tree.Body[0].Span(); s.Start != 22 || int(s.End) != len(src) {
		t.Errorf("span %v", s)
	}
	tree, _ = Parse(source.New("x", "\ufeffx\ufeff"), Options{Syntax: lexer.Brace()})
	if got := sketch(tree.Body); got != "x\ufeff" {
		t.Errorf("BOM: %q", got)
	}
}

func TestCustomDelimiters(t *testing.T) {
	for _, d := range []struct{ open, close string }{{"[[", "]]"}, {"${", "}"}, {"%(", ")"}} {
		syn, err := lexer.Custom(d.open, d.close)
		if err != nil {
			t.Fatal(err)
		}
		src := strings.NewReplacer("‹", d.open, "›", d.close).Replace(
			"‹when a == (1)›‹b.c|upper› {x} ‹# c #›/‹x/›‹ y ›‹/when›")
		tree, list := Parse(source.New("x", src), Options{Syntax: syn, Filters: knownFilters})
		if len(list) > 0 || len(tree.Body) != 1 {
			t.Fatalf("%s: %v", src, list)
		}
		when := tree.Body[0].(*ast.When).Branches[0]
		got := ast.PrintExpr(when.Cond) + ": " + sketch(when.Body)
		want := strings.NewReplacer("«", d.open, "»", d.close).Replace("a == 1: ‹b.c|upper› {x} ?«x»« y »")
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", src, got, want)
		}
	}
}

func TestDepth(t *testing.T) {
	for _, tt := range []struct {
		open, close string
		most        int
	}{
		{"{when a}", "{/when}", 5}, {"/{", "/}", 5}, {"{loop a}", "{/loop}", 5}, {"{message user}", "{/message}", 1},
	} {
		for n := 1; n <= tt.most+1; n++ {
			if n == tt.most+1 && tt.most < 5 {
				break
			}
			src := strings.Repeat(tt.open, n) + "x" + strings.Repeat(tt.close, n)
			_, list := Parse(source.New("x", src), Options{Syntax: lexer.Brace(), Depth: 5})
			if deep := len(list) > 0 && list[0].Code == "PCC901"; deep != (n > tt.most) {
				t.Errorf("%s: %v", src, list)
			}
		}
	}
	for n, want := range map[int]bool{5: false, 6: true} {
		src := "{{ a + " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + " }}"
		_, list := Parse(source.New("x", src), Options{Syntax: lexer.Brace(), Depth: 5})
		if got := len(list) > 0 && list[0].Code == "PCC901"; got != want {
			t.Errorf("%s: %v", src, list)
		}
	}
}

func TestParseExpr(t *testing.T) {
	src := "when: user.age > 3 and plan|upper == 'PRO' # end"
	at := source.Span{Start: 6, End: 42}
	e, list := ParseExpr(source.New("x", src), at, Options{})
	if got := ast.PrintExpr(e); got != `user.age > 3 and plan|upper == "PRO"` || len(list) > 0 {
		t.Errorf("%s %v", got, list)
	}
	if e.Span() != at {
		t.Errorf("span %v", e.Span())
	}
	for src, code := range map[string]diag.Code{
		"": "PCC102", "a b": "PCC101", "a ==": "PCC102", "a)": "PCC101", "\xff": "PCC001", "'a": "PCC002",
	} {
		if _, list := ParseExpr(source.New("x", src), source.Span{End: source.Pos(len(src))}, Options{}); len(list) != 1 || list[0].Code != code {
			t.Errorf("%q: %v, want %s", src, list, code)
		}
	}
}

func TestParseLoopHead(t *testing.T) {
	for _, tt := range []struct {
		src  string
		mode ast.LoopMode
		want string
	}{
		{"items", ast.LoopBare, "items as item"},
		{"history as turn", ast.LoopItems, "history as turn"},
		{"a.b|upper as key, value", ast.LoopEntries, "a.b|upper as key,value"},
	} {
		n, list := ParseLoopHead(source.New("x", tt.src), source.Span{End: source.Pos(len(tt.src))}, Options{})
		got := ast.PrintExpr(n.Iter) + " as " + n.Target.Name
		for i, item := range n.Target.Items {
			got += strings.Repeat(",", i) + item.Name
		}
		if got != tt.want || n.Mode != tt.mode || len(list) > 0 {
			t.Errorf("%s: %s, mode %d, %v", tt.src, got, n.Mode, list)
		}
	}
	for _, src := range []string{"", "a as", "a as b,", "a as b, c, d", "a as 1", "as b as c d", "a as loop", "a as b, b"} {
		n, list := ParseLoopHead(source.New("x", src), source.Span{End: source.Pos(len(src))}, Options{})
		if len(list) == 0 || n == nil || n.Iter == nil {
			t.Errorf("%q: %v", src, list)
		}
	}
}

// TestNames: names are compared in NFC.
func TestNames(t *testing.T) {
	for _, src := range []string{"{größe}", "{gro\u0308ße}", "{{ gro\u0308ße }}", "{{ a.gro\u0308ße }}", "{loop x as gro\u0308ße}{/loop}"} {
		tree, list := Parse(source.New("x", src), Options{Syntax: lexer.Brace()})
		if got := dumpBody(tree.Body); !strings.Contains(got, "größe") || len(list) > 0 {
			t.Errorf("%q: %s %v", src, got, list)
		}
	}
}

// TestPythonExpressions: what only Jinja's dialect of expressions has.
func TestPythonExpressions(t *testing.T) {
	for src, want := range map[string]string{
		"(1,)": "(1,)", "()": "()", "(a, b)": "(a, b)", "a[1, 2]": "a[1, 2]", "null": "null", "none": "none",
		"x is if": "x is if", "'\\ud83d\\ude00'": `"😀"`, "a is b in": "a is b in", "{'a': 1}[0]": `{"a": 1}[0]`,
	} {
		f := source.New("x", src)
		x := newExprParser(f, source.Span{End: source.Pos(len(src))}, 200, true)
		e := x.expr()
		if x.atEnd(); x.err != nil || ast.PrintExpr(e) != want {
			t.Errorf("%s: %s, %v, want %s", src, ast.PrintExpr(e), x.err, want)
		}
	}
	if _, ok := func() (ast.Expr, bool) {
		x := newExprParser(source.New("x", "null"), source.Span{End: 4}, 200, true)
		e := x.expr()
		_, name := e.(*ast.Name)
		return e, name
	}(); !ok {
		t.Error("null is a literal in Jinja")
	}
}
