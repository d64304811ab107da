package compiler

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// roles are those that messages may have besides the five words of the
// language: what `roles:` declares, for all messages, and the values of a
// declared variable's `enum`, for messages whose role is that variable and
// nothing else. Data can take none but these.
type roles struct {
	declared []string
	enums    map[string][]string // by variable
	// tables are the indexes of Image.Names that hold them, by variable; "" is
	// declared.
	tables map[string]int32
}

// enum takes over the values that a variable is declared with.
func (r *roles) enum(name string, values []vm.Value) {
	if r.enums == nil {
		r.enums = map[string][]string{}
	}
	for _, v := range values {
		if s, ok := v.Str(); ok {
			r.enums[name] = append(r.enums[name], s)
		}
	}
}

// knows reports whether a message may have the literal role s.
func (r *roles) knows(s string) bool {
	return ast.IsRole(s) || slices.Contains(r.declared, s)
}

// role lowers the role of a message.
func (l *lowerer) role(e ast.Expr) {
	if lit, ok := e.(*ast.Literal); ok && lit.Kind == ast.StringLit {
		if !l.roles.knows(lit.Str) {
			l.report("PCC235", lit.Span(), "this role is none of the language's, and `roles:` does not list it")
		}
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.String(lit.Str))})
		l.code.emit(code.Instr{Op: code.OpMessage, B: -1})
		return
	}
	table, ok := l.roleTable(l.variableOf(e))
	if !ok {
		if name, is := e.(*ast.Name); is && !l.contract[name.Name] && l.variableOf(e) != "" {
			l.unknownRole(name)
			return
		}
		l.report("PCC232", e.Span(), "this role is computed, but its possible values are not declared")
		return
	}
	l.inHead(func() { l.expr(e) })
	l.code.emit(code.Instr{Op: code.OpMessage, B: table})
}

// unknownRole reports a word that stands for a role and is none. Where nothing
// declares roles, no variable could do there.
func (l *lowerer) unknownRole(e *ast.Name) {
	d := l.report("PCC235", e.Span(), "`%s` is no role", e.Name).WithNames(e.Name)
	d.Help = "roles are " + strings.Join(ast.Roles(), ", ")
	if near, ok := document.NearRole(e.Name); ok {
		d.Help += "; did you mean `" + near + "`?"
	} else {
		d.Help += "; for a role from the data, list its values in front matter: `roles: [user, assistant]`"
	}
}

// roleTable is the list of roles that a message may take whose role is the
// variable name, or any other expression if that is "". ok is false where there
// are none.
func (l *lowerer) roleTable(name string) (table int32, ok bool) {
	r := &l.roles
	if r.enums[name] == nil {
		name = ""
	}
	if t, ok := r.tables[name]; ok {
		return t, true
	}
	names := slices.Concat(r.declared, r.enums[name])
	if len(names) == 0 {
		return 0, false
	}
	if r.tables == nil {
		r.tables = map[string]int32{}
	}
	l.img.Names = append(l.img.Names, names)
	table = int32(len(l.img.Names) - 1)
	r.tables[name] = table
	return table, true
}

// insertedRoles is the list of roles that messages of the data may have: those
// declared, or else the roles of a conversation.
func (l *lowerer) insertedRoles() int32 {
	if len(l.roles.declared) > 0 {
		table, _ := l.roleTable("")
		return table
	}
	const conversation = " conversation" // the name of no variable
	if t, ok := l.roles.tables[conversation]; ok {
		return t
	}
	if l.roles.tables == nil {
		l.roles.tables = map[string]int32{}
	}
	l.img.Names = append(l.img.Names, []string{"user", "assistant", "tool"})
	t := int32(len(l.img.Names) - 1)
	l.roles.tables[conversation] = t
	return t
}

// variableOf is the variable of the data that e is and that nothing around it
// binds otherwise; "" if e is something else.
func (l *lowerer) variableOf(e ast.Expr) string {
	root, keys, _, ok := l.chain(e)
	if !ok {
		return ""
	}
	if r := l.scopes.resolve(root.Name); r.local != nil || r.loop >= 0 || len(r.bares) > 0 {
		return ""
	}
	switch {
	case len(keys) == 2 && l.isVars(keys):
		return keys[1]
	case len(keys) == 1:
		return root.Name
	}
	return ""
}
