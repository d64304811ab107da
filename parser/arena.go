package parser

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// Arena is memory for trees: nodes come out of blocks of many. It is for
// callers who are done with a tree before they parse the next one: Reset takes
// back all nodes made in it. It serves one Parse at a time. The zero Arena is
// ready for use.
type Arena struct {
	texts    slab[ast.Text]
	outputs  slab[ast.Output]
	names    slab[ast.Name]
	attrs    slab[ast.Attr]
	literals slab[ast.Literal]
	compares slab[ast.Compare]
	filters  slab[ast.Filter]
	whens    slab[ast.When]
	loops    slab[ast.Loop]
	branches slab[ast.Branch]
	links    slab[ast.Comparison]
	sets     slab[ast.Set]
	nodes    slab[ast.Node]

	// What a parser needs only while it runs.
	body   []ast.Node
	frames []frame
	blanks []lineBlank
	parser parser
	scan   lexer.Scanner
	jinja  *jinjaParser // once a text was in that syntax
	// other is for a second tree of the same text, see detect.
	other *Arena
}

// second returns the arena for a second tree, which is reset with a.
func (a *Arena) second() *Arena {
	if a.other == nil {
		a.other = new(Arena)
	}
	return a.other
}

// Reset makes all nodes that came from a unusable and their memory free for the
// next tree.
func (a *Arena) Reset() {
	a.texts.reset()
	a.outputs.reset()
	a.names.reset()
	a.attrs.reset()
	a.literals.reset()
	a.compares.reset()
	a.filters.reset()
	a.whens.reset()
	a.loops.reset()
	a.branches.reset()
	a.links.reset()
	a.sets.reset()
	a.nodes.reset()
	const most = 1 << 12
	if cap(a.body) > most {
		a.body = nil
	}
	clear(a.body[:cap(a.body)])
	clear(a.frames[:cap(a.frames)])
	clear(a.blanks[:cap(a.blanks)])
	a.body, a.frames, a.blanks = a.body[:0], a.frames[:0], a.blanks[:0]
	a.parser, a.scan = parser{}, lexer.Scanner{}
	if p := a.jinja; p != nil {
		p.reset(most)
	}
	if a.other != nil {
		a.other.Reset()
	}
}

// slab hands out values from blocks of many, one allocation for dozens. Blocks
// double in size up to maxSlab.
type slab[T any] struct {
	block []T
	used  int
}

const (
	minSlab = 8
	maxSlab = 256
)

// one returns a zero value.
func (s *slab[T]) one() *T {
	if s.used == len(s.block) {
		s.grow(1)
	}
	v := &s.block[s.used]
	s.used++
	return v
}

// list returns n zero values; appending to them copies.
func (s *slab[T]) list(n int) []T {
	if len(s.block)-s.used < n {
		s.grow(n)
	}
	v := s.block[s.used : s.used+n : s.used+n]
	s.used += n
	return v
}

func (s *slab[T]) grow(n int) {
	s.block, s.used = make([]T, max(n, min(2*len(s.block), maxSlab), minSlab)), 0
}

func (s *slab[T]) reset() {
	if len(s.block) > maxSlab {
		s.block, s.used = nil, 0
		return
	}
	clear(s.block[:s.used])
	s.used = 0
}

func (a *Arena) text(start, end int, value string) *ast.Text {
	t := a.texts.one()
	t.Range, t.Value = rangeOf(start, end), value
	return t
}

func (a *Arena) output(start, end int) *ast.Output {
	o := a.outputs.one()
	o.Range = rangeOf(start, end)
	return o
}

func (a *Arena) name(start, end int, name string) *ast.Name {
	n := a.names.one()
	n.Range, n.Name = rangeOf(start, end), name
	return n
}

func (a *Arena) attr(x ast.Expr, start, at, end int, name string) *ast.Attr {
	n := a.attrs.one()
	n.Range, n.X, n.Name = rangeOf(start, end), x, name
	n.NameSpan = source.Span{Start: source.Pos(at), End: source.Pos(end)}
	return n
}
