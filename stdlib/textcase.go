package stdlib

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// Case and character classes as Python's str has them: full case mappings,
// which may change the number of characters, with the Greek final sigma.

// upperText is str.upper.
var upperText = inPieces(func(s string) string {
	if source.IsASCII(s) {
		return strings.ToUpper(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	writeUpper(&b, s)
	return b.String()
})

// lowerText is str.lower.
func lowerText(env *vm.Env, s string) string {
	if len(s) <= pieceBytes && source.IsASCII(s) {
		return strings.ToLower(s)
	}
	if r, size := utf8.DecodeRuneInString(s); size == len(s) && size > 1 && unicode.ToLower(r) == r {
		return s // a letter of a longer text, often, for which nothing is allocated
	}
	return build(env, s, func(b *strings.Builder, part string, at int) {
		if source.IsASCII(part) {
			b.WriteString(strings.ToLower(part))
			return
		}
		for i, r := range part {
			writeLower(b, s, at+i, r)
		}
	})
}

// writeLower writes the lower case of r, which stands at s[i:].
func writeLower(b *strings.Builder, s string, i int, r rune) {
	switch r {
	case 'İ':
		b.WriteString("i̇")
	case 'Σ':
		if isFinalSigma(s, i) {
			b.WriteRune('ς')
		} else {
			b.WriteRune('σ')
		}
	default:
		b.WriteRune(unicode.ToLower(r))
	}
}

// isFinalSigma applies Unicode's Final_Sigma condition to the sigma at s[i:].
// The walk over case-ignorable characters is capped, to stay linear.
func isFinalSigma(s string, i int) bool {
	const most = 64
	before := false
	for j, n := i, 0; j > 0 && n < most; n++ {
		r, size := utf8.DecodeLastRuneInString(s[:j])
		j -= size
		if !isCaseIgnorable(r) {
			before = isCased(r)
			break
		}
	}
	if !before {
		return false
	}
	rest := s[i+len("Σ"):]
	for n := 0; n < most && rest != ""; n++ {
		r, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		if !isCaseIgnorable(r) {
			return !isCased(r)
		}
	}
	return true
}

func isCaseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r)
}

func isLowerRune(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }
func isUpperRune(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }
func isCased(r rune) bool {
	return isLowerRune(r) || isUpperRune(r) || unicode.IsTitle(r)
}

// capitalizeText is str.capitalize: first character in title case, the rest
// in lower case.
func capitalizeText(env *vm.Env, s string) string {
	return build(env, s, func(b *strings.Builder, part string, at int) {
		for i, r := range part {
			if at+i == 0 {
				writeTitle(b, r)
			} else {
				writeLower(b, s, at+i, r)
			}
		}
	})
}

// titleText is str.title: a letter after one that has no case is a beginning.
func titleText(env *vm.Env, s string) string {
	inside := false
	return build(env, s, func(b *strings.Builder, part string, at int) {
		for i, r := range part {
			if inside {
				writeLower(b, s, at+i, r)
			} else {
				writeTitle(b, r)
			}
			inside = isCased(r)
		}
	})
}

// titleWords is Jinja's title filter: words begin after white space and any of
// - ( { [ <, and keep apostrophes inside.
func titleWords(env *vm.Env, s string) string {
	start := 0
	word := func(b *strings.Builder, w string) {
		if w == "" {
			return
		}
		_, size := utf8.DecodeRuneInString(w)
		b.WriteString(upperText(env, w[:size]))
		env.Append(b, lowerText(env, w[size:]))
	}
	return build(env, s, func(b *strings.Builder, part string, at int) {
		for i, r := range part {
			if isSpace(r) || strings.ContainsRune("-({[<", r) {
				word(b, s[start:at+i])
				b.WriteRune(r)
				start = at + i + utf8.RuneLen(r)
			}
		}
		if at+len(part) == len(s) {
			word(b, s[start:])
		}
	})
}

// swapcaseText is str.swapcase.
func swapcaseText(env *vm.Env, s string) string {
	return build(env, s, func(b *strings.Builder, part string, at int) {
		for i, r := range part {
			switch {
			case isUpperRune(r):
				writeLower(b, s, at+i, r)
			case isLowerRune(r):
				if r < utf8.RuneSelf {
					b.WriteRune(unicode.ToUpper(r))
				} else {
					writeUpper(b, string(r))
				}
			default:
				b.WriteRune(r)
			}
		}
	})
}

