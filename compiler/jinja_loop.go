package compiler

import (
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// jinjaFor lowers a for loop. A recursive one is a function that takes what to
// loop over, called once here and again by `loop(…)`.
func (l *lowerer) jinjaFor(n *ast.Loop) {
	if !n.Recursive {
		l.iterable(n.Iter)
		l.forBody(n)
		return
	}
	j := l.jinja
	body := j.names.bodies.of(n)
	macro := code.Macro{Name: "loop", Recursive: true, Params: []string{"iterable"}, Caller: -1, Varargs: -1, Kwargs: -1}
	macro.Captures = l.captures(body.fn)
	outer := j.scope
	macro.Func = l.function("loop", body.fn, outer, j.checked, func() {
		slot := l.scopes.newSlot()
		l.code.emit(code.Instr{Op: code.OpSlot, A: int32(slot)})
		l.forBody(n)
	})
	l.code.at(l.site, n.Head)
	l.code.emit(code.Instr{Op: code.OpClosure, A: l.addMacro(macro)})
	l.iterable(n.Iter)
	l.code.at(l.site, n.Head)
	l.code.emit(code.Instr{Op: code.OpCall, B: -1, N: 1})
	l.write(n.Head)
}

// iterable lowers what a loop runs over. In reports of variables it is a list,
// which may be missing unless the environment is strict.
func (l *lowerer) iterable(e ast.Expr) {
	switch e.(type) {
	case *ast.Name, *ast.Attr, *ast.Index:
		l.usage.hint = "list"
		if l.dialect.Undefined != vm.UndefinedStrict {
			l.maybe(func() { l.expr(e) })
			l.usage.hint = ""
			return
		}
	}
	l.expr(e)
	l.usage.hint = ""
}

// forBody lowers the loop over the value on the stack.
func (l *lowerer) forBody(n *ast.Loop) {
	j := l.jinja
	sc := j.names.bodies.of(n)
	end, otherwise, top, next := l.code.label(), l.code.label(), l.code.label(), l.code.label()
	l.code.at(l.site, n.Head)
	// Where `loop` is used, the clause `if` runs for all items first: the
	// length and the neighbours are those of the kept items.
	filtered := n.Filter != nil && sc.loop != nil
	if filtered {
		l.filterItems(n)
	}
	// An else branch runs unless a turn's body came to its end.
	flagged := n.HasElse && (n.Filter != nil && !filtered || leavesLoop(n.Body))
	l.scopes.push()
	flag := -1
	if flagged {
		flag = l.scopes.newSlot()
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.Bool(true))})
		l.code.emit(code.Instr{Op: code.OpStore, A: int32(flag)})
	}
	state := l.scopes.newLoop()
	item := l.scopes.newSlot()
	text := tagText(l.file.Slice(n.Head))
	l.code.jumpWith(code.Instr{Op: code.OpLoop, A: int32(state), B: int32(item), N: uint16(code.ModePython), Text: text}, otherwise)
	l.code.place(top)
	if n.Filter != nil && !filtered {
		l.within(sc.test, func() {
			l.code.emit(code.Instr{Op: code.OpSlot, A: int32(item)})
			l.bindItem(n)
			l.condition(n.Filter, next)
		})
	}
	j.loops = append(j.loops, jinjaLoop{next: next, end: end, unwind: len(j.unwind), variable: sc.loop, state: state})
	if sc.loop != nil {
		sc.loop.slot = state
	}
	if !n.Target.List && n.Target.Attr == "" {
		if v := sc.own(n.Target.Name); v != nil && !v.captured && v.load == loadParam {
			v.slot = item // the loop binds the name's own slot
		}
	}
	l.setPaths(n, sc)
	l.within(sc, func() {
		if v := sc.loop; v != nil && v.captured {
			l.code.emit(code.Instr{Op: code.OpObject, N: uint16(code.ObjectLoopContext), A: int32(state)})
			l.storeVar(v)
		}
		if v := sc.own(n.Target.Name); n.Target.List || v == nil || v.slot != item {
			l.code.at(l.site, n.Target.Span())
			l.code.emit(code.Instr{Op: code.OpSlot, A: int32(item)})
			l.bindItem(n)
		}
		l.cover(n.Body)
		l.body(n.Body)
	})
	j.loops = j.loops[:len(j.loops)-1]
	if flagged {
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.Bool(false))})
		l.code.emit(code.Instr{Op: code.OpStore, A: int32(flag)})
	}
	l.code.at(l.site, n.Head)
	l.code.place(next)
	l.code.jumpWith(code.Instr{Op: code.OpNext, A: int32(state), B: int32(item), N: uint16(code.ModePython)}, top)
	l.code.place(end)
	l.code.emit(code.Instr{Op: code.OpEndLoop, A: int32(state)})
	done := l.code.label()
	if n.HasElse {
		if flagged {
			l.code.emit(code.Instr{Op: code.OpSlot, A: int32(flag)})
			l.code.jumpIf(false, done)
		} else {
			l.code.jump(code.OpJump, done)
		}
	}
	l.scopes.pop()
	l.code.place(otherwise)
	if n.HasElse {
		l.within(sc.other, func() { l.branch(n.Else) })
	}
	l.code.place(done)
}

