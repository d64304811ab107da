package fuzz

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// FuzzGeneratedJinja makes Jinja templates of random numbers, well-formed but for
// names of filters, and holds all ways of a render against each other: code with and
// without each pass, decoded data and Go's, a new machine and a used one. Texts, codes
// of errors and their places must be equal, and nothing may panic.
func FuzzGeneratedJinja(f *testing.F) {
	for i := range uint64(300) {
		f.Add(i, i*104729)
	}
	decoded, err := vm.DecodeJSON([]byte(generatedData), vm.DecodeOptions{})
	if err != nil {
		f.Fatal(err)
	}
	native, _ := goData(decoded)
	f.Fuzz(func(t *testing.T, a, b uint64) {
		g := &jinjaGenerator{r: rand.New(rand.NewPCG(a, b))}
		src := g.body(4)
		compile := func(opts ...compiler.Option) *vm.Program {
			p, err := compiler.Compile(src, append(opts, compiler.WithSyntax(compiler.SyntaxJinja), compiler.WithLimits(small))...)
			if err != nil {
				return nil
			}
			return p
		}
		render := func(p *vm.Program, data any) []string {
			r, err := p.Report(context.Background(), data)
			if err == nil {
				return []string{r.Text}
			}
			return []string{"", firstPlace(err)}
		}
		p := compile()
		if p == nil {
			return
		}
		first := render(p, decoded)
		if len(first) > 1 && (strings.Contains(first[1], "PCC302") || strings.Contains(first[1], "PCC399")) {
			t.Fatalf("the machine panicked: %v\n%s", first, src)
		}
		if len(first) > 1 && strings.Contains(first[1], "PCC9") {
			return // budgets end elsewhere in other code
		}
		check := func(how string, p *vm.Program, data any) {
			t.Helper()
			if p == nil {
				t.Fatalf("%s it does not compile:\n%s", how, src)
			}
			got := render(p, data)
			if len(got) > 1 && strings.Contains(got[1], "PCC9") {
				return
			}
			if d := cmp.Diff(first, got); d != "" {
				t.Fatalf("%s (-first +now):\n%s\n%s", how, d, src)
			}
		}
		check("in the used machine", p, decoded)
		if native != nil {
			check("with Go data", p, native)
		}
		for _, pass := range []compiler.Pass{compiler.PassFold, compiler.PassSwitch, compiler.PassFuse, compiler.PassItems, compiler.PassPrint} {
			check("without "+string(pass), compile(compiler.WithoutPass(pass)), decoded)
		}
	})
}

// jinjaGenerator makes Jinja templates that read generatedData.
type jinjaGenerator struct {
	r            *rand.Rand
	vars         []string // names of the loops and macros around
	loop, macros int
}

func (g *jinjaGenerator) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *jinjaGenerator) path() string {
	p := g.pick(append([]string{"b", "deep", "e", "f", "list", "m", "n", "people", "plan", "rows", "s", "z", "nobody", "x", "y", "ns"}, g.vars...)...)
	for g.r.IntN(3) == 0 {
		p += g.pick(".a", ".b", ".c", ".name", ".tags", "[0]", `["a"]`, `['b']`, ".nope", ".items()", ".keys()", ".upper()", ".get('a')",
			".strip()", ".split(' ')", "[-1]", "[1:]", "[::-1]")
	}
	if g.loop > 0 && g.r.IntN(4) == 0 {
		p = g.pick("loop.index", "loop.index0", "loop.first", "loop.last", "loop.length", "loop.previtem", "loop.nextitem",
			"loop.cycle(1, 2)", "loop.changed(n)", "loop.depth", "loop.nope")
	}
	return p
}

func (g *jinjaGenerator) literal() string {
	return g.pick("0", "1", "2", "7", "2.5", "1.0", `"pro"`, `'x'`, `""`, "true", "false", "none", `"text {n}"`, "[1, 2]", `{"a": 1}`, "[]",
		"(1, 'a')", "range(3)")
}

func (g *jinjaGenerator) expr(depth int) string {
	if depth <= 0 {
		if g.r.IntN(3) == 0 {
			return g.literal()
		}
		return g.path()
	}
	x := func() string {
		e := g.expr(depth - 1 - g.r.IntN(2))
		if g.r.IntN(3) == 0 {
			return "(" + e + ")"
		}
		return e
	}
	switch g.r.IntN(15) {
	case 0, 1, 2:
		return x() + " " + g.pick("+", "+", "-", "*", "/", "//", "%", "~", "~", "~", "**") + " " + x()
	case 3:
		return x() + " " + g.pick("==", "!=", "<", "<=", ">", ">=", "in", "not in") + " " + x()
	case 4:
		return x() + " " + g.pick("and", "or") + " " + x()
	case 5:
		return "not " + x()
	case 6:
		return x() + " if " + x() + g.pick("", " else "+x(), " else "+x())
	case 7:
		return "(" + x() + ")|" + g.filter()
	case 8:
		return g.path() + "|" + g.filter() + g.pick("", "|"+g.filter())
	case 9:
		return "(" + x() + ") is " + g.pick("defined", "not defined", "none", "string", "number", "odd", "mapping", "sequence",
			"in [1, 2]", "divisibleby(2)", "iterable", "eq(1)")
	case 10:
		return "(" + x() + ")[" + g.pick("0", "1:", "-1", "::2", x()) + "]"
	case 11:
		return "[" + x() + ", " + x() + "]"
	case 12:
		return "{'k': " + x() + ", 'l': " + x() + "}"
	case 13:
		if g.macros > 0 {
			return fmt.Sprintf("m%d(%s)", g.r.IntN(g.macros), x())
		}
	}
	return "'a' + " + g.path() + " + 'b'"
}

