package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// closer returns the delimiter that ends a tag.
func (p *parser) closer(hard bool) string {
	if !hard {
		return p.syn.Close
	}
	return hardClosers[p.syn.Close]
}

var hardClosers = map[string]string{"}": "}}", ">": ">>"}

// tag reads what begins behind the opener of piece. It reports whether there is
// a tag; else it is text.
func (p *parser) tag(piece *lexer.Piece) bool {
	if p.opts.PlaceholdersOnly {
		return p.plainPlaceholder(piece)
	}
	at := piece.Inside
	if piece.Hard {
		at += blanksAt(p.src[at:p.scan.End])
	}
	src, end := p.src[:p.scan.End], at
	for end < len(src) && src[end] >= 'a' && src[end] <= 'z' {
		end++
	}
	word := src[at:end]
	if k := keywordOf(word); k != noKeyword {
		gap := p.gap(end, piece.Hard)
		if parse := p.reader(k, end, gap, piece.Hard); parse != nil {
			return parse(p, piece, at)
		}
	}
	if word == "raw" && p.rawBlock(piece, end) {
		return true
	}
	if piece.Hard {
		return p.hard(piece, at)
	}
	if p.soft(piece) {
		return true
	}
	p.noHead(piece, word, end)
	return false
}

// gap returns the end of the white space behind a keyword; a soft tag's keyword
// is followed by blanks only.
func (p *parser) gap(i int, hard bool) int {
	for i < p.scan.End {
		switch c := p.src[i]; {
		case c == ' ' || c == '\t':
		case hard && (c == '\n' || c == '\r'):
		default:
			return i
		}
		i++
	}
	return i
}

// tokens returns the tokens of the tag piece from offset at on.
func (p *parser) tokens(piece *lexer.Piece, at int, keyword bool) lexer.Expr {
	x := lexer.Expr{
		Src: p.src, Pos: at, End: p.scan.End, Close: p.closer(piece.Hard),
		Limit: p.depth, Budget: p.alloc.budget, StopByte: p.syn.Open[0],
	}
	open := p.syn.Open
	switch {
	case piece.Hard:
		x.Stop = stopHard
	case keyword && len(open) == 1:
		x.Stop = stopKeyword
	case len(open) == 1:
		x.Stop = stopSoft
	default:
		x.Stop = func(src string, pos int) bool { return strings.HasPrefix(src[pos:], open) }
	}
	return x
}

// A tag ends as one that is never closed where another opens: for hard tags at
// doubled delimiters, for soft placeholders at any, for soft keyword tags, which
// may hold maps, at another keyword tag. So each stretch of source is read a
// bounded number of times, whatever it holds.
func stopSoft(string, int) bool { return true }

func stopHard(src string, pos int) bool {
	return pos+1 < len(src) && src[pos+1] == src[pos]
}

func stopKeyword(src string, pos int) bool {
	end := pos + 1
	for end < len(src) && src[end] >= 'a' && src[end] <= 'z' {
		end++
	}
	return end < len(src) && (src[end] == ' ' || src[end] == '\t') && isKeyword(src[pos+1:end])
}

// block parses a keyword tag from its word at offset at with its production.
// end is the offset behind the tag; v is nil after an error, and ok is false if
// the tag is text.
func block[T any](p *parser, piece *lexer.Piece, at int, word string, grammar func() *participle.Parser[T]) (v *T, end int, ok bool) {
	tokens := &p.alloc.tokens
	v, d := produce(p.file, tokens, p.tokens(piece, at, true), grammar, p.usage(word, piece.Hard))
	if d != nil && d.Code == "PCC101" && keywords[keywordOf(word)].named && p.src[d.Span.Start:d.Span.End] == "=" {
		d.Help = p.usage(word, piece.Hard) // {message role=user}
	}
	eof := tokens.Last
	if d == nil && eof.End == eof.Start {
		d = p.openTag(piece)
	}
	if d == nil {
		d = p.bidiIn(piece.Start, int(eof.End))
	}
	if d != nil {
		end, ok = p.malformed(piece, d, true)
		return nil, end, ok
	}
	if p.opts.produced != nil {
		p.opts.produced(word)
	}
	return v, int(eof.End), true
}

// exprTag reads a tag that holds one expression behind its words, of which the
// first begins at offset at and the last ends at offset behind. The expression is
// an ast.BadExpr after an error, and ok is false if the tag is text.
func exprTag[T any, P interface {
	*T
	expr() ast.Expr
}](p *parser, piece *lexer.Piece, at, behind int, word string, grammar func() *participle.Parser[T]) (e ast.Expr, end int, ok bool) {
	if e, end, ok = p.directExpr(piece, behind); ok {
		return e, end, ok
	}
	v, end, ok := block(p, piece, at, word, grammar)
	if v == nil {
		return p.badExpr(at), end, ok
	}
	return P(v).expr(), end, ok
}

// placeholder begins to read the placeholder piece from offset at on.
func (p *parser) placeholder(piece *lexer.Piece, at int) *exprParser {
	p.lex = p.tokens(piece, at, false)
	p.expr = exprParser{file: p.file, lex: &p.lex, alloc: p.alloc, last: source.Pos(at)}
	p.expr.read()
	return &p.expr
}

