package document

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// TextFile returns the text of a string scalar as a source file of its own,
// whose positions are translated to f, the file that s was read from: through
// quotes and escapes, folded lines and the indentation of block scalars.
func TextFile(f *source.File, s *ast.Structure) *source.File {
	a := aligner{src: f.Text, at: int(s.Start), value: s.Str}
	a.run()
	segments := a.segments
	if len(segments) == 0 {
		segments = []segment{{0, int(s.Start)}}
	}
	n, last := len(s.Str), source.Pos(len(f.Text))
	return &source.File{Name: f.Name, Text: s.Str, Outer: f, Map: func(p source.Pos) source.Pos {
		off := min(int(p), n)
		i := sort.Search(len(segments), func(i int) bool { return segments[i].value > off }) - 1
		if i < 0 {
			return s.Start
		}
		return min(source.Pos(segments[i].src+off-segments[i].value), last)
	}}
}

// segment says that from offset value of the scalar's text on, bytes stand
// one for one in the source from offset src on.
type segment struct{ value, src int }

// aligner reads a scalar's source again, beside the value that the YAML or
// JSON reader made of it, and records where each byte came from. It stops
// where the two differ: what follows keeps the last known place.
type aligner struct {
	src      string
	at       int // offset in src
	value    string
	done     int // bytes of value that are aligned
	segments []segment
}

// run aligns the whole scalar and reports whether source and value agree;
// a.at is then the offset behind the scalar.
func (a *aligner) run() bool {
	if a.at < len(a.src) {
		switch a.src[a.at] {
		case '"':
			return a.double()
		case '\'':
			return a.single()
		case '|':
			return a.block(false)
		case '>':
			return a.block(true)
		}
	}
	return a.flow("", a.plainByte)
}

// put aligns n source bytes at a.at with text, the value's next bytes.
func (a *aligner) put(n int, text string) bool {
	if !strings.HasPrefix(a.value[a.done:], text) {
		return false
	}
	if k := len(a.segments) - 1; k < 0 || a.segments[k].src-a.segments[k].value != a.at-a.done {
		a.segments = append(a.segments, segment{a.done, a.at})
	}
	a.done += len(text)
	a.at += n
	if n != len(text) {
		// The bytes behind belong to the next source character.
		a.segments = append(a.segments, segment{a.done, a.at})
	}
	return true
}

// breakLen is the length of the line break at offset i of s, 0 where there is
// none.
func breakLen(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	switch s[i] {
	case '\n':
		return 1
	case '\r':
		if i+1 < len(s) && s[i+1] == '\n' {
			return 2
		}
		return 1
	}
	return 0
}

func isBlank(c byte) bool        { return c == ' ' || c == '\t' }
func isBlankOrBreak(c byte) bool { return isBlank(c) || c == '\n' || c == '\r' }
func skipBlanks(s string, i int) int {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	return i
}

// flow aligns plain and quoted scalars: lines fold, and one handles a single
// character that is neither blank nor a break. It ends behind the closing
// quote, or, where end is empty, when the value is used up.
func (a *aligner) flow(end string, one func() bool) bool {
	for {
		if end == "" && a.done == len(a.value) {
			return true
		}
		if a.at >= len(a.src) {
			return false
		}
		c := a.src[a.at]
		switch {
		case end != "" && c == end[0] && !(c == '\'' && strings.HasPrefix(a.src[a.at:], "''")):
			a.at++
			return a.done == len(a.value)
		case isBlank(c) || breakLen(a.src, a.at) > 0:
			if !a.blanks() {
				return false
			}
		default:
			if !one() {
				return false
			}
		}
	}
}

// blanks aligns a run of blanks: as it is within a line, folded at its end.
func (a *aligner) blanks() bool {
	i := skipBlanks(a.src, a.at)
	n := breakLen(a.src, i)
	if n == 0 {
		return a.put(i-a.at, a.src[a.at:i])
	}
	first := i
	breaks, next := a.countBreaks(i)
	a.at = first
	if breaks == 1 {
		return a.put(next-first, " ")
	}
	return a.put(next-first, strings.Repeat("\n", breaks-1))
}

