package vm

import (
	"strings"

	"github.com/pcc-lang/pcc/internal/code"
)

// This file holds what the machine does off its fast path.

// emit writes text, then v as placeholder o prints it.
func (m *machine) emit(out []byte, text string, o *Out, v Value) ([]byte, error) {
	if o.Part != code.PartNone && !v.isPlainText() {
		return m.emitPart(out, text, o, v)
	}
	s, is := plainString(v)
	if !is {
		if m.env.unprinted != nil {
			m.env.unprinted.note(v.ref)
			m.warnUnprinted(o.Site, o.Span)
		}
		if v = m.env.resolved(v); m.env.stopped {
			return out, m.env.ended
		}
		if o.Parts {
			if is, err := m.partsInside(v); is || err != nil {
				return out, err
			}
			m.noteNearParts(o, v)
		}
		s, is = v.Str()
	}
	if is && o.Plain && !m.env.Autoescape {
		if len(s) >= bulkBytes {
			if err := m.env.Step(len(s) >> 6); err != nil {
				return out, err
			}
			return m.bulk(out, text, s)
		}
		out, err := m.appendText(out, text)
		if err != nil {
			return out, err
		}
		return m.appendText(out, s)
	}
	out, err := m.appendText(out, text)
	if err != nil {
		return out, err
	}
	if !m.env.Dialect.UndefinedObjects() {
		if u := v.Undef(); u != nil {
			return m.emitMissing(out, o, u)
		}
		if o.KeepNull && v.IsNull() {
			return m.emitMissing(out, o, &Undefined{Name: o.Name, Pos: uint32(o.Span.Start), Site: o.Site})
		}
	} else if m.report && (len(m.scopes) > 0 || m.img.Strict) {
		m.noteBlank(v, o)
	}
	start := len(out)
	out, err = m.env.AppendStr(out, v, o.Style)
	if err != nil {
		return out[:start], err
	}
	if m.env.unprinted != nil {
		m.warnUnprinted(o.Site, o.Span)
	}
	if o.Indent != "" {
		if out, err = m.indent(out, start, o.Indent); err != nil {
			return out, err
		}
	}
	return m.fit(out) // AppendStr knows no limit
}

// indent puts prefix before each line of out[start:] but the first and blank
// ones.
func (m *machine) indent(out []byte, start int, prefix string) ([]byte, error) {
	s := string(out[start:])
	if !strings.Contains(s, "\n") {
		return out, nil
	}
	if err := m.env.Charge(len(s)); err != nil {
		return out, err
	}
	out = out[:start]
	first := true
	var pace Pace
	for line := range strings.SplitAfterSeq(s, "\n") {
		if pace.Stopped(&m.env, len(line)+16) {
			return out, m.env.StopError()
		}
		var err error
		if !first && strings.TrimSpace(line) != "" {
			if out, err = m.appendText(out, prefix); err != nil {
				return out, err
			}
		}
		if out, err = m.appendText(out, line); err != nil {
			return out, err
		}
		first = false
	}
	return out, nil
}

// emitMissing does what the placeholder's policy says of a missing value.
func (m *machine) emitMissing(out []byte, o *Out, u *Undefined) ([]byte, error) {
	switch o.Policy {
	case code.Keep:
		if m.report {
			m.keep(u, o)
		}
		return m.appendText(out, o.Raw)
	case code.Fail:
		if u.Owner != "" || u.Name == "" { // made while rendering: it stands nowhere
			u = &Undefined{Name: o.Name, Pos: uint32(o.Span.Start), Site: o.Site}
		}
		m.miss(u, u.Site) // which may be another file's, that handed it on
	}
	return out, nil
}

// keep notes a kept placeholder for the report, once for each place.
func (m *machine) keep(u *Undefined, o *Out) {
	if !m.firstAt(place{o.Site, uint32(o.Span.Start)}) {
		return
	}
	x := missing{name: u.Name, pos: uint32(o.Span.Start), site: o.Site, raw: o.Raw}
	x.near, _ = m.near(u)
	m.kept = append(m.kept, x)
}

// firstAt reports whether nothing was noted at a place before.
func (m *machine) firstAt(at place) bool {
	if m.keptAt[at] {
		return false
	}
	if m.keptAt == nil {
		m.keptAt = map[place]bool{}
	}
	m.keptAt[at] = true
	return true
}

// place is a position in a file of the image.
type place struct {
	site int32
	pos  uint32
}

// missing is a name that had no value.
type missing struct {
	name string
	near string // a known name like it, "" where there is none
	raw  string // of a kept placeholder: its source text
	// trace is the way to the place, at the time when the name was missed.
	trace []string
	head  bool // it is in the head of a block
	// compared: the head compares with this lone name.
	compared bool
	pos      uint32
	site     int32
}

// maxMissing bounds the list of missing names of one render.
const maxMissing = 64

