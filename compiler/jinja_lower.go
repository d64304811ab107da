package compiler

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// jinjaLowerer holds what lowering a Jinja template needs besides the lowerer:
// the scopes, and the state that Jinja's compiler calls a frame.
type jinjaLowerer struct {
	names *jinjaNames
	scope *jinjaScope
	fn    *jinjaFunc
	// cells gives the variables of the current function that live in cells
	// their places, behind those of its free variables.
	cells map[*jinjaVar]int32
	// dynamic says that names go through the template's context: there are
	// other templates or blocks.
	dynamic bool
	// top says that assignments are the template's exports, root that no `if`
	// is around, soft that an unknown filter fails only when it is reached.
	top, root, soft bool
	// checked says that output here is dropped once a parent was named;
	// extended that one surely was, extends how many tags could have done so.
	checked, extended bool
	extends           int
	escape            escaping
	escapeKnown       escaping    // the same without what is known only when rendering
	printing          ast.Expr    // the constant expression that is being printed
	loops             []jinjaLoop // running ones of this function
	unwind            []unwinding
	handed            int // variables handed to other templates
}

// escaping tells whether output is escaped.
type escaping uint8

const (
	escapeOff escaping = iota
	escapeOn
	escapeOpen // known only when rendering
)

// unwinding is something that leaving a body early must end: a capture (slot
// -1) or a state of escaping kept in a slot.
type unwinding struct{ slot int }

// jinjaLoop is a loop that break and continue may leave.
type jinjaLoop struct {
	next, end label
	unwind    int
	variable  *jinjaVar
	state     int
}

// jinjaTemplate lowers a whole template: its root, then its blocks.
func (l *lowerer) jinjaTemplate(body []ast.Node, f jinjaFacts, dynamic bool) {
	j := &resolveJinja(body, f, l).lowerer
	j.dynamic = dynamic || f.templates
	l.jinja, l.lang = j, jinjaLanguage{l}
	defer j.names.free()
	if l.img.Autoescape {
		j.escape, j.escapeKnown = escapeOn, escapeOn
	}
	j.fn, j.scope = j.names.root.fn, j.names.root
	j.top, j.root = true, true
	j.checked = f.extends
	l.img.Mutates = l.dialect.Sandbox != vm.SandboxImmutable && (j.dynamic || f.mutates)
	l.scopes.push()
	l.jinjaBlocks()
	l.enterScope(j.names.root)
	if v := j.fn.self; v != nil {
		l.code.emit(code.Instr{Op: code.OpObject, N: uint16(code.ObjectSelf)})
		l.storeVar(v)
	}
	l.body(body)
	if j.dynamic {
		l.code.emit(code.Instr{Op: code.OpFinish})
	}
	l.cells = len(j.cells)
	l.jinja, l.lang = nil, nativeLanguage{l}
}

// function lowers code with a frame of its own and returns its index. checked
// says that its output is dropped once a parent template was named.
func (l *lowerer) function(name string, fn *jinjaFunc, scope *jinjaScope, checked bool, lower func()) int32 {
	outer, callers, places := *l.jinja, l.code, l.scopes
	now := callers.now
	j := l.jinja
	j.fn, j.scope, j.cells = fn, scope, nil
	j.top, j.root, j.soft, j.checked, j.loops, j.unwind = false, false, false, checked, nil, nil
	l.code, l.scopes = l.newCode(now, 0), scopes{}
	lower()
	l.code.emit(code.Instr{Op: code.OpReturn})
	if !l.cfg.off[PassFuse] {
		l.code.fuse(l.img)
	}
	if !l.cfg.off[PassItems] {
		l.code.placeItems(l.img, &l.scopes)
	}
	var f vm.Function
	l.code.assemble(&f, name, &l.scopes, l.img)
	f.Cells = len(fn.free) + len(j.cells)
	l.img.Functions = append(l.img.Functions, f)
	index := int32(len(l.img.Functions)) // the template itself will come first
	extends, extended := j.extends, j.extended
	*j, l.code, l.scopes = outer, callers, places
	j.extends, j.extended = extends, extended
	return index
}

