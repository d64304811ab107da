// Package fuzz holds the fuzz targets that go through more than one package.
package fuzz

import (
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"path/filepath"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// natives are the native syntaxes; a fuzzed byte picks one.
var natives = []*lexer.Syntax{
	lexer.Brace(), lexer.Angle(), lexer.SingleBrace(), lexer.DoubleBrace(), lexer.SingleAngle(), lexer.DoubleAngle(),
}

// seeds adds the templates of the golden files, in each native syntax.
func seeds(f *testing.F) {
	files, err := filepath.Glob("../testdata/parser/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if filepath.Ext(file.Name) == ".want" {
				continue
			}
			for i, syn := range natives {
				if "."+syn.Name == filepath.Ext(file.Name) || filepath.Ext(file.Name) == ".auto" {
					f.Add(byte(i), string(file.Data))
				}
			}
		}
	}
}

func pick(b byte) *lexer.Syntax { return natives[int(b)%len(natives)] }

func parse(src string, syn *lexer.Syntax) (*ast.Template, bool) {
	t, list := parser.Parse(source.New("x", src), parser.Options{Syntax: syn, Filters: known})
	return t, !list.HasErrors()
}

func known(name string) bool { return name == "upper" || name == "default" || name == "join" }

// tidy joins adjacent texts and drops comments, which Print may add or move.
func tidy(body []ast.Node) []ast.Node {
	var out []ast.Node
	for _, n := range body {
		switch n := n.(type) {
		case *ast.Comment:
			continue
		case *ast.Text:
			if n.Value == "" {
				continue
			}
			if len(out) > 0 {
				if last, ok := out[len(out)-1].(*ast.Text); ok {
					out[len(out)-1] = &ast.Text{Value: last.Value + n.Value}
					continue
				}
			}
		}
		ast.Bodies(n, func(b *[]ast.Node) { *b = tidy(*b) })
		out = append(out, n)
	}
	return out
}

// diff compares trees but for positions.
func diff(a, b any) string {
	return cmp.Diff(a, b,
		cmpopts.IgnoreTypes(ast.Range{}, source.Span{}),
		cmp.Comparer(func(x, y *big.Int) bool { return x == y || x != nil && y != nil && x.Cmp(y) == 0 }),
		cmpopts.EquateEmpty(), cmpopts.EquateNaNs())
}
