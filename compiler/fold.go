package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/vm"
)

// foldedBytes is the longest string that folding makes.
const foldedBytes = 1 << 12

// constant returns the value of an expression that is the same in every
// render. It uses the machine's own operations, so that folding changes no
// result; an operation that fails is left for the render to report.
func (l *lowerer) constant(e ast.Expr) (vm.Value, bool) {
	switch e := e.(type) {
	case *ast.Name, *ast.Attr: // as a rule
		return vm.Null, false
	case *ast.Literal:
		return literal(e), true
	}
	if !foldable(e, 0) || l.cfg.off[PassFold] {
		return vm.Null, false
	}
	limits := l.cfg.limits
	limits.Steps, limits.Memory, limits.NumberDigits = 10_000, foldedBytes, min(limits.NumberDigits, 100)
	v, err := l.fold(vm.NewEnv(l.dialect, limits), e)
	if err != nil || v.IsUndefined() {
		return vm.Null, false
	}
	return v, true
}

// maxFoldDepth bounds the trees that are looked at for folding, so that asking
// at every level of an expression stays cheap.
const maxFoldDepth = 8

// foldable reports whether e is made of literals and operators alone.
func foldable(e ast.Expr, depth int) bool {
	if depth > maxFoldDepth {
		return false
	}
	switch e := e.(type) {
	case *ast.Literal:
		return true
	case *ast.Unary:
		return foldable(e.X, depth+1)
	case *ast.Binary:
		return foldable(e.X, depth+1) && foldable(e.Y, depth+1)
	case *ast.Compare:
		if !foldable(e.X, depth+1) {
			return false
		}
		for _, c := range e.Rest {
			if !foldable(c.Y, depth+1) {
				return false
			}
		}
		return true
	case *ast.Cond:
		return e.Else != nil && foldable(e.If, depth+1) && foldable(e.Then, depth+1) && foldable(e.Else, depth+1)
	}
	return false
}

func (l *lowerer) fold(env *vm.Env, e ast.Expr) (vm.Value, error) {
	switch e := e.(type) {
	case *ast.Literal:
		return literal(e), nil
	case *ast.Unary:
		x, err := l.fold(env, e.X)
		if err != nil {
			return x, err
		}
		switch e.Op {
		case ast.Neg:
			return env.Negate(x)
		case ast.Pos:
			return env.Positive(x)
		}
		t, err := env.Truth(x)
		return vm.Bool(!t), err
	case *ast.Binary:
		x, err := l.fold(env, e.X)
		if err != nil {
			return x, err
		}
		if e.Op == ast.And || e.Op == ast.Or {
			t, err := env.Truth(x)
			if err != nil || t == (e.Op == ast.Or) {
				return x, err
			}
			return l.fold(env, e.Y)
		}
		y, err := l.fold(env, e.Y)
		if err != nil {
			return y, err
		}
		return env.Binary(binaryOps[e.Op], x, y)
	case *ast.Compare:
		x, err := l.fold(env, e.X)
		if err != nil {
			return x, err
		}
		for _, c := range e.Rest {
			y, err := l.fold(env, c.Y)
			if err != nil {
				return y, err
			}
			t, err := env.Compare(compareOps[c.Op], x, y)
			if err != nil || !t {
				return vm.Bool(false), err
			}
			x = y
		}
		return vm.Bool(true), nil
	case *ast.Cond:
		c, err := l.fold(env, e.If)
		if err != nil {
			return c, err
		}
		t, err := env.Truth(c)
		if err != nil {
			return vm.Null, err
		}
		if t {
			return l.fold(env, e.Then)
		}
		return l.fold(env, e.Else)
	}
	return vm.Null, env.Errorf("runtime", "not a constant")
}

// literal is the value of a literal.
func literal(e *ast.Literal) vm.Value {
	switch e.Kind {
	case ast.BoolLit:
		return vm.Bool(e.Bool)
	case ast.IntLit:
		return vm.BigInt(e.Int)
	case ast.FloatLit:
		return vm.Float(e.Float)
	case ast.StringLit:
		return vm.String(e.Str)
	}
	return vm.Null
}
