package compiler

import "github.com/pcc-lang/pcc/ast"

// mutators are the methods that change a list or a map.
var mutators = map[string]bool{
	"append": true, "clear": true, "extend": true, "insert": true, "pop": true, "popitem": true,
	"remove": true, "reverse": true, "setdefault": true, "sort": true, "update": true,
}

// changesValues reports whether a template may call a method that changes a
// value: it names one, or reads attributes by computed names.
func (l *lowerer) changesValues(body []ast.Node) bool {
	found := false
	visit := func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.Attr:
			found = found || mutators[e.Name]
		case *ast.Index:
			switch i := e.I.(type) {
			case *ast.Literal:
				found = found || i.Kind == ast.StringLit && mutators[i.Str]
			case *ast.Attr: // loop.index and the like are no names
				of, ok := i.X.(*ast.Name)
				found = found || !ok || of.Name != "loop"
			default: // x[name] reads attributes too
				found = true
			}
		case *ast.Filter:
			found = found || e.Name == "attr" || e.Name == "map"
		}
		return !found
	}
	ast.Walk(body, func(n ast.Node) bool {
		ast.Exprs(n, func(e ast.Expr) { ast.WalkExpr(e, visit) })
		return !found
	})
	return found
}
