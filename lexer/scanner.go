package lexer

import (
	"strings"
	"unicode/utf8"
)

// PieceKind tells what a Piece is.
type PieceKind uint8

// Kinds of pieces.
const (
	// EndOfText: nothing but text up to Scanner.End.
	EndOfText PieceKind = iota
	// Comment is a whole comment.
	Comment
	// Tag is a candidate: an opener with a name behind it. The parser accepts
	// it or takes it as text.
	Tag
	// CloseTag is a whole closing tag such as {/when}, of any word.
	CloseTag
	// OpenDelims are opening delimiters that open no tag.
	OpenDelims
	// CloseDelims are closing delimiters outside tags; only where Watch is set.
	CloseDelims
)

// Piece is what Scanner.Next finds. Everything between the end of the last
// piece and Run is text.
type Piece struct {
	Kind PieceKind
	// Run is where a run of equal delimiters begins, and Count its length.
	Run, Count int
	// Start is where the mark itself begins: the innermost delimiters of the
	// run. The ones before it are text, or the opener of a literal group.
	Start int
	// Inside is the offset of the first byte behind the run.
	Inside int
	// End is the offset behind the piece; for a Tag it equals Inside.
	End int
	// Hard says that the mark has doubled delimiters.
	Hard bool
	// Slash says that a `/` stands before the run.
	Slash bool
	// Word is the word of a Closing.
	Word string
}

// Scanner finds the marks in a text of a native syntax, from left to right. It
// allocates nothing and looks at each byte a bounded number of times.
type Scanner struct {
	Src    string
	Pos    int // where to go on; the parser sets it behind what it accepted
	End    int
	Syntax *Syntax
	// Watch asks for Closers too: a literal group is open.
	Watch bool
	// Plain turns comments and closing tags off.
	Plain bool
	// Tags tells, where not nil, whether a tag may begin with what stands at an
	// offset behind its opener; else a letter or `_` begins one.
	Tags func(src string, pos int, hard bool) bool

	// OpenComment is the offset of the first comment that is never closed, or
	// -1.
	OpenComment int

	floor       int // end of the last piece
	walked      int // end of the last delimiters that innermost walked
	noComment   bool
	open, close int // next occurrence of the first bytes of the delimiters, if ≥ Pos
}

// NewScanner returns a Scanner over src[start:end].
func NewScanner(src string, start, end int, syn *Syntax) *Scanner {
	s := new(Scanner)
	s.Init(src, start, end, syn)
	return s
}

// Init makes s a Scanner over src[start:end].
func (s *Scanner) Init(src string, start, end int, syn *Syntax) {
	*s = Scanner{Src: src, Pos: start, End: end, Syntax: syn, OpenComment: -1, floor: start, open: -1, close: -1}
}

// Next returns the next piece and moves behind it, for a Tag behind its opener.
func (s *Scanner) Next() (p Piece) {
	s.Read(&p)
	return p
}

// Read is Next into p.
func (s *Scanner) Read(p *Piece) {
	for {
		at, opener := s.find()
		if at >= s.End {
			s.Pos = s.End
			s.run(p, s.End, 0, 0)
			p.Kind, p.Inside, p.Slash = EndOfText, 0, false
			return
		}
		d := s.Syntax.Close
		if opener {
			d = s.Syntax.Open
		}
		n := run(s.Src[at:s.End], d)
		if n == 0 { // the first byte of a longer delimiter only
			s.Pos = at + 1
			continue
		}
		s.run(p, at, n, len(d))
		if opener {
			s.classify(p)
		}
		if opener && len(d) > 1 && p.Kind == OpenDelims && !p.Slash { // a slash begins a literal group
			s.innermost(p, d)
		}
		s.Pos, s.floor = p.End, p.End
		return
	}
}

// run makes p the piece of n delimiters of w bytes that stand at offset at.
func (s *Scanner) run(p *Piece, at, n, w int) {
	p.Kind, p.Run, p.Count, p.Start = CloseDelims, at, n, at
	p.Inside, p.End = at+n*w, at+n*w
	p.Hard, p.Slash = false, at > s.floor && s.Src[at-1] == '/'
	if p.Word != "" { // no GC write barrier where nothing changes
		p.Word = ""
	}
}

