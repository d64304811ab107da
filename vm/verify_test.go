package vm

import (
	"errors"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// soundImage is an image with one of everything, which the verifier accepts.
func soundImage() *Image {
	path := func(keys ...string) Path {
		return Path{Keys: keys, Item: make([]bool, len(keys)), Undef: &Undefined{Name: strings.Join(keys, ".")}}
	}
	img := &Image{
		Dialect:  &Dialect{Name: "native"},
		Consts:   []Value{String("c"), Int(1)},
		Paths:    []Path{path("a"), path("a", "b")},
		Undefs:   []*Undefined{{Name: "u"}},
		Names:    [][]string{{"x", "y"}},
		Builtins: []*Builtin{{Name: "id", Params: []ParamSpec{{Name: "v"}}, Fn: func(_ *Env, a []Value) (Value, error) { return a[0], nil }}},
		Switches: []Switch{{Values: []Value{String("a")}, Targets: []int32{6}, Default: 6}},
		Sites:    []code.Site{{File: source.New("t", "text"), Parent: -1}},
	}
	img.Outs = []Out{{Raw: "{a}", Name: "a", Path: img.Paths[0]}, {Raw: "{a.b}", Name: "a.b", Path: img.Paths[1]}}
	img.Functions = []Function{{Function: code.Function{
		Name: "template", Slots: 3, Loops: 1,
		Code: []code.Instr{
			{Op: code.OpText, Text: "t"},
			{Op: code.OpEmitRoot, B: 1, N: 2, Key: "a"},
			{Op: code.OpRoot, A: 0, Key: "a"},
			{Op: code.OpFilter, A: 0, B: -1, N: 1},
			{Op: code.OpEmit, B: 0},
			{Op: code.OpSwitchSlotKey, A: 0, B: 0, Key: "a"},
			{Op: code.OpRoot, A: 0, Key: "a"},
			{Op: code.OpLoop, A: 0, B: 1, N: uint16(code.ModeEntries), Target: 11},
			{Op: code.OpEmitSlot, A: 1, B: 0},
			{Op: code.OpNext, A: 0, B: 1, N: uint16(code.ModeEntries), Target: 8},
			{Op: code.OpEndLoop, A: 0},
			{Op: code.OpReturn},
		},
	}}}
	return img
}

func TestVerifyAccepts(t *testing.T) {
	img := soundImage()
	img.Functions[0].MaxStack = 7 // what an image says of it does not count
	p, err := New(img)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Verify(); err != nil {
		t.Error(err)
	}
	if got := p.img.Functions[0].MaxStack; got != 1 {
		t.Errorf("the greatest stack height is %d, want 1", got)
	}
	got, err := p.Render(map[string]any{"a": map[string]any{"b": "v"}})
	if want := `tv{"b": "v"}b`; got != want || err != nil {
		t.Errorf("rendered %q, %v, want %q", got, err, want)
	}
}

// TestVerifyRefuses breaks the image in one place each.
func TestVerifyRefuses(t *testing.T) {
	at := func(pc int, change func(*code.Instr)) func(*Image) {
		return func(img *Image) { change(&img.Functions[0].Code[pc]) }
	}
	macro := func(change func(*code.Macro)) func(*Image) {
		return func(img *Image) {
			m := code.Macro{Caller: -1, Varargs: -1, Kwargs: -1}
			change(&m)
			img.Macros = []code.Macro{m}
		}
	}
	tests := []struct {
		name, reason string
		pc           int
		change       func(*Image)
	}{
		{"a macro of no function", "macro 0 has no function", 0, macro(func(m *code.Macro) { m.Func = -1 })},
		{"a macro of a function out of range", "macro 0 has no function", 0, macro(func(m *code.Macro) { m.Func = 1 })},
		{"more parameters than slots", "macro 0 has no room", 0, macro(func(m *code.Macro) { m.Params = make([]string, 4) })},
		{"a caller out of range", "macro 0 has no room", 0, macro(func(m *code.Macro) { m.Caller = 3 })},
		{"a negative slot of arguments", "macro 0 has no room", 0, macro(func(m *code.Macro) { m.Varargs = -2 })},
		{"keywords out of range", "macro 0 has no room", 0, macro(func(m *code.Macro) { m.Kwargs = 3 })},
		{"a captured cell without room", "macro 0 has no room", 0, macro(func(m *code.Macro) { m.Captures = []int32{0} })},
		{"a captured cell that nothing has", "cells that are not there", 0, func(i *Image) {
			macro(func(m *code.Macro) { m.Captures = []int32{1} })(i)
			i.Functions[0].Cells = 1
		}},
		{"a negative captured cell", "cells that are not there", 0, func(i *Image) {
			macro(func(m *code.Macro) { m.Captures = []int32{-1} })(i)
			i.Functions[0].Cells = 1
		}},
		{"an unreached jump out of the code", "leaves the code", 12, func(i *Image) {
			f := &i.Functions[0]
			f.Code = append(f.Code, code.Instr{Op: code.OpJump, Target: 99})
		}},
		{"an unreached instruction that is none", "invalid opcode", 12, func(i *Image) {
			f := &i.Functions[0]
			f.Code = append(f.Code, code.Instr{Op: 60_000})
		}},
		{"an unreached operand out of range", "out of range", 12, func(i *Image) {
			f := &i.Functions[0]
			f.Code = append(f.Code, code.Instr{Op: code.OpConst, A: 99})
		}},
		{"a section's text in a slot out of range", "slot 9 is out of range", 12, func(i *Image) {
			f := &i.Functions[0]
			f.Code = append(f.Code, code.Instr{Op: code.OpSection, Target: 1})
			i.Sections = []SectionRule{{Text: 9, HasText: true}}
		}},
		{"a negative number of slots", "-1 slots", 0, func(i *Image) { i.Functions[0].Slots = -1 }},
		{"slots beyond measure", "slots", 0, func(i *Image) { i.Functions[0].Slots = 1 << 31 }},
		{"a negative number of loops", "-1 loops", 0, func(i *Image) { i.Functions[0].Loops = -1 }},
		{"loops beyond measure", "loops", 0, func(i *Image) { i.Functions[0].Loops = 1 << 31 }},
		{"a negative number of cells", "-1 cells", 0, func(i *Image) { i.Functions[0].Cells = -1 }},
		{"no builtin where one is listed", "builtin 0 is missing", 0, func(i *Image) { i.Builtins[0] = nil }},
		{"no description of a missing value", "description 0", 0, func(i *Image) { i.Undefs = []*Undefined{nil} }},
		{"no functions", "no functions", 0, func(i *Image) { i.Functions = nil }},
		{"no code", "no code", 0, func(i *Image) { i.Functions[0].Code = nil }},
		{"a zeroed instruction", "invalid opcode", 2, at(2, func(i *code.Instr) { *i = code.Instr{} })},
		{"an unknown opcode", "invalid opcode", 2, at(2, func(i *code.Instr) { i.Op = 60_000 })},
		{"a constant out of range", "out of range", 2, at(2, func(i *code.Instr) { *i = code.Instr{Op: code.OpConst, A: 2} })},
		{"a negative constant", "out of range", 2, at(2, func(i *code.Instr) { *i = code.Instr{Op: code.OpConst, A: -1} })},
		{"a path out of range", "out of range", 2, at(2, func(i *code.Instr) { i.A = 2 })},
		{"an operand without a meaning", "no meaning", 1, at(1, func(i *code.Instr) { i.A = -1 })},
		{"a path of another key", "path and key differ", 2, at(2, func(i *code.Instr) { i.Key = "b" })},
		{"a placeholder out of range", "out of range", 4, at(4, func(i *code.Instr) { i.B = 2 })},
		{"a placeholder's path of another length", "path and key differ", 1, at(1, func(i *code.Instr) { i.N = 1 })},
		{"a builtin out of range", "out of range", 3, at(3, func(i *code.Instr) { i.A = 1 })},
		{"names out of range", "out of range", 3, at(3, func(i *code.Instr) { i.B = 1 })},
		{"more names than arguments", "more names than arguments", 3, at(3, func(i *code.Instr) { i.B = 0 })},
		{"more arguments than values", "takes 2 values of 1", 3, at(3, func(i *code.Instr) { i.N = 2 })},
		{"a table out of range", "out of range", 5, at(5, func(i *code.Instr) { i.Target = 1 })},
		{"a slot out of range", "out of range", 8, at(8, func(i *code.Instr) { i.A = 3 })},
		{"the second slot of a loop out of range", "out of range", 7, at(7, func(i *code.Instr) { i.B = 2 })},
		{"a loop out of range", "out of range", 10, at(10, func(i *code.Instr) { i.A = 1 })},
		{"a mode out of range", "out of range", 7, at(7, func(i *code.Instr) { i.N = 99 })},
		{"a jump out of the code", "leaves the code", 9, at(9, func(i *code.Instr) { i.Target = 12 })},
		{"a jump before the code", "leaves the code", 9, at(9, func(i *code.Instr) { i.Target = -1 })},
		{"a jump to another height", "elsewhere", 9, at(9, func(i *code.Instr) { i.Target = 3 })},
		{"a switch out of the code", "leaves the code", 5, func(i *Image) { i.Switches[0].Default = 99 }},
		{"a switch without targets", "1 values and 0 targets", 5, func(i *Image) { i.Switches[0].Targets = nil }},
		{"code that runs out", "leaves the code", 1, func(i *Image) { i.Functions[0].Code = i.Functions[0].Code[:2] }},
		{"two heights at one place", "reaches 11 with 1 values on the stack, elsewhere 0", 10, at(10, func(i *code.Instr) { *i = code.Instr{Op: code.OpConst} })},
		{"a value left on the stack", "returns with 1 values", 1, func(i *Image) { i.Functions[0].Code = []code.Instr{{Op: code.OpConst}, {Op: code.OpReturn}} }},
		{"a position in no file", "position 0 is malformed", 0, func(i *Image) { i.Functions[0].Spans = []code.SpanRun{{Site: 1}} }},
		{"positions out of order", "position 1 is malformed", 0, func(i *Image) { i.Functions[0].Spans = []code.SpanRun{{PC: 2}, {PC: 1}} }},
		{"a position behind the code", "position 0 is malformed", 0, func(i *Image) { i.Functions[0].Spans = []code.SpanRun{{PC: 12}} }},
		{"a position before the code", "position 0 is malformed", 0, func(i *Image) { i.Functions[0].Spans = []code.SpanRun{{PC: -1}} }},
		{"a file included from itself", "file 0 is malformed", 0, func(i *Image) { i.Sites[0].Parent = 0 }},
		{"no file", "file 0 is malformed", 0, func(i *Image) { i.Sites[0].File = nil }},
		{"a site out of range", "placeholder 0 is malformed", 0, func(i *Image) { i.Outs[0].Site = 1 }},
		{"an unknown policy", "placeholder 0 is malformed", 0, func(i *Image) { i.Outs[0].Policy = code.Empty + 1 }},
		{"a placeholder's path without a description", "path and key differ", 1, func(i *Image) { i.Outs[1].Path.Undef = nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			img := soundImage()
			tt.change(img)
			_, err := New(img)
			var v *code.VerifyError
			if !errors.As(err, &v) {
				t.Fatalf("accepted: %v", err)
			}
			if !strings.Contains(v.Error(), tt.reason) || v.PC != tt.pc {
				t.Errorf("refused with %q, want %q at %d", v, tt.reason, tt.pc)
			}
		})
	}
}

func TestNewWithoutDialect(t *testing.T) {
	img := soundImage()
	img.Dialect = nil
	if _, err := New(img); err == nil {
		t.Error("an image without a dialect was accepted")
	}
}

// TestVerifyAllocates verifies small code, as that of most templates is: its
// tables are on the stack.
func TestVerifyAllocates(t *testing.T) {
	p, err := New(soundImage())
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(10, func() {
		if err := verify(p.img); err != nil {
			t.Error(err)
		}
	}); n > 0 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
}

// TestVerifyLong verifies code with more instructions than the tables on the
// stack hold, and with as many jumps that are all looked at in the end.
func TestVerifyLong(t *testing.T) {
	const n = 1000
	img := &Image{Dialect: &Dialect{Name: "native"}, Consts: []Value{Bool(true)},
		Sites: []code.Site{{File: source.New("t", "text"), Parent: -1}}}
	var list []code.Instr
	for i := range n {
		list = append(list, code.Instr{Op: code.OpConst}, code.Instr{Op: code.OpJumpIf, N: 1, Target: int32(2*n - 2*i)})
	}
	list = append(list, code.Instr{Op: code.OpReturn})
	img.Functions = []Function{{Function: code.Function{Name: "template", Code: list}}}
	if _, err := New(img); err != nil {
		t.Error(err)
	}
	list[2*n-1].Target = 1 // there a value lies on the stack
	if _, err := New(img); err == nil {
		t.Error("two heights at one instruction are accepted")
	}
}

// TestUnverified loads a template whose code nobody has verified.
func TestUnverified(t *testing.T) {
	img := soundImage()
	img.Functions[0].Code = []code.Instr{{Op: code.OpConst, A: 0}, {Op: code.OpInclude, B: -1, N: 0}, {Op: code.OpReturn}}
	other := soundImage()
	img.Load = func(string, func(int64) error) (*Image, error) { return other, nil }
	p, err := New(img)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]any{"a": map[string]any{"b": "v"}}
	if s, err := p.Render(data); err == nil || !strings.Contains(err.Error(), "not made by New") {
		t.Errorf("got %q, %v", s, err)
	}
	if _, err := New(other); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Render(data); err != nil {
		t.Error(err)
	}
}