// hard reads a placeholder with doubled delimiters, whose expression begins at
// offset at.
func (p *parser) hard(piece *lexer.Piece, at int) bool {
	if end := p.hardPath(piece, at); end > 0 {
		return true
	}
	if e, end, ok := p.digits(piece, at); ok {
		p.output(piece, e, end)
		return true
	}
	if !isNameByte(p.src[at]) && p.src[at] < 0x80 {
		return p.spaced(piece, at)
	}
	x := p.placeholder(piece, at)
	e := x.expr()
	x.atEnd()
	d := x.err
	if d == nil && !p.lex.Closed {
		d = p.openTag(piece)
	}
	if d == nil {
		d = p.bidiIn(piece.Start, p.lex.Pos)
	}
	if d == nil {
		p.output(piece, e, p.lex.Pos)
		return true
	}
	if k := p.keywordAt(at); k != noKeyword {
		return headReaders[k](p, piece, at)
	}
	end, ok := p.malformed(piece, d, false)
	if ok {
		p.before(piece)
		p.add(&ast.Bad{Range: rangeOf(piece.Start, end)})
		p.line.content()
		p.accept(end)
	}
	return ok
}

// keywordAt returns the keyword of a tag that may stand anywhere, if it and a blank
// are at offset at, else noKeyword. Where no expression can be read there, the keyword
// is no variable, and what follows is meant as its head.
func (p *parser) keywordAt(at int) keyword {
	end := letters(p.src[:p.scan.End], at)
	if end >= p.scan.End || p.src[end] != ' ' && p.src[end] != '\t' {
		return noKeyword
	}
	if k := keywordOf(p.src[at:end]); keywords[k].anywhere {
		return k
	}
	return noKeyword
}

// hardPath is the fast way for {{ a.b.c }}: it returns 0 if the tag is anything
// else.
func (p *parser) hardPath(piece *lexer.Piece, at int) (end int) {
	src := p.src[:p.scan.End]
	first, stop := lexer.Path(src, at)
	if stop == at || isWordLiteral(src[at:first]) {
		return 0
	}
	end = stop
	for end < len(src) && (src[end] == ' ' || src[end] >= '\t' && src[end] <= '\r') {
		end++
	}
	closer := p.closer(true)
	if !strings.HasPrefix(src[end:], closer) {
		return 0
	}
	end += len(closer)
	p.output(piece, p.path(at, first, stop), end)
	return end
}

// isWordLiteral reports whether a word is no variable in expressions.
func isWordLiteral(word string) bool {
	switch word {
	case "true", "True", "false", "False", "none", "None", "null",
		"and", "or", "not", "in", "is", "if", "else":
		return true
	}
	return false
}

// path makes the expression of the simple path src[start:end], whose first name
// ends at first.
func (p *parser) path(start, first, end int) ast.Expr {
	return pathExpr(p.file, p.alloc, start, first, end)
}

// pathExpr is path for a part of f's text.
func pathExpr(f *source.File, a *Arena, start, first, end int) ast.Expr {
	n := made(a, nameSlab)
	n.Range, n.Name = rangeOf(start, first), f.Text[start:first]
	var e ast.Expr = n
	src := f.Text[:end]
	for i := first; i < end; {
		at := i + 1
		i = at
		for i < len(src) && src[i] != '.' {
			i++
		}
		if c := src[at]; c >= '0' && c <= '9' {
			x := exprParser{file: f, alloc: a}
			e = &ast.Index{Range: rangeOf(start, i), X: e, I: x.integer(token{
				lexer.Token{Kind: lexer.Int, Start: source.Pos(at), End: source.Pos(i)}, f.Text[at:i],
			})}
			continue
		}
		if a != nil {
			a.budget.Take(lexer.TokenBytes)
		}
		m := made(a, attrSlab)
		m.Range, m.X, m.Name = rangeOf(start, i), e, f.Text[at:i]
		m.NameSpan = source.Span{Start: source.Pos(at), End: source.Pos(i)}
		e = m
	}
	return e
}

// digits reads {{0}}: word characters that begin with a digit.
func (p *parser) digits(piece *lexer.Piece, at int) (e ast.Expr, end int, ok bool) {
	src := p.src[:p.scan.End]
	if !p.syn.Digits || at != piece.Inside || src[at] < '0' || src[at] > '9' {
		return nil, 0, false
	}
	end = lexer.WordEnd(src, at)
	if !strings.HasPrefix(src[end:], p.closer(true)) {
		return nil, 0, false
	}
	name := &ast.Name{Range: rangeOf(at, end), Name: NormalizeName(src[at:end])}
	return name, end + len(p.closer(true)), true
}

// output adds the placeholder piece that prints e and ends at end.
func (p *parser) output(piece *lexer.Piece, e ast.Expr, end int) {
	p.before(piece)
	o := p.alloc.output(piece.Start, end)
	o.Expr, o.Soft, o.Raw = e, !piece.Hard, p.src[piece.Start:end]
	p.add(o)
	p.line.content()
	p.accept(end)
	if n, ok := e.(*ast.Name); ok && strayWord(n.Name) {
		p.stray(n)
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
