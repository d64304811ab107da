package vm

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// This file reads fields of structs and items of slices in memory, without
// reflection where their types are the common ones: reflection costs ten times
// the look-up of a key in a map. What makes its arithmetic on addresses valid:
//
//   - An interface is two words, type and data. Pointers and maps are their own
//     data word; of all else, single-pointer structs and arrays excepted, which
//     are not read here, the data word is the address of the value.
//   - An offset is one that reflect gives for exactly the type whose type word
//     was compared before; an index is below the length of the slice read with
//     it. So no address leaves the object that its pointer holds alive.
//   - Interfaces are put together only of a pointer or map type and a word read
//     as that type.

// iface are type and data of an interface. They are a struct, which Go's
// compiler keeps in registers, as it does no array.
type iface struct{ typ, data unsafe.Pointer }

// iface returns type and data of local a: of a slot, or where a is
// negative of the item of loop ^a, see local. It makes no value of an item that
// is a struct.
func (m *machine) iface(a int32) iface {
	if a >= 0 {
		return *ifaceOf(&m.slots[a].ref)
	}
	return m.loops[^a].words()
}

func ifaceOf(x *any) *iface { return (*iface)(unsafe.Pointer(x)) }

// typeWord is the type word of interfaces that hold a t, which is no interface
// type.
func typeWord(t reflect.Type) unsafe.Pointer {
	x := reflect.Zero(t).Interface()
	return ifaceOf(&x).typ
}

// plainText is Str for the commonest strings, small enough to be inlined.
func (v *Value) plainText() (s string, ok bool) {
	w := ifaceOf(&v.ref)
	if w.typ != strWord {
		return "", false
	}
	return unsafe.String((*byte)(w.data), int(v.num)), true
}

var strWord = typeWord(reflect.TypeFor[strPtr]())

// words returns the interface words of the current item.
func (ls *loopState) words() iface {
	v := ls.at(ls.i)
	return *ifaceOf(&v.ref)
}

// refTo is the value of the pointer or map type word whose data word is p.
func refTo(word, p unsafe.Pointer) (v Value) {
	*ifaceOf(&v.ref) = iface{word, p}
	return v
}

// loadKind says how a field or item is read.
type loadKind uint8

const (
	loadOther  loadKind = iota // by reflection
	loadString                 // strings, of named types too
	loadBool
	loadInt
	loadInt64
	loadInt32
	loadFloat64
	loadAny
	loadPointer // pointers and maps of strings to any: the word itself
	loadAddress // structs: their address, not a copy
)

// load tells how to read a Go value of one type from memory.
type load struct {
	typ  reflect.Type
	word unsafe.Pointer // of loadPointer typ's, of loadAddress that of a pointer to typ
	kind loadKind
}

// loadOf plans reading values of type t. Each case gives what hostOf gives for
// an addressable t.
func loadOf(t reflect.Type) load {
	l := load{typ: t}
	switch t {
	case boolType:
		l.kind = loadBool
	case intType:
		l.kind = loadInt
	case int64Type:
		l.kind = loadInt64
	case int32Type:
		l.kind = loadInt32
	case float64Type:
		l.kind = loadFloat64
	case anyType:
		l.kind = loadAny
	case anyMapType:
		l.kind, l.word = loadPointer, typeWord(t)
	case jsonNumberType:
	default:
		switch t.Kind() {
		case reflect.String:
			if textMethod(t) == "" { // else its type says more
				l.kind = loadString
			}
		case reflect.Pointer:
			l.kind, l.word = loadPointer, typeWord(t)
		case reflect.Struct:
			l.kind, l.word = loadAddress, typeWord(reflect.PointerTo(t))
		}
	}
	return l
}

// at reads the value at p.
func (l *load) at(p unsafe.Pointer) Value {
	switch l.kind {
	case loadString:
		return String(*(*string)(p))
	case loadBool:
		return Bool(*(*bool)(p))
	case loadInt:
		return Int(int64(*(*int)(p)))
	case loadInt64:
		return Int(*(*int64)(p))
	case loadInt32:
		return Int(int64(*(*int32)(p)))
	case loadFloat64:
		return Float(*(*float64)(p))
	case loadAny:
		return Of(*(*any)(p))
	case loadPointer:
		return refTo(l.word, *(*unsafe.Pointer)(p))
	case loadAddress:
		return refTo(l.word, p)
	}
	return hostOf(reflect.NewAt(l.typ, p).Elem())
}

