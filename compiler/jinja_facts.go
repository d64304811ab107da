package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/vm"
)

// jinjaFacts says what a template holds at all, from one walk of its tree. Most
// hold little of it, and then need no closer look.
type jinjaFacts struct {
	// templates: tags deal with blocks or other templates, extends: one of them
	// is `extends`.
	templates, extends bool
	// reads are the names that tags bind by themselves, of those that are read
	// anywhere.
	reads specials
	// setsLoop: something assigns to `loop`.
	setsLoop bool
	// mutates: methods that change a value may be called.
	mutates bool
}

func factsOf(body []ast.Node) (f jinjaFacts) {
	ast.Walk(body, func(n ast.Node) bool { f.node(n); return true })
	return f
}

// node notes what n holds, the nodes inside it aside.
func (f *jinjaFacts) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text, *ast.Comment:
		return
	case *ast.Output:
		f.exprs(n.Expr)
		return
	case *ast.When:
		for i := range n.Branches {
			f.exprs(n.Branches[i].Cond)
		}
		return
	case *ast.Extends:
		f.templates, f.extends = true, true
	case *ast.Block, *ast.Include, *ast.Import, *ast.FromImport:
		f.templates = true
	case *ast.Set:
		_, found := loopTarget(&n.Target)
		f.setsLoop = f.setsLoop || found
	case *ast.SetBlock:
		_, found := loopTarget(&n.Target)
		f.setsLoop = f.setsLoop || found
	}
	ast.Exprs(n, f.exprs)
}

// exprs notes what e holds. What most expressions are made of stands here, all else
// in WalkExpr.
func (f *jinjaFacts) exprs(e ast.Expr) {
	for {
		switch x := e.(type) {
		case *ast.Name:
			f.reads |= specialOf(x.Name)
			return
		case *ast.Literal:
			return
		case *ast.Attr:
			f.mutates = f.mutates || vm.Mutates(x.Name)
			e = x.X
		case *ast.Binary:
			f.exprs(x.X)
			e = x.Y
		case *ast.Unary:
			e = x.X
		default:
			ast.WalkExpr(e, func(e ast.Expr) bool { f.expr(e); return true })
			return
		}
	}
}

// expr notes what e itself says. A method that changes a value is called by its
// name or by a computed one.
func (f *jinjaFacts) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Name:
		f.reads |= specialOf(e.Name)
	case *ast.Attr:
		f.mutates = f.mutates || vm.Mutates(e.Name)
	case *ast.Index:
		switch i := e.I.(type) {
		case *ast.Literal:
			f.mutates = f.mutates || i.Kind == ast.StringLit && vm.Mutates(i.Str)
		case *ast.Attr: // loop.index and the like are no names
			of, ok := i.X.(*ast.Name)
			f.mutates = f.mutates || !ok || of.Name != "loop"
		default: // x[name] reads attributes too
			f.mutates = true
		}
	case *ast.Filter:
		f.mutates = f.mutates || e.Name == "attr" || e.Name == "map"
	}
}
