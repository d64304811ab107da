package parser

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// postfix parses .name, [index], [a:b:c] and (args) after e.
func (x *exprParser) postfix(e node, start source.Pos) node {
	for x.err == nil {
		switch x.tok.Kind {
		case lexer.Dot:
			e = x.attr(e, start)
		case lexer.LBracket:
			e = x.index(e, start)
		case lexer.LParen:
			e = x.call(e, start)
		default:
			return e
		}
	}
	return e
}

func (x *exprParser) attr(e node, start source.Pos) node {
	x.next()
	h := x.grow(e.height)
	switch x.tok.Kind {
	case lexer.Name:
		name, span := x.name()
		a := made(x.alloc, attrSlab)
		a.Range, a.X, a.Name, a.NameSpan = x.from(start), e.Expr, name, span
		return node{a, h}
	case lexer.Int:
		i := x.primaryNode()
		return node{x.item(start, e.Expr, i.Expr), h}
	}
	return x.unexpected("a name or number after `.`")
}

func (x *exprParser) call(e node, start source.Pos) node {
	args, h := x.arguments()
	h = x.grow(e.height, h)
	c := made(x.alloc, callSlab)
	c.Range, c.F, c.Args = x.from(start), e.Expr, args
	return node{c, h}
}

// item returns a new subscript of e, up to here.
func (x *exprParser) item(start source.Pos, e, i ast.Expr) *ast.Index {
	n := made(x.alloc, indexSlab)
	n.Range, n.X, n.I = x.from(start), e, i
	return n
}

// filterChain parses a chain without a subject: name [args] { "|" … }. The
// innermost filter's X is nil.
func (x *exprParser) filterChain() ast.Expr {
	start := x.tok.Start
	e := x.filterCall(node{}, start)
	for x.tok.Kind == lexer.Pipe && x.err == nil {
		e = x.filter(e, start)
	}
	return e.Expr
}

func (x *exprParser) filter(e node, start source.Pos) node {
	x.next()
	return x.filterCall(e, start)
}

func (x *exprParser) filterCall(e node, start source.Pos) node {
	f := made(x.alloc, filterSlab)
	f.X = e.Expr
	f.Name, f.NameSpan = x.dotted("a filter's name")
	h := e.height
	if x.tok.Kind == lexer.LParen {
		var ah int
		f.Args, ah = x.arguments()
		h = max(h, ah)
	}
	f.Range = x.from(start)
	return node{f, x.grow(h)}
}

// dotted reads the name of a filter or test, which may hold dots.
func (x *exprParser) dotted(want string) (string, source.Span) {
	if x.tok.Kind != lexer.Name {
		x.unexpected(want)
		return "", x.tok.Span()
	}
	name, span := x.name()
	if x.tok.Kind != lexer.Dot {
		return name, span
	}
	parts := []string{name}
	for x.tok.Kind == lexer.Dot && x.err == nil {
		x.next()
		part, at := x.name()
		parts, span = append(parts, part), span.Cover(at)
	}
	return strings.Join(parts, "."), span
}

// test parses `is [not] name [args]`; one argument may stand without
// parentheses.
func (x *exprParser) test(e node, start source.Pos) node {
	x.next()
	t := made(x.alloc, testSlab)
	t.X, t.Not = e.Expr, x.skipWord("not")
	t.Name, t.NameSpan = x.dotted("a test's name after `is`")
	h := e.height
	switch {
	case x.tok.Kind == lexer.LParen:
		var ah int
		t.Args, ah = x.arguments()
		h = max(h, ah)
	case x.word("is"):
		x.failAt("PCC119", x.tok.Span(), "tests cannot be chained with `is`")
	case x.testArgument():
		a := x.postfix(x.primaryNode(), x.tok.Start)
		t.Args = list(x.alloc, argSlab, 1)
		t.Args[0].Value = a.Expr
		h = max(h, a.height)
	}
	t.Range = x.from(start)
	return node{t, x.grow(h)}
}

// testArgument reports whether an argument without parentheses comes next.
// Jinja takes any word but else, or, and; natively no word of the expression or
// tag grammar is an argument.
func (x *exprParser) testArgument() bool {
	switch x.tok.Kind {
	case lexer.String, lexer.Int, lexer.Float, lexer.LBracket, lexer.LBrace:
		return true
	case lexer.Name:
		switch x.tok.Text {
		case "else", "or", "and":
			return false
		case "if", "in", "not", "as", "with":
			return x.python
		}
		return true
	}
	return false
}

