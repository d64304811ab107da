package exec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// Evaluator is what the peer gives to filters; here it holds nothing.
type Evaluator struct{}

// FilterFunction is a filter: of a value and arguments it makes a value, or one of
// AsValue(err) where it fails. It must be safe for use by several renders at once.
type FilterFunction func(e *Evaluator, in *Value, params *VarArgs) *Value

// FilterSet holds filters by name.
type FilterSet struct {
	lock    sync.RWMutex
	filters map[string]FilterFunction
}

// NewFilterSet returns a set of these filters.
func NewFilterSet(filters map[string]FilterFunction) *FilterSet {
	s := &FilterSet{filters: map[string]FilterFunction{}}
	maps.Copy(s.filters, filters)
	return s
}

// Exists reports whether the set has a filter of that name.
func (s *FilterSet) Exists(name string) bool {
	_, ok := s.Get(name)
	return ok
}

// Get returns the filter of that name.
func (s *FilterSet) Get(name string) (FilterFunction, bool) {
	s.lock.RLock()
	defer s.lock.RUnlock()
	f, ok := s.filters[name]
	return f, ok
}

// Register adds a filter, for templates that are compiled later. It is an error
// where the set has one of that name.
func (s *FilterSet) Register(name string, f FilterFunction) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if _, ok := s.filters[name]; ok {
		return fmt.Errorf("there is a filter %q already", name)
	}
	s.filters[name] = f
	return nil
}

// Replace changes a filter that the set has.
func (s *FilterSet) Replace(name string, f FilterFunction) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if _, ok := s.filters[name]; !ok {
		return fmt.Errorf("there is no filter %q", name)
	}
	s.filters[name] = f
	return nil
}

// Update adds the filters of other, and returns s.
func (s *FilterSet) Update(other *FilterSet) *FilterSet {
	if other == nil {
		return s
	}
	other.lock.RLock()
	more := maps.Clone(other.filters)
	other.lock.RUnlock()
	s.lock.Lock()
	maps.Copy(s.filters, more)
	s.lock.Unlock()
	return s
}

// options adds the filters to a compilation.
func (s *FilterSet) options() []compiler.Option {
	if s == nil {
		return nil
	}
	s.lock.RLock()
	defer s.lock.RUnlock()
	var options []compiler.Option
	for _, name := range slices.Sorted(maps.Keys(s.filters)) {
		f := s.filters[name]
		options = append(options, compiler.WithFilter(name, builtinOf(name, true, func(in *Value, args *VarArgs) *Value {
			return f(&Evaluator{}, in, args)
		})))
	}
	return options
}

// builtinOf adapts a function that takes any arguments.
func builtinOf(name string, filter bool, f func(in *Value, args *VarArgs) *Value) *vm.Builtin {
	b := &vm.Builtin{Name: name, User: true, Impure: true, Doc: "A function of the host program."}
	if filter {
		b.Params = append(b.Params, vm.ParamSpec{Name: "value"})
	}
	b.Params = append(b.Params, vm.ParamSpec{Name: "args", Kind: vm.Variadic}, vm.ParamSpec{Name: "kwargs", Kind: vm.Keywords})
	b.Fn = func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		var in *Value
		if filter {
			in, args = &Value{val: args[0].Interface(), Safe: args[0].IsSafe()}, args[1:]
		}
		params := &VarArgs{KwArgs: map[string]*Value{}}
		if t, ok := args[0].Tuple(); ok {
			for _, v := range t.Items {
				params.Args = append(params.Args, &Value{val: v.Interface()})
			}
		}
		if m, ok := args[1].Map(); ok {
			for i := range m.Len() {
				k, v := m.At(i)
				key, _ := k.Str()
				params.KwArgs[key] = &Value{val: v.Interface()}
			}
		}
		out := f(in, params)
		switch {
		case out == nil:
			return vm.Null, nil
		case out.IsError():
			return vm.Null, fmt.Errorf("%s: %w", name, out.val.(error))
		case out.Safe:
			if s, ok := out.val.(string); ok {
				if err := env.Charge(len(s)); err != nil {
					return vm.Null, err
				}
				return vm.Safe(s), nil
			}
		}
		return vm.Of(out.val), nil
	}
	return b
}

// ErrInvalidCall marks an error of a filter's arguments.
type ErrInvalidCall error

var errArguments = errors.New("wrong arguments")
