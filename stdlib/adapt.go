package stdlib

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/vm"
)

// Adapt makes a builtin of a Go function: a filter, test or function, named as
// templates call it. The function is planned once, here; common shapes are
// called directly, others through reflection.
//
// Parameters may be string, bool, integers, floats, time.Time, []byte, any
// ([]any for lists, map[string]any for maps), slices, maps and structs (by
// their json fields) of these, and vm.Value; a *vm.Env comes first where the
// function wants one; the last may be variadic. Results are one value, or one
// value and an error. Of a filter or test the first parameter is the subject.
//
// Adapt fails for other shapes. A *vm.Builtin is returned as it is.
func Adapt(name string, fn any) (*vm.Builtin, error) {
	b := &vm.Builtin{Name: name, User: true, PositionalOnly: true, Doc: "A function of the host program."}
	if r := reflect.ValueOf(fn); r.Kind() == reflect.Func && r.IsNil() {
		return nil, fmt.Errorf("stdlib: %s: the function is nil", name)
	}
	switch f := fn.(type) {
	case *vm.Builtin:
		return f, nil
	case vm.Func:
		return nil, fmt.Errorf("stdlib: %s: give a *vm.Builtin, whose signature tells the parameters", name)
	case func(string) string:
		b.Params = subjectParams(1)
		b.Fn = func(env *vm.Env, args []vm.Value) (vm.Value, error) {
			s, err := adaptText(env, name, args[0])
			if err != nil {
				return vm.Null, err
			}
			return vm.String(f(s)), nil
		}
		return b, nil
	case func(string) (string, error):
		b.Params = subjectParams(1)
		b.Fn = func(env *vm.Env, args []vm.Value) (vm.Value, error) {
			s, err := adaptText(env, name, args[0])
			if err != nil {
				return vm.Null, err
			}
			out, err := f(s)
			return vm.String(out), hostError(name, err)
		}
		return b, nil
	case func(any) any:
		b.Params = subjectParams(1)
		b.Fn = func(env *vm.Env, args []vm.Value) (vm.Value, error) {
			x, err := exportValue(env, args[0], 0)
			if err != nil {
				return vm.Null, err
			}
			return resultOf(env, f(x))
		}
		return b, nil
	case func(vm.Value) (vm.Value, error):
		b.Params = subjectParams(1)
		b.Fn = func(_ *vm.Env, args []vm.Value) (vm.Value, error) {
			out, err := f(args[0])
			return out, hostError(name, err)
		}
		return b, nil
	}
	return adaptReflect(b, fn)
}

// subjectParams are the parameters of a function of n values.
func subjectParams(n int) []vm.ParamSpec {
	params := make([]vm.ParamSpec, n)
	for i := range params {
		params[i] = vm.ParamSpec{Name: "arg" + strconv.Itoa(i+1), Kind: vm.Required}
	}
	if n > 0 {
		params[0].Name = "value"
	}
	return params
}

// adaptText gives text as it is and other values as printed, but refuses what
// is missing, lists and maps: a function of text is not meant for them.
func adaptText(env *vm.Env, name string, v vm.Value) (string, error) {
	if s, ok := v.Str(); ok {
		return s, nil
	}
	if v.IsUndefined() || isMapping(v) || v.IsSequence() {
		return "", wrongArgument(env, name, 1, "text", v)
	}
	return env.Str(v)
}

func wrongArgument(env *vm.Env, name string, n int, want string, v vm.Value) error {
	if err := refuseUndefined(env, v); err != nil {
		return err
	}
	return &vm.Error{
		Kind: "type",
		Msg:  fmt.Sprintf("argument %d of %s must be %s, not %s", n, name, want, env.TypeName(v)),
		Help: "give the function a value of the type that it was written for",
	}
}

// hostError reports an error of a host's function. Its text is the host's own;
// errors that are ours already stay as they are.
func hostError(name string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*vm.Error); ok {
		return e
	}
	if e := vm.LimitOf(err); e != nil {
		return e
	}
	return &vm.Error{Kind: "runtime", Msg: name + ": " + err.Error(), Help: "the function of the host program failed", Cause: err}
}

// adapter is the plan of a function that is called through reflection.
type adapter struct {
	name    string
	fn      reflect.Value
	params  []converter // without the Env
	rest    converter   // of a variadic parameter, else nil
	withEnv bool
	fails   bool // the last result is an error
}

var (
	envType   = reflect.TypeFor[*vm.Env]()
	errorType = reflect.TypeFor[error]()
)

func adaptReflect(b *vm.Builtin, fn any) (*vm.Builtin, error) {
	r := reflect.ValueOf(fn)
	if r.Kind() != reflect.Func {
		return nil, fmt.Errorf("stdlib: %s: %T is no function", b.Name, fn)
	}
	t := r.Type()
	a := &adapter{name: b.Name, fn: r}
	switch n := t.NumOut(); {
	case n == 1 && t.Out(0) != errorType:
	case n == 2 && t.Out(1) == errorType:
		a.fails = true
	default:
		return nil, fmt.Errorf("stdlib: %s: %s must give one value, or a value and an error", b.Name, t)
	}
	for i := range t.NumIn() {
		in := t.In(i)
		if i == 0 && in == envType {
			a.withEnv = true
			continue
		}
		variadic := t.IsVariadic() && i == t.NumIn()-1
		if variadic {
			in = in.Elem()
		}
		c, err := planConverter(in, 0)
		if err != nil {
			return nil, fmt.Errorf("stdlib: %s: parameter %d: %w", b.Name, i+1, err)
		}
		if variadic {
			a.rest = c
		} else {
			a.params = append(a.params, c)
		}
	}
	b.Params = subjectParams(len(a.params))
	if a.rest != nil {
		b.Params = append(b.Params, vm.ParamSpec{Name: "args", Kind: vm.Variadic})
	}
	b.Fn = a.call
	return b, nil
}

func (a *adapter) call(env *vm.Env, args []vm.Value) (vm.Value, error) {
	in := make([]reflect.Value, 0, len(args)+1)
	if a.withEnv {
		in = append(in, reflect.ValueOf(env))
	}
	for i, c := range a.params {
		x, err := c(env, args[i], target{a.name, i + 1})
		if err != nil {
			return vm.Null, err
		}
		in = append(in, x)
	}
	if a.rest != nil {
		rest, _ := unpackRest(args[len(a.params)], vm.Null)
		for i, v := range rest {
			x, err := a.rest(env, v, target{a.name, len(a.params) + i + 1})
			if err != nil {
				return vm.Null, err
			}
			in = append(in, x)
		}
	}
	out := a.fn.Call(in)
	if a.fails {
		if err, _ := out[1].Interface().(error); err != nil {
			return vm.Null, hostError(a.name, err)
		}
	}
	return resultOf(env, out[0].Interface())
}

// resultOf makes a value of what a function of the host returns. Raw JSON is
// copied: its memory is the host's, which may use it again, and what was decoded
// is known by where it lies.
//
// From Go 1.27 on the two types of raw JSON are one, which a type switch may name
// only once.
func resultOf(env *vm.Env, x any) (vm.Value, error) {
	if raw, ok := x.(json.RawMessage); ok {
		if err := env.Charge(len(raw)); err != nil {
			return vm.Null, err
		}
		x = slices.Clone(raw)
	} else if raw, ok := x.(jsontext.Value); ok {
		if err := env.Charge(len(raw)); err != nil {
			return vm.Null, err
		}
		x = slices.Clone(raw)
	}
	return vm.Of(x), nil
}
