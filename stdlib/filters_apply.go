package stdlib

import (
	"github.com/pcc-lang/pcc/vm"
)

// applyFilters are the filters that use other filters and tests, by name.
var applyFilters = []spec{
	{"map", "value, *args, **kwargs", "Applies a filter to each item, or looks up an attribute of each: map(attribute='name', default='?').", mapFilter, undefinedJinja},
	{"reject", "value, *args, **kwargs", "Leaves out the items for which a test is true, or that are true themselves.", rejectFilter(false, false), undefinedJinja},
	{"rejectattr", "value, *args, **kwargs", "Leaves out the items for whose attribute a test is true.", rejectFilter(true, false), undefinedJinja},
	{"select", "value, *args, **kwargs", "Keeps the items for which a test is true, or that are true themselves.", rejectFilter(false, true), undefinedJinja},
	{"selectattr", "value, *args, **kwargs", "Keeps the items for whose attribute a test is true.", rejectFilter(true, true), undefinedJinja},
}

// unpackRest returns *args and **kwargs as the machine binds them.
func unpackRest(args, kwargs vm.Value) (rest []vm.Value, named *vm.Map) {
	if t, ok := args.Tuple(); ok {
		rest = t.Items
	}
	named, _ = kwargs.Map()
	return rest, named
}

// transform is what map and select do to one item.
type transform func(item vm.Value) (vm.Value, error)

func mapFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	return overItems(env, args, func(rest []vm.Value, named *vm.Map) (transform, error) {
		return mapTransform(env, rest, named)
	}, func(item, result vm.Value) (vm.Value, bool, error) { return result, true, nil })
}

// overItems gives a lazy sequence: prepare makes the transform, keep picks what
// to give for each item.
func overItems(env *vm.Env, args []vm.Value,
	prepare func([]vm.Value, *vm.Map) (transform, error),
	keep func(item, result vm.Value) (vm.Value, bool, error),
) (vm.Value, error) {
	return lazily(env, args, func(args []vm.Value) (stepper, error) {
		truth, err := env.Truth(args[0])
		if err != nil || !truth {
			return ended, err
		}
		f, err := prepare(unpackRest(args[1], args[2]))
		if err != nil {
			return nil, err
		}
		it, err := iterate(env, args[0])
		return func() (vm.Value, bool, error) {
			for {
				item, ok, err := it.Next()
				if err != nil || !ok {
					return vm.Null, false, err
				}
				if err := env.Step(1); err != nil {
					return vm.Null, false, err
				}
				result, err := f(item)
				if err != nil {
					return vm.Null, false, err
				}
				v, kept, err := keep(item, result)
				if err != nil || kept {
					return v, kept, err
				}
			}
		}, err
	})
}

func mapTransform(env *vm.Env, rest []vm.Value, named *vm.Map) (transform, error) {
	attr, byAttribute := vm.Null, false
	if named != nil {
		attr, byAttribute = named.Get("attribute")
	}
	if len(rest) == 0 && byAttribute {
		def, _ := named.Get("default")
		for i := range named.Len() {
			key, _ := named.At(i)
			if name, _ := key.Str(); name != "attribute" && name != "default" {
				return nil, vm.KeywordError("runtime", "Unexpected keyword argument", "Unexpected keyword argument", name)
			}
		}
		g, err := newGetter(env, attr, def, false)
		return func(item vm.Value) (vm.Value, error) { return g.get(env, item) }, err
	}
	if len(rest) == 0 {
		return nil, &vm.Error{Kind: "runtime", Msg: "map requires a filter argument", Help: "write map('upper') or map(attribute='name')"}
	}
	return bindNamed("filter", env, env.Dialect.Filters, rest, named)
}

// bindNamed looks a filter or test up by name and binds its further arguments.
func bindNamed(what string, env *vm.Env, table map[string]*vm.Builtin, rest []vm.Value, kwargs *vm.Map) (transform, error) {
	name, _ := rest[0].Str()
	b, err := namedBuiltin(env, table, name)
	if err != nil {
		return nil, err
	}
	if b == nil {
		// As in Jinja, an error only where there is an item to apply it to.
		return func(vm.Value) (vm.Value, error) {
			return vm.Null, &vm.Error{
				Kind: "runtime",
				Msg:  "No " + what + " of that name.",
				Help: "the name is given as text, as in map('upper') or select('defined')",
			}
		}, nil
	}
	extra := rest[1:]
	var names []string
	var values []vm.Value
	if kwargs != nil {
		for i := range kwargs.Len() {
			k, v := kwargs.At(i)
			key, _ := k.Str()
			names = append(names, key)
			values = append(values, v)
		}
	}
	var free []vm.Value // arguments that no call uses, which may come back here
	return func(item vm.Value) (vm.Value, error) {
		args := free
		free = nil
		if args == nil {
			args = append(append(make([]vm.Value, 1, 1+len(extra)+len(values)), extra...), values...)
		}
		args[0] = item
		v, err := env.CallBuiltin(b, args, names)
		args[0] = vm.Null
		free = args
		return v, err
	}, nil
}

// rejectFilter makes select, reject, selectattr and rejectattr.
func rejectFilter(byAttribute, want bool) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		return overItems(env, args, func(rest []vm.Value, named *vm.Map) (transform, error) {
			var g getter
			if byAttribute {
				if len(rest) == 0 {
					return nil, &vm.Error{Kind: "runtime", Msg: "Missing parameter for attribute name", Help: "write selectattr('name') or selectattr('name', 'equalto', 'x')"}
				}
				var err error
				if g, err = newGetter(env, rest[0], vm.Null, false); err != nil {
					return nil, err
				}
				rest = rest[1:]
			}
			if len(rest) == 0 {
				return func(item vm.Value) (vm.Value, error) { return g.get(env, item) }, nil
			}
			name, _ := rest[0].Str()
			g.asks = name == "defined" || name == "undefined"
			test, err := bindNamed("test", env, env.Dialect.Tests, rest, named)
			if err != nil {
				return nil, err
			}
			return func(item vm.Value) (vm.Value, error) {
				v, err := g.get(env, item)
				if err != nil {
					return vm.Null, err
				}
				return test(v)
			}, nil
		}, func(item, result vm.Value) (vm.Value, bool, error) {
			truth, err := env.Truth(result)
			return item, truth == want, err
		})
	}
}
