package vm

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	Shared string `json:"shared"`
	Deep   int
	secret string
}

type tagged struct {
	Shared string `json:"shared"`
}

type unexported struct {
	Promoted string
}

type outer struct {
	inner
	*tagged
	unexported
	Named    inner `json:"named"`
	Shadowed string
	Renamed  string `json:"other_name"`
	Skipped  string `json:"-"`
	//lint:ignore SA5008 the name of this field is a dash
	Dash    string `json:"-,"`
	Empty   string `json:",omitempty"`
	Zero    inner  `json:"zero,omitzero"`
	private string
	lock    *sync.Mutex
}

func (outer) Method() string   { return "CANARY" }
func (*outer) Pointer() string { return "CANARY" }

type twice struct {
	A struct{ X int }
	inner
	B struct{ X int }
}

type ambiguous struct {
	Left
	Right
}

// Left and Right hide each other's field.
type Left struct{ First, Same, Last string }

// Right is the other one.
type Right struct{ Other, Same, End string }

type loop struct {
	*Loop
	Value int
}

type Loop struct{ Value string }

// The entries of a struct are the ones that encoding/json writes, in its order.
func TestStructReadsAsEncodingJSONWrites(t *testing.T) {
	for _, v := range []any{
		outer{inner: inner{Shared: "a", Deep: 1}, Shadowed: "s"}, &outer{tagged: &tagged{"t"}, Zero: inner{Deep: 2}, Empty: "e"}, twice{}, ambiguous{},
		loop{Value: 1}, struct{}{}, struct {
			A any
			B *int
			C []byte
		}{},
		customer{Name: "x"},
	} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := DecodeJSON(data, DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e := nativeEnv()
		got, err := e.Entries(Of(v))
		if err != nil {
			t.Fatal(err)
		}
		m, _ := want.Map()
		var wantKeys, gotKeys []string
		for i := range m.Len() {
			k, _ := m.At(i)
			s, _ := k.Str()
			wantKeys = append(wantKeys, s)
		}
		for i := range got.Len() {
			k, x := got.At(i)
			s, _ := k.Str()
			gotKeys = append(gotKeys, s)
			if y, ok := Lookup(Of(v), s); !ok || must(t)(e.Repr(y)) != must(t)(e.Repr(x)) {
				t.Errorf("%T: looking up %s does not give its entry", v, s)
			}
		}
		if diff := cmp.Diff(wantKeys, gotKeys); diff != "" {
			t.Errorf("%T (-encoding/json +ours):\n%s", v, diff)
		}
		if n, err := e.Len(Of(v)); err != nil || n != len(wantKeys) {
			t.Errorf("%T: length %d (%v), want %d", v, n, err, len(wantKeys))
		}
	}
}

// No name reaches what Go code did not export as data.
func TestLookupReachesDataOnly(t *testing.T) {
	v := &outer{lock: new(sync.Mutex), private: "CANARY", Skipped: "CANARY", inner: inner{secret: "CANARY"}}
	v.lock.Lock()
	for _, name := range []string{"private", "Skipped", "secret", "Method", "Pointer", "lock", "inner", "tagged", "unexported", "other", "Renamed", "-,", "",
		"__class__", "String", "Shared"} {
		for _, host := range []any{v, *v, map[string]any{"v": v}["v"], reflect.ValueOf(v), reflect.ValueOf(*v)} {
			if x, ok := Lookup(Of(host), name); ok {
				t.Errorf("%T: %q is reachable: a %v", host, name, x.Kind())
			}
			for _, e := range []*Env{nativeEnv(), pythonEnv()} {
				e.Dialect.Sandbox = SandboxOn
				x, err := e.Attr(Of(host), name)
				if err == nil && !x.IsUndefined() {
					t.Errorf("%T: attribute %q is reachable: a %v", host, name, x.Kind())
				}
				x, err = e.Item(Of(host), String(name))
				if err == nil && !x.IsUndefined() {
					t.Errorf("%T: item %q is reachable: a %v", host, name, x.Kind())
				}
			}
		}
	}
	if x, ok := Lookup(Of(v), "-"); !ok || x.Kind() != KindString {
		t.Error("a field tagged \"-,\" is called -")
	}
	if x, ok := Lookup(Of(v), "Promoted"); !ok || x.Kind() != KindString {
		t.Error("the fields of an embedded struct are promoted")
	}
	// Behind an embedded nil pointer there is nothing; with one there is.
	if _, ok := Lookup(Of(loop{}), "Value"); !ok {
		t.Error("the struct's own field wins over an embedded one")
	}
	type viaPointer struct{ *unexported }
	if _, ok := Lookup(Of(viaPointer{}), "Promoted"); ok {
		t.Error("a field behind a nil pointer is found")
	}
	if x, ok := Lookup(Of(viaPointer{&unexported{"p"}}), "Promoted"); !ok || must(t)(nativeEnv().Str(x)) != "p" {
		t.Error("a field behind a pointer is not found")
	}
}

