package stdlib

import (
	"bufio"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

// The files of testdata/stdlib hold calls with what Python 3.11 and Jinja 3.1.6
// made of them: a value, arguments, and the repr of the result or the class of
// the error. Values that JSON lacks are written {"$tuple": […]}, {"$safe": "…"},
// {"$float": "nan"}, {"$undefined": "name"}, {"$bytes": "hex"}, {"$map": […]}.
func TestGolden(t *testing.T) {
	d := Jinja()
	for _, tc := range []struct {
		file string
		find func(on vm.Value, name string) *vm.Builtin
	}{
		{"filters", func(_ vm.Value, name string) *vm.Builtin { return d.Filters[name] }},
		{"tests", func(_ vm.Value, name string) *vm.Builtin { return d.Tests[name] }},
		{"methods", func(on vm.Value, name string) *vm.Builtin {
			kind := on.Kind()
			if kind == vm.KindBool {
				kind = vm.KindInt
			}
			return d.Methods[kind][name]
		}},
	} {
		t.Run(tc.file, func(t *testing.T) {
			f, err := os.Open(filepath.Join("..", "testdata", "stdlib", tc.file+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			scanner := bufio.NewScanner(f)
			line := 0
			for scanner.Scan() {
				line++
				row := decodeRow(t, scanner.Bytes())
				name := textField(row, "call")
				b := tc.find(row["on"], name)
				if b == nil {
					t.Errorf("line %d: no %s", line, name)
					continue
				}
				env := vm.NewEnv(d, vm.DefaultLimits())
				env.Autoescape, _ = row["autoescape"].AsBool()
				args := []vm.Value{row["on"]}
				if l, ok := row["args"].List(); ok {
					args = append(args, l.Items...)
				}
				got, kind := outcome(env, b, args)
				if kind != textField(row, "error") || kind == "" && got != textField(row, "repr") {
					t.Errorf("line %d: %s\n got %s %s\nwant %s %s", line, scanner.Text(), kind, got,
						textField(row, "error"), textField(row, "repr"))
				}
			}
			if err := scanner.Err(); err != nil || line < 100 {
				t.Errorf("read %d lines: %v", line, err)
			}
		})
	}
}

// outcome calls b and gives the repr of the result, lazy ones as lists, or the
// class of the error.
func outcome(env *vm.Env, b *vm.Builtin, args []vm.Value) (repr, kind string) {
	out, err := env.CallBuiltin(b, args, nil)
	if _, lazy := out.Iterator(); lazy && err == nil {
		var items []vm.Value
		items, err = env.Items(out)
		out = vm.ListOf(items)
	}
	if err == nil {
		repr, err = env.Repr(out)
	}
	if err != nil {
		var e *vm.Error
		if errors.As(err, &e) {
			return e.Msg, e.Kind
		}
		return err.Error(), "?"
	}
	return repr, ""
}

func textField(row map[string]vm.Value, name string) string {
	s, _ := row[name].Str()
	return s
}

func decodeRow(t *testing.T, data []byte) map[string]vm.Value {
	t.Helper()
	v, err := vm.DecodeJSON(data, vm.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	row := map[string]vm.Value{}
	m, _ := v.Map()
	for i := range m.Len() {
		key, val := m.At(i)
		name, _ := key.Str()
		row[name] = untag(t, val)
	}
	return row
}

// untag replaces the tagged forms by the values that they stand for.
func untag(t *testing.T, v vm.Value) vm.Value {
	t.Helper()
	if l, ok := v.List(); ok {
		items := make([]vm.Value, len(l.Items))
		for i, it := range l.Items {
			items[i] = untag(t, it)
		}
		return vm.ListOf(items)
	}
	m, ok := v.Map()
	if !ok {
		return v
	}
	if m.Len() == 1 {
		key, val := m.At(0)
		tag, _ := key.Str()
		text, _ := val.Str()
		switch tag {
		case "$undefined":
			return vm.UndefinedOf(&vm.Undefined{Name: text})
		case "$safe":
			return vm.Safe(text)
		case "$float":
			f, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return vm.Float(f)
		case "$bytes":
			b, err := hex.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			return vm.Of(b)
		case "$tuple":
			l, _ := untag(t, val).List()
			return vm.TupleOf(l.Items)
		case "$map":
			l, _ := untag(t, val).List()
			out := vm.NewMap(0)
			for _, it := range l.Items {
				pair, _ := it.List()
				out.Put(pair.Items[0], pair.Items[1])
			}
			return vm.MapOf(out)
		}
	}
	out := vm.NewMap(0)
	for i := range m.Len() {
		key, val := m.At(i)
		out.Put(key, untag(t, val))
	}
	return vm.MapOf(out)
}
