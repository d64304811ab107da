package fuzz

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// FuzzCompile checks that the verifier accepts what the compiler makes, and
// that of code with random changes it refuses all that could harm: what it
// lets pass runs to an end, well or badly.
func FuzzCompile(f *testing.F) {
	for i, s := range goldens(f) {
		f.Add(s.template, s.syntax, uint64(i))
	}
	f.Fuzz(func(t *testing.T, src, syntax string, random uint64) {
		s := seed{template: src, syntax: syntax}
		for _, more := range [][]compiler.Option{nil, {compiler.WithoutPass(compiler.PassFuse)}} {
			p, err := compileSeed(&s, more...)
			if err != nil {
				if firstCode(err) == "PCC299" {
					t.Fatalf("the verifier refuses the compiler's code: %v", err)
				}
				return
			}
			if err := p.Verify(); err != nil {
				t.Fatalf("verified once, refused later: %v", err)
			}
			r := rand.New(rand.NewPCG(random, uint64(len(src))))
			for range 20 {
				mutate(t, p.Image(), r)
			}
		}
	})
}

// mutantData is what mutants render.
var mutantData = map[string]any{
	"name": "Ann", "a": 1, "b": 2.5, "x": true, "xs": []any{1, "two", nil, map[string]any{"name": "n"}},
	"m": map[string]any{"k": "v", "n": nil}, "user": map[string]any{"name": "Bo", "tags": []any{"x"}},
}

// mutate changes a copy of the image at one to three places and runs it.
func mutate(t *testing.T, img *vm.Image, r *rand.Rand) {
	c := *img
	c.Limits = vm.Limits{Steps: 20_000, Memory: 1 << 20, OutputBytes: 1 << 18, Iterations: 5_000, MacroDepth: 8}
	c.Functions = slices.Clone(img.Functions)
	for i := range c.Functions {
		c.Functions[i].Code = slices.Clone(c.Functions[i].Code)
		c.Functions[i].Spans = slices.Clone(c.Functions[i].Spans)
	}
	c.Outs = slices.Clone(img.Outs)
	c.Switches = slices.Clone(img.Switches)
	for i := range c.Switches {
		c.Switches[i] = vm.Switch{Values: c.Switches[i].Values, Targets: slices.Clone(c.Switches[i].Targets), Default: c.Switches[i].Default}
	}
	for range 1 + r.IntN(3) {
		f := &c.Functions[r.IntN(len(c.Functions))]
		if len(f.Code) == 0 {
			return
		}
		ins := &f.Code[r.IntN(len(f.Code))]
		other := &f.Code[r.IntN(len(f.Code))]
		small := int32(r.IntN(12)) - 2
		switch r.IntN(12) {
		case 0:
			ins.Op = code.Op(r.IntN(len(code.All()) + 4))
		case 1:
			ins.A = small
		case 2:
			ins.B = small
		case 3:
			ins.N = uint16(r.IntN(8))
		case 4:
			ins.Target = int32(r.IntN(len(f.Code)+2)) - 1
		case 5:
			*ins, *other = *other, *ins
		case 6:
			*ins = *other
		case 7:
			ins.Key = other.Key
		case 8:
			f.Slots, f.Loops = max(0, f.Slots-r.IntN(2)), max(0, f.Loops-r.IntN(2))
		case 9:
			if len(c.Switches) > 0 {
				s := &c.Switches[r.IntN(len(c.Switches))]
				s.Default = int32(r.IntN(len(f.Code)))
			}
		case 10:
			f.Code = slices.Delete(f.Code, len(f.Code)-1, len(f.Code))
		case 11:
			ins.A, ins.B, ins.N = int32(r.Uint32()), int32(r.Uint32()), uint16(r.Uint32())
		}
	}
	q, err := vm.New(&c)
	if err != nil {
		return
	}
	for range 2 { // the second render gets the machine of the first
		frugal(t, "a mutant", mostRendered, func() { _, err = q.Report(context.Background(), mutantData) })
		d := &diag.Diagnostic{}
		if err != nil && !errors.As(err, &d) {
			t.Fatalf("a mutant failed without a diagnostic: %v\n%s", err, q.Disassemble())
		}
		if _, err = q.Segments(mutantData); err != nil && !errors.As(err, &d) { // code that notes origins
			t.Fatalf("a mutant failed without a diagnostic: %v\n%s", err, q.Disassemble())
		}
	}
}