// Accept moves behind a tag that ends at end.
func (s *Scanner) Accept(end int) { s.Pos, s.floor = end, end }

// find returns the offset of the next byte that may begin a delimiter.
func (s *Scanner) find() (at int, opener bool) {
	s.open = next(s.Src, s.open, s.Pos, s.End, s.Syntax.Open[0])
	if s.Watch {
		s.close = next(s.Src, s.close, s.Pos, s.End, s.Syntax.Close[0])
		if s.close < s.open {
			return s.close, false
		}
	}
	return s.open, true
}

// next returns the offset of c at or behind pos, end if there is none; known is
// an earlier answer.
func next(src string, known, pos, end int, c byte) int {
	if known >= pos {
		return known
	}
	if n := strings.IndexByte(src[pos:end], c); n >= 0 {
		return pos + n
	}
	return end
}

// run counts how often d stands at the head of s.
func run(s, d string) int {
	n := 0
	if len(d) == 1 {
		for n < len(s) && s[n] == d[0] {
			n++
		}
		return n
	}
	for strings.HasPrefix(s, d) {
		s = s[len(d):]
		n++
	}
	return n
}

// innermost reads the openers p of several bytes again, from the last of the
// delimiters d that follow one another there, overlapping or adjacent: "[[[x]]"
// holds "[[x]]" behind a "[". No such sequence is walked twice.
func (s *Scanner) innermost(p *Piece, d string) {
	if p.Run < s.walked {
		return
	}
	last := p.Run
	for step := 1; step <= len(d); step++ {
		if strings.HasPrefix(s.Src[last+step:s.End], d) {
			last, step = last+step, 0
		}
	}
	s.walked = last + len(d)
	at, n := last, 1
	for ; at-len(d) >= p.Run && s.Src[at-len(d):at] == d; n++ {
		at -= len(d)
	}
	if at == p.Run {
		return
	}
	var inner Piece
	s.run(&inner, at, n, len(d))
	if s.classify(&inner); inner.Kind != OpenDelims {
		*p = inner
	}
}

// classify decides what the run of opening delimiters p is.
func (s *Scanner) classify(p *Piece) {
	w, syn := len(s.Syntax.Open), s.Syntax
	p.Kind = OpenDelims
	last := p.Inside - w
	if p.Inside >= s.End {
		return
	}
	if !s.Plain && s.Src[p.Inside] == '#' {
		if end, ok := s.comment(p.Inside + 1); ok {
			p.Kind, p.Start, p.End = Comment, last, end
			return
		}
	}
	if syn.Hard && p.Count >= 2 {
		if s.Src[p.Inside] == '/' || isBlank(s.Src[p.Inside]) {
			if word, end, ok := s.closing(p.Inside, true); ok {
				p.Kind, p.Start, p.End, p.Hard, p.Word = CloseTag, last-w, end, true, word
				return
			}
		}
		if s.begins(p.Inside, true) {
			p.Kind, p.Start, p.Hard = Tag, last-w, true
			return
		}
	}
	if !syn.Soft {
		return
	}
	if s.Src[p.Inside] == '/' {
		if word, end, ok := s.closing(p.Inside, false); ok {
			p.Kind, p.Start, p.End, p.Word = CloseTag, last, end, word
		}
		return
	}
	if (p.Count == 1 || !syn.Hard) && s.begins(p.Inside, false) {
		p.Kind, p.Start = Tag, last
	}
}

// comment returns the end of the comment whose `#` ended at i.
func (s *Scanner) comment(i int) (end int, ok bool) {
	if i >= s.End {
		return 0, false
	}
	closer := "#" + s.Syntax.Close
	switch c := s.Src[i]; {
	case isBlank(c), c == '\n', c == '\r':
	case strings.HasPrefix(s.Src[i:s.End], closer):
	default:
		return 0, false
	}
	if !s.noComment {
		if n := strings.Index(s.Src[i:s.End], closer); n >= 0 {
			return i + n + len(closer), true
		}
		s.noComment = true
		s.OpenComment = i - 1 - len(s.Syntax.Open)
	}
	return 0, false
}

