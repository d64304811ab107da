package fuzz

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// FuzzForms renders templates of random numbers, native ones and Jinja's, with the
// same data in each form that Go has for it. Texts, what is told and its places must
// be equal, and the data must be as it was.
func FuzzForms(f *testing.F) {
	for i := range uint64(300) {
		f.Add(i, i*50423)
	}
	type data struct {
		name  string
		plain any
		forms map[string]any
		kept  map[string]any // the same, made anew
	}
	var all []data
	for name, text := range map[string]string{"mixed": generatedData, "even": evenData} {
		decoded, err := vm.DecodeJSON([]byte(text), vm.DecodeOptions{})
		if err != nil {
			f.Fatal(err)
		}
		plain, sorted := goData(decoded)
		if !sorted {
			f.Fatalf("%s: keys of %s are not in order", name, text)
		}
		forms, kept := map[string]any{"decoded": decoded}, map[string]any{}
		for form, of := range formsOf {
			forms[form], kept[form] = of(plain), of(plain)
		}
		all = append(all, data{name, plain, forms, kept})
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		r := rand.New(rand.NewPCG(a, b))
		var src string
		syntax := compiler.SyntaxBrace
		if a%2 == 0 {
			syntax = compiler.SyntaxJinja
			g := &jinjaGenerator{r: r}
			src = g.body(4)
		} else {
			g := &generator{r: r}
			src = g.body(4)
		}
		p, err := compiler.Compile(src, compiler.WithSyntax(syntax), compiler.WithLimits(small))
		if err != nil {
			return
		}
		render := func(data any) []string {
			r, err := p.Report(context.Background(), data)
			if err == nil {
				return []string{r.Text}
			}
			told := []string{""}
			for _, d := range diag.AsList(err) {
				told = append(told, firstPlace(d)+": "+d.Message)
			}
			return told
		}
		limit := func(told []string) bool {
			return slices.ContainsFunc(told[1:], func(s string) bool { return strings.HasPrefix(s, "PCC9") })
		}
		for _, d := range all {
			want := render(d.plain)
			if limit(want) {
				continue // budgets end elsewhere with other data
			}
			for form, data := range d.forms {
				for _, how := range []string{"", " again", " once more"} { // code is bound to a type that is met again
					got := render(data)
					if limit(got) {
						continue
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%s data, %s%s (-plain +now):\n%s\n%s", d.name, form, how, diff, src)
					}
				}
				if kept, ok := d.kept[form]; ok && !reflect.DeepEqual(data, kept) {
					t.Fatalf("%s data, %s, was changed:\n%s", d.name, form, src)
				}
			}
		}
	})
}

// evenData is generatedData with lists and maps whose items are of one kind, which
// have types of their own in Go.
const evenData = `{
	"b": true, "deep": {"a": {"b": {"c": "abyss"}}}, "e": "", "f": 2.5,
	"list": [3, 1, 2], "m": {"a": "one", "b": "two", "c": ""}, "n": 7, "null": null,
	"people": [{"age": 3, "name": "Ann", "tags": ["x", "y"]}, {"age": 40, "name": "Bo", "tags": ["z"]}, {"age": 5, "name": "Ann", "tags": []}],
	"plan": "pro", "rows": [[1, 2], [], [3]], "s": "text {n}", "z": 0
}`

type (
	formMap   map[string]any
	formList  []any
	formWord  string
	formFlag  bool
	formCount int64
	formRatio float64
)

