package vm

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// A mapPlan tells how the maps of one Go type are read. A map lies in memory by what
// its keys and values are made of, whatever the types are called: one whose keys are
// of a kind of string, and its values of a kind that map[string]string,
// map[string]any and the like have, is read as that type. So no key and no value is
// copied to the heap, as reflection does. All else is read by reflection.
type mapPlan struct {
	typ  reflect.Type
	word unsafe.Pointer // of typ
	read mapRead
	elem load
	// texts says that the keys are texts which no method of theirs changes.
	texts bool
	keys  sync.Pool // of *reflect.Value, settable keys of a kind of string
}

// mapRead is the type as which a map is read.
type mapRead uint8

const (
	mapOther      mapRead = iota // by reflection
	mapOfAny                     // map[string]any
	mapOfAnyWords                // map[K]any, where K is another type of strings
	mapOfText                    // map[string]string
	mapOfBool                    // map[string]bool
	mapOfInt                     // map[string]int
	mapOfInt64                   // map[string]int64
	mapOfFloat64                 // map[string]float64
	mapOfPointer                 // map[string]unsafe.Pointer: pointers, maps
	mapOfAnyKeys                 // map[any]any
)

// mapReads are the types as which maps are read, by how their values are.
var mapReads = [...]mapRead{
	loadAny: mapOfAny, loadString: mapOfText, loadBool: mapOfBool, loadInt: mapOfInt, loadInt64: mapOfInt64,
	loadFloat64: mapOfFloat64, loadPointer: mapOfPointer, loadUint64: mapOther, // the last kind
}

// newMapPlan plans reading maps of type t, whose keys are scalars.
func newMapPlan(t reflect.Type) *mapPlan {
	p := &mapPlan{typ: t, word: typeWord(t), elem: loadOf(t.Elem())}
	switch key := t.Key(); {
	case key.Kind() == reflect.String:
		p.texts = key != jsonNumberType && textMethod(key) == ""
		p.read = mapReads[p.elem.kind]
		p.keys.New = func() any { k := reflect.New(key).Elem(); return &k }
		if p.read == mapOfAny && key != stringType { // which canonical is not to take for map[string]any
			p.read = mapOfAnyWords
		}
	case key == anyType && t.Elem() == anyType:
		p.read = mapOfAnyKeys
	}
	return p
}

// host is the map m for reflection.
func (p *mapPlan) host(m unsafe.Pointer) reflect.Value {
	v := refTo(p.word, m)
	return reflect.ValueOf(v.ref)
}

// len is the number of entries of m: maps of all types begin with it.
func (p *mapPlan) len(m unsafe.Pointer) int { return len(mapAs[any](m)) }

// mapAs is the map m, whose keys are of a kind of string, with values of type V.
func mapAs[V any](m unsafe.Pointer) map[string]V { return *(*map[string]V)(unsafe.Pointer(&m)) }

// get returns the value of the key name in m.
func (p *mapPlan) get(m unsafe.Pointer, name string) (x Value, ok bool) {
	switch p.read {
	case mapOfAny, mapOfAnyWords:
		x, ok := mapAs[any](m)[name]
		return Of(x), ok
	case mapOfText:
		x, ok := mapAs[string](m)[name]
		return String(x), ok
	case mapOfBool:
		x, ok := mapAs[bool](m)[name]
		return Bool(x), ok
	case mapOfInt:
		x, ok := mapAs[int](m)[name]
		return Int(int64(x)), ok
	case mapOfInt64:
		x, ok := mapAs[int64](m)[name]
		return Int(x), ok
	case mapOfFloat64:
		x, ok := mapAs[float64](m)[name]
		return Float(x), ok
	case mapOfPointer:
		x, ok := mapAs[unsafe.Pointer](m)[name]
		if !ok {
			return Value{}, false
		}
		return refTo(p.elem.word, x), true
	case mapOfAnyKeys:
		x, ok := (*(*map[any]any)(unsafe.Pointer(&m)))[name]
		return Of(x), ok
	}
	if p.typ.Key().Kind() != reflect.String {
		return hostMapGet(p.host(m), String(name))
	}
	k := p.keys.Get().(*reflect.Value)
	k.SetString(name)
	r := p.host(m).MapIndex(*k)
	k.SetString("")
	p.keys.Put(k)
	if !r.IsValid() {
		return Value{}, false
	}
	return hostOf(r), true
}

// has reports whether m has the key name. No value is looked at, so that it need not
// be copied: only its size decides where the next key lies.
func (p *mapPlan) has(m unsafe.Pointer, name string) bool {
	if p.read != mapOther || p.typ.Key().Kind() != reflect.String {
		_, ok := p.get(m, name)
		return ok
	}
	words := (p.typ.Elem().Size() + unsafe.Sizeof(m) - 1) / unsafe.Sizeof(m)
	return hasOf[min(int(words), len(hasOf)-1)](m, name)
}

