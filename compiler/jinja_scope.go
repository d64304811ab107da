package compiler

import (
	"sync"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/parser"
)

// This file gives every name of a Jinja template its variable, by the rules of
// Jinja's own compiler: which tags open a scope, and what a name that a scope
// both reads and sets holds before it is set.

// jinjaLoad tells what a variable holds when its scope begins.
type jinjaLoad uint8

const (
	loadUndefined jinjaLoad = iota // nothing: it is set before it is read
	loadResolve                    // what the data has under its name
	loadAlias                      // the variable of the same name further out
	loadParam                      // a value bound by the tag itself
)

// jinjaVar is a name in one scope.
type jinjaVar struct {
	name  string
	scope *jinjaScope
	load  jinjaLoad
	alias *jinjaVar // loadAlias
	// stored says that something in the scope sets it, assured that it does so
	// before any read.
	stored, assured bool
	// captured says that a function further in uses it: it lives in a cell.
	captured bool
	slot     int    // in the function's frame, -1 until it is given one
	path     string // what data it holds, such as "tools[]", for reports
	next     *jinjaVar
	// met and read are the times at which its scope's analysis first met the
	// name and last read it, 0 for never.
	met, read int
}

// plain reports whether reading the variable is reading the data: nothing
// sets it here.
func (v *jinjaVar) plain() bool { return v.load == loadResolve && !v.stored }

// jinjaFunc is a piece of code with a frame of its own: the template, a macro,
// the body of a call block, a block, or a recursive loop.
type jinjaFunc struct {
	outer *jinjaFunc // nil where outer variables are out of reach
	// free are the variables of outer functions that it uses, in the order of
	// the cells that it is given.
	free   []*jinjaVar
	places map[*jinjaVar]int // in free
	// caller, varargs and kwargs are the special parameters that a macro uses.
	caller, varargs, kwargs *jinjaVar
	// self and super are bound in blocks, self also in the template.
	self, super *jinjaVar
}

// cell returns the index of v among the free variables of f, adding it where
// it is not yet there, in f and in the functions between f and v's own.
func (f *jinjaFunc) cell(v *jinjaVar) int {
	if i, ok := f.places[v]; ok {
		return i
	}
	if f.places == nil {
		f.places = map[*jinjaVar]int{}
	}
	v.captured = true
	f.places[v] = len(f.free)
	f.free = append(f.free, v)
	if f.outer != nil && f.outer != v.scope.fn {
		f.outer.cell(v)
	}
	return len(f.free) - 1
}

// jinjaScope is one scope.
type jinjaScope struct {
	parent *jinjaScope
	fn     *jinjaFunc
	names  *jinjaNames
	// first and last are the ends of the list of its variables, as they were
	// first seen; index finds them where there are many.
	first, last *jinjaVar
	count       int
	index       map[string]*jinjaVar
	loop        *jinjaVar // the `loop` of a loop's body, where something uses it
	// Of a loop's body: the scopes of its if clause and of its else branch.
	test, other *jinjaScope
}

// own returns the scope's own variable of that name, or nil.
func (s *jinjaScope) own(name string) *jinjaVar {
	if s.index != nil {
		return s.index[name]
	}
	for v := s.first; v != nil; v = v.next {
		if v.name == name {
			return v
		}
	}
	return nil
}

// find returns the variable that name stands for, or nil.
func (s *jinjaScope) find(name string) *jinjaVar {
	for ; s != nil; s = s.parent {
		if v := s.own(name); v != nil {
			return v
		}
	}
	return nil
}

func (s *jinjaScope) define(name string, load jinjaLoad) *jinjaVar {
	v := s.own(name)
	if v == nil {
		v = s.names.vars.One()
		v.name, v.scope, v.slot = name, s, -1
		s.add(v)
	}
	v.load = load
	return v
}

// add puts a new variable into the scope.
func (s *jinjaScope) add(v *jinjaVar) {
	if s.last == nil {
		s.first = v
	} else {
		s.last.next = v
	}
	s.last = v
	const few = 16
	switch s.count++; {
	case s.index != nil:
		s.index[v.name] = v
	case s.count > few:
		s.index = make(map[string]*jinjaVar, 2*few)
		for v := s.first; v != nil; v = v.next {
			s.index[v.name] = v
		}
	}
}

