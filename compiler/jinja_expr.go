package compiler

import (
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// read lowers a name, attribute or subscript.
func (l jinjaLanguage) read(e ast.Expr) {
	if root, all, allItems, ok := l.chain(e); ok {
		keys, items := all[1:], allItems[1:]
		v := l.jinja.scope.find(root.Name)
		if l.documentLocal(root.Name, v) {
			l.outside(func() { l.expr(e) })
			return
		}
		l.useJinja(e, v, all)
		switch {
		case v != nil && v == v.scope.loop && !v.captured && len(keys) > 0 && !items[0] && slices.Contains(code.LoopFieldNames[:], keys[0]):
			f := slices.Index(code.LoopFieldNames[:], keys[0])
			l.code.emit(code.Instr{Op: code.OpLoopField, A: int32(v.slot), N: uint16(f)})
			l.keysOf(e, keys[1:], items[1:])
			return
		case !l.pathable(keys, items):
		case (v == nil || v.plain()) && !l.jinja.dynamic:
			l.code.emit(code.Instr{Op: code.OpRoot, Key: root.Name, A: l.path(e, all, all, allItems, 0)})
			return
		case v != nil && !v.plain() && !v.captured && v != v.scope.loop:
			if len(keys) == 0 {
				l.code.emit(code.Instr{Op: code.OpSlot, A: int32(v.slot)})
			} else {
				l.code.emit(code.Instr{Op: code.OpSlotKey, A: int32(v.slot), B: l.path(e, all, keys, items, 0), Key: keys[0]})
			}
			return
		}
		l.loadName(root.Name)
		l.code.at(l.site, e.Span())
		l.keysOf(e, keys, items)
		return
	}
	switch e := e.(type) {
	case *ast.Attr:
		l.expr(e.X)
		l.code.at(l.site, e.Span())
		l.code.emit(code.Instr{Op: code.OpAttr, Key: e.Name, B: l.undef(e)})
	case *ast.Index:
		l.expr(e.X)
		l.expr(e.I)
		l.code.at(l.site, e.Span())
		l.code.emit(code.Instr{Op: code.OpItem, B: l.undef(e)})
	}
}

// useJinja records the read of a variable of the data, keys[0], or of something
// in it.
func (l *lowerer) useJinja(e ast.Expr, v *jinjaVar, keys []string) {
	typ := l.usage.takeHint()
	base := keys[0]
	switch {
	case v != nil && v.assured:
		return
	case v == nil || v.load == loadResolve:
		if _, global := l.dialect.Globals[base]; global {
			return
		}
		if n, _, ok := pathOf(e); ok {
			l.variable(n)
		}
	case v.path != "":
		base = v.path
		if len(keys) == 1 && typ == "" {
			return
		}
	default:
		return
	}
	l.use(base, l.dotted(e, keys[1:]), e.Span(), typ)
}

// jinjaPath names the data that e reads with a suffix behind it, "" where that is
// not a path.
func (l *lowerer) jinjaPath(e ast.Expr, suffix string) string {
	_, keys, _, ok := l.chain(e)
	if !ok {
		return ""
	}
	base := keys[0]
	if v := l.jinja.scope.find(base); v != nil && v.load != loadResolve {
		if base = v.path; base == "" {
			return ""
		}
	}
	if len(keys) == 1 {
		return base + suffix
	}
	return base + "." + l.dotted(e, keys[1:]) + suffix
}

// starred reports whether arguments hold * or **.
func starred(args []ast.Arg) bool {
	return slices.ContainsFunc(args, func(a ast.Arg) bool { return a.Star > 0 })
}

// spread lowers arguments with * and ** to a list and a map. The first `on`
// values of the list are on the stack already.
func (l *lowerer) spread(args []ast.Arg, on int, caller int32) {
	l.code.emit(code.Instr{Op: code.OpMake, N: l.count(on)})
	for _, a := range args {
		if a.Name != "" || a.Star == 2 {
			continue
		}
		l.expr(a.Value)
		if a.Star == 0 {
			l.code.emit(code.Instr{Op: code.OpMake, N: 1})
		}
		l.code.emit(code.Instr{Op: code.OpExtend})
	}
	n := 0
	for _, a := range args {
		if a.Name != "" {
			l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.String(a.Name))})
			l.expr(a.Value)
			n++
		}
	}
	if caller >= 0 {
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.String("caller"))})
		l.code.emit(code.Instr{Op: code.OpClosure, A: caller})
		n++
	}
	l.code.emit(code.Instr{Op: code.OpMake, B: int32(code.MakeMap), N: l.count(2 * n)})
	for _, a := range args {
		if a.Star == 2 {
			l.expr(a.Value)
			l.code.emit(code.Instr{Op: code.OpExtend})
		}
	}
}

