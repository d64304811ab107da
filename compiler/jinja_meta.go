package compiler

import (
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// Undeclared lists the names that a Jinja template may look up in its data, in
// alphabetical order, as jinja2.meta.find_undeclared_variables of Jinja2 3.1.2
// does: names that are set in some branches only are among them, the globals
// of the template's dialect are not. Program.Variables tells more of each
// variable, and leaves out those that every branch sets.
//
// The error is a diag.List of syntax errors.
func Undeclared(src string, opts ...Option) ([]string, error) {
	c := newConfig(append([]Option{WithSyntax("jinja")}, opts...))
	if c.err != nil {
		return nil, c.err
	}
	f := source.New(c.name, src)
	t, list := c.parseJinja(f, nil)
	if err := list.Err(); err != nil {
		return nil, err
	}
	l := &lowerer{}
	n := resolveJinja(t.Body, factsOf(t.Body), l)
	defer n.free()
	m := metaNames{found: map[string]bool{}, budget: maxMetaWork, nodes: map[ast.Node]*jinjaScope{}}
	m.scope(n.root, t.Body)
	n.bodies.each(func(tag ast.Node, s *jinjaScope) {
		if loop, ok := tag.(*ast.Loop); ok {
			m.scope(s, loop.Body)
			m.scope(s.other, loop.Else)
			m.scope(s.test, nil)
			return
		}
		ast.Bodies(tag, func(body *[]ast.Node) { m.scope(s, *body) })
	})
	globals := c.jinjaDialect().Globals
	names := []string{}
	for name := range m.found {
		if _, global := globals[name]; !global {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// maxMetaWork bounds the nodes that are looked at for the branches of all
// names. Beyond it a name counts as undeclared.
const maxMetaWork = 10_000_000

// metaNames collects names.
type metaNames struct {
	found  map[string]bool
	budget int
	// nodes are the analyses of single nodes, each made once for all names.
	nodes map[ast.Node]*jinjaScope
}

// scope adds the names of a scope, whose nodes are body.
func (m *metaNames) scope(s *jinjaScope, body []ast.Node) {
	if s == nil {
		return
	}
	for v := s.first; v != nil; v = v.next {
		if v.load != loadResolve || m.found[v.name] {
			continue
		}
		b := branchWalk{name: v.name, meta: m}
		if v.plain() || b.nodes(body, metaState{}).load != loadUndefined {
			m.found[v.name] = true
		}
	}
}

// metaState is what Jinja's Symbols hold of one name (jinja2/idtracking.py):
// whether the scope stores it, and what it holds at first, if it was met.
type metaState struct {
	met, stored bool
	load        jinjaLoad
}

// branchWalk follows one name through the nodes of a scope, those inside of it
// aside.
type branchWalk struct {
	name string
	meta *metaNames
}

func (b *branchWalk) nodes(nodes []ast.Node, s metaState) metaState {
	for _, n := range nodes {
		if b.meta.budget--; b.meta.budget < 0 {
			return metaState{met: true, load: loadResolve}
		}
		if t, ok := n.(*ast.When); ok {
			s = b.when(t, s)
			continue
		}
		b.node(n, &s)
	}
	return s
}

// node lets the scope's own analysis say what n does to the name, which is met
// as the analysis of a scope of one node meets it.
func (b *branchWalk) node(n ast.Node, s *metaState) {
	sc := b.meta.nodes[n]
	if sc == nil {
		sc = new(jinjaNames).scope(nil, nil)
		a := analysis{scope: sc}
		a.node(n)
		b.meta.nodes[n] = sc
	}
	v := sc.own(b.name)
	if v == nil {
		return
	}
	if !s.met {
		s.met, s.load = true, v.load
	}
	s.stored = s.stored || v.stored
}

func (b *branchWalk) expr(e ast.Expr, s *metaState) {
	walkNames(e, func(n *ast.Name) {
		if n.Name == b.name && !s.met {
			s.met, s.load = true, loadResolve
		}
	})
}

// when visits the three parts of an `if`: its body, all its `elif` together,
// and its `else`, each with the state before (FrameSymbolVisitor.visit_If).
func (b *branchWalk) when(t *ast.When, s metaState) metaState {
	b.expr(t.Branches[0].Cond, &s)
	elif := s
	for _, branch := range t.Branches[1:] {
		b.expr(branch.Cond, &elif)
		elif = elif.after(b.nodes(branch.Body, elif), elif, elif)
	}
	return s.after(b.nodes(t.Branches[0].Body, s), elif, b.nodes(t.Else, s))
}

// after is the state behind branches (Symbols.branch_update): what the last of
// them holds counts, and a name that not all of them store is the data's.
func (s metaState) after(branches ...metaState) metaState {
	out, stores := s, 0
	for _, x := range branches {
		if x.met {
			out.met, out.load = true, x.load
		}
		if x.stored {
			out.stored = true
			stores++
		}
	}
	if !s.stored && stores > 0 && stores < len(branches) {
		out.load = loadResolve
	}
	return out
}
