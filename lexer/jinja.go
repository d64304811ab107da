package lexer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// JinjaOptions are the options of a Jinja environment that decide how a source
// is cut into text and tags. Its zero value means Jinja's own defaults.
type JinjaOptions struct {
	// TrimBlocks drops the line break after a block tag or comment,
	// LstripBlocks the blanks between the line's start and such a tag.
	TrimBlocks, LstripBlocks bool
	// KeepTrailingNewline keeps the line break that ends the source.
	KeepTrailingNewline bool
	// NewlineSequence replaces every line break of the source: "\n" where
	// empty, else "\n", "\r\n" or "\r".
	NewlineSequence string

	// The six delimiters; empty means Jinja's own.
	BlockStart, BlockEnd       string
	VariableStart, VariableEnd string
	CommentStart, CommentEnd   string
	// LineStatementPrefix and LineCommentPrefix open statements and comments
	// that reach to the line's end; empty turns them off.
	LineStatementPrefix, LineCommentPrefix string

	// LoopControls, Do and Generation allow the tags break and continue, do,
	// and generation.
	LoopControls, Do, Generation bool
}

// setDefaults puts Jinja's own delimiters in the place of empty ones.
func (o *JinjaOptions) setDefaults() {
	or := func(option *string, def string) {
		if *option == "" {
			*option = def
		}
	}
	or(&o.BlockStart, "{%")
	or(&o.BlockEnd, "%}")
	or(&o.VariableStart, "{{")
	or(&o.VariableEnd, "}}")
	or(&o.CommentStart, "{#")
	or(&o.CommentEnd, "#}")
	or(&o.NewlineSequence, "\n")
}

// JinjaKind tells what a JinjaPiece is.
type JinjaKind uint8

// Kinds of pieces.
const (
	JinjaEOF JinjaKind = iota
	JinjaText
	JinjaOutput  // {{ … }}
	JinjaTag     // {% … %} or a line statement
	JinjaComment // {# … #} or a line comment
)

// JinjaPiece is a stretch of a Jinja source.
type JinjaPiece struct {
	Kind JinjaKind
	// Span covers the piece with its delimiters. Of text it begins where
	// Jinja's token does, blanks that get stripped included. Of a tag or output
	// only the opener is read at first: EndsAt or Finish stretch it.
	Span source.Span
	// Inside is what stands between the delimiters and their signs; as Span, it
	// ends behind the opener at first.
	Inside source.Span
	// Text is the text to write: white-space control applied, line breaks
	// normalised. Of a comment it is the comment.
	Text string
	// Closed says that the closing delimiter is there. A piece that is not
	// closed, or is Broken, reaches as far as could be read.
	Closed bool
	// Broken says that the inside cannot be tokens.
	Broken bool

	line bool // a line statement
}

// JinjaScanner cuts a Jinja source into pieces, one at each call of Next. Of tags
// and outputs it reads the opener: what stands inside are the tokens of an Expr,
// which finds the closer too. Behind each such piece either EndsAt or Finish must say
// where it ends before Next is called again. The scanner holds no more than a
// position and takes time linear in the source's length.
type JinjaScanner struct {
	file *source.File
	src  string // up to the end of the body
	opts JinjaOptions
	pos  int
	base int // where the body begins

	openers  []jinjaOpener // in store
	store    [5]jinjaOpener
	starts   [256 / 64]uint64 // bytes with which an opener may begin, a bit each
	one      byte             // the only such byte, where there is one
	linewise bool             // line prefixes are in use: no byte search
	plain    bool             // no line break needs to be replaced
	// pairs says that all openers are one and the same byte with a byte of their
	// own behind it, as Jinja's are.
	pairs  bool
	ends   [2]string // the closers of outputs and tags
	simple [2]bool   // see Simple
	depth  int       // limit of brackets

	pending    opening // of the tag behind the text that was read last
	hasPending bool

	report func(*diag.Diagnostic)
}

type jinjaOpener struct {
	text string
	kind openerKind
}

// openerKind orders openers of the same length: the higher one is tried first,
// which is the order of Jinja's token names.
type openerKind uint8