// miss records a missing name once for each place.
func (m *machine) miss(u *Undefined, site int32) {
	for _, x := range m.missing {
		if x.pos == u.Pos && x.site == site {
			return
		}
	}
	if len(m.missing) < maxMissing {
		x := missing{name: u.Name, pos: u.Pos, site: site, trace: m.trace(site), head: u.Head != code.HeadSilent, compared: u.Compared}
		x.near, _ = m.near(u)
		m.missing = append(m.missing, x)
	}
}

// global resolves a variable: the data, then default data, then, in Python's
// dialects, their own globals. Native functions are no variables.
func (m *machine) global(name string) (Value, bool) {
	if m.root != nil {
		if x, ok := m.root[name]; ok {
			return Of(x), true
		}
	} else if v, ok := m.env.lookup(m.data(), name); ok {
		return v, true
	}
	if other, is := m.img.Spelled[name]; is {
		if v, ok := m.env.lookup(m.data(), other); ok {
			return v, true
		}
	}
	if m.img.Defaults != nil && len(m.scopes) == 0 {
		if v, ok := m.img.Defaults.Get(name); ok {
			return m.markTrusted(m.ownGlobal(name, v)), true
		}
	}
	if !m.env.Dialect.FunctionsAreVariables() {
		return Null, false
	}
	v, ok := m.env.Dialect.Globals[name]
	if ok && m.ownGlobals != nil {
		v = m.ownGlobal(name, v)
	}
	return m.markTrusted(v), ok
}

// rootPath resolves a path that starts at a variable.
func (m *machine) rootPath(p *Path) (Value, error) {
	v, ok := m.global(p.Keys[0])
	if !ok {
		if !m.env.Dialect.UndefinedObjects() {
			if p.Undef.Head != code.HeadSilent {
				m.missHead(p.Undef)
			}
			return UndefinedOf(p.Undef), nil
		}
		v = m.env.undefinedOf(&Undefined{Name: p.Keys[0], Pos: p.Undef.Pos})
	}
	return m.follow(v, p, 1)
}

// path resolves a path that starts at a slot's value.
func (m *machine) path(v Value, p *Path) (Value, error) { return m.follow(v, p, 0) }

func (m *machine) follow(v Value, p *Path, from int) (Value, error) {
	for i := from; i < len(p.Keys); i++ {
		// No key of a path is the name of a method, see pathable in package compiler.
		if next, ok, _ := member(v, p.Keys[i]); ok {
			v = next
			continue
		}
		if !m.env.Dialect.AttributesFirst() {
			next, ok := m.lookup(v, p.Keys[i])
			if !ok {
				if m.env.stopped {
					return Null, m.env.ended
				}
				if p.Undef.Key && m.report {
					m.missKey(p.Undef)
				}
				return UndefinedOf(p.Undef), nil
			}
			v = next
			continue
		}
		var err error
		if p.Item[i] {
			v, err = m.env.ConstItem(v, String(p.Keys[i]))
		} else {
			v, err = m.env.Attr(v, p.Keys[i])
		}
		if err != nil {
			return Null, err
		}
	}
	return v, nil
}

// lookup is Lookup of a template's name, in either of its spellings.
func (m *machine) lookup(v Value, name string) (Value, bool) {
	x, ok := m.env.lookup(v, name)
	if !ok && m.img.Spelled != nil {
		if other, is := m.img.Spelled[name]; is {
			return m.env.lookup(v, other)
		}
	}
	return x, ok
}

// vars is the root map as a value: the data, with default data behind it.
func (m *machine) vars() (Value, error) {
	if m.img.Defaults == nil || m.img.Defaults.Len() == 0 {
		return m.data(), nil
	}
	if err := m.env.Hold(mapSize + entryRoom*m.img.Defaults.Len()); err != nil {
		return Value{}, err
	}
	merged := m.img.Defaults.Clone()
	if m.data().IsMapping() {
		en, err := m.env.Entries(m.data())
		if err != nil {
			return Value{}, err
		}
		for i := range en.Len() {
			if err := m.env.Step(1); err != nil {
				return Value{}, err
			}
			k, v := en.At(i)
			if _, err := m.env.Put(merged, k, v); err != nil {
				return Value{}, err
			}
		}
	}
	return MapOf(merged), nil
}

// attr is x.name. A native miss takes the whole path's name.
func (m *machine) attr(x Value, name string, u *Undefined) (Value, error) {
	v, err := m.env.Attr(x, name)
	if err == nil && !m.env.Dialect.UndefinedObjects() && v.IsUndefined() {
		if other, is := m.img.Spelled[name]; is {
			if v, ok := m.env.lookup(x, other); ok {
				return v, nil
			}
		}
		if u.Head != code.HeadSilent {
			m.missHead(u)
		}
		return UndefinedOf(u), nil
	}
	return v, err
}

// item is x[key].
func (m *machine) item(x, key Value, u *Undefined) (Value, error) {
	if !m.env.Dialect.UndefinedObjects() {
		if missing := key.Undef(); missing != nil {
			return key, nil
		}
	}
	v, err := m.env.Item(x, key)
	if err == nil && !m.env.Dialect.UndefinedObjects() && v.IsUndefined() {
		if u.Head != code.HeadSilent {
			m.missHead(u)
		}
		return UndefinedOf(u), nil
	}
	return v, err
}