// countBreaks counts line breaks from i on, with only blanks between them, and
// returns the offset of what follows.
func (a *aligner) countBreaks(i int) (breaks, next int) {
	for {
		n := breakLen(a.src, i)
		if n == 0 {
			return breaks, i
		}
		breaks++
		i = skipBlanks(a.src, i+n)
	}
}

func (a *aligner) plainByte() bool {
	rest := a.src[a.at:min(len(a.src), a.at+len(a.value)-a.done)]
	if n := strings.IndexAny(rest, " \t\r\n"); n >= 0 {
		rest = rest[:n]
	}
	return a.put(len(rest), rest)
}

func (a *aligner) single() bool {
	a.at++
	return a.flow("'", func() bool {
		if strings.HasPrefix(a.src[a.at:], "''") {
			return a.put(2, "'")
		}
		_, n := utf8.DecodeRuneInString(a.src[a.at:])
		return a.put(n, a.src[a.at:a.at+n])
	})
}

// escapes are the one-letter escapes of double-quoted scalars (YAML 1.2.2,
// section 5.7; JSON's are among them).
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r",
	'e': "\x1b", ' ': " ", '"': "\"", '/': "/", '\\': "\\", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

var hexEscapes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

func (a *aligner) double() bool {
	a.at++
	return a.flow("\"", func() bool {
		rest := a.src[a.at:]
		if rest[0] != '\\' || len(rest) < 2 {
			_, n := utf8.DecodeRuneInString(rest)
			return a.put(n, rest[:n])
		}
		if n := breakLen(rest, 1); n > 0 { // an escaped line break joins the lines
			breaks, next := a.countBreaks(a.at + 1)
			return a.put(next-a.at, strings.Repeat("\n", breaks-1))
		}
		if digits, ok := hexEscapes[rest[1]]; ok {
			r, ok := hexRune(rest[2:], digits)
			n := 2 + digits
			if ok && utf16High(r) && strings.HasPrefix(rest[n:], `\u`) {
				if low, ok := hexRune(rest[n+2:], 4); ok {
					r, n = (r-0xD800)<<10|(low-0xDC00)+0x10000, n+6
				}
			}
			return ok && a.put(n, string(r))
		}
		text, ok := escapes[rest[1]]
		return ok && a.put(2, text)
	})
}

func utf16High(r rune) bool { return 0xD800 <= r && r < 0xDC00 }

func hexRune(s string, digits int) (rune, bool) {
	if len(s) < digits {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:digits], 16, 32)
	return rune(n), err == nil
}

// block aligns a literal or folded block scalar.
func (a *aligner) block(folded bool) bool {
	i := strings.IndexAny(a.src[a.at:], "\r\n")
	if i < 0 {
		a.at = len(a.src)
		return a.value == ""
	}
	a.at += i + breakLen(a.src, a.at+i)
	indent := a.blockIndent()
	if folded {
		return a.foldedLines(indent)
	}
	for a.done < len(a.value) {
		a.at += a.indentAt(indent)
		if !a.blockLine() {
			return false
		}
		if n := breakLen(a.src, a.at); n > 0 && a.done < len(a.value) {
			if !a.put(n, "\n") {
				return false
			}
		} else if n == 0 && a.done < len(a.value) {
			return false
		}
	}
	return true
}

// blockIndent finds the indentation of a block scalar: the blanks of its first
// line with text, less those that belong to the value.
func (a *aligner) blockIndent() int {
	v := strings.TrimLeft(a.value, "\n")
	own := len(v) - len(strings.TrimLeft(v, " "))
	for i := a.at; i < len(a.src); {
		spaces := i
		for spaces < len(a.src) && a.src[spaces] == ' ' {
			spaces++
		}
		if n := breakLen(a.src, spaces); n > 0 {
			i = spaces + n
			continue
		}
		return max(spaces-i-own, 0)
	}
	return 0
}

// blockLine aligns the rest of one line of a block scalar, without its break.
func (a *aligner) blockLine() bool {
	n := strings.IndexAny(a.src[a.at:], "\r\n")
	if n < 0 {
		n = len(a.src) - a.at
	}
	return a.put(n, a.src[a.at:a.at+n])
}

