package vm

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/pcc-lang/pcc/ast/diag"
)

// A function of the host may render a template in its turn, with the context
// that it finds in Env.Ctx. That context carries how deep such renders are
// nested and what is left of the outermost render's budgets, so that a program
// which renders itself through a filter ends as one which calls its own macro.

// nestedContext is the context that a function of the host is called with.
type nestedContext struct {
	context.Context
	depth int
	// What is left to renders within the call.
	steps, memory atomic.Int64
}

type nestedKey struct{}

// Value implements context.Context.
func (n *nestedContext) Value(key any) any {
	if key == (nestedKey{}) {
		return n
	}
	return n.Context.Value(key)
}

// enclose gives e, a copy for a function of the host, such a context.
func (e *Env) enclose() *nestedContext {
	n := &nestedContext{Context: e.Ctx, depth: 1}
	if n.Context == nil {
		n.Context = context.Background()
	}
	if e.outer != nil {
		n.depth = e.outer.depth + 1
	}
	n.steps.Store(e.steps)
	n.memory.Store(e.memory)
	e.Ctx = n
	return n
}

// used is what renders within the call took of the budgets given to it.
func (n *nestedContext) used(given *Env) (steps, memory int64) {
	return given.steps - n.steps.Load(), given.memory - n.memory.Load()
}

// within bounds a render that a function of the host makes by what is left of
// the one that called it.
func (m *machine) within(ctx context.Context) {
	n, _ := ctx.Value(nestedKey{}).(*nestedContext)
	if n == nil {
		return
	}
	e := &m.env
	e.outer = n
	m.optioned = true // so that release forgets it
	if n.depth > e.limits.MacroDepth {
		e.refused = &Error{Kind: "limit", Code: "PCC913", Msg: "renders are nested in one another deeper than the limit allows"}
	}
	e.lowerTo(n)
}

func (e *Env) lowerTo(n *nestedContext) {
	e.steps, e.memory = min(e.steps, n.steps.Load()), min(e.memory, n.memory.Load())
	e.givenSteps, e.givenMemory = e.steps, e.memory
}

// settleNested takes what a nested render used from the outer one's budgets.
func (e *Env) settleNested() {
	e.outer.steps.Add(e.steps - e.givenSteps)
	e.outer.memory.Add(e.memory - e.givenMemory)
}

// LimitOf returns the failure of a render that a function of the host made, if
// a limit or the context ended it, so that it ends the outer render alike; else
// nil.
func LimitOf(err error) *Error {
	d := &diag.Diagnostic{}
	if !errors.As(err, &d) || d.Kind != "limit" && d.Kind != "cancelled" {
		return nil
	}
	return &Error{Kind: d.Kind, Code: string(d.Code), Msg: d.Message, Help: d.Help, Cause: d.Cause}
}
