package compiler_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// Types of a host's whose methods have the names of those that objects, texts and
// errors have. None may run.
type (
	methodStruct struct{ Label string }
	methodText   string
	methodInt    int
	methodFloat  float64
	methodBool   bool
	methodFunc   func()
	methodChan   chan int
	methodMap    map[string]any
	methodList   []any
	methodBytes  []byte
	methodArray  [2]int
)

func called() int { panic("a method of the host's ran") }

func (methodStruct) Len() int                     { return called() }
func (methodStruct) Truth() bool                  { return called() > 0 }
func (methodStruct) TypeName() string             { return string(rune(called())) }
func (methodStruct) NativeName() string           { return string(rune(called())) }
func (methodStruct) String() string               { return string(rune(called())) }
func (methodStruct) Error() string                { return string(rune(called())) }
func (methodStruct) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodStruct) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodStruct) Iterate() []int               { return []int{called()} }
func (methodStruct) Attr(string) any              { return called() }
func (methodStruct) Call() int                    { return called() }

func (methodText) Len() int                     { return called() }
func (methodText) Truth() bool                  { return called() > 0 }
func (methodText) TypeName() string             { return string(rune(called())) }
func (methodText) NativeName() string           { return string(rune(called())) }
func (methodText) String() string               { return string(rune(called())) }
func (methodText) Error() string                { return string(rune(called())) }
func (methodText) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodText) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodText) Iterate() []int               { return []int{called()} }
func (methodText) Attr(string) any              { return called() }
func (methodText) Call() int                    { return called() }

func (methodInt) Len() int                     { return called() }
func (methodInt) Truth() bool                  { return called() > 0 }
func (methodInt) TypeName() string             { return string(rune(called())) }
func (methodInt) NativeName() string           { return string(rune(called())) }
func (methodInt) String() string               { return string(rune(called())) }
func (methodInt) Error() string                { return string(rune(called())) }
func (methodInt) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodInt) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodInt) Iterate() []int               { return []int{called()} }
func (methodInt) Attr(string) any              { return called() }
func (methodInt) Call() int                    { return called() }

func (methodFloat) Len() int                     { return called() }
func (methodFloat) Truth() bool                  { return called() > 0 }
func (methodFloat) TypeName() string             { return string(rune(called())) }
func (methodFloat) NativeName() string           { return string(rune(called())) }
func (methodFloat) String() string               { return string(rune(called())) }
func (methodFloat) Error() string                { return string(rune(called())) }
func (methodFloat) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodFloat) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodFloat) Iterate() []int               { return []int{called()} }
func (methodFloat) Attr(string) any              { return called() }
func (methodFloat) Call() int                    { return called() }

func (methodBool) Len() int                     { return called() }
func (methodBool) Truth() bool                  { return called() > 0 }
func (methodBool) TypeName() string             { return string(rune(called())) }
func (methodBool) NativeName() string           { return string(rune(called())) }
func (methodBool) String() string               { return string(rune(called())) }
func (methodBool) Error() string                { return string(rune(called())) }
func (methodBool) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodBool) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodBool) Iterate() []int               { return []int{called()} }
func (methodBool) Attr(string) any              { return called() }
func (methodBool) Call() int                    { return called() }

func (methodFunc) Len() int                     { return called() }
func (methodFunc) Truth() bool                  { return called() > 0 }
func (methodFunc) TypeName() string             { return string(rune(called())) }
func (methodFunc) NativeName() string           { return string(rune(called())) }
func (methodFunc) String() string               { return string(rune(called())) }
func (methodFunc) Error() string                { return string(rune(called())) }
func (methodFunc) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodFunc) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodFunc) Iterate() []int               { return []int{called()} }
func (methodFunc) Attr(string) any              { return called() }
func (methodFunc) Call() int                    { return called() }

