package vm

import "unsafe"

// A textRun is code that only writes texts and strings: the keys of a Go map, or
// the fields of a struct. It is all of the code of a short prompt, see tryLinear, or
// a stretch of fields in code that is bound to a type, whose first instruction
// writes all of it: the type is looked at once, and the room is made at once.
// Where one of the values is not to be copied just so, the instructions run one
// by one.
type textRun struct {
	word  unsafe.Pointer // type word of the struct, nil for a map
	parts []runPart
	tail  string // text behind the last value
	texts int    // bytes of all texts
	count int    // instructions
}

// runPart is a text and the place of the string behind it.
type runPart struct {
	text   string
	key    string   // in a map
	keys   []string // the whole path, where it has more keys than one
	offset uintptr  // in a struct
}

// text adds an instruction that writes a text behind all values so far.
func (r *textRun) text(s string) {
	r.tail += s
	r.texts += len(s)
	r.count++
}

// value adds an instruction that writes a text and a value.
func (r *textRun) value(text string, p runPart) {
	p.text = r.tail + text
	r.parts, r.tail = append(r.parts, p), ""
	r.texts += len(text)
	r.count++
}

// at returns the string of a part of the struct at base.
func (p *runPart) at(base unsafe.Pointer) string { return *(*string)(unsafe.Add(base, p.offset)) }

// base returns the address of the struct that w is or points to; nil where it
// is of another type.
func (r *textRun) base(w iface) unsafe.Pointer {
	if w.typ != r.word {
		return nil
	}
	return w.data
}

// appendMap appends what a run that is all of the code writes with the values of
// root. Where one of them is no string or a limit is in the way it appends nothing:
// the machine says what is wrong.
func (r *textRun) appendMap(dst []byte, root map[string]any, l *Limits) ([]byte, bool) {
	var values [maxLinear]string
	size, steps := r.texts, r.count
	for i := range r.parts {
		p := &r.parts[i]
		x, ok := root[p.key]
		if p.keys != nil {
			x, _ = walk(x, ok, p.keys)
		}
		v, is := x.(string)
		if !is {
			return dst, false
		}
		values[i] = v
		size += len(v)
		if len(v) >= bulkBytes {
			steps += len(v) >> 6
		}
	}
	dst, ok := room(dst, size, steps, l)
	if !ok {
		return dst, false
	}
	for i := range r.parts {
		dst = append(append(dst, r.parts[i].text...), values[i]...)
	}
	return append(dst, r.tail...), true
}

// appendStruct is appendMap for the fields of the struct in w: they are measured and
// then written where they lie. One that is long is the machine's.
func (r *textRun) appendStruct(dst []byte, w iface, l *Limits) ([]byte, bool) {
	base := r.base(w)
	if base == nil {
		return dst, false
	}
	size := r.texts
	for i := range r.parts {
		n := len(r.parts[i].at(base))
		if n >= bulkBytes {
			return dst, false
		}
		size += n
	}
	dst, ok := room(dst, size, r.count, l)
	if !ok {
		return dst, false
	}
	// Whoever changes the struct at the same time must not make it write beyond.
	end, ok := r.write(unsafe.Pointer(unsafe.SliceData(dst)), len(dst), len(dst)+size, base)
	return dst[:end], ok
}

// write copies the run's texts and values of the struct at base to dst, from
// byte n on, and returns where they end. It copies nothing beyond limit, and no
// string of bulkBytes or more: ok is false then.
func (r *textRun) write(dst unsafe.Pointer, n, limit int, base unsafe.Pointer) (end int, ok bool) {
	limit -= len(r.tail)
	for i := range r.parts {
		p := &r.parts[i]
		s := p.at(base)
		if len(s) >= bulkBytes || limit-n < len(p.text)+len(s) {
			return n, false
		}
		if t := len(p.text); t > shortCopy { // copyTexts, in place
			copy(unsafe.Slice((*byte)(unsafe.Add(dst, n)), t), p.text)
		} else if t >= 8 {
			copyWide(unsafe.Add(dst, n), p.text, t)
		} else if t > 0 {
			copyTiny(unsafe.Add(dst, n), p.text, t)
		}
		n += len(p.text)
		if t := len(s); t > shortCopy {
			copy(unsafe.Slice((*byte)(unsafe.Add(dst, n)), t), s)
		} else if t >= 8 {
			copyWide(unsafe.Add(dst, n), s, t)
		} else if t > 0 {
			copyTiny(unsafe.Add(dst, n), s, t)
		}
		n += len(s)
	}
	copyText(dst, n, r.tail)
	return n + len(r.tail), true
}

// room makes room in dst for size bytes, which steps instructions write, if the
// limits allow both.
func room(dst []byte, size, steps int, l *Limits) ([]byte, bool) {
	switch {
	case int64(size) > l.OutputBytes || int64(steps) >= l.Steps:
		return dst, false
	case dst == nil:
		return uncleared(size), true
	case cap(dst)-len(dst) < size:
		bigger := make([]byte, len(dst), max(2*cap(dst), len(dst)+size))
		copy(bigger, dst)
		return bigger, true
	}
	return dst, true
}

// stringOf returns b as a string without copying it; b must not be changed
// afterwards.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
