package vm

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// Bind holds a program against the type of sample, a struct or a pointer to one,
// which may be a nil pointer: names that every render needs and the type lacks
// are errors, with what may have been meant, before anything is rendered. So are
// names in the heads of blocks that renders would tell as misspelt. Fields go by
// the names that encoding/json gives them. The error is a *diag.Diagnostic or a
// diag.List.
//
// It changes nothing: Render binds code to the types of data that it meets more
// than once by itself.
func (p *Program) Bind(sample any) error {
	t := reflect.TypeOf(sample)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || !isPlain(t) || isObject(t) {
		d := diag.New("PCC308", p.file(), source.Span{}, "a program is held against a struct type, not against %s", typeText(sample)).WithKind("type")
		d.Severity = diag.Error
		return d
	}
	if l := p.lacks(t); len(l) == 1 {
		return l[0]
	} else if len(l) > 1 {
		return l
	}
	return nil
}

// function returns the code to render m's data with.
func (p *Program) function(m *machine) *Function {
	switch m.data().ref.(type) {
	case nil, *Map:
		return &p.img.Functions[0]
	}
	return p.shapes.function(p.img, m.data().ref)
}

// typeText names the Go type of a value.
func typeText(x any) string {
	t := reflect.TypeOf(x)
	switch {
	case t == nil:
		return "nil"
	case t.Kind() == reflect.Pointer && reflect.ValueOf(x).IsNil():
		return "a nil " + typeName(t)
	}
	return typeName(t)
}

// typeName is t as written in Go, but for structs without a name, which may be
// of any length.
func typeName(t reflect.Type) string {
	stars := ""
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		stars, t = stars+"*", t.Elem()
	}
	if t.Kind() == reflect.Struct && t.Name() == "" {
		return stars + "struct{…}"
	}
	return stars + t.String()
}

// file is the template's file, nil where there is none.
func (p *Program) file() *source.File {
	if len(p.img.Sites) == 0 {
		return nil
	}
	return p.img.Sites[0].File
}

// lacks lists the variables that every render needs and that data of type t
// cannot have.
func (p *Program) lacks(t reflect.Type) diag.List {
	var l diag.List
	var nearest diag.Nearest
	if p.img.FlatNames { // the dots in names are no paths
		return nil
	}
	told := map[string]bool{}
	for i, vars := 0, p.variables(); i < len(vars); i++ {
		v := &vars[i]
		if !v.Required {
			continue
		}
		var first *missingField
		for _, name := range v.Names() { // one of several will do
			m := p.lack(t, name)
			if first == nil || m == nil {
				first = m
			}
			if m == nil {
				break
			}
		}
		if first == nil {
			continue
		}
		var span source.Span
		if len(v.Uses) > 0 {
			at := source.Pos(v.Uses[0].Offset)
			span = source.Span{Start: at, End: at + source.Pos(len(first.shown))}
		}
		d := diag.New("PCC307", p.siteFile(v.File), span, "%s", first.text()).WithKind("undefined").WithNames(v.Name)
		d.Severity = diag.Error
		if near, ok := nearest.Find(first.key, func() []string { return first.known }); ok {
			d.Help = fmt.Sprintf("did you mean `%s`?", strings.TrimSuffix(first.shown, first.key)+near)
		}
		told[first.shown] = true
		l = append(l, d)
	}
	l = append(l, p.headsLack(t, told)...)
	l.Sort()
	return l
}

