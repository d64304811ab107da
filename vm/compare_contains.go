package vm

// contains is `x in c`.
func (e *Env) contains(c, x Value) (bool, error) {
	c, x = e.canonical(c), e.resolved(x)
	if e.Host {
		if n, ok := mapLen(c); ok && n == 0 {
			c, _ = e.hostTextValue(c)
		}
		if c.Kind() == KindString {
			x, _ = e.hostTextValue(x)
		}
	}
	switch m := c.ref.(type) {
	case strPtr, safePtr:
		s, _ := c.Str()
		return e.containsText(s, x)
	case map[string]any:
		if s, ok := plainString(x); ok {
			if err := e.stepText(len(s)); err != nil {
				return false, err
			}
			_, found := m[s]
			return found, nil
		}
	}
	if n, ok := seqLen(c); ok {
		for i := range n {
			if err := e.Step(1); err != nil {
				return false, err
			}
			if eq, err := e.Equal(x, seqAt(c, i)); err != nil || eq {
				return eq, err
			}
		}
		return false, nil
	}
	if isMap(c) {
		if e.strict(x) {
			return false, e.undefinedError(x)
		}
		found, hashable, err := e.mapHas(c, x)
		if err != nil {
			return false, err
		}
		if !hashable {
			return false, e.errUnhashable(x)
		}
		return found, nil
	}
	switch o := c.ref.(type) {
	case []byte:
		if !e.Dialect.TextsAreSequences() {
			return e.containsText(bytesText(o), x)
		}
		if b, ok := x.Bytes(); ok {
			return e.hasText(bytesText(o), bytesText(b))
		}
	case nil:
		if e.Dialect.NullIsEmpty() {
			return false, nil
		}
	case *Undefined:
		if e.strict(c) {
			return false, e.undefinedError(c)
		}
		return false, nil
	case Container:
		return o.Contains(e, x)
	case *Iterator:
		return e.containsIn(o, x)
	case Iterable:
		return e.containsIn(o.Iterate(), x)
	}
	t := e.TypeName(c)
	return false, e.failHelp("type", "argument of type '"+t+"' is not iterable",
		"cannot look into "+t+" with in", "the right side of in must be a string, a list or a map")
}

func (e *Env) containsText(s string, x Value) (bool, error) {
	t, ok := x.Str()
	if !ok {
		if x.IsMissing() && e.Dialect.NullIsEmpty() {
			return false, nil
		}
		return false, e.fail("type", "'in <string>' requires string as left operand, not "+e.TypeName(x),
			"cannot look for "+e.TypeName(x)+" in a string: the left side of in must be a string too")
	}
	return e.hasText(s, t)
}

// hasText reports whether t stands in s, which is paid for before.
func (e *Env) hasText(s, t string) (bool, error) {
	if err := e.Step(len(s) / 64); err != nil {
		return false, err
	}
	var p Pace
	return p.Index(e, s, t) >= 0, e.StopError()
}

// containsIn walks an iterator until x is found.
func (e *Env) containsIn(it *Iterator, x Value) (bool, error) {
	for {
		if err := e.Step(1); err != nil {
			return false, err
		}
		v, ok, err := it.Next()
		if err != nil || !ok {
			return false, err
		}
		if eq, err := e.Equal(x, v); err != nil || eq {
			return eq, err
		}
	}
}

// errUnhashable says that x cannot be a key.
func (e *Env) errUnhashable(x Value) error {
	t := e.TypeName(x)
	return e.fail("type", "unhashable type: '"+t+"'", t+" cannot be the key of a map")
}
