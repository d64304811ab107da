package stdlib

import (
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// valueTests are Jinja's tests; nativeTests adds names of the native language.
var (
	valueTests = []spec{
		{"boolean", "value", "Is true or false.", kindTest(vm.KindBool), undefinedOK},
		{"callable", "obj", "Can be called.", callableTest, undefinedOK | positional},
		{"defined", "value", "Is there: not a missing name or key.", predicate(func(v vm.Value) bool { return !v.IsUndefined() }), undefinedOK},
		{"divisibleby", "value, num", "Can be divided by a number without remainder.", divisiblebyTest, 0},
		{"escaped", "value", "Is text marked as safe.", escapedTest, undefinedOK},
		{"even", "value", "Is an even number.", remainderTest(0), 0},
		{"false", "value", "Is the boolean false.", booleanTest(false), undefinedOK},
		{"filter", "value", "Is the name of a filter.", nameTest(func(d *vm.Dialect) map[string]*vm.Builtin { return d.Filters }), 0},
		{"float", "value", "Is a floating-point number.", kindTest(vm.KindFloat), undefinedOK},
		{"in", "value, seq", "Is an item of a list, a key of a map, a part of a text.", compareTest(code.CmpIn), 0},
		{"integer", "value", "Is an integer.", kindTest(vm.KindInt), undefinedOK},
		{"iterable", "value", "Can be looped over.", iterableTest, undefinedOK},
		{"lower", "value", "Is text in lower case.", textTest(isLowerText), 0},
		{"mapping", "value", "Is a map.", predicate(isMapping), undefinedOK},
		{"none", "value", "Is null.", predicate(vm.Value.IsNull), undefinedOK},
		{"number", "value", "Is a number.", numberTest, undefinedOK},
		{"odd", "value", "Is an odd number.", remainderTest(1), 0},
		{"sameas", "value, other", "Is the same object.", sameasTest, undefinedOK},
		{"sequence", "value", "Has a length and items: a list, map or text.", sequenceTest, undefinedOK},
		{"string", "value", "Is text.", kindTest(vm.KindString), undefinedOK},
		{"test", "value", "Is the name of a test.", nameTest(func(d *vm.Dialect) map[string]*vm.Builtin { return d.Tests }), 0},
		{"true", "value", "Is the boolean true.", booleanTest(true), undefinedOK},
		{"undefined", "value", "Is not there: a missing name or key.", predicate(vm.Value.IsUndefined), undefinedOK},
		{"upper", "value", "Is text in upper case.", textTest(isUpperText), 0},

		{"==", "a, b", "Equals.", compareTest(code.CmpEq), positional},
		{"eq", "a, b", "Equals.", compareTest(code.CmpEq), positional},
		{"equalto", "a, b", "Equals.", compareTest(code.CmpEq), positional},
		{"!=", "a, b", "Differs from.", compareTest(code.CmpNe), positional},
		{"ne", "a, b", "Differs from.", compareTest(code.CmpNe), positional},
		{">", "a, b", "Is greater than.", compareTest(code.CmpGt), positional},
		{"gt", "a, b", "Is greater than.", compareTest(code.CmpGt), positional},
		{"greaterthan", "a, b", "Is greater than.", compareTest(code.CmpGt), positional},
		{">=", "a, b", "Is greater than or equal to.", compareTest(code.CmpGe), positional},
		{"ge", "a, b", "Is greater than or equal to.", compareTest(code.CmpGe), positional},
		{"<", "a, b", "Is less than.", compareTest(code.CmpLt), positional},
		{"lt", "a, b", "Is less than.", compareTest(code.CmpLt), positional},
		{"lessthan", "a, b", "Is less than.", compareTest(code.CmpLt), positional},
		{"<=", "a, b", "Is less than or equal to.", compareTest(code.CmpLe), positional},
		{"le", "a, b", "Is less than or equal to.", compareTest(code.CmpLe), positional},
	}
	nativeTests = []spec{
		{"empty", "value", "Has no items or characters, or is missing.", emptyTest, undefinedOK},
		{"list", "value", "Is a list.", kindTest(vm.KindList), undefinedOK},
		{"map", "value", "Is a map.", predicate(isMapping), undefinedOK},
		{"null", "value", "Is null.", predicate(vm.Value.IsNull), undefinedOK},
	}
)

func predicate(is func(vm.Value) bool) vm.Func {
	return func(_ *vm.Env, args []vm.Value) (vm.Value, error) { return vm.Bool(is(args[0])), nil }
}

func kindTest(k vm.Kind) vm.Func {
	return predicate(func(v vm.Value) bool { return v.Kind() == k })
}

func booleanTest(want bool) vm.Func {
	return predicate(func(v vm.Value) bool {
		b, ok := v.AsBool()
		return ok && b == want
	})
}

func compareTest(op code.CompareOp) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		b, err := env.Compare(op, args[0], args[1])
		return vm.Bool(b), err
	}
}

func textTest(is func(*vm.Env, string) bool) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, err := textOf(env, args[0])
		if err != nil {
			return vm.Null, err
		}
		if err := env.Step(1 + len(s)/64); err != nil {
			return vm.Null, err
		}
		return vm.Bool(is(env, s)), nil
	}
}

