package vm

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	"github.com/pcc-lang/pcc/internal/code"
)

// Kind is the class of a Value, as templates see it.
type Kind uint8

// Kinds of values.
const (
	KindNull      Kind = iota
	KindUndefined      // a name or key that is not there
	KindBool
	KindInt // int64 or big
	KindFloat
	KindString // also Markup, see Value.IsSafe
	KindList
	KindTuple
	KindMap
	KindTime     // time.Time
	KindBytes    // []byte
	KindIterator // a lazy sequence, usable once
	KindObject   // an Object: range, namespace, macro, loop, …
	KindHost     // any other Go value; structs read as maps, the rest is opaque
)

// String returns the kind's name as native diagnostics write it. There are no
// tuples in the native language: the pairs that filters make are lists there.
func (k Kind) String() string {
	return [...]string{"null", "missing", "boolean", "integer", "number", "string", "list",
		"list", "map", "time", "bytes", "iterator", "object", "host value"}[k]
}

// Value is any value that a template handles. Its zero value is null.
//
// It holds either an unboxed scalar (num, with a marker in ref; a string keeps
// its length in num and its bytes in ref), or a Go value just as the caller's
// data had it: Of costs nothing and never copies. No kind of scalar allocates.
type Value struct {
	num uint64
	ref any
}

type (
	boolMark  struct{}
	intMark   struct{}
	floatMark struct{}
	strPtr    *byte // unboxed string
	safePtr   *byte // unboxed string that needs no escaping (Python's Markup)
)

// Boxed once here, so that making a scalar never allocates.
var (
	boolRef  any = boolMark{}
	intRef   any = intMark{}
	floatRef any = floatMark{}
)

// Null is the value null, None.
var Null = Value{}

// Of makes a Value of a Go value without copying or checking it: what it is
// gets decided when it is used. Pointers to structs, maps and slices are
// followed then; raw JSON is the value that it holds; a type that nothing here
// knows is opaque.
func Of(x any) Value {
	if v, ok := x.(Value); ok {
		return v
	}
	return Value{ref: x}
}

// Bool makes a boolean.
func Bool(b bool) Value {
	if b {
		return Value{1, boolRef}
	}
	return Value{0, boolRef}
}

// Int makes an integer.
func Int(i int64) Value { return Value{uint64(i), intRef} }

// BigInt makes an integer of any size, of nil a null; the caller must not change i
// later.
func BigInt(i *big.Int) Value {
	if i == nil {
		return Null
	}
	if i.IsInt64() {
		return Int(i.Int64())
	}
	return Value{ref: i}
}

// Float makes a floating-point number.
func Float(f float64) Value { return Value{math.Float64bits(f), floatRef} }

// String makes a string.
func String(s string) Value { return Value{uint64(len(s)), strPtr(unsafe.StringData(s))} }

// Safe makes a string that is never escaped again (Python's Markup).
func Safe(s string) Value { return Value{uint64(len(s)), safePtr(unsafe.StringData(s))} }

// List is a sequence of values made by a template or a decoder.
type List struct {
	Items []Value
	// Frozen marks a list of the caller's data or of the program's constants:
	// methods that change lists refuse it, so that renders can share it.
	Frozen bool
}

// Tuple is Python's immutable sequence. Names, where set, makes it a named
// tuple: attributes that give the items.
type Tuple struct {
	Items []Value
	Names []string
}

// Attr gives an item of a named tuple by its name.
func (t *Tuple) Attr(_ *Env, name string) (Value, bool) {
	for i, n := range t.Names {
		if n == name && i < len(t.Items) {
			return t.Items[i], true
		}
	}
	return Null, false
}

// ListOf makes a list; the slice is kept.
func ListOf(items []Value) Value { return Value{ref: &List{Items: items}} }

// TupleOf makes a tuple; the slice is kept.
func TupleOf(items []Value) Value { return Value{ref: &Tuple{Items: items}} }

// MapOf makes a map value; m is kept.
func MapOf(m *Map) Value { return Value{ref: m} }

// ObjectOf makes a value of an object.
func ObjectOf(o Object) Value { return Value{ref: o} }

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	switch x := v.ref.(type) {
	case nil:
		return KindNull
	case strPtr, safePtr, string:
		return KindString
	case intMark, int, int64, int32, int16, int8, uint8, uint16, uint32, uint, uint64:
		return KindInt
	case *big.Int:
		if x == nil {
			return KindNull
		}
		return KindInt
	case boolMark, bool:
		return KindBool
	case floatMark, float64, float32:
		return KindFloat
	case map[string]any, *Map:
		return KindMap
	case []any, *List, []string, []map[string]any, []Value:
		return KindList
	case *Undefined:
		return KindUndefined
	case *Tuple:
		return KindTuple
	case json.Number:
		if isIntText(string(x)) {
			return KindInt
		}
		return KindFloat
	case time.Time:
		return KindTime
	case []byte:
		return KindBytes
	case *Iterator:
		return KindIterator
	case Object:
		return KindObject
	case *spelled:
		return x.value.Kind()
	}
	return reflectKind(v.ref)
}