const (
	blockOpener openerKind = iota
	commentOpener
	lineCommentOpener
	lineStatementOpener
	variableOpener
	rawOpener
)

// NewJinjaScanner returns a scanner for body, a part of f (the zero span means
// all of it). depth is the limit of nested brackets. Findings go to report.
func NewJinjaScanner(f *source.File, body source.Span, o JinjaOptions, depth int, report func(*diag.Diagnostic)) *JinjaScanner {
	s := new(JinjaScanner)
	s.Init(f, body, o, depth, report)
	return s
}

// Init makes s what NewJinjaScanner returns.
func (s *JinjaScanner) Init(f *source.File, body source.Span, o JinjaOptions, depth int, report func(*diag.Diagnostic)) {
	if body == (source.Span{}) {
		body.End = source.Pos(len(f.Text))
	}
	o.setDefaults()
	*s = JinjaScanner{
		file: f, opts: o, depth: depth, report: report,
		src: f.Text[:body.End], pos: int(body.Start), base: int(body.Start),
	}
	if !o.KeepTrailingNewline {
		switch {
		case strings.HasSuffix(s.src[s.base:], "\r\n"):
			s.src = s.src[:len(s.src)-2]
		case strings.HasSuffix(s.src[s.base:], "\n"), strings.HasSuffix(s.src[s.base:], "\r"):
			s.src = s.src[:len(s.src)-1]
		}
	}
	s.openers = append(s.store[:0], jinjaOpener{o.BlockStart, blockOpener}, jinjaOpener{o.VariableStart, variableOpener},
		jinjaOpener{o.CommentStart, commentOpener})
	if o.LineStatementPrefix != "" {
		s.openers = append(s.openers, jinjaOpener{o.LineStatementPrefix, lineStatementOpener})
	}
	if o.LineCommentPrefix != "" {
		s.openers = append(s.openers, jinjaOpener{o.LineCommentPrefix, lineCommentOpener})
	}
	slices.SortFunc(s.openers, func(a, b jinjaOpener) int {
		if len(a.text) != len(b.text) {
			return len(b.text) - len(a.text)
		}
		return int(b.kind) - int(a.kind)
	})
	s.plain = o.NewlineSequence == "\n" && strings.IndexByte(s.src[s.base:], '\r') < 0
	s.linewise = o.LineStatementPrefix != "" || o.LineCommentPrefix != ""
	s.one = o.BlockStart[0]
	s.pairs = !s.linewise
	s.ends = [2]string{o.VariableEnd, o.BlockEnd}
	s.simple = [2]bool{simpleCloser(o.VariableEnd), simpleCloser(o.BlockEnd)}
	for i, op := range s.openers {
		s.starts[op.text[0]/64] |= 1 << (op.text[0] % 64)
		if op.text[0] != s.one {
			s.one = 0
		}
		s.pairs = s.pairs && len(op.text) == 2 && s.one != 0 && (i == 0 || op.text != s.openers[i-1].text)
	}
}

// End is the offset of the end of what the scanner reads: the body without the
// line break that ends it, where that is dropped.
func (s *JinjaScanner) End() source.Pos { return source.Pos(len(s.src)) }

// Plain reports whether the line breaks of the body are what they are replaced by.
func (s *JinjaScanner) Plain() bool { return s.plain }

// Stop makes Next return JinjaEOF from now on.
func (s *JinjaScanner) Stop() { s.pos, s.hasPending = len(s.src), false }

// Next returns the next piece. Text pieces are never empty.
func (s *JinjaScanner) Next() (p JinjaPiece) {
	s.Read(&p)
	return p
}

// Read is Next into p.
func (s *JinjaScanner) Read(p *JinjaPiece) {
	for {
		switch {
		case s.hasPending:
			s.hasPending = false
			s.opened(p, &s.pending)
		case s.pos >= len(s.src):
			*p = JinjaPiece{Kind: JinjaEOF, Span: s.span(len(s.src), len(s.src)), Closed: true}
			return
		default:
			s.root(p)
		}
		if p.Kind != JinjaText || p.Text != "" {
			return
		}
	}
}

func (s *JinjaScanner) span(start, end int) source.Span {
	return source.Span{Start: source.Pos(start), End: source.Pos(end)}
}

