package parser

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// maxDigits limits the length of a number in a template; it is the limit that
// Python sets for turning text into an integer.
const maxDigits = 4300

// primaryNode parses a literal, a name or a bracketed expression.
func (x *exprParser) primaryNode() node {
	t := x.tok
	r := ast.At(t.Span())
	switch t.Kind {
	case lexer.Name:
		if e, ok := x.constant(t.Text, r); ok {
			x.next()
			return node{e, 1}
		}
		if !x.python && reserved[t.Text] {
			return x.unexpected("an expression")
		}
		x.next()
		return node{x.variable(r, x.ident(t.Text)), 1}
	case lexer.String:
		return x.text()
	case lexer.Int:
		x.next()
		return node{x.integer(t), 1}
	case lexer.Float:
		x.next()
		// The only error is that of too large a number: in Python it is infinite.
		v, err := strconv.ParseFloat(strings.ReplaceAll(t.Text, "_", ""), 64)
		if err != nil && !x.python {
			x.failAt("PCC125", t.Span(), "the number is too large")
			return x.bad()
		}
		l := x.literal(r, ast.FloatLit)
		l.Float = v
		return node{l, 1}
	case lexer.LParen:
		return x.parens()
	case lexer.LBracket:
		return x.list()
	case lexer.LBrace:
		return x.dict()
	}
	return x.unexpected("an expression")
}

// reserved are the words that are no variables natively: they are operators.
// Jinja lets any word be a name where no operator can stand.
var reserved = map[string]bool{"and": true, "or": true, "not": true, "in": true, "is": true, "if": true, "else": true}

// constant returns the literal that a word stands for.
func (x *exprParser) constant(word string, r ast.Range) (ast.Expr, bool) {
	switch word {
	case "true", "True":
		l := x.literal(r, ast.BoolLit)
		l.Bool = true
		return l, true
	case "false", "False":
		return x.literal(r, ast.BoolLit), true
	case "none", "None":
		return x.literal(r, ast.NullLit), true
	case "null":
		if !x.python {
			return x.literal(r, ast.NullLit), true
		}
	}
	return nil, false
}

// integer reads an integer literal of any size: 42, 1_000, 0x1F, 0b1, 0o17.
func (x *exprParser) integer(t token) ast.Expr {
	if len(t.Text) > maxDigits {
		x.failAt("PCC901", t.Span(), "the number has more than %d digits", maxDigits)
		return x.bad().Expr
	}
	lit := x.literal(ast.At(t.Span()), ast.IntLit)
	if n, err := strconv.ParseInt(t.Text, 10, 64); err == nil {
		i := made(x.alloc, integerSlab)
		if i.word[0] = big.Word(n); int64(i.word[0]) == n { // as on all machines of 64 bits
			lit.Int = i.value.SetBits(i.word[:])
		} else {
			lit.Int = i.value.SetInt64(n)
		}
		return lit
	}
	digits, base := strings.ReplaceAll(t.Text, "_", ""), 10
	if len(digits) > 2 && digits[0] == '0' {
		switch digits[1] | 0x20 {
		case 'x':
			digits, base = digits[2:], 16
		case 'o':
			digits, base = digits[2:], 8
		case 'b':
			digits, base = digits[2:], 2
		}
	}
	lit.Int = new(big.Int)
	lit.Int.SetString(digits, base) // the lexer lets nothing else through
	return lit
}

// text reads a string literal and those beside it, which join.
func (x *exprParser) text() node {
	start := x.tok.Start
	first := x.unquote(x.tok)
	x.next()
	if x.tok.Kind == lexer.String {
		var b strings.Builder
		b.WriteString(first)
		for x.tok.Kind == lexer.String && x.err == nil {
			b.WriteString(x.unquote(x.tok))
			x.next()
		}
		first = b.String()
	}
	l := x.literal(x.from(start), ast.StringLit)
	l.Str = first
	return node{l, 1}
}

// parens reads (e) and, in Python, the tuples (), (a,) and (a, b).
func (x *exprParser) parens() node {
	open := x.tok.Span()
	x.next()
	one, items, h := x.sequence(false)
	x.close(lexer.RParen, open)
	if x.err != nil {
		return x.bad()
	}
	if one != nil {
		return node{one, h}
	}
	r := x.from(open.Start)
	if !x.python {
		x.failAt("PCC117", source.Span{Start: r.Start, End: r.End}, "there are no tuples here")
		return x.bad()
	}
	return node{&ast.Tuple{Range: r, Items: items}, x.grow(h)}
}

