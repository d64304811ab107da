package main

import (
	"github.com/pcc-lang/pcc/vm"
)

// guard neutralises the control tokens of a model family in every text of the
// data, keys too; what the template itself says stays as it is. The decoders
// have limited the data's depth.
func guard(v vm.Value, family string) (vm.Value, error) {
	if s, ok := v.Str(); ok {
		safe, err := vm.Guard(s, family)
		return vm.String(safe), err
	}
	if m, ok := v.Map(); ok {
		out := vm.NewMap(m.Len())
		for i := range m.Len() {
			key, value := m.At(i)
			var err error
			if key, err = guard(key, family); err != nil {
				return vm.Null, err
			}
			if value, err = guard(value, family); err != nil {
				return vm.Null, err
			}
			out.Put(key, value)
		}
		return vm.MapOf(out), nil
	}
	if l, ok := v.List(); ok {
		out := make([]vm.Value, len(l.Items))
		for i, item := range l.Items {
			var err error
			if out[i], err = guard(item, family); err != nil {
				return vm.Null, err
			}
		}
		return vm.ListOf(out), nil
	}
	return v, nil
}
