package lexer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/source"
)

// Fault tells why a token is Invalid.
type Fault uint8

// Faults.
const (
	NoFault       Fault = iota
	BadChar             // a character that begins no token
	OpenString          // a string without its closing quote
	TooDeep             // more open brackets than Expr.Limit
	AnotherOpener       // an opening delimiter where none may stand: the tag is not closed
	StrayBlank          // a blank or line break where none may stand
	NoMemory            // more tokens than Expr.Budget pays for
	BadBracket          // in Jinja: a closing bracket that closes none, or another one
	BadName             // in Jinja: a character of words that no name may have there
	LongWord            // in Jinja: a name or number of more than MaxWord bytes
)

// MaxWord is the greatest length of a name or number of Jinja in bytes.
const MaxWord = 1 << 16

// Expr cuts the inside of a tag into tokens. Fill in the fields and call Next
// until it returns EOF or Invalid; a copy of an Expr looks ahead.
//
// The work is linear in the bytes read, nothing is allocated, and brackets are
// counted, so that a parser that recurses on brackets only is bounded by Limit.
type Expr struct {
	Src string // text of the whole file
	Pos int    // offset of the next byte to read
	End int    // end of the readable range

	// Close is the delimiter that ends the tag where no bracket is open; ""
	// where the range holds nothing but the inside. Next then returns an EOF
	// token that covers the delimiter and sets Closed.
	Close  string
	Closed bool
	// Signs holds the signs, `-` and `+`, that may stand before Close and belong to it.
	Signs string
	// Line says that white space with a line break ends the tag where no bracket
	// is open, as the range's end does. The EOF token is empty then.
	Line bool

	// Stop, where not nil, tells of an offset outside quotes whether an opening
	// delimiter stands there that may not stand in this tag. Only offsets of
	// StopByte are asked.
	Stop     func(src string, pos int) bool
	StopByte byte

	// Tight allows blanks only inside brackets, and line breaks nowhere.
	Tight bool

	// Python reads tokens as Jinja does: it allows the names and the white space
	// that Python allows, and minds brackets that do not match.
	Python bool

	// Budget, where not nil, pays for the tokens.
	Budget *Budget

	Depth, Limit int // open brackets; Limit 0 means no limit
	Fault        Fault

	// brackets are the closing brackets that are waited for, in Python. A copy
	// writes no more than what the original would write in the same place.
	brackets []byte
	// final is the token that ended the tokens, where ended is set.
	final Token
	ended bool
}

// Wanted returns the bracket that stands for the one that is a BadBracket, 0 where
// no bracket is open.
func (x *Expr) Wanted() byte {
	if x.Depth == 0 {
		return 0
	}
	return x.brackets[x.Depth-1]
}

// class tells what a byte can begin.
type class uint8

const (
	cBad class = iota
	cSpace
	cName
	cDigit
	cQuote
	cPunct
	cHigh // part of a character outside ASCII
)

var classes = func() (t [256]class) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = cHigh
		case c == ' ' || c >= '\t' && c <= '\r':
			t[c] = cSpace
		case c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z':
			t[c] = cName
		case c >= '0' && c <= '9':
			t[c] = cDigit
		case c == '"' || c == '\'':
			t[c] = cQuote
		case single[c] != EOF || c == '!':
			t[c] = cPunct
		}
	}
	return t
}()

// words are the bytes that words of ASCII consist of.
var words = func() (t [256]bool) {
	for c := range t {
		t[c] = classes[c] == cName || classes[c] == cDigit
	}
	return t
}()

// single is the kind of each punctuation mark of one byte.
var single = [256]Kind{
	'+': Plus, '-': Minus, '*': Star, '/': Slash, '%': Percent, '~': Tilde,
	'(': LParen, ')': RParen, '[': LBracket, ']': RBracket, '{': LBrace, '}': RBrace,
	'<': Less, '>': Greater, '=': Assign, '.': Dot, ':': Colon, ',': Comma, '|': Pipe, ';': Semicolon,
}

// double returns the kind of the mark that a and b make together, or EOF.
func double(a, b byte) Kind {
	switch {
	case b == '=':
		switch a {
		case '=':
			return EqEq
		case '!':
			return NotEq
		case '<':
			return LessEq
		case '>':
			return GreaterEq
		}
	case a == '/' && b == '/':
		return SlashSlash
	case a == '*' && b == '*':
		return StarStar
	}
	return EOF
}

