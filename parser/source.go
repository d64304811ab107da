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
	if utf8.ValidString(f.Text[start:end]) {
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

// warnBidi reports the bidirectional control characters in text, once.
func (p *parser) warnBidi() {
	if len(p.bidi) == 0 || p.errors > 0 {
		return
	}
	at := int(p.bidi[0])
	r, n := utf8.DecodeRuneInString(p.src[at:])
	p.report(diag.New("PCC007", p.file, p.span(at, at+n), "a bidirectional control character, U+%04X, in the text", r))
}
