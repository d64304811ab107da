package vm

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A typePlan tells how values of one Go type are read: it is made once for each type
// that data has, and found by the type word of an interface. Whatever operation
// looks into such a value asks it, so that each form of data is as near to
// map[string]any as its memory allows.
type typePlan struct {
	word unsafe.Pointer // type word of interfaces that hold such values
	form form
	kind Kind // of the values, nil pointers excepted
	// pointer says that the type is a pointer to what form says: nil is null.
	pointer bool

	record *structPlan // of formRecord
	table  *mapPlan    // of formMap
	list   *slicePlan  // of formList
	scalar load        // of formScalar
}

// form is how a Go type reads.
type form uint8

const (
	formOther  form = iota // only reflection tells, or a type switch before
	formRecord             // a struct with fields
	formMap
	formList   // a slice
	formScalar // a text, a truth or a number without a text of its own
)

// planCache finds plans by type word. A slot that is taken by another type is
// overwritten: typePlans holds them all.
var planCache [256]atomic.Pointer[typePlan]

// typePlans caches plans for the life of the process, as encoding/json does: they
// depend on nothing but the type.
var typePlans sync.Map // reflect.Type → *typePlan

// noPlan is the plan of null.
var noPlan typePlan

// cacheIndex spreads type words over n entries, a power of two. Types lie at
// multiples of 32 bytes.
func cacheIndex(word unsafe.Pointer, n uintptr) uintptr { return uintptr(word) >> 5 & (n - 1) }

// planFor returns the plan of x's type.
func planFor(x any) *typePlan {
	word := ifaceOf(&x).typ
	if p := planCache[cacheIndex(word, uintptr(len(planCache)))].Load(); p != nil && p.word == word {
		return p
	}
	return findPlan(x)
}

func findPlan(x any) *typePlan {
	t := reflect.TypeOf(x)
	if t == nil {
		return &noPlan
	}
	known, ok := typePlans.Load(t)
	if !ok {
		known, _ = typePlans.LoadOrStore(t, newTypePlan(ifaceOf(&x).typ, t))
	}
	p := known.(*typePlan)
	planCache[cacheIndex(p.word, uintptr(len(planCache)))].Store(p)
	return p
}

// newTypePlan plans reading values of type t, which interfaces hold under word.
func newTypePlan(word unsafe.Pointer, t reflect.Type) *typePlan {
	p := &typePlan{word: word}
	base := t
	if t.Kind() == reflect.Pointer {
		base, p.pointer = t.Elem(), true
	}
	switch t {
	case boolMarkType, intMarkType, floatMarkType, strPtrType, safePtrType, spelledType, undefinedType:
		return p // which values of this package are made of
	}
	if t.Implements(objectType) || t.Implements(attributerType) || t.Implements(indexerType) {
		return p
	}
	switch base.Kind() {
	case reflect.Struct:
		if isPlain(base) && (p.pointer || !isDirect(t)) {
			p.form, p.kind, p.record = formRecord, KindHost, planOf(base)
		}
	case reflect.Map:
		if isKeyKind(base.Key().Kind()) {
			p.form, p.kind, p.table = formMap, KindMap, newMapPlan(base)
		}
	case reflect.Slice:
		if l := newSlicePlan(word, t); l != nil {
			p.form, p.kind, p.list = formList, KindList, l
		}
	default:
		if base == jsonNumberType || textMethod(t) != "" {
			break
		}
		if l, ok := scalarLoad(base); ok {
			p.form, p.scalar = formScalar, l
			zero := reflect.New(base)
			p.kind = l.at(zero.UnsafePointer()).Kind()
		}
	}
	return p
}

var (
	boolMarkType   = reflect.TypeFor[boolMark]()
	intMarkType    = reflect.TypeFor[intMark]()
	floatMarkType  = reflect.TypeFor[floatMark]()
	strPtrType     = reflect.TypeFor[strPtr]()
	safePtrType    = reflect.TypeFor[safePtr]()
	spelledType    = reflect.TypeFor[*spelled]()
	undefinedType  = reflect.TypeFor[*Undefined]()
	attributerType = reflect.TypeFor[Attributer]()
	indexerType    = reflect.TypeFor[Indexer]()
)

