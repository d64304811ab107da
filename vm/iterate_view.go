package vm

import (
	"reflect"
	"unsafe"
)

// seqLen returns the number of items of a list or tuple in canonical form.
func seqLen(v Value) (int, bool) {
	switch x := v.ref.(type) {
	case []any:
		return len(x), true
	case *List:
		if x == nil {
			return 0, true
		}
		return len(x.Items), true
	case *Tuple:
		if x == nil {
			return 0, true
		}
		return len(x.Items), true
	case []string:
		return len(x), true
	case []map[string]any:
		return len(x), true
	case []Value:
		return len(x), true
	case nil, boolMark, intMark, floatMark, strPtr, safePtr, map[string]any, *Map, []byte, Object:
		return 0, false
	}
	if _, header, ok := itemsOf(v.ref); ok {
		_, n := headerOf(header)
		return n, true
	}
	if r, shape := hostShape(v); shape == reflect.Slice && v.Kind() == KindList {
		return r.Len(), true
	}
	return 0, false
}

// seqAt returns item i of a list or tuple in canonical form; i is in range.
func seqAt(v Value, i int) Value {
	switch x := v.ref.(type) {
	case []any:
		return Of(x[i])
	case *List:
		return x.Items[i]
	case *Tuple:
		return x.Items[i]
	case []string:
		return String(x[i])
	case []map[string]any:
		return Value{ref: x[i]}
	case []Value:
		return x[i]
	}
	if plan, header, ok := itemsOf(v.ref); ok {
		if first, n := headerOf(header); i < n { // it may have been made shorter
			return plan.itemAt(first, i)
		}
	}
	r, _ := hostShape(v)
	return hostOf(r.Index(i))
}

// isTuple reports whether v is a tuple.
func isTuple(v Value) bool { _, ok := v.ref.(*Tuple); return ok }

type entry struct{ key, val Value }

// entryValues are the keys and values of entries, in turn, where they lie.
func entryValues(entries []entry) []Value {
	return unsafe.Slice((*Value)(unsafe.Pointer(unsafe.SliceData(entries))), 2*len(entries))
}

// Entries are the entries of a map in its own order; those of a Go map come
// sorted by key, those of a struct in the order of its fields.
type Entries struct {
	m     *Map
	pairs []entry
	env   *Env // of the render, which resolves values; may be nil
}

// Len is the number of entries.
func (en *Entries) Len() int {
	if en.m != nil {
		return en.m.Len()
	}
	return len(en.pairs)
}

// At returns entry i.
func (en *Entries) At(i int) (key, value Value) {
	if en.m != nil {
		key, value = en.m.At(i)
	} else {
		key, value = en.pairs[i].key, en.pairs[i].val
	}
	return key, en.env.resolved(value)
}

// IsMapping reports whether v reads as a map: a map of any kind or a struct.
func (v Value) IsMapping() bool {
	return isMapForm(v) || isMap(canonical(v))
}

// IsSequence reports whether v is a list or a tuple.
func (v Value) IsSequence() bool {
	_, ok := seqLen(canonical(v))
	return ok
}

// isMap reports whether v, in canonical form, is a map or a struct.
func isMap(v Value) bool {
	if isMapForm(v) {
		return true
	}
	if planFor(v.ref).form != formOther {
		return false
	}
	_, ok := mapLen(v)
	return ok
}

// mapLen returns the number of entries of a map or struct in canonical form.
func mapLen(v Value) (int, bool) {
	switch x := v.ref.(type) {
	case map[string]any:
		return len(x), true
	case *Map:
		return x.Len(), true
	case nil, boolMark, intMark, floatMark, strPtr, safePtr, []any, *List, *Tuple, []byte, Object,
		*Undefined, *Iterator:
		return 0, false
	}
	switch p, data := planFor(v.ref), ifaceOf(&v.ref).data; {
	case p.null(data):
	case p.form == formRecord:
		return p.record.lenAt(data), true
	case p.form == formMap:
		return p.table.len(p.mapIn(data)), true
	}
	if k := v.Kind(); k != KindMap && k != KindHost {
		return 0, false
	}
	switch r, shape := hostShape(v); shape {
	case reflect.Map:
		return r.Len(), true
	case reflect.Struct:
		return planOf(r.Type()).len(r), true
	}
	return 0, false
}

