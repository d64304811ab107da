package compiler

import "github.com/pcc-lang/pcc/vm"

// placeItems lets code read the items of loops where they lie, in the list that the
// loop goes over: the loop then copies none into its slot, which would be a
// pointer written to the heap at each turn. It can where nothing but reads that
// know of it uses the slot while the loop runs, and where a turn sees one item
// from its beginning to its end: methods that change lists put others in its
// place, and who walks `loop` itself moves the loop on.
func (c *code) placeItems(img *vm.Image) {
	if img.Mutates {
		return
	}
	for first := range c.ins {
		loop := &c.ins[first]
		if loop.Op != vm.OpLoop || vm.LoopMode(loop.N) == vm.ModeEntries || loop.B < 0 {
			continue
		}
		last := c.endOf(first)
		if last < 0 || !c.onlyReads(img, first, last) {
			continue
		}
		state, slot := loop.A, loop.B
		for i := first; i < last; i++ {
			ins := &c.ins[i]
			switch {
			case vm.ReadsLocal(ins.Op) && ins.A == slot:
				ins.A = ^state
			case (ins.Op == vm.OpLoop || ins.Op == vm.OpNext) && ins.A == state:
				ins.B = ^slot
			}
		}
	}
}

// endOf returns the index of the instruction that ends the loop which begins at
// first, -1 where none does.
func (c *code) endOf(first int) int {
	for i := first + 1; i < len(c.ins); i++ {
		if c.ins[i].Op == vm.OpEndLoop && c.ins[i].A == c.ins[first].A {
			return i
		}
	}
	return -1
}

// onlyReads reports whether the slot of the loop at first is used only by reads
// of its item before last, and the loop moved on by nothing else.
func (c *code) onlyReads(img *vm.Image, first, last int) bool {
	state, slot := c.ins[first].A, c.ins[first].B
	for i := first + 1; i < last; i++ {
		ins := &c.ins[i]
		switch {
		case ins.Op == vm.OpNext && ins.A == state && ins.B == slot:
		case ins.Op == vm.OpLoop && ins.A == state: // another loop with the same state
			return false
		case ins.Op == vm.OpLoopContext && ins.A == state && c.ins[i+1].Op != vm.OpAttr:
			return false
		case vm.ReadsLocal(ins.Op):
		case vm.UsesSlot(img, ins, slot):
			return false
		}
	}
	return true
}