// mapIn returns the map that a value with the data word holds; p.form is formMap.
func (p *typePlan) mapIn(data unsafe.Pointer) unsafe.Pointer {
	if p.pointer && data != nil {
		return *(*unsafe.Pointer)(data)
	}
	return data
}

// null reports whether a value with the data word is a nil pointer.
func (p *typePlan) null(data unsafe.Pointer) bool { return p.pointer && data == nil }

// canonical is canonical for v, whose plan p is; ok is false where p does not say.
func (p *typePlan) canonical(v Value) (x Value, ok bool) {
	data := ifaceOf(&v.ref).data
	if p.form == formOther {
		return v, false
	}
	if p.null(data) {
		return Null, true
	}
	switch {
	case p.form == formScalar:
		return p.scalar.at(data), true
	case p.form == formMap && p.table.read == mapOfAny:
		return refTo(anyMapWord, p.mapIn(data)), true
	case p.form == formList && p.list.item.kind == loadAny:
		if !p.pointer { // the header does not change
			return refTo(anySliceWord, data), true
		}
		return Value{ref: *(*[]any)(data)}, true
	}
	return v, true
}

// member is v.name. Where v is a map or struct in a form that a plan or the types of
// this package tell, known is set, and a name that it lacks is nowhere else either.
func member(v Value, name string) (x Value, ok, known bool) {
	switch m := v.ref.(type) {
	case map[string]any:
		x, ok := m[name]
		return Of(x), ok, true
	case *Map:
		if m == nil {
			return Value{}, false, true
		}
		x, ok := m.Get(name)
		return x, ok, true
	case Message:
		x, ok := m.field(name)
		return x, ok, true
	case *Message:
		if m == nil {
			return Value{}, false, false
		}
		x, ok := m.field(name)
		return x, ok, true
	case nil, strPtr, safePtr, intMark, floatMark, boolMark, []any, *List, *Tuple, *Undefined, *Iterator, Object:
		return Value{}, false, false
	}
	p, data := planFor(v.ref), ifaceOf(&v.ref).data
	switch {
	case p.null(data):
	case p.form == formRecord:
		x, ok = p.record.read(data, name)
		return x, ok, true
	case p.form == formMap:
		x, ok = p.table.get(p.mapIn(data), name)
		return x, ok, true
	}
	return Value{}, false, false
}

// isMapForm reports whether v is a map or record in a form that needs no look at
// what it holds.
func isMapForm(v Value) bool {
	switch m := v.ref.(type) {
	case map[string]any, *Map, Message:
		return true
	case *Message:
		return m != nil
	case nil, strPtr, safePtr, intMark, floatMark, boolMark, []any, *List, *Tuple, *Undefined, *Iterator, Object:
		return false
	}
	p := planFor(v.ref)
	return (p.form == formRecord || p.form == formMap) && !p.null(ifaceOf(&v.ref).data)
}

// structAt returns plan and address of the struct that x is or points to; ok is
// false for whatever is neither, and for nil pointers.
func structAt(x any) (plan *structPlan, base unsafe.Pointer, ok bool) {
	p, data := planFor(x), ifaceOf(&x).data
	return p.record, data, p.form == formRecord && data != nil
}

// itemsOf tells where the items of x are, if it is a slice or points to one that
// templates see as a list: how they are read, and the address of the slice's
// header, which the data word is in both cases.
func itemsOf(x any) (plan *slicePlan, header unsafe.Pointer, ok bool) {
	p, data := planFor(x), ifaceOf(&x).data
	return p.list, data, p.form == formList && data != nil
}

// slicePlan tells how the items of a slice type are read.
type slicePlan struct {
	word unsafe.Pointer // of the slice type, or of a pointer to it
	size uintptr
	item load
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

// headerOf is the slice whose header is at p, as one of items without size: the
// headers of all slice types are alike.
func headerOf(p unsafe.Pointer) (first unsafe.Pointer, n int) {
	header := *(*[]struct{})(p)
	return unsafe.Pointer(unsafe.SliceData(header)), len(header)
}
