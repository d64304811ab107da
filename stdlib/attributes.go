package stdlib

import (
	"sort"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/internal/size"
	"github.com/pcc-lang/pcc/vm"
)

// getter reads an attribute path such as "address.city" or "tags.0" from items,
// by the rules of x[key].
type getter struct {
	parts []vm.Value
	// def stands in for what is missing, unless null.
	def vm.Value
	// fold turns texts to lower case, to compare without regard to case.
	fold bool
	// asks: whether the key is there is the question, so that its absence says nothing.
	asks bool
}

func newGetter(env *vm.Env, attr, def vm.Value, fold bool) (getter, error) {
	parts, err := attributeParts(env, attr)
	return getter{parts: parts, def: def, fold: fold}, err
}

// newGetters makes a getter for each of the paths that commas separate.
func newGetters(env *vm.Env, paths string, fold bool) ([]getter, error) {
	if err := env.Step(len(paths) / 64); err != nil {
		return nil, err
	}
	n := 1 + countText(env, paths, ",")
	if err := chargeProduct(env, n, getterSize); err != nil {
		return nil, err
	}
	getters := make([]getter, 0, n)
	for path := range strings.SplitSeq(paths, ",") {
		g, err := newGetter(env, vm.String(path), vm.Null, fold)
		if err != nil {
			return nil, err
		}
		getters = append(getters, g)
	}
	return getters, nil
}

// getterSize is what a getter takes in memory, besides its parts.
const getterSize = 64

// attributeParts splits a path at its dots; parts of digits are integers.
func attributeParts(env *vm.Env, attr vm.Value) ([]vm.Value, error) {
	if attr.IsNull() {
		return nil, nil
	}
	path, ok := attr.Str()
	if !ok {
		return []vm.Value{attr}, nil
	}
	if err := env.Step(len(path) / 64); err != nil {
		return nil, err
	}
	n := 1 + countText(env, path, ".")
	if err := chargeItems(env, n); err != nil {
		return nil, err
	}
	parts := make([]vm.Value, 0, n)
	var pace vm.Pace
	for part := range strings.SplitSeq(path, ".") {
		if pace.Stopped(env, len(part)+size.Value) {
			break
		}
		if i, ok := indexOf(part); ok {
			parts = append(parts, vm.Int(i))
		} else {
			parts = append(parts, vm.String(part))
		}
	}
	return parts, env.StopError()
}

// indexOf reads a text of digits as an index.
func indexOf(part string) (int64, bool) {
	if part == "" || part[0] == '+' {
		return 0, false
	}
	last := len(part) - 1
	part = part[last-len(strings.TrimLeft(part[:last], "0")):]
	if len(part) > 19 {
		return 0, false
	}
	i, err := strconv.ParseUint(part, 10, 62)
	return int64(i), err == nil
}

func (g getter) get(env *vm.Env, item vm.Value) (vm.Value, error) {
	var err error
	for i, part := range g.parts {
		if i > 0 {
			if err := env.Step(1); err != nil {
				return vm.Null, err
			}
		}
		from := item
		if item, err = env.Item(item, part); err != nil {
			return vm.Null, err
		}
		if item.IsUndefined() && !g.asks {
			if key, ok := part.Str(); ok {
				env.LackKey(from, key)
			}
		}
		if !g.def.IsNull() && item.IsUndefined() {
			item = g.def
		}
	}
	if g.fold {
		return foldCase(env, item)
	}
	return item, nil
}

// foldCase turns text to lower case and leaves other values alone.
func foldCase(env *vm.Env, v vm.Value) (vm.Value, error) {
	s, ok := v.Str()
	if !ok {
		return v, nil
	}
	low := lowerText(env, s)
	if low == s {
		return v, nil
	}
	return vm.String(low), env.Charge(len(low))
}

// keyed are items with the keys by which they are sorted.
type keyed struct {
	env     *vm.Env
	items   []vm.Value
	keys    [][]vm.Value
	reverse bool
	// bare keys stand for themselves; others are compared as lists of keys.
	bare bool
	err  error
}

func (k *keyed) Len() int { return len(k.items) }
func (k *keyed) Swap(i, j int) {
	k.items[i], k.items[j] = k.items[j], k.items[i]
	k.keys[i], k.keys[j] = k.keys[j], k.keys[i]
}

// Less compares keys; lists of them as Python does: the first pair that
// differs decides.
func (k *keyed) Less(i, j int) bool {
	if k.err != nil {
		return false
	}
	if k.reverse {
		i, j = j, i
	}
	less, err := k.less(k.keys[i], k.keys[j])
	if err != nil {
		k.err = err
	}
	return less
}

func (k *keyed) less(a, b []vm.Value) (bool, error) {
	if err := k.env.Step(1); err != nil {
		return false, err
	}
	for n := range a {
		if !k.bare && (n < len(a)-1 || !isScalar(a[n]) || !isScalar(b[n])) {
			// Equal keys are not compared further: two undefined ones are
			// equal, although they have no order.
			equal, err := k.env.Equal(a[n], b[n])
			if err != nil {
				return false, err
			}
			if equal {
				continue
			}
		}
		return k.env.Less(a[n], b[n])
	}
	return false, nil
}

// isScalar tells values for which "less than" alone is enough.
func isScalar(v vm.Value) bool {
	switch v.Kind() {
	case vm.KindString, vm.KindInt, vm.KindFloat, vm.KindBool:
		return true
	}
	return false
}

// sortByKey sorts items in place by the key that the getter gives; stable, also
// in reverse.
func sortByKey(env *vm.Env, items []vm.Value, key getter, reverse bool) error {
	return (&keyed{env: env, items: items, reverse: reverse, bare: true}).sort([]getter{key})
}

// sortByKeys sorts by the list of keys that the getters give.
func sortByKeys(env *vm.Env, items []vm.Value, keys []getter, reverse bool) error {
	return (&keyed{env: env, items: items, reverse: reverse}).sort(keys)
}

func (k *keyed) sort(getters []getter) error {
	env, items := k.env, k.items
	if err := chargeProduct(env, len(items), size.Value*(len(getters)+1)); err != nil {
		return err
	}
	k.keys = make([][]vm.Value, len(items))
	all := make([]vm.Value, len(items)*len(getters))
	for i, item := range items {
		if err := env.Step(1); err != nil {
			return err
		}
		keys := all[i*len(getters) : (i+1)*len(getters)]
		for n, g := range getters {
			v, err := g.get(env, item)
			if err != nil {
				return err
			}
			keys[n] = v
		}
		k.keys[i] = keys
	}
	sort.Stable(k)
	return k.err
}
