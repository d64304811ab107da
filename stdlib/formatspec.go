package stdlib

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// formatSpec is Python's format specification mini-language:
// [[fill]align][sign][z][#][0][width][grouping][.precision][type].
type formatSpec struct {
	fill      rune
	align     byte // '<' '>' '=' '^', or 0
	sign      byte // '+' '-' ' ', or 0
	noNegZero bool
	alternate bool
	zero      bool
	width     int
	grouping  byte // ',' '_', or 0
	precision int  // -1: none
	verb      byte // 0: none
}

// maxFormatNumber bounds widths and precisions before they are charged.
const maxFormatNumber = 1 << 30

func parseFormatSpec(env *vm.Env, s string) (f formatSpec, err error) {
	f = formatSpec{fill: ' ', precision: -1}
	isAlign := func(c byte) bool { return strings.IndexByte("<>=^", c) >= 0 }
	fillGiven := false
	if r, size := utf8.DecodeRuneInString(s); size > 0 && size < len(s) && isAlign(s[size]) {
		f.fill, f.align, s = r, s[size], s[size+1:]
		fillGiven = true
	} else if s != "" && isAlign(s[0]) {
		f.align, s = s[0], s[1:]
	}
	take := func(chars string) byte {
		if s == "" || strings.IndexByte(chars, s[0]) < 0 {
			return 0
		}
		c := s[0]
		s = s[1:]
		return c
	}
	if c := take("+- "); c != 0 {
		f.sign = c
	}
	f.noNegZero = take("z") != 0
	f.alternate = take("#") != 0
	if !fillGiven && take("0") != 0 {
		f.fill, f.zero = '0', true
	}
	number := func() (int, bool, error) {
		n, any := 0, false
		for s != "" && s[0] >= '0' && s[0] <= '9' {
			n = n*10 + int(s[0]-'0')
			if n > maxFormatNumber {
				return 0, false, env.Errorf("value", "Too many decimal digits in format string")
			}
			any = true
			s = s[1:]
		}
		return n, any, nil
	}
	if f.width, _, err = number(); err != nil {
		return f, err
	}
	f.grouping = take(",_")
	if f.grouping != 0 && take(",_") != 0 {
		return f, env.Errorf("value", "Cannot specify both ',' and '_'.")
	}
	if take(".") != 0 {
		n, any, err := number()
		if err != nil {
			return f, err
		}
		if !any {
			return f, env.Errorf("value", "Format specifier missing precision")
		}
		f.precision = n
	}
	if len(s) > 1 || s != "" && s[0] >= utf8.RuneSelf {
		return f, env.Errorf("value", "Invalid format specifier")
	}
	if s != "" {
		f.verb = s[0]
	}
	return f, nil
}

func (f *formatSpec) unknown(env *vm.Env, typeName string) error {
	return env.Errorf("value", "Unknown format code '%c' for object of type '%s'", f.verb, typeName)
}

// formatValue is Python's format(value, spec).
func formatValue(env *vm.Env, v vm.Value, spec string) (string, error) {
	if spec == "" {
		return textOf(env, v)
	}
	if t, ok := v.Time(); ok {
		return formatTime(env, t, spec, false)
	}
	s, isText := v.Str()
	i, x, isInt, isNumber := numberValue(env, v)
	if !isText && !isNumber {
		return "", env.Errorf("type", "unsupported format string passed to %s.__format__", env.TypeName(v))
	}
	f, err := parseFormatSpec(env, spec)
	if err != nil {
		return "", err
	}
	// Twice the width, for the wide fill characters that UTF-8 has.
	if err := chargeProduct(env, f.width+max(f.precision, 0), 2); err != nil {
		return "", err
	}
	switch {
	case isText:
		return f.text(env, s)
	case isInt && (f.verb == 0 || strings.IndexByte("bcdoxXn", f.verb) >= 0):
		return f.integer(env, i)
	case isInt && strings.IndexByte("eEfFgG%", f.verb) >= 0:
		if x, err = floatArg(env, v, "value"); err != nil {
			return "", err
		}
	case isInt:
		return "", f.unknown(env, env.TypeName(v))
	}
	return f.float(env, x)
}

