package parser

// The expression parser, shared by all syntaxes. The grammar and its precedence
// are Jinja's (jinja2/parser.py); where the native language differs, the flag
// python decides.
//
// How to use it for the inside of a tag:
//
//	x := newExprParser(f, span, depth, python)
//	e := x.expr()            // an expression, conditional ones included
//	x.atEnd()                // all tokens were read? else x.unexpected()
//	if x.err != nil { … }    // the first error, as a *diag.Diagnostic
//
// Methods never panic and never return nil expressions: after the first error
// the current token is EOF and each method returns at once, with an
// *ast.BadExpr where it can do no better. So a statement may be parsed to its
// end without looking at x.err in between.
//
//	x.tok                    current token: Kind, Start, End, Text
//	x.word("in")             is the current token this word?
//	x.skipWord("in")         read it if it is
//	x.skip(lexer.Comma)      the same for punctuation
//	x.expect(lexer.Assign)   read it or fail
//	x.name()                 read a name or fail
//	x.expr()                 an expression
//	x.tuple(noCond, ends...) `a` or `a, b`, up to the end or one of the words
//	x.target(ends...)        what `for`, `set` and `with` assign to
//	x.arguments()            "(" arguments ")"
//	x.filterChain()          name [args] { "|" name [args] }, innermost X nil
//	x.tok.Start              where the rest begins
//
// Recursion is bounded: the lexer refuses more open brackets than the depth
// limit, all other nesting is built in loops, and each node's height is counted
// against maxHeight, so that later passes may recurse over the tree.

import (
	"fmt"
	"strings"

	plexer "github.com/alecthomas/participle/v2/lexer"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// maxHeight limits the height of an expression's tree: operators in a row count
// as nesting, since a + b + c is ((a + b) + c).
const maxHeight = 1000

// token is the current token of an exprParser with its text.
type token struct {
	lexer.Token
	Text string
}

// exprParser parses expressions from the tokens of lex or, inside a production,
// from those of peek.
type exprParser struct {
	lex  *lexer.Expr
	peek *plexer.PeekingLexer
	file *source.File
	tok  token
	// last is the end of the token before tok.
	last   source.Pos
	python bool
	// newline replaces line breaks in string literals; "" leaves them alone.
	newline string
	err     *diag.Diagnostic
}

// node is an expression with the height of its tree.
type node struct {
	ast.Expr
	height int
}

// newExprParser parses span of f; limit is the greatest number of open brackets.
func newExprParser(f *source.File, span source.Span, limit int, python bool) *exprParser {
	end := min(int(span.End), len(f.Text))
	lex := &lexer.Expr{Src: f.Text, Pos: min(int(span.Start), end), End: end, Limit: limit, Python: python}
	return startExpr(f, lex, python)
}

// startExpr parses the tokens of lex.
func startExpr(f *source.File, lex *lexer.Expr, python bool) *exprParser {
	x := &exprParser{file: f, lex: lex, python: python, last: source.Pos(lex.Pos)}
	x.read()
	return x
}

// read makes the next token the current one.
func (x *exprParser) read() {
	if x.peek != nil {
		t := x.peek.Peek()
		start := source.Pos(t.Pos.Offset)
		x.tok = token{lexer.Token{Kind: lexer.KindOf(t.Type), Start: start, End: start + source.Pos(len(t.Value))}, t.Value}
		return
	}
	t := x.lex.Next()
	x.tok = token{t, x.file.Text[t.Start:t.End]}
	if t.Kind == lexer.Invalid {
		x.fault()
	}
}

// next moves on by one token.
func (x *exprParser) next() {
	if x.tok.Kind == lexer.EOF {
		return
	}
	x.last = x.tok.End
	if x.peek != nil {
		x.peek.Next()
	}
	x.read()
}

// ahead returns the kind of the token after the current one.
func (x *exprParser) ahead() (kind lexer.Kind, text string) {
	if x.tok.Kind == lexer.EOF {
		return lexer.EOF, ""
	}
	if x.peek != nil {
		at := x.peek.MakeCheckpoint()
		x.peek.Next()
		t := x.peek.Peek()
		x.peek.LoadCheckpoint(at)
		return lexer.KindOf(t.Type), t.Value
	}
	lex := *x.lex
	t := lex.Next()
	return t.Kind, x.file.Text[t.Start:t.End]
}

// fail records the first error and stops the parser.
func (x *exprParser) fail(d *diag.Diagnostic) {
	if x.err == nil {
		if x.python {
			d.Kind = "syntax"
		}
		x.err = d
	}
	x.tok = token{Token: lexer.Token{Kind: lexer.EOF, Start: x.tok.Start, End: x.tok.Start}}
}

func (x *exprParser) failAt(code diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, x.file, span, format, args...)
	x.fail(d)
	return d
}

