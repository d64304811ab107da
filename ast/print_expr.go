package ast

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// PrintExpr writes an expression as source, with parentheses where precedence
// needs them. Parsing the result gives e again, but for positions.
func PrintExpr(e Expr) string {
	var x exprPrinter
	x.expr(e, precCond)
	return x.b.String()
}

// Precedence levels, from weakest, as in the grammar of expressions.
const (
	precCond = iota
	precOr
	precAnd
	precNot
	precCompare
	precAdd
	precConcat
	precMul
	precPow
	precUnary   // a unary operand with filters and tests
	precSigned  // -x
	precPostfix // x.y, x[i], x(…)
	precPrimary
)

// binaryPrec is the level of each binary operator.
var binaryPrec = [...]int{
	Add: precAdd, Sub: precAdd, Mul: precMul, Div: precMul, FloorDiv: precMul, Mod: precMul,
	Pow: precPow, Concat: precConcat, And: precAnd, Or: precOr,
}

type exprPrinter struct {
	b strings.Builder
	// close is the closing delimiter of the tag around the expression.
	close string
}

// level returns the level of e.
func level(e Expr) int {
	switch e := e.(type) {
	case *Cond:
		return precCond
	case *Binary:
		return binaryPrec[e.Op]
	case *Compare:
		return precCompare
	case *Unary:
		if e.Op == Not {
			return precNot
		}
		return precSigned
	case *Filter, *Test:
		return precUnary
	case *Attr, *Index, *Slice, *Call:
		return precPostfix
	case *Literal:
		// Negative numbers do not come from source.
		if e.Kind == IntLit && e.Int.Sign() < 0 || e.Kind == FloatLit && math.Signbit(e.Float) {
			return precSigned
		}
	}
	return precPrimary
}

// expr writes e, in parentheses if it binds less than least.
func (x *exprPrinter) expr(e Expr, least int) {
	if level(e) >= least {
		x.plain(e)
		return
	}
	x.b.WriteByte('(')
	x.plain(e)
	x.b.WriteByte(')')
}

func (x *exprPrinter) plain(e Expr) {
	b := &x.b
	switch e := e.(type) {
	case *Literal:
		x.literal(e)
	case *Name:
		b.WriteString(e.Name)
	case *Attr:
		x.subject(e.X)
		b.WriteString("." + e.Name)
	case *Index:
		x.subject(e.X)
		b.WriteByte('[')
		if t, ok := e.I.(*Tuple); ok && len(t.Items) != 1 {
			x.list(t.Items)
		} else {
			x.expr(e.I, precCond)
		}
		b.WriteByte(']')
	case *Slice:
		x.subject(e.X)
		b.WriteByte('[')
		x.optional(e.Lo)
		b.WriteByte(':')
		x.optional(e.Hi)
		if e.Step != nil {
			b.WriteByte(':')
			x.optional(e.Step)
		}
		b.WriteByte(']')
	case *Call:
		x.subject(e.F)
		x.args(e.Args)
	case *Filter:
		if e.X != nil {
			x.expr(e.X, precUnary)
			b.WriteByte('|')
		}
		b.WriteString(e.Name)
		if len(e.Args) > 0 {
			x.args(e.Args)
		}
	case *Test:
		if _, ok := e.X.(*Test); ok {
			x.expr(e.X, precPrimary) // tests cannot be chained
		} else {
			x.expr(e.X, precUnary)
		}
		b.WriteString(" is ")
		if e.Not {
			b.WriteString("not ")
		}
		b.WriteString(e.Name)
		switch {
		case len(e.Args) == 1 && beginsWithWord(e.Args[0].Value):
			b.WriteByte(' ')
			x.expr(e.Args[0].Value, precPrimary)
		case len(e.Args) > 0:
			x.args(e.Args)
		}
	case *Unary:
		if e.Op == Not {
			b.WriteString("not ")
			x.expr(e.X, precNot)
			return
		}
		b.WriteString(e.Op.String())
		x.expr(e.X, precSigned)
	case *Binary:
		x.binary(e)
	case *Compare:
		x.expr(e.X, precAdd)
		for _, c := range e.Rest {
			b.WriteString(" " + c.Op.String() + " ")
			x.expr(c.Y, precAdd)
		}
	case *Cond:
		x.cond(e)
	case *List:
		b.WriteByte('[')
		x.list(e.Items)
		b.WriteByte(']')
	case *Tuple:
		b.WriteByte('(')
		x.list(e.Items)
		if len(e.Items) == 1 {
			b.WriteByte(',')
		}
		b.WriteByte(')')
	case *Dict:
		x.dict(e)
	}
}

