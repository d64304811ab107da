package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/vm"
)

// The fixtures of attacks are read by what they say, so that rows that say the
// same of other names, sizes and types run too. This holds without the rows.
func TestAttackFixtures(t *testing.T) {
	for _, tt := range []struct {
		fixture, template string
		kind              reflect.Kind // of the data's x, or of the data where it has none
		options           int          // of the render
		cancel            time.Duration
	}{
		{"guard:all", "{{ x }}", reflect.Invalid, 1, 0},
		{"guard:chatml; segments", "{{ x }}", reflect.Invalid, 2, 0},
		{"cancel_after:50ms", "{{ x }}", reflect.Invalid, 0, 50 * time.Millisecond},
		{"cancel_after:1s; guard:llama3", "{{ x }}", reflect.Invalid, 1, time.Second},
		{"type M map[string]any; m[0..999]=m", "{{ m }}", reflect.Map, 0, 0},
		{"type L []any; l[0..99]=l", "{{ l }}", reflect.Slice, 0, 0},
		{"type T struct{Label string}; func (*T) TypeName() string", "{{ x.Label }}", reflect.Pointer, 0, 0},
		{"type T struct{Label string}; func (t T) Error() string", "{{ x.Label }}", reflect.Struct, 0, 0},
		{"WithHostMethods; type Redact string; func (Redact) String() string", "{{ x }}", reflect.String, 0, 0},
		{"type F func(); func (F) Len() int", "{{ x|length }}", reflect.Func, 0, 0},
		{"type D struct{ M *vm.Map }", "{{ x.M.Frozen }}", reflect.Struct, 0, 0},
		{"type D struct{ M *vm.Map, N []any }", "{{ M.Frozen }}", reflect.Struct, 0, 0},
		{"chan_open", "{{ x }}", reflect.Chan, 0, 0},
	} {
		t.Run(tt.fixture, func(t *testing.T) {
			c := &attackCase{t: t, row: attack{Fixture: tt.fixture, Template: tt.template}}
			c.fixture()
			held := c.data
			if m, ok := held.(map[string]any); ok {
				held = m["x"]
			}
			kind := reflect.Invalid
			if held != nil {
				kind = reflect.TypeOf(held).Kind()
			}
			if kind != tt.kind || len(c.render) != tt.options || c.cancel != tt.cancel {
				t.Errorf("x is a %v, %d options, ends after %v", kind, len(c.render), c.cancel)
			}
		})
	}
}

// A fixture of the host's types is told in Go's words, and its data holds what
// a render could be led to.
func TestAttackTypesHoldThemselves(t *testing.T) {
	c := &attackCase{t: t, row: attack{Fixture: "type M map[string]any; m[0..9]=m"}}
	c.fixture()
	m := c.data.(map[string]any)["m"].(plainMap)
	if inner, ok := m["9"].(plainMap); !ok || len(m) != 10 || len(inner) != 10 {
		t.Errorf("%d keys; the last holds itself: %v", len(m), ok)
	}
	d := fieldValues()["*vm.Map"].(*vm.Map)
	if v, ok := d.Get("Frozen"); !ok || v.Kind() != vm.KindString {
		t.Errorf("the map lacks the name of a field: %v", v)
	}
}

func TestSplitOutside(t *testing.T) {
	for in, want := range map[string][]string{
		"a":                       {"a"},
		"a; b ;":                  {"a", "b"},
		"type T struct{A int; B}": {"type T struct{A int; B}"},
		"x{;}; y":                 {"x{;}", "y"},
		"":                        nil,
	} {
		if got := slices.Collect(splitOutside(in, ';')); !slices.Equal(got, want) {
			t.Errorf("%q: %s", in, strings.Join(got, " | "))
		}
	}
}
