package parser

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// evidence tells whether a text whose tags are in braces has tags in angle
// brackets too. Prompts are full of markup that has the form of placeholders
// ("put it in <answer> tags", "<br>"), so one name alone says nothing. What
// does: a tag that markup does not have (a block, a path of several keys, a
// filter, doubled brackets), a name that is a placeholder in braces as well, or
// more names than the braces have, two at least.
type evidence struct {
	first []ast.Node // the tree of the text in braces
	at    source.Span
	sure  bool
	names []string
	known map[string]bool // names of placeholders in braces, once asked for
}

// plausible reports whether there are tags of the second family.
func (e *evidence) plausible() bool { return e != nil && e.sure }

// add counts the well-formed tag that p has just read; it returns true when
// there is no need to read on.
func (e *evidence) add(p *parser, piece *lexer.Piece) bool {
	span := p.span(piece.Start, p.scan.Pos)
	if piece.Kind == lexer.Comment {
		return false
	}
	var out *ast.Output
	if n := len(p.body); n > 0 {
		out, _ = p.body[n-1].(*ast.Output)
	}
	if out == nil || out.Span() != span { // a block's tag
		e.at, e.sure = span, true
		return true
	}
	name, plain := out.Expr.(*ast.Name)
	switch {
	case !plain || piece.Hard:
		e.sure = true
	case markup[name.Name]:
		return false
	default:
		e.sure = e.isNew(name.Name)
	}
	if len(e.names) < 2 { // the first of the names stands for all
		e.at = span
	}
	return e.sure
}

// isNew adds a name, and reports whether the names are evidence now.
func (e *evidence) isNew(name string) bool {
	if e.known == nil {
		e.known = map[string]bool{}
		ast.Walk(e.first, func(n ast.Node) bool {
			if out, ok := n.(*ast.Output); ok {
				if root := rootOf(out.Expr); root != "" {
					e.known[root] = true
				}
			}
			return true
		})
	}
	if e.known[name] {
		return true
	}
	for _, n := range e.names {
		if n == name {
			return false
		}
	}
	e.names = append(e.names, name)
	return len(e.names) > 1 && len(e.names) > len(e.known)
}

// rootOf is the variable that a placeholder reads, "" where it is none.
func rootOf(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Name:
			return x.Name
		case *ast.Attr:
			e = x.X
		case *ast.Index:
			e = x.X
		case *ast.Filter:
			e = x.X
		default:
			return ""
		}
	}
}

// markup are the elements of HTML that need no end tag, and the control tokens
// that models write in angle brackets.
var markup = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true,
	"link": true, "meta": true, "param": true, "source": true, "track": true, "wbr": true,
	"p": true, "li": true, "dt": true, "dd": true, "td": true, "th": true, "tr": true, "tbody": true, "thead": true,
	"tfoot": true, "option": true, "optgroup": true, "colgroup": true, "html": true, "head": true, "body": true,
	"s": true, "bos": true, "eos": true, "pad": true, "unk": true, "mask": true, "sep": true, "cls": true,
}