// enterScope gives the variables of a scope their places and initial values.
// Parameters get their values from the tag.
func (l *lowerer) enterScope(s *jinjaScope) {
	l.jinja.scope = s
	for v := s.first; v != nil; v = v.next {
		if v.plain() || v == s.loop {
			continue
		}
		if v.captured {
			l.cellOf(v)
		} else if v.slot < 0 {
			v.slot = l.scopes.newSlot()
		}
	}
	for v := s.first; v != nil; v = v.next {
		if v.plain() || v == s.loop {
			continue
		}
		switch v.load {
		case loadResolve:
			l.resolveName(v.name)
		case loadAlias:
			l.loadVar(v.alias)
		case loadUndefined:
			l.code.emit(code.Instr{Op: code.OpConst, A: l.addConst(vm.UndefinedOf(&vm.Undefined{Name: v.name, Unset: true}))})
		default:
			continue
		}
		l.storeVar(v)
	}
}

// within lowers something in a scope inside the current one.
func (l *lowerer) within(s *jinjaScope, lower func()) {
	j := l.jinja
	outer, top, root, soft := j.scope, j.top, j.root, j.soft
	l.scopes.push()
	j.top, j.root, j.soft = false, false, false
	l.enterScope(s)
	lower()
	l.scopes.pop()
	j.scope, j.top, j.root, j.soft = outer, top, root, soft
}

// cellOf returns the cell of a captured variable in the current function.
func (l *lowerer) cellOf(v *jinjaVar) int32 {
	j := l.jinja
	if v.scope.fn != j.fn {
		return int32(j.fn.cell(v))
	}
	i, ok := j.cells[v]
	if !ok {
		i = int32(len(j.fn.free) + len(j.cells))
		if j.cells == nil {
			j.cells = map[*jinjaVar]int32{}
		}
		j.cells[v] = i
	}
	return i
}

// loadVar pushes a variable's value.
func (l *lowerer) loadVar(v *jinjaVar) {
	switch {
	case v.plain():
		l.resolveName(v.name)
	case v.captured:
		l.code.emit(code.Instr{Op: code.OpCell, A: l.cellOf(v)})
	case v == v.scope.loop:
		l.code.emit(code.Instr{Op: code.OpObject, N: uint16(code.ObjectLoopContext), A: int32(v.slot)})
	default:
		l.code.emit(code.Instr{Op: code.OpSlot, A: int32(v.slot)})
	}
}

// storeVar pops a value into a variable.
func (l *lowerer) storeVar(v *jinjaVar) {
	if v.captured {
		l.code.emit(code.Instr{Op: code.OpSetCell, A: l.cellOf(v)})
		return
	}
	l.code.emit(code.Instr{Op: code.OpStore, A: int32(v.slot)})
}

// resolveName pushes what the data or the context has under a name.
func (l *lowerer) resolveName(name string) {
	if l.documentLocal(name, nil) {
		l.outside(func() { l.expr(&ast.Name{Name: name}) })
		return
	}
	if l.jinja.dynamic {
		l.code.emit(code.Instr{Op: code.OpResolve, Key: name})
		return
	}
	l.img.Paths = append(l.img.Paths, vm.Path{Keys: []string{name}, Item: noItems[:1:1],
		Undef: &vm.Undefined{Name: name, Pos: uint32(l.code.now.span.Start), Site: l.site}})
	l.code.emit(code.Instr{Op: code.OpRoot, Key: name, A: int32(len(l.img.Paths) - 1)})
}

// node lowers a node of a Jinja template.
func (l jinjaLanguage) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		l.unlessExtended(func() { l.text(n) })
	case *ast.Output:
		l.unlessExtended(func() { l.jinjaOutput(n) })
	case *ast.When:
		l.jinjaWhen(n)
	case *ast.Loop:
		l.jinjaFor(n)
	case *ast.Set:
		l.jinjaSet(n)
	case *ast.SetBlock:
		l.setBlock(n)
	case *ast.With:
		l.with(n)
	case *ast.Macro:
		l.macro(n)
	case *ast.CallBlock:
		l.callBlock(n)
	case *ast.FilterBlock:
		l.filterBlock(n)
	case *ast.Block:
		l.block(n)
	case *ast.Extends:
		l.extendsNode(n)
	case *ast.Include:
		l.jinjaInclude(n)
	case *ast.Import:
		l.importNode(n)
	case *ast.FromImport:
		l.fromImport(n)
	case *ast.Do:
		l.expr(n.Expr)
		l.code.emit(code.Instr{Op: code.OpPop})
	case *ast.Break:
		l.leaveLoop(func(lp *jinjaLoop) label { return lp.end })
	case *ast.Continue:
		l.leaveLoop(func(lp *jinjaLoop) label { return lp.next })
	case *ast.Autoescape:
		l.autoescape(n)
	case *ast.Generation:
		l.generation(n)
	case *ast.Comment, *ast.Bad:
	default:
		l.report("PCC199", n.Span(), "this construct is not part of Jinja")
	}
}

