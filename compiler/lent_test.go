package compiler_test

import (
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// lender holds lists and maps of ours in Go types, of which no copy is made.
type lender struct {
	List   *vm.List            `json:"list"`
	Value  vm.Value            `json:"value"`
	Any    any                 `json:"any"`
	Held   vm.List             `json:"held"`
	Map    **vm.Map            `json:"map"`
	Slice  []*vm.List          `json:"slice"`
	Typed  map[string]*vm.List `json:"typed"`
	Parent *lender             `json:"parent"`
	embeddedLender
}

type embeddedLender struct {
	Deep [1]struct{ L vm.Value } `json:"deep"`
}

// TestLentIsNotChanged calls methods that change lists and maps on those that
// stand in Go structs and in slices and maps of types of their own. They are the
// caller's: a change would show in the next render, and race with others.
func TestLentIsNotChanged(t *testing.T) {
	list := func() *vm.List { return &vm.List{Items: []vm.Value{vm.Int(1), vm.Int(2)}} }
	object := vm.NewMap(1)
	object.Set("k", vm.ListOf([]vm.Value{vm.Int(1)}))
	d := &lender{List: list(), Value: vm.MapOf(object), Any: list(), Held: *list(), Map: &object,
		Slice: []*vm.List{list()}, Typed: map[string]*vm.List{"a": list()}}
	d.Deep[0].L = vm.ListOf([]vm.Value{vm.Int(1)})
	d.Parent = d
	for _, call := range []string{"list.append(3)", "list.pop(0)", "list.reverse()", "value.update(a=1)", "value.k.append(3)", "any.clear()",
		"held.append(1)", "map.pop('k')", "map.k.insert(0, 1)", "slice[0].append(1)", "typed.a.append(1)", "typed['a'].sort()",
		"parent.parent.list.extend([1])", "deep[0].L.append(1)"} {
		for how, data := range map[string]any{"a pointer": d, "a struct": *d, "in a map": map[string]any{"list": d.List, "value": d.Value,
			"any": d, "held": &d.Held, "map": d.Map, "slice": d.Slice, "typed": d.Typed, "parent": d, "deep": d.Deep}} {
			see := "{{ list }}{{ value }}{{ held }}{{ map }}{{ slice }}{{ typed }}{{ deep }}"
			plain, err := compiler.Compile(see, compiler.WithSyntax("jinja"))
			if err != nil {
				t.Fatal(err)
			}
			before, err := plain.Render(data)
			if err != nil {
				t.Fatal(err)
			}
			p, err := compiler.Compile("{% set x = "+call+" %}"+see, compiler.WithSyntax("jinja"))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				// In a map, what is ours stands in decoded data, and was copied.
				if _, err := p.Render(data); err == nil && how != "in a map" {
					t.Errorf("%s, %s: no error", call, how)
				} else if err != nil && codes(err) != "PCC325" && how != "in a map" {
					t.Errorf("%s, %s: %v", call, how, err)
				}
			}
			if after, err := plain.Render(data); err != nil || after != before {
				t.Errorf("%s, %s: the data was %s and is %s, %v", call, how, before, after, err)
			}
		}
	}
}

// TestCopiesOfLent changes what the template itself made of such a list.
func TestCopiesOfLent(t *testing.T) {
	p, err := compiler.Compile("{% set a = list|list %}{% set b = list + [3] %}{% set x = a.append(7), b.append(8), a.pop(0) %}{{ a }}{{ b }}{{ list }}",
		compiler.WithSyntax("jinja"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Render(&lender{List: &vm.List{Items: []vm.Value{vm.Int(1)}}})
	if want := "[7][1, 3, 8][1]"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// TestPointersToOurs reads lists and maps of ours through further pointers, and
// nil ones, which are empty.
func TestPointersToOurs(t *testing.T) {
	m := vm.NewMap(1)
	m.Set("k", vm.Int(1))
	mv := vm.MapOf(m)
	pm, l := &m, &vm.List{Items: []vm.Value{vm.Int(2)}}
	data := map[string]any{"m": pm, "l": &l, "ms": []**vm.Map{pm}, "nl": (*vm.List)(nil), "nm": (*vm.Map)(nil), "nt": (*vm.Tuple)(nil),
		"v": &mv, "held": &lender{Value: vm.MapOf(m)}}
	for _, tt := range [][2]string{
		{"{{ m }}{{ m.k }}{{ l }}{{ l[0] }}{{ ms }}{{ ms[0].k }}", "{'k': 1}1[2]2[{'k': 1}]1"},
		{"{{ v.k }}{{ v['k'] }}{{ held.value.k }}", "111"},
		{"{% for x in l %}{{ x }}{% endfor %}{% for k in m %}{{ k }}{% endfor %}", "2k"},
		{"{% for x in nl %}x{% endfor %}{% for x in nm %}x{% endfor %}{% for x in nt %}x{% endfor %}{{ nl }}{{ nm }}{{ nt }}", "[]{}()"},
		{"{% set x = [].append(1) %}{% for x in nl %}x{% endfor %}{{ nl }}{{ nm }}{{ nt }}{{ m }}", "[]{}(){'k': 1}"},
	} {
		p, err := compiler.Compile(tt[0], compiler.WithSyntax("jinja"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Render(data); err != nil || got != tt[1] {
			t.Errorf("%s: %q, %v; want %q", tt[0], got, err, tt[1])
		}
	}
	if x := vm.Of((*vm.List)(nil)).Interface(); x != (*vm.List)(nil) {
		t.Errorf("a nil list is %v", x)
	}
}
