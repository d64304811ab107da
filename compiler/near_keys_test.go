package compiler_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
)

// TestNearKeys: a key that a value of the data lacks is told with the one that is
// like it, in place, wherever the path starts from.
func TestNearKeys(t *testing.T) {
	type inner struct {
		Name  string `json:"name"`
		Price int    `json:"price"`
	}
	type data struct {
		U     map[string]any   `json:"u"`
		Items []map[string]any `json:"items"`
		Us    []inner          `json:"us"`
		One   inner            `json:"one"`
	}
	m := map[string]any{"name": map[string]any{"x": 1}, "price": 2}
	asMap := map[string]any{"u": m, "items": []any{m}, "us": []any{m}, "one": m}
	asStruct := data{m, []map[string]any{m}, []inner{{}}, inner{}}
	for _, c := range []struct{ syntax, src, want string }{
		{"jinja", "{{ u.nmae.x }}", "`u.name`"}, {"jinja", "{{ items[0].pirce.x }}", "`items[0].price`"}, {"jinja", "{% for v in us %}{{ v.nmae.x }}{% endfor %}", "`v.name`"},
		{"jinja", "{% for v in us %}{{ v['nmae'].x }}{% endfor %}", "`v['name']`"}, {"jinja", "{{ u['nmae'].x }}", "`u['name']`"}, {"jinja", "{{ u.nmae() }}", "`u.name`"}, {"jinja", "{{ u.nmae + 1 }}", "`u.name`"},
		{"jinja", "{% for v in u.nmae.x %}{% endfor %}", "`u.name`"}, {"jinja", "{% macro q(z) %}{{ z.nmae.x }}{% endmacro %}{{ q(u) }}", "`z.name`"}, {"jinja", "{% set w = u %}{{ w.nmae.x }}", "`w.name`"},
		{"jinja", "{% if u.nmae.x %}{% endif %}", "`u.name`"}, {"jinja", "{{ one.nmae.x }}", "`one.name`"}, {"jinja", "{{ u.name.y.z }}", ""}, {"jinja", "{{ itms[0].name }}", "`items`"}, {"jinja", "{{ u.zzzzzz.x }}", ""},
		{"brace", "{{ u.nmae.x }}", "`u.name.x`"}, {"brace", "{{ itms[0].name }}", "`items[0].name`"}, {"brace", "{{ items[0].nmae }}", "`items[0].name`"}, {"brace", "{{ items[-1].nmae.y }}", "`items[-1].name.y`"},
		{"brace", "{loop us as v}{{ v.nmae }}{/loop}", "`v.name`"}, {"brace", "{loop items as v}{{ v.nmae.x }}{/loop}", "`v.name.x`"}, {"brace", "{{ u['nmae'].x }}", "`u.name.x`"}, {"brace", "{{ itms[0].name + 1 }}", "`items[0].name`"},
		{"brace", "{{ itms[0].name|upper }}", "`items[0].name`"}, {"brace", "{{ items[0]['nmae'] }}", "`items[0]['name']`"}, {"brace", "{{ itms[n].name }}", "`items[n].name`"}, {"brace", "{{ u.namexyz.abcdef }}", ""},
		{"brace", "{{ items[5].nmae }}", ""}, {"brace", "{{ u.zzzzzz }}", ""},
	} {
		p, err := compiler.Compile(c.src, compiler.WithSyntax(compiler.Syntax(c.syntax)))
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		for _, data := range []any{asMap, asStruct, &asStruct} {
			for range 3 { // bound code comes with the second
				_, err := p.Render(data)
				var d *diag.Diagnostic
				if !errors.As(err, &d) || d.Code != "PCC301" {
					t.Errorf("%s: %v", c.src, err)
					break
				}
				if c.want == "" && strings.Contains(d.Help, "did you mean") || c.want != "" && d.Help != "did you mean "+c.want+"?" {
					t.Errorf("%s of a %T: %q, want %s", c.src, data, d.Help, c.want)
					break
				}
			}
		}
	}
}

// TestNearKeysBesideLoops: what a value lacks is told where the last path that was
// read belongs to a loop that does not run: it is over, or had no items.
func TestNearKeysBesideLoops(t *testing.T) {
	type line struct {
		Text string `json:"text"`
	}
	item := map[string]any{"text": "a"}
	for _, lines := range []any{[]any{item}, []map[string]any{item}, []line{{"a"}}, []any{}, []line{}, nil, "ab"} {
		for _, src := range []string{
			"{% for m in us %}{% if m.zero %}{% for l in m.lines %}{{ l.text }}{% endfor %}{% else %}{{ ['x'].capitalize() }}{% endif %}{% endfor %}",
			"{% for m in us %}{% for l in m.lines %}{{ l.text }}{% endfor %}{{ ['x'].capitalize() }}{% endfor %}",
			"{% for l in us[0].lines or [] %}{{ l.text }}{% endfor %}{{ ['x'].capitalize() }}",
			"{% if no %}{% for l in us %}{{ l.text }}{% endfor %}{% endif %}{{ {}.capitalize() }}",
		} {
			p, err := compiler.Compile(src, compiler.WithSyntax(compiler.SyntaxJinja))
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			for range 3 {
				_, err := p.Render(map[string]any{"us": []any{map[string]any{"lines": lines}}})
				var d *diag.Diagnostic
				if !errors.As(err, &d) || d.Code == "PCC302" {
					t.Errorf("%s with %T: %v", src, lines, err)
				}
			}
		}
	}
}
