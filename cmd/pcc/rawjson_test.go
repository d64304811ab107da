package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRawTypesApart: no type switch of the module names both json.RawMessage and
// jsontext.Value, which are one type from Go 1.27 on, so that it would not compile.
func TestRawTypesApart(t *testing.T) {
	const wrong = "package p\nfunc f(x any) { switch x.(type) { case *json.RawMessage, int: case *jsontext.Value: } }"
	const right = "package p\nfunc f(x any) { switch x.(type) { case json.RawMessage: }; switch x.(type) { case jsontext.Value: } }"
	if bothRawTypes(t, "wrong.go", wrong) == "" || bothRawTypes(t, "right.go", right) != "" {
		t.Fatal("the test does not tell the two apart")
	}
	files := 0
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		files++
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if place := bothRawTypes(t, name, string(b)); place != "" {
			t.Errorf("%s: the type switch names json.RawMessage and jsontext.Value: look for the second behind it", place)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("%d files were read", files)
	}
}

// bothRawTypes returns the place of such a type switch, "" where there is none.
func bothRawTypes(t *testing.T, name, src string) (place string) {
	t.Helper()
	if !strings.Contains(src, "jsontext.Value") || !strings.Contains(src, "json.RawMessage") {
		return ""
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSwitchStmt)
		if !ok {
			return true
		}
		seen := map[string]bool{}
		for _, clause := range s.Body.List {
			for _, x := range clause.(*ast.CaseClause).List {
				if star, ok := x.(*ast.StarExpr); ok {
					x = star.X
				}
				if sel, ok := x.(*ast.SelectorExpr); ok {
					if pkg, ok := sel.X.(*ast.Ident); ok {
						seen[pkg.Name+"."+sel.Sel.Name] = true
					}
				}
			}
		}
		if seen["json.RawMessage"] && seen["jsontext.Value"] {
			place = files.Position(s.Pos()).String()
		}
		return true
	})
	return place
}
