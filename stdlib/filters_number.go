package stdlib

import (
	"math"
	"math/big"
	"strconv"

	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/internal/numfmt"
	"github.com/pcc-lang/pcc/vm"
)

// numberFilters are Jinja's filters on numbers.
var numberFilters = []spec{
	{"abs", "x", "Gives the absolute value of a number.", absFilter, positional},
	{"filesizeformat", "value, binary=false", "Writes a number of bytes as 13 kB, 4.1 MB, or in binary units as 1.0 KiB.", filesizeFilter, 0},
	{"float", "value, default=0.0", "Converts to a floating-point number; what cannot be converted gives the default.", floatFilter, 0},
	{"int", "value, default=0, base=10", "Converts to an integer, reading text in the given base; what cannot be converted gives the default.", intFilter, 0},
	{"round", "value, precision=0, method='common'", "Rounds to a number of decimal places: half to even, or always up or down with 'ceil' or 'floor'.", roundFilter, 0},
}

func absFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	i, f, isInt, ok := numberValue(env, args[0])
	switch {
	case !ok:
		if err := refuseNative(env, args[0]); err != nil {
			return vm.Null, err
		}
		if env.Dialect.PythonErrors() {
			return vm.Null, env.Errorf("type", "bad operand type for abs(): '%s'", env.TypeName(args[0]))
		}
		return vm.Null, env.Errorf("type", "abs needs a number, not %s", env.TypeName(args[0]))
	case isInt:
		return vm.BigInt(new(big.Int).Abs(i)), nil
	}
	return vm.Float(math.Abs(f)), nil
}

func intFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v, fallback := args[0], args[1]
	if s, ok := v.Str(); ok {
		if base, err := intArg(env, args[2], "base"); err == nil {
			if i, ok := parseInt(env, s, base); ok {
				return vm.BigInt(i), nil
			}
		}
		if f, ok := parseFloat(env, s); ok {
			if i, ok := truncateFloat(f); ok {
				return vm.BigInt(i), nil
			}
		}
		return fallback, nil
	}
	if i, ok := v.Int64(); ok {
		return vm.Int(i), nil
	}
	if f, ok := v.Float64(); ok && math.Abs(f) < 1<<53 {
		return vm.Int(int64(f)), nil
	}
	i, f, isInt, ok := numberValue(env, v)
	switch {
	case !ok:
		if env.Dialect.PythonErrors() {
			if err := refuseUndefined(env, v); err != nil {
				return vm.Null, err
			}
		}
		return fallback, nil
	case isInt:
		return vm.BigInt(i), nil
	case math.IsInf(f, 0):
		return vm.Null, env.Errorf("overflow", "cannot convert float infinity to integer")
	}
	if i, ok := truncateFloat(f); ok {
		return vm.BigInt(i), nil
	}
	return fallback, nil
}

// truncateFloat cuts off the fraction; ok is false for NaN and infinities.
func truncateFloat(f float64) (*big.Int, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false
	}
	i, _ := big.NewFloat(f).Int(nil)
	return i, true
}

func floatFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v := args[0]
	if s, ok := v.Str(); ok {
		if f, ok := parseFloat(env, s); ok {
			return vm.Float(f), nil
		}
		return args[1], nil
	}
	if _, _, _, ok := numberValue(env, v); !ok {
		if env.Dialect.PythonErrors() {
			if err := refuseUndefined(env, v); err != nil {
				return vm.Null, err
			}
		}
		return args[1], nil
	}
	f, err := floatArg(env, v, "value")
	return vm.Float(f), err
}

func roundFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	method, _ := args[2].Str()
	if method != "common" && method != "ceil" && method != "floor" {
		return vm.Null, env.Errorf("runtime", "method must be common, ceil or floor")
	}
	i, f, isInt, ok := numberValue(env, args[0])
	if !ok {
		if err := refuseUndefined(env, args[0]); err != nil && (method != "common" || !env.Dialect.PythonErrors()) {
			return vm.Null, err
		}
		if env.Dialect.PythonErrors() {
			return vm.Null, env.Errorf("type", "type %s doesn't define __round__ method", env.TypeName(args[0]))
		}
		return vm.Null, env.Errorf("type", "round needs a number, not %s", env.TypeName(args[0]))
	}
	if method != "common" {
		return roundTowards(env, args[0], args[1], method == "ceil")
	}
	if args[1].IsNull() {
		if isInt {
			return vm.BigInt(i), nil
		}
		return wholeFloat(env, math.RoundToEven(f))
	}
	digits, err := intArg(env, args[1], "precision")
	if err != nil {
		return vm.Null, err
	}
	if isInt {
		if digits >= 0 {
			return vm.BigInt(i), nil
		}
		if -digits > i.BitLen()/3+1 { // more zeros than it has digits
			return vm.Int(0), nil
		}
		return roundInt(env, i, -digits)
	}
	// What is beyond the digits of a float is worked out at length.
	if err := env.Step(min(max(digits, -digits), 350) / 16); err != nil {
		return vm.Null, err
	}
	return vm.Float(roundFloat(f, digits)), nil
}

