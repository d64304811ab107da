// Package numfmt writes numbers as text: the digits of floats and integers,
// signs, thousands separators and padding.
//
// The rules for floats are those of CPython's PyOS_double_to_string
// (Python/pystrtod.c, format_float_short), which repr, str.format and the %
// operator share there as they do here. Digits come from strconv.
//
// Functions append to a slice that the caller owns, and never look at what
// stands in it already. They know nothing of a budget: who has one charges
// FloatSize, IntSize or a field's width first.
package numfmt

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Flags change how AppendFloat writes a number.
type Flags uint8

const (
	// Alt keeps a decimal point that no digit follows and, for the code 'g',
	// trailing zeros.
	Alt Flags = 1 << iota
	// DotZero writes at least one digit behind the point of a number without
	// exponent, as repr does.
	DotZero
)

// exactPlaces is a number of decimal places behind which every float64 has
// only zeros: the smallest one has 1,074 places.
const exactPlaces = 1100

// AppendFloat appends f by a format code of CPython:
//
//	'e'  one digit, prec places, exponent of at least two digits
//	'f'  prec places, no exponent
//	'g'  prec significant digits (at least one) without trailing zeros; with an
//	     exponent below -4 and from prec up
//	'r'  the fewest digits that read back as f; with an exponent below -4 and
//	     from 16 up. prec is ignored
//
// 'E', 'F' and 'G' write capital letters. Other numbers are inf, -inf and nan.
func AppendFloat(dst []byte, f float64, code byte, prec int, flags Flags) []byte {
	lower := code | 0x20
	start := len(dst)
	switch {
	case math.IsNaN(f):
		dst = append(dst, "nan"...)
	case math.IsInf(f, 1):
		dst = append(dst, "inf"...)
	case math.IsInf(f, -1):
		dst = append(dst, "-inf"...)
	case lower == 'f':
		dst = strconv.AppendFloat(dst, f, 'f', min(prec, exactPlaces), 64)
		if prec == 0 && flags&Alt != 0 {
			dst = append(dst, '.')
		}
		return appendZeros(dst, prec-exactPlaces)
	case lower == 'r':
		return appendRepr(dst, f, flags)
	default:
		dst = appendDigits(dst, f, lower, prec, flags)
	}
	if code != lower {
		upper(dst[start:])
	}
	return dst
}

// whole returns f as an integer where that holds it exactly and every form here
// writes it without exponent. A negative zero is none.
func whole(f float64) (i int64, ok bool) {
	if !(-1e15 < f && f < 1e15) {
		return 0, false
	}
	i = int64(f)
	return i, float64(i) == f && (i != 0 || !math.Signbit(f))
}

// appendRepr writes a finite number for the code r. strconv lays it out: that
// is faster than moving its digits.
func appendRepr(dst []byte, f float64, flags Flags) []byte {
	if i, ok := whole(f); ok {
		return appendPoint(strconv.AppendInt(dst, i, 10), flags)
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		if flags&Alt != 0 && bytes.IndexByte(dst[start:], '.') < 0 {
			dst = Insert(dst, start+bytes.IndexByte(dst[start:], 'e'), '.', 1)
		}
		return dst
	}
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if f == math.Trunc(f) {
		return appendPoint(dst, flags)
	}
	return dst
}

// appendDigits lays out the digits of a finite number for the codes e and g.
func appendDigits(dst []byte, f float64, code byte, prec int, flags Flags) []byte {
	places := prec // behind the first digit
	if code == 'g' {
		prec = max(prec, 1)
		places = prec - 1
	}
	var buf [64]byte
	text := strconv.AppendFloat(buf[:0], f, 'e', min(places, exactPlaces), 64)
	if text[0] == '-' {
		dst = append(dst, '-')
		text = text[1:]
	}
	e := bytes.LastIndexByte(text, 'e')
	exponent, _ := strconv.Atoi(string(text[e+1:]))
	digits := text[:1]
	if e > 1 { // a point stands behind the first digit
		text[1] = text[0]
		digits = text[1:e]
	}
	trailing := max(places-exactPlaces, 0)
	if code == 'g' && flags&Alt == 0 {
		trailing = 0
		digits = digits[:1+len(bytes.TrimRight(digits[1:], "0"))]
	}

	withExponent := code == 'e'
	switch {
	case code == 'g' && flags&DotZero != 0:
		withExponent = exponent < -4 || exponent >= prec-1
	case code == 'g':
		withExponent = exponent < -4 || exponent >= prec
	}
	if withExponent {
		dst = append(dst, digits[0])
		if len(digits) > 1 || flags&Alt != 0 {
			dst = append(dst, '.')
		}
		dst = append(dst, digits[1:]...)
		dst = appendZeros(dst, trailing)
		return append(dst, text[e:]...)
	}
	switch point := exponent + 1; {
	case point <= 0:
		dst = append(dst, "0."...)
		dst = appendZeros(dst, -point)
		dst = append(dst, digits...)
	case point < len(digits):
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		dst = append(dst, digits[point:]...)
	default:
		dst = append(dst, digits...)
		dst = appendZeros(dst, point-len(digits))
		dst = appendPoint(dst, flags)
	}
	return appendZeros(dst, trailing)
}

