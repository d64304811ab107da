package stdlib

import (
	"math"
	"math/big"
	"slices"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/size"
	"github.com/pcc-lang/pcc/vm"
)

// text returns v as printed (Python's str, our native form) and whether it is
// safe markup.
func text(env *vm.Env, v vm.Value) (s string, safe bool, err error) {
	if s, ok := v.Str(); ok {
		return s, v.IsSafe(), nil
	}
	s, err = env.Str(v)
	return s, false, err
}

// textOf is text without the mark.
func textOf(env *vm.Env, v vm.Value) (string, error) {
	s, _, err := text(env, v)
	return s, err
}

// markedText makes a string that is safe if safe says so.
func markedText(s string, safe bool) vm.Value {
	if safe {
		return vm.Safe(s)
	}
	return vm.String(s)
}

// mapText applies f to the subject as text; markup stays markup.
func mapText(f func(*vm.Env, string) string) vm.Func {
	convert := charged(f)
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, safe, err := text(env, args[0])
		if err != nil {
			return vm.Null, err
		}
		s, err = convert(env, s)
		return markedText(s, safe), err
	}
}

// charged takes the memory for a text before f makes it of s. The result is as
// long as s, and up to caseGrowth times as long where letters change their case:
// what it did not need of that it gives back.
func charged(f func(*vm.Env, string) string) func(*vm.Env, string) (string, error) {
	return func(env *vm.Env, s string) (string, error) {
		if err := env.Charge(len(s)); err != nil {
			return "", err
		}
		if len(s) < shortText || source.IsASCII(s) {
			return f(env, s), nil
		}
		more := (caseGrowth - 1) * len(s)
		if err := env.Hold(more); err != nil {
			return "", err
		}
		out := f(env, s)
		env.GiveBack(min(more, len(s)+more-len(out)))
		return out, nil
	}
}

// caseGrowth is how many times longer a text can be with other letters: the two
// bytes of U+0390 are six in capitals. Below shortText that is left out of account.
const (
	caseGrowth = 3
	shortText  = 16
)

// stringArg demands text.
func stringArg(env *vm.Env, v vm.Value, name string) (string, error) {
	if s, ok := v.Str(); ok {
		return s, nil
	}
	if s, ok := env.OwnText(v).Str(); ok {
		return s, env.StopError()
	}
	if err := refuseNative(env, v); err != nil {
		return "", err
	}
	return "", env.Errorf("type", "%s must be %s, not %s", name, stringTypeName(env), env.TypeName(v))
}

func stringTypeName(env *vm.Env) string {
	if env.Dialect.PythonErrors() {
		return "str"
	}
	return "a string"
}

// intArg demands an integer that fits an int. Booleans are integers in Python.
func intArg(env *vm.Env, v vm.Value, name string) (int, error) {
	if i, ok := v.Int64(); ok {
		return int(i), nil
	}
	if env.Dialect.BoolsAreNumbers() {
		if b, ok := v.AsBool(); ok {
			return boolInt(b), nil
		}
	}
	if _, ok := v.Big(); ok {
		return 0, env.Errorf("overflow", "%s is too large", name)
	}
	if env.Dialect.PythonErrors() {
		return 0, env.Errorf("type", "'%s' object cannot be interpreted as an integer", env.TypeName(v))
	}
	if err := refuseUndefined(env, v); err != nil {
		return 0, err
	}
	return 0, env.Errorf("type", "%s must be an integer, not %s", name, env.TypeName(v))
}

