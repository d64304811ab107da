package vm

import (
	"reflect"
	"strings"
	"time"
	"unsafe"

	"github.com/pcc-lang/pcc/internal/code"
)

var compareNames = [...]string{code.CmpEq: "==", code.CmpNe: "!=", code.CmpLt: "<", code.CmpLe: "<=", code.CmpGt: ">", code.CmpGe: ">=",
	code.CmpIn: "in", code.CmpNotIn: "not in"}

// Compare applies a comparison operator. Any values can be compared for
// equality. Ordering needs like types: in Python others are a type error; in
// native dialects null and missing values compare as false and other unlike
// types are an error.
func (e *Env) Compare(op code.CompareOp, a, b Value) (bool, error) {
	if _, ok := a.ref.(intMark); ok {
		if _, ok := b.ref.(intMark); ok && op <= code.CmpGe {
			return holds(op, compareOrdered(int64(a.num), int64(b.num))), nil
		}
	}
	switch op {
	case code.CmpEq, code.CmpNe:
		eq, err := e.Equal(a, b)
		return eq == (op == code.CmpEq), err
	case code.CmpIn, code.CmpNotIn:
		in, err := e.contains(b, a)
		return in == (op == code.CmpIn), err
	}
	return e.order(op, a, b)
}

// holds reports whether a comparison result c (-1, 0, 1) satisfies op.
func holds(op code.CompareOp, c int) bool {
	switch op {
	case code.CmpEq:
		return c == 0
	case code.CmpNe:
		return c != 0
	case code.CmpLt:
		return c < 0
	case code.CmpLe:
		return c <= 0
	case code.CmpGt:
		return c > 0
	}
	return c >= 0
}

// Less is a < b.
func (e *Env) Less(a, b Value) (bool, error) { return e.Compare(code.CmpLt, a, b) }

// Truth reports whether v counts as true: all but false, null, missing, zero
// and empty values do.
func (e *Env) Truth(v Value) (bool, error) {
	if t, known := quickTruth(v); known {
		return t, nil
	}
	switch v.ref.(type) {
	case intMark, strPtr, safePtr:
		return v.num != 0, nil
	case *Undefined:
		if e.strict(v) {
			return false, e.undefinedError(v)
		}
		return false, nil
	}
	v = e.canonical(v)
	if n, ok := numberOf(v, true); ok {
		return !n.isZero(), nil
	}
	if s, ok := v.Str(); ok {
		return s != "", nil
	}
	if n, ok := seqLen(v); ok {
		return n > 0, nil
	}
	if n, ok := mapLen(v); ok {
		if text, ok := e.hostTextValue(v); ok && n == 0 { // an error, for instance
			s, _ := text.Str()
			return s != "", nil
		}
		return n > 0, nil
	}
	switch x := v.ref.(type) {
	case nil:
		return false, nil
	case []byte:
		return len(x) > 0, nil
	case truther:
		return x.Truth(), nil
	case Lener:
		return x.Len() > 0, nil
	}
	return true, nil
}

// Equal reports whether a == b. Lists, tuples and maps are compared item by
// item, to the depth that the limits allow.
func (e *Env) Equal(a, b Value) (bool, error) {
	if eq, done, err := e.equalScalar(a, b); done {
		return eq, err
	}
	return e.equalDeep(a, b)
}

// equalScalar compares all but two sequences or two maps.
func (e *Env) equalScalar(a, b Value) (eq, done bool, err error) {
	if s, ok := plainString(a); ok {
		if t, ok := plainString(b); ok {
			if len(s) != len(t) {
				return false, true, nil
			}
			if len(s) < 64 {
				return s == t, true, nil
			}
			eq, err := e.equalText(s, t)
			return eq, true, err
		}
	} else if _, ok := a.ref.(intMark); ok {
		if _, ok := b.ref.(intMark); ok {
			return a.num == b.num, true, nil
		}
	}
	if e.Host {
		a, b = e.asTexts(a, b)
	}
	a, b = e.canonical(a), e.canonical(b)
	if a.IsUndefined() || b.IsUndefined() {
		return e.equalUndefined(a, b)
	}
	if a.ref == nil || b.ref == nil {
		return a.ref == nil && b.ref == nil, true, nil
	}
	if na, ok := numberOf(a, e.Dialect.BoolsAreNumbers()); ok {
		if nb, ok := numberOf(b, e.Dialect.BoolsAreNumbers()); ok {
			c, ok := na.compare(nb)
			return ok && c == 0, true, nil
		}
		return false, true, nil
	}
	if s, ok := textOf(a, e.Dialect.BytesAreTexts()); ok {
		if t, ok := textOf(b, e.Dialect.BytesAreTexts()); ok {
			eq, err := e.equalText(s, t)
			return eq, true, err
		}
		return false, true, nil
	}
	if eq, known, err := equalObjects(e, a, b); known || err != nil {
		return eq, true, err
	}
	if _, ok := seqLen(a); ok {
		_, ok := seqLen(b)
		return false, !ok || isTuple(a) != isTuple(b), nil
	}
	if isMap(a) {
		return false, !isMap(b), nil
	}
	switch x := a.ref.(type) {
	case boolMark:
		_, ok := b.ref.(boolMark)
		return ok && a.num == b.num, true, nil
	case time.Time:
		y, ok := b.ref.(time.Time)
		return ok && x.Equal(y), true, nil
	case []byte:
		if y, ok := b.ref.([]byte); ok {
			eq, err := e.equalText(bytesText(x), bytesText(y))
			return eq, true, err
		}
		return false, true, nil
	}
	return identical(a, b), true, nil
}