func TestNativeAccess(t *testing.T) {
	data := map[string]any{
		"user": map[string]any{"name": "Ann", "0": "zero key"}, "list": []any{"a", "b", "c"}, "null": nil, "text": "héllo🤗",
		"ints": map[int]string{1: "one"}, "any": map[any]any{1: "i", "s": "t"}, "struct": &customer{Name: "B"}, "floats": map[float64]int{1.5: 2}, "bools": map[bool]int{true: 1},
		"uints": map[uint8]string{200: "u"}, "strings": []string{"x"}, "pointer": &[]int{7, 8}, "ordered": dict("k", 1, 2, "two"), "tuple": tuple(1, 2),
		"bytes": []byte("ab"), "typed": map[string]int{"k": 1, "": 2}, "named": map[myString]int{"k": 1, "": 2},
	}
	pointer := &customer{Name: "B"}
	data["deep"] = &pointer
	at := func(path ...any) Value {
		v := Of(data)
		e := nativeEnv()
		for _, p := range path {
			var err error
			if s, ok := p.(string); ok && strings.HasPrefix(s, ".") {
				v, err = e.Attr(v, s[1:])
			} else {
				v, err = e.Item(v, Of(p))
			}
			if err != nil {
				t.Fatalf("%v: %v", path, err)
			}
		}
		return v
	}
	for _, c := range []struct {
		path []any
		want string // "?" undefined
	}{
		{[]any{".user", ".name"}, `"Ann"`}, {[]any{"user", "name"}, `"Ann"`}, {[]any{".user", ".0"}, `"zero key"`}, {[]any{".list", ".1"}, `"b"`}, {[]any{".list", -1}, `"c"`},
		{[]any{".list", 3}, "?"}, {[]any{".list", -4}, "?"}, {[]any{".list", ".x"}, "?"}, {[]any{".list", "0"}, "?"}, {[]any{".list", 1.0}, "?"}, {[]any{".list", true}, "?"},
		{[]any{".text", 1}, `"é"`}, {[]any{".text", -1}, `"🤗"`}, {[]any{".text", 99}, "?"}, {[]any{".text", -99}, "?"}, {[]any{".text", -6}, `"h"`}, {[]any{".text", -7}, "?"}, {[]any{".text", ".0"}, `"h"`}, {[]any{".text", ".upper"}, "?"},
		{[]any{".null", ".x"}, "?"}, {[]any{".missing", ".x", ".y"}, "?"}, {[]any{".missing", 0}, "?"}, {[]any{".user", Null}, "?"}, {[]any{".user", list()}, "?"},
		{[]any{".ints", 1}, `"one"`}, {[]any{".ints", 2}, "?"}, {[]any{".ints", "1"}, "?"}, {[]any{".uints", 200}, `"u"`}, {[]any{".uints", 300}, "?"}, {[]any{".uints", -1}, "?"},
		{[]any{".any", 1}, `"i"`}, {[]any{".any", ".s"}, `"t"`}, {[]any{".any", list(1)}, "?"}, {[]any{".floats", 1.5}, "2"}, {[]any{".bools", true}, "1"}, {[]any{".bools", 1}, "?"},
		{[]any{".struct", ".name"}, `"B"`}, {[]any{".struct", ".address", ".city"}, "?"}, {[]any{".struct", ".Name"}, "?"}, {[]any{".strings", 0}, `"x"`}, {[]any{".pointer", 1}, "8"},
		{[]any{".ordered", ".k"}, "1"}, {[]any{".ordered", 2}, `"two"`}, {[]any{".ordered", 2.0}, `"two"`}, {[]any{".tuple", -1}, "2"}, {[]any{".tuple", ".0"}, "1"},
		{[]any{".bytes", 0}, "97"}, {[]any{".bytes", -1}, "98"}, {[]any{".bytes", -2}, "97"}, {[]any{".bytes", 2}, "?"}, {[]any{".bytes", -3}, "?"},
		{[]any{".typed", "k"}, "1"}, {[]any{".typed", ".k"}, "1"}, {[]any{".typed", ""}, "2"}, {[]any{".typed", 5}, "?"}, {[]any{".typed", Null}, "?"},
		{[]any{".deep", ".name"}, `"B"`}, {[]any{".deep", ".Name"}, "?"}, {[]any{".named", "k"}, "1"}, {[]any{".named", ""}, "2"}, {[]any{".named", 5}, "?"}, {[]any{".bools", "true"}, "?"}, {[]any{".floats", "1.5"}, "?"}, {[]any{".floats", 1}, "?"},
	} {
		v, got := at(c.path...), "?"
		if !v.IsUndefined() {
			got = must(t)(nativeEnv().Repr(v))
		}
		if got != c.want {
			t.Errorf("%v: got %s, want %s", c.path, got, c.want)
		}
	}
	// The first missing name is the one that is reported.
	if u := at(".missing", ".x").Undef(); u.Name != "missing" {
		t.Errorf("missing.x reports %q", u.Name)
	}
}

