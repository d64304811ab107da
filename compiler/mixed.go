package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
)

// mixedTexts warns where the texts of a document chose their syntaxes themselves
// and chose different families: one of them likely quotes the other, and what it
// quotes would be filled in. A text with nothing but names in single angle brackets,
// which may as well be markup, counts where it reads a name that others read too.
func mixedTexts(doc *ast.Document) diag.List {
	for _, e := range doc.Entries {
		if e.Template == nil {
			continue
		}
		var texts []*ast.Embedded
		ast.Walk(e.Template.Body, func(n ast.Node) bool {
			t, ok := n.(*ast.Embedded)
			if ok && t.Chosen != "" {
				texts = append(texts, t)
			}
			return !ok
		})
		if d := mixed(doc, texts); d != nil {
			return diag.List{d}
		}
	}
	return nil
}

// mixed is the warning of the first text that is in another family than one before
// it.
func mixed(doc *ast.Document, texts []*ast.Embedded) *diag.Diagnostic {
	sure := map[string]*ast.Embedded{}  // the first of each family that surely is
	names := map[string]*ast.Embedded{} // the first that reads a name
	for _, t := range texts {
		isSure, read := readsOf(t.Body)
		if familyOf(t.Syntax) == "brace" && len(read) > 0 { // as most are written
			isSure = true
		}
		var other *ast.Embedded
		for family, first := range sure {
			if isSure && family != familyOf(t.Syntax) {
				other = first
			}
		}
		for _, name := range read {
			if first := names[name]; first != nil && familyOf(first.Syntax) != familyOf(t.Syntax) {
				other = first
			} else if first == nil {
				names[name] = t
			}
		}
		if other != nil {
			return diag.New("PCC127", doc.File, t.Span(), "this text is read as %s, since %s, and another text of the document as %s", t.Syntax, t.Chosen, other.Syntax).
				WithLabel(other.Span(), "this one")
		}
		if isSure && sure[familyOf(t.Syntax)] == nil {
			sure[familyOf(t.Syntax)] = t
		}
	}
	return nil
}

// readsOf tells whether a text has tags that are surely meant as such, and which
// variables its placeholders read.
func readsOf(body []ast.Node) (sure bool, names []string) {
	ast.Walk(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Text:
		case *ast.Output:
			sure = sure || !n.Soft
			ast.WalkExpr(n.Expr, func(e ast.Expr) bool {
				if name, ok := e.(*ast.Name); ok {
					names = append(names, name.Name)
				}
				return true
			})
		default:
			sure = true
		}
		return true
	})
	return sure, names
}

// familyOf is the family of a syntax: its kind of brackets, or Jinja.
func familyOf(syntax string) string {
	switch {
	case syntax == "jinja":
		return syntax
	case isAngle(syntax):
		return "angle"
	}
	return "brace"
}
