package numfmt

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// The wanted texts are those of CPython 3.11.
func TestAppendFloat(t *testing.T) {
	negZero := math.Copysign(0, -1)
	for _, c := range []struct {
		f     float64
		code  byte
		prec  int
		flags Flags
		want  string
	}{
		{2e+100, 'G', 30, Alt | DotZero, "2.00000000000000003180578221952E+100"},
		{1e+17, 'e', 1, 0, "1.0e+17"},
		{123456789.0, 'f', 6, 0, "123456789.000000"},
		{0.0001, 'F', 1, 0, "0.0"},
		{math.Inf(-1), 'g', 6, 0, "-inf"},
		{123456789.0, 'f', 0, 0, "123456789"},
		{math.Inf(1), 'e', 1, 0, "inf"},
		{2.5, 'F', 6, Alt, "2.500000"},
		{negZero, 'e', 1, 0, "-0.0e+00"},
		{1.7976931348623157e+308, 'g', 17, Alt | DotZero, "1.7976931348623157e+308"},
		{100.0, 'g', 6, DotZero, "100.0"},
		{9999999999999998.0, 'G', 1, 0, "1E+16"},
		{-1e-07, 'G', 6, DotZero, "-1E-07"},
		{negZero, 'G', 2, 0, "-0"},
		{123456.0, 'E', 1, 0, "1.2E+05"},
		{-1.5, 'G', 30, Alt | DotZero, "-1.50000000000000000000000000000"},
		{9.9e-05, 'f', 0, 0, "0"},
		{1.7976931348623157e+308, 'E', 2, Alt, "1.80E+308"},
		{9999999999999998.0, 'F', 5, Alt, "9999999999999998.00000"},
		{9.9e-05, 'g', 17, Alt | DotZero, "9.8999999999999994e-05"},
		{99.95, 'f', 6, Alt, "99.950000"},
		{-1.5, 'E', 6, Alt, "-1.500000E+00"},
		{0.3333333333333333, 'g', 0, DotZero, "0.3"},
		{9999999999999998.0, 'G', 1, Alt, "1.E+16"},
		{0.0, 'g', 30, Alt, "0.00000000000000000000000000000"},
		{math.NaN(), 'G', 1, DotZero, "NAN"},
		{1e+16, 'F', 0, Alt, "10000000000000000."},
		{1e-05, 'g', 6, Alt | DotZero, "1.00000e-05"},
		{1e+17, 'G', 5, 0, "1E+17"},
		{1000000000000000.0, 'g', 17, Alt, "1000000000000000.0"},
		{100.0, 'e', 2, 0, "1.00e+02"},
		{9.9e-05, 'F', 30, Alt, "0.000098999999999999994037755413"},
		{123456.0, 'E', 30, Alt, "1.234560000000000000000000000000E+05"},
		{123456789.0, 'G', 6, 0, "1.23457E+08"},
		{1.0, 'E', 1, 0, "1.0E+00"},
		{0.1, 'G', 6, 0, "0.1"},
		{2e+100, 'G', 1, Alt | DotZero, "2.E+100"},
		{2e+100, 'G', 1, Alt, "2.E+100"},
		{5e-324, 'F', 6, 0, "0.000000"},
		{0.1, 'g', 30, DotZero, "0.100000000000000005551115123126"},
		{0.1, 'F', 1, Alt, "0.1"},
		{0.0, 'e', 5, Alt, "0.00000e+00"},
		{0.0, 'f', 5, Alt, "0.00000"},
		{1e+16, 'g', 6, Alt, "1.00000e+16"},
		{100.0, 'g', 2, 0, "1e+02"},
		{1e+16, 'E', 17, 0, "1.00000000000000000E+16"},
		{123456.0, 'G', 2, Alt | DotZero, "1.2E+05"},
		{123456.0, 'G', 5, Alt, "1.2346E+05"},
		{1e+21, 'f', 17, 0, "1000000000000000000000.00000000000000000"},
		{1e+22, 'e', 6, 0, "1.000000e+22"},
		{1e+16, 'e', 1, 0, "1.0e+16"},
		{99.95, 'e', 2, 0, "1.00e+02"},
		{math.Inf(1), 'G', 17, 0, "INF"},
		{-1e-07, 'e', 17, 0, "-9.99999999999999955e-08"},
		{1e+16, 'f', 30, 0, "10000000000000000.000000000000000000000000000000"},
		{1000000000000000.0, 'g', 17, 0, "1000000000000000"},
		{1000000000000000.0, 'G', 17, DotZero, "1000000000000000.0"},
		{9.9e-05, 'E', 0, Alt, "1.E-04"},
		{1e+21, 'E', 1, Alt, "1.0E+21"},
		{0.0, 'G', 0, 0, "0"},
		{0.0001, 'F', 30, Alt, "0.000100000000000000004792173602"},
		{1e-05, 'F', 0, Alt, "0."},
		{123456.0, 'f', 1, 0, "123456.0"},
		{1e+17, 'g', 2, 0, "1e+17"},
		{1.0, 'g', 1, DotZero, "1e+00"},
		{1e+22, 'F', 6, Alt, "10000000000000000000000.000000"},
		{1e+21, 'F', 0, 0, "1000000000000000000000"},
		{2e+100, 'g', 1, DotZero, "2e+100"},
		{0.3333333333333333, 'F', 5, 0, "0.33333"},
		{0.0, 'e', 30, Alt, "0.000000000000000000000000000000e+00"},
		{2e+100, 'e', 2, Alt, "2.00e+100"},
		{math.Inf(-1), 'G', 30, DotZero, "-INF"},
		{1e+22, 'G', 17, 0, "1E+22"},
		{1.0, 'g', 2, DotZero, "1.0"},
		{1e+21, 'G', 17, Alt, "1.0000000000000000E+21"},
		{0.0001, 'E', 1, Alt, "1.0E-04"},
		{1e+21, 'G', 1, Alt, "1.E+21"},
		{1.7976931348623157e+308, 'G', 30, Alt, "1.79769313486231570814527423732E+308"},
		{math.Inf(-1), 'E', 6, 0, "-INF"},
		{1e+22, 'f', 1, Alt, "10000000000000000000000.0"},
		{1000000000000000.0, 'E', 0, 0, "1E+15"},
		{1.7976931348623157e+308, 'G', 30, Alt | DotZero, "1.79769313486231570814527423732E+308"},
		{1.7976931348623157e+308, 'F', 2, Alt, "179769313486231570814527423731704356798070567525844996598917476803157260780028538760589558632766878171540458953514382464234321326889464182768467546703537516986049910576551282076245490090389328944075868508455133942304583236903222948165808559332123348274797826204144723168738177180919299881250404026184124858368.00"},
		{math.Inf(-1), 'G', 5, DotZero, "-INF"},
		{1000000000000000.0, 'f', 17, Alt, "1000000000000000.00000000000000000"},
		{1.0, 'e', 0, Alt, "1.e+00"},
		{1e+17, 'e', 2, Alt, "1.00e+17"},
		{0.0, 'G', 1, Alt, "0."},
		{123456789.0, 'g', 30, Alt | DotZero, "123456789.000000000000000000000"},
		{0.0001, 'E', 30, 0, "1.000000000000000047921736023859E-04"},
		{1e-05, 'g', 0, Alt | DotZero, "1.e-05"},
		{0.0, 'F', 0, 0, "0"},
		{99.95, 'g', 6, 0, "99.95"},
		{100.0, 'G', 1, DotZero, "1E+02"},
		{1e-05, 'G', 0, Alt | DotZero, "1.E-05"},
		{0.0001, 'G', 6, Alt | DotZero, "0.000100000"},
		{9.9e-05, 'g', 1, Alt, "0.0001"},
		{0.3333333333333333, 'g', 17, Alt, "0.33333333333333331"},
		{0.0, 'g', 2, Alt, "0.0"},
		{5e-324, 'G', 30, DotZero, "4.94065645841246544176568792868E-324"},
		{negZero, 'F', 0, Alt, "-0."},
		{1000000000000000.0, 'g', 6, Alt, "1.00000e+15"},
		{-1e-07, 'e', 1, 0, "-1.0e-07"},
		{1000000000000000.0, 'G', 17, 0, "1000000000000000"},
		{0.1, 'f', 6, Alt, "0.100000"},
		{123456789.0, 'F', 2, Alt, "123456789.00"},
		{9999999999999998.0, 'F', 2, Alt, "9999999999999998.00"},
		{1.7976931348623157e+308, 'g', 2, Alt, "1.8e+308"},
		{0.0001, 'f', 2, 0, "0.00"},
		{2.5, 'e', 17, Alt, "2.50000000000000000e+00"},
		{7, 'r', 0, Alt, "7."},
		{7, 'r', 0, 0, "7"},
		{1e16, 'r', 0, Alt | DotZero, "1.e+16"},
	} {
		if got := string(AppendFloat([]byte("<"), c.f, c.code, c.prec, c.flags)); got != "<"+c.want {
			t.Errorf("%g as %c with %d places and flags %d is %s, not %s", c.f, c.code, c.prec, c.flags, got[1:], c.want)
		}
	}
}

