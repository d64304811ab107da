package vm

import "math"

// powFloats is Python's float_pow: C's pow, with errors for zero to a negative
// power and for overflow, and a complex result for a negative base with a
// fractional exponent.
func (e *Env) powFloats(a, b float64) (Value, error) {
	switch {
	case a == 0 && b < 0:
		return Value{}, e.fail("zerodivision", "0.0 cannot be raised to a negative power",
			"division by zero: zero cannot be raised to a negative power")
	case a < 0 && !math.IsInf(a, 0) && !math.IsInf(b, 0) && b != math.Floor(b):
		if e.Python() {
			return complexPower(a, b), nil
		}
		return Value{}, e.fail("value", "", "a negative number cannot be raised to a fractional power")
	}
	f := pow(a, b)
	if math.IsInf(f, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return Value{}, e.fail("overflow", "(34, 'Numerical result out of range')", "number overflow: the power is too large")
	}
	return Float(f), nil
}

func pow(a, b float64) float64 { return math.Pow(a, b) }

// complexNumber is the result of a negative base with a fractional exponent:
// it can be printed and compared for identity, nothing else.
type complexNumber complex128

// TypeName implements Object.
func (complexNumber) TypeName() string { return "complex" }

// Print implements Printer as Python's repr.
func (c complexNumber) Print(_ *Env, dst []byte, _ bool) ([]byte, error) {
	dst = append(dst, '(')
	dst = appendComplexPart(dst, real(c))
	if im := imag(c); !math.Signbit(im) || math.IsNaN(im) {
		dst = append(dst, '+')
	}
	dst = appendComplexPart(dst, imag(c))
	return append(dst, 'j', ')'), nil
}

func appendComplexPart(dst []byte, f float64) []byte {
	n := len(dst)
	dst = appendPythonFloat(dst, f)
	if m := len(dst); m-n > 2 && dst[m-2] == '.' && dst[m-1] == '0' {
		dst = dst[:m-2]
	}
	return dst
}

func complexPower(a, b float64) Value {
	length := pow(math.Hypot(a, 0), b)
	phase := math.Atan2(0, a) * b
	return ObjectOf(complexNumber(complex(length*math.Cos(phase), length*math.Sin(phase))))
}
