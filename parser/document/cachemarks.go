package document

import (
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// cacheMarks looks for marks for the prompt cache behind text that varies from
// request to request: the provider finds the part that ends there only where all of
// it is the same.
type cacheMarks struct {
	*reader
	given []string // names whose values the document fixes
	// varies is the place of the first text that varies, in the file in; open says that a history
	// came before, which grows with the conversation: what follows it stays as it
	// is in the next request.
	in     *source.File
	varies source.Span
	found  bool
	open   bool
}

// checkMarks warns of the marks in the messages of a prompt.
func (r *reader) checkMarks(body []ast.Node, meta *ast.Meta) {
	c := cacheMarks{reader: r, given: meta.Given}
	c.nodes(body)
}

func (c *cacheMarks) nodes(body []ast.Node) {
	for _, n := range body {
		switch n := n.(type) {
		case *ast.Message:
			c.message(n)
		case *ast.When: // a few variants, each of which is kept for itself
			for i := range n.Branches {
				c.nodes(n.Branches[i].Body)
			}
			c.nodes(n.Else)
		case *ast.Switch:
			for i := range n.Cases {
				c.nodes(n.Cases[i].Body)
			}
			c.nodes(n.Default)
		case *ast.Loop:
			if !c.fixed(n.Iter) {
				c.open = true
			}
		case *ast.Messages:
			c.open = true
		}
	}
}

func (c *cacheMarks) message(m *ast.Message) {
	c.look(m.Body, c.reader.file)
	if m.Content != nil {
		for i := range m.Content.Items {
			part := &m.Content.Items[i]
			c.structure(part)
			if v, ok := part.Get("cache"); ok {
				c.mark(v)
			}
		}
	}
	for i := range m.Keys {
		if k := &m.Keys[i]; k.Key == "cache" {
			c.mark(&k.Value)
		}
	}
}

// structure looks at the texts of a part.
func (c *cacheMarks) structure(s *ast.Structure) {
	if s.Kind == ast.STemplate {
		c.look(s.Body, c.reader.file)
	}
	for i := range s.Items {
		c.structure(&s.Items[i])
	}
	for i := range s.Map {
		c.structure(&s.Map[i].Value)
	}
}

// look finds the first text that varies in a body whose spans are those of f.
func (c *cacheMarks) look(body []ast.Node, f *source.File) {
	if c.found || c.open {
		return
	}
	ast.Walk(body, func(n ast.Node) bool {
		if c.found {
			return false
		}
		switch n := n.(type) {
		case *ast.Embedded:
			c.look(n.Body, n.File)
			return false
		case *ast.Output:
			if !c.fixed(n.Expr) {
				c.found, c.in, c.varies = true, f, n.Span()
			}
		case *ast.Loop:
			return !c.fixed(n.Iter) // what a fixed list gives is fixed
		}
		return true
	})
}

// fixed reports whether an expression reads nothing but what the document fixes.
func (c *cacheMarks) fixed(e ast.Expr) bool {
	fixed := true
	ast.WalkExpr(e, func(e ast.Expr) bool {
		if n, ok := e.(*ast.Name); ok && !slices.Contains(c.given, n.Name) {
			fixed = false
		}
		return fixed
	})
	return fixed
}

// mark warns of a mark behind text that varies.
func (c *cacheMarks) mark(v *ast.Structure) {
	if !c.found || v.Kind == ast.SBool && !v.Bool || v.Kind == ast.SNull {
		return
	}
	d := c.report("PCC435", v.Span(), "this mark for the cache stands behind text that varies, which breaks it")
	f, at := c.in.Root(c.varies.Start)
	span := source.Span{Start: at, End: at + c.varies.End - c.varies.Start}
	d.Labels = append(d.Labels, diag.Label{File: f, Span: span, Message: "this varies"})
}
