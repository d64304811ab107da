package vm

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestItems(t *testing.T) {
	once := &Iterator{Next: testRange(2).Iterate().Next}
	for _, c := range []struct {
		v              any
		python, native string
	}{
		{[]any{1, "a"}, "[1, 'a']", `[1, "a"]`}, {[]string{"x"}, "['x']", `["x"]`}, {tuple(1), "[1]", "[1]"}, {[2]int{3, 4}, "[3, 4]", "[3, 4]"},
		{map[string]any{"b": 1, "a": 2}, "['a', 'b']", `["a", "b"]`}, {dict("z", 1, 2, 3), "['z', 2]", `["z", 2]`}, {customer{}, "['name', 'Age', 'address']", `["name", "Age", "address"]`},
		{map[int]string{10: "", 9: ""}, "[9, 10]", "[9, 10]"}, {map[any]any{1: "", "1": ""}, "[1, '1']", `[1, "1"]`},
		{"aé🤗", "['a', 'é', '🤗']", "!type: cannot loop over string"}, {Safe("<b"), "['<', 'b']", "!type: cannot loop over string"}, {"", "[]", "!type: cannot loop over string"},
		{[]byte("ab"), "[97, 98]", "!type: cannot loop over bytes"}, {ObjectOf(testRange(3)), "[0, 1, 2]", "[0, 1, 2]"}, {once, "[0, 1]", "[]"},
		{undefinedVar("x"), "[]", "[]"}, {nil, "!type: 'NoneType' object is not iterable", "[]"}, {5, "!type: 'int' object is not iterable", "!type: cannot loop over integer"},
		{true, "!type: 'bool' object is not iterable", "!type: cannot loop over boolean"}, {make(chan int), "!type: 'object' object is not iterable", "!type: cannot loop over host value"},
		{func(func(int) bool) {}, "!type: 'object' object is not iterable", "!type: cannot loop over host value"},
	} {
		for _, e := range []*Env{pythonEnv(), nativeEnv()} {
			want := c.native
			if e.Dialect.Python {
				want = c.python
			}
			items, err := e.Items(Of(c.v))
			if got := outcome(e, ListOf(items), err); got != want {
				t.Errorf("%s: items of %T: %s, want %s", e.Dialect.Name, c.v, got, want)
			}
		}
	}
	strict := pythonEnv()
	strict.Dialect.Undefined = UndefinedStrict
	_, err := strict.Items(undefinedVar("x"))
	if got := outcome(strict, Null, err); got != "!undefined: 'x' is undefined" {
		t.Errorf("items of a strict undefined value: %s", got)
	}
}

// A map with keys that are no numbers (NaN) is walked to its end, each time in
// the same order.
func TestItemsOfNaNKeys(t *testing.T) {
	m := map[float64]string{2: "b", 1: "a"}
	m[math.NaN()] = "n"
	m[math.NaN()] = "n"
	for range 10 {
		items, err := nativeEnv().Items(Of(m))
		if got := outcome(pythonEnv(), ListOf(items), err); got != "[1.0, 2.0, nan, nan]" {
			t.Errorf("got %s", got)
		}
	}
	if n, err := nativeEnv().Len(Of(m)); err != nil || n != 4 {
		t.Errorf("length %d, %v", n, err)
	}
}

func TestEntriesRefused(t *testing.T) {
	for _, v := range []any{5, nil, []any{}, map[any]any{struct{ a int }{1}: 2}, map[[2]int]string{}} {
		if _, err := nativeEnv().Entries(Of(v)); err == nil {
			t.Errorf("%T has entries", v)
		}
	}
}

// A list that grows while it is walked ends all the same when it no longer
// grows, and one that shrinks ends at its new end.
func TestIterateChangingList(t *testing.T) {
	l := &List{Items: []Value{Int(0), Int(1)}}
	it, err := pythonEnv().Iterate(Value{ref: l})
	if err != nil {
		t.Fatal(err)
	}
	var seen int
	for {
		v, ok, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		if i, _ := v.Int64(); i < 5 {
			l.Items = append(l.Items, Int(i+2))
		} else {
			l.Items = l.Items[:3]
		}
		seen++
	}
	if seen != 6 {
		t.Errorf("%d turns", seen)
	}
}

func TestItemsCharge(t *testing.T) {
	limits := DefaultLimits()
	limits.Memory, limits.Steps = 100_000, 50_000
	endless := &Iterator{Next: func() (Value, bool, error) { return Null, true, nil }}
	for what, v := range map[string]any{"list": make([]any, 10_000), "string": strings.Repeat("a", 100_000), "map": manyKeys(10_000), "iterator": endless, "ints": make([]int, 10_000)} {
		_, err := NewEnv(&Dialect{Python: true}, limits).Items(Of(v))
		wantLimit(t, what, err)
	}
	broken := &Iterator{Next: func() (Value, bool, error) { return Null, false, errors.New("broken") }}
	if _, err := pythonEnv().Items(Of(broken)); err == nil || err.Error() != "broken" {
		t.Errorf("error of an iterator: %v", err)
	}
}

