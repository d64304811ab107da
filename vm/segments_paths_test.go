package vm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// TestSegmentPaths: texts of the data tell where they stand, whatever way the
// template takes to them, also where they are equal or share memory; what is
// made of them has no path.
func TestSegmentPaths(t *testing.T) {
	same := "same"
	data := map[string]any{
		"a": same, "b": same, "n": 5, "empty": "", "long": " ab</think>cd ",
		"items": []any{map[string]any{"x": same}, map[string]any{"x": same, "y": vm.String("why")}},
		"odd":   map[string]any{"two words": "2", "a.b": "dot", "": "none"},
		"map":   vm.MapOf(ordered("k", vm.ListOf([]vm.Value{vm.String("v0"), vm.String("v1")}))),
		"typed": []string{"t"},
		"raw":   json.RawMessage(`{"x": "r"}`),
	}
	for _, tt := range []struct{ template, want string }{
		{"{{ a }}-{{ b }}", "same=a|-|same=b"},
		{"{{ a }}{{ a }}", "same=a|same=a"},
		{"{{ empty }}", ""},
		{"{{ n }}{{ a }}", "5=?|same=a"},
		{"{% for i in items %}{{ i.x }}{% endfor %}", "same=items[0].x|same=items[1].x"},
		{"{% for i in items[::-1] %}{{ i['x'] }}{% endfor %}", "same=items[1].x|same=items[0].x"},
		{"{{ items[-1].y }}{{ (items|last).y }}", "why=items[1].y|why=items[1].y"},
		{"{{ odd['two words'] }}{{ odd['a.b'] }}{{ odd[''] }}", `2=odd["two words"]|dot=odd["a.b"]|none=odd[""]`},
		{"{{ map.k[1] }}{% for k, v in map.items() %}{{ k }}{{ v[0] }}{% endfor %}", "v1=map.k[1]|k=?|v0=map.k[0]"},
		{"{{ long|trim }}|{{ long.split('</think>')[-1].strip() }}|{{ long[1:3] }}", "ab</think>cd=long|||cd=long|||ab=long"},
		{"{{ a|upper }}{{ a|replace('q', '') }}{{ items|tojson }}", "SAME=?|same=a|" + `[{"x": "same"}, {"x": "same", "y": "why"}]=?`},
		{"{% set c %}<{{ a }}>{% endset %}{{ c }}{{ 'x' ~ b ~ 'y' }}{{ '(' + a + ')' }}", "<|same=a|>x|same=b|y(|same=a|)"},
		{"{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m(b) }}{{ m(items[0].x) }}", "[|same=b|][|same=items[0].x|]"},
		{"{% set ns = namespace(l=[]) %}{% set ns.l = ns.l + [b, a] %}{{ ns.l[0] }}{{ ns.l|join(',') }}", "same=b|same,same=?"},
		{"{{ typed[0] }}{{ raw.x }}", "tr=?"},
	} {
		p, err := compiler.Compile(tt.template, compiler.WithSyntax("jinja"))
		if err != nil {
			t.Fatal(err)
		}
		segments, err := p.Segments(data)
		if err != nil {
			t.Errorf("%s: %v", tt.template, err)
			continue
		}
		var got []string
		for _, s := range segments {
			text := s.Text
			if s.FromData && s.Path == "" {
				text += "=?"
			} else if s.FromData {
				text += "=" + s.Path
			} else if s.Path != "" {
				t.Errorf("%s: the template's own %q is at %s", tt.template, s.Text, s.Path)
			}
			got = append(got, text)
		}
		if g := strings.Join(got, "|"); g != tt.want {
			t.Errorf("%s: %s, want %s", tt.template, g, tt.want)
		}
	}
	if data["a"] != same || len(data["items"].([]any)) != 2 {
		t.Error("the data changed")
	}
}

func ordered(key string, v vm.Value) *vm.Map {
	m := vm.NewMap(1)
	m.Set(key, v)
	return m
}

// TestSegmentPathsOfOddData: data that contains itself, is deep, or has long keys
// ends in an error or in a path that is short.
func TestSegmentPathsOfOddData(t *testing.T) {
	p, err := compiler.Compile("{{ a }}{% for x in l %}{{ x }}{% endfor %}", compiler.WithSyntax("jinja"))
	if err != nil {
		t.Fatal(err)
	}
	own := vm.NewMap(2)
	own.Set("a", vm.String("x"))
	own.Set("self", vm.MapOf(own))
	if r, err := p.Report(context.Background(), own, vm.WithSegments()); err != nil || len(r.Segments) != 1 || r.Segments[0].Path != "a" {
		t.Errorf("a map that holds itself: %v, %v", r, err)
	}
	loop := map[string]any{"a": "x"}
	loop["self"] = loop
	if _, err := p.Report(context.Background(), loop, vm.WithSegments()); diag.AsList(err)[0].Code != "PCC906" {
		t.Errorf("a Go map that holds itself: %v", err)
	}
	many := make([]any, 2000)
	for i := range many {
		many[i] = "x"
	}
	long := strings.Repeat("k", 1<<20)
	q, err := compiler.Compile(fmt.Sprintf("{%% for x in %s %%}{{ x }}{%% endfor %%}", "d[long]"), compiler.WithSyntax("jinja"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := q.Report(context.Background(), map[string]any{"long": long, "d": map[string]any{long: many}}, vm.WithSegments())
	if err != nil || len(r.Segments) != len(many) || len(r.Segments[7].Path) > 300 {
		t.Errorf("a long key: %v", err)
	}
}