// unlessExtended lowers output that is dropped if a parent template was named.
func (l *lowerer) unlessExtended(lower func()) {
	j := l.jinja
	switch {
	case j.checked && j.extended:
	case j.checked && j.extends > 0:
		skip := l.code.label()
		l.code.jump(code.OpExtended, skip)
		lower()
		l.code.place(skip)
	default:
		lower()
	}
}

func (l *lowerer) jinjaOutput(n *ast.Output) {
	if v, ok := l.constant(n.Expr); ok && l.jinja.escape != escapeOpen {
		if s, ok := l.constantText(v); ok {
			if s != "" {
				l.code.emit(code.Instr{Op: code.OpText, Text: s})
			}
			return
		}
	}
	escape := l.jinja.escape
	if escape == escapeOpen && l.constantTree(n.Expr, false, 0) {
		// Jinja folds such a print with what it knows: the state outside.
		escape = l.jinja.escapeKnown
	}
	if l.constantTree(n.Expr, true, 0) {
		l.jinja.printing = n.Expr
	}
	if l.jinja.printing == nil && escape == escapeOff && !l.cfg.off[PassPrint] && l.printed(n, n.Expr) {
		return
	}
	before := len(l.code.ins)
	l.expr(n.Expr)
	l.jinja.printing = nil
	l.code.at(l.site, n.Expr.Span())
	if escape == escapeOff {
		l.emit(before, l.out(n))
		return
	}
	l.emitValue(l.out(n), escape)
}

// constantText is the text that a print writes of the constant v.
func (l *lowerer) constantText(v vm.Value) (string, bool) {
	if s, ok := v.Str(); ok && l.jinja.escape != escapeOn {
		return s, true
	}
	env := vm.NewEnv(l.dialect, l.cfg.limits)
	if l.jinja.escape == escapeOn {
		var err error
		if v, err = env.Escape(v); err != nil {
			return "", false
		}
	}
	s, err := env.Str(v)
	return s, err == nil
}

// emitValue writes the value on the stack.
func (l *lowerer) emitValue(out int32, e escaping) {
	switch e {
	case escapeOff:
		l.code.emit(code.Instr{Op: code.OpEmit, B: out})
	case escapeOn:
		l.code.emit(code.Instr{Op: code.OpEmit, B: out, N: uint16(code.EscapeAlways)})
	default:
		l.code.emit(code.Instr{Op: code.OpEmit, B: out, N: uint16(code.EscapeIfOn)})
	}
}

// write writes the value on the stack as it is: the output of a call block or
// a filter block.
func (l *lowerer) write(span source.Span) {
	l.img.Outs = append(l.img.Outs, vm.Out{Name: shortSource(l.file.Slice(span)), Policy: code.Empty,
		Style: l.dialect.Style, Span: span, Site: l.site})
	l.emitValue(int32(len(l.img.Outs)-1), escapeOff)
}

