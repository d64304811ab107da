package lexer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tag reads the inside of a tag up to its closer into p. The closer counts only where
// no bracket is open and a token could begin, so that `}}` may stand in a
// string or end two dicts.
func (s *JinjaScanner) tag(p *JinjaPiece, op *opening, kind JinjaKind, closer string) {
	end, state := s.inside(op.end, closer, kind == JinjaTag, false)
	*p = JinjaPiece{Kind: kind, Inside: s.span(op.end, end), Fault: s.fault}
	switch state {
	case insideClosed:
		s.pos = s.after
		p.Closed = true
		span := end + len(closer)
		if !standsAt(s.src, end, closer) {
			span++ // its sign
		}
		p.Span = s.span(op.start, span)
		return
	case insideBad:
		p.Broken = true
		// Go on behind the next closer.
		if n := strings.Index(s.src[end:], closer); n >= 0 {
			s.pos, _ = s.closer(end+n, closer, kind == JinjaTag)
			p.Closed = true
			p.Span = s.span(op.start, end+n+len(closer))
			return
		}
	case insideDeep:
		p.Broken = true
	}
	s.pos = len(s.src)
	p.Span = s.span(op.start, s.pos)
}

// lineStatement reads a statement up to the end of its line; the line goes on
// while a bracket is open. Blank lines that follow belong to it.
func (s *JinjaScanner) lineStatement(op opening) JinjaPiece {
	p := JinjaPiece{Kind: JinjaTag, Closed: true}
	end, state := s.inside(op.end, "", true, true)
	p.Inside, p.Fault = s.span(op.end, end), s.fault
	p.Broken = state == insideBad || state == insideDeep
	switch state {
	case insideBad:
		s.pos = len(s.src)
		if n := strings.IndexAny(s.src[end:], "\n\r"); n >= 0 {
			s.pos = s.skipNewline(end + n)
		}
	case insideClosed:
		s.pos = s.lineEnd(end)
	case insideOpen:
		p.Closed = len(s.brackets) == 0
		s.pos = len(s.src)
	case insideDeep:
		s.pos = len(s.src)
	}
	p.Span = s.span(op.start, end)
	return p
}

// lineEnd returns the end of the last line break in the white space at pos, or
// the source's end where only white space follows; 0 where neither is there.
func (s *JinjaScanner) lineEnd(pos int) int {
	end := s.skipSpace(pos)
	if end == len(s.src) {
		return end
	}
	return pos + strings.LastIndexAny(s.src[pos:end], "\n\r") + 1
}

type insideState uint8

const (
	insideClosed insideState = iota // at a closer
	insideOpen                      // the source ends first
	insideBad                       // a character that no token has
	insideDeep                      // brackets too deep
)

// inside skips tokens from pos to the closer. It knows of tokens only as much
// as is needed to see where each one ends.
func (s *JinjaScanner) inside(pos int, closer string, block, line bool) (end int, state insideState) {
	s.brackets = s.brackets[:0]
	if s.fault != nil { // a store of a pointer costs more than a look
		s.fault = nil
	}
	if !line {
		pos = s.skipSimple(pos, closer[0])
	}
	for pos < len(s.src) {
		c := s.src[pos]
		class := jinjaBytes[c]
		if len(s.brackets) == 0 {
			if line {
				if class == spaceByte || class == wideByte {
					if s.lineEnd(pos) > pos {
						return pos, insideClosed
					}
					if next := s.skipSpace(pos); next > pos {
						pos = next
						continue
					}
				}
			} else if c == closer[0] || c == '-' || c == '+' {
				if after, ok := s.closer(pos, closer, block); ok {
					s.after = after
					return pos, insideClosed
				}
			}
		}
		switch class {
		case spaceByte, operatorByte:
			pos++
		case wordByte:
			if pos, state = s.word(pos); state == insideBad {
				return pos, state
			}
		case pairByte: // an operator, alone or followed by a second character
			if pos+1 < len(s.src) && isPair(c, s.src[pos+1]) {
				pos++
			} else if c == '!' {
				return s.badChar(pos, 1)
			}
			pos++
		case quoteByte:
			n := stringEnd(s.src[pos:])
			if n == 0 {
				s.blame("PCC053", s.span(pos, pos+1), "string is never closed")
				return pos, insideBad
			}
			pos += n
		case openByte:
			if len(s.brackets) >= s.depth {
				s.blame("PCC901", s.span(pos, pos+1), "brackets are nested more than %d deep", s.depth)
				return pos, insideDeep
			}
			s.brackets = append(s.brackets, closing[c])
			pos++
		case closeByte:
			n := len(s.brackets)
			switch {
			case n == 0:
				s.blame("PCC054", s.span(pos, pos+1), "unexpected `%c`", c)
				return pos, insideBad
			case s.brackets[n-1] != c:
				s.blame("PCC054", s.span(pos, pos+1), "unexpected `%c`, expected `%c`", c, s.brackets[n-1])
				return pos, insideBad
			}
			s.brackets = s.brackets[:n-1]
			pos++
		case wideByte:
			r, n := utf8.DecodeRuneInString(s.src[pos:])
			switch {
			case isPythonSpace(r):
				pos += n
			case isJinjaWord(r):
				if pos, state = s.word(pos); state == insideBad {
					return pos, state
				}
			default:
				return s.badChar(pos, n)
			}
		default:
			return s.badChar(pos, 1)
		}
	}
	return pos, insideOpen
}

