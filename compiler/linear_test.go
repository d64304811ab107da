package compiler_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/fuzz/growth"
)

// shapes are texts of n like parts. "%d" stands for the number of the part.
var shapes = []struct{ syntax, head, part, tail string }{
	{"brace", "", "{x}", ""},
	{"auto", "", "{x}", ""},
	{"auto", "", "<x>", ""},
	{"auto", "", "<x>{y}", ""},
	{"angle", "", "<x>", ""},
	{"angle", "", "<x></x>", ""},
	{"angle", "", "<when x y>", ""},
	{"brace", "", "{n%d}", ""},
	{"brace", "", "{n%d}\n", ""},
	{"brace", "", "{{ x }}", ""},
	{"brace", "", "{x|upper}", ""},
	{"brace", "", "{x|unknown}", ""},
	{"brace", "", "{a.b.c.d}", ""},
	{"brace", "", "{# a #}", ""},
	{"brace", "", "{# a", ""},
	{"brace", "", "/{a/}", ""},
	{"brace", "", "/{a} ", ""},
	{"brace", "", "/{{a b ", ""},
	{"brace", "", "{{ x + 'n%d' }}", ""},
	{"brace", "", `{"a": [1, {x}]}, `, ""},
	{"brace", "", "{when x}a{/when}", ""},
	{"brace", "", "{when x == 'n%d' and not y}a{else}{z}{/when}\n", ""},
	{"brace", "{when x == 'a'}", "{else when x == 'n%d'}b", "{/when}"},
	{"brace", "{switch x}", "{case 'n%d'}b", "{/switch}"},
	{"brace", "", "{loop xs as x}{x.a}{/loop}", ""},
	{"brace", "{loop xs}{loop ys}", "{n%d}", "{/loop}{/loop}"},
	{"brace", "", "{message user}hi {x}{/message}\n", ""},
	{"brace", strings.Repeat("{when a}", 190), "{x}", strings.Repeat("{/when}", 190)},
	{"brace", strings.Repeat("{loop a as b}", 190), "{x}", strings.Repeat("{/loop}", 190)},
	{"jinja", "", "{{ x }}", ""},
	{"jinja", "", "{{ n%d }}", ""},
	{"jinja", "", "{% if x %}a{% endif %}", ""},
	{"jinja", "", "{% for x in xs %}{{ x.a }}{% endfor %}", ""},
	{"jinja", "", "{% set n%d = 1 %}", ""},
	{"jinja", "", "{% set n%d = x %}{{ n%d }}", ""},
	{"jinja", "", "{% macro m%d(a) %}{{ a }}{% endmacro %}", ""},
	{"jinja", "{% macro m() %}", "{{ n%d }}", "{% endmacro %}"},
	{"jinja", "{% macro m(", "n%d, ", "z) %}{% endmacro %}{{ m(1, z=2) }}"},
	{"jinja", strings.Repeat("{% for a in b %}", 100), "{{ x }}", strings.Repeat("{% endfor %}", 100)},
	{"jinja", strings.Repeat("{% if a %}", 100), "{{ x }}", strings.Repeat("{% endif %}", 100)},
	{"jinja", "", "{# a #}", ""},
}

// TestLinear compiles texts of many parts: eight times the text takes not much
// more than eight times the time and memory.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, s := range shapes {
		t.Run(fmt.Sprintf("%s/%.30s%s", s.syntax, s.head, s.part), func(t *testing.T) {
			growth.Linear(t, "compiling", 32_000, func(n int) {
				var b strings.Builder
				b.WriteString(s.head)
				for i := range n {
					b.WriteString(strings.ReplaceAll(s.part, "%d", fmt.Sprint(i)))
				}
				b.WriteString(s.tail)
				compiler.Check(b.String(), compiler.WithSyntax(compiler.Syntax(s.syntax)))
			})
		})
	}
}

// TestVariablesLinear asks for the variables of a text of very many names on
// one line: their positions are not counted from its beginning each time.
func TestVariablesLinear(t *testing.T) {
	var b strings.Builder
	const n = 60_000
	for i := range n {
		fmt.Fprintf(&b, "{n%d}", i)
	}
	p, err := compiler.Compile(b.String())
	if err != nil {
		t.Fatal(err)
	}
	vars := p.Variables()
	if len(vars) != n {
		t.Fatalf("%d variables, want %d", len(vars), n)
	}
	if last := vars[n-1]; last.Name != "n59999" || last.Uses[0].Column != b.Len()-len("{n59999}")+2 {
		t.Errorf("the last variable is %+v", last)
	}
	text := b.String()
	growth.Linear(t, "variables", n, func(n int) {
		p, err := compiler.Compile(text[:strings.Index(text, fmt.Sprintf("{n%d}", n-1))])
		if err != nil {
			t.Fatal(err)
		}
		p.Variables()
	})
}

// TestManyKeywords calls a macro with very many arguments by name. Looking each
// up in a list would take some twenty seconds.
func TestManyKeywords(t *testing.T) {
	growth.Linear(t, "arguments by name", 60_000, func(n int) {
		var params, args strings.Builder
		for i := range n {
			fmt.Fprintf(&params, "a%d,", i)
			fmt.Fprintf(&args, "a%d=%d,", n-1-i, n-1-i)
		}
		// Jinja takes no comma behind the last.
		src := fmt.Sprintf("{%% macro m(%s) %%}{{ a0 }} {{ a%d }}{%% endmacro %%}{{ m(%s) }}",
			strings.TrimSuffix(params.String(), ","), n-1, strings.TrimSuffix(args.String(), ","))
		p, err := compiler.Compile(src, compiler.WithSyntax("jinja"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Render(nil); err != nil || got != fmt.Sprint("0 ", n-1) {
			t.Errorf("%q, %v", got, err)
		}
	})
}