// closing reads the rest of a closing tag from its `/`: the word and the
// closing delimiters. A hard one may hold blanks.
func (s *Scanner) closing(i int, hard bool) (word string, end int, ok bool) {
	if s.Plain {
		return "", 0, false
	}
	src := s.Src[:s.End]
	if hard {
		i = skipBlanks(src, i)
	}
	if i >= len(src) || src[i] != '/' {
		return "", 0, false
	}
	start := i + 1
	for i = start; i < len(src) && src[i] >= 'a' && src[i] <= 'z'; i++ {
	}
	if i == start {
		return "", 0, false
	}
	word = src[start:i]
	i = skipBlanks(src, i)
	for n := 0; n < 1 || hard && n < 2; n++ {
		if !strings.HasPrefix(src[i:], s.Syntax.Close) {
			return "", 0, false
		}
		i += len(s.Syntax.Close)
	}
	return word, i, true
}

// begins reports whether a tag may begin with what stands at i.
func (s *Scanner) begins(i int, hard bool) bool {
	if s.Tags != nil {
		return s.Tags(s.Src[:s.End], i, hard)
	}
	src := s.Src[:s.End]
	if hard && !s.Syntax.Angle {
		j := skipBlanks(src, i)
		if s.Syntax.Digits && j == i && i < len(src) && isDecimal(src[i]) {
			return true
		}
		if j < len(src) && (j > i || src[j] == '\n' || src[j] == '\r') {
			return beginsExpr(src[j]) || nameStartsAt(src, j)
		}
		i = j
	}
	return nameStartsAt(src, i)
}

// beginsExpr reports whether an expression that begins with no name may stand
// behind the blanks of a hard tag's opener that end in front of c. Line breaks
// are skipped by who reads the tag.
func beginsExpr(c byte) bool {
	switch c {
	case '(', '[', '"', '\'', '-', '+', '\n', '\r':
		return true
	}
	return isDecimal(c)
}

// nameStartsAt reports whether a name may begin at src[i].
func nameStartsAt(src string, i int) bool {
	if i >= len(src) {
		return false
	}
	switch classes[src[i]] {
	case cName:
		return true
	case cHigh:
		r, _ := utf8.DecodeRuneInString(src[i:])
		return IsNameStart(r)
	}
	return false
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func skipBlanks(src string, i int) int {
	for i < len(src) && isBlank(src[i]) {
		i++
	}
	return i
}

// Path reads a simple path of ASCII names and integers, a.b.0.c, that begins at
// i, and returns the end of its first name and its own end; end is i where none
// begins there. It never ends in a dot.
func Path(src string, i int) (first, end int) {
	if i >= len(src) || classes[src[i]] != cName {
		return i, i
	}
	end = WordEnd(src, i+1)
	first = end
	for end+1 < len(src) && src[end] == '.' {
		switch classes[src[end+1]] {
		case cName:
			end = WordEnd(src, end+2)
			continue
		case cDigit:
			if j := pathInt(src, end+1); j > 0 {
				end = j
				continue
			}
		}
		break
	}
	return first, end
}

// pathInt returns the end of the plain decimal integer at i, 0 where the digits
// go on as something else.
func pathInt(src string, i int) int {
	j := i
	for j < len(src) && isDecimal(src[j]) {
		j++
	}
	if src[i] == '0' && j > i+1 || j-i > 18 || j < len(src) && (classes[src[j]] == cName || src[j] >= utf8.RuneSelf) {
		return 0
	}
	return j
}

// WordEnd returns the end of a run of ASCII letters, digits and `_`.
func WordEnd(src string, i int) int {
	for i < len(src) && words[src[i]] {
		i++
	}
	return i
}
