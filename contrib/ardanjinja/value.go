package jinja

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// Kind is the type of a Value.
type Kind int

// The kinds of values.
const (
	KindUndefined Kind = iota
	KindNone
	KindBool
	KindInt
	KindFloat
	KindString
	KindList
	KindDict
	KindCallable
)

// Value is a value for RenderValues and for functions. The zero Value is undefined.
type Value struct {
	kind Kind
	v    any // bool, int64, float64, string, *List, *Dict, *Callable or, of another type of the host, that
}

// List is a sequence of values.
type List struct{ Items []Value }

// Len is the number of items, Get the item i, Append adds one.
func (l *List) Len() int        { return len(l.Items) }
func (l *List) Get(i int) Value { return l.Items[i] }
func (l *List) Append(v Value)  { l.Items = append(l.Items, v) }

// Dict holds values by name and keeps their order.
type Dict struct {
	Keys []string
	Data map[string]Value
}

// Get returns the value of a key.
func (d *Dict) Get(key string) (Value, bool) {
	v, ok := d.Data[key]
	return v, ok
}

// Set sets the value of a key; a new one is the last.
func (d *Dict) Set(key string, v Value) {
	if _, ok := d.Data[key]; !ok {
		d.Keys = append(d.Keys, key)
	}
	d.Data[key] = v
}

// Has reports whether there is such a key, Len counts them, OrderedKeys lists them.
func (d *Dict) Has(key string) bool   { _, ok := d.Data[key]; return ok }
func (d *Dict) Len() int              { return len(d.Keys) }
func (d *Dict) OrderedKeys() []string { return slices.Clone(d.Keys) }

// Callable is a function that templates call.
type Callable struct {
	Name string
	Fn   func(args []Value, kwargs map[string]Value) (Value, error)
}

// Undefined and None are the values of that name; the others hold a Go value.
func Undefined() Value            { return Value{} }
func None() Value                 { return Value{kind: KindNone} }
func NewBool(b bool) Value        { return Value{KindBool, b} }
func NewInt(n int64) Value        { return Value{KindInt, n} }
func NewFloat(f float64) Value    { return Value{KindFloat, f} }
func NewString(s string) Value    { return Value{KindString, s} }
func NewList(items []Value) Value { return Value{KindList, &List{items}} }
func NewDict() Value              { return Value{KindDict, &Dict{Data: map[string]Value{}}} }

// NewCallable makes a function of that name. It must be safe for use by several
// renders at once.
func NewCallable(name string, fn func(args []Value, kwargs map[string]Value) (Value, error)) Value {
	return Value{KindCallable, &Callable{name, fn}}
}

// IsUndefined and its like tell the kind.
func (v Value) IsUndefined() bool { return v.kind == KindUndefined }
func (v Value) IsNone() bool      { return v.kind == KindNone }
func (v Value) IsBool() bool      { return v.kind == KindBool }
func (v Value) IsInt() bool       { return v.kind == KindInt }
func (v Value) IsFloat() bool     { return v.kind == KindFloat }
func (v Value) IsNumber() bool    { return v.IsInt() || v.IsFloat() }
func (v Value) IsString() bool    { return v.kind == KindString }
func (v Value) IsList() bool      { return v.kind == KindList }
func (v Value) IsDict() bool      { return v.kind == KindDict }
func (v Value) IsCallable() bool  { return v.kind == KindCallable }

// AsBool and its like return what the value holds; of another kind they give the zero
// value, nil for AsList, AsDict and AsCallable.
func (v Value) AsBool() bool          { x, _ := v.v.(bool); return x }
func (v Value) AsInt() int64          { x, _ := v.v.(int64); return x }
func (v Value) AsFloat() float64      { x, _ := v.v.(float64); return x }
func (v Value) AsString() string      { x, _ := v.v.(string); return x }
func (v Value) AsList() *List         { x, _ := v.v.(*List); return x }
func (v Value) AsDict() *Dict         { x, _ := v.v.(*Dict); return x }
func (v Value) AsCallable() *Callable { x, _ := v.v.(*Callable); return x }