// Python's repr of any float reads back as the same float, and so does the
// shortest form.
func TestReadsBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		f := math.Float64frombits(r.Uint64())
		if r.IntN(2) == 0 {
			f = math.Round(r.NormFloat64()*1e6) / 100
		}
		if math.IsNaN(f) {
			continue
		}
		for _, text := range []string{string(AppendShortest(nil, f)), string(AppendFloat(nil, f, 'r', 0, DotZero))} {
			if back, err := strconv.ParseFloat(text, 64); err != nil || back != f {
				t.Fatalf("%b prints as %s, which reads as %b (%v)", f, text, back, err)
			}
		}
	}
}

// Whole floats print as the general way prints them.
func TestWholeFloats(t *testing.T) {
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1, 7, 1e14, 1e15 - 1, -1e15 + 1, 1e15, -1e15, 1e15 + 2, 1 << 53, 1e20, 0.5, -0.5, 1e-300, math.MaxFloat64} {
		want := strconv.FormatFloat(f, 'f', -1, 64)
		if math.Abs(f) >= 1e21 {
			want = strconv.FormatFloat(f, 'e', -1, 64)
		}
		if got := string(AppendShortest(nil, f)); got != want {
			t.Errorf("%s prints as %s", want, got)
		}
	}
}

// The bounds that callers charge hold, also where the precision is large.
func TestSizes(t *testing.T) {
	for _, f := range []float64{0, -1, 0.1, -5e-324, 5e-324, -math.MaxFloat64, 1e21, -123456.5, math.Inf(-1), math.NaN()} {
		for _, prec := range []int{0, 1, 6, 17, 400, 1100, 1101, 5000} {
			for _, code := range []byte("efgrEFG") {
				for flags := range Flags(4) {
					got := AppendFloat(nil, f, code, prec, flags)
					if bound := FloatSize(code, prec); len(got) > bound {
						t.Errorf("%g as %c with %d places and flags %d has %d bytes, more than %d", f, code, prec, flags, len(got), bound)
					}
				}
			}
		}
	}
	if got := FloatSize('f', math.MaxInt); got != math.MaxInt {
		t.Errorf("the bound of a huge precision overflows: %d", got)
	}
	for _, bits := range []uint{0, 1, 2, 3, 4, 9, 10, 63, 64, 65, 200, 1000} {
		i := new(big.Int).Lsh(big.NewInt(1), bits)
		i.Neg(i.Sub(i, big.NewInt(1)))
		for _, code := range []byte("dboxX") {
			if got := AppendInt(nil, i, code); len(got) > IntSize(i.BitLen(), code) {
				t.Errorf("%d bits as %c have %d bytes, more than %d", i.BitLen(), code, len(got), IntSize(i.BitLen(), code))
			}
		}
	}
}

