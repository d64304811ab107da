package guard

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"
)

// Work is told of each piece of bytes that were looked at, some KiB at most,
// and reports whether the search may end: then its result is worthless. A nil
// Work costs nothing and never ends one.
type Work func(bytes int) (stop bool)

// pacer tells Work of the bytes, some at a time.
type pacer struct {
	work  Work
	bytes int // not yet told
	ended bool
}

// pieceSize is how many bytes are told at once.
const pieceSize = 1 << 10

func (p *pacer) stopped(n int) bool {
	if p.bytes += n; p.bytes < pieceSize || p.work == nil {
		return p.ended
	}
	n, p.bytes = p.bytes, 0
	p.ended = p.ended || p.work(n)
	return p.ended
}

// Mark is what neutralises a token.
const Mark = ' '

// rewrite replaces the marks of each token found: count is asked how many to
// write where there are some already. A token is found however many marks it
// has, so that restore can undo what count does.
// It may break off, see Work.
func (g *Family) rewrite(p *pacer, s string, count func(marks int) int) string {
	var b strings.Builder
	from := 0 // of what is not yet written
	put := func(at, marks int) {
		if b.Len() == 0 && from == 0 {
			b.Grow(len(s) + 16)
		}
		b.WriteString(s[from:at])
		for range count(marks) {
			b.WriteByte(Mark)
		}
		from = at + marks
	}
	if at, marks, ok := g.startPart(p, s); ok {
		put(at, marks)
	}
	for i := from; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if p.stopped(size) {
			return ""
		}
		if opener := foldControl(r); opener != '<' && opener != '[' && opener != '\n' {
			i += size
			continue
		}
		marks, _, ok := g.token(p, s[i:])
		i += size
		if ok {
			put(i, marks)
			i += marks
		}
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// restore takes one mark from each token, from the last to the first: whether
// one begins at a place depends on what follows, and that is then as it was.
func (g *Family) restore(p *pacer, s string) string {
	buf := make([]byte, len(s))
	w := len(s) // buf[w:] is restored
	for i := len(s); i > 0; {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if p.stopped(size) {
			return ""
		}
		i -= size
		w -= size
		copy(buf[w:], s[i:i+size])
		if opener := foldControl(r); opener != '<' && opener != '[' && opener != '\n' {
			continue
		}
		if marks, _, ok := g.token(p, unsafe.String(&buf[w], len(s)-w)); ok && marks > 0 {
			copy(buf[w+1:], s[i:i+size])
			w++
		}
	}
	out := string(buf[w:])
	if at, marks, ok := g.startPart(p, out); ok && marks > 0 {
		out = out[:at] + out[at+1:]
	}
	return out
}

// foldControl maps the variants of a character to one.
func foldControl(r rune) rune {
	switch {
	case r < 0x80:
		return unicode.ToLower(r)
	case r == '▁':
		return '_'
	case r >= 0xff01 && r <= 0xff5e: // full-width forms of ASCII
		return unicode.ToLower(r - 0xfee0)
	case r == '¦' || r == '∣' || r == '￨' || r == 'ǀ' || r == '│':
		return '|'
	case r == '‹' || r == '〈' || r == '⟨' || r == '﹤':
		return '<'
	case r == '›' || r == '〉' || r == '⟩' || r == '﹥':
		return '>'
	}
	return unicode.ToLower(r)
}

// tokenReader reads the characters of a token, folded, without the invisible
// ones.
type tokenReader struct {
	s       string
	p       *pacer
	pending string // what is left of a character that stands for several
}

func (t *tokenReader) next() (rune, bool) {
	if t.pending != "" {
		return t.part()
	}
	for t.s != "" {
		r, size := utf8.DecodeRuneInString(t.s)
		whole := t.s[:size]
		t.s = t.s[size:]
		if t.p.stopped(size) {
			return 0, false
		}
		if isInvisible(r) || r == '\r' && strings.HasPrefix(t.s, "\n") {
			continue // a line may end in both
		}
		if c := foldControl(r); r < utf8.RuneSelf || c < utf8.RuneSelf {
			return c, true
		}
		// Circled letters, Roman numerals, ligatures and their like are what Unicode's
		// compatibility form makes of them, as a tokenizer may.
		if plain := norm.NFKC.String(whole); plain != whole {
			t.pending = plain
			return t.part()
		}
		return foldControl(r), true
	}
	return 0, false
}

// part returns the first character of pending.
func (t *tokenReader) part() (rune, bool) {
	r, size := utf8.DecodeRuneInString(t.pending)
	t.pending = t.pending[size:]
	return foldControl(r), true
}

// token reports whether a token begins at the start of s, how many marks stand
// right after its first character, and its length in bytes. A beginning of one
// that the end of s cuts off counts too.
func (g *Family) token(p *pacer, s string) (marks, length int, ok bool) {
	first, size := utf8.DecodeRuneInString(s)
	rest := s[size:]
	for marks < len(rest) && rest[marks] == Mark {
		if p.stopped(1) {
			return 0, 0, false
		}
		marks++
	}
	opener, rest := foldControl(first), rest[marks:]
	if opener == '<' && g.piped {
		if n, ok := piped(p, rest); ok {
			return marks, size + marks + n, true
		}
	}
	t := tokenReader{s: rest, p: p}
	second, more := t.next()
	if !more {
		return 0, 0, false // an opener alone tells nothing
	}
	for _, token := range g.behind[[2]rune{opener, second}] {
		if n, ok := matches(t, token[1:]); ok {
			return marks, size + marks + (len(rest) - len(t.s)) + n, true
		}
	}
	return 0, 0, false
}

// piped reports whether s goes on as "|name|>", to the end of s at least after
// the bar, and for how many bytes.
func piped(p *pacer, s string) (length int, is bool) {
	t := tokenReader{s: s, p: p}
	if r, ok := t.next(); !ok || r != '|' {
		return 0, false
	}
	n := 0
	for {
		r, ok := t.next()
		switch {
		case !ok:
			return len(s), true
		case r == '|':
			r, ok := t.next()
			return len(s) - len(t.s), n > 0 && (!ok || r == '>')
		case !isTokenName(r):
			return 0, false
		}
		n++
	}
}

func isTokenName(r rune) bool {
	return r == '_' || r == '-' || r == '.' || r == '/' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// matches reports whether t goes on with token behind its first character, which
// was read, or ends within it after a letter of it, and for how many bytes.
func matches(t tokenReader, token []rune) (length int, is bool) {
	s := t.s
	telling := token[0] >= 'a' && token[0] <= 'z'
	for _, want := range token[1:] {
		r, ok := t.next()
		if !ok {
			return len(s), telling
		}
		if r != want {
			return 0, false
		}
		telling = telling || r >= 'a' && r <= 'z'
	}
	return len(s) - len(t.s), true
}

// startPart reports whether s begins with the end of a token, such as
// "start|>", where the marks before its last character are, and how many.
func (g *Family) startPart(p *pacer, s string) (at, marks int, ok bool) {
	end := -1
	for i, r := range s {
		if p.stopped(utf8.RuneLen(r)) {
			return 0, 0, false
		}
		if c := foldControl(r); c == '>' || c == ']' || c == '<' || c == '[' || c == '\n' {
			end = i
			break
		}
	}
	if end < 0 {
		return 0, 0, false
	}
	at = end
	for at > 0 && s[at-1] == Mark {
		at--
	}
	closer, _ := utf8.DecodeRuneInString(s[end:])
	t := tokenReader{s: s[:at], p: p}
	var head []rune
	for len(head) < 64 {
		r, more := t.next()
		if !more {
			break
		}
		head = append(head, r)
	}
	if t.s != "" || len(head) == 0 {
		return 0, 0, false
	}
	head = append(head, foldControl(closer))
	if g.isTokenEnd(head) {
		return at, end - at, true
	}
	return 0, 0, false
}

func (g *Family) isTokenEnd(part []rune) bool {
	last := len(part) - 1
	if g.piped && part[last] == '>' && last >= 2 && part[last-1] == '|' {
		name := part[:last-1]
		if name[0] == '|' {
			name = name[1:]
		}
		if len(name) > 0 && !slices.ContainsFunc(name, func(r rune) bool { return !isTokenName(r) }) {
			return true
		}
	}
	for _, t := range g.tokens {
		if len(part) < len(t) && len(part) > 1 && slices.Equal(part, t[len(t)-len(part):]) &&
			slices.ContainsFunc(part, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// Marks returns the offsets in text, in order, at which a space neutralises
// the tokens that hold bytes from data: fromData tells the first of them
// between two offsets. It may break off, see Work.
func (g *Family) Marks(text string, fromData func(from, to int) (first int, ok bool), work Work) []int {
	p := &pacer{work: work}
	var at []int
	if end, marks, ok := g.startPart(p, text); ok && marks == 0 {
		if _, has := fromData(0, end+1); has {
			at = append(at, end)
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if p.stopped(size) {
			return nil
		}
		if opener := foldControl(r); opener == '<' || opener == '[' || opener == '\n' {
			if marks, n, ok := g.token(p, text[i:]); ok && marks == 0 {
				if first, has := fromData(i, i+n); has {
					if here := max(first, i+size); len(at) == 0 || at[len(at)-1] != here {
						at = append(at, here)
					}
				}
			}
		}
		i += size
	}
	return at
}

// MayHoldToken reports quickly whether text may hold the beginning of a token.
func MayHoldToken(text string) bool {
	return holdsOneOf(text, '<', "|", "start_of_", "end_of_") || holdsOneOf(text, '[', "I", "/", "TOOL_", "AVAIL")
}

// holdsOneOf reports whether one of the words stands behind an opener in text.
func holdsOneOf(text string, opener byte, words ...string) bool {
	for {
		i := strings.IndexByte(text, opener)
		if i < 0 {
			return false
		}
		text = text[i+1:]
		for _, w := range words {
			if strings.HasPrefix(text, w) {
				return true
			}
		}
	}
}

// EndsInToken reports whether text ends within a control token of any family,
// after a letter of it at least: "<|im_" does, "<|im_start|>" and "<|" do not.
func EndsInToken(text string) bool {
	// No token that begins with `<` or `[`, as those here do, holds a line break.
	text = text[strings.LastIndexByte(text, '\n')+1:]
	if strings.IndexByte(text, '<') < 0 && strings.IndexByte(text, '[') < 0 && isASCII(text) {
		return false
	}
	g := guards()["all"]
	for i, r := range text {
		opener := r
		if r >= 0x80 {
			opener = foldControl(r)
		}
		if opener != '<' && opener != '[' {
			continue
		}
		_, n, ok := g.token(&pacer{}, text[i:])
		if !ok || i+n != len(text) || !strings.ContainsFunc(text[i:], unicode.IsLetter) {
			continue
		}
		// A whole token is one whatever follows it.
		if _, _, whole := g.token(&pacer{}, text[i:]+"\x00"); !whole {
			return true
		}
	}
	return false
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Tokens ranges over the tokens that text spells, as the offsets at which each
// begins and ends. Tokens may begin inside others.
func (g *Family) Tokens(text string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		p := &pacer{}
		for i := 0; i < len(text); {
			r, size := utf8.DecodeRuneInString(text[i:])
			if opener := foldControl(r); opener == '<' || opener == '[' || opener == '\n' {
				if marks, n, ok := g.token(p, text[i:]); ok && marks == 0 && !yield(i, i+n) {
					return
				}
			}
			i += size
		}
	}
}
