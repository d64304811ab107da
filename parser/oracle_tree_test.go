package parser_test

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/parser"
)

// translator makes the tree of package ast of what the oracle read. outside is
// set where the input is not what both read: the oracle takes tags for granted
// that are text by the rules of the language.
type translator struct {
	src     string
	outside bool
}

func (t *translator) body(items []*Item) []ast.Node {
	var out []ast.Node
	for _, i := range items {
		switch {
		case i.Text != nil:
			out = append(out, &ast.Text{Value: *i.Text})
		case i.Raw != nil:
			inside := *i.Raw
			inside = inside[len(reRaw.FindString(inside)):]
			ends := reRawEnd.FindAllStringIndex(inside, -1)
			end := ends[len(ends)-1][0]
			if strings.HasPrefix(*i.Raw, "{{") {
				end--
			}
			out = append(out, &ast.Text{Value: inside[:end]})
		case i.Messages != nil:
			out = append(out, &ast.Messages{List: t.expr(i.Messages.List)})
		case i.When != nil:
			out = append(out, t.when(i.When))
		case i.Loop != nil:
			out = append(out, t.loop(i.Loop))
		case i.Switch != nil:
			out = append(out, t.switchNode(i.Switch))
		case i.Message != nil:
			m := i.Message
			n := &ast.Message{Role: t.expr(m.Role), Attrs: t.keyValues(m.Attrs), Body: t.body(m.Body)}
			if name, ok := n.Role.(*ast.Name); ok && strings.Contains(" system user assistant tool developer ", " "+name.Name+" ") {
				n.Role = &ast.Literal{Kind: ast.StringLit, Str: name.Name}
			}
			out = append(out, n)
		case i.Include != nil:
			out = append(out, &ast.Include{Name: t.expr(i.Include.Name), With: t.keyValues(i.Include.With)})
		case i.Output != nil:
			out = append(out, t.output(i.Output))
		}
	}
	return out
}

func (t *translator) when(w *When) ast.Node {
	n := &ast.When{Branches: []ast.Branch{{Cond: t.expr(w.Cond), Body: t.body(w.Body)}}}
	for _, e := range w.Elses {
		n.Branches = append(n.Branches, ast.Branch{Cond: t.expr(e.Cond), Body: t.body(e.Body)})
	}
	if w.Else != nil {
		n.HasElse, n.Else = true, t.body(w.Else.Body)
	}
	return n
}

func (t *translator) loop(l *Loop) ast.Node {
	n := &ast.Loop{Iter: t.expr(l.Iter), Body: t.body(l.Body)}
	switch {
	case l.First == nil:
		n.Mode, n.Target = ast.LoopBare, ast.Target{Name: "item"}
	case l.Second == nil:
		n.Target = ast.Target{Name: *l.First}
	default:
		n.Mode = ast.LoopEntries
		n.Target = ast.Target{Items: []ast.Target{{Name: *l.First}, {Name: *l.Second}}, List: true}
	}
	if l.Else != nil {
		n.HasElse, n.Else = true, t.body(l.Else.Body)
	}
	return n
}

func (t *translator) switchNode(s *Switch) ast.Node {
	n := &ast.Switch{Subject: t.expr(s.Subject)}
	for _, c := range s.Cases {
		k := ast.Case{Body: t.body(c.Body)}
		for _, v := range c.Values {
			k.Values = append(k.Values, t.expr(v))
		}
		n.Cases = append(n.Cases, k)
	}
	if s.Default != nil {
		n.HasDefault, n.Default = true, t.body(s.Default.Body)
	}
	return n
}

func (t *translator) keyValues(list []*KeyValue) []ast.Arg {
	var out []ast.Arg
	for _, kv := range list {
		out = append(out, ast.Arg{Name: kv.Name, Value: t.expr(kv.Value)})
	}
	return out
}

// output translates a placeholder and checks that it is one by the rules of its
// width.
func (t *translator) output(o *Output) ast.Node {
	e := t.expr(o.Expr)
	rest := t.src[o.Pos.Offset:]
	if strings.HasPrefix(rest, "{{") {
		if first := strings.TrimLeft(rest[2:], " \t"); !reName.MatchString(first) {
			t.spaced(rest[2:o.EndPos.Offset-o.Pos.Offset-2], e)
		}
		return &ast.Output{Expr: e}
	}
	t.soft(e)
	if !reName.MatchString(rest[1:]) || strings.ContainsAny(rest[1:strings.IndexByte(rest, '}')], " \t\r\n{\"'") {
		t.outside = true
	}
	return &ast.Output{Expr: e, Soft: true}
}

