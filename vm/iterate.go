package vm

import (
	"unicode/utf8"
)

// Iterate returns the items of v one by one: those of a list, a tuple, an
// iterator or an iterable object; the keys of a map in its order; in Jinja the
// code points of a string. A missing value has none, except that Jinja's
// strict one raises; neither has null in native dialects. Native dialects do
// not iterate over strings.
func (e *Env) Iterate(v Value) (*Iterator, error) {
	v = e.canonical(v)
	if n, ok := seqLen(v); ok {
		i := 0
		return &Iterator{Next: func() (Value, bool, error) {
			// A list may grow or shrink while it is walked.
			if i >= n {
				if n, _ = seqLen(v); i >= n {
					return Value{}, false, nil
				}
			}
			if m, _ := seqLen(v); i >= m {
				return Value{}, false, nil
			}
			i++
			return e.resolved(seqAt(v, i-1)), true, nil
		}}, nil
	}
	if isMap(v) {
		en, err := e.Entries(v)
		if err != nil {
			return nil, err
		}
		i := 0
		return &Iterator{Next: func() (Value, bool, error) {
			if i >= en.Len() {
				return Value{}, false, nil
			}
			k, _ := en.At(i)
			i++
			return k, true, nil
		}}, nil
	}
	switch x := v.ref.(type) {
	case *Iterator:
		return x, nil
	case strPtr, safePtr:
		if e.Dialect.TextsAreSequences() {
			return e.iterateString(v), nil
		}
	case *Undefined:
		if e.strict(v) {
			return nil, e.undefinedError(v)
		}
		return emptyIterator(), nil
	case nil:
		if e.Dialect.NullIsEmpty() {
			return emptyIterator(), nil
		}
	case []byte:
		if e.Dialect.TextsAreSequences() {
			i := 0
			return &Iterator{Next: func() (Value, bool, error) {
				if i == len(x) {
					return Value{}, false, nil
				}
				i++
				return Int(int64(x[i-1])), true, nil
			}}, nil
		}
	case *LoopContext:
		if x != nil {
			return x.iterate(e), nil
		}
	case Iterable:
		return x.Iterate(), nil
	}
	return nil, e.errNotIterable(v)
}

func emptyIterator() *Iterator {
	return &Iterator{Next: func() (Value, bool, error) { return Value{}, false, nil }}
}

func (e *Env) iterateString(v Value) *Iterator {
	s, _ := v.Str() // the characters of Markup are plain, as in Python
	return &Iterator{Name: "str_iterator", Next: func() (Value, bool, error) {
		if s == "" {
			return Value{}, false, nil
		}
		_, size := utf8.DecodeRuneInString(s)
		c := s[:size]
		s = s[size:]
		return String(c), true, nil
	}}
}

func (e *Env) errNotIterable(v Value) error {
	t := e.TypeName(v)
	return e.failHelp("type", "'"+t+"' object is not iterable", "cannot loop over "+t,
		"give a list, or a map with two names for its keys and values")
}

// Items returns all items that Iterate gives, after charging for them. The
// slice is the caller's own.
func (e *Env) Items(v Value) ([]Value, error) {
	v = e.canonical(v)
	if n, ok := seqLen(v); ok {
		if err := e.Charge(valueSize * n); err != nil {
			return nil, err
		}
		return e.appendItems(make([]Value, 0, n), v, n)
	}
	it, err := e.Iterate(v)
	if err != nil {
		return nil, err
	}
	var out []Value
	for {
		x, ok, err := it.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return out, nil
		}
		if len(out) == cap(out) {
			// Charged as append grows: by the new capacity.
			if err := e.Charge(valueSize * max(4, cap(out))); err != nil {
				return nil, err
			}
		}
		if err := e.Step(1); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
}

// Len is the number of items, entries or code points. A missing value has
// length 0, except that Jinja's strict one raises; so has null in native
// dialects.
func (e *Env) Len(v Value) (int, error) {
	v = e.canonical(v)
	if n, ok := seqLen(v); ok {
		return n, nil
	}
	if n, ok := mapLen(v); ok {
		return n, nil
	}
	switch x := v.ref.(type) {
	case strPtr, safePtr:
		s, _ := v.Str()
		if err := e.stepText(len(s)); err != nil {
			return 0, err
		}
		return e.RuneCount(s), e.StopError()
	case []byte:
		return len(x), nil
	case *Undefined:
		if e.strict(v) {
			return 0, e.undefinedError(v)
		}
		return 0, nil
	case nil:
		if e.Dialect.NullIsEmpty() {
			return 0, nil
		}
	case Lener:
		return x.Len(), nil
	}
	t := e.TypeName(v)
	return 0, e.fail("type", "object of type '"+t+"' has no len()", t+" has no length")
}
