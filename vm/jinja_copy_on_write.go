package vm

import "maps"

// Mutates reports whether a method of that name changes a list or a map.
func Mutates(name string) bool { return mutatorNames[name] }

// mutatorNames are the mutators of lists and maps together.
var mutatorNames = func() map[string]bool {
	names := map[string]bool{}
	for _, kind := range mutators {
		maps.Copy(names, kind)
	}
	return names
}()

// copyOnWrite gives the render copies of the lists and maps that methods such as
// append and update can change, so that neither the caller's data nor what
// programs share is changed: not by one render for the next, and not by two at
// once. Values that the methods refuse to change are left where they are; lists
// and maps of ours in them may not be changed either, see Lent. Where paths are
// asked for, the copies of texts tell them, and globals need not be copied.
func (m *machine) copyOnWrite(globals bool) error {
	if globals {
		m.ownGlobals = map[string]Value{}
	}
	c := &copier{env: &m.env}
	if m.env.paths {
		c.recorder = m.env.recorder
	}
	v, err := c.copy(m.data(), 0)
	if err != nil {
		return err
	}
	m.rootV, m.root = v, nil
	return nil
}

// ownGlobal returns the render's own copy of a value that programs share.
func (m *machine) ownGlobal(name string, v Value) Value {
	if m.ownGlobals == nil {
		return v
	}
	if own, ok := m.ownGlobals[name]; ok {
		return own
	}
	c := &copier{env: &m.env}
	own, err := c.copy(v, 0)
	if err != nil {
		// Too deep or too large to be changed: nothing may reach it.
		own = UndefinedOf(&Undefined{Name: name, Message: "a shared value is too large to be copied"})
	}
	m.ownGlobals[name] = own
	return own
}

// copier copies lists and maps. Those of Go become our own, which methods can
// change. The same list or map is copied once, so that two names of it stay
// names of one thing.
type copier struct {
	env   *Env
	lists map[*List]*List
	maps  map[*Map]*Map
	// recorder, where it is not nil, keeps the texts with their paths; at is the
	// path of what is copied.
	recorder *recorder
	at       int32
}

// copy copies v; recursion is bounded by the depth of values.
func (c *copier) copy(v Value, depth int) (own Value, err error) {
	if depth > c.env.limits.ValueDepth {
		return v, c.env.errDepth()
	}
	switch x := v.ref.(type) {
	case *List:
		if x == nil {
			return v, nil
		}
		n, done := c.lists[x]
		if !done {
			if c.lists == nil {
				c.lists = map[*List]*List{}
			}
			n = &List{}
			c.lists[x] = n
			n.Items, err = c.items(len(x.Items), func(i int) Value { return x.Items[i] }, depth)
		}
		return Value{ref: n}, err
	case []any:
		items, err := c.items(len(x), func(i int) Value { return Of(x[i]) }, depth)
		return ListOf(items), err
	case *Tuple:
		if x == nil {
			return v, nil
		}
		items, err := c.items(len(x.Items), func(i int) Value { return x.Items[i] }, depth)
		return TupleOf(items), err
	case *Map:
		n, done := c.maps[x]
		if !done {
			if c.maps == nil {
				c.maps = map[*Map]*Map{}
			}
			if err := c.env.Charge(mapRoom(x.Len())); err != nil {
				return v, err
			}
			if n = NewMap(0); x != nil {
				n = x.Clone()
			}
			c.maps[x] = n
			for i := range n.vals {
				key, _ := n.keys[i].Str()
				if n.vals[i], err = c.entry(n.vals[i], key, depth); err != nil {
					return v, err
				}
			}
		}
		return Value{ref: n}, nil
	case map[string]any:
		if err := c.env.Charge(mapRoom(len(x))); err != nil {
			return v, err
		}
		keys, err := sortedKeys(c.env, x) // the order in which Go maps are read
		if err != nil {
			return v, err
		}
		n := NewMap(len(x))
		for _, k := range keys {
			item, err := c.entry(Of(x[k]), k, depth)
			if err != nil {
				return v, err
			}
			n.Set(k, item)
		}
		return MapOf(n), nil
	}
	if c.recorder != nil {
		if s, ok := v.Str(); ok {
			return c.text(v, s)
		}
	}
	if !isScalarRef(v.ref) {
		c.env.unsearched = append(c.env.unsearched, v)
	}
	return v, nil
}

func (c *copier) items(n int, at func(int) Value, depth int) ([]Value, error) {
	if err := c.env.Charge(2*tupleSize + n*valueSize); err != nil {
		return nil, err
	}
	to := make([]Value, n)
	for i := range to {
		var err error
		if to[i], err = c.item(at(i), i, depth); err != nil {
			return nil, err
		}
	}
	return to, nil
}
