package vm

import (
	"fmt"
)

// TypeName implements Object, so that a builtin can be a value.
func (*Builtin) TypeName(*Env) string { return "function" }

// Call implements Caller.
func (b *Builtin) Call(e *Env, args []Value, names []string) (Value, error) {
	return e.CallBuiltin(b, args, names)
}

// Print implements Printer.
func (b *Builtin) Print(_ *Env, dst []byte, _ bool) ([]byte, error) {
	return append(append(append(dst, "<function "...), b.Name...), '>'), nil
}

// boundMethod is a method together with the value that it was read from.
type boundMethod struct {
	self   Value
	method *Builtin
}

// TypeName implements Object.
func (*boundMethod) TypeName(*Env) string { return "builtin_function_or_method" }

// Call implements Caller.
func (m *boundMethod) Call(e *Env, args []Value, names []string) (Value, error) {
	base := len(e.args)
	all := e.pushArgs(len(args) + 1)
	all[0] = m.self
	copy(all[1:], args)
	v, err := e.CallBuiltin(m.method, all, names)
	e.dropArgs(base)
	return v, err
}

// Print implements Printer.
func (m *boundMethod) Print(e *Env, dst []byte, _ bool) ([]byte, error) {
	dst = append(append(append(dst, "<built-in method "...), m.method.Name...), " of "...)
	return append(append(dst, e.TypeName(m.self)...), " object>"...), nil
}

// Call calls f: an object that can be called, a builtin, a bound method. The
// last len(names) arguments are keyword arguments of these names.
func (e *Env) Call(f Value, args []Value, names []string) (v Value, err error) {
	switch x := f.ref.(type) {
	case *Builtin:
		return e.CallBuiltin(x, args, names)
	case Caller:
		return e.callObject(x, args, names)
	case *Undefined:
		return Value{}, e.undefinedError(f)
	}
	t := e.TypeName(f)
	return Value{}, e.fail("type", "'"+t+"' object is not callable", t+" cannot be called: it is no function")
}

func (e *Env) callObject(x Caller, args []Value, names []string) (v Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = Value{}, panicError("a call", r)
		}
	}()
	if v, err = x.Call(e, args, names); err != nil {
		err = e.nameMissing(err, args)
	}
	return v, err
}

// CallMethod calls the method name of v; the fast way for x.name(…), without a
// bound method in between. It falls back on Attr and Call where name is no
// method.
func (e *Env) CallMethod(v Value, name string, args []Value, names []string) (Value, error) {
	f, err := e.Attr(v, name)
	if err != nil {
		return Value{}, err
	}
	return e.Call(f, args, names)
}

// CallBuiltin binds args to b's parameters, fills in defaults and calls it.
// The last len(names) arguments are keyword arguments of these names. Panics
// of b become errors; functions of the caller's (Builtin.User) run on a
// goroutine of their own, so that neither runtime.Goexit nor blocking for ever
// takes the render with it.
func (e *Env) CallBuiltin(b *Builtin, args []Value, names []string) (Value, error) {
	base := len(e.args)
	bound, err := e.boundArgs(b, args, names)
	if err != nil {
		return Value{}, err
	}
	if b.User {
		own := append([]Value(nil), bound...)
		e.dropArgs(base)
		return e.isolated(b.Name, func(c *Env) (Value, error) { return b.Fn(c, own) })
	}
	return e.contained(b, b.Fn, bound, base)
}

// boundArgs binds the arguments of a call; they lie on the stack of arguments.
func (e *Env) boundArgs(b *Builtin, args []Value, names []string) ([]Value, error) {
	base := len(e.args)
	if err := e.resolve(args); err != nil {
		return nil, err
	}
	bound, err := e.bind(b, args, names)
	if err == nil && !b.TakesUndefined && len(bound) > 0 && b.Params[0].Kind == Required && e.strict(bound[0]) {
		err = e.undefinedError(bound[0])
	}
	if err != nil {
		e.dropArgs(base)
	}
	return bound, err
}

// pushArgs makes room for n arguments, nulls, on the stack of arguments: a
// slice of its own for each call cost more than most calls.
func (e *Env) pushArgs(n int) []Value {
	base := len(e.args)
	if cap(e.args)-base < n { // what runs keeps its arguments in the old array
		e.args = append(make([]Value, 0, max(2*cap(e.args), base+n, 16)), e.args...)
	}
	e.args = e.args[:base+n]
	return e.args[base : base+n : base+n]
}

// dropArgs takes all arguments above base off the stack.
func (e *Env) dropArgs(base int) {
	if len(e.args) > base {
		clear(e.args[base:])
		e.args = e.args[:base]
	}
}

// contained calls a builtin of ours; a panic in it is a bug that must not take
// the process down.
func (e *Env) contained(b *Builtin, fn Func, args []Value, base int) (v Value, err error) {
	defer func() {
		e.dropArgs(base)
		if r := recover(); r != nil {
			v, err = Value{}, panicError(b.Name, r)
		}
	}()
	v, err = fn(e, args)
	if e.stopped {
		return Value{}, e.ended
	}
	if err != nil {
		err = e.nameMissing(err, args)
	}
	return v, err
}

// mapped calls a builtin of ours that has a way for one string alone. A panic in
// it ends the render as well, with a message that does not name the builtin.
func (e *Env) mapped(b *Builtin, s string, safe bool) (Value, error) {
	s, err := b.Text(e, s)
	if e.stopped {
		err = e.ended
	}
	if err != nil {
		return Value{}, err
	}
	if safe {
		return Safe(s), nil
	}
	return String(s), nil
}

// panicError tells of a panic by the type of its value only: the value itself
// may hold data.
func panicError(where string, r any) error {
	return &Error{Kind: "runtime", Code: "PCC302", Msg: fmt.Sprintf("%s panicked (%T)", where, r)}
}

// isolated runs fn on a goroutine of its own with a copy of the environment,
// whose budgets are taken over when it returns. Where the render is cancelled
// first, it is left behind: Go cannot stop it, but it holds nothing of ours.
func (e *Env) isolated(where string, fn func(*Env) (Value, error)) (Value, error) {
	type outcome struct {
		v   Value
		err error
	}
	c := *e
	// The goroutine may outlive the render: it reads what was decoded before it, which
	// nobody writes to meanwhile, and writes to a map of its own.
	c.rawCache, c.unprinted, c.lacks, c.growing = e.rawCache.above(), nil, nil, nil
	nested := c.enclose()
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		returned := false
		defer func() {
			if !returned {
				if r := recover(); r != nil {
					o = outcome{err: panicError(where, r)}
				} else {
					o = outcome{err: &Error{Kind: "runtime", Msg: where + " ended its goroutine (runtime.Goexit)"}}
				}
			}
			done <- o
		}()
		c.args = nil // this goroutine may live on after the render
		o.v, o.err = fn(&c)
		returned = true
	}()
	var cancelled <-chan struct{}
	if e.Ctx != nil {
		cancelled = e.Ctx.Done()
	}
	select {
	case o := <-done:
		steps, memory := nested.used(e)
		e.steps, e.memory = c.steps-steps, c.memory-memory
		e.stopped, e.ended = c.stopped, c.ended
		return o.v, o.err
	case <-cancelled:
		return Value{}, e.poll()
	}
}
