package vm

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// cell holds a variable that several functions share.
type cell struct{ v Value }

// unset is what a variable holds that was never set.
var unset = &Undefined{Unset: true}

// isUnset reports whether v is an unset variable or a parameter not given.
func (v Value) isUnset() bool { u, ok := v.ref.(*Undefined); return ok && u.Unset }

// registers are the state of the running function. The machine's loop keeps a
// pointer to the instruction itself, and sets pc where others read it.
type registers struct {
	fn    *Function
	code  []code.Instr // fn's
	pc    int
	slots []Value
	loops []loopState
	st    []Value
	out   []byte
}

// activation is what belongs to the running function besides its registers.
type activation struct {
	img     *Image
	ctx     *templateContext
	cells   []*cell
	closure *closure // nil for templates and blocks
	depth   int      // of a recursive loop, from 0
}

// returnKind tells what becomes of a function's output.
type returnKind uint8

const (
	returnWrite   returnKind = iota // it stays
	returnText                      // it is pushed as a string
	returnPrinted                   // it stays, since a placeholder comes next, and an empty string is pushed
	returnModule                    // it is kept in a module, which is pushed
)

// frame is a suspended caller.
type frame struct {
	registers
	activation
	kind     returnKind
	include  bool // counts against the include depth
	start    int  // where the callee's output begins
	captures int
	escape   bool // the caller's state of escaping
	label    string
}

// enter suspends the running function and starts fn of a.img.
func (m *machine) enter(r *registers, fn *Function, a activation, kind returnKind, include bool, label string) error {
	if include {
		if m.includes++; m.includes > m.env.limits.IncludeDepth {
			return &Error{Kind: "limit", Code: "PCC909", Msg: "templates are nested deeper than the limit allows"}
		}
	} else if len(m.calls)-m.includes >= m.env.limits.MacroDepth {
		return &Error{Kind: "limit", Code: "PCC913", Msg: "calls of macros, blocks and recursive loops are nested deeper than the limit allows"}
	}
	if err := m.env.Charge((fn.Slots+fn.MaxStack+fn.Loops*4)*valueSize + 256); err != nil {
		return err
	}
	fr := frame{registers: *r, activation: m.activation, kind: kind, include: include, start: len(r.out),
		captures: len(m.captures), escape: m.env.Autoescape, label: label}
	m.calls = append(m.calls, fr)
	if kind != returnWrite {
		m.captures = append(m.captures, len(r.out))
	}
	if n := fn.Cells; n > len(a.cells) {
		m.env.Owe(8 * n)
		cells := make([]*cell, n)
		copy(cells, a.cells)
		a.cells = cells
	}
	m.activation = a
	*r = registers{fn: fn, code: fn.Code, out: r.out}
	r.slots, r.loops, r.st = m.room(fn)
	return nil
}

// room returns the frame of a function, from those of finished calls where one
// is large enough.
func (m *machine) room(fn *Function) ([]Value, []loopState, []Value) {
	if n := len(m.spare) - 1; n >= 0 {
		s := m.spare[n]
		m.spare = m.spare[:n]
		if cap(s.slots) >= fn.Slots && cap(s.loops) >= fn.Loops && cap(s.st) >= fn.MaxStack {
			return s.slots[:fn.Slots], s.loops[:fn.Loops], s.st[:0]
		}
	}
	return make([]Value, fn.Slots), make([]loopState, fn.Loops), make([]Value, 0, fn.MaxStack)
}

// maxSpare is the number of finished frames that are kept for reuse.
const maxSpare = 16

// leave ends the running function and resumes its caller.
func (m *machine) leave(r *registers) error {
	fr := &m.calls[len(m.calls)-1]
	done := m.activation
	for i := range r.loops {
		r.loops[i].end()
	}
	clear(r.slots)
	clear(r.st[:cap(r.st)])
	if len(m.spare) < maxSpare {
		m.spare = append(m.spare, *r)
	}
	out := r.out
	*r, m.activation = fr.registers, fr.activation
	kind, start, escape := fr.kind, fr.start, fr.escape
	m.captures = m.captures[:fr.captures]
	if fr.include {
		m.includes--
	}
	*fr = frame{}
	m.calls = m.calls[:len(m.calls)-1]
	r.out = out
	if kind == returnWrite {
		m.env.Autoescape = escape
		return nil
	}
	if kind == returnPrinted && !m.env.Autoescape {
		m.env.Autoescape = escape
		r.st = append(r.st, String(""))
		return nil
	}
	if err := m.env.Charge(len(out) - start); err != nil {
		return err
	}
	text := String(string(out[start:]))
	if m.env.recorder != nil {
		m.out = out
		s, err := m.noteCapture(start)
		if err != nil {
			return err
		}
		text = String(s)
	}
	if m.env.Autoescape {
		s, _ := text.Str()
		text = Safe(s)
	}
	r.out = out[:start]
	m.env.Autoescape = escape
	if kind == returnModule {
		r.st = append(r.st, m.env.objectOf(&templateModule{ctx: done.ctx, name: done.img.Name, body: text}))
		return nil
	}
	r.st = append(r.st, text)
	return nil
}

