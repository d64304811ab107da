package stdlib

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/pcc-lang/pcc/vm"
)

// Every decimal digit of Unicode reads as the one that stands as far behind the
// zero of its block; nothing else changes.
func TestAsciiDigit(t *testing.T) {
	var block digitBlock
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := r
		if unicode.IsDigit(r) {
			d := rune(0)
			for unicode.IsDigit(r - d - 1) {
				d++
			}
			want = '0' + d%10
		}
		if got := asciiDigit(r); got != want {
			t.Fatalf("%U reads as %q, want %q", r, got, want)
		}
		if got := block.ascii(r); got != want {
			t.Fatalf("%U reads as %q behind others, want %q", r, got, want)
		}
	}
}

// A long number has the value of the same one read as a whole: random ones with
// thousands of digits, zeros, points and exponents in every place, halfway cases,
// and texts that are none.
func TestLongNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "0123456789000000"[r.IntN(16)]
		}
		return string(b)
	}
	env := newEnv(Jinja())
	check := func(s string) {
		t.Helper()
		want, err := strconv.ParseFloat(s, 64)
		valid := err == nil || math.IsInf(want, 0)
		if valid { // strconv misplaces the point behind 800 digits
			exact, _, err := big.ParseFloat(s, 10, 20_000, big.ToNearestEven)
			if err == nil { // the exponent is in reach
				want, _ = exact.Float64()
			}
		}
		short, ok := shortenNumber(env, s)
		got, err := strconv.ParseFloat(short, 64)
		if ok != valid || ok && (err != nil && !math.IsInf(got, 0) || math.Float64bits(got) != math.Float64bits(want)) {
			t.Fatalf("a number of %d bytes, %.40q…%q: %v %v, want %v %v", len(s), s, s[max(0, len(s)-20):], got, ok, want, valid)
		}
	}
	for range 1000 {
		s := []string{"", "-", "+"}[r.IntN(3)] + strings.Repeat("0", r.IntN(2)*r.IntN(3000)) + digits(r.IntN(2000))
		if r.IntN(3) > 0 {
			s += "." + strings.Repeat("0", r.IntN(2)*r.IntN(400)) + digits(r.IntN(2000))
		}
		if r.IntN(2) == 0 {
			s += []string{"e", "E"}[r.IntN(2)] + []string{"", "+", "-"}[r.IntN(3)] + strconv.Itoa(r.IntN(2500))
		}
		check(s)
		if r.IntN(4) == 0 && s != "" {
			at := r.IntN(len(s))
			check(s[:at] + []string{".", "e", "-", "+", "x", " "}[r.IntN(6)] + s[at:])
		}
	}
	// Halfway between two floats, exactly or but for the last of many digits.
	half := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 1075)).FloatString(1075)
	for _, tail := range []string{"", "0", strings.Repeat("0", 5000), strings.Repeat("0", 5000) + "1"} {
		check(half + tail)
		check("9007199254740993." + tail)
		check("9007199254740993" + strings.Repeat("0", 900) + "." + tail)
	}
	for _, s := range []string{"1__0", "_1", "1_", "1_.0", "1._0", "1e_5", "1e5_", "e5", ".", "-", "", "1e", "1e+", "1.2.3", "1e5e5", "1e5.0", "1-2", "inf1", "٣x"} {
		if _, ok := shortenNumber(env, strings.ReplaceAll(s, "1", strings.Repeat("1", 5000))); ok {
			t.Errorf("%q of long digits counts as a number", s)
		}
	}
	for s, want := range map[string]float64{"1_0.5_0e1_0": 10.5e10, "٣.٥": 3.5, "𝟗e२": 900} {
		short, _ := shortenNumber(env, s)
		if got, err := strconv.ParseFloat(short, 64); err != nil || got != want {
			t.Errorf("%q reads as %v, want %v", s, got, want)
		}
	}
	for name, v := range map[string]string{"int": "fallback", "float": "inf", "filesizeformat": ""} {
		got, err := env.CallBuiltin(env.Dialect.Filters[name], []vm.Value{vm.String(strings.Repeat("٩", 100_000)), vm.String("fallback")}, nil)
		if s, _ := env.Str(got); v != "" && s != v || err != nil && v != "" {
			t.Errorf("%s of 100,000 digits gives %q, want %q: %v", name, s, v, err)
		}
	}
}