// spaced checks that inside, the expression e, may stand in doubled braces
// although it begins with no name.
func (t *translator) spaced(inside string, e ast.Expr) {
	computes := false
	ast.WalkExpr(e, func(e ast.Expr) bool {
		switch e.(type) {
		case *ast.Name, *ast.Call, *ast.Filter, *ast.Test:
			computes = true
		}
		return true
	})
	first := strings.TrimLeft(inside, " \t\r\n")
	t.outside = t.outside || !computes || first == inside || first[0] == '{' ||
		strings.Contains(inside, "{{") || strings.Contains(inside, "}}")
}

// soft checks that e may stand in a soft placeholder.
func (t *translator) soft(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Filter:
		t.soft(e.X)
		t.outside = t.outside || !parser.KnownFilters(e.Name)
		return
	case *ast.Attr:
		t.path(e.X)
		return
	}
	t.path(e)
}

func (t *translator) path(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Name:
	case *ast.Attr:
		t.path(e.X)
	case *ast.Index:
		t.path(e.X)
		l, ok := e.I.(*ast.Literal)
		t.outside = t.outside || !ok || l.Kind != ast.IntLit && l.Kind != ast.StringLit
	default:
		t.outside = true
	}
}

func (t *translator) expr(e *Expr) ast.Expr {
	then := t.or(e.Then)
	if e.If == nil {
		return then
	}
	c := &ast.Cond{Then: then, If: t.or(e.If)}
	if e.Else != nil {
		c.Else = t.expr(e.Else)
	}
	return c
}

// left joins operands by operators that nest to the left.
func left(x ast.Expr, op ast.BinaryOp, y ast.Expr) ast.Expr { return &ast.Binary{Op: op, X: x, Y: y} }

func (t *translator) or(o *Or) ast.Expr {
	e := t.and(o.Parts[0])
	for _, p := range o.Parts[1:] {
		e = left(e, ast.Or, t.and(p))
	}
	return e
}

func (t *translator) and(a *And) ast.Expr {
	e := t.not(a.Parts[0])
	for _, p := range a.Parts[1:] {
		e = left(e, ast.And, t.not(p))
	}
	return e
}

func (t *translator) not(n *Not) ast.Expr {
	if n.Not != nil {
		return &ast.Unary{Op: ast.Not, X: t.not(n.Not)}
	}
	e := t.sum(n.Compare.X)
	if len(n.Compare.Rest) == 0 {
		return e
	}
	ops := map[string]ast.CompareOp{"==": ast.Eq, "!=": ast.Ne, "<": ast.Lt, "<=": ast.Le, ">": ast.Gt, ">=": ast.Ge, "in": ast.In, "notin": ast.NotIn}
	c := &ast.Compare{X: e}
	for _, r := range n.Compare.Rest {
		c.Rest = append(c.Rest, ast.Comparison{Op: ops[r.Op], Y: t.sum(r.Y)})
	}
	return c
}

var oracleOps = map[string]ast.BinaryOp{"+": ast.Add, "-": ast.Sub, "*": ast.Mul, "/": ast.Div, "//": ast.FloorDiv, "%": ast.Mod}

func (t *translator) sum(s *Sum) ast.Expr {
	e := t.concat(s.X)
	for _, r := range s.Rest {
		e = left(e, oracleOps[r.Op], t.concat(r.Y))
	}
	return e
}

func (t *translator) concat(c *Concat) ast.Expr {
	e := t.product(c.Parts[0])
	for _, p := range c.Parts[1:] {
		e = left(e, ast.Concat, t.product(p))
	}
	return e
}

func (t *translator) product(p *Product) ast.Expr {
	e := t.power(p.X)
	for _, r := range p.Rest {
		e = left(e, oracleOps[r.Op], t.power(r.Y))
	}
	return e
}

func (t *translator) power(p *Power) ast.Expr {
	e := t.unary(p.Parts[0])
	for _, r := range p.Parts[1:] {
		e = left(e, ast.Pow, t.unary(r))
	}
	return e
}

