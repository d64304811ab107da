package stdlib

import (
	"bytes"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/internal/numfmt"
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
	if v = env.OwnText(v); env.StopError() != nil {
		return "", env.StopError()
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
	if err := chargeProduct(env, f.width, utf8.RuneLen(f.fill)); err != nil {
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
	return string(f.field('<').Pad([]byte(s), 0, 0)), nil
}

// field is the column to fill; usual is the alignment where none is given.
func (f *formatSpec) field(usual byte) numfmt.Field {
	align := f.align
	if align == 0 {
		align = usual
		if f.zero && usual == '>' {
			align = '='
		}
	}
	return numfmt.Field{Width: f.width, Fill: f.fill, Align: align}
}

// appendSign appends the sign to write.
func (f *formatSpec) appendSign(dst []byte, negative bool) []byte {
	switch {
	case negative:
		return append(dst, '-')
	case f.sign == 0 || f.sign == '-':
		return dst
	}
	return append(dst, f.sign)
}

// finish groups the number at dst[start:], which follows its sign and prefix and
// begins with so many digits, and pads the whole.
func (f *formatSpec) finish(dst []byte, start, digits, size int) string {
	if f.grouping != 0 {
		width := 0
		if f.fill == '0' && (f.align == '=' || f.align == 0 && f.zero) {
			width = f.width - start // separators stand between filling zeros too
		}
		dst = numfmt.Group(dst, start, digits, f.grouping, size, width)
	}
	return string(f.field('>').Pad(dst, 0, start))
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
	base, prefix := numfmt.Radix(f.verb)
	group := 3
	if base != 10 {
		group = 4
	}
	if err := env.Charge(numfmt.IntSize(i.BitLen(), f.verb)); err != nil {
		return "", err
	}
	if base == 10 && i.BitLen() > 4*env.Limits().NumberDigits {
		return "", env.Errorf("value", "the integer is too long to be written")
	}
	out := f.appendSign(nil, i.Sign() < 0)
	if f.alternate {
		out = append(out, prefix...)
	}
	start := len(out)
	out = numfmt.AppendInt(out, new(big.Int).Abs(i), f.verb)
	return f.finish(out, start, len(out)-start, group), nil
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
	return string(f.field('>').Pad(utf8.AppendRune(nil, rune(i.Int64())), 0, 0)), nil
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
	code, precision, flags := f.floatForm()
	if err := env.Charge(numfmt.FloatSize(code, precision)); err != nil {
		return "", err
	}
	body := numfmt.AppendFloat(nil, math.Abs(x), code, precision, flags)
	if f.noNegZero && negative && len(bytes.Trim(body, "0.eE+-")) == 0 {
		negative = false
	}
	out := f.appendSign(nil, negative)
	start := len(out)
	out = append(out, body...)
	digits := len(body) - len(bytes.TrimLeft(body, "0123456789"))
	if verb == '%' {
		out = append(out, '%')
	}
	return f.finish(out, start, digits, 3), nil
}

// floatForm gives the format code, precision and flags for a float, as
// format_float_internal of CPython chooses them.
func (f *formatSpec) floatForm() (code byte, precision int, flags numfmt.Flags) {
	if f.alternate {
		flags = numfmt.Alt
	}
	precision = f.precision
	switch {
	case f.verb == 0 && precision < 0:
		return 'r', 0, flags | numfmt.DotZero
	case f.verb == 0:
		return 'g', precision, flags | numfmt.DotZero
	case precision < 0:
		precision = 6
	}
	switch f.verb {
	case '%':
		return 'f', precision, flags
	case 'n':
		return 'g', precision, flags
	}
	return f.verb, precision, flags
}