// withMethods is Jinja's environment with a few methods.
func withMethods(level Sandbox) *Env {
	method := func(name string) *Builtin {
		return &Builtin{Name: name, Params: []ParamSpec{{Name: "self"}}, Fn: func(*Env, []Value) (Value, error) { return String("called " + name), nil }}
	}
	e := pythonEnv()
	e.Dialect.Sandbox = level
	e.Dialect.Methods = map[Kind]map[string]*Builtin{
		KindString: {"upper": method("upper")}, KindMap: {"items": method("items"), "update": method("update")},
		KindList: {"append": method("append"), "index": method("index")}, KindInt: {"bit_length": method("bit_length")},
	}
	return e
}

func TestPythonAccess(t *testing.T) {
	d := dict("items", 1, "x", 2, "_private", 3, "__dunder", 4, 5, "five")
	for _, c := range []struct {
		v         any
		attr      string // "" looks up item
		item      any
		none      string // without a sandbox
		immutable string
	}{
		{v: d, attr: "x", none: "2", immutable: "2"},
		{v: d, attr: "items", none: "<built-in method items of dict object>", immutable: "<built-in method items of dict object>"},
		{v: d, item: "items", none: "1", immutable: "1"},
		{v: d, item: 5, none: "'five'", immutable: "'five'"},
		{v: d, item: "update", none: "<built-in method update of dict object>", immutable: "security: access to attribute 'update' of 'dict' object is unsafe."},
		{v: d, attr: "update", none: "<built-in method update of dict object>", immutable: "security: access to attribute 'update' of 'dict' object is unsafe."},
		{v: d, attr: "_private", none: "3", immutable: "3"}, {v: d, attr: "__dunder", none: "4", immutable: "4"}, {v: d, item: "__dunder", none: "4", immutable: "4"},
		{v: d, attr: "nope", none: "undefined: 'dict object' has no attribute 'nope'", immutable: "undefined: 'dict object' has no attribute 'nope'"},
		{v: d, item: list(), none: "undefined: dict object has no element list", immutable: "undefined: dict object has no element list"},
		{v: map[string]any{"a": 1}, attr: "a", none: "1", immutable: "1"}, {v: customer{Name: "A"}, attr: "items", none: "<built-in method items of dict object>", immutable: "<built-in method items of dict object>"},
		{v: "abc", attr: "upper", none: "<built-in method upper of str object>", immutable: "<built-in method upper of str object>"},
		{v: "abc", item: 1, none: "'b'", immutable: "'b'"}, {v: "abc", item: true, none: "'b'", immutable: "'b'"}, {v: Safe("<b>"), item: 0, none: "Markup('<')", immutable: "Markup('<')"},
		{v: "abc", attr: "__class__", none: "<class 'str'>", immutable: "security: access to attribute '__class__' of 'str' object is unsafe."},
		{v: "abc", item: "__class__", none: "<class 'str'>", immutable: "security: access to attribute '__class__' of 'str' object is unsafe."},
		{v: "abc", attr: "__len__", none: "<method-wrapper object>", immutable: "security: access to attribute '__len__' of 'str' object is unsafe."},
		{v: "abc", attr: "__globals__", none: "undefined: 'str object' has no attribute '__globals__'", immutable: "undefined: 'str object' has no attribute '__globals__'"},
		{v: "abc", attr: "_private", none: "undefined: 'str object' has no attribute '_private'", immutable: "undefined: 'str object' has no attribute '_private'"},
		{v: []any{1}, attr: "append", none: "<built-in method append of list object>", immutable: "security: access to attribute 'append' of 'list' object is unsafe."},
		{v: []any{1}, attr: "index", none: "<built-in method index of list object>", immutable: "<built-in method index of list object>"},
		{v: []any{1}, attr: "0", none: "undefined: 'list object' has no attribute '0'", immutable: "undefined: 'list object' has no attribute '0'"},
		{v: []any{1}, item: 5, none: "undefined: list object has no element 5", immutable: "undefined: list object has no element 5"},
		{v: []any{1}, item: "a", none: "undefined: 'list object' has no attribute 'a'", immutable: "undefined: 'list object' has no attribute 'a'"},
		{v: 42, attr: "real", none: "42", immutable: "42"}, {v: true, attr: "imag", none: "0", immutable: "0"}, {v: 1.5, attr: "real", none: "1.5", immutable: "1.5"},
		{v: true, attr: "bit_length", none: "<built-in method bit_length of bool object>", immutable: "<built-in method bit_length of bool object>"},
		{v: nil, attr: "a", none: "undefined: 'None' has no attribute 'a'", immutable: "undefined: 'None' has no attribute 'a'"}, {v: 5, item: 0, none: "undefined: int object has no element 0", immutable: "undefined: int object has no element 0"},
		{v: &Tuple{Items: valuesOf([]any{7}), Names: []string{"first"}}, attr: "first", none: "7", immutable: "7"},
	} {
		for level, want := range map[Sandbox]string{SandboxNone: c.none, SandboxImmutable: c.immutable} {
			e := withMethods(level)
			var v Value
			var err error
			if c.attr != "" {
				v, err = e.Attr(Of(c.v), c.attr)
			} else {
				v, err = e.ConstItem(Of(c.v), Of(c.item))
			}
			got := ""
			if err == nil && v.IsUndefined() {
				err = e.undefinedError(v)
			}
			var f *Error
			if errors.As(err, &f) {
				got = f.Kind + ": " + f.Msg
			} else {
				got = must(t)(e.Repr(v))
			}
			if got != want {
				t.Errorf("level %d: %T.%s[%v]: got %s, want %s", level, c.v, c.attr, c.item, got, want)
			}
		}
	}
}

