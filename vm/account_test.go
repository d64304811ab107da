package vm

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/internal/code"
)

// Every operation pays for what it makes, and for what it walks over: memory by
// the byte, before it is taken, steps by the item or by 64 bytes.
func TestOperationsPay(t *testing.T) {
	const n = 10_000
	text := strings.Repeat("a", n)
	wide := strings.Repeat("é", n)
	items := make([]Value, n)
	anys, empty, gm, hm := make([]any, n), make([]Value, n), map[string]any{}, map[int]int{}
	own := NewMap(0)
	for i := range items {
		items[i] = Int(int64(i))
		anys[i] = i
		empty[i] = ListOf(nil)
		gm["k"+itoa(i)] = i
		hm[i] = i
		own.Set("k"+itoa(n-i), Int(int64(i)))
	}
	list, other := ListOf(items), ListOf(append(append([]Value(nil), items[:n-1]...), Int(-1)))
	iterator := func() Value {
		i := 0
		return Of(&Iterator{Next: func() (Value, bool, error) { i++; return Int(int64(i)), i <= n, nil }})
	}
	keys := make([]Value, 500)
	for i := range keys {
		keys[i] = String("key")
	}
	key := TupleOf(keys)
	long := Of(func() Value {
		v, _ := NewEnv(&Dialect{Python: true}, wideLimits()).Binary(code.BinPow, Int(7), Int(20_000))
		return v
	}())
	binary := func(op code.BinaryOp, a, b Value) func(*Env) error {
		return func(e *Env) error { _, err := e.Binary(op, a, b); return err }
	}
	compare := func(op code.CompareOp, a, b Value) func(*Env) error {
		return func(e *Env) error { _, err := e.Compare(op, a, b); return err }
	}
	slice := func(v Value, by int64) func(*Env) error {
		return func(e *Env) error { _, err := e.Slice(v, Null, Null, Int(by)); return err }
	}
	for _, tt := range []struct {
		name          string
		f             func(*Env) error
		memory, steps int64 // at least
	}{
		{"joining texts", binary(code.BinAdd, String(text), String(text)), 2 * n, n / 32},
		{"joining lists", binary(code.BinAdd, list, list), 2 * n * valueSize, n / 2},
		{"joining with ~", binary(code.BinConcat, String(text), String(text)), 2 * n, n / 32},
		{"repeating a text", binary(code.BinMul, String(text), Int(3)), 3 * n, n / 32},
		{"repeating a list", binary(code.BinMul, list, Int(3)), 3 * n * valueSize, n},
		{"filling in a format", binary(code.BinMod, String(text+"%s"), String(text)), 2 * n, n / 64},
		{"a width of a format", binary(code.BinMod, String("%10000d"), Int(1)), n, n / 64},
		{"a text in a format", binary(code.BinMod, String("%s"), String(text)), n, n / 64},
		{"a repr in a format", binary(code.BinMod, String("%r"), String(text)), 2 * n, n / 64},
		{"a power", binary(code.BinPow, Int(7), Int(20_000)), 7000, 500},
		{"a product of long integers", binary(code.BinMul, long, long), 7000, 7000},
		{"comparing texts", compare(code.CmpEq, String(text), String(strings.Clone(text))), 0, n / 64},
		{"ordering texts", compare(code.CmpLt, String(text), String(strings.Clone(text))), 0, n / 64},
		{"comparing lists", compare(code.CmpEq, list, other), 0, n},
		{"ordering lists", compare(code.CmpLt, list, other), 0, n},
		{"comparing maps", compare(code.CmpEq, Of(gm), MapOf(own)), n * entrySize, 1},
		{"in a list", compare(code.CmpIn, String("x"), list), 0, n},
		{"in an iterator", compare(code.CmpIn, String("x"), iterator()), 0, n},
		{"in a text", compare(code.CmpIn, String("x"), String(text)), 0, n / 64},
		{"in a map, with a long key", compare(code.CmpIn, String(text), Of(gm)), 0, n / 64},
		{"in an ordered map, with a long key", compare(code.CmpIn, String(text), MapOf(own)), 0, n / 64},
		{"in a map, with a tuple", compare(code.CmpIn, key, MapOf(own)), 0, 100},
		{"items of a list", func(e *Env) error { _, err := e.Items(Of(anys)); return err }, n * valueSize, n / 4},
		{"items of an iterator", func(e *Env) error { _, err := e.Items(iterator()); return err }, n * valueSize, n * 7 / 4},
		{"the length of a text", func(e *Env) error { _, err := e.Len(String(text)); return err }, 0, n / 64},
		{"entries of a map", func(e *Env) error { _, err := e.Entries(Of(gm)); return err }, n * entrySize, n / 2},
		{"entries of a host's map", func(e *Env) error { _, err := e.Entries(Of(hm)); return err }, n * entrySize, n / 2},
		{"escaping", func(e *Env) error { _, err := e.Escape(String(strings.Repeat("<", n))); return err }, 4 * n, n / 16},
		{"escaping nothing", func(e *Env) error { _, err := e.Escape(String(text)); return err }, 0, n / 64},
		{"a list as text", func(e *Env) error { _, err := e.Str(list); return err }, 4 * n, n / 16},
		{"a short list as text", func(e *Env) error { _, err := e.Str(ListOf(items[:100])); return err }, 290, 1},
		{"a number as text", func(e *Env) error { _, err := e.Str(Int(123456)); return err }, 6, 1},
		{"a list of lists as text", func(e *Env) error { _, err := e.Str(ListOf(empty)); return err }, 4 * n, 2 * n},
		{"a long text appended", func(e *Env) error { _, err := e.AppendStr(nil, String(text), StylePython); return err }, n, n / 64},
		{"a repr", func(e *Env) error { _, err := e.Repr(String(text)); return err }, n, n / 64},
		{"a short repr", func(e *Env) error { _, err := e.Repr(String(text[:500])); return err }, 500, 1},
		{"JSON", func(e *Env) error { _, err := e.JSON(nil, list, JSONOptions{}); return err }, 4 * n, n / 16},
		{"JSON, indented", func(e *Env) error { _, err := e.JSON(nil, list, JSONOptions{Indent: text[:100]}); return err }, 100 * n, n},
		{"JSON of an iterator", func(e *Env) error { _, err := e.JSON(nil, iterator(), JSONOptions{}); return err }, 4 * n, n},
		{"JSON, sorted", func(e *Env) error { _, err := e.JSON(nil, MapOf(own), JSONOptions{SortKeys: true}); return err }, n*entrySize + 4*n, 2 * n},
		{"JSON, sorted as Python does", func(e *Env) error {
			_, err := e.JSON(nil, MapOf(own), JSONOptions{SortKeys: true, Python: true})
			return err
		}, n*entrySize + 4*n, 2 * n},
		{"a slice of a list", slice(list, 1), n * valueSize, n / 4},
		{"a text backwards", slice(String(text), -1), n, n / 64},
		{"a wide text backwards", slice(String(wide), -1), 10 * n, n / 8},
	} {
		e := NewEnv(&Dialect{Python: true, Style: StylePython}, wideLimits())
		memory, steps := e.memory, e.steps
		if err := tt.f(e); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := memory - e.memory; got < tt.memory {
			t.Errorf("%s pays for %d bytes of memory, want %d or more", tt.name, got, tt.memory)
		}
		if got := steps - e.steps; got < tt.steps {
			t.Errorf("%s pays %d steps, want %d or more", tt.name, got, tt.steps)
		}
	}
}

