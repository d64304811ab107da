package vm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestMapKeys(t *testing.T) {
	two70 := new(big.Int).Lsh(big.NewInt(1), 70)
	o := ObjectOf(&Builtin{Name: "f"})
	now := time.Unix(1, 5)
	for name, same := range map[string][]Value{
		"one": {Int(1), Float(1), Bool(true), Of(uint8(1)), BigInt(big.NewInt(1))}, "zero": {Int(0), Float(math.Copysign(0, -1)), Bool(false)},
		"big": {BigInt(two70), Float(math.Ldexp(1, 70)), Of(two70)}, "text": {String("a"), Safe("a"), Of("a")}, "null": {Null, Of((*int)(nil))},
		"tuple": {tuple(1, tuple("a")), tuple(true, tuple(Safe("a"))), tuple(1.0, tuple("a"))}, "time": {Of(now), Of(now.UTC())}, "object": {o, o}, "bytes": {Of([]byte("a")), PythonBytes([]byte("a"))},
		"half": {Float(0.5), Of(float32(0.5))}, "infinity": {Float(math.Inf(1)), Float(math.Inf(1))},
	} {
		m := NewMap(0)
		m.Put(same[0], String(name))
		for i, k := range same {
			if v, found, ok := m.Lookup(k); !found || !ok || must(t)(pythonEnv().Str(v)) != name {
				t.Errorf("%s: key %d is another key", name, i)
			}
		}
		for other, values := range map[string]Value{"one": Int(1), "zero": Int(0), "big": BigInt(two70), "text": String("a"), "null": Null, "bytes": Of([]byte("a")), "half": Float(0.5)} {
			if _, found, _ := m.Lookup(values); found && other != name {
				t.Errorf("%s and %s are one key", name, other)
			}
		}
	}
	// (1, 2), 3 and 1, (2, 3) are not one key, neither are ("ab", "") and ("a", "b").
	m := NewMap(0)
	for _, k := range []Value{tuple(tuple(1, 2), 3), tuple(1, tuple(2, 3)), tuple("ab", ""), tuple("a", "b"), tuple(), tuple(tuple()), tuple(nil), tuple("s", 1), tuple("s1")} {
		if !m.Put(k, Null) {
			t.Errorf("a tuple is no key")
		}
	}
	if m.Len() != 9 {
		t.Errorf("%d keys of 9", m.Len())
	}
	deep, wide := tuple(), tuple("x")
	for range 20 {
		deep = TupleOf([]Value{deep})
		wide = TupleOf([]Value{wide, wide, wide, wide})
	}
	for name, k := range map[string]Value{"list": list(), "map": dict(), "list in tuple": tuple(1, list()), "deep tuple": deep, "wide tuple": wide, "function": Of(func() {})} {
		if m.Put(k, Null) || m.Delete(k) {
			t.Errorf("%s is a key", name)
		}
		if _, found, hashable := m.Lookup(k); found || hashable {
			t.Errorf("%s is found", name)
		}
	}
}

// A Map behaves like a Go map beside a list of its keys, for any order of
// operations and any size.
func TestMapAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		m, model := NewMap(0), map[int64]int64{}
		var order []int64
		for range 60 {
			k, v := r.Int64N(25), r.Int64()
			switch r.IntN(4) {
			case 0:
				_, had := model[k]
				if m.Delete(Int(k)) != had {
					t.Fatal("Delete says otherwise")
				}
				delete(model, k)
				order = slices.DeleteFunc(order, func(x int64) bool { return x == k })
			default:
				if _, had := model[k]; !had {
					order = append(order, k)
				}
				m.Put(Float(float64(k)), Int(v)) // the same key as the integer
				model[k] = v
			}
			if m.Len() != len(model) {
				t.Fatalf("length %d, want %d", m.Len(), len(model))
			}
			for i, k := range order {
				key, val := m.At(i)
				if f, _ := key.Float64(); int64(f) != k {
					t.Fatalf("entry %d is %v, want %d", i, f, k)
				}
				got, found, _ := m.Lookup(Int(k))
				a, _ := got.Int64()
				b, _ := val.Int64()
				if !found || a != model[k] || b != model[k] {
					t.Fatalf("key %d: %d and %d, want %d", k, a, b, model[k])
				}
			}
		}
		clone := m.Clone()
		clone.Put(String("new"), Null)
		if m.Len() == clone.Len() {
			t.Fatal("a clone shares its entries")
		}
	}
	var none *Map
	if none.Len() != 0 {
		t.Error("a nil map has entries")
	}
}

func TestMapStrings(t *testing.T) {
	m := NewMap(0)
	for i := range 100 {
		m.Set(itoa(i), Int(int64(i)))
	}
	for i := range 100 {
		if v, ok := m.Get(itoa(i)); !ok || v != Int(int64(i)) {
			t.Errorf("key %d is lost", i)
		}
	}
	if _, ok := m.Get("100"); ok {
		t.Error("a key is found that was never set")
	}
	if e, err := nativeEnv().entries(MapOf(m)); err != nil || e != m {
		t.Error("an ordered map is its own listing")
	}
	if e, err := nativeEnv().entries(Of(map[string]int{"b": 1, "a": 2})); err != nil || must(t)(nativeEnv().Repr(MapOf(e))) != `{"a": 2, "b": 1}` {
		t.Errorf("entries of a Go map: %v", err)
	}
}
