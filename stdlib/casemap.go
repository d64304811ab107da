package stdlib

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// The full case mappings of Unicode, in which a character may become several,
// come from x/text for upper and title case: they are Python's for every
// character. Its lower case looks for the end of a word by other rules than
// Python where it meets a sigma, and its folding turns Cherokee to lower case,
// which Unicode and Python turn to upper case; so these two are ours.

// mapper maps the case of text in memory of its own. One may not serve several
// goroutines at a time.
type mapper struct {
	caser cases.Caser
	src   [512]byte
	dst   [3 * 512]byte // no mapping makes more than three bytes of one
}

var (
	uppers = sync.Pool{New: func() any { return &mapper{caser: cases.Upper(language.Und)} }}
	titles = sync.Pool{New: func() any { return &mapper{caser: cases.Title(language.Und, cases.NoLower)} }}
)

// piece maps the beginning of s, as much as fits, and returns the rest. What it
// gives is valid until the next call.
func (m *mapper) piece(s string) (mapped []byte, rest string) {
	n := copy(m.src[:], s)
	for n < len(s) && n > len(m.src)-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	m.caser.Reset()
	size, _, _ := m.caser.Transform(m.dst[:], m.src[:n], true)
	return m.dst[:size], s[n:]
}

// writeUpper writes the upper case of s.
func writeUpper(b *strings.Builder, s string) {
	m := uppers.Get().(*mapper)
	defer uppers.Put(m)
	for s != "" {
		var mapped []byte
		mapped, s = m.piece(s)
		b.Write(mapped)
	}
}

// writeTitle writes the title case of r.
func writeTitle(b *strings.Builder, r rune) {
	if r < utf8.RuneSelf {
		b.WriteRune(unicode.ToUpper(r))
		return
	}
	m := titles.Get().(*mapper)
	defer titles.Put(m)
	mapped, _ := m.piece(string(r))
	b.Write(mapped)
}

// writeFolded writes s with its case folded: the lower case of its upper case,
// but for the characters that Unicode folds in other ways.
func writeFolded(b *strings.Builder, s string) {
	m := uppers.Get().(*mapper)
	defer uppers.Put(m)
	for s != "" {
		n := strings.IndexFunc(s, foldsOtherwise)
		if n < 0 {
			n = len(s)
		}
		for plain := s[:n]; plain != ""; {
			var mapped []byte
			mapped, plain = m.piece(plain)
			for len(mapped) > 0 {
				r, size := utf8.DecodeRune(mapped)
				b.WriteRune(unicode.ToLower(r))
				mapped = mapped[size:]
			}
		}
		if s = s[n:]; s == "" {
			return
		}
		r, size := utf8.DecodeRuneInString(s)
		switch r {
		case 'ẞ':
			b.WriteString("ss")
		case 'İ':
			b.WriteString("i̇")
		case 'ı':
			b.WriteRune(r)
		default: // Cherokee
			b.WriteRune(unicode.ToUpper(r))
		}
		s = s[size:]
	}
}

func foldsOtherwise(r rune) bool {
	return r == 'ẞ' || r == 'İ' || r == 'ı' || r >= 0x13A0 && unicode.Is(unicode.Cherokee, r)
}
