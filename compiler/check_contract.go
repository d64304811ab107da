package compiler

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/vm"
)

// This file holds what is compared with a declared variable against its
// declaration: a render refuses data of another type, or outside the enum, so that
// such a comparison has the same result in every render.

// declaredTyped notes the declarations that bound what a variable equals.
func (l *lowerer) declaredTyped(d *vm.Declared) {
	if len(d.Enum) == 0 && (d.Type == "" || d.Type == "any") {
		return
	}
	if l.typed == nil {
		l.typed = map[string]vm.Declared{}
	}
	l.typed[parser.NormalizeName(d.Name)] = *d
}

// checkCompared warns of the literals of a comparison that a declared variable
// beside them never equals, or cannot be ordered against.
func (l *lowerer) checkCompared(e *ast.Compare) {
	if l.typed == nil {
		return
	}
	x := e.X
	for i := range e.Rest {
		c := &e.Rest[i]
		switch c.Op {
		case ast.In, ast.NotIn:
			if list, ok := c.Y.(*ast.List); ok {
				for _, item := range list.Items {
					l.checkEquals(x, item)
				}
			}
		case ast.Eq, ast.Ne:
			l.checkEquals(x, c.Y)
			l.checkEquals(c.Y, x)
		default:
			l.checkOrder(x, c.Y)
			l.checkOrder(c.Y, x)
		}
		x = c.Y
	}
}

// checkCaseValues warns of a case that a declared subject never equals. A key of a
// document's `cases` stands for a text and for what YAML reads in it: one of them
// is enough.
func (l *lowerer) checkCaseValues(subject ast.Expr, values []ast.Expr) {
	for i := 0; i < len(values); {
		n := i + 1
		for n < len(values) && values[n].Span() == values[i].Span() {
			n++
		}
		if l.typed != nil {
			l.checkEquals(subject, values[i:n]...)
		}
		if b, ok := values[i].(*ast.Binary); ok && (b.Op == ast.Or || b.Op == ast.And) && foldable(b, 0) && l.nativeTruth() {
			d := l.report("PCC207", b.Span(), "this case stands for one value alone: `%s` gives one of its operands", b.Op)
			d.Help = "separate the values of a case by commas: " + l.file.Slice(b.X.Span()) + ", " + l.file.Slice(b.Y.Span())
		}
		i = n
	}
}

// declarationOf returns what bounds the values of the variable that e is.
func (l *lowerer) declarationOf(e ast.Expr) (d vm.Declared, ok bool) {
	switch e.(type) {
	case *ast.Name, *ast.Attr, *ast.Index:
		d, ok = l.typed[l.variableOf(e)]
	}
	return d, ok
}

