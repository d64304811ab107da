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
	// time counts what was met; met and read give the times at which a name was
	// first met and last read.
	time      int
	met, read map[string]int
}

// analyze runs walk over scope s.
func analyze(s *jinjaScope, walk func(*analysis)) {
	a := &analysis{scope: s, met: map[string]int{}, read: map[string]int{}}
	for _, v := range s.order {
		a.met[v.name] = 0
	}
	walk(a)
}

func (a *analysis) outer(name string) *jinjaVar { return a.scope.parent.find(name) }

func (a *analysis) load(name string) {
	a.time++
	a.read[name] = a.time
	if _, known := a.met[name]; known || a.outer(name) != nil {
		return
	}
	a.met[name] = a.time
	a.scope.define(name, loadResolve)
}

func (a *analysis) store(name string) {
	a.time++
	if _, known := a.met[name]; known {
		a.scope.vars[name].stored = true
		return
	}
	a.met[name] = a.time
	outer := a.outer(name)
	load := loadUndefined
	switch {
	case outer != nil:
		load = loadAlias
	case a.branches > 0:
		load = loadResolve
	}
	v := a.scope.define(name, load)
	v.stored, v.alias = true, outer
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
				a.scope.vars[name].assured = true
			}
		})
		return
	}
	a.branch(t.Branches[0].Body, begin, nil)
	for _, b := range t.Branches[1:] {
		a.branches++
		a.expr(b.Cond)
		a.branches--
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
		if name := t.Target.Name; a.met[name] > begin && a.read[name] <= start && a.outer(name) == nil {
			set(name)
		}
	}
	a.branches--
}

func (a *analysis) node(n ast.Node) {
	switch t := n.(type) {
	case *ast.Output:
		a.expr(t.Expr)
	case *ast.Do:
		a.expr(t.Expr)
	case *ast.Set:
		a.expr(t.Value)
		a.target(&t.Target)
	case *ast.SetBlock:
		a.target(&t.Target)
		a.expr(t.Filter)
	case *ast.When:
		a.when(t)
	case *ast.Loop:
		a.expr(t.Iter)
	case *ast.With:
		for _, v := range t.Values {
			a.expr(v)
		}
	case *ast.Macro:
		a.store(t.Name)
	case *ast.CallBlock:
		a.expr(t.Call)
	case *ast.FilterBlock:
		a.expr(t.Filter)
	case *ast.Include:
		a.expr(t.Name)
	case *ast.Extends:
		a.expr(t.Name)
	case *ast.Import:
		a.expr(t.Name)
		a.store(t.Alias)
	case *ast.FromImport:
		a.expr(t.Name)
		for _, al := range t.Names {
			a.store(al.As)
		}
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

// walkNames calls f for each variable that e reads, from left to right.
func walkNames(e ast.Expr, f func(*ast.Name)) {
	args := func(as []ast.Arg) {
		for i := range as {
			walkNames(as[i].Value, f)
		}
	}
	each := func(es ...ast.Expr) {
		for _, x := range es {
			walkNames(x, f)
		}
	}
	switch t := e.(type) {
	case *ast.Name:
		f(t)
	case *ast.Attr:
		each(t.X)
	case *ast.Index:
		each(t.X, t.I)
	case *ast.Slice:
		each(t.X, t.Lo, t.Hi, t.Step)
	case *ast.Call:
		each(t.F)
		args(t.Args)
	case *ast.Filter:
		each(t.X)
		args(t.Args)
	case *ast.Test:
		each(t.X)
		args(t.Args)
	case *ast.Unary:
		each(t.X)
	case *ast.Binary:
		each(t.X, t.Y)
	case *ast.Compare:
		each(t.X)
		for i := range t.Rest {
			each(t.Rest[i].Y)
		}
	case *ast.Cond:
		each(t.If, t.Then, t.Else)
	case *ast.List:
		each(t.Items...)
	case *ast.Tuple:
		each(t.Items...)
	case *ast.Dict:
		for i := range t.Keys {
			each(t.Keys[i], t.Values[i])
		}
	}
}

// anyBody reports whether f holds of a body inside n; f is asked of one after
// the other until it does.
func anyBody(n ast.Node, f func([]ast.Node) bool) bool {
	switch t := n.(type) {
	case *ast.When:
		for i := range t.Branches {
			if f(t.Branches[i].Body) {
				return true
			}
		}
		return f(t.Else)
	case *ast.Loop:
		return f(t.Body) || f(t.Else)
	case *ast.SetBlock:
		return f(t.Body)
	case *ast.With:
		return f(t.Body)
	case *ast.Macro:
		return f(t.Body)
	case *ast.CallBlock:
		return f(t.Body)
	case *ast.FilterBlock:
		return f(t.Body)
	case *ast.Block:
		return f(t.Body)
	case *ast.Autoescape:
		return f(t.Body)
	case *ast.Generation:
		return f(t.Body)
	}
	return false
}

// hasBody reports whether n is a block.
func hasBody(n ast.Node) bool { return anyBody(n, func([]ast.Node) bool { return true }) }

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
