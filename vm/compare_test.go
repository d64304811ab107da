package vm

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/internal/code"
)

var relations = map[string]code.CompareOp{"==": code.CmpEq, "!=": code.CmpNe, "<": code.CmpLt, "<=": code.CmpLe, ">": code.CmpGt, ">=": code.CmpGe, "in": code.CmpIn, "not in": code.CmpNotIn}

func compareRow(e *Env, a any, op string, b any) string {
	ok, err := e.Compare(relations[op], Of(a), Of(b))
	return outcome(e, Bool(ok), err)
}

func TestNativeCompare(t *testing.T) {
	noon := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		a    any
		op   string
		b    any
		want string
	}{
		{1, "==", 1.0, "true"}, {1, "==", "1", "false"}, {1, "==", true, "false"}, {true, "==", true, "true"}, {"a", "==", Safe("a"), "true"},
		{int64(1)<<53 + 1, "==", float64(1 << 53), "false"}, {uint8(3), "==", int64(3), "true"}, {"a", "==", []byte("a"), "true"},
		{[]any{1, "x"}, "==", []any{1.0, "x"}, "true"}, {[]string{"x"}, "==", []any{"x"}, "true"}, {[]any{1}, "==", tuple(1), "false"},
		{map[string]any{"a": 1}, "==", dict("a", 1.0), "true"}, {map[string]any{"a": 1}, "==", dict("b", 1), "false"}, {map[string]int{"a": 1}, "==", dict("a", 1), "true"},
		{struct{ A int }{1}, "==", dict("A", 1), "true"},
		{nil, "==", nil, "true"}, {nil, "==", undefinedVar("x"), "true"}, {undefinedVar("x"), "==", undefinedVar("y"), "true"}, {undefinedVar("x"), "==", 0, "false"},
		{nil, "!=", "", "true"}, {nil, "==", false, "false"}, {math.NaN(), "==", math.NaN(), "false"}, {math.NaN(), "!=", math.NaN(), "true"},
		{noon, "==", noon.In(time.FixedZone("x", 3600)), "true"}, {noon, "<", noon.Add(1), "true"},
		{1, "<", 1.5, "true"}, {"a", "<", "b", "true"}, {"B", "<", "a", "true"}, {[]any{1, 2}, "<", []any{1, 3}, "true"}, {[]any{1}, "<", []any{1, 0}, "true"},
		{[]any{[]any{1, 2}, 5}, ">", []any{[]any{1, 1}, 9}, "true"},
		{nil, "<", 1, "false"}, {1, ">=", nil, "false"}, {undefinedVar("x"), ">", 0, "false"}, {nil, "<=", nil, "false"}, {math.NaN(), "<", 1, "false"},
		{1, "<", "a", "!type: cannot compare integer and string with <"}, {true, "<", 2, "!type: cannot compare boolean and integer with <"},
		{[]any{1, "a"}, "<", []any{1, 2}, "!type: cannot compare string and integer with <"}, {dict(), "<", dict(), "!type: cannot compare map and map with <"},
		{"ell", "in", "hello", "true"}, {"", "in", "", "true"}, {1, "in", []any{1.0}, "true"}, {"a", "in", map[string]any{"a": nil}, "true"}, {"b", "in", dict("a", 1), "false"},
		{"Name", "in", struct{ Name string }{}, "true"}, {"a", "in", nil, "false"}, {"a", "in", undefinedVar("x"), "false"}, {nil, "in", "abc", "false"}, {nil, "in", []any{nil}, "true"},
		{"a", "not in", []string{"b"}, "true"}, {2, "in", ObjectOf(testRange(3)), "true"}, {3, "in", ObjectOf(testRange(3)), "false"},
		{1, "in", "abc", "!type: cannot look for integer in a string: the left side of in must be a string too"}, {"a", "in", 5, "!type: cannot look into integer with in"},
		{list(), "in", dict(), "!type: list cannot be the key of a map"}, {5, "in", map[int]string{5: "x"}, "true"},
	} {
		if got := compareRow(nativeEnv(), c.a, c.op, c.b); got != c.want {
			t.Errorf("%v %s %v = %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

func TestCompareUndefined(t *testing.T) {
	x := undefinedVar("x")
	const raises = "!undefined: 'x' is undefined"
	for _, c := range []struct {
		a              any
		op             string
		b              any
		normal, strict string
	}{
		{x, "==", x, "True", raises}, {x, "==", undefinedVar("y"), "True", raises}, {x, "!=", x, "False", raises}, {x, "==", 1, "False", raises}, {nil, "==", x, "False", raises},
		{x, "<", 1, raises, raises}, {1, ">=", x, raises, raises}, {x, "in", []any{1}, "False", raises}, {x, "in", []any{}, "False", "False"}, {1, "in", x, "False", raises},
		{x, "in", "abc", "!type: 'in <string>' requires string as left operand, not Undefined", "!type: 'in <string>' requires string as left operand, not StrictUndefined"},
		{x, "in", dict(), "False", raises}, {list(x), "==", list(x), "True", raises},
	} {
		for _, strict := range []bool{false, true} {
			e, want := pythonEnv(), c.normal
			if strict {
				e.Dialect.Undefined, want = UndefinedStrict, c.strict
			}
			if got := compareRow(e, c.a, c.op, c.b); got != want {
				t.Errorf("strict %v: %v %s %v = %s, want %s", strict, c.a, c.op, c.b, got, want)
			}
		}
	}
}

// Integers and floats are ordered exactly: the same as rational numbers.
func TestCompareNumbersExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	next := func() number {
		switch r.IntN(4) {
		case 0:
			return number{kind: numInt, i: r.Int64() >> r.IntN(64)}
		case 1:
			return number{kind: numInt, i: int64(1)<<53 + r.Int64N(8) - 4}
		case 2:
			return intNumber(new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), uint(60+r.IntN(20))), big.NewInt(r.Int64N(3)-1)))
		}
		return number{kind: numFloat, f: math.Ldexp(float64(r.Int64N(1<<54)), r.IntN(40)-20)}
	}
	rational := func(n number) *big.Rat {
		if n.kind == numFloat {
			return new(big.Rat).SetFloat64(n.f)
		}
		return new(big.Rat).SetInt(n.big())
	}
	for range 20000 {
		a, b := next(), next()
		if r.IntN(3) == 0 && a.kind != numFloat { // the float nearest to a
			f, _ := a.float()
			b = number{kind: numFloat, f: f}
		}
		got, ok := a.compare(b)
		back, _ := b.compare(a)
		if want := rational(a).Cmp(rational(b)); !ok || got != want || back != -want {
			t.Fatalf("%+v against %+v: %d and %d, want %d", a, b, got, back, want)
		}
	}
}

