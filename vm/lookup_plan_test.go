package vm

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

type (
	planText   string
	planNumber int
	planSmall  uint16
	planTruth  bool
	planRatio  float32
	planTold   string
	planTable  map[planText]*planRow
	planRow    struct{ A, B string }
	planBase   struct {
		Deep string
		N    *int
	}
	planMiddle struct{ *planBase }
	// PlanOuter embeds structs behind pointers.
	PlanOuter struct {
		Own string
		*PlanInner
		planMiddle
	}
	// PlanInner is embedded.
	PlanInner struct {
		Inner string `json:"inner"`
		Maybe string `json:"maybe,omitempty"`
	}
	planAll struct {
		S   string
		PS  planText
		T   planTold
		B   bool
		PB  planTruth
		I   int
		I8  int8
		I16 int16
		I32 int32
		I64 int64
		PI  planNumber
		U   uint
		U8  uint8
		U16 planSmall
		U32 uint32
		U64 uint64
		F32 float32
		PF  planRatio
		F64 float64
		J   json.Number
		A   any
		E   fmt.Stringer
		P   *string
		PP  **string
		M   map[string]any
		MS  map[string]string
		MT  planTable
		L   []any
		LS  []planText
		BS  []byte
		R   json.RawMessage
		X   planRow
		Arr [3]string
		D   time.Duration
		V   Value
		C   chan int
		Fn  func()
	}
)

func (t planTold) String() string { return "told" }

// Each way to read a field or an item gives what reflection gives, of the same Go
// type.
func TestLoads(t *testing.T) {
	s, big := "text", strings1000
	p := &s
	full := planAll{s, "named", "t", true, true, -5, -6, 300, 1 << 20, -1 << 40, 77777, 1 << 50, 200, 60000, 1 << 31, math.MaxUint64, 0.1, 0.25, 2.5,
		"1.50", map[string]any{"k": 1}, time.Second, p, &p, map[string]any{"a": 1}, map[string]string{"b": big}, planTable{"x": {A: "1"}},
		[]any{1, "2"}, []planText{"q"}, []byte("bytes"), json.RawMessage(`{"r": 1}`), planRow{"a", "b"}, [3]string{"1", "2", "3"}, time.Minute, Int(7), make(chan int), nil}
	for _, x := range []*planAll{&full, {}} {
		plan, base, ok := structAt(x)
		if !ok || len(plan.fields) != reflect.TypeFor[planAll]().NumField() {
			t.Fatalf("the plan has %d fields", len(plan.fields))
		}
		r := reflect.ValueOf(x).Elem()
		for i := range plan.fields {
			f := &plan.fields[i]
			got, want := f.load.at(f.at(base)), hostOf(r.Field(i))
			if !sameGo(got, want) {
				t.Errorf("%s is %#v, by reflection %#v", f.name, got.Interface(), want.Interface())
			}
			if got.Kind() != want.Kind() {
				t.Errorf("%s is of kind %v, by reflection %v", f.name, got.Kind(), want.Kind())
			}
		}
	}
}

// sameGo reports whether two values are of one Go type and equal. Integers of the
// types int and int32 may be unboxed.
func sameGo(a, b Value) bool {
	x, y := a.Interface(), b.Interface()
	for _, z := range []*any{&x, &y} {
		switch i := (*z).(type) {
		case int:
			*z = int64(i)
		case int32:
			*z = int64(i)
		}
	}
	if reflect.TypeOf(x) != reflect.TypeOf(y) {
		return false
	}
	if x != nil && reflect.TypeOf(x).Kind() == reflect.Func {
		return true
	}
	return reflect.DeepEqual(x, y)
}

var strings1000 = string(make([]byte, 1000))