// param makes name a value that the tag binds.
func (s *jinjaScope) param(name string) *jinjaVar {
	v := s.define(name, loadParam)
	v.stored = true
	return v
}

func (n *jinjaNames) scope(parent *jinjaScope, fn *jinjaFunc) *jinjaScope {
	s := n.scopes.One()
	s.parent, s.fn, s.names = parent, fn, n
	return s
}

// jinjaNames holds the scopes of a template's tags.
type jinjaNames struct {
	root   *jinjaScope
	bodies jinjaBodies
	blocks []*ast.Block // in order of appearance
	facts  jinjaFacts
	sums   summarizer
	handed int      // variables handed to other templates, see locals
	l      *lowerer // for findings
	vars   parser.Slab[jinjaVar]
	scopes parser.Slab[jinjaScope]
	// lowerer is who lowers the template by these scopes, fn the template itself.
	lowerer jinjaLowerer
	fn      jinjaFunc
}

// jinjaBodies gives the scopes of the bodies of tags.
type jinjaBodies struct {
	list []jinjaBody
	// index, where there are many, has them all.
	index map[ast.Node]*jinjaScope
}

type jinjaBody struct {
	tag   ast.Node
	scope *jinjaScope
}

func (b *jinjaBodies) add(tag ast.Node, s *jinjaScope) {
	const few = 8
	switch {
	case len(b.index) > 0:
		b.index[tag] = s
	case len(b.list) < few:
		b.list = append(b.list, jinjaBody{tag, s})
	default:
		if b.index == nil {
			b.index = make(map[ast.Node]*jinjaScope, 2*few)
		}
		for _, x := range b.list {
			b.index[x.tag] = x.scope
		}
		b.index[tag] = s
	}
}

// of returns the scope of a tag's body, nil where it has none.
func (b *jinjaBodies) of(tag ast.Node) *jinjaScope {
	if len(b.index) > 0 {
		return b.index[tag]
	}
	for i := range b.list {
		if b.list[i].tag == tag {
			return b.list[i].scope
		}
	}
	return nil
}

// each calls f for each tag and the scope of its body, in no order.
func (b *jinjaBodies) each(f func(ast.Node, *jinjaScope)) {
	if len(b.index) > 0 {
		for tag, s := range b.index {
			f(tag, s)
		}
		return
	}
	for _, x := range b.list {
		f(x.tag, x.scope)
	}
}

// reset empties b, for the memory.
func (b *jinjaBodies) reset() {
	clear(b.list)
	b.list = b.list[:0]
	clear(b.index)
}

// jinjaPool holds jinjaNames that are done, for their memory.
var jinjaPool = sync.Pool{New: func() any { return &jinjaNames{sums: newSummarizer()} }}

// free gives n back. Nothing may use its scopes afterwards.
func (n *jinjaNames) free() {
	const most = 64 // emptying a map takes as long as it is large
	if len(n.bodies.index) > most || len(n.sums.done) > most {
		return
	}
	n.bodies.reset()
	clear(n.sums.done)
	n.vars.Reset()
	n.scopes.Reset()
	loops := n.lowerer.loops[:cap(n.lowerer.loops)]
	clear(loops)
	*n = jinjaNames{bodies: n.bodies, sums: n.sums, vars: n.vars, scopes: n.scopes}
	n.lowerer.loops = loops[:0]
	jinjaPool.Put(n)
}

// resolveJinja finds the scopes of a template. It recurses as deep as the
// tree, which the parser limits.
func resolveJinja(body []ast.Node, f jinjaFacts, l *lowerer) *jinjaNames {
	n := jinjaPool.Get().(*jinjaNames)
	n.l, n.facts, n.lowerer.names = l, f, n
	n.sums.read, n.sums.blocks = f.reads, f.templates
	fn := &n.fn
	n.root = n.scope(nil, fn)
	if n.sums.of(body, nameSelf).reads&nameSelf != 0 {
		fn.self = n.root.param("self")
	}
	a := analysis{scope: n.root}
	a.nodes(body)
	n.inner(body, n.root)
	return n
}

