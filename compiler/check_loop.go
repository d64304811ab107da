package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// checkIter reports a loop over what is never a list or map, whatever the data.
func (l *lowerer) checkIter(n *ast.Loop) {
	what := l.scalar(n.Iter)
	if what == "" {
		return
	}
	d := l.report("PCC236", n.Iter.Span(), "a loop over %s, which has no items", what)
	// `loop x in xs` is how other languages have it.
	cmp, ok := n.Iter.(*ast.Compare)
	if !ok || len(cmp.Rest) != 1 || cmp.Rest[0].Op != ast.In || n.Mode != ast.LoopBare {
		return
	}
	name, ok := cmp.X.(*ast.Name)
	if !ok {
		return
	}
	head := l.file.Slice(cmp.Rest[0].Y.Span()) + " as " + name.Name
	if tag := l.file.Slice(n.Head); strings.Contains(tag, "loop") { // the head alone in documents
		before, _, _ := strings.Cut(tag, "loop")
		after := tag[int(n.Iter.Span().End-n.Head.Start):]
		head = strings.TrimSpace(before) + "loop " + head + strings.TrimSpace(after)
	}
	d.Help = "write " + head
}

// scalar describes the value of an expression that has no items; "" if it may
// have some.
func (l *lowerer) scalar(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Compare:
		return "a comparison"
	case *ast.Test:
		return "a test"
	case *ast.Unary:
		if e.Op == ast.Not {
			return "a condition"
		}
		return "a number"
	case *ast.Binary:
		switch e.Op {
		case ast.Sub, ast.Div, ast.FloorDiv, ast.Pow:
			return "a number"
		case ast.Concat:
			return "a string"
		}
	}
	if v, ok := l.constant(e); ok {
		switch v.Kind() {
		case vm.KindBool, vm.KindInt, vm.KindFloat, vm.KindString:
			return "a constant"
		}
	}
	return ""
}

// loopFields are what `loop` has inside a loop.
var loopFields = slices.Concat(code.LoopFieldNames[:], []string{"parent"})

// otherFields are what other languages call them.
var otherFields = map[string]string{
	"i": "index", "idx": "index", "counter": "index", "count": "index", "number": "index", "iteration": "index",
	"idx0": "index0", "counter0": "index0", "len": "length", "size": "length", "total": "length",
	"isfirst": "first", "is_first": "first", "islast": "last", "is_last": "last", "outer": "parent", "parentloop": "parent",
}

// unknownLoopField reports loop.name where `loop` has no such field. A soft
// placeholder is kept as it is written then.
func (l *lowerer) unknownLoopField(e ast.Expr, name string) {
	if !l.dialect.NativeTags() || slices.Contains(loopFields, name) {
		return
	}
	d := l.report("PCC237", e.Span(), "`loop` has no `%s`", name).WithNames("loop." + name)
	near, ok := otherFields[name]
	if !ok {
		near, ok = diag.Near(name, loopFields)
	}
	if ok {
		d.Help = fmt.Sprintf("did you mean `loop.%s`?", near)
	}
	if l.soft {
		d.Severity = diag.Warning
	}
}
