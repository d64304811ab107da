package vm

import (
	"errors"
	"math"
	"math/big"
	"runtime"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/internal/code"
)

var symbols = map[string]code.BinaryOp{"+": code.BinAdd, "-": code.BinSub, "*": code.BinMul, "/": code.BinDiv, "//": code.BinFloorDiv, "%": code.BinMod, "**": code.BinPow, "~": code.BinConcat}

// evaluate works out a row of a table: the printed result, or "!kind: message".
func evaluate(e *Env, op string, a, b Value) string {
	v, err := e.Binary(symbols[op], a, b)
	return outcome(e, v, err)
}

func outcome(e *Env, v Value, err error) string {
	if err == nil {
		var s string
		if s, err = e.Repr(v); err == nil {
			return s
		}
	}
	var f *Error
	if !errors.As(err, &f) {
		return "?" + err.Error()
	}
	return "!" + f.Kind + ": " + f.Msg
}

func TestNativeArithmetic(t *testing.T) {
	big70, _ := new(big.Int).SetString("1000000000000000000000", 10)
	for _, c := range []struct {
		a    any
		op   string
		b    any
		want string
	}{
		{2, "+", 3, "5"}, {2, "-", 3, "-1"}, {2, "*", 3, "6"}, {7, "/", 2, "3.5"}, {6, "/", 2, "3"}, {-7, "//", 2, "-4"}, {-7, "%", 2, "1"},
		{7.5, "//", 2, "3"}, {-7.5, "%", 2, "0.5"}, {2, "**", 10, "1024"}, {2, "**", -1, "0.5"}, {2, "**", 0.5, "1.4142135623730951"},
		{1, "+", 0.5, "1.5"}, {int32(2), "+", uint8(3), "5"}, {"a", "+", "b", `"ab"`}, {"a", "*", 3, `"aaa"`}, {2, "*", "ab", `"abab"`}, {"a", "*", -1, `""`},
		{[]any{1}, "+", []string{"x"}, `[1, "x"]`}, {[]any{1}, "*", 2, "[1, 1]"}, {"a", "~", 1, `"a1"`}, {1.0, "~", nil, `"1"`}, {true, "~", []any{1, "x"}, `"true[1, \"x\"]"`},
		{int64(math.MaxInt64), "+", 1, "!overflow: integer overflow: the result does not fit 64 bits"},
		{int64(math.MinInt64), "-", 1, "!overflow: integer overflow: the result does not fit 64 bits"},
		{int64(math.MinInt64), "//", -1, "!overflow: integer overflow: the result does not fit 64 bits"},
		{int64(math.MinInt64), "%", -1, "0"},
		{int64(math.MaxInt64), "*", 2, "!overflow: integer overflow: the result does not fit 64 bits"},
		{int64(math.MaxInt64), "+", 1.0, "9223372036854776000"},
		{2, "**", 63, "!overflow: integer overflow: the result does not fit 64 bits"}, {-2, "**", 63, "-9223372036854775808"},
		{big70, "-", 1, "!overflow: integer overflow: the result does not fit 64 bits"}, {big70, "//", 1000, "1000000000000000000"},
		{uint64(math.MaxUint64), "-", uint64(math.MaxUint64), "0"},
		{1e308, "*", 10.0, "!overflow: number overflow: the result is too large"},
		{1, "/", 0, "!zerodivision: division by zero with /"}, {1, "//", 0, "!zerodivision: division by zero with //"},
		{1, "%", 0, "!zerodivision: division by zero with %"}, {1.0, "/", 0.0, "!zerodivision: division by zero with /"}, {1.5, "%", 0, "!zerodivision: division by zero with %"},
		{0, "**", -1, "!zerodivision: division by zero: zero cannot be raised to a negative power"},
		{-8, "**", 0.5, "!value: a negative number cannot be raised to a fractional power"},
		{"a", "+", 1, "!type: cannot add string and integer with +"}, {1, "+", "a", "!type: cannot add integer and string with +"},
		{true, "+", 1, "2"}, {nil, "+", 1, "!type: cannot add null and integer with +"},
		{nil, "*", "a", "!type: cannot multiply null and string with *"}, {"a", "*", 1.5, "!type: cannot multiply string and number with *"},
		{"%d", "%", 1, "!type: cannot take the remainder of string and integer with %"},
		{map[string]any{}, "+", map[string]any{}, "!type: cannot add map and map with +"}, {[]any{}, "-", []any{}, "!type: cannot subtract list and list with -"},
		{undefinedVar("x"), "+", 1, "!undefined: `x` is missing"}, {1, "-", undefinedVar("x"), "!undefined: `x` is missing"}, {undefinedVar("x"), "~", "a", "!undefined: `x` is missing"},
	} {
		if got := evaluate(nativeEnv(), c.op, Of(c.a), Of(c.b)); got != c.want {
			t.Errorf("%v %s %v = %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

func TestPythonOperandsOfOurs(t *testing.T) {
	for _, c := range []struct {
		a          any
		op         string
		b          any
		autoescape bool
		want       string
	}{
		{undefinedVar("x"), "+", 1, false, "!undefined: 'x' is undefined"},
		{"a", "+", undefinedVar("x"), false, "!undefined: 'x' is undefined"},
		{undefinedVar("x"), "%", 1, false, "!undefined: 'x' is undefined"},
		{undefinedVar("x"), "~", "a", false, "'a'"},
		{"a", "~", nil, false, "'aNone'"}, {true, "~", 1.5, false, "'True1.5'"}, {"a", "~", []any{1}, false, "'a[1]'"},
		{Safe("<"), "+", ">", false, "Markup('<&gt;')"}, {"<", "+", Safe(">"), false, "Markup('&lt;>')"}, {Safe("<"), "+", Safe(">"), false, "Markup('<>')"},
		{Safe("<"), "*", 2, false, "Markup('<<')"}, {Safe("<"), "+", 1, false, "!type: unsupported operand type(s) for +: 'Markup' and 'int'"},
		{Safe("<"), "~", ">", false, "'<>'"}, {Safe("<"), "~", ">", true, "Markup('<&gt;')"}, {"<", "~", ">", true, "'<>'"}, {1, "~", Safe("<"), true, "Markup('1<')"},
		{Safe("<%s>"), "%", "<", false, "Markup('<&lt;>')"}, {Safe("<%s>"), "%", Safe("<"), false, "Markup('<<>')"}, {"<%s>", "%", Safe("<"), false, "'<<>'"},
		{Safe("<%s %d %r>"), "%", tuple("<", 3, "<"), false, "Markup('<&lt; 3 &#39;&lt;&#39;>')"}, {Safe("%(a)s"), "%", dict("a", "&"), false, "Markup('&amp;')"},
		{Safe("x"), "%", 1, false, "!type: not all arguments converted during string formatting"},
		{"%s", "%", undefinedVar("x"), false, "''"}, {"%d", "%", undefinedVar("x"), false, "!undefined: 'x' is undefined"},
		{"%c", "%", 0xd800, false, "!value: %c arg is a surrogate, which UTF-8 text cannot hold"},
		{[]string{"a"}, "+", []any{1}, false, "['a', 1]"}, {[]any{1}, "+", tuple(1), false, `!type: can only concatenate list (not "tuple") to list`},
		{-8, "**", 0.5, false, "(1.7319121124709868e-16+2.8284271247461903j)"},
		{2, "**", 1 << 20, false, "!limit: an integer would be longer than the limit of 4300 digits"},
	} {
		e := pythonEnv()
		e.Autoescape = c.autoescape
		if got := evaluate(e, c.op, Of(c.a), Of(c.b)); got != c.want {
			t.Errorf("%v %s %v = %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

// TestCharacterFormat takes the code points that UTF-8 text can hold, unlike
// Python, whose strings hold halves of surrogate pairs too.
func TestCharacterFormat(t *testing.T) {
	for n, want := range map[int]string{65: "'A'", 0xd7ff: "'\\ud7ff'", 0xd800: "!value", 0xdfff: "!value", 0xe000: "'\\ue000'",
		0x10ffff: "'\\U0010ffff'", 0x110000: "!overflow", -1: "!overflow"} {
		if got, _, _ := strings.Cut(evaluate(pythonEnv(), "%", String("%c"), Int(int64(n))), ":"); got != want {
			t.Errorf("%%c of %#x: %s, want %s", n, got, want)
		}
	}
}

// TestPythonNumbers holds what is no plain number against Python 3.11.
func TestPythonNumbers(t *testing.T) {
	huge := BigInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil))
	for _, c := range []struct {
		a    Value
		op   string
		b    Value
		want string
	}{
		{Int(-4), "**", Float(0.5), "(1.2246467991473532e-16+2j)"}, {Int(-8), "**", Float(1.5), "(-4.156589069930368e-15-22.627416997969522j)"},
		{huge, "/", Int(1), "!overflow: integer division result too large for a float"}, {Int(1), "/", huge, "0.0"}, {huge, "/", huge, "1.0"},
		{Int(1), "/", BigInt(new(big.Int).Neg(huge.ref.(*big.Int))), "-0.0"},
		{String("%99999999999d"), "%", Int(1), "!value"}, {String("%.99999999999d"), "%", Int(1), "!value"},
	} {
		got := evaluate(pythonEnv(), c.op, c.a, c.b)
		if c.want == "!value" {
			got, _, _ = strings.Cut(got, ":")
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.op, got, c.want)
		}
	}
	limits := DefaultLimits()
	limits.Memory = 1000
	_, err := NewEnv(&Dialect{Python: true}, limits).Binary(code.BinAdd, ListOf(make([]Value, 100)), ListOf(make([]Value, 100)))
	wantLimit(t, "joining lists", err)
}

func TestUnary(t *testing.T) {
	minInt := Int(math.MinInt64)
	for _, c := range []struct {
		v              any
		python, native string
	}{
		{3, "-3", "-3"}, {-2.5, "2.5", "2.5"}, {0.0, "-0.0", "-0"}, {true, "-1", "-1"},
		{minInt, "9223372036854775808", "!overflow: integer overflow: the result does not fit 64 bits"},
		{"a", "!type: bad operand type for unary -: 'str'", "!type: cannot put - before string"},
		{nil, "!type: bad operand type for unary -: 'NoneType'", "!type: cannot put - before null"},
		{undefinedVar("x"), "!undefined: 'x' is undefined", "!undefined: `x` is missing"},
	} {
		for _, e := range []*Env{pythonEnv(), nativeEnv()} {
			want := c.native
			if e.Dialect.Python {
				want = c.python
			}
			v, err := e.Negate(Of(c.v))
			if got := outcome(e, v, err); got != want {
				t.Errorf("%s: -%v = %s, want %s", e.Dialect.Name, c.v, got, want)
			}
		}
	}
	if v, err := pythonEnv().Positive(Bool(true)); outcome(pythonEnv(), v, err) != "1" {
		t.Errorf("+True = %v, %v", v, err)
	}
	if _, err := pythonEnv().Positive(String("a")); err == nil || err.Error() != "bad operand type for unary +: 'str'" {
		t.Errorf("+'a': %v", err)
	}
}

// What would take gigabytes or hours meets a limit, at once.
func TestArithmeticBombs(t *testing.T) {
	e := pythonEnv()
	huge, err := e.Binary(code.BinPow, Int(10), Int(4000))
	if err != nil {
		t.Fatal(err)
	}
	half := String(strings.Repeat("x", 1<<20))
	for _, c := range []struct {
		a  any
		op string
		b  any
	}{
		{9, "**", 387420489}, {huge, "**", huge}, {huge, "*", huge}, {huge, "**", 2}, {2, "**", huge}, {-2, "**", huge},
		{"x", "*", int64(1) << 40}, {"AAAAAAAA", "*", int64(2305843009213693952)}, {"x", "*", huge}, {list(1), "*", 1_000_000_000},
		{"%2000000000d", "%", 1}, {"%.2000000000f", "%", 1.5}, {"%*d", "%", tuple(2_000_000_000, 1)}, {half, "*", 100},
		{Of(new(big.Int).Lsh(big.NewInt(1), 30_000_000)), "+", 1}, {Of(new(big.Int).Lsh(big.NewInt(1), 30_000_000)), "/", 3},
		{"%d", "%", Of(new(big.Int).Lsh(big.NewInt(1), 30_000_000))},
	} {
		var before, after runtime.MemStats
		steps, memory := e.steps, e.memory
		runtime.ReadMemStats(&before)
		_, err := e.Binary(symbols[c.op], Of(c.a), Of(c.b))
		runtime.ReadMemStats(&after)
		wantLimit(t, c.op, err)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 16<<20 {
			t.Errorf("%v %s: %d bytes are allocated before it fails", Of(c.a).Kind(), c.op, bytes)
		}
		if steps-e.steps > 1_000_000 {
			t.Errorf("%v %s: %d steps are taken before it fails", Of(c.a).Kind(), c.op, steps-e.steps)
		}
		e.steps, e.memory, e.stopped = steps, memory, false
	}
	for _, empty := range []any{"", list(), tuple()} {
		if v, err := e.Binary(code.BinMul, Of(empty), huge); err != nil {
			t.Errorf("empty sequence times a huge number: %v, %v", v, err)
		}
	}
	// Doubling again and again ends at the memory limit.
	s := String("xxxxxxxx")
	for i := 0; err == nil; i++ {
		if i > 40 {
			t.Fatal("no limit on doubling")
		}
		s, err = e.Binary(code.BinConcat, s, s)
	}
	wantLimit(t, "doubling", err)
}

// Errors name types, never values.
func TestArithmeticErrorsHoldNoValues(t *testing.T) {
	const canary = "CANARY"
	values := []Value{String(canary), list(canary), dict(canary, canary), Int(987654321), String("%(" + canary + ")s"), String("%" + canary)}
	for _, e := range []*Env{pythonEnv(), nativeEnv()} {
		for op := code.BinAdd; op <= code.BinConcat; op++ {
			for _, a := range values {
				for _, b := range append(values, Null, dict()) {
					_, err := e.Binary(op, a, b)
					if err != nil && (strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), "987654321")) {
						t.Errorf("%v", err)
					}
				}
			}
		}
	}
}
