package stdlib

import (
	"cmp"

	"github.com/pcc-lang/pcc/vm"
)

// The methods of Python's types that templates of Jinja call on values. Those
// that change a list or map change only what the render made itself: the
// caller's data may be shared with other renders.

// receiver is the text that a str method was called on, and whether it is safe
// markup, whose methods give markup.
func receiver(args []vm.Value) (s string, safe bool) {
	s, _ = args[0].Str()
	return s, args[0].IsSafe()
}

// textMethod makes a method of a text function.
func textMethod(f func(*vm.Env, string) string) vm.Func { return mapText(f) }

// textPredicate makes a method of a question about text.
func textPredicate(is func(*vm.Env, string) bool) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, _ := receiver(args)
		if err := env.Step(1 + len(s)/64); err != nil {
			return vm.Null, err
		}
		return vm.Bool(is(env, s)), nil
	}
}

// frozen is the error of changing what the render does not own.
func frozen(env *vm.Env, v vm.Value) error {
	return &vm.Error{
		Kind: "runtime",
		Msg:  "this " + env.TypeName(v) + " is part of the caller's data, which a template cannot change",
		Help: "copy it first, for a list with `set copy = xs|list`, for a dict with `set copy = dict(d)`",
	}
}

// ownList returns a list that may be changed.
func ownList(env *vm.Env, v vm.Value) (*vm.List, error) {
	l, ok := v.List()
	if !ok || l.Frozen {
		return nil, frozen(env, v)
	}
	if lent, err := env.CallerOwned(v); lent {
		return nil, cmp.Or(err, frozen(env, v))
	}
	return l, nil
}

// ownMap returns a map that may be changed.
func ownMap(env *vm.Env, v vm.Value) (*vm.Map, error) {
	m, ok := v.Map()
	if !ok || m.Frozen {
		return nil, frozen(env, v)
	}
	if lent, err := env.CallerOwned(v); lent {
		return nil, cmp.Or(err, frozen(env, v))
	}
	return m, nil
}

// buildMethods makes the table of all kinds.
func buildMethods() map[vm.Kind]map[string]*vm.Builtin {
	return map[vm.Kind]map[string]*vm.Builtin{
		vm.KindString: buildAll(strMethods, strSearchMethods, strSplitMethods, strFormatMethods),
		vm.KindList:   buildAll(sequenceMethods, listMethods),
		vm.KindTuple:  buildAll(sequenceMethods),
		vm.KindMap:    buildAll(mapMethods),
		vm.KindInt:    buildAll(intMethods),
		vm.KindFloat:  buildAll(floatMethods),
		vm.KindBytes:  buildAll(bytesMethods),
		vm.KindTime:   buildAll(timeMethods),
	}
}
