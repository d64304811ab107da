package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// usages are the help lines of malformed keyword tags, in the spelling of the
// brace syntax; usage translates them.
var usages = map[string]string{
	"when":     "write {when condition} … {/when}",
	"else":     "write {else} or {else when condition}",
	"loop":     "write {loop items as item} or {loop map as key, value}",
	"switch":   "write {switch value} {case \"a\"} … {default} … {/switch}",
	"case":     "write {case \"a\"} or {case \"a\", \"b\"}",
	"default":  "write {default}",
	"message":  "write {message role} or {message role name=value}, the role being system, user, assistant, tool, developer or an expression",
	"messages": "write {messages list}",
	"include":  "write {include \"file\"} or {include \"file\" with a=value, b=value}",
}

// usage returns the help line for a keyword, with the delimiters of a tag.
func (p *parser) usage(word string, hard bool) string {
	n := 1
	if hard {
		n = 2
	}
	return strings.NewReplacer(
		"{", strings.Repeat(p.syn.Open, n), "}", strings.Repeat(p.syn.Close, n),
	).Replace(usages[word])
}

// closer returns the delimiter that ends a tag.
func (p *parser) closer(hard bool) string {
	if !hard {
		return p.syn.Close
	}
	return hardClosers[p.syn.Close]
}

var hardClosers = map[string]string{"}": "}}", ">": ">>"}

// tag reads what begins behind the opener of piece. It reports whether there is
// a tag; else it is text.
func (p *parser) tag(piece *lexer.Piece) bool {
	if p.opts.PlaceholdersOnly {
		return p.plainPlaceholder(piece)
	}
	at := piece.Inside
	if piece.Hard {
		at += blanksAt(p.src[at:p.scan.End])
	}
	src, end := p.src[:p.scan.End], at
	for end < len(src) && src[end] >= 'a' && src[end] <= 'z' {
		end++
	}
	word := src[at:end]
	if isKeyword(word) {
		gap := p.gap(end, piece.Hard)
		if parse := p.keyword(word, end, gap, piece.Hard); parse != nil {
			return parse(p, piece, at)
		}
	}
	if word == "raw" && p.rawBlock(piece, end) {
		return true
	}
	if piece.Hard {
		return p.hard(piece, at)
	}
	if p.soft(piece) {
		return true
	}
	p.noHead(piece, word, end)
	return false
}

// isKeyword reports whether tags may begin with the word.
func isKeyword(word string) bool {
	switch word {
	case "when", "else", "loop", "switch", "case", "default", "message", "messages", "include":
		return true
	}
	return false
}

// gap returns the end of the white space behind a keyword; a soft tag's keyword
// is followed by blanks only.
func (p *parser) gap(i int, hard bool) int {
	for i < p.scan.End {
		switch c := p.src[i]; {
		case c == ' ' || c == '\t':
		case hard && (c == '\n' || c == '\r'):
		default:
			return i
		}
		i++
	}
	return i
}

// keyword returns what reads the tag that begins with the word, or nil if the
// word is a name here.
func (p *parser) keyword(word string, end, gap int, hard bool) func(*parser, *lexer.Piece, int) bool {
	inside := noBlock
	if n := len(p.frames); n > 0 {
		inside = p.frames[n-1].kind
	}
	alone := strings.HasPrefix(p.src[gap:p.scan.End], p.closer(hard))
	switch word {
	case "when", "loop", "switch", "message", "messages", "include":
		if gap == end || !beginsHead(p.src[:p.scan.End], gap) {
			return nil
		}
		switch word {
		case "when":
			return (*parser).openWhen
		case "loop":
			return (*parser).openLoop
		case "switch":
			return (*parser).openSwitch
		case "message":
			return (*parser).openMessage
		case "messages":
			return (*parser).messages
		}
		return (*parser).include
	case "else":
		if (inside == whenBlock || inside == loopBlock) && (alone || gap > end) {
			if alone {
				return (*parser).elseTag
			}
			return (*parser).elseWhen
		}
		if inside == switchBlock && alone {
			return (*parser).elseOfSwitch
		}
	case "case":
		if inside == switchBlock && gap > end && beginsHead(p.src[:p.scan.End], gap) {
			return (*parser).caseTag
		}
	case "default":
		if inside == switchBlock && (alone || gap > end && beginsHead(p.src[:p.scan.End], gap)) {
			return (*parser).defaultTag
		}
	}
	return nil
}

