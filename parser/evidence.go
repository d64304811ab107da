package parser

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// evidence collects the signs of one family of tags in a text. A sure sign is a
// block's tag or a placeholder in doubled delimiters; one in single delimiters is
// a weak sign, since prompts are full of markup and code of that form.
type evidence struct {
	hidden *hidden
	// block is the first tag of a block, a raw block or an include, hard the first
	// placeholder with doubled delimiters, weak the first with single ones that is
	// no markup; any says that there is one of those at all.
	block, hard, weak source.Span
	any               bool
	name              string // that weak reads
	several           bool   // another weak sign reads another name
	// brief says that nothing but the first sure sign is wanted.
	brief bool
	pairs int // placeholders whose closing element was looked for
}

// sure is the first sure sign; ok is false where there is none.
func (e *evidence) sure() (at source.Span, ok bool) {
	none := source.Span{}
	if e.hard == none || e.block != none && e.block.Start < e.hard.Start {
		return e.block, e.block != none
	}
	return e.hard, true
}

// add notes the well-formed tag that p has just read; it returns true when there
// is no need to read on.
func (e *evidence) add(p *parser, piece *lexer.Piece) bool {
	none := source.Span{}
	if piece.Kind != lexer.Tag || e.hidden.has(piece.Start) {
		return false
	}
	var out *ast.Output
	if n := len(p.body); n > 0 {
		out, _ = p.body[n-1].(*ast.Output)
	}
	switch {
	case out == nil || int(out.Start) != piece.Start:
		if e.block == none {
			e.block = p.span(piece.Start, p.scan.Pos)
		}
	case !piece.Hard:
		e.any = true
		if e.several {
			break
		}
		if before := strings.TrimSuffix(p.src[:piece.Start], " "); p.syn.Angle && isCode(before, len(before) == piece.Start) {
			return false
		}
		name := rootOf(out.Expr)
		if _, plain := out.Expr.(*ast.Name); plain && p.syn.Angle && markup[name] {
			return false
		}
		if e.weak == none {
			e.weak, e.name = out.Span(), name
		}
		e.several = name != e.name
	case e.hard != none:
	case p.syn.Angle && e.element(p, out):
	default:
		e.hard = out.Span()
	}
	_, ok := e.sure()
	return ok && e.brief
}

// isCode reports whether code ends where a `<` follows that is no placeholder:
// Vec<String>, (?<year>…), #include <vector>.
func isCode(before string, joined bool) bool {
	if n := len(before); joined && n > 0 && (before[n-1] == '?' || isNameByte(before[n-1])) {
		return true
	}
	return strings.HasSuffix(before, "#include")
}

// element reports whether <<name>> has a <</name>> behind it.
func (e *evidence) element(p *parser, out *ast.Output) bool {
	const most = 100 // each looks through the rest of the text
	name, ok := out.Expr.(*ast.Name)
	if e.pairs++; !ok || e.pairs > most {
		return e.pairs > most
	}
	return strings.Contains(p.src[p.scan.Pos:p.scan.End], "<</"+name.Name+">>")
}

// rootOf is the variable that a placeholder reads, "" where it is none.
func rootOf(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Name:
			return x.Name
		case *ast.Attr:
			e = x.X
		case *ast.Index:
			e = x.X
		case *ast.Filter:
			e = x.X
		default:
			return ""
		}
	}
}

// markup are the elements of HTML that need no end tag, and the control tokens
// that models write in angle brackets.
var markup = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true,
	"link": true, "meta": true, "param": true, "source": true, "track": true, "wbr": true,
	"p": true, "li": true, "dt": true, "dd": true, "td": true, "th": true, "tr": true, "tbody": true, "thead": true,
	"tfoot": true, "option": true, "optgroup": true, "colgroup": true, "html": true, "head": true, "body": true,
	"s": true, "bos": true, "eos": true, "pad": true, "unk": true, "mask": true, "sep": true, "cls": true,
}
