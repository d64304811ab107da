package stdlib

import (
	"slices"

	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/internal/size"
	"github.com/pcc-lang/pcc/vm"
)

// sequenceMethods are the methods that lists and tuples share.
var sequenceMethods = []spec{
	{"count", "self, value", "How often a value occurs.", countItems, positional},
	{"index", "self, value, start=0, stop=null", "Where a value occurs first; an error where it does not.", indexOfItem, positional},
}

// listMethods are the further methods of lists.
var listMethods = []spec{
	{"append", "self, object", "Adds a value at the end.", appendMethod, positional},
	{"clear", "self", "Removes all values.", clearList, positional},
	{"copy", "self", "A new list of the same values.", copyList, positional},
	{"extend", "self, iterable", "Adds all values of a sequence at the end.", extendMethod, positional},
	{"insert", "self, index, object", "Adds a value before a position.", insertMethod, positional},
	{"pop", "self, index=-1", "Removes a value and gives it.", popItem, positional},
	{"remove", "self, value", "Removes the first occurrence of a value.", removeMethod, positional},
	{"reverse", "self", "Reverses the list in place.", reverseList, positional},
	{"sort", "self, key=null, reverse=false", "Sorts the list in place; key is a function of one value.", sortList, 0},
}

func countItems(env *vm.Env, args []vm.Value) (vm.Value, error) {
	items, err := env.Items(args[0])
	if err != nil {
		return vm.Null, err
	}
	n := int64(0)
	for _, it := range items {
		if err := env.Step(1); err != nil {
			return vm.Null, err
		}
		equal, err := env.Equal(it, args[1])
		if err != nil {
			return vm.Null, err
		}
		if equal {
			n++
		}
	}
	return vm.Int(n), nil
}

func indexOfItem(env *vm.Env, args []vm.Value) (vm.Value, error) {
	items, err := env.Items(args[0])
	if err != nil {
		return vm.Null, err
	}
	start, err := boundArg(env, args[2], len(items))
	if err != nil {
		return vm.Null, err
	}
	stop := len(items)
	if !args[3].IsNull() {
		if stop, err = boundArg(env, args[3], len(items)); err != nil {
			return vm.Null, err
		}
	}
	for i := start; i < min(stop, len(items)); i++ {
		if err := env.Step(1); err != nil {
			return vm.Null, err
		}
		equal, err := env.Equal(items[i], args[1])
		if err != nil {
			return vm.Null, err
		}
		if equal {
			return vm.Int(int64(i)), nil
		}
	}
	return vm.Null, env.Errorf("value", "the value is not in the %s", env.TypeName(args[0]))
}

func appendMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	l, err := ownList(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Charge(2 * size.Value); err != nil {
		return vm.Null, err
	}
	if err := growList(env, l, 1); err != nil {
		return vm.Null, err
	}
	l.Items = append(l.Items, args[1])
	return vm.Null, nil
}

func clearList(env *vm.Env, args []vm.Value) (vm.Value, error) {
	l, err := ownList(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	l.Items = nil
	return vm.Null, nil
}

func copyList(env *vm.Env, args []vm.Value) (vm.Value, error) {
	items, err := env.Items(args[0])
	return listOf(env, items), err
}

func extendMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	l, err := ownList(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	items, err := env.Items(args[1])
	if err != nil {
		return vm.Null, err
	}
	if err := chargeItems(env, 2*len(items)); err != nil {
		return vm.Null, err
	}
	if err := growList(env, l, len(items)); err != nil {
		return vm.Null, err
	}
	for chunk := range slices.Chunk(items, itemsPerLook) {
		if env.Work(len(chunk) * size.Value) {
			return vm.Null, env.StopError()
		}
		l.Items = append(l.Items, chunk...)
	}
	return vm.Null, nil
}

// listAt reads a list and an index into it, which counts from the end where it
// is negative, and may lie outside.
func listAt(env *vm.Env, args []vm.Value) (l *vm.List, at int, err error) {
	if l, err = ownList(env, args[0]); err != nil {
		return nil, 0, err
	}
	if at, err = intArg(env, args[1], "index"); at < 0 {
		at += len(l.Items)
	}
	return l, at, err
}

func insertMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	l, at, err := listAt(env, args)
	if err != nil {
		return vm.Null, err
	}
	n := len(l.Items)
	at = min(max(at, 0), n)
	if err := env.Charge(2 * size.Value); err != nil {
		return vm.Null, err
	}
	if err := growList(env, l, 1); err != nil {
		return vm.Null, err
	}
	l.Items = append(l.Items, vm.Null)
	for end := n; end > at; {
		from := max(end-itemsPerLook, at)
		if env.Work((end - from) * size.Value) {
			return vm.Null, env.StopError()
		}
		copy(l.Items[from+1:], l.Items[from:end])
		end = from
	}
	l.Items[at] = args[2]
	return vm.Null, nil
}