// cellAt returns a cell of the running function, making it at first use.
func (m *machine) cellAt(i int32) *cell {
	if int(i) >= len(m.cells) {
		m.env.Owe(8 * m.needCells(i))
		cells := make([]*cell, m.needCells(i))
		copy(cells, m.cells)
		m.cells = cells
	}
	if m.cells[i] == nil {
		m.env.Owe(valueSize)
		m.cells[i] = &cell{UndefinedOf(unset)}
	}
	return m.cells[i]
}

func (m *machine) needCells(i int32) int { return int(i) + 1 }

// invoke calls f: code of a template by entering it, so that its output becomes
// what kind tells, everything else at once.
func (m *machine) invoke(r *registers, f Value, args []Value, names []string, kind returnKind) error {
	switch x := f.ref.(type) {
	case *closure:
		return m.callClosure(r, x, args, names, kind)
	case *LoopContext:
		return m.recurse(r, x, args, names, kind)
	case *blockReference:
		if len(args) > 0 {
			return m.env.Errorf("type", "a block takes no arguments")
		}
		return x.enter(m, r, kind)
	}
	v, err := m.env.Call(f, args, names)
	if err != nil {
		return err
	}
	r.st = append(r.st, v)
	return nil
}

// callClosure binds arguments to a macro's parameters, by the rules of
// jinja2.runtime.Macro, and enters it.
func (m *machine) callClosure(r *registers, c *closure, args []Value, names []string, kind returnKind) error {
	mac := c.macro
	positional := args[:len(args)-len(names)]
	named := keywords{names: names, values: args[len(positional):]}
	extra := positional[min(len(positional), len(mac.Params)):]
	bound := make([]Value, len(mac.Params), len(mac.Params)+3)
	n := copy(bound, positional)
	foundCaller := n == len(bound) && mac.ExplicitCaller
	for i := n; i < len(bound); i++ {
		v, ok := named.take(mac.Params[i])
		if !ok {
			v = UndefinedOf(unset)
		}
		bound[i] = v
		foundCaller = foundCaller || mac.Params[i] == "caller"
	}
	caller := Null
	if mac.Caller >= 0 && !foundCaller {
		v, ok := named.take("caller")
		if !ok || v.IsNull() {
			v = m.env.undefinedOf(&Undefined{Name: "caller", Message: "No caller defined"})
		}
		caller = v
	}
	rest := named.rest()
	switch {
	case mac.Kwargs < 0 && len(rest) > 0:
		if named.has("caller") {
			return wrongArguments(mac, "macro '%s' was invoked with two values for the special caller argument. This is most likely a bug.", mac.Name)
		}
		prefix := "macro '" + mac.Name + "' takes no keyword argument"
		err := KeywordError("type", prefix, prefix+" of that name", names[rest[0]])
		err.Help = macroParameters(mac)
		return err
	case mac.Varargs < 0 && len(extra) > 0:
		return wrongArguments(mac, "macro '%s' takes not more than %d argument(s)", mac.Name, len(mac.Params))
	}
	var varargs, kwargs Value
	if mac.Varargs >= 0 {
		if err := m.env.Hold(tupleSize + valueSize*len(extra)); err != nil {
			return err
		}
		varargs = TupleOf(append([]Value(nil), extra...))
	}
	if mac.Kwargs >= 0 {
		if err := m.env.Hold(mapSize); err != nil {
			return err
		}
		own := NewMap(0)
		for _, i := range rest {
			if _, err := m.env.Put(own, String(names[i]), named.values[i]); err != nil {
				return err
			}
		}
		kwargs = MapOf(own)
	}
	fn := &c.img.Functions[mac.Func]
	a := activation{img: c.img, ctx: c.ctx, cells: c.cells, closure: c}
	if err := m.enter(r, fn, a, kind, false, c.label); err != nil {
		return err
	}
	copy(r.slots, bound)
	if mac.Caller >= 0 && !foundCaller {
		r.slots[mac.Caller] = caller
	}
	if mac.Varargs >= 0 {
		r.slots[mac.Varargs] = varargs
	}
	if mac.Kwargs >= 0 {
		r.slots[mac.Kwargs] = kwargs
	}
	return nil
}