// roundTowards is Jinja's rounding up or down: scaled, cut, scaled back.
func roundTowards(env *vm.Env, v, precision vm.Value, up bool) (vm.Value, error) {
	scale, err := env.Binary(code.BinPow, vm.Int(10), precision)
	if err != nil {
		return vm.Null, err
	}
	scaled, err := env.Binary(code.BinMul, v, scale)
	if err != nil {
		return vm.Null, err
	}
	if f, ok := scaled.Float64(); ok {
		if up {
			f = math.Ceil(f)
		} else {
			f = math.Floor(f)
		}
		if scaled, err = wholeFloat(env, f); err != nil {
			return vm.Null, err
		}
	}
	return env.Binary(code.BinDiv, scaled, scale)
}

// wholeFloat turns a float without fraction into an integer.
func wholeFloat(env *vm.Env, f float64) (vm.Value, error) {
	switch {
	case math.IsNaN(f):
		return vm.Null, env.Errorf("value", "cannot convert float NaN to integer")
	case math.IsInf(f, 0):
		return vm.Null, env.Errorf("overflow", "cannot convert float infinity to integer")
	}
	i, _ := truncateFloat(f)
	return vm.BigInt(i), nil
}

// roundInt rounds to a multiple of 10**zeros, half to even.
func roundInt(env *vm.Env, i *big.Int, zeros int) (vm.Value, error) {
	// Powers and quotients take more time than their size.
	if err := env.Charge(16 * (i.BitLen()/8 + zeros)); err != nil {
		return vm.Null, err
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(zeros)), nil)
	return vm.BigInt(unit.Mul(roundRatio(i, unit), unit)), nil
}

// roundRatio is a/b rounded half to even; b is positive.
func roundRatio(a, b *big.Int) *big.Int {
	q, r := new(big.Int).DivMod(a, b, new(big.Int))
	switch c := new(big.Int).Lsh(r, 1).Cmp(b); {
	case c > 0 || c == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(1))
	}
	return q
}

// roundFloat rounds to a number of decimal places, half to even on the exact
// value, as Python's round does.
func roundFloat(f float64, digits int) float64 {
	switch {
	case math.IsNaN(f), math.IsInf(f, 0), f == 0, digits > 323:
		return f
	case digits < -309:
		return math.Copysign(0, f)
	case digits >= 0:
		r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
		return r
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-digits)), nil)
	exact := new(big.Rat).SetFloat64(math.Abs(f))
	whole := roundRatio(exact.Num(), unit.Mul(unit, exact.Denom()))
	whole.Mul(whole, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-digits)), nil))
	r, _ := new(big.Float).SetInt(whole).Float64()
	return math.Copysign(r, f)
}

// The units of filesizeformat; step n stands for 1000**n or 1024**n bytes.
var (
	decimalUnits = []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	binaryUnits  = []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	decimalSteps = []float64{1, 1e3, 1e6, 1e9, 1e12, 1e15, 1e18, 1e21, 1e24, 1e27}
)

func filesizeFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	binary, err := env.Truth(args[1])
	if err != nil {
		return vm.Null, err
	}
	var bytes float64
	if s, ok := args[0].Str(); ok {
		f, ok := parseFloat(env, s)
		if !ok {
			return vm.Null, env.Errorf("value", "could not convert string to float")
		}
		bytes = f
	} else if bytes, err = floatArg(env, args[0], "value"); err != nil {
		return vm.Null, err
	}
	base, units := 1000.0, decimalUnits
	step := func(n int) float64 { return decimalSteps[n] }
	if binary {
		base, units = 1024, binaryUnits
		step = func(n int) float64 { return math.Ldexp(1, 10*n) }
	}
	if bytes == 1 {
		return vm.String("1 Byte"), nil
	}
	if bytes < base {
		if math.IsInf(bytes, 0) {
			return vm.Null, env.Errorf("overflow", "cannot convert float infinity to integer")
		}
		return vm.String(fixedFloat(math.Trunc(bytes)+0, 0) + " Bytes"), nil
	}
	n := 0
	for n < len(units)-1 && !(bytes < step(n+2)) {
		n++
	}
	return vm.String(fixedFloat(base*bytes/step(n+2), 1) + " " + units[n]), nil
}

// fixedFloat writes f with a number of decimal places as Python does.
func fixedFloat(f float64, digits int) string {
	return string(numfmt.AppendFloat(nil, f, 'f', digits, 0))
}