// fault turns an Invalid token into the error that it stands for.
func (x *exprParser) fault() {
	x.fail(faultDiag(x.file, x.lex, x.tok.Span()))
}

// bad returns a placeholder for an expression that could not be read.
func (x *exprParser) bad() node {
	return node{&ast.BadExpr{Range: ast.Range{Start: x.tok.Start, End: x.tok.Start}}, 1}
}

// unexpected fails at the current token; want says what would be right, such as
// "an expression", and may be empty.
func (x *exprParser) unexpected(want string) node {
	if x.err == nil {
		x.fail(unexpectedDiag(x.file, x.tok, want))
	}
	return x.bad()
}

// atEnd fails unless all tokens were read.
func (x *exprParser) atEnd() bool {
	if x.tok.Kind != lexer.EOF {
		x.unexpected("")
	}
	return x.err == nil
}

// word reports whether the current token is the word s.
func (x *exprParser) word(s string) bool {
	return x.tok.Kind == lexer.Name && x.tok.Text == s
}

// skipWord reads the word s if it comes next.
func (x *exprParser) skipWord(s string) bool {
	if x.word(s) {
		x.next()
		return true
	}
	return false
}

// skip reads a token of kind k if one comes next.
func (x *exprParser) skip(k lexer.Kind) bool {
	if x.tok.Kind == k {
		x.next()
		return true
	}
	return false
}

// expect reads a token of kind k or fails.
func (x *exprParser) expect(k lexer.Kind) bool {
	if x.skip(k) {
		return true
	}
	x.unexpected("`" + k.String() + "`")
	return false
}

// name reads a name or fails.
func (x *exprParser) name() (string, source.Span) {
	if x.tok.Kind != lexer.Name {
		x.unexpected("a name")
		return "", x.tok.Span()
	}
	name, span := x.ident(x.tok.Text), x.tok.Span()
	x.next()
	return name, span
}

// ident gives a name the form in which names are compared.
func (x *exprParser) ident(s string) string {
	if x.python {
		return s
	}
	return NormalizeName(s)
}

// from makes the range from start to the last token read.
func (x *exprParser) from(start source.Pos) ast.Range {
	return ast.Range{Start: start, End: max(start, x.last)}
}

// grow checks the height of a node to be built upon trees of these heights.
func (x *exprParser) grow(heights ...int) int {
	h := 0
	for _, v := range heights {
		h = max(h, v)
	}
	if h++; h > maxHeight {
		x.failAt("PCC901", x.tok.Span(), "the expression is nested more than %d levels deep", maxHeight).
			WithHelp("operators and filters in a row count as levels: split the expression")
	}
	return h
}

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
		e = node{&ast.Cond{Range: x.from(start), Then: e.Expr, If: c.Expr}, h}
	}
	for i := len(stack) - 1; i >= 0; i-- {
		o := stack[i]
		h := x.grow(o.then.height, o.cond.height, e.height)
		e = node{&ast.Cond{Range: x.from(o.start), Then: o.then.Expr, If: o.cond.Expr, Else: e.Expr}, h}
	}
	return e
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
		left = node{&ast.Binary{Range: x.from(start), Op: op, OpSpan: at, X: left.Expr, Y: right.Expr}, h}
	}
	return left
}

