package parser

import (
	"fmt"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// closing handles {/word}. It reports whether it is a tag; else it is text.
func (p *parser) closing(piece *lexer.Piece) bool {
	kind := blockOf(piece.Word)
	if kind == noBlock {
		return false
	}
	n := len(p.frames) - 1
	for n >= 0 && p.frames[n].kind != kind {
		n--
	}
	if n < 0 {
		if p.syn.Angle && !piece.Hard || piece.Slash { // </message> may be an element
			return false
		}
		span := p.span(piece.Start, piece.End)
		d := diag.New("PCC105", p.file, span, "`/%s` closes no block", piece.Word)
		d.Help = p.strayHelp(piece)
		for i := len(p.headless) - 1; i >= 0; i-- {
			h := p.headless[i]
			if rest := p.src[int(h.Span.Start)+len(p.syn.Open):]; strings.HasPrefix(rest, piece.Word) {
				d.WithLabel(h.Span, "this opens no block: it is text").WithHelp("%s", h.Help)
				p.headless = p.headless[:i]
				break
			}
		}
		if len(p.frames) > 0 {
			f := p.top()
			d.WithLabel(f.head, "the block that is open here is a `%s`", f.kind.word())
			if f.wrong == nil {
				f.wrong = d
			}
		}
		p.report(d)
		p.before(piece)
		p.add(&ast.Bad{Range: ast.At(span)})
		p.line.tag()
		p.accept(piece.End)
		return true
	}
	p.before(piece)
	for len(p.frames)-1 > n {
		p.neverClosed(p.top(), piece)
		p.pop(source.Pos(piece.Start))
	}
	if kind == messageBlock {
		p.line.closed = true
	}
	p.pop(source.Pos(piece.End))
	p.line.tag()
	p.accept(piece.End)
	return true
}

// neverClosed reports the block f; by is the closing tag of an outer block that
// ends it, or nil.
func (p *parser) neverClosed(f *frame, by *lexer.Piece) {
	word := f.kind.word()
	if f.faulty && by == nil && f.wrong == nil {
		return // the error of its tag is told, and what to do where it is text
	}
	if d := f.wrong; d != nil {
		// The closing tag of another block was meant for this one: one fault, told
		// where it is.
		closer := p.spell("/"+word, f.hard)
		d.Message = fmt.Sprintf("%s does not close the `%s` that is open here", p.file.Slice(d.Span), word)
		d.Labels[0].Message = "opened here"
		d.WithHelp("write %s", closer)
		d.Fix = &diag.Fix{Span: d.Span, Replacement: closer}
		return
	}
	d := diag.New("PCC104", p.file, f.head, "`%s` is never closed", word)
	d.SpanLabel = "opened here"
	where := "the end of the file"
	if by != nil {
		d.WithLabel(p.span(by.Start, by.End), "this closes the block around it")
		where = p.src[by.Start:by.End]
	}
	d.WithHelp("add %s before %s", p.spell("/"+word, f.hard), where)
	if f.plain() {
		if form := p.literal(p.file.Slice(f.head), f.hard); form != "" {
			whereText(d, "write "+form)
		}
	}
	if f.stray != nil {
		d.WithLabel(f.stray.Span(), "this is a variable named `%s`", f.stray.Name)
		d.WithHelp("blocks are closed by %s", p.spell("/"+word, f.hard))
	}
	p.report(d)
}

// strayWord reports whether a placeholder of that name looks like a closing tag
// of another language.
func strayWord(name string) bool {
	switch name {
	case "end", "endif", "endwhen", "endfor", "endloop", "endswitch", "endcase", "endmessage",
		"endforeach", "endeach", "fi", "done":
		return true
	}
	return false
}

// stray notes a placeholder such as {endif}.
func (p *parser) stray(n *ast.Name) {
	if p.foreign.word != "" && p.foreign.close == (source.Span{}) {
		p.foreign.close = n.Span()
	}
	if len(p.frames) > 0 && p.top().stray == nil {
		p.top().stray = n
	}
}

// subjects are what the tags that open blocks need.
var subjects = map[string]string{"when": "a condition", "loop": "a list", "switch": "a subject", "message": "a role"}

// strayHelp tells what to do about a closing tag that closes no block. A
// keyword without what it needs is a placeholder, which may be the reason.
func (p *parser) strayHelp(piece *lexer.Piece) string {
	closer := p.syn.Close
	if piece.Hard {
		closer += closer
	}
	tag := p.src[piece.Start:piece.End]
	literal := "/" + strings.TrimSuffix(tag, closer) + "/" + closer
	if needs := subjects[piece.Word]; needs != "" {
		soft := p.syn.Open + piece.Word + p.syn.Close
		for _, opener := range []string{p.syn.Open + soft + p.syn.Close, soft} {
			if strings.Contains(p.src[:piece.Start], opener) {
				return fmt.Sprintf("`%s` opens no block, being a placeholder: give it %s", opener, needs)
			}
		}
	}
	return "delete it, or write it literally as " + literal
}

// checkChat reports what stands outside messages in a chat template, and drops
// the blanks there. The depth of blocks is limited, so it may recurse.
func (p *parser) checkChat(body []ast.Node) []ast.Node {
	out := body[:0]
	for _, n := range body {
		switch n := n.(type) {
		case *ast.Text:
			if i := blankPrefix(n.Value); i < len(n.Value) {
				at := min(n.Start+source.Pos(i), n.End)
				p.outside(source.Span{Start: at, End: n.End}, "text")
			}
			continue
		case *ast.Output:
			p.outside(n.Span(), "a placeholder")
		case *ast.Message: // what is inside belongs to it
		default:
			ast.Bodies(n, func(b *[]ast.Node) { *b = p.checkChat(*b) })
		}
		out = append(out, n)
	}
	return out
}

func (p *parser) outside(span source.Span, what string) {
	p.report(diag.New("PCC114", p.file, span, "%s outside the messages of a chat template", what))
}