// appendPoint ends a number that has no digits behind the point.
func appendPoint(dst []byte, flags Flags) []byte {
	switch {
	case flags&DotZero != 0:
		return append(dst, ".0"...)
	case flags&Alt != 0:
		return append(dst, '.')
	}
	return dst
}

// AppendShortest appends the fewest digits that read back as f, whole numbers
// without a point, with an exponent only from 1e21 up; other numbers as
// Infinity, -Infinity and NaN. From 1e-6 up these are the spellings of
// ECMAScript's Number::toString.
func AppendShortest(dst []byte, f float64) []byte {
	// Numbers of JSON data are floats, and most are whole.
	if i, ok := whole(f); ok {
		return strconv.AppendInt(dst, i, 10)
	}
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case abs >= 1e21:
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// FloatSize is a bound of the bytes that AppendFloat appends.
func FloatSize(code byte, prec int) int {
	// A sign, a point, a digit and an exponent such as e-324, or the zeros
	// between the point and the first digit.
	const frame = 12
	switch code | 0x20 {
	case 'f':
		return satAdd(frame+309, prec)
	case 'r':
		return frame + 17
	}
	return satAdd(frame, prec)
}

// satAdd adds two counts and stops at the largest.
func satAdd(a, b int) int {
	if b = max(b, 0); b > math.MaxInt-a {
		return math.MaxInt
	}
	return a + b
}

// Radix gives the base of an integer's format code (b, o, x and X; any other
// is decimal) and the prefix that tells it.
func Radix(code byte) (base int, prefix string) {
	switch code {
	case 'b':
		return 2, "0b"
	case 'o':
		return 8, "0o"
	case 'x':
		return 16, "0x"
	case 'X':
		return 16, "0X"
	}
	return 10, ""
}

// AppendInt appends the digits of i by a format code of Radix, with a minus
// before those of a negative number.
func AppendInt(dst []byte, i *big.Int, code byte) []byte {
	start := len(dst)
	base, _ := Radix(code)
	dst = i.Append(dst, base)
	if code == 'X' {
		upper(dst[start:])
	}
	return dst
}

// IntSize is a bound of the bytes that AppendInt appends for an integer of so
// many bits.
func IntSize(bits int, code byte) int {
	perDigit := 3
	switch base, _ := Radix(code); base {
	case 2:
		perDigit = 1
	case 16:
		perDigit = 4
	}
	return bits/perDigit + 2
}

// Group puts sep between every size digits of the number at dst[start:], whose
// integer part has the given count of digits; a fraction or exponent may
// follow. The number gets leading zeros until it is at least width bytes long,
// separators counted; a separator never comes first.
func Group(dst []byte, start, digits int, sep byte, size, width int) []byte {
	if digits <= 0 {
		return dst
	}
	// The least n whose digits and separators, n + (n-1)/size, fill the room.
	room := width - (len(dst) - start - digits)
	n := digits
	if room > 0 {
		n = max(n, room-(room-1)/(size+1))
	}
	dst = Insert(dst, start, '0', n-digits)
	seps := (n - 1) / size
	dst = Insert(dst, start, rune(sep), seps)
	for from, to := start+seps, start; seps > 0; {
		count := n - seps*size
		copy(dst[to:], dst[from:from+count])
		dst[to+count] = sep
		from, to = from+count, to+count+1
		n, seps = n-count, seps-1
	}
	return dst
}

// Field is a column that a number or text is aligned in.
type Field struct {
	// Width is the least number of characters.
	Width int
	// Fill fills the rest.
	Fill rune
	// Align is '<', '>', '^' or '=', which fills between sign and digits.
	Align byte
}

// Pad fills dst[start:] up to the width of the field. signEnd is where its
// sign and prefix end. It appends at most Width characters, of up to four bytes
// each.
func (f Field) Pad(dst []byte, start, signEnd int) []byte {
	missing := f.Width
	if missing > 0 {
		missing -= utf8.RuneCount(dst[start:])
	}
	if missing <= 0 {
		return dst
	}
	switch f.Align {
	case '<':
		return Insert(dst, len(dst), f.Fill, missing)
	case '^':
		dst = Insert(dst, start, f.Fill, missing/2)
		return Insert(dst, len(dst), f.Fill, missing-missing/2)
	case '=':
		return Insert(dst, signEnd, f.Fill, missing)
	}
	return Insert(dst, start, f.Fill, missing)
}

// Insert puts count times fill before dst[at:]. A count below one changes
// nothing.
func Insert(dst []byte, at int, fill rune, count int) []byte {
	if count <= 0 {
		return dst
	}
	var one [4]byte
	unit := utf8.AppendRune(one[:0], fill)
	n, end := count*len(unit), len(dst)
	dst = slices.Grow(dst, n)[:end+n]
	copy(dst[at+n:], dst[at:end])
	gap := dst[at : at+n]
	for done := copy(gap, unit); done < n; {
		done += copy(gap[done:], gap[:done])
	}
	return dst
}

func appendZeros(dst []byte, n int) []byte { return Insert(dst, len(dst), '0', n) }

func upper(b []byte) {
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
}
