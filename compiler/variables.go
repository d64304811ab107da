package compiler

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// usage collects what a program reads from its data, while it is lowered.
type usage struct {
	vars   []vm.Variable
	byName map[string]int
	// optional counts the constructs around the current expression in which a
	// missing value is no fault: conditions, loops, default(…).
	optional int
	// branches counts the branches around the current node: what is read there
	// is not needed by every render.
	branches int
	// hint is the type that the next path read is used as.
	hint string
}

// maxUses bounds the places kept for one variable.
const maxUses = 100

// takeHint returns the type hint and clears it.
func (u *usage) takeHint() string {
	h := u.hint
	u.hint = ""
	return h
}

// use records one read.
func (l *lowerer) use(name string, span source.Span, typ string) {
	if name == "" {
		return
	}
	name = l.documentName(name)
	u := &l.usage
	required := u.optional == 0 && u.branches == 0
	i, ok := u.byName[name]
	if !ok {
		if u.byName == nil {
			u.byName = map[string]int{}
		}
		i = len(u.vars)
		u.byName[name] = i
		u.vars = append(u.vars, vm.Variable{Name: name, Type: "any", File: l.file.Name})
	}
	v := &u.vars[i]
	v.Required = v.Required || required
	if v.Type == "any" && typ != "" {
		v.Type = typ
	}
	if len(v.Uses) < maxUses {
		f, p := l.file.Root(span.Start)
		v.Uses = append(v.Uses, f.Position(p))
	}
}

// usePath records the read of root.keys where the name resolves to r.
func (l *lowerer) usePath(e ast.Expr, root string, keys []string, r resolution) {
	typ := l.usage.takeHint()
	rest := strings.Join(keys, ".")
	join := func(base string) string {
		if rest == "" {
			return base
		}
		return base + "." + rest
	}
	switch {
	case r.loop >= 0:
		return
	case r.local != nil:
		if r.local.path != "" && (rest != "" || typ != "") {
			l.use(join(r.local.path), e.Span(), typ)
		}
		return
	}
	var names []string
	for _, sc := range r.bares {
		names = append(names, join(sc.path+"."+root))
	}
	l.use(strings.Join(append(names, join(root)), " | "), e.Span(), typ)
}

// maybe lowers something in which missing values are no fault.
func (l *lowerer) maybe(f func()) {
	l.usage.optional++
	f()
	l.usage.optional--
}

// branch lowers a body that not every render runs.
func (l *lowerer) branch(nodes []ast.Node) {
	l.usage.branches++
	l.cover(nodes)
	l.body(nodes)
	l.usage.branches--
}

// finishVariables merges the declarations of a contract with what was found.
func (l *lowerer) finishVariables(meta *ast.Meta) {
	vars := l.usage.vars
	if meta != nil && meta.Contract {
		vars = l.declaredVariables(meta, vars)
	}
	for i := range vars {
		v := &vars[i]
		if l.img.Defaults != nil {
			root, _, _ := strings.Cut(v.Name, ".")
			if d, ok := l.img.Defaults.Get(root); ok {
				v.Required = false
				if root == v.Name {
					v.Default = jsonText(l.dialect, d)
				}
			}
		}
	}
	l.img.Variables = vars
}

// declaredVariables lists the declared names in their order, then paths into
// them.
func (l *lowerer) declaredVariables(meta *ast.Meta, found []vm.Variable) []vm.Variable {
	var out []vm.Variable
	taken := map[string]bool{}
	for _, d := range meta.Variables {
		v := vm.Variable{Name: d.Name, Type: "any", File: l.file.Name}
		if i, ok := l.usage.byName[d.Name]; ok {
			v = found[i]
		}
		if d.Type != "" {
			v.Type = d.Type
		}
		v.Required, v.Description = d.Required, d.Description
		for i := range d.Enum {
			v.Enum = append(v.Enum, structureText(&d.Enum[i]))
		}
		taken[d.Name] = true
		out = append(out, v)
	}
	for _, v := range found {
		if !taken[v.Name] {
			out = append(out, v)
		}
	}
	return out
}

func jsonText(d *vm.Dialect, v vm.Value) string {
	b, err := vm.NewEnv(d, vm.DefaultLimits()).JSON(nil, v, vm.JSONOptions{})
	if err != nil {
		return ""
	}
	return string(b)
}
