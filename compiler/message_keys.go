package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// This file warns of misspelt keys of messages: a message may have any key, so that
// a wrong one goes out to the model's provider, and what it was meant for is lost.

// roleWord is the role of a message that e says, "" where it is computed.
func roleWord(e ast.Expr) string {
	if lit, ok := e.(*ast.Literal); ok && lit.Kind == ast.StringLit {
		return lit.Str
	}
	return ""
}

// checkMessageKeys warns of the keys of n that are like one with a meaning.
func (l *lowerer) checkMessageKeys(n *ast.Message) {
	if len(n.Attrs) == 0 && len(n.Keys) == 0 {
		return
	}
	role := roleWord(n.Role)
	for i := range n.Attrs {
		if n.Attrs[i].Name == "role" {
			d := l.report("PCC239", n.Attrs[i].NameSpan, "the key `role` of a message has no effect beside its role").WithNames("role")
			d.Help = "the role is the word behind `message`: leave one of the two out"
			continue
		}
		l.checkMessageKey(n.Attrs[i].Name, n.Attrs[i].NameSpan, role)
	}
	for i := range n.Keys {
		l.checkMessageKey(n.Keys[i].Key, n.Keys[i].KeySpan, role)
	}
}

func (l *lowerer) checkMessageKey(key string, at source.Span, role string) {
	if l.warnings >= maxWarnings {
		return
	}
	near, ok := vm.NearMessageKey(&l.nearest, role, key)
	if !ok {
		return
	}
	d := l.report("PCC239", at, "the key `%s` of a message is like `%s`, and is passed on as it is", diag.ClipName(key), near).WithNames(key)
	d.Help = "did you mean `" + near + "`?"
	d.Fix = &diag.Fix{Span: at, Replacement: near}
}
