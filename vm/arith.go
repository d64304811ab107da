package vm

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/pcc-lang/pcc/internal/code"
)

// opNames are the operators as error texts write them.
var opNames = [...]string{code.BinAdd: "+", code.BinSub: "-", code.BinMul: "*", code.BinDiv: "/", code.BinFloorDiv: "//",
	code.BinMod: "%", code.BinPow: "** or pow()", code.BinConcat: "~"}

// opVerbs say what an operator does, for native error texts.
var opVerbs = [...]string{code.BinAdd: "add", code.BinSub: "subtract", code.BinMul: "multiply", code.BinDiv: "divide",
	code.BinFloorDiv: "divide", code.BinMod: "take the remainder of", code.BinPow: "raise", code.BinConcat: "join"}

// Binary applies an arithmetic operator. Python's rules are those of the
// Python language reference; native ones differ in that results do not leave
// int64 or the finite floats. Booleans count as 0 and 1 in all: natively they
// do so in arithmetic only, where `1 + 1 is odd` needs it.
func (e *Env) Binary(op code.BinaryOp, a, b Value) (Value, error) {
	switch a.ref.(type) {
	case intMark:
		if _, ok := b.ref.(intMark); ok && op != code.BinConcat {
			return e.intBinary(op, int64(a.num), int64(b.num))
		}
	case floatMark:
		if _, ok := b.ref.(floatMark); ok && op != code.BinConcat {
			return e.floatBinary(op, math.Float64frombits(a.num), math.Float64frombits(b.num))
		}
	}
	if op == code.BinConcat {
		return e.concat(a, b)
	}
	a, b = e.canonical(a), e.canonical(b)
	if op == code.BinMod && e.Dialect.PercentFormats() && a.Kind() == KindString {
		return e.printf(a, b)
	}
	if a.IsUndefined() {
		return Value{}, e.undefinedError(a)
	}
	if b.IsUndefined() {
		return Value{}, e.undefinedError(b)
	}
	na, okA := numberOf(a, true)
	nb, okB := numberOf(b, true)
	if okA && okB {
		return e.numBinary(op, na, nb)
	}
	switch op {
	case code.BinAdd:
		if v, done, err := e.addSequences(a, b); done {
			return v, err
		}
	case code.BinMul:
		if v, done, err := e.repeat(a, b, nb, okB); done {
			return v, err
		}
		if v, done, err := e.repeat(b, a, na, okA); done {
			return v, err
		}
	}
	return Value{}, e.errOperands(op, a, b)
}

// errOperands says that op does not go with the types of a and b.
func (e *Env) errOperands(op code.BinaryOp, a, b Value) error {
	ta, tb := e.TypeName(a), e.TypeName(b)
	if e.Dialect.PythonErrors() {
		switch {
		case op == code.BinAdd && isTextLike(a) && !a.IsSafe():
			return &Error{Kind: "type", Msg: `can only concatenate str (not "` + tb + `") to str`}
		case op == code.BinAdd && (ta == "list" || ta == "tuple"):
			return &Error{Kind: "type", Msg: "can only concatenate " + ta + ` (not "` + tb + `") to ` + ta}
		case op == code.BinMul && isRepeatable(a):
			return &Error{Kind: "type", Msg: "can't multiply sequence by non-int of type '" + tb + "'"}
		case op == code.BinMul && isRepeatable(b):
			return &Error{Kind: "type", Msg: "can't multiply sequence by non-int of type '" + ta + "'"}
		}
		return &Error{Kind: "type", Msg: "unsupported operand type(s) for " + opNames[op] + ": '" + ta + "' and '" + tb + "'"}
	}
	err := &Error{Kind: "type", Msg: "cannot " + opVerbs[op] + " " + ta + " and " + tb + " with " + opSymbol(op)}
	switch {
	case a.IsNull() || b.IsNull():
		err.Help = "give the null value a default: (x | default(0))"
	case op == code.BinAdd && (isTextLike(a) || isTextLike(b)):
		err.Help = "join values as text with ~, or turn text into a number with the filter int"
	case op == code.BinMod && isTextLike(a):
		err.Help = "use the filter format to fill in text"
	}
	return err
}

func opSymbol(op code.BinaryOp) string {
	if op == code.BinPow {
		return "**"
	}
	return opNames[op]
}

func isTextLike(v Value) bool { return v.Kind() == KindString }

