package vm

import (
	"math"
	"math/big"
)

// number is a numeric operand: an int64, an integer beyond it, or a float.
type number struct {
	kind numKind
	i    int64
	b    *big.Int // kind numBig only; never fits int64
	f    float64
}

type numKind uint8

const (
	numInt numKind = iota
	numBig
	numFloat
)

// numberOf returns the number that v is; bools counts booleans as integers.
func numberOf(v Value, bools bool) (number, bool) {
	switch x := v.ref.(type) {
	case intMark:
		return number{kind: numInt, i: int64(v.num)}, true
	case floatMark:
		return number{kind: numFloat, f: math.Float64frombits(v.num)}, true
	case boolMark:
		return number{kind: numInt, i: int64(v.num)}, bools
	case int:
		return number{kind: numInt, i: int64(x)}, true
	case int64:
		return number{kind: numInt, i: x}, true
	case float64:
		return number{kind: numFloat, f: x}, true
	case nil, strPtr, safePtr, []any, map[string]any, *List, *Map, *Undefined, *Tuple:
		return number{}, false
	}
	c := canonical(v)
	switch x := c.ref.(type) {
	case intMark, floatMark, boolMark:
		return numberOf(c, bools)
	case *big.Int:
		return number{kind: numBig, b: x}, true
	}
	return number{}, false
}

func intNumber(b *big.Int) number {
	if b.IsInt64() {
		return number{kind: numInt, i: b.Int64()}
	}
	return number{kind: numBig, b: b}
}

// big returns an integer as a *big.Int, which must not be changed.
func (n number) big() *big.Int {
	if n.kind == numBig {
		return n.b
	}
	return big.NewInt(n.i)
}

// float returns the nearest float64; ok is false where an integer is beyond
// the range of floats.
func (n number) float() (f float64, ok bool) {
	switch n.kind {
	case numInt:
		return float64(n.i), true
	case numFloat:
		return n.f, true
	}
	f, _ = n.b.Float64()
	return f, !math.IsInf(f, 0)
}

func (n number) isZero() bool {
	return n.kind == numInt && n.i == 0 || n.kind == numFloat && n.f == 0
}

func (n number) isNaN() bool { return n.kind == numFloat && math.IsNaN(n.f) }

func (n number) value() Value {
	switch n.kind {
	case numInt:
		return Int(n.i)
	case numFloat:
		return Float(n.f)
	}
	return BigInt(n.b)
}

// compare orders two numbers exactly, integers and floats alike; ok is false
// where one is NaN.
func (n number) compare(m number) (c int, ok bool) {
	switch {
	case n.kind == numInt && m.kind == numInt:
		return compareOrdered(n.i, m.i), true
	case n.kind == numFloat && m.kind == numFloat:
		if n.isNaN() || m.isNaN() {
			return 0, false
		}
		return compareOrdered(n.f, m.f), true
	case m.kind == numFloat:
		return n.compareFloat(m.f)
	case n.kind == numFloat:
		c, ok := m.compareFloat(n.f)
		return -c, ok
	}
	return n.big().Cmp(m.big()), true
}

func compareOrdered[T int64 | float64 | int](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareFloat orders the integer n and f without rounding n.
func (n number) compareFloat(f float64) (int, bool) {
	switch {
	case math.IsNaN(f):
		return 0, false
	case math.IsInf(f, 1):
		return -1, true
	case math.IsInf(f, -1):
		return 1, true
	}
	whole := math.Floor(f)
	var c int
	if n.kind == numInt && whole >= -1<<63 && whole < 1<<63 {
		c = compareOrdered(n.i, int64(whole))
	} else {
		b, _ := new(big.Float).SetFloat64(whole).Int(nil)
		c = n.big().Cmp(b)
	}
	if c == 0 && whole < f {
		return -1, true
	}
	return c, true
}

// bitsPerDigit is log2(10), rounded up: an integer of d digits has at most
// d·bitsPerDigit bits.
const bitsPerDigit = 3.3219280948873627

// maxBits is Limits.NumberDigits in bits.
func (e *Env) maxBits() int { return int(float64(e.limits.NumberDigits)*bitsPerDigit) + 1 }

// checkBits fails before an integer of so many bits is computed, and pays for
// it: multiplying, dividing and printing take time quadratic in the length.
func (e *Env) checkBits(bits int) error {
	if bits > e.maxBits() {
		return e.errDigits()
	}
	if err := e.Charge(bits / 8); err != nil || bits <= 128 {
		return err
	}
	return e.Step(bits / 8)
}

// bigResult returns an integer that arithmetic made. Native arithmetic does
// not leave int64.
func (e *Env) bigResult(b *big.Int) (Value, error) {
	if b.IsInt64() {
		return Int(b.Int64()), nil
	}
	if !e.Dialect.UnboundedInts() {
		return Value{}, e.errOverflow()
	}
	if b.BitLen() > e.maxBits() {
		return Value{}, e.errDigits()
	}
	return BigInt(b), e.Hold(bigSize)
}

func (e *Env) errOverflow() error {
	return &Error{Kind: "overflow", Msg: "integer overflow: the result does not fit 64 bits",
		Help: "write one operand as a decimal number, such as 1.0, to calculate with decimals"}
}

// floatResult returns a float that arithmetic made of a and b. In native
// dialects overflow to infinity is an error, as it is for integers.
func (e *Env) floatResult(f, a, b float64) (Value, error) {
	if math.IsInf(f, 0) && !e.Dialect.UnboundedInts() && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return Value{}, &Error{Kind: "overflow", Msg: "number overflow: the result is too large"}
	}
	return Float(f), nil
}