// tokens returns the tokens of the tag piece from offset at on.
func (p *parser) tokens(piece *lexer.Piece, at int, keyword bool) lexer.Expr {
	x := lexer.Expr{
		Src: p.src, Pos: at, End: p.scan.End, Close: p.closer(piece.Hard),
		Limit: p.depth, Budget: p.alloc.budget, StopByte: p.syn.Open[0],
	}
	open := p.syn.Open
	switch {
	case piece.Hard:
		x.Stop = stopHard
	case keyword && len(open) == 1:
		x.Stop = stopKeyword
	case len(open) == 1:
		x.Stop = stopSoft
	default:
		x.Stop = func(src string, pos int) bool { return strings.HasPrefix(src[pos:], open) }
	}
	return x
}

// A tag ends as one that is never closed where another opens: for hard tags at
// doubled delimiters, for soft placeholders at any, for soft keyword tags, which
// may hold maps, at another keyword tag. So each stretch of source is read a
// bounded number of times, whatever it holds.
func stopSoft(string, int) bool { return true }

func stopHard(src string, pos int) bool {
	return pos+1 < len(src) && src[pos+1] == src[pos]
}

func stopKeyword(src string, pos int) bool {
	end := pos + 1
	for end < len(src) && src[end] >= 'a' && src[end] <= 'z' {
		end++
	}
	return end < len(src) && (src[end] == ' ' || src[end] == '\t') && isKeyword(src[pos+1:end])
}

// block parses a keyword tag from its word at offset at with its production.
// end is the offset behind the tag; v is nil after an error, and ok is false if
// the tag is text.
func block[T any](p *parser, piece *lexer.Piece, at int, word string, grammar func() *participle.Parser[T]) (v *T, end int, ok bool) {
	tokens := &p.alloc.tokens
	v, d := produce(p.file, tokens, p.tokens(piece, at, true), grammar, p.usage(word, piece.Hard))
	eof := tokens.Last
	if d == nil && eof.End == eof.Start {
		d = p.openTag(piece)
	}
	if d == nil {
		d = p.bidiIn(piece.Start, int(eof.End))
	}
	if d != nil {
		end, ok = p.malformed(piece, d, true)
		return nil, end, ok
	}
	if p.opts.produced != nil {
		p.opts.produced(word)
	}
	return v, int(eof.End), true
}

// exprTag reads a tag that holds one expression behind its words, of which the
// first begins at offset at and the last ends at offset behind. The expression is
// an ast.BadExpr after an error, and ok is false if the tag is text.
func exprTag[T any, P interface {
	*T
	expr() ast.Expr
}](p *parser, piece *lexer.Piece, at, behind int, word string, grammar func() *participle.Parser[T]) (e ast.Expr, end int, ok bool) {
	if e, end, ok = p.directExpr(piece, behind); ok {
		return e, end, ok
	}
	v, end, ok := block(p, piece, at, word, grammar)
	if v == nil {
		return p.badExpr(at), end, ok
	}
	return P(v).expr(), end, ok
}

// placeholder begins to read the placeholder piece from offset at on.
func (p *parser) placeholder(piece *lexer.Piece, at int) *exprParser {
	p.lex = p.tokens(piece, at, false)
	p.expr = exprParser{file: p.file, lex: &p.lex, alloc: p.alloc, last: source.Pos(at)}
	p.expr.read()
	return &p.expr
}

// openTag is the error of a tag without its closing delimiter.
func (p *parser) openTag(piece *lexer.Piece) *diag.Diagnostic {
	return diag.New("PCC110", p.file, p.span(piece.Start, piece.Inside), "the tag is never closed").
		WithHelp("add `%s`, or write `%s` literally as `/%[2]s … /%[1]s`", p.closer(piece.Hard), p.src[piece.Start:piece.Inside])
}