func TestUndefinedAccess(t *testing.T) {
	for _, c := range []struct {
		kind    UndefinedKind
		sandbox Sandbox
		attr    string
		want    string
	}{
		{UndefinedDefault, SandboxNone, "y", "!undefined: 'x' is undefined"}, {UndefinedStrict, SandboxNone, "y", "!undefined: 'x' is undefined"},
		{UndefinedChainable, SandboxNone, "y", "Undefined"}, {UndefinedDefault, SandboxNone, "__class__", "<class 'jinja2.runtime.Undefined'>"},
		{UndefinedDebug, SandboxNone, "__class__", "<class 'jinja2.runtime.DebugUndefined'>"}, {UndefinedDefault, SandboxOn, "__class__", "Undefined"},
		{UndefinedDefault, SandboxNone, "__foo__", "!undefined: 'x' is undefined"},
	} {
		e := pythonEnv()
		e.Dialect.Undefined, e.Dialect.Sandbox = c.kind, c.sandbox
		v, err := e.Attr(undefinedVar("x"), c.attr)
		if got := outcome(e, v, err); got != c.want {
			t.Errorf("kind %d: x.%s = %s, want %s", c.kind, c.attr, got, c.want)
		}
	}
}

func TestPyAttr(t *testing.T) {
	e := withMethods(SandboxImmutable)
	for _, c := range []struct {
		v    any
		name string
		want string
	}{
		{dict("x", 1), "x", "Undefined"}, {"a", "upper", "<built-in method upper of str object>"}, {[]any{}, "append", "Undefined"}, {undefinedVar("u"), "x", "!undefined: 'u' is undefined"},
	} {
		v, err := e.PyAttr(Of(c.v), c.name)
		if got := outcome(e, v, err); got != c.want {
			t.Errorf("%T|attr(%s) = %s, want %s", c.v, c.name, got, c.want)
		}
	}
}

