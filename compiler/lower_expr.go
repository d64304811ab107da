package compiler

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/vm"
)

// expr lowers e: its code leaves one value on the stack.
func (l *lowerer) expr(e ast.Expr) {
	if v, ok := l.constant(e); ok {
		l.code.at(l.site, e.Span())
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(v)})
		return
	}
	if l.usage.hint != "" && !isPath(e) {
		l.usage.hint = "" // what is expected of the result tells nothing of its parts
	}
	switch e := e.(type) {
	case *ast.Name, *ast.Attr, *ast.Index:
		l.code.at(l.site, e.Span())
		l.lang.read(e)
	case *ast.Slice:
		if l.lang.special(e) {
			return
		}
		l.expr(e.X)
		for _, x := range []ast.Expr{e.Lo, e.Hi, e.Step} {
			if x == nil {
				l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.Null)})
				continue
			}
			l.expr(x)
		}
		l.code.at(l.site, e.Span())
		l.code.emit(code.Instr{Op: code.OpSlice})
	case *ast.Unary:
		l.expr(e.X)
		l.code.at(l.site, e.Span())
		l.code.emit(code.Instr{Op: code.OpUnary, N: uint16([...]code.UnaryOp{code.UnNegate, code.UnPositive, code.UnNot}[e.Op])})
	case *ast.Binary:
		l.binary(e)
	case *ast.Compare:
		l.compare(e)
	case *ast.Cond:
		l.lang.cond(e)
	case *ast.List:
		l.items(code.MakeList, e.Items)
	case *ast.Tuple:
		l.items(code.MakeTuple, e.Items)
	case *ast.Dict:
		for i := range e.Keys {
			l.expr(e.Keys[i])
			l.expr(e.Values[i])
		}
		l.code.at(l.site, e.Span())
		l.code.emit(code.Instr{Op: code.OpMake, A: l.strictParts(), B: int32(code.MakeMap), N: l.count(2 * len(e.Keys))})
	case *ast.Filter:
		l.lang.filter(e)
	case *ast.Test:
		l.lang.test(e)
	case *ast.Call:
		l.lang.call(e)
	default:
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.Null)})
	}
}

// maxParts is the greatest number of parts of one expression: what an operand
// holds.
const maxParts = 1<<16 - 1

// count is a number of parts as an operand. Too many are reported.
func (l *lowerer) count(n int) uint16 {
	if n > maxParts {
		l.tooMany(l.code.now.span)
		return 0
	}
	return uint16(n)
}

func (l *lowerer) tooMany(span source.Span) {
	l.report("PCC914", span, "an expression has more than %d parts", maxParts)
}

func (l *lowerer) items(kind code.MakeKind, items []ast.Expr) {
	for _, x := range items {
		l.expr(x)
	}
	l.code.emit(code.Instr{Op: code.OpMake, A: l.strictParts(), B: int32(kind), N: l.count(len(items))})
}

// strictParts is 1 where a missing part of a list or map is a fault: natively,
// where missing values do not count as null.
func (l *lowerer) strictParts() int32 {
	if l.usage.optional > 0 || l.dialect.UndefinedObjects() {
		return 0
	}
	return 1
}

func (l *lowerer) binary(e *ast.Binary) {
	if e.Op == ast.And || e.Op == ast.Or {
		end := l.code.label()
		l.maybe(func() { l.expr(e.X) })
		keep := code.Instr{Op: code.OpKeepIf}
		if e.Op == ast.Or {
			keep.N = 1
		}
		l.code.jumpWith(keep, end)
		l.expr(e.Y)
		l.code.place(end)
		return
	}
	if l.lang.special(e) {
		return
	}
	if e.Op != ast.Add && e.Op != ast.Concat {
		l.usage.hint = "number"
	}
	l.expr(e.X)
	l.usage.hint = ""
	l.expr(e.Y)
	l.code.at(l.site, e.Span())
	l.code.emit(code.Instr{Op: code.OpBinary, N: uint16(binaryOps[e.Op])})
}