func (f *formatSpec) text(env *vm.Env, s string) (string, error) {
	switch {
	case f.verb != 0 && f.verb != 's':
		return "", f.unknown(env, "str")
	case f.sign != 0:
		return "", env.Errorf("value", "Sign not allowed in string format specifier")
	case f.noNegZero:
		return "", env.Errorf("value", "Negative zero coercion (z) not allowed in format specifier with string")
	case f.alternate:
		return "", env.Errorf("value", "Alternate form (#) not allowed in string format specifier")
	case f.align == '=':
		return "", env.Errorf("value", "'=' alignment not allowed in string format specifier")
	case f.grouping != 0:
		return "", env.Errorf("value", "Cannot specify '%c' with 's'.", f.grouping)
	}
	if f.precision >= 0 {
		s, _ = cutRunes(s, f.precision)
	}
	return f.pad("", s, '<'), nil
}

// pad fills the field; sign goes before the fill for '='.
func (f *formatSpec) pad(sign, body string, usual byte) string {
	align := f.align
	if align == 0 {
		align = usual
		if f.zero && usual == '>' {
			align = '='
		}
	}
	missing := f.width - runeCount(sign) - runeCount(body)
	if missing <= 0 {
		return sign + body
	}
	fill := func(n int) string { return strings.Repeat(string(f.fill), n) }
	switch align {
	case '<':
		return sign + body + fill(missing)
	case '^':
		return fill(missing/2) + sign + body + fill(missing-missing/2)
	case '=':
		return sign + fill(missing) + body
	}
	return fill(missing) + sign + body
}

// signOf gives the sign to write.
func (f *formatSpec) signOf(negative bool) string {
	switch {
	case negative:
		return "-"
	case f.sign == 0 || f.sign == '-':
		return ""
	}
	return string(f.sign)
}

func (f *formatSpec) integer(env *vm.Env, i *big.Int) (string, error) {
	switch {
	case f.precision >= 0:
		return "", env.Errorf("value", "Precision not allowed in integer format specifier")
	case f.noNegZero:
		return "", env.Errorf("value", "Negative zero coercion (z) not allowed in format specifier with integer")
	case f.grouping == ',' && f.verb != 0 && f.verb != 'd', f.grouping == '_' && (f.verb == 'c' || f.verb == 'n'):
		return "", env.Errorf("value", "Cannot specify '%c' with '%c'.", f.grouping, f.verb)
	}
	if f.verb == 'c' {
		return f.character(env, i)
	}
	base, prefix, group := 10, "", 3
	switch f.verb {
	case 'b':
		base, prefix, group = 2, "0b", 4
	case 'o':
		base, prefix, group = 8, "0o", 4
	case 'x':
		base, prefix, group = 16, "0x", 4
	case 'X':
		base, prefix, group = 16, "0X", 4
	}
	if err := env.Charge(i.BitLen() + 8); err != nil {
		return "", err
	}
	if base == 10 && i.BitLen() > 4*env.Limits().NumberDigits {
		return "", env.Errorf("value", "the integer is too long to be written")
	}
	digits := new(big.Int).Abs(i).Text(base)
	if f.verb == 'X' {
		digits = strings.ToUpper(digits)
	}
	sign := f.signOf(i.Sign() < 0)
	if f.alternate {
		sign += prefix
	}
	return f.pad(sign, f.group(digits, "", group, len(sign)), '>'), nil
}

func (f *formatSpec) character(env *vm.Env, i *big.Int) (string, error) {
	switch {
	case f.sign != 0:
		return "", env.Errorf("value", "Sign not allowed with integer format specifier 'c'")
	case f.alternate:
		return "", env.Errorf("value", "Alternate form (#) not allowed with integer format specifier 'c'")
	case !i.IsInt64() || i.Int64() < 0 || i.Int64() > utf8.MaxRune || !utf8.ValidRune(rune(i.Int64())):
		return "", env.Errorf("overflow", "%%c arg not in range(0x110000)")
	}
	return f.pad("", string(rune(i.Int64())), '>'), nil
}

// group puts the grouping character between digits and, where zeros fill the
// field, between those zeros too. rest is what follows the digits.
func (f *formatSpec) group(digits, rest string, size, signLen int) string {
	if f.grouping == 0 || digits == "" {
		return digits + rest
	}
	zeros := f.fill == '0' && (f.align == '=' || f.align == 0 && f.zero)
	if zeros {
		// As many leading zeros as fill the width, separators counted.
		room := f.width - signLen - len(rest)
		n := len(digits)
		for n+(n-1)/size < room {
			n++
		}
		digits = strings.Repeat("0", n-len(digits)) + digits
	}
	var b strings.Builder
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%size == 0 {
			b.WriteByte(f.grouping)
		}
		b.WriteByte(digits[i])
	}
	return b.String() + rest
}

