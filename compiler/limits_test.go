package compiler_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// compile compiles a template of the brace syntax that must compile.
func compile(t testing.TB, src string, opts ...compiler.Option) *vm.Program {
	t.Helper()
	p, err := compiler.Compile(src, append([]compiler.Option{compiler.WithSyntax("brace")}, opts...)...)
	if err != nil {
		t.Fatalf("%.100q: %v", src, err)
	}
	return p
}

// failsWith checks that err is an error of this code.
func failsWith(t testing.TB, what string, err error, code string) {
	t.Helper()
	if got, _, _ := strings.Cut(codes(err), " "); got != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func TestLargeSources(t *testing.T) {
	_, err := compiler.Compile(strings.Repeat("x", 10<<20+1))
	failsWith(t, "a source of more than 10 MiB", err, "PCC902")
	_, err = compiler.Compile("12345678901", compiler.WithLimits(vm.Limits{SourceBytes: 10}))
	failsWith(t, "a source over its own limit", err, "PCC902")
	if _, err = compiler.Compile("1234567890", compiler.WithLimits(vm.Limits{SourceBytes: 10})); err != nil {
		t.Errorf("a source of just the limit: %v", err)
	}
}

func TestManyErrors(t *testing.T) {
	for _, src := range []string{strings.Repeat("{/when} ", 1000), strings.Repeat("{{ a|none }} ", 1000), strings.Repeat("{{ a b }} ", 1000),
		strings.Repeat("{{ a b }} ", 15) + strings.Repeat("{{ a|none }} ", 15)} { // faults of syntax and of names count together
		_, err := compiler.Compile(src, compiler.WithSyntax("brace"))
		l := diag.AsList(err)
		if n := len(l); n != 21 || l[n-1].Code != "PCC903" {
			t.Errorf("%.20q: %d findings, the last is %v", src, n, l[n-1])
		}
	}
}

func TestManyWarnings(t *testing.T) {
	p, err := compiler.Compile(strings.Repeat("{when false}x{/when}", 1000), compiler.WithSyntax("brace"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Warnings()); n != 100 {
		t.Errorf("%d warnings of 1000 are told, want 100", n)
	}
}

func TestTooManyParts(t *testing.T) {
	for _, src := range []string{"{{ a or [%s1] }}", "{{ vars.a(%s1) }}", "{{ a|join(%s1) }}", "{loop [%s1] as x}{x}{/loop}"} {
		_, err := compiler.Compile(fmt.Sprintf(src, strings.Repeat("b,", 70_000)), compiler.WithSyntax("brace"))
		failsWith(t, src, err, "PCC914")
	}
	_, err := compiler.Compile("{a"+strings.Repeat(".b", 70_000)+"}", compiler.WithSyntax("brace"))
	failsWith(t, "a path of 70,001 names", err, "PCC914")
}

func TestLargePrograms(t *testing.T) {
	nested := func(depth, names int) string {
		return strings.Repeat("{loop a}", depth) + strings.Repeat("{x}", names) + strings.Repeat("{/loop}", depth)
	}
	for _, src := range []string{nested(190, 3000), nested(190, 10), nested(5, 20_000), strings.Repeat("{x}", 200_000)} {
		if _, err := compiler.Compile(src); err != nil {
			t.Errorf("%.20q…, %d bytes: %v", src, len(src), err)
		}
	}
}

func TestIncludeDepth(t *testing.T) {
	chain := fstest.MapFS{}
	for i := range 40 {
		chain[fmt.Sprint(i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "%d {include \"%d\"}", i, i+1)}
	}
	chain["40"] = &fstest.MapFile{Data: []byte("end")}
	_, err := compiler.Compile(`{include "0"}`, compiler.WithFS(chain), compiler.WithSyntax("brace"))
	failsWith(t, "a chain of 41 files", err, "PCC909")
	if _, err := compiler.Compile(`{include "25"}`, compiler.WithFS(chain), compiler.WithSyntax("brace")); err != nil {
		t.Errorf("a chain of 16 files: %v", err)
	}
	bomb := fstest.MapFS{}
	for i := range 12 {
		bomb[fmt.Sprint(i)] = &fstest.MapFile{Data: []byte(strings.Repeat(fmt.Sprintf("{include \"%d\"}", i+1), 10))}
	}
	bomb["12"] = &fstest.MapFile{Data: []byte("x")}
	_, err = compiler.Compile(`{include "0"}`, compiler.WithFS(bomb), compiler.WithSyntax("brace"))
	failsWith(t, "files that include the next one ten times each", err, "PCC902")
}

// cyclicData are values that hold themselves, and values nested so deep that
// recursion would overflow the stack.
func cyclicData() map[string]any {
	list := []any{1, nil}
	list[1] = list
	m := map[string]any{"a": 1}
	m["m"] = m
	type node struct {
		Name string `json:"name"`
		Next *node  `json:"next"`
	}
	n := &node{Name: "n"}
	n.Next = n
	var deepList, deepMap any = "end", "end"
	for range 1_000_000 {
		deepList = []any{deepList}
		deepMap = map[string]any{"k": deepMap}
	}
	own := &vm.List{}
	own.Items = []vm.Value{vm.Int(1), {}}
	own.Items[1] = vm.Of(own)
	ordered := vm.NewMap(1)
	ordered.Set("self", vm.MapOf(ordered))
	return map[string]any{"list": list, "map": m, "node": n, "deepList": deepList, "deepMap": deepMap, "own": vm.Of(own), "ordered": ordered}
}

// TestCyclicData prints, compares and filters values without an end.
func TestCyclicData(t *testing.T) {
	data := cyclicData()
	for _, name := range slices.Sorted(maps.Keys(data)) {
		failsWith(t, "printing "+name, renderError(t, "{"+name+"}", data), "PCC906")
		failsWith(t, "comparing "+name, renderError(t, "{when "+name+" == other}x{/when}", withOther(data, name)), "PCC906")
		for filter := range stdlib.Native().Filters {
			// Whatever a filter makes of the value, the process survives it and
			// the error is a diagnostic.
			src := "{{ " + name + "|" + filter + " }}"
			p, err := compiler.Compile(src, compiler.WithSyntax("brace"))
			if err != nil {
				continue // needs arguments
			}
			_, err = p.Render(data)
			if err != nil && codes(err) == "" {
				t.Errorf("%s: %v", src, err)
			}
			if strings.Contains(codes(err), "PCC302") {
				t.Errorf("%s: the filter panics: %v", src, err)
			}
		}
		for test := range stdlib.Native().Tests {
			p, err := compiler.Compile("{when "+name+" is "+test+"}x{/when}", compiler.WithSyntax("brace"))
			if err != nil {
				continue
			}
			if _, err := p.Render(data); err != nil && codes(err) == "" {
				t.Errorf("%s is %s: %v", name, test, err)
			}
		}
	}
}

// withOther adds a second value of the same shape, so that comparing the two
// cannot end at once because they are one.
func withOther(data map[string]any, name string) map[string]any {
	other := maps.Clone(data)
	other["other"] = cyclicOnce[name]
	return other
}

var cyclicOnce = cyclicData()

func renderError(t *testing.T, src string, data any) error {
	t.Helper()
	_, err := compile(t, src).Render(data)
	return err
}

// TestHugeOutput checks that the output and memory limits hold, and that
// reaching them costs at most twice the memory.
func TestHugeOutput(t *testing.T) {
	data := map[string]any{"xs": make([]any, 1000), "s": strings.Repeat("0123456789", 1000)}
	var before, after runtime.MemStats
	for _, tt := range []struct{ src, code string }{
		{"{loop xs as x}{loop xs as y}{loop xs as z}a line of text{/loop}{/loop}{/loop}", "PCC907"},
		{"{loop xs as x}{loop xs as y}{s}{/loop}{/loop}", "PCC907"},
		{"{loop xs as x}{loop xs as y}{{ s ~ s }}{/loop}{/loop}", "PCC907"},
		{"{{ s * 10000 }}", "PCC905"},
		{"{{ xs * 1000000 }}", "PCC905"},
		{"{{ s|replace(\"\", s) }}", "PCC905"},
		{"{{ xs|join(s)|length }}{{ xs|join(s)|length }}{{ xs|join(s)|length }}{{ xs|join(s)|length }}{{ xs|join(s)|length }}{{ xs|join(s)|length }}{{ xs|join(s)|length }}", "PCC905"},
	} {
		p := compile(t, tt.src)
		runtime.ReadMemStats(&before)
		_, err := p.Render(data)
		runtime.ReadMemStats(&after)
		failsWith(t, tt.src, err, tt.code)
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 2*(64+16) {
			t.Errorf("%s: %d MiB were allocated", tt.src, mib)
		}
	}
}

// TestTakenOutput holds the limit of the output for text that is taken out of it
// again, whatever room the buffer has: a new one, that of the last render, or the
// caller's.
func TestTakenOutput(t *testing.T) {
	limits := vm.Limits{OutputBytes: 500}
	data := map[string]any{"s": strings.Repeat(" ", 300)}
	for _, src := range []string{
		"{% set x %}{{ s }}{{ s }}{% endset %}{{ x|length }}",
		"{% macro m() %}{{ s }}{{ s }}{% endmacro %}{{ m()|length }}",
		"{% macro m() %}{{ caller()|length }}{% endmacro %}{% call m() %}{{ s }}{{ s }}{% endcall %}",
		"{% filter length %}{{ s }}{{ s }}{% endfilter %}",
		"{% for x in [1] recursive %}{{ loop([])|length if loop.depth < 2 }}{% else %}{{ s }}{{ s }}{% endfor %}",
	} {
		p := compile(t, src, compiler.WithSyntax("jinja"))
		limited := compile(t, src, compiler.WithSyntax("jinja"), compiler.WithLimits(limits))
		for range 3 {
			_, err := limited.Render(data)
			failsWith(t, src, err, "PCC907")
			_, err = limited.AppendTo(make([]byte, 0, 4096), data)
			failsWith(t, src+", with much room", err, "PCC907")
			_, err = limited.Segments(data)
			failsWith(t, src+", in segments", err, "PCC907")
			_, err = p.RenderContext(context.Background(), data, vm.WithLimits(limits))
			failsWith(t, src+", after another render", err, "PCC907")
			_, err = p.SegmentsContext(t.Context(), data, vm.WithLimits(limits))
			failsWith(t, src+", in segments after another render", err, "PCC907")
			if text, err := p.Render(data); err != nil || text != "600" {
				t.Errorf("%s: %q, %v", src, text, err)
			}
			if segments, err := p.Segments(data); err != nil || len(segments) != 1 || segments[0].Text != "600" {
				t.Errorf("%s: %v, %v", src, segments, err)
			}
		}
	}
	set, err := prompt.LoadText("a.yaml", "prompts:\n  system: \"{s}{s}\"\n  user: \"{t}\"\n", nil, compiler.WithBlankSystem())
	if err != nil {
		t.Fatal(err)
	}
	p, _ := set.Lookup("")
	data["t"] = "text"
	for range 3 {
		_, err := p.MessagesContext(t.Context(), data, vm.WithLimits(limits))
		failsWith(t, "a blank message", err, "PCC907")
		if got, err := p.Messages(data); err != nil || len(got) != 1 {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// TestCancelledRender checks that a context ends loops and bulk work soon.
func TestCancelledRender(t *testing.T) {
	numbers := make([]any, 500_000)
	for i := range numbers {
		numbers[i] = (i * 7919) % 500_009
	}
	data := map[string]any{"xs": numbers, "s": strings.Repeat("some text, ", 500_000)}
	generous := compiler.WithLimits(vm.Limits{Steps: 1 << 50, Memory: 1 << 40, OutputBytes: 1 << 40, Iterations: 1 << 50})
	for _, src := range []string{
		"{loop xs as x}{loop xs as y}{/loop}{/loop}",
		"{loop xs as x}{{ xs|sort|first }}{/loop}",
		"{loop xs as x}{{ s|upper|length }}{/loop}",
		"{loop xs as x}{{ s|replace(\"t\", \"tt\")|length }}{/loop}",
		"{loop xs as x}{when xs == xs|list}{/when}{/loop}",
		"{loop xs as x}{{ xs|json|length }}{/loop}",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, err := compile(t, src, generous).RenderContext(ctx, data)
		failsWith(t, src, err, "PCC910")
		cancel()
	}
}

// TestHostileFilters checks that nothing a function of the caller's does takes
// the render, or the process, with it.
func TestHostileFilters(t *testing.T) {
	filters := []compiler.Option{
		compiler.WithFilter("panics", func(string) string { panic("secret") }),
		compiler.WithFilter("exits", func(string) string { runtime.Goexit(); return "" }),
		compiler.WithFilter("outside", func(s string) string { return s[len(s)+1:] }),
		compiler.WithFilter("blocks", func(string) string { select {} }),
		compiler.WithFilter("errors", func(string) (string, error) { return "", errors.New("it failed") }),
		compiler.WithTest("bad", func(string) bool { panic(errors.New("secret")) }),
	}
	data := map[string]any{"a": "value"}
	for _, tt := range []struct{ src, code string }{
		{"{{ a|panics }}", "PCC302"}, {"{a|panics}", "PCC302"}, {"{{ a|outside }}", "PCC302"}, {"{{ a|exits }}", "PCC325"},
		{"{when a is bad}x{/when}", "PCC302"}, {"{{ a|errors }}", "PCC325"},
	} {
		p := compile(t, tt.src, filters...)
		for range 3 {
			_, err := p.Render(data)
			failsWith(t, tt.src, err, tt.code)
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "value") {
				t.Errorf("%s: the error shows a value: %v", tt.src, err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := compile(t, "{{ a|blocks }}", filters...).RenderContext(ctx, data)
	failsWith(t, "a filter that blocks for ever", err, "PCC910")
}

func TestFilterErrors(t *testing.T) {
	cause := errors.New("the cause")
	p := compile(t, "\n{{ a|wraps }}", compiler.WithFilter("wraps", func(string) (string, error) { return "", fmt.Errorf("wrapped: %w", cause) }))
	_, err := p.Render(map[string]any{"a": "x"})
	failsWith(t, "a filter's error", err, "PCC325")
	if !strings.Contains(err.Error(), "wrapped: the cause") || !strings.Contains(err.Error(), ":2:6:") {
		t.Errorf("the error lacks its cause or position: %v", err)
	}
}

func TestBadFilters(t *testing.T) {
	for name, fn := range map[string]any{"number": 42, "none": nil, "noresult": func(string) {}, "noparams": func() string { return "" },
		"three": func(string) (string, string, error) { return "", "", nil }, "channel": func(chan int) string { return "" }} {
		_, err := compiler.Compile("x", compiler.WithFilter("f", fn))
		failsWith(t, name, err, "PCC223")
		if strings.Contains(err.Error(), "stdlib") {
			t.Errorf("%s: the error speaks of a package: %v", name, err)
		}
	}
	for _, name := range []string{"", "my-filter", "a b", "1st", "a.", ".a", "x|y"} {
		_, err := compiler.Compile("x", compiler.WithFilter(name, strings.ToUpper))
		failsWith(t, "a filter named "+strconv.Quote(name), err, "PCC223")
		_, err = compiler.Compile("x", compiler.WithTest(name, func(string) bool { return true }))
		failsWith(t, "a test named "+strconv.Quote(name), err, "PCC223")
	}
	for _, name := range []string{"f", "_f1", "größe", "own.f"} {
		p, err := compiler.Compile("{{ a|"+name+" }}", compiler.WithFilter(name, strings.ToUpper))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got, err := p.Render(map[string]any{"a": "x"}); got != "X" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestEveryScalar writes every Unicode scalar value, byte by byte.
func TestEveryScalar(t *testing.T) {
	var b strings.Builder
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			b.WriteRune(r)
		}
	}
	all := b.String()
	for _, tt := range []struct {
		src  string
		data any
		want string
	}{
		{"{x}", map[string]any{"x": all}, all},
		{"<{{ x }}>", map[string]any{"x": all}, "<" + all + ">"},
		{"{loop xs as x}{x}{/loop}", map[string]any{"xs": []any{all, "y"}}, all + "y"},
		{"{loop m as k, v}{k}{v}{/loop}", map[string]any{"m": map[string]any{all: all}}, all + all},
		{"{{ x ~ \"!\" }}", map[string]any{"x": all}, all + "!"},
		{"{x|string}", map[string]any{"x": vm.String(all)}, all},
	} {
		p := compile(t, tt.src, compiler.WithLimits(vm.Limits{OutputBytes: 64 << 20}))
		got, err := p.Render(tt.data)
		if err != nil || got != tt.want {
			t.Errorf("%s: %d bytes of %d, %v", tt.src, len(got), len(tt.want), err)
		}
	}
}

// TestDeterminism renders maps a thousand times.
func TestDeterminism(t *testing.T) {
	m := map[string]any{}
	for i := range 50 {
		m[fmt.Sprint("key", i*7919%101)] = map[string]any{"a": i, "b": []any{i}, "c": nil}
	}
	p := compile(t, "{m} {loop m as k, v}{k}{v}{/loop} {{ m|json }} {{ m|length }} {{ m|list }} {vars}")
	first, err := p.Render(map[string]any{"m": m})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if got, err := p.Render(map[string]any{"m": maps.Clone(m)}); got != first || err != nil {
			t.Fatalf("render %d differs: %v", i, err)
		}
	}
}

// secretive has everything that templates must not reach.
type secretive struct {
	Public  string `json:"public"`
	Hidden  string `json:"-"`
	private string
}

func (secretive) Method() string            { return "called" }
func (*secretive) Pointer() string          { return "called" }
func (secretive) String() string            { return "called" }
func (secretive) Error() string             { return "called" }
func (secretive) Write([]byte) (int, error) { return 0, nil }

// TestGoSurface checks that templates reach the JSON fields of structs and
// nothing else of a Go value.
func TestGoSurface(t *testing.T) {
	s := &secretive{Public: "p", Hidden: "called", private: "called"}
	data := map[string]any{"s": s, "v": *s, "f": func() string { return "called" }, "c": make(chan int), "t": reflect.TypeOf(s)}
	for _, name := range []string{"Method", "Pointer", "String", "Error", "Write", "Hidden", "private", "Public", "__class__", "__init__", "pkgPath"} {
		for _, src := range []string{"{{ s.%s|default(\"-\") }}", "{{ v[\"%s\"]|default(\"-\") }}", "{{ vars.s.%s|default(\"-\") }}", "{{ t.%s|default(\"-\") }}"} {
			got, err := compile(t, fmt.Sprintf(src, name)).Render(data)
			if err != nil || got != "-" {
				t.Errorf(src+": %q, %v", name, got, err)
			}
		}
	}
	for _, src := range []string{"{{ vars.f() }}", "{f}", "{c}", "{{ s.Method() }}"} {
		if got, err := compile(t, src).Render(data); strings.Contains(got, "called") || err == nil {
			t.Errorf("%s: %q, %v", src, got, err)
		}
	}
	if got, err := compile(t, "{s} {v} {s.public}").Render(data); err != nil || got != `{"public": "p"} {"public": "p"} p` {
		t.Errorf("the struct prints as %q, %v", got, err)
	}
}
