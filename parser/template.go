package parser

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// maxErrors is how many errors a run reports, maxWarnings how many warnings.
const (
	maxErrors   = 20
	maxWarnings = 100
)

// maxRun limits the length of a run of opening delimiters. No prompt holds so
// many; a text that does is meant to keep a reader busy.
const maxRun = 10000

// parser reads one text of a native syntax. It is used once.
type parser struct {
	file  *source.File
	src   string
	syn   *lexer.Syntax
	opts  Options
	depth int
	scan  *lexer.Scanner
	piece lexer.Piece // that is being read

	builder
	// frames are the open blocks. root is the whole tree when it is done.
	frames []frame
	root   []ast.Node
	// textStart is where the text that is not yet in body begins.
	textStart int
	line      line
	groups    []group
	// needsMerge says that bodies may hold empty or adjacent texts.
	needsMerge bool

	list     diag.List
	errors   int
	warnings int
	stopped  bool

	hasMessage bool
	tags       int         // well-formed tags, of any kind
	comments   int         // how many of them are comments
	literals   int         // literal groups so far
	firstTag   source.Span // the first of them
	evidence   *evidence   // stop when it is there: the tree is not wanted
	textTags   []source.Span
	misspelt   bool // a text is nearly a tag
	near       []ast.NearTag
	elements   map[string]bool // names of elements that near lists
	raw        rawClosers
	headless   []*diag.Diagnostic // warnings of keyword tags that are text
	bidi       []source.Pos
	closes     map[string]int // in angle syntaxes: the last </name> by name
	closed     bool           // closes was made
	foreign    foreign
	// lex and expr read placeholders.
	lex  lexer.Expr
	expr exprParser
	as   loopNames // that directLoop reads
}

// Parse reads the text of f. The template is never nil; where the list holds
// errors it has ast.Bad nodes in the places of tags that could not be read.
func Parse(f *source.File, o Options) (*ast.Template, diag.List) {
	var found diag.List
	var p *parser
	chosen := ""
	if o.Syntax == nil {
		var d Detection
		d, p = detect(f, o)
		o.Syntax, found = d.Syntax, d.Warnings
		if !d.named {
			chosen = d.Reason
		}
		if d.Conflict { // what either syntax finds in the text follows from it
			t := made(o.Arena, treeSlab)
			t.File, t.Syntax = f, o.Syntax.Name
			return t, found
		}
	}
	if o.Syntax.Jinja {
		t, l := parseJinja(f, o)
		t.Chosen, l = chosen, append(found, l...)
		NoteChoice(l, f, t.Syntax, chosen)
		return t, l
	}
	ok := p != nil
	if !ok {
		if p, ok = newParser(f, o); ok {
			p.parse()
		}
	}
	t := made(o.Arena, treeSlab)
	t.File, t.Syntax, t.Chosen = f, o.Syntax.Name, chosen
	if _, known := lexer.ByName(t.Syntax); !known {
		t.Open, t.Close = o.Syntax.Open, o.Syntax.Close
	}
	if ok {
		t.Body, t.Chat, t.Near = p.root, p.hasMessage, p.near
		p.list.Sort()
	}
	found = append(found, p.list...)
	NoteChoice(found, f, t.Syntax, chosen)
	return t, found
}

// newParser checks what must hold of the source as a whole; ok is false where
// it cannot be read at all.
func newParser(f *source.File, o Options) (p *parser, ok bool) {
	a := o.Arena
	if a == nil {
		a = new(Arena)
	}
	p = &a.parser
	if p.file != nil { // the arena holds more than one tree
		*p = parser{}
	}
	p.file, p.src, p.syn, p.opts, p.depth = f, f.Text, o.Syntax, o, o.limit()
	p.alloc, p.body, p.frames = a, a.body[:0], a.frames[:0]
	if a.budget = o.Budget; a.budget == nil {
		a.budget = o.budget()
	}
	start, end := bodyOf(f, o)
	if d := o.checkSource(f, start, end); d != nil {
		p.report(d)
		return p, false
	}
	if !f.ASCII() {
		p.bidi = findBidi(p.src, start, end)
	}
	a.scan.Init(p.src, start, end, p.syn)
	p.scan = &a.scan
	p.textStart = start
	if o.PlaceholdersOnly {
		p.scan.Plain = true
		p.scan.Tags = placeholderBegins[o.Names]
	}
	p.line = line{clean: true, blanks: a.blanks[:0]}
	return p, true
}

// bodyOf returns the range of f that is template text, a BOM left out.
func bodyOf(f *source.File, o Options) (start, end int) {
	start, end = 0, len(f.Text)
	if o.Body != (source.Span{}) {
		end = min(end, int(o.Body.End))
		start = min(end, int(o.Body.Start))
	}
	const bom = "\ufeff"
	if start == 0 && end >= len(bom) && f.Text[:len(bom)] == bom {
		start = len(bom)
	}
	return start, end
}

// parse reads the whole text.
func (p *parser) parse() {
	for !p.stopped {
		piece := &p.piece
		p.scan.Read(piece)
		switch piece.Kind {
		case lexer.EndOfText:
			if p.brief() { // neither the tree nor findings are wanted
				p.unwind() // blocks of tags with errors, which are no evidence
				p.done()
				return
			}
			p.text(p.textStart, piece.End)
			p.finish()
			return
		case lexer.CloseDelims:
			p.closers(piece)
			continue
		}
		if piece.Count > maxRun {
			p.limit(source.Span{Start: source.Pos(piece.Run), End: source.Pos(piece.Run + maxRun)},
				"more than %d opening delimiters stand in a row", maxRun)
			break
		}
		if p.mark(piece); p.alloc.budget.Spent() {
			p.noMemory(piece)
		}
	}
	p.abort()
}

