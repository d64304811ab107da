package compiler

import (
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// This file lowers prints whose text need not be made before it is written: sums
// of texts, concatenations and conditional expressions. Their parts are written
// one by one, in the order in which they would be evaluated. Since nobody sees the
// output of a render that fails, a part may be written before it is known that the
// next one is a text too.

// addend is a part of a sum with the operator that it belongs to: the one in front
// of it or, of the first part, the one behind.
type addend struct {
	x    ast.Expr
	span source.Span
}

// printed lowers a print where parts of its value can be written one by one. It
// reports whether it did; else it has emitted nothing.
func (l *lowerer) printed(n *ast.Output, e ast.Expr) bool {
	if !l.sums(e) {
		return false
	}
	if b, ok := e.(*ast.Binary); ok {
		l.printedSum(b)
		return true
	}
	done, values := l.code.label(), false
	l.printedParts(e, done, &values)
	if values {
		l.code.at(l.site, n.Expr.Span())
		l.code.emit(code.Instr{Op: code.OpEmit, B: l.out(n)})
	}
	l.code.place(done)
	return true
}

// printedParts writes a sum, or those branches of a conditional expression that
// are sums or texts, and goes to done behind them. The values of other branches it
// leaves on the stack.
func (l *lowerer) printedParts(e ast.Expr, done label, values *bool) {
	if l.printedText(e) {
		l.code.jump(code.OpJump, done)
		return
	}
	if l.sums(e) {
		switch e := e.(type) {
		case *ast.Cond:
			soft := l.jinja.soft
			l.jinja.soft = true
			l.choose(e, func(branch ast.Expr) { l.printedParts(branch, done, values) }, func(missing vm.Value) {
				*values = true
				l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(missing)})
			})
			l.jinja.soft = soft
			return
		case *ast.Binary:
			l.printedSum(e)
			l.code.jump(code.OpJump, done)
			return
		}
	}
	*values = true
	l.expr(e)
}

func (l *lowerer) printedSum(e *ast.Binary) {
	l.code.emit(code.Instr{Op: code.OpSpan, N: code.SpanSum})
	l.sumParts(e)
	l.code.emit(code.Instr{Op: code.OpSpan, N: code.SpanSumEnd})
}

// sums reports whether e is an expression that printed takes apart.
func (l *lowerer) sums(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.Cond:
			if l.sumsOrText(x.Then) {
				return true
			}
			e = x.Else
			continue
		case *ast.Binary:
			return l.isText(x)
		}
		return false
	}
}

func (l *lowerer) sumsOrText(e ast.Expr) bool {
	b, ok := e.(*ast.Binary)
	return ok && l.isText(b)
}

// isText reports whether e is a text whenever it can be evaluated: a
// concatenation, or a sum of which one part is a text of the template. Only what
// is on the left of it is looked at, so that asking takes linear time.
func (l *lowerer) isText(e *ast.Binary) bool {
	for {
		if e.Op == ast.Concat {
			return true
		}
		if e.Op != ast.Add {
			return false
		}
		if _, ok := l.plainText(e.Y); ok {
			return true
		}
		x, ok := e.X.(*ast.Binary)
		if !ok {
			_, ok = l.plainText(e.X)
			return ok
		}
		e = x
	}
}

// plainText is a text that stands in the template.
func (l *lowerer) plainText(e ast.Expr) (string, bool) {
	v, ok := l.constant(e)
	if !ok || v.IsSafe() {
		return "", false
	}
	return v.Str()
}

// printedText writes e where it is a text of the template.
func (l *lowerer) printedText(e ast.Expr) bool {
	s, ok := l.plainText(e)
	if ok && s != "" {
		l.code.at(l.site, e.Span())
		l.code.emit(code.Instr{Op: code.OpText, Text: s})
	}
	return ok
}

// sumParts writes a sum or concatenation that isText.
func (l *lowerer) sumParts(e *ast.Binary) {
	var few [8]addend
	list := few[:0] // from the last to the first
	x := ast.Expr(e)
	for {
		b, ok := x.(*ast.Binary)
		if !ok || b.Op != e.Op {
			break
		}
		if _, ok := l.constant(b); ok {
			break
		}
		list = append(list, addend{b.Y, b.Span()})
		x = b.X
	}
	list = append(list, addend{x, list[len(list)-1].span})
	slices.Reverse(list)
	// What fails on the first part fails when the second one has been evaluated:
	// the first is written at once only where one of both is a text.
	known := 0 // the first part that surely is one
	joined, _ := list[0].x.(*ast.Binary)
	for joined == nil || joined.Op != ast.Concat {
		if _, ok := l.plainText(list[known].x); ok {
			break
		}
		if known++; known == len(list) {
			break
		}
	}
	rule := code.PartAfter
	if e.Op == ast.Concat {
		known, rule = min(known, 2), code.PartConcat
	}
	first := code.PartBefore
	if e.Op == ast.Concat {
		first = code.PartConcat
	}
	switch {
	case known == 0:
		l.part(list[0], rule)
		known = 1
	case known == 1:
		l.part(list[0], first)
	default:
		before := len(l.code.ins)
		l.expr(list[0].x)
		for _, a := range list[1:known] {
			l.expr(a.x)
			l.code.at(l.site, a.span)
			l.code.emit(code.Instr{Op: code.OpBinary, N: uint16(binaryOps[e.Op])})
		}
		if known < len(list) {
			l.writePart(before, list[known-1].span, list[known].span, first)
		} else {
			l.writePart(before, e.Span(), e.Span(), rule)
		}
	}
	for _, a := range list[known:] {
		l.part(a, rule)
	}
}

// part writes one part.
func (l *lowerer) part(a addend, rule code.PartRule) {
	if l.printedText(a.x) {
		return
	}
	switch x := a.x.(type) {
	case *ast.Cond:
		soft := l.jinja.soft
		l.jinja.soft = true
		l.choose(x, func(branch ast.Expr) { l.part(addend{branch, a.span}, rule) }, func(missing vm.Value) {
			before := len(l.code.ins)
			l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(missing)})
			l.writePart(before, a.x.Span(), a.span, rule)
		})
		l.jinja.soft = soft
		return
	case *ast.Binary:
		if rule != code.PartBefore && l.isText(x) {
			l.code.emit(code.Instr{Op: code.OpSpan, N: code.SpanSum})
			l.sumParts(x)
			end := code.SpanAddend
			if rule == code.PartConcat {
				end = code.SpanConcat
			}
			l.code.emit(code.Instr{Op: code.OpSpan, N: uint16(end)})
			return
		}
	}
	before := len(l.code.ins)
	l.expr(a.x)
	l.writePart(before, a.x.Span(), a.span, rule)
}

// writePart writes the value on the stack, whose code begins at before and stems
// from at; sum is the operator that joins it to what is around it.
func (l *lowerer) writePart(before int, at, sum source.Span, rule code.PartRule) {
	outs, o := extended(l.img.Outs)
	l.img.Outs = outs
	o.Name, o.Span, o.Site = shortSource(l.file.Slice(at)), sum, l.site
	o.Policy, o.Style, o.Part = code.Empty, l.dialect.Style, rule
	l.code.at(l.site, at)
	l.emit(before, int32(len(outs)-1))
}
