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
	texts    Slab[ast.Text]
	outputs  Slab[ast.Output]
	names    Slab[ast.Name]
	attrs    Slab[ast.Attr]
	literals Slab[ast.Literal]
	compares Slab[ast.Compare]
	filters  Slab[ast.Filter]
	whens    Slab[ast.When]
	loops    Slab[ast.Loop]
	branches Slab[ast.Branch]
	links    Slab[ast.Comparison]
	binaries Slab[ast.Binary]
	unaries  Slab[ast.Unary]
	conds    Slab[ast.Cond]
	indexes  Slab[ast.Index]
	slices   Slab[ast.Slice]
	calls    Slab[ast.Call]
	args     Slab[ast.Arg]
	tests    Slab[ast.Test]
	integers Slab[integer]
	sets     Slab[ast.Set]
	trees    Slab[ast.Template]
	nodes    Slab[ast.Node]

	// What a parser needs only while it runs. It empties body and frames as it
	// goes.
	body   []ast.Node
	frames []frame
	blanks []lineBlank
	parser parser
	scan   lexer.Scanner
	tokens lexer.Tokens // of tags that productions read
	signs  [2]evidence  // of the families of tags, see detect
	jinja  *jinjaParser // once a text was in that syntax
	// budget pays for the tree.
	budget *lexer.Budget
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
	a.texts.Reset()
	a.outputs.Reset()
	a.names.Reset()
	a.attrs.Reset()
	a.literals.Reset()
	a.compares.Reset()
	a.filters.Reset()
	a.whens.Reset()
	a.loops.Reset()
	a.branches.Reset()
	a.links.Reset()
	a.binaries.Reset()
	a.unaries.Reset()
	a.conds.Reset()
	a.indexes.Reset()
	a.slices.Reset()
	a.calls.Reset()
	a.args.Reset()
	a.tests.Reset()
	a.integers.Reset()
	a.sets.Reset()
	a.trees.Reset()
	a.nodes.Reset()
	const most = 1 << 12 // what is kept is paid for by each later Reset
	if cap(a.body) > most {
		a.body = nil
	}
	if cap(a.blanks) > most {
		a.blanks = nil
	}
	clear(a.blanks[:cap(a.blanks)])
	a.body, a.frames, a.blanks = a.body[:0], a.frames[:0], a.blanks[:0]
	a.parser = parser{}
	a.scan = lexer.Scanner{}
	a.tokens.Reset()
	a.budget = nil
	a.signs = [2]evidence{}
	if p := a.jinja; p != nil {
		p.reset(most)
	}
	if a.other != nil && a.other.parser.file != nil {
		a.other.Reset()
	}
}

func (a *Arena) text(start, end int, value string) *ast.Text {
	t := a.texts.One()
	t.Range, t.Value = rangeOf(start, end), value
	return t
}

func (a *Arena) output(start, end int) *ast.Output {
	o := a.outputs.One()
	o.Range = rangeOf(start, end)
	return o
}

func (a *Arena) name(start, end int, name string) *ast.Name {
	n := a.names.One()
	n.Range, n.Name = rangeOf(start, end), name
	return n
}

func (a *Arena) attr(x ast.Expr, start, at, end int, name string) *ast.Attr {
	n := a.attrs.One()
	n.Range, n.X, n.Name = rangeOf(start, end), x, name
	n.NameSpan = source.Span{Start: source.Pos(at), End: source.Pos(end)}
	return n
}
