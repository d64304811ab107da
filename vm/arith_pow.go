package vm

import (
	"math"
	"math/big"
)

// powFloats is Python's float_pow: C's pow, with errors for zero to a negative
// power and for overflow, and a complex result for a negative base with a
// fractional exponent.
func (e *Env) powFloats(a, b float64) (Value, error) {
	switch {
	case a == 0 && b < 0:
		return Value{}, e.fail("zerodivision", "0.0 cannot be raised to a negative power",
			"division by zero: zero cannot be raised to a negative power")
	case a < 0 && !math.IsInf(a, 0) && !math.IsInf(b, 0) && b != math.Floor(b):
		if e.Dialect.UnboundedInts() {
			return complexPower(a, b), nil
		}
		return Value{}, &Error{Kind: "value", Msg: "a negative number cannot be raised to a fractional power"}
	}
	const powSteps = 1000 // some ten microseconds
	if err := e.Step(powSteps); err != nil {
		return Value{}, err
	}
	f := pow(a, b)
	if math.IsInf(f, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return Value{}, e.fail("overflow", "(34, 'Numerical result out of range')", "number overflow: the power is too large")
	}
	return Float(f), nil
}

// powBits is the precision of pow's steps: enough for a result of 53 bits
// after multiplying by exponents as large as those of floats.
const powBits = 192

// ln2 to more than powBits.
const ln2Digits = "0.69314718055994530941723212145817656807550013436025525412068000949339362196969471560586332699641868754200148"

// pow returns a to the power of b, correctly rounded, for an a that is not
// negative unless b is whole. math.Pow is off in the last digits, which would
// show in the shortest decimal form.
func pow(a, b float64) float64 {
	if a == 0 || b == 0 || a == 1 || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsNaN(a) || math.IsNaN(b) {
		return math.Pow(a, b) // special cases of C99
	}
	switch b { // these are correctly rounded as they are
	case 1:
		return a
	case 2:
		return a * a
	case -1:
		return 1 / a
	case 0.5:
		return math.Sqrt(a)
	}
	rough := b * math.Log2(math.Abs(a))
	sign := 1.0
	if a < 0 && math.Mod(b, 2) != 0 {
		sign = -1
	}
	switch {
	case rough > 1025:
		return math.Copysign(math.Inf(1), sign)
	case rough < -1080:
		return math.Copysign(0, sign)
	}
	ln2, _, _ := big.ParseFloat(ln2Digits, 10, powBits, big.ToNearestEven)
	y := bigLog(math.Abs(a), ln2)
	y.Mul(y, bigFloat(b))
	// e**y = 2**n · e**r with |r| ≤ ln2/2.
	n, _ := new(big.Float).Quo(y, ln2).Float64()
	n = math.Round(n)
	r := y.Sub(y, new(big.Float).Mul(ln2, bigFloat(n)))
	f := bigExp(r)
	f.SetMantExp(f, int(n))
	out, _ := f.Float64()
	return math.Copysign(out, sign)
}

func bigFloat(f float64) *big.Float { return new(big.Float).SetPrec(powBits).SetFloat64(f) }

// bigLog is the natural logarithm of a > 0: with a = m·2^k and m near 1,
// k·ln2 + 2·atanh((m-1)/(m+1)).
func bigLog(a float64, ln2 *big.Float) *big.Float {
	frac, exp := math.Frexp(a)
	if frac < math.Sqrt2/2 {
		frac, exp = frac*2, exp-1
	}
	m, one := bigFloat(frac), bigFloat(1)
	t := new(big.Float).Quo(new(big.Float).Sub(m, one), new(big.Float).Add(m, one))
	square := new(big.Float).Mul(t, t)
	sum, power := bigFloat(0), new(big.Float).Copy(t)
	for i := 1; i < 90 && power.Sign() != 0; i += 2 { // each term has 5 bits less
		sum.Add(sum, new(big.Float).Quo(power, bigFloat(float64(i))))
		power.Mul(power, square)
	}
	sum.Add(sum, sum)
	return sum.Add(sum, new(big.Float).Mul(ln2, bigFloat(float64(exp))))
}

// bigExp is e**r for |r| < 0.4: the series for r/2^8, squared eight times.
func bigExp(r *big.Float) *big.Float {
	const halvings = 8
	x := new(big.Float).SetMantExp(r, -halvings)
	sum, term := bigFloat(1), bigFloat(1)
	for i := 1; i < 24; i++ {
		term.Mul(term, x)
		term.Quo(term, bigFloat(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}
