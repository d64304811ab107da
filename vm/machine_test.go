package vm

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/internal/code"
)

// codes lists the codes of the diagnostics in err.
func codes(err error) string {
	var l diag.List
	if !errors.As(err, &l) {
		d := &diag.Diagnostic{}
		if !errors.As(err, &d) {
			return "no diagnostic"
		}
		l = diag.List{d}
	}
	var s []string
	for _, d := range l {
		s = append(s, string(d.Code))
	}
	return strings.Join(s, " ")
}

// TestLimits checks each budget of a render just where it ends.
func TestLimits(t *testing.T) {
	const turns = 100
	data, want := letterData("Ann", turns)
	steps := func(l Limits) int64 {
		r, err := program(t, letter()).Report(context.Background(), data, WithLimits(l))
		if err != nil {
			t.Fatal(err)
		}
		return r.Steps
	}
	n := steps(Limits{})
	if n < 3*turns || n > 4*turns+20 {
		t.Errorf("%d turns of 3 instructions took %d steps", turns, n)
	}
	if again := steps(Limits{Steps: n}); again != n {
		t.Errorf("%d steps with all the fuel in the world, %d with just enough", n, again)
	}
	tests := []struct {
		name string
		l    Limits
		code string
	}{
		{"enough steps", Limits{Steps: n}, ""},
		{"a step too few", Limits{Steps: n - 1}, "PCC904"},
		{"one step", Limits{Steps: 1}, "PCC904"},
		{"enough output", Limits{OutputBytes: int64(len(want))}, ""},
		{"a byte too few", Limits{OutputBytes: int64(len(want)) - 1}, "PCC907"},
		{"enough turns", Limits{Iterations: turns}, ""},
		{"a turn too few", Limits{Iterations: turns - 1}, "PCC908"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check := func(how, got string, err error) {
				switch {
				case tt.code == "" && (got != want || err != nil):
					t.Errorf("%s: %d bytes, %v", how, len(got), err)
				case tt.code != "" && codes(err) != tt.code:
					t.Errorf("%s: %v, want %s", how, err, tt.code)
				}
			}
			p := program(t, letter(func(i *Image) { i.Limits = tt.l }))
			for range 3 { // a limit must hold for warm buffers as well
				got, err := p.Render(data)
				check("Render", got, err)
			}
			b, err := p.AppendTo(make([]byte, 0, 1<<16), data)
			check("AppendTo", string(b), err)
			got, err := program(t, letter()).RenderContext(context.Background(), data, WithLimits(tt.l))
			check("WithLimits", got, err)
		})
	}
}

// TestLimitsOfLongStrings checks the output limit where strings are not copied
// into the buffer.
func TestLimitsOfLongStrings(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	data := map[string]any{"name": long, "items": nil, "sum": long}
	p := program(t, letter(func(i *Image) { i.Limits.OutputBytes = 20_007 }))
	if s, err := p.Render(data); len(s) != 20_007 || err != nil {
		t.Errorf("%d bytes, %v", len(s), err)
	}
	p = program(t, letter(func(i *Image) { i.Limits.OutputBytes = 20_006 }))
	if _, err := p.Render(data); codes(err) != "PCC907" {
		t.Errorf("Render: %v", err)
	}
	if _, err := p.AppendTo(nil, data); codes(err) != "PCC907" {
		t.Errorf("AppendTo: %v", err)
	}
	p = program(t, letter(func(i *Image) { i.Limits.Steps = 20_000/64 - 1 }))
	if _, err := p.Render(data); codes(err) != "PCC904" {
		t.Errorf("copying 20,000 bytes is not paid for: %v", err)
	}
}

// endsAtLook is a context that has ended from one of the looks at it on.
type endsAtLook struct {
	context.Context
	at, looks int
}

func (c *endsAtLook) Err() error {
	if c.looks++; c.looks < c.at {
		return nil
	}
	return context.Canceled
}

