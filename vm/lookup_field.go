package vm

import (
	"encoding/json"
	"math/big"
	"reflect"
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
	loadPointer // pointers and maps: the word itself
	loadAddress // structs: their address, not a copy
	loadSlice   // slices: a copy of their header
	loadNumber  // json.Number
	// Further numbers, and truths and numbers of named types, by their size: a copy
	// of them, with their type.
	loadBits8
	loadBits16
	loadBits32
	loadBits64
	// What scalars are made of, whatever their type is called, see scalarLoad.
	loadInt8
	loadInt16
	loadUint8
	loadUint16
	loadUint32
	loadUint64
)

// load tells how to read a Go value of one type from memory.
type load struct {
	typ  reflect.Type
	word unsafe.Pointer // typ's, of loadAddress that of a pointer to typ
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
	case jsonNumberType:
		l.kind = loadNumber
	default:
		switch t.Kind() {
		case reflect.String:
			if textMethod(t) == "" { // else its type says more
				l.kind = loadString
			}
		case reflect.Pointer, reflect.Map:
			l.kind, l.word = loadPointer, typeWord(t)
		case reflect.Struct:
			l.kind, l.word = loadAddress, typeWord(reflect.PointerTo(t))
		case reflect.Slice:
			l.kind, l.word = loadSlice, typeWord(t)
		case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
			reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			l.kind, l.word = bitsOf[t.Size()], typeWord(t)
		}
	}
	return l
}

// bitsOf are the kinds of loads that copy a scalar, by its size.
var bitsOf = [...]loadKind{1: loadBits8, 2: loadBits16, 4: loadBits32, 8: loadBits64}

// scalarLoad plans reading what values of type t are made of, as canonical gives
// it; ok is false where t is no scalar, or one that must be looked at.
func scalarLoad(t reflect.Type) (l load, ok bool) {
	if k := t.Kind(); int(k) < len(scalarLoads) {
		l.kind = scalarLoads[k]
	}
	if l.kind == loadUint64 && t.Size() == 4 { // a uint
		l.kind = loadUint32
	}
	return l, l.kind != loadOther
}

var scalarLoads = [...]loadKind{
	reflect.String: loadString, reflect.Bool: loadBool, reflect.Float64: loadFloat64,
	reflect.Int: loadInt, reflect.Int8: loadInt8, reflect.Int16: loadInt16, reflect.Int32: loadInt32, reflect.Int64: loadInt64,
	reflect.Uint: loadUint64, reflect.Uint8: loadUint8, reflect.Uint16: loadUint16, reflect.Uint32: loadUint32, reflect.Uint64: loadUint64,
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
	case loadSlice:
		return l.boxed(*(*[]byte)(p))
	case loadNumber:
		return Of(*(*json.Number)(p))
	case loadBits8:
		return l.boxed(*(*uint8)(p))
	case loadBits16:
		return l.boxed(*(*uint16)(p))
	case loadBits32:
		return l.boxed(*(*uint32)(p))
	case loadBits64:
		return l.boxed(*(*uint64)(p))
	case loadInt8:
		return Int(int64(*(*int8)(p)))
	case loadInt16:
		return Int(int64(*(*int16)(p)))
	case loadUint8:
		return Int(int64(*(*uint8)(p)))
	case loadUint16:
		return Int(int64(*(*uint16)(p)))
	case loadUint32:
		return Int(int64(*(*uint32)(p)))
	case loadUint64:
		if u := *(*uint64)(p); u > 1<<63-1 {
			return Value{ref: new(big.Int).SetUint64(u)}
		} else {
			return Int(int64(u))
		}
	}
	return hostOf(reflect.NewAt(l.typ, p).Elem())
}

// boxed is the value of l's type that x lies in memory as.
func (l *load) boxed(x any) (v Value) {
	v.ref = x
	ifaceOf(&v.ref).typ = l.word
	return v
}

// locate finds where the field lies in t, and where the pointers on the way.
func (f *structField) locate(t reflect.Type) {
	for _, x := range f.index {
		if t.Kind() == reflect.Pointer {
			f.hops, f.offset = append(f.hops, f.offset), 0
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

// at returns the address of the field of the struct at base; nil behind a nil
// pointer.
func (f *structField) at(base unsafe.Pointer) unsafe.Pointer {
	for _, hop := range f.hops {
		if base = *(*unsafe.Pointer)(unsafe.Add(base, hop)); base == nil {
			return nil
		}
	}
	return unsafe.Add(base, f.offset)
}

var (
	stringType   = reflect.TypeFor[string]()
	anyMapWord   = typeWord(anyMapType)
	anySliceWord = typeWord(anySliceType)
)

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