func TestAppendInt(t *testing.T) {
	for _, c := range []struct {
		i      int64
		code   byte
		prefix string
		want   string
	}{
		{0, 'd', "", "0"}, {-255, 'd', "", "-255"}, {255, 'b', "0b", "11111111"},
		{255, 'o', "0o", "377"}, {-255, 'x', "0x", "-ff"}, {48879, 'X', "0X", "BEEF"}, {7, 'n', "", "7"},
	} {
		_, prefix := Radix(c.code)
		if got := string(AppendInt(nil, big.NewInt(c.i), c.code)); got != c.want || prefix != c.prefix {
			t.Errorf("%d as %c is %q and %q, not %q and %q", c.i, c.code, prefix, got, c.prefix, c.want)
		}
	}
}

// Group writes what counting from the right writes, with the least number of
// leading zeros that fills the width.
func TestGroup(t *testing.T) {
	for _, rest := range []string{"", ".5", "e+22"} {
		for _, size := range []int{3, 4} {
			for digits := 0; digits < 12; digits++ {
				for width := range 20 {
					number := "123456789012"[:digits]
					want := ""
					for n := number; digits > 0; n = "0" + n {
						want = grouped(n, size) + rest
						if len(want) >= width {
							break
						}
					}
					if digits == 0 {
						want = rest
					}
					if got := string(Group([]byte("-"+number+rest), 1, digits, ',', size, width)); got != "-"+want {
						t.Errorf("%q in groups of %d and width %d is %q, not %q", number+rest, size, width, got, "-"+want)
					}
				}
			}
		}
	}
	if got := string(Group([]byte("0xbeef"), 2, 4, '_', 3, 0)); got != "0xb_eef" {
		t.Errorf("hexadecimal digits in groups of 3 are %q", got)
	}
	if got := string(Group([]byte("inf"), 0, 0, ',', 3, 9)); got != "inf" {
		t.Errorf("what is no number is grouped: %q", got)
	}
}