// casefoldText is str.casefold.
var casefoldText = inPieces(func(s string) string {
	if source.IsASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	writeFolded(&b, s)
	return b.String()
})

// isSpace is Python's idea of white space, which has four control characters
// more than Unicode's.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
}

// isLineBreak tells the characters at which str.splitlines splits.
func isLineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// digitRanges are the characters that str.isdigit accepts and that are no
// decimal digits: superscripts, circled and the like (Numeric_Type=Digit).
var digitRanges = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0xb2, Hi: 0xb3, Stride: 1}, {Lo: 0xb9, Hi: 0xb9, Stride: 1},
		{Lo: 0x1369, Hi: 0x1371, Stride: 1}, {Lo: 0x19da, Hi: 0x19da, Stride: 1},
		{Lo: 0x2070, Hi: 0x2070, Stride: 1}, {Lo: 0x2074, Hi: 0x2079, Stride: 1},
		{Lo: 0x2080, Hi: 0x2089, Stride: 1}, {Lo: 0x2460, Hi: 0x2468, Stride: 1},
		{Lo: 0x2474, Hi: 0x247c, Stride: 1}, {Lo: 0x2488, Hi: 0x2490, Stride: 1},
		{Lo: 0x24ea, Hi: 0x24ea, Stride: 1}, {Lo: 0x24f5, Hi: 0x24fd, Stride: 1},
		{Lo: 0x24ff, Hi: 0x24ff, Stride: 1}, {Lo: 0x2776, Hi: 0x277e, Stride: 1},
		{Lo: 0x2780, Hi: 0x2788, Stride: 1}, {Lo: 0x278a, Hi: 0x2792, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x10a40, Hi: 0x10a43, Stride: 1}, {Lo: 0x10e60, Hi: 0x10e68, Stride: 1},
		{Lo: 0x11052, Hi: 0x1105a, Stride: 1}, {Lo: 0x1f100, Hi: 0x1f10a, Stride: 1},
	},
	LatinOffset: 2,
}

// numericIdeographs are letters that str.isnumeric accepts.
const numericIdeographs = "\u3405\u3483\u382a\u3b4d\u4e00\u4e03\u4e07\u4e09\u4e5d\u4e8c\u4e94\u4e96" +
	"\u4ebf\u4ec0\u4edf\u4ee8\u4f0d\u4f70\u5104\u5146\u5169\u516b\u516d\u5341" +
	"\u5343\u5344\u5345\u534c\u53c1\u53c2\u53c3\u53c4\u56db\u58f1\u58f9\u5e7a" +
	"\u5efe\u5eff\u5f0c\u5f0d\u5f0e\u5f10\u62fe\u634c\u67d2\u6f06\u7396\u767e" +
	"\u8086\u842c\u8cae\u8cb3\u8d30\u9621\u9646\u964c\u9678\u96f6\uf96b\uf973" +
	"\uf978\uf9b2\uf9d1\uf9d3\uf9fd\U00020001\U00020064\U000200e2\U00020121\U0002092a\U00020983\U0002098c" +
	"\U0002099c\U00020aea\U00020afd\U00020b19\U00022390\U00022998\U00023b1b\U0002626d\U0002f890"

func isDecimalRune(r rune) bool { return unicode.IsDigit(r) }
func isDigitRune(r rune) bool   { return unicode.IsDigit(r) || unicode.Is(digitRanges, r) }
func isNumericRune(r rune) bool {
	return unicode.IsNumber(r) || unicode.IsLetter(r) && strings.ContainsRune(numericIdeographs, r)
}
func isAlnumRune(r rune) bool { return unicode.IsLetter(r) || isNumericRune(r) }

