package compiler

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/internal/code"
)

// include lowers the included template in place. It sees the names visible
// here, and those of `with` first.
func (l *lowerer) include(n *ast.Include) {
	inc := l.includes[n]
	if inc == nil {
		return // reported when it was loaded
	}
	l.scopes.push()
	for _, a := range n.With {
		l.expr(a.Value)
	}
	slots := make([]int, len(n.With))
	for i := range n.With {
		slots[i] = l.scopes.newSlot()
	}
	for i := len(n.With) - 1; i >= 0; i-- {
		l.code.emit(code.Instr{Op: code.OpStore, A: int32(slots[i])})
	}
	for i, a := range n.With {
		l.scopes.declare(a.Name, binding{slot: slots[i], path: l.pathText(a.Value, "")})
	}
	file, site, angle := l.file, l.site, l.angle
	l.img.Sites = append(l.img.Sites, l.cfg.site(inc.tmpl.File, inc.tmpl.Syntax, site, n.Span()))
	l.file, l.site, l.angle = inc.tmpl.File, int32(len(l.img.Sites)-1), isAngle(inc.tmpl.Syntax)
	l.nearTags(inc.tmpl.Near)
	body := inc.tmpl.Body
	if n.DropBreak {
		body = l.dropBreak(body)
	}
	l.body(body)
	l.file, l.site, l.angle = file, site, angle
	l.unreadArgs(n)
	l.scopes.pop()
	if n.Standalone && n.LineBreak != "" && !n.DropBreak && !endsInBreak(inc.tmpl.File.Text) && (!l.chat || l.message) {
		l.code.at(l.site, n.Span())
		l.code.emit(code.Instr{Op: code.OpText, Text: n.LineBreak})
	}
}

// unreadArgs warns of values given to an include that the file does not read. The
// scope of the include is the innermost one.
func (l *lowerer) unreadArgs(n *ast.Include) {
	sc := &l.scopes.stack[len(l.scopes.stack)-1]
	for _, a := range n.With {
		if b := sc.find(a.Name); b != nil && !b.read {
			l.report("PCC204", a.NameSpan, "`%s` is given to the included file, which does not read it", a.Name).WithNames(a.Name).
				WithHelp("correct the name, or remove it")
		}
	}
}

// dropBreak returns the body without the line break at its end.
func (l *lowerer) dropBreak(body []ast.Node) []ast.Node {
	if len(body) == 0 {
		return body
	}
	out := append([]ast.Node(nil), body...)
	switch last := out[len(out)-1].(type) {
	case *ast.Text:
		t := *last
		if s, ok := strings.CutSuffix(t.Value, "\n"); ok {
			t.Value = strings.TrimSuffix(s, "\r")
		}
		out[len(out)-1] = &t
	case *ast.Include:
		if last.Standalone {
			inc := *last // the file may be included elsewhere too
			inc.DropBreak = true
			l.includes[&inc] = l.includes[last]
			out[len(out)-1] = &inc
		}
	}
	return out
}

func endsInBreak(s string) bool { return s == "" || strings.HasSuffix(s, "\n") }