// Equality is symmetric and agrees with keys of maps: equal hashable values
// are one key.
func TestEqualIsSymmetric(t *testing.T) {
	values := []Value{Null, Bool(true), Bool(false), Int(0), Int(1), Float(0), Float(1), Float(1.5), Float(math.Copysign(0, -1)), String(""), String("1"), Safe("1"),
		BigInt(new(big.Int).Lsh(big.NewInt(1), 70)), Float(math.Ldexp(1, 70)), tuple(), tuple(1), tuple(1.0), tuple(true, tuple("a")), tuple(1, tuple("a")),
		list(), list(1), list(1.0), dict(), dict("a", 1), Of(map[string]any{"a": 1.0}), undefinedVar("x"), Of([]byte("1")), ObjectOf(testRange(2)),
		Of(time.Unix(5, 0)), Of(time.Unix(5, 0).UTC()), Of(int8(1)), Of(float32(1.5))}
	for _, e := range []*Env{pythonEnv(), nativeEnv()} {
		for _, a := range values {
			for _, b := range values {
				ab, err := e.Equal(a, b)
				ba, err2 := e.Equal(b, a)
				if err != nil || err2 != nil || ab != ba {
					t.Errorf("%s: %v == %v is %v (%v), the other way round %v (%v)", e.Dialect.Name, a, b, ab, err, ba, err2)
				}
				ka, okA := hashKey(a)
				kb, okB := hashKey(b)
				if e.Dialect.Python && okA && okB && ab != (ka == kb) {
					t.Errorf("%v == %v is %v, as keys %v", a, b, ab, ka == kb)
				}
			}
		}
	}
}