func grouped(digits string, size int) string {
	var parts []string
	for len(digits) > size {
		parts = append([]string{digits[len(digits)-size:]}, parts...)
		digits = digits[:len(digits)-size]
	}
	return strings.Join(append([]string{digits}, parts...), ",")
}

func TestPad(t *testing.T) {
	for _, c := range []struct {
		field Field
		text  string
		sign  int
		want  string
	}{
		{Field{Width: 6, Fill: ' ', Align: '<'}, "-12", 1, "-12   "},
		{Field{Width: 6, Fill: ' ', Align: '>'}, "-12", 1, "   -12"},
		{Field{Width: 6, Fill: '0', Align: '='}, "-12", 1, "-00012"},
		{Field{Width: 8, Fill: '_', Align: '='}, "-0x12", 3, "-0x___12"},
		{Field{Width: 6, Fill: '*', Align: '^'}, "-12", 1, "*-12**"},
		{Field{Width: 6, Fill: 'é', Align: '^'}, "日本", 0, "éé日本éé"},
		{Field{Width: 3, Fill: '*', Align: '<'}, "日本語", 0, "日本語"},
		{Field{Width: -4, Fill: '*', Align: '<'}, "", 0, ""},
		{Field{Fill: '*', Align: '>'}, "x", 0, "x"},
	} {
		got := string(c.field.Pad([]byte("é"+c.text), len("é"), len("é")+c.sign))
		if got != "é"+c.want {
			t.Errorf("%q in %+v is %q, not %q", c.text, c.field, got, c.want)
		}
	}
}
