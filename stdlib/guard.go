package stdlib

import "github.com/pcc-lang/pcc/vm"

// The tables of control tokens are in package vm, which guards whole renders
// with them; here are the filters.

// guarded makes a filter of a rewriting of control tokens.
func guarded(change func(env *vm.Env, text, family string) (string, error)) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, safe, err := text(env, args[0])
		if err != nil {
			return vm.Null, err
		}
		family, err := stringArg(env, args[1], "family")
		if err != nil {
			return vm.Null, err
		}
		if err := env.Charge(2 * len(s)); err != nil {
			return vm.Null, err
		}
		if s, err = change(env, s, family); err != nil {
			return vm.Null, err
		}
		return markedText(s, safe), nil
	}
}

var (
	guardFilter           = guarded((*vm.Env).Guard)
	escapeControlFilter   = guarded((*vm.Env).EscapeControl)
	unescapeControlFilter = guarded((*vm.Env).UnescapeControl)
)
