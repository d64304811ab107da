package parser_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// countHeads counts the heads of native tags in a tree that were read well, by
// the word they begin with.
func countHeads(body []ast.Node, heads map[string]int) {
	add := func(word string, e ast.Expr) {
		if _, bad := e.(*ast.BadExpr); !bad {
			heads[word]++
		}
	}
	ast.Walk(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.When:
			for i, b := range n.Branches {
				add([]string{"when", "else"}[min(i, 1)], b.Cond)
			}
		case *ast.Loop:
			add("loop", n.Iter)
		case *ast.Switch:
			add("switch", n.Subject)
			for _, c := range n.Cases {
				if len(c.Values) > 0 {
					add("case", c.Values[0])
				}
			}
		case *ast.Message:
			add("message", n.Role)
		case *ast.Messages:
			add("messages", n.List)
		case *ast.Include:
			add("include", n.Name)
		}
		return true
	})
}

// texts calls f with each text under testdata: the files, and those in archives.
func texts(t *testing.T, f func(text string)) {
	err := filepath.WalkDir("../testdata", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if filepath.Ext(name) != ".txtar" {
			f(string(b))
			return nil
		}
		for _, file := range txtar.Parse(b).Files {
			f(string(file.Data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReaders counts which reader reads the well-formed heads of testdata: of
// each kind productions read some, and those kinds that may be trivial are read
// directly too.
func TestReaders(t *testing.T) {
	heads, produced := map[string]int{}, map[string]int{}
	texts(t, func(text string) {
		f := source.New("x", text)
		tree, _ := parser.Parse(f, parser.Options{})
		syn, ok := lexer.ByName(tree.Syntax)
		if !ok || syn.Jinja {
			return
		}
		tree, _ = parser.Parse(f, parser.Produced(parser.Options{Syntax: syn}, func(word string) { produced[word]++ }))
		countHeads(tree.Body, heads)
	})
	for _, k := range []struct {
		word    string
		trivial bool
	}{{"when", true}, {"else", true}, {"loop", true}, {"switch", true}, {"case", false}, {"message", true}, {"messages", true}, {"include", false}} {
		direct := heads[k.word] - produced[k.word]
		t.Logf("%-8s %4d by its production, %4d directly", k.word, produced[k.word], direct)
		if produced[k.word] == 0 {
			t.Errorf("productions read no head of `%s`", k.word)
		}
		if direct > 0 != k.trivial {
			t.Errorf("%d heads of `%s` are read directly", direct, k.word)
		}
	}
}