// Scalars of all types, and pointers to them, are what they are made of.
func TestScalarPlans(t *testing.T) {
	for _, x := range []any{planText("a"), planNumber(-3), planSmall(65535), planTruth(true), uint64(1 << 63), uint(1<<63 - 1), int8(-128), int16(-1),
		uint8(255), uint16(9), uint32(math.MaxUint32), float32(0.1), planRatio(0.1), json.Number("1.50"), time.Minute, planTold("t"), "s", 5, true, 2.5} {
		r := reflect.ValueOf(x)
		p := reflect.New(r.Type())
		p.Elem().Set(r)
		pp := reflect.New(p.Type())
		pp.Elem().Set(p)
		want := canonical(Of(pp.Interface())) // two pointers: not by a plan
		for _, y := range []any{x, p.Interface()} {
			got := canonical(Of(y))
			if g, w := got.Interface(), want.Interface(); !reflect.DeepEqual(g, w) || got.Kind() != want.Kind() || Of(y).Kind() != want.Kind() {
				t.Errorf("%T is %#v of kind %v, not %#v of kind %v", y, g, Of(y).Kind(), w, want.Kind())
			}
		}
		if v := Of(reflect.Zero(p.Type()).Interface()); v.Kind() != KindNull || canonical(v).Kind() != KindNull {
			t.Errorf("a nil %s is of kind %v", p.Type(), v.Kind())
		}
	}
}

// Maps of all types give the keys and values that reflection gives, whatever the
// number of entries and the size of values: each type is read as another of the same
// layout.
func TestMapPlans(t *testing.T) {
	elems := []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]string](), reflect.TypeFor[planTable](),
		reflect.TypeFor[*planRow](), reflect.TypeFor[[]string](), reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[[]any](), reflect.TypeFor[json.Number](),
		reflect.TypeFor[Message](), reflect.TypeFor[Value](), reflect.TypeFor[struct{}](), reflect.TypeFor[planAll](), reflect.TypeFor[complex64]()}
	all := reflect.TypeFor[planAll]()
	for i := range all.NumField() {
		elems = append(elems, all.Field(i).Type)
	}
	for n := range 40 {
		elems = append(elems, reflect.ArrayOf(n, reflect.TypeFor[uint8]()), reflect.ArrayOf(n/2, reflect.TypeFor[string]()))
	}
	r := rand.New(rand.NewPCG(1, 2))
	e := NewEnv(&Dialect{Python: true}, Limits{}.OrDefault())
	for _, elem := range elems {
		for _, key := range []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[planText](), reflect.TypeFor[any]()} {
			mt := reflect.MapOf(key, elem)
			for _, n := range []int{-1, 0, 1, 7, 8, 9, 100, 2000} {
				if n > 100 && r.IntN(4) > 0 {
					continue
				}
				m := reflect.Zero(mt)
				if n >= 0 {
					m = reflect.MakeMap(mt)
				}
				for i := range n {
					m.SetMapIndex(reflect.ValueOf(fmt.Sprint("key", i)).Convert(key), sample(r, elem, i))
				}
				for i := 0; i < n; i += 3 { // what is deleted is gone
					m.SetMapIndex(reflect.ValueOf(fmt.Sprint("key", i)).Convert(key), reflect.Value{})
				}
				checkMap(t, e, m, n)
			}
		}
	}
}

// sample makes a value of a type; that of an interface is nil, or of a scalar type.
func sample(r *rand.Rand, t reflect.Type, i int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("value", i))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(i % 128))
	case reflect.Bool:
		v.SetBool(i%2 == 0)
	case reflect.Interface:
		if x := reflect.ValueOf(time.Duration(i)); x.Type().AssignableTo(t) && i%2 == 0 {
			v.Set(x)
		}
	case reflect.Pointer:
		if i%2 == 0 {
			v.Set(reflect.New(t.Elem()))
		}
	case reflect.Struct:
		if t.NumField() > 0 && t != valueType {
			for f := range t.NumField() {
				if t.Field(f).IsExported() && t.Field(f).Type.Kind() == reflect.String {
					v.Field(f).SetString(fmt.Sprint("field", i))
				}
			}
		}
	case reflect.Array:
		for j := range v.Len() {
			if r.IntN(2) == 0 {
				v.Index(j).Set(sample(r, t.Elem(), i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, i%3, i%3))
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
	}
	return v
}

