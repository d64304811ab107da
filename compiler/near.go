package compiler

import (
	"fmt"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// nearTags looks at the texts of the current file that miss being placeholders by
// little. Where there is a contract, it knows the names; else the data of each
// render does. The forms of other systems have tags of their own.
func (l *lowerer) nearTags(near []ast.NearTag) {
	const most = 1000
	switch l.rules.Form {
	case ast.FormTemplate, ast.FormNative:
	default:
		return
	}
	if len(near) == 0 || !l.dialect.NativeTags() || l.nearSeen[l.file] {
		return
	}
	if l.nearSeen == nil {
		l.nearSeen = map[*source.File]bool{}
	}
	l.nearSeen[l.file] = true
	for i := range near {
		n := &near[i]
		switch {
		case l.contract == nil && len(l.img.Near) < most:
			l.img.Near = append(l.img.Near, code.NearText{Name: n.Name, Span: n.Span(), Site: l.site, Help: l.nearHelp(n), Element: n.Kind == ast.NearElement})
		case l.contract[n.Name] && n.Kind == ast.NearElement:
			d := diag.New("PCC209", l.file, n.Span(), "`%s` is declared, but this is text", n.Name).WithNames(n.Name).WithHelp("%s", l.nearHelp(n))
			d.Trace = l.includedFrom()
			l.elements = append(l.elements, d)
		case l.contract[n.Name]:
			l.report("PCC209", n.Span(), "`%s` is declared, but this is text", n.Name).WithNames(n.Name).WithHelp("%s", l.nearHelp(n))
		}
	}
}

// nearHelp tells what to write if a placeholder is meant.
func (l *lowerer) nearHelp(n *ast.NearTag) string {
	if n.Kind == ast.NearElement {
		return fmt.Sprintf("write %s if a placeholder is meant: </%s> comes behind it, so this is an element", n.Tag, strings.Trim(n.Tag, "<>"))
	}
	if n.Kind == ast.NearForm {
		return fmt.Sprintf("write {%s} if a placeholder is meant, or %s, where what is wrong with an expression is told", n.Name, n.Tag)
	}
	if n.Kind == ast.NearHead {
		return fmt.Sprintf("write %s if a block is meant, and its other tags in the same way", n.Tag)
	}
	if n.Kind != ast.NearFilter {
		return fmt.Sprintf("write %s if a placeholder is meant", n.Tag)
	}
	filter, ok := filtersElsewhere[n.Filter], true
	if l.cfg.filter(stdlib.Native(), filter) == nil {
		filter, ok = l.nearest.Find(n.Filter, l.filterNames)
	}
	if ok {
		return fmt.Sprintf("there is no filter `%s`; did you mean `%s`?", n.Filter, filter)
	}
	return fmt.Sprintf("there is no filter `%s`; add it with compiler.WithFilter, or write %s if a placeholder is meant", n.Filter, n.Tag)
}

// filterNames lists the filters of native templates.
func (l *lowerer) filterNames() (names []string) {
	for _, set := range []map[string]*vm.Builtin{l.cfg.filters, stdlib.Native().Filters} {
		for name := range set {
			names = append(names, name)
		}
	}
	return names
}
