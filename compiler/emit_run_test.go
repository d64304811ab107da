package compiler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// ordered makes ordered maps and lists of the VM's own of decoded data: for them
// the machine executes each instruction by itself.
func ordered(x any) vm.Value {
	switch x := x.(type) {
	case map[string]any:
		m := vm.NewMap(len(x))
		for k, v := range x {
			m.Set(k, ordered(v))
		}
		return vm.MapOf(m)
	case []any:
		items := make([]vm.Value, len(x))
		for i := range x {
			items[i] = ordered(x[i])
		}
		return vm.ListOf(items)
	}
	return vm.Of(x)
}

// runTemplates write strings one after the other, in loops of all kinds.
func runTemplates() map[string]string {
	var sizes strings.Builder // a text and a value of each length
	for n := range 40 {
		fmt.Fprintf(&sizes, "%s{sizes.v%d}", strings.Repeat("-", n), 39-n)
	}
	dashes := strings.Repeat("-", 50)
	return map[string]string{
		"sizes":      sizes.String(),
		"kinds":      "{s}{n}{s}|{yes}{s}{nothing}{empty}{long}{s}{missing}{s}",
		"records":    "{loop records as r}\n- {r.a}: {r.b}\n  {r.n}{r.missing}\n{/loop}\nend {s}",
		"strings":    "{loop records as r}\n- {r.a}: {r.b}\n  {r.a}\n{/loop}\nend {s}",
		"one key":    "{loop records as r}{r.a}{/loop}",
		"mixed":      "{loop mixed as r}<{r.a}>{/loop}",
		"words":      "{loop words as w}\n- {w}\n{/loop}\n{loop words as w}{w}{/loop}",
		"twice":      "{loop words as w}{w}{w};{/loop}",
		"nested":     "{loop records as r}{r.a}{loop words as w}, {w}{/loop}.\n{/loop}",
		"branches":   "{loop records as r}{when r.b}{r.a}{r.b}\n{else}{r.n}.{/when}{/loop}",
		"two items":  "{loop records as r}{loop records as q}{r.a}{q.a} {/loop}{/loop}",
		"lists":      "{loop lists as l}{loop l as x}{x}{/loop}{/loop}",
		"other item": "{loop records as r}{s}{r.a}{s}{/loop}",
		"long texts": "{loop records as r}{r.a}" + dashes + "{/loop}{loop words as w}{w}" + dashes + "{/loop}",
	}
}

// TestRunsOfInstructions holds what is executed several instructions at once
// against the same program on data for which each is executed by itself: texts
// and values of all lengths around those that are copied in another way, values
// that are no strings in the middle of a run, bodies of loops of all kinds, and
// each limit that ends a render somewhere in it.
func TestRunsOfInstructions(t *testing.T) {
	// A long text's steps are counted before it here, and behind it there.
	for longest, steps := range map[int]bool{60: true, 1280: false} {
		text := strings.Repeat("0123456789abcdef", 80)[:longest]
		records := []any{
			map[string]any{"a": "A1", "b": "", "n": 1.0}, map[string]any{"a": text[:33], "b": text, "n": "two"},
			map[string]any{"a": 5.0, "b": "B3"}, map[string]any{"a": "A4", "b": nil, "n": "n"}, map[string]any{"a": "A5", "b": "B5", "n": "5"},
		}
		words := []any{"one", "", text[:8], text[:32], text[:33], 4.0, text, true, "last"}
		sizes := map[string]any{}
		for n := range 40 {
			sizes[fmt.Sprintf("v%d", n)] = text[:n]
		}
		data := map[string]any{
			"n": 7.0, "nothing": nil, "yes": true, "long": text, "s": "S", "empty": "", "sizes": sizes, "words": words,
			"records": records, "mixed": append(append([]any{}, records...), "no map", nil, 3.0), "lists": []any{words, records, []any{}, "text"},
		}
		for name, src := range runTemplates() {
			t.Run(fmt.Sprintf("%s, %d", name, longest), func(t *testing.T) { testRuns(t, src, data, ordered(data), steps) })
		}
	}
}

type runRecord struct {
	A string  `json:"a"`
	B string  `json:"b"`
	N float64 `json:"n"`
}