func shortSource(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

func (l *lowerer) jinjaWhen(n *ast.When) {
	j := l.jinja
	root, soft := j.root, j.soft
	j.root, j.soft = false, true
	l.when(n)
	j.root, j.soft = root, soft
}

func (l *lowerer) jinjaSet(n *ast.Set) {
	l.checkNamespaces(&n.Target)
	l.expr(n.Value)
	l.code.at(l.site, n.Span())
	l.assign(&n.Target)
}

// checkNamespaces fails before the value is made if an attribute is to be set
// of something that has none to set.
func (l *lowerer) checkNamespaces(t *ast.Target) {
	if t.Attr != "" {
		l.loadName(t.Name)
		l.code.emit(code.Instr{Op: code.OpFilter, A: l.builtinIndex(takesAttributes), B: -1, N: 1})
		l.code.emit(code.Instr{Op: code.OpPop})
	}
	for i := range t.Items {
		l.checkNamespaces(&t.Items[i])
	}
}

// assign pops a value into a target. At the top level names are exported.
func (l *lowerer) assign(t *ast.Target) {
	switch {
	case t.List:
		l.code.emit(code.Instr{Op: code.OpUnpack, N: l.count(len(t.Items))})
		for i := range t.Items {
			l.assign(&t.Items[i])
		}
	case t.Attr != "":
		l.loadName(t.Name)
		l.code.emit(code.Instr{Op: code.OpSetAttr, Key: t.Attr})
	default:
		l.bind(t.Name)
	}
}

// bind pops a value into the variable of a name.
func (l *lowerer) bind(name string) {
	v := l.jinja.scope.find(name)
	l.storeVar(v)
	if l.jinja.top && l.jinja.dynamic {
		l.loadVar(v)
		l.code.emit(code.Instr{Op: code.OpExport, Key: name})
	}
}

// loadName pushes the value of a name.
func (l *lowerer) loadName(name string) {
	if v := l.jinja.scope.find(name); v != nil {
		l.loadVar(v)
		return
	}
	l.resolveName(name)
}

// captured lowers what writes and leaves its text on the stack.
func (l *lowerer) captured(lower func()) {
	j := l.jinja
	l.code.emit(code.Instr{Op: code.OpCapture})
	j.unwind = append(j.unwind, unwinding{-1})
	lower()
	j.unwind = j.unwind[:len(j.unwind)-1]
	l.code.emit(code.Instr{Op: code.OpEndCapture})
	l.safe()
}

// safe marks the text on the stack as escaped already, where escaping is on.
func (l *lowerer) safe() {
	switch l.jinja.escape {
	case escapeOn:
		l.code.emit(code.Instr{Op: code.OpSafe, N: 1})
	case escapeOpen:
		l.code.emit(code.Instr{Op: code.OpSafe})
	}
}

func (l *lowerer) setBlock(n *ast.SetBlock) {
	j := l.jinja
	checked := j.checked
	j.checked = false
	l.checkNamespaces(&n.Target)
	l.within(j.names.bodies.of(n), func() { l.captured(func() { l.body(n.Body) }) })
	j.checked = checked
	l.code.at(l.site, n.Span())
	if n.Filter != nil {
		l.expr(n.Filter)
		l.safe()
	}
	l.assign(&n.Target)
}

func (l *lowerer) filterBlock(n *ast.FilterBlock) {
	l.within(l.jinja.names.bodies.of(n), func() {
		l.captured(func() { l.body(n.Body) })
		l.code.at(l.site, n.Span())
		l.expr(n.Filter)
	})
	l.write(n.Span())
}

func (l *lowerer) with(n *ast.With) {
	for _, v := range n.Values {
		l.expr(v)
	}
	l.within(l.jinja.names.bodies.of(n), func() {
		for i := len(n.Targets) - 1; i >= 0; i-- {
			l.assign(&n.Targets[i])
		}
		l.body(n.Body)
	})
}

func (l *lowerer) autoescape(n *ast.Autoescape) {
	j := l.jinja
	escape, known := j.escape, j.escapeKnown
	l.within(j.names.bodies.of(n), func() {
		slot := l.scopes.newSlot()
		l.expr(n.On)
		l.code.emit(code.Instr{Op: code.OpAutoescape, A: int32(slot)})
		j.escape = escapeOpen
		if v, ok := l.constant(n.On); ok {
			if on, err := vm.NewEnv(l.dialect, l.cfg.limits).Truth(v); err == nil {
				j.escape = escapeOff
				if on {
					j.escape = escapeOn
				}
				j.escapeKnown = j.escape
			}
		}
		j.unwind = append(j.unwind, unwinding{slot})
		l.body(n.Body)
		j.unwind = j.unwind[:len(j.unwind)-1]
		l.restoreEscape(slot)
	})
	j.escape, j.escapeKnown = escape, known
}

// restoreEscape sets escaping back to what it was when slot was set.
func (l *lowerer) restoreEscape(slot int) {
	l.code.emit(code.Instr{Op: code.OpSlot, A: int32(slot)})
	l.code.emit(code.Instr{Op: code.OpAutoescape, A: int32(slot)})
}

func (l *lowerer) generation(n *ast.Generation) {
	l.within(l.jinja.names.bodies.of(n), func() {
		l.code.emit(code.Instr{Op: code.OpSpan, N: uint16(code.SpanGenerated)})
		l.body(n.Body)
		l.code.at(l.site, n.Span())
		l.code.emit(code.Instr{Op: code.OpSpan})
	})
}