// jinjaCall lowers a call; caller is the macro that a call block hands over,
// or -1.
func (l *lowerer) jinjaCall(e *ast.Call, caller int32) {
	l.checkKeywords(e.Args)
	l.expr(e.F)
	if starred(e.Args) {
		l.spread(e.Args, 0, caller)
		l.code.at(l.site, e.Span())
		l.code.emit(code.Instr{Op: code.OpCallSpread})
		return
	}
	var names []string
	for _, a := range e.Args {
		l.expr(a.Value)
		if a.Name != "" {
			names = append(names, a.Name)
		}
	}
	n := len(e.Args)
	if caller >= 0 {
		l.code.emit(code.Instr{Op: code.OpClosure, A: caller})
		names = append(names, "caller")
		n++
	}
	l.code.at(l.site, e.Span())
	l.code.emit(code.Instr{Op: code.OpCall, B: l.nameList(names), N: l.count(n)})
}

// checkKeywords refuses a keyword argument that is given twice.
func (l *lowerer) checkKeywords(args []ast.Arg) {
	var seen map[string]bool
	for _, a := range args {
		if a.Name == "" {
			continue
		}
		if seen == nil {
			seen = make(map[string]bool)
		}
		if seen[a.Name] {
			l.report("PCC251", a.NameSpan, "the argument `%s` is given twice", a.Name).WithKind("syntax")
			return
		}
		seen[a.Name] = true
	}
}

func (l *lowerer) nameList(names []string) int32 {
	if len(names) == 0 {
		return -1
	}
	l.img.Names = append(l.img.Names, names)
	return int32(len(l.img.Names) - 1)
}

// filter lowers a filter. One that does not exist is an error now, or,
// inside an `if`, only when it is reached: templates test for what their
// environment has.
func (l jinjaLanguage) filter(e *ast.Filter) {
	b := l.cfg.filter(l.dialect, e.Name)
	if b == nil {
		l.lacking("filter", e.Name, e.NameSpan, e.X != nil, func() { l.unknownFilter(e) })
		return
	}
	l.jinjaBuiltin(b, e.X, e.Args, e.NameSpan, code.OpFilter)
}

func (l jinjaLanguage) test(e *ast.Test) {
	b := l.cfg.test(l.dialect, e.Name)
	if b == nil {
		l.lacking("test", e.Name, e.NameSpan, true, func() { l.unknownTest(e) })
		return
	}
	l.jinjaBuiltin(b, e.X, e.Args, e.NameSpan, code.OpTest)
	if e.Not {
		l.code.emit(code.Instr{Op: code.OpUnary, N: uint16(code.UnNot)})
	}
}

func (l *lowerer) lacking(what, name string, span source.Span, push bool, report func()) {
	if !l.jinja.soft {
		report()
	}
	l.code.at(l.site, span)
	text := "No " + what + " named '" + name + "' found."
	l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.String(text))})
	l.code.emit(code.Instr{Op: code.OpFilter, A: l.builtinIndex(raised), B: -1, N: 1})
	if !push { // never reached, but the stack's height must fit
		l.code.emit(code.Instr{Op: code.OpPop})
	}
}

// The checks that only lowering asks for.
var (
	// raised fails with the text that it is given.
	raised = &vm.Builtin{Name: "raise", Params: []vm.ParamSpec{{Name: "text"}},
		Fn: func(_ *vm.Env, args []vm.Value) (vm.Value, error) {
			s, _ := args[0].Str()
			return vm.Null, &vm.Error{Kind: "runtime", Msg: s}
		}}
	// takesAttributes fails unless attributes of its argument can be set.
	takesAttributes = &vm.Builtin{Name: "takes attributes", Params: []vm.ParamSpec{{Name: "x"}}, TakesUndefined: true,
		Fn: func(e *vm.Env, args []vm.Value) (vm.Value, error) { return vm.Null, e.CheckSettable(args[0]) }}
)

// spreadBuiltin lowers a filter or test with * or ** among its arguments: a
// call of it as a function.
func (l *lowerer) spreadBuiltin(b *vm.Builtin, x ast.Expr, args []ast.Arg, span source.Span) {
	callee := code.Instr{Op: code.OpConst, A: l.addConst(vm.ObjectOf(b))}
	if x == nil { // the subject is on the stack already, and belongs behind b
		slot := int32(l.scopes.newSlot())
		l.code.emit(code.Instr{Op: code.OpStore, A: slot})
		l.code.emit(callee)
		l.code.emit(code.Instr{Op: code.OpSlot, A: slot})
	} else {
		l.code.emit(callee)
		l.expr(x)
	}
	l.spread(args, 1, -1)
	l.code.at(l.site, span)
	l.code.emit(code.Instr{Op: code.OpCallSpread})
}

func (l *lowerer) jinjaBuiltin(b *vm.Builtin, x ast.Expr, args []ast.Arg, span source.Span, op code.Op) {
	l.checkKeywords(args)
	if starred(args) {
		l.spreadBuiltin(b, x, args, span)
		return
	}
	if x != nil { // else the subject is on the stack already
		if b.TakesUndefined || op == code.OpTest {
			l.provided(b, func() { l.expr(x) })
		} else {
			l.expr(x)
		}
	}
	n, names := l.args(args)
	l.code.at(l.site, span)
	l.code.emit(code.Instr{Op: op, A: l.builtinIndex(b), B: names, N: l.count(n + 1)})
}