// not parses `not x`, `not not x` and so on.
func (x *exprParser) not() node {
	var starts []source.Pos
	for x.word("not") && x.err == nil {
		starts = append(starts, x.tok.Start)
		x.next()
		if len(starts) >= maxHeight {
			x.grow(maxHeight)
		}
	}
	e := x.binary(precCompare)
	for i := len(starts) - 1; i >= 0; i-- {
		e = node{&ast.Unary{Range: x.from(starts[i]), Op: ast.Not, X: e.Expr}, x.grow(e.height)}
	}
	return e
}

// compare parses the rest of a chain of comparisons, the operator of the first
// link being the current token.
func (x *exprParser) compare(left node, start source.Pos, cmp ast.CompareOp) node {
	c := &ast.Compare{X: left.Expr}
	h := left.height
	for prec := precCompare; prec == precCompare && x.err == nil; prec, _, cmp = x.operator() {
		at := x.tok.Span()
		if x.next(); cmp == ast.NotIn {
			at.End = x.tok.End
			x.next()
		}
		y := x.binary(precAdd)
		h = max(h, y.height)
		c.Rest = append(c.Rest, ast.Comparison{Op: cmp, OpSpan: at, Y: y.Expr})
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
		e = node{&ast.Unary{Range: x.from(ops[i].Start), Op: op, X: e.Expr}, x.grow(e.height)}
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
		return node{&ast.Attr{Range: x.from(start), X: e.Expr, Name: name, NameSpan: span}, h}
	case lexer.Int:
		i := x.primaryNode()
		return node{&ast.Index{Range: x.from(start), X: e.Expr, I: i.Expr}, h}
	}
	return x.unexpected("a name or number after `.`")
}

func (x *exprParser) call(e node, start source.Pos) node {
	args, h := x.arguments()
	h = x.grow(e.height, h)
	return node{&ast.Call{Range: x.from(start), F: e.Expr, Args: args}, h}
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
	f := &ast.Filter{X: e.Expr}
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
	t := &ast.Test{X: e.Expr, Not: x.skipWord("not")}
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
		t.Args = []ast.Arg{{Value: a.Expr}}
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
	for n := 0; x.tok.Kind != lexer.RParen && x.err == nil; n++ {
		if n > 0 {
			if x.expect(lexer.Comma); x.tok.Kind == lexer.RParen {
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
		args = append(args, a)
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
	d := unexpectedDiag(x.file, x.tok, "`"+k.String()+"`")
	x.fail(d.WithLabel(open, "the bracket opened here"))
}

// index parses [i], [a:b:c] and, in Python, [i, j].
func (x *exprParser) index(e node, start source.Pos) node {
	open := x.tok.Span()
	x.next()
	h := e.height
	var items []ast.Expr
	var slice *ast.Slice
	comma := false
	for x.tok.Kind != lexer.RBracket && x.err == nil {
		if len(items) > 0 || slice != nil {
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
				items = append(items, i.Expr)
				continue
			}
			slice = &ast.Slice{X: e.Expr, Lo: i.Expr}
		} else {
			slice = &ast.Slice{X: e.Expr}
		}
		h = max(h, x.slice(slice))
	}
	if slice != nil && comma {
		x.failAt("PCC101", open, "a slice stands alone in its brackets")
	}
	if !x.python && x.err == nil && slice == nil && len(items) == 0 {
		return x.unexpected("an index")
	}
	x.close(lexer.RBracket, open)
	h = x.grow(h)
	switch {
	case slice != nil:
		slice.Range = x.from(start)
		return node{slice, h}
	case len(items) == 1:
		return node{&ast.Index{Range: x.from(start), X: e.Expr, I: items[0]}, h}
	}
	t := &ast.Tuple{Range: x.from(open.Start), Items: items}
	return node{&ast.Index{Range: x.from(start), X: e.Expr, I: t}, x.grow(h)}
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

// String describes the current token, for messages.
func (t token) String() string {
	switch t.Kind {
	case lexer.EOF:
		return "the end of the tag"
	case lexer.String:
		return "a string"
	case lexer.Name, lexer.Int, lexer.Float:
		return fmt.Sprintf("`%s`", clip(t.Text))
	}
	return fmt.Sprintf("`%s`", t.Text)
}

// clip shortens a long piece of source for a message.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	r := []rune(s[:most])
	return string(r[:len(r)-1]) + "…"
}
