package compiler_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// memoryUnits are constructs that are repeated, by their syntaxes.
func memoryUnits() map[string][]string {
	many := func(unit string, n int, form string) string { return fmt.Sprintf(form, strings.Repeat(unit, n)) }
	expressions := []string{
		many("+a", 900, "a%s"), many("~a", 900, "a%s"), many("<a", 900, "a%s"), many(" or a", 900, "a%s"), many("+1", 900, "1%s"),
		many("|upper", 90, "a%s"), many("|default(a)", 90, "a%s"), many(".b", 90, "a%s"), many("[0]", 90, "a%s"), many("[:]", 90, "a%s"),
		many("()", 90, "(a.b)%s"), many("a,", 900, "[%s]"), many("[],", 900, "[%s]"), many("a:a,", 300, "{%s}"), many("1,", 900, "[%s]"),
		many("'',", 900, "[%s]"), many("not ", 150, "%sa"), many("-", 150, "%sa"), many("a if a else ", 90, "%sa"), "a", "1", "'a'", "a is none",
	}
	units := map[string][]string{
		"jinja": {"{{ f(a=a) }}", "{%if a%}{%endif%}", "{%for a in a%}{%endfor%}", "{%set a=a%}", "{%macro a(b=1)%}{%endmacro%}", "{%set a%}{%endset%}",
			"{%filter upper%}{%endfilter%}", "{%call a()%}{%endcall%}", "{%with%}{%endwith%}", "{%include a%}", "{##}x", "{%raw%}x{%endraw%}",
			"{%with a=a" + strings.Repeat(",a=a", 100) + "%}{%endwith%}", "{%if a%}" + strings.Repeat("{%elif a%}", 100) + "{%endif%}",
			"{%from a import a" + strings.Repeat(",a", 100) + "%}", "{%set (" + strings.Repeat("a,", 100) + ")=a%}", "text\n", "{", "{{a}}\n"},
		"brace": {"{a}", "{a}\n", "{when a}{/when}", "{loop a}{/loop}", "{loop a}{loop a}{loop a}{loop a}{b}{b.c}{b}{b}{/loop}{/loop}{/loop}{/loop}",
			"{switch a}{case 1}{/switch}", "{a" + strings.Repeat("|upper", 90) + "}", "{a" + strings.Repeat(".b", 90) + "}", "{ a }", "{-a}", "{#a#}",
			"/{x/}", "/{{x/}}", "{raw}x{/raw}", "{a|b|c}", "{a b}", "{a.b", "text\n", "{"},
		"angle": {"<a>", "<when a></when>", "</a>", "< a >", "<a b='c'>", "/<x/>"},
		"":      {"{a}", "<a>", "<p {a>", "{{a}}", "{a b}<c>", "{%if a%}{%endif%}"},
	}
	for _, e := range expressions {
		units["jinja"] = append(units["jinja"], "{{ "+e+" }}")
		if !strings.HasPrefix(e, "(") {
			units["brace"] = append(units["brace"], "{{ "+e+" }}")
		}
	}
	return units
}

