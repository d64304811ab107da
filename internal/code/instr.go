package code

import (
	"slices"

	"github.com/pcc-lang/pcc/ast/source"
)

// Instr is one instruction: fixed size, text and key inline, so that the
// machine reads one cache line for "write this text, then that key's value".
type Instr struct {
	Op     Op
	N      uint16
	A      int32
	B      int32
	Target int32 // instruction index
	Text   string
	Key    string
}

// Function is a code block with its frame: the template itself, a macro, a
// block.
type Function struct {
	Name     string
	Code     []Instr
	Slots    int // local slots
	Loops    int // loop states
	MaxStack int // set by Verify
	Cells    int // variables that live in cells, the given ones first
	Spans    []SpanRun
}

// SpanRun gives the source of the instructions from PC on, up to the next run.
type SpanRun struct {
	PC   int32
	Site int32 // index into the files that the code came from
	Span source.Span
}

// Jumps reports whether an instruction with this opcode uses Target as the
// instruction to go to.
func (o Op) Jumps() bool { return o < opCount && opTraits[o]&jumps != 0 }

// WritesFirst reports whether an instruction with this opcode writes its Text
// before it does anything else, so that text in front of it can be its own.
func (o Op) WritesFirst() bool { return o < opCount && opTraits[o]&writesFirst != 0 }

// ReadsLocal reports whether an instruction with this opcode reads the local
// variable A, which may be the item of a loop.
func (o Op) ReadsLocal() bool { return o < opCount && opTraits[o]&readsLocal != 0 }

// NamesSlots reports whether instructions with this opcode may use slots, as
// UsesSlot tells of one.
func (o Op) NamesSlots() bool { return o < opCount && opTraits[o]&namesSlots != 0 }

// traits are what the passes of the compiler ask of each instruction, as bits.
type traits uint8

const (
	jumps traits = 1 << iota
	writesFirst
	readsLocal
	namesSlots
	switches // it uses a switch table
	plain    // its operands are right where they are within their bounds
)

// opTraits are the traits of each opcode, in as little memory as they need: the
// passes ask for all instructions of a program.
var opTraits = func() (t [opCount]traits) {
	for op := range opCount {
		i := &opTable[op]
		a, b, n := operandTraits[i.A], operandTraits[i.B], operandTraits[i.N]
		for _, x := range []struct {
			holds bool
			trait traits
		}{
			{i.Jump, jumps},
			{i.First, writesFirst},
			{i.A == OperandLocal, readsLocal},
			{(a|b|n)&namesSlots != 0, namesSlots},
			{i.Table || i.A == OperandTable, switches},
			{a&b&n&plain != 0 && !i.Table && op != OpEmitRoot, plain},
		} {
			if x.holds {
				t[op] |= x.trait
			}
		}
	}
	return t
}()

// operandTraits are the traits of opcodes that follow from the kinds of their
// operands: those that UsesSlot looks at, and those that bounds alone describe.
var operandTraits = func() (t [operandKinds]traits) {
	for kind := range t {
		t[kind] = plain
	}
	for _, kind := range []Operand{OperandTarget, OperandOwner, OperandMake, OperandSlotList, OperandPath, OperandOut, OperandName, OperandSection} {
		t[kind] = 0 // see checkOperand
	}
	for _, kind := range []Operand{OperandSlot, OperandLocal, OperandTarget, OperandSlotList} {
		t[kind] |= namesSlots
	}
	return t
}()

// UsesSlot reports whether an instruction uses a slot in any way. lists are the
// lists of slots that operands refer to.
func (ins *Instr) UsesSlot(slot int32, lists [][]int32) bool {
	info := &opTable[ins.Op]
	for _, o := range [...]struct {
		kind Operand
		x    int32
	}{{info.A, ins.A}, {info.B, ins.B}, {info.N, int32(ins.N)}} {
		switch o.kind {
		case OperandSlot, OperandLocal:
			if o.x == slot {
				return true
			}
		case OperandTarget:
			if o.x == slot || LoopMode(ins.N) == ModeEntries && o.x == slot-1 {
				return true
			}
		case OperandSlotList:
			if slices.Contains(lists[o.x], slot) {
				return true
			}
		}
	}
	return false
}

// Table returns the switch table that an instruction uses.
func (ins *Instr) Table() (table int32, ok bool) {
	if opTraits[ins.Op]&switches == 0 {
		return 0, false
	}
	if opTable[ins.Op].Table {
		return ins.Target, true
	}
	return ins.A, true
}

// SetTable changes the switch table of an instruction that uses one.
func (ins *Instr) SetTable(table int32) {
	if opTable[ins.Op].Table {
		ins.Target = table
	} else {
		ins.A = table
	}
}