var binaryOps = map[ast.BinaryOp]code.BinaryOp{ast.Add: code.BinAdd, ast.Sub: code.BinSub, ast.Mul: code.BinMul, ast.Div: code.BinDiv,
	ast.FloorDiv: code.BinFloorDiv, ast.Mod: code.BinMod, ast.Pow: code.BinPow, ast.Concat: code.BinConcat}

var compareOps = map[ast.CompareOp]code.CompareOp{ast.Eq: code.CmpEq, ast.Ne: code.CmpNe, ast.Lt: code.CmpLt, ast.Le: code.CmpLe,
	ast.Gt: code.CmpGt, ast.Ge: code.CmpGe, ast.In: code.CmpIn, ast.NotIn: code.CmpNotIn}

// compare lowers a chain: a < b < c compares b only once.
func (l *lowerer) compare(e *ast.Compare) {
	l.checkCompared(e)
	end := l.code.label()
	l.usage.hint = comparedType(e)
	l.usage.optional++ // a missing operand compares as null
	defer func() { l.usage.optional-- }()
	l.expr(e.X)
	l.usage.hint = ""
	for i, c := range e.Rest {
		if c.Op == ast.Eq || c.Op == ast.Ne {
			l.compared = c.Y
		}
		l.expr(c.Y)
		l.compared = nil
		l.code.at(l.site, e.Span())
		op := uint16(compareOps[c.Op])
		if i == len(e.Rest)-1 {
			l.code.emit(code.Instr{Op: code.OpCompare, N: op})
		} else {
			l.code.jumpWith(code.Instr{Op: code.OpChain, N: op}, end)
		}
	}
	l.code.place(end)
}

// comparedType is the type that a comparison with a constant tells of its left
// side.
func comparedType(e *ast.Compare) string {
	if lit, ok := e.Rest[0].Y.(*ast.Literal); ok && e.Rest[0].Op < ast.In {
		switch lit.Kind {
		case ast.StringLit:
			return "string"
		case ast.IntLit, ast.FloatLit:
			return "number"
		case ast.BoolLit:
			return "boolean"
		}
	}
	return ""
}

// conditional lowers `a if b else c`.
func (l *lowerer) conditional(e *ast.Cond) {
	l.choose(e, l.expr, func(missing vm.Value) {
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(missing)})
	})
}

// choose lowers `a if b else c`, whose parts branch lowers; missing stands for the
// value where there is no `else`.
func (l *lowerer) choose(e *ast.Cond, branch func(ast.Expr), missing func(vm.Value)) {
	otherwise, end := l.code.label(), l.code.label()
	l.checkTruth(e.If)
	l.maybe(func() { l.condition(e.If, otherwise) })
	l.usage.branches++
	defer func() { l.usage.branches-- }()
	l.under(e.If, func() { branch(e.Then) })
	l.code.jump(code.OpJump, end)
	l.code.place(otherwise)
	if e.Else != nil {
		branch(e.Else)
	} else {
		missing(vm.UndefinedOf(&vm.Undefined{Name: strings.TrimSpace(l.file.Slice(e.Span())), Pos: uint32(e.Start), Site: l.site,
			Lenient: true, Message: "the inline if-expression evaluated to false and no else section was defined."}))
	}
	l.code.place(end)
}

// args lowers arguments and returns their number and the index of the list of
// keyword names (-1 for none). Starred arguments are the jinja dialect's.
func (l *lowerer) args(args []ast.Arg) (n int, names int32) {
	var keys []string
	for _, a := range args {
		l.expr(a.Value)
		if a.Name != "" {
			keys = append(keys, a.Name)
		}
	}
	if len(keys) == 0 {
		return len(args), -1
	}
	l.img.Names = append(l.img.Names, keys)
	return len(args), int32(len(l.img.Names) - 1)
}