// keywords are the keyword arguments of a call, of which parameters take theirs.
type keywords struct {
	names  []string
	values []Value
	taken  []bool
	index  map[string]int // where there are many
}

// find returns the place of an argument that was not taken yet, or -1.
func (k *keywords) find(name string) int {
	const few = 8
	if len(k.names) == 0 {
		return -1
	}
	if k.taken == nil {
		k.taken = make([]bool, len(k.names))
		if len(k.names) > few {
			k.index = make(map[string]int, len(k.names))
			for i, n := range k.names {
				k.index[n] = i
			}
		}
	}
	i, ok := k.index[name]
	if k.index == nil {
		i = slices.Index(k.names, name)
		ok = i >= 0
	}
	if !ok || k.taken[i] {
		return -1
	}
	return i
}

func (k *keywords) has(name string) bool { return k.find(name) >= 0 }

func (k *keywords) take(name string) (Value, bool) {
	i := k.find(name)
	if i < 0 {
		return Null, false
	}
	k.taken[i] = true
	return k.values[i], true
}

// rest lists the places of the arguments that nothing took.
func (k *keywords) rest() []int {
	var rest []int
	for i := range k.names {
		if k.taken == nil || !k.taken[i] {
			rest = append(rest, i)
		}
	}
	return rest
}

// wrongArguments is the failure of a call whose arguments do not fit.
func wrongArguments(m *code.Macro, format string, args ...any) error {
	return &Error{Kind: "type", Msg: fmt.Sprintf(format, args...), Help: macroParameters(m)}
}

// macroParameters is the help line of calls that do not fit.
func macroParameters(m *code.Macro) string {
	if len(m.Params) == 0 {
		return "the macro has no parameters"
	}
	return "the macro's parameters are " + strings.Join(m.Params, ", ")
}

// recurse runs a recursive loop over the items of another iterable.
func (m *machine) recurse(r *registers, l *LoopContext, args []Value, names []string, kind returnKind) error {
	if l.self == nil {
		return &Error{Kind: "type", Msg: "The loop must have the 'recursive' marker to be called recursively.",
			Help: "write {% for … recursive %}"}
	}
	if len(args) != 1 || len(names) > 0 && names[0] != "iterable" {
		return m.env.Errorf("type", "loop() takes one argument, what to loop over")
	}
	return m.enterLoop(r, l.self, args[0], l.depth+1, kind)
}

func (m *machine) enterLoop(r *registers, c *closure, items Value, depth int, kind returnKind) error {
	a := activation{img: c.img, ctx: c.ctx, cells: c.cells, closure: c, depth: depth}
	if err := m.enter(r, &c.img.Functions[c.macro.Func], a, kind, false, "the recursive loop"); err != nil {
		return err
	}
	r.slots[0] = items
	return nil
}

// closure is a macro with the variables that it shares.
type closure struct {
	img   *Image
	ctx   *templateContext
	macro *code.Macro
	label string // for traces
	cells []*cell
}

func (m *machine) closureOf(i int32) *closure {
	mac := &m.img.Macros[i]
	m.env.Owe(objectSize + 8*len(mac.Captures))
	c := &closure{img: m.img, ctx: m.ctx, macro: mac, label: "the body of a call block"}
	if mac.Name != "" {
		c.label = "macro `" + mac.Name + "`"
	}
	if len(mac.Captures) > 0 {
		c.cells = make([]*cell, len(mac.Captures))
		for k, from := range mac.Captures {
			c.cells[k] = m.cellAt(from)
		}
	}
	return c
}

// TypeName implements Object.
func (*closure) TypeName(*Env) string { return "Macro" }

// Print implements Printer.
func (c *closure) Print(_ *Env, dst []byte, _ bool) ([]byte, error) {
	if c.macro.Name == "" {
		return append(dst, "<Macro anonymous>"...), nil
	}
	return append(append(append(dst, "<Macro "...), quotePython(c.macro.Name)...), '>'), nil
}

