// Package source holds template texts and positions in them.
//
// What enters: a file's name and text. What leaves: byte offsets (Pos), ranges
// of them (Span), and, on demand only, lines and columns for people.
package source

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Pos is a byte offset into the text of one File. Offsets are 32 bits wide:
// sources are limited to far less than 4 GiB.
type Pos uint32

// Span is the half-open byte range [Start, End) of one File.
type Span struct {
	Start, End Pos
}

// Len is the number of bytes in the span.
func (s Span) Len() int { return int(s.End) - int(s.Start) }

// Cover returns the smallest span that holds both s and t.
func (s Span) Cover(t Span) Span {
	return Span{min(s.Start, t.Start), max(s.End, t.End)}
}

// Position is a place as people count: line and column from 1, the column in
// characters (code points), Offset in bytes from 0.
type Position struct {
	Line, Column, Offset int
}

// File is a named text. It is immutable and safe for concurrent use; the
// table of line starts is made at the first call that needs it.
//
// A File may be a part of a larger document (a text inside a YAML file): then
// Outer names the document and Map translates an offset in Text to an offset in
// Outer.Text. Positions and snippets are then those of the outer document.
type File struct {
	Name string
	Text string

	Outer *File
	Map   func(Pos) Pos

	// Private says that Text is data: diagnostics may name positions in it but
	// never show it.
	Private bool

	// ascii says that Text is known to hold nothing beyond ASCII.
	ascii bool

	// FirstLine is the number of Text's first line where Text is a part of a
	// larger file, such as a row of many; 0 stands for 1.
	FirstLine int

	once  sync.Once
	lines []Pos // offset of the first byte of each line
	// chars[i] is the number of characters before byte i*chunk, so that the
	// columns of a long line take no longer than those of a short one. It is
	// nil where the text is short or no UTF-8.
	chars []uint32
}

// chunk is the distance between the entries of File.chars in bytes.
const chunk = 1024

// New returns a File of this name and text.
func New(name, text string) *File {
	return &File{Name: name, Text: text, ascii: IsASCII(text)}
}

// ASCII reports whether Text is known to hold nothing beyond ASCII, as it is of
// files that New made: then there is no need to look for other characters.
func (f *File) ASCII() bool { return f.ascii }

// IsASCII reports whether s holds ASCII only. It looks at 32 bytes at once, each
// eight of which the compiler reads as one.
func IsASCII(s string) bool {
	const high = 0x8080_8080_8080_8080
	for len(s) >= 32 {
		if (word(s)|word(s[8:])|word(s[16:])|word(s[24:]))&high != 0 {
			return false
		}
		s = s[32:]
	}
	for len(s) >= 8 {
		if word(s)&high != 0 {
			return false
		}
		s = s[8:]
	}
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// word is the first eight bytes of s.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Root returns the outermost document of f, and p translated to it.
func (f *File) Root(p Pos) (*File, Pos) {
	for f.Outer != nil {
		if f.Map != nil {
			p = f.Map(p)
		}
		f = f.Outer
	}
	return f, p
}

func (f *File) table() []Pos {
	f.once.Do(func() {
		f.lines = append(f.lines, 0)
		for i := 0; i < len(f.Text); i++ {
			switch f.Text[i] {
			case '\r':
				if strings.HasPrefix(f.Text[i+1:], "\n") {
					continue
				}
			case '\n':
			default:
				continue
			}
			f.lines = append(f.lines, Pos(i+1))
		}
		if len(f.Text) < 4*chunk || !utf8.ValidString(f.Text) {
			return
		}
		f.chars = make([]uint32, 1, len(f.Text)/chunk+1)
		for i := 0; i+chunk <= len(f.Text); i += chunk {
			f.chars = append(f.chars, f.chars[i/chunk]+uint32(starts(f.Text[i:i+chunk])))
		}
	})
	return f.lines
}

// Position returns line, column and offset of p in f itself (not in f.Outer).
// A p past the end counts as the end.
func (f *File) Position(p Pos) Position {
	p = min(p, Pos(len(f.Text)))
	lines := f.table()
	i := f.LineOf(p) - 1
	return Position{Line: i + max(f.FirstLine, 1), Column: f.count(lines[i], p) + 1, Offset: int(p)}
}

// LineOf returns the number, from 1, of the line that p stands in.
func (f *File) LineOf(p Pos) int {
	lines := f.table()
	return sort.Search(len(lines), func(i int) bool { return lines[i] > p })
}

// count is the number of characters in Text[start:end].
func (f *File) count(start, end Pos) int {
	if f.chars == nil || end-start < 2*chunk {
		return utf8.RuneCountInString(f.Text[start:end])
	}
	before := func(p Pos) int {
		i := p / chunk
		return int(f.chars[i]) + starts(f.Text[i*chunk:p])
	}
	return before(end) - before(start)
}

// starts counts the bytes of s that begin a character.
func starts(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if utf8.RuneStart(s[i]) {
			n++
		}
	}
	return n
}

// Line returns the text of line n (from 1) without its line break, or "" where
// there is no such line.
func (f *File) Line(n int) string {
	lines := f.table()
	if n < 1 || n > len(lines) {
		return ""
	}
	end := len(f.Text)
	if n < len(lines) {
		end = int(lines[n]) - 1
	}
	return strings.TrimSuffix(f.Text[lines[n-1]:end], "\r")
}

// LineStart returns the offset of the first byte of line n (from 1), or the
// text's length where there is no such line.
func (f *File) LineStart(n int) Pos {
	lines := f.table()
	if n < 1 || n > len(lines) {
		return Pos(len(f.Text))
	}
	return lines[n-1]
}

// Slice returns the text of s, cut to the file's length.
func (f *File) Slice(s Span) string {
	n := Pos(len(f.Text))
	start, end := min(s.Start, n), min(s.End, n)
	if start > end {
		return ""
	}
	return f.Text[start:end]
}
