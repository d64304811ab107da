package vm

import (
	"cmp"
	"encoding/json"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// maxPointers is the longest chain of pointers that is followed to a value; a
// pointer type that points to itself would never end.
const maxPointers = 8

// canonical returns v in the form that the operations switch on: unboxed
// scalars, *big.Int only for integers beyond int64, null for nil pointers, and
// map[string]any or []any for the named types that are one of these. What
// remains behind reflection (structs, typed slices and maps, opaque values)
// comes back as it was: it is not copied.
func canonical(v Value) Value { return (*Env)(nil).canonical(v) }

// canonical is the function canonical in a render, which keeps what it decodes of
// raw JSON; e may be nil.
func (e *Env) canonical(v Value) Value {
	switch x := v.ref.(type) {
	case nil, boolMark, intMark, floatMark, strPtr, safePtr, map[string]any, []any,
		*List, *Tuple, *Map, *Undefined, *Iterator, time.Time, []byte,
		[]string, []map[string]any, []Value:
		return v
	case string:
		return String(x)
	case bool:
		return Bool(x)
	case int:
		return Int(int64(x))
	case int64:
		return Int(x)
	case int32:
		return Int(int64(x))
	case uint8:
		return Int(int64(x))
	case float64:
		return Float(x)
	case *big.Int:
		if x == nil {
			return Null
		}
		return BigInt(x)
	case json.Number:
		return canonicalNumber(x, v)
	case *spelled:
		return x.value
	case Message: // of another program's render
		return x.Value()
	case *Message:
		if x == nil {
			return Null
		}
		return x.Value()
	case Object:
		if r := reflect.ValueOf(x); r.Kind() == reflect.Pointer && r.IsNil() {
			return Null
		}
		return v
	}
	return e.canonicalHost(v)
}

func canonicalNumber(x json.Number, v Value) Value {
	if i, err := strconv.ParseInt(string(x), 10, 64); err == nil {
		return Int(i)
	}
	if isIntText(string(x)) {
		if b, ok := v.Big(); ok {
			return BigInt(b)
		}
		return v // too long to be computed with; printed as it stands
	}
	if f, ok := v.Float64(); ok {
		return Float(f)
	}
	return v
}

func (e *Env) canonicalHost(v Value) Value {
	if x, ok := planFor(v.ref).canonical(v); ok {
		return x
	}
	if raw, ok := rawOf(v); ok {
		return e.canonicalRaw(raw, v)
	}
	if s, ok := e.hostString(v); ok {
		return s
	}
	r, ok := follow(reflect.ValueOf(v.ref))
	if !ok {
		return v
	}
	switch r.Kind() {
	case reflect.Invalid:
		return Null
	case reflect.String:
		if r.Type() == jsonNumberType {
			return canonicalNumber(json.Number(r.String()), Of(json.Number(r.String())))
		}
		return String(r.String())
	case reflect.Bool:
		return Bool(r.Bool())
	case reflect.Float32:
		return Float(float32Text(r.Float()))
	case reflect.Float64:
		return Float(r.Float())
	case reflect.Slice:
		switch {
		case isRawType(r.Type()): // behind several pointers
			return e.canonicalRaw(r.Bytes(), v)
		case r.Type().Elem().Kind() == reflect.Uint8:
			return Of(r.Bytes())
		case r.Type().ConvertibleTo(anySliceType) && r.CanInterface():
			return Value{ref: r.Convert(anySliceType).Interface()}
		}
	case reflect.Map:
		if r.Type().ConvertibleTo(anyMapType) && r.CanInterface() {
			return Value{ref: r.Convert(anyMapType).Interface()}
		}
	case reflect.Struct:
		switch r.Type() {
		case listType, tupleType, ownMapType, iteratorType:
			if !r.CanAddr() && r.CanInterface() { // by value
				p := reflect.New(r.Type())
				p.Elem().Set(r)
				r = p.Elem()
			}
		}
		if r.CanAddr() && r.Addr().CanInterface() {
			switch x := r.Addr().Interface().(type) { // behind further pointers
			case *List, *Map, *Tuple, *Iterator, *Undefined:
				return Value{ref: x}
			}
		}
		switch {
		case r.Type() == valueType && r.CanInterface():
			return e.canonical(r.Interface().(Value))
		case r.Type() == timeType && r.CanInterface():
			return Value{ref: r.Interface()}
		case r.Type() == bigIntType && r.CanAddr():
			return BigInt(r.Addr().Interface().(*big.Int))
		case r.Type() == bigIntType && r.CanInterface():
			b := r.Interface().(big.Int)
			return BigInt(&b)
		}
	}
	switch {
	case r.CanInt():
		return Int(r.Int())
	case r.CanUint() && r.Kind() != reflect.Uintptr:
		if u := r.Uint(); u > 1<<63-1 {
			return Value{ref: new(big.Int).SetUint64(u)}
		}
		return Int(int64(r.Uint()))
	}
	return v
}

// canonicalRaw is the value that raw JSON holds; v itself, which is that JSON,
// where it holds none.
func (e *Env) canonicalRaw(raw []byte, v Value) Value {
	if x, ok := e.decodeRaw(raw); ok {
		return x
	}
	return v
}

// float32Text widens a float32 by way of its decimal text, so that 0.1 stays
// 0.1 and does not become 0.10000000149011612.
func float32Text(f float64) float64 {
	wide, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', -1, 32), 64)
	if err != nil {
		return f
	}
	return wide
}

var (
	anySliceType   = reflect.TypeFor[[]any]()
	anyMapType     = reflect.TypeFor[map[string]any]()
	jsonNumberType = reflect.TypeFor[json.Number]()
)

// follow goes through pointers and interfaces; the result is invalid for nil,
// and ok is false where the chain does not end.
func follow(r reflect.Value) (reflect.Value, bool) {
	for i := 0; r.Kind() == reflect.Pointer || r.Kind() == reflect.Interface; i++ {
		if r.IsNil() {
			return reflect.Value{}, true
		}
		if i == maxPointers {
			return r, false
		}
		r = r.Elem()
	}
	return r, true
}

// isEndless reports whether v is a pointer that leads to no value within
// maxPointers steps, as one that points to itself.
func isEndless(v Value) bool {
	if v.Kind() != KindHost {
		return false
	}
	_, ok := follow(reflect.ValueOf(v.ref))
	return !ok
}

// hostOf makes a Value of what reflection found, copying as little as it can:
// a struct inside a slice or behind a pointer is referred to, not copied, which
// also leaves locks in it alone.
func hostOf(r reflect.Value) Value {
	switch r.Kind() {
	case reflect.Invalid:
		return Null
	case reflect.Interface:
		if r.IsNil() {
			return Null
		}
		return hostOf(r.Elem())
	case reflect.Struct, reflect.Array:
		if r.CanAddr() && r.Addr().CanInterface() {
			return Of(r.Addr().Interface())
		}
	case reflect.String:
		if r.Type() == jsonNumberType {
			return Of(json.Number(r.String()))
		}
		if textMethod(r.Type()) != "" && r.CanInterface() {
			return Of(r.Interface()) // its type says more
		}
		return String(r.String())
	}
	if !r.CanInterface() {
		return Null
	}
	return Of(r.Interface())
}

// hostShape tells how reflection sees a canonical value: as a sequence, a map,
// a struct, or (Invalid) as something opaque.
func hostShape(v Value) (reflect.Value, reflect.Kind) {
	r, ok := follow(reflect.ValueOf(v.ref))
	if !ok {
		return r, reflect.Invalid
	}
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		return r, reflect.Slice
	case reflect.Map:
		if isKeyKind(r.Type().Key().Kind()) {
			return r, reflect.Map
		}
	case reflect.Struct:
		if r.Type() == valueType || r.Type() == reflectValueType {
			return r, reflect.Invalid
		}
		return r, reflect.Struct
	}
	return r, reflect.Invalid
}

