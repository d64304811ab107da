package parser

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/lexer"
)

// group is a literal group that was opened, /{ or /{{, and not yet closed. Its
// opener is in the body as the text that it is if the group never closes.
type group struct {
	text   *ast.Text
	double bool
	// count is the number of plain opening delimiters not yet closed.
	count int
}

// openers handles the first n delimiters of a run that opens no tag: behind a
// `/` they open a literal group, inside one they are counted, else they are
// text.
func (p *parser) openers(piece *lexer.Piece, n int) {
	if piece.Slash && (!p.opts.PlaceholdersOnly || p.opts.LiteralGroups) {
		w := len(p.syn.Open)
		own := 1
		if n >= 2 && p.syn.Hard {
			own = 2
		}
		start, end := piece.Run-1, piece.Run+own*w
		if len(p.groups) >= p.depth {
			p.limit(p.span(start, end), "literal groups are nested more than %d deep", p.depth)
			return
		}
		p.alloc.budget.Take(3 * partBytes)
		p.text(p.textStart, start)
		t := p.alloc.text(start, end, p.src[start:end])
		p.add(t)
		p.line.content()
		p.needsMerge = true
		p.textStart = end
		p.groups = append(p.groups, group{text: t, double: own == 2})
		p.scan.Watch = true
		n -= own
	}
	if g := p.group(); g != nil {
		g.count += n
	}
}

// group returns the innermost open group of the current body, or nil.
func (p *parser) group() *group {
	if len(p.groups) == p.groupFloor() {
		return nil
	}
	return &p.groups[len(p.groups)-1]
}

// groupFloor is the number of groups that belong to outer bodies.
func (p *parser) groupFloor() int {
	if len(p.frames) == 0 {
		return 0
	}
	return p.frames[len(p.frames)-1].groups
}

// closers handles a run of closing delimiters while a group is open.
func (p *parser) closers(piece *lexer.Piece) {
	w := len(p.syn.Close)
	slash := piece.Slash
	for i := 0; i < piece.Count; {
		g := p.group()
		if g == nil {
			return
		}
		at := piece.Run + i*w
		own := 1
		if g.double {
			own = 2
		}
		switch {
		case slash && g.count == 0 && piece.Count-i >= own:
			p.literals++
			p.text(p.textStart, at-1)
			open := p.src[g.text.Start+1 : g.text.End] // without the `/`
			g.text.Value = open
			end := at + own*w
			p.add(p.alloc.text(at-1, end, p.src[at:end]))
			p.line.content()
			p.textStart = end
			p.groups = p.groups[:len(p.groups)-1]
			p.scan.Watch = p.group() != nil
			i += own
		default:
			p.plainCloser(g)
			i++
		}
		slash = false
	}
}

// plainCloser counts a closing delimiter that closes no group. Where none is
// open inside the group g, the opener of g was text.
func (p *parser) plainCloser(g *group) {
	if g.count > 0 {
		g.count--
		return
	}
	opened := 1
	if g.double {
		opened = 2
	}
	p.groups = p.groups[:len(p.groups)-1]
	outer := p.group()
	p.scan.Watch = outer != nil
	if outer != nil {
		// For the outer group the opener counts as plain delimiters, of which
		// this closes one.
		outer.count += opened - 1
	}
}

// dropGroups forgets the groups from number n on: their openers were text.
func (p *parser) dropGroups(n int) {
	if len(p.groups) > n {
		p.groups = p.groups[:n]
	}
	p.scan.Watch = p.group() != nil
}
