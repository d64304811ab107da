package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// analysis walks the nodes of one scope, not of those inside it, and decides
// what each of its variables holds at the beginning. Branches of an `if` are
// analysed apart and then merged: a name that only some of them set keeps its
// outer value in the others.
type analysis struct {
	scope  *jinjaScope
	base   *analysis // the flow that this branch left
	refs   map[string]bool
	loads  map[string]jinjaLoad
	stores map[string]bool
	names  []string // keys of loads, in order
	// assured are names that both branches of an `if` set and nothing reads
	// before: never those of the data.
	assured map[string]bool
}

// analyze runs walk over scope s and stores the outcome in its variables.
func analyze(s *jinjaScope, walk func(*analysis)) {
	a := newAnalysis(s, nil)
	for _, v := range s.order {
		a.refer(v.name)
		a.stored(v.name)
		a.set(v.name, loadParam)
	}
	walk(a)
	for _, name := range a.names {
		v := s.define(name, a.loads[name])
		v.stored = v.stored || a.stores[name]
		v.assured = a.assured[name]
		if v.load == loadAlias {
			v.alias = s.parent.find(name)
		}
	}
}

func newAnalysis(s *jinjaScope, base *analysis) *analysis { return &analysis{scope: s, base: base} }

func (a *analysis) refer(name string) {
	if a.refs == nil {
		a.refs = map[string]bool{}
	}
	a.refs[name] = true
}

func (a *analysis) stored(name string) {
	if a.stores == nil {
		a.stores = map[string]bool{}
	}
	a.stores[name] = true
}

func (a *analysis) set(name string, l jinjaLoad) {
	if a.loads == nil {
		a.loads = map[string]jinjaLoad{}
	}
	if _, ok := a.loads[name]; !ok {
		a.names = append(a.names, name)
	}
	a.loads[name] = l
}

// known reports whether this scope has a variable of that name by now.
func (a *analysis) known(name string) bool {
	for ; a != nil; a = a.base {
		if a.refs[name] {
			return true
		}
	}
	return false
}

func (a *analysis) storedBefore(name string) bool {
	for ; a != nil; a = a.base {
		if a.stores[name] {
			return true
		}
	}
	return false
}

func (a *analysis) outer(name string) bool { return a.scope.parent.find(name) != nil }

func (a *analysis) load(name string) {
	if !a.known(name) && !a.outer(name) {
		a.refer(name)
		a.set(name, loadResolve)
	}
}

func (a *analysis) store(name string) {
	a.stored(name)
	if a.known(name) {
		return
	}
	a.refer(name)
	if a.outer(name) {
		a.set(name, loadAlias)
	} else {
		a.set(name, loadUndefined)
	}
}

// merge takes up what the branches of an `if` did. A name that one of them
// sets has its outer value to begin with, even if all of them set it.
func (a *analysis) merge(branches [3]*analysis) {
	var set map[string]bool
	for _, b := range branches {
		for name := range b.stores {
			if set == nil {
				set = map[string]bool{}
			}
			set[name] = set[name] || !a.storedBefore(name)
		}
	}
	for name := range set {
		first, last := branches[0], branches[2]
		if first.stores[name] && first.loads[name] == loadUndefined && last.stores[name] && last.loads[name] == loadUndefined &&
			len(branches[1].stores) == 0 && !a.known(name) {
			if a.assured == nil {
				a.assured = map[string]bool{}
			}
			a.assured[name] = true
		}
	}
	for _, b := range branches {
		for _, name := range b.names {
			a.refer(name)
			a.set(name, b.loads[name])
		}
	}
	for name, first := range set {
		a.stored(name)
		switch {
		case !first:
		case a.outer(name):
			a.set(name, loadAlias)
		default:
			a.set(name, loadResolve)
		}
	}
}

func (a *analysis) nodes(nodes []ast.Node) {
	for _, n := range nodes {
		a.node(n)
	}
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
		a.expr(t.Branches[0].Cond)
		var b [3]*analysis
		for i := range b {
			b[i] = newAnalysis(a.scope, a)
		}
		b[0].nodes(t.Branches[0].Body)
		for _, br := range t.Branches[1:] {
			// Each elif is an `if` of its own in the same branch.
			b[1].node(&ast.When{Branches: []ast.Branch{br}})
		}
		b[2].nodes(t.Else)
		a.merge(b)
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

// findUndeclared tells which of names the nodes read before they set them,
// scopes inside included, blocks not.
func findUndeclared(nodes []ast.Node, names ...string) map[string]bool {
	u := undeclared{open: map[string]bool{}, found: map[string]bool{}}
	for _, n := range names {
		u.open[n] = true
	}
	u.nodes(nodes)
	return u.found
}

type undeclared struct{ open, found map[string]bool }

func (u *undeclared) expr(e ast.Expr) {
	walkNames(e, func(n *ast.Name) {
		if u.open[n.Name] {
			u.found[n.Name] = true
		}
	})
}

func (u *undeclared) target(t *ast.Target) {
	if !t.List && t.Attr == "" {
		delete(u.open, t.Name)
	}
	for i := range t.Items {
		u.target(&t.Items[i])
	}
}

func (u *undeclared) params(ps []ast.Param) {
	for _, p := range ps {
		delete(u.open, p.Name)
	}
	for _, p := range ps {
		u.expr(p.Default)
	}
}

func (u *undeclared) nodes(nodes []ast.Node) {
	for _, n := range nodes {
		if len(u.open) == 0 {
			return
		}
		u.node(n)
	}
}

func (u *undeclared) node(n ast.Node) {
	switch t := n.(type) {
	case *ast.Output:
		u.expr(t.Expr)
	case *ast.Do:
		u.expr(t.Expr)
	case *ast.Set:
		u.target(&t.Target)
		u.expr(t.Value)
	case *ast.SetBlock:
		u.target(&t.Target)
		u.expr(t.Filter)
		u.nodes(t.Body)
	case *ast.When:
		for i := range t.Branches {
			u.expr(t.Branches[i].Cond)
			u.nodes(t.Branches[i].Body)
		}
		u.nodes(t.Else)
	case *ast.Loop:
		u.target(&t.Target)
		u.expr(t.Iter)
		u.nodes(t.Body)
		u.nodes(t.Else)
		u.expr(t.Filter)
	case *ast.With:
		for i := range t.Targets {
			u.target(&t.Targets[i])
		}
		for _, v := range t.Values {
			u.expr(v)
		}
		u.nodes(t.Body)
	case *ast.Macro:
		u.params(t.Params)
		u.nodes(t.Body)
	case *ast.CallBlock:
		u.expr(t.Call)
		u.params(t.Params)
		u.nodes(t.Body)
	case *ast.FilterBlock:
		u.nodes(t.Body)
		u.expr(t.Filter)
	case *ast.Include:
		u.expr(t.Name)
	case *ast.Extends:
		u.expr(t.Name)
	case *ast.Import:
		u.expr(t.Name)
	case *ast.FromImport:
		u.expr(t.Name)
	case *ast.Autoescape:
		u.expr(t.On)
		u.nodes(t.Body)
	case *ast.Generation:
		u.nodes(t.Body)
	}
}

// hasScopedBlock reports whether a scoped block stands anywhere in nodes.
func hasScopedBlock(nodes []ast.Node) bool {
	for _, n := range nodes {
		if b, ok := n.(*ast.Block); ok && b.Scoped {
			return true
		}
		for _, body := range childBodies(n) {
			if hasScopedBlock(body) {
				return true
			}
		}
	}
	return false
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
