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
// Every way to render obeys it. An unknown family makes the render fail.
func WithGuard(family string) RenderOption {
	return RenderOption{func(e *Env) {
		e.record = true
		if e.guard = guard.Find(family); e.guard == nil {
			e.refused = ErrNoFamily()
		}
	}}
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
		if mid := (lo + hi) / 2; r[mid].end() <= from {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(r); lo++ {
		if from >= to {
			return 0, false
		}
		if r[lo].data() {
			return from, true
		}
		from = r[lo].end()
	}
	return 0, false
}

// marks finds where a guarded text gets marks. Each is paid for before it is
// noted.
func (m *machine) marks(text string, origin runs) []int {
	const markSize = 3 * 8 // with the room that the list leaves
	return m.env.guard.Marks(text, func(from, to int) (int, bool) {
		first, has := origin.firstData(from, to)
		return first, has && m.env.Hold(markSize) == nil
	}, m.env.Work)
}

func (r runs) hasData(from, to int) bool {
	_, has := r.firstData(from, to)
	return has
}

// insertMarks puts a space into text and its origins at each offset.
func insertMarks(e *Env, text string, origin runs, at []int) (string, runs, error) {
	if len(at) == 0 {
		return text, origin, nil
	}
	// Each mark may cut a stretch in two.
	moved, err := runs(nil).room(e, len(origin)+2*len(at))
	if err != nil {
		return "", nil, err
	}
	b := make([]byte, 0, len(text)+len(at))
	from, next := 0, 0
	copyTo := func(to int) {
		b = append(b, text[from:to]...)
		for from < to && next < len(origin) {
			end := min(origin[next].end(), to)
			moved = moved.add(end-from, origin[next].source())
			if from = end; end == origin[next].end() {
				next++
			}
		}
	}
	for _, i := range at {
		copyTo(i)
		b = append(b, guard.Mark)
		moved = moved.add(1, fromData)
	}
	copyTo(len(text))
	return string(b), moved, nil
}

// settle finishes the output of a recorded render: it is guarded where that is
// asked for. Messages and spans move along.
func (m *machine) settle(text string) (string, error) {
	r, g := m.env.recorder, m.env.guard
	out, err := r.out.room(&m.env, 1)
	if err != nil {
		return "", m.fault(err)
	}
	r.out = out.cut(len(text))
	if g == nil {
		return text, nil
	}
	if err := m.env.Step(len(text)/16 + 1); err != nil {
		return "", m.fault(err)
	}
	var at []int
	if !m.img.Chat {
		at = m.marks(text, r.out)
	}
	for i := range m.messages {
		msg := &m.messages[i]
		origin, err := r.out.slice(&m.env, msg.start, msg.end)
		if err != nil {
			return "", m.fault(err)
		}
		for _, k := range m.marks(text[msg.start:msg.end], origin) {
			at = append(at, msg.start+k)
		}
		if err := m.guardMessage(msg); err != nil {
			return "", m.fault(err)
		}
	}
	if err := m.env.StopError(); err != nil {
		return "", m.fault(err)
	}
	if text, r.out, err = insertMarks(&m.env, text, r.out, at); err != nil {
		return "", m.fault(err)
	}
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
	origin, err := m.env.recorder.origin(&m.env, s)
	if err == nil {
		origin, err = origin.room(&m.env, 1)
	}
	if err != nil {
		return "", err
	}
	origin = origin.cut(len(s))
	if !origin.hasData(0, len(s)) {
		return s, nil
	}
	if err := m.env.Charge(len(s)); err != nil {
		return "", err
	}
	s, _, err = insertMarks(&m.env, s, origin, m.marks(s, origin))
	return s, err
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
		if err := m.env.Charge(listSize + len(items)*valueSize); err != nil {
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
