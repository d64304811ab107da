package stdlib

import (
	"strconv"
	"time"

	"github.com/pcc-lang/pcc/internal/yamlout"
	"github.com/pcc-lang/pcc/vm"
)

// yamlFilter writes a value as YAML 1.2 that 1.1 readers understand in the
// same way: block style, two spaces a level, text quoted where it would read
// as something else.
func yamlFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	var pace vm.Pace
	y := yamlWriter{env: env, out: yamlout.Emitter{Charge: env.Charge, Work: func(n int) error {
		if pace.Stopped(env, n) {
			return env.StopError()
		}
		return nil
	}}}
	if err := y.value(args[0], 0); err != nil {
		return vm.Null, err
	}
	out := y.out.Bytes()
	if y.out.EndsInBlock() {
		out = append(out, '\n') // the line break that ends a block is part of its text
	}
	return vm.String(string(out)), nil
}

type yamlWriter struct {
	env *vm.Env
	out yamlout.Emitter
}

func (y *yamlWriter) value(v vm.Value, depth int) error {
	if depth > y.env.Limits().ValueDepth {
		return tooDeep()
	}
	v = y.env.OwnText(v)
	switch {
	case isMapping(v):
		return y.mapping(v, depth)
	case isList(v):
		return y.list(v, depth)
	}
	s, isText, err := y.scalar(v)
	switch {
	case err != nil:
		return err
	case isText:
		return y.out.Text(s)
	}
	return y.out.Scalar(s)
}

func (y *yamlWriter) mapping(v vm.Value, depth int) error {
	pairs, err := entries(y.env, v)
	if err != nil {
		return err
	}
	if err := y.out.Map(len(pairs) == 0); err != nil || len(pairs) == 0 {
		return err
	}
	for _, p := range pairs {
		if err := y.key(p[0]); err != nil {
			return err
		}
		if err := y.value(p[1], depth+1); err != nil {
			return err
		}
	}
	y.out.End()
	return nil
}

func (y *yamlWriter) list(v vm.Value, depth int) error {
	items, err := collect(y.env, v)
	if err != nil {
		return err
	}
	if err := y.out.List(len(items) == 0); err != nil || len(items) == 0 {
		return err
	}
	for _, it := range items {
		if err := y.value(it, depth+1); err != nil {
			return err
		}
	}
	y.out.End()
	return nil
}

func (y *yamlWriter) key(v vm.Value) error {
	s, isText, err := y.scalar(v)
	switch {
	case err != nil:
		return err
	case isText:
		return y.out.Key(s)
	}
	return y.out.ScalarKey(s)
}

// scalar gives the text of a value that is neither map nor list, or its
// spelling where it is no text.
func (y *yamlWriter) scalar(v vm.Value) (s string, isText bool, err error) {
	switch v.Kind() {
	case vm.KindNull, vm.KindUndefined:
		if v.IsUndefined() && y.env.Dialect.UndefinedObjects() {
			if _, err := y.env.Str(v); err != nil {
				return "", false, err
			}
		}
		return "null", false, nil
	case vm.KindBool:
		b, _ := v.AsBool()
		return strconv.FormatBool(b), false, nil
	case vm.KindInt:
		i, ok := v.Big()
		if !ok {
			return "", false, y.env.Errorf("value", "an integer is too long")
		}
		return i.String(), false, nil
	case vm.KindFloat:
		f, _ := v.Float64()
		return yamlout.Float(f), false, nil
	case vm.KindTime:
		t, _ := v.Time()
		return t.Format(time.RFC3339Nano), false, nil
	}
	s, err = textOf(y.env, v)
	return s, true, err
}