type runData struct {
	S       string            `json:"s"`
	N       int               `json:"n"`
	Yes     bool              `json:"yes"`
	Long    string            `json:"long"`
	Empty   string            `json:"empty"`
	Records []runRecord       `json:"records"`
	Mixed   []*runRecord      `json:"mixed"`
	Words   []string          `json:"words"`
	Lists   [][]string        `json:"lists"`
	Sizes   map[string]string `json:"sizes"`
	Numbers []int             `json:"numbers"`
}

// TestRunsOfFields is the same for structs and typed slices.
func TestRunsOfFields(t *testing.T) {
	for longest, steps := range map[int]bool{60: true, 1280: false} {
		text := strings.Repeat("0123456789abcdef", 80)[:longest]
		data := &runData{
			S: "S", N: 7, Yes: true, Long: text,
			Records: []runRecord{{"A1", "", 1}, {text[:33], text, 2}, {"", "B3", 3.5}, {text[:16], text[:31], 4}},
			Words:   []string{"one", "", text[:8], text[:32], text[:33], text, "last"},
			Lists:   [][]string{{"a", text}, {}, {"b"}},
			Sizes:   map[string]string{"v3": "abc"},
			Numbers: []int{1, 2, 3},
		}
		for i := range data.Records {
			data.Mixed = append(data.Mixed, &data.Records[i])
		}
		b, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		var decoded map[string]any
		if err := json.Unmarshal(b, &decoded); err != nil {
			t.Fatal(err)
		}
		templates := runTemplates()
		templates["numbers"] = "{loop numbers as n}{n}, {/loop}{loop numbers as n}{n}{s}{/loop}"
		for name, src := range templates {
			t.Run(fmt.Sprintf("%s, %d", name, longest), func(t *testing.T) { testRuns(t, src, data, ordered(decoded), steps) })
		}
	}
}

