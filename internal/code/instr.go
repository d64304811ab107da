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
func (o Op) Jumps() bool { return o < opCount && opTable[o].Jump }

// WritesFirst reports whether an instruction with this opcode writes its Text
// before it does anything else, so that text in front of it can be its own.
func (o Op) WritesFirst() bool { return o < opCount && opTable[o].First }

// ReadsLocal reports whether an instruction with this opcode reads the local
// variable A, which may be the item of a loop.
func (o Op) ReadsLocal() bool { return o < opCount && opTable[o].A == OperandLocal }

// NamesSlots reports whether instructions with this opcode may use slots, as
// UsesSlot tells of one.
func (o Op) NamesSlots() bool {
	if o >= opCount {
		return false
	}
	info := &opTable[o]
	return usesSlots[info.A] || usesSlots[info.B] || usesSlots[info.N]
}

// usesSlots are the operands that UsesSlot looks at. Its length spares a bounds
// check.
var usesSlots = [1 << 8]bool{OperandSlot: true, OperandLocal: true, OperandTarget: true, OperandSlotList: true}

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
	switch info := &opTable[ins.Op]; {
	case info.A == OperandTable:
		return ins.A, true
	case info.Table:
		return ins.Target, true
	}
	return 0, false
}

// SetTable changes the switch table of an instruction that uses one.
func (ins *Instr) SetTable(table int32) {
	if opTable[ins.Op].Table {
		ins.Target = table
	} else {
		ins.A = table
	}
}