// locate finds the offset of the field in t, unless a pointer lies between.
func (f *structField) locate(t reflect.Type) {
	f.direct = true
	for _, x := range f.index {
		if t.Kind() == reflect.Pointer {
			f.direct = false
			t = t.Elem()
		}
		sf := t.Field(x)
		f.offset += sf.Offset
		t = sf.Type
	}
	f.load = loadOf(t)
}

var (
	boolType    = reflect.TypeFor[bool]()
	intType     = reflect.TypeFor[int]()
	int64Type   = reflect.TypeFor[int64]()
	int32Type   = reflect.TypeFor[int32]()
	float64Type = reflect.TypeFor[float64]()
	anyType     = reflect.TypeFor[any]()
)

// in reads the field of the struct at base; f.direct holds.
func (f *structField) in(base unsafe.Pointer) Value {
	return f.load.at(unsafe.Add(base, f.offset))
}

// planSlot is an entry of planCache.
type planSlot struct {
	typ  unsafe.Pointer // as interfaces hold it
	plan *structPlan    // nil where named is set
	// named says that the type is a map[string]any of another name.
	named bool
}

// namedMap is the map that x is, where its type is a map[string]any of another
// name: the conversion itself asks for the types' names each time. Maps are
// pointers, so that the data word of x is the map.
func namedMap(x any) (map[string]any, bool) {
	w := ifaceOf(&x)
	slot := &planCache[cacheIndex(w.typ, uintptr(len(planCache)))]
	s := slot.Load()
	if s == nil || s.typ != w.typ {
		t := reflect.TypeOf(x)
		if t.Kind() != reflect.Map || t.Elem() != anyType || t.Key() != stringType || textMethod(t) != "" || t.Implements(objectType) {
			return nil, false
		}
		s = &planSlot{typ: w.typ, named: true}
		slot.Store(s)
	}
	if !s.named {
		return nil, false
	}
	return *(*map[string]any)(unsafe.Pointer(&w.data)), true
}

var stringType = reflect.TypeFor[string]()

// planCache finds the plan of a struct by the address of its type, or of the
// type of a pointer to it. A slot that is taken by another type is overwritten: structPlans holds
// them all.
var planCache [256]atomic.Pointer[planSlot]

// cacheIndex spreads type words over n entries, a power of two. Types lie at
// multiples of 32 bytes.
func cacheIndex(word unsafe.Pointer, n uintptr) uintptr { return uintptr(word) >> 5 & (n - 1) }

// structAt returns plan and address of the struct that x is or points to; ok is
// false for whatever is neither, and for nil pointers.
func structAt(x any) (plan *structPlan, base unsafe.Pointer, ok bool) {
	w := ifaceOf(&x)
	slot := &planCache[cacheIndex(w.typ, uintptr(len(planCache)))]
	if s := slot.Load(); s != nil && s.typ == w.typ {
		return s.plan, w.data, w.data != nil && !s.named
	}
	t := reflect.TypeOf(x)
	st := t
	if t.Kind() == reflect.Pointer {
		st = t.Elem()
	}
	if !isPlain(st) || t.Implements(objectType) || t == st && isDirect(t) {
		return nil, nil, false
	}
	plan = planOf(st)
	slot.Store(&planSlot{typ: w.typ, plan: plan})
	return plan, w.data, w.data != nil
}

// isPlain reports whether t is a struct that reads as a map.
func isPlain(t reflect.Type) bool {
	switch t {
	case timeType, bigIntType, valueType, reflectValueType, messageType,
		listType, tupleType, ownMapType, iteratorType:
		return false
	}
	return t.Kind() == reflect.Struct
}

// isDirect reports whether the data word of an interface is a t itself, not its
// address: so it is with structs and arrays that are a single pointer.
func isDirect(t reflect.Type) bool {
	zero := reflect.Zero(t).Interface()
	return ifaceOf(&zero).data == nil
}

// messageType reads as Message.Value has it, not by the names of its fields.
var messageType = reflect.TypeFor[Message]()

