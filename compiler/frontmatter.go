package compiler

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/vm"
)

// front takes over what front matter or a document's head declares.
func (l *lowerer) front(m *ast.Meta) {
	if p, ok := policyByName(Undefined(m.Undefined)); ok && l.policy == nil {
		l.policy = &p
	}
	l.roles.declared = append(l.roles.declared, m.Roles...)
	if m.Vars != nil && m.Vars.Kind == ast.SMap {
		l.img.Defaults = vm.NewMap(len(m.Vars.Map))
		for i := range m.Vars.Map {
			l.img.Defaults.Set(m.Vars.Map[i].Key, l.cfg.shared.valueOf(&m.Vars.Map[i].Value))
		}
	}
	if m.Contract {
		l.contract = map[string]bool{}
		for i := range m.Variables {
			l.declare(&m.Variables[i])
		}
		if l.img.Contract == nil {
			l.img.Contract = []vm.Declared{}
		}
	}
	for _, name := range m.Given {
		if l.given = append(l.given, name); l.contract != nil {
			l.contract[name] = true
		}
	}
	l.img.Meta = l.cfg.shared.metaMap(m)
}

// declare takes over one declaration of the contract.
func (l *lowerer) declare(v *ast.Variable) {
	l.contract[parser.NormalizeName(v.Name)] = true
	d := vm.Declared{Name: v.Name, Type: v.Type, Required: v.Required, Span: v.Span, Site: l.site}
	for i := range v.Enum {
		d.Enum = append(d.Enum, declaredValue(v, &v.Enum[i]))
	}
	if v.Default != nil {
		if l.img.Defaults == nil {
			l.img.Defaults = vm.NewMap(4)
		}
		if _, given := l.img.Defaults.Get(v.Name); !given {
			l.img.Defaults.Set(v.Name, declaredValue(v, v.Default))
		}
	}
	if len(d.Enum) > 0 {
		l.roles.enum(v.Name, d.Enum)
	}
	l.declaredTyped(&d)
	l.img.Contract = append(l.img.Contract, d)
}

// declaredValue is a value of a declaration: where the type is string, a plain
// scalar is the text that it is written as.
func declaredValue(v *ast.Variable, s *ast.Structure) vm.Value {
	switch {
	case v.Type != "string", s.Kind == ast.SNull, s.Kind == ast.SList, s.Kind == ast.SMap:
		return ValueOf(s)
	}
	return vm.String(TextOf(s))
}

// metaMap keeps what the head says for Program.Meta.
func (c sharedValues) metaMap(m *ast.Meta) *vm.Map {
	out := vm.NewMap(4 + len(m.Extra))
	if m.Name != "" {
		out.Set("name", vm.String(m.Name))
	}
	if m.Description != "" {
		out.Set("description", vm.String(m.Description))
	}
	for i := range m.Extra {
		out.Set(m.Extra[i].Key, c.valueOf(&m.Extra[i].Value))
	}
	return out
}

// sharedValues are the values of lists and maps of a document, by their first item:
// what all its prompts inherit is made once, however many there are. It may be nil.
type sharedValues map[any]vm.Value

func (c sharedValues) valueOf(s *ast.Structure) vm.Value {
	var first any
	switch {
	case len(s.Items) > 0:
		first = &s.Items[0]
	case len(s.Map) > 0:
		first = &s.Map[0]
	}
	if c == nil || first == nil {
		return ValueOf(s)
	}
	v, ok := c[first]
	if !ok {
		v = ValueOf(s)
		c[first] = v
	}
	return v
}

// ValueOf makes a value of data read from a document. Scalars whose spelling
// says more than their type (`1.10`, `yes`) print as they are written; package
// document tells the rules.
func ValueOf(s *ast.Structure) vm.Value {
	switch s.Kind {
	case ast.SBool:
		v := vm.Bool(s.Bool)
		if s.Source != "" && !strings.EqualFold(s.Source, "true") && !strings.EqualFold(s.Source, "false") {
			return vm.Spelled(v, s.Source)
		}
		return v
	case ast.SInt:
		return vm.BigInt(s.Int)
	case ast.SFloat:
		if trailingZeros(s.Source) {
			return vm.Spelled(vm.Float(s.Float), s.Source)
		}
		return vm.Float(s.Float)
	case ast.SString, ast.STemplate:
		return vm.String(s.Str)
	case ast.SList:
		items := make([]vm.Value, len(s.Items))
		for i := range s.Items {
			items[i] = ValueOf(&s.Items[i])
		}
		return vm.ListOf(items)
	case ast.SMap:
		return vm.MapOf(mapOf(s))
	}
	return vm.Null
}

// trailingZeros reports whether a number in JSON's form has zeros at the end of
// its fraction, as 1.10 and 2.00 have: a version or a price. 3.0 has none.
func trailingZeros(number string) bool {
	whole, fraction, _ := strings.Cut(number, ".")
	return len(fraction) > 1 && strings.HasSuffix(fraction, "0") &&
		!strings.ContainsAny(fraction, "eE") && !strings.HasPrefix(number, "+") && whole != "" && whole != "-"
}

func mapOf(s *ast.Structure) *vm.Map {
	m := vm.NewMap(len(s.Map))
	for i := range s.Map {
		m.Set(s.Map[i].Key, ValueOf(&s.Map[i].Value))
	}
	return m
}

// TextOf is a scalar of a document as text, in the spelling of the document; lists and
// maps are written as JSON.
func TextOf(s *ast.Structure) string {
	if s.Kind == ast.SString || s.Source == "" && s.Str != "" {
		return s.Str
	}
	if s.Source != "" {
		return s.Source
	}
	return string(vm.AppendJSON(nil, ValueOf(s), vm.JSONOptions{}))
}
