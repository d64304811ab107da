package parser

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// builder makes a tree out of nodes and blocks as they come, without recursion. Both
// parsers hold one, beside the stack of their open blocks.
type builder struct {
	alloc *Arena
	// body holds the nodes of the open bodies, outermost first; those from base on
	// are of the innermost.
	body []ast.Node
	base int
}

// add appends a node to the current body.
func (b *builder) add(n ast.Node) { b.body = append(b.body, n) }

// take returns the current body and empties it.
func (b *builder) take() []ast.Node {
	nodes := b.body[b.base:]
	if len(nodes) == 0 {
		return nil
	}
	body := b.alloc.nodes.List(len(nodes))
	copy(body, nodes)
	clear(nodes)
	b.body = b.body[:b.base]
	return body
}

// enter begins the body of a block, and returns what leave needs.
func (b *builder) enter() (outer int) {
	outer, b.base = b.base, len(b.body)
	return outer
}

// leave goes back to the body around that of the block n, which was taken and ends
// at end.
func (b *builder) leave(outer int, n ast.Node, end source.Pos) {
	b.base = outer
	n.SetSpan(source.Span{Start: n.Span().Start, End: end})
}

// part tells which body of a block is being filled.
type part uint8

const (
	firstPart  part = iota // a condition, a loop's body, the only body, what comes before the first case
	casePart               // a case's body
	otherPart              // else or default
	brokenPart             // a part that an error made superfluous
)

// fill gives a block a body.
func fill(n ast.Node, at part, body []ast.Node) {
	switch n := n.(type) {
	case *ast.When:
		if at == otherPart {
			n.Else = body
		} else {
			n.Branches[len(n.Branches)-1].Body = body
		}
	case *ast.Loop:
		if at == otherPart {
			n.Else = body
		} else {
			n.Body = body
		}
	case *ast.Switch:
		if at == otherPart {
			n.Default = body
		} else {
			n.Cases[len(n.Cases)-1].Body = body
		}
	case *ast.Message:
		n.Body = body
	case *ast.SetBlock:
		n.Body = body
	case *ast.With:
		n.Body = body
	case *ast.Macro:
		n.Body = body
	case *ast.CallBlock:
		n.Body = body
	case *ast.FilterBlock:
		n.Body = body
	case *ast.Block:
		n.Body = body
	case *ast.Autoescape:
		n.Body = body
	case *ast.Generation:
		n.Body = body
	}
}
