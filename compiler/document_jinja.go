package compiler

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// documentEntry lowers a template, or an entry of a document.
func (l *lowerer) documentEntry(t *ast.Template) {
	if !l.cfg.document {
		l.body(t.Body)
		return
	}
	if len(t.Body) > 0 {
		l.textPlace = t.Body[0].Span()
	}
	l.img.Autoescape = t.Syntax == "jinja" && l.cfg.jinja.opts.Autoescape == AutoescapeOn
	if l.rules.Form == ast.FormAgent {
		l.tree(t.Body)
	} else {
		l.body(t.Body)
	}
	if l.parts != nil {
		parts := l.parts
		l.img.Load = func(name string, _ func(int64) error) (*vm.Image, error) {
			i, err := strconv.Atoi(strings.TrimPrefix(name, partPrefix))
			if err != nil || i >= len(parts) {
				return nil, nil
			}
			return parts[i], nil
		}
	}
}

// jinjaText lowers a Jinja text of a document: a template of its own, whose
// variables end with it. Names of loops around it are visible. lower makes the code
// of its body, where it does not work together with other templates.
func (l *lowerer) jinjaText(n *ast.Embedded, lower func()) {
	f := factsOf(n.Body)
	if f.templates {
		l.jinjaPart(n)
		return
	}
	j := &resolveJinja(n.Body, f, l).lowerer
	l.img.Mutates = l.img.Mutates || l.dialect.Sandbox != vm.SandboxImmutable && f.mutates
	if l.img.Autoescape {
		j.escape = escapeOn
	}
	j.fn, j.scope = j.names.root.fn, j.names.root
	j.top, j.root = true, true
	outer := l.jinja
	lang := l.lang
	l.jinja, l.lang = j, jinjaLanguage{l}
	l.enterScope(j.names.root)
	lower()
	l.cells = max(l.cells, len(j.cells))
	l.jinja, l.lang = outer, lang
	j.names.free()
}

// partPrefix begins the names of texts that are programs of their own; no file
// system takes such a name.
const partPrefix = "\x00"

// jinjaPart lowers a Jinja text that includes, imports or extends others, or
// has blocks: it is an image of its own, which the document's program includes.
// The templates that it names stand beside the file that it stands in.
func (l *lowerer) jinjaPart(n *ast.Embedded) {
	c := *l.cfg
	c.document, c.rules, c.coverage = false, ast.Rules{}, false
	c.jinja.part = true
	c.name = n.File.Name
	root, _ := n.File.Root(0)
	if dir := path.Dir(root.Name); c.fsys != nil && dir != "." {
		if sub, err := fs.Sub(c.fsys, dir); err == nil {
			c.fsys, c.path = sub, path.Base(root.Name)
		}
	}
	p, list := c.build(&ast.Template{File: n.File, Syntax: n.Syntax, Body: n.Body})
	l.errs = append(l.errs, list...)
	if p == nil {
		return
	}
	img := p.Image()
	for _, v := range p.Variables() {
		if v.Required {
			l.use(v.Name, "", n.Span(), v.Type)
		} else {
			l.maybe(func() { l.use(v.Name, "", n.Span(), v.Type) })
		}
	}
	if part, ok := img.Lister.(*variableLister); ok && part.ReadsMore() {
		l.usage.computed = true
	}
	l.parts = append(l.parts, img)
	l.img.Mutates = l.img.Mutates || img.Mutates // it is the document's render that copies the data
	names := l.nativeLocals()
	l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.String(partPrefix + strconv.Itoa(len(l.parts)-1)))})
	l.code.emit(code.Instr{Op: code.OpInclude, B: l.nameList(names), N: l.count(len(names))})
}

// nativeLocals pushes the values of the native names around a text.
func (l *lowerer) nativeLocals() []string {
	slots := map[string]int{}
	for i := range l.scopes.stack { // inner names replace outer ones
		for _, b := range l.scopes.stack[i].names {
			slots[b.name] = b.slot
		}
	}
	names := slices.Sorted(maps.Keys(slots))
	for _, name := range names {
		l.code.emit(code.Instr{Op: code.OpSlot, A: int32(slots[name])})
	}
	return names
}

// documentLocal reports whether a name that a Jinja text does not set itself
// is that of a loop of the document around it.
func (l *lowerer) documentLocal(name string, v *jinjaVar) bool {
	if !l.cfg.document || v != nil && !v.plain() {
		return false
	}
	r := l.scopes.resolve(name)
	return r.local != nil || r.loop >= 0 || len(r.bares) > 0
}

// outside lowers something as it stands around the Jinja text.
func (l *lowerer) outside(lower func()) {
	lang := l.lang
	l.lang = nativeLanguage{l}
	lower()
	l.lang = lang
}
