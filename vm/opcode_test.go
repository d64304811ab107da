package vm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// TestInstrSize pins the size of an instruction: a field more would cost a
// cache line on the hottest path.
func TestInstrSize(t *testing.T) {
	if got := unsafe.Sizeof(code.Instr{}); got != 48 {
		t.Errorf("an instruction has %d bytes, not 48", got)
	}
	if got := unsafe.Sizeof(Value{}); got != valueSize {
		t.Errorf("a value has %d bytes; valueSize says %d", got, valueSize)
	}
}

// Slots of the images below: some for the opcode under test, then the ones
// that what it leaves on the stack is stored to.
const (
	slotA, slotB = 0, 1
	slotMark     = 2 // "fell" or "jumped"
	slotSeen     = 3
	seenMost     = 6
)

// opCase runs one instruction between a sentinel below and stores behind it, so
// that the machine's effect on the stack is seen, not only the table's.
type opCase struct {
	op     code.Instr
	before []code.Instr // run first, on an empty stack; Target -1 leads to a RETURN
	push   []Value      // put on the stack above the sentinel
	jumps  bool         // goes to Target rather than on
	want   []Value      // the stack above the sentinel afterwards
	out    string
	fails  string // the message of the error that ends the run
	setup  func(*Image)
	check  func(t *testing.T, m *machine)
}

func (c *opCase) name() string {
	s := c.op.Op.String()
	if c.op.Op.Jumps() {
		if c.jumps {
			return s + " jumping"
		}
		return s + " going on"
	}
	return s
}

var sentinel = String("sentinel")

// opData is what the images below render.
var opData = map[string]any{
	"k": map[string]any{"j": "deep"}, "s": "str", "n": nil, "zero": 0.0, "one": 1.0, "a": "a",
}

var opBuiltins = []*Builtin{
	{Name: "both", Params: []ParamSpec{{Name: "x"}, {Name: "y"}},
		Fn: func(e *Env, args []Value) (Value, error) { return e.Binary(code.BinConcat, args[0], args[1]) }},
	{Name: "text", Params: []ParamSpec{{Name: "x"}},
		Fn: func(_ *Env, args []Value) (Value, error) { return Bool(args[0].Kind() == KindString), nil }},
}

