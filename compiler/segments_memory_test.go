package compiler_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// Renders that note where text comes from pay for all that they note: what is
// allocated besides the output was charged.
func TestNotedOriginsArePaidFor(t *testing.T) {
	const many = `{% for i in xs %}{% for j in xs[:100] %}x{{ s }}{% endfor %}{% endfor %}`
	for _, tt := range []struct{ name, template string }{
		{"written", many},
		{"captured", `{% set c %}` + many + `{% endset %}{{ c }}`},
		{"captured and joined", `{% set c %}` + many + `{% endset %}{{ c ~ c ~ 'x' ~ c }}`},
		{"of a macro", `{% macro m() %}` + many + `{% endmacro %}{{ m() }}{{ m() }}`},
		{"kept pieces", `{% set l = [] %}{% for i in xs[:999] %}{% set c %}x{{ s }}{{ 'y' * 700 }}{% endset %}{% set _ = l.append(c) %}{% endfor %}`},
		{"marked", `{% for i in xs %}{% for j in xs[:30] %}x{{ token }}{% endfor %}{% endfor %}`},
	} {
		p, err := compiler.Compile(tt.template, compiler.WithSyntax("jinja"))
		if err != nil {
			t.Fatal(err)
		}
		data := map[string]any{"s": "a", "token": "<|im_start|>", "xs": make([]int, 1000)}
		wide := vm.WithLimits(vm.Limits{Memory: 1 << 30, Steps: 1 << 40})
		for name, opts := range map[string][]vm.RenderOption{
			"segments": {vm.WithSegments(), wide}, "guard": {vm.WithGuard("all"), wide},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := p.Report(context.Background(), data, opts...)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Errorf("%s, %s: %v", tt.name, name, err)
				continue
			}
			// The output grows by doubling, and is copied where it is marked.
			taken, most := int64(after.TotalAlloc-before.TotalAlloc), r.Memory+12*int64(len(r.Text))+1<<20
			if taken > most {
				t.Errorf("%s, %s: %d bytes were allocated, %d charged for %d of output", tt.name, name, taken, r.Memory, len(r.Text))
			}
			_, err = p.Report(context.Background(), data, append(opts, vm.WithLimits(vm.Limits{Memory: r.Memory / 2}))...)
			if list := (diag.List)(nil); !errors.As(err, &list) || list[0].Code != "PCC905" {
				t.Errorf("%s, %s: with half of the memory: %v", tt.name, name, err)
			}
		}
	}
}