// Next returns the next token.
func (x *Expr) Next() Token {
	src, i := x.Src[:x.End], x.Pos
	if !x.Budget.Take(TokenBytes) {
		return x.invalid(NoMemory, i, i)
	}
	switch {
	case x.Python && i < len(src) && blanks[src[i]] == noBlank:
	case x.Python && x.blankSkips(src, i):
		i++
	case x.Python:
		end := pythonSpaceEnd(src, i)
		if x.Line && x.Depth == 0 && (end == len(src) || strings.ContainsAny(src[i:end], "\n\r")) {
			x.Closed = true
			return x.eof(i, i)
		}
		for ; i < end; i++ { // a closer may begin with white space
			if x.Depth > 0 || x.Close == "" || src[i] != x.Close[0] {
				continue
			}
			if after := x.closer(src, i); after > 0 {
				x.Closed = true
				return x.eof(i, after)
			}
		}
	default:
		for i < len(src) && classes[src[i]] == cSpace {
			if x.Tight && (x.Depth == 0 || src[i] == '\n' || src[i] == '\r') {
				return x.invalid(StrayBlank, i, i+1)
			}
			i++
		}
	}
	if i >= len(src) {
		return x.eof(i, i)
	}
	c := src[i]
	if x.Depth == 0 && x.Close != "" && (c == x.Close[0] || c == '-' || c == '+') {
		if end := x.closer(src, i); end > 0 {
			x.Closed = true
			return x.eof(i, end)
		}
	}
	if x.Stop != nil && c == x.StopByte && x.Stop(src, i) {
		return x.invalid(AnotherOpener, i, i+1)
	}
	switch classes[c] {
	case cName:
		return x.name(src, i, i+1)
	case cDigit:
		return x.number(i)
	case cQuote:
		n := stringEnd(src[i:])
		if n == 0 {
			return x.invalid(OpenString, i, i+1)
		}
		return x.token(String, i, i+n)
	case cPunct:
		return x.punct(i)
	case cHigh:
		r, n := utf8.DecodeRuneInString(src[i:])
		switch {
		case x.Python && isJinjaWord(r) && !isIdentifier(r, true):
			return x.invalid(BadName, i, i+n)
		case IsNameStart(r), x.Python && isJinjaWord(r):
			return x.name(src, i, i+n)
		}
		return x.invalid(BadChar, i, i+n)
	}
	return x.invalid(BadChar, i, i+1)
}

// blankSkips reports whether the white space at src[i], as is most, is one blank that
// ends nothing.
func (x *Expr) blankSkips(src string, i int) bool {
	return i+1 < len(src) && src[i] == ' ' && blanks[src[i+1]] == noBlank && !x.Line && (x.Close == "" || x.Close[0] != ' ')
}

// closer returns the end of the closing delimiter that stands at src[i], with its
// sign, 0 where there is none.
func (x *Expr) closer(src string, i int) int {
	c := src[i]
	if x.Signs != "" && strings.IndexByte(x.Signs, c) >= 0 && strings.HasPrefix(src[i+1:], x.Close) {
		return i + 1 + len(x.Close)
	}
	if c == x.Close[0] && strings.HasPrefix(src[i:], x.Close) {
		return i + len(x.Close)
	}
	return 0
}

func (x *Expr) token(k Kind, start, end int) Token {
	if x.Python && end-start > MaxWord && (k == Name || k == Int || k == Float) {
		return x.invalid(LongWord, start, start+1)
	}
	x.Pos = end
	return Token{k, source.Pos(start), source.Pos(end)}
}

func (x *Expr) eof(start, end int) Token {
	x.Pos, x.ended, x.final = end, true, Token{EOF, source.Pos(start), source.Pos(end)}
	return x.final
}

func (x *Expr) invalid(f Fault, start, end int) Token {
	x.Fault, x.Pos, x.ended, x.final = f, start, true, Token{Invalid, source.Pos(start), source.Pos(end)}
	return x.final
}

func (x *Expr) punct(i int) Token {
	c := x.Src[i]
	if i+1 < x.End {
		if k := double(c, x.Src[i+1]); k != EOF {
			return x.token(k, i, i+2)
		}
	}
	switch c {
	case '(', '[', '{':
		if x.Limit > 0 && x.Depth >= x.Limit {
			return x.invalid(TooDeep, i, i+1)
		}
		if x.Python {
			x.brackets = append(x.brackets[:x.Depth], c+1+c>>6) // of ASCII: () [] {}
		}
		x.Depth++
	case ')', ']', '}':
		if x.Python && x.Wanted() != c {
			return x.invalid(BadBracket, i, i+1)
		}
		x.Depth = max(0, x.Depth-1)
	case '!':
		return x.invalid(BadChar, i, i+1)
	}
	return x.token(single[c], i, i+1)
}