// Special methods do what operators do, where there is no sandbox.
func TestSpecialMethods(t *testing.T) {
	e := pythonEnv()
	for _, c := range []struct {
		v    any
		name string
		args []any
		want string
	}{
		{"abc", "__len__", nil, "3"}, {"a", "__add__", []any{"x"}, "'ax'"}, {[]any{1}, "__contains__", []any{1}, "True"}, {5, "__eq__", []any{5}, "True"}, {5, "__mod__", []any{3}, "2"},
		{dict("a", 1), "__getitem__", []any{"a"}, "1"}, {5, "__str__", nil, "'5'"}, {"a", "__repr__", nil, `"'a'"`}, {0, "__bool__", nil, "False"},
		{"abc", "__len__", []any{1}, "!type: __len__ expected 0 argument(s), got 1"},
	} {
		f, err := e.Attr(Of(c.v), c.name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Call(f, valuesOf(c.args), nil)
		if got := outcome(e, v, err); got != c.want {
			t.Errorf("%v.%s(%v) = %s, want %s", c.v, c.name, c.args, got, c.want)
		}
	}
	class, _ := e.Attr(dict(), "__class__")
	mro, err := e.Attr(class, "__mro__")
	if got := outcome(e, mro, err); got != "(<class 'dict'>, <class 'object'>)" {
		t.Errorf("dict's mro is %s", got)
	}
}

// Keys that were computed are data: no message names them.
func TestDynamicKeysAreNotNamed(t *testing.T) {
	for _, e := range []*Env{nativeEnv(), pythonEnv()} {
		for _, owner := range []any{dict(), []any{}, "text", nil, 5} {
			for _, key := range []any{"CANARY", 987654321} {
				v, err := e.Item(Of(owner), Of(key))
				if err == nil {
					err = e.undefinedError(v)
				}
				var f *Error
				if !errors.As(err, &f) || strings.Contains(f.Msg, "CANARY") || strings.Contains(f.Msg, "987654321") || len(f.Names) > 0 {
					t.Errorf("%s: %T[…]: %v, names %v", e.Dialect.Name, owner, err, f.Names)
				}
			}
		}
	}
}

type recursive *recursive

type (
	chainA *chainB
	chainB *chainA
)

// Pointers that lead nowhere end.
func TestPointerCycles(t *testing.T) {
	var r recursive
	r = &r
	var a chainA
	var b chainB
	a = &b
	b = &a
	for _, v := range []any{r, &r, a, b} {
		for _, e := range []*Env{nativeEnv(), pythonEnv()} {
			if k := Of(v).Kind(); k != KindHost {
				t.Errorf("%T is a %v", v, k)
			}
			if x, err := e.Attr(Of(v), "x"); err != nil || !x.IsUndefined() {
				t.Errorf("%T.x: %v, %v", v, x, err)
			}
			_, _ = e.Str(Of(v))
			_, _ = e.Equal(Of(v), Of(v))
			_, _ = e.Truth(Of(v))
		}
	}
}

func TestFieldNames(t *testing.T) {
	for _, c := range []struct {
		v    any
		want []string
	}{
		{map[string]any{"b": 1, "a": 2}, []string{"a", "b"}}, {dict("z", 1, 5, 2), []string{"z"}}, {customer{}, []string{"Age", "address", "name"}}, {5, nil}, {nil, nil},
	} {
		if got := fieldNames(Of(c.v)); !slices.Equal(got, c.want) {
			t.Errorf("%T: %v, want %v", c.v, got, c.want)
		}
	}
}

// Structs are planned once however many renders meet a type at once.
func TestStructPlansConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 500 {
				for _, v := range []any{&customer{Name: "A"}, customer{Name: "A"}, &address{City: "A"}, &inner{Shared: "A"}, &tagged{"A"}, tagged{"A"}, &Left{Same: "A"}, &Right{Same: "A"}} {
					name := [...]string{"name", "name", "city", "shared", "shared", "shared", "Same", "Same"}
					for _, n := range name {
						if x, ok := Lookup(Of(v), n); ok {
							if s, _ := x.Str(); s != "A" {
								t.Errorf("turn %d: %T.%s is not its value", i, v, n)
							}
						}
					}
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkLookup(b *testing.B) {
	m := NewMap(4)
	for _, k := range []string{"id", "name", "email", "plan"} {
		m.Set(k, String(k))
	}
	for name, v := range map[string]Value{
		"map[string]any": Of(map[string]any{"id": 1, "name": "Ann", "email": "x", "plan": "y"}), "Map": MapOf(m), "struct": Of(customer{Name: "Ann"}), "pointer": Of(&customer{Name: "Ann"}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := Lookup(v, "name"); !ok {
					b.Fatal("not found")
				}
			}
		})
	}
}

func BenchmarkAttr(b *testing.B) {
	python := withMethods(SandboxImmutable)
	for _, name := range []string{"keys", "values", "get", "pop", "copy", "clear", "setdefault", "popitem", "fromkeys"} {
		python.Dialect.Methods[KindMap][name] = &Builtin{Name: name}
	}
	m := NewMap(4)
	for _, k := range []string{"id", "name", "email", "plan"} {
		m.Set(k, String(k))
	}
	for name, v := range map[string]Value{"map[string]any": Of(map[string]any{"id": 1, "name": "Ann", "email": "x", "plan": "y"}), "Map": MapOf(m), "pointer": Of(&customer{Name: "Ann"})} {
		for _, e := range []*Env{nativeEnv(), python} {
			b.Run(name+"/"+e.Dialect.Name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Attr(v, "name"); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"/item/"+e.Dialect.Name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.ConstItem(v, String("name")); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
