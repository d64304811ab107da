package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
)

// mixedTexts warns where the texts of a document chose their syntaxes themselves
// and chose different families: one of them likely quotes the other, and what it
// quotes would be filled in.
func mixedTexts(doc *ast.Document) diag.List {
	for _, e := range doc.Entries {
		if e.Template == nil {
			continue
		}
		var first, other *ast.Embedded
		ast.Walk(e.Template.Body, func(n ast.Node) bool {
			t, ok := n.(*ast.Embedded)
			if !ok || other != nil {
				return other == nil
			}
			switch {
			case t.Chosen == "" || !holdsTags(t.Body):
			case first == nil:
				first = t
			case familyOf(t.Syntax) != familyOf(first.Syntax):
				other = t
			}
			return false
		})
		if other == nil {
			continue
		}
		d := diag.New("PCC127", doc.File, other.Span(), "this text is read as %s, since %s, and another text of the document as %s", other.Syntax, other.Chosen, first.Syntax).
			WithLabel(first.Span(), "this one")
		return diag.List{d}
	}
	return nil
}

// holdsTags reports whether a text is more than text.
func holdsTags(body []ast.Node) bool {
	for _, n := range body {
		if _, is := n.(*ast.Text); !is {
			return true
		}
	}
	return false
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