// Call implements Caller, so that the test `callable` holds. Builtins do not
// call back into templates.
func (c *closure) Call(e *Env, _ []Value, _ []string) (Value, error) {
	return Null, e.Errorf("runtime", "a macro can only be called by a template")
}

// Attr gives what a macro tells of itself.
func (c *closure) Attr(e *Env, name string) (Value, bool) {
	switch name {
	case "name":
		if c.macro.Name == "" {
			return Null, true
		}
		return String(c.macro.Name), true
	case "arguments":
		e.Owe(tupleSize + valueSize*len(c.macro.Params))
		items := make([]Value, len(c.macro.Params))
		for i, p := range c.macro.Params {
			items[i] = String(p)
		}
		return TupleOf(items), true
	case "catch_kwargs":
		return Bool(c.macro.Kwargs >= 0), true
	case "catch_varargs":
		return Bool(c.macro.Varargs >= 0), true
	case "caller":
		return Bool(c.macro.Caller >= 0), true
	case "explicit_caller":
		return Bool(c.macro.ExplicitCaller), true
	}
	return Null, false
}

// verifyMacros returns why the tables of macros and blocks are malformed, or "".
func verifyMacros(img *Image) string {
	for i := range img.Macros {
		mac := &img.Macros[i]
		if mac.Func < 0 || int(mac.Func) >= len(img.Functions) {
			return fmt.Sprintf("macro %d has no function", i)
		}
		fn := &img.Functions[mac.Func]
		for _, s := range []int32{int32(len(mac.Params)) - 1, mac.Caller, mac.Varargs, mac.Kwargs} {
			if int(s) >= fn.Slots || s < -1 {
				return fmt.Sprintf("macro %d has no room for its parameters", i)
			}
		}
		if mac.Recursive && fn.Slots == 0 || len(mac.Captures) > fn.Cells {
			return fmt.Sprintf("macro %d has no room for what it is given", i)
		}
		for _, c := range mac.Captures {
			if c < 0 || !slices.ContainsFunc(img.Functions, func(f Function) bool { return int(c) < f.Cells }) {
				return fmt.Sprintf("macro %d captures cells that are not there", i)
			}
		}
	}
	for i := range img.Blocks {
		if b := &img.Blocks[i]; b.Func < 0 || int(b.Func) >= len(img.Functions) {
			return fmt.Sprintf("block %d has no function", i)
		}
	}
	return ""
}

// maxTraced is the number of calls that a trace lists, from either end.
const maxTraced = 8

// callers tells the calls that led to the running function, outermost first.
func (m *machine) callers() (t []string) {
	for i := range m.calls {
		if i >= maxTraced && i < len(m.calls)-maxTraced {
			if i == maxTraced {
				t = append(t, "…")
			}
			continue
		}
		fr := &m.calls[i]
		if site, span, ok := placeOf(fr.img, fr.fn, fr.pc-1); ok {
			p := site.File.Position(span.Start)
			t = append(t, fmt.Sprintf("%s, from %s:%d:%d", fr.label, site.File.Name, p.Line, p.Column))
		}
	}
	return t
}

// placeOf finds the source of an instruction.
func placeOf(img *Image, fn *Function, pc int) (*code.Site, source.Span, bool) {
	i := sort.Search(len(fn.Spans), func(i int) bool { return int(fn.Spans[i].PC) > pc }) - 1
	if i < 0 {
		return nil, source.Span{}, false
	}
	return &img.Sites[fn.Spans[i].Site], fn.Spans[i].Span, true
}

// traced adds to the errors of a template that was loaded while rendering how
// it came to be loaded. The errors are shared by all renders: copies are made.
func (m *machine) traced(err error) error {
	site, index, span := m.where()
	if site == nil {
		return err
	}
	p := site.File.Position(span.Start)
	trace := append(m.trace(index), fmt.Sprintf("loaded from %s:%d:%d", site.File.Name, p.Line, p.Column))
	with := func(d *diag.Diagnostic) *diag.Diagnostic {
		own := *d
		own.Trace = append(slices.Clone(trace), d.Trace...)
		return &own
	}
	switch e := err.(type) {
	case *diag.Diagnostic:
		return with(e)
	case diag.List:
		own := make(diag.List, len(e))
		for i, d := range e {
			own[i] = with(d)
		}
		return own
	}
	return err
}