func (methodChan) Len() int                     { return called() }
func (methodChan) Truth() bool                  { return called() > 0 }
func (methodChan) TypeName() string             { return string(rune(called())) }
func (methodChan) NativeName() string           { return string(rune(called())) }
func (methodChan) String() string               { return string(rune(called())) }
func (methodChan) Error() string                { return string(rune(called())) }
func (methodChan) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodChan) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodChan) Iterate() []int               { return []int{called()} }
func (methodChan) Attr(string) any              { return called() }
func (methodChan) Call() int                    { return called() }

func (methodMap) Len() int                     { return called() }
func (methodMap) Truth() bool                  { return called() > 0 }
func (methodMap) TypeName() string             { return string(rune(called())) }
func (methodMap) NativeName() string           { return string(rune(called())) }
func (methodMap) String() string               { return string(rune(called())) }
func (methodMap) Error() string                { return string(rune(called())) }
func (methodMap) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodMap) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodMap) Iterate() []int               { return []int{called()} }
func (methodMap) Attr(string) any              { return called() }
func (methodMap) Call() int                    { return called() }

func (methodList) Len() int                     { return called() }
func (methodList) Truth() bool                  { return called() > 0 }
func (methodList) TypeName() string             { return string(rune(called())) }
func (methodList) NativeName() string           { return string(rune(called())) }
func (methodList) String() string               { return string(rune(called())) }
func (methodList) Error() string                { return string(rune(called())) }
func (methodList) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodList) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodList) Iterate() []int               { return []int{called()} }
func (methodList) Attr(string) any              { return called() }
func (methodList) Call() int                    { return called() }

func (methodBytes) Len() int                     { return called() }
func (methodBytes) Truth() bool                  { return called() > 0 }
func (methodBytes) TypeName() string             { return string(rune(called())) }
func (methodBytes) NativeName() string           { return string(rune(called())) }
func (methodBytes) String() string               { return string(rune(called())) }
func (methodBytes) Error() string                { return string(rune(called())) }
func (methodBytes) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodBytes) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodBytes) Iterate() []int               { return []int{called()} }
func (methodBytes) Attr(string) any              { return called() }
func (methodBytes) Call() int                    { return called() }

func (methodArray) Len() int                     { return called() }
func (methodArray) Truth() bool                  { return called() > 0 }
func (methodArray) TypeName() string             { return string(rune(called())) }
func (methodArray) NativeName() string           { return string(rune(called())) }
func (methodArray) String() string               { return string(rune(called())) }
func (methodArray) Error() string                { return string(rune(called())) }
func (methodArray) MarshalText() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodArray) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("%d", called()) }
func (methodArray) Iterate() []int               { return []int{called()} }
func (methodArray) Attr(string) any              { return called() }
func (methodArray) Call() int                    { return called() }

// hostValues are values of these types, and what a host may hold besides.
func hostValues() map[string]any {
	s, i := methodText("label"), methodInt(7)
	return map[string]any{
		"struct": methodStruct{"label"}, "pointer": &methodStruct{"label"}, "text": s, "pointer to text": &s, "int": i, "pointer to int": &i, "float": methodFloat(1.5), "bool": methodBool(true),
		"func": methodFunc(func() {}), "nil func": methodFunc(nil), "chan": make(methodChan), "map": methodMap{"a": 1}, "list": methodList{1, "a"}, "bytes": methodBytes("ab"), "array": methodArray{1, 2},
		"reflect.Value": reflect.ValueOf(1), "reflect.Value of a list": reflect.ValueOf([]int{1}), "no reflect.Value": reflect.Value{}, "pointer to reflect.Value": &reflect.Value{},
		"reflect.Type": reflect.TypeFor[int](), "keys": map[methodText]int{"k": 1}, "number keys": map[methodInt]methodText{1: "x"}, "any keys": map[any]any{methodInt(1): methodText("x")},
		"builder": &strings.Builder{}, "texts": []methodText{"a", "b"}, "structs": []*methodStruct{{"a"}, {"b"}, nil}, "embedded": struct{ methodStruct }{methodStruct{"label"}},
		"embedded pointer": struct{ *methodStruct }{&methodStruct{"label"}}, "anything": []any{methodStruct{}, methodText("x"), methodFunc(nil)},
	}
}

