package vm

import (
	"fmt"

	"github.com/pcc-lang/pcc/internal/code"
)

// jinja executes the opcodes that only Jinja's statements need. They are off
// the machine's main loop, which hands its registers over.
func (m *machine) jinja(r *registers, ins *code.Instr) error {
	top := len(r.st) - 1
	pop := func() Value {
		v := r.st[top]
		r.st = r.st[:top]
		top--
		return v
	}
	push := func(v Value) { r.st = append(r.st, v) }
	switch ins.Op {
	case code.OpResolve:
		push(m.resolve(ins.Key))

	case code.OpCell:
		push(m.cellAt(ins.A).v)

	case code.OpSetCell:
		m.cellAt(ins.A).v = pop()

	case code.OpGiven:
		if !r.slots[ins.A].isUnset() {
			r.pc = int(ins.Target)
		}

	case code.OpClosure:
		push(ObjectOf(m.closureOf(ins.A)))

	case code.OpCallSpread:
		kwargs, list := pop(), pop()
		f := pop()
		args, names, err := m.env.spread(list, kwargs)
		if err != nil {
			return err
		}
		return m.invoke(r, f, args, names, m.printedKind())

	case code.OpExtend:
		if _, is := r.st[top-1].ref.(*Map); is {
			return m.merge(r)
		}
		items, err := m.env.Items(r.st[top])
		if err != nil {
			return err
		}
		r.st = r.st[:top]
		if err := m.env.Charge(len(items) * valueSize); err != nil {
			return err
		}
		l := r.st[top-1].ref.(*List)
		l.Items = append(l.Items, items...)

	case code.OpAppend:
		if err := m.env.Charge(2 * valueSize); err != nil {
			return err
		}
		l := r.slots[ins.A].ref.(*List)
		l.Items = append(l.Items, pop())

	case code.OpUnpack:
		items, err := m.unpack(pop(), int(ins.N))
		if err != nil {
			return err
		}
		for i := len(items) - 1; i >= 0; i-- {
			push(items[i])
		}

	case code.OpSetAttr:
		target, v := pop(), pop()
		if err := m.env.CheckSettable(target); err != nil {
			return err
		}
		if err := m.env.Charge(entryRoom); err != nil {
			return err
		}
		target.ref.(AttrSetter).SetAttr(ins.Key, v)

	case code.OpSafe:
		s, ok := r.st[top].Str()
		switch {
		case !ok:
		case ins.N == 2:
			r.st[top] = String(s)
		case ins.N == 1 || m.env.Autoescape:
			r.st[top] = Safe(s)
		}

	case code.OpAutoescape:
		on, err := m.env.Truth(r.st[top])
		if err != nil {
			return err
		}
		r.st = r.st[:top]
		r.slots[ins.A] = Bool(m.env.Autoescape)
		m.env.Autoescape = on

	case code.OpExport:
		return m.export(ins.Key, pop())

	default:
		return m.jinjaTemplates(r, ins)
	}
	return nil
}

// jinjaTemplates executes the opcodes that deal with other templates.
func (m *machine) jinjaTemplates(r *registers, ins *code.Instr) error {
	top := len(r.st) - 1
	switch ins.Op {
	case code.OpInclude:
		return m.include(r, ins)
	case code.OpImport:
		return m.importTemplate(r, ins)
	case code.OpImportName:
		r.st = append(r.st, m.importName(r.st[top], ins.Key))
	case code.OpExtends:
		name := r.st[top]
		r.st = r.st[:top]
		return m.extends(name)
	case code.OpExtended:
		if m.ctx != nil && m.ctx.parent != nil {
			r.pc = int(ins.Target)
		}
	case code.OpBlock:
		return m.block(r, ins)
	case code.OpFinish:
		return m.finishTemplate(r)
	default:
		if ins.Op&traced != 0 && m.env.recorder != nil {
			return m.note(ins)
		}
		return &Error{Kind: "runtime", Code: "PCC399", Msg: "invalid instruction"}
	}
	return nil
}

// CheckSettable fails unless attributes of v can be set.
func (e *Env) CheckSettable(v Value) error {
	if _, ok := v.ref.(AttrSetter); !ok {
		return e.Errorf("runtime", "cannot assign attribute on non-namespace object")
	}
	return nil
}

// spread returns the arguments in a list and a map, as a call takes them.
func (e *Env) spread(list, kwargs Value) (args []Value, names []string, err error) {
	n, named := len(list.ref.(*List).Items), kwargs.ref.(*Map).Len()
	if err := e.Charge(valueSize*(n+named) + 16*named); err != nil {
		return nil, nil, err
	}
	args = append(args, list.ref.(*List).Items...)
	km := kwargs.ref.(*Map)
	for i := range km.Len() {
		k, v := km.At(i)
		name, _ := k.Str()
		args, names = append(args, v), append(names, name)
	}
	return args, names, nil
}

// merge adds `**m` to the keyword arguments of a call.
func (m *machine) merge(r *registers) error {
	top := len(r.st) - 1
	from, into := r.st[top], r.st[top-1].ref.(*Map)
	r.st = r.st[:top]
	if from.IsUndefined() {
		return m.env.undefinedError(from)
	}
	if from.Kind() != KindMap && !from.IsMapping() {
		return m.env.Errorf("type", "argument after ** must be a mapping, not %s", m.env.TypeName(from))
	}
	en, err := m.env.Entries(from)
	if err != nil {
		return err
	}
	for i := range en.Len() {
		if err := m.env.Step(1); err != nil {
			return err
		}
		k, v := en.At(i)
		name, ok := k.Str()
		if !ok {
			return m.env.Errorf("type", "keywords must be strings")
		}
		if _, twice := into.Get(name); twice {
			return m.env.Errorf("type", "got multiple values for a keyword argument")
		}
		if _, err := m.env.Put(into, k, v); err != nil {
			return err
		}
	}
	return nil
}

// unpack returns the n items of v.
func (m *machine) unpack(v Value, n int) ([]Value, error) {
	var items []Value
	if t, ok := v.Tuple(); ok {
		items = t.Items
	} else if l, ok := v.List(); ok {
		items = l.Items
	} else {
		it, err := m.env.Iterate(v)
		if err != nil {
			if e, ok := err.(*Error); ok && e.Kind == "type" {
				e.Msg = fmt.Sprintf("cannot unpack non-iterable %s object", m.env.TypeName(v))
			}
			return nil, err
		}
		for len(items) <= n {
			x, ok, err := it.Next()
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			items = append(items, x)
		}
	}
	switch {
	case len(items) < n:
		return nil, m.env.Errorf("value", "not enough values to unpack (expected %d, got %d)", n, len(items))
	case len(items) > n:
		return nil, m.env.Errorf("value", "too many values to unpack (expected %d)", n)
	}
	return items, nil
}

// escape escapes a value that is printed, by a rule that is not EscapeNever.
func (m *machine) escape(v Value, rule code.EscapeRule) (Value, error) {
	if rule == code.EscapeAlways || m.env.Autoescape {
		return m.env.Escape(v)
	}
	return v, nil
}

// span notes where generated text begins and ends in the output. Inside a
// capture the place is not known yet.
func (m *machine) span(at int, begins bool) {
	if !m.report {
		return
	}
	if begins {
		m.spans = append(m.spans, [2]int{at - m.base, -1})
		return
	}
	for i := len(m.spans) - 1; i >= 0; i-- {
		if m.spans[i][1] < 0 {
			m.spans[i][1] = at - m.base
			return
		}
	}
}
