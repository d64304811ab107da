package parser

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// TestLiteralForms follows each help line that names the literal form of one tag,
// in all golden inputs: with that form in place the finding is gone, and the tag
// is text.
func TestLiteralForms(t *testing.T) {
	files, err := filepath.Glob("../testdata/parser/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	followed := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			_, name, _ := strings.Cut(f.Name, ".")
			syn, ok := lexer.ByName(name)
			if !ok || syn.Jinja {
				continue
			}
			src := string(f.Data)
			o := Options{Syntax: syn, Filters: knownFilters, NearFilter: nearFilter}
			_, list := Parse(source.New("x", src), o)
			for _, d := range list {
				_, form, ok := strings.Cut(d.Help, "ere it is text, write ")
				if !ok || strings.Contains(form, "…") {
					continue
				}
				followed++
				width := len(form) - len(strings.TrimRight(form, syn.Close))
				tag := form[1:len(form)-width-1] + form[len(form)-width:]
				at := strings.LastIndex(src[:d.Span.Start], tag[:width])
				if strings.HasPrefix(src[d.Span.Start:], tag) {
					at = int(d.Span.Start)
				}
				if at < 0 || !strings.HasPrefix(src[at:], tag) {
					t.Errorf("%s, %s: %v: the tag of %s is not there", filepath.Base(file), f.Name, d, form)
					continue
				}
				tree, after := Parse(source.New("x", src[:at]+form+src[at+len(tag):]), o)
				dropped := false // what stands before a first case
				for _, e := range after {
					dropped = dropped || e.Code == "PCC109"
					if e.Code == d.Code && int(e.Span.Start) >= at && int(e.Span.Start) < at+len(form) {
						t.Errorf("%s, %s: %s is no remedy of %v: %v", filepath.Base(file), f.Name, form, d, e)
					}
				}
				if text := textOf(tree); !dropped && !strings.Contains(text, tag) {
					t.Errorf("%s, %s: %s does not print %s: %q", filepath.Base(file), f.Name, form, tag, text)
				}
			}
		}
	}
	if followed < 30 {
		t.Errorf("only %d help lines name a literal form", followed)
	}
}

// textOf joins the texts of a tree.
func textOf(t *ast.Template) string {
	var b strings.Builder
	ast.Walk(t.Body, func(n ast.Node) bool {
		if text, ok := n.(*ast.Text); ok {
			b.WriteString(text.Value)
		}
		return true
	})
	return b.String()
}
