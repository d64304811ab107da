package compiler

import "github.com/pcc-lang/pcc/ast"

// specials is a set of the names that tags bind by themselves, if something
// uses them.
type specials uint8

const (
	nameLoop specials = 1 << iota
	nameCaller
	nameVarargs
	nameKwargs
	nameSelf
	nameSuper
	allSpecials = 1<<iota - 1
)

// specialOf returns the set of one special name, of no other.
func specialOf(name string) specials {
	switch name {
	case "loop":
		return nameLoop
	case "caller":
		return nameCaller
	case "varargs":
		return nameVarargs
	case "kwargs":
		return nameKwargs
	case "self":
		return nameSelf
	case "super":
		return nameSuper
	}
	return 0
}

// summary says of a node which special names it reads before it sets them, and
// which it sets, in scopes inside it too, as Jinja's own look for undeclared
// names does. A block has a scope of its own: nothing outside is visible in it.
type summary struct {
	reads, sets specials
	scoped      bool // a scoped block stands in it
}

// summarizer makes the summaries of nodes, each once.
type summarizer struct {
	done map[ast.Node]summary
	// read are the names that the template reads anywhere; blocks says that it may
	// have blocks.
	read   specials
	blocks bool
}

func newSummarizer() summarizer { return summarizer{done: map[ast.Node]summary{}} }

// of returns the summary of nodes in a row, for who asks for these names alone.
func (s *summarizer) of(nodes []ast.Node, names specials) summary {
	if s.read&names == 0 && !s.blocks {
		return summary{}
	}
	u := undeclared{s: s, open: allSpecials}
	u.nodes(nodes)
	return u.summary()
}

func (s *summarizer) node(n ast.Node) summary {
	switch n.(type) { // the most frequent ones, which are short
	case *ast.Text, *ast.Comment:
		return summary{}
	case *ast.Output, *ast.Set:
		u := undeclared{s: s, open: allSpecials}
		u.node(n)
		return u.summary()
	}
	if sum, ok := s.done[n]; ok {
		return sum
	}
	u := undeclared{s: s, open: allSpecials}
	u.node(n)
	sum := u.summary()
	if b, ok := n.(*ast.Block); ok {
		sum = summary{scoped: b.Scoped || s.of(b.Body, allSpecials).scoped}
	}
	if hasBody(n) {
		s.done[n] = sum
	}
	return sum
}

// undeclared walks the parts of one node in order. open are the names that
// nothing has set so far.
type undeclared struct {
	s           *summarizer
	open, reads specials
	scoped      bool
}

func (u *undeclared) summary() summary {
	return summary{reads: u.reads, sets: allSpecials &^ u.open, scoped: u.scoped}
}

func (u *undeclared) expr(e ast.Expr) {
	walkNames(e, func(n *ast.Name) { u.reads |= specialOf(n.Name) & u.open })
}

func (u *undeclared) set(name string) { u.open &^= specialOf(name) }

func (u *undeclared) target(t *ast.Target) {
	if !t.List && t.Attr == "" {
		u.set(t.Name)
	}
	for i := range t.Items {
		u.target(&t.Items[i])
	}
}

func (u *undeclared) params(ps []ast.Param) {
	for _, p := range ps {
		u.set(p.Name)
	}
	for _, p := range ps {
		u.expr(p.Default)
	}
}

func (u *undeclared) nodes(nodes []ast.Node) {
	for _, n := range nodes {
		sum := u.s.node(n)
		u.reads |= sum.reads & u.open
		u.open &^= sum.sets
		u.scoped = u.scoped || sum.scoped
	}
}

func (u *undeclared) node(n ast.Node) {
	switch t := n.(type) {
	case *ast.Block: // a scope of its own
		return
	case *ast.When:
		for i := range t.Branches {
			u.expr(t.Branches[i].Cond)
			u.nodes(t.Branches[i].Body)
		}
		u.nodes(t.Else)
		return
	case *ast.Loop:
		u.target(&t.Target)
		u.expr(t.Iter)
		u.nodes(t.Body)
		u.nodes(t.Else)
		u.expr(t.Filter)
		return
	case *ast.CallBlock:
		u.expr(t.Call)
		u.params(t.Params)
		u.nodes(t.Body)
		return
	case *ast.FilterBlock:
		u.nodes(t.Body)
		u.expr(t.Filter)
		return
	case *ast.Set:
		u.target(&t.Target)
	case *ast.SetBlock:
		u.target(&t.Target)
	case *ast.With:
		for i := range t.Targets {
			u.target(&t.Targets[i])
		}
	case *ast.Macro:
		u.params(t.Params)
	}
	ast.Exprs(n, u.expr)
	ast.Bodies(n, func(body *[]ast.Node) { u.nodes(*body) })
}