// image assembles the case: sentinel, pushes, the instruction, and for each way
// on stores, a mark and a RETURN.
func (c *opCase) image() *Image {
	f := source.New("op", "0123456789")
	img := &Image{
		Name: "op", Dialect: &Dialect{Name: "native"}, Chat: true,
		Sites:    []code.Site{{File: f, Parent: -1}},
		Builtins: opBuiltins,
		Names:    [][]string{{"y"}, {"user"}},
		Undefs:   []*Undefined{{Name: "lost"}},
		Sections: make([]SectionRule, 2),
		Branches: make([]code.Branch, 1),
		Dialects: []*Dialect{{Name: "other"}},
		Paths: []Path{
			{Keys: []string{"k", "j"}, Item: []bool{false, false}, Undef: &Undefined{Name: "k.j"}},
			{Keys: []string{"j"}, Item: []bool{false}, Undef: &Undefined{Name: "j"}},
			{Keys: []string{"none"}, Item: []bool{false}, Undef: &Undefined{Name: "none"}},
			{Keys: []string{"a"}, Item: []bool{false}, Undef: &Undefined{Name: "a"}},
		},
	}
	for _, p := range img.Paths {
		img.Outs = append(img.Outs, Out{Raw: "{" + p.Undef.Name + "}", Name: p.Undef.Name, Path: p})
	}
	img.Sections[0].Paths, img.Sections[1].Paths = img.Paths[:1], img.Paths[2:3]
	constant := func(v Value) int32 {
		img.Consts = append(img.Consts, v)
		return int32(len(img.Consts) - 1)
	}
	// The first constants have fixed places, for operands.
	constant(String("user"))
	var list []code.Instr
	push := func(v Value) { list = append(list, code.Instr{Op: code.OpConst, A: constant(v)}) }

	info := c.op.Op.Info()
	base := 1
	if c.op.Op == code.OpReturn {
		base = 0 // the verifier wants an empty stack there
	}
	height := base + len(c.push)
	falls := height - int(info.Pop) - int(info.PopN)*int(c.op.N) + int(info.Push) + int(info.PushN)*int(c.op.N)
	jumped := height + int(info.JumpDiff)
	if info.A == code.OperandTable || info.Table {
		jumped = falls
	}
	tail := func(height int, mark string) (list []code.Instr) {
		for i := height - 1; i >= 0; i-- {
			list = append(list, code.Instr{Op: code.OpStore, A: int32(slotSeen + i)})
		}
		return append(list, code.Instr{Op: code.OpConst, A: constant(String(mark))}, code.Instr{Op: code.OpStore, A: slotMark}, code.Instr{Op: code.OpReturn})
	}

	// lists pushed by the code before the instruction
	list = append(list, code.Instr{Op: code.OpConst, A: constant(Of([]any{"x", "y"}))}, code.Instr{Op: code.OpStore, A: slotA},
		code.Instr{Op: code.OpConst, A: constant(Of(map[string]any{"j": "slot"}))}, code.Instr{Op: code.OpStore, A: slotB})
	bail := len(list) + 1
	list = append(list, code.Instr{Op: code.OpJump, Target: int32(bail + 1)}, code.Instr{Op: code.OpReturn})
	for _, ins := range c.before {
		if ins.Target == -1 {
			ins.Target = int32(bail)
		}
		list = append(list, ins)
	}
	if base > 0 {
		push(sentinel)
	}
	for _, v := range c.push {
		push(v)
	}
	op := len(list)
	list = append(list, c.op)
	if !info.Ends {
		list = append(list, tail(falls, "fell")...)
	}
	target := int32(len(list))
	list = append(list, tail(jumped, "jumped")...)
	if info.Jump {
		list[op].Target = target
	}
	img.Switches = []Switch{{Values: []Value{String("a")}, Targets: []int32{target}, Default: int32(bail)}}
	if info.A == code.OperandTable || info.Table {
		img.Switches[0].Default = target // any value gets there
	}
	img.Functions = []Function{{Function: code.Function{Name: "op", Code: list, Slots: slotSeen + seenMost, Loops: 2,
		Spans: []code.SpanRun{{PC: 0, Span: source.Span{Start: 1, End: 2}}}}}}
	if c.setup != nil {
		c.setup(img)
	}
	return img
}

var startLoop = []code.Instr{{Op: code.OpSlot, A: slotA}, {Op: code.OpLoop, A: 1, B: slotSeen, N: uint16(code.ModeItems), Target: -1, Text: "loop xs"}}

// startInPlace is startLoop with the items left where they lie.
var startInPlace = []code.Instr{{Op: code.OpSlot, A: slotA}, {Op: code.OpLoop, A: 1, B: ^slotSeen, N: uint16(code.ModeItems), Target: -1, Text: "loop xs"}}

// loopOfMaps is startInPlace over a list of one map.
var loopOfMaps = []code.Instr{{Op: code.OpSlot, A: slotB}, {Op: code.OpMake, N: 1}, {Op: code.OpLoop, A: 1, B: ^slotSeen, N: uint16(code.ModeItems), Target: -1, Text: "loop xs"}}

func then(ins ...code.Instr) []code.Instr {
	return append(append([]code.Instr(nil), startLoop...), ins...)
}

