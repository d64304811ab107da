package compiler

import (
	"github.com/pcc-lang/pcc/internal/code"
)

// This file tells what a missing name means in the head of a block. Heads take
// it as null, so that a misspelt name would leave out the section in silence.

// inHead lowers the head of a block.
func (l *lowerer) inHead(lower func()) {
	outer := l.head
	l.head = true
	lower()
	l.head = outer
}

// headRule is what a render does where the data lacks the variable that a path
// of these keys begins with. Inside bare loops the name may as well be a field
// that only some items have.
func (l *lowerer) headRule(keys []string, bare bool) code.HeadRule {
	if !l.head || l.guard > 0 || l.dialect.UndefinedObjects() || l.contract[keys[0]] {
		return code.HeadSilent
	}
	fails := l.cfg.strict
	if l.policy != nil {
		fails = *l.policy == code.Fail
	}
	if fails && !bare {
		return code.HeadFails
	}
	return code.HeadWarns
}