func (f *formatSpec) float(env *vm.Env, x float64) (string, error) {
	verb := f.verb
	if verb != 0 && strings.IndexByte("eEfFgGn%", verb) < 0 {
		return "", f.unknown(env, "float")
	}
	if f.grouping != 0 && verb == 'n' {
		return "", env.Errorf("value", "Cannot specify '%c' with 'n'.", f.grouping)
	}
	if verb == '%' {
		x *= 100
	}
	negative := math.Signbit(x) && !math.IsNaN(x)
	body := f.floatDigits(math.Abs(x))
	if f.noNegZero && negative && strings.Trim(body, "0.eE+-%") == "" {
		negative = false
	}
	sign := f.signOf(negative)
	digits := body[:len(body)-len(strings.TrimLeft(body, "0123456789"))]
	return f.pad(sign, f.group(digits, body[len(digits):], 3, len(sign)), '>'), nil
}

// floatDigits writes a number that is not negative, as the type asks.
func (f *formatSpec) floatDigits(x float64) string {
	upper := f.verb == 'E' || f.verb == 'F' || f.verb == 'G'
	precision := f.precision
	if precision < 0 && f.verb != 0 {
		precision = 6
	}
	var s string
	switch {
	case math.IsNaN(x):
		s = "nan"
	case math.IsInf(x, 0):
		s = "inf"
	case f.verb == 'e' || f.verb == 'E':
		s = exponentForm(x, precision, f.alternate)
	case f.verb == 'f' || f.verb == 'F' || f.verb == '%':
		s = fixedForm(x, precision)
		if f.alternate && precision == 0 {
			s += "."
		}
	case f.verb == 0 && precision < 0:
		s = shortestForm(x)
		if mantissa, exp, found := strings.Cut(s, "e"); found && f.alternate && !strings.Contains(mantissa, ".") {
			s = mantissa + ".e" + exp
		}
	default:
		s = generalForm(x, max(precision, 1), f.alternate, f.verb == 0)
	}
	if upper {
		s = strings.ToUpper(s)
	}
	if f.verb == '%' {
		s += "%"
	}
	return s
}

// exactDigits is the number of places after which a float64 has only zeros.
const exactDigits = 1100

func fixedForm(x float64, precision int) string {
	s := strconv.FormatFloat(x, 'f', min(precision, exactDigits), 64)
	return s + strings.Repeat("0", max(precision-exactDigits, 0))
}

func exponentForm(x float64, precision int, point bool) string {
	s := strconv.FormatFloat(x, 'e', min(precision, exactDigits), 64)
	mantissa, exp, _ := strings.Cut(s, "e")
	if point && precision == 0 {
		mantissa += "."
	}
	return mantissa + strings.Repeat("0", max(precision-exactDigits, 0)) + "e" + exp
}

// shortestForm is Python's repr of a float.
func shortestForm(x float64) string {
	s := strconv.FormatFloat(x, 'e', -1, 64)
	_, exp, _ := strings.Cut(s, "e")
	if n, _ := strconv.Atoi(exp); x != 0 && (n < -4 || n >= 16) {
		return s
	}
	s = strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// generalForm is the type 'g': fixed or with an exponent by size, trailing
// zeros removed unless keepZeros. plain is the form without a type, which
// keeps one digit after the point.
func generalForm(x float64, precision int, keepZeros, plain bool) string {
	s := exponentForm(x, precision-1, false)
	mantissa, expText, _ := strings.Cut(s, "e")
	exp, _ := strconv.Atoi(expText)
	limit := precision
	if plain {
		limit-- // as repr: a whole number needs room for its ".0"
	}
	if exp < -4 || exp >= limit {
		if !keepZeros {
			mantissa = trimZeros(mantissa)
		} else if !strings.Contains(mantissa, ".") {
			mantissa += "."
		}
		return mantissa + "e" + expText
	}
	s = fixedForm(x, max(precision-1-exp, 0))
	if !keepZeros {
		s = trimZeros(s)
	} else if !strings.Contains(s, ".") {
		s += "."
	}
	if plain && !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