// plainString is Str for the common forms of strings only.
func plainString(v Value) (string, bool) {
	switch x := v.ref.(type) {
	case string:
		return x, true
	case strPtr, safePtr:
		return v.Str()
	}
	return "", false
}

// stepText takes the steps of reading n bytes of text, none for a short one.
func (e *Env) stepText(n int) error {
	if n < 64 {
		return nil
	}
	return e.Step(n / 64)
}

// equalText compares two texts, which is paid for before.
func (e *Env) equalText(a, b string) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	if err := e.stepText(len(a)); err != nil {
		return false, err
	}
	var p Pace
	return p.Equal(e, a, b), e.StopError()
}

// compareText orders two texts, which is paid for before.
func (e *Env) compareText(a, b string) (int, error) {
	if err := e.stepText(min(len(a), len(b))); err != nil {
		return 0, err
	}
	for len(a) > bulkStep && len(b) > bulkStep {
		if c := strings.Compare(a[:bulkStep], b[:bulkStep]); c != 0 {
			return c, nil
		}
		if e.spend(bulkStep) {
			return 0, e.StopError()
		}
		a, b = a[bulkStep:], b[bulkStep:]
	}
	return strings.Compare(a, b), nil
}

// bytesText is b as a text that is not kept.
func bytesText(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// textOf returns the text of a string, and of bytes where the dialect takes them
// for one.
func textOf(v Value, bytes bool) (string, bool) {
	if s, ok := v.Str(); ok {
		return s, true
	}
	if b, ok := v.ref.([]byte); ok && bytes {
		return bytesText(b), true
	}
	return "", false
}

// equalUndefined: in Jinja two undefined values are equal, and a strict one
// raises; in native dialects a missing value equals null.
func (e *Env) equalUndefined(a, b Value) (eq, done bool, err error) {
	if !e.Dialect.UndefinedObjects() {
		return a.IsMissing() && b.IsMissing(), true, nil
	}
	for _, v := range [...]Value{a, b} {
		if e.strict(v) {
			return false, true, e.undefinedError(v)
		}
	}
	return a.IsUndefined() && b.IsUndefined(), true, nil
}

// equalObjects asks an object whether it equals another value. What it holds
// may be objects again: nest keeps that from going on for ever.
func equalObjects(e *Env, a, b Value) (eq, known bool, err error) {
	for range 2 {
		if x, ok := a.ref.(Equaler); ok {
			if err := e.nest(1); err != nil {
				return false, false, err
			}
			eq, known = x.Equal(e, b)
			e.nesting--
			if known {
				return eq, true, nil
			}
		}
		a, b = b, a
	}
	return false, false, nil
}

// identical reports whether a and b are the same Go value, by address for
// whatever Go cannot compare.
func identical(a, b Value) bool {
	ta, tb := reflect.TypeOf(a.ref), reflect.TypeOf(b.ref)
	if ta != tb || ta == nil {
		return ta == tb
	}
	switch ra, rb := reflect.ValueOf(a.ref), reflect.ValueOf(b.ref); ta.Kind() {
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer, reflect.Map, reflect.Func:
		return ra.Pointer() == rb.Pointer()
	case reflect.Slice:
		return ra.Pointer() == rb.Pointer() && ra.Len() == rb.Len()
	default:
		return ra.Comparable() && a.ref == b.ref
	}
}

// equalFrame is one pair of containers of which item i is compared next.
type equalFrame struct {
	a, b Value
	en   Entries // of a, for maps
	i, n int
}

// equalDeep compares two sequences or two maps with a stack of its own: data
// decides how deep they nest.
func (e *Env) equalDeep(a, b Value) (bool, error) {
	stack := make([]equalFrame, 0, 4)
	push := func(a, b Value) (bool, error) {
		a, b = e.canonical(a), e.canonical(b)
		if identical(a, b) {
			return true, nil
		}
		if len(stack) >= e.limits.ValueDepth {
			return false, e.errDepth()
		}
		f := equalFrame{a: a, b: b}
		if n, ok := seqLen(a); ok {
			m, _ := seqLen(b)
			f.n = n
			if n != m {
				return false, nil
			}
		} else {
			n, _ := mapLen(a)
			m, _ := mapLen(b)
			if n != m {
				return false, nil
			}
			en, err := e.Entries(a)
			if err != nil {
				return false, err
			}
			f.en, f.n = en, en.Len()
		}
		stack = append(stack, f)
		return true, nil
	}
	if eq, err := push(a, b); err != nil || !eq {
		return false, err
	}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.i == f.n {
			stack = stack[:len(stack)-1]
			continue
		}
		if err := e.Step(1); err != nil {
			return false, err
		}
		x, y, ok := f.next()
		if !ok {
			return false, nil
		}
		eq, done, err := e.equalScalar(x, y)
		if !done && err == nil {
			eq, err = push(x, y)
		}
		if err != nil || !eq {
			return false, err
		}
	}
	return true, nil
}

