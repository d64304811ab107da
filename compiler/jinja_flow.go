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
	first := a.branch(t.Branches[0].Body, begin, nil)
	for _, b := range t.Branches[1:] {
		a.branches++
		a.expr(b.Cond)
		a.branches--
		a.branch(b.Body, begin, nil)
	}
	both := a.branch(t.Else, begin, first)
	if len(t.Branches) > 1 {
		return
	}
	for name := range both {
		a.scope.vars[name].assured = true
	}
}

// branch analyses one body. It returns the names that tags right in it set
// before anything in it reads them, of those that were not met before begin;
// where among is not nil, only of those.
func (a *analysis) branch(body []ast.Node, begin int, among map[string]bool) (set map[string]bool) {
	start := a.time
	a.branches++
	for _, n := range body {
		a.node(n)
		t, ok := n.(*ast.Set)
		if !ok || t.Target.List || t.Target.Attr != "" || among != nil && !among[t.Target.Name] {
			continue
		}
		name := t.Target.Name
		if a.met[name] > begin && a.read[name] <= start && a.outer(name) == nil {
			if set == nil {
				set = map[string]bool{}
			}
			set[name] = true
		}
	}
	a.branches--
	if among != nil && set == nil {
		return nil
	}
	if set == nil {
		set = map[string]bool{}
	}
	return set
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

// childBodies returns the bodies inside a node.
func childBodies(n ast.Node) [][]ast.Node {
	switch t := n.(type) {
	case *ast.When:
		var bodies [][]ast.Node
		for i := range t.Branches {
			bodies = append(bodies, t.Branches[i].Body)
		}
		return append(bodies, t.Else)
	case *ast.Loop:
		return [][]ast.Node{t.Body, t.Else}
	case *ast.SetBlock:
		return [][]ast.Node{t.Body}
	case *ast.With:
		return [][]ast.Node{t.Body}
	case *ast.Macro:
		return [][]ast.Node{t.Body}
	case *ast.CallBlock:
		return [][]ast.Node{t.Body}
	case *ast.FilterBlock:
		return [][]ast.Node{t.Body}
	case *ast.Block:
		return [][]ast.Node{t.Body}
	case *ast.Autoescape:
		return [][]ast.Node{t.Body}
	case *ast.Generation:
		return [][]ast.Node{t.Body}
	}
	return nil
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
		for _, body := range childBodies(n) {
			if at, found := setsLoop(body); found {
				return at, true
			}
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
