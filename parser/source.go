package parser

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// checkSource reports a text that is too large or no UTF-8.
func (o *Options) checkSource(f *source.File, start, end int) *diag.Diagnostic {
	most := o.Source
	if most == 0 {
		most = MaxSource
	}
	if int64(end-start) > most {
		return diag.New("PCC902", f, source.Span{Start: source.Pos(start), End: source.Pos(start)},
			"the template has more than %d bytes", most)
	}
	if f.ASCII() || utf8.ValidString(f.Text[start:end]) {
		return nil
	}
	at := start
	for at < end {
		r, n := utf8.DecodeRuneInString(f.Text[at:end])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	return diag.New("PCC001", f, source.Span{Start: source.Pos(at), End: source.Pos(at + 1)},
		"the template is not valid UTF-8: byte 0x%02X at offset %d", f.Text[at], at)
}

// isBidi reports whether r changes the direction of text: a mark, an embedding,
// an override or an isolate (Unicode's property Bidi_Control), which can make
// source read unlike what it is.
func isBidi(r rune) bool {
	switch r {
	case 0x061c, 0x200e, 0x200f:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// findBidi returns the offsets of the bidirectional control characters.
func findBidi(src string, start, end int) []source.Pos {
	// All are encoded as E2 80 xx or E2 81 xx, but U+061C, which is D8 9C.
	var found []source.Pos
	for _, lead := range [...]byte{0xe2, 0xd8} {
		for i := start; ; i++ {
			n := strings.IndexByte(src[i:end], lead)
			if n < 0 {
				break
			}
			i += n
			if r, _ := utf8.DecodeRuneInString(src[i:end]); isBidi(r) {
				found = append(found, source.Pos(i))
			}
		}
	}
	slices.Sort(found)
	return found
}

// findInvisible returns the offset of the first character that prints as nothing
// and that no text needs, -1 where there is none: zero-width spaces and joiners
// of words, invisible operators, byte order marks, tag characters. The joiners
// of emoji and scripts, variation selectors, and the tags of which the flags of
// regions consist are no such characters.
func findInvisible(src string, start, end int) int {
	found := end
	for _, lead := range [...]byte{0xe2, 0xef, 0xf3} {
		for i := start; ; {
			n := strings.IndexByte(src[i:found], lead)
			if n < 0 {
				break
			}
			i += n
			switch r, width := utf8.DecodeRuneInString(src[i:end]); {
			case r == 0x200b, r >= 0x2060 && r <= 0x2064, r == 0xfeff, isTag(r) && !flagAt(src[start:i]):
				found = i
			default:
				i += width
			}
		}
	}
	if found == end {
		return -1
	}
	return found
}

// isTag reports whether r is a tag character: an ASCII character's invisible
// double.
func isTag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

// flagAt reports whether a flag and no more than its tags end text.
func flagAt(text string) bool {
	const mostTags = 8 // a region's code has up to 6 letters
	for range mostTags {
		r, n := utf8.DecodeLastRuneInString(text)
		if !isTag(r) {
			return r == 0x1f3f4
		}
		text = text[:len(text)-n]
	}
	return false
}

// invisible makes the warning of an invisible character in f, nil where there
// is none.
func invisible(f *source.File, start, end int) *diag.Diagnostic {
	if f.ASCII() {
		return nil
	}
	at := findInvisible(f.Text, start, end)
	if at < 0 {
		return nil
	}
	r, n := utf8.DecodeRuneInString(f.Text[at:])
	return diag.New("PCC009", f, source.Span{Start: source.Pos(at), End: source.Pos(at + n)}, "an invisible character, U+%04X", r)
}

// bidiIn reports a bidirectional control character in a tag.
func (p *parser) bidiIn(start, end int) *diag.Diagnostic {
	if len(p.bidi) == 0 {
		return nil
	}
	i := sort.Search(len(p.bidi), func(i int) bool { return p.bidi[i] >= source.Pos(start) })
	if i == len(p.bidi) || p.bidi[i] >= source.Pos(end) {
		return nil
	}
	at := int(p.bidi[i])
	r, n := utf8.DecodeRuneInString(p.src[at:])
	return diag.New("PCC006", p.file, p.span(at, at+n), "a bidirectional control character, U+%04X, in a tag", r)
}

// warnUnseen reports bidirectional control characters in text, and invisible
// characters, once each.
func (p *parser) warnUnseen() {
	if p.errors > 0 {
		return
	}
	start, end := bodyOf(p.file, p.opts)
	if d := invisible(p.file, start, end); d != nil {
		p.report(d)
	}
	if len(p.bidi) == 0 {
		return
	}
	at := int(p.bidi[0])
	r, n := utf8.DecodeRuneInString(p.src[at:])
	p.report(diag.New("PCC007", p.file, p.span(at, at+n), "a bidirectional control character, U+%04X, in the text", r))
}
