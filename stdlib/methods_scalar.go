package stdlib

import (
	"encoding/hex"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// intMethods are the methods of int; booleans have them too.
var intMethods = []spec{
	{"as_integer_ratio", "self", "The number as a fraction: a pair of integers.", intRatio, positional},
	{"bit_count", "self", "The number of ones in the binary form.", bitCount, positional},
	{"bit_length", "self", "The number of bits of the binary form.", bitLength, positional},
	{"conjugate", "self", "The number itself.", sameNumber, positional},
	{"is_integer", "self", "True.", func(*vm.Env, []vm.Value) (vm.Value, error) { return vm.Bool(true), nil }, positional},
}

// floatMethods are the methods of float.
var floatMethods = []spec{
	{"as_integer_ratio", "self", "The number as a fraction: a pair of integers.", floatRatio, positional},
	{"conjugate", "self", "The number itself.", sameNumber, positional},
	{"hex", "self", "The number in hexadecimal form.", floatHex, positional},
	{"is_integer", "self", "The number has no fraction.", floatIsInteger, positional},
}

// bytesMethods are the methods of bytes.
var bytesMethods = []spec{
	{"decode", "self, encoding='utf-8', errors='strict'", "The text that the bytes encode.", decodeMethod, 0},
	{"hex", "self", "Two hexadecimal digits for each byte.", bytesHex, positional},
}

// timeMethods are the methods of times, which Go hosts give.
var timeMethods = []spec{
	{"isoformat", "self", "The time as in ISO 8601.", isoformatMethod, positional},
	{"strftime", "self, format", "The time in a format of % directives.", strftimeMethod, positional},
	{"timestamp", "self", "Seconds since 1970.", timestampMethod, positional},
	{"weekday", "self", "The day of the week, Monday being 0.", weekdayMethod, positional},
}

func sameNumber(env *vm.Env, args []vm.Value) (vm.Value, error) {
	i, f, isInt, _ := numberValue(env, args[0])
	if isInt {
		return vm.BigInt(i), nil
	}
	return vm.Float(f), nil
}

func bitLength(env *vm.Env, args []vm.Value) (vm.Value, error) {
	i, _, _, _ := numberValue(env, args[0])
	if i == nil {
		return vm.Int(0), nil
	}
	return vm.Int(int64(i.BitLen())), nil
}

func bitCount(env *vm.Env, args []vm.Value) (vm.Value, error) {
	i, _, _, _ := numberValue(env, args[0])
	n := 0
	if i != nil {
		for _, w := range i.Bits() {
			n += bits.OnesCount(uint(w))
		}
	}
	return vm.Int(int64(n)), nil
}

func intRatio(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v, err := sameNumber(env, args)
	return tupleOf(env, v, vm.Int(1)), err
}

func floatRatio(env *vm.Env, args []vm.Value) (vm.Value, error) {
	f, _ := args[0].Float64()
	switch {
	case math.IsNaN(f):
		return vm.Null, env.Errorf("value", "cannot convert NaN to integer ratio")
	case math.IsInf(f, 0):
		return vm.Null, env.Errorf("overflow", "cannot convert Infinity to integer ratio")
	}
	r := new(big.Rat).SetFloat64(f)
	env.Owe(512) // the longest fraction of a float: 1,074 bits a side
	return tupleOf(env, vm.BigInt(r.Num()), vm.BigInt(r.Denom())), nil
}

func floatIsInteger(_ *vm.Env, args []vm.Value) (vm.Value, error) {
	f, _ := args[0].Float64()
	return vm.Bool(f == math.Trunc(f) && !math.IsInf(f, 0)), nil
}

// floatHex is float.hex: all 13 digits, an exponent without leading zeros.
func floatHex(_ *vm.Env, args []vm.Value) (vm.Value, error) {
	f, _ := args[0].Float64()
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return vm.String(fixedFloat(f, 0)), nil
	case f == 0:
		if math.Signbit(f) {
			return vm.String("-0x0.0p+0"), nil
		}
		return vm.String("0x0.0p+0"), nil
	}
	if math.Abs(f) < 0x1p-1022 { // subnormal numbers keep their exponent
		sign := ""
		if f < 0 {
			sign = "-"
		}
		digits := strconv.FormatUint(math.Float64bits(math.Abs(f)), 16)
		return vm.String(sign + "0x0." + strings.Repeat("0", 13-len(digits)) + digits + "p-1022"), nil
	}
	s := strconv.FormatFloat(f, 'x', 13, 64)
	mantissa, exp, _ := strings.Cut(s, "p")
	n, _ := strconv.Atoi(exp)
	if n >= 0 {
		return vm.String(mantissa + "p+" + strconv.Itoa(n)), nil
	}
	return vm.String(mantissa + "p" + strconv.Itoa(n)), nil
}

