package parser

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// blockKind is the kind of an open block.
type blockKind uint8

const (
	noBlock blockKind = iota
	whenBlock
	loopBlock
	switchBlock
	messageBlock
)

// word is the keyword of the block.
func (k blockKind) word() string {
	for _, rule := range keywords {
		if rule.block == k {
			return rule.word
		}
	}
	return ""
}

// frame is an open block.
type frame struct {
	kind blockKind
	hard bool
	// faulty says that the opening tag has an error: it may be no tag at all.
	faulty bool
	head   source.Span // of the opening tag
	node   ast.Node
	// base is where the body around the block begins, groups the number of
	// literal groups that were open in it.
	base   int
	groups int
	// part is where the current body belongs.
	part part
	// other is the place of the {else} or {default} that was seen.
	other source.Span
	// constants are the constant cases so far.
	constants map[string]source.Span
	// wrong is the fault of the first closing tag of a block that is not open.
	wrong *diag.Diagnostic
	// stray is a placeholder that looks like a closing tag of another language.
	stray *ast.Name
}

// reset makes f the zero frame. Most have no maps and no findings, whose pointers
// are not written then: that avoids a GC write barrier each.
func (f *frame) reset() {
	if f.constants != nil || f.wrong != nil || f.stray != nil {
		*f = frame{}
		return
	}
	f.kind, f.hard, f.faulty, f.head, f.node = noBlock, false, false, source.Span{}, nil
	f.base, f.groups, f.part, f.other = 0, 0, firstPart, source.Span{}
}

// plain reports whether the head of f is a keyword and a name: two words that may
// be text.
func (f *frame) plain() (ok bool) {
	switch n := f.node.(type) {
	case *ast.When:
		_, ok = n.Branches[0].Cond.(*ast.Name)
	case *ast.Loop:
		_, ok = n.Iter.(*ast.Name)
		ok = ok && n.Mode == ast.LoopBare
	case *ast.Switch:
		_, ok = n.Subject.(*ast.Name)
	case *ast.Message:
		_, ok = n.Role.(*ast.Name)
	}
	return ok
}
