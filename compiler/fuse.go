package compiler

import (
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// fuse joins neighbouring instructions into superinstructions: text with the
// text or placeholder behind it, a read with the placeholder, jump or switch
// that uses it. Nothing is joined across a jump's target, which would skip a
// half of it.
func (c *code) fuse(img *vm.Image) {
	c.leader, c.moved = grown(c.leader, len(c.ins)+1), grown(c.moved, len(c.ins)+1)
	leader, moved := c.leader, c.moved
	c.targets(img, func(to label) { leader[c.labels[to]] = true })
	out := c.ins[:0]
	places := c.places[:0]
	// begin is the index in out behind the last leader: what lies before it
	// must not change any more.
	begin := 0
	for i, n := 0, len(c.ins); i < n; i++ {
		if leader[i] {
			begin = len(out)
		}
		moved[i] = int32(len(out))
		ins, at := c.ins[i], c.places[i]
		if ins.Op == vm.OpText { // a whole run at once, to stay linear
			end := i + 1
			for end < n && c.ins[end].Op == vm.OpText && !leader[end] {
				end++
			}
			if end > i+1 {
				var text strings.Builder
				for k := i; k < end; k++ {
					text.WriteString(c.ins[k].Text)
					moved[k] = int32(len(out))
				}
				ins.Text = text.String()
				i = end - 1
			}
		}
		first := i
		for len(out) > begin {
			joined, ok := join(&out[len(out)-1], &ins, img)
			if !ok {
				break
			}
			out, places = out[:len(out)-1], places[:len(places)-1]
			ins = joined
		}
		out, places = append(out, ins), append(places, at)
		moved[first] = min(moved[first], int32(len(out)-1))
	}
	moved[len(c.ins)] = int32(len(out))
	clear(c.ins[len(out):])
	for l, at := range c.labels {
		if at >= 0 {
			c.labels[l] = moved[at]
		}
	}
	c.ins, c.places = out, places
}

// grown returns s with n zeros in it.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// targets calls f for each label that an instruction goes to; a label that was
// placed for nothing is none.
func (c *code) targets(img *vm.Image, f func(label)) {
	for i := range c.ins {
		ins := &c.ins[i]
		if jumps(ins.Op) {
			f(label(ins.Target))
		}
		if t, ok := tableOf(ins); ok {
			sw := &img.Switches[t]
			for _, to := range sw.Targets {
				f(label(to))
			}
			f(label(sw.Default))
		}
	}
}

// join returns the instruction that does a and then b.
func join(a, b *vm.Instr, img *vm.Image) (vm.Instr, bool) {
	j := *b
	switch a.Op {
	case vm.OpText:
		if vm.WritesFirst(b.Op) {
			j.Text = a.Text + b.Text
			return j, true
		}
	case vm.OpRoot:
		switch b.Op {
		case vm.OpEmit:
			if !fusable(&img.Outs[b.B]) || b.Text != "" {
				return j, false
			}
			p := img.Paths[a.A]
			img.Outs[b.B].Path = p
			return vm.Instr{Op: vm.OpEmitRoot, B: b.B, N: uint16(len(p.Keys)), Text: a.Text, Key: a.Key}, true
		case vm.OpJumpFalse:
			return vm.Instr{Op: vm.OpJumpRootFalse, A: a.A, N: a.N, Text: a.Text, Key: a.Key, Target: b.Target}, true
		case vm.OpSwitch:
			return vm.Instr{Op: vm.OpSwitchRoot, A: b.A, B: a.A, N: a.N, Text: a.Text, Key: a.Key}, true
		}
	case vm.OpSlot:
		switch b.Op {
		case vm.OpEmit:
			if !fusable(&img.Outs[b.B]) || b.Text != "" {
				return j, false
			}
			return vm.Instr{Op: vm.OpEmitSlot, A: a.A, B: b.B, Text: a.Text}, true
		case vm.OpJumpFalse:
			return vm.Instr{Op: vm.OpJumpSlotFalse, A: a.A, Text: a.Text, Target: b.Target}, true
		}
	case vm.OpSlotKey:
		switch b.Op {
		case vm.OpEmit:
			if !fusable(&img.Outs[b.B]) || b.Text != "" {
				return j, false
			}
			p := img.Paths[a.B]
			img.Outs[b.B].Path = p
			return vm.Instr{Op: vm.OpEmitSlotKey, A: a.A, B: b.B, N: uint16(len(p.Keys)), Text: a.Text, Key: a.Key}, true
		case vm.OpJumpFalse:
			return vm.Instr{Op: vm.OpJumpSlotKeyFalse, A: a.A, B: a.B, N: a.N, Text: a.Text, Key: a.Key, Target: b.Target}, true
		case vm.OpSwitch:
			return vm.Instr{Op: vm.OpSwitchSlotKey, A: a.A, B: a.B, N: a.N, Text: a.Text, Key: a.Key, Target: b.A}, true
		}
	case vm.OpLoopField:
		if b.Op == vm.OpEmit && b.Text == "" && fusable(&img.Outs[b.B]) {
			return vm.Instr{Op: vm.OpEmitLoop, A: a.A, N: a.N, B: b.B}, true
		}
	case vm.OpNot:
		switch b.Op {
		case vm.OpJumpFalse:
			j.Op = vm.OpJumpTrue
			return j, true
		case vm.OpJumpTrue:
			j.Op = vm.OpJumpFalse
			return j, true
		}
	}
	return j, false
}

// fusable reports whether a placeholder prints its value with nothing added.
func fusable(o *vm.Out) bool { return !o.KeepNull && o.Indent == "" }