// bindItem pops an item into the loop's target, which are names of the current
// scope.
func (l *lowerer) bindItem(n *ast.Loop) { l.assign(&n.Target) }

// packItem pushes the item that a target was bound to. What a target unpacked
// becomes a tuple: Jinja's own filter gives the target again.
func (l *lowerer) packItem(t *ast.Target) {
	if !t.List {
		l.loadName(t.Name)
		return
	}
	for i := range t.Items {
		l.packItem(&t.Items[i])
	}
	l.code.emit(code.Instr{Op: code.OpMake, B: int32(code.MakeTuple), N: l.count(len(t.Items))})
}

// filterItems replaces what is looped over by the list of the kept items.
func (l *lowerer) filterItems(n *ast.Loop) {
	j := l.jinja
	l.scopes.push()
	list, item, state := l.scopes.newSlot(), l.scopes.newSlot(), l.scopes.newLoop()
	l.code.emit(code.Instr{Op: code.OpMake})
	l.code.emit(code.Instr{Op: code.OpStore, A: int32(list)})
	top, next, done := l.code.label(), l.code.label(), l.code.label()
	loop := code.Instr{A: int32(state), B: int32(item), N: uint16(code.ModePython)}
	loop.Op, loop.Text = code.OpLoop, tagText(l.file.Slice(n.Head))
	l.code.jumpWith(loop, done)
	l.code.place(top)
	l.within(j.names.bodies.of(n).test, func() {
		l.code.emit(code.Instr{Op: code.OpSlot, A: int32(item)})
		l.bindItem(n)
		l.condition(n.Filter, next)
		l.packItem(&n.Target)
	})
	l.code.emit(code.Instr{Op: code.OpAppend, A: int32(list)})
	l.code.place(next)
	loop.Op, loop.Text = code.OpNext, ""
	l.code.jumpWith(loop, top)
	l.code.emit(code.Instr{Op: code.OpEndLoop, A: int32(state)})
	l.code.place(done)
	l.code.emit(code.Instr{Op: code.OpSlot, A: int32(list)})
	l.scopes.pop()
}

// setPaths tells the names that a loop binds what data they hold, for reports
// of variables.
func (l *lowerer) setPaths(n *ast.Loop, sc *jinjaScope) {
	if n.Target.List {
		return
	}
	if items := l.jinjaPath(n.Iter, "[]"); items != "" {
		sc.own(n.Target.Name).path = items
	}
}

// leaveLoop lowers break and continue.
func (l *lowerer) leaveLoop(to func(*jinjaLoop) label) {
	j := l.jinja
	if len(j.loops) == 0 {
		return // the parser reported it
	}
	lp := &j.loops[len(j.loops)-1]
	for i := len(j.unwind) - 1; i >= lp.unwind; i-- {
		if slot := j.unwind[i].slot; slot >= 0 {
			l.restoreEscape(slot)
			continue
		}
		l.code.emit(code.Instr{Op: code.OpEndCapture})
		l.code.emit(code.Instr{Op: code.OpPop})
	}
	l.code.jump(code.OpJump, to(lp))
}

// leavesLoop reports whether a break or continue in body belongs to the loop
// around it.
func leavesLoop(body []ast.Node) bool {
	return slices.ContainsFunc(body, func(n ast.Node) bool {
		switch t := n.(type) {
		case *ast.Break, *ast.Continue:
			return true
		case *ast.Loop:
			return leavesLoop(t.Else)
		case *ast.Macro, *ast.CallBlock, *ast.Block:
			return false
		}
		return anyBody(n, leavesLoop)
	})
}