func TestCompareLimits(t *testing.T) {
	deep := func() any {
		var v any = "x"
		for range 3_000_000 {
			v = []any{v}
		}
		return v
	}
	dag := func() any {
		var v any = map[string]any{}
		for range 40 {
			v = map[string]any{"l": v, "r": v}
		}
		return v
	}
	cyclic := func() any {
		l := []any{nil}
		l[0] = l
		return l
	}
	limits := DefaultLimits()
	limits.Steps = 100_000
	for name, f := range map[string]func() any{"deep": deep, "shared": dag, "cyclic": cyclic} {
		a, b := f(), f()
		for _, d := range []*Dialect{{}, {Python: true}} {
			for op, cmp := range relations {
				if name == "shared" && op[0] != '=' && op[0] != '!' {
					continue
				}
				right := b
				if strings.HasSuffix(op, "in") {
					right = []any{b}
				}
				_, err := NewEnv(d, limits).Compare(cmp, Of(a), Of(right))
				wantLimit(t, name+" "+op, err)
			}
		}
	}
	// Looking for each item of a long list in the same list is quadratic.
	long := make([]any, 5000)
	for i := range long {
		long[i] = strings.Repeat("k", 50)
	}
	e := NewEnv(&Dialect{Python: true}, limits)
	var err error
	for range long {
		if _, err = e.Compare(code.CmpIn, String("none"), Of(long)); err != nil {
			break
		}
	}
	wantLimit(t, "quadratic in", err)
	// Hashing long keys is paid for.
	wide := tuple("x")
	for range 5 {
		wide = TupleOf([]Value{wide, wide, wide, wide})
	}
	for what, key := range map[string]Value{"long string": String(strings.Repeat("k", 1<<16)), "wide tuple": wide} {
		for _, keys := range []Value{dict("a", 1), Of(map[string]any{"a": 1})} {
			e, err := NewEnv(&Dialect{Python: true}, limits), error(nil)
			for range 1000 {
				if _, err = e.Compare(code.CmpIn, key, keys); err != nil {
					break
				}
			}
			wantLimit(t, fmt.Sprintf("%s in a %T", what, keys.ref), err)
		}
	}
	// A value is equal to itself without a walk.
	same := cyclic()
	if eq, err := pythonEnv().Equal(Of(same), Of(same)); err != nil || !eq {
		t.Errorf("a cyclic value is equal to itself: %v, %v", eq, err)
	}
}

func TestTruth(t *testing.T) {
	zero := 0
	for _, c := range []struct {
		v    any
		want bool
	}{
		{nil, false}, {false, false}, {true, true}, {0, false}, {0.0, false}, {math.Copysign(0, -1), false}, {math.NaN(), true}, {-1, true}, {uint16(0), false}, {&zero, false},
		{"", false}, {"0", true}, {Safe(""), false}, {[]any{}, false}, {[]any{nil}, true}, {list(), false}, {tuple(), false}, {dict(), false}, {dict("a", 1), true},
		{map[string]any{}, false}, {map[string]int{"a": 0}, true}, {[]string{}, false}, {[]byte{}, false}, {[]byte{0}, true}, {(*int)(nil), false}, {undefinedVar("x"), false},
		{time.Time{}, true}, {struct{}{}, false}, {struct{ A int }{}, true}, {&Iterator{}, true}, {ObjectOf(testRange(0)), false}, {ObjectOf(testRange(1)), true}, {func() {}, true},
		{new(big.Int), false},
	} {
		for _, e := range []*Env{pythonEnv(), nativeEnv()} {
			if got, err := e.Truth(Of(c.v)); err != nil || got != c.want {
				t.Errorf("%s: truth of %T is %v (%v), want %v", e.Dialect.Name, c.v, got, err, c.want)
			}
		}
	}
	e := pythonEnv()
	e.Dialect.Undefined = UndefinedStrict
	var f *Error
	if _, err := e.Truth(undefinedVar("x")); !errors.As(err, &f) || f.Kind != "undefined" || len(f.Names) != 1 || f.Names[0] != "x" {
		t.Errorf("truth of a strict undefined value: %v", err)
	}
}

func BenchmarkCompare(b *testing.B) {
	for name, c := range map[string]struct {
		op   code.CompareOp
		a, b Value
	}{
		"string": {code.CmpEq, String("assistant"), String("assistant")}, "any string": {code.CmpEq, Of("assistant"), String("assistant")}, "int": {code.CmpLt, Int(3), Int(4)}, "any int": {code.CmpLt, Of(3), Int(4)},
		"any float": {code.CmpGe, Of(3.5), Int(3)}, "unlike": {code.CmpEq, Of("a"), Int(1)}, "null": {code.CmpEq, Of("a"), Null}, "in": {code.CmpIn, String("c"), Of([]any{"a", "b", "c"})}, "key": {code.CmpIn, String("a"), Of(map[string]any{"a": 1})},
	} {
		b.Run(name, func(b *testing.B) {
			e := pythonEnv()
			e.steps = math.MaxInt64
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Compare(c.op, c.a, c.b); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
