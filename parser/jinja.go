package parser

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// maxJinjaErrors is the number of errors after which a run stops.
const maxJinjaErrors = 20

// parseJinja reads a text of the Jinja syntax: the grammar of jinja2/parser.py,
// with an explicit stack of open blocks in place of recursion. Each error
// stands where Jinja's own would, so that its line is the same; the block or
// tag that it comes from is a label.
func parseJinja(f *source.File, o Options) (*ast.Template, diag.List) {
	if o.Arena == nil {
		o.Arena = new(Arena)
	}
	p := newJinjaParser(o.Arena)
	if o.Arena.budget = o.Budget; o.Arena.budget == nil {
		o.Arena.budget = o.budget()
	}
	p.file, p.depth = f, o.limit()
	if p.reporter == nil {
		p.reporter, p.ifTag, p.forTag = p.report, jinjaTags["if"], jinjaTags["for"]
	}
	if o.Jinja != nil {
		p.opts = *o.Jinja
	}
	p.newline = p.opts.NewlineSequence
	if p.newline == "" {
		p.newline = "\n"
	}
	t := made(o.Arena, treeSlab)
	t.File, t.Syntax = f, "jinja"
	start, end := bodyOf(f, o)
	if d := o.checkSource(f, start, end); d != nil {
		return t, diag.List{d.WithKind("syntax")}
	}
	p.scan.Init(f, source.Span{Start: source.Pos(start), End: source.Pos(end)}, p.opts, p.depth, p.reporter)
	if p.scan.Plain() {
		p.newline = ""
	}
	t.Body = p.run()
	if d := invisible(f, start, end); d != nil && p.errors == 0 {
		p.report(d)
	}
	if f.ASCII() {
		return t, p.diags
	}
	if at := findBidi(f.Text, start, end); len(at) > 0 && p.errors == 0 {
		_, width := utf8.DecodeRuneInString(f.Text[at[0]:])
		// Jinja allows them everywhere, so this is no more than a warning.
		p.report(diag.New("PCC007", f, source.Span{Start: at[0], End: at[0] + source.Pos(width)}, "a bidirectional control character in the template"))
	}
	return t, p.diags
}

// newJinjaParser returns a parser that makes its nodes in a. An arena keeps its parser's memory for the next text.
func newJinjaParser(a *Arena) *jinjaParser {
	if a.jinja == nil {
		a.jinja = new(jinjaParser)
	}
	p := a.jinja
	if p.file != nil { // the arena holds more than one tree
		p.reset(cap(p.body))
	}
	p.alloc = a
	return p
}

// reset lets go of the tree that p has read; it keeps memory for as many as most
// nodes.
func (p *jinjaParser) reset(most int) {
	body, stack, reporter, ifTag, forTag := p.body, p.stack, p.reporter, p.ifTag, p.forTag
	if cap(body) > most {
		body = nil
	}
	clear(body) // what a run that was stopped left
	clear(stack)
	*p = jinjaParser{}
	p.body, p.stack, p.reporter, p.ifTag, p.forTag = body[:0], stack[:0], reporter, ifTag, forTag
}

type jinjaParser struct {
	file    *source.File
	opts    lexer.JinjaOptions
	scan    lexer.JinjaScanner
	depth   int
	newline string
	diags   diag.List
	errors  int
	lex     lexer.Expr // of the current tag
	expr    exprParser

	builder
	stack []openBlock // outermost first
	// closing is the block that close is at.
	closing openBlock
	// reporter is the method report, made once for all texts.
	reporter func(*diag.Diagnostic)
	// ifTag and forTag are the most frequent tags, looked up once.
	ifTag, forTag *jinjaTag
	last          source.Span // of the last token, where errors at the end belong
	// lost counts, by name, end tags that need not be reported where they stray:
	// those of `set` tags that could not be read, each of which may have been one
	// with a body, and of blocks that another end tag closed.
	lost map[string]int
	// printed are the outputs of a print tag after its first.
	printed []ast.Node
}

// openBlock is a block whose end tag has not come yet.
type openBlock struct {
	tag   *jinjaTag
	node  ast.Node
	head  source.Span
	outer int // base of the body that the block stands in
	// part is where the current body belongs; behind `else` only the end tag may
	// follow.
	part part
	// inLoop says that break and continue may stand in the current body.
	inLoop bool
}