// checkMap compares what a plan says of m with reflection.
func checkMap(t *testing.T, e *Env, m reflect.Value, n int) {
	t.Helper()
	v := Of(m.Interface())
	p := planFor(v.ref)
	if p.form != formMap {
		t.Fatalf("%s is no map", m.Type())
	}
	data := p.mapIn(ifaceOf(&v.ref).data)
	if got := p.table.len(data); got != m.Len() {
		t.Errorf("%s: %d entries, by reflection %d", m.Type(), got, m.Len())
	}
	for i := -1; i <= n; i++ {
		name := fmt.Sprint("key", i)
		x := m.MapIndex(reflect.ValueOf(name).Convert(m.Type().Key()))
		got, ok := p.table.get(data, name)
		if ok != x.IsValid() || p.table.has(data, name) != ok {
			t.Fatalf("%s: %s is there: %v, by reflection %v", m.Type(), name, ok, x.IsValid())
		}
		if ok && !sameGo(got, hostOf(x)) {
			t.Fatalf("%s: %s is %#v, by reflection %#v", m.Type(), name, got.Interface(), hostOf(x).Interface())
		}
	}
	pairs, ok, err := p.table.entries(e, data)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		if m.Type().Key() != anyType {
			t.Errorf("%s: no entries", m.Type())
		}
		return
	}
	if len(pairs) != m.Len() || !slices.IsSortedFunc(pairs, func(a, b entry) int { return compareKeys(a.key, b.key) }) {
		t.Fatalf("%s: %d entries of %d, or not in order", m.Type(), len(pairs), m.Len())
	}
	for _, pair := range pairs {
		k, _ := pair.key.Str()
		want := hostOf(m.MapIndex(reflect.ValueOf(k).Convert(m.Type().Key())))
		if got := pair.val; !sameGo(got, want) && !reflect.DeepEqual(followed(got), followed(want)) {
			t.Fatalf("%s: entry %s is %#v, by reflection %#v", m.Type(), k, got.Interface(), want.Interface())
		}
	}
}

// followed is the Go value of v, or what it points to: structs are read in place.
func followed(v Value) any {
	x := v.Interface()
	if p, ok := x.(*Value); ok {
		return p.Interface()
	}
	if r := reflect.ValueOf(x); r.Kind() == reflect.Pointer && !r.IsNil() {
		return r.Elem().Interface()
	}
	return x
}

// Fields behind embedded pointers are there where no pointer is nil.
func TestEmbeddedPointers(t *testing.T) {
	n := 5
	full := PlanOuter{"own", &PlanInner{"in", ""}, planMiddle{&planBase{"deep", &n}}}
	e := NewEnv(&Dialect{Python: true}, Limits{}.OrDefault())
	for _, tt := range []struct {
		data any
		want string
	}{
		{full, "{'Own': 'own', 'inner': 'in', 'Deep': 'deep', 'N': 5}"},
		{&full, "{'Own': 'own', 'inner': 'in', 'Deep': 'deep', 'N': 5}"},
		{PlanOuter{}, "{'Own': ''}"},
		{&PlanOuter{PlanInner: &PlanInner{Maybe: "m"}}, "{'Own': '', 'inner': '', 'maybe': 'm'}"},
		{[]PlanOuter{{planMiddle: planMiddle{&planBase{}}}}, "[{'Own': '', 'Deep': '', 'N': None}]"},
	} {
		v := Of(tt.data)
		if got, err := e.Repr(v); err != nil || got != tt.want {
			t.Errorf("%#v is %s (%v), not %s", tt.data, got, err, tt.want)
		}
		if !v.IsMapping() {
			continue
		}
		en, _ := e.Entries(v)
		if n, _ := e.Len(v); n != en.Len() {
			t.Errorf("%#v has length %d and %d entries", tt.data, n, en.Len())
		}
		for _, name := range []string{"Own", "inner", "Deep", "N", "nope"} {
			x, ok := Lookup(v, name)
			listed := slices.ContainsFunc(en.pairs, func(p entry) bool { s, _ := p.key.Str(); return s == name })
			if ok != listed {
				t.Errorf("%s of %#v is there: %v, among the entries: %v (%v)", name, tt.data, ok, listed, x)
			}
		}
	}
}
