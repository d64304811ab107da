package vm

import (
	"slices"
	"unsafe"
)

// Map is a map that keeps the order in which its keys were first set. Decoders
// make it, and dict expressions. Keys are of any hashable kind; 1, 1.0 and
// true are one key, as in Python.
//
// Maps of up to mapScan entries with keys that are cheap to compare are searched
// one by one, which is as fast as hashing and allocates nothing.
type Map struct {
	keys []Value
	vals []Value
	// index finds the number of an entry by its key, and ids, where entries were
	// taken out, its place by that number: they ascend.
	index map[mapKey]int
	ids   []int
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
	cells := make([]Value, 2*n)
	return &Map{keys: cells[:0:n], vals: cells[n : n : 2*n]}
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
			k := &m.keys[i]
			if w := ifaceOf(&k.ref); w.typ == strWord { // as a rule
				if k.num == uint64(len(key)) && unsafe.String((*byte)(w.data), len(key)) == key {
					return i
				}
			} else if s, ok := k.Str(); ok && s == key {
				return i
			}
		}
		return -1
	}
	return m.indexed(mapKey{class: 's', str: key})
}

// indexed finds a key's place in the index.
func (m *Map) indexed(k mapKey) int {
	id, ok := m.index[k]
	if !ok {
		return -1
	}
	if m.ids == nil {
		return id
	}
	at, _ := slices.BinarySearch(m.ids, id)
	return at
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
	return m.indexed(k)
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
	m.add(k, key, v)
	return true
}

// add appends an entry whose key is not there.
func (m *Map) add(k mapKey, key, v Value) {
	m.keys = append(m.keys, key)
	m.vals = append(m.vals, v)
	switch last := len(m.keys) - 1; {
	case m.index != nil:
		id := last
		if m.ids != nil {
			if id = 0; last > 0 {
				id = m.ids[last-1] + 1
			}
			m.ids = append(m.ids, id)
		}
		m.index[k] = id
	case last >= mapScan || k.isLong():
		m.index = make(map[mapKey]int, 2*len(m.keys))
		for i := range m.keys {
			if h, ok := hashKey(m.keys[i]); ok {
				m.index[h] = i
			}
		}
	}
}

// isLong reports whether keys of k's class take long to hash, so that it is done
// once.
func (k *mapKey) isLong() bool { return k.class == 't' || k.class == 'y' }

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
	if m.index != nil {
		delete(m.index, k)
		if m.ids == nil && i < last {
			m.ids = make([]int, len(m.keys), cap(m.keys))
			for j := range m.ids {
				m.ids[j] = j
			}
		}
		if m.ids != nil {
			m.ids = append(m.ids[:i], m.ids[i+1:]...)
		}
	}
	copy(m.keys[i:], m.keys[i+1:])
	copy(m.vals[i:], m.vals[i+1:])
	m.keys[last], m.vals[last] = Value{}, Value{}
	m.keys, m.vals = m.keys[:last], m.vals[:last]
	return true
}

// Clone returns a shallow copy.
func (m *Map) Clone() *Map {
	c := NewMap(m.Len())
	if m.index == nil {
		c.keys, c.vals = append(c.keys, m.keys...), append(c.vals, m.vals...)
		return c
	}
	for i := range m.keys {
		c.Put(m.keys[i], m.vals[i])
	}
	return c
}

// Put sets m[key] after paying for the hashing and, where the key is new, for
// the entry. hashable is false, and nothing is done, where the key is of a kind
// that cannot be one.
func (e *Env) Put(m *Map, key, v Value) (hashable bool, err error) {
	key = e.resolved(key)
	if err := e.PayKey(key); err != nil {
		return true, err
	}
	k, ok := hashKey(key)
	if !ok {
		if key, ok = e.hostTextValue(key); ok {
			return e.Put(m, key, v)
		}
		return false, nil
	}
	if i := m.find(k); i >= 0 {
		m.vals[i] = v
		return true, nil
	}
	if err := e.Hold(entryRoom + len(k.ownText())); err != nil {
		return true, err
	}
	m.add(k, key, v)
	return true, nil
}

// ownText is the text of k where it is no part of the key itself.
func (k *mapKey) ownText() string {
	if k.class == 's' {
		return ""
	}
	return k.str
}

// Get reads m[key] after paying for the hashing; hashable is false where the
// key is of a kind that cannot be one.
func (e *Env) Get(m *Map, key Value) (v Value, found, hashable bool, err error) {
	if err := e.PayKey(key); err != nil {
		return Value{}, false, true, err
	}
	v, found, hashable = m.Lookup(key)
	return v, found, hashable, nil
}
