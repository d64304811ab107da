package fuzz

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/vm"
)

// This file holds the walker's expressions.

func (w *walker) undefined(e ast.Expr) vm.Value {
	name := strings.TrimSpace(w.file.Slice(e.Span()))
	return vm.UndefinedOf(&vm.Undefined{Name: name, Pos: uint32(e.Span().Start)})
}

func (w *walker) name(e *ast.Name) (vm.Value, error) {
	// A local name wins over the fields of bare items that lie inside it.
	for i := len(w.scopes) - 1; i >= 0; i-- {
		s := w.scopes[i]
		if v, ok := s.names[e.Name]; ok {
			return v, nil
		}
		if e.Name == "loop" && s.loop != nil {
			return vm.ObjectOf(&loopValue{s.loop, w.outer(i)}), nil
		}
	}
	if e.Name == "vars" && !w.soft {
		return w.vars(), nil
	}
	for i := len(w.scopes) - 1; i >= 0; i-- {
		if b := w.scopes[i].bare; b != nil {
			if v, ok := lookup(*b, e.Name); ok {
				return v, nil
			}
		}
	}
	if v, ok := lookup(w.data, e.Name); ok {
		return v, nil
	}
	if w.defaults != nil {
		if v, ok := w.defaults.Get(e.Name); ok {
			return v, nil
		}
	}
	if v, ok := w.dialect.Globals[e.Name]; ok && w.dialect.Python {
		return v, nil
	}
	u := w.undefined(e)
	w.missHead(e.Name, u)
	return u, nil
}

// lookup is vm.Lookup with a name in either spelling.
func lookup(v vm.Value, name string) (vm.Value, bool) {
	if x, ok := vm.Lookup(v, name); ok {
		return x, true
	}
	return vm.Lookup(v, parser.DecomposeName(name))
}

// outer is the loop around the scope's one, nil where there is none.
func (w *walker) outer(i int) *loopValue {
	for i--; i >= 0; i-- {
		if l := w.scopes[i].loop; l != nil {
			return &loopValue{l, w.outer(i)}
		}
	}
	return nil
}

// loopValue is the name `loop`.
type loopValue struct {
	loop   *walkLoop
	parent *loopValue
}

func (*loopValue) TypeName(*vm.Env) string { return "loop" }

// vars is the data with the defaults behind it.
func (w *walker) vars() vm.Value {
	if w.defaults == nil || w.defaults.Len() == 0 {
		return w.data
	}
	merged := w.defaults.Clone()
	if en, err := w.env.Entries(w.data); err == nil {
		for i := range en.Len() {
			merged.Put(en.At(i))
		}
	}
	return vm.MapOf(merged)
}

// subject evaluates what an attribute is read from.
func (w *walker) subject(e ast.Expr) (vm.Value, error) {
	switch e := e.(type) {
	case *ast.Name:
		return w.name(e)
	case *ast.Attr:
		return w.attr(e, e.X, e.Name, false)
	}
	return w.eval(e)
}

// attr reads x.name, or x["name"].
func (w *walker) attr(e, xe ast.Expr, name string, item bool) (vm.Value, error) {
	x, err := w.subject(xe)
	if err != nil {
		return x, err
	}
	if x.IsUndefined() {
		return w.undefined(e), nil
	}
	if o, ok := x.Object(); ok {
		l, isLoop := o.(*loopValue)
		if !isLoop || item {
			return x, errBeyond
		}
		if name == "parent" {
			if l.parent == nil {
				return w.undefined(e), nil
			}
			return vm.ObjectOf(l.parent), nil
		}
		if f := loopFields[name]; f != nil {
			return f(l.loop), nil
		}
		return w.undefined(e), nil
	}
	var v vm.Value
	if item {
		v, err = w.env.Item(x, vm.String(name))
	} else {
		v, err = w.env.Attr(x, name)
		if other, ok := lookup(x, name); ok {
			v = other
		}
	}
	if err == nil && v.IsUndefined() {
		u := w.undefined(e)
		if root, ok := xe.(*ast.Name); ok && root.Name == "vars" && !w.bound("vars") {
			w.missHead(name, u)
		}
		return u, nil
	}
	return v, err
}

