package vm

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/internal/code"
)

type (
	myString string
	myBool   bool
	myInt    int16
	myUint   uint32
	myList   []any
	myMap    map[string]any
	myBytes  []byte
)

// Values of named types, and pointers to values, are what their Go type is
// made of.
func TestNamedTypesAndPointers(t *testing.T) {
	s, b, i, f, n := "s", true, 7, 2.5, json.Number("12")
	list7 := []any{7}
	var nilList []any
	var nilMap map[string]any
	var nilAny any
	big5 := *big.NewInt(5)
	pp := &i
	for _, c := range []struct {
		v    any
		kind Kind
		want string
	}{
		{myString("x"), KindString, "'x'"}, {myBool(true), KindBool, "True"}, {myInt(-3), KindInt, "-3"}, {myUint(3), KindInt, "3"}, {myList{1}, KindList, "[1]"}, {myMap{"a": 1}, KindMap, "{'a': 1}"},
		{myBytes("ab"), KindBytes, "b'ab'"}, {&s, KindString, "'s'"}, {&b, KindBool, "True"}, {&i, KindInt, "7"}, {&f, KindFloat, "2.5"}, {&n, KindInt, "12"}, {&pp, KindInt, "7"},
		{&list7, KindList, "[7]"}, {nilList, KindList, "[]"}, {nilMap, KindMap, "{}"}, {&nilAny, KindNull, "None"}, {big5, KindInt, "5"}, {&big5, KindInt, "5"}, {int16(4), KindInt, "4"}, {uint(5), KindInt, "5"},
		{uint64(1 << 63), KindInt, "9223372036854775808"}, {float32(0.25), KindFloat, "0.25"}, {json.Number("-1.50"), KindFloat, "-1.5"}, {json.Number("-12"), KindInt, "-12"},
		{json.Number("123456789012345678901"), KindInt, "123456789012345678901"}, {[]int{1, 2}, KindList, "[1, 2]"}, {[2]bool{true}, KindList, "[True, False]"}, {[]myString{"a"}, KindList, "['a']"},
		{[]*int{&i, nil}, KindList, "[7, None]"}, {map[string][]int{"a": {1}}, KindMap, "{'a': [1]}"}, {map[myString]int{"k": 1}, KindMap, "{'k': 1}"}, {map[bool]string{true: "t", false: "f"}, KindMap, "{False: 'f', True: 't'}"},
		{Of(Of(Int(5))), KindInt, "5"}, {&Value{5, intRef}, KindInt, "5"}, {[]Value{Int(1)}, KindList, "[1]"}, {[]map[string]any{{"a": 1}}, KindList, "[{'a': 1}]"}, {[]customer{{Name: "A"}}, KindList, "[{'name': 'A', 'Age': 0, 'address': None}]"},
		{map[string]customer{"c": {Name: "A"}}, KindMap, "{'c': {'name': 'A', 'Age': 0, 'address': None}}"}, {struct{ P *address }{&address{City: "K"}}, KindHost, "{'P': {'city': 'K'}}"},
		{[]json.Number{"12", "1.50"}, KindList, "[12, 1.5]"}, {map[string]json.Number{"n": "7"}, KindMap, "{'n': 7}"},
		{(*Builtin)(nil), KindObject, "None"}, {map[any]any{"a": 1, 2: nil}, KindMap, "{2: None, 'a': 1}"},
	} {
		v := Of(c.v)
		if v.Kind() != c.kind {
			t.Errorf("%T has kind %v, want %v", c.v, v.Kind(), c.kind)
		}
		if got := must(t)(pythonEnv().Repr(v)); got != c.want {
			t.Errorf("%T prints as %s, want %s", c.v, got, c.want)
		}
	}
}

// A number that is too long to be computed with is still printed.
func TestLongNumbers(t *testing.T) {
	long := json.Number(strings.Repeat("7", 5000))
	if got := must(t)(nativeEnv().Str(Of(long))); got != string(long) {
		t.Error("a long number of the data is not printed as it stands")
	}
	if _, err := pythonEnv().Binary(code.BinAdd, Of(long), Int(1)); err == nil {
		t.Error("a number of 5000 digits is added to")
	}
	for text, want := range map[string]bool{"0": true, "-0": true, "12": true, "1.5": true, "1e5": true, "1E-5": true, "-1.25e+10": true,
		"": false, "-": false, "01": false, "1.": false, ".5": false, "1e": false, "1e+": false, "+1": false, "abc": false, "1 ": false, "0x1": false} {
		if got := isNumberText(text); got != want || json.Valid([]byte(text)) != want && strings.TrimSpace(text) == text {
			t.Errorf("isNumberText(%q) is %v", text, got)
		}
	}
}

// rigged is an object of the caller's whose every ability panics.
type rigged struct{}

func (*rigged) TypeName(*Env) string                          { return "rigged" }
func (*rigged) Attr(*Env, string) (Value, bool)               { panic("CANARY") }
func (*rigged) Call(*Env, []Value, []string) (Value, error)   { panic("CANARY") }
func (*rigged) Print(*Env, []byte, bool) ([]byte, error)      { panic("CANARY") }
func (*rigged) Equal(e *Env, other Value) (equal, known bool) { return false, false }
func (*rigged) Contains(*Env, Value) (bool, error)            { return true, nil }
func (*rigged) Index(_ *Env, key Value) (Value, bool, error)  { return key, true, nil }
func (*rigged) Slice(_ *Env, lo, hi, step Value) (Value, error) {
	return TupleOf([]Value{lo, hi, step}), nil
}
func (*rigged) Truth() bool { return false }