// noMemory reports that the budget is spent, and stops the run.
func (p *parser) noMemory(piece *lexer.Piece) {
	p.stopped = true
	if n := len(p.list); n == 0 || p.list[n-1].Code != "PCC918" {
		p.list = append(p.list, noMemory(p.file, p.span(piece.Start, piece.Start)))
	}
}

// mark handles a run of opening delimiters: a comment, a tag, or text.
func (p *parser) mark(piece *lexer.Piece) {
	accepted, errors, frames := false, p.errors, len(p.frames)
	switch piece.Kind {
	case lexer.Comment:
		p.before(piece)
		p.comment(piece)
		accepted = true
	case lexer.CloseTag:
		accepted = p.closing(piece)
	case lexer.Tag:
		accepted = p.tag(piece)
	}
	switch {
	case accepted:
		p.alloc.budget.Take(tagBytes)
		if p.errors != errors && len(p.frames) > frames {
			p.top().faulty = true
		}
		if p.errors == errors {
			if p.tags++; p.tags == 1 {
				p.firstTag = p.span(piece.Start, p.scan.Pos)
			}
			if piece.Kind == lexer.Comment {
				p.comments++
			}
			if p.tags > MaxTags {
				p.report(tooManyTags(p.file, p.span(piece.Start, p.scan.Pos)))
				p.stopped = true
			}
			if p.evidence != nil && p.evidence.add(p, piece) {
				p.stopped = true
			}
			if p.syn.Angle && !piece.Hard && piece.Kind == lexer.Tag && !p.brief() {
				p.endsEarly(piece)
			}
		}
	case p.stopped:
	default:
		p.openers(piece, piece.Count)
		if !p.brief() {
			p.foreign.look(p, piece)
			p.nearTag(piece)
			p.nearPlaceholder(piece)
		}
	}
}

// before puts everything before the mark into the body: the text, and of the
// piece's run those delimiters that are not the mark's own.
func (p *parser) before(piece *lexer.Piece) {
	if n := (piece.Start - piece.Run) / len(p.syn.Open); n > 0 {
		p.openers(piece, n)
	}
	p.text(p.textStart, piece.Start)
	p.textStart = piece.Start
}

// accept goes on behind the mark that ends at end.
func (p *parser) accept(end int) {
	p.scan.Accept(end)
	p.textStart = end
}

func (p *parser) comment(piece *lexer.Piece) {
	w := len(p.syn.Open)
	c := &ast.Comment{Range: rangeOf(piece.Start, piece.End), Text: p.src[piece.Start+w+1 : piece.End-w-1]}
	p.add(c)
	p.line.comment()
	p.accept(piece.End)
}

// done takes the whole tree, and gives back what only the parser needed.
func (p *parser) done() {
	p.root = p.take()
	p.alloc.body, p.alloc.frames, p.alloc.blanks = p.body, p.frames, p.line.blanks
}

// report adds a diagnostic; after too many the run stops.
func (p *parser) report(d *diag.Diagnostic) {
	if d.Severity != diag.Error {
		if p.warnings++; p.warnings <= maxWarnings {
			p.list = append(p.list, d)
		}
		return
	}
	if p.errors++; p.errors > maxErrors {
		return
	}
	p.list = append(p.list, d)
	if p.errors == maxErrors {
		p.stopped = true
		p.list = append(p.list, diag.New("PCC903", p.file, d.Span, "too many errors, the rest was not read"))
	}
}

// limit reports a limit that was passed and stops the run.
func (p *parser) limit(span source.Span, format string, args ...any) {
	p.list = append(p.list, diag.New("PCC901", p.file, span, format, args...))
	p.stopped = true
}

// finish ends the text: blocks that are still open are reported.
func (p *parser) finish() {
	p.line.end(p, "")
	open := false // a message is: what stands outside may belong to it, or it is text
	for i := len(p.frames) - 1; i >= 0 && !p.stopped; i-- {
		open = open || p.frames[i].kind == messageBlock
		p.neverClosed(&p.frames[i], nil)
	}
	p.unwind()
	if p.scan.OpenComment >= 0 {
		p.report(diag.New("PCC008", p.file, p.span(p.scan.OpenComment, p.scan.OpenComment+len(p.syn.Open)+1),
			"the comment is never closed, so it is text").WithHelp("add `#%[2]s`; where `%[1]s#` is text, write %[1]s%[1]s##%[2]s#", p.syn.Open, p.syn.Close))
	}
	p.foreign.warn(p)
	p.warnUnseen()
	p.done()
	if p.hasMessage && !open {
		p.root = p.checkChat(p.root)
	}
	if p.needsMerge {
		p.root = mergeTexts(p.root)
	}
}

// abort ends a run that was stopped.
func (p *parser) abort() {
	p.unwind()
	p.done()
	p.root = mergeTexts(p.root)
}

// unwind closes all open blocks without a word.
func (p *parser) unwind() {
	end := source.Pos(p.scan.End)
	for len(p.frames) > 0 {
		p.pop(end)
	}
	p.dropGroups(0)
}

func (p *parser) span(start, end int) source.Span {
	return source.Span{Start: source.Pos(start), End: source.Pos(end)}
}

func rangeOf(start, end int) ast.Range {
	return ast.Range{Start: source.Pos(start), End: source.Pos(end)}
}

// brief reports whether neither the tree nor findings are wanted.
func (p *parser) brief() bool { return p.evidence != nil && p.evidence.brief }
