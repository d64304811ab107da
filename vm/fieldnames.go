package vm

import (
	"slices"

	"github.com/pcc-lang/pcc/ast/diag"
)

// isRecord reports whether v reads as a map of names: a map or a struct.
func isRecord(v Value) bool { return v.IsMapping() }

// fieldNames lists the string keys of a map or struct, sorted; nil for others.
// It is for diagnostics.
func fieldNames(v Value) []string {
	var names []string
	v = canonical(v)
	if m, ok := v.ref.(map[string]any); ok {
		names = make([]string, 0, len(m))
		for k := range m {
			names = append(names, k)
		}
	} else if m, ok := v.ref.(*Map); ok {
		for i := range m.Len() {
			if k, _ := m.At(i); k.Kind() == KindString {
				s, _ := k.Str()
				names = append(names, s)
			}
		}
	} else if isMap(v) {
		e := NewEnv(&Dialect{}, DefaultLimits())
		en, err := e.Entries(v)
		if err != nil {
			return nil
		}
		for i := range en.Len() {
			if k, _ := en.At(i); k.Kind() == KindString {
				s, _ := k.Str()
				names = append(names, s)
			}
		}
	}
	slices.Sort(names)
	return names
}

// candidates are the field names of v that another name may be near to: none
// where they are too many for a search.
func candidates(v Value) []string {
	if n, ok := mapLen(canonical(v)); !ok || n > diag.MaxCandidates {
		return nil
	}
	return slices.DeleteFunc(fieldNames(v), func(name string) bool { return !diag.MayBeNear(name) })
}

// entries returns the entries of a map or struct as an ordered map.
func (e *Env) entries(v Value) (*Map, error) {
	if m, ok := e.canonical(v).Map(); ok {
		return m, nil
	}
	en, err := e.Entries(v)
	if err != nil {
		return nil, err
	}
	if err := e.Hold(mapSize); err != nil {
		return nil, err
	}
	m := NewMap(0)
	for i := range en.Len() {
		if err := e.Step(1); err != nil {
			return nil, err
		}
		k, x := en.At(i)
		if _, err := e.Put(m, k, x); err != nil {
			return nil, err
		}
	}
	return m, nil
}