func (p *jinjaParser) report(d *diag.Diagnostic) {
	if p.errors >= maxJinjaErrors {
		return
	}
	p.diags = append(p.diags, d)
	if d.Severity != diag.Error {
		return
	}
	if p.errors++; p.errors == maxJinjaErrors {
		p.scan.Stop()
	}
}

func (p *jinjaParser) fail(code diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, p.file, span, format, args...).WithKind("syntax")
	p.report(d)
	return d
}

// orRaw goes on the help line of an error in a tag with what to do where the tag is
// meant as text.
func (p *jinjaParser) orRaw(d *diag.Diagnostic) {
	switch d.Code {
	case "PCC002", "PCC003", "PCC101", "PCC102", "PCC110", "PCC150", "PCC152", "PCC160":
		if !strings.Contains(d.Help, "raw %}") {
			whereText(d, "put it into {% raw %} … {% endraw %}")
		}
	}
}

func (p *jinjaParser) run() []ast.Node {
	var piece lexer.JinjaPiece
	for tags := 0; ; {
		p.scan.Read(&piece)
		if piece.Kind == lexer.JinjaOutput || piece.Kind == lexer.JinjaTag {
			if tags++; tags > MaxTags {
				p.report(tooManyTags(p.file, piece.Span))
				return p.take()
			}
		}
		switch piece.Kind {
		case lexer.JinjaEOF:
			p.end()
			return p.take()
		case lexer.JinjaText:
			p.alloc.budget.Take(partBytes)
			p.last = source.Span{Start: piece.Span.Start, End: piece.Span.Start}
			t := made(p.alloc, textSlab)
			t.Range, t.Value = ast.At(piece.Span), piece.Text
			p.add(t)
		case lexer.JinjaComment:
			p.alloc.budget.Take(partBytes)
			if piece.Text != "" {
				p.add(&ast.Comment{Range: ast.At(piece.Span), Text: piece.Text})
			}
		case lexer.JinjaOutput:
			p.alloc.budget.Take(tagBytes)
			p.output(&piece)
		case lexer.JinjaTag:
			p.alloc.budget.Take(tagBytes)
			if !p.direct(&piece) {
				p.tag(&piece)
			} else {
				p.last = closerOf(&piece)
			}
		}
		if p.alloc.budget.Spent() {
			if n := len(p.diags); n == 0 || p.diags[n-1].Code != "PCC918" {
				p.report(noMemory(p.file, source.Span{Start: piece.Span.Start, End: piece.Span.Start}))
			}
			return p.take()
		}
	}
}

// closerOf returns the place of the closer of a piece, with its sign.
func closerOf(piece *lexer.JinjaPiece) source.Span {
	return source.Span{Start: piece.Inside.End, End: piece.Span.End}
}

// exprs returns a parser of the piece's inside, which is good until the next.
func (p *jinjaParser) exprs(piece *lexer.JinjaPiece) *exprParser {
	p.scan.Tokens(piece, &p.lex)
	p.lex.Budget = p.alloc.budget
	x := &p.expr
	x.file, x.lex, x.alloc, x.python, x.last = p.file, &p.lex, p.alloc, true, piece.Inside.Start
	x.newline, x.err = p.newline, nil
	p.expr.read()
	return &p.expr
}

// finish reports the error of a tag that was read, or of what is left over of it,
// reads on to the tag's end, and notes where its last token is.
func (p *jinjaParser) finish(x *exprParser, piece *lexer.JinjaPiece) bool {
	at := x.tok.Start // where the error is, or what is left over
	x.atEnd()
	p.scan.Finish(piece, &p.lex)
	p.last = closerOf(piece)
	opener := source.Span{Start: piece.Span.Start, End: piece.Inside.Start}
	// At the end of the template Jinja gives the line of the last token.
	end := opener
	if x.last > piece.Inside.Start {
		end = source.Span{Start: x.last - 1, End: x.last}
	}
	switch {
	case x.err != nil:
		d := x.err
		if d.Span.Start == piece.Span.Start { // what is wrong is the tag as a whole
			d.Span.End = piece.Span.End
		}
		if !piece.Closed && !piece.Broken {
			if at >= piece.Inside.End {
				d.Span = end
			}
			d.WithLabel(opener, "this tag is never closed")
		}
		p.orRaw(d)
		p.report(d)
	case !piece.Closed:
		p.orRaw(p.fail("PCC152", end, "the template ends inside a tag").WithLabel(opener, "opened here"))
	default:
		return true
	}
	return false
}

