package compiler_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// TestLimitPlace holds that the place and the text of the error for a long output
// follow from the template, the data and the limit: the room in the buffer, which
// another render or the caller left, has no say.
func TestLimitPlace(t *testing.T) {
	data := map[string]any{
		"s": "0123456789", "n": 12345, "f": 1.5, "xs": []any{"a", "bc", 3, nil, 4.25}, "rows": []map[string]any{{"k": "v", "m": "w"}, {"k": "x", "m": "y"}},
		"long": strings.Repeat("long ", 300), "lines": "a\nb\nc", "people": []struct{ Name, City string }{{"Ada", "London"}, {"Alan", "Wilmslow"}},
	}
	for _, tt := range []struct {
		syntax compiler.Syntax
		src    string
	}{
		{"brace", "a{s}b{n}c{f}d"},
		{"brace", "{s}{n}{n}{n}{s} and {xs}"},
		{"brace", "{loop xs as x}<{x}>{/loop} end"},
		{"brace", "{loop rows as r}{r.k}={r.m};{/loop}{s}"},
		{"brace", "{loop people as p}{p.name} of {p.city}. {/loop}{n}"},
		{"brace", "a {long} b {n} c {long} d"},
		{"brace", "{n}{long}{long}{s}"},
		{"brace", "{message system}Be {s}.{/message}{message user}{n} {lines} {s}{/message}"},
		{"jinja", "{{ s|upper }} {{ n + 1 }} {{ s|title }}"},
		{"jinja", "{{ xs|join(', ') }} {{ xs|tojson }} {{ rows|tojson(indent=2) }}"},
		{"jinja", "{{ 'a' + s + 'b' ~ n }}{{ s ~ n ~ f }}"},
		{"jinja", "{% set x %}{{ s }}{{ n }}{% endset %}{{ x }}{{ x|length }}"},
		{"jinja", "{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m(s) }}{{ m(n)|upper }}{% macro w() %}({{ caller() }}){% endmacro %}{% call w() %}{{ s }}{{ n }}{% endcall %}"},
		{"jinja", "{% filter upper %}{{ s }} {{ n }}{% endfilter %}{{ long }}{{ n }}"},
		{"jinja", "{% for x in xs %}{{ loop.index }}:{{ x }}{% if not loop.last %},{% endif %}{% endfor %}"},
		{"jinja", "{{ lines|indent(2) }}{{ long|wordwrap(20) }}"},
	} {
		compile := func(opts ...compiler.Option) *vm.Program {
			p, err := compiler.Compile(tt.src, append(opts, compiler.WithSyntax(tt.syntax))...)
			if err != nil {
				t.Fatalf("%s: %v", tt.src, err)
			}
			return p
		}
		used := compile()
		whole, chat := "", strings.Contains(tt.src, "{message")
		for range 40 { // so many that the size of the output is guessed
			r, err := used.Report(t.Context(), data)
			if err != nil {
				t.Fatalf("%s: %v", tt.src, err)
			}
			whole = r.Text
			if !chat {
				if _, err := used.Render(data); err != nil {
					t.Fatalf("%s: %v", tt.src, err)
				}
			}
		}
		step := max(1, len(whole)/150)
		for limit := 1; limit <= len(whole); limit += step {
			option := vm.WithLimits(vm.Limits{OutputBytes: int64(limit)})
			render := func(p *vm.Program, room int, opts ...vm.RenderOption) []string {
				var faults []string
				note := func(way string, err error) {
					faults = append(faults, fmt.Sprintf("%s: %v", way, err))
					if (err == nil) != (limit >= len(whole)) {
						t.Errorf("%s: %s with a limit of %d of %d bytes: %v", tt.src, way, limit, len(whole), err)
					}
				}
				_, err := p.MessagesContext(t.Context(), data, opts...)
				note("Messages", err)
				_, err = p.SegmentsContext(t.Context(), data, opts...)
				note("Segments", err)
				if chat {
					return faults
				}
				_, err = p.RenderContext(t.Context(), data, opts...)
				note("Render", err)
				note("RenderTo", p.RenderToContext(t.Context(), new(bytes.Buffer), data, opts...))
				dst, err := p.AppendToContext(t.Context(), make([]byte, 3, 3+room), data, opts...)
				note("AppendTo", err)
				if err == nil && room > len(whole) && cap(dst) != 3+room {
					t.Errorf("%s: of the room for %d bytes that AppendTo got, %d are left", tt.src, 3+room, cap(dst))
				}
				return faults
			}
			first := render(compile(compiler.WithLimits(vm.Limits{OutputBytes: int64(limit)})), 0)
			for _, room := range []int{0, 4096} {
				if again := render(used, room, option); fmt.Sprint(again) != fmt.Sprint(first) {
					t.Errorf("%s with a limit of %d bytes:\n%s\nin a used machine:\n%s", tt.src, limit, strings.Join(first, "\n"), strings.Join(again, "\n"))
				}
				if _, err := used.Report(t.Context(), data); err != nil { // grows the buffer again
					t.Fatal(err)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
}
