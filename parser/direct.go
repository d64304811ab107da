package parser

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// This file reads the most common heads of tags without tokens: a path, a path
// that is compared with a string, and a path with the name of a loop's item.
// They are ASCII and stand on one line. What is not exactly that is left to the
// expression parser: nothing is reported here.

// direct reads such a head from offset at on.
type direct struct {
	p   *parser
	src string
	at  int
}

// directly begins to read behind the word of a tag, which ended at offset at.
func (p *parser) directly(at int) direct { return direct{p, p.src[:p.scan.End], at} }

// blanks skips blanks and reports whether there were any.
func (d *direct) blanks() bool {
	at := d.at
	for d.at < len(d.src) && (d.src[d.at] == ' ' || d.src[d.at] == '\t') {
		d.at++
	}
	return d.at > at
}

// path reads a path of names and integers that is a variable's.
func (d *direct) path() (ast.Expr, bool) {
	d.blanks()
	first, end := lexer.Path(d.src, d.at)
	if d.p.slow || end == d.at || end-d.at > maxHeight || isWordLiteral(d.src[d.at:first]) {
		return nil, false
	}
	e := d.p.path(d.at, first, end)
	d.at = end
	return e, true
}

// closes reports whether the tag ends here, and skips its end.
func (d *direct) closes(piece lexer.Piece) bool {
	d.blanks()
	closer := d.p.closer(piece.Hard)
	if !strings.HasPrefix(d.src[d.at:], closer) {
		return false
	}
	d.at += len(closer)
	return true
}

// word reads the word w with blanks on both sides.
func (d *direct) word(w string) bool {
	if !d.blanks() || !strings.HasPrefix(d.src[d.at:], w) {
		return false
	}
	d.at += len(w)
	return d.blanks()
}

// name reads a name.
func (d *direct) name() (n nameToken, ok bool) {
	if d.at >= len(d.src) || !isNameByte(d.src[d.at]) {
		return n, false
	}
	end := lexer.WordEnd(d.src, d.at)
	n.Pos.Offset, n.Text = d.at, d.src[d.at:end]
	d.at = end
	return n, true
}

// equals reads `== "string"`, which left is compared with.
func (d *direct) equals(left ast.Expr) (ast.Expr, bool) {
	d.blanks()
	op := d.at
	if !strings.HasPrefix(d.src[op:], "==") {
		return nil, false
	}
	d.at += len("==")
	d.blanks()
	start := d.at
	if start >= len(d.src) || d.src[start] != '"' && d.src[start] != '\'' {
		return nil, false
	}
	for d.at++; ; d.at++ {
		if d.at >= len(d.src) || d.src[d.at] == '\\' || d.src[d.at] >= 0x80 {
			return nil, false
		}
		if d.src[d.at] == d.src[start] {
			break
		}
	}
	a := d.p.alloc
	lit := a.literals.One()
	lit.Range, lit.Kind, lit.Str = rangeOf(start, d.at+1), ast.StringLit, d.src[start+1:d.at]
	d.at++
	c := a.compares.One()
	c.Range = ast.Range{Start: left.Span().Start, End: source.Pos(d.at)}
	c.X, c.Rest = left, a.links.List(1)
	c.Rest[0] = ast.Comparison{Op: ast.Eq, OpSpan: d.p.span(op, op+len("==")), Y: lit}
	return c, true
}

// directExpr reads a tag that holds a path, or a path compared with a string,
// behind its word.
func (p *parser) directExpr(piece lexer.Piece, at int) (e ast.Expr, end int, ok bool) {
	d := p.directly(at)
	if e, ok = d.path(); !ok {
		return nil, 0, false
	}
	if d.closes(piece) {
		return e, d.at, true
	}
	if e, ok = d.equals(e); ok && d.closes(piece) {
		return e, d.at, true
	}
	return nil, 0, false
}

// directLoop reads a loop's head of a path and the name of the item.
func (p *parser) directLoop(piece lexer.Piece, at int) (h loopHead, end int, ok bool) {
	d := p.directly(at)
	if h.Iter, ok = d.path(); !ok || !d.word("as") {
		return loopHead{}, 0, false
	}
	p.as = loopNames{}
	if p.as.First, ok = d.name(); !ok || !d.closes(piece) {
		return loopHead{}, 0, false
	}
	h.As = &p.as
	return h, d.at, true
}
