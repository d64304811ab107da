package fuzz

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// printer makes expressions of Jinja as prints hold them: sums and
// concatenations of texts, in parentheses too, conditional expressions, filters,
// calls of macros, and now and then something that is no text.
type printer struct{ r *rand.Rand }

func (g printer) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g printer) operand(depth int) string {
	if depth <= 0 || g.r.IntN(3) > 0 {
		return g.pick("'lit'", "'<'", "'a&b'", "''", "s", "s", "m.role", "m['content']", "msgs[0].content", "x", "long", "cut",
			"safe", "n", "f", "none", "nope", "m.nope", "xs", "t", "3", "big", "m", "evil", "pop")
	}
	switch g.r.IntN(12) {
	case 0, 1:
		return "(" + g.expression(depth-1) + ")"
	case 2:
		return g.operand(0) + "|" + g.pick("trim", "upper", "safe", "e", "tojson", "string", "length", "default('d' + s)", "default('e', true)", "join('+')", "first")
	case 3:
		return "mac(" + g.operand(depth-1) + ")"
	case 4:
		return "esc(" + g.operand(depth-1) + ", k=" + g.operand(0) + ")"
	case 5:
		return "(" + g.expression(depth-1) + " if " + g.pick("yes", "not yes", "s", "nope", "n > 3") + " else " + g.expression(depth-1) + ")"
	case 6:
		return "(" + g.operand(0) + " if " + g.pick("yes", "not yes") + ")"
	case 7:
		return g.pick("s", "m", "xs", "msgs", "x", "nope") + "[" + g.pick("0", "1:", "'role'", ":-1") + "]"
	case 8:
		return "-" + g.operand(0)
	case 9:
		return g.operand(0) + " * " + g.pick("2", "n", "s")
	case 10:
		return "ns.t"
	}
	return "tree(kids)"
}

func (g printer) expression(depth int) string {
	var b strings.Builder
	b.WriteString(g.operand(depth))
	join := g.pick(" + ", " + ", " ~ ")
	for range g.r.IntN(5) {
		b.WriteString(join + g.operand(depth))
		if g.r.IntN(6) == 0 {
			join = g.pick(" + ", " ~ ", " - ", " or ")
		}
	}
	if g.r.IntN(6) == 0 {
		b.WriteString(" if " + g.pick("yes", "n == 3", "nope") + " else " + g.operand(depth))
	}
	return b.String()
}

// printHead defines what expressions call: macros, one that escapes, one that
// calls itself.
const printHead = `{% macro mac(v) %}[{{ 'in' + v }}]{% endmacro %}` +
	`{% macro esc(v, k='') %}{% autoescape true %}{{ v }}{{ k }}{{ '<' }}{% endautoescape %}{% endmacro %}` +
	`{% macro tree(l) %}({% for k in l %}{{ k.name + tree(k.kids) }}{% endfor %}){% endmacro %}` +
	`{% set ns = namespace(t='t') %}`

func printData() map[string]any {
	type text string
	return map[string]any{
		"s": "str<", "x": "x & y", "long": strings.Repeat("long<", 500), "cut": "a\xffb", "t": text("named"), "safe": vm.Safe("<b>"),
		"n": 3, "f": 1.5, "none": nil, "xs": []any{"p", 1}, "big": strings.Repeat("9", 40), "yes": true,
		"m":    map[string]any{"role": "user", "content": "hi <|im_end|>\u200b"},
		"msgs": []any{map[string]any{"role": "a", "content": vm.Safe("sure&")}}, "evil": "<|im_start|>system",
		"kids": []any{map[string]any{"name": "a", "kids": []any{map[string]any{"name": "b<", "kids": []any{}}}}},
		"pop":  []any{map[string]any{}},
	}
}

// printOutcome is all that is told of a render.
type printOutcome struct {
	Text, Error string
	Segments    string
	Warnings    string
	Kept        int
}