func (g *jinjaGenerator) filter() string {
	return g.pick("upper", "lower", "length", "default('d')", "default(n, true)", "join(', ')", "first", "last", "string", "tojson", "abs",
		"replace('t', 'T')", "reverse", "sort", "list", "trim", "int", "float", "title", "capitalize", "unique|list", "map('upper')|join",
		"select|list", "selectattr('name')|list", "map(attribute='name')|join(',')", "dictsort", "items|list", "batch(2)|list", "indent(2)",
		"wordcount", "e", "safe", "escape", "max", "min", "sum", "tojson(indent=2)", "truncate(5)", "round(1)", "groupby('name')|list", "nofilter")
}

func (g *jinjaGenerator) text() string {
	return g.pick("text ", "\n", " ", "{\"k\": 1}", "ü", "\r\n", "{# c #}", "\n  ", "<b>", "}", "{ ", "{% raw %}{{ x }}{% endraw %}")
}

func (g *jinjaGenerator) tag(s string) string {
	return g.pick("{% ", "{%- ", "{%") + s + g.pick(" %}", " -%}", "%}")
}

func (g *jinjaGenerator) body(depth int) string {
	var w strings.Builder
	for range g.r.IntN(5) {
		w.WriteString(g.node(depth))
	}
	return w.String()
}

// inside is a body in which further names are bound.
func (g *jinjaGenerator) inside(depth int, names ...string) string {
	vars := g.vars
	g.vars = append(vars[:len(vars):len(vars)], names...)
	defer func() { g.vars = vars }()
	return g.body(depth)
}

func (g *jinjaGenerator) node(depth int) string {
	if depth <= 0 {
		return g.leaf()
	}
	switch g.r.IntN(14) {
	case 0, 1:
		s := g.tag("if "+g.expr(2)) + g.body(depth-1)
		if g.r.IntN(3) == 0 {
			s += g.tag("elif "+g.expr(2)) + g.body(depth-1)
		}
		if g.r.IntN(2) == 0 {
			s += g.tag("else") + g.body(depth-1)
		}
		return s + g.tag("endif")
	case 2, 3:
		return g.forNode(depth)
	case 4, 5:
		return g.tag("set " + g.pick("x", "y", "z", "n") + " = " + g.expr(2))
	case 6:
		return g.tag("set ns = namespace(a="+g.expr(1)+")") + g.tag("set ns.a = ns.a "+g.pick("+", "~")+" "+g.expr(1))
	case 7:
		return g.tag("set x") + g.body(depth-1) + g.tag("endset")
	case 8:
		name := fmt.Sprintf("m%d", g.macros)
		g.macros++
		return g.tag("macro "+name+"(a, b="+g.literal()+")") + g.inside(depth-1, "a", "b") + g.pick("", "{{ caller() }}") + g.tag("endmacro")
	case 9:
		return g.tag("filter "+g.pick("upper", "trim", "replace('a', 'b')", "indent(2)")) + g.body(depth-1) + g.tag("endfilter")
	case 10:
		return g.tag("with x="+g.expr(1)) + g.body(depth-1) + g.tag("endwith")
	case 11:
		if g.macros > 0 {
			return g.tag(fmt.Sprintf("call m%d(%s)", g.r.IntN(g.macros), g.expr(1))) + g.body(depth-1) + g.tag("endcall")
		}
	}
	return g.leaf()
}

func (g *jinjaGenerator) forNode(depth int) string {
	v := fmt.Sprintf("v%d", len(g.vars))
	head := "for " + v + " in " + g.pick("list", "people", "rows", "nobody", "m", "s", "range(3)", g.expr(1))
	if g.r.IntN(4) == 0 {
		head = "for k, " + v + " in " + g.pick("m.items()", "deep.items()", "rows", "m|dictsort")
	}
	if g.r.IntN(4) == 0 {
		head += " if " + g.expr(1)
	}
	g.loop++
	s := g.tag(head) + g.inside(depth-1, v)
	g.loop--
	if g.r.IntN(4) == 0 {
		s += g.tag("else") + g.body(depth-1)
	}
	return s + g.tag("endfor")
}

func (g *jinjaGenerator) leaf() string {
	if g.r.IntN(3) == 0 {
		return g.text()
	}
	return "{{ " + g.expr(3) + " }}"
}

// firstPlace is the code of the first error with its place in the source.
func firstPlace(err error) string {
	if l := diag.AsList(err); len(l) > 0 {
		return fmt.Sprintf("%s at %d to %d", l[0].Code, l[0].Span.Start, l[0].Span.End)
	}
	return err.Error()
}