// hostUses are the uses of x by everything that a template has.
func hostUses() []string {
	uses := []string{"{{ x }}", "{{ x ~ x }}", "{{ x + x }}", "{{ x - 1 }}", "{{ x == x }}", "{{ x < x }}", "{{ x in [x] }}", "{{ x in x }}", "{{ 'a' in x }}", "{{ not x }}", "{% if x %}y{% endif %}",
		"{% for i in x %}{{ i }}{{ loop.length }}{% endfor %}", "{{ x.Label }}", "{{ x['Label'] }}", "{{ x[0] }}", "{{ x[:1] }}", "{{ x() }}", "{{ x.Len }}", "{{ x.Len() }}", "{{ x.String() }}",
		"{{ {x: 1} }}", "{{ [x, (x,)] }}", "{% set a, b = x %}", "{{ '%s %d %r'|format(x, x, x) }}", "{{ '{} {!r} {:>5}'.format(x, x, x) }}", "{{ dict(x) }}", "{{ dict(**x) }}", "{{ range(x) }}", "{{ cycler(x).next() }}"}
	d := stdlib.Jinja()
	for name := range d.Filters {
		for _, args := range []string{"", "(x)", "('a')", "(1, x)", "(attribute='Label')"} {
			uses = append(uses, "{{ x|"+name+args+" }}", "{{ [x, x]|"+name+args+"|list }}", "{{ 'abc'|"+name+args+" }}")
		}
	}
	for name := range d.Tests {
		uses = append(uses, "{{ x is "+name+" }}", "{{ [x]|select('"+name+"', x)|list }}")
	}
	return uses
}

// TestMethodsOfTheHost uses values of the host's in every way: without
// WithHostMethods none of their methods runs, and nothing panics.
func TestMethodsOfTheHost(t *testing.T) {
	for _, src := range hostUses() {
		p, err := compiler.Compile(src, compiler.WithSyntax("jinja"), compiler.WithLimits(vm.Limits{Steps: 100_000, Memory: 1 << 20}))
		if err != nil {
			continue // that is no way to use it
		}
		for kind, x := range hostValues() {
			if _, err := p.Render(map[string]any{"x": x}); err != nil && strings.Contains(err.Error(), "panicked") {
				t.Errorf("%s of %s: %v", src, kind, err)
			}
			if _, err := p.Render(struct {
				X any `json:"x"`
			}{x}); err != nil && strings.Contains(err.Error(), "panicked") {
				t.Errorf("%s of %s in a struct: %v", src, kind, err)
			}
		}
	}
	for kind, x := range hostValues() {
		for _, src := range []string{"{x}", "{if x}a{x.Label}{/if}", "{each x as i}{i}{/each}", "{x|length}{x|json}"} {
			p, err := compiler.Compile(src, compiler.WithSyntax("brace"))
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			if _, err := p.Render(map[string]any{"x": x}); err != nil && strings.Contains(err.Error(), "panicked") {
				t.Errorf("%s of %s: %v", src, kind, err)
			}
		}
	}
}

// TestRecordsWithMethods reads fields of structs whose methods are named as
// those of objects.
func TestRecordsWithMethods(t *testing.T) {
	p, err := compiler.Compile("{{ x.Label }} {{ x['Label'] }} {{ x }}", compiler.WithSyntax("jinja"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []any{methodStruct{"label"}, &methodStruct{"label"}, struct{ methodStruct }{methodStruct{"label"}}} {
		got, err := p.Render(map[string]any{"x": x})
		if want := "label label {'Label': 'label'}"; got != want || err != nil {
			t.Errorf("%T: %q, %v, want %q", x, got, err, want)
		}
	}
}