// checkEquals warns where the variable that e is equals none of the values, which
// stand for one constant.
func (l *lowerer) checkEquals(e ast.Expr, values ...ast.Expr) {
	d, ok := l.declarationOf(e)
	if !ok {
		return
	}
	env := vm.NewEnv(l.dialect, l.cfg.limits)
	for _, e := range values {
		lit, ok := e.(*ast.Literal)
		if !ok || lit.Kind == ast.NullLit || l.mayEqual(env, &d, literal(lit)) {
			return // null stands for a missing value too
		}
	}
	lit := values[0].(*ast.Literal)
	if len(d.Enum) == 0 {
		l.reportType(&d, lit, "never equals")
		return
	}
	r := l.report("PCC244", lit.Span(), "`%s` never equals this value, which its `enum` does not list", diag.ClipName(d.Name)).WithNames(d.Name)
	var names, near []string
	const most = 10
	for _, v := range d.Enum {
		if s, ok := v.Str(); ok {
			near = append(near, s)
			names = append(names, strconv.Quote(diag.ClipName(s)))
		} else if n, ok := v.Int64(); ok {
			names = append(names, strconv.FormatInt(n, 10))
		}
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	r.Help = "it may be " + strings.Join(names, ", ")
	if s, ok := l.nearest.Find(lit.Str, func() []string { return near }); ok && lit.Kind == ast.StringLit {
		r.Help = fmt.Sprintf("did you mean %q? Else %s", s, r.Help)
	} else if len(names) == 0 {
		r.Help = "compare it with a value of its `enum`"
	}
}

// checkOrder warns where the variable that e is cannot be ordered against a
// constant: such a render is an error.
func (l *lowerer) checkOrder(e, value ast.Expr) {
	lit, ok := value.(*ast.Literal)
	if !ok || lit.Kind == ast.NullLit {
		return
	}
	d, ok := l.declarationOf(e)
	if !ok || len(d.Enum) > 0 {
		return
	}
	numeric := d.Type == "integer" || d.Type == "number"
	text := d.Type == "string"
	if numeric && lit.Kind == ast.StringLit || text && lit.Kind != ast.StringLit {
		l.reportType(&d, lit, "cannot be ordered against")
	}
}

// mayEqual reports whether a value that the declaration allows may equal v.
func (l *lowerer) mayEqual(env *vm.Env, d *vm.Declared, v vm.Value) bool {
	for _, allowed := range d.Enum {
		if is, err := env.Compare(compareOps[ast.Eq], allowed, v); is || err != nil {
			return true
		}
	}
	if len(d.Enum) > 0 {
		return false
	}
	switch kind := v.Kind(); d.Type {
	case "string":
		return kind == vm.KindString
	case "boolean":
		return kind == vm.KindBool || l.dialect.UndefinedObjects() && kind != vm.KindString // in Python True is 1
	case "integer", "number":
		return kind != vm.KindString && (kind != vm.KindBool || l.dialect.UndefinedObjects())
	case "list", "map":
		return false
	}
	return true
}

// reportType warns of a constant of another type than a variable's.
func (l *lowerer) reportType(d *vm.Declared, lit *ast.Literal, what string) {
	kind := [...]string{ast.BoolLit: "a boolean", ast.IntLit: "a number", ast.FloatLit: "a number", ast.StringLit: "a text"}[lit.Kind]
	name := diag.ClipName(d.Name)
	r := l.report("PCC244", lit.Span(), "`%s` is declared as %s, and %s %s", name, d.Type, what, kind).WithNames(d.Name)
	written := l.file.Slice(lit.Span())
	switch {
	case lit.Kind == ast.StringLit && (d.Type == "integer" || d.Type == "number"):
		if _, err := strconv.ParseFloat(lit.Str, 64); err == nil {
			r.Help = "write it without quotes: " + diag.ClipName(lit.Str)
		}
	case lit.Kind == ast.StringLit && d.Type == "boolean":
		r.Help = fmt.Sprintf("`%s` is a condition by itself: {when %[1]s}, {when not %[1]s}", name)
	case lit.Kind != ast.StringLit && d.Type == "string":
		r.Help = "write it in quotes: \"" + diag.ClipName(written) + "\""
	}
}

// nativeTruth reports whether the operands of conditions are looked at: templates in
// Jinja are often written for other engines, and by other hands.
func (l *lowerer) nativeTruth() bool { return !l.dialect.UndefinedObjects() }

// checkTruth warns of operands of `and` and `or` in the condition e that are the
// same in every render, as in plan == "pro" or "free". other is what such an
// operand stands beside.
func (l *lowerer) checkTruth(e ast.Expr) {
	if b, ok := e.(*ast.Binary); ok && (b.Op == ast.And || b.Op == ast.Or) && !foldable(e, 0) && l.nativeTruth() {
		l.checkOperands(b, 0)
	}
}

func (l *lowerer) checkOperands(b *ast.Binary, depth int) {
	if depth > maxFoldDepth {
		return
	}
	for _, side := range [2][2]ast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
		e, other := side[0], side[1]
		if inner, ok := e.(*ast.Binary); ok && (inner.Op == ast.And || inner.Op == ast.Or) && !foldable(e, 0) {
			l.checkOperands(inner, depth+1)
			continue
		}
		v, ok := l.constant(e)
		if !ok {
			continue
		}
		truth, err := vm.NewEnv(l.dialect, l.cfg.limits).Truth(v)
		if err != nil {
			continue
		}
		word, effect := "false", "never true"
		if truth {
			word, effect = "true", "always true"
		}
		if truth != (b.Op == ast.Or) {
			effect = "the same without it"
		}
		d := l.report("PCC207", e.Span(), "this operand of `%s` is always %s, and the condition is %s", b.Op, word, effect)
		d.Help = "remove it, or write a comparison in its place"
		if path, op, ok := comparedBeside(other); ok {
			d.Help = fmt.Sprintf("write the whole comparison: %s %s %s", l.file.Slice(path.Span()), op, l.file.Slice(e.Span()))
		}
	}
}

// comparedBeside returns what the last comparison of e compares, and how: what a
// constant beside it is meant to be compared with.
func comparedBeside(e ast.Expr) (path ast.Expr, op ast.CompareOp, ok bool) {
	for depth := 0; depth <= maxFoldDepth; depth++ {
		switch x := e.(type) {
		case *ast.Binary:
			if x.Op != ast.And && x.Op != ast.Or {
				return nil, 0, false
			}
			e = x.Y
			if _, constant := e.(*ast.Literal); constant {
				e = x.X
			}
		case *ast.Compare:
			return x.X, x.Rest[0].Op, len(x.Rest) == 1 && x.Rest[0].Op < ast.In
		default:
			return nil, 0, false
		}
	}
	return nil, 0, false
}
