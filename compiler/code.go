package compiler

import (
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// label is a place in the code that jumps name before it is known.
type label int32

// code is a function's instructions while they are made. Jump targets and
// switch tables hold labels until assemble puts in instruction indexes.
type code struct {
	ins    []vm.Instr
	places []where
	labels []int32 // label → index into ins, -1 until placed
	now    where
}

// where is the source of an instruction.
type where struct {
	site int32
	span source.Span
}

func (c *code) at(site int32, span source.Span) { c.now = where{site, span} }

func (c *code) emit(i vm.Instr) {
	c.ins = append(c.ins, i)
	c.places = append(c.places, c.now)
}

func (c *code) label() label {
	c.labels = append(c.labels, -1)
	return label(len(c.labels) - 1)
}

func (c *code) place(l label) { c.labels[l] = int32(len(c.ins)) }

func (c *code) jump(op vm.Op, to label) { c.jumpWith(vm.Instr{Op: op}, to) }

func (c *code) jumpWith(i vm.Instr, to label) {
	i.Target = int32(to)
	c.emit(i)
}

func (c *code) switchOn(table int32) { c.emit(vm.Instr{Op: vm.OpSwitch, A: table}) }

// jumps reports whether op's Target is a label.
func jumps(op vm.Op) bool { return vm.Jumps(op) }

// tableOf returns the switch table that an instruction uses.
func tableOf(i *vm.Instr) (int32, bool) {
	switch i.Op {
	case vm.OpSwitch, vm.OpSwitchRoot:
		return i.A, true
	case vm.OpSwitchSlotKey:
		return i.Target, true
	}
	return 0, false
}

// assemble puts instruction indexes in the place of labels and makes the
// span table.
func (c *code) assemble(name string, s *scopes, img *vm.Image) vm.Function {
	for i := range c.ins {
		ins := &c.ins[i]
		if jumps(ins.Op) {
			ins.Target = c.labels[ins.Target]
		}
		if t, ok := tableOf(ins); ok {
			sw := &img.Switches[t]
			for j := range sw.Targets {
				sw.Targets[j] = c.labels[sw.Targets[j]]
			}
			sw.Default = c.labels[sw.Default]
		}
	}
	f := vm.Function{Name: name, Code: c.ins, Slots: s.maxSlots, Loops: s.maxLoops}
	var last where
	for pc, w := range c.places {
		if pc == 0 || w != last {
			f.Spans = append(f.Spans, vm.SpanRun{PC: int32(pc), Site: w.site, Span: w.span})
			last = w
		}
	}
	return f
}