// isPrintableRune is str.isprintable for one character.
func isPrintableRune(r rune) bool {
	if r == ' ' {
		return true
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}

// notXIDStart are letters that cannot begin an identifier, because their
// compatibility forms begin with something else (ID_Start less XID_Start).
var notXIDStart = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x37a, Hi: 0x37a, Stride: 1}, {Lo: 0xe33, Hi: 0xe33, Stride: 1}, {Lo: 0xeb3, Hi: 0xeb3, Stride: 1},
	{Lo: 0x2e2f, Hi: 0x2e2f, Stride: 1}, {Lo: 0xfc5e, Hi: 0xfc63, Stride: 1}, {Lo: 0xfdfa, Hi: 0xfdfb, Stride: 1},
	{Lo: 0xfe70, Hi: 0xfe7e, Stride: 2}, {Lo: 0xff9e, Hi: 0xff9f, Stride: 1},
}}

func isIdentifierStart(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) && !unicode.Is(notXIDStart, r)
}

// isIdentifierText is str.isidentifier.
func isIdentifierText(env *vm.Env, s string) bool {
	for p := env.Parts(s); p.Next(); {
		for i, r := range p.Text {
			start := isIdentifierStart(r)
			if p.At+i == 0 && !start {
				return false
			}
			if !start && !unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) {
				return false
			}
		}
	}
	return s != ""
}

// allRunes reports whether s has characters and all of them satisfy is.
func allRunes(env *vm.Env, s string, is func(rune) bool) bool {
	return s != "" && indexRune(env, s, func(r rune) bool { return !is(r) }) < 0
}

// runesAre makes a question about text of one about characters.
func runesAre(is func(rune) bool) func(*vm.Env, string) bool {
	return func(env *vm.Env, s string) bool { return allRunes(env, s, is) }
}

// caseIs reports whether s has a cased character and none of the other case.
func caseIs(env *vm.Env, s string, want, other func(rune) bool) bool {
	found := false
	for p := env.Parts(s); p.Next(); {
		for _, r := range p.Text {
			if other(r) || unicode.IsTitle(r) {
				return false
			}
			found = found || want(r)
		}
	}
	return found
}

func isLowerText(env *vm.Env, s string) bool { return caseIs(env, s, isLowerRune, isUpperRune) }
func isUpperText(env *vm.Env, s string) bool { return caseIs(env, s, isUpperRune, isLowerRune) }

// isTitleText is str.istitle.
func isTitleText(env *vm.Env, s string) bool {
	inside, found := false, false
	for p := env.Parts(s); p.Next(); {
		for _, r := range p.Text {
			switch {
			case isUpperRune(r) || unicode.IsTitle(r):
				if inside {
					return false
				}
				inside, found = true, true
			case isLowerRune(r):
				if !inside {
					return false
				}
				inside, found = true, true
			default:
				inside = false
			}
		}
	}
	return found
}

// inSet reports membership of the characters of chars, quickly for many: as many
// bits as there are code points, however long chars is.
func inSet(env *vm.Env, chars string) (func(rune) bool, error) {
	if len(chars) <= 16 {
		return func(r rune) bool { return strings.ContainsRune(chars, r) }, nil
	}
	if err := env.Step(1 + len(chars)/32); err != nil {
		return nil, err
	}
	highest := rune(0)
	for _, r := range chars {
		highest = max(highest, r)
	}
	if err := env.Charge(int(highest) / 8); err != nil {
		return nil, err
	}
	set := make([]uint64, highest/64+1)
	for _, r := range chars {
		set[r/64] |= 1 << (r % 64)
	}
	return func(r rune) bool { return r <= highest && set[r/64]>>(r%64)&1 != 0 }, nil
}

// runeCount is Python's len of a text.
func runeCount(s string) int { return utf8.RuneCountInString(s) }

// cutRunes returns the first n characters of s and the rest.
func cutRunes(s string, n int) (head, tail string) {
	if n <= 0 {
		return "", s
	}
	if isASCIIPrefix(s, n) {
		return s[:n], s[n:]
	}
	// Counting is faster than walking: whole blocks first.
	const block = 4 << 10
	from := 0
	for n > block && len(s)-from > block {
		end := from + block
		for !utf8.RuneStart(s[end]) && end > from+block-utf8.UTFMax {
			end--
		}
		n -= runeCount(s[from:end])
		from = end
	}
	for i := range s[from:] {
		if n == 0 {
			return s[:from+i], s[from+i:]
		}
		n--
	}
	return s, ""
}

func isASCIIPrefix(s string, n int) bool { return n <= len(s) && source.IsASCII(s[:n]) }
