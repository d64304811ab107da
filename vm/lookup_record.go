package vm

import "slices"

// isRecord reports whether v reads as a map of names: a map or a struct.
func isRecord(v Value) bool { return v.IsMapping() }

// fieldNames lists the string keys of a map or struct, sorted; nil for others.
// It is for diagnostics, which suggest names.
func fieldNames(v Value) []string {
	const most = 1000 // a suggestion need not look further
	var names []string
	v = canonical(v)
	if m, ok := v.ref.(map[string]any); ok {
		names = make([]string, 0, len(m))
		for k := range m {
			names = append(names, k)
		}
	} else if n, ok := mapLen(v); ok && n <= most {
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

// entries returns the entries of a map or struct as an ordered map.
func (e *Env) entries(v Value) (*Map, error) {
	if m, ok := canonical(v).Map(); ok {
		return m, nil
	}
	en, err := e.Entries(v)
	if err != nil {
		return nil, err
	}
	if err := e.Hold(MapSize); err != nil {
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
