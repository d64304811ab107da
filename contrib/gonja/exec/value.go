package exec

import (
	"fmt"
	"math/big"
	"reflect"

	"github.com/pcc-lang/pcc/vm"
)

// Value is a value that a filter or function takes or returns.
type Value struct {
	val any
	// Safe text is not escaped when it is printed.
	Safe bool
}

// AsValue makes a value of a Go value; of an error one that fails the render.
func AsValue(x any) *Value {
	if v, ok := x.(*Value); ok {
		return v
	}
	return &Value{val: x}
}

// AsSafeValue is AsValue for text that is not escaped.
func AsSafeValue(x any) *Value { return &Value{val: x, Safe: true} }

// ValueError makes a value that fails the render.
func ValueError(err error) *Value { return &Value{val: err} }

// Interface returns the Go value: nil, bool, int64, *big.Int, float64, string, or what
// the data held.
func (v *Value) Interface() any { return v.val }

// IsError reports whether the value is an error, and Error returns its text.
func (v *Value) IsError() bool {
	_, ok := v.val.(error)
	return ok
}

// Error is the text of the error that the value is, or "".
func (v *Value) Error() string {
	if err, ok := v.val.(error); ok {
		return err.Error()
	}
	return ""
}

// Value asks vm what the Go value is.
func (v *Value) of() vm.Value { return vm.Of(v.val) }

// IsNil reports whether the value is none or missing.
func (v *Value) IsNil() bool { return v.of().IsNull() || v.of().IsMissing() || v.of().IsUndefined() }

// IsString, IsBool, IsInteger, IsFloat, IsNumber, IsList and IsDict tell what the
// value is.
func (v *Value) IsString() bool  { return v.of().Kind() == vm.KindString }
func (v *Value) IsBool() bool    { return v.of().Kind() == vm.KindBool }
func (v *Value) IsInteger() bool { return v.of().Kind() == vm.KindInt }
func (v *Value) IsFloat() bool   { return v.of().Kind() == vm.KindFloat }
func (v *Value) IsNumber() bool  { return v.IsInteger() || v.IsFloat() }
func (v *Value) IsList() bool    { return v.of().IsSequence() && !v.IsString() }
func (v *Value) IsDict() bool    { return v.of().IsMapping() }

// Bool is the value where it is a bool, else false.
func (v *Value) Bool() bool {
	b, _ := v.of().AsBool()
	return b
}

// Integer is the value as a number without its fraction, 0 where it is none.
func (v *Value) Integer() int {
	x := v.of()
	if i, ok := x.Int64(); ok {
		return int(i)
	}
	f, _ := x.Float64()
	return int(f)
}

// Float is the value as a number, 0 where it is none.
func (v *Value) Float() float64 {
	x := v.of()
	if f, ok := x.Float64(); ok {
		return f
	}
	i, _ := x.Int64()
	return float64(i)
}

// String is the text that the value is; of other values what fmt writes, but True,
// False and None as in Python.
func (v *Value) String() string {
	x := v.of()
	if s, ok := x.Str(); ok {
		return s
	}
	switch b, isBool := x.AsBool(); {
	case isBool && b:
		return "True"
	case isBool:
		return "False"
	case x.IsNull():
		return "None"
	case v.IsNil():
		return ""
	}
	return fmt.Sprint(v.val)
}

// IsTrue reports whether `if` takes the value for true.
func (v *Value) IsTrue() bool {
	switch x := v.of(); x.Kind() {
	case vm.KindBool:
		return v.Bool()
	case vm.KindInt:
		if b, ok := v.val.(*big.Int); ok {
			return b.Sign() != 0
		}
		return v.Integer() != 0
	case vm.KindFloat:
		return v.Float() != 0
	}
	return !v.IsNil() && (v.Len() > 0 || !v.IsString() && !v.IsList() && !v.IsDict())
}

// Len is the number of characters, elements or keys, 0 where the value has none.
func (v *Value) Len() int {
	x := v.of()
	if s, ok := x.Str(); ok {
		return len([]rune(s))
	}
	if m, ok := v.val.(*vm.Map); ok {
		return m.Len()
	}
	switch r := reflect.ValueOf(v.val); r.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return r.Len()
	}
	return 0
}
