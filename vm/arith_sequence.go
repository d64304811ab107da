package vm

import "strings"

// addSequences joins two strings, two lists or two tuples; done is false for
// other operands.
func (e *Env) addSequences(a, b Value) (v Value, done bool, err error) {
	if sa, ok := a.Str(); ok {
		sb, ok := b.Str()
		if !ok {
			return Value{}, false, nil
		}
		v, err = e.addStrings(sa, sb, a.IsSafe(), b.IsSafe())
		return v, true, err
	}
	na, okA := seqLen(a)
	nb, okB := seqLen(b)
	if !okA || !okB || isTuple(a) != isTuple(b) {
		return Value{}, false, nil
	}
	items, err := e.joinItems(a, na, b, nb)
	if err != nil {
		return Value{}, true, err
	}
	if isTuple(a) {
		return TupleOf(items), true, nil
	}
	return ListOf(items), true, nil
}

// addStrings joins two strings. Beside a safe string (Markup) the other is
// escaped and the result is safe.
func (e *Env) addStrings(a, b string, safeA, safeB bool) (Value, error) {
	safe := safeA || safeB
	var err error
	if safe && !safeA {
		if a, err = e.escapeString(a); err != nil {
			return Value{}, err
		}
	}
	if safe && !safeB {
		if b, err = e.escapeString(b); err != nil {
			return Value{}, err
		}
	}
	sum, err := e.join(a, b)
	if err != nil {
		return Value{}, err
	}
	if safe {
		return Safe(sum), nil
	}
	return String(sum), nil
}

// concat is `~`: both sides as text. With autoescaping a safe side makes the
// result safe and the other side escaped (Jinja's markup_join); without it the
// result is plain text (str_join).
func (e *Env) concat(a, b Value) (Value, error) {
	if !e.Dialect.PythonPrint() {
		for _, v := range [...]Value{a, b} {
			if v.IsUndefined() {
				return Value{}, e.undefinedError(v)
			}
		}
	}
	sa, err := e.Str(a)
	if err != nil {
		return Value{}, err
	}
	sb, err := e.Str(b)
	if err != nil {
		return Value{}, err
	}
	return e.addStrings(sa, sb, e.Autoescape && a.IsSafe(), e.Autoescape && b.IsSafe())
}

// repeat is sequence * times; done is false where seq is no sequence or times
// no integer.
func (e *Env) repeat(seq, times Value, n number, isNumber bool) (v Value, done bool, err error) {
	if !isNumber || n.kind == numFloat {
		return Value{}, false, nil
	}
	s, isString := seq.Str()
	length, isList := seqLen(seq)
	size := len(s)
	if isList {
		size = length * valueSize
	} else if !isString {
		return Value{}, false, nil
	}
	if n.kind == numBig || n.i > 0 && size > 0 && n.i > int64(1<<62)/int64(size) {
		if n.kind == numBig && n.b.Sign() < 0 || size == 0 {
			n = number{}
		} else {
			return Value{}, true, e.Charge(-1) // more than any budget
		}
	}
	count := int(max(n.i, 0))
	if !isString {
		e.Owe(tupleSize)
	}
	if err := e.Charge(size * count); err != nil {
		return Value{}, true, err
	}
	if isString {
		if size == 0 {
			count = 0
		}
		var out strings.Builder
		if e.Repeat(&out, s, count) {
			return Value{}, true, e.StopError()
		}
		if seq.IsSafe() {
			return Safe(out.String()), true, nil
		}
		return String(out.String()), true, nil
	}
	if length == 0 {
		count = 0
	}
	items := make([]Value, 0, length*count)
	if count > 0 {
		items, err = e.appendItems(items, seq, length)
	}
	for err == nil && len(items) < length*count {
		// On from what is there: the next copy, or many at once.
		have := items[len(items)%max(length, 1):]
		items = append(items, have[:min(len(have), length*count-len(items), bulkItems)]...)
		err = e.poll()
	}
	if err != nil {
		return Value{}, true, err
	}
	if isTuple(seq) {
		return TupleOf(items), true, nil
	}
	return ListOf(items), true, nil
}