func (l nativeLanguage) filter(e *ast.Filter) {
	b := l.cfg.filter(l.dialect, e.Name)
	if b == nil {
		l.unknownFilter(e)
		return
	}
	l.checkArgs(b, 1, e.Args, e.NameSpan)
	switch {
	case e.X == nil: // a filter block's subject is on the stack already
	case b.TakesUndefined:
		l.provided(b, func() { l.expr(e.X) })
	default:
		l.expr(e.X)
	}
	n, names := l.args(e.Args)
	l.code.at(l.site, e.NameSpan)
	l.code.emit(code.Instr{Op: code.OpFilter, A: l.builtinIndex(b), B: names, N: l.count(n + 1)})
}

func (l nativeLanguage) test(e *ast.Test) {
	b := l.cfg.test(l.dialect, e.Name)
	if b == nil {
		l.unknownTest(e)
		return
	}
	l.checkArgs(b, 1, e.Args, e.NameSpan)
	l.provided(b, func() { l.expr(e.X) })
	n, names := l.args(e.Args)
	l.code.at(l.site, e.NameSpan)
	l.code.emit(code.Instr{Op: code.OpTest, A: l.builtinIndex(b), B: names, N: l.count(n + 1)})
	if e.Not {
		l.code.emit(code.Instr{Op: code.OpUnary, N: uint16(code.UnNot)})
	}
}

func (l nativeLanguage) call(e *ast.Call) {
	name, ok := e.F.(*ast.Name)
	switch {
	case ok && l.called(name, e):
	case ok && l.unknownFunction(name):
		return
	default:
		l.expr(e.F)
	}
	n, names := l.args(e.Args)
	l.code.at(l.site, e.Span())
	l.code.emit(code.Instr{Op: code.OpCall, B: names, N: l.count(n)})
}

// called pushes the function that the name of a call stands for, and checks the
// arguments. Names of functions are those of variables everywhere else, and never
// mean the data's values here.
func (l *lowerer) called(e *ast.Name, call *ast.Call) bool {
	if r := l.scopes.resolve(e.Name); r.local != nil || r.loop >= 0 {
		return false
	}
	f, ok := l.dialect.Globals[e.Name]
	if ok {
		l.code.at(l.site, e.Span())
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(f)})
		if o, is := f.Object(); is {
			if known, has := o.(interface{ Builtin() *vm.Builtin }); has {
				l.checkArgs(known.Builtin(), 0, call.Args, e.Span())
			}
		}
	}
	return ok
}

