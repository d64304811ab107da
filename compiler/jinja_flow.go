package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// analysis walks the nodes of one scope, not of those inside it, in their
// order, and decides what each of its variables holds at the beginning: a name
// that is set before anything reads it is unset until then; one that is first
// met inside an `if`, or read before it is set, has its outer value.
type analysis struct {
	scope    *jinjaScope
	branches int // around the current node
	// time counts what was met: a variable knows the times at which its name was
	// first met, 0 where the tag itself binds it, and last read.
	time int
}

func (a *analysis) outer(name string) *jinjaVar { return a.scope.parent.find(name) }

func (a *analysis) load(name string) {
	a.time++
	v := a.scope.own(name)
	if v == nil {
		if a.outer(name) != nil {
			return
		}
		v = a.scope.define(name, loadResolve)
		v.met = a.time
	}
	v.read = a.time
}

func (a *analysis) store(name string) {
	a.time++
	if v := a.scope.own(name); v != nil {
		v.stored = true
		return
	}
	outer := a.outer(name)
	load := loadUndefined
	switch {
	case outer != nil:
		load = loadAlias
	case a.branches > 0:
		load = loadResolve
	}
	v := a.scope.define(name, load)
	v.stored, v.alias, v.met = true, outer, a.time
}

func (a *analysis) nodes(nodes []ast.Node) {
	for _, n := range nodes {
		a.node(n)
	}
}

// when analyses the branches of an `if`. A name that both of two branches set,
// and read only then, is never one of the data.
func (a *analysis) when(t *ast.When) {
	begin := a.time
	a.expr(t.Branches[0].Cond)
	if len(t.Branches) == 1 && t.HasElse {
		first := map[string]bool{}
		a.branch(t.Branches[0].Body, begin, func(name string) { first[name] = true })
		a.branch(t.Else, begin, func(name string) {
			if first[name] {
				a.scope.own(name).assured = true
			}
		})
		return
	}
	a.branch(t.Branches[0].Body, begin, nil)
	for _, b := range t.Branches[1:] {
		a.expr(b.Cond)
		a.branch(b.Body, begin, nil)
	}
	a.branch(t.Else, begin, nil)
}

// branch analyses one body. It tells set of the names that tags right in it set
// before anything in it reads them, of those that were not met before begin.
func (a *analysis) branch(body []ast.Node, begin int, set func(name string)) {
	start := a.time
	a.branches++
	for _, n := range body {
		a.node(n)
		t, ok := n.(*ast.Set)
		if !ok || set == nil || t.Target.List || t.Target.Attr != "" {
			continue
		}
		if v := a.scope.own(t.Target.Name); v.met > begin && v.read <= start && a.outer(v.name) == nil {
			set(v.name)
		}
	}
	a.branches--
}

func (a *analysis) node(n ast.Node) {
	switch t := n.(type) {
	case *ast.Set:
		a.expr(t.Value)
		a.target(&t.Target)
	case *ast.SetBlock:
		a.target(&t.Target)
		a.expr(t.Filter)
	case *ast.When:
		a.when(t)
	case *ast.Loop:
		a.expr(t.Iter) // the filter sees what the loop binds
	case *ast.Macro:
		a.store(t.Name)
	case *ast.CallBlock:
		a.expr(t.Call)
	case *ast.Autoescape: // a scope of its own
	case *ast.Import:
		a.expr(t.Name)
		a.store(t.Alias)
	case *ast.FromImport:
		a.expr(t.Name)
		for _, al := range t.Names {
			a.store(al.As)
		}
	default:
		ast.Exprs(n, a.expr)
	}
}

func (a *analysis) expr(e ast.Expr) {
	walkNames(e, func(n *ast.Name) { a.load(n.Name) })
}

func (a *analysis) target(t *ast.Target) {
	switch {
	case t.List:
		for i := range t.Items {
			a.target(&t.Items[i])
		}
	case t.Attr != "":
		a.load(t.Name)
	default:
		a.store(t.Name)
	}
}

// walkNames calls f for each variable that e reads.
func walkNames(e ast.Expr, f func(*ast.Name)) {
	for { // a path, as most are
		if n, ok := e.(*ast.Name); ok {
			f(n)
			return
		}
		a, ok := e.(*ast.Attr)
		if !ok {
			break
		}
		e = a.X
	}
	ast.WalkExpr(e, func(e ast.Expr) bool {
		if n, ok := e.(*ast.Name); ok {
			f(n)
		}
		return true
	})
}

// anyBody reports whether f holds of a body inside n; f is asked of one after
// the other until it does.
func anyBody(n ast.Node, f func([]ast.Node) bool) (found bool) {
	ast.Bodies(n, func(body *[]ast.Node) { found = found || f(*body) })
	return found
}

// hasBody reports whether n is a block.
func hasBody(n ast.Node) bool { return anyBody(n, func([]ast.Node) bool { return true }) }

// setsLoop is setsLoop, where the template assigns to `loop` at all.
func (n *jinjaNames) setsLoop(nodes []ast.Node) (at source.Span, found bool) {
	if !n.facts.setsLoop {
		return at, false
	}
	return setsLoop(nodes)
}

// setsLoop finds an assignment to `loop` in the body of a loop, other loops
// aside: they are looked at in their turn.
func setsLoop(nodes []ast.Node) (at source.Span, found bool) {
	target := func(t *ast.Target) bool {
		at, found = loopTarget(t)
		return found
	}
	for _, n := range nodes {
		switch t := n.(type) {
		case *ast.Set:
			if target(&t.Target) {
				return at, true
			}
		case *ast.SetBlock:
			if target(&t.Target) {
				return at, true
			}
		case *ast.Loop:
			continue
		}
		if anyBody(n, func(body []ast.Node) bool { at, found = setsLoop(body); return found }) {
			return at, true
		}
	}
	return at, false
}

func loopTarget(t *ast.Target) (source.Span, bool) {
	if !t.List && t.Attr == "" && t.Name == "loop" {
		return t.Span(), true
	}
	for i := range t.Items {
		if at, ok := loopTarget(&t.Items[i]); ok {
			return at, true
		}
	}
	return source.Span{}, false
}
