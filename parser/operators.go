package parser

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// expr parses an expression.
func (x *exprParser) expr() ast.Expr { return x.cond().Expr }

// cond parses `a if b else c`, which nests to the right, and the same without
// else, which nests to the left.
func (x *exprParser) cond() node {
	type open struct {
		start      source.Pos
		then, cond node
	}
	var stack []open // conditional expressions whose else part is being read
	start := x.tok.Start
	e := x.binary(precOr)
	for {
		if !x.word("if") || x.err != nil {
			break
		}
		x.next()
		c := x.binary(precOr)
		if x.skipWord("else") {
			if len(stack) >= maxHeight {
				x.grow(maxHeight)
				break
			}
			stack = append(stack, open{start, e, c})
			start = x.tok.Start
			e = x.binary(precOr)
			continue
		}
		h := x.grow(e.height, c.height)
		e = node{x.choice(start, e.Expr, c.Expr, nil), h}
	}
	for i := len(stack) - 1; i >= 0; i-- {
		o := stack[i]
		h := x.grow(o.then.height, o.cond.height, e.height)
		e = node{x.choice(o.start, o.then.Expr, o.cond.Expr, e.Expr), h}
	}
	return e
}

// choice returns a new conditional expression up to here.
func (x *exprParser) choice(start source.Pos, then, cond, otherwise ast.Expr) *ast.Cond {
	c := made(x.alloc, condSlab)
	c.Range, c.Then, c.If, c.Else = x.from(start), then, cond, otherwise
	return c
}

// prefixed returns a new prefix operator before e, up to here.
func (x *exprParser) prefixed(start source.Pos, op ast.UnaryOp, e ast.Expr) *ast.Unary {
	u := made(x.alloc, unarySlab)
	u.Range, u.Op, u.X = x.from(start), op, e
	return u
}

// Precedence levels of infix operators, from weakest.
const (
	precOr = iota + 1
	precAnd
	precNot
	precCompare
	precAdd
	precConcat
	precMul
	precPow
)

// infix gives the level of each operator written as punctuation.
var infix = [...]struct {
	prec int8
	op   ast.BinaryOp
	cmp  ast.CompareOp
}{
	lexer.Plus: {precAdd, ast.Add, 0}, lexer.Minus: {precAdd, ast.Sub, 0},
	lexer.Tilde: {precConcat, ast.Concat, 0},
	lexer.Star:  {precMul, ast.Mul, 0}, lexer.Slash: {precMul, ast.Div, 0},
	lexer.SlashSlash: {precMul, ast.FloorDiv, 0}, lexer.Percent: {precMul, ast.Mod, 0},
	lexer.StarStar: {precPow, ast.Pow, 0},
	lexer.EqEq:     {precCompare, 0, ast.Eq}, lexer.NotEq: {precCompare, 0, ast.Ne},
	lexer.Less: {precCompare, 0, ast.Lt}, lexer.LessEq: {precCompare, 0, ast.Le},
	lexer.Greater: {precCompare, 0, ast.Gt}, lexer.GreaterEq: {precCompare, 0, ast.Ge},
	lexer.Semicolon: {},
}

// operator returns the level of the infix operator that comes next, 0 if none
// does.
func (x *exprParser) operator() (prec int, op ast.BinaryOp, cmp ast.CompareOp) {
	if x.tok.Kind != lexer.Name {
		o := infix[x.tok.Kind]
		return int(o.prec), o.op, o.cmp
	}
	switch x.tok.Text {
	case "or":
		return precOr, ast.Or, 0
	case "and":
		return precAnd, ast.And, 0
	case "in":
		return precCompare, 0, ast.In
	case "not":
		if _, text := x.ahead(); text == "in" {
			return precCompare, 0, ast.NotIn
		}
	}
	return 0, 0, 0
}

// binary parses infix operators of level least and above, by precedence
// climbing: it recurses at most once a level.
func (x *exprParser) binary(least int) node {
	var left node
	start := x.tok.Start
	if least <= precNot && x.word("not") {
		left = x.not()
	} else {
		left = x.unary()
	}
	for x.err == nil {
		prec, op, cmp := x.operator()
		if prec == 0 || prec < least {
			break
		}
		if prec == precCompare {
			left = x.compare(left, start, cmp)
			continue
		}
		at := x.tok.Span()
		x.next()
		right := x.binary(prec + 1)
		h := x.grow(left.height, right.height)
		b := made(x.alloc, binarySlab)
		b.Range, b.Op, b.OpSpan, b.X, b.Y = x.from(start), op, at, left.Expr, right.Expr
		left = node{b, h}
	}
	return left
}

// not parses `not x`, `not not x` and so on.
func (x *exprParser) not() node {
	var few [4]source.Pos
	starts := few[:0]
	for x.word("not") && x.err == nil {
		starts = append(starts, x.tok.Start)
		x.next()
		if len(starts) >= maxHeight {
			x.grow(maxHeight)
		}
	}
	e := x.binary(precCompare)
	for i := len(starts) - 1; i >= 0; i-- {
		e = node{x.prefixed(starts[i], ast.Not, e.Expr), x.grow(e.height)}
	}
	return e
}

// compare parses the rest of a chain of comparisons, the operator of the first
// link being the current token.
func (x *exprParser) compare(left node, start source.Pos, cmp ast.CompareOp) node {
	c := made(x.alloc, compareSlab)
	c.X = left.Expr
	h := left.height
	for prec := precCompare; prec == precCompare && x.err == nil; prec, _, cmp = x.operator() {
		at := x.tok.Span()
		if x.next(); cmp == ast.NotIn {
			at.End = x.tok.End
			x.next()
		}
		y := x.binary(precAdd)
		h = max(h, y.height)
		link := ast.Comparison{Op: cmp, OpSpan: at, Y: y.Expr}
		if c.Rest == nil && x.alloc != nil { // as a rule it is the only one
			c.Rest = x.alloc.links.List(1)
			c.Rest[0] = link
			continue
		}
		c.Rest = append(c.Rest, link)
	}
	c.Range = x.from(start)
	return node{c, x.grow(h)}
}

// unary parses prefix signs, a primary with its postfix parts, and the filters
// and tests that apply to all of that.
func (x *exprParser) unary() node {
	var ops []token
	for x.tok.Kind == lexer.Minus || x.tok.Kind == lexer.Plus {
		ops = append(ops, x.tok)
		x.next()
		if len(ops) >= maxHeight {
			x.grow(maxHeight)
		}
	}
	start := x.tok.Start
	e := x.postfix(x.primaryNode(), start)
	if len(ops) > 0 {
		start = ops[0].Start
	}
	for i := len(ops) - 1; i >= 0; i-- {
		op := ast.Neg
		if ops[i].Kind == lexer.Plus {
			op = ast.Pos
		}
		e = node{x.prefixed(ops[i].Start, op, e.Expr), x.grow(e.height)}
	}
	for x.err == nil {
		switch {
		case x.tok.Kind == lexer.Pipe:
			e = x.filter(e, start)
		case x.word("is"):
			e = x.test(e, start)
		case x.tok.Kind == lexer.LParen:
			e = x.call(e, start)
		default:
			return e
		}
	}
	return e
}