func popItem(env *vm.Env, args []vm.Value) (vm.Value, error) {
	l, at, err := listAt(env, args)
	if err != nil {
		return vm.Null, err
	}
	n := len(l.Items)
	if n == 0 {
		return vm.Null, env.Errorf("key", "pop from empty list")
	}
	if at < 0 || at >= n {
		return vm.Null, env.Errorf("key", "pop index out of range")
	}
	v := l.Items[at]
	return v, removeItem(env, l, at)
}

func removeMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	l, err := ownList(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	for i, it := range l.Items {
		if err := env.Step(1); err != nil {
			return vm.Null, err
		}
		equal, err := env.Equal(it, args[1])
		if err != nil {
			return vm.Null, err
		}
		if equal {
			return vm.Null, removeItem(env, l, i)
		}
	}
	return vm.Null, env.Errorf("value", "list.remove(x): x not in list")
}

func reverseList(env *vm.Env, args []vm.Value) (vm.Value, error) {
	l, err := ownList(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Step(1 + len(l.Items)/64); err != nil {
		return vm.Null, err
	}
	for i, j := 0, len(l.Items)-1; i < j; i, j = i+1, j-1 {
		if i%itemsPerLook == itemsPerLook-1 && env.Stopped() {
			return vm.Null, env.StopError()
		}
		l.Items[i], l.Items[j] = l.Items[j], l.Items[i]
	}
	return vm.Null, nil
}

// itemsPerLook is how many items of a list are moved between two looks at the
// context.
const itemsPerLook = 2 << 10

// removeItem takes an item out and moves those behind it, looking at the context
// in between.
func removeItem(env *vm.Env, l *vm.List, at int) error {
	for n := len(l.Items); at < n-1; {
		to := min(at+itemsPerLook, n-1)
		if env.Work((to - at) * size.Value) {
			return env.StopError()
		}
		copy(l.Items[at:to], l.Items[at+1:to+1])
		at = to
	}
	l.Items[len(l.Items)-1] = vm.Null
	l.Items = l.Items[:len(l.Items)-1]
	return nil
}

// growList makes room for n items more, by a quarter at least,
// and looks at the context while it moves the items.
func growList(env *vm.Env, l *vm.List, n int) error {
	need := len(l.Items) + n
	if need <= cap(l.Items) || len(l.Items) < itemsPerLook {
		return nil // append does it
	}
	moved := make([]vm.Value, 0, max(need, len(l.Items)+len(l.Items)/4))
	for chunk := range slices.Chunk(l.Items, itemsPerLook) {
		if env.Work(len(chunk) * size.Value) {
			return env.StopError()
		}
		moved = append(moved, chunk...)
	}
	l.Items = moved
	return nil
}

func sortList(env *vm.Env, args []vm.Value) (vm.Value, error) {
	l, err := ownList(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	reverse, err := env.Truth(args[2])
	if err != nil {
		return vm.Null, err
	}
	if err := chargeProduct(env, len(l.Items), 4*size.Value+size.Tuple); err != nil {
		return vm.Null, err
	}
	items := make([]vm.Value, len(l.Items))
	pairs := make([]vm.Value, len(l.Items))
	for i, it := range l.Items {
		if err := env.Step(1); err != nil {
			return vm.Null, err
		}
		key := it
		if !args[1].IsNull() {
			if key, err = env.Call(args[1], []vm.Value{it}, nil); err != nil {
				return vm.Null, err
			}
		}
		pairs[i] = vm.TupleOf([]vm.Value{key, it})
	}
	if err := sortByKey(env, pairs, getter{parts: []vm.Value{vm.Int(0)}}, reverse); err != nil {
		return vm.Null, err
	}
	for i, p := range pairs {
		t, _ := p.Tuple()
		items[i] = t.Items[1]
	}
	l.Items = items
	return vm.Null, nil
}

// mapMethods are the methods of dict.
var mapMethods = []spec{
	{"clear", "self", "Removes all entries.", clearMap, positional},
	{"copy", "self", "A new map of the same entries.", copyMap, positional},
	{"fromkeys", "self, iterable, value=null", "A map of the given keys, all with one value.", fromkeysMethod, positional},
	{"get", "self, key, default=null", "The value of a key, or the default.", getMethod, positional},
	{"items", "self", "The entries as pairs.", viewMethod(viewItems), positional},
	{"keys", "self", "The keys.", viewMethod(viewKeys), positional},
	{"pop", "self, key, *default", "Removes a key and gives its value, or the default.", popEntry, positional},
	{"popitem", "self", "Removes the last entry and gives it.", popitemMethod, positional},
	{"setdefault", "self, key, default=null", "The value of a key, which is set to the default where it is missing.", setdefaultMethod, positional},
	{"update", "self, *args, **kwargs", "Takes over the entries of a map or pairs, and named values.", updateMethod, 0},
	{"values", "self", "The values.", viewMethod(viewValues), positional},
}

func viewMethod(kind viewKind) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		env.Owe(size.Object)
		return vm.ObjectOf(&view{env: env, of: args[0], kind: kind}), nil
	}
}