// number reads an integer or a float, as Jinja's lexer does: 42 1_000 0x1F
// 0b1 0o17; 1.0 1e3 1.5e-3 1_0.5. After a dot there are no floats: a.0.1 reads
// items.
func (x *Expr) number(i int) Token {
	src := x.Src[:x.End]
	end := digits(src, i, isDecimal)
	if i == 0 || src[i-1] != '.' {
		f := end
		if f+1 < len(src) && src[f] == '.' && isDecimal(src[f+1]) {
			f = digits(src, f+1, isDecimal)
		}
		if e := f; e < len(src) && src[e]|0x20 == 'e' {
			e++
			if e < len(src) && (src[e] == '+' || src[e] == '-') {
				e++
			}
			if e < len(src) && isDecimal(src[e]) {
				f = digits(src, e, isDecimal)
			}
		}
		if f > end {
			return x.token(Float, i, f)
		}
	}
	if src[i] == '0' {
		if i+1 < len(src) {
			var is func(byte) bool
			switch src[i+1] | 0x20 {
			case 'x':
				is = isHex
			case 'o':
				is = func(c byte) bool { return c >= '0' && c <= '7' }
			case 'b':
				is = func(c byte) bool { return c == '0' || c == '1' }
			}
			if is != nil {
				p := i + 2
				if p < len(src) && src[p] == '_' {
					p++
				}
				if p < len(src) && is(src[p]) {
					return x.token(Int, i, digits(src, p, is))
				}
			}
		}
		// Leading zeros are no decimal number: 007 is the token 00 and a 7.
		end = digits(src, i, func(c byte) bool { return c == '0' })
	}
	return x.token(Int, i, end)
}

// digits returns the end of a run of digits that begins at i, where single
// underscores may stand between digits.
func digits(src string, i int, is func(byte) bool) int {
	for i < len(src) {
		switch {
		case is(src[i]):
			i++
		case src[i] == '_' && i+1 < len(src) && is(src[i+1]):
			i += 2
		default:
			return i
		}
	}
	return i
}

func isDecimal(c byte) bool { return c >= '0' && c <= '9' }
func isHex(c byte) bool     { return isDecimal(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// name reads a name that begins at start and whose first character ended at i.
func (x *Expr) name(src string, start, i int) Token {
	for {
		i = WordEnd(src, i)
		if i >= len(src) || src[i] < utf8.RuneSelf {
			return x.token(Name, start, i)
		}
		r, n := utf8.DecodeRuneInString(src[i:])
		switch {
		case x.Python && isJinjaWord(r) && !isIdentifier(r, false):
			return x.invalid(BadName, i, i+n)
		case !IsNamePart(r) && !(x.Python && isJinjaWord(r)):
			return x.token(Name, start, i)
		}
		i += n
	}
}

// isIdentifier tells whether a name of Jinja may hold r, or begin with it:
// Unicode's XID_Continue and XID_Start, of which Python's names are made.
func isIdentifier(r rune, first bool) bool {
	if unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start) {
		return true
	}
	return !first && unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)
}

// isJinjaWord tells which characters beyond ASCII make up words of Jinja: those of
// Python's \w and the rest of Unicode's XID_Continue. Not all of them may stand in
// names.
func isJinjaWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Pc, unicode.Other_ID_Start, unicode.Other_ID_Continue)
}

// pythonSpaceEnd returns the end of the white space at src[i].
func pythonSpaceEnd(src string, i int) int {
	for i < len(src) {
		n := 1
		switch blanks[src[i]] {
		case noBlank:
			return i
		case highByte:
			var r rune
			if r, n = utf8.DecodeRuneInString(src[i:]); !isPythonSpace(r) {
				return i
			}
		}
		i += n
	}
	return i
}

// pythonSpaceStart returns the start of the white space that ends at i, from at
// least. Where inLine is set, line breaks are none.
func pythonSpaceStart(src string, from, i int, inLine bool) int {
	for i > from {
		n := 1
		switch c := src[i-1]; {
		case blanks[c] == noBlank, inLine && isNewline(c):
			return i
		case blanks[c] == highByte:
			var r rune
			if r, n = utf8.DecodeLastRuneInString(src[from:i]); !isPythonSpace(r) {
				return i
			}
		}
		i -= n
	}
	return i
}

// blanks tells which bytes are white space of Python's, noBlank, or a part of a
// character outside ASCII, which may be.
var blanks = func() (t [256]blankness) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = highByte
		case isPythonSpace(rune(c)):
			t[c] = blank
		}
	}
	return t
}()

type blankness uint8

const (
	noBlank blankness = iota
	blank
	highByte
)

// isPythonSpace tells what Python's str.isspace and \s call white space.
func isPythonSpace(r rune) bool {
	return r == ' ' || r >= '\t' && r <= '\r' || r >= 0x1c && r <= 0x1f || r > 0x7f && unicode.IsSpace(r)
}

// stringEnd returns the length of the string literal that s begins with, 0
// where it is never closed.
func stringEnd(s string) int {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return 0
}

// IsNameStart reports whether a name may begin with r: a letter or `_`.
func IsNameStart(r rune) bool { return r == '_' || unicode.IsLetter(r) && !IsFiller(r) }

// IsNamePart reports whether r may stand inside a name. Besides letters and
// digits these are the combining marks, of which decomposed letters and the
// vowel signs of Indic scripts consist.
func IsNamePart(r rune) bool {
	return r == '_' || (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !IsFiller(r)
}

// IsFiller reports whether r is a letter or mark that cannot be seen, so that
// names with and without it look alike: fillers of Hangul, the grapheme joiner,
// variation selectors.
func IsFiller(r rune) bool {
	switch {
	case r == 0x34f, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0:
		return true
	}
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}