// foldedLines aligns the lines of a folded scalar: a single break between two
// lines of text is a blank, unless one of them begins with a blank.
func (a *aligner) foldedLines(indent int) bool {
	a.at += a.indentAt(indent)
	for a.done < len(a.value) {
		moreIndented := a.at < len(a.src) && isBlank(a.src[a.at])
		if !a.blockLine() {
			return false
		}
		if a.done == len(a.value) {
			return true
		}
		breaks, next := a.blockBreaks(indent)
		if breaks == 0 {
			return false
		}
		rest := a.value[a.done:]
		text := strings.Repeat("\n", breaks)
		switch {
		case strings.Trim(rest, "\n") == "": // the chomped end
			text = rest
		case a.done == 0, moreIndented, next < len(a.src) && isBlank(a.src[next]):
		case breaks == 1:
			text = " "
		default:
			text = text[1:]
		}
		if !a.put(next-a.at, text) {
			return false
		}
	}
	return true
}

// indentAt is the number of indentation blanks at a.at, at most indent.
func (a *aligner) indentAt(indent int) int {
	k := 0
	for k < indent && a.at+k < len(a.src) && a.src[a.at+k] == ' ' {
		k++
	}
	return k
}

// blockBreaks counts the line break at a.at and those of the empty lines that
// follow; next is the offset of the next line's text.
func (a *aligner) blockBreaks(indent int) (breaks, next int) {
	i := a.at
	for {
		n := breakLen(a.src, i)
		if n == 0 {
			return breaks, i
		}
		breaks++
		i += n
		for k := 0; k < indent && i < len(a.src) && a.src[i] == ' '; k++ {
			i++
		}
	}
}

// scalarEnd is the offset behind the scalar that starts at start.
func scalarEnd(src string, start int, value string) int {
	a := aligner{src: src, at: start, value: value}
	a.run()
	return max(a.at, start)
}

// skipProperties skips a node's tag and anchor, and comments between them and
// the node itself.
func skipProperties(s string, i int) int {
	start := i
	for i < len(s) && (s[i] == '!' || s[i] == '&') {
		for i < len(s) && !isBlankOrBreak(s[i]) && !(s[i] == ',' || s[i] == ']' || s[i] == '}') {
			i++
		}
		end := i
		for i < len(s) && (isBlankOrBreak(s[i]) || s[i] == '#') {
			if s[i] == '#' {
				n := strings.IndexAny(s[i:], "\r\n")
				if n < 0 {
					return end
				}
				i += n
				continue
			}
			i++
		}
	}
	if i >= len(s) {
		return start
	}
	return i
}

// closerAfter returns the offset behind the `]` or `}` that follows the last
// item of a flow collection, whose items end at i.
func closerAfter(s string, i int) int {
	for i < len(s) {
		switch c := s[i]; {
		case c == ']' || c == '}':
			return i + 1
		case c == '#':
			n := strings.IndexAny(s[i:], "\r\n")
			if n < 0 {
				return i
			}
			i += n
		case isBlankOrBreak(c), c == ',', c == '[', c == '{', c == ':':
			i++
		default:
			return i
		}
	}
	return i
}

// maxPlaceholder bounds the search for a placeholder's end, so that a line of
// many braces costs linear time.
const maxPlaceholder = 512

// placeholderAt reads `{path}` or `{{ expr }}` at offset i of s, as a person
// may have written it without quotes; end is the offset behind it.
func placeholderAt(s string, i int) (text string, end int, ok bool) {
	rest := s[i:]
	open, closer := "{", "}"
	if strings.HasPrefix(rest, "{{") {
		open, closer = "{{", "}}"
	}
	if !strings.HasPrefix(rest, open) {
		return "", i, false
	}
	line := rest[:min(len(rest), maxPlaceholder)]
	if n := strings.IndexAny(line, "\r\n"); n >= 0 {
		line = line[:n]
	}
	n := strings.Index(line, closer)
	if n < 0 {
		return "", i, false
	}
	inner := line[len(open):n]
	if open == "{" && !isPath(inner) || !startsName(strings.TrimLeft(inner, " \t")) {
		return "", i, false
	}
	end = i + n + len(closer)
	return s[i:end], end, true
}

// isPath reports whether s is names joined by dots.
func isPath(s string) bool {
	for _, part := range strings.Split(s, ".") {
		if !startsName(part) {
			return false
		}
		for _, c := range part {
			if !isNameRune(c) {
				return false
			}
		}
	}
	return true
}