// inner resolves the scopes inside nodes, which stand in scope s, and notes
// which variables inner functions use.
func (n *jinjaNames) inner(nodes []ast.Node, s *jinjaScope) {
	for _, node := range nodes {
		n.node(node, s)
	}
}

func (n *jinjaNames) node(node ast.Node, s *jinjaScope) {
	switch t := node.(type) {
	case *ast.Output:
		n.uses(t.Expr, s)
	case *ast.Do:
		n.uses(t.Expr, s)
	case *ast.Set:
		n.uses(t.Value, s)
		n.target(&t.Target, s)
	case *ast.Extends:
		n.uses(t.Name, s)
	case *ast.Include:
		n.uses(t.Name, s)
		if !t.WithoutContext {
			n.locals(s)
		}
	case *ast.Import:
		n.uses(t.Name, s)
		n.store(t.Alias, s)
		if t.WithContext {
			n.locals(s)
		}
	case *ast.FromImport:
		n.uses(t.Name, s)
		for _, a := range t.Names {
			n.store(a.As, s)
		}
		if t.WithContext {
			n.locals(s)
		}
	case *ast.When:
		for i := range t.Branches {
			n.uses(t.Branches[i].Cond, s)
			n.inner(t.Branches[i].Body, s)
		}
		n.inner(t.Else, s)
	case *ast.Loop:
		n.loop(t, s)
	case *ast.SetBlock:
		n.uses(t.Filter, s)
		n.target(&t.Target, s)
		n.body(t, n.scope(s, s.fn), t.Body, nil)
	case *ast.FilterBlock:
		n.body(t, n.scope(s, s.fn), t.Body, t.Filter)
		n.uses(t.Filter, n.bodies.of(t))
	case *ast.Autoescape:
		n.body(t, n.scope(s, s.fn), t.Body, t.On)
		n.uses(t.On, n.bodies.of(t))
	case *ast.Generation:
		n.body(t, n.scope(s, s.fn), t.Body, nil)
	case *ast.With:
		for _, v := range t.Values {
			n.uses(v, s)
		}
		sc := n.scope(s, s.fn)
		for i := range t.Targets {
			declareTarget(sc, &t.Targets[i])
		}
		n.body(t, sc, t.Body, nil)
	case *ast.Macro:
		n.store(t.Name, s)
		n.function(t, s, t.Params, t.Body)
	case *ast.CallBlock:
		n.uses(t.Call, s)
		n.function(t, s, t.Params, t.Body)
	case *ast.Block:
		n.block(t, s)
	}
}

// body analyses a tag's body in its new scope, and then the expression of the
// tag itself that is read in that scope, which may be nil.
func (n *jinjaNames) body(node ast.Node, sc *jinjaScope, body []ast.Node, own ast.Expr) {
	a := analysis{scope: sc}
	a.nodes(body)
	a.expr(own)
	n.bodies.add(node, sc)
	n.aliases(sc)
	n.inner(body, sc)
}

// aliases notes the outer variables that scope sc begins with.
func (n *jinjaNames) aliases(sc *jinjaScope) {
	for v := sc.first; v != nil; v = v.next {
		if v.load == loadAlias && v.alias.scope.fn != sc.fn && !v.alias.plain() {
			sc.fn.cell(v.alias)
		}
	}
}

func (n *jinjaNames) loop(t *ast.Loop, s *jinjaScope) {
	fn := s.fn
	if t.Recursive {
		fn = &jinjaFunc{outer: s.fn}
	}
	n.uses(t.Iter, s)
	if at, ok := n.setsLoop(t.Body); ok {
		n.l.report("PCC162", at, "nothing inside a loop may be called `loop`").WithKind("syntax").WithLabel(t.Head, "the loop")
	}
	sc := n.scope(s, fn)
	declareTarget(sc, &t.Target)
	if sum := n.sums.of(t.Body, nameLoop); t.Recursive || sum.reads&nameLoop != 0 || sum.scoped {
		sc.loop = sc.param("loop")
	}
	if t.Filter != nil {
		test := n.scope(s, fn)
		declareTarget(test, &t.Target)
		a := analysis{scope: test}
		a.expr(t.Filter)
		sc.test = test
		n.uses(t.Filter, test)
	}
	n.body(t, sc, t.Body, nil)
	if t.HasElse {
		els := n.scope(s, fn)
		a := analysis{scope: els}
		a.nodes(t.Else)
		sc.other = els
		n.aliases(els)
		n.inner(t.Else, els)
	}
}