var opCases = []opCase{
	{op: code.Instr{Op: code.OpText, Text: "hi"}, out: "hi"},
	{op: code.Instr{Op: code.OpEmit, B: 1, Text: "t:"}, push: []Value{Int(7)}, out: "t:7"},
	{op: code.Instr{Op: code.OpEmitRoot, B: 0, N: 2, Key: "k", Text: "t:"}, out: "t:deep"},
	{op: code.Instr{Op: code.OpEmitRoot, B: 2, N: 1, Key: "none", Text: "t:"}, out: "t:{none}"},
	{op: code.Instr{Op: code.OpEmitSlot, A: slotB, B: 1, Text: "t:"}, out: `t:{"j": "slot"}`},
	{op: code.Instr{Op: code.OpEmitSlotKey, A: slotB, B: 1, N: 1, Key: "j", Text: "t:"}, out: "t:slot"},
	{op: code.Instr{Op: code.OpEmitSlot, A: ^1, B: 1}, before: startInPlace, out: "x"},
	{op: code.Instr{Op: code.OpEmitSlot, A: ^1, B: 1}, before: loopOfMaps, out: `{"j": "slot"}`},
	{op: code.Instr{Op: code.OpEmitSlotKey, A: ^1, B: 1, N: 1, Key: "j"}, before: loopOfMaps, out: "slot"},
	{op: code.Instr{Op: code.OpSlot, A: ^1}, before: startInPlace, want: []Value{String("x")}},
	{op: code.Instr{Op: code.OpSlotKey, A: ^1, B: 1, Key: "j"}, before: loopOfMaps, want: []Value{String("slot")}},
	{op: code.Instr{Op: code.OpJumpSlotKeyFalse, A: ^1, B: 1, Key: "j"}, before: loopOfMaps},
	{op: code.Instr{Op: code.OpSwitchSlotKey, A: ^1, B: 1, Key: "j"}, before: loopOfMaps, jumps: true},

	{op: code.Instr{Op: code.OpConst, A: 0}, want: []Value{String("user")}},
	{op: code.Instr{Op: code.OpRoot, A: 0, Key: "k"}, want: []Value{String("deep")}},
	{op: code.Instr{Op: code.OpSlot, A: slotA}, want: []Value{Of([]any{"x", "y"})}},
	{op: code.Instr{Op: code.OpSlotKey, A: slotB, B: 1, Key: "j"}, want: []Value{String("slot")}},
	{op: code.Instr{Op: code.OpStore, A: slotA}, push: []Value{Int(1), Int(2)}, want: []Value{Int(1)},
		check: func(t *testing.T, m *machine) {
			if got, _ := m.slots[slotA].Int64(); got != 2 {
				t.Errorf("the slot holds %v", m.slots[slotA])
			}
		}},
	{op: code.Instr{Op: code.OpBare, Key: "j"}, setup: slotList(slotA, slotB), jumps: true, want: []Value{String("slot")}},
	{op: code.Instr{Op: code.OpBare, Key: "j"}, setup: slotList(slotA, slotMark)},
	{op: code.Instr{Op: code.OpObject}, want: []Value{Of(opData)}},
	{op: code.Instr{Op: code.OpLoopField, A: 1, N: uint16(code.LoopLength)}, before: startLoop, want: []Value{Int(2)}},
	{op: code.Instr{Op: code.OpObject, A: 1, N: uint16(code.ObjectLoop)}, before: then(code.Instr{Op: code.OpNext, A: 1, B: slotSeen, Target: 9}),
		want: []Value{ObjectOf(&loopObject{index: 1, length: 2})}},

	{op: code.Instr{Op: code.OpAttr, Key: "j"}, push: []Value{Of(map[string]any{"j": "v"})}, want: []Value{String("v")}},
	{op: code.Instr{Op: code.OpItem}, push: []Value{Of([]any{"x", "y"}), Int(1)}, want: []Value{String("y")}},
	{op: code.Instr{Op: code.OpSlice}, push: []Value{String("abcd"), Int(1), Null, Int(2)}, want: []Value{String("bd")}},
	{op: code.Instr{Op: code.OpBinary, N: uint16(code.BinSub)}, push: []Value{Int(5), Int(3)}, want: []Value{Int(2)}},
	{op: code.Instr{Op: code.OpUnary}, push: []Value{Int(5)}, want: []Value{Int(-5)}},
	{op: code.Instr{Op: code.OpUnary, N: uint16(code.UnPositive)}, push: []Value{Float(1.5)}, want: []Value{Float(1.5)}},
	{op: code.Instr{Op: code.OpUnary, N: uint16(code.UnNot)}, push: []Value{String("")}, want: []Value{Bool(true)}},
	{op: code.Instr{Op: code.OpCompare, N: uint16(code.CmpLt)}, push: []Value{Int(1), Int(2)}, want: []Value{Bool(true)}},
	{op: code.Instr{Op: code.OpChain, N: uint16(code.CmpLt)}, push: []Value{Int(1), Int(2)}, want: []Value{Int(2)}},
	{op: code.Instr{Op: code.OpChain, N: uint16(code.CmpLt)}, push: []Value{Int(2), Int(1)}, jumps: true, want: []Value{Bool(false)}},
	{op: code.Instr{Op: code.OpMake, N: 2}, push: []Value{Int(9), Int(1), Int(2)}, want: []Value{Int(9), ListOf([]Value{Int(1), Int(2)})}},
	{op: code.Instr{Op: code.OpMake, B: int32(code.MakeTuple), N: 2}, push: []Value{Int(9), Int(1), Int(2)}, want: []Value{Int(9), TupleOf([]Value{Int(1), Int(2)})}},
	{op: code.Instr{Op: code.OpMake, B: int32(code.MakeMap), N: 2}, push: []Value{Int(9), String("a"), Int(2)}, want: []Value{Int(9), dict("a", Int(2))}},
	{op: code.Instr{Op: code.OpFilter, A: 0, B: 0, N: 2}, push: []Value{Int(9), String("a"), String("b")}, want: []Value{Int(9), String("ab")}},
	{op: code.Instr{Op: code.OpTest, A: 1, B: -1, N: 1}, push: []Value{String("a")}, want: []Value{Bool(true)}},
	{op: code.Instr{Op: code.OpCall, B: -1, N: 2}, push: []Value{ObjectOf(opBuiltins[0]), String("a"), String("b")}, want: []Value{String("ab")}},
	{op: code.Instr{Op: code.OpPop}, push: []Value{Int(1), Int(2)}, want: []Value{Int(1)}},

	{op: code.Instr{Op: code.OpJump}, jumps: true},
	{op: code.Instr{Op: code.OpJumpIf}, push: []Value{Int(0)}, jumps: true},
	{op: code.Instr{Op: code.OpJumpIf}, push: []Value{Int(1)}},
	{op: code.Instr{Op: code.OpJumpIf, N: 1}, push: []Value{Int(1)}, jumps: true},
	{op: code.Instr{Op: code.OpJumpIf, N: 1}, push: []Value{Float(0)}},
	{op: code.Instr{Op: code.OpKeepIf}, push: []Value{Int(0)}, jumps: true, want: []Value{Int(0)}},
	{op: code.Instr{Op: code.OpKeepIf}, push: []Value{Int(1)}},
	{op: code.Instr{Op: code.OpKeepIf, N: 1}, push: []Value{Int(1)}, jumps: true, want: []Value{Int(1)}},
	{op: code.Instr{Op: code.OpKeepIf, N: 1}, push: []Value{Int(0)}},
	{op: code.Instr{Op: code.OpJumpRootFalse, A: 2, Key: "none"}, jumps: true},
	{op: code.Instr{Op: code.OpJumpRootFalse, A: 0, Key: "k"}},
	{op: code.Instr{Op: code.OpJumpSlotKeyFalse, A: slotB, B: 2, Key: "none"}, jumps: true},
	{op: code.Instr{Op: code.OpJumpSlotKeyFalse, A: slotB, B: 1, Key: "j"}},
	{op: code.Instr{Op: code.OpSwitch}, push: []Value{String("a")}, jumps: true},
	{op: code.Instr{Op: code.OpSwitchSlotKey, A: slotB, B: 1, Key: "j"}, jumps: true},
	{op: code.Instr{Op: code.OpLoop, A: 0, B: slotA, Text: "loop"}, push: []Value{Of([]any{"first"})},
		check: func(t *testing.T, m *machine) {
			if s, _ := m.slots[slotA].Str(); s != "first" {
				t.Errorf("the slot holds %v", m.slots[slotA])
			}
		}},
	{op: code.Instr{Op: code.OpLoop, A: 0, B: slotA, Text: "loop"}, push: []Value{Of([]any{})}, jumps: true},
	{op: code.Instr{Op: code.OpNext, A: 1, B: slotB}, before: startLoop, jumps: true,
		check: func(t *testing.T, m *machine) {
			if s, _ := m.slots[slotB].Str(); s != "y" {
				t.Errorf("the slot holds %v", m.slots[slotB])
			}
		}},
	{op: code.Instr{Op: code.OpNext, A: 1, B: slotB}, before: then(code.Instr{Op: code.OpNext, A: 1, B: slotB, Target: 9})},
	{op: code.Instr{Op: code.OpEndLoop, A: 1}, before: startLoop,
		check: func(t *testing.T, m *machine) {
			if m.loops[1].n != 0 {
				t.Error("the loop still runs")
			}
		}},
	{op: code.Instr{Op: code.OpReturn}},

	{op: code.Instr{Op: code.OpMessage, B: -1}, push: []Value{String("user")}, check: role("user")},
	{op: code.Instr{Op: code.OpMessage, B: 1}, push: []Value{String("user")}, check: role("user")},
	{op: code.Instr{Op: code.OpMessageKey, Key: "id"}, before: []code.Instr{{Op: code.OpConst}, {Op: code.OpMessage, B: -1}}, push: []Value{Int(3)},
		check: func(t *testing.T, m *machine) {
			if v, _ := m.messages[0].extra.Get("id"); v != Int(3) {
				t.Errorf("the key is %v", v)
			}
		}},
	{op: code.Instr{Op: code.OpMessageKey, Key: "id", N: 1}, before: []code.Instr{{Op: code.OpConst}, {Op: code.OpMessage, B: -1}}, push: []Value{Null},
		check: func(t *testing.T, m *machine) {
			if m.messages[0].extra != nil {
				t.Error("null is a key")
			}
		}},
	{op: code.Instr{Op: code.OpMessages, B: 1, Key: "h"}, push: []Value{ListOf([]Value{messageMap("user"), messageMap("user")})},
		check: func(t *testing.T, m *machine) {
			if len(m.messages) != 2 || m.messages[1].state != NullContent {
				t.Errorf("the messages are %v", m.messages)
			}
		}},
	{op: code.Instr{Op: code.OpMessageKey, N: 2}, before: []code.Instr{{Op: code.OpConst}, {Op: code.OpMessage, B: -1}}, push: []Value{Int(3)},
		check: func(t *testing.T, m *machine) {
			if v := m.messages[0].parts; v != Int(3) {
				t.Errorf("the content is %v", v)
			}
		}},
	{op: code.Instr{Op: code.OpEndMessage}, before: []code.Instr{{Op: code.OpText, Text: "ab"}, {Op: code.OpConst}, {Op: code.OpMessage, B: -1}, {Op: code.OpText, Text: "cde"}}, out: "abcde",
		check: func(t *testing.T, m *machine) {
			if x := m.messages[0]; x.start != 2 || x.end != 5 {
				t.Errorf("the message is output %d to %d", x.start, x.end)
			}
		}},
	{op: code.Instr{Op: code.OpCapture}, check: func(t *testing.T, m *machine) {
		if len(m.captures) != 1 {
			t.Errorf("%d captures are open", len(m.captures))
		}
	}},
	{op: code.Instr{Op: code.OpEndCapture}, before: []code.Instr{{Op: code.OpText, Text: "a"}, {Op: code.OpCapture}, {Op: code.OpText, Text: "bc"}},
		want: []Value{String("bc")}, out: "a", check: func(t *testing.T, m *machine) {
			if len(m.captures) != 0 {
				t.Errorf("%d captures are still open", len(m.captures))
			}
		}},
}

