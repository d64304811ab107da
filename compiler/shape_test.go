package compiler_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
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

// TestBindHeads holds programs against a type that lacks names which only the heads
// of blocks read.
func TestBindHeads(t *testing.T) {
	type item struct {
		Price int  `json:"price"`
		Sold  bool `json:"sold"`
	}
	type user struct {
		Vip  bool   `json:"vip"`
		Name string `json:"name"`
	}
	type data struct {
		Vip   bool           `json:"vip"`
		Plan  string         `json:"plan"`
		User  *user          `json:"user"`
		Items []item         `json:"items"`
		Free  map[string]any `json:"free"`
		Solid bool           `json:"solid"`
	}
	for _, c := range []struct {
		src    string
		strict bool
		want   string // names and helps
	}{
		{src: "{when vpi}x{/when}", want: "vpi: did you mean `vip`?"},
		{src: "{switch Plan}{case 1}a{/switch}", want: "Plan: did you mean `plan`?"},
		{src: "{when vpi}x{/when}{when vpi}y{/when}{vpi}", want: "vpi: did you mean `vip`?"},
		{src: "{when not vpi}x{/when}{switch Plan}{case 1}a{/switch}", want: "vpi: did you mean `vip`?; Plan: did you mean `plan`?"},
		{src: `{when plan == pro}x{/when}`, want: `pro: if a text is meant, write "pro"`},
		{src: "{loop item as i}x{/loop}", want: "item: did you mean `items`?"},
		{src: "{when user.vpi}x{/when}", want: "user.vpi: did you mean `user.vip`?"},
		{src: "{when debug}x{/when}", strict: true, want: "debug: *"},
		// What a render does not tell is not told.
		{src: "{when vip}x{/when}{when user.vip}y{/when}{switch plan}{case 1}a{/switch}"},
		{src: "{when debug}x{/when}"},
		{src: "{when free.vpi}x{/when}"},
		{src: "{when user.vpi}x{/when}{user.vip}"},
		{src: `{when vpi|default(false)}x{/when}`},
		{src: "{loop items}{when sold}x{/when}{/loop}"},
		{src: "{loop items as i}{when i.sold}{i.price}{/when}{/loop}"},
		{src: "{when user}{user.name}{/when}"},
	} {
		var opts []compiler.Option
		if c.strict {
			opts = append(opts, compiler.WithStrict())
		}
		p, err := compiler.Compile(c.src, opts...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range diag.AsList(p.Bind(data{})) {
			help := d.Help
			if !strings.HasPrefix(help, "did you mean") && !strings.HasPrefix(help, "if a text") {
				help = "*"
			}
			got = append(got, d.Names[0]+": "+help)
			if f, at, ok := d.Position(); !ok || !strings.HasPrefix(f.Text[at.Offset:], d.Names[0]) {
				t.Errorf("%s: the finding stands at %v", c.src, at)
			}
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s: Bind tells %q, want %q", c.src, got, c.want)
		}
	}
}