// sequence reads items separated by commas, up to `)` or the end: one
// expression without a comma, or a list. Where noCond is set, `a if b` is no
// item.
func (x *exprParser) sequence(noCond bool) (one ast.Expr, items []ast.Expr, height int) {
	for n := 0; x.err == nil && !x.sequenceEnd(); n++ {
		var e node
		if noCond {
			e = x.binary(precOr)
		} else {
			e = x.cond()
		}
		height = max(height, e.height)
		comma := x.skip(lexer.Comma)
		if n == 0 && !comma {
			return e.Expr, nil, height
		}
		if items = append(items, e.Expr); !comma {
			break
		}
	}
	return nil, items, height
}

func (x *exprParser) sequenceEnd() bool {
	switch x.tok.Kind {
	case lexer.EOF, lexer.RParen, lexer.RBracket, lexer.RBrace:
		return true
	}
	return false
}

// tuple parses an expression or, without parentheses, a tuple: `a, b`. It ends
// at the end of the tokens or at `)`. Where noCond is set, `a if b` is not part
// of it.
func (x *exprParser) tuple(noCond bool) ast.Expr {
	start := x.tok.Start
	one, items, h := x.sequence(noCond)
	switch {
	case x.err != nil:
		return x.bad().Expr
	case one != nil:
		return one
	case len(items) == 0:
		return x.unexpected("an expression").Expr
	}
	x.grow(h)
	return &ast.Tuple{Range: x.from(start), Items: items}
}

// target parses what is assigned to: a name, name.attr, or a list of targets
// with or without parentheses, up to `=` or the end.
func (x *exprParser) target() ast.Target {
	start := x.tok.Start
	var items []ast.Target
	for x.err == nil && !x.sequenceEnd() && x.tok.Kind != lexer.Assign {
		t := x.oneTarget()
		comma := x.skip(lexer.Comma)
		if len(items) == 0 && !comma {
			return t
		}
		if items = append(items, t); !comma {
			break
		}
	}
	if len(items) == 0 {
		x.unexpected("a name")
		return ast.Target{Range: x.from(start)}
	}
	return ast.Target{Range: x.from(start), Items: items, List: true}
}

func (x *exprParser) oneTarget() ast.Target {
	start := x.tok.Start
	// Brackets bound the recursion.
	if x.tok.Kind == lexer.LParen || x.tok.Kind == lexer.LBracket {
		closer := lexer.RParen
		if x.tok.Kind == lexer.LBracket {
			closer = lexer.RBracket
		}
		open := x.tok.Span()
		x.next()
		t := ast.Target{List: true}
		single := closer == lexer.RParen
		for x.err == nil && x.tok.Kind != closer {
			t.Items = append(t.Items, x.oneTarget())
			if !x.skip(lexer.Comma) {
				break
			}
			single = false
		}
		x.close(closer, open)
		if single && len(t.Items) == 1 {
			return t.Items[0]
		}
		t.Range = x.from(start)
		return t
	}
	if x.tok.Kind != lexer.Name {
		x.unexpected("a name")
		return ast.Target{Range: x.from(start)}
	}
	if _, ok := x.constant(x.tok.Text, ast.Range{}); ok {
		x.failAt("PCC120", x.tok.Span(), "cannot assign to `%s`", x.tok.Text)
	}
	t := ast.Target{}
	t.Name, _ = x.name()
	if x.skip(lexer.Dot) {
		t.Attr, _ = x.name()
	}
	t.Range = x.from(start)
	return t
}

func (x *exprParser) list() node {
	open := x.tok.Span()
	x.next()
	l := &ast.List{}
	h := 0
	for !x.closes() && x.err == nil {
		e := x.cond()
		l.Items, h = append(l.Items, e.Expr), max(h, e.height)
		if !x.skip(lexer.Comma) {
			break
		}
	}
	x.close(lexer.RBracket, open)
	l.Range = x.from(open.Start)
	return node{l, x.grow(h)}
}

func (x *exprParser) dict() node {
	open := x.tok.Span()
	x.next()
	d := &ast.Dict{}
	h := 0
	for !x.closes() && x.err == nil {
		k := x.cond()
		x.expect(lexer.Colon)
		v := x.cond()
		d.Keys, d.Values = append(d.Keys, k.Expr), append(d.Values, v.Expr)
		h = max(h, k.height, v.height)
		if !x.skip(lexer.Comma) {
			break
		}
	}
	x.close(lexer.RBrace, open)
	d.Range = x.from(open.Start)
	return node{d, x.grow(h)}
}