// compiledIn compiles n bytes of a unit that is repeated, and returns the bytes
// that this allocates.
func compiledIn(unit, syntax string, n int, limits vm.Limits) (bytes uint64, err error) {
	opts := []compiler.Option{compiler.WithLimits(limits)}
	if syntax != "" {
		opts = append(opts, compiler.WithSyntax(compiler.Syntax(syntax)))
	}
	src := strings.Repeat(unit, n/len(unit)+1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = compiler.Compile(src, opts...)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// TestCompileMemoryLimit holds what compiling allocates to its limit, whatever a
// template consists of: what is let go of on the way included, three times what
// is estimated, and some for each byte of the source.
func TestCompileMemoryLimit(t *testing.T) {
	const limit, size = 8 << 20, 512 << 10
	times := uint64(1)
	if raceEnabled { // pools then drop what they hold
		times = 2
	}
	refused := 0
	for syntax, units := range memoryUnits() {
		for _, unit := range units {
			bytes, err := compiledIn(unit, syntax, size, vm.Limits{CompileMemory: limit})
			if most := uint64(3*limit + 16*size); bytes > times*most {
				t.Errorf("%s: %d bytes of %.40q allocate %d bytes, %d at most", syntax, size, unit, bytes, most)
			}
			if strings.Contains(codes(err), "PCC918") {
				refused++
			}
			few, _ := compiledIn(unit, syntax, size/16, vm.Limits{})
			if per := few / (size / 16); per > 650*times {
				t.Errorf("%s: %.40q allocates %d bytes for each byte of source", syntax, unit, per)
			}
		}
	}
	if refused < 10 {
		t.Errorf("%d constructs reach the limit, so that the test shows nothing", refused)
	}
}

// TestCompileMemoryOfOneTag: one tag that is as long as a template may be takes no
// more than its limit, whichever production reads it.
func TestCompileMemoryOfOneTag(t *testing.T) {
	const limit, size = 8 << 20, 2 << 20
	for _, form := range []string{"{when a%s}{/when}", "{loop a%s as b}{/loop}", "{switch a%s}{/switch}", "{switch a}{case 1%s}{/switch}", "{message a%s}{/message}",
		"{when a}{else when a%s}{/when}", "{messages a%s}", `{include "x" with a=a%s}`} {
		src := fmt.Sprintf(form, strings.Repeat("+a", size/2))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := compiler.Compile(src, compiler.WithSyntax("brace"), compiler.WithLimits(vm.Limits{CompileMemory: limit}))
		runtime.ReadMemStats(&after)
		if bytes, most := after.TotalAlloc-before.TotalAlloc, uint64(3*limit+16*size); bytes > most {
			t.Errorf("%s: %d bytes are allocated, %d at most", form, bytes, most)
		}
		if !strings.Contains(codes(err), "PCC918") {
			t.Errorf("%s: %s", form, codes(err))
		}
	}
}

// TestCompileMemoryTells shows where the limit is reached, and that it is one.
func TestCompileMemoryTells(t *testing.T) {
	for _, tt := range []struct{ syntax, unit string }{{"jinja", "{{ a+a }}\n"}, {"brace", "{{ a+a }}\n"}, {"brace", "{a}\n"}, {"angle", "<a>\n"},
		{"brace", "{loop a}{loop b}{loop c}{x}{/loop}{/loop}{/loop}\n"}, {"jinja", "{% from 'x' import a, b %}\n"}, {"jinja", "{##}\n"}, {"", "{a}\n"}, {"", "<a>\n"}} {
		src := strings.Repeat(tt.unit, 1000)
		opts := []compiler.Option{compiler.WithLimits(vm.Limits{CompileMemory: 100_000})}
		if tt.syntax != "" {
			opts = append(opts, compiler.WithSyntax(compiler.Syntax(tt.syntax)))
		}
		_, err := compiler.Compile(src, opts...)
		failsWith(t, tt.syntax+tt.unit, err, "PCC918")
		if strings.Count(codes(err), "PCC918") != 1 {
			t.Errorf("%s %q: the limit is told more than once: %v", tt.syntax, tt.unit, err)
		}
		for _, want := range []string{"template:", "Limits.CompileMemory"} {
			if got := fmt.Sprintf("%+v", err); !strings.Contains(got, want) {
				t.Errorf("%s %q: %s lacks %s", tt.syntax, tt.unit, got, want)
			}
		}
		if _, err := compiler.Compile(strings.Repeat(tt.unit, 10), opts...); err != nil && strings.Contains(codes(err), "PCC918") {
			t.Errorf("%s %q: a hundredth of it does not compile: %v", tt.syntax, tt.unit, err)
		}
	}
}

// Texts that are included take from one limit, each time that they are.
func TestCompileMemoryOfIncludes(t *testing.T) {
	files := fstest.MapFS{"x": {Data: []byte(strings.Repeat("{a}", 100))}}
	for n, want := range map[int]string{1: "", 100: "PCC918"} {
		_, err := compiler.Compile(strings.Repeat(`{include "x"}`, n), compiler.WithSyntax("brace"), compiler.WithFS(files), compiler.WithLimits(vm.Limits{CompileMemory: 300_000}))
		if got := codes(err); got != want {
			t.Errorf("%d includes: %q, want %q", n, got, want)
		}
	}
	// Those that a render loads keep no more than the limit together.
	for i := range 40 {
		files[fmt.Sprint(i)] = &fstest.MapFile{Data: []byte(strings.Repeat("{{ a+b+c }}", 200))}
	}
	p, err := compiler.Compile("{% for i in range(40) %}{% include i|string %}{% endfor %}", compiler.WithSyntax("jinja"), compiler.WithFS(files), compiler.WithLimits(vm.Limits{CompileMemory: 3_000_000}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Render(map[string]any{"a": 1, "b": 2, "c": 3})
	failsWith(t, "40 templates", err, "PCC918")
}