// TestCancel checks that a context ends a render that would never end, and that
// it is looked at each 1,024 steps: the render has no more of them.
func TestCancel(t *testing.T) {
	const at = 7
	p := program(t, letter(func(i *Image) {
		i.Limits.Steps = at << 10
		i.Functions[0].Code, i.Functions[0].Spans = []code.Instr{{Op: code.OpJump}}, nil
	}))
	ctx := &endsAtLook{Context: context.Background(), at: at}
	if _, err := p.RenderContext(ctx, nil); codes(err) != "PCC910" {
		t.Errorf("ended with %v after %d looks", err, ctx.looks)
	}
	if more := ctx.looks - at; more > 1 {
		t.Errorf("looked %d times more after the end", more)
	}
	if _, err := p.RenderContext(ctx, nil); codes(err) != "PCC910" {
		t.Errorf("a render with a cancelled context gave %v", err)
	}
}

// TestMissingNames checks that all names without a value are reported together,
// once for each place, with near misses.
func TestMissingNames(t *testing.T) {
	p := program(t, letter(func(i *Image) {
		for k := range i.Outs {
			i.Outs[k].Policy = code.Fail
		}
		i.Outs[0].Path.Undef.Pos = 6
		i.Outs[2].Path.Undef = &Undefined{Name: "item.title", Pos: 49, Slot: 1}
		i.Outs[3].Path.Undef.Pos = 68
	}))
	_, err := p.Render(map[string]any{"nmae": "Ann", "items": []any{map[string]any{"titel": 1}, map[string]any{}, map[string]any{}}, "zzz": 1})
	var got []string
	var l diag.List
	if !errors.As(err, &l) {
		t.Fatalf("the error is no list: %v", err)
	}
	for _, d := range l {
		got = append(got, strings.Join([]string{d.Error(), d.Help, d.Kind, strings.Join(d.Names, ",")}, " | "))
	}
	want := []string{
		"letter:1:7: PCC301: no value for `name` | did you mean `nmae`? | undefined | name",
		"letter:2:37: PCC301: no value for `item.title` | did you mean `item.titel`? | undefined | item.title",
		"letter:2:56: PCC301: no value for `sum` | give the value | undefined | sum",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestTrace checks position and trace of a failure in a loop.
func TestTrace(t *testing.T) {
	p := program(t, letter(func(i *Image) {
		i.Consts = []Value{Int(1), Int(0)}
		c := i.Functions[0].Code
		c[4] = code.Instr{Op: code.OpSlot, A: 0}
		c[5] = code.Instr{Op: code.OpJumpIf, N: 1, Target: 6}
		i.Functions[0].Code = append(c[:6:6], append([]code.Instr{{Op: code.OpConst}, {Op: code.OpConst, A: 1},
			{Op: code.OpBinary, N: uint16(code.BinDiv)}, {Op: code.OpPop}}, c[6:]...)...)
		c = i.Functions[0].Code
		c[3].Target, c[5].Target, c[10].Target = 12, 10, 4
	}))
	_, err := p.Render(map[string]any{"name": "", "items": []any{true, true, false, true}, "sum": ""})
	d := &diag.Diagnostic{}
	if !errors.As(err, &d) {
		t.Fatal(err)
	}
	if d.Code != "PCC322" || d.Kind != "zerodivision" {
		t.Errorf("%s, kind %q", d.Code, d.Kind)
	}
	if diff := cmp.Diff([]string{"loop items as item (iteration 3)"}, d.Trace); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
	if _, at, ok := d.Position(); !ok || at.Line != 2 || at.Column != 1 {
		t.Errorf("position %+v", at)
	}
}

// TestPanics checks that a panic of the machine or of what it calls becomes a
// diagnostic that does not show what was thrown.
func TestPanics(t *testing.T) {
	bomb := &Builtin{Name: "bomb", Params: []ParamSpec{{Name: "x"}}, Fn: func(*Env, []Value) (Value, error) { panic("secret value") }}
	p := program(t, letter(func(i *Image) {
		i.Builtins = []*Builtin{bomb}
		i.Functions[0].Code = []code.Instr{{Op: code.OpRoot, A: 0, Key: "items"}, {Op: code.OpFilter, B: -1, N: 1}, {Op: code.OpPop}, {Op: code.OpReturn}}
	}))
	for range 3 {
		_, err := p.Render(map[string]any{"items": "secret"})
		if codes(err) != "PCC302" || strings.Contains(err.Error(), "secret") {
			t.Errorf("the error is %v", err)
		}
	}
	p = program(t, letter(func(i *Image) {
		i.Functions[0].Code = []code.Instr{{Op: code.OpEndCapture}, {Op: code.OpPop}, {Op: code.OpReturn}} // nothing was captured
	}))
	if _, err := p.Render(nil); codes(err) != "PCC302" {
		t.Errorf("the error is %v", err)
	}
}

// TestOneLookup checks that the machine resolves names on values through
// Lookup and the environment's own operations only: nothing in package vm but
// the files lookup*.go may read a struct's fields or call a method by name.
func TestOneLookup(t *testing.T) { oneLookup(t) }

// TestDeclaredTypes holds each type that a contract may name against values of
// every kind.
func TestDeclaredTypes(t *testing.T) {
	types := strings.Fields("string integer number boolean list map")
	for _, c := range []struct {
		v    any
		want string
	}{
		{"s", "string"}, {Safe("s"), "string"}, {time.Now(), "string"}, {[]byte("b"), "string"}, {&spelled{value: Float(1.1)}, "string number"},
		{1, "integer number"}, {json.Number("1"), "integer number"}, {1.5, "number"}, {true, "boolean"}, {[]any{}, "list"}, {TupleOf(nil), "list"},
		{map[string]any{}, "map"}, {NewMap(0), "map"}, {struct{ A int }{}, "map"}, {func() {}, ""}, {nil, ""}, {&Undefined{}, ""},
	} {
		var m machine
		var got []string
		for _, typ := range types {
			if m.hasType(Of(c.v), typ) {
				got = append(got, typ)
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%T is of the types %q, want %q", c.v, got, c.want)
		}
		if !m.hasType(Of(c.v), "any") || !m.hasType(Of(c.v), "") {
			t.Errorf("%T is not of any type", c.v)
		}
	}
}

// TestDefaultLimits pins the numbers that the documentation promises.
func TestDefaultLimits(t *testing.T) {
	want := Limits{SourceBytes: 10 << 20, Depth: 200, CompileMemory: 256 << 20, ValueDepth: 64, MacroDepth: 64, IncludeDepth: 16, Steps: 10_000_000,
		Memory: 64 << 20, OutputBytes: 16 << 20, Iterations: 10_000_000, NumberDigits: 4300}
	if got := (Limits{}).OrDefault(); got != want {
		t.Errorf("the default limits are %+v, want %+v", got, want)
	}
	if got := (Limits{Steps: 5, Depth: 6}).OrDefault(); got.Steps != 5 || got.Depth != 6 || got.Memory != want.Memory {
		t.Errorf("limits that are given: %+v", got)
	}
	for depth, ok := range map[int]bool{64: true, 65: false} {
		_, err := DecodeJSON([]byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)), DecodeOptions{})
		if (err == nil) != ok {
			t.Errorf("data of depth %d: %v", depth, err)
		}
	}
	for digits, ok := range map[int]bool{4300: true, 4301: false} {
		for _, sign := range []string{"", "-"} {
			_, err := DecodeJSON([]byte(sign+strings.Repeat("9", digits)), DecodeOptions{})
			if (err == nil) != ok {
				t.Errorf("%sinteger of %d digits: %v", sign, digits, err)
			}
		}
	}
}
