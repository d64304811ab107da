package vm_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
)

type alikeInt int

func (alikeInt) String() string { return "alike" }

type alikeFields struct {
	A [2]int8
	B string
	C bool
	D float32
	E uint8
}

func (alikeFields) String() string { return "fields" }

type alikePointer struct{ n int }

func (*alikePointer) String() string { return "pointer" }

// TestHostOrder: maps whose keys have the same text, or are no numbers, are printed
// in one order, or not at all.
func TestHostOrder(t *testing.T) {
	ints, fields, mixed := map[alikeInt]int{}, map[alikeFields]int{}, map[any]int{}
	for i := range 20 {
		ints[alikeInt(i)] = i
		fields[alikeFields{A: [2]int8{1, int8(i / 5)}, B: strings.Repeat("b", i%5), C: i > 3, D: 1, E: uint8(i)}] = i
		mixed[alikeInt(i)], mixed["alike"] = i, 99
	}
	nans, deep := map[float64]int{1: 1}, map[float64]any{1: 1}
	pointers := map[*alikePointer]int{}
	for i := range 20 {
		nans[math.NaN()], deep[math.NaN()] = i, map[string]int{"i": i}
		pointers[&alikePointer{i}] = i
	}
	for _, syntax := range []compiler.Syntax{compiler.SyntaxJinja, compiler.SyntaxBrace} {
		p := compiler.Must(compiler.Compile("{{ x }}", compiler.WithSyntax(syntax), compiler.WithHostMethods()))
		for name, x := range map[string]any{"ints": ints, "fields": fields, "mixed": mixed, "nans": nans, "nans of maps": deep, "pointers": pointers, "one NaN": map[float64]int{2: 2, math.NaN(): 1}} {
			first := ""
			for i := range 30 {
				out, err := p.Render(map[string]any{"x": x})
				got := fmt.Sprint(out, err)
				if i > 0 && got != first {
					t.Errorf("%s of %s: %s, then %s", syntax, name, first, got)
					break
				}
				first = got
				if name == "ints" && (err != nil || !strings.Contains(out, "alike: 0") && !strings.Contains(out, "'alike': 0") && !strings.Contains(out, `"alike": 0`)) {
					t.Fatalf("%s: %s, %v", syntax, out, err)
				}
			}
		}
	}
}
