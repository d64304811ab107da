package compiler_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/fuzz/growth"
	"github.com/pcc-lang/pcc/vm"
)

// Texts and lists that grow in a loop take time and memory in proportion to their
// length.
func TestGrowingValues(t *testing.T) {
	unlimited := vm.Limits{Steps: 1 << 40, Memory: 1 << 40, OutputBytes: 1 << 30, Iterations: 1 << 40}
	for _, tt := range []struct {
		name, src string
		n         int
		segments  bool
	}{
		{"text, concatenated", "{% set ns = namespace(x='') %}{% for i in xs %}{% set ns.x = ns.x ~ 'abcdefghij' %}{% endfor %}{{ ns.x|length }}", 64_000, false},
		{"text, added", "{% set ns = namespace(x='') %}{% for i in xs %}{% set ns.x = ns.x + 'abcdefghij' %}{% endfor %}{{ ns.x|length }}", 64_000, false},
		{"a chain", "{% set ns = namespace(x='') %}{% for i in xs %}{% set ns.x = ns.x + '<' + i + '>' ~ loop.index %}{% endfor %}{{ ns.x|length }}", 64_000, false},
		{"several texts", "{% set ns = namespace(x='', y='', z='') %}{% for i in xs %}{% set ns.x = ns.x ~ i %}{% set ns.y = ns.y ~ i ~ '.' %}{% set ns.z = ns.z ~ i %}{% endfor %}{{ ns.x|length }}", 64_000, false},
		{"beside other sums", "{% set ns = namespace(x='') %}{% for i in xs %}{% set ns.x = ns.x ~ (i ~ long ~ i) %}{% endfor %}{{ ns.x|length }}", 8_000, false},
		{"escaped", "{% autoescape true %}{% set ns = namespace(x='<'|safe) %}{% for i in xs %}{% set ns.x = ns.x ~ '<&>abcdefg' %}{% endfor %}{{ ns.x|length }}{% endautoescape %}", 64_000, false},
		{"with its origin", "{% set ns = namespace(x='') %}{% for i in xs %}{% set ns.x = ns.x + '<' + i + '>' %}{% endfor %}{{ ns.x|length }}", 64_000, true},
		{"list", "{% set ns = namespace(l=[]) %}{% for i in xs %}{% set ns.l = ns.l + [i] %}{% endfor %}{{ ns.l|length }}", 32_000, false},
		{"tuple", "{% set ns = namespace(l=()) %}{% for i in xs %}{% set ns.l = ns.l + (i, i) %}{% endfor %}{{ ns.l|length }}", 32_000, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := compiler.Compile(tt.src, compiler.WithProfile("hf"), compiler.WithLimits(unlimited))
			if err != nil {
				t.Fatal(err)
			}
			var opts []vm.RenderOption
			if tt.segments {
				opts = append(opts, vm.WithSegments())
			}
			xs := make([]any, tt.n)
			for i := range xs {
				xs[i] = "value"
			}
			long := make([]byte, 300)
			growth.Linear(t, tt.name, tt.n, func(n int) {
				if _, err := p.RenderContext(context.Background(), map[string]any{"xs": xs[:n], "long": string(long)}, opts...); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// The limit of memory is for what lives: a text of 640 kB may be made piece by
// piece, one that doubles may not.
func TestGrowingWithinLimits(t *testing.T) {
	render := func(src string) error {
		p, err := compiler.Compile(src, compiler.WithProfile("hf"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Render(nil)
		return err
	}
	if err := render("{% set ns = namespace(x='', l=[]) %}{% for i in range(64000) %}{% set ns.x = ns.x ~ 'abcdefghij' %}{% set ns.l = ns.l + [i] %}{% endfor %}{{ ns.x }}"); err != nil {
		t.Error(err)
	}
	for _, src := range []string{
		"{% set ns = namespace(x='x' * 1000) %}{% for i in range(64) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
		"{% set ns = namespace(x=[1] * 1000) %}{% for i in range(64) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
		"{% set ns = namespace(x='x' * 1000) %}{% for i in range(100000) %}{% set ns.x = 'y' ~ ns.x %}{% endfor %}",
	} {
		if err := render(src); !errors.Is(err, compiler.ErrLimit) {
			t.Errorf("%s: %v, want it stopped", src, err)
		}
	}
}