func (t *translator) unary(u *Unary) ast.Expr {
	e := t.signed(u.X)
	bare := false // a test without arguments came last
	for _, a := range u.Applied {
		switch {
		case a.Filter != nil:
			f := &ast.Filter{X: e, Name: a.Filter.Name}
			if a.Filter.Args != nil {
				f.Args = t.args(a.Filter.Args)
			}
			e, bare = f, false
		case a.Test != nil:
			t.outside = t.outside || bare
			n := &ast.Test{X: e, Name: a.Test.Name, Not: a.Test.Not}
			bare = a.Test.Args == nil && a.Test.Arg == nil
			if a.Test.Args != nil {
				n.Args = t.args(a.Test.Args)
			}
			if o := a.Test.Arg; o != nil {
				n.Args = []ast.Arg{{Value: t.postfix(t.bare(o.Primary), o.Postfix)}}
			}
			e = n
		default:
			e, bare = &ast.Call{F: e, Args: t.args(a.Call)}, false
		}
	}
	return e
}

func (t *translator) signed(s *Signed) ast.Expr {
	if s.X != nil {
		op := ast.Neg
		if s.Op == "+" {
			op = ast.Pos
		}
		return &ast.Unary{Op: op, X: t.signed(s.X)}
	}
	var e ast.Expr
	if p := s.Term.Primary; p.Paren != nil {
		e = t.expr(p.Paren)
	} else {
		e = t.bare(p.Bare)
	}
	return t.postfix(e, s.Term.Postfix)
}

func (t *translator) postfix(e ast.Expr, list []*Postfix) ast.Expr {
	for _, p := range list {
		switch {
		case p.Attr != nil:
			e = &ast.Attr{X: e, Name: *p.Attr}
		case p.Int != nil:
			e = &ast.Index{X: e, I: integer(*p.Int)}
		case p.Call != nil:
			e = &ast.Call{F: e, Args: t.args(p.Call)}
		default:
			e = t.subscript(e, p.Subscript)
		}
	}
	return e
}

func (t *translator) subscript(e ast.Expr, s *Subscript) ast.Expr {
	tail := s.Slice
	if s.Open != nil {
		tail = s.Open
	}
	if tail == nil {
		return &ast.Index{X: e, I: t.expr(s.Index)}
	}
	n := &ast.Slice{X: e}
	if s.Index != nil {
		n.Lo = t.expr(s.Index)
	}
	if tail.Hi != nil {
		n.Hi = t.expr(tail.Hi)
	}
	if tail.Step != nil && tail.Step.Step != nil {
		n.Step = t.expr(tail.Step.Step)
	}
	return n
}

func (t *translator) args(a *Args) []ast.Arg {
	var out []ast.Arg
	rank := 0
	for _, x := range a.Args {
		r := 0
		switch {
		case x.Star == "*":
			r = 2
		case x.Star == "**":
			r = 3
		case x.Name != "":
			r = 1
		}
		// Where the order is in doubt, the input is left to other tests.
		t.outside = t.outside || r < rank || r >= 2 && r == rank
		rank = r
		out = append(out, ast.Arg{Name: x.Name, Value: t.expr(x.Value), Star: uint8(len(x.Star))})
	}
	return out
}

func integer(s string) ast.Expr {
	n, _ := new(big.Int).SetString(s, 10)
	return &ast.Literal{Kind: ast.IntLit, Int: n}
}

func (t *translator) bare(b *Bare) ast.Expr {
	switch {
	case len(b.Strings) > 0:
		l := &ast.Literal{Kind: ast.StringLit}
		for _, s := range b.Strings {
			l.Str += s[1 : len(s)-1]
		}
		return l
	case b.Float != nil:
		f, _ := strconv.ParseFloat(*b.Float, 64)
		return &ast.Literal{Kind: ast.FloatLit, Float: f}
	case b.Int != nil:
		return integer(*b.Int)
	case b.Constant != nil:
		switch strings.ToLower(*b.Constant) {
		case "true":
			return &ast.Literal{Kind: ast.BoolLit, Bool: true}
		case "false":
			return &ast.Literal{Kind: ast.BoolLit}
		}
		return &ast.Literal{}
	case b.Name != nil:
		return &ast.Name{Name: *b.Name}
	case b.List != nil:
		l := &ast.List{}
		for _, e := range b.List.Items {
			l.Items = append(l.Items, t.expr(e))
		}
		return l
	}
	d := &ast.Dict{}
	for _, e := range b.Dict.Entries {
		d.Keys, d.Values = append(d.Keys, t.expr(e.Key)), append(d.Values, t.expr(e.Value))
	}
	return d
}
