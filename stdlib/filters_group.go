package stdlib

import (
	"github.com/pcc-lang/pcc/internal/size"
	"github.com/pcc-lang/pcc/vm"
)

func joinFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	it, err := iterate(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	g, err := newGetter(env, args[2], vm.Null, false)
	if err != nil {
		return vm.Null, err
	}
	sep, sepSafe, err := text(env, args[1])
	if err != nil {
		return vm.Null, err
	}
	var parts []string
	var safe []bool
	markup := sepSafe && env.Autoescape
	for {
		v, ok, err := it.Next()
		if err != nil {
			return vm.Null, err
		}
		if !ok {
			break
		}
		if v, err = g.get(env, v); err != nil {
			return vm.Null, err
		}
		if err := env.Charge(size.Value + len(sep)); err != nil {
			return vm.Null, err
		}
		s, isSafe, err := text(env, v)
		if err != nil {
			return vm.Null, err
		}
		parts = append(parts, s)
		if env.Autoescape {
			safe = append(safe, isSafe)
			markup = markup || isSafe
		}
	}
	if markup {
		if !sepSafe {
			if sep, _, err = escapedText(env, vm.String(sep)); err != nil {
				return vm.Null, err
			}
		}
		for i, s := range parts {
			if safe[i] {
				continue
			}
			if parts[i], _, err = escapedText(env, vm.String(s)); err != nil {
				return vm.Null, err
			}
		}
	}
	out, err := joinTexts(env, parts, sep)
	return markedText(out, markup), err
}

func batchFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	return lazily(env, args, func(args []vm.Value) (stepper, error) {
		it, err := iterate(env, args[0])
		if err != nil {
			return nil, err
		}
		count, err := intArg(env, args[1], "linecount")
		return batches(env, it, count, args[2]), err
	})
}

// batches gives lists of count items; fill, unless null, completes the last.
func batches(env *vm.Env, it *vm.Iterator, count int, fill vm.Value) stepper {
	var row []vm.Value
	done := false
	return func() (vm.Value, bool, error) {
		for !done {
			v, ok, err := it.Next()
			if err != nil {
				return vm.Null, false, err
			}
			if !ok {
				done = true
				if len(row) == 0 {
					break
				}
				if missing := count - len(row); missing > 0 && !fill.IsNull() {
					if err := chargeItems(env, missing); err != nil {
						return vm.Null, false, err
					}
					for ; missing > 0; missing-- {
						row = append(row, fill)
					}
				}
				return listOf(env, row), true, nil
			}
			if err := env.Charge(2 * size.Value); err != nil {
				return vm.Null, false, err
			}
			if len(row) == count {
				full := row
				row = []vm.Value{v}
				return listOf(env, full), true, nil
			}
			row = append(row, v)
		}
		return vm.Null, false, nil
	}
}

func sliceFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	return lazily(env, args, func(args []vm.Value) (stepper, error) {
		items, err := collect(env, args[0])
		if err != nil {
			return nil, err
		}
		n, err := countArg(env, args[1], "slices")
		if err == nil && n == 0 {
			err = &vm.Error{Kind: "zerodivision", Msg: "integer division or modulo by zero", Help: "divide into one slice or more"}
		}
		if err != nil || n < 0 {
			return ended, err
		}
		return slicesOf(env, items, n, args[2]), nil
	})
}

// slicesOf divides items into n lists; fill, unless null, completes those that
// are one item shorter than the first ones.
func slicesOf(env *vm.Env, items []vm.Value, n int, fill vm.Value) stepper {
	per, extra := len(items)/n, len(items)%n
	i, start := 0, 0
	return func() (vm.Value, bool, error) {
		if i >= n {
			return ended()
		}
		end := start + per
		if i < extra {
			end++
		}
		if err := chargeItems(env, end-start+1); err != nil {
			return vm.Null, false, err
		}
		part := append(make([]vm.Value, 0, end-start+1), items[start:end]...)
		if i >= extra && !fill.IsNull() {
			part = append(part, fill)
		}
		start = end
		i++
		return listOf(env, part), true, nil
	}
}

// groupSize is what a group takes besides its items: in the native language a
// map of two entries, and a place in the list of groups.
const groupSize = size.Map + size.List + 6*size.Value

// groupNames are the attributes of the pairs that groupby gives.
var groupNames = []string{"grouper", "list"}

func groupbyFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	sensitive, err := env.Truth(args[3])
	if err != nil {
		return vm.Null, err
	}
	items, err := collect(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	by, err := newGetter(env, args[1], args[2], !sensitive)
	if err != nil {
		return vm.Null, err
	}
	shown := getter{parts: by.parts, def: by.def}
	if err := sortByKey(env, items, by, false); err != nil {
		return vm.Null, err
	}
	var groups []vm.Value
	var group *vm.List
	var last vm.Value
	for _, item := range items {
		key, err := by.get(env, item)
		if err != nil {
			return vm.Null, err
		}
		same := false
		if group != nil {
			if same, err = env.Equal(last, key); err != nil {
				return vm.Null, err
			}
		}
		if !same {
			real, err := shown.get(env, item)
			if err != nil {
				return vm.Null, err
			}
			if err := env.Charge(groupSize); err != nil {
				return vm.Null, err
			}
			group = &vm.List{}
			groups = append(groups, groupValue(env, real, vm.Of(group)))
			last = key
		}
		if err := env.Charge(2 * size.Value); err != nil {
			return vm.Null, err
		}
		group.Items = append(group.Items, item)
	}
	return listOf(env, groups), nil
}

// groupValue is one group: in Jinja a named tuple, in the native language a
// map of the same names.
func groupValue(env *vm.Env, key, items vm.Value) vm.Value {
	if env.Dialect.PythonPrint() {
		return vm.Of(&vm.Tuple{Items: []vm.Value{key, items}, Names: groupNames})
	}
	m := vm.NewMap(2)
	m.Set(groupNames[0], key)
	m.Set(groupNames[1], items)
	return vm.MapOf(m)
}