// formsOf make a form of data that is in maps of strings to any and lists of any.
var formsOf = map[string]func(any) any{
	"named types": shaped{
		object: func(keys []string, m map[string]any) any { return formMap(m) },
		array:  func(l []any) any { return formList(l) },
		scalar: func(x any) any {
			switch x := x.(type) {
			case string:
				return formWord(x)
			case bool:
				return formFlag(x)
			case int64:
				return formCount(x)
			case float64:
				return formRatio(x)
			}
			return x
		},
	}.of,
	"keys of any type": shaped{object: func(keys []string, m map[string]any) any {
		out := map[any]any{}
		for k, v := range m {
			out[k] = v
		}
		return out
	}}.of,
	"keys of a named type": shaped{object: func(keys []string, m map[string]any) any {
		out := map[formWord]any{}
		for k, v := range m {
			out[formWord(k)] = v
		}
		return out
	}}.of,
	"pointers": shaped{
		object: func(keys []string, m map[string]any) any { return &m },
		array:  func(l []any) any { return &l },
		scalar: pointerTo,
	}.of,
	"pointers to named types": shaped{
		object: func(keys []string, m map[string]any) any { x := formMap(m); return &x },
		array:  func(l []any) any { x := formList(l); return &x },
	}.of,
	"typed maps and lists":    shaped{object: typedMap, array: typedList}.of,
	"typed lists of any maps": shaped{array: typedList}.of,
	"typed maps of pointers":  shaped{object: typedMap, array: typedList, scalar: pointerTo}.of,
	"structs":                 shaped{object: structOf, array: typedList}.of,
	"pointers to structs": shaped{object: func(keys []string, m map[string]any) any {
		return pointerTo(structOf(keys, m))
	}, array: typedList}.of,
	"structs in maps of structs": shaped{object: func(keys []string, m map[string]any) any {
		if len(keys) > 3 {
			return typedMap(keys, m)
		}
		return structOf(keys, m)
	}, array: typedList}.of,
	"structs of pointers": shaped{object: structOf, array: func(l []any) any { return pointerTo(typedList(l)) }, scalar: pointerTo}.of,
}

// shaped makes a form from the leaves on; nil leaves things as they are.
type shaped struct {
	object func(keys []string, m map[string]any) any
	array  func([]any) any
	scalar func(any) any
}

func (s shaped) of(x any) any {
	switch x := x.(type) {
	case map[string]any:
		out := map[string]any{}
		var keys []string
		for k, v := range x {
			out[k] = s.of(v)
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if s.object != nil {
			return s.object(keys, out)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, v := range x {
			out[i] = s.of(v)
		}
		if s.array != nil {
			return s.array(out)
		}
		return out
	}
	if s.scalar != nil && x != nil {
		return s.scalar(x)
	}
	return x
}

func pointerTo(x any) any {
	p := reflect.New(reflect.TypeOf(x))
	p.Elem().Set(reflect.ValueOf(x))
	return p.Interface()
}

// oneType is the type that all values have; nil where they differ.
func oneType(values []any) reflect.Type {
	var t reflect.Type
	for i, x := range values {
		if x == nil || i > 0 && reflect.TypeOf(x) != t {
			return nil
		}
		t = reflect.TypeOf(x)
	}
	return t
}

func typedList(l []any) any {
	t := oneType(l)
	if t == nil {
		return l
	}
	out := reflect.MakeSlice(reflect.SliceOf(t), 0, len(l))
	for _, x := range l {
		out = reflect.Append(out, reflect.ValueOf(x))
	}
	return out.Interface()
}

func typedMap(keys []string, m map[string]any) any {
	var values []any
	for _, k := range keys {
		values = append(values, m[k])
	}
	t := oneType(values)
	if t == nil {
		return m
	}
	out := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[string](), t))
	for _, k := range keys {
		out.SetMapIndex(reflect.ValueOf(k), reflect.ValueOf(m[k]))
	}
	return out.Interface()
}

// structOf has a field for each key, of the type of its value.
func structOf(keys []string, m map[string]any) any {
	var fields []reflect.StructField
	for _, k := range keys {
		t := reflect.TypeFor[any]()
		if m[k] != nil {
			t = reflect.TypeOf(m[k])
		}
		fields = append(fields, reflect.StructField{Name: "F" + k, Type: t, Tag: reflect.StructTag(`json:"` + k + `"`)})
	}
	out := reflect.New(reflect.StructOf(fields)).Elem()
	for i, k := range keys {
		if m[k] != nil {
			out.Field(i).Set(reflect.ValueOf(m[k]))
		}
	}
	return out.Interface()
}