// opening is an opener found in text: where it begins (blanks before a line
// prefix included) and ends, and its sign: '-', '+' or 0.
type opening struct {
	start, end int
	kind       openerKind
	sign       byte
}

// root reads text up to the next opener and what that opens. It sets p to the
// text, or, where there is none, to the tag.
func (s *JinjaScanner) root(p *JinjaPiece) {
	start := s.pos
	op, ok := s.find(start)
	if !ok {
		s.pos = len(s.src)
		s.text(p, start, len(s.src), len(s.src))
		return
	}
	if op.start == start { // there is no text
		s.pos = op.end
		s.opened(p, &op)
		return
	}
	s.text(p, start, s.strip(start, op), op.start)
	s.pos = op.end
	if p.Text == "" {
		s.opened(p, &op)
		return
	}
	s.pending, s.hasPending = op, true
}

// opened reads what op opens into p.
func (s *JinjaScanner) opened(p *JinjaPiece, op *opening) {
	switch op.kind {
	case rawOpener:
		s.raw(p, *op)
	case variableOpener:
		s.tag(p, op, JinjaOutput)
	case commentOpener:
		*p = s.comment(*op)
	case lineStatementOpener:
		s.tag(p, op, JinjaTag)
		p.line = true
	case lineCommentOpener:
		*p = s.lineComment(*op)
	default:
		s.tag(p, op, JinjaTag)
	}
}

// text makes p a text piece of src[start:end]; the piece spans up to whole.
func (s *JinjaScanner) text(p *JinjaPiece, start, end, whole int) {
	text := s.src[start:end]
	if !s.plain {
		text = NormalizeNewlines(text, s.opts.NewlineSequence)
	}
	*p = JinjaPiece{Kind: JinjaText, Span: s.span(start, whole), Closed: true, Text: text}
}

// strip returns where the text that begins at start ends, given the tag that
// follows: white space before it goes by its sign or by lstrip_blocks.
func (s *JinjaScanner) strip(start int, op opening) int {
	switch {
	case op.sign == '-':
		return pythonSpaceStart(s.src, start, op.start, false)
	case op.sign == '+' || !s.opts.LstripBlocks || op.kind == variableOpener:
		return op.start
	}
	from := pythonSpaceStart(s.src, start, op.start, true)
	if from == s.base || isNewline(s.src[from-1]) { // the white space begins its line
		return from
	}
	return op.start
}

// raw reads into p the text up to `{% endraw %}`.
func (s *JinjaScanner) raw(p *JinjaPiece, op opening) {
	body := s.pos
	for from := body; ; {
		n := strings.Index(s.src[from:], s.opts.BlockStart)
		if n < 0 {
			if body < len(s.src) { // Jinja minds only text that would be lost
				s.openRaw(op, body)
			}
			s.pos = len(s.src)
			*p = JinjaPiece{Kind: JinjaText, Span: s.span(body, s.pos), Broken: true}
			return
		}
		end := opening{start: from + n}
		pos := from + n + len(s.opts.BlockStart)
		from = pos
		if pos < len(s.src) && (s.src[pos] == '-' || s.src[pos] == '+') {
			end.sign = s.src[pos]
			pos++
		}
		pos = s.skipSpace(pos)
		if !strings.HasPrefix(s.src[pos:], "endraw") {
			continue
		}
		pos = s.skipSpace(pos + len("endraw"))
		if after, ok := s.closer(pos, s.opts.BlockEnd, true); ok {
			s.pos = after
			s.text(p, body, s.strip(body, end), end.start)
			return
		}
	}
}

// openRaw reports a raw block without its end. Jinja's line is that of the
// text, which white space behind the tag may keep apart from it.
func (s *JinjaScanner) openRaw(op opening, body int) {
	at := s.span(op.start, op.end)
	if !strings.ContainsAny(s.src[op.start:body], "\n\r") {
		s.fail("PCC052", at, "raw block is never closed")
		return
	}
	d := diag.New("PCC052", s.file, s.span(body, body), "raw block is never closed").WithKind("syntax")
	s.report(d.WithLabel(at, "opened here"))
}

