package vm

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/vm/guard"
)

// WithGuard neutralises the control tokens of a model family ("all" for every
// family) in what a render makes of its data. It works on the finished text, so
// that tokens are found which only come about where data meets the template or
// other data; and it leaves those alone that the template writes itself. Where
// a token holds at least one byte from data, a space is put into that part.
//
// A template that makes tokens out of data ("<|" + message.role + "|>") loses
// them: write such roles out, with a condition each. Special tokens that are
// given as data (bos_token) are data too: give them as default data.
//
// RenderContext, Report, Messages and Segments obey it. An unknown family makes
// the render fail.
func WithGuard(family string) RenderOption {
	return func(e *Env) {
		e.record = true
		if e.guard = guard.Find(family); e.guard == nil {
			e.refused = ErrNoFamily()
		}
	}
}

// ErrNoFamily is the error for a name that no family of control tokens has.
func ErrNoFamily() error {
	return &Error{
		Kind: "value", Msg: guard.ErrFamily.Error(),
		Help: "choose one of " + strings.Join(guard.Names(), ", "),
	}
}

// firstData is the first offset in [from, to) that holds data.
func (r runs) firstData(from, to int) (int, bool) {
	lo, hi := 0, len(r)
	for lo < hi {
		if mid := (lo + hi) / 2; r[mid].end <= from {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(r); lo++ {
		if from >= to {
			return 0, false
		}
		if r[lo].data {
			return from, true
		}
		from = r[lo].end
	}
	return 0, false
}

func (r runs) hasData(from, to int) bool {
	_, has := r.firstData(from, to)
	return has
}

// insertMarks puts a space into text and its origins at each offset.
func insertMarks(text string, origin runs, at []int) (string, runs) {
	if len(at) == 0 {
		return text, origin
	}
	b := make([]byte, 0, len(text)+len(at))
	var moved runs
	from := 0
	for _, i := range at {
		b = append(append(b, text[from:i]...), guard.Mark)
		moved = moved.addAll(origin.slice(from, i)).add(1, true)
		from = i
	}
	b = append(b, text[from:]...)
	return string(b), moved.addAll(origin.slice(from, len(text)))
}

// settle finishes the output of a recorded render: it is guarded where that is
// asked for. Messages and spans move along.
func (m *machine) settle(text string) (string, error) {
	r, g := m.env.recorder, m.env.guard
	r.out = r.out.cut(len(text))
	if g == nil {
		return text, nil
	}
	if err := m.env.Step(len(text)/16 + 1); err != nil {
		return "", m.fault(err)
	}
	var at []int
	if !m.img.Chat {
		at = g.Marks(text, r.out.firstData, m.env.Work)
	}
	for i := range m.messages {
		msg := &m.messages[i]
		for _, k := range g.Marks(text[msg.start:msg.end], r.out.slice(msg.start, msg.end).firstData, m.env.Work) {
			at = append(at, msg.start+k)
		}
		if err := m.guardMessage(msg); err != nil {
			return "", m.fault(err)
		}
	}
	if err := m.env.StopError(); err != nil {
		return "", m.fault(err)
	}
	text, r.out = insertMarks(text, r.out, at)
	if int64(len(text)) > m.env.limits.OutputBytes {
		return "", m.fault(errOutput)
	}
	shift := func(p *int) {
		n, _ := slices.BinarySearch(at, *p)
		*p += n
	}
	for i := range m.messages {
		shift(&m.messages[i].start)
		shift(&m.messages[i].end)
	}
	for i := range m.spans {
		shift(&m.spans[i][0])
		shift(&m.spans[i][1])
	}
	return text, nil
}

// guardMessage guards what a message holds besides its text.
func (m *machine) guardMessage(msg *message) (err error) {
	if msg.name, err = m.guardText(msg.name); err != nil {
		return err
	}
	if msg.parts, err = m.guardValue(msg.parts, 0); err != nil || msg.extra == nil {
		return err
	}
	extra, err := m.guardValue(MapOf(msg.extra), 0)
	if err == nil {
		msg.extra, _ = extra.Map()
	}
	return err
}

func (m *machine) guardText(s string) (string, error) {
	origin := m.env.recorder.origin(s)
	if !origin.hasData(0, len(s)) {
		return s, nil
	}
	if err := m.env.Charge(len(s)); err != nil {
		return "", err
	}
	s, _ = insertMarks(s, origin, m.env.guard.Marks(s, origin.firstData, m.env.Work))
	return s, nil
}

// guardValue guards the texts in a value, keys as well.
func (m *machine) guardValue(v Value, depth int) (Value, error) {
	if depth > m.env.limits.ValueDepth {
		return Null, &Error{Kind: "limit", Code: "PCC906", Msg: "a message's content is nested deeper than the limit allows"}
	}
	if s, ok := v.Str(); ok {
		s, err := m.guardText(s)
		return String(s), err
	}
	switch v.Kind() {
	case KindList, KindTuple:
		items, err := m.env.Items(v)
		if err != nil {
			return Null, err
		}
		if err := m.env.Charge(ListSize + len(items)*valueSize); err != nil {
			return Null, err
		}
		own := make([]Value, len(items))
		for i, x := range items {
			if own[i], err = m.guardValue(x, depth+1); err != nil {
				return Null, err
			}
		}
		return ListOf(own), nil
	case KindMap, KindHost:
		if v.Kind() == KindHost && !isRecord(v) {
			return v, nil
		}
		entries, err := m.env.Entries(v)
		if err != nil {
			return Null, err
		}
		if err := m.env.Charge(mapRoom(entries.Len())); err != nil {
			return Null, err
		}
		own := NewMap(entries.Len())
		for i := range entries.Len() {
			k, x := entries.At(i)
			if k, err = m.guardValue(k, depth+1); err != nil {
				return Null, err
			}
			if x, err = m.guardValue(x, depth+1); err != nil {
				return Null, err
			}
			own.Put(k, x)
		}
		return MapOf(own), nil
	}
	return v, nil
}
