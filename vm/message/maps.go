package message

import "github.com/pcc-lang/pcc/vm"

// This file makes the maps of the forms. Maps that a message holds are never
// changed.

// mapOf makes a map of keys and values in turn.
func mapOf(pairs ...any) vm.Value {
	m := vm.NewMap(len(pairs) / 2)
	for i := 0; i < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case vm.Value:
			m.Set(pairs[i].(string), v)
		case string:
			m.Set(pairs[i].(string), vm.String(v))
		case bool:
			m.Set(pairs[i].(string), vm.Bool(v))
		}
	}
	return vm.MapOf(m)
}

// with is the map v with another value of a key.
func with(v vm.Value, key string, x vm.Value) vm.Value {
	out := over(vm.MapOf(vm.NewMap(4)), v)
	m, _ := out.Map()
	m.Set(key, x)
	return out
}

// over is the map v with the entries of x, which may replace its own.
func over(v, x vm.Value) vm.Value {
	out, _ := v.Map()
	if e, err := reader().Entries(x); err == nil {
		for j := range e.Len() {
			k, value := e.At(j)
			out.Put(k, value)
		}
	}
	return v
}

// dropped is a map without a key.
func dropped(v vm.Value, key string) vm.Value {
	m, _ := over(vm.MapOf(vm.NewMap(4)), v).Map()
	if m = without(m, key); m == nil {
		m = vm.NewMap(0)
	}
	return vm.MapOf(m)
}

// untyped is the map v without `type`.
func untyped(v vm.Value) vm.Value { return dropped(v, "type") }

// without is m without a key; nil where nothing is left.
func without(m *vm.Map, key string) *vm.Map {
	if m == nil {
		return nil
	}
	if _, ok := m.Get(key); !ok {
		return m
	}
	out := vm.NewMap(m.Len())
	for j := range m.Len() {
		if k, v := m.At(j); !isKey(k, key) {
			out.Put(k, v)
		}
	}
	if out.Len() == 0 {
		return nil
	}
	return out
}

func isKey(k vm.Value, key string) bool {
	s, ok := k.Str()
	return ok && s == key
}