// skipSimple skips names, numbers, blanks and marks of one byte from pos on, up
// to what begins with another byte. The closer must begin with one of those.
func (s *JinjaScanner) skipSimple(pos int, closer byte) int {
	if simpleBytes[closer] {
		return pos
	}
	src, end := s.src, pos
	for end < len(src) && simpleBytes[src[end]] {
		end++
	}
	if end-pos > maxWord || end < len(src) && src[end] >= utf8.RuneSelf {
		return pos // a word may be too long, or go on
	}
	return end
}

// simpleBytes are those of words, white space, and marks that neither sign or
// begin a closer nor make up others.
var simpleBytes = func() (t [256]bool) {
	for c := range t {
		switch jinjaBytes[c] {
		case wordByte, spaceByte:
			t[c] = true
		case operatorByte:
			t[c] = c != '-' && c != '+' && c != '%'
		}
	}
	return t
}()

func (s *JinjaScanner) badChar(pos, n int) (int, insideState) {
	d := s.blame("PCC055", s.span(pos, pos+n), "unexpected character %s", quoteChar(s.src[pos:pos+n]))
	if h := charHints[s.src[pos]]; h != "" {
		d.Help = h
	}
	return pos, insideBad
}

// charHints say what to write in place of a character of other languages.
var charHints = map[byte]string{
	'!': "write `not x`",
	'&': "write `a and b`",
	'?': "write `a if condition else b`",
	'$': "names have no `$`",
	'`': "quote strings with ' or \"",
}

func quoteChar(s string) string {
	if r, _ := utf8.DecodeRuneInString(s); r == utf8.RuneError || !unicode.IsPrint(r) {
		return "(not printable)"
	}
	return "`" + s + "`"
}

// maxWord is the greatest length of a name or number in bytes.
const maxWord = 1 << 16

// word skips a name or number. A character that Jinja takes for part of a word
// but Python not for part of a name is an error.
func (s *JinjaScanner) word(pos int) (int, insideState) {
	for start := pos; pos < len(s.src); {
		end := min(len(s.src), start+maxWord+1)
		for pos < end && jinjaBytes[s.src[pos]] == wordByte {
			pos++
		}
		if pos == len(s.src) {
			break
		}
		if pos-start > maxWord {
			s.blame("PCC055", s.span(start, start+1), "a name or number of more than %d bytes", maxWord)
			return pos, insideBad
		}
		if s.src[pos] < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(s.src[pos:])
		if !isJinjaWord(r) {
			break
		}
		if !isIdentifier(r, pos == start) {
			s.blame("PCC055", s.span(pos, pos+n), "invalid character %s in a name", quoteChar(s.src[pos:pos+n]))
			return pos, insideBad
		}
		pos += n
	}
	return pos, insideOpen
}

// isIdentifier tells whether a name may hold r, or begin with it: Unicode's
// XID_Continue and XID_Start, of which Python's names are made.
func isIdentifier(r rune, first bool) bool {
	if unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start) {
		return true
	}
	return !first && unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)
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

// isJinjaWord tells which characters beyond ASCII make up words: those of
// Python's \w and the rest of Unicode's XID_Continue. Whether a word is a good
// name is decided later.
func isJinjaWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Pc, unicode.Other_ID_Start, unicode.Other_ID_Continue)
}

type byteClass uint8

const (
	badByte byteClass = iota
	spaceByte
	wordByte
	operatorByte
	pairByte
	quoteByte
	openByte
	closeByte
	wideByte // begins a character beyond ASCII
)

// jinjaBytes classes the bytes with which a token may begin.
var jinjaBytes = func() (t [256]byteClass) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = wideByte
		case c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			t[c] = wordByte
		case isPythonSpace(rune(c)):
			t[c] = spaceByte
		}
	}
	for _, g := range []struct {
		bytes string
		class byteClass
	}{
		{"+-%~.:|,;", operatorByte}, {"/*=!<>", pairByte}, {`'"`, quoteByte}, {"([{", openByte}, {")]}", closeByte},
	} {
		for i := range len(g.bytes) {
			t[g.bytes[i]] = g.class
		}
	}
	return t
}()

var closing = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// isPair tells whether a and b make one operator: // ** == != <= >=.
func isPair(a, b byte) bool {
	switch a {
	case '/', '*':
		return a == b
	}
	return b == '='
}
