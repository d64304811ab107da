package parser_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// shape dumps a tree for comparison: white space in texts is left out, since the
// oracle knows nothing of standalone lines.
func shape(body []ast.Node) string { return parser.Dump(squeeze(body)) }

func squeeze(body []ast.Node) []ast.Node {
	var out []ast.Node
	for _, n := range body {
		switch n := n.(type) {
		case *ast.Comment:
			continue
		case *ast.Text:
			s := strings.Join(strings.Fields(n.Value), "")
			if s == "" {
				continue
			}
			if len(out) > 0 {
				if last, ok := out[len(out)-1].(*ast.Text); ok {
					last.Value += s
					continue
				}
			}
			out = append(out, &ast.Text{Value: s})
			continue
		case *ast.Output:
			out = append(out, &ast.Output{Expr: n.Expr, Soft: n.Soft})
			continue
		case *ast.Include:
			out = append(out, &ast.Include{Name: n.Name, With: n.With})
			continue
		}
		ast.Bodies(n, func(b *[]ast.Node) { *b = squeeze(*b) })
		out = append(out, n)
	}
	return out
}

// lateErrors are the errors that the oracle does not look for.
var lateErrors = map[string]bool{"PCC108": true, "PCC113": true, "PCC114": true, "PCC121": true, "PCC006": true}

// compareWithOracle parses src and, where it can read it, with the whole-language
// grammar; what is read directly of src is read with productions too. ok is false
// where the grammar could not read it.
func compareWithOracle(t *testing.T, src string) (ok bool) {
	o := parser.Options{Syntax: lexer.Brace(), Filters: parser.KnownFilters}
	got, list := parser.Parse(source.New("x", src), o)
	parser.CompareReaders(t, src, o.Syntax)
	// The oracle's time grows fast with nesting.
	if len(src) > 600 || !utf8.ValidString(src) || nesting(src) > 6 {
		return false
	}
	tree, err := oracle().ParseString("", src)
	if err != nil {
		return false
	}
	tr := translator{src: src}
	want := tr.body(tree.Items)
	if tr.outside {
		return false
	}
	for _, d := range list {
		if d.Code == "PCC114" {
			return false // what stands outside messages is not in the tree
		}
		if d.Severity == 0 && !lateErrors[string(d.Code)] {
			t.Fatalf("%q: the oracle reads it, the parser says %v", src, list)
		}
	}
	if d := cmp.Diff(shape(want), shape(got.Body)); d != "" {
		t.Fatalf("%q: (-oracle +parser)\n%s", src, d)
	}
	return true
}

func nesting(src string) (most int) {
	depth := 0
	for _, c := range src {
		switch c {
		case '(', '[', '{':
			depth++
			most = max(most, depth)
		case ')', ']', '}':
			depth--
		}
	}
	return most
}

// oracleSeeds are templates that the oracle reads.
var oracleSeeds = []string{
	"Hello {name}, {{ user.first|upper }} and {a.b.0.c[1]}",
	"{when a}x{else when b.c == 1}y{else}z{/when}",
	"{{when not a and b or c}}x{{/when}}",
	"{loop xs as x}{x}{else}none{/loop}{loop m as k, v}{k}={v}{/loop}{{loop a.b|join(\",\")}}{item}{{/loop}}",
	"{switch x} {# c #}\n{case \"a\", 'b'}A{case 3, 2.5}B{default}D{/switch}",
	"{message system}Be brief.{/message} {message turn.role name=\"x\" id=3}{q}{/message}",
	"{include \"a\" with b=c.d, e=[1, 2]} {include x}",
	"{{ a if b else c if d }} {{ a + b - c ~ d * e / f // g % h ** i ** j }}",
	"{{ x is defined }} {{ x is not none and y is divisibleby 3 }} {{ x is in [1] }} {{ x is eq(3)|f(1)(2) }}",
	"{{ a[1:2:3][:][::2][1:][:1].c(d, e=1, *f, **g)['k'] }}",
	"{{ x or {\"a\": {\"b\": [1, 2.5, 1e3, true, none, null,]},} }} {{ not not a in b not in c < d }}",
	"{{ x or - - + 1 }} {{ x or (a)|f }}",
	"{when} {a|join} {x}",
	"{{ message }} {{ message or 1 }} {{ loop == 2 }} {{ when not in xs }} {{ include is defined }} {{ messages if x }} {message}",
	"{{ case }} {switch x}{case -1}{{ case or 1 }}{default}y{/switch}",
	"{messages history} {{messages a[1:]}}", "{when not in_stock}x{/when}",
	"{raw}{x} {/when} {{/raw}} }{/raw} {{raw}}{/raw} {{ x }{{ /raw }} {{raw}} {raw}",
	"{{ (a * b)|round }} {{ \"x\"|upper }} {{ -price }} {{ [1, 2]|join(\"+\") }} {{\n x\n}} {{ 1 is odd }}",
}

func TestOracle(t *testing.T) {
	read := 0
	for _, src := range oracleSeeds {
		if compareWithOracle(t, src) {
			read++
		} else {
			t.Logf("not read: %s", src)
		}
	}
	if read < len(oracleSeeds) {
		t.Errorf("the oracle read %d of %d templates only", read, len(oracleSeeds))
	}
}

// FuzzReaders holds the parser against the grammar, and what is read directly
// against productions.
func FuzzReaders(f *testing.F) {
	for _, s := range oracleSeeds {
		f.Add(s)
	}
	files, _ := filepath.Glob("../testdata/parser/*.txtar")
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if strings.HasSuffix(file.Name, ".brace") {
				f.Add(string(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, src string) { compareWithOracle(t, src) })
}

// TestGrammarPage holds the grammar of docs/language.md against the oracle's. Run with
// UPDATE_GRAMMAR=1 to write it.
func TestGrammarPage(t *testing.T) {
	const file = "../docs/language.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	section := regexp.MustCompile(`(?s)<!-- grammar -->\n.*?<!-- /grammar -->`)
	if !section.Match(page) {
		t.Fatal("the page has no <!-- grammar --> … <!-- /grammar --> section")
	}
	want := "<!-- grammar -->\n```ebnf\n" + oracle().String() + "\n```\n<!-- /grammar -->"
	if os.Getenv("UPDATE_GRAMMAR") != "" {
		page = section.ReplaceAllLiteral(page, []byte(want))
		if err := os.WriteFile(file, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(section.Find(page)); got != want {
		t.Errorf("the page's grammar is stale; run UPDATE_GRAMMAR=1 go test ./parser -run GrammarPage\n%s", cmp.Diff(want, got))
	}
}