func isRepeatable(v Value) bool {
	switch v.Kind() {
	case KindString, KindList, KindTuple, KindBytes:
		return true
	}
	return false
}

func (e *Env) numBinary(op code.BinaryOp, a, b number) (Value, error) {
	if a.kind == numInt && b.kind == numInt {
		return e.intBinary(op, a.i, b.i)
	}
	if a.kind != numFloat && b.kind != numFloat {
		return e.bigBinary(op, a.big(), b.big())
	}
	fa, okA := a.float()
	fb, okB := b.float()
	if !okA || !okB {
		return Value{}, e.fail("overflow", "int too large to convert to float",
			"number overflow: an integer is too large to be calculated with decimals")
	}
	return e.floatBinary(op, fa, fb)
}

func (e *Env) intBinary(op code.BinaryOp, a, b int64) (Value, error) {
	switch op {
	case code.BinAdd:
		if c := a + b; (c > a) == (b > 0) {
			return Int(c), nil
		}
	case code.BinSub:
		if c := a - b; (c < a) == (b > 0) {
			return Int(c), nil
		}
	case code.BinMul:
		hi, lo := bits.Mul64(uint64(a), uint64(b))
		hi -= uint64(a>>63)&uint64(b) + uint64(b>>63)&uint64(a)
		if int64(hi) == int64(lo)>>63 {
			return Int(int64(lo)), nil
		}
	case code.BinDiv:
		return e.divideInts(number{i: a}, number{i: b})
	case code.BinFloorDiv, code.BinMod:
		if b == 0 {
			return Value{}, e.errZero(op)
		}
		if b == -1 {
			if op == code.BinMod {
				return Int(0), nil
			}
			if a != math.MinInt64 {
				return Int(-a), nil
			}
			break
		}
		q, r := a/b, a%b
		if r != 0 && (r < 0) != (b < 0) {
			q, r = q-1, r+b
		}
		if op == code.BinMod {
			return Int(r), nil
		}
		return Int(q), nil
	case code.BinPow:
		return e.powInts(big.NewInt(a), big.NewInt(b))
	}
	return e.bigBinary(op, big.NewInt(a), big.NewInt(b))
}

func (e *Env) errZero(op code.BinaryOp) error {
	python := map[code.BinaryOp]string{code.BinFloorDiv: "integer division or modulo by zero", code.BinMod: "integer modulo by zero"}[op]
	return e.fail("zerodivision", python, "division by zero with "+opSymbol(op))
}

func (e *Env) bigBinary(op code.BinaryOp, a, b *big.Int) (Value, error) {
	switch op {
	case code.BinAdd, code.BinSub:
		if err := e.checkBits(max(a.BitLen(), b.BitLen()) + 1); err != nil {
			return Value{}, err
		}
		if op == code.BinAdd {
			return e.bigResult(new(big.Int).Add(a, b))
		}
		return e.bigResult(new(big.Int).Sub(a, b))
	case code.BinMul:
		if err := e.checkBits(a.BitLen() + b.BitLen() - 1); err != nil {
			return Value{}, err
		}
		return e.bigResult(new(big.Int).Mul(a, b))
	case code.BinDiv:
		return e.divideInts(intNumber(a), intNumber(b))
	case code.BinPow:
		return e.powInts(a, b)
	}
	if b.Sign() == 0 {
		return Value{}, e.errZero(op)
	}
	if err := e.checkBits(max(a.BitLen(), b.BitLen())); err != nil {
		return Value{}, err
	}
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Sign() != 0 && r.Sign() != b.Sign() {
		q.Sub(q, big.NewInt(1))
		r.Add(r, b)
	}
	if op == code.BinMod {
		return e.bigResult(r)
	}
	return e.bigResult(q)
}

// divideInts is true division, correctly rounded whatever the operands' size.
func (e *Env) divideInts(a, b number) (Value, error) {
	if b.isZero() {
		return Value{}, e.fail("zerodivision", "division by zero", "division by zero with /")
	}
	const exact = 1 << 53
	if a.kind == numInt && b.kind == numInt && a.i > -exact && a.i < exact && b.i > -exact && b.i < exact {
		return Float(float64(a.i) / float64(b.i)), nil
	}
	if err := e.checkBits(max(a.big().BitLen(), b.big().BitLen())); err != nil {
		return Value{}, err
	}
	f, _ := new(big.Rat).SetFrac(a.big(), b.big()).Float64()
	if f == 0 && b.big().Sign() < 0 && a.big().Sign() >= 0 {
		f = math.Copysign(0, -1) // as floats have it
	}
	if math.IsInf(f, 0) {
		return Value{}, e.fail("overflow", "integer division result too large for a float",
			"number overflow: the result of the division is too large")
	}
	return Float(f), nil
}

