package compiler_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/fuzz/cases"
	"github.com/pcc-lang/pcc/vm"
)

// TestShapes renders the golden cases with their data in structs and typed
// slices. The first render of a type runs the general code, the later ones code
// that is bound to the type: all must tell the same, errors included. So must
// programs that Bind made, where the type has what the template needs.
func TestShapes(t *testing.T) {
	rendered, bound := 0, 0
	golden(t, "render", func(t *testing.T, c *cases.Case) {
		opts, err := options(c)
		if err != nil {
			t.Fatal(err)
		}
		p, err := compiler.Compile(c.Template, opts...)
		if err != nil {
			return
		}
		decoded := decode(t, c.Data)
		data := structs(decoded)
		if data.Kind() != reflect.Struct {
			return
		}
		pointer := reflect.New(data.Type())
		pointer.Elem().Set(data)
		general := told(t, p, pointer.Interface())
		if want := told(t, p, decoded); general != want && !strings.Contains(general+want, "PCC") {
			t.Errorf("structs in place of maps (-maps +structs):\n%s", cmp.Diff(want, general))
		}
		for range 2 {
			if got := told(t, p, pointer.Interface()); got != general {
				t.Errorf("bound on the way (-general +bound):\n%s", cmp.Diff(general, got))
			}
		}
		rendered++
		if err := p.Bind(pointer.Interface()); err != nil {
			if codes := codes(err); strings.Trim(codes, " PC307") != "" {
				t.Errorf("Bind fails with %s", codes)
			}
			return
		}
		bound++
		for range 2 {
			if got := told(t, p, data.Interface()); got != general {
				t.Errorf("a struct (-pointer +struct):\n%s", cmp.Diff(general, got))
			}
		}
	})
	if rendered < 100 || bound < rendered/2 {
		t.Errorf("only %d cases had data for structs, and %d of them could be bound", rendered, bound)
	}
}

// told is all that a render tells, as one text.
func told(t *testing.T, p *vm.Program, data any) string {
	t.Helper()
	r, err := p.Report(context.Background(), data)
	if err != nil {
		if isLimit(err) {
			return codes(err)
		}
		return diagnostics(t, err)
	}
	return result(p, r) + "\n" + kept(r)
}

// structs turns decoded data into Go values of types made for it: objects into
// structs or pointers to them, lists of one kind of items into typed slices.
// What no struct can express stays a map.
func structs(v vm.Value) reflect.Value {
	if m, ok := v.Map(); ok && m.Len() > 0 {
		var fields []reflect.StructField
		var values []reflect.Value
		for i := range m.Len() {
			key, item := m.At(i)
			name, _ := key.Str()
			if name == "" || name == "-" || strings.ContainsAny(name, ",\"\\") {
				x, _ := goData(v)
				return reflect.ValueOf(x)
			}
			x := structs(item)
			if !x.IsValid() { // null
				x = reflect.Zero(reflect.TypeFor[any]())
			}
			if x.Kind() == reflect.Struct && i%2 == 1 {
				p := reflect.New(x.Type())
				p.Elem().Set(x)
				x = p
			}
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: x.Type(),
				Tag: reflect.StructTag(fmt.Sprintf("json:%q", name))})
			values = append(values, x)
		}
		s := reflect.New(reflect.StructOf(fields)).Elem()
		for i, x := range values {
			s.Field(i).Set(x)
		}
		return s
	}
	if l, ok := v.List(); ok && len(l.Items) > 0 {
		items := make([]reflect.Value, len(l.Items))
		typed := true
		for i, item := range l.Items {
			items[i] = structs(item)
			typed = typed && items[i].IsValid() && items[i].Type() == items[0].Type()
		}
		t := reflect.TypeFor[any]()
		if typed {
			t = items[0].Type()
		}
		out := reflect.MakeSlice(reflect.SliceOf(t), len(items), len(items))
		for i, x := range items {
			if x.IsValid() {
				out.Index(i).Set(x)
			}
		}
		return out
	}
	x, _ := goData(v)
	return reflect.ValueOf(x)
}

// TestMethodsBeforeFields reads fields that are named like methods of Python's
// maps, from a struct: the first render and those of code that is bound to the
// type tell the same.
func TestMethodsBeforeFields(t *testing.T) {
	type user struct {
		Items string `json:"items"`
		Name  string `json:"name"`
	}
	type data struct {
		User  user   `json:"user"`
		Items string `json:"items"`
	}
	for _, src := range []string{`{{ user.items is callable }} {{ user["items"] }} {{ items }} {{ user.name }}`, `{{ user.items }}`, `{{ items }}`} {
		p, err := compiler.Compile(src, compiler.WithProfile("jinja"))
		if err != nil {
			t.Fatal(err)
		}
		want := told(t, p, map[string]any{"user": map[string]any{"items": "u", "name": "n"}, "items": "i"})
		for range 3 {
			if got := told(t, p, &data{user{"u", "n"}, "i"}); got != want {
				t.Errorf("%s (-maps +structs):\n%s", src, cmp.Diff(want, got))
			}
		}
	}
}
