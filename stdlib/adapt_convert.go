package stdlib

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/pcc-lang/pcc/vm"
)

// target names the argument that is converted, for errors.
type target struct {
	name string
	n    int
}

// converter turns a value of a template into a Go value of one type.
type converter func(env *vm.Env, v vm.Value, at target) (reflect.Value, error)

// maxPlanDepth bounds the nesting of parameter types.
const maxPlanDepth = 8

var (
	valueType = reflect.TypeFor[vm.Value]()
	anyType   = reflect.TypeFor[any]()
	timeType  = reflect.TypeFor[time.Time]()
	bytesType = reflect.TypeFor[[]byte]()
	bigType   = reflect.TypeFor[*big.Int]()
)

// planConverter finds the conversion to t once, when a function is registered.
func planConverter(t reflect.Type, depth int) (converter, error) {
	if depth > maxPlanDepth {
		return nil, fmt.Errorf("%s is nested too deeply", t)
	}
	switch t {
	case valueType:
		return func(_ *vm.Env, v vm.Value, _ target) (reflect.Value, error) { return reflect.ValueOf(v), nil }, nil
	case anyType:
		return toAny, nil
	case timeType:
		return toTime, nil
	case bytesType:
		return toBytes, nil
	case bigType:
		return toBig, nil
	}
	switch t.Kind() {
	case reflect.String:
		return toText(t), nil
	case reflect.Bool:
		return toBool(t), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return toInteger(t), nil
	case reflect.Float32, reflect.Float64:
		return toFloat(t), nil
	case reflect.Slice:
		elem, err := planConverter(t.Elem(), depth+1)
		if err != nil {
			return nil, err
		}
		return toSlice(t, elem), nil
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("%s: keys of maps must be strings", t)
		}
		elem, err := planConverter(t.Elem(), depth+1)
		if err != nil {
			return nil, err
		}
		return toMap(t, elem), nil
	case reflect.Struct:
		return planStruct(t, depth)
	case reflect.Pointer:
		elem, err := planConverter(t.Elem(), depth+1)
		if err != nil {
			return nil, err
		}
		return toPointer(t, elem), nil
	}
	return nil, fmt.Errorf("the type %s cannot take a value of a template", t)
}

func toAny(env *vm.Env, v vm.Value, _ target) (reflect.Value, error) {
	x, err := exportValue(env, v, 0)
	if err != nil || x == nil {
		return reflect.Zero(anyType), err
	}
	return reflect.ValueOf(x), nil
}

