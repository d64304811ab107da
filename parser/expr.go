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
//	x.tuple(noCond)          `a` or `a, b`, up to the end
//	x.target()               what `for`, `set` and `with` assign to
//	x.arguments()            "(" arguments ")"
//	x.filterChain()          name [args] { "|" name [args] }, innermost X nil
//	x.tok.Start              where the rest begins
//
// Recursion is bounded: the lexer refuses more open brackets than the depth
// limit, all other nesting is built in loops, and each node's height is counted
// against maxHeight, so that later passes may recurse over the tree.

import (
	"math/big"

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
	// alloc is where nodes are made; nil makes them one by one.
	alloc *Arena
	tok   token
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

// made returns a node out of the arena's slab, or a new one without an arena.
func made[T any](a *Arena, of func(*Arena) *Slab[T]) *T {
	if a == nil {
		return new(T)
	}
	return of(a).One()
}

// list is made for n values in a row.
func list[T any](a *Arena, of func(*Arena) *Slab[T], n int) []T {
	if a == nil {
		return make([]T, n)
	}
	return of(a).List(n)
}

func treeSlab(a *Arena) *Slab[ast.Template]   { return &a.trees }
func textSlab(a *Arena) *Slab[ast.Text]       { return &a.texts }
func outputSlab(a *Arena) *Slab[ast.Output]   { return &a.outputs }
func whenSlab(a *Arena) *Slab[ast.When]       { return &a.whens }
func branchSlab(a *Arena) *Slab[ast.Branch]   { return &a.branches }
func loopSlab(a *Arena) *Slab[ast.Loop]       { return &a.loops }
func setSlab(a *Arena) *Slab[ast.Set]         { return &a.sets }
func nameSlab(a *Arena) *Slab[ast.Name]       { return &a.names }
func attrSlab(a *Arena) *Slab[ast.Attr]       { return &a.attrs }
func literalSlab(a *Arena) *Slab[ast.Literal] { return &a.literals }
func compareSlab(a *Arena) *Slab[ast.Compare] { return &a.compares }
func linkSlab(a *Arena) *Slab[ast.Comparison] { return &a.links }
func filterSlab(a *Arena) *Slab[ast.Filter]   { return &a.filters }
func binarySlab(a *Arena) *Slab[ast.Binary]   { return &a.binaries }
func unarySlab(a *Arena) *Slab[ast.Unary]     { return &a.unaries }
func condSlab(a *Arena) *Slab[ast.Cond]       { return &a.conds }
func indexSlab(a *Arena) *Slab[ast.Index]     { return &a.indexes }
func sliceSlab(a *Arena) *Slab[ast.Slice]     { return &a.slices }
func callSlab(a *Arena) *Slab[ast.Call]       { return &a.calls }
func argSlab(a *Arena) *Slab[ast.Arg]         { return &a.args }
func testSlab(a *Arena) *Slab[ast.Test]       { return &a.tests }
func integerSlab(a *Arena) *Slab[integer]     { return &a.integers }

// integer is one that a word holds, with that word.
type integer struct {
	value big.Int
	word  [1]big.Word
}

// literal returns a new literal.
func (x *exprParser) literal(r ast.Range, kind ast.LiteralKind) *ast.Literal {
	l := made(x.alloc, literalSlab)
	l.Range, l.Kind = r, kind
	return l
}

// variable returns a new name.
func (x *exprParser) variable(r ast.Range, name string) *ast.Name {
	n := made(x.alloc, nameSlab)
	n.Range, n.Name = r, name
	return n
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
		if x.tok.Kind == lexer.Invalid {
			x.unexpected("") // produce puts the token's fault in the place of this
		}
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
	if x.python {
		x.fail(jinjaFaultDiag(x.file, x.lex, x.tok.Span()))
		return
	}
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