func bytesHex(env *vm.Env, args []vm.Value) (vm.Value, error) {
	b, _ := args[0].Bytes()
	if err := env.Charge(2 * len(b)); err != nil {
		return vm.Null, err
	}
	out := make([]byte, 0, 2*len(b))
	for len(b) > 0 && !env.Stopped() {
		n := min(len(b), pieceBytes)
		out, b = hex.AppendEncode(out, b[:n]), b[n:]
	}
	return vm.String(string(out)), nil
}

// charset is an encoding that encode and decode know.
type charset uint8

const (
	charsetUTF8 charset = iota
	charsetASCII
	charsetLatin1
)

var charsets = map[string]charset{"utf8": charsetUTF8, "u8": charsetUTF8, "ascii": charsetASCII,
	"usascii": charsetASCII, "646": charsetASCII, "latin1": charsetLatin1, "iso88591": charsetLatin1, "l1": charsetLatin1}

func charsetArg(env *vm.Env, v vm.Value) (charset, error) {
	name, ok := v.Str()
	if !ok {
		return 0, env.Errorf("type", "encode() argument 'encoding' must be str, not %s", env.TypeName(v))
	}
	const longest = 32 // of all names, with the hyphens and blanks in them
	if len(name) > longest {
		name = ""
	}
	c, ok := charsets[strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))]
	if !ok {
		return 0, &vm.Error{Kind: "value", Msg: "unknown encoding", Help: "use utf-8, ascii or latin-1"}
	}
	return c, nil
}

func decodeMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	b, _ := args[0].Bytes()
	c, err := charsetArg(env, args[1])
	if err != nil {
		return vm.Null, err
	}
	errors, _ := args[2].Str()
	if err := env.Charge(3 * len(b)); err != nil {
		return vm.Null, err
	}
	var out strings.Builder
	var pace vm.Pace
	for len(b) > 0 && !pace.Stopped(env, 4) {
		r, size := rune(b[0]), 1
		bad := c == charsetASCII && r >= 0x80
		if c == charsetUTF8 {
			r, size = utf8.DecodeRune(b)
			bad = r == utf8.RuneError && size == 1
		}
		b = b[size:]
		switch {
		case !bad:
			out.WriteRune(r)
		case errors == "ignore":
		case errors == "replace":
			out.WriteRune(utf8.RuneError)
		default:
			return vm.Null, env.Errorf("value", "a byte cannot be decoded")
		}
	}
	return vm.String(out.String()), nil
}

func encodeMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, _ := receiver(args)
	c, err := charsetArg(env, args[1])
	if err != nil {
		return vm.Null, err
	}
	errors, _ := args[2].Str()
	if err := env.Charge(len(s)); err != nil {
		return vm.Null, err
	}
	if c == charsetUTF8 {
		return vm.PythonBytes([]byte(s)), nil
	}
	limit := rune(0x80)
	if c == charsetLatin1 {
		limit = 0x100
	}
	out := make([]byte, 0, len(s))
	for p := env.Parts(s); p.Next(); {
		for _, r := range p.Text {
			switch {
			case r < limit:
				out = append(out, byte(r))
			case errors == "ignore":
			case errors == "replace":
				out = append(out, '?')
			case errors == "xmlcharrefreplace":
				out = append(out, "&#"+strconv.Itoa(int(r))+";"...)
			default:
				return vm.Null, env.Errorf("value", "a character cannot be encoded")
			}
		}
	}
	return vm.PythonBytes(out), nil
}

func strftimeMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	t, _ := args[0].Time()
	format, err := stringArg(env, args[1], "format")
	if err != nil {
		return vm.Null, err
	}
	s, err := formatTime(env, t, format, false)
	return vm.String(s), err
}

func isoformatMethod(_ *vm.Env, args []vm.Value) (vm.Value, error) {
	t, _ := args[0].Time()
	if t.Nanosecond() == 0 {
		return vm.String(t.Format("2006-01-02T15:04:05-07:00")), nil
	}
	return vm.String(t.Format("2006-01-02T15:04:05.000000-07:00")), nil
}

func timestampMethod(_ *vm.Env, args []vm.Value) (vm.Value, error) {
	t, _ := args[0].Time()
	return vm.Float(float64(t.UnixMicro()) / 1e6), nil
}

func weekdayMethod(_ *vm.Env, args []vm.Value) (vm.Value, error) {
	t, _ := args[0].Time()
	return vm.Int(int64((t.Weekday() + 6) % 7)), nil
}
