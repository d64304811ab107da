package compiler

import (
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// This file warns of misspelt keys of messages: a message may have any key, so that
// a wrong one goes out to the model's provider, and what it was meant for is lost.

// The keys of messages that have a meaning for readers and writers of requests: of
// any message, and those of one role.
var (
	keysOfAny       = []string{"role", "content", "name", "cache"}
	keysOfAssistant = append(slices.Clone(keysOfAny), "tool_calls", "reasoning", "reasoning_content", "refusal", "audio")
	keysOfTool      = append(slices.Clone(keysOfAny), "tool_call_id", "is_error")
	keysOfComputed  = append(slices.Clone(keysOfAssistant), "tool_call_id", "is_error")
)

// messageKeyNames are the keys that a message of the role e may be meant to have.
func messageKeyNames(e ast.Expr) []string {
	lit, ok := e.(*ast.Literal)
	if !ok || lit.Kind != ast.StringLit {
		return keysOfComputed
	}
	switch lit.Str {
	case "assistant":
		return keysOfAssistant
	case "tool":
		return keysOfTool
	}
	return keysOfAny
}

// checkMessageKeys warns of the keys of n that are like one with a meaning.
func (l *lowerer) checkMessageKeys(n *ast.Message) {
	if len(n.Attrs) == 0 && len(n.Keys) == 0 {
		return
	}
	known := messageKeyNames(n.Role)
	for i := range n.Attrs {
		if n.Attrs[i].Name == "role" {
			d := l.report("PCC239", n.Attrs[i].NameSpan, "the key `role` of a message has no effect beside its role").WithNames("role")
			d.Help = "the role is the word behind `message`: leave one of the two out"
			continue
		}
		l.checkMessageKey(n.Attrs[i].Name, n.Attrs[i].NameSpan, known)
	}
	for i := range n.Keys {
		l.checkMessageKey(n.Keys[i].Key, n.Keys[i].KeySpan, known)
	}
}

func (l *lowerer) checkMessageKey(key string, at source.Span, known []string) {
	if slices.Contains(keysOfComputed, key) || l.warnings >= maxWarnings {
		return
	}
	near, ok := l.nearest.Find(key, func() []string { return known })
	if !ok {
		return
	}
	d := l.report("PCC239", at, "the key `%s` of a message is like `%s`, and is passed on as it is", diag.ClipName(key), near).WithNames(key)
	d.Help = "did you mean `" + near + "`?"
	d.Fix = &diag.Fix{Span: at, Replacement: near}
}