// cond lowers `a if b else c`, whose parts may name unknown filters.
func (l jinjaLanguage) cond(e *ast.Cond) {
	soft := l.jinja.soft
	l.jinja.soft = true
	l.conditional(e)
	l.jinja.soft = soft
}

// plainConcat lowers `~` between constants: Jinja folds those to plain text
// before it knows of escaping, whatever their parts are.
func (l *lowerer) plainConcat(e *ast.Binary) bool {
	if e.Op != ast.Concat || l.jinja.escape != escapeOn || !l.constantTree(e, true, 0) {
		return false
	}
	l.expr(e.X)
	l.code.emit(code.Instr{Op: code.OpSafe, N: 2})
	l.expr(e.Y)
	l.code.emit(code.Instr{Op: code.OpSafe, N: 2})
	l.code.at(l.site, e.Span())
	l.code.emit(code.Instr{Op: code.OpBinary, N: uint16(code.BinConcat)})
	return true
}

// negatedPower lowers a power whose base is a constant below zero and whose
// exponent is not known yet. Jinja writes such a constant into Python source,
// where the sign binds less than the power: -3 ** x is -(3 ** x) there.
func (l *lowerer) negatedPower(e *ast.Binary) bool {
	if e.Op != ast.Pow {
		return false
	}
	limits := l.cfg.limits
	limits.Steps, limits.Memory = 10_000, foldedBytes
	env := vm.NewEnv(l.dialect, limits)
	if !foldable(e.X, 0) || foldable(e.Y, 0) {
		return false
	}
	base, err := l.fold(env, e.X)
	if err != nil {
		return false
	}
	if k := base.Kind(); k != vm.KindInt && k != vm.KindFloat {
		return false
	}
	below, err := env.Compare(code.CmpLt, base, vm.Int(0))
	if err != nil || !below {
		return false
	}
	positive, err := env.Negate(base)
	if err != nil {
		return false
	}
	l.code.at(l.site, e.Span())
	l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(positive)})
	l.expr(e.Y)
	l.code.at(l.site, e.Span())
	l.code.emit(code.Instr{Op: code.OpBinary, N: uint16(code.BinPow)})
	l.code.emit(code.Instr{Op: code.OpUnary, N: uint16(code.UnNegate)})
	return true
}

// sliceOfNothing lowers a printed slice of a literal that has no items. Jinja
// folds the print to that of an undefined value, while it fails on the same
// slice of a variable.
func (l *lowerer) sliceOfNothing(e *ast.Slice) bool {
	if l.jinja.printing != ast.Expr(e) || l.dialect.Undefined == vm.UndefinedStrict {
		return false
	}
	switch x := e.X.(type) {
	case *ast.Dict:
	case *ast.Literal:
		if x.Kind == ast.StringLit {
			return false
		}
	default:
		return false
	}
	l.code.emit(code.Instr{Op: code.OpConst, A: l.addConst(vm.UndefinedOf(&vm.Undefined{Name: "slice", Lenient: true}))})
	return true
}

// contextFilters need the running template, so that Jinja never folds them.
var contextFilters = map[string]bool{"map": true, "select": true, "reject": true, "selectattr": true, "rejectattr": true, "random": true}

// constantTree reports whether Jinja's compiler can know the value of e, with
// filters and tests or without: it does not fold those where escaping is known
// only when rendering.
func (l *lowerer) constantTree(e ast.Expr, filters bool, depth int) bool {
	if depth > maxFoldDepth {
		return false
	}
	all := func(es ...ast.Expr) bool {
		return !slices.ContainsFunc(es, func(x ast.Expr) bool { return x != nil && !l.constantTree(x, filters, depth+1) })
	}
	args := func(as []ast.Arg) bool {
		return !slices.ContainsFunc(as, func(a ast.Arg) bool { return !l.constantTree(a.Value, filters, depth+1) })
	}
	switch e := e.(type) {
	case *ast.Literal:
		return true
	case *ast.Unary:
		return all(e.X)
	case *ast.Binary:
		return all(e.X, e.Y)
	case *ast.Compare:
		return all(e.X) && !slices.ContainsFunc(e.Rest, func(c ast.Comparison) bool { return !l.constantTree(c.Y, filters, depth+1) })
	case *ast.Cond:
		return e.Else != nil && all(e.If, e.Then, e.Else)
	case *ast.List:
		return all(e.Items...)
	case *ast.Tuple:
		return all(e.Items...)
	case *ast.Dict:
		return all(e.Keys...) && all(e.Values...)
	case *ast.Attr:
		return all(e.X)
	case *ast.Index:
		return all(e.X, e.I)
	case *ast.Slice:
		return all(e.X, e.Lo, e.Hi, e.Step)
	case *ast.Filter:
		b := l.cfg.filter(l.dialect, e.Name)
		return filters && b != nil && !b.Impure && !contextFilters[e.Name] && e.X != nil && all(e.X) && args(e.Args)
	case *ast.Test:
		b := l.cfg.test(l.dialect, e.Name)
		return filters && b != nil && !b.Impure && all(e.X) && args(e.Args)
	}
	return false
}
