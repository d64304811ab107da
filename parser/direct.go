package parser

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// This file reads the most common heads of tags without tokens: a path, a path
// that is compared with a string, and a loop's path with the name of its item.
// They are ASCII and stand on one line. What is not exactly that is left to the
// tag's production, or in Jinja to its reader: nothing is reported here.

// direct reads such a head in src, a beginning of the file's text, from offset
// at on.
type direct struct {
	file  *source.File
	alloc *Arena
	src   string
	at    int
	// closer ends the tag, or scan tells whether piece ends.
	closer string
	scan   *lexer.JinjaScanner
	piece  *lexer.JinjaPiece
}

// directly begins to read behind the word of a tag, which ended at offset at.
func (p *parser) directly(piece *lexer.Piece, at int) direct {
	return direct{file: p.file, alloc: p.alloc, src: p.src[:p.scan.End], at: at, closer: p.closer(piece.Hard)}
}

// blanks skips blanks and reports whether there were any.
func (d *direct) blanks() bool {
	src, at := d.src, d.at
	for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
		at++
	}
	any := at > d.at
	d.at = at
	return any
}

// path reads a path of names and integers that is a variable's.
func (d *direct) path() (ast.Expr, bool) {
	d.blanks()
	first, end := lexer.Path(d.src, d.at)
	if end == d.at || end-d.at > maxHeight || isWordLiteral(d.src[d.at:first]) {
		return nil, false
	}
	e := pathExpr(d.file, d.alloc, d.at, first, end)
	d.at = end
	return e, true
}

// closes reports whether the tag ends here with its closer, and skips that.
func (d *direct) closes() bool {
	d.blanks()
	if d.scan != nil {
		return d.scan.EndsAt(d.piece, d.at)
	}
	if !strings.HasPrefix(d.src[d.at:], d.closer) {
		return false
	}
	d.at += len(d.closer)
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
		if d.at >= len(d.src) {
			return nil, false
		}
		switch c := d.src[d.at]; {
		case c == '\\', c == '\n', c == '\r', c >= 0x80:
			return nil, false
		}
		if d.src[d.at] == d.src[start] {
			break
		}
	}
	lit := made(d.alloc, literalSlab)
	lit.Range, lit.Kind, lit.Str = rangeOf(start, d.at+1), ast.StringLit, d.src[start+1:d.at]
	d.at++
	c := made(d.alloc, compareSlab)
	c.Range = ast.Range{Start: left.Span().Start, End: source.Pos(d.at)}
	c.X, c.Rest = left, list(d.alloc, linkSlab, 1)
	c.Rest[0] = ast.Comparison{Op: ast.Eq, OpSpan: source.Span{Start: source.Pos(op), End: source.Pos(op + len("=="))}, Y: lit}
	return c, true
}

// condition reads a path, or a path compared with a string, up to the tag's end.
func (d *direct) condition() (ast.Expr, bool) {
	e, ok := d.path()
	if !ok || d.closes() {
		return e, ok
	}
	e, ok = d.equals(e)
	return e, ok && d.closes()
}

// directExpr reads a tag that holds a condition behind its word.
func (p *parser) directExpr(piece *lexer.Piece, at int) (e ast.Expr, end int, ok bool) {
	d := p.directly(piece, at)
	e, ok = d.condition()
	return e, d.at, ok
}

// directRole reads a message's head of a path, which the name of a role is too.
func (p *parser) directRole(piece *lexer.Piece, at int) (e ast.Expr, end int, ok bool) {
	d := p.directly(piece, at)
	e, ok = d.path()
	ok = ok && d.closes()
	return e, d.at, ok
}

// directLoop reads a loop's head of a path, and the name of the item where it has
// one.
func (p *parser) directLoop(piece *lexer.Piece, at int) (h loopHead, end int, ok bool) {
	d := p.directly(piece, at)
	if h.Iter, ok = d.path(); !ok {
		return loopHead{}, 0, false
	}
	behind := d.at
	if d.closes() {
		return h, d.at, true
	}
	if d.at = behind; !d.word("as") {
		return loopHead{}, 0, false
	}
	p.as = loopNames{}
	if p.as.First, ok = d.name(); !ok || !d.closes() {
		return loopHead{}, 0, false
	}
	h.As = &p.as
	return h, d.at, true
}

// directly begins to read the inside of a Jinja tag, which must be Simple.
func (p *jinjaParser) directly(piece *lexer.JinjaPiece) direct {
	return direct{file: p.file, alloc: p.alloc, src: p.file.Text[:p.scan.End()], at: int(piece.Inside.Start), scan: &p.scan, piece: piece}
}

// direct reads the tags `if`, `elif` and `for` and the end tags of those, as
// far as they are of the common form.
func (p *jinjaParser) direct(piece *lexer.JinjaPiece) bool {
	if !p.scan.Simple(piece) {
		return false
	}
	d := p.directly(piece)
	d.blanks()
	end := lexer.WordEnd(d.src, d.at)
	word := d.src[d.at:end]
	d.at = end
	var top *openBlock
	if n := len(p.stack); n > 0 {
		top = &p.stack[n-1]
	}
	switch word {
	case "endif", "endfor":
		if top == nil || top.tag.end != word || !d.closes() {
			return false
		}
		p.close(piece.Span.End)
		return true
	case "if", "elif":
		if word == "elif" && (top == nil || !top.takes(word)) || !d.blanks() {
			return false
		}
		cond, ok := d.condition()
		if !ok {
			return false
		}
		if word == "elif" {
			p.branch(top.node.(*ast.When), piece.Span, cond)
		} else {
			p.open(p.ifTag, p.when(piece.Span, cond), piece.Span)
		}
	case "for":
		t, ok := p.directFor(&d, piece)
		if !ok {
			return false
		}
		p.open(p.forTag, t, piece.Span)
	default:
		return false
	}
	return true
}

// directFor reads `name in path` behind the word `for`.
func (p *jinjaParser) directFor(d *direct, piece *lexer.JinjaPiece) (*ast.Loop, bool) {
	if !d.blanks() {
		return nil, false
	}
	item, ok := d.name()
	if !ok || isWordLiteral(item.Text) || !d.word("in") {
		return nil, false
	}
	iter, ok := d.path()
	if !ok || !d.closes() {
		return nil, false
	}
	t := p.loop(piece.Span)
	t.Target, t.Iter = ast.Target{Range: ast.At(item.span()), Name: item.Text}, iter
	return t, true
}
