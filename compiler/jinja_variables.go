package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/vm"
)

// namedTemplate is another template that a Jinja template names; prefix is the
// level of a prompt tree that its names are read from.
type namedTemplate struct{ name, prefix string }

// otherTemplate notes the template that an include, import or extends tag names,
// where the name stands in the source.
func (l *lowerer) otherTemplate(name ast.Expr) {
	const most = 1000
	if lit, ok := name.(*ast.Literal); ok && lit.Kind == ast.StringLit && len(l.usage.templates) < most {
		l.usage.templates = append(l.usage.templates, namedTemplate{lit.Str, l.prefix})
	} else {
		l.usage.computed = true
	}
}

// ofTemplates adds to vars what the templates read that this one takes in. Whether
// a render needs these cannot be told from here: what takes them in may set them
// or leave the tag out. more says that some read what is not known.
func (v *variableLister) ofTemplates(vars []vm.Variable, seen map[string]bool, depth int) (all []vm.Variable, more bool) {
	more = v.computed
	if v.img.Load == nil || depth > v.img.Limits.IncludeDepth {
		return vars, more || len(v.templates) > 0
	}
	known := map[string]bool{}
	for i := range vars {
		known[vars[i].Name] = true
	}
	for _, t := range v.templates {
		if seen[t.prefix+t.name] {
			continue
		}
		seen[t.prefix+t.name] = true
		img, err := v.img.Load(t.name, func(int64) error { return nil })
		if err != nil || img == nil {
			more = true
			continue // the render tells, if it comes there
		}
		part, ok := img.Lister.(*variableLister)
		if !ok {
			continue
		}
		read, reads := part.ofTemplates(part.listed(), seen, depth+1)
		more = more || reads
		for _, x := range read {
			x.Required = false
			x.Name = t.prefix + x.Name
			if !known[x.Name] {
				known[x.Name] = true
				vars = append(vars, x)
			}
		}
	}
	return vars, more
}

// listed is the list of what this template itself reads. It is made once.
func (v *variableLister) listed() []vm.Variable {
	v.once.Do(func() { v.own = v.log.variables() })
	return append([]vm.Variable(nil), v.own...)
}
