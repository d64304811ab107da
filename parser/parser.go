// Package parser reads template texts into the tree of package ast.
//
// What enters: a source.File and Options, above all the syntax. What leaves: an
// ast.Template, which is never nil, and the diagnostics found on the way.
package parser

import (
	"cmp"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// DefaultDepth is the nesting limit of blocks, groups and brackets.
const DefaultDepth = 200

// MaxSource is the greatest size of a template text in bytes, where Options do
// not say another.
const MaxSource = 10 << 20

// MaxTags is the greatest number of tags in a template. A tree takes some
// hundred times the memory of the shortest tags, so that the size of the source
// alone does not bound it.
const MaxTags = 200_000

func tooManyTags(f *source.File, span source.Span) *diag.Diagnostic {
	return diag.New("PCC917", f, span, "the template has more than %d tags", MaxTags).WithKind("limit")
}

// MaxMemory is the memory that reading a template may take in bytes, where Options
// do not say another.
const MaxMemory = 256 << 20

// What reading counts besides the tokens in tags, in bytes: a tag with the text
// before it, and a comment or the delimiters of a literal group.
const (
	tagBytes  = 256
	partBytes = 128
)

func noMemory(f *source.File, span source.Span) *diag.Diagnostic {
	return diag.New("PCC918", f, span, "up to here the template takes more memory to compile than its limit allows").WithKind("limit")
}

// Names is a rule for what may stand in a placeholder where
// Options.PlaceholdersOnly is set.
type Names uint8

// Rules for placeholders.
const (
	// NamesPath: the native rule, name { "." (name | integer) | "[" … "]" }.
	NamesPath Names = iota
	// NamesASCIIPath: [a-zA-Z_][a-zA-Z0-9_]* joined by dots, nothing else.
	NamesASCIIPath
	// NamesWord: [a-zA-Z0-9_]+, one flat name.
	NamesWord
	// NamesFlat: any text without delimiter characters, trimmed of white space,
	// is one flat name; it becomes an ast.Name of that text.
	NamesFlat
)

// Options tell how a text is read. The zero value reads any template text with
// the syntax found by Detect.
type Options struct {
	// Syntax is the concrete syntax; nil means Detect's choice.
	Syntax *lexer.Syntax
	// Filters reports whether a filter of that name is known: a soft
	// placeholder that names another is text. Nil knows none.
	Filters func(name string) bool
	// NearFilter, where not nil, returns the known filter whose name is near one
	// that is not known, for warnings.
	NearFilter func(name string) (near string, ok bool)
	// Depth limits the nesting of blocks, groups and brackets; 0 means
	// DefaultDepth.
	Depth int
	// Source limits the size of the text in bytes; 0 means MaxSource.
	Source int64
	// Memory limits the memory that reading takes in bytes; 0 means MaxMemory.
	Memory int64
	// Budget, where not nil, is what is left of that limit for all that is read
	// together.
	Budget *lexer.Budget
	// Body is the part of the file that is template text (what follows the
	// front matter); the zero span means all of it.
	Body source.Span
	// PlaceholdersOnly reads placeholders only: no blocks, filters, comments
	// or hard expressions; everything else is text.
	PlaceholdersOnly bool
	// Names is the rule for placeholders where PlaceholdersOnly is set.
	Names Names
	// Arena, where not nil, is where the most common nodes are made.
	Arena *Arena
	// produced, where not nil, is told the word of each head that a production
	// read, for the test that counts them.
	produced func(word string)
	// LiteralGroups allows literal groups where PlaceholdersOnly is set.
	LiteralGroups bool
	// Jinja holds the options of the Jinja syntax; nil means Jinja's defaults.
	Jinja *lexer.JinjaOptions
}

// ParseExpr reads span of f as one expression of the native language.
func ParseExpr(f *source.File, span source.Span, o Options) (ast.Expr, diag.List) {
	if d := o.checkSource(f, int(span.Start), int(span.End)); d != nil {
		return &ast.BadExpr{Range: ast.At(span)}, diag.List{d}
	}
	x := newExprParser(f, span, o.limit(), false)
	x.lex.Budget = o.budget()
	e := x.expr()
	x.atEnd()
	if x.err != nil {
		return e, diag.List{x.err}
	}
	return e, nil
}

// ParseLoopHead reads span of f as what stands after the word `loop` in a tag:
// "items", "history as turn", "m as key, value". The result's body is empty.
func ParseLoopHead(f *source.File, span source.Span, o Options) (*ast.Loop, diag.List) {
	bad := &ast.Loop{Range: ast.At(span), Head: span, Iter: &ast.BadExpr{Range: ast.At(span)}, Target: ast.Target{Name: "item"}, Mode: ast.LoopBare}
	if d := o.checkSource(f, int(span.Start), int(span.End)); d != nil {
		return bad, diag.List{d}
	}
	lex := lexer.Expr{Src: f.Text, Pos: int(span.Start), End: int(span.End), Limit: o.limit(), Budget: o.budget()}
	v, d := produce(f, o.tokens(), lex, loopHeadProduction, "write `items`, `items as item` or `map as key, value`")
	if d != nil {
		return bad, diag.List{d}
	}
	n := v.loop(new(ast.Loop))
	n.Range, n.Head = ast.At(span), span
	if d := badTarget(f, n.Target); d != nil {
		return n, diag.List{d}
	}
	return n, nil
}

// tokens is where productions read from.
func (o Options) tokens() *lexer.Tokens {
	if o.Arena != nil {
		return &o.Arena.tokens
	}
	return new(lexer.Tokens)
}

// budget returns what is left of the memory.
func (o Options) budget() *lexer.Budget {
	if o.Budget != nil {
		return o.Budget
	}
	b := lexer.NewBudget(cmp.Or(o.Memory, MaxMemory))
	return &b
}

// limit returns the nesting limit.
func (o Options) limit() int {
	if o.Depth > 0 {
		return o.Depth
	}
	return DefaultDepth
}