func manyKeys(n int) map[string]any {
	m := make(map[string]any, n)
	for i := range n {
		m[itoa(i)] = i
	}
	return m
}

func TestLen(t *testing.T) {
	for _, c := range []struct {
		v              any
		python, native string
	}{
		{"aé🤗", "3", "3"}, {"\xff\xfe", "2", "2"}, {[]any{1, 2}, "2", "2"}, {tuple(), "0", "0"}, {dict("a", 1), "1", "1"}, {map[string]int{}, "0", "0"}, {customer{Tags: []string{"x"}}, "4", "4"},
		{[]byte("abc"), "3", "3"}, {ObjectOf(testRange(7)), "7", "7"}, {undefinedVar("x"), "0", "0"}, {nil, "!type: object of type 'NoneType' has no len()", "0"},
		{5, "!type: object of type 'int' has no len()", "!type: integer has no length"}, {&Iterator{}, "!type: object of type 'generator' has no len()", "!type: iterator has no length"},
	} {
		for _, e := range []*Env{pythonEnv(), nativeEnv()} {
			want := c.native
			if e.Dialect.Python {
				want = c.python
			}
			n, err := e.Len(Of(c.v))
			if got := outcome(e, Int(int64(n)), err); got != want {
				t.Errorf("%s: length of %T: %s, want %s", e.Dialect.Name, c.v, got, want)
			}
		}
	}
}

func TestSliceOurs(t *testing.T) {
	for _, c := range []struct {
		v            any
		lo, hi, step any
		native       bool
		want         string
	}{
		{Safe("<b>"), 0, 1, nil, false, "Markup('<')"}, {[]string{"a", "b"}, 1, nil, nil, false, "['b']"}, {undefinedVar("x"), 0, 1, nil, false, "!undefined: 'x' is undefined"},
		{undefinedVar("x"), 0, 1, nil, true, "null"}, {"héé", 1, 2, nil, true, `"é"`}, {nil, 0, 1, nil, true, "!type: cannot take a slice of null"}, {dict(), 0, 1, nil, true, "!type: cannot take a slice of a map"},
		{[]any{1, 2}, nil, nil, 0, true, "!value: the step of a slice cannot be zero"}, {[]any{1}, "a", nil, nil, true, "!type: the bounds of a slice must be integers, not string"},
		{[]any{1, 2}, undefinedVar("x"), nil, nil, false, "!undefined: 'x' is undefined"}, {[]byte("abc"), 1, nil, nil, true, `"bc"`}, {5, 0, 1, nil, false, "!type: 'int' object is not subscriptable"},
	} {
		e := pythonEnv()
		if c.native {
			e = nativeEnv()
		}
		v, err := e.Slice(Of(c.v), Of(c.lo), Of(c.hi), Of(c.step))
		if got := outcome(e, v, err); got != c.want {
			t.Errorf("%T[%v:%v:%v] = %s, want %s", c.v, c.lo, c.hi, c.step, got, c.want)
		}
	}
}

func TestTypeName(t *testing.T) {
	for _, c := range []struct {
		v              any
		python, native string
	}{
		{nil, "NoneType", "null"}, {true, "bool", "boolean"}, {1, "int", "integer"}, {1.5, "float", "number"}, {"a", "str", "string"}, {Safe("a"), "Markup", "string"}, {[]any{}, "list", "list"},
		{tuple(), "tuple", "list"}, {dict(), "dict", "map"}, {map[string]int{}, "dict", "map"}, {customer{}, "dict", "map"}, {undefinedVar("x"), "Undefined", "missing"}, {&Iterator{}, "generator", "iterator"},
		{&Iterator{Name: "zip"}, "zip", "iterator"}, {ObjectOf(testRange(1)), "range", "range"}, {[]byte{}, "bytes", "bytes"}, {func() {}, "object", "host value"}, {ObjectOf(&Builtin{}), "function", "function"},
		{Safe("x"), "Markup", "string"}, {uint64(math.MaxUint64), "int", "integer"},
	} {
		if got := pythonEnv().TypeName(Of(c.v)); got != c.python {
			t.Errorf("python name of %T: %s, want %s", c.v, got, c.python)
		}
		if got := nativeEnv().TypeName(Of(c.v)); got != c.native {
			t.Errorf("native name of %T: %s, want %s", c.v, got, c.native)
		}
	}
}