// hasOf look for a key in maps with values of 0, 1, 2, … words. Values of more than
// 128 bytes lie elsewhere, and maps have their addresses.
var hasOf = [...]func(unsafe.Pointer, string) bool{
	hasIn[struct{}], hasIn[[1]uintptr], hasIn[[2]uintptr], hasIn[[3]uintptr], hasIn[[4]uintptr], hasIn[[5]uintptr],
	hasIn[[6]uintptr], hasIn[[7]uintptr], hasIn[[8]uintptr], hasIn[[9]uintptr], hasIn[[10]uintptr], hasIn[[11]uintptr],
	hasIn[[12]uintptr], hasIn[[13]uintptr], hasIn[[14]uintptr], hasIn[[15]uintptr], hasIn[[16]uintptr], hasIn[[17]uintptr],
}

func hasIn[V any](m unsafe.Pointer, name string) bool {
	_, ok := mapAs[V](m)[name]
	return ok
}

// entries lists the entries of m by their keys; ok is false where not all keys are
// texts which no method of theirs changes.
func (p *mapPlan) entries(e *Env, m unsafe.Pointer) (pairs []entry, ok bool, err error) {
	if p.read != mapOfAnyKeys && !p.texts {
		return nil, false, nil
	}
	if err := e.Charge(entrySize * p.len(m)); err != nil {
		return nil, true, err
	}
	var keys []string
	switch {
	case p.read == mapOfAnyKeys:
		if keys, ok = textKeys(*(*map[any]any)(unsafe.Pointer(&m))); !ok {
			return nil, false, nil
		}
		err = sortPaced(e, keys, strings.Compare)
	case p.read == mapOther:
		return p.copied(e, m)
	default:
		keys, err = p.sorted(e, m)
	}
	if err != nil {
		return nil, true, err
	}
	pairs = make([]entry, len(keys))
	for i, k := range keys {
		if i%bulkItems == bulkItems-1 {
			if err := e.poll(); err != nil {
				return nil, true, err
			}
		}
		pairs[i].key = String(k)
		pairs[i].val, _ = p.get(m, k)
	}
	return pairs, true, nil
}

// textKeys are the keys of m; ok is false where not all are strings.
func textKeys(m map[any]any) (keys []string, ok bool) {
	keys = make([]string, 0, len(m))
	for k := range m {
		s, is := k.(string)
		if !is {
			return nil, false
		}
		keys = append(keys, s)
	}
	return keys, true
}

// sorted lists the keys of m in order.
func (p *mapPlan) sorted(e *Env, m unsafe.Pointer) ([]string, error) {
	switch p.read {
	case mapOfText:
		return sortedKeys(e, mapAs[string](m))
	case mapOfBool:
		return sortedKeys(e, mapAs[bool](m))
	case mapOfInt:
		return sortedKeys(e, mapAs[int](m))
	case mapOfInt64:
		return sortedKeys(e, mapAs[int64](m))
	case mapOfFloat64:
		return sortedKeys(e, mapAs[float64](m))
	case mapOfPointer:
		return sortedKeys(e, mapAs[unsafe.Pointer](m))
	}
	return sortedKeys(e, mapAs[any](m)) // mapOfAny, mapOfAnyWords
}

// copied is entries for values that are read by reflection: they are copied, all to
// one place.
func (p *mapPlan) copied(e *Env, m unsafe.Pointer) ([]entry, bool, error) {
	n, size := p.len(m), p.typ.Elem().Size()
	if err := e.Charge(n * int(size)); err != nil {
		return nil, true, err
	}
	type keyed struct {
		key string
		at  int
	}
	keys := make([]keyed, 0, n)
	values := reflect.MakeSlice(reflect.SliceOf(p.typ.Elem()), n, n)
	key := reflect.New(p.typ.Key()).Elem()
	for it := p.host(m).MapRange(); len(keys) < n && it.Next(); {
		if len(keys)%bulkItems == bulkItems-1 {
			if err := e.poll(); err != nil {
				return nil, true, err
			}
		}
		key.SetIterKey(it)
		values.Index(len(keys)).SetIterValue(it)
		keys = append(keys, keyed{key.String(), len(keys)})
	}
	if err := sortPaced(e, keys, func(a, b keyed) int { return strings.Compare(a.key, b.key) }); err != nil {
		return nil, true, err
	}
	pairs := make([]entry, len(keys))
	for i, k := range keys {
		pairs[i] = entry{String(k.key), p.elem.at(unsafe.Add(values.UnsafePointer(), uintptr(k.at)*size))}
	}
	return pairs, true, nil
}
