package stdlib

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// spec is one row of a table of builtins. sig lists the parameters as Python
// does, the subject or receiver first: "s, length=255, *rest, **options".
// Defaults are null, true, false, numbers or text in single quotes.
type spec struct {
	name, sig, doc string
	fn             vm.Func
	flags          flag
}

// flag marks builtins with a rule of their own.
type flag uint8

const (
	// impure: reads a clock, a random source or state; never folded.
	impure flag = 1 << iota
	// undefinedOK: an undefined subject is an ordinary one.
	undefinedOK
	// undefinedJinja: in Jinja it is, since the function looks at its subject
	// only later, or only prints it.
	undefinedJinja
	// positional: no keyword arguments, as with most Python methods.
	positional
)

// build makes the builtin of a row.
func (s spec) build() (*vm.Builtin, error) {
	params, err := parseSignature(s.sig)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return &vm.Builtin{
		Name:           s.name,
		Params:         params,
		Doc:            s.doc,
		Fn:             s.fn,
		Impure:         s.flags&impure != 0,
		TakesUndefined: s.flags&undefinedOK != 0,
		PositionalOnly: s.flags&positional != 0,
	}, nil
}

// buildJinja is buildAll with the rules that hold in Jinja only.
func buildJinja(tables ...[]spec) map[string]*vm.Builtin {
	out := buildAll(tables...)
	for _, t := range tables {
		for _, s := range t {
			if s.flags&undefinedJinja != 0 {
				out[s.name].TakesUndefined = true
			}
		}
	}
	return out
}

// withText gives filters the short way of onText.
func withText(filters map[string]*vm.Builtin) map[string]*vm.Builtin {
	for name, f := range onText {
		filters[name].Text = f
	}
	return filters
}

// buildAll makes a map of the rows of several tables; later rows win.
func buildAll(tables ...[]spec) map[string]*vm.Builtin {
	out := make(map[string]*vm.Builtin)
	for _, t := range tables {
		for _, s := range t {
			b, err := s.build()
			if err != nil {
				// A row of our own tables is wrong: a test walks them all.
				panic("stdlib: " + err.Error())
			}
			out[s.name] = b
		}
	}
	return out
}

// parseSignature reads the parameters of a row.
func parseSignature(sig string) ([]vm.ParamSpec, error) {
	var params []vm.ParamSpec
	rest := strings.TrimSpace(sig)
	for rest != "" {
		var part string
		part, rest = cutParameter(rest)
		part = strings.TrimSpace(part)
		name, def, hasDefault := strings.Cut(part, "=")
		switch {
		case strings.HasPrefix(part, "**"):
			params = append(params, vm.ParamSpec{Name: part[2:], Kind: vm.Keywords})
		case strings.HasPrefix(part, "*"):
			params = append(params, vm.ParamSpec{Name: part[1:], Kind: vm.Variadic})
		case hasDefault:
			v, err := parseDefault(def)
			if err != nil {
				return nil, err
			}
			params = append(params, vm.ParamSpec{Name: name, Kind: vm.Optional, Default: v})
		case part == "":
			return nil, fmt.Errorf("empty parameter in %q", sig)
		default:
			params = append(params, vm.ParamSpec{Name: part, Kind: vm.Required})
		}
	}
	return params, nil
}

// cutParameter splits at the first comma outside quotes.
func cutParameter(s string) (part, rest string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'':
			quoted = !quoted
		case ',':
			if !quoted {
				return s[:i], strings.TrimSpace(s[i+1:])
			}
		}
	}
	return s, ""
}

func parseDefault(s string) (vm.Value, error) {
	switch s {
	case "null":
		return vm.Null, nil
	case "true":
		return vm.Bool(true), nil
	case "false":
		return vm.Bool(false), nil
	}
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return vm.String(s[1 : len(s)-1]), nil
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return vm.Int(i), nil
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return vm.Float(f), nil
	}
	return vm.Null, fmt.Errorf("bad default %q", s)
}