// exportValue gives a value as a plain Go value: nil, bool, int, int64 for
// what does not fit an int, *big.Int, float64, string, []any, map[string]any,
// or what the data held. The depth is bounded by Limits.ValueDepth.
func exportValue(env *vm.Env, v vm.Value, depth int) (any, error) {
	if depth > env.Limits().ValueDepth {
		return nil, tooDeep()
	}
	switch v.Kind() {
	case vm.KindNull, vm.KindUndefined:
		return nil, nil
	case vm.KindInt:
		if i, ok := v.Int64(); ok {
			return int(i), nil
		}
	case vm.KindMap:
		if _, own := v.Map(); !own {
			break
		}
		pairs, err := entries(env, v)
		if err != nil {
			return nil, err
		}
		m := make(map[string]any, len(pairs))
		for _, p := range pairs {
			key, err := textOf(env, p[0])
			if err != nil {
				return nil, err
			}
			if m[key], err = exportValue(env, p[1], depth+1); err != nil {
				return nil, err
			}
		}
		return m, nil
	case vm.KindList, vm.KindTuple, vm.KindIterator:
		_, list := v.List()
		if !list && v.Kind() == vm.KindList {
			break
		}
		items, err := collect(env, v)
		if err != nil {
			return nil, err
		}
		out := make([]any, len(items))
		for i, it := range items {
			if out[i], err = exportValue(env, it, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v.Interface(), nil
}

func toTime(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
	if t, ok := v.Time(); ok {
		return reflect.ValueOf(t), nil
	}
	if s, ok := v.Str(); ok {
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
			return reflect.ValueOf(t), nil
		}
	}
	return reflect.Value{}, wrongArgument(env, at.name, at.n, "a time", v)
}

func toBytes(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
	if b, ok := v.Bytes(); ok {
		return reflect.ValueOf(b), nil
	}
	if s, ok := v.Str(); ok {
		return reflect.ValueOf([]byte(s)), env.Charge(len(s))
	}
	return reflect.Value{}, wrongArgument(env, at.name, at.n, "text", v)
}

func toBig(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
	i, ok := v.Big()
	if !ok {
		return reflect.Value{}, wrongArgument(env, at.name, at.n, "an integer", v)
	}
	return reflect.ValueOf(new(big.Int).Set(i)), nil
}

func toText(t reflect.Type) converter {
	return func(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
		s, ok := v.Str()
		if !ok {
			if v.IsUndefined() || isMapping(v) || v.IsSequence() || at.n > 1 {
				return reflect.Value{}, wrongArgument(env, at.name, at.n, "text", v)
			}
			var err error
			if s, err = env.Str(v); err != nil {
				return reflect.Value{}, err
			}
		}
		return reflect.ValueOf(s).Convert(t), nil
	}
}

func toBool(t reflect.Type) converter {
	return func(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
		b, ok := v.AsBool()
		if !ok {
			return reflect.Value{}, wrongArgument(env, at.name, at.n, "a boolean", v)
		}
		return reflect.ValueOf(b).Convert(t), nil
	}
}

func toInteger(t reflect.Type) converter {
	return func(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
		i, ok := v.Int64()
		if f, isFloat := v.Float64(); isFloat && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			i, ok = int64(f), true
		}
		if !ok {
			return reflect.Value{}, wrongArgument(env, at.name, at.n, "an integer", v)
		}
		x := reflect.New(t).Elem()
		if x.CanInt() {
			ok = !x.OverflowInt(i)
			x.SetInt(i)
		} else {
			ok = i >= 0 && !x.OverflowUint(uint64(i))
			x.SetUint(uint64(i))
		}
		if !ok {
			return reflect.Value{}, &vm.Error{
				Kind: "overflow", Msg: fmt.Sprintf("argument %d of %s is out of range for %s", at.n, at.name, t),
				Help: "give a smaller number",
			}
		}
		return x, nil
	}
}

func toFloat(t reflect.Type) converter {
	return func(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
		if k := v.Kind(); k != vm.KindInt && k != vm.KindFloat {
			return reflect.Value{}, wrongArgument(env, at.name, at.n, "a number", v)
		}
		f, err := floatArg(env, v, "the argument")
		return reflect.ValueOf(f).Convert(t), err
	}
}

func toSlice(t reflect.Type, elem converter) converter {
	return func(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
		if v.IsNull() {
			return reflect.Zero(t), nil
		}
		if !isList(v) {
			return reflect.Value{}, wrongArgument(env, at.name, at.n, "a list", v)
		}
		items, err := collect(env, v)
		if err != nil {
			return reflect.Value{}, err
		}
		out := reflect.MakeSlice(t, len(items), len(items))
		for i, it := range items {
			x, err := elem(env, it, at)
			if err != nil {
				return reflect.Value{}, err
			}
			out.Index(i).Set(x)
		}
		return out, nil
	}
}

func toMap(t reflect.Type, elem converter) converter {
	return func(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
		if v.IsNull() {
			return reflect.Zero(t), nil
		}
		if !isMapping(v) {
			return reflect.Value{}, wrongArgument(env, at.name, at.n, "a map", v)
		}
		pairs, err := entries(env, v)
		if err != nil {
			return reflect.Value{}, err
		}
		out := reflect.MakeMapWithSize(t, len(pairs))
		for _, p := range pairs {
			key, err := textOf(env, p[0])
			if err != nil {
				return reflect.Value{}, err
			}
			x, err := elem(env, p[1], at)
			if err != nil {
				return reflect.Value{}, err
			}
			out.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), x)
		}
		return out, nil
	}
}

func toPointer(t reflect.Type, elem converter) converter {
	return func(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
		if v.IsNull() {
			return reflect.Zero(t), nil
		}
		if x := reflect.ValueOf(v.Interface()); x.IsValid() && x.Type() == t {
			return x, nil
		}
		x, err := elem(env, v, at)
		if err != nil {
			return reflect.Value{}, err
		}
		p := reflect.New(t.Elem())
		p.Elem().Set(x)
		return p, nil
	}
}

// planStruct fills a struct from a map by the names of its json tags. A value
// of just this type is handed over as it is.
func planStruct(t reflect.Type, depth int) (converter, error) {
	type field struct {
		name  string
		index int
		set   converter
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		set, err := planConverter(f.Type, depth+1)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{name, i, set})
	}
	return func(env *vm.Env, v vm.Value, at target) (reflect.Value, error) {
		x := reflect.ValueOf(v.Interface())
		for x.Kind() == reflect.Pointer && !x.IsNil() {
			x = x.Elem()
		}
		if x.IsValid() && x.Type() == t {
			return x, nil
		}
		if !isMapping(v) {
			return reflect.Value{}, wrongArgument(env, at.name, at.n, "a map", v)
		}
		out := reflect.New(t).Elem()
		for _, f := range fields {
			x, found := vm.Lookup(v, f.name)
			if !found {
				continue
			}
			y, err := f.set(env, x, at)
			if err != nil {
				return reflect.Value{}, err
			}
			out.Field(f.index).Set(y)
		}
		return out, nil
	}, nil
}