var (
	valueType        = reflect.TypeFor[Value]()
	reflectValueType = reflect.TypeFor[reflect.Value]()
)

// isKeyKind reports whether maps with keys of kind k are maps to templates.
func isKeyKind(k reflect.Kind) bool {
	switch k {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64, reflect.Interface:
		return true
	}
	return isIntKind(k)
}

// hostMapGet reads a typed Go map. The key's Go type is made to fit the map's.
func hostMapGet(r reflect.Value, key Value) (Value, bool) {
	kt := r.Type().Key()
	var k reflect.Value
	key = canonical(key)
	switch kt.Kind() {
	case reflect.String:
		s, ok := key.Str()
		if !ok {
			return Value{}, false
		}
		k = reflect.ValueOf(s).Convert(kt)
	case reflect.Interface:
		return hostAnyMapGet(r, key)
	case reflect.Bool:
		b, ok := key.AsBool()
		if !ok {
			return Value{}, false
		}
		k = reflect.ValueOf(b).Convert(kt)
	case reflect.Float32, reflect.Float64:
		f, ok := key.Float64()
		if i, isInt := key.Int64(); isInt {
			f, ok = float64(i), true
		}
		if !ok {
			return Value{}, false
		}
		k = reflect.ValueOf(f).Convert(kt)
	default:
		i, ok := key.Int64()
		if !ok || !isIntKind(kt.Kind()) {
			return Value{}, false
		}
		k = reflect.New(kt).Elem()
		if k.CanInt() {
			if k.OverflowInt(i) {
				return Value{}, false
			}
			k.SetInt(i)
		} else {
			if i < 0 || k.OverflowUint(uint64(i)) {
				return Value{}, false
			}
			k.SetUint(uint64(i))
		}
	}
	x := r.MapIndex(k)
	if !x.IsValid() {
		return Value{}, false
	}
	return hostOf(x), true
}