// sizeArg is intArg for counts and widths; what is negative counts as 0.
func sizeArg(env *vm.Env, v vm.Value, name string) (int, error) {
	n, err := intArg(env, v, name)
	return max(n, 0), err
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// refuseUndefined is the error of using an undefined value where a value is
// needed, nil for all other values.
func refuseUndefined(env *vm.Env, v vm.Value) error {
	u := v.Undef()
	if u == nil {
		return nil
	}
	// The operation on it raises the right error, whatever kind it is of.
	if _, err := env.Negate(v); err != nil {
		return err
	}
	return env.Errorf("undefined", "a value is undefined")
}

// refuseNative is refuseUndefined in the native language. Python's own
// functions tell an undefined value by its type, as any other of a wrong one.
func refuseNative(env *vm.Env, v vm.Value) error {
	if env.Dialect.PythonErrors() {
		return nil
	}
	return refuseUndefined(env, v)
}

// countArg is intArg for what Jinja computes with before it is used as an
// integer: an undefined value is reported as such.
func countArg(env *vm.Env, v vm.Value, name string) (int, error) {
	if err := refuseUndefined(env, v); err != nil {
		return 0, err
	}
	return intArg(env, v, name)
}

// chargeItems charges n values of a list.
func chargeItems(env *vm.Env, n int) error {
	if n > math.MaxInt/size.Value {
		n = math.MaxInt / size.Value
	}
	return env.Charge(n * size.Value)
}

// chargeProduct charges a*b bytes without overflow.
func chargeProduct(env *vm.Env, a, b int) error {
	if a > 0 && b > math.MaxInt/a {
		return env.Charge(math.MaxInt)
	}
	return env.Charge(a * b)
}

// numberValue returns a number as a big integer or a float; booleans count as
// integers in Python.
func numberValue(env *vm.Env, v vm.Value) (i *big.Int, f float64, isInt, ok bool) {
	if i, ok := v.Big(); ok {
		return i, 0, true, true
	}
	if f, ok := v.Float64(); ok {
		return nil, f, false, true
	}
	if env.Dialect.BoolsAreNumbers() {
		if b, ok := v.AsBool(); ok {
			return big.NewInt(int64(boolInt(b))), 0, true, true
		}
	}
	return nil, 0, false, false
}

// floatArg demands a number and returns it as a float.
func floatArg(env *vm.Env, v vm.Value, name string) (float64, error) {
	i, f, isInt, ok := numberValue(env, v)
	if !ok {
		if err := refuseUndefined(env, v); err != nil {
			return 0, err
		}
		if env.Dialect.PythonErrors() {
			return 0, env.Errorf("type", "must be real number, not %s", env.TypeName(v))
		}
		return 0, env.Errorf("type", "%s must be a number, not %s", name, env.TypeName(v))
	}
	if isInt {
		f, _ := new(big.Float).SetInt(i).Float64()
		if math.IsInf(f, 0) {
			return 0, env.Errorf("overflow", "int too large to convert to float")
		}
		return f, nil
	}
	return f, nil
}

// lazy gives a sequence that is computed on demand: in Jinja a generator, in
// the native language a list, which can be printed, counted and indexed.
func lazy(env *vm.Env, next func() (vm.Value, bool, error)) (vm.Value, error) {
	if err := env.Hold(size.Iterator); err != nil {
		return vm.Null, err
	}
	it := &vm.Iterator{Next: func() (vm.Value, bool, error) {
		// A sequence may draw from another one, and that from the next.
		if err := env.Enter(); err != nil {
			return vm.Null, false, err
		}
		v, ok, err := next()
		env.Leave()
		if stop := env.StopError(); stop != nil {
			return vm.Null, false, stop
		}
		return v, ok, err
	}}
	if env.Dialect.LazyResults() {
		return vm.Of(it), nil
	}
	items, err := drain(env, it)
	return listOf(env, items), err
}

// listOf makes a list of items that have been paid for.
func listOf(env *vm.Env, items []vm.Value) vm.Value {
	env.Owe(size.List)
	return vm.ListOf(items)
}

// tupleOf makes a tuple with the memory for its items.
func tupleOf(env *vm.Env, items ...vm.Value) vm.Value {
	env.Owe(size.Tuple + size.Value*len(items))
	return vm.TupleOf(items)
}

// mapOf makes an empty map.
func newMap(env *vm.Env) *vm.Map {
	env.Owe(size.Map)
	return vm.NewMap(0)
}

// put sets m[key], which must be of a kind that can be a key.
func put(env *vm.Env, m *vm.Map, key, v vm.Value) error {
	hashable, err := env.Put(m, key, v)
	if err == nil && !hashable {
		err = unhashable(env, key)
	}
	return err
}

// stepper gives the next item of a lazy sequence, ok being false at the end.
type stepper func() (v vm.Value, ok bool, err error)

// lazily is lazy for a sequence that start makes of args when its first item is
// asked for: like Python's generators, nothing is looked at before. start gets
// a copy of args, since the machine uses theirs again.
func lazily(env *vm.Env, args []vm.Value, start func(args []vm.Value) (stepper, error)) (vm.Value, error) {
	if err := env.Hold(size.Value * len(args)); err != nil {
		return vm.Null, err
	}
	args = slices.Clone(args)
	var next stepper
	return lazy(env, func() (vm.Value, bool, error) {
		if next == nil {
			var err error
			if next, err = start(args); err != nil {
				return vm.Null, false, err
			}
		}
		return next()
	})
}

// ended is the stepper of an empty sequence.
func ended() (vm.Value, bool, error) { return vm.Null, false, nil }

// drain takes all items of an iterator.
func drain(env *vm.Env, it *vm.Iterator) ([]vm.Value, error) {
	var items []vm.Value
	for {
		v, ok, err := it.Next()
		if err != nil || !ok {
			return items, err
		}
		// A slice that grows takes up to twice its size.
		if err := env.Charge(2 * size.Value); err != nil {
			return nil, err
		}
		items = append(items, v)
	}
}
