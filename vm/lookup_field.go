package vm

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// This file reads fields of structs behind pointers without reflection where
// their types are the common ones: reflection costs ten times the look-up of a
// key in a map.

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
	f.typ = t
}

var (
	stringType  = reflect.TypeFor[string]()
	boolType    = reflect.TypeFor[bool]()
	intType     = reflect.TypeFor[int]()
	int64Type   = reflect.TypeFor[int64]()
	float64Type = reflect.TypeFor[float64]()
	anyType     = reflect.TypeFor[any]()
)

// load reads the field of the struct at base; f.direct holds.
func (f *structField) load(base unsafe.Pointer) Value {
	p := unsafe.Add(base, f.offset)
	switch f.typ {
	case stringType:
		return String(*(*string)(p))
	case boolType:
		return Bool(*(*bool)(p))
	case intType:
		return Int(int64(*(*int)(p)))
	case int64Type:
		return Int(*(*int64)(p))
	case float64Type:
		return Float(*(*float64)(p))
	case anyType:
		return Of(*(*any)(p))
	case anyMapType:
		return Value{ref: *(*map[string]any)(p)}
	}
	return hostOf(reflect.NewAt(f.typ, p).Elem())
}

// planSlot is an entry of planCache.
type planSlot struct {
	typ  unsafe.Pointer // as interfaces hold it
	plan *structPlan
}

// planCache finds the plan of a struct by the address of its type, or of the
// type of a pointer to it. A slot that is taken by another type is overwritten: structPlans holds
// them all.
var planCache [256]atomic.Pointer[planSlot]

// structAt returns plan and address of the struct that x is or points to; ok is
// false for whatever is neither, and for nil pointers.
func structAt(x any) (plan *structPlan, base unsafe.Pointer, ok bool) {
	words := (*[2]unsafe.Pointer)(unsafe.Pointer(&x)) // type and data of an interface
	slot := &planCache[uintptr(words[0])>>5&255]
	if s := slot.Load(); s != nil && s.typ == words[0] {
		return s.plan, words[1], words[1] != nil
	}
	t := reflect.TypeOf(x)
	st := t
	if t.Kind() == reflect.Pointer {
		st = t.Elem()
	}
	if st.Kind() != reflect.Struct || t.Implements(objectType) {
		return nil, nil, false
	}
	switch st {
	case timeType, bigIntType, valueType, reflectValueType:
		return nil, nil, false
	}
	if t == st {
		// An interface holds the address of a struct, except of those that are
		// a single pointer: they stand in the word itself, nil if zero.
		zero := reflect.Zero(t).Interface()
		if (*[2]unsafe.Pointer)(unsafe.Pointer(&zero))[1] == nil {
			return nil, nil, false
		}
	}
	plan = planOf(st)
	slot.Store(&planSlot{words[0], plan})
	return plan, words[1], words[1] != nil
}

var objectType = reflect.TypeFor[Object]()