// headsLack lists the names in the heads of blocks that data of type t cannot have
// and that renders tell: those like a field of the type, those that the head compares
// with, and all of them in strict programs. What told holds is told already.
func (p *Program) headsLack(t reflect.Type, told map[string]bool) (l diag.List) {
	var elsewhere, read map[string]bool // made for the first name
	var nearest diag.Nearest
	for i := range p.img.Paths {
		path := &p.img.Paths[i]
		u := path.Undef
		if u == nil || u.Head == code.HeadSilent && !u.Key || u.Slot != 0 {
			continue
		}
		keys := path.Keys
		if n := slices.Index(path.Item, true); n >= 0 {
			keys = keys[:n]
		}
		m := p.lack(t, strings.Join(keys, "."))
		if m == nil || told[m.shown] {
			continue
		}
		if read == nil {
			elsewhere, read = p.readElsewhere(t), p.lastKeys()
		}
		near, isNear := nearest.Find(m.key, func() []string { return m.known })
		if m.shown == keys[0] {
			if elsewhere[keys[0]] || u.Head == code.HeadSilent || u.Head != code.HeadFails && !isNear && !u.Compared {
				continue
			}
		} else if !u.Key || !isNear || read[near] {
			continue
		}
		told[m.shown] = true
		span := source.Span{Start: pos(u.Pos), End: pos(u.Pos) + source.Pos(len(m.shown))}
		d := diag.New("PCC307", p.img.Sites[u.Site].File, span, "%s", m.text()).WithKind("undefined").WithNames(m.shown)
		d.Severity = diag.Error
		switch {
		case isNear:
			d.Help = fmt.Sprintf("did you mean `%s`?", strings.TrimSuffix(m.shown, m.key)+near)
		case u.Compared:
			d.Help = fmt.Sprintf("if a text is meant, write \"%s\"", m.shown)
		}
		l = append(l, d)
	}
	return l
}

// readElsewhere is the set of the names that data of type t has in another place,
// such as the item of a loop without `as`.
func (p *Program) readElsewhere(t reflect.Type) map[string]bool {
	elsewhere := map[string]bool{}
	vars := p.variables()
	for i := range vars {
		ways := vars[i].Names()
		if len(ways) > 1 && slices.ContainsFunc(ways, func(way string) bool { return p.lack(t, way) == nil }) {
			for _, way := range ways {
				elsewhere[way] = true
			}
		}
	}
	return elsewhere
}

// siteFile finds the file of a name among the template and its includes.
func (p *Program) siteFile(name string) *source.File {
	for i := range p.img.Sites {
		if f := p.img.Sites[i].File; f.Name == name {
			return f
		}
	}
	return p.file()
}

// missingField is a key that a type cannot have.
type missingField struct {
	owner reflect.Type
	key   string
	shown string   // the path up to the key
	known []string // the fields that there are, where owner is a struct
}

func (m *missingField) text() string {
	if m.known == nil {
		return fmt.Sprintf("`%s` has no value: %s has no fields", m.shown, typeName(m.owner))
	}
	return fmt.Sprintf("`%s` has no value: %s has no field `%s`", m.shown, typeName(m.owner), m.key)
}

// lack follows a variable's name, such as "tools[].name", through the type t;
// it returns nil where data of the type may have the variable.
func (p *Program) lack(t reflect.Type, name string) *missingField {
	root, _, _ := strings.Cut(name, ".")
	root = strings.TrimSuffix(root, "[]")
	if _, ok := p.img.Dialect.Globals[root]; ok && p.img.Dialect.FunctionsAreVariables() {
		return nil
	}
	if d := p.img.Defaults; d != nil {
		if _, ok := d.Get(root); ok {
			return nil
		}
	}
	at := 0
	for part := range strings.SplitSeq(name, ".") {
		if at > 0 {
			at++
		}
		key := strings.TrimRight(part, "[]")
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case isPlain(t) && !isObject(t):
			plan := planOf(t)
			i, ok := plan.byName[key]
			if !ok {
				return &missingField{t, key, name[:at+len(key)], plan.names()}
			}
			t = plan.fields[i].load.typ
		case isScalar(t):
			return &missingField{owner: t, key: key, shown: name[:at+len(key)]}
		default:
			return nil // maps, interfaces, lists by index: only the data tells
		}
		at += len(part)
		for range strings.Count(part, "[]") {
			for t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			if k := t.Kind(); k != reflect.Slice && k != reflect.Array {
				return nil
			}
			t = t.Elem()
		}
	}
	return nil
}

// isScalar reports whether values of type t surely have no keys.
func isScalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64:
		return true
	}
	return isIntKind(t.Kind())
}