func (p *jinjaParser) output(piece *lexer.JinjaPiece) {
	var e ast.Expr
	d, ok := p.directly(piece), p.scan.Simple(piece)
	if ok {
		e, ok = d.path()
	}
	if ok && d.closes() {
		p.last = closerOf(piece)
	} else {
		x := p.exprs(piece)
		e = x.tuple(false)
		if !p.finish(x, piece) {
			p.add(&ast.Bad{Range: ast.At(piece.Span)})
			return
		}
	}
	out := made(p.alloc, outputSlab)
	out.Range, out.Expr, out.Raw = ast.At(piece.Span), e, p.file.Slice(piece.Span)
	p.add(out)
}

// tag reads a block tag: a statement, or the end or a part of the open block.
func (p *jinjaParser) tag(piece *lexer.JinjaPiece) {
	x := p.exprs(piece)
	word := x.tok
	if word.Kind != lexer.Name || x.err != nil {
		x.unexpected("the name of a tag")
		p.finish(x, piece)
		p.add(&ast.Bad{Range: ast.At(piece.Span)})
		return
	}
	if n := len(p.stack); n > 0 && p.stack[n-1].takes(word.Text) {
		x.next()
		p.part(x, word.Text, piece)
		return
	}
	t := jinjaTags[word.Text]
	if t == nil || t.allowed != nil && !t.allowed(&p.opts) {
		p.unknown(x, piece)
		return
	}
	x.next()
	node := t.read(p, x, piece)
	if t.block() && !inline(node) {
		x.skip(lexer.Colon)
	}
	ok := p.finish(x, piece)
	place(node, piece.Span)
	if t.check != nil {
		t.check(p, piece.Span)
	}
	switch {
	case t.block() && !inline(node):
		p.open(t, node, piece.Span)
	case ok:
		p.add(node)
	default:
		if word.Text == "set" {
			p.lose("endset")
		}
		p.add(&ast.Bad{Range: ast.At(piece.Span)})
	}
	if ok {
		p.body = append(p.body, p.printed...)
	}
	p.printed = nil
}

// place gives a node the place of its tag, which is known once that was read. The
// outputs of a print tag have places of their own.
func place(n ast.Node, tag source.Span) {
	switch n := n.(type) {
	case *ast.When:
		n.Branches[0].Head = tag
	case *ast.Loop:
		n.Head = tag
	case *ast.Output:
		return
	}
	n.SetSpan(tag)
}

// takes reports whether the block's current body may be ended by a tag of this
// name.
func (b *openBlock) takes(word string) bool {
	if word == b.tag.end {
		return true
	}
	if b.part == otherPart {
		return false
	}
	for _, w := range b.tag.parts {
		if w == word {
			return true
		}
	}
	return false
}

// open pushes a block whose head was read. A faulty head opens the block all
// the same, so that its end tag fits.
func (p *jinjaParser) open(t *jinjaTag, node ast.Node, head source.Span) {
	if len(p.stack) >= p.depth {
		p.fail("PCC901", head, "blocks are nested more than %d deep", p.depth)
		p.scan.Stop()
		return
	}
	inLoop := t.loop
	if n := len(p.stack); n > 0 && !t.function && !inLoop {
		inLoop = p.stack[n-1].inLoop
	}
	p.stack = append(p.stack, openBlock{tag: t, node: node, head: head, outer: p.enter(), inLoop: inLoop})
}

// part handles a tag that divides or ends the innermost block.
func (p *jinjaParser) part(x *exprParser, word string, piece *lexer.JinjaPiece) {
	b := &p.stack[len(p.stack)-1]
	if word != b.tag.end {
		b.tag.part(p, b, x, word, piece)
		return
	}
	if t, ok := b.node.(*ast.Block); ok {
		x.skipWord(t.Name)
	}
	p.finish(x, piece)
	p.close(piece.Span.End)
}

// close ends the innermost block at end.
func (p *jinjaParser) close(end source.Pos) {
	n := len(p.stack) - 1
	b := &p.closing
	*b = p.stack[n]
	p.stack[n] = openBlock{} // the arena keeps the memory
	p.stack = p.stack[:n]
	body := p.take()
	p.leave(b.outer, b.node, end)
	fill(b.node, b.part, body)
	if b.tag.finish != nil {
		b.tag.finish(p, b.node)
	}
	p.add(b.node)
}