// closer matches a closing delimiter with its sign at pos, and returns where
// what follows begins: white space is skipped after `-`, one line break after
// a block's closer if trim_blocks is on.
func (s *JinjaScanner) closer(pos int, end string, block bool) (after int, ok bool) {
	if rest := s.src[pos:]; rest != "" && (rest[0] == '-' || block && rest[0] == '+') && standsAt(rest, 1, end) {
		return s.behind(pos+1+len(end), rest[0], block), true
	}
	if standsAt(s.src, pos, end) {
		return s.behind(pos+len(end), 0, block), true
	}
	return 0, false
}

// behind returns where what follows a closer begins that ends at pos and has a sign
// or 0.
func (s *JinjaScanner) behind(pos int, sign byte, block bool) int {
	switch {
	case sign == '-':
		return s.skipSpace(pos)
	case sign == 0 && block && s.opts.TrimBlocks:
		return s.skipNewline(pos)
	}
	return pos
}

func (s *JinjaScanner) comment(op opening) JinjaPiece {
	body := s.pos
	n := strings.Index(s.src[body:], s.opts.CommentEnd)
	if n < 0 {
		if body < len(s.src) {
			s.fail("PCC051", s.span(op.start, op.end), "missing end of comment tag")
		}
		s.pos = len(s.src)
		return JinjaPiece{Kind: JinjaComment, Span: s.span(op.start, s.pos), Broken: true}
	}
	end := body + n
	if end > body && (s.src[end-1] == '-' || s.src[end-1] == '+') {
		end--
	}
	s.pos, _ = s.closer(end, s.opts.CommentEnd, true)
	return JinjaPiece{Kind: JinjaComment, Span: s.span(op.start, body+n+len(s.opts.CommentEnd)),
		Inside: s.span(body, end), Text: s.src[body:end], Closed: true}
}

func (s *JinjaScanner) lineComment(op opening) JinjaPiece {
	body := s.pos
	end := len(s.src)
	if n := strings.IndexAny(s.src[body:], "\n\r"); n >= 0 {
		end = body + n
	}
	s.pos = end
	return JinjaPiece{Kind: JinjaComment, Span: s.span(op.start, end), Inside: s.span(body, end),
		Text: s.src[body:end], Closed: true}
}

// NormalizeNewlines replaces each "\r\n", "\r" and "\n" of s by sequence.
func NormalizeNewlines(s, sequence string) string {
	if sequence == "\n" && strings.IndexByte(s, '\r') < 0 {
		return s
	}
	var b strings.Builder
	for {
		n := strings.IndexAny(s, "\r\n")
		if n < 0 {
			break
		}
		b.WriteString(s[:n])
		b.WriteString(sequence)
		if s[n] == '\r' && n+1 < len(s) && s[n+1] == '\n' {
			n++
		}
		s = s[n+1:]
	}
	b.WriteString(s)
	return b.String()
}

func (s *JinjaScanner) skipSpace(pos int) int { return pythonSpaceEnd(s.src, pos) }

// skipBlanks skips white space other than line breaks.
func (s *JinjaScanner) skipBlanks(pos int) int {
	for pos < len(s.src) {
		r, n := utf8.DecodeRuneInString(s.src[pos:])
		if !isPythonSpace(r) || r == '\n' || r == '\r' {
			break
		}
		pos += n
	}
	return pos
}

func (s *JinjaScanner) skipNewline(pos int) int {
	rest := s.src[pos:]
	switch {
	case strings.HasPrefix(rest, "\r\n"):
		return pos + 2
	case rest != "" && isNewline(rest[0]):
		return pos + 1
	}
	return pos
}

func (s *JinjaScanner) lineStart(pos int) bool {
	return pos == s.base || isNewline(s.src[pos-1])
}

func (s *JinjaScanner) spaceBefore(pos int) bool {
	r, _ := utf8.DecodeLastRuneInString(s.src[s.base:pos])
	return isPythonSpace(r)
}

func (s *JinjaScanner) fail(code diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, s.file, span, format, args...).WithKind("syntax")
	s.report(d)
	return d
}

func isNewline(c byte) bool { return c == '\n' || c == '\r' }