// FromGoValue makes a value of a Go value. Keys of maps are sorted; raw JSON
// (json.RawMessage) keeps their order. Of a type that Render takes and this package
// has no kind for, such as a struct, it makes an opaque dictionary.
func FromGoValue(x any) Value {
	switch x := x.(type) {
	case nil:
		return None()
	case Value:
		return x
	case bool:
		return NewBool(x)
	case string:
		return NewString(x)
	case int:
		return NewInt(int64(x))
	case int64:
		return NewInt(x)
	case float64:
		return NewFloat(x)
	case json.Number:
		if i, err := strconv.ParseInt(string(x), 10, 64); err == nil {
			return NewInt(i)
		}
		if f, err := x.Float64(); err == nil && strings.ContainsAny(string(x), ".eE") {
			return NewFloat(f)
		}
		return Value{KindInt, x} // beyond 64 bits
	case []Value:
		return NewList(slices.Clone(x))
	case []any:
		items := make([]Value, len(x))
		for i, v := range x {
			items[i] = FromGoValue(v)
		}
		return NewList(items)
	case map[string]any:
		d := NewDict()
		for _, k := range slices.Sorted(maps.Keys(x)) {
			d.AsDict().Set(k, FromGoValue(x[k]))
		}
		return d
	}
	return Value{KindDict, x}
}

// maxDepth bounds how deep values lie in each other: deeper ones are cyclic.
const maxDepth = 1000

var errDepth = errors.New("the value is nested more than 1000 deep, or holds itself: give it without cycles")

// export makes what the virtual machine renders. name is that of a function.
func (v Value) export(name string, depth int) (vm.Value, error) {
	if depth > maxDepth {
		return vm.Null, errDepth
	}
	switch x := v.v.(type) {
	case *List:
		items := make([]vm.Value, len(x.Items))
		for i, item := range x.Items {
			var err error
			if items[i], err = item.export(name, depth+1); err != nil {
				return vm.Null, err
			}
		}
		return vm.ListOf(items), nil
	case *Dict:
		m, err := exportMap(x.Keys, x.Data, depth+1)
		return vm.MapOf(m), err
	case *Callable:
		if x.Name != "" {
			name = x.Name
		}
		return vm.ObjectOf(x.builtin(name)), nil
	}
	if v.IsUndefined() {
		return vm.UndefinedOf(&vm.Undefined{Name: name}), nil
	}
	return vm.Of(v.v), nil
}

// exportMap makes a map of the values of these keys, but for undefined ones.
func exportMap(keys []string, data map[string]Value, depth int) (*vm.Map, error) {
	m := vm.NewMap(len(keys))
	for _, k := range keys {
		v := data[k]
		if v.IsUndefined() {
			continue
		}
		x, err := v.export(k, depth)
		if err != nil {
			return nil, err
		}
		m.Set(k, x)
	}
	return m, nil
}

// builtin adapts the function.
func (c *Callable) builtin(name string) *vm.Builtin {
	return &vm.Builtin{
		Name: name, User: true, Impure: true, Doc: "A function of the host program.",
		Params: []vm.ParamSpec{{Name: "args", Kind: vm.Variadic}, {Name: "kwargs", Kind: vm.Keywords}},
		Fn: func(_ *vm.Env, in []vm.Value) (vm.Value, error) {
			var args []Value
			if t, ok := in[0].Tuple(); ok {
				for _, x := range t.Items {
					v, err := imported(x, 0)
					if err != nil {
						return vm.Null, err
					}
					args = append(args, v)
				}
			}
			kwargs := map[string]Value{}
			if m, ok := in[1].Map(); ok {
				for i := range m.Len() {
					k, x := m.At(i)
					key, _ := k.Str()
					v, err := imported(x, 0)
					if err != nil {
						return vm.Null, err
					}
					kwargs[key] = v
				}
			}
			out, err := c.Fn(args, kwargs)
			if err != nil {
				return vm.Null, fmt.Errorf("%s: %w", name, err)
			}
			return out.export(name, 0)
		},
	}
}

// imported is the value of this package for one of the machine's.
func imported(x vm.Value, depth int) (Value, error) {
	if depth > maxDepth {
		return Undefined(), errDepth
	}
	if x.IsUndefined() || x.IsMissing() {
		return Undefined(), nil
	}
	if m, ok := x.Map(); ok {
		d := NewDict()
		for i := range m.Len() {
			k, item := m.At(i)
			v, err := imported(item, depth+1)
			if err != nil {
				return Undefined(), err
			}
			key, ok := k.Str()
			if !ok {
				key = fmt.Sprint(k.Interface())
			}
			d.AsDict().Set(key, v)
		}
		return d, nil
	}
	var items []vm.Value
	if l, ok := x.List(); ok {
		items = l.Items
	} else if t, ok := x.Tuple(); ok {
		items = t.Items
	} else {
		return FromGoValue(x.Interface()), nil
	}
	out := make([]Value, len(items))
	for i, item := range items {
		var err error
		if out[i], err = imported(item, depth+1); err != nil {
			return Undefined(), err
		}
	}
	return NewList(out), nil
}
