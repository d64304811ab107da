package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// spellings are the delimiters of placeholders that may hold any expression.
var spellings = map[string][2]string{
	"brace": {"{{ ", " }}"}, "double-brace": {"{{ ", " }}"}, "jinja": {"{{ ", " }}"}, "single-brace": {"{", "}"},
	"angle": {"<<", ">>"}, "double-angle": {"<<", ">>"}, "single-angle": {"<", ">"},
}

// site is the entry of a source: f, which the tag at this place of the source
// parent puts there.
func (c *config) site(f *source.File, syntax string, parent int32, at source.Span) code.Site {
	s := code.Site{File: f, Parent: parent, At: at}
	switch {
	case usesNativePlaceholders(c.rules, ast.FormAgentForge), usesNativePlaceholders(c.rules, ast.FormPair), brace(c.rules): // names alone
	case syntax == "custom" && c.delims != nil:
		s.Open, s.Close = c.delims.Open, c.delims.Close
	default:
		d := spellings[syntax]
		s.Open, s.Close = d[0], d[1]
	}
	return s
}
