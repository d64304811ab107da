package ast

import (
	"math/big"

	"github.com/pcc-lang/pcc/ast/source"
)

// Expr is an expression.
type Expr interface {
	Span() source.Span
	expr()
}

// LiteralKind tells which field of a Literal counts.
type LiteralKind uint8

// Literal kinds.
const (
	NullLit LiteralKind = iota
	BoolLit
	IntLit
	FloatLit
	StringLit
)

type (
	// Literal is a constant.
	Literal struct {
		Range
		Kind  LiteralKind
		Bool  bool
		Int   *big.Int // IntLit
		Float float64
		Str   string
	}

	// Name reads a variable.
	Name struct {
		Range
		Name string
	}

	// Attr is x.name.
	Attr struct {
		Range
		X        Expr
		Name     string
		NameSpan source.Span
	}

	// Index is x[i]; also x.0, whose I is an integer literal.
	Index struct {
		Range
		X, I Expr
	}

	// Slice is x[a:b:c]; absent parts are nil.
	Slice struct {
		Range
		X            Expr
		Lo, Hi, Step Expr
	}

	// Call is f(args).
	Call struct {
		Range
		F    Expr
		Args []Arg
	}

	// Filter is x|name(args). In a filter block's chain the innermost X is nil.
	Filter struct {
		Range
		X        Expr
		Name     string
		NameSpan source.Span
		Args     []Arg
	}

	// Test is `x is name args`, or `x is not name args` where Not is set.
	Test struct {
		Range
		X        Expr
		Name     string
		NameSpan source.Span
		Args     []Arg
		Not      bool
	}

	// Unary is -x, +x or `not x`.
	Unary struct {
		Range
		Op UnaryOp
		X  Expr
	}

	// Binary is an arithmetic or logical operation, or ~.
	Binary struct {
		Range
		Op     BinaryOp
		OpSpan source.Span
		X, Y   Expr
	}

	// Compare is a chain: X op Y op Z …
	Compare struct {
		Range
		X    Expr
		Rest []Comparison
	}

	// Cond is `Then if If else Else`; Else may be nil.
	Cond struct {
		Range
		Then, If, Else Expr
	}

	// List is [a, b].
	List struct {
		Range
		Items []Expr
	}

	// Tuple is (a, b).
	Tuple struct {
		Range
		Items []Expr
	}

	// Dict is {k: v}.
	Dict struct {
		Range
		Keys, Values []Expr
	}

	// BadExpr stands where an expression could not be parsed.
	BadExpr struct{ Range }
)

// Arg is an argument of a call, filter, test, include or message: positional
// (Name empty), keyword, *e (Star 1) or **e (Star 2).
type Arg struct {
	Name     string
	NameSpan source.Span
	Value    Expr
	Star     uint8
}

// Comparison is one link of a Compare chain.
type Comparison struct {
	Op     CompareOp
	OpSpan source.Span
	Y      Expr
}

// UnaryOp is a prefix operator.
type UnaryOp uint8

// Prefix operators.
const (
	Neg UnaryOp = iota
	Pos
	Not
)

// String returns the operator's spelling.
func (o UnaryOp) String() string { return [...]string{"-", "+", "not"}[o] }

// BinaryOp is an infix operator other than a comparison.
type BinaryOp uint8

// Infix operators.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Div
	FloorDiv
	Mod
	Pow
	Concat
	And
	Or
)

// String returns the operator's spelling.
func (o BinaryOp) String() string {
	return [...]string{"+", "-", "*", "/", "//", "%", "**", "~", "and", "or"}[o]
}

// CompareOp is a comparison operator.
type CompareOp uint8

// Comparison operators.
const (
	Eq CompareOp = iota
	Ne
	Lt
	Le
	Gt
	Ge
	In
	NotIn
)

// String returns the operator's spelling.
func (o CompareOp) String() string {
	return [...]string{"==", "!=", "<", "<=", ">", ">=", "in", "not in"}[o]
}

func (*Literal) expr() {}
func (*Name) expr()    {}
func (*Attr) expr()    {}
func (*Index) expr()   {}
func (*Slice) expr()   {}
func (*Call) expr()    {}
func (*Filter) expr()  {}
func (*Test) expr()    {}
func (*Unary) expr()   {}
func (*Binary) expr()  {}
func (*Compare) expr() {}
func (*Cond) expr()    {}
func (*List) expr()    {}
func (*Tuple) expr()   {}
func (*Dict) expr()    {}
func (*BadExpr) expr() {}
