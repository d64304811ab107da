package stdlib

import (
	"github.com/pcc-lang/pcc/internal/size"
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
	if v.IsUndefined() || !env.Dialect.UndefinedObjects() && v.IsNull() {
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
		if env.Dialect.PythonErrors() {
			return vm.Null, env.Errorf("type", "attribute name must be string, not '%s'", env.TypeName(args[1]))
		}
		return vm.Null, env.Errorf("type", "the name of an attribute must be text, not %s", env.TypeName(args[1]))
	}
	if err := env.Spend(len(name)); err != nil { // it is hashed
		return vm.Null, err
	}
	if !env.Dialect.AttributesFirst() {
		v, err := env.Attr(args[0], name)
		return computedName(env, v, err)
	}
	v, err := env.PyAttr(args[0], name)
	return computedName(env, v, err)
}

// computedName marks the undefined value of an attribute whose name was
// computed: it may be data, which messages do not show.
func computedName(env *vm.Env, v vm.Value, err error) (vm.Value, error) {
	if u := v.Undef(); u != nil && err == nil && !u.Dynamic {
		env.Owe(size.Undefined)
		own := *u
		own.Dynamic = true
		return vm.UndefinedOf(&own), nil
	}
	return v, err
}