// hostAnyMapGet reads a map whose keys are interfaces, as YAML decoders make
// them. Only scalar keys are tried: others may not be hashable.
func hostAnyMapGet(r reflect.Value, key Value) (Value, bool) {
	kt := r.Type().Key()
	var tries [2]any
	switch key.Kind() {
	case KindString:
		s, _ := key.Str()
		tries[0] = s
	case KindInt:
		i, ok := key.Int64()
		if !ok {
			return Value{}, false
		}
		tries[0], tries[1] = int(i), i
	case KindFloat:
		f, _ := key.Float64()
		tries[0] = f
	case KindBool:
		b, _ := key.AsBool()
		tries[0] = b
	default:
		return Value{}, false
	}
	for _, t := range tries {
		if t == nil || !reflect.TypeOf(t).AssignableTo(kt) {
			continue
		}
		if x := r.MapIndex(reflect.ValueOf(t)); x.IsValid() {
			return hostOf(x), true
		}
	}
	return Value{}, false
}

// hostEntries lists a typed Go map in a fixed order: by kind of key, then by
// key, then by the key's Go type, which may differ in a map of interfaces, then by
// what the Go keys hold, of which several may have the same text, then by the
// values. ok is false where a key is not a scalar, and where nothing tells two
// entries apart: several NaN, or pointers of the same text, with maps for values.
func (e *Env) hostEntries(r reflect.Value) (out []entry, ok bool, err error) {
	type typed struct {
		entry
		host, value reflect.Value
	}
	all := make([]typed, 0, r.Len())
	for it := r.MapRange(); it.Next(); {
		key := it.Key()
		if key.Kind() == reflect.Interface && !key.IsNil() {
			key = key.Elem()
		}
		k := e.hostKey(key)
		if keyClass(k) == 0 {
			return nil, false, nil
		}
		if len(all)%bulkItems == bulkItems-1 {
			if err := e.poll(); err != nil {
				return nil, true, err
			}
		}
		all = append(all, typed{entry{k, hostOf(it.Value())}, key, it.Value()})
	}
	order := func(a, b typed) int {
		if c := compareKeys(a.key, b.key); c != 0 {
			return c
		}
		if ta, tb := hostType(a.host), hostType(b.host); ta != tb {
			return strings.Compare(ta, tb)
		}
		if c := compareHost(a.host, b.host); c != 0 {
			return c
		}
		return compareHost(a.value, b.value)
	}
	if err := sortPaced(e, all, order); err != nil {
		return nil, true, err
	}
	out = make([]entry, len(all))
	for i := range all {
		if i > 0 && order(all[i-1], all[i]) == 0 && !hasOrder(all[i].value) {
			return nil, false, nil
		}
		out[i] = all[i].entry
	}
	return out, true, nil
}

// hostType names a key's Go type with its package's path; "" for a nil key.
func hostType(v reflect.Value) string {
	if !v.IsValid() {
		return ""
	}
	return v.Type().PkgPath() + " " + v.Type().String()
}

// hasOrder reports whether compareHost takes none but equal values for equal ones
// of v's.
func hasOrder(v reflect.Value) bool {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	k := v.Kind()
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}

// compareHost orders two values of one Go type by what they hold; 0 where it
// cannot.
func compareHost(a, b reflect.Value) int {
	switch a.Kind() {
	case reflect.Bool:
		return boolInt(a.Bool()) - boolInt(b.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cmp.Compare(a.Int(), b.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return cmp.Compare(a.Uint(), b.Uint())
	case reflect.Float32, reflect.Float64:
		return cmp.Compare(a.Float(), b.Float())
	case reflect.String:
		return strings.Compare(a.String(), b.String())
	case reflect.Interface:
		if c := strings.Compare(hostType(a.Elem()), hostType(b.Elem())); c != 0 || a.IsNil() {
			return c
		}
		return compareHost(a.Elem(), b.Elem())
	case reflect.Array:
		for i := range a.Len() {
			if c := compareHost(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if c := compareHost(a.Field(i), b.Field(i)); c != 0 {
				return c
			}
		}
	}
	return 0
}

// keyClass orders the kinds of keys; 0 is no key.
func keyClass(k Value) int {
	switch k.Kind() {
	case KindNull:
		return 1
	case KindBool:
		return 2
	case KindInt, KindFloat:
		return 3
	case KindString:
		return 4
	}
	return 0
}

func compareKeys(a, b Value) int {
	ca, cb := keyClass(a), keyClass(b)
	if ca != cb {
		return ca - cb
	}
	switch ca {
	case 2:
		return int(a.num) - int(b.num)
	case 3:
		na, _ := numberOf(a, false)
		nb, _ := numberOf(b, false)
		if c, ok := na.compare(nb); ok {
			return c
		}
		// NaN is last.
		return boolInt(na.isNaN()) - boolInt(nb.isNaN())
	case 4:
		sa, _ := a.Str()
		sb, _ := b.Str()
		return strings.Compare(sa, sb)
	}
	return 0
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
