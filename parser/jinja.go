package parser

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// parseJinja reads a text of the Jinja syntax.
func parseJinja(f *source.File, o Options) (*ast.Template, diag.List) {
	span := source.Span{End: source.Pos(len(f.Text))}
	return &ast.Template{File: f, Syntax: "jinja"},
		diag.List{diag.New("PCC199", f, span, "the Jinja syntax is not readable here")}
}