// arguments parses "(" arguments ")".
func (x *exprParser) arguments() (args []ast.Arg, height int) {
	open := x.tok.Span()
	x.expect(lexer.LParen)
	var named, star, stars bool
	var few [4]ast.Arg
	read := few[:0]
	for n := 0; !x.closes() && x.err == nil; n++ {
		if n > 0 {
			if x.expect(lexer.Comma); x.closes() {
				break
			}
		}
		a := ast.Arg{NameSpan: x.tok.Span()}
		bad := false
		switch {
		case x.tok.Kind == lexer.Star:
			x.next()
			bad = star || stars
			a.Star, star = 1, true
		case x.tok.Kind == lexer.StarStar:
			x.next()
			bad = stars
			a.Star, stars = 2, true
		case x.keyword():
			a.Name, _ = x.name()
			x.next()
			bad = stars
			named = true
		default:
			bad = named || star || stars
		}
		if bad {
			x.failAt("PCC118", a.NameSpan, "arguments are out of order")
		}
		if a.Name == "" {
			a.NameSpan = source.Span{}
		}
		e := x.cond()
		a.Value, height = e.Expr, max(height, e.height)
		read = append(read, a)
	}
	if len(read) > 0 {
		args = list(x.alloc, argSlab, len(read))
		copy(args, read)
	}
	x.close(lexer.RParen, open)
	return args, height
}

// keyword reports whether `name =` comes next.
func (x *exprParser) keyword() bool {
	if x.tok.Kind != lexer.Name {
		return false
	}
	k, _ := x.ahead()
	return k == lexer.Assign
}

// close reads the closing bracket k of the one at open.
func (x *exprParser) close(k lexer.Kind, open source.Span) {
	if x.skip(k) || x.err != nil {
		return
	}
	if !x.python && x.closes() { // what is wrong is the bracket, not the end
		d := diag.New("PCC102", x.file, open, "`%s` is never closed", openers[k])
		d.SpanLabel = "opened here"
		x.fail(d.WithLabel(x.tok.Span(), "`%s` is missing here", k).WithHelp("add `%s`", k))
		return
	}
	d := unexpectedDiag(x.file, x.tok, "`"+k.String()+"`")
	x.fail(d.WithLabel(open, "the bracket opened here"))
}

// openers are the brackets that closing ones belong to.
var openers = map[lexer.Kind]string{lexer.RParen: "(", lexer.RBracket: "[", lexer.RBrace: "{"}

// closes reports whether the current token ends what brackets hold.
func (x *exprParser) closes() bool {
	switch x.tok.Kind {
	case lexer.EOF, lexer.RParen, lexer.RBracket, lexer.RBrace:
		return true
	}
	return false
}

// index parses [i], [a:b:c] and, in Python, [i, j].
func (x *exprParser) index(e node, start source.Pos) node {
	open := x.tok.Span()
	x.next()
	h := e.height
	var only ast.Expr
	var items []ast.Expr // where there are several
	var slice *ast.Slice
	comma := false
	for x.tok.Kind != lexer.RBracket && x.err == nil {
		if only != nil || slice != nil {
			if !x.python {
				break // [i, j] is of no use natively
			}
			x.expect(lexer.Comma)
			comma = true
		}
		if x.tok.Kind != lexer.Colon {
			i := x.cond()
			h = max(h, i.height)
			if x.tok.Kind != lexer.Colon {
				if only == nil {
					only = i.Expr
					continue
				}
				if items == nil {
					items = append(items, only)
				}
				items = append(items, i.Expr)
				continue
			}
			slice = made(x.alloc, sliceSlab)
			slice.X, slice.Lo = e.Expr, i.Expr
		} else {
			slice = made(x.alloc, sliceSlab)
			slice.X = e.Expr
		}
		h = max(h, x.slice(slice))
	}
	if slice != nil && comma {
		x.failAt("PCC101", open, "a slice stands alone in its brackets")
	}
	if !x.python && x.err == nil && slice == nil && only == nil {
		return x.unexpected("an index")
	}
	x.close(lexer.RBracket, open)
	h = x.grow(h)
	switch {
	case slice != nil:
		slice.Range = x.from(start)
		return node{slice, h}
	case only != nil && items == nil:
		return node{x.item(start, e.Expr, only), h}
	}
	t := &ast.Tuple{Range: x.from(open.Start), Items: items}
	return node{x.item(start, e.Expr, t), x.grow(h)}
}

// slice parses what follows the first part of a slice, from its first colon.
func (x *exprParser) slice(s *ast.Slice) (height int) {
	part := func() ast.Expr {
		switch x.tok.Kind {
		case lexer.Colon, lexer.RBracket, lexer.Comma, lexer.EOF:
			return nil
		}
		e := x.cond()
		height = max(height, e.height)
		return e.Expr
	}
	x.expect(lexer.Colon)
	s.Hi = part()
	if x.skip(lexer.Colon) {
		s.Step = part()
	}
	return height
}