// read lowers a name, attribute or subscript. Paths of constant keys become
// one instruction.
func (l nativeLanguage) read(e ast.Expr) {
	if root, keys, items, ok := l.chain(e); ok && l.pathable(keys[1:], items[1:]) {
		l.readPath(e, root, keys, items)
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

// isPath reports whether e is a name with constant keys.
func isPath(e ast.Expr) bool {
	for {
		x, _, _, ok := stringKey(e)
		if !ok {
			_, ok = e.(*ast.Name)
			return ok
		}
		e = x
	}
}

// pathable reports whether keys may be looked up as map keys at once: in
// Python an attribute finds methods before keys.
func (l *lowerer) pathable(keys []string, items []bool) bool {
	if !l.dialect.AttributesFirst() {
		return true
	}
	if len(keys) == 0 {
		return true
	}
	methods := l.dialect.Methods[vm.KindMap]
	for i, k := range keys {
		if !items[i] && (k != "" && k[0] == '_' || methods[k] != nil) {
			return false
		}
	}
	return true
}

// readPath lowers root.key.key…; all are the keys with the root's name first.
func (l *lowerer) readPath(e ast.Expr, root *ast.Name, all []string, allItems []bool) {
	r := l.scopes.resolve(root.Name)
	l.usePath(e, all, r)
	l.spell(all, allItems)
	keys, items := all[1:], allItems[1:]
	switch {
	case r.loop >= 0:
		l.loopPath(e, r.loop, keys, items)
	case r.local != nil:
		l.slotPath(e, r.local.slot, all, items)
	default:
		if root.Name == "vars" && l.dialect.NativeTags() && !l.soft {
			if len(keys) == 0 {
				l.usesVars = true
			} else {
				l.inContract(keys[0], e.Span())
			}
			l.code.emit(code.Instr{Op: code.OpObject, N: uint16(code.ObjectVars)})
			l.keysOf(e, keys, items)
			if len(keys) == 1 {
				l.img.Undefs[len(l.img.Undefs)-1].Head = l.headRule(keys, false)
			}
			return
		}
		if len(r.bares) == 0 {
			l.variable(root)
		} else if l.contract[root.Name] {
			l.markUsed(root.Name)
		}
		end := label(-1)
		if len(r.bares) > 0 {
			end = l.bares(e, root.Name, keys, items, r.bares)
		}
		path := l.path(e, all, all, allItems, 0)
		undef := l.img.Paths[path].Undef
		undef.Head = l.headRule(all, len(r.bares) > 0)
		undef.Compared = e == l.compared && len(keys) == 0
		l.code.emit(code.Instr{Op: code.OpRoot, Key: root.Name, A: path})
		if end >= 0 {
			l.code.place(end)
		}
	}
}

// spell notes the names of a path that are not ASCII in their other spelling.
// Strings in subscripts are what they are.
func (l *lowerer) spell(keys []string, items []bool) {
	if l.file.ASCII() {
		return
	}
	for i, k := range keys {
		if items[i] {
			continue
		}
		other := parser.DecomposeName(k)
		if other == k {
			continue
		}
		if l.img.Spelled == nil {
			l.img.Spelled = map[string]string{}
		}
		l.img.Spelled[k] = other
	}
}

// bares reads a name, and keys from it, from the items of the bare loops around
// it. The code jumps to end where one has it.
func (l *lowerer) bares(e ast.Expr, name string, keys []string, items []bool, loops []*scope) (end label) {
	end = l.code.label()
	bare := code.Instr{Op: code.OpBare, B: l.slotList(loops), Key: name}
	if len(keys) == 0 {
		l.code.jumpWith(bare, end)
		return end
	}
	next, found := l.code.label(), l.code.label()
	l.code.jumpWith(bare, found)
	l.code.jump(code.OpJump, next)
	l.code.place(found)
	l.keysOf(e, keys, items)
	l.code.jump(code.OpJump, end)
	l.code.place(next)
	return end
}

// slotList is the list of the items of the loops, which all reads inside the
// innermost one share.
func (l *lowerer) slotList(loops []*scope) int32 {
	inner := loops[0]
	if inner.bares == 0 {
		slots := make([]int32, len(loops))
		for i, sc := range loops {
			slots[i] = int32(sc.bare)
		}
		l.img.SlotLists = append(l.img.SlotLists, slots)
		inner.bares = int32(len(l.img.SlotLists))
	}
	return inner.bares - 1
}

// slotPath reads from a slot's value the keys behind the first of all.
func (l *lowerer) slotPath(e ast.Expr, slot int, all []string, items []bool) {
	keys := all[1:]
	if len(keys) == 0 {
		l.code.emit(code.Instr{Op: code.OpSlot, A: int32(slot)})
		return
	}
	l.code.emit(code.Instr{Op: code.OpSlotKey, A: int32(slot), B: l.path(e, all, keys, items, slot+1), Key: keys[0]})
}

// keysOf reads keys from the value on the stack.
func (l *lowerer) keysOf(e ast.Expr, keys []string, items []bool) {
	if len(keys) == 0 {
		return
	}
	undef := l.undef(e) // e is what is missing, whichever key is
	for i, k := range keys {
		if items[i] {
			l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.String(k))})
			l.code.emit(code.Instr{Op: code.OpItem, B: undef})
			continue
		}
		l.code.emit(code.Instr{Op: code.OpAttr, Key: k, B: undef})
	}
}