func isIntText(s string) bool {
	if len(s) > 1 && s[0] == '-' {
		s = s[1:]
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// reflectKind classes the Go types that have no case of their own.
func reflectKind(x any) Kind {
	if p := planFor(x); p.form != formOther {
		if p.null(ifaceOf(&x).data) {
			return KindNull
		}
		return p.kind
	}
	r, ok := follow(reflect.ValueOf(x))
	if !ok {
		return KindHost // a pointer type that points to itself
	}
	if !r.IsValid() {
		return KindNull
	}
	switch r.Type() {
	case rawMessageType, rawValueType:
		return rawKind(r.Bytes())
	case timeType:
		return KindTime
	case bigIntType:
		return KindInt
	case jsonNumberType:
		return Of(json.Number(r.String())).Kind()
	case valueType:
		if r.CanInterface() {
			return r.Interface().(Value).Kind()
		}
	}
	switch r.Kind() {
	case reflect.String:
		return KindString
	case reflect.Bool:
		return KindBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return KindInt
	case reflect.Float32, reflect.Float64:
		return KindFloat
	case reflect.Slice:
		if r.Type().Elem().Kind() == reflect.Uint8 {
			return KindBytes
		}
		return KindList
	case reflect.Array:
		return KindList
	case reflect.Map:
		if isKeyKind(r.Type().Key().Kind()) {
			return KindMap
		}
	}
	return KindHost
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	bigIntType = reflect.TypeFor[big.Int]()
)

func isIntKind(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uint64 }

// Str returns the string that v is; ok is false for other kinds.
func (v Value) Str() (s string, ok bool) {
	switch x := v.ref.(type) {
	case string:
		return x, true
	case strPtr:
		return unsafe.String((*byte)(x), int(v.num)), true
	case safePtr:
		return unsafe.String((*byte)(x), int(v.num)), true
	}
	if v.Kind() != KindString {
		return "", false
	}
	c := canonical(v)
	switch p := c.ref.(type) {
	case strPtr:
		return unsafe.String((*byte)(p), int(c.num)), true
	case safePtr:
		return unsafe.String((*byte)(p), int(c.num)), true
	}
	return "", false
}

// IsSafe reports whether v is a string marked as safe (Markup).
func (v Value) IsSafe() bool { _, ok := v.ref.(safePtr); return ok }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.ref == nil || v.Kind() == KindNull }

// IsUndefined reports whether v stands for a missing name or key.
func (v Value) IsUndefined() bool { _, ok := v.ref.(*Undefined); return ok }

// IsMissing reports whether v is null or undefined.
func (v Value) IsMissing() bool { return v.IsUndefined() || v.IsNull() }

// Undef returns the description of an undefined value, else nil.
func (v Value) Undef() *Undefined { u, _ := v.ref.(*Undefined); return u }

// AsBool returns the boolean that v is.
func (v Value) AsBool() (b, ok bool) {
	switch x := v.ref.(type) {
	case boolMark:
		return v.num != 0, true
	case bool:
		return x, true
	}
	if v.Kind() != KindBool {
		return false, false
	}
	c := canonical(v)
	_, ok = c.ref.(boolMark)
	return c.num != 0, ok
}

// Int64 returns the integer that v is, if it fits; booleans are no integers
// here (see Python numbers in arith.go).
func (v Value) Int64() (int64, bool) {
	switch x := v.ref.(type) {
	case intMark:
		return int64(v.num), true
	case int:
		return int64(x), true
	case int64:
		return x, true
	case *big.Int:
		if x == nil {
			return 0, false
		}
		return x.Int64(), x.IsInt64()
	case json.Number:
		i, err := strconv.ParseInt(string(x), 10, 64)
		return i, err == nil
	}
	if v.Kind() != KindInt {
		return 0, false
	}
	c := canonical(v)
	_, ok := c.ref.(intMark)
	return int64(c.num), ok
}

// Big returns the integer that v is, of any size. The result must not be
// changed.
func (v Value) Big() (*big.Int, bool) {
	if i, ok := v.Int64(); ok {
		return big.NewInt(i), true
	}
	switch x := v.ref.(type) {
	case *big.Int:
		return x, x != nil
	case json.Number:
		if len(x) > maxNumberDigits {
			return nil, false
		}
		return new(big.Int).SetString(string(x), 10)
	}
	if v.Kind() != KindInt {
		return nil, false
	}
	x, ok := canonical(v).ref.(*big.Int)
	return x, ok
}

// Float64 returns the floating-point number that v is (KindFloat only).
func (v Value) Float64() (float64, bool) {
	switch x := v.ref.(type) {
	case floatMark:
		return math.Float64frombits(v.num), true
	case float64:
		return x, true
	case json.Number:
		if isIntText(string(x)) {
			return 0, false
		}
		f, err := strconv.ParseFloat(string(x), 64)
		return f, err == nil || !math.IsNaN(f)
	}
	if v.Kind() != KindFloat {
		return 0, false
	}
	c := canonical(v)
	_, ok := c.ref.(floatMark)
	return math.Float64frombits(c.num), ok
}

// Time returns the time that v is.
func (v Value) Time() (time.Time, bool) {
	switch x := v.ref.(type) {
	case time.Time:
		return x, true
	case *time.Time:
		if x != nil {
			return *x, true
		}
		return time.Time{}, false
	}
	if v.Kind() != KindTime {
		return time.Time{}, false
	}
	t, ok := canonical(v).ref.(time.Time)
	return t, ok
}

// Bytes returns the byte slice that v is; it must not be changed.
func (v Value) Bytes() ([]byte, bool) {
	if b, ok := v.ref.([]byte); ok {
		return b, true
	}
	if v.Kind() != KindBytes {
		return nil, false
	}
	b, ok := canonical(v).ref.([]byte)
	return b, ok
}

// Map returns the ordered map that v is, only where it is one.
func (v Value) Map() (*Map, bool) { m, ok := v.ref.(*Map); return m, ok && m != nil }

// List returns the list that v is, only where a template or a decoder made it.
func (v Value) List() (*List, bool) { l, ok := v.ref.(*List); return l, ok && l != nil }

// Tuple returns the tuple that v is.
func (v Value) Tuple() (*Tuple, bool) { t, ok := v.ref.(*Tuple); return t, ok && t != nil }

// Iterator returns the lazy sequence that v is.
func (v Value) Iterator() (*Iterator, bool) { it, ok := v.ref.(*Iterator); return it, ok && it != nil }

// Object returns the object that v is.
func (v Value) Object() (Object, bool) {
	o, ok := v.ref.(Object)
	return o, ok
}

// Same reports whether a and b are one object, Python's "is".
func Same(a, b Value) bool { return identical(a, b) }

// Interface returns v as a Go value: nil, bool, int64, *big.Int, float64,
// string, or what the data held. Lists, tuples and maps made by a template
// become []any and *Map.
func (v Value) Interface() any {
	switch x := v.ref.(type) {
	case boolMark:
		return v.num != 0
	case intMark:
		return int64(v.num)
	case floatMark:
		return math.Float64frombits(v.num)
	case strPtr, safePtr:
		s, _ := v.Str()
		return s
	case *List:
		if x != nil {
			return interfaces(x.Items)
		}
	case *Tuple:
		if x != nil {
			return interfaces(x.Items)
		}
	case *spelled:
		return x.value.Interface()
	}
	return v.ref
}

func interfaces(items []Value) []any {
	out := make([]any, len(items))
	for i, it := range items {
		out[i] = it.Interface()
	}
	return out
}

// Undefined describes a missing name, key or element.
type Undefined struct {
	Name string // the name or key, as written
	// Owner is the Python type name of the value that lacks it, "" for a
	// variable. Message, where set, replaces the text made of the two.
	Owner   string
	Message string
	// Unsafe marks access that the sandbox refused.
	Unsafe bool
	// Element tells that the key is no string: Name holds an index.
	Element bool
	// Dynamic tells that the key was computed, so that it is data and no
	// message may name it.
	Dynamic bool
	// Lenient marks a value that is undefined in the default way in strict
	// environments too: what `a if b` gives where b is false.
	Lenient bool
	// Unset marks a variable that nothing has set: it is not handed on to other
	// templates.
	Unset bool
	// Pos is an offset in the source, for native reports of missing names.
	Pos uint32
	// Slot is the local slot that the path in Name starts from, plus 1; 0 where
	// it starts from a variable. Site is the index of the source file.
	Slot, Site int32
	// Computed marks what native arithmetic made of a missing value: unlike the
	// missing value itself it cannot stand for null.
	Computed bool
	// Head says what is to be done where the variable that the path in Name
	// starts from is missing.
	Head code.HeadRule
	// Key marks a path in the head of a block that does not ask whether it is there:
	// where a key in it is nearly one that there is, that is told.
	Key bool
	// Compared marks a lone name that the head of a block compares with: most
	// likely a text without its quotes.
	Compared bool
}

// UndefinedOf makes an undefined value.
func UndefinedOf(u *Undefined) Value { return Value{ref: u} }
