package stdlib

import (
	"errors"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/internal/size"
	"github.com/pcc-lang/pcc/vm"
)

// sequenceFilters are Jinja's filters on lists, maps and other sequences.
var sequenceFilters = []spec{
	{"batch", "value, linecount, fill_with=null", "Groups items into lists of linecount items; fill_with completes the last.", batchFilter, undefinedJinja},
	{"count", "obj", "Counts items, entries or characters.", lengthFilter, positional},
	{"dictsort", "value, case_sensitive=false, by='key', reverse=false", "Sorts a map into pairs, by key or by value.", dictsortFilter, 0},
	{"first", "seq", "Gives the first item.", firstFilter, 0},
	{"groupby", "value, attribute, default=null, case_sensitive=false", "Groups items by an attribute into pairs (grouper, list), sorted.", groupbyFilter, 0},
	{"items", "value", "Gives the entries of a map as pairs; a missing value has none.", itemsFilter, undefinedOK},
	{"join", "value, d='', attribute=null", "Joins items into one text, with a separator between them.", joinFilter, 0},
	{"last", "seq", "Gives the last item.", lastFilter, 0},
	{"length", "obj", "Counts items, entries or characters.", lengthFilter, positional},
	{"list", "value", "Makes a list of a sequence, of the keys of a map, of the characters of a text.", listFilter, 0},
	{"max", "value, case_sensitive=false, attribute=null", "Gives the largest item.", maxFilter, 0},
	{"min", "value, case_sensitive=false, attribute=null", "Gives the smallest item.", minFilter, 0},
	{"random", "seq", "Gives a random item, where the host gave a source of random numbers, else the first.", randomFilter, impure},
	{"reverse", "value", "Reverses text, or gives the items from last to first.", reverseFilter, 0},
	{"slice", "value, slices, fill_with=null", "Divides items into a number of lists of nearly equal length.", sliceFilter, undefinedJinja},
	{"sort", "value, reverse=false, case_sensitive=false, attribute=null", "Sorts items, texts without regard to case; attribute may list several paths: 'age,name'.", sortFilter, 0},
	{"sum", "iterable, attribute=null, start=0", "Adds up numbers.", sumFilter, 0},
	{"unique", "value, case_sensitive=false, attribute=null", "Leaves out items that were there before.", uniqueFilter, undefinedJinja},
}

// iterate walks what filters accept as a sequence: also the characters of text
// and, in the native language, nothing for null and missing values.
func iterate(env *vm.Env, v vm.Value) (*vm.Iterator, error) {
	if s, ok := v.Str(); ok {
		return runes(env, s), nil
	}
	if env.Dialect.NullIsEmpty() && v.IsMissing() {
		return &vm.Iterator{Next: func() (vm.Value, bool, error) { return vm.Null, false, nil }}, nil
	}
	return env.Iterate(v)
}

// runes walks the characters of s.
func runes(env *vm.Env, s string) *vm.Iterator {
	return &vm.Iterator{Next: func() (vm.Value, bool, error) {
		if s == "" {
			return vm.Null, false, nil
		}
		var c string
		c, s = cutRunes(s, 1)
		return vm.String(c), true, env.Step(1)
	}}
}

// collect takes all items of what iterate accepts into a list of its own.
func collect(env *vm.Env, v vm.Value) ([]vm.Value, error) {
	it, err := iterate(env, v)
	if err != nil {
		return nil, err
	}
	return drain(env, it)
}

// entries gives the entries of a map as pairs.
func entries(env *vm.Env, v vm.Value) ([][2]vm.Value, error) {
	en, err := env.Entries(v)
	if err != nil {
		return nil, err
	}
	if err := chargeProduct(env, en.Len(), 2*size.Value); err != nil {
		return nil, err
	}
	pairs := make([][2]vm.Value, en.Len())
	for i := range pairs {
		pairs[i][0], pairs[i][1] = en.At(i)
	}
	return pairs, nil
}

func isMapping(v vm.Value) bool { return v.IsMapping() }

func pairTuple(env *vm.Env, p [2]vm.Value) vm.Value { return tupleOf(env, p[0], p[1]) }

// nothing is the undefined value of an empty sequence.
func nothing(env *vm.Env, message string) vm.Value {
	env.Owe(size.Undefined)
	return vm.UndefinedOf(&vm.Undefined{Message: message})
}

func lengthFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	n, err := env.Len(args[0])
	return vm.Int(int64(n)), err
}

func listFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	items, err := collect(env, args[0])
	return listOf(env, items), err
}

func firstFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	it, err := iterate(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	v, ok, err := it.Next()
	if err != nil || ok {
		return v, err
	}
	return nothing(env, "No first item, sequence was empty."), nil
}

func lastFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v := args[0]
	if v.IsUndefined() {
		if _, err := env.Len(v); err != nil {
			return vm.Null, err
		}
		return nothing(env, "No last item, sequence was empty."), nil
	}
	if s, ok := v.Str(); ok {
		if s == "" {
			return nothing(env, "No last item, sequence was empty."), nil
		}
		_, size := utf8.DecodeLastRuneInString(s)
		return markedText(s[len(s)-size:], v.IsSafe()), nil
	}
	if env.Dialect.LazyResults() && !isReversible(v) {
		return vm.Null, env.Errorf("type", "'%s' object is not reversible", env.TypeName(v))
	}
	if v.IsSequence() {
		n, err := env.Len(v)
		if err != nil || n == 0 {
			return nothing(env, "No last item, sequence was empty."), err
		}
		return env.Item(v, vm.Int(int64(n-1)))
	}
	items, err := collect(env, v)
	if err != nil {
		return vm.Null, err
	}
	if len(items) == 0 {
		return nothing(env, "No last item, sequence was empty."), nil
	}
	return items[len(items)-1], nil
}

// isReversible reports whether Python's reversed accepts v.
func isReversible(v vm.Value) bool {
	if v.IsSequence() || isMapping(v) || v.Kind() == vm.KindString || v.Kind() == vm.KindBytes {
		return true
	}
	o, ok := v.Object()
	if !ok {
		return false
	}
	_, isSized := o.(vm.Lener)
	_, isIterable := o.(vm.Iterable)
	_, isLoop := o.(*vm.LoopContext) // sized too, and the iterator of its own items
	return isSized && isIterable && !isLoop
}

func reverseFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v := args[0]
	if s, ok := v.Str(); ok {
		if err := env.Charge(2 * len(s)); err != nil {
			return vm.Null, err
		}
		return markedText(reverseText(env, s), v.IsSafe()), nil
	}
	items, err := collect(env, v)
	if err != nil {
		var e *vm.Error
		if env.Dialect.PythonErrors() && errors.As(err, &e) && e.Kind == "type" {
			return vm.Null, env.Errorf("runtime", "argument must be iterable")
		}
		return vm.Null, err
	}
	if !env.Dialect.LazyResults() || !isReversible(v) && !v.IsUndefined() {
		for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
			items[i], items[j] = items[j], items[i]
		}
		return listOf(env, items), nil
	}
	if err := env.Hold(size.Iterator); err != nil {
		return vm.Null, err
	}
	i := len(items)
	return vm.Of(&vm.Iterator{Name: reverseName(v), Next: func() (vm.Value, bool, error) {
		if i == 0 {
			return vm.Null, false, nil
		}
		i--
		return items[i], true, nil
	}}), nil
}

// reverseName is the Python type that reversed gives.
func reverseName(v vm.Value) string {
	switch v.Kind() {
	case vm.KindList:
		return "list_reverseiterator"
	case vm.KindMap:
		return "dict_reversekeyiterator"
	case vm.KindObject:
		return "range_iterator"
	}
	return "reversed"
}

func reverseText(env *vm.Env, s string) string {
	out := make([]byte, 0, len(s))
	var pace vm.Pace
	for s != "" && !pace.Stopped(env, 4) {
		i := len(s) - 1
		for i > 0 && s[i]&0xc0 == 0x80 {
			i--
		}
		out = append(out, s[i:]...)
		s = s[:i]
	}
	return string(out)
}

func sortFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	reverse, err := env.Truth(args[1])
	if err != nil {
		return vm.Null, err
	}
	sensitive, err := env.Truth(args[2])
	if err != nil {
		return vm.Null, err
	}
	var getters []getter
	if path, ok := args[3].Str(); ok {
		getters, err = newGetters(env, path, !sensitive)
	} else {
		getters = make([]getter, 1)
		getters[0], err = newGetter(env, args[3], vm.Null, !sensitive)
	}
	if err != nil {
		return vm.Null, err
	}
	items, err := collect(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	return listOf(env, items), sortByKeys(env, items, getters, reverse)
}

func dictsortFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	sensitive, err := env.Truth(args[1])
	if err != nil {
		return vm.Null, err
	}
	reverse, err := env.Truth(args[3])
	if err != nil {
		return vm.Null, err
	}
	by, _ := args[2].Str()
	pos := map[string]int64{"key": 0, "value": 1}
	at, ok := pos[by]
	if !ok {
		return vm.Null, env.Errorf("runtime", `You can only sort by either "key" or "value"`)
	}
	if !isMapping(args[0]) {
		if err := refuseUndefined(env, args[0]); err != nil {
			return vm.Null, err
		}
		return vm.Null, noAttribute(env, args[0], "items")
	}
	pairs, err := entries(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if err := chargeItems(env, len(pairs)); err != nil {
		return vm.Null, err
	}
	items := make([]vm.Value, len(pairs))
	for i, p := range pairs {
		if err := env.Hold(0); err != nil { // the pairs before it
			return vm.Null, err
		}
		items[i] = pairTuple(env, p)
	}
	g := getter{parts: []vm.Value{vm.Int(at)}, fold: !sensitive}
	return listOf(env, items), sortByKey(env, items, g, reverse)
}

func itemsFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	return lazily(env, args, func(args []vm.Value) (stepper, error) {
		v := args[0]
		if v.IsUndefined() || env.Dialect.NullIsEmpty() && v.IsNull() {
			return ended, nil
		}
		if !isMapping(v) {
			return nil, env.Errorf("type", "Can only get item pairs from a mapping.")
		}
		pairs, err := entries(env, v)
		i := 0
		return func() (vm.Value, bool, error) {
			if i == len(pairs) {
				return ended()
			}
			i++
			return pairTuple(env, pairs[i-1]), true, nil
		}, err
	})
}

// extreme gives the item whose key compares before all others.
func extreme(env *vm.Env, args []vm.Value, op code.CompareOp) (vm.Value, error) {
	sensitive, err := env.Truth(args[1])
	if err != nil {
		return vm.Null, err
	}
	it, err := iterate(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	best, ok, err := it.Next()
	if err != nil {
		return vm.Null, err
	}
	if !ok {
		return nothing(env, "No aggregated item, sequence was empty."), nil
	}
	g, err := newGetter(env, args[2], vm.Null, !sensitive)
	if err != nil {
		return vm.Null, err
	}
	bestKey, err := g.get(env, best)
	if err != nil {
		return vm.Null, err
	}
	for {
		v, ok, err := it.Next()
		if err != nil || !ok {
			return best, err
		}
		if err := env.Step(1); err != nil {
			return vm.Null, err
		}
		key, err := g.get(env, v)
		if err != nil {
			return vm.Null, err
		}
		better, err := env.Compare(op, key, bestKey)
		if err != nil {
			return vm.Null, err
		}
		if better {
			best, bestKey = v, key
		}
	}
}

func minFilter(env *vm.Env, args []vm.Value) (vm.Value, error) { return extreme(env, args, code.CmpLt) }
func maxFilter(env *vm.Env, args []vm.Value) (vm.Value, error) { return extreme(env, args, code.CmpGt) }

func sumFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	total := args[2]
	if _, ok := total.Str(); ok {
		return vm.Null, &vm.Error{Kind: "type", Msg: "sum() can't sum strings", Help: "use the join filter for texts"}
	}
	it, err := iterate(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	g, err := newGetter(env, args[1], vm.Null, false)
	if err != nil {
		return vm.Null, err
	}
	for {
		v, ok, err := it.Next()
		if err != nil || !ok {
			return total, err
		}
		if v, err = g.get(env, v); err != nil {
			return vm.Null, err
		}
		if err := env.Step(1); err != nil {
			return vm.Null, err
		}
		if total, err = env.Binary(code.BinAdd, total, v); err != nil {
			return vm.Null, err
		}
	}
}

func uniqueFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	sensitive, err := env.Truth(args[1])
	if err != nil {
		return vm.Null, err
	}
	g, err := newGetter(env, args[2], vm.Null, !sensitive)
	if err != nil {
		return vm.Null, err
	}
	return lazily(env, args, func(args []vm.Value) (stepper, error) {
		it, err := iterate(env, args[0])
		seen := newMap(env)
		return func() (vm.Value, bool, error) {
			for {
				v, ok, err := it.Next()
				if err != nil || !ok {
					return vm.Null, false, err
				}
				isNew, err := remember(env, seen, g, v)
				if err != nil || isNew {
					return v, isNew, err
				}
			}
		}, err
	})
}

// remember puts the key of an item into seen and reports whether it is new.
func remember(env *vm.Env, seen *vm.Map, g getter, item vm.Value) (bool, error) {
	key, err := g.get(env, item)
	if err != nil {
		return false, err
	}
	if env.Dialect.Undefined == vm.UndefinedStrict {
		if err := refuseUndefined(env, key); err != nil {
			return false, err
		}
	}
	if _, isBool := key.AsBool(); isBool && !env.Dialect.BoolsAreNumbers() {
		key = tupleOf(env, key) // true is not 1 here
	}
	before := seen.Len()
	if err := put(env, seen, key, vm.Null); err != nil {
		return false, err
	}
	return seen.Len() > before, env.Step(1)
}

// unhashable is the error of a list or map where a key is needed.
func unhashable(env *vm.Env, v vm.Value) error {
	if env.Dialect.PythonErrors() {
		return env.Errorf("type", "unhashable type: '%s'", env.TypeName(v))
	}
	return &vm.Error{Kind: "type", Msg: "a " + env.TypeName(v) + " cannot be compared as a whole here", Help: "name an attribute to compare by"}
}

func randomFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	n, err := env.Len(args[0])
	if err != nil {
		return vm.Null, err
	}
	if n == 0 {
		return nothing(env, "No random item, sequence was empty."), nil
	}
	i := 0
	if env.Random != nil {
		i = env.Random(n)
	}
	if _, ok := args[0].Str(); ok || args[0].IsSequence() {
		return env.Item(args[0], vm.Int(int64(i)))
	}
	if isMapping(args[0]) && env.Dialect.PythonErrors() {
		return vm.Null, env.Errorf("key", "a key of the map is not found") // Python: KeyError
	}
	items, err := collect(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	return items[i], nil
}