// loopPath reads loop.index and the like; loop.parent leads outwards.
func (l *lowerer) loopPath(e ast.Expr, state int, keys []string, items []bool) {
	for len(keys) > 0 && keys[0] == "parent" && l.dialect.NativeTags() {
		p := l.scopes.parentLoop(state)
		if p < 0 {
			u := vm.UndefinedOf(l.undefined(e))
			l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(u)})
			return
		}
		state, keys, items = p, keys[1:], items[1:]
	}
	if len(keys) > 0 {
		for f, name := range code.LoopFieldNames {
			if name == keys[0] {
				l.code.emit(code.Instr{Op: code.OpLoopField, A: int32(state), N: uint16(f)})
				l.keysOf(e, keys[1:], items[1:])
				return
			}
		}
	}
	if len(keys) > 0 {
		l.unknownLoopField(e, keys[0])
	}
	l.code.emit(code.Instr{Op: code.OpObject, N: uint16(code.ObjectLoop), A: int32(state)})
	l.keysOf(e, keys, items)
}

func (l *lowerer) builtinIndex(b *vm.Builtin) int32 {
	for i, x := range l.img.Builtins {
		if x == b {
			return int32(i)
		}
	}
	if l.img.Builtins == nil {
		const few = 4
		l.img.Builtins = make([]*vm.Builtin, 0, few)
	}
	l.img.Builtins = append(l.img.Builtins, b)
	return int32(len(l.img.Builtins) - 1)
}

// constIndex adds a constant. Strings are kept apart from their text, so they
// are compared by it here; scalars share entries.
func (l *lowerer) constIndex(v vm.Value) int32 {
	if s, ok := v.Str(); ok && !v.IsSafe() {
		if i, ok := l.strings[s]; ok {
			return i
		}
		i := l.addConst(v)
		if l.strings == nil {
			l.strings = map[string]int32{}
		}
		l.strings[s] = i
		return i
	}
	switch v.Kind() {
	case vm.KindNull, vm.KindBool, vm.KindInt, vm.KindFloat:
		if _, big := v.Int64(); v.Kind() == vm.KindInt && !big {
			break
		}
		if i, ok := l.consts[v]; ok {
			return i
		}
		i := l.addConst(v)
		if l.consts == nil {
			l.consts = map[vm.Value]int32{}
		}
		l.consts[v] = i
		return i
	}
	return l.addConst(v)
}

func (l *lowerer) addConst(v vm.Value) int32 {
	l.img.Consts = append(l.img.Consts, v)
	return int32(len(l.img.Consts) - 1)
}

// isVars reports whether keys lead into the root map: vars["a b"] is the
// variable `a b`.
func (l *lowerer) isVars(keys []string) bool {
	return len(keys) > 1 && keys[0] == "vars" && l.dialect.NativeTags() && !l.soft && l.scopes.resolve("vars").local == nil
}

// pathText names what e reads, for variable reports; suffix comes behind it. It
// is "" where that is in more places than reports list.
func (l *lowerer) pathText(e ast.Expr, suffix string) vm.Paths {
	root, keys, _, ok := l.chain(e)
	if !ok {
		return vm.Paths(suffix)
	}
	r := l.scopes.resolve(root.Name)
	if r.local == nil {
		if l.isVars(keys) {
			keys = keys[1:]
		}
		if len(r.bares) > 0 && keys[0] != "vars" {
			names, all := l.bareNames(e, keys, r)
			if !all {
				return ""
			}
			return names.Below(suffix)
		}
		return vm.Paths(l.dotted(e, keys) + suffix)
	}
	if r.local.path == "" {
		return ""
	}
	if len(keys) == 1 {
		return r.local.path.Below(suffix)
	}
	rest := l.dotted(e, keys[1:])
	if !r.local.path.Several() {
		return r.local.path + "." + vm.Paths(rest) + vm.Paths(suffix) // as a rule, and at once
	}
	return r.local.path.Below("." + rest + suffix)
}
