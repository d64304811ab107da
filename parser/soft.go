package parser

import (
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/lexer"
)

// soft reads a placeholder with single delimiters:
//
//	path { "|" filter }
//	path = name { "." (name | integer) | "[" (integer | string) "]" }
//
// without blanks outside brackets and quotes. Every name in it is a variable,
// and the filters must be known; anything else is text.
func (p *parser) soft(piece *lexer.Piece) bool {
	src := p.src[:p.scan.End]
	first, stop := lexer.Path(src, piece.Inside)
	if stop > piece.Inside && strings.HasPrefix(src[stop:], p.syn.Close) {
		if p.syn.Angle && p.isElement(src[piece.Inside:stop], stop) {
			return false
		}
		p.output(piece, p.path(piece.Inside, first, stop), stop+len(p.syn.Close))
		return true
	}
	x := p.placeholder(piece, piece.Inside)
	p.lex.Tight = true // a blank before the name is no candidate
	e := x.softPath()
	if p.syn.Angle && x.err == nil && p.isElement(src[piece.Inside:x.last], int(x.last)) {
		return false
	}
	var unknown *ast.Filter
	for x.tok.Kind == lexer.Pipe && x.err == nil {
		e = x.filter(e, x.from(ast.Expr(e).Span().Start).Start)
		if f, ok := e.Expr.(*ast.Filter); ok && (p.opts.Filters == nil || !p.opts.Filters(f.Name)) && unknown == nil {
			unknown = f
		}
	}
	x.atEnd()
	if x.err != nil || !p.lex.Closed {
		return false
	}
	if unknown != nil {
		if len(p.textTags) < maxWarnings {
			p.textTags = append(p.textTags, p.span(piece.Start, p.lex.Pos))
		}
		if !p.nearFilter(p.span(piece.Start, p.lex.Pos), unknown.Name, unknown.NameSpan) {
			tag := p.src[piece.Start:unknown.X.Span().End] + p.syn.Close
			p.addNear(piece, ast.NearTag{Range: rangeOf(piece.Start, p.lex.Pos), Kind: ast.NearFilter, Name: rootOf(unknown.X), Filter: unknown.Name, Tag: tag})
		}
		return false
	}
	if d := p.bidiIn(piece.Start, p.lex.Pos); d != nil {
		p.report(d)
		return false
	}
	p.output(piece, e.Expr, p.lex.Pos)
	return true
}

// softPath parses a path, in which every name is a variable.
func (x *exprParser) softPath() node {
	if x.tok.Kind != lexer.Name {
		return x.unexpected("a name")
	}
	start := x.tok.Start
	name, span := x.name()
	e := node{x.variable(ast.At(span), name), 1}
	for x.err == nil {
		switch x.tok.Kind {
		case lexer.Dot:
			e = x.attr(e, start)
		case lexer.LBracket:
			open := x.tok.Span()
			if x.next(); x.tok.Kind != lexer.Int && x.tok.Kind != lexer.String {
				return x.unexpected("an integer or a string")
			}
			i := x.primaryNode()
			x.close(lexer.RBracket, open)
			e = node{&ast.Index{Range: x.from(start), X: e.Expr, I: i.Expr}, x.grow(e.height)}
		default:
			return e
		}
	}
	return e
}

// isElement reports whether the name of a soft angle tag is that of an element:
// </name> comes behind offset at. The table of closing elements is made once.
func (p *parser) isElement(name string, at int) bool {
	if !p.closed {
		p.closed = true
		p.closes = closingElements(p.src[:p.scan.End])
	}
	return p.closes[name] > at
}

// closingElements maps the names of elements to the offset of their last
// closing tag; nil is none.
func closingElements(src string) (m map[string]int) {
	for i := 0; ; {
		n := strings.Index(src[i:], "</")
		if n < 0 {
			return m
		}
		at := i + n
		i = at + 2
		for i < len(src) && (isNameByte(src[i]) || src[i] >= '0' && src[i] <= '9' ||
			src[i] == '.' || src[i] == '-' || src[i] == ':' || src[i] >= utf8.RuneSelf) {
			i++
		}
		end := i
		for i < len(src) && (src[i] == ' ' || src[i] >= '\t' && src[i] <= '\r') {
			i++
		}
		if i < len(src) && src[i] == '>' {
			if m == nil {
				m = map[string]int{}
			}
			m[src[at+2:end]] = at
		}
	}
}

// placeholderBegins tells, for each rule of names, what a placeholder begins
// with where nothing else is read.
var placeholderBegins = [...]func(src string, pos int, hard bool) bool{
	NamesPath: nil,
	NamesASCIIPath: func(src string, pos int, _ bool) bool {
		return pos < len(src) && isNameByte(src[pos])
	},
	NamesWord: func(src string, pos int, _ bool) bool {
		return pos < len(src) && (isNameByte(src[pos]) || src[pos] >= '0' && src[pos] <= '9')
	},
	NamesFlat: func(src string, pos int, _ bool) bool { return pos < len(src) },
}

// plainPlaceholder reads a placeholder by the rule of names of another system's form.
func (p *parser) plainPlaceholder(piece *lexer.Piece) bool {
	src := p.src[:p.scan.End]
	at, closer := piece.Inside, p.closer(piece.Hard)
	var e ast.Expr
	end := at
	switch p.opts.Names {
	case NamesPath:
		if piece.Hard {
			at += blanksAt(src[at:])
		}
		var first int
		if first, end = lexer.Path(src, at); end == at {
			return false
		}
		e = p.path(at, first, end)
		if piece.Hard {
			end += blanksAt(src[end:])
		}
	case NamesASCIIPath:
		for end < len(src) && isNameByte(src[end]) {
			stop := lexer.WordEnd(src, end)
			if e == nil {
				e = p.alloc.name(at, stop, src[at:stop])
			} else {
				e = p.alloc.attr(e, at, end, stop, src[end:stop])
			}
			if end = stop; end+1 < len(src) && src[end] == '.' && isNameByte(src[end+1]) {
				end++
				continue
			}
			break
		}
	case NamesWord:
		end = lexer.WordEnd(src, at)
		e = p.alloc.name(at, end, src[at:end])
	case NamesFlat:
		n := strings.IndexAny(src[at:], p.syn.Open+p.syn.Close)
		if n <= 0 {
			return false
		}
		end = at + n
		e = p.alloc.name(at, end, strings.TrimSpace(src[at:end]))
	}
	if !strings.HasPrefix(src[end:], closer) {
		return false
	}
	p.output(piece, e, end+len(closer))
	return true
}
