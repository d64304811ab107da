package parser

import (
	"sort"
	"strings"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// This file looks over a text whose syntax is not known yet: what stands in
// comments and raw blocks of any family says nothing about it.

// hidden are the insides of comments and raw blocks, in order; jinja is the first
// closed raw block of Jinja among them.
type hidden struct {
	spans []source.Span
	jinja source.Span
}

// has reports whether offset at is hidden.
func (h *hidden) has(at int) bool {
	if h == nil {
		return false
	}
	i := sort.Search(len(h.spans), func(i int) bool { return int(h.spans[i].End) > at })
	return i < len(h.spans) && int(h.spans[i].Start) < at
}

// hides reports whether a text may hold comments or raw blocks, which hide tags.
func hides(src string) bool {
	return strings.Contains(src, "{#") || strings.Contains(src, "<#") || strings.Contains(src, "raw")
}

// findHidden finds what src[start:end] hides. An opener whose closer is not there
// hides nothing, and is looked for once.
func findHidden(src string, start, end int) *hidden {
	h := new(hidden)
	src = src[:end]
	braces, angles := findRawClosers(src, start, lexer.Brace()), findRawClosers(src, start, lexer.Angle())
	none := map[string]bool{}
	until := func(from int, closer string) int {
		if none[closer] {
			return -1
		}
		n := strings.Index(src[from:], closer)
		if none[closer] = n < 0; n < 0 {
			return -1
		}
		return from + n + len(closer)
	}
	behind := func(tags []rawTag, from int) int {
		i := sort.Search(len(tags), func(i int) bool { return tags[i].start >= from })
		if i == len(tags) {
			return -1
		}
		return tags[i].end
	}
	for i := start; ; {
		n := strings.IndexAny(src[i:], "{<")
		if n < 0 {
			return h
		}
		at := i + n
		i = at + 1
		rest, stop := src[at:], -1
		switch {
		case commentAt(rest, "{#", "#}"):
			stop = until(at+2, "#}")
		case commentAt(rest, "<#", "#>"):
			stop = until(at+2, "#>")
		case strings.HasPrefix(rest, "{raw}"):
			stop = behind(braces.soft, at)
		case strings.HasPrefix(rest, "{{"):
			word := at + 2 + blanksAt(src[at+2:])
			if tail := src[word:]; strings.HasPrefix(tail, "raw") && strings.HasPrefix(tail[3+blanksAt(tail[3:]):], "}}") {
				stop = behind(braces.hard, at)
			}
		case strings.HasPrefix(rest, "<<raw>>"):
			stop = behind(angles.hard, at)
		case strings.HasPrefix(rest, "{%") && jinjaKeyword(src, at+2) == "raw":
			if stop = until(at+2, "endraw"); stop >= 0 && h.jinja == (source.Span{}) {
				h.jinja = source.Span{Start: source.Pos(at), End: source.Pos(at + 2)}
			}
		}
		if stop > at {
			h.spans = append(h.spans, source.Span{Start: source.Pos(at), End: source.Pos(stop)})
			i = stop
		}
	}
}

// commentAt reports whether a comment opens at the head of s.
func commentAt(s, open, closer string) bool {
	if !strings.HasPrefix(s, open) || len(s) == len(open) {
		return false
	}
	c := s[len(open)]
	return isSpace(c) || c == '-' && open == "{#" || strings.HasPrefix(s[1:], closer)
}

// jinjaSign finds the first tag of Jinja that opens a block or stands alone, and
// is closed, in src[start:end].
func jinjaSign(src string, start, end int, h *hidden) (word string, at source.Span) {
	src = src[:end]
	for i := start; ; {
		n := strings.Index(src[i:], "{%")
		if n < 0 {
			break
		}
		open := i + n
		i = open + 2
		w := jinjaKeyword(src, i)
		switch {
		case w == "", w == "else", w == "elif", w == "raw", w == "pluralize", strings.HasPrefix(w, "end"), h.has(open):
			continue
		}
		rest := src[i:]
		if next := strings.Index(rest, "{%"); next >= 0 {
			rest = rest[:next]
		}
		if c := strings.Index(rest, "%}"); c >= 0 {
			word, at = w, source.Span{Start: source.Pos(open), End: source.Pos(i + c + 2)}
			break
		}
	}
	if none := (source.Span{}); h != nil && h.jinja != none && (at == none || h.jinja.Start < at.Start) {
		return "raw", h.jinja
	}
	return word, at
}
