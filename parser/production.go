package parser

import (
	"errors"
	"sync"

	"github.com/alecthomas/participle/v2"
	plexer "github.com/alecthomas/participle/v2/lexer"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// The productions of the tags' insides, one a kind of tag, picked by the head
// word. They read what directExpr, directLoop and directRole leave to them.
// Expressions enter through parseExprTokens.
type (
	whenTag struct {
		Cond ast.Expr `parser:"'when' @@"`
	}
	elseWhenTag struct {
		Cond ast.Expr `parser:"'else' 'when' @@"`
	}
	loopTag struct {
		Head *loopHead `parser:"'loop' @@"`
	}
	loopHead struct {
		Iter ast.Expr   `parser:"@@"`
		As   *loopNames `parser:"( 'as' @@ )?"`
	}
	loopNames struct {
		First  nameToken  `parser:"@@"`
		Second *nameToken `parser:"( ',' @@ )?"`
	}
	switchTag struct {
		Subject ast.Expr `parser:"'switch' @@"`
	}
	caseTag struct {
		Values []ast.Expr `parser:"'case' @@ ( ',' @@ )*"`
	}
	messageTag struct {
		Role  ast.Expr    `parser:"'message' @@"`
		Attrs []attribute `parser:"@@*"`
	}
	messagesTag struct {
		List ast.Expr `parser:"'messages' @@"`
	}
	includeTag struct {
		Name ast.Expr   `parser:"'include' @@"`
		With *withAttrs `parser:"( 'with' @@ )?"`
	}
	withAttrs struct {
		Attrs []attribute `parser:"@@ ( ',' @@ )*"`
	}
	attribute struct {
		Name  nameToken `parser:"@@ '='"`
		Value ast.Expr  `parser:"@@"`
	}
	nameToken struct {
		Pos  plexer.Position
		Text string `parser:"@Name"`
	}
)

// The tags that hold one expression.
func (t *whenTag) expr() ast.Expr     { return t.Cond }
func (t *elseWhenTag) expr() ast.Expr { return t.Cond }
func (t *switchTag) expr() ast.Expr   { return t.Subject }
func (t *messagesTag) expr() ast.Expr { return t.List }

// span returns the place of the name.
func (n nameToken) span() source.Span {
	start := source.Pos(n.Pos.Offset)
	return source.Span{Start: start, End: start + source.Pos(len(n.Text))}
}

// parseExprTokens is the production of an expression: precedence climbing over
// participle's tokens.
func parseExprTokens(tokens *plexer.PeekingLexer) (ast.Expr, error) {
	x := &exprParser{peek: tokens}
	x.read()
	e := x.expr()
	if x.err != nil {
		return nil, x.err
	}
	return e, nil
}

// production builds the parser of T when it is first needed.
func production[T any]() func() *participle.Parser[T] {
	return sync.OnceValue(func() *participle.Parser[T] {
		return participle.MustBuild[T](
			participle.Lexer(lexer.Definition{}),
			participle.ParseTypeWith(parseExprTokens),
		)
	})
}

var (
	whenProduction     = production[whenTag]()
	elseWhenProduction = production[elseWhenTag]()
	loopProduction     = production[loopTag]()
	loopHeadProduction = production[loopHead]()
	switchProduction   = production[switchTag]()
	caseProduction     = production[caseTag]()
	messageProduction  = production[messageTag]()
	messagesProduction = production[messagesTag]()
	includeProduction  = production[includeTag]()
)

// produce parses the tokens of lex with a production, in the memory of tokens,
// whose Last is the EOF token that ended them. usage is the help line of errors
// that come of the tag's own grammar.
func produce[T any](f *source.File, tokens *lexer.Tokens, lex lexer.Expr, grammar func() *participle.Parser[T], usage string) (*T, *diag.Diagnostic) {
	v, err := grammar().ParseFromLexer(tokens.Read(lex))
	if err == nil {
		return v, nil
	}
	d, ofExpr := exprDiag(f, err)
	if !ofExpr {
		d = productionDiag(f, err, usage)
	}
	// No production reads an Invalid token, so its fault is told where nothing
	// before it is wrong. Where another tag opens, what is left of this one is
	// text, and tells no more than that the tag is not closed.
	if bad := tokens.Bad; bad.Kind == lexer.Invalid &&
		(d.Span.Start >= bad.Start || !ofExpr && tokens.Expr.Fault == lexer.AnotherOpener) {
		d = faultDiag(f, &tokens.Expr, bad.Span())
	}
	return nil, d
}

// exprDiag returns the error of the expression parser that err holds, if it does.
func exprDiag(f *source.File, err error) (d *diag.Diagnostic, ok bool) {
	if !errors.As(err, &d) {
		return nil, false
	}
	d.File = f
	for i := range d.Labels {
		d.Labels[i].File = f
	}
	return d, true
}

// productionDiag makes an error of a tag's own grammar ours: it is told by its
// token alone, since participle's texts speak of Go types.
func productionDiag(f *source.File, err error, usage string) *diag.Diagnostic {
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		// The only other error is that of participle's own limit.
		var at participle.Error
		var start source.Pos
		if errors.As(err, &at) {
			start = source.Pos(at.Position().Offset)
		}
		return diag.New("PCC901", f, source.Span{Start: start, End: start + 1}, "the tag has too many parts")
	}
	var t token
	start := source.Pos(unexpected.Unexpected.Pos.Offset)
	t.Kind, t.Text = lexer.KindOf(unexpected.Unexpected.Type), unexpected.Unexpected.Value
	t.Start, t.End = start, start+source.Pos(len(t.Text))
	d := unexpectedDiag(f, t, "")
	if e, _ := diag.Lookup(d.Code); d.Help == e.Help {
		d.Help = usage
	}
	return d
}
