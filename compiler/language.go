package compiler

import "github.com/pcc-lang/pcc/ast"

// language lowers what the native syntaxes and Jinja give meanings of their own:
// tags, names, and the uses of builtins. Expressions are one for both but for the
// few that special takes.
type language interface {
	// node lowers a tag, a print or literal text.
	node(n ast.Node)
	// read lowers a name, an attribute or a subscript.
	read(e ast.Expr)
	filter(e *ast.Filter)
	test(e *ast.Test)
	call(e *ast.Call)
	cond(e *ast.Cond)
	// special lowers a slice or a binary operation that this language treats in a
	// way of its own, and reports whether it did.
	special(e ast.Expr) bool
}

// nativeLanguage is the language of the native syntaxes. Names are resolved by
// lowerer.scopes.
type nativeLanguage struct{ *lowerer }

func (l nativeLanguage) cond(e *ast.Cond) { l.conditional(e) }

func (nativeLanguage) special(ast.Expr) bool { return false }

// jinjaLanguage is Jinja. Names are resolved by lowerer.jinja's scopes.
type jinjaLanguage struct{ *lowerer }

func (l jinjaLanguage) special(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Slice:
		return l.sliceOfNothing(e)
	case *ast.Binary:
		return l.plainConcat(e) || l.negatedPower(e)
	}
	return false
}

func (l jinjaLanguage) call(e *ast.Call) { l.jinjaCall(e, -1) }