// next returns the next pair of items; ok is false where b lacks a's key.
func (f *equalFrame) next() (x, y Value, ok bool) {
	i := f.i
	f.i++
	if _, isSeq := seqLen(f.a); isSeq {
		return seqAt(f.a, i), seqAt(f.b, i), true
	}
	key, x := f.en.At(i)
	y, ok, _ = mapGet(f.b, key)
	return x, y, ok
}

// order applies < <= > >=. Sequences are ordered by their first items that
// differ, then by length.
func (e *Env) order(op code.CompareOp, a, b Value) (bool, error) {
	var stack []equalFrame
	for {
		c, ok, err := e.orderScalar(op, a, b)
		if err != nil {
			return false, err
		}
		if ok {
			return c, nil
		}
		// Two sequences: find the first items that differ.
		if len(stack) >= e.limits.ValueDepth {
			return false, e.errDepth()
		}
		f := equalFrame{a: e.canonical(a), b: e.canonical(b)}
		f.n, _ = seqLen(f.a)
		m, _ := seqLen(f.b)
		differ := false
		for ; f.i < min(f.n, m); f.i++ {
			if err := e.Step(1); err != nil {
				return false, err
			}
			eq, err := e.Equal(seqAt(f.a, f.i), seqAt(f.b, f.i))
			if err != nil {
				return false, err
			}
			if differ = !eq; differ {
				break
			}
		}
		if !differ {
			return holds(op, compareOrdered(f.n, m)), nil
		}
		stack = append(stack, f)
		a, b = seqAt(f.a, f.i), seqAt(f.b, f.i)
	}
}

// orderScalar orders all but two lists or two tuples, for which done is false.
func (e *Env) orderScalar(op code.CompareOp, a, b Value) (result, done bool, err error) {
	if e.Host {
		a, b = e.asTexts(a, b)
	}
	if na, ok := numberOf(a, e.Dialect.BoolsAreNumbers()); ok {
		if nb, ok := numberOf(b, e.Dialect.BoolsAreNumbers()); ok {
			c, ok := na.compare(nb)
			return ok && holds(op, c), true, nil
		}
	}
	a, b = e.canonical(a), e.canonical(b)
	if s, ok := plainString(a); ok {
		if t, ok := plainString(b); ok {
			c, err := e.compareText(s, t)
			return holds(op, c), true, err
		}
	}
	if a.IsMissing() || b.IsMissing() {
		return e.orderMissing(op, a, b)
	}
	switch x := a.ref.(type) {
	case time.Time:
		if y, ok := b.ref.(time.Time); ok {
			return holds(op, x.Compare(y)), true, nil
		}
	case []byte:
		if y, ok := b.ref.([]byte); ok {
			c, err := e.compareText(bytesText(x), bytesText(y))
			return holds(op, c), true, err
		}
	}
	if _, ok := seqLen(a); ok {
		if _, ok := seqLen(b); ok && isTuple(a) == isTuple(b) {
			return false, false, nil
		}
	}
	return false, true, e.errUnordered(op, a, b)
}

func (e *Env) orderMissing(op code.CompareOp, a, b Value) (result, done bool, err error) {
	if !e.Dialect.UndefinedObjects() {
		return false, true, nil
	}
	for _, v := range [...]Value{a, b} {
		if v.IsUndefined() {
			return false, true, e.undefinedError(v)
		}
	}
	return false, true, e.errUnordered(op, a, b)
}

func (e *Env) errUnordered(op code.CompareOp, a, b Value) error {
	ta, tb := e.TypeName(a), e.TypeName(b)
	return e.failHelp("type",
		"'"+compareNames[op]+"' not supported between instances of '"+ta+"' and '"+tb+"'",
		"cannot compare "+ta+" and "+tb+" with "+compareNames[op],
		"compare values of one type; the filters int, float and string convert")
}
