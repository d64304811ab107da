package stdlib

import (
	"github.com/pcc-lang/pcc/vm"
)

// valueFilters are Jinja's filters on values of any kind.
var valueFilters = []spec{
	{"attr", "obj, name", "Reads an attribute of an object, never a key of a map.", attrFilter, 0},
	{"d", "value, default_value='', boolean=false", "Gives the default for a missing value; with boolean=true for any false one.", defaultFilter, undefinedOK},
	{"default", "value, default_value='', boolean=false", "Gives the default for a missing value; with boolean=true for any false one.", defaultFilter, undefinedOK},
	{"pprint", "value", "Writes a value over several lines, for debugging.", pprintFilter, undefinedJinja},
}

func defaultFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v := args[0]
	// A missing value behaves like null in the native language.
	if v.IsUndefined() || !env.Python() && v.IsNull() {
		return args[1], nil
	}
	boolean, err := env.Truth(args[2])
	if err != nil || !boolean {
		return v, err
	}
	truth, err := env.Truth(v)
	if err != nil || truth {
		return v, err
	}
	return args[1], nil
}

func attrFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	name, ok := args[1].Str()
	if !ok {
		if err := refuseUndefined(env, args[1]); err != nil {
			return vm.Null, err
		}
		if env.Python() {
			return vm.Null, env.Errorf("type", "attribute name must be string, not '%s'", env.TypeName(args[1]))
		}
		return vm.Null, env.Errorf("type", "the name of an attribute must be text, not %s", env.TypeName(args[1]))
	}
	if !env.Python() {
		return env.Attr(args[0], name)
	}
	return env.PyAttr(args[0], name)
}
