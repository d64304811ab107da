package vm

import (
	"encoding/json"
	"testing"
)

type namedMapOfAny map[string]any

// Data reads alike in each form that Go has for it, and a read of the common ones
// takes no memory.
func TestFormsOfMaps(t *testing.T) {
	ordered := NewMap(2)
	ordered.Set("role", String("user"))
	ordered.Set("content", String("hi"))
	message := &Message{Role: "user", Content: "hi", State: HasContent}
	var none *Message
	for _, tt := range []struct {
		name   string
		data   any
		allocs float64
	}{
		{"map[string]any", map[string]any{"role": "user", "content": "hi"}, 0},
		{"map[string]string", map[string]string{"role": "user", "content": "hi"}, 0},
		{"a named map", namedMapOfAny{"role": "user", "content": "hi"}, 0},
		{"*Map", ordered, 0},
		{"*Message", message, 0},
		{"Message", *message, 0},
		{"a struct", &struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		}{"user", "hi"}, 0},
	} {
		e := NewEnv(&Dialect{Python: true}, Limits{}.OrDefault())
		v := Of(tt.data)
		read := func() {
			for _, name := range []string{"role", "content"} {
				want := map[string]string{"role": "user", "content": "hi"}[name]
				x, err := e.Attr(v, name)
				if s, _ := x.Str(); err != nil || s != want {
					t.Fatalf("%s: %s is %q (%v)", tt.name, name, s, err)
				}
				y, ok := Lookup(v, name)
				if s, _ := y.Str(); !ok || s != want {
					t.Fatalf("%s: Lookup of %s is %q", tt.name, name, s)
				}
			}
		}
		if n := testing.AllocsPerRun(20, read); n > tt.allocs {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
		if x, ok := Lookup(v, "nope"); ok {
			t.Errorf("%s has a key nope: %v", tt.name, x)
		}
		if x, err := e.Attr(v, "nope"); err != nil || !x.IsUndefined() {
			t.Errorf("%s: an absent key is %v (%v)", tt.name, x, err)
		}
	}
	if _, ok := Lookup(Of(none), "role"); ok {
		t.Error("a nil message has a role")
	}
	if _, ok := Lookup(Of(namedMapOfAny(nil)), "role"); ok {
		t.Error("a nil map has a role")
	}
}

// A message has under each name what its Value has.
func TestFieldsOfMessages(t *testing.T) {
	extra := NewMap(3)
	extra.Set("role", String("other"))
	extra.Set("tool_calls", ListOf([]Value{Int(1)}))
	named := NewMap(1)
	named.Set("name", String("extra"))
	for _, m := range []Message{
		{}, {Role: "user", Content: "hi"}, {Role: "user", State: NullContent}, {Role: "tool", State: NoContent, Extra: extra},
		{Role: "user", Content: "hi", Parts: ListOf(nil), State: HasContent}, {Name: "n"}, {Name: "n", Extra: named}, {Extra: named},
	} {
		whole, _ := m.Value().Map()
		for _, name := range []string{"role", "content", "name", "tool_calls", "nope", ""} {
			got, ok := m.field(name)
			want, wantOK := whole.Get(name)
			a, _ := json.Marshal(got.Interface())
			b, _ := json.Marshal(want.Interface())
			if ok != wantOK || ok && string(a) != string(b) {
				t.Errorf("%s of %+v is %s (%v), in its value %s (%v)", name, m, a, ok, b, wantOK)
			}
		}
	}
}
