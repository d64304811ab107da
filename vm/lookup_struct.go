package vm

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// A structPlan tells how a Go struct type reads as a map. Names follow
// encoding/json: tags, embedded fields promoted by depth, ambiguous names and
// `json:"-"` and unexported fields left out. Methods are never reachable. The
// ",string" option concerns wire formats and is ignored.
type structPlan struct {
	fields []structField // in the order of encoding/json
	byName map[string]int
	whole  bool // each value has all fields
}

type structField struct {
	name      string
	index     []int
	omitEmpty bool
	omitZero  bool
	// load reads the field. offset leads to it from the struct, or from what the
	// last of hops points to: where pointers to embedded structs lie on the way, each
	// from the one before.
	load   load
	hops   []uintptr
	offset uintptr
}

// structPlans caches one plan a type for the life of the process, as
// encoding/json does: plans depend on nothing but the type.
var structPlans sync.Map // reflect.Type → *structPlan

func planOf(t reflect.Type) *structPlan {
	if p, ok := structPlans.Load(t); ok {
		return p.(*structPlan)
	}
	p, _ := structPlans.LoadOrStore(t, newStructPlan(t))
	return p.(*structPlan)
}

// get returns the field called name of the struct r.
func (p *structPlan) get(r reflect.Value, name string) (Value, bool) {
	if r.CanAddr() {
		return p.read(r.Addr().UnsafePointer(), name)
	}
	i, ok := p.byName[name]
	if !ok {
		return Value{}, false
	}
	f, ok := p.fields[i].value(r)
	if !ok {
		return Value{}, false
	}
	return hostOf(f), true
}

// read is get for the struct at base.
func (p *structPlan) read(base unsafe.Pointer, name string) (Value, bool) {
	i, ok := p.byName[name]
	if !ok {
		return Value{}, false
	}
	f := &p.fields[i]
	at := f.at(base)
	if at == nil {
		return Value{}, false
	}
	return f.load.at(at), true
}

// value walks to the field; ok is false behind an embedded nil pointer.
func (f *structField) value(r reflect.Value) (reflect.Value, bool) {
	for i, x := range f.index {
		if i > 0 && r.Kind() == reflect.Pointer {
			if r.IsNil() {
				return reflect.Value{}, false
			}
			r = r.Elem()
		}
		r = r.Field(x)
	}
	return r, true
}

// present reports whether the field is listed among the entries of r.
func (f *structField) present(r reflect.Value) (reflect.Value, bool) {
	x, ok := f.value(r)
	if !ok || f.omitEmpty && isEmptyValue(x) || f.omitZero && x.IsZero() {
		return x, false
	}
	return x, true
}

// entriesAt is entries for the struct at base.
func (p *structPlan) entriesAt(base unsafe.Pointer) []entry {
	out := make([]entry, 0, len(p.fields))
	for i := range p.fields {
		if at := p.fields[i].presentAt(base); at != nil {
			out = append(out, entry{String(p.fields[i].name), p.fields[i].load.at(at)})
		}
	}
	return out
}

// presentAt is the address of the field of the struct at base, nil where it is not
// listed among the entries.
func (f *structField) presentAt(base unsafe.Pointer) unsafe.Pointer {
	at := f.at(base)
	if at == nil || !f.omitEmpty && !f.omitZero {
		return at
	}
	x := reflect.NewAt(f.load.typ, at).Elem()
	if f.omitEmpty && isEmptyValue(x) || f.omitZero && x.IsZero() {
		return nil
	}
	return at
}

// lenAt is the number of entries of the struct at base.
func (p *structPlan) lenAt(base unsafe.Pointer) int {
	if p.whole {
		return len(p.fields)
	}
	n := 0
	for i := range p.fields {
		if p.fields[i].presentAt(base) != nil {
			n++
		}
	}
	return n
}

func (p *structPlan) entries(r reflect.Value) []entry {
	out := make([]entry, 0, len(p.fields))
	for i := range p.fields {
		if x, ok := p.fields[i].present(r); ok {
			out = append(out, entry{String(p.fields[i].name), hostOf(x)})
		}
	}
	return out
}

func (p *structPlan) len(r reflect.Value) int {
	n := 0
	for i := range p.fields {
		if _, ok := p.fields[i].present(r); ok {
			n++
		}
	}
	return n
}

// names lists the fields' names in order.
func (p *structPlan) names() []string {
	out := make([]string, len(p.fields))
	for i := range p.fields {
		out[i] = p.fields[i].name
	}
	return out
}

func isEmptyValue(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	case reflect.Interface, reflect.Pointer:
		return v.IsNil()
	}
	return v.IsZero()
}

// newStructPlan collects fields breadth first; where several have one name,
// the shallowest wins, then the tagged one; else none does.
func newStructPlan(t reflect.Type) *structPlan {
	type embedded struct {
		t     reflect.Type
		index []int
	}
	type candidate struct {
		structField
		tagged bool
	}
	var found []candidate
	level := []embedded{{t: t}}
	visited := map[reflect.Type]bool{}
	for len(level) > 0 {
		var next []embedded
		// A type embedded twice at one level hides itself: count it.
		count := map[reflect.Type]int{}
		for _, e := range level {
			count[e.t]++
		}
		for _, e := range level {
			if visited[e.t] {
				continue
			}
			visited[e.t] = true
			for i := range e.t.NumField() {
				sf := e.t.Field(i)
				ft := sf.Type
				if ft.Kind() == reflect.Pointer && ft.Name() == "" {
					ft = ft.Elem()
				}
				if sf.Anonymous {
					if !sf.IsExported() && ft.Kind() != reflect.Struct {
						continue
					}
				} else if !sf.IsExported() {
					continue
				}
				tag := sf.Tag.Get("json")
				if tag == "-" {
					continue
				}
				name, options, _ := strings.Cut(tag, ",")
				index := append(slices.Clone(e.index), i)
				if name == "" && sf.Anonymous && ft.Kind() == reflect.Struct {
					next = append(next, embedded{ft, index})
					continue
				}
				if !sf.IsExported() {
					continue
				}
				c := candidate{tagged: name != ""}
				c.name, c.index = name, index
				if name == "" {
					c.name = sf.Name
				}
				for _, o := range strings.Split(options, ",") {
					c.omitEmpty = c.omitEmpty || o == "omitempty"
					c.omitZero = c.omitZero || o == "omitzero"
				}
				found = append(found, c)
				if count[e.t] > 1 {
					found = append(found, c)
				}
			}
		}
		level = next
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		if c := strings.Compare(a.name, b.name); c != 0 {
			return c
		}
		if c := cmp.Compare(len(a.index), len(b.index)); c != 0 {
			return c
		}
		return boolInt(b.tagged) - boolInt(a.tagged)
	})
	p := &structPlan{byName: map[string]int{}}
	for i := 0; i < len(found); {
		j := i + 1
		for j < len(found) && found[j].name == found[i].name {
			j++
		}
		alone := j == i+1 || len(found[i].index) != len(found[i+1].index) || found[i].tagged != found[i+1].tagged
		if alone {
			p.fields = append(p.fields, found[i].structField)
		}
		i = j
	}
	slices.SortFunc(p.fields, func(a, b structField) int { return slices.Compare(a.index, b.index) })
	p.whole = true
	for i := range p.fields {
		f := &p.fields[i]
		p.byName[f.name] = i
		f.locate(t)
		p.whole = p.whole && len(f.hops) == 0 && !f.omitEmpty && !f.omitZero
	}
	return p
}
