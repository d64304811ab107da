package stdlib

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// parseInt reads an integer as Python's int(text, base) does: white space
// around it, a sign, underscores between digits, a prefix for bases 0, 2, 8
// and 16, digits of any script.
func parseInt(env *vm.Env, s string, base int) (*big.Int, bool) {
	s = trimFunc(env, s, isSpace, true, true)
	most := env.Limits().NumberDigits
	if len(s) > 2*utf8.UTFMax*(most+8) {
		return nil, false // longer than any number with its underscores
	}
	s = asciiDigits(env, s)
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if base != 0 && (base < 2 || base > 36) {
		return nil, false
	}
	prefixed := false
	for _, p := range []struct {
		text string
		base int
	}{{"0x", 16}, {"0o", 8}, {"0b", 2}} {
		if len(s) > 2 && strings.EqualFold(s[:2], p.text) && (base == 0 || base == p.base) {
			s, base, prefixed = s[2:], p.base, true
			break
		}
	}
	if prefixed {
		s = strings.TrimPrefix(s, "_")
	}
	digits, ok := dropUnderscores(s)
	if !ok || digits == "" || len(digits) > most {
		return nil, false
	}
	if base == 0 {
		if digits[0] == '0' && strings.Trim(digits, "0") != "" {
			return nil, false
		}
		base = 10
	}
	if digits[0] == '-' || digits[0] == '+' {
		return nil, false
	}
	i, ok := new(big.Int).SetString(digits, base)
	if ok && negative {
		i.Neg(i)
	}
	return i, ok
}

// dropUnderscores removes underscores that stand between two digits; ok is
// false where one stands elsewhere.
func dropUnderscores(s string) (string, bool) {
	if !strings.Contains(s, "_") {
		return s, true
	}
	if s[0] == '_' || s[len(s)-1] == '_' || strings.Contains(s, "__") {
		return "", false
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// digitBlock is the block of decimal digits that the last digit was found in, by
// its zero; most texts have digits of one.
type digitBlock struct{ zero rune }

// ascii is asciiDigit.
func (b *digitBlock) ascii(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	if d := r - b.zero; b.zero != 0 && d >= 0 && d < 10 {
		return '0' + d
	}
	digit := asciiDigit(r)
	if digit != r {
		b.zero = r - (digit - '0')
	}
	return digit
}

// asciiDigits writes decimal digits of any script as 0 to 9, in a text that is
// short.
func asciiDigits(env *vm.Env, s string) string {
	if source.IsASCII(s) {
		return s
	}
	return inPieces(func(s string) string { return strings.Map(new(digitBlock).ascii, s) })(env, s)
}

// asciiDigit is r as 0 to 9 where it is a decimal digit. Decimal digits stand in
// blocks of ten from zero up, of which several may follow each other.
func asciiDigit(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	lo, ok := rune(0), false
	if r <= math.MaxUint16 {
		n, _ := slices.BinarySearchFunc(unicode.Nd.R16, uint16(r), func(b unicode.Range16, r uint16) int { return cmp.Compare(b.Hi, r) })
		if n < len(unicode.Nd.R16) {
			lo, ok = rune(unicode.Nd.R16[n].Lo), true
		}
	} else {
		n, _ := slices.BinarySearchFunc(unicode.Nd.R32, uint32(r), func(b unicode.Range32, r uint32) int { return cmp.Compare(b.Hi, r) })
		if n < len(unicode.Nd.R32) {
			lo, ok = rune(unicode.Nd.R32[n].Lo), true
		}
	}
	if !ok || r < lo {
		return r
	}
	return '0' + (r-lo)%10
}

// longNumber is the length from which a number is shortened before it is read:
// strconv cannot be stopped, and misplaces the point behind 800 digits.
const longNumber = 700

// parseFloat reads a number as Python's float(text) does.
func parseFloat(env *vm.Env, s string) (float64, bool) {
	s = trimFunc(env, s, isSpace, true, true)
	if len(s) > longNumber {
		var ok bool
		if s, ok = shortenNumber(env, s); !ok {
			return 0, false
		}
	}
	s = asciiDigits(env, s)
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 || body == "" {
		return 0, false
	}
	if c := body[0] | 0x20; c == 'i' || c == 'n' {
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil
	}
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '.', c == 'e', c == 'E', c == '+', c == '-':
		case c == '_' && digit(i-1) && digit(i+1):
		default:
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	return f, err == nil || math.IsInf(f, 0)
}

// decimalText collects a number of which only what decides its value is kept: the
// first digits, whether there are others than zero behind them, and where the
// point is.
type decimalText struct {
	digits []byte
	rest   bool // digits other than 0 were left out
	point  int  // how far the point is behind the first digit that is kept
}

// keptDigits are more than any float needs to be rounded rightly (768).
const keptDigits = 800

func (d *decimalText) add(c byte, fraction bool) {
	switch {
	case len(d.digits) == 0 && c == '0':
		if fraction {
			d.point--
		}
		return
	case len(d.digits) < keptDigits:
		d.digits = append(d.digits, c)
	default:
		d.rest = d.rest || c != '0'
	}
	if !fraction {
		d.point++
	}
}

// shortenNumber checks a long number, by the rules of parseFloat, and writes one
// of the same value that is short. It works on a text of any length piece by piece
// and allocates nothing for it.
func shortenNumber(env *vm.Env, s string) (string, bool) {
	var d decimalText
	sign, hadDigits := "", false
	fraction, underscore, exponent := false, false, false
	exp, expSign, expDigits := 0, 1, 0
	last := rune(0)
	var block digitBlock
	for p := env.Parts(s); p.Next(); {
		for i, r := range p.Text {
			r = block.ascii(r)
			isDigit := r >= '0' && r <= '9'
			if underscore && !isDigit {
				return "", false
			}
			underscore = false
			switch {
			case isDigit && exponent:
				if expDigits++; exp < 1<<40 {
					exp = 10*exp + int(r-'0')
				}
			case isDigit:
				hadDigits = true
				d.add(byte(r), fraction)
			case r == '_' && last >= '0' && last <= '9':
				underscore = true
			case r == '.' && !fraction && !exponent:
				fraction = true
			case (r == 'e' || r == 'E') && !exponent && hadDigits:
				exponent = true
			case (r == '+' || r == '-') && p.At+i == 0:
				sign = string(r)
			case (r == '+' || r == '-') && (last == 'e' || last == 'E') && expDigits == 0:
				if r == '-' {
					expSign = -1
				}
			default:
				return "", false
			}
			last = r
		}
	}
	if !hadDigits || underscore || exponent && expDigits == 0 {
		return "", false
	}
	if d.rest {
		d.digits = append(d.digits, '1')
	}
	if len(d.digits) == 0 {
		return sign + "0", true
	}
	return sign + "." + string(d.digits) + "e" + strconv.Itoa(d.point+expSign*exp), true
}