// function resolves a macro or the body of a call block.
func (n *jinjaNames) function(node ast.Node, s *jinjaScope, params []ast.Param, body []ast.Node) {
	fn := &jinjaFunc{outer: s.fn}
	sc := n.scope(s, fn)
	named := map[string]bool{}
	needsDefault := false
	for _, p := range params {
		sc.param(p.Name)
		named[p.Name] = true
		needsDefault = needsDefault || p.Name == "caller" && p.Default == nil
	}
	a := analysis{scope: sc}
	for _, p := range params {
		a.expr(p.Default)
	}
	a.nodes(body)
	special := n.sums.of(body, nameCaller|nameKwargs|nameVarargs).reads
	for _, p := range []struct {
		name string
		v    **jinjaVar
	}{{"caller", &fn.caller}, {"kwargs", &fn.kwargs}, {"varargs", &fn.varargs}} {
		switch {
		case special&specialOf(p.name) == 0:
		case !named[p.name]:
			*p.v = sc.param(p.name)
		case p.name == "caller":
			*p.v = sc.own(p.name)
			if needsDefault {
				n.l.report("PCC154", node.Span(), "the parameter `caller` needs a default").WithKind("syntax").
					WithHelp("drop the parameter: a call block hands its body over as `caller` anyway")
			}
		}
	}
	n.bodies.add(node, sc)
	n.aliases(sc)
	for _, p := range params {
		n.uses(p.Default, sc)
	}
	n.inner(body, sc)
}

// block resolves a block, which sees no variables but the template's context.
func (n *jinjaNames) block(t *ast.Block, s *jinjaScope) {
	if t.Scoped {
		n.locals(s)
	}
	fn := &jinjaFunc{}
	sc := n.scope(nil, fn)
	special := n.sums.of(t.Body, nameSelf|nameSuper).reads
	if special&nameSelf != 0 {
		fn.self = sc.param("self")
	}
	if special&nameSuper != 0 {
		fn.super = sc.param("super")
	}
	n.blocks = append(n.blocks, t)
	n.body(t, sc, t.Body, nil)
}

// uses notes the variables that e reads.
func (n *jinjaNames) uses(e ast.Expr, s *jinjaScope) {
	if s.fn.outer == nil {
		return // no variable of another function is in reach
	}
	walkNames(e, func(name *ast.Name) { n.use(name.Name, s) })
}

func (n *jinjaNames) use(name string, s *jinjaScope) {
	if v := s.find(name); v != nil && v.scope.fn != s.fn && !v.plain() {
		s.fn.cell(v)
	}
}

func (n *jinjaNames) store(name string, s *jinjaScope) { n.use(name, s) }

func (n *jinjaNames) target(t *ast.Target, s *jinjaScope) {
	if !t.List {
		n.use(t.Name, s)
	}
	for i := range t.Items {
		n.target(&t.Items[i], s)
	}
}

// locals notes that all variables that are set around s are handed on.
func (n *jinjaNames) locals(s *jinjaScope) {
	if n.handed > maxHanded {
		return // reported when it is lowered
	}
	vars := s.visible()
	n.handed += len(vars)
	for _, v := range vars {
		n.use(v.name, s)
	}
}

// maxHanded is the number of variables that all tags of a template together
// may hand to other templates: every include with context hands on all that are
// set around it.
const maxHanded = 1 << 20

// visible lists the variables that are set in s or around it, the innermost of
// each name, in a fixed order.
func (s *jinjaScope) visible() (vars []*jinjaVar) {
	seen := map[string]bool{}
	for sc := s; sc != nil; sc = sc.parent {
		for v := sc.first; v != nil; v = v.next {
			if v.stored && !seen[v.name] {
				seen[v.name] = true
				vars = append(vars, s.find(v.name))
			}
		}
	}
	return vars
}

func declareTarget(s *jinjaScope, t *ast.Target) {
	if !t.List {
		s.param(t.Name)
	}
	for i := range t.Items {
		declareTarget(s, &t.Items[i])
	}
}