// poisoned looks for a missing operand of native arithmetic. The result of the
// operation is then missing too: a placeholder does with it what it does
// without a value, anything else reports it, and the render goes on to find all
// the names that lack.
func (m *machine) poisoned(vs ...Value) (Value, bool) {
	if m.env.Dialect.UndefinedObjects() {
		return Null, false
	}
	for _, v := range vs {
		if u := v.Undef(); u != nil {
			c := *u
			c.Computed = true
			return m.env.undefinedOf(&c), true
		}
	}
	return Null, false
}

// asNull reports v if it is the result of arithmetic on a missing value, in a
// place where missing values stand for null.
func (m *machine) asNull(v Value) {
	if u := v.Undef(); u != nil && u.Computed {
		m.miss(u, u.Site)
	}
}

// compare is a comparison, where missing counts as null.
func (m *machine) compare(op code.CompareOp, x, y Value) (bool, error) {
	m.asNull(x)
	m.asNull(y)
	return m.env.Compare(op, x, y)
}

func (m *machine) slice(x, lo, hi, step Value) (Value, error) {
	if v, yes := m.poisoned(x, lo, hi, step); yes {
		return v, nil
	}
	return m.env.Slice(x, lo, hi, step)
}

func (m *machine) binary(op code.BinaryOp, x, y Value) (Value, error) {
	if a, ok := x.ref.(intMark); ok {
		if b, ok := y.ref.(intMark); ok {
			_, _ = a, b
			if v, ok := quickInt(op, int64(x.num), int64(y.num)); ok {
				return v, nil
			}
		}
	}
	if v, yes := m.poisoned(x, y); yes {
		return v, nil
	}
	return m.env.Binary(op, x, y)
}

// quickInt does small additions without a call; ok is false where the general
// operation must decide.
func quickInt(op code.BinaryOp, a, b int64) (Value, bool) {
	const small = 1 << 31
	if a <= -small || a >= small || b <= -small || b >= small {
		return Null, false
	}
	switch op {
	case code.BinAdd:
		return Int(a + b), true
	case code.BinSub:
		return Int(a - b), true
	case code.BinMul:
		return Int(a * b), true
	}
	return Null, false
}

func (m *machine) unary(op code.UnaryOp, x Value) (Value, error) {
	if op == code.UnNot {
		t, err := m.truth(x)
		return Bool(!t), err
	}
	if v, yes := m.poisoned(x); yes {
		return v, nil
	}
	if op == code.UnNegate {
		return m.env.Negate(x)
	}
	return m.env.Positive(x)
}

// truth is the truth of x in a condition, where missing counts as false.
func (m *machine) truth(x Value) (bool, error) {
	m.asNull(x)
	t, err := m.env.Truth(x)
	if m.env.stopped {
		err = m.env.ended
	}
	return t, err
}

// collect makes a list, tuple or map of values on the stack.
// A missing part makes all of it missing if strict, as in arithmetic.
func (m *machine) collect(kind code.MakeKind, vs []Value, strict bool) (Value, error) {
	if strict {
		if v, yes := m.poisoned(vs...); yes {
			return v, nil
		}
	}
	size := mapSize
	switch kind {
	case code.MakeList:
		size = listSize
	case code.MakeTuple:
		size = tupleSize
	case code.MakeParts:
		return m.parts(vs)
	}
	if err := m.env.Charge(size + len(vs)*valueSize); err != nil {
		return Null, err
	}
	if kind == code.MakeMap {
		d := NewMap(len(vs) / 2)
		for i := 0; i < len(vs); i += 2 {
			hashable, err := m.env.Put(d, vs[i], vs[i+1])
			if err != nil {
				return Null, err
			}
			if !hashable {
				return Null, m.env.Errorf("type", "unhashable type: '%s'", m.env.TypeName(vs[i]))
			}
		}
		return MapOf(d), nil
	}
	items := make([]Value, len(vs))
	copy(items, vs)
	if kind == code.MakeTuple {
		return TupleOf(items), nil
	}
	return ListOf(items), nil
}

// builtin applies a filter or test.
func (m *machine) builtin(ins *code.Instr, args []Value) (Value, error) {
	b := m.img.Builtins[ins.A]
	if !m.env.Dialect.UndefinedObjects() {
		for i, v := range args {
			if v.IsUndefined() && !(b.TakesUndefined && i == 0) && !(ins.Op == code.OpTest) {
				return v, nil
			}
		}
	}
	if b.Text != nil && !b.User && len(args) == 1 {
		if m.env.unprinted != nil {
			m.env.unprinted.note(args[0].ref)
		}
		args[0] = m.env.resolved(args[0])
		if s, is := args[0].Str(); is && ins.B < 0 {
			return m.env.mapped(b, s, args[0].IsSafe())
		}
	}
	if b.Write != nil && !b.User && m.printsNext() && !(b.Safe && m.img.Outs[m.code[m.pc].B].Part != code.PartNone) {
		return String(""), m.write(b, args, m.names(ins.B))
	}
	return m.env.CallBuiltin(b, args, m.names(ins.B))
}
