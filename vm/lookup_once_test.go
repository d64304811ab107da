package vm

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

// byName are the functions of package reflect that turn a name into a field, a
// method or a key of a Go value.
var byName = map[string]bool{
	"FieldByName": true, "FieldByNameFunc": true, "FieldByIndex": true, "FieldByIndexErr": true,
	"MethodByName": true, "Method": true, "MapIndex": true,
}

// oneLookup parses the module's sources and reports calls of byName outside the
// files that hold the look-up, so that there is one gate to Go values only.
func oneLookup(t *testing.T) {
	root := filepath.Dir(mustAbs(t, "."))
	found := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "bench" || name == "cmd" || name == "testdata" || strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, src, 0)
		if err != nil || !importsReflect(f) {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && byName[sel.Sel.Name] {
					found[rel]++
					if !strings.HasPrefix(rel, "vm/lookup") {
						t.Errorf("%s calls %s: names are resolved in vm/lookup*.go only", rel, sel.Sel.Name)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Error("no look-up at all was found: the test looks in the wrong place")
	}
}

func importsReflect(f *ast.File) bool {
	for _, i := range f.Imports {
		if i.Path.Value == `"reflect"` {
			return true
		}
	}
	return false
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