// malformed decides what becomes of a tag that cannot be read: text where the
// language says so (ok is false), else an error; end is where to go on.
func (p *parser) malformed(piece *lexer.Piece, d *diag.Diagnostic, keyword bool) (end int, ok bool) {
	if d.Code == "PCC918" || d.Code == "PCC901" && !p.mayBeText(piece, keyword) {
		p.list = append(p.list, d)
		p.stopped = true
		return p.scan.End, true
	}
	if p.mayBeText(piece, keyword) && (piece.Slash || d.Code != "PCC006") {
		if keyword && !piece.Slash {
			w := diag.New("PCC116", p.file, p.span(piece.Start, piece.Inside), "this is text, not a tag: %s", d.Message)
			w.Labels = append(w.Labels, diag.Label{File: p.file, Span: d.Span, Message: "it is no tag because of this"})
			p.orText(w, piece)
			p.report(w)
		}
		return 0, false
	}
	if d.Code == "PCC110" && d.Span.Start != source.Pos(piece.Start) {
		// Another tag opens inside: what is wrong is that this one is not closed.
		open := p.openTag(piece)
		open.Labels = append(open.Labels, diag.Label{File: p.file, Span: d.Span, Message: "another tag opens here"})
		d = open
	}
	if piece.Hard && (d.Code == "PCC101" || d.Code == "PCC003") && p.unclosed(piece, int(d.Span.Start)) {
		open := p.openTag(piece)
		open.Labels = append(open.Labels, diag.Label{File: p.file, Span: d.Span, Message: "what is here is no part of it"})
		d = open
	}
	if d.Code == "PCC102" && d.Span.Start > 0 && strings.IndexByte("-+", p.src[d.Span.Start-1]) >= 0 {
		d.Help = "there is no white-space control here: delete the `" + p.src[d.Span.Start-1:d.Span.Start] + "`; lines that hold only block tags disappear by themselves"
	}
	if !keyword && (d.Code == "PCC101" || d.Code == "PCC003") {
		if e, _ := diag.Lookup(d.Code); d.Help == e.Help {
			p.foreignHelp(d, piece)
		}
		if rest := p.src[d.Span.Start:p.scan.End]; piece.Hard && strings.HasPrefix(rest, p.syn.Close) && !strings.HasPrefix(rest, p.closer(true)) {
			d.WithHelp("what %s opens, %s closes", p.src[piece.Start:piece.Inside], p.closer(true))
		}
	}
	p.orText(d, piece)
	p.report(d)
	return p.resume(piece, max(piece.Inside, int(d.Span.Start))), true
}

// unclosed reports whether a hard tag that cannot be read on at offset from has
// no closing delimiter before the next tag of its width.
func (p *parser) unclosed(piece *lexer.Piece, from int) bool {
	rest := p.src[from:p.scan.End]
	if strings.HasPrefix(rest, p.syn.Close) {
		return false // one is there, and too short
	}
	c, o := strings.Index(rest, p.closer(true)), strings.Index(rest, p.src[piece.Start:piece.Inside])
	return c < 0 || o >= 0 && o < c
}

// longLiteral is the length of tags that are too long to be repeated in a help
// line.
const longLiteral = 60

// orText goes on the help line of a finding about the tag piece with what to write
// where the tag is meant as text.
func (p *parser) orText(d *diag.Diagnostic, piece *lexer.Piece) {
	at := piece.Inside + blanksAt(p.src[piece.Inside:p.scan.End])
	switch p.src[at:letters(p.src[:p.scan.End], at)] {
	case "else", "case", "default": // they are tags in blocks alone
		return
	}
	opener := p.src[piece.Start:piece.Inside]
	switch {
	case d.Code == "PCC901", d.Code == "PCC006", strings.Contains(d.Help, "/"+opener):
		return
	}
	form := p.literal(p.src[piece.Start:min(p.scan.End, piece.Start+longLiteral)], piece.Hard)
	if form == "" {
		form = "/" + opener + " … /" + p.closer(piece.Hard)
	}
	whereText(d, "write "+form)
}

// whereText goes on the help line of d with what to do where text is meant.
func whereText(d *diag.Diagnostic, what string) {
	switch {
	case what == "":
	case d.Help == "":
		d.Help = "where it is text, " + what
	case strings.HasSuffix(d.Help, "?"):
		d.Help += " Where it is text, " + what
	default:
		d.Help += "; where it is text, " + what
	}
}

// inRaw tells to use the raw block of the syntax, "" where it has none.
func (p *parser) inRaw() string {
	if p.syn.Angle && !p.syn.Hard {
		return ""
	}
	hard := p.syn.Angle || !p.syn.Soft
	return "put it into " + p.spell("raw", hard) + " … " + p.spell("/raw", hard)
}

// literal writes the tag that src begins with as a literal group; it is "" where the
// tag ends far away or not at all.
func (p *parser) literal(src string, hard bool) string {
	closer := p.closer(hard)
	n := strings.Index(src, closer)
	w := len(p.syn.Open)
	if hard {
		w *= 2
	}
	if n < w || n >= longLiteral || strings.ContainsAny(src[:n], "\r\n") ||
		strings.Contains(src[w:n], p.syn.Open) { // a tag in a group is read
		return ""
	}
	return "/" + src[:n] + "/" + closer
}

// mayBeText reports whether a malformed tag is text rather than an error.
func (p *parser) mayBeText(piece *lexer.Piece, keyword bool) bool {
	switch {
	case piece.Slash:
		return true // the opener of a literal group
	case p.syn.Angle:
		return !piece.Hard || !keyword
	}
	return !piece.Hard && !keyword
}

// resume finds where to go on after the malformed tag piece: behind its closing
// delimiter if one comes before the next opener, else where it broke off.
func (p *parser) resume(piece *lexer.Piece, from int) int {
	rest := p.src[from:p.scan.End]
	closer, opener := p.closer(piece.Hard), p.src[piece.Start:piece.Inside]
	c := strings.Index(rest, closer)
	o := strings.Index(rest, opener)
	switch {
	case c >= 0 && (o < 0 || c < o):
		return from + c + len(closer)
	case o >= 0:
		return from + o
	}
	return from
}

