package compiler

import (
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// captures lists the cells of the current function that fn is given.
func (l *lowerer) captures(fn *jinjaFunc) []int32 {
	cells := make([]int32, len(fn.free))
	for i, v := range fn.free {
		cells[i] = l.cellOf(v)
	}
	return cells
}

func (l *lowerer) addMacro(m code.Macro) int32 {
	l.img.Macros = append(l.img.Macros, m)
	return int32(len(l.img.Macros) - 1)
}

// closureOf lowers the body of a macro or call block and returns its number.
func (l *lowerer) closureOf(node ast.Node, name string, params []ast.Param, body []ast.Node) int32 {
	sc := l.jinja.names.bodies.of(node)
	fn := sc.fn
	m := code.Macro{Name: name, Caller: -1, Varargs: -1, Kwargs: -1, Captures: l.captures(fn)}
	label := name
	if label == "" {
		label = "caller"
	}
	m.Func = l.function(label, fn, sc, false, func() {
		for _, p := range params {
			m.Params = append(m.Params, p.Name)
			m.ExplicitCaller = m.ExplicitCaller || p.Name == "caller"
			sc.own(p.Name).slot = l.scopes.newSlot()
		}
		for _, s := range []struct {
			v    *jinjaVar
			slot *int32
		}{{fn.caller, &m.Caller}, {fn.varargs, &m.Varargs}, {fn.kwargs, &m.Kwargs}} {
			if s.v == nil {
				continue
			}
			if s.v.slot < 0 {
				s.v.slot = l.scopes.newSlot()
			}
			*s.slot = int32(s.v.slot)
		}
		l.enterScope(sc)
		for _, p := range params {
			l.parameter(sc.own(p.Name), p)
		}
		for _, v := range []*jinjaVar{fn.caller, fn.varargs, fn.kwargs} {
			if v != nil && v.captured && !slices.Contains(m.Params, v.name) {
				l.code.emit(code.Instr{Op: code.OpSlot, A: int32(v.slot)})
				l.storeVar(v)
			}
		}
		l.body(body)
	})
	return l.addMacro(m)
}

// parameter gives a parameter that the call left out its default.
func (l *lowerer) parameter(v *jinjaVar, p ast.Param) {
	given := l.code.label()
	l.code.at(l.site, p.Span)
	l.code.jumpWith(code.Instr{Op: code.OpGiven, A: int32(v.slot)}, given)
	if p.Default != nil {
		l.expr(p.Default)
	} else {
		u := &vm.Undefined{Name: p.Name, Message: "parameter '" + p.Name + "' was not provided"}
		l.code.emit(code.Instr{Op: code.OpConst, A: l.addConst(vm.UndefinedOf(u))})
	}
	l.code.emit(code.Instr{Op: code.OpStore, A: int32(v.slot)})
	l.code.place(given)
	if v.captured {
		l.code.emit(code.Instr{Op: code.OpSlot, A: int32(v.slot)})
		l.storeVar(v)
	}
}

func (l *lowerer) macro(n *ast.Macro) {
	i := l.closureOf(n, n.Name, n.Params, n.Body)
	l.code.at(l.site, n.Span())
	l.code.emit(code.Instr{Op: code.OpClosure, A: i})
	l.bind(n.Name)
}

func (l *lowerer) callBlock(n *ast.CallBlock) {
	call, ok := n.Call.(*ast.Call)
	if !ok {
		return
	}
	i := l.closureOf(n, "", n.Params, n.Body)
	l.code.at(l.site, n.Span())
	l.jinjaCall(call, i)
	l.write(n.Span())
}

// jinjaBlocks lowers the template's blocks, each a function that sees only the
// template's context.
func (l *lowerer) jinjaBlocks() {
	seen := map[string]*ast.Block{}
	for _, b := range l.jinja.names.blocks {
		if first := seen[b.Name]; first != nil {
			l.report("PCC158", b.Span(), "block `%s` stands twice", b.Name).WithKind("syntax").
				WithLabel(first.Span(), "first defined here")
			continue
		}
		seen[b.Name] = b
		sc := l.jinja.names.bodies.of(b)
		l.code.at(l.site, b.Span())
		f := l.function("block "+b.Name, sc.fn, sc, false, func() {
			l.enterScope(sc)
			if v := sc.fn.self; v != nil {
				l.code.emit(code.Instr{Op: code.OpObject, N: uint16(code.ObjectSelf)})
				l.storeVar(v)
			}
			if v := sc.fn.super; v != nil {
				l.code.emit(code.Instr{Op: code.OpObject, N: uint16(code.ObjectSuper), Key: b.Name})
				l.storeVar(v)
			}
			l.body(b.Body)
		})
		l.img.Blocks = append(l.img.Blocks, code.Block{Name: b.Name, Func: f, Required: b.Required})
	}
}

// block lowers the place of a block: the definition that counts is found when
// rendering.
func (l *lowerer) block(n *ast.Block) {
	j := l.jinja
	lower := func() {
		ins := code.Instr{Op: code.OpBlock, Key: n.Name, B: -1}
		if n.Scoped {
			ins.A |= code.FlagScoped
			names := l.localValues()
			ins.B, ins.N = l.nameList(names), l.count(len(names))
		}
		if n.Required {
			ins.A |= code.FlagRequired
		}
		l.code.at(l.site, n.Span())
		l.code.emit(ins)
	}
	switch {
	case j.top && j.extended:
	case j.top && j.extends > 0:
		skip := l.code.label()
		l.code.jump(code.OpExtended, skip)
		lower()
		l.code.place(skip)
	default:
		lower()
	}
}

// localValues pushes the variables that are set around this place and returns
// their names.
func (l *lowerer) localValues() (names []string) {
	j := l.jinja
	if j.handed > maxHanded {
		return nil
	}
	vars := j.scope.visible()
	if j.handed += len(vars); j.handed > maxHanded || len(vars) > maxParts {
		j.handed = maxHanded + 1
		l.report("PCC915", l.code.now.span, "the templates that this one includes would be handed more than %d variables", maxHanded).
			WithHelp("write `without context` where the included template needs no variables of this one")
		return nil
	}
	l.room += len(vars) // these have a limit of their own
	for _, v := range vars {
		l.loadVar(v)
		names = append(names, v.name)
	}
	return names
}

func (l *lowerer) extendsNode(n *ast.Extends) {
	j := l.jinja
	if !j.top {
		l.report("PCC161", n.Span(), "`extends` stands inside another tag").WithKind("syntax")
		return
	}
	l.otherTemplate(n.Name)
	l.expr(n.Name)
	l.code.at(l.site, n.Span())
	l.code.emit(code.Instr{Op: code.OpExtends})
	j.extends++
	if j.root {
		j.extended = true
	}
}

func (l *lowerer) jinjaInclude(n *ast.Include) {
	ins := code.Instr{Op: code.OpInclude, B: -1}
	if n.IgnoreMissing {
		ins.A |= code.FlagIgnoreMissing
	}
	l.template(ins, n.Name, !n.WithoutContext)
}

// template lowers the name of another template and, with context, the local
// variables that it sees.
func (l *lowerer) template(ins code.Instr, name ast.Expr, context bool) {
	at := l.code.now
	l.otherTemplate(name)
	if context {
		names := l.localValues()
		ins.B, ins.N = l.nameList(names), l.count(len(names))
	} else {
		ins.A |= code.FlagIsolated
	}
	l.expr(name)
	l.code.now = at
	l.code.emit(ins)
}

func (l *lowerer) importNode(n *ast.Import) {
	l.template(code.Instr{Op: code.OpImport, B: -1}, n.Name, n.WithContext)
	l.bind(n.Alias)
}

func (l *lowerer) fromImport(n *ast.FromImport) {
	l.template(code.Instr{Op: code.OpImport, B: -1}, n.Name, n.WithContext)
	for _, a := range n.Names {
		l.code.at(l.site, a.Span)
		l.code.emit(code.Instr{Op: code.OpImportName, Key: a.Name})
		l.bind(a.As)
	}
	l.code.emit(code.Instr{Op: code.OpPop})
}
