package vm

import (
	"strconv"

	"github.com/pcc-lang/pcc/internal/code"
)

// LoopContext is Jinja's `loop` as a value. While its loop runs it reads the
// loop's own state, so that an inner loop sees where an outer one is.
type LoopContext struct {
	state *loopState
	depth int
	self  *closure // of a recursive loop
	last  Value    // what changed() saw last, a tuple
}

// loopSize is what a loop's object takes, with its copy of the loop's state.
const loopSize = 320

// context returns the loop's object, made at first use.
func (m *machine) loopContext(ls *loopState) *LoopContext {
	if ls.ctx == nil {
		m.env.Owe(loopSize)
		ls.ctx = &LoopContext{state: ls, depth: m.depth}
		ls.other = true
		if c := m.closure; c != nil && c.macro.Recursive {
			ls.ctx.self = c
		}
	}
	return ls.ctx
}

// end lets go of the items. An object that was made of the loop keeps a copy.
func (ls *loopState) end() {
	if c := ls.ctx; c != nil {
		kept := *ls
		kept.i = min(kept.i, kept.n-1)
		c.state = &kept
		ls.ctx = nil
	}
	ls.i, ls.n = 0, 0
}

// TypeName implements Object.
func (*LoopContext) TypeName(*Env) string { return "LoopContext" }

// Len implements Lener.
func (l *LoopContext) Len() int { return l.state.n }

// Iterate gives the items that are left, each with the loop itself, which they
// move on: the object is the iterator of its own loop.
func (l *LoopContext) Iterate() *Iterator { return l.iterate(nil) }

func (l *LoopContext) iterate(e *Env) *Iterator {
	return &Iterator{Name: "LoopContext", Next: func() (Value, bool, error) {
		if l.state.i+1 >= l.state.n {
			return Null, false, nil
		}
		l.state.i++
		e.Owe(tupleSize + 2*valueSize)
		return TupleOf([]Value{l.state.at(l.state.i), ObjectOf(l)}), true, nil
	}}
}

// Print implements Printer.
func (l *LoopContext) Print(_ *Env, dst []byte, _ bool) ([]byte, error) {
	dst = strconv.AppendInt(append(dst, "<LoopContext "...), int64(l.state.i+1), 10)
	dst = strconv.AppendInt(append(dst, '/'), int64(l.state.n), 10)
	return append(dst, '>'), nil
}

// Call implements Caller; templates call loops through the machine.
func (l *LoopContext) Call(e *Env, _ []Value, _ []string) (Value, error) {
	return Null, e.Errorf("type", "The loop must have the 'recursive' marker to be called recursively.")
}

// Attr gives the fields and methods of `loop`.
func (l *LoopContext) Attr(e *Env, name string) (Value, bool) {
	for f, n := range code.LoopFieldNames {
		if n == name {
			return l.state.field(code.LoopField(f)), true
		}
	}
	switch name {
	case "depth":
		return Int(int64(l.depth + 1)), true
	case "depth0":
		return Int(int64(l.depth)), true
	case "previtem":
		return l.neighbour(e, -1, "there is no previous item"), true
	case "nextitem":
		return l.neighbour(e, 1, "there is no next item"), true
	case "cycle", "changed":
		return e.objectOf(&loopMethod{l, name}), true
	}
	return Null, false
}

func (l *LoopContext) neighbour(e *Env, by int, none string) Value {
	i := l.state.i + by
	if i < 0 || i >= l.state.n {
		return e.undefinedOf(&Undefined{Message: none})
	}
	return l.state.at(i)
}

// loopMethod is loop.cycle or loop.changed.
type loopMethod struct {
	loop *LoopContext
	name string
}

// TypeName implements Object.
func (*loopMethod) TypeName(*Env) string { return "method" }

// Print implements Printer.
func (f *loopMethod) Print(_ *Env, dst []byte, _ bool) ([]byte, error) {
	return append(append(append(dst, "<bound method LoopContext."...), f.name...), '>'), nil
}

// Call implements Caller.
func (f *loopMethod) Call(e *Env, args []Value, names []string) (Value, error) {
	if len(names) > 0 {
		msg := "LoopContext." + f.name + "() got an unexpected keyword argument"
		return Null, KeywordError("type", msg, msg, names[0])
	}
	l := f.loop
	if f.name == "cycle" {
		if len(args) == 0 {
			return Null, e.Errorf("type", "no items for cycling given")
		}
		return args[l.state.i%len(args)], nil
	}
	if err := e.Charge(tupleSize + valueSize*len(args)); err != nil {
		return Null, err
	}
	now := TupleOf(append([]Value(nil), args...))
	if !l.last.IsNull() {
		same, err := e.Equal(l.last, now)
		if err != nil || same {
			return Bool(false), err
		}
	}
	l.last = now
	return Bool(true), nil
}