// Entries lists the entries of a map or struct. It fails for other values, and
// where the budget does not allow the listing.
func (e *Env) Entries(v Value) (Entries, error) {
	v = e.canonical(v)
	switch x := v.ref.(type) {
	case *Map:
		if x == nil {
			return Entries{}, nil
		}
		return Entries{m: x, env: e}, nil
	case map[string]any:
		if err := e.Charge(entrySize * len(x)); err != nil {
			return Entries{}, err
		}
		keys, err := sortedKeys(e, x)
		if err != nil {
			return Entries{}, err
		}
		pairs := make([]entry, len(keys))
		for i, k := range keys {
			if i%bulkItems == bulkItems-1 {
				if err := e.poll(); err != nil {
					return Entries{}, err
				}
			}
			pairs[i] = entry{String(k), Of(x[k])}
		}
		return Entries{pairs: pairs, env: e}, nil
	}
	if pairs, ok, err := e.plainEntries(v); ok {
		return Entries{pairs: pairs, env: e}, err
	}
	n, ok := mapLen(v)
	if !ok {
		return Entries{}, e.fail("type", "'"+e.TypeName(v)+"' object is not a mapping", "a value of type "+e.TypeName(v)+" has no entries")
	}
	if err := e.Charge(entrySize * n); err != nil {
		return Entries{}, err
	}
	r, shape := hostShape(v)
	if shape == reflect.Struct {
		return Entries{pairs: planOf(r.Type()).entries(r), env: e}, nil
	}
	pairs, ok, err := e.hostEntries(r)
	if err != nil {
		return Entries{}, err
	}
	if !ok {
		return Entries{}, e.fail("type", "unhashable key type", "a map of the data has keys that are not scalars")
	}
	return Entries{pairs: pairs, env: e}, nil
}

// plainEntries are the entries of a struct or a Go map whose keys are texts, so that
// no two are equal, after charging for them; ok is false for all else.
func (e *Env) plainEntries(v Value) (pairs []entry, ok bool, err error) {
	p, data := planFor(v.ref), ifaceOf(&v.ref).data
	switch {
	case p.null(data):
		return nil, false, nil
	case p.form == formRecord:
		if err := e.Charge(entrySize * p.record.lenAt(data)); err != nil {
			return nil, true, err
		}
		return p.record.entriesAt(data), true, nil
	case p.form == formMap:
		return p.table.entries(e, p.mapIn(data))
	}
	return nil, false, nil
}

// mapHas is mapGet for whoever wants no value.
func (e *Env) mapHas(v, key Value) (found, hashable bool, err error) {
	p := planFor(v.ref)
	s, ok := key.Str()
	if !ok || p.form != formMap || e.Host {
		_, found, hashable, err = e.mapGet(v, key)
		return found, hashable, err
	}
	if err = e.PayKey(key); err != nil {
		return false, true, err
	}
	return p.table.has(p.mapIn(ifaceOf(&v.ref).data), s), true, nil
}

// mapGet is the function mapGet after paying for the hashing of a long key.
func (e *Env) mapGet(v, key Value) (x Value, found, hashable bool, err error) {
	if err = e.PayKey(key); err != nil {
		return Value{}, false, true, err
	}
	x, found, hashable = mapGet(v, key)
	if !found && e.Host {
		x, found, err = e.hostTextKey(v, key)
	}
	return x, found, hashable, err
}

// mapGet reads a key of a map or struct in canonical form; hashable is false
// where the key cannot be one.
func mapGet(v, key Value) (x Value, found, hashable bool) {
	switch m := v.ref.(type) {
	case map[string]any:
		if s, ok := key.Str(); ok {
			g, ok := m[s]
			return Of(g), ok, true
		}
		_, hashable = hashKey(key)
		return Value{}, false, hashable
	case *Map:
		if m == nil {
			_, hashable = hashKey(key)
			return Value{}, false, hashable
		}
		return m.Lookup(key)
	}
	if s, ok := key.Str(); ok {
		if x, found, is := member(v, s); is {
			return x, found, true
		}
	}
	if _, hashable = hashKey(key); !hashable {
		return Value{}, false, false
	}
	switch r, shape := hostShape(v); shape {
	case reflect.Map:
		x, found = hostMapGet(r, key)
	case reflect.Struct:
		if s, ok := key.Str(); ok {
			x, found = planOf(r.Type()).get(r, s)
		}
	}
	return x, found, true
}