// hard reads a placeholder with doubled delimiters, whose expression begins at
// offset at.
func (p *parser) hard(piece *lexer.Piece, at int) bool {
	if end := p.hardPath(piece, at); end > 0 {
		return true
	}
	if e, end, ok := p.digits(piece, at); ok {
		p.output(piece, e, end)
		return true
	}
	if !isNameByte(p.src[at]) && p.src[at] < 0x80 {
		return p.spaced(piece, at)
	}
	x := p.placeholder(piece, at)
	e := x.expr()
	x.atEnd()
	d := x.err
	if d == nil && !p.lex.Closed {
		d = p.openTag(piece)
	}
	if d == nil {
		d = p.bidiIn(piece.Start, p.lex.Pos)
	}
	if d == nil {
		p.output(piece, e, p.lex.Pos)
		return true
	}
	end, ok := p.malformed(piece, d, false)
	if ok {
		p.before(piece)
		p.add(&ast.Bad{Range: rangeOf(piece.Start, end)})
		p.line.content()
		p.accept(end)
	}
	return ok
}

// hardPath is the fast way for {{ a.b.c }}: it returns 0 if the tag is anything
// else.
func (p *parser) hardPath(piece *lexer.Piece, at int) (end int) {
	src := p.src[:p.scan.End]
	first, stop := lexer.Path(src, at)
	if stop == at || isWordLiteral(src[at:first]) {
		return 0
	}
	end = stop
	for end < len(src) && (src[end] == ' ' || src[end] >= '\t' && src[end] <= '\r') {
		end++
	}
	closer := p.closer(true)
	if !strings.HasPrefix(src[end:], closer) {
		return 0
	}
	end += len(closer)
	p.output(piece, p.path(at, first, stop), end)
	return end
}

// isWordLiteral reports whether a word is no variable in expressions.
func isWordLiteral(word string) bool {
	switch word {
	case "true", "True", "false", "False", "none", "None", "null",
		"and", "or", "not", "in", "is", "if", "else":
		return true
	}
	return false
}

// path makes the expression of the simple path src[start:end], whose first name
// ends at first.
func (p *parser) path(start, first, end int) ast.Expr {
	return pathExpr(p.file, p.alloc, start, first, end)
}

// pathExpr is path for a part of f's text.
func pathExpr(f *source.File, a *Arena, start, first, end int) ast.Expr {
	n := made(a, nameSlab)
	n.Range, n.Name = rangeOf(start, first), f.Text[start:first]
	var e ast.Expr = n
	src := f.Text[:end]
	for i := first; i < end; {
		at := i + 1
		i = at
		for i < len(src) && src[i] != '.' {
			i++
		}
		if c := src[at]; c >= '0' && c <= '9' {
			x := exprParser{file: f, alloc: a}
			e = &ast.Index{Range: rangeOf(start, i), X: e, I: x.integer(token{
				lexer.Token{Kind: lexer.Int, Start: source.Pos(at), End: source.Pos(i)}, f.Text[at:i],
			})}
			continue
		}
		if a != nil {
			a.budget.Take(lexer.TokenBytes)
		}
		m := made(a, attrSlab)
		m.Range, m.X, m.Name = rangeOf(start, i), e, f.Text[at:i]
		m.NameSpan = source.Span{Start: source.Pos(at), End: source.Pos(i)}
		e = m
	}
	return e
}

// digits reads {{0}}: word characters that begin with a digit.
func (p *parser) digits(piece *lexer.Piece, at int) (e ast.Expr, end int, ok bool) {
	src := p.src[:p.scan.End]
	if !p.syn.Digits || at != piece.Inside || src[at] < '0' || src[at] > '9' {
		return nil, 0, false
	}
	end = lexer.WordEnd(src, at)
	if !strings.HasPrefix(src[end:], p.closer(true)) {
		return nil, 0, false
	}
	name := &ast.Name{Range: rangeOf(at, end), Name: NormalizeName(src[at:end])}
	return name, end + len(p.closer(true)), true
}

// output adds the placeholder piece that prints e and ends at end.
func (p *parser) output(piece *lexer.Piece, e ast.Expr, end int) {
	p.before(piece)
	o := p.alloc.output(piece.Start, end)
	o.Expr, o.Soft, o.Raw = e, !piece.Hard, p.src[piece.Start:end]
	p.add(o)
	p.line.content()
	p.accept(end)
	if n, ok := e.(*ast.Name); ok && strayWord(n.Name) {
		p.stray(n)
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