// powInts raises integers; a negative exponent gives a float, as in Python.
func (e *Env) powInts(a, b *big.Int) (Value, error) {
	if b.Sign() < 0 {
		fa, okA := intNumber(a).float()
		fb, okB := intNumber(b).float()
		if !okA || !okB {
			return Value{}, e.fail("overflow", "int too large to convert to float", "number overflow: a power of this size cannot be calculated")
		}
		return e.powFloats(fa, fb)
	}
	if a.IsInt64() && (a.Int64() >= -1 && a.Int64() <= 1 || b.Sign() == 0) {
		switch odd := b.Bit(0) == 1; {
		case b.Sign() == 0, a.Int64() == 1, a.Int64() == -1 && !odd:
			return Int(1), nil
		case a.Int64() == 0:
			return Int(0), nil
		}
		return Int(-1), nil
	}
	// The result has more than (bits of a - 1)·b bits: check before computing.
	if !b.IsInt64() || b.Int64() > int64(e.maxBits()) {
		return Value{}, e.errPower()
	}
	if low := int64(a.BitLen()-1) * b.Int64(); low > int64(e.maxBits()) {
		return Value{}, e.errPower()
	}
	if err := e.checkBits(min(a.BitLen()*int(b.Int64()), e.maxBits())); err != nil {
		return Value{}, err
	}
	return e.bigResult(new(big.Int).Exp(a, b, nil))
}

func (e *Env) errPower() error {
	if e.Dialect.UnboundedInts() {
		return e.errDigits()
	}
	return e.errOverflow()
}

func (e *Env) floatBinary(op code.BinaryOp, a, b float64) (Value, error) {
	switch op {
	case code.BinAdd:
		return e.floatResult(a+b, a, b)
	case code.BinSub:
		return e.floatResult(a-b, a, b)
	case code.BinMul:
		return e.floatResult(a*b, a, b)
	case code.BinDiv:
		if b == 0 {
			return Value{}, e.fail("zerodivision", "float division by zero", "division by zero with /")
		}
		return e.floatResult(a/b, a, b)
	case code.BinFloorDiv:
		if b == 0 {
			return Value{}, e.fail("zerodivision", "float floor division by zero", "division by zero with //")
		}
		q, _ := divmodFloat(a, b)
		return Float(q), nil
	case code.BinMod:
		if b == 0 {
			return Value{}, e.fail("zerodivision", "float modulo", "division by zero with %")
		}
		_, r := divmodFloat(a, b)
		return Float(r), nil
	}
	return e.powFloats(a, b)
}

// divmodFloat is Python's float_divmod: the remainder has the divisor's sign.
func divmodFloat(a, b float64) (q, r float64) {
	r = math.Mod(a, b)
	q = (a - r) / b
	if r != 0 {
		if (b < 0) != (r < 0) {
			r += b
			q--
		}
	} else {
		r = math.Copysign(0, b)
	}
	if q != 0 {
		whole := math.Floor(q)
		if q-whole > 0.5 {
			whole++
		}
		return whole, r
	}
	return math.Copysign(0, a/b), r
}

// Negate is unary minus.
func (e *Env) Negate(v Value) (Value, error) {
	n, ok := numberOf(v, true)
	switch {
	case !ok:
		return Value{}, e.errUnary("-", v)
	case n.kind == numFloat:
		return Float(-n.f), nil
	case n.kind == numInt && n.i != math.MinInt64:
		return Int(-n.i), nil
	}
	return e.bigResult(new(big.Int).Neg(n.big()))
}

// Positive is unary plus.
func (e *Env) Positive(v Value) (Value, error) {
	n, ok := numberOf(v, true)
	if !ok {
		return Value{}, e.errUnary("+", v)
	}
	return n.value(), nil
}

func (e *Env) errUnary(op string, v Value) error {
	if v.IsUndefined() {
		return e.undefinedError(v)
	}
	t := e.TypeName(v)
	return e.fail("type", "bad operand type for unary "+op+": '"+t+"'", "cannot put "+op+" before "+t)
}
