package exec

import (
	"fmt"
	"maps"
	"slices"
)

// VarArgs are the arguments of a call.
type VarArgs struct {
	Args   []*Value
	KwArgs map[string]*Value
}

// First returns the first positional argument, none where there is none.
func (va *VarArgs) First() *Value {
	if len(va.Args) == 0 {
		return AsValue(nil)
	}
	return va.Args[0]
}

// GetKeywordArgument returns the keyword argument of that name, or the fallback.
func (va *VarArgs) GetKeywordArgument(key string, fallback any) *Value {
	if v, ok := va.KwArgs[key]; ok {
		return v
	}
	return AsValue(fallback)
}

// ArgumentTransmuter stores an argument where a filter wants it, or says why not.
type ArgumentTransmuter func(*Value) error

// Argument is a parameter of a filter, for Take.
type Argument struct {
	name       string
	keyword    bool
	fallback   *Value
	transmuter []ArgumentTransmuter
}

// PositionalArgument is a parameter that may be given by its place or name. Without
// a fallback it must be given. Each transmuter is called with the argument.
func PositionalArgument(name string, fallback *Value, transmuters ...ArgumentTransmuter) *Argument {
	return &Argument{name: name, fallback: fallback, transmuter: transmuters}
}

// KeywordArgument is a parameter that may be left out.
func KeywordArgument(name string, defaultValue *Value, transmuters ...ArgumentTransmuter) *Argument {
	return &Argument{name: name, keyword: true, fallback: defaultValue, transmuter: transmuters}
}

// Take stores the arguments by the parameters' transmuters. It is an error where one
// is missing, wrong, or more than the parameters.
func (va *VarArgs) Take(parameters ...*Argument) error {
	left := maps.Clone(va.KwArgs)
	for i, p := range parameters {
		v, named := left[p.name]
		delete(left, p.name)
		switch {
		case i < len(va.Args) && named:
			return ErrInvalidCall(fmt.Errorf("%w: %q is given twice", errArguments, p.name))
		case i < len(va.Args):
			v = va.Args[i]
		case !named && p.fallback == nil && !p.keyword:
			return ErrInvalidCall(fmt.Errorf("%w: %q is missing", errArguments, p.name))
		case !named:
			v = p.fallback
			if v == nil {
				v = AsValue(nil)
			}
		}
		for _, store := range p.transmuter {
			if err := store(v); err != nil {
				return ErrInvalidCall(fmt.Errorf("%w: %q: %w", errArguments, p.name, err))
			}
		}
	}
	if n := len(va.Args); n > len(parameters) {
		return ErrInvalidCall(fmt.Errorf("%w: %d instead of at most %d", errArguments, n, len(parameters)))
	}
	if names := slices.Sorted(maps.Keys(left)); len(names) > 0 {
		return ErrInvalidCall(fmt.Errorf("%w: there is no parameter %q", errArguments, names[0]))
	}
	return nil
}

// transmute stores what get makes of a value for which is holds.
func transmute[T any](output *T, what string, is func(*Value) bool, get func(*Value) T) ArgumentTransmuter {
	return func(v *Value) error {
		if !is(v) {
			return fmt.Errorf("it is not %s", what)
		}
		*output = get(v)
		return nil
	}
}

// BoolArgument stores a bool.
func BoolArgument(output *bool) ArgumentTransmuter {
	return transmute(output, "a bool", (*Value).IsBool, (*Value).Bool)
}

// StringArgument stores a text.
func StringArgument(output *string) ArgumentTransmuter {
	return transmute(output, "a text", (*Value).IsString, (*Value).String)
}

// IntArgument stores an integer.
func IntArgument(output *int) ArgumentTransmuter {
	return transmute(output, "an integer", (*Value).IsInteger, (*Value).Integer)
}

// FloatArgument stores a float.
func FloatArgument(output *float64) ArgumentTransmuter {
	return transmute(output, "a float", (*Value).IsFloat, (*Value).Float)
}

// NumberArgument stores a number.
func NumberArgument(output *float64) ArgumentTransmuter {
	return transmute(output, "a number", (*Value).IsNumber, (*Value).Float)
}

// AnyArgument stores anything.
func AnyArgument(output *any) ArgumentTransmuter {
	return transmute(output, "", func(*Value) bool { return true }, (*Value).Interface)
}
