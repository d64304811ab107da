package vm

import (
	"strings"
	"unicode/utf8"
)

// Slicer is an object that can be sliced; Null stands for an absent bound.
type Slicer interface {
	Slice(env *Env, lo, hi, step Value) (Value, error)
}

// Slice is v[lo:hi:step] with Python's rules for bounds; Null stands for an
// absent one. Strings are cut at code points.
func (e *Env) Slice(v, lo, hi, step Value) (Value, error) {
	v = e.canonical(v)
	n := 0
	text, isText := "", false
	switch x := v.ref.(type) {
	case *Undefined:
		if !e.Dialect.UndefinedObjects() || e.Dialect.Undefined == UndefinedChainable {
			return v, nil
		}
		return Value{}, e.undefinedError(v)
	case strPtr, safePtr:
		text, _ = v.Str()
		isText = true
		if err := e.Step(len(text) / 64); err != nil {
			return Value{}, err
		}
		n = e.RuneCount(text)
	case []byte: // their text is not kept beyond this call
		text, isText, n = bytesText(x), true, len(x)
		if !e.Dialect.TextsAreSequences() {
			n = e.RuneCount(text)
		}
	case Slicer:
		return x.Slice(e, lo, hi, step)
	default:
		var ok bool
		if n, ok = seqLen(v); !ok {
			return Value{}, e.errNotSliced(v)
		}
	}
	if err := e.StopError(); err != nil {
		return Value{}, err
	}
	from, _, count, by, err := e.SliceBounds(n, lo, hi, step)
	if err != nil {
		return Value{}, err
	}
	if isText {
		return e.sliceText(v, text, n, from, count, by)
	}
	if err := e.Charge(tupleSize + valueSize*count); err != nil {
		return Value{}, err
	}
	items := make([]Value, count)
	var pace Pace
	for i := range items {
		if pace.Stopped(e, valueSize) {
			return Value{}, e.StopError()
		}
		items[i] = seqAt(v, from+i*by)
	}
	if isTuple(v) {
		return TupleOf(items), nil
	}
	return ListOf(items), nil
}

func (e *Env) errNotSliced(v Value) error {
	t := e.TypeName(v)
	if isMap(v) {
		return e.fail("type", "unhashable type: 'slice'", "cannot take a slice of a map")
	}
	return e.fail("type", "'"+t+"' object is not subscriptable", "cannot take a slice of "+t)
}

// sliceText cuts n code points out of text.
func (e *Env) sliceText(v Value, text string, n, from, count, by int) (Value, error) {
	wrap := String
	if v.IsSafe() {
		wrap = Safe
	}
	if count == 0 {
		return wrap(""), nil
	}
	ascii := n == len(text)
	var pace Pace
	if by == 1 {
		if ascii {
			return e.cutText(v, text[from:from+count], wrap)
		}
		_, text = e.CutRunes(text, from)
		text, _ = e.CutRunes(text, count)
		return e.cutText(v, text, wrap)
	}
	if err := e.Charge(2 * min(len(text), 4*count)); err != nil {
		return Value{}, err
	}
	if ascii {
		out := make([]byte, count)
		for i := range out {
			out[i] = text[from+i*by]
			if pace.Stopped(e, 1) {
				return Value{}, e.StopError()
			}
		}
		return wrap(string(out)), nil
	}
	if err := e.Charge(8 * n); err != nil {
		return Value{}, err
	}
	offsets := make([]int, 0, n+1)
	for i := 0; i < len(text); {
		if pace.Stopped(e, 4) {
			return Value{}, e.StopError()
		}
		offsets = append(offsets, i)
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	offsets = append(offsets, len(text))
	out := make([]byte, 0, min(len(text), 4*count))
	for i := range count {
		at := from + i*by
		if pace.Stopped(e, 4) {
			return Value{}, e.StopError()
		}
		out = append(out, text[offsets[at]:offsets[at+1]]...)
	}
	return wrap(string(out)), nil
}

// cutText makes a value of a part of v's text, a copy of it where v is bytes.
func (e *Env) cutText(v Value, part string, wrap func(string) Value) (Value, error) {
	if err := e.StopError(); err != nil {
		return Value{}, err
	}
	if v.Kind() == KindBytes {
		if err := e.Charge(len(part)); err != nil {
			return Value{}, err
		}
		part = strings.Clone(part)
	}
	return wrap(part), nil
}

// SliceBounds turns the bounds of a slice of n items into the first index, the one
// before which it ends, the number of items and the step (Python's slice.indices).
func (e *Env) SliceBounds(n int, lo, hi, step Value) (from, end, count, by int, err error) {
	s, err := e.sliceIndex(step, 1)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	if s == 0 {
		return 0, 0, 0, 0, e.fail("value", "slice step cannot be zero", "the step of a slice cannot be zero")
	}
	// Steps beyond the length take one item at most, whatever their size.
	by = int(min(max(s, -int64(n)-1), int64(n)+1))
	first, last := 0, n
	if by < 0 {
		first, last = n-1, -1
	}
	if from, err = e.sliceBound(lo, first, n, by); err != nil {
		return 0, 0, 0, 0, err
	}
	if end, err = e.sliceBound(hi, last, n, by); err != nil {
		return 0, 0, 0, 0, err
	}
	switch {
	case by > 0 && end > from:
		count = (end-from-1)/by + 1
	case by < 0 && end < from:
		count = (from-end-1)/-by + 1
	}
	return from, end, count, by, nil
}

// sliceBound clamps one bound; absent is its value where there is none.
func (e *Env) sliceBound(v Value, absent, n, by int) (int, error) {
	if v.IsNull() {
		return absent, nil
	}
	i, err := e.sliceIndex(v, 0)
	if err != nil {
		return 0, err
	}
	if i < 0 {
		i += int64(n)
		if i < 0 {
			if by < 0 {
				return -1, nil
			}
			return 0, nil
		}
	}
	if i >= int64(n) {
		if by < 0 {
			return n - 1, nil
		}
		return n, nil
	}
	return int(i), nil
}

// sliceIndex reads one part of a slice; integers beyond int64 are clamped.
func (e *Env) sliceIndex(v Value, absent int64) (int64, error) {
	if v.IsNull() {
		return absent, nil
	}
	n, ok := numberOf(v, e.Dialect.BoolsAreNumbers())
	if !ok || n.kind == numFloat {
		if v.IsUndefined() {
			return 0, e.undefinedError(v)
		}
		return 0, e.fail("type", "slice indices must be integers or None or have an __index__ method",
			"the bounds of a slice must be integers, not "+e.TypeName(v))
	}
	if n.kind == numBig {
		const far = 1 << 62
		if n.b.Sign() < 0 {
			return -far, nil
		}
		return far, nil
	}
	return n.i, nil
}
