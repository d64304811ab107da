package compiler_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/fuzz/growth"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/vm"
)

func jsonData(t testing.TB, text string) vm.Value {
	t.Helper()
	v, err := vm.DecodeJSON([]byte(text), vm.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestJinjaCopiesDeepData gives data that is too deep, or never ends, to a
// template that changes lists, which copies what it may change.
func TestJinjaCopiesDeepData(t *testing.T) {
	p, err := compiler.Compile(`{% set _ = xs.append(9) %}{{ xs|length }}`, compiler.WithJinja(compiler.JinjaOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	cyclic := []any{nil}
	cyclic[0] = cyclic
	deepList, deepMap := any("x"), any("x")
	for range 200_000 {
		deepList, deepMap = []any{deepList}, map[string]any{"k": deepMap}
	}
	for name, x := range map[string]any{"cyclic": cyclic, "lists": deepList, "maps": []any{deepMap}} {
		_, err := p.Render(map[string]any{"xs": x})
		if d := (*diag.Diagnostic)(nil); !errors.As(err, &d) || d.Code != "PCC906" {
			t.Errorf("%s: %v", name, err)
		}
	}
	wide := make([]any, 1000)
	for _, x := range []any{wide, []any{wide}, []any{map[string]any{"k": wide}}} {
		limited := vm.WithLimits(vm.Limits{Memory: 10_000})
		if got, err := p.RenderContext(context.Background(), map[string]any{"xs": x}, limited); got != "" || !isLimit(err) {
			t.Errorf("more than the memory: %q, %v", got, err)
		}
	}
	if got, err := p.Render(map[string]any{"xs": []any{[]any{[]any{1}}, 2}}); got != "3" || err != nil {
		t.Errorf("some levels: %q, %v", got, err)
	}
}

// TestJinjaLeavesDataAlone renders templates that change lists and maps, again
// and at once: neither the data nor what the program shares may change.
func TestJinjaLeavesDataAlone(t *testing.T) {
	const src = `{% set _ = xs.append(9) %}{% set _ = m.update({"k": xs}) %}{% set _ = shared.append(1) %}` +
		`{% set _ = preset.pop("a") %}{{ xs }}{{ m }}{{ shared }}{{ preset }}{{ m.k is sameas(xs) }}`
	const want = "[1, 9]{'k': [1, 9]}[0, 1]{}True"
	preset := vm.NewMap(1)
	inner := vm.NewMap(1)
	inner.Set("a", vm.Int(1))
	preset.Set("preset", vm.MapOf(inner))
	p, err := compiler.Compile(src, compiler.WithVars(preset), compiler.WithJinja(compiler.JinjaOptions{
		Globals: map[string]any{"shared": vm.ListOf([]vm.Value{vm.Int(0)})}}))
	if err != nil {
		t.Fatal(err)
	}
	decoded := jsonData(t, `{"xs": [1], "m": {}}`)
	plain := map[string]any{"xs": []any{1}, "m": map[string]any{}}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				for _, data := range []any{decoded, plain} {
					got, err := p.Render(data)
					if err != nil || got != want {
						t.Errorf("got %q (%v), want %q", got, err, want)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if d := cmp.Diff(map[string]any{"xs": []any{1}, "m": map[string]any{}}, plain); d != "" {
		t.Errorf("the data has changed:\n%s", d)
	}
	if s := string(vm.AppendJSON(nil, decoded, vm.JSONOptions{})); s != `{"xs": [1], "m": {}}` {
		t.Errorf("the decoded data has changed: %s", s)
	}
}

// TestJinjaTemplatesAtOnce loads other templates from several renders at once.
func TestJinjaTemplatesAtOnce(t *testing.T) {
	files := fstest.MapFS{"base": {Data: []byte("<{% block a %}{% endblock %}>")}, "macros": {Data: []byte("{% macro m(x) %}m{{ x }}{% endmacro %}")}}
	for i := range 20 {
		files[fmt.Sprint("part", i)] = &fstest.MapFile{Data: []byte("{{ i }};")}
	}
	p, err := compiler.Compile(`{% extends "base" %}{% from "macros" import m %}{% block a %}{% from "macros" import m %}`+
		`{% for i in range(20) %}{% include "part" ~ i %}{% endfor %}{{ m(1) }}{% endblock %}`,
		compiler.WithProfile("jinja"), compiler.WithFS(files))
	if err != nil {
		t.Fatal(err)
	}
	want := "<" + strings.Join(strings.Fields("0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19;"), "") + "m1>"
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got, err := p.Render(nil); err != nil || got != want {
					t.Errorf("got %q (%v), want %q", got, err, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestChatTemplate(t *testing.T) {
	const src = `{{ bos_token }}{% for m in messages %}
{% if m.role == "assistant" %}
{% generation %}
{{ m.content }}{% endgeneration %}
{% else %}
[{{ m.role }}] {{ m.content }}
{% endif %}
{% endfor %}
{% if add_generation_prompt %}[assistant]{% endif %}{% if tools %}T{% endif %}{% if documents is none %}-{% endif %}{{ strftime_now("%Y") }}`
	p, err := compiler.ChatTemplate(src)
	if err != nil {
		t.Fatal(err)
	}
	data := jsonData(t, `{"bos_token": "<s>", "messages": [{"role": "user", "content": "é"}, {"role": "assistant", "content": "yes"}, {"role": "assistant", "content": "no"}]}`)
	now := vm.WithClock(func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) })
	r, err := p.Report(context.Background(), data, now)
	if err != nil {
		t.Fatal(err)
	}
	const want = "<s>[user] é\nyesno-2026"
	if r.Text != want {
		t.Errorf("got %q, want %q", r.Text, want)
	}
	var generated []string
	for _, g := range r.Generated {
		generated = append(generated, r.Text[g[0]:g[1]])
	}
	if d := cmp.Diff([]string{"yes", "no"}, generated); d != "" {
		t.Errorf("generated text (-want +got):\n%s", d)
	}

	_, err = compiler.ChatTemplate(`{{ raise_exception("Roles must alternate") }}`)
	if err != nil {
		t.Fatal(err)
	}
	p, _ = compiler.ChatTemplate(`{% if messages|length > 1 %}{{ raise_exception("one message only") }}{% endif %}`)
	var d *diag.Diagnostic
	if _, err = p.Render(data); !errors.As(err, &d) || !strings.Contains(d.Message, "one message only") {
		t.Errorf("the template's own error: %v", err)
	}
}

func TestProfiles(t *testing.T) {
	for _, c := range []struct {
		profile         compiler.Profile
		src, data, want string
	}{
		{compiler.ProfileJinja, "{% if x %}\n{{ x }}{% endif %}", `{"x": {"a": [true]}}`, "\n{'a': [True]}"},
		{compiler.ProfilePDX, "{{ x }}", `{"x": {"a": ["é"]}}`, `{"a": ["é"]}`},
		{compiler.ProfileHF, "  {% if x %}\n{{ x|tojson }}\n  {% endif %}", `{"x": {"b": "<", "a": 1}}`, `{"b": "<", "a": 1}` + "\n"},
		{compiler.ProfilePromptTemplates, "{{ x }}", `{"x": "<"}`, "<"},
		{compiler.ProfilePromptTemplatesStrict, "{{ x }}", `{"x": "<"}`, "&lt;"},
		{compiler.ProfilePromptTemplatesRelaxed, "{{ x.__class__ }}", `{"x": "<"}`, "<class 'str'>"},
	} {
		p, err := compiler.Compile(c.src, compiler.WithProfile(c.profile))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Render(jsonData(t, c.data)); err != nil || got != c.want {
			t.Errorf("%s: got %q (%v), want %q", c.profile, got, err, c.want)
		}
	}
}

// TestJinjaDelimiters compiles with delimiters and line prefixes of one's own.
func TestJinjaDelimiters(t *testing.T) {
	o := compiler.JinjaOptions{Syntax: lexer.JinjaOptions{BlockStart: "<%", BlockEnd: "%>", VariableStart: "${", VariableEnd: "}",
		CommentStart: "<%#", CommentEnd: "%>", LineStatementPrefix: "%", LineCommentPrefix: "%%"}}
	p, err := compiler.Compile("<%# note %>\n% for x in xs:\n  ${ {'a': x}.a } %% one each\n% endfor\n{{ text }}", compiler.WithJinja(o))
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Render(map[string]any{"xs": []any{1, 2}})
	if want := "\n  1\n  2\n{{ text }}"; err != nil || got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

// TestJinjaHandsOnTooMuch bounds what includes with context cost.
func TestJinjaHandsOnTooMuch(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "{%% set v%d = 1 %%}", i)
	}
	b.WriteString(strings.Repeat(`{% include "x" %}`, 2000))
	_, err := compiler.Compile(b.String(), compiler.WithProfile("jinja"))
	if !errors.Is(err, &diag.Diagnostic{Code: "PCC915"}) {
		t.Errorf("got %v", err)
	}
	if _, err = compiler.Compile(strings.ReplaceAll(b.String(), `"x"`, `"x" without context`), compiler.WithProfile("jinja")); err != nil {
		t.Error(err)
	}
}

// TestJinjaCompilesInTime compiles large templates whose shape invites work that
// grows faster than they do. Each takes a fraction of a second; the bound leaves
// room for a busy machine, and none for quadratic work.
func TestJinjaCompilesInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("large templates")
	}
	each := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	deep := func(open, inside, end string) string {
		return strings.Repeat(open, 150) + inside + strings.Repeat(end, 150)
	}
	for name, make := range map[string]func(n int) string{
		"sets":          func(n int) string { return each("{%% set v%d = 1 %%}", n) },
		"ifs":           func(n int) string { return each("{%% if a %%}{%% set v%d = 1 %%}{%% endif %%}", n) },
		"nested ifs":    func(n int) string { return deep("{% if a %}", each("{%% set v%d = 1 %%}", n), "{% endif %}") },
		"nested loops":  func(n int) string { return deep("{% for x in y %}", each("{{ x%d }}", n), "{% endfor %}") },
		"nested macros": func(n int) string { return deep("{% macro m() %}", each("{{ x%d }}", n), "{% endmacro %}") },
		"captures": func(n int) string {
			return each("{%% set v%d = 1 %%}", n) + "{% macro m() %}" + each("{{ v%d }}", n) + "{% endmacro %}"
		},
		"blocks":          func(n int) string { return each("{%% block b%d %%}{%% endblock %%}", n) },
		"keywords":        func(n int) string { return "{{ f(" + each("a%d=1, ", n) + ") }}" },
		"unknown filters": func(n int) string { return each("{{ a|nosuch%d }}", n) },
	} {
		t.Run(name, func(t *testing.T) {
			growth.Linear(t, name, 20_000, func(n int) {
				_, _ = compiler.Compile(make(n), compiler.WithProfile("jinja"))
			})
		})
	}
}