// testRuns renders src with data and with own, which is the same data in
// another form, and expects the same of both within all limits.
func testRuns(t *testing.T, src string, data any, own vm.Value, steps bool) {
	p, err := compiler.Compile(src, compiler.WithSyntax("brace"), compiler.WithUndefined("keep"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for range 3 { // code is bound to a Go type when that is seen again
		p.Render(data)
	}
	render := func(data any, l vm.Limits) string {
		r, err := p.Report(ctx, data, vm.WithLimits(l))
		if err != nil {
			return "error: " + err.Error()
		}
		return fmt.Sprint(r.Steps, r.Kept, r.Text)
	}
	want, err := p.Report(ctx, own)
	if err != nil { // a loop over what is no list
		if got := render(data, vm.Limits{}); got != "error: "+err.Error() {
			t.Fatalf("got %s\nwant %v", got, err)
		}
		return
	}
	limits := []vm.Limits{{}}
	for n := int64(1); steps && n < want.Steps+2; n++ {
		limits = append(limits, vm.Limits{Steps: n})
	}
	for n := range int64(100) {
		limits = append(limits, vm.Limits{Iterations: n + 1})
	}
	for n := 0; n <= len(want.Text)+1; n += 1 + n/100 {
		limits = append(limits, vm.Limits{OutputBytes: int64(n + 1)})
	}
	for _, l := range limits {
		got, want := render(data, l), render(own, l)
		if l.OutputBytes > 0 && strings.HasPrefix(got, "error") { // where that is found depends on the room there is
			_, got, _ = strings.Cut(got, "PCC")
			_, want, _ = strings.Cut(want, "PCC")
		}
		if got != want {
			t.Fatalf("%+v: got\n%s\nwant\n%s", l, got, want)
		}
	}
	got, err := p.AppendTo(make([]byte, 0, len(want.Text)), data)
	if err != nil || string(got) != want.Text || cap(got) > max(8, len(want.Text)) {
		t.Errorf("into a buffer of the right size: %q of %d bytes of room, %v", got, cap(got), err)
	}
	for n := 0; n < len(want.Text); n += 1 + n/1000 {
		got, err := p.AppendTo(make([]byte, 0, n), data)
		if err != nil || string(got) != want.Text {
			t.Fatalf("into a buffer of %d bytes: %q, %v", n, got, err)
		}
	}
	// What lies behind the output in the caller's buffer is the caller's.
	buf := []byte(strings.Repeat("#", len(want.Text)+64))
	if _, err := p.AppendTo(buf[:0], data); err != nil {
		t.Fatal(err)
	}
	if rest := string(buf[len(want.Text):]); strings.Trim(rest, "#") != "" {
		t.Errorf("behind the output: %q", rest)
	}
}

// TestFullBuffer ends outputs with empty texts and values just where the buffer
// ends, on each of the ways that copy. The race detector's builds, which check
// pointers, stop the process where one leads behind the buffer.
func TestFullBuffer(t *testing.T) {
	type record struct {
		A string `json:"a"`
		B string `json:"b"`
	}
	struct1 := func(a string) any { return &record{A: a} }
	mapped := func(a string) any {
		return map[string]any{"a": a, "b": "", "l": []any{"", ""}, "r": []any{map[string]any{"b": ""}, map[string]any{"b": ""}}}
	}
	structs := func(a string) any {
		return &struct {
			A string   `json:"a"`
			B string   `json:"b"`
			L []string `json:"l"`
			R []record `json:"r"`
		}{A: a, L: []string{"", ""}, R: make([]record, 2)}
	}
	for text, makers := range map[string][]func(string) any{
		"{a}{b}{b}": {struct1, mapped, structs},
		"{a}{loop l as x}{x}{/loop}{loop r as x}{x.b}{x.b}{/loop}{b}": {mapped, structs},
		"{a}{b|upper}{when b}{else}{b}{/when}":                        {struct1, mapped},
	} {
		p, err := compiler.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, maker := range makers {
			for n := range 300 {
				a := strings.Repeat("x", n)
				data := maker(a)
				for range 2 { // a type is bound to at the second
					if got, err := p.Render(data); err != nil || got != a {
						t.Fatalf("%s: %q, %v", text, got, err)
					}
				}
				buf := make([]byte, 0, n)
				if got, err := p.AppendTo(buf, data); err != nil || string(got) != a {
					t.Fatalf("%s: %q, %v", text, got, err)
				}
				if got, err := p.AppendTo([]byte(a), maker("")); err != nil || string(got) != a {
					t.Fatalf("%s: %q, %v", text, got, err)
				}
			}
		}
	}
}

// TestBehindTheOutput has templates take text out of the output again that is
// longer than what stays. The caller's buffer is touched where the output lies,
// and nowhere else.
func TestBehindTheOutput(t *testing.T) {
	loop := "{% for w in words %}{{ w }}{% endfor %}"
	fsys := fstest.MapFS{
		"set.j2":  {Data: []byte("{% set x %}" + loop + "{% endset %}{{ x|length }}")},
		"base.j2": {Data: []byte("{% block b %}{% endblock %}{% filter length %}" + loop + "{% endfilter %}")},
		"mod.j2":  {Data: []byte(loop + "{% macro m() %}m{% endmacro %}")},
	}
	data := map[string]any{"words": []any{strings.Repeat("a", 30), strings.Repeat("b", 40), strings.Repeat("c", 50)}}
	for src, want := range map[string]string{
		"{% set x %}" + loop + "{% endset %}{{ x|length }}":                                         "120",
		"{% filter length %}" + loop + "{% endfilter %}":                                            "120",
		"{% macro m() %}" + loop + "{% endmacro %}{{ m()|length }}":                                 "120",
		"{% macro m() %}{{ caller()|length }}{% endmacro %}{% call m() %}" + loop + "{% endcall %}": "120",
		"{% include 'set.j2' %}":                             "120",
		"{% extends 'base.j2' %}":                            "120",
		"{% import 'mod.j2' as m with context %}{{ m.m() }}": "m",
		"{% if words %}{{ words|length }}{% endif %}":        "3",
	} {
		p, err := compiler.Compile(src, compiler.WithSyntax("jinja"), compiler.WithFS(fsys))
		if err != nil {
			t.Fatal(err)
		}
		buf := []byte(strings.Repeat("#", 200))
		for range 2 {
			got, err := p.AppendTo(buf[10:10], data)
			if err != nil || string(got) != want {
				t.Fatalf("%s: %q, %v", src, got, err)
			}
			if all := strings.Repeat("#", 10) + want + strings.Repeat("#", 190-len(want)); string(buf) != all {
				t.Errorf("%s: %s", src, buf)
			}
		}
	}
}
