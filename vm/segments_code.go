package vm

import (
	"slices"

	"github.com/pcc-lang/pcc/internal/code"
)

// traced is the flag of instructions that note where their text comes from.
const traced code.Op = 1 << 15

// isTraced reports whether instructions of this kind bear the flag.
func isTraced(op code.Op) bool {
	switch op {
	case code.OpText, code.OpEmit, code.OpEmitRoot, code.OpEmitSlot, code.OpEmitSlotKey, code.OpSection, code.OpConst,
		code.OpBinary, code.OpEndCapture:
		return true
	}
	return false
}

// tracedVariant is a copy of img whose code traces where text comes from. Each
// instruction that writes a text and does something else besides becomes two,
// and the items of loops are in their slots, so that note has few kinds to
// execute.
func tracedVariant(img *Image) *Image {
	c := *img
	c.Functions = slices.Clone(img.Functions)
	c.Switches = slices.Clone(img.Switches)
	for i := range c.Functions {
		f := &c.Functions[i]
		f.Code = slices.Clone(f.Code)
		f.bindItems()
		f.splitTexts(&c)
		for pc := range f.Code {
			if isTraced(f.Code[pc].Op) {
				f.Code[pc].Op |= traced
			}
		}
	}
	return &c
}

// splitTexts puts the texts of instructions that are not traced themselves in
// front of them. Each switch has a table of its own then.
func (f *Function) splitTexts(img *Image) {
	moved := make([]int32, len(f.Code)+1)
	var split []code.Instr
	for pc := range f.Code {
		ins := f.Code[pc]
		moved[pc] = int32(len(split))
		if ins.Text != "" && ins.Op.WritesFirst() && (!isTraced(ins.Op) || ins.Op == code.OpConst) {
			split = append(split, code.Instr{Op: code.OpText, Text: ins.Text})
			ins.Text = ""
		}
		split = append(split, ins)
	}
	moved[len(f.Code)] = int32(len(split))
	if len(split) == len(f.Code) {
		return
	}
	for pc := range split {
		ins := &split[pc]
		if ins.Op.Jumps() {
			ins.Target = moved[ins.Target]
		}
		if t, ok := ins.Table(); ok {
			own := img.Switches[t] // others may use the same table
			own.Targets = slices.Clone(own.Targets)
			for i := range own.Targets {
				own.Targets[i] = moved[own.Targets[i]]
			}
			own.Default = moved[own.Default]
			own.plan()
			at := int32(len(img.Switches))
			img.Switches = append(img.Switches, own)
			ins.SetTable(at)
		}
	}
	f.Code = split
	f.Spans = slices.Clone(f.Spans)
	for i := range f.Spans {
		f.Spans[i].PC = moved[f.Spans[i].PC]
	}
}

// bindItems makes the code copy the items of its loops into their slots.
func (f *Function) bindItems() {
	slots := make([]int32, f.Loops)
	for i := range f.Code {
		switch ins := &f.Code[i]; {
		case ins.Op == code.OpLoop || ins.Op == code.OpNext:
			if ins.B < 0 {
				ins.B = ^ins.B
			}
			slots[ins.A] = ins.B
		case ins.Op.ReadsLocal() && ins.A < 0:
			ins.A = slots[^ins.A]
		}
	}
}
