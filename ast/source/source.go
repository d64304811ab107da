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

	once  sync.Once
	lines []Pos // offset of the first byte of each line
}

// New returns a File of this name and text.
func New(name, text string) *File { return &File{Name: name, Text: text} }

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
		for i := 0; ; {
			n := strings.IndexByte(f.Text[i:], '\n')
			if n < 0 {
				return
			}
			i += n + 1
			f.lines = append(f.lines, Pos(i))
		}
	})
	return f.lines
}

// Position returns line, column and offset of p in f itself (not in f.Outer).
// A p past the end counts as the end.
func (f *File) Position(p Pos) Position {
	p = min(p, Pos(len(f.Text)))
	lines := f.table()
	i := sort.Search(len(lines), func(i int) bool { return lines[i] > p }) - 1
	col := utf8.RuneCountInString(f.Text[lines[i]:p]) + 1
	return Position{Line: i + 1, Column: col, Offset: int(p)}
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