func TestObjects(t *testing.T) {
	for _, e := range []*Env{nativeEnv(), pythonEnv()} {
		o := ObjectOf(&rigged{})
		_, errAttr := e.Attr(o, "x")
		_, errCall := e.Call(o, nil, nil)
		_, errStr := e.Str(o)
		_, errRepr := e.Repr(list(o))
		for what, err := range map[string]error{"attribute": errAttr, "call": errCall, "str": errStr, "repr": errRepr} {
			if err == nil || !strings.Contains(err.Error(), "panicked (string)") || strings.Contains(err.Error(), "CANARY") {
				t.Errorf("%s: %s: error %v", e.Dialect.Name, what, err)
			}
		}
		if e.nesting != 0 {
			t.Errorf("nesting is %d", e.nesting)
		}
		if in, err := e.Compare(code.CmpIn, Int(1), o); err != nil || !in {
			t.Errorf("in: %v, %v", in, err)
		}
		if v, err := e.Item(o, Int(3)); err != nil || v != Int(3) {
			t.Errorf("item: %v, %v", v, err)
		}
		if v, err := e.Slice(o, Int(1), Null, Null); err != nil || !v.IsSequence() {
			t.Errorf("slice: %v, %v", v, err)
		}
		if truth, err := e.Truth(o); err != nil || truth {
			t.Errorf("truth: %v, %v", truth, err)
		}
		if eq, err := e.Equal(o, o); err != nil || !eq {
			t.Errorf("an object is equal to itself: %v, %v", eq, err)
		}
		if eq, err := e.Equal(o, ObjectOf(&struct{ rigged }{})); err != nil || eq {
			t.Errorf("two objects are equal: %v, %v", eq, err)
		}
	}
}

// TestTypedReads reads every kind of value as every type: each type takes the
// kinds it is made of, however the data spells them, and no other.
func TestTypedReads(t *testing.T) {
	noon := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	b, s, i, f, bytes := true, "s", 7, 2.5, []byte("ab")
	big1 := new(big.Int).Lsh(big.NewInt(1), 70)
	for _, c := range []struct {
		v    Value
		want string
	}{
		{Null, ""}, {Of((*int)(nil)), ""}, {Of((*big.Int)(nil)), ""}, {undefinedVar("x"), ""}, {ListOf(nil), ""}, {Of([]any{1}), ""}, {Of(struct{}{}), ""},
		{Bool(true), "bool true"}, {Of(true), "bool true"}, {Of(&b), "bool true"}, {Of(myBool(true)), "bool true"}, {Of(myBool(false)), "bool false"},
		{Int(7), "int 7 big 7"}, {Of(7), "int 7 big 7"}, {Of(int64(7)), "int 7 big 7"}, {Of(&i), "int 7 big 7"}, {Of(myInt(7)), "int 7 big 7"}, {Of(uint8(7)), "int 7 big 7"},
		{Of(json.Number("7")), "int 7 big 7"}, {Of(big.NewInt(7)), "int 7 big 7"}, {Of(big1), "big 1180591620717411303424"},
		{Of(json.Number("1180591620717411303424")), "big 1180591620717411303424"}, {Of(uint64(1 << 63)), "big 9223372036854775808"},
		{Float(2.5), "float 2.5"}, {Of(2.5), "float 2.5"}, {Of(&f), "float 2.5"}, {Of(float32(2.5)), "float 2.5"}, {Of(json.Number("2.5")), "float 2.5"},
		{String("s"), "str s"}, {Of("s"), "str s"}, {Of(&s), "str s"}, {Of(myString("s")), "str s"}, {Safe("s"), "str s"},
		{Of(noon), "time 12h"}, {Of(&noon), "time 12h"}, {Of((*time.Time)(nil)), ""},
		{Of([]byte("ab")), "bytes ab"}, {Of(&bytes), "bytes ab"}, {Of(myBytes("ab")), "bytes ab"},
	} {
		var got []string
		if x, ok := c.v.AsBool(); ok {
			got = append(got, fmt.Sprint("bool ", x))
		}
		if x, ok := c.v.Int64(); ok {
			got = append(got, fmt.Sprint("int ", x))
		}
		if x, ok := c.v.Big(); ok {
			got = append(got, fmt.Sprint("big ", x))
		}
		if x, ok := c.v.Float64(); ok {
			got = append(got, fmt.Sprint("float ", x))
		}
		if x, ok := c.v.Str(); ok {
			got = append(got, "str "+x)
		}
		if x, ok := c.v.Time(); ok {
			got = append(got, fmt.Sprintf("time %dh", x.Hour()))
		}
		if x, ok := c.v.Bytes(); ok {
			got = append(got, "bytes "+string(x))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%T: %q, want %q", c.v.ref, got, c.want)
		}
	}
}

// TestInterface hands values out as Go has them.
func TestInterface(t *testing.T) {
	want := []any{int64(1), "s", "safe", true, 2.5, nil, []any{int64(2)}}
	for _, v := range []Value{
		ListOf([]Value{Int(1), String("s"), Safe("safe"), Bool(true), Float(2.5), Null, TupleOf([]Value{Int(2)})}),
		TupleOf([]Value{Int(1), String("s"), Safe("safe"), Bool(true), Float(2.5), Null, ListOf([]Value{Int(2)})}),
	} {
		if d := cmp.Diff(want, v.Interface()); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	}
	if got := Of(int32(5)).Interface(); got != int32(5) {
		t.Errorf("what the data held comes back as %T", got)
	}
}
