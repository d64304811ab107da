package compiler

import (
	"github.com/pcc-lang/pcc/vm"

	"github.com/pcc-lang/pcc/internal/code"
)

// trackedLoop is a loop between its beginning and its end, whose slot only reads
// of its item have used so far.
type trackedLoop struct {
	first       int // index of its beginning
	state, slot int32
}

// placeItems lets code read the items of loops where they lie, in the list that the
// loop goes over: the loop then copies none into its slot, which would be a
// pointer written to the heap at each turn. It can where nothing but reads that
// know of it uses the slot while the loop runs, and where a turn sees one item
// from its beginning to its end: methods that change lists put others in its
// place, and who walks `loop` itself moves the loop on.
func (c *codeBuilder) placeItems(img *vm.Image, s *scopes) {
	if img.Mutates || s.maxLoops == 0 {
		return
	}
	n := len(c.ins)
	c.leader = grown(c.leader, n)
	place, placed := c.leader, 0 // where the loops begin that copy no items
	open := c.tracked[:0]
	for i := range c.ins {
		ins := &c.ins[i]
		switch ins.Op {
		case code.OpLoop:
			// Another loop with the same state, or that binds the slot, ends the
			// tracking of one that is open.
			open = untrack(open, func(l *trackedLoop) bool { return l.state == ins.A || binds(ins, l.slot) })
			if code.LoopMode(ins.N) != code.ModeEntries && ins.B >= 0 {
				open = append(open, trackedLoop{i, ins.A, ins.B})
			}
		case code.OpNext:
			open = untrack(open, func(l *trackedLoop) bool {
				return (l.state != ins.A || l.slot != ins.B) && binds(ins, l.slot)
			})
		case code.OpEndLoop:
			open = untrack(open, func(l *trackedLoop) bool {
				if l.state != ins.A {
					return false
				}
				place[l.first] = true
				placed++
				return true
			})
		case code.OpObject:
			if code.ObjectKind(ins.N) == code.ObjectLoopContext && c.ins[i+1].Op != code.OpAttr {
				open = untrack(open, func(l *trackedLoop) bool { return l.state == ins.A })
			}
		default:
			if len(open) > 0 && !ins.Op.ReadsLocal() && ins.Op.NamesSlots() {
				open = untrack(open, func(l *trackedLoop) bool { return ins.UsesSlot(l.slot, img.SlotLists) })
			}
		}
	}
	c.tracked = open[:0]
	if placed > 0 {
		c.readInPlace(place, s)
	}
}

// binds reports whether the beginning or the next turn of a loop binds the slot.
func binds(ins *code.Instr, slot int32) bool {
	return ins.B == slot || ins.B == slot-1 && code.LoopMode(ins.N) == code.ModeEntries
}

// untrack takes those out of open for which is is true.
func untrack(open []trackedLoop, is func(*trackedLoop) bool) []trackedLoop {
	n := 0
	for i := range open {
		if !is(&open[i]) {
			open[n] = open[i]
			n++
		}
	}
	return open[:n]
}

// readInPlace makes the loops that begin where place says leave their slots
// alone, and the reads of these slots until the loops end reads of their items.
func (c *codeBuilder) readInPlace(place []bool, s *scopes) {
	c.moved = grown(c.moved, s.maxSlots+s.maxLoops)
	// owner is, of each slot, the state of the loop whose item is read in its
	// place, slotOf, of each state, the slot; plus 1, 0 is none.
	owner, slotOf := c.moved[:s.maxSlots], c.moved[s.maxSlots:]
	for i := range c.ins {
		ins := &c.ins[i]
		switch ins.Op {
		case code.OpLoop:
			if place[i] {
				owner[ins.B], slotOf[ins.A] = ins.A+1, ins.B+1
				ins.B = ^ins.B
			}
		case code.OpNext:
			if slot := slotOf[ins.A]; slot > 0 {
				ins.B = -slot // the complement of the slot
			}
		case code.OpEndLoop:
			if slot := slotOf[ins.A]; slot > 0 {
				owner[slot-1], slotOf[ins.A] = 0, 0
			}
		default:
			if ins.Op.ReadsLocal() && ins.A >= 0 && owner[ins.A] > 0 {
				ins.A = -owner[ins.A] // the complement of the loop
			}
		}
	}
}