// unknown reports a tag that is no statement here, or the end of a block that
// is not the innermost one. x is at its first word.
func (p *jinjaParser) unknown(x *exprParser, piece *lexer.JinjaPiece) {
	word, rest := x.tok, p.lex
	p.scan.Finish(piece, &rest)
	bad := &ast.Bad{Range: ast.At(piece.Span)}
	p.last = closerOf(piece)
	if p.lost[word.Text] > 0 {
		p.lost[word.Text]--
		p.add(bad)
		return
	}
	for i := len(p.stack) - 1; i >= 0; i-- {
		if !p.stack[i].takes(word.Text) {
			continue
		}
		inner := p.stack[len(p.stack)-1]
		p.fail("PCC151", word.Span(), "`%s` comes before `%s`", word.Text, inner.tag.end).
			WithLabel(inner.head, "`%s` opened here is still open", inner.tag.name).
			WithHelp("add {%% %s %%} before {%% %s %%}", inner.tag.end, word.Text)
		for len(p.stack) > i+1 {
			p.lose(p.stack[len(p.stack)-1].tag.end)
			p.close(piece.Span.Start)
		}
		x.next()
		p.part(x, word.Text, piece)
		return
	}
	if n := len(p.stack); n > 0 && slices.Contains(p.stack[n-1].tag.parts, word.Text) {
		p.fail("PCC151", word.Span(), "`%s` after `else`", word.Text).
			WithLabel(p.stack[n-1].head, "of this block").
			WithHelp("move the tag before {%% else %%}")
		p.add(bad)
		return
	}
	d := p.fail("PCC150", word.Span(), "unknown tag `%s`", clip(word.Text))
	d.Names = append(d.Names, word.Text)
	if n := len(p.stack); n > 0 {
		top := p.stack[n-1]
		d.WithLabel(top.head, "the innermost open block, which ends with `%s`", top.tag.end)
	}
	if t := jinjaTags[word.Text]; t != nil {
		d.WithHelp("allow the tag with the option %s", t.option)
	} else if h := tagHints[word.Text]; h != "" {
		d.WithHelp("%s", h)
	} else if opener := openerOf(word.Text); opener != "" {
		d.WithHelp("there is no open `%s` that it could belong to", opener)
	} else if near, ok := diag.Near(word.Text, tagNames()); ok {
		d.WithHelp("did you mean `%s`?", near)
	}
	p.orRaw(d)
	p.add(bad)
}

func (p *jinjaParser) lose(end string) {
	if p.lost == nil {
		p.lost = map[string]int{}
	}
	p.lost[end]++
}

// tagHints say what to write in place of tags of other languages.
var tagHints = map[string]string{
	"elseif": "write {% elif condition %}",
	"elsif":  "write {% elif condition %}",
	"end":    "write the end tag with its block's name, such as {% endif %}",
	"let":    "write {% set name = value %}",
	"assign": "write {% set name = value %}",
	"while":  "there are no while loops: write {% for x in range(n) %}",
	"loop":   "write {% for item in items %}",
	"when":   "write {% if condition %}",
	"raw":    "raw takes no `+`: write {% raw %} or {% raw -%}",
	"endraw": "there is no open {% raw %} that it could belong to",
}

// openerOf returns the tag that word ends or divides, if it is such a word.
func openerOf(word string) string {
	switch word {
	case "else", "elif":
		return "if"
	}
	if name, ok := strings.CutPrefix(word, "end"); ok && jinjaTags[name] != nil {
		return name
	}
	return ""
}

// end reports the blocks that are still open where the template ends. Jinja
// gives the line of the last token.
func (p *jinjaParser) end() {
	for n := len(p.stack); n > 0; n = len(p.stack) {
		b := p.stack[n-1]
		d := diag.New("PCC104", p.file, p.last, "the template ends, but `%s` is never closed", b.tag.name).
			WithKind("syntax").WithLabel(b.head, "opened here").
			WithHelp("add {%% %s %%}", b.tag.end)
		// Only the innermost is news: the others follow from it.
		if p.errors == 0 {
			p.report(d)
		}
		p.close(p.scan.End())
	}
}