func wideLimits() Limits {
	l := DefaultLimits()
	l.Steps, l.Memory, l.NumberDigits = 1<<60, 1<<60, 100_000
	return l
}

// Sizes that overflow are more than any budget.
func TestSizesThatOverflow(t *testing.T) {
	e := NewEnv(&Dialect{Python: true}, wideLimits())
	e.memory = math.MaxInt64
	for what, err := range map[string]error{
		"a negative size": e.Charge(-1),
		// Three times this is 2^64 + 2.
		"a text repeated": func() error { _, err := e.Binary(code.BinMul, String("abc"), Int(6148914691236517206)); return err }(),
		"a list repeated": func() error {
			_, err := e.Binary(code.BinMul, ListOf(make([]Value, 2)), Int(math.MaxInt64/16))
			return err
		}(),
	} {
		var limit *Error
		if !errors.As(err, &limit) || limit.Code != "PCC905" {
			t.Errorf("%s: %v, want PCC905", what, err)
		}
	}
	e.memory = 100
	if err := e.Charge(101); err == nil || e.memory != 100 {
		t.Errorf("more than is left: %v, %d bytes left", err, e.memory)
	}
	e.steps = 100
	if err := e.Step(101); err == nil {
		t.Error("more steps than are left")
	}
}

// A power that would be too long is refused before it is computed.
func TestGreatPowersAreNotComputed(t *testing.T) {
	e := NewEnv(&Dialect{Python: true}, DefaultLimits())
	base, err := e.Binary(code.BinPow, Int(10), Int(4000))
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []Value{Int(2000), Int(math.MaxInt64), func() Value { v, _ := e.Binary(code.BinPow, Int(10), Int(30)); return v }()} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = e.Binary(code.BinPow, base, by)
		runtime.ReadMemStats(&after)
		var limit *Error
		if grown := after.TotalAlloc - before.TotalAlloc; !errors.As(err, &limit) || limit.Code != "PCC911" || grown > 100_000 {
			t.Errorf("a power of %d digits: %v, %d bytes allocated", 4001, err, grown)
		}
	}
}

