package parser

import (
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// readers holds what is read directly against what the tag's production, or in
// Jinja its reader, makes of the same.
type readers struct {
	t      *testing.T
	src    string
	direct int // how many heads and placeholders were read directly
}

// CompareReaders reads each tag of src that is read directly the other way too:
// trees, positions and ends are the same. It returns how many there are.
func CompareReaders(t *testing.T, src string, syn *lexer.Syntax) int {
	r := &readers{t: t, src: src}
	f := source.New("x", src)
	if syn.Jinja {
		r.jinja(f)
		return r.direct
	}
	p, ok := newParser(f, Options{Syntax: syn})
	if !ok {
		return 0
	}
	var piece lexer.Piece
	for {
		switch p.scan.Read(&piece); piece.Kind {
		case lexer.EndOfText:
			return r.direct
		case lexer.Tag:
			r.native(p, &piece)
		}
	}
}

func (r *readers) native(p *parser, piece *lexer.Piece) {
	src, at := p.src[:p.scan.End], piece.Inside
	if piece.Hard {
		at += blanksAt(src[at:])
	}
	word := src[at:lexer.WordEnd(src, at)]
	behind := at + len(word)
	switch word {
	case "when":
		compareHead(r, p, piece, at, behind, whenProduction)
	case "switch":
		compareHead(r, p, piece, at, behind, switchProduction)
	case "messages":
		compareHead(r, p, piece, at, behind, messagesProduction)
	case "else":
		if next := p.gap(behind, piece.Hard); src[next:lexer.WordEnd(src, next)] == "when" {
			compareHead(r, p, piece, at, next+len("when"), elseWhenProduction)
		}
	case "loop":
		if got, end, ok := p.directLoop(piece, behind); ok {
			v := other(r, p, piece, at, end, loopProduction)
			r.same(got, *v.Head)
		}
	case "message":
		if got, end, ok := p.directRole(piece, behind); ok {
			v := other(r, p, piece, at, end, messageProduction)
			r.same(got, v.Role)
			r.same(0, len(v.Attrs))
		}
	}
	first, stop := lexer.Path(src, at)
	if stop == at || isWordLiteral(src[at:first]) {
		return
	}
	if !piece.Hard {
		if strings.HasPrefix(src[stop:], p.syn.Close) {
			x := p.placeholder(piece, at)
			p.lex.Tight = true
			r.same(p.path(at, first, stop), x.softPath().Expr)
		}
		return
	}
	end := stop
	for end < len(src) && isSpace(src[end]) {
		end++
	}
	if strings.HasPrefix(src[end:], p.closer(true)) {
		x := p.placeholder(piece, at)
		r.same(p.path(at, first, stop), x.expr())
		r.same(true, p.lex.Closed)
	}
}

// compareHead reads a tag that holds one expression both ways.
func compareHead[T any, P interface {
	*T
	expr() ast.Expr
}](r *readers, p *parser, piece *lexer.Piece, at, behind int, grammar func() *participle.Parser[T]) {
	if got, end, ok := p.directExpr(piece, behind); ok {
		r.same(got, P(other(r, p, piece, at, end, grammar)).expr())
	}
}

// other reads a tag that was read directly, up to end, with its production.
func other[T any](r *readers, p *parser, piece *lexer.Piece, at, end int, grammar func() *participle.Parser[T]) *T {
	v, stop, ok := block(p, piece, at, "when", grammar)
	if v == nil || !ok || stop != end {
		r.t.Fatalf("%q: the tag at %d is read directly up to %d, by its production up to %d: %v", r.src, piece.Start, end, stop, p.list)
	}
	return v
}

func (r *readers) same(direct, other any) {
	r.direct++
	if !reflect.DeepEqual(direct, other) {
		r.t.Fatalf("%q: read directly it is\n%s\notherwise\n%s", r.src, dump(direct), dump(other))
	}
}

func (r *readers) jinja(f *source.File) {
	p := newJinjaParser(new(Arena))
	p.file, p.depth, p.newline = f, DefaultDepth, "\n"
	p.reporter = p.report
	p.scan.Init(f, source.Span{}, p.opts, p.depth, p.reporter)
	var piece lexer.JinjaPiece
	for p.scan.Read(&piece); piece.Kind != lexer.JinjaEOF; p.scan.Read(&piece) {
		if piece.Kind != lexer.JinjaOutput && piece.Kind != lexer.JinjaTag {
			continue
		}
		again := piece
		direct := p.readDirectly(&piece)
		x := p.exprs(&again)
		if direct == nil {
			p.scan.Finish(&again, &p.lex)
			continue
		}
		var other any
		switch x.tok.Text {
		case "if", "elif":
			x.next()
			other = x.tuple(true)
		case "for":
			x.next()
			other = readFor(p, x, &again)
		default:
			other = x.tuple(false)
		}
		if !p.finish(x, &again) || again != piece {
			r.t.Fatalf("%q: the tag at %d is read directly as %v, otherwise as %v: %v", r.src, piece.Span.Start, piece, again, p.diags)
		}
		if n, ok := other.(*ast.Loop); ok {
			place(n, again.Span)
		}
		r.same(direct, other)
	}
}

// readDirectly reads an output or the head of an `if`, `elif` or `for`; it is nil
// where that cannot be read directly.
func (p *jinjaParser) readDirectly(piece *lexer.JinjaPiece) any {
	if !p.scan.Simple(piece) {
		return nil
	}
	d := p.directly(piece)
	if piece.Kind == lexer.JinjaOutput {
		if e, ok := d.path(); ok && d.closes() {
			return e
		}
		return nil
	}
	d.blanks()
	end := lexer.WordEnd(d.src, d.at)
	word := d.src[d.at:end]
	d.at = end
	switch word {
	case "if", "elif":
		if d.blanks() {
			if e, ok := d.condition(); ok {
				return e
			}
		}
	case "for":
		if n, ok := p.directFor(&d, piece); ok {
			return n
		}
	}
	return nil
}

// TestDirectHeads reads heads of all sequences of some parts directly and
// otherwise. The head stands where a form has an @.
func TestDirectHeads(t *testing.T) {
	angle := strings.NewReplacer("{", "<", "}", ">")
	native := []string{"{when @}t{/when}", "{{when @}}t{{/when}}", "{else when @}", "{loop @}t{/loop}", "{{loop @}}t{{/loop}}",
		"{switch @}", "{{messages @}}", "{message @}", "{@}", "{{ @ }}"}
	var soft []string
	for _, form := range native {
		soft = append(soft, strings.ReplaceAll(angle.Replace(form), " @ ", "@"))
	}
	for _, s := range []struct {
		syntax *lexer.Syntax
		word   string // between an item and what is looped over
		forms  []string
	}{
		{lexer.Brace(), " as ", native},
		{lexer.Angle(), " as ", soft},
		{lexer.Jinja(), " in ", []string{"{% if @ %}", "{%- elif @-%}", "{% for @ %}", "{{ @ }}", "{{@-}}", "{% @ %}"}},
	} {
		parts := []string{"", " ", "a", "a.b", ".0", "true", "not", "==", " == ", "'s'", `"é"`, `'\n'`, "'", s.word, s.word + "x", "as", ",", "é", "\n", "[0]", "if", "endif"}
		for _, form := range s.forms {
			direct := 0
			for _, a := range parts {
				for _, b := range parts {
					for _, c := range parts {
						direct += CompareReaders(t, strings.Replace(form, "@", a+b+c, 1), s.syntax)
					}
				}
			}
			if direct == 0 && form != "{% @ %}" {
				t.Errorf("%s: no head is read directly", form)
			}
		}
	}
}
