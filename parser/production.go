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
// word. Expressions enter through parseExprTokens.
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

// produce parses the tokens of lex with a production. usage is the help line of
// errors that come of the tag's own grammar. The EOF token that ended the tag is
// returned too.
func produce[T any](f *source.File, lex lexer.Expr, grammar func() *participle.Parser[T], usage string) (*T, lexer.Token, *diag.Diagnostic) {
	src := &lexer.Source{Expr: lex}
	tokens, err := plexer.Upgrade(src)
	if err != nil {
		return nil, src.Bad, faultDiag(f, &src.Expr, src.Bad.Span())
	}
	v, err := grammar().ParseFromLexer(tokens)
	if err != nil {
		return nil, src.Last, productionDiag(f, err, usage)
	}
	return v, src.Last, nil
}

// productionDiag turns an error of a production into ours: one of the
// expression parser passes, others are told by their token alone, since
// participle's texts speak of Go types.
func productionDiag(f *source.File, err error, usage string) *diag.Diagnostic {
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		d.File = f
		for i := range d.Labels {
			d.Labels[i].File = f
		}
		return d
	}
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
	d = unexpectedDiag(f, t, "")
	if e, _ := diag.Lookup(d.Code); d.Help == e.Help {
		d.Help = usage
	}
	return d
}
