package stdlib

import (
	"github.com/pcc-lang/pcc/vm"
	"github.com/pcc-lang/pcc/vm/guard"
)

// guarded makes a filter of a rewriting of control tokens.
func guarded(change func(f *guard.Family, text string, work guard.Work) string) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, safe, err := text(env, args[0])
		if err != nil {
			return vm.Null, err
		}
		name, err := stringArg(env, args[1], "family")
		if err != nil {
			return vm.Null, err
		}
		family := guard.Find(name)
		if family == nil {
			return vm.Null, vm.ErrNoFamily()
		}
		if err := env.Charge(2 * len(s)); err != nil {
			return vm.Null, err
		}
		return markedText(change(family, s, env.Work), safe), nil
	}
}

var (
	guardFilter           = guarded((*guard.Family).Neutralise)
	escapeControlFilter   = guarded((*guard.Family).Escape)
	unescapeControlFilter = guarded((*guard.Family).Unescape)
)