func slotList(slots ...int32) func(*Image) {
	return func(img *Image) { img.SlotLists = [][]int32{slots} }
}

func role(want string) func(*testing.T, *machine) {
	return func(t *testing.T, m *machine) {
		if len(m.messages) != 1 || m.messages[0].role != want {
			t.Errorf("messages: %+v", m.messages)
		}
	}
}

// TestOpcodes runs every opcode, on each way that it can take, and holds what
// the machine does to the stack against opTable.
func TestOpcodes(t *testing.T) {
	type way struct {
		op    code.Op
		jumps bool
	}
	seen := map[way]bool{}
	cases := slices.Concat(opCases, documentOpCases, jinjaOpCases, shapeOpCases)
	for i := range cases {
		c := &cases[i]
		seen[way{c.op.Op, c.jumps}] = true
		t.Run(c.name(), c.run)
		if c.op.Op.WritesFirst() && c.op.Text == "" && c.fails == "" {
			with := *c
			with.op.Text, with.out = "first ", "first "+c.out
			t.Run(c.name()+" with text", with.run)
		}
	}
	for _, op := range code.All() {
		info := op.Info()
		chooses := info.A == code.OperandTable || info.Table
		if !seen[way{op, false}] && !(info.Ends && (info.Jump || chooses)) {
			t.Errorf("no case runs %s and goes on", op)
		}
		if !seen[way{op, true}] && (info.Jump || chooses) {
			t.Errorf("no case runs %s and jumps", op)
		}
	}
}