// subject writes what a postfix part follows. A number takes parentheses, since
// its dot would be a decimal point.
func (x *exprPrinter) subject(e Expr) {
	if l, ok := e.(*Literal); ok && (l.Kind == IntLit || l.Kind == FloatLit) {
		x.b.WriteByte('(')
		x.plain(e)
		x.b.WriteByte(')')
		return
	}
	x.expr(e, precPostfix)
}

// beginsWithWord reports whether e begins with a name that is a word of the
// grammar: Jinja takes one as a test's argument, but not in parentheses.
func beginsWithWord(e Expr) bool {
	for {
		switch y := e.(type) {
		case *Name:
			return y.Name == "not" || y.Name == "in" || y.Name == "if"
		case *Attr:
			e = y.X
		case *Index:
			e = y.X
		case *Slice:
			e = y.X
		case *Call:
			e = y.F
		default:
			return false
		}
	}
}

func (x *exprPrinter) optional(e Expr) {
	if e != nil {
		x.expr(e, precCond)
	}
}

// binary writes a chain of operators that nest to the left.
func (x *exprPrinter) binary(e *Binary) {
	prec := binaryPrec[e.Op]
	if prec == precPow {
		// Both operands of a power are unary, filters and tests included.
		x.expr(e.X, precPow)
		x.b.WriteString(" ** ")
		x.expr(e.Y, precPow+1)
		return
	}
	x.expr(e.X, prec)
	x.b.WriteString(" " + e.Op.String() + " ")
	x.expr(e.Y, prec+1)
}

// cond writes `a if b else c`, which nests to the right; without else it nests
// to the left.
func (x *exprPrinter) cond(e *Cond) {
	least := precOr
	if c, ok := e.Then.(*Cond); ok && c.Else == nil {
		least = precCond
	}
	x.expr(e.Then, least)
	x.b.WriteString(" if ")
	x.expr(e.If, precOr)
	if e.Else == nil {
		return
	}
	x.b.WriteString(" else ")
	if c, ok := e.Else.(*Cond); ok && c.Else == nil {
		x.b.WriteByte('(')
		x.plain(c)
		x.b.WriteByte(')')
		return
	}
	x.expr(e.Else, precCond)
}

func (x *exprPrinter) list(items []Expr) {
	for i, e := range items {
		if i > 0 {
			x.b.WriteString(", ")
		}
		x.expr(e, precCond)
	}
}

func (x *exprPrinter) args(args []Arg) {
	x.b.WriteByte('(')
	for i, a := range args {
		if i > 0 {
			x.b.WriteString(", ")
		}
		if a.Name != "" {
			x.b.WriteString(a.Name + "=")
		}
		x.b.WriteString(strings.Repeat("*", int(a.Star)))
		x.expr(a.Value, precCond)
	}
	x.b.WriteByte(')')
}

func (x *exprPrinter) dict(d *Dict) {
	x.b.WriteByte('{')
	for i, k := range d.Keys {
		if i > 0 {
			x.b.WriteString(", ")
		}
		if _, ok := k.(*Dict); ok && i == 0 {
			x.b.WriteByte(' ') // two braces in a row would open a tag
		}
		x.expr(k, precCond)
		x.b.WriteString(": ")
		x.expr(d.Values[i], precCond)
	}
	x.b.WriteByte('}')
}

func (x *exprPrinter) literal(l *Literal) {
	b := &x.b
	switch l.Kind {
	case NullLit:
		b.WriteString("none")
	case BoolLit:
		b.WriteString(strconv.FormatBool(l.Bool))
	case IntLit:
		b.WriteString(l.Int.String())
	case FloatLit:
		b.WriteString(floatSource(l.Float))
	case StringLit:
		b.WriteString(Quote(l.Str))
	}
}

// floatSource writes a float so that it reads back as one.
func floatSource(f float64) string {
	if math.IsInf(f, 1) {
		return "1e999"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// Quote writes s as a string literal of the expression grammar, with escapes
// for what cannot be seen.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			b.WriteString(`\x` + hex(r, 2))
		case r < 0x10000 && !unicode.IsGraphic(r):
			b.WriteString(`\u` + hex(r, 4))
		case !unicode.IsGraphic(r):
			b.WriteString(`\U` + hex(r, 8))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func hex(r rune, width int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", max(0, width-len(s))) + s
}