// bound reports whether a scope has the name.
func (w *walker) bound(name string) bool {
	return slices.ContainsFunc(w.scopes, func(s *walkScope) bool { _, ok := s.names[name]; return ok })
}

func (w *walker) evalAll(es ...ast.Expr) ([]vm.Value, error) {
	out := make([]vm.Value, len(es))
	for i, e := range es {
		if e == nil {
			continue
		}
		v, err := w.eval(e)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// lacking returns what arithmetic makes of the first missing value.
func lacking(vs ...vm.Value) (vm.Value, bool) {
	for _, v := range vs {
		if u := v.Undef(); u != nil {
			c := *u
			c.Computed = true
			return vm.UndefinedOf(&c), true
		}
	}
	return vm.Null, false
}

var binaries = map[ast.BinaryOp]code.BinaryOp{ast.Add: code.BinAdd, ast.Sub: code.BinSub, ast.Mul: code.BinMul, ast.Div: code.BinDiv,
	ast.FloorDiv: code.BinFloorDiv, ast.Mod: code.BinMod, ast.Pow: code.BinPow, ast.Concat: code.BinConcat}

var compares = map[ast.CompareOp]code.CompareOp{ast.Eq: code.CmpEq, ast.Ne: code.CmpNe, ast.Lt: code.CmpLt, ast.Le: code.CmpLe,
	ast.Gt: code.CmpGt, ast.Ge: code.CmpGe, ast.In: code.CmpIn, ast.NotIn: code.CmpNotIn}

func (w *walker) eval(e ast.Expr) (vm.Value, error) {
	switch e := e.(type) {
	case *ast.Literal:
		switch e.Kind {
		case ast.BoolLit:
			return vm.Bool(e.Bool), nil
		case ast.IntLit:
			return vm.BigInt(e.Int), nil
		case ast.FloatLit:
			return vm.Float(e.Float), nil
		case ast.StringLit:
			return vm.String(e.Str), nil
		}
		return vm.Null, nil
	case *ast.Name, *ast.Attr:
		v, err := w.subject(e)
		if o, ok := v.Object(); ok && err == nil {
			if _, isLoop := o.(*loopValue); isLoop {
				return v, errBeyond // the loop as a whole is the machine's own object
			}
		}
		return v, err
	case *ast.Index:
		if lit, ok := e.I.(*ast.Literal); ok && lit.Kind == ast.StringLit {
			return w.attr(e, e.X, lit.Str, true)
		}
		vs, err := w.evalAll(e.X, e.I)
		if err != nil {
			return vm.Null, err
		}
		if vs[1].IsUndefined() {
			return vs[1], nil
		}
		if _, ok := vs[0].Object(); ok {
			return vm.Null, errBeyond
		}
		v, err := w.env.Item(vs[0], vs[1])
		if err == nil && v.IsUndefined() {
			return w.undefined(e), nil
		}
		return v, err
	case *ast.Slice:
		vs, err := w.evalAll(e.X, e.Lo, e.Hi, e.Step)
		if err != nil {
			return vm.Null, err
		}
		if v, yes := lacking(vs...); yes {
			return v, nil
		}
		return w.env.Slice(vs[0], vs[1], vs[2], vs[3])
	case *ast.Unary:
		return w.unary(e)
	case *ast.Binary:
		return w.binary(e)
	case *ast.Compare:
		return w.compare(e)
	case *ast.Cond:
		t, err := w.truth(e.If)
		switch {
		case err != nil:
			return vm.Null, err
		case t:
			return w.eval(e.Then)
		case e.Else == nil:
			return w.undefined(e), nil
		}
		return w.eval(e.Else)
	case *ast.List:
		vs, err := w.evalAll(e.Items...)
		if slices.ContainsFunc(vs, vm.Value.IsUndefined) {
			err = cmp.Or(err, errBeyond) // whether it counts as null depends on the place
		}
		return vm.ListOf(vs), err
	case *ast.Dict:
		m := vm.NewMap(0)
		for i := range e.Keys {
			vs, err := w.evalAll(e.Keys[i], e.Values[i])
			if slices.ContainsFunc(vs, vm.Value.IsUndefined) {
				err = cmp.Or(err, errBeyond)
			}
			if err != nil {
				return vm.Null, err
			}
			if !m.Put(vs[0], vs[1]) {
				return vm.Null, codeError("PCC320")
			}
		}
		return vm.MapOf(m), nil
	case *ast.Filter:
		return w.builtin(w.dialect.Filters[e.Name], e.X, e.Args, false)
	case *ast.Test:
		v, err := w.builtin(w.dialect.Tests[e.Name], e.X, e.Args, true)
		if err != nil || !e.Not {
			return v, err
		}
		t, err := w.truthOf(v)
		return vm.Bool(!t), err
	case *ast.Call:
		f, err := w.called(e.F)
		if err != nil {
			return f, err
		}
		args, names, err := w.args(e.Args)
		if err != nil {
			return vm.Null, err
		}
		return w.env.Call(f, args, names)
	}
	return vm.Null, errBeyond
}

// called is what a call calls: a name that nothing inside binds is a function.
func (w *walker) called(e ast.Expr) (vm.Value, error) {
	n, ok := e.(*ast.Name)
	if !ok {
		return w.eval(e)
	}
	f, ok := w.dialect.Globals[n.Name]
	for _, s := range w.scopes {
		if _, bound := s.names[n.Name]; bound {
			ok = false
		}
	}
	if !ok {
		return w.eval(e)
	}
	return f, nil
}

func (w *walker) unary(e *ast.Unary) (vm.Value, error) {
	x, err := w.eval(e.X)
	if err != nil {
		return x, err
	}
	if e.Op == ast.Not {
		t, err := w.truthOf(x)
		return vm.Bool(!t), err
	}
	if v, yes := lacking(x); yes {
		return v, nil
	}
	if e.Op == ast.Neg {
		return w.env.Negate(x)
	}
	return w.env.Positive(x)
}

func (w *walker) binary(e *ast.Binary) (vm.Value, error) {
	x, err := w.eval(e.X)
	if err != nil {
		return x, err
	}
	if e.Op == ast.And || e.Op == ast.Or {
		t, err := w.truthOf(x)
		if err != nil || t == (e.Op == ast.Or) {
			return x, err
		}
		return w.eval(e.Y)
	}
	y, err := w.eval(e.Y)
	if err != nil {
		return y, err
	}
	if v, yes := lacking(x, y); yes {
		return v, nil
	}
	return w.env.Binary(binaries[e.Op], x, y)
}

func (w *walker) compare(e *ast.Compare) (vm.Value, error) {
	x, err := w.eval(e.X)
	if err != nil {
		return x, err
	}
	for _, c := range e.Rest {
		y, err := w.eval(c.Y)
		if err != nil {
			return y, err
		}
		w.asNull(x)
		w.asNull(y)
		t, err := w.env.Compare(compares[c.Op], x, y)
		if err != nil || !t {
			return vm.Bool(false), err
		}
		x = y
	}
	return vm.Bool(true), nil
}

func (w *walker) args(args []ast.Arg) (vs []vm.Value, names []string, err error) {
	for _, a := range args {
		v, err := w.eval(a.Value)
		if err != nil {
			return nil, nil, err
		}
		vs = append(vs, v)
		if a.Name != "" {
			names = append(names, a.Name)
		}
	}
	return vs, names, nil
}

func (w *walker) builtin(b *vm.Builtin, x ast.Expr, args []ast.Arg, test bool) (vm.Value, error) {
	if b == nil {
		return vm.Null, errBeyond
	}
	provides := b.Name == "default" || b.Name == "d" || b.Name == "defined" || b.Name == "undefined"
	if provides {
		w.provided++
	}
	v, err := w.eval(x)
	if provides {
		w.provided--
	}
	if err != nil {
		return v, err
	}
	vs, names, err := w.args(args)
	if err != nil {
		return v, err
	}
	vs = append([]vm.Value{v}, vs...)
	for i, v := range vs {
		if v.IsUndefined() && !test && (i > 0 || !b.TakesUndefined) {
			return v, nil
		}
	}
	return w.env.CallBuiltin(b, vs, names)
}