func remainderTest(want int64) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		return remainderIs(env, args[0], vm.Int(2), want)
	}
}

func remainderIs(env *vm.Env, a, b vm.Value, want int64) (vm.Value, error) {
	r, err := env.Binary(code.BinMod, a, b)
	if err != nil {
		return vm.Null, err
	}
	equal, err := env.Equal(r, vm.Int(want))
	return vm.Bool(equal), err
}

func divisiblebyTest(env *vm.Env, args []vm.Value) (vm.Value, error) {
	return remainderIs(env, args[0], args[1], 0)
}

func nameTest(table func(*vm.Dialect) map[string]*vm.Builtin) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		name, ok := args[0].Str()
		if !ok {
			if err := env.PayKey(args[0]); err != nil {
				return vm.Null, err
			}
			if _, _, hashable := vm.NewMap(0).Lookup(args[0]); !hashable {
				return vm.Null, unhashable(env, args[0])
			}
			return vm.Bool(false), nil
		}
		b, err := namedBuiltin(env, table(env.Dialect), name)
		return vm.Bool(b != nil), err
	}
}

// namedBuiltin looks a name up that was computed.
func namedBuiltin(env *vm.Env, table map[string]*vm.Builtin, name string) (*vm.Builtin, error) {
	if err := env.Step(len(name) / 64); err != nil { // it is hashed
		return nil, err
	}
	return table[name], nil
}

func numberTest(env *vm.Env, args []vm.Value) (vm.Value, error) {
	switch args[0].Kind() {
	case vm.KindInt, vm.KindFloat:
		return vm.Bool(true), nil
	case vm.KindBool:
		return vm.Bool(env.Dialect.BoolsAreNumbers()), nil
	}
	return vm.Bool(false), nil
}

func escapedTest(env *vm.Env, args []vm.Value) (vm.Value, error) {
	// Jinja's chainable undefined value calls itself escaped.
	chainable := args[0].IsUndefined() && env.Dialect.UndefinedObjects() && env.Dialect.Undefined == vm.UndefinedChainable
	return vm.Bool(args[0].IsSafe() || chainable), nil
}

func callableTest(env *vm.Env, args []vm.Value) (vm.Value, error) {
	if args[0].IsUndefined() {
		return vm.Bool(env.Dialect.UndefinedObjects()), nil // Undefined has __call__, to raise its error
	}
	o, ok := args[0].Object()
	if !ok {
		return vm.Bool(false), nil
	}
	_, ok = o.(vm.Caller)
	return vm.Bool(ok), nil
}

func iterableTest(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v := args[0]
	switch v.Kind() {
	case vm.KindList, vm.KindTuple, vm.KindMap, vm.KindIterator:
		return vm.Bool(true), nil
	case vm.KindString, vm.KindBytes:
		return vm.Bool(env.Dialect.TextsAreSequences()), nil
	case vm.KindUndefined:
		if !env.Dialect.UndefinedObjects() {
			return vm.Bool(false), nil
		}
		if env.Dialect.Undefined == vm.UndefinedStrict {
			_, err := env.Iterate(v)
			return vm.Bool(true), err
		}
		return vm.Bool(true), nil
	case vm.KindObject:
		o, _ := v.Object()
		_, ok := o.(vm.Iterable)
		return vm.Bool(ok), nil
	}
	return vm.Bool(isMapping(v)), nil
}

func sequenceTest(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v := args[0]
	switch v.Kind() {
	case vm.KindString, vm.KindList, vm.KindTuple, vm.KindMap, vm.KindBytes:
		return vm.Bool(true), nil
	case vm.KindUndefined:
		return vm.Bool(env.Dialect.UndefinedObjects() && env.Dialect.Undefined != vm.UndefinedStrict), nil
	case vm.KindObject:
		o, _ := v.Object()
		_, sized := o.(vm.Lener)
		_, indexed := o.(vm.Indexer)
		return vm.Bool(sized && indexed), nil
	}
	return vm.Bool(isMapping(v)), nil
}

// sameasTest is Python's "is". Small integers, texts and the like have no
// identity of their own here: equal ones of one kind are the same.
func sameasTest(env *vm.Env, args []vm.Value) (vm.Value, error) {
	a, b := args[0], args[1]
	if a.Kind() != b.Kind() {
		return vm.Bool(false), nil
	}
	switch a.Kind() {
	case vm.KindNull:
		return vm.Bool(true), nil
	case vm.KindUndefined:
		return vm.Bool(a.Undef() == b.Undef()), nil
	case vm.KindBool, vm.KindInt, vm.KindFloat, vm.KindString:
		equal, err := env.Equal(a, b)
		return vm.Bool(equal && a.IsSafe() == b.IsSafe()), err
	}
	return vm.Bool(vm.Same(a, b)), nil
}

func emptyTest(env *vm.Env, args []vm.Value) (vm.Value, error) {
	if args[0].IsMissing() {
		return vm.Bool(true), nil
	}
	n, err := env.Len(args[0])
	return vm.Bool(n == 0), err
}