func (c *opCase) run(t *testing.T) {
	img := c.image()
	p, err := New(img)
	if err != nil {
		t.Fatalf("the verifier refuses the code: %v", err)
	}
	m := p.start(context.Background(), opData)
	m.report = true
	if err := m.run(&img.Functions[0]); err != nil || c.fails != "" {
		if c.fails == "" || err == nil || !strings.Contains(err.Error(), c.fails) {
			t.Fatalf("the run fails with %v, want %q", err, c.fails)
		}
		return
	}
	if got := string(m.out); got != c.out {
		t.Errorf("output %q, want %q", got, c.out)
	}
	if c.check != nil {
		c.check(t, m)
	}
	if c.op.Op == code.OpReturn {
		return
	}
	mark, _ := m.slots[slotMark].Str()
	if want := map[bool]string{false: "fell", true: "jumped"}[c.jumps]; mark != want {
		t.Errorf("the machine %s", mark)
	}
	want := append([]Value{sentinel}, c.want...)
	var got []string
	for _, v := range m.slots[slotSeen : slotSeen+len(want)] {
		got = append(got, show(t, v))
	}
	var texts []string
	for _, v := range want {
		texts = append(texts, show(t, v))
	}
	if d := cmp.Diff(texts, got); d != "" {
		t.Errorf("stack (-want +got):\n%s", d)
	}
}

func show(t *testing.T, v Value) string {
	t.Helper()
	if o, ok := v.Object(); ok {
		if l, ok := o.(*loopObject); ok {
			return fmt.Sprintf("loop %d of %d", l.index, l.length)
		}
		return o.TypeName(nativeEnv())
	}
	s, err := nativeEnv().Repr(v)
	if err != nil {
		t.Fatal(err)
	}
	return v.Kind().String() + " " + s
}

// messageMap is a message of the data, without content.
func messageMap(role string) Value {
	m := NewMap(2)
	m.Set("role", String(role))
	m.Set("content", Null)
	return MapOf(m)
}
