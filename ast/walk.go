package ast

// The tree's depth is bounded: parsers refuse blocks and brackets nested deeper
// than their limit (200 by default) and expressions higher than 1,000 nodes. So
// the functions here, and those of Print, may recurse.

// Walk calls visit for each node of body and, where visit returns true, for the
// nodes inside it, in the order of the source.
func Walk(body []Node, visit func(Node) bool) {
	for _, n := range body {
		if n == nil || !visit(n) {
			continue
		}
		switch n := n.(type) { // the most frequent ones
		case *Text, *Output:
			continue
		case *When:
			for i := range n.Branches {
				Walk(n.Branches[i].Body, visit)
			}
			Walk(n.Else, visit)
			continue
		case *Loop:
			Walk(n.Body, visit)
			Walk(n.Else, visit)
			continue
		}
		Bodies(n, func(b *[]Node) { Walk(*b, visit) })
	}
}

// Bodies calls visit for each body of n, in the order of the source. What visit
// stores becomes the body.
func Bodies(n Node, visit func(body *[]Node)) {
	switch n := n.(type) {
	case *When:
		for i := range n.Branches {
			visit(&n.Branches[i].Body)
		}
		visit(&n.Else)
	case *Loop:
		visit(&n.Body)
		visit(&n.Else)
	case *Switch:
		for i := range n.Cases {
			visit(&n.Cases[i].Body)
		}
		visit(&n.Default)
	case *Message:
		visit(&n.Body)
		if n.Content != nil {
			structureBodies(n.Content, visit)
		}
		for i := range n.Keys {
			structureBodies(&n.Keys[i].Value, visit)
		}
	case *Request:
		for i := range n.Keys {
			if k := &n.Keys[i]; !k.Fixed {
				structureBodies(&k.Value, visit)
			}
		}
	case *Embedded:
		visit(&n.Body)
	case *Section:
		visit(&n.Body)
	case *Sections:
		for _, s := range n.Items {
			visit(&s.Body)
		}
	case *Scoped:
		visit(&n.Body)
	case *SetBlock:
		visit(&n.Body)
	case *With:
		visit(&n.Body)
	case *Macro:
		visit(&n.Body)
	case *CallBlock:
		visit(&n.Body)
	case *FilterBlock:
		visit(&n.Body)
	case *Block:
		visit(&n.Body)
	case *Autoescape:
		visit(&n.Body)
	case *Generation:
		visit(&n.Body)
	}
}

// structureBodies visits the templates inside structured content.
func structureBodies(s *Structure, visit func(body *[]Node)) {
	if s.Kind == STemplate {
		visit(&s.Body)
	}
	for i := range s.Items {
		structureBodies(&s.Items[i], visit)
	}
	for i := range s.Map {
		structureBodies(&s.Map[i].Value, visit)
	}
}

// Exprs calls visit for each expression that belongs to n itself, not to the
// nodes inside it, in the order of the source. Absent ones are left out.
func Exprs(n Node, visit func(Expr)) {
	switch n := n.(type) { // the most frequent ones
	case *Text:
		return
	case *Output:
		if n.Expr != nil {
			visit(n.Expr)
		}
		return
	}
	each := func(list ...Expr) {
		for _, e := range list {
			if e != nil {
				visit(e)
			}
		}
	}
	args := func(list []Arg) {
		for i := range list {
			each(list[i].Value)
		}
	}
	params := func(list []Param) {
		for i := range list {
			each(list[i].Default)
		}
	}
	switch n := n.(type) {
	case *When:
		for i := range n.Branches {
			each(n.Branches[i].Cond)
		}
	case *Loop:
		each(n.Iter, n.Filter)
	case *Switch:
		each(n.Subject)
		for i := range n.Cases {
			each(n.Cases[i].Values...)
		}
	case *Message:
		each(n.Role)
		args(n.Attrs)
	case *Messages:
		each(n.List)
	case *Include:
		each(n.Name)
		args(n.With)
	case *Set:
		each(n.Value)
	case *SetBlock:
		each(n.Filter)
	case *With:
		each(n.Values...)
	case *Macro:
		params(n.Params)
	case *CallBlock:
		params(n.Params)
		each(n.Call)
	case *FilterBlock:
		each(n.Filter)
	case *Extends:
		each(n.Name)
	case *Import:
		each(n.Name)
	case *FromImport:
		each(n.Name)
	case *Do:
		each(n.Expr)
	case *Autoescape:
		each(n.On)
	}
}

// WalkExpr calls visit for e and, where visit returns true, for the expressions
// inside it, in the order of the source.
func WalkExpr(e Expr, visit func(Expr) bool) {
	for e != nil && visit(e) {
		switch x := e.(type) { // the most frequent ones first; the last child is walked without a call
		case *Name, *Literal:
			return
		case *Attr:
			e = x.X
			continue
		case *Binary:
			WalkExpr(x.X, visit)
			e = x.Y
			continue
		case *Unary:
			e = x.X
			continue
		case *Index:
			WalkExpr(x.X, visit)
			e = x.I
			continue
		case *Filter:
			WalkExpr(x.X, visit)
			walkArgs(x.Args, visit)
		case *Test:
			WalkExpr(x.X, visit)
			walkArgs(x.Args, visit)
		case *Call:
			WalkExpr(x.F, visit)
			walkArgs(x.Args, visit)
		case *Compare:
			WalkExpr(x.X, visit)
			for i := range x.Rest {
				WalkExpr(x.Rest[i].Y, visit)
			}
		case *Cond:
			WalkExpr(x.Then, visit)
			WalkExpr(x.If, visit)
			e = x.Else
			continue
		case *Slice:
			WalkExpr(x.X, visit)
			WalkExpr(x.Lo, visit)
			WalkExpr(x.Hi, visit)
			e = x.Step
			continue
		case *List:
			walkExprs(x.Items, visit)
		case *Tuple:
			walkExprs(x.Items, visit)
		case *Dict:
			for i := range x.Keys {
				WalkExpr(x.Keys[i], visit)
				WalkExpr(x.Values[i], visit)
			}
		}
		return
	}
}

func walkExprs(list []Expr, visit func(Expr) bool) {
	for _, e := range list {
		WalkExpr(e, visit)
	}
}

func walkArgs(list []Arg, visit func(Expr) bool) {
	for i := range list {
		WalkExpr(list[i].Value, visit)
	}
}