// lookup finds a key of a map of any kind.
func lookup(env *vm.Env, m, key vm.Value) (v vm.Value, found bool, err error) {
	if own, ok := m.Map(); ok {
		v, found, hashable, err := env.Get(own, key)
		if err == nil && !hashable {
			err = unhashable(env, key)
		}
		return v, found, err
	}
	if err := env.PayKey(key); err != nil {
		return vm.Null, false, err
	}
	if name, ok := key.Str(); ok {
		v, found := vm.Lookup(m, name)
		return v, found, nil
	}
	found, err = env.Compare(code.CmpIn, key, m)
	if err != nil || !found {
		return vm.Null, false, err
	}
	v, err = env.Item(m, key)
	return v, true, err
}

func getMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v, found, err := lookup(env, args[0], args[1])
	if err != nil || found {
		return v, err
	}
	return args[2], nil
}

func copyMap(env *vm.Env, args []vm.Value) (vm.Value, error) {
	m := newMap(env)
	if err := updateMap(env, m, args[0]); err != nil {
		return vm.Null, err
	}
	return vm.MapOf(m), nil
}

func fromkeysMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	it, err := env.Iterate(args[1])
	if err != nil {
		return vm.Null, err
	}
	m := newMap(env)
	for {
		key, ok, err := it.Next()
		if err != nil || !ok {
			return vm.MapOf(m), err
		}
		if err := env.Step(1); err != nil {
			return vm.Null, err
		}
		if err := put(env, m, key, args[2]); err != nil {
			return vm.Null, err
		}
	}
}

func clearMap(env *vm.Env, args []vm.Value) (vm.Value, error) {
	m, err := ownMap(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	*m = *vm.NewMap(0)
	return vm.Null, nil
}

func popEntry(env *vm.Env, args []vm.Value) (vm.Value, error) {
	fallback, _ := unpackRest(args[2], vm.Null)
	if len(fallback) > 1 {
		return vm.Null, env.Errorf("type", "pop expected at most 2 arguments, got %d", 1+len(fallback))
	}
	m, err := ownMap(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	v, found, err := lookup(env, args[0], args[1])
	switch {
	case err != nil:
		return vm.Null, err
	case found:
		m.Delete(args[1])
		return v, env.Step(1 + m.Len()/16)
	case len(fallback) == 1:
		return fallback[0], nil
	}
	return vm.Null, &vm.Error{Kind: "key", Msg: "pop(): the map has no such key", Help: "give a default: d.pop(key, none)"}
}

func popitemMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	m, err := ownMap(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if m.Len() == 0 {
		return vm.Null, env.Errorf("key", "popitem(): dictionary is empty")
	}
	key, v := m.At(m.Len() - 1)
	m.Delete(key)
	return pairTuple(env, [2]vm.Value{key, v}), env.Step(1 + m.Len()/16)
}

func setdefaultMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v, found, err := lookup(env, args[0], args[1])
	if err != nil || found {
		return v, err
	}
	m, err := ownMap(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	return args[2], put(env, m, args[1], args[2])
}

func updateMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	given, named := unpackRest(args[1], args[2])
	if len(given) > 1 {
		return vm.Null, env.Errorf("type", "update expected at most 1 argument, got %d", len(given))
	}
	m, err := ownMap(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	for _, v := range given {
		if err := updateMap(env, m, v); err != nil {
			return vm.Null, err
		}
	}
	if named != nil {
		return vm.Null, updateMap(env, m, vm.MapOf(named))
	}
	return vm.Null, nil
}
