package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/source"
)

// Bounds of one rendered diagnostic. They keep a hostile template from filling
// a log: the whole stays below maxBytes in every format that is meant for
// people.
const (
	maxBytes      = 4 << 10
	maxMessage    = 1000 // bytes of a message
	maxHelp       = 400  // bytes of a help line
	maxNote       = 200  // bytes of a note
	maxLabelText  = 160  // bytes of the text beside a caret
	maxFileName   = 200  // bytes of a file's name
	maxTraceEntry = 120
)

// resolve translates a span of f, which may be part of a document, to the
// outermost file, and cuts it to that file's length.
func resolve(f *source.File, s source.Span) (*source.File, source.Span) {
	root, start := f.Root(s.Start)
	end := start
	if s.End > s.Start {
		// The end is exclusive: the byte after the last one may lie anywhere
		// in the document, the last one is inside.
		_, last := f.Root(s.End - 1)
		end = last + 1
	}
	n := source.Pos(len(root.Text))
	start, end = min(start, n), min(end, n)
	return root, source.Span{Start: start, End: max(start, end)}
}

// place is a resolved span with its lines and columns.
type place struct {
	file       *source.File
	span       source.Span
	start, end source.Position
}

func placeOf(f *source.File, s source.Span) (place, bool) {
	if f == nil {
		return place{}, false
	}
	root, span := resolve(f, s)
	return place{root, span, root.Position(span.Start), root.Position(span.End)}, true
}

// Shorten cuts s to at most n bytes at a character boundary and marks the cut.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// shortenLeft keeps the end of s, which tells more of a path.
func shortenLeft(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - n + len("…")
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return "…" + s[i:]
}

// Visible is s with what a terminal would obey or hide replaced, line breaks as
// well: text from outside is safe to print in one line then.
func Visible(s string) string { return visible(s) }

// visible replaces what a terminal would obey or hide — control characters,
// bidirectional controls, invisible characters, bytes that are not UTF-8 — by
// something that can be seen.
func visible(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7F {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if v, ok := visibleRune(r, n, s[i]); ok {
			b.WriteString(v)
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// visibleRune returns the replacement of a decoded character; ok is false
// where it is shown as it is. size and first are the character's length in
// bytes and its first byte, to tell U+FFFD from a byte that is no UTF-8.
func visibleRune(r rune, size int, first byte) (string, bool) {
	switch {
	case r == utf8.RuneError && size <= 1:
		return fmt.Sprintf("<%02X>", first), true
	case r < 0x20:
		return string(0x2400 + r), true // the Control Pictures block
	case r == 0x7F:
		return "␡", true
	case r >= 0x80 && r < 0xA0,
		r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, // bidirectional embeddings, isolates
		r == 0x200E || r == 0x200F || r == 0x61C,               // bidirectional marks
		r == 0x200B || r == 0x2060 || r == 0xFEFF || r == 0xAD, // invisible
		r == 0x2028 || r == 0x2029,                             // line ends to some viewers
		r >= 0xE0000 && r <= 0xE007F:                           // tag characters
		return fmt.Sprintf("<U+%04X>", r), true
	}
	return "", false
}
