package compiler

import (
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
)

// Escape returns a template in the syntax that renders exactly s. The syntax
// must be a concrete one, not SyntaxAuto, and s valid UTF-8.
func Escape(s string, syntax Syntax) (string, error) {
	syn, ok := lexer.ByName(string(syntax))
	if !ok {
		d := diag.New("PCC220", nil, source.Span{}, "there is no syntax named %q to escape for", syntax)
		d.Severity = diag.Error
		return "", d
	}
	return parser.Escape(s, syn), nil
}

// Detect tells which syntax `auto` chooses for a text, and why. The name's
// ending and the front matter count.
func Detect(src, name string) parser.Detection {
	c := newConfig(nil)
	return document.Detect(source.New(name, src), parser.Options{Filters: c.native, NearFilter: c.near})
}
