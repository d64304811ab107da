package vm

import (
	"fmt"
	"slices"
)

// bind lays args out as b's parameters ask for: one value each, defaults
// filled in, *args as a tuple, **kwargs as a map. What it returns is args, or
// lies on the stack of arguments.
func (e *Env) bind(b *Builtin, args []Value, names []string) ([]Value, error) {
	if len(names) == 0 && len(args) == len(b.Params) && simple(b.Params) {
		return args, nil
	}
	positional := args[:len(args)-len(names)]
	keywords := args[len(positional):]
	if len(names) > 0 && b.PositionalOnly {
		return nil, e.bindError(b, "%s() takes no keyword arguments", b.Name)
	}
	bound := e.pushArgs(len(b.Params))
	if len(names) == 0 && len(args) < len(b.Params) && b.Params[len(args)].Kind == Optional && simple(b.Params) {
		copy(bound, args)
		required := false
		for i := len(args); i < len(bound); i++ {
			required = required || b.Params[i].Kind == Required
			bound[i] = b.Params[i].Default
		}
		if !required {
			return bound, nil
		}
		clear(bound)
	}
	var few [12]bool
	given := few[:]
	if len(b.Params) > len(few) {
		given = make([]bool, len(b.Params))
	}
	rest := -1 // the parameter that collects keywords
	next := 0
	for i := range b.Params {
		switch b.Params[i].Kind {
		case Variadic:
			// Parameters after *args take keywords only.
			if err := e.Hold(tupleSize + valueSize*(len(positional)-next)); err != nil {
				return nil, err
			}
			bound[i], given[i] = TupleOf(slices.Clone(positional[next:])), true
			next = len(positional)
		case Keywords:
			if err := e.Hold(mapSize); err != nil {
				return nil, err
			}
			bound[i], given[i], rest = MapOf(NewMap(len(names))), true, i
		default:
			if next < len(positional) {
				bound[i], given[i] = positional[next], true
				next++
			}
		}
	}
	if next < len(positional) {
		return nil, e.tooMany(b, len(positional))
	}
	for k, name := range names {
		i := slices.IndexFunc(b.Params, func(p ParamSpec) bool {
			return p.Name == name && p.Kind != Variadic && p.Kind != Keywords
		})
		switch {
		case i >= 0 && given[i]:
			return nil, e.bindError(b, "%s() got multiple values for argument '%s'", b.Name, name)
		case i >= 0:
			bound[i], given[i] = keywords[k], true
		case rest >= 0:
			m, _ := bound[rest].Map()
			if _, twice := m.Get(name); twice {
				return nil, e.keywordError(b, "got multiple values for keyword argument", "got multiple values for a keyword argument", name)
			}
			if _, err := e.Put(m, String(name), keywords[k]); err != nil {
				return nil, err
			}
		default:
			return nil, e.keywordError(b, "got an unexpected keyword argument", "got an unexpected keyword argument", name)
		}
	}
	for i := range b.Params {
		if given[i] {
			continue
		}
		if b.Params[i].Kind == Required {
			return nil, e.missing(b, given)
		}
		bound[i] = b.Params[i].Default
	}
	return bound, nil
}

// simple reports whether no parameter collects several arguments.
func simple(params []ParamSpec) bool {
	for i := range params {
		if params[i].Kind >= Variadic {
			return false
		}
	}
	return true
}

func (e *Env) bindError(b *Builtin, format string, args ...any) error {
	return &Error{Kind: "type", Msg: fmt.Sprintf(format, args...), Help: "the signature is " + b.Signature()}
}

// keywordError is bindError about a keyword argument.
func (e *Env) keywordError(b *Builtin, naming, unnamed, name string) error {
	err := KeywordError("type", b.Name+"() "+naming, b.Name+"() "+unnamed, name)
	err.Help = "the signature is " + b.Signature()
	return err
}

func (e *Env) tooMany(b *Builtin, n int) error {
	least, most := 0, 0
	for _, p := range b.Params {
		switch p.Kind {
		case Required:
			least, most = least+1, most+1
		case Optional:
			most++
		}
	}
	want := fmt.Sprint(most)
	if least < most {
		want = fmt.Sprintf("from %d to %d", least, most)
	}
	return e.bindError(b, "%s() takes %s positional argument%s but %d were given", b.Name, want, plural(most), n)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func (e *Env) missing(b *Builtin, given []bool) error {
	var names []string
	for i, p := range b.Params {
		if p.Kind == Required && !given[i] {
			names = append(names, "'"+p.Name+"'")
		}
	}
	list := names[0]
	for i, n := range names[1:] {
		if i == len(names)-2 {
			list += " and " + n
		} else {
			list += ", " + n
		}
	}
	return e.bindError(b, "%s() missing %d required positional argument%s: %s", b.Name, len(names), plural(len(names)), list)
}