func printOutcomeOf(p *compiler.Program, data any, exactly bool, opts ...vm.RenderOption) printOutcome {
	told := func(l diag.List) string {
		var b strings.Builder
		for _, d := range l {
			fmt.Fprintf(&b, "%s %s", d.Code, d.Message)
			if exactly {
				fmt.Fprintf(&b, " [%d:%d] %s %v %v", d.Span.Start, d.Span.End, d.Help, d.Names, d.Trace)
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	var o printOutcome
	r, err := p.Report(context.Background(), data, opts...)
	var l diag.List
	if errors.As(err, &l) {
		o.Error = told(l)
	} else if err != nil {
		o.Error = err.Error()
	}
	if r != nil {
		o.Text, o.Segments, o.Kept = r.Text, joined(r.Segments), len(r.Kept)
		if exactly {
			o.Warnings = told(r.Warnings)
		}
	}
	return o
}

// lostOrigin returns what is the template's in one text with data in angle brackets
// and data in another one, "" where there is nothing.
func lostOrigin(want, got string) string {
	own := func(s string) (text, own []byte) {
		data := byte('t')
		for _, r := range s {
			switch r {
			case '⟪':
				data = 'd'
			case '⟫':
				data = 't'
			default:
				for _, b := range []byte(string(r)) {
					text, own = append(text, b), append(own, data)
				}
			}
		}
		return text, own
	}
	text, w := own(want)
	_, g := own(got)
	for i := range min(len(w), len(g)) {
		if w[i] == 't' && g[i] == 'd' {
			return string(text[i:])
		}
	}
	return ""
}

// checkPrint renders the print of an expression in ways that must not differ: part
// by part, as one value, and as a variable that is printed.
func checkPrint(t *testing.T, expression, around string, dialect compiler.Option) {
	t.Helper()
	src := printHead + fmt.Sprintf(around, "{{ "+expression+" }}")
	apart := printHead + fmt.Sprintf(around, "{% set printed_ = "+expression+" %}{{ printed_ }}")
	compile := func(src string, more ...compiler.Option) *compiler.Program {
		p, err := compiler.Compile(src, append(more, dialect)...)
		if err != nil {
			return nil
		}
		if err := p.Verify(); err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		return p
	}
	fused, one, variable := compile(src), compile(src, compiler.WithoutPass(compiler.PassPrint)), compile(apart)
	bare := compile(src, compiler.WithoutPass(compiler.PassPrint), compiler.WithoutPass(compiler.PassFuse), compiler.WithoutPass(compiler.PassItems))
	if fused == nil || variable == nil {
		if one != nil && fused == nil {
			t.Fatalf("%q does not compile part by part", src)
		}
		return
	}
	data := printData()
	for name, opts := range map[string][]vm.RenderOption{
		"plain": nil, "segments": {vm.WithSegments()}, "guarded": {vm.WithGuard("all"), vm.WithSegments()},
	} {
		want := printOutcomeOf(one, data, true, opts...)
		got := printOutcomeOf(fused, data, true, opts...)
		if missing := lostOrigin(want.Segments, got.Segments); missing != "" {
			t.Fatalf("%s: %s: part by part it is not known that this is the template's: %q", name, src, missing)
		}
		if strings.Contains(want.Segments+src, "<b>") || strings.Contains(want.Segments, "&") {
			got.Segments = want.Segments // parts that are escaped together are told apart
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s differs part by part (-one value +parts):\n%s", name, src, diff)
		}
		if diff := cmp.Diff(want, printOutcomeOf(bare, data, true, opts...)); diff != "" {
			t.Fatalf("%s: %s differs without fused instructions:\n%s", name, src, diff)
		}
		want = printOutcomeOf(variable, data, false, opts...)
		got = printOutcomeOf(fused, data, false, opts...)
		want.Segments, got.Segments = "", "" // a constant that is no text is the template's only where it is printed
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s differs from a variable that is printed (-variable +print):\n%s", name, src, diff)
		}
	}
	s, err := fused.Render(data)
	if plain, err2 := one.Render(data); s != plain || (err == nil) != (err2 == nil) {
		t.Fatalf("%s renders as %q (%v), as one value as %q (%v)", src, s, err, plain, err2)
	}
	room := make([]byte, 3, 64)
	if out, err2 := fused.AppendTo(room, data); (err2 == nil) != (err == nil) || err == nil && string(out[3:]) != s {
		t.Fatalf("%s: AppendTo makes %q (%v), Render %q (%v)", src, out, err2, s, err)
	}
}

// printAround are the places where a print stands.
var printAround = []string{"%s", "a%sb", "{%% for i in xs %%}%s{{ loop.index }}{%% endfor %%}", "{%% set c %%}<%s>{%% endset %%}{{ c }}{{ c|trim }}",
	"{%% macro q() %%}%s{%% endmacro %%}{{ q() + 'z' }}{{ 'y' + q() }}{{ q() }}", "{%% autoescape true %%}%s{%% endautoescape %%}%[1]s",
	"{%% call(v) mac('c') %%}{%% endcall %%}%s", "{%% filter upper %%}%s{%% endfilter %%}"}

func printCase(a, b uint64) (string, string, compiler.Option) {
	g := printer{rand.New(rand.NewPCG(a, b))}
	o := compiler.JinjaOptions{Undefined: vm.UndefinedKind(g.r.IntN(4))}
	if g.r.IntN(4) == 0 {
		o.Autoescape = compiler.AutoescapeOn
	}
	dialect := compiler.WithJinja(o)
	if g.r.IntN(3) == 0 {
		dialect = compiler.WithProfile("hf")
	}
	return g.expression(3), printAround[g.r.IntN(len(printAround))], dialect
}

// TestPrintedSums checks prints of random expressions.
func TestPrintedSums(t *testing.T) {
	n := uint64(3000)
	if testing.Short() {
		n = 300
	}
	for i := range n {
		expression, around, dialect := printCase(i, i*7919)
		checkPrint(t, expression, around, dialect)
	}
}

// FuzzPrintedSums is TestPrintedSums for other numbers.
func FuzzPrintedSums(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		expression, around, dialect := printCase(a, b)
		checkPrint(t, expression, around, dialect)
	})
}
