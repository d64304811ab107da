package parser

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/runenames"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// NormalizeName returns the form of a name in which names are compared: NFC.
// Names of ASCII letters are returned as they are, at no cost.
func NormalizeName(s string) string {
	if source.IsASCII(s) {
		return s
	}
	return norm.NFC.String(s)
}

// DecomposeName returns a name in the other form that the keys of data may
// have: Unicode's NFD.
func DecomposeName(s string) string {
	if source.IsASCII(s) {
		return s
	}
	return norm.NFD.String(s)
}

// simpleEscapes are Python's escapes of one letter.
var simpleEscapes = map[byte]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// hexEscapes gives the number of digits of Python's numeric escapes.
var hexEscapes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// unquote returns the text that the string literal t stands for. The escapes
// are Python's; an unknown one keeps its backslash.
func (x *exprParser) unquote(t token) string {
	s := t.Text[1 : len(t.Text)-1]
	if x.newline != "" {
		s = lexer.NormalizeNewlines(s, x.newline)
	}
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	// at is where s begins in the source; after newlines were changed, errors
	// point at the literal as a whole.
	u := unquoter{x: x, t: t, exact: len(s) == len(t.Text)-2}
	var few [128]byte
	b := few[:0]
	if len(s) > len(few) {
		b = make([]byte, 0, len(s))
	}
	for i := 0; i < len(s) && x.err == nil; {
		n := strings.IndexByte(s[i:], '\\')
		if n < 0 {
			b = append(b, s[i:]...)
			break
		}
		b = append(b, s[i:i+n]...)
		b, i = u.escape(b, s, i+n)
	}
	return string(b)
}

type unquoter struct {
	x     *exprParser
	t     token
	exact bool
}

// escape reads the escape at s[i], appends what it stands for to b, and returns
// the offset behind it.
func (u *unquoter) escape(b []byte, s string, i int) ([]byte, int) {
	c := s[i+1] // a literal never ends in a lone backslash
	if v, ok := simpleEscapes[c]; ok {
		return append(b, v), i + 2
	}
	switch {
	case c == '\n':
		return b, i + 2
	case c == '\r' && strings.HasPrefix(s[i+2:], "\n"):
		return b, i + 3
	case c == '\r':
		return b, i + 2
	case c >= '0' && c <= '7':
		end := i + 1
		for end < len(s) && end < i+4 && s[end] >= '0' && s[end] <= '7' {
			end++
		}
		v, _ := strconv.ParseUint(s[i+1:end], 8, 32)
		return utf8.AppendRune(b, rune(v)), end
	case hexEscapes[c] > 0:
		return u.hex(b, s, i, hexEscapes[c])
	case c == 'N':
		return u.named(b, s, i)
	}
	return append(b, '\\'), i + 1
}

func (u *unquoter) hex(b []byte, s string, i, n int) ([]byte, int) {
	r, end, ok := hexRune(s, i, n)
	if !ok {
		return u.fail(b, i, min(len(s), i+2+n), "`%s` needs %d hexadecimal digits", s[i:i+2], n)
	}
	if utf16.IsSurrogate(r) {
		// A pair of surrogates written as two escapes is one character.
		if strings.HasPrefix(s[end:], `\u`) {
			if low, e, ok := hexRune(s, end, 4); ok {
				if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
					return utf8.AppendRune(b, both), e
				}
			}
		}
		return u.fail(b, i, end, "half of a surrogate pair is no character")
	}
	if !utf8.ValidRune(r) {
		return u.fail(b, i, end, "there is no such character")
	}
	return utf8.AppendRune(b, r), end
}

// hexRune reads n hexadecimal digits after the backslash and letter at s[i].
func hexRune(s string, i, n int) (r rune, end int, ok bool) {
	end = i + 2 + n
	if end > len(s) {
		return 0, 0, false
	}
	v, err := strconv.ParseUint(s[i+2:end], 16, 32)
	if err != nil {
		return 0, 0, false
	}
	if v > utf8.MaxRune {
		return -1, end, true
	}
	return rune(v), end, true
}

// named reads \N{NAME}, a character by its Unicode name.
func (u *unquoter) named(b []byte, s string, i int) ([]byte, int) {
	n := strings.IndexByte(s[i:], '}')
	if !strings.HasPrefix(s[i+2:], "{") || n < 0 || n > 100 {
		return u.fail(b, i, min(len(s), i+3), "`\\N` needs a character's name in braces")
	}
	r, ok := runeByName(s[i+3 : i+n])
	if !ok {
		return u.fail(b, i, i+n+1, "there is no character of that name")
	}
	return utf8.AppendRune(b, r), i + n + 1
}

// runeNames maps the Unicode names of characters to them. It is made at the
// first escape that names one.
var runeNames = sync.OnceValue(func() map[string]rune {
	names := make(map[string]rune, 40000)
	for r := rune(0x20); r <= utf8.MaxRune; r++ {
		if n := runenames.Name(r); n != "" && n[0] != '<' {
			names[n] = r
		}
	}
	return names
})

// runeByName finds a character by its Unicode name, in any case.
func runeByName(name string) (rune, bool) {
	name = strings.ToUpper(name)
	if hex, ok := strings.CutPrefix(name, "CJK UNIFIED IDEOGRAPH-"); ok {
		v, err := strconv.ParseUint(hex, 16, 32)
		return rune(v), err == nil && unicode.Is(unicode.Unified_Ideograph, rune(v))
	}
	r, ok := runeNames()[name]
	return r, ok
}

// fail reports a bad escape between the offsets i and end of the literal's
// inside, and skips it.
func (u *unquoter) fail(b []byte, i, end int, format string, args ...any) ([]byte, int) {
	span := u.t.Span()
	if u.exact {
		span = source.Span{Start: u.t.Start + 1 + source.Pos(i), End: u.t.Start + 1 + source.Pos(end)}
	}
	u.x.failAt("PCC005", span, format, args...)
	return b, end
}
