package vm

// Map is a map that keeps the order in which its keys were first set. Decoders
// make it, and dict expressions. Keys are of any hashable kind; 1, 1.0 and
// true are one key, as in Python.
//
// Maps of up to mapScan entries are searched one by one, which is as fast as
// hashing and allocates nothing.
type Map struct {
	keys  []Value
	vals  []Value
	index map[mapKey]int32
	// Frozen marks a map of the caller's data or of the program's constants:
	// methods that change maps refuse it, so that renders can share it.
	Frozen bool
}

const mapScan = 16

// mapKey is the hashed form of a key.
type mapKey struct {
	class byte // 's' string, 'i' integer, 'f' float, 'n' null, 't' tuple, 'o' other
	num   uint64
	str   string
}

// NewMap returns an empty map with room for n entries.
func NewMap(n int) *Map {
	return &Map{keys: make([]Value, 0, n), vals: make([]Value, 0, n)}
}

// Len is the number of entries.
func (m *Map) Len() int {
	if m == nil {
		return 0
	}
	return len(m.keys)
}

// At returns entry i in order.
func (m *Map) At(i int) (key, value Value) { return m.keys[i], m.vals[i] }

// Get returns the value of a string key.
func (m *Map) Get(key string) (Value, bool) {
	if i := m.findString(key); i >= 0 {
		return m.vals[i], true
	}
	return Value{}, false
}

func (m *Map) findString(key string) int {
	if m.index == nil {
		for i := range m.keys {
			s, ok := m.keys[i].plainText()
			if !ok {
				s, ok = m.keys[i].Str()
			}
			if ok && s == key {
				return i
			}
		}
		return -1
	}
	if i, ok := m.index[mapKey{class: 's', str: key}]; ok {
		return int(i)
	}
	return -1
}

// Lookup returns the value of any key; hashable is false where the key is of
// a kind that cannot be one (a list or a map).
func (m *Map) Lookup(key Value) (v Value, found, hashable bool) {
	k, ok := hashKey(key)
	if !ok {
		return Value{}, false, false
	}
	if i := m.find(k); i >= 0 {
		return m.vals[i], true, true
	}
	return Value{}, false, true
}

func (m *Map) find(k mapKey) int {
	if k.class == 's' {
		return m.findString(k.str)
	}
	if m.index == nil {
		for i := range m.keys {
			if h, ok := hashKey(m.keys[i]); ok && h == k {
				return i
			}
		}
		return -1
	}
	if i, ok := m.index[k]; ok {
		return int(i)
	}
	return -1
}

// Set sets a string key.
func (m *Map) Set(key string, v Value) { m.Put(String(key), v) }

// Put sets any key; a key that is there keeps its place and spelling. It
// reports false, and does nothing, where the key cannot be hashed.
func (m *Map) Put(key, v Value) bool {
	k, ok := hashKey(key)
	if !ok {
		return false
	}
	if i := m.find(k); i >= 0 {
		m.vals[i] = v
		return true
	}
	m.keys = append(m.keys, key)
	m.vals = append(m.vals, v)
	switch {
	case m.index != nil:
		m.index[k] = int32(len(m.keys) - 1)
	case len(m.keys) > mapScan:
		m.index = make(map[mapKey]int32, 2*len(m.keys))
		for i := range m.keys {
			if h, ok := hashKey(m.keys[i]); ok {
				m.index[h] = int32(i)
			}
		}
	}
	return true
}

// Delete removes a key, in time linear in the entries after it, and reports whether it was there.
func (m *Map) Delete(key Value) bool {
	k, ok := hashKey(key)
	if !ok {
		return false
	}
	i := m.find(k)
	if i < 0 {
		return false
	}
	last := len(m.keys) - 1
	copy(m.keys[i:], m.keys[i+1:])
	copy(m.vals[i:], m.vals[i+1:])
	m.keys[last], m.vals[last] = Value{}, Value{}
	m.keys, m.vals = m.keys[:last], m.vals[:last]
	if m.index != nil {
		delete(m.index, k)
		for j := i; j < last; j++ {
			if h, ok := hashKey(m.keys[j]); ok {
				m.index[h] = int32(j)
			}
		}
	}
	return true
}

// Clone returns a shallow copy.
func (m *Map) Clone() *Map {
	c := NewMap(m.Len())
	for i := range m.keys {
		c.Put(m.keys[i], m.vals[i])
	}
	return c
}