// These read as the values that they are, as listType does, not by their fields.
var (
	tupleType    = reflect.TypeFor[Tuple]()
	iteratorType = reflect.TypeFor[Iterator]()
)

var objectType = reflect.TypeFor[Object]()

// slicePlan tells how the items of a slice type are read.
type slicePlan struct {
	word unsafe.Pointer // of the slice type, or of a pointer to it
	size uintptr
	item load
}

// sliceCache finds plans by type word. Entries are overwritten as in planCache,
// but kept nowhere else: making one anew costs little.
var sliceCache [64]atomic.Pointer[slicePlan]

// itemsOf tells where the items of x are, if it is a slice or points to one that
// templates see as a list: how they are read, and the address of the slice's
// header.
func itemsOf(x any) (plan *slicePlan, header unsafe.Pointer, ok bool) {
	w := ifaceOf(&x)
	slot := &sliceCache[cacheIndex(w.typ, uintptr(len(sliceCache)))]
	plan = slot.Load()
	if plan == nil || plan.word != w.typ {
		t := reflect.TypeOf(x)
		if t == nil {
			return nil, nil, false
		}
		if plan = newSlicePlan(w.typ, t); plan == nil {
			return nil, nil, false
		}
		slot.Store(plan)
	}
	if w.data == nil {
		return nil, nil, false // a nil pointer: null
	}
	return plan, w.data, true // the data word is that address in both cases
}

// newSlicePlan plans reading the items of a t, which is a slice or points to
// one; nil where templates see no list there.
func newSlicePlan(word unsafe.Pointer, t reflect.Type) *slicePlan {
	st := t
	if t.Kind() == reflect.Pointer {
		st = t.Elem()
	}
	if st.Kind() != reflect.Slice || t.Implements(objectType) || st.Elem().Kind() == reflect.Uint8 || st.Elem() == valueType {
		return nil
	}
	return &slicePlan{word: word, size: st.Elem().Size(), item: loadOf(st.Elem())}
}

// itemAt reads item i of n items from first on; i is below n.
func (p *slicePlan) itemAt(first unsafe.Pointer, i int) Value {
	return p.item.at(unsafe.Add(first, uintptr(i)*p.size))
}

// access is a path through structs of known types, planned when code is bound
// to a shape (shape.go).
type access struct {
	word unsafe.Pointer // type word of the struct that the path starts from
	// offset leads from the struct to the value, or from the last of hops.
	offset uintptr
	// plain is load's kind where the access stands for the whole path and no
	// pointer lies on the way, else loadOther.
	plain loadKind
	load  load
	hops  []uintptr // where pointers lie on the way, each from the last
	// list, where set, is the type word of a pointer to the slice that is read:
	// a loop wants its address, which needs no copy of its header.
	list unsafe.Pointer
	// items, where list is set, is how a loop reads the items.
	items *slicePlan
	// path is the whole path, and taken the number of its keys that the access
	// stands for; root says that it starts at the data.
	path  *Path
	taken int
	root  bool
	run   *textRun // that begins with the instruction; nil for most
}

// text returns the string that the path leads to from w; ok is false where that
// is of another type than expected, or the value no string.
func (a *access) text(w iface) (s string, ok bool) {
	if w.typ != a.word || w.data == nil || a.plain != loadString {
		return "", false
	}
	return *(*string)(unsafe.Add(w.data, a.offset)), true
}

// flag is text for booleans.
func (a *access) flag(w iface) (b, ok bool) {
	if w.typ != a.word || w.data == nil || a.plain != loadBool {
		return false, false
	}
	return *(*bool)(unsafe.Add(w.data, a.offset)), true
}

// read returns what the first taken keys lead to from w; ok is false where that
// is of another type than expected, or a pointer on the way is nil.
func (a *access) read(w iface) (x Value, ok bool) {
	if w.typ != a.word || w.data == nil {
		return Value{}, false
	}
	p := w.data
	for _, at := range a.hops {
		if p = *(*unsafe.Pointer)(unsafe.Add(p, at)); p == nil {
			return Value{}, false
		}
	}
	p = unsafe.Add(p, a.offset)
	if a.list != nil {
		return refTo(a.list, p), true
	}
	return a.load.at(p), true
}
