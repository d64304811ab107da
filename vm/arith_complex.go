package vm

import (
	"math"
	"math/big"

	"github.com/pcc-lang/pcc/internal/numfmt"
)

// complexNumber is the result of a negative base with a fractional exponent:
// it can be printed, nothing else.
type complexNumber complex128

// TypeName implements Object.
func (complexNumber) TypeName(*Env) string { return "complex" }

// Print implements Printer as Python's repr.
func (c complexNumber) Print(_ *Env, dst []byte, _ bool) ([]byte, error) {
	dst = append(dst, '(')
	dst = numfmt.AppendFloat(dst, real(c), 'r', 0, 0)
	if im := imag(c); !math.Signbit(im) || math.IsNaN(im) {
		dst = append(dst, '+')
	}
	dst = numfmt.AppendFloat(dst, imag(c), 'r', 0, 0)
	return append(dst, 'j', ')'), nil
}

// halfPi is π/2 to more than powBits.
const halfPi = "1.5707963267948966192313216916397514420985846996875529104874722961539082031431044993140174126710585339910740"

// cosSin returns cosine and sine of x, correctly rounded: those of package
// math differ from C's in the last digits. Angles beyond 1e15, where floats
// are more than a quarter turn apart, go to package math.
func cosSin(x float64) (cos, sin float64) {
	if math.Abs(x) > 1e15 {
		return math.Cos(x), math.Sin(x)
	}
	quarter, _, _ := big.ParseFloat(halfPi, 10, powBits, big.ToNearestEven)
	turns := math.Round(x / (math.Pi / 2))
	r := new(big.Float).Sub(bigFloat(x), new(big.Float).Mul(quarter, bigFloat(turns)))
	c, s := bigFloat(0), bigFloat(0)
	term := bigFloat(1)
	for i := range 40 {
		switch i % 4 {
		case 0:
			c.Add(c, term)
		case 1:
			s.Add(s, term)
		case 2:
			c.Sub(c, term)
		case 3:
			s.Sub(s, term)
		}
		term.Mul(term, r)
		term.Quo(term, bigFloat(float64(i+1)))
	}
	cos, _ = c.Float64()
	sin, _ = s.Float64()
	switch int64(turns) & 3 {
	case 1:
		return -sin, cos
	case 2:
		return -cos, -sin
	case 3:
		return sin, -cos
	}
	return cos, sin
}

// complexPower is CPython's c_pow for a real base and exponent.
func complexPower(a, b float64) Value {
	length := pow(math.Abs(a), b)
	cos, sin := cosSin(math.Pi * b)
	return ObjectOf(complexNumber(complex(length*cos, length*sin)))
}