// Tuples that are keys are bounded in depth and bytes: shared parts make their
// hashed form far larger than the tuple.
func TestTupleKeysAreBounded(t *testing.T) {
	nested := func(depth, width int) Value {
		v := Int(1)
		for range depth {
			parts := make([]Value, width)
			for i := range parts {
				parts[i] = v
			}
			v = TupleOf(parts)
		}
		return v
	}
	for _, tt := range []struct {
		v  Value
		ok bool
	}{{nested(maxTupleDepth, 1), true}, {nested(maxTupleDepth+1, 1), false}, {nested(1, 5000), true}, {nested(1, 20_000), false}, {nested(12, 4), false}} {
		if _, ok := hashKey(tt.v); ok != tt.ok {
			t.Errorf("a tuple can be a key: %v, want %v", ok, tt.ok)
		}
	}
}

// shell is an object that prints what it holds.
type shell struct{ of Value }

func (*shell) TypeName(*Env) string { return "shell" }
func (s *shell) Print(e *Env, dst []byte, _ bool) ([]byte, error) {
	return e.AppendStr(dst, s.of, e.Dialect.Style)
}
func (s *shell) Equal(e *Env, other Value) (equal, known bool) {
	o, _ := other.Object()
	x, ok := o.(*shell)
	if !ok {
		return false, false
	}
	equal, err := e.Equal(s.of, x.of)
	return equal, err == nil
}

// Objects that print or compare others call back into the environment: the
// nesting of that is bounded too.
func TestObjectsInObjectsAreBounded(t *testing.T) {
	nested := func(depth int) Value {
		v := Int(1)
		for range depth {
			v = ObjectOf(&shell{v})
		}
		return v
	}
	e := NewEnv(&Dialect{Python: true, Style: StylePython}, DefaultLimits())
	if _, err := e.Str(nested(60)); err != nil {
		t.Errorf("within the limit: %v", err)
	}
	var limit *Error
	if _, err := e.Str(nested(100)); !errors.As(err, &limit) || limit.Code != "PCC906" {
		t.Errorf("printing: %v, want PCC906", err)
	}
	if eq, err := e.Equal(nested(60), nested(60)); !eq || err != nil {
		t.Errorf("within the limit: %v, %v", eq, err)
	}
	if eq, _ := e.Equal(nested(100), nested(100)); eq {
		t.Error("objects a hundred deep are compared")
	}
	if e.nesting != 0 {
		t.Errorf("%d levels are not undone", e.nesting)
	}
}
