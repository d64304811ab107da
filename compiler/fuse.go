package compiler

import (
	"strings"

	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// fuse joins neighbouring instructions into superinstructions: text with the
// text or placeholder behind it, a read with the placeholder, jump or switch
// that uses it. Nothing is joined across a jump's target, which would skip a
// half of it.
func (c *codeBuilder) fuse(img *vm.Image) {
	n := len(c.ins)
	c.leader, c.moved = grown(c.leader, n+1), grown(c.moved, n+1)
	ins, places, leader, moved := c.ins, c.places[:n], c.leader[:n+1], c.moved[:n+1]
	c.targets(img)
	out := 0 // so many instructions are made
	// begin is the index behind the last leader: what lies before it must not
	// change any more.
	begin := 0
	for i := 0; i < n; i++ {
		if leader[i] {
			begin = out
		}
		first, next := i, &ins[i]
		moved[i] = int32(out)
		if next.Op == code.OpText { // a whole run at once, to stay linear
			end := i + 1
			for end < n && ins[end].Op == code.OpText && !leader[end] {
				end++
			}
			if end > i+1 {
				var text strings.Builder
				for k := i; k < end; k++ {
					text.WriteString(ins[k].Text)
					moved[k] = int32(out)
				}
				next.Text = text.String()
				i = end - 1
			}
		}
		if out == begin || !join(&ins[out-1], next, img) {
			if out != first {
				set(&ins[out], next)
				places[out] = places[first]
			}
			out++
			continue
		}
		at := places[first]
		for out-1 > begin && join(&ins[out-2], &ins[out-1], img) {
			out--
		}
		places[out-1] = at
		moved[first] = int32(out - 1)
	}
	moved[n] = int32(out)
	clear(ins[out:])
	for l, at := range c.labels {
		if at >= 0 {
			c.labels[l] = moved[at]
		}
	}
	c.ins, c.places = ins[:out], places[:out]
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

// targets marks the instructions that others go to as leaders; a label that was
// placed for nothing marks none.
func (c *codeBuilder) targets(img *vm.Image) {
	for i := range c.ins {
		ins := &c.ins[i]
		if ins.Op.Jumps() {
			c.leader[c.labels[ins.Target]] = true
		}
		if t, ok := ins.Table(); ok {
			sw := &img.Switches[t]
			for _, to := range sw.Targets {
				c.leader[c.labels[to]] = true
			}
			c.leader[c.labels[sw.Default]] = true
		}
	}
}

// join makes a the instruction that does a and then b, if there is one. Else it
// changes nothing.
func join(a, b *code.Instr, img *vm.Image) bool {
	switch a.Op {
	case code.OpText:
		if !b.Op.WritesFirst() {
			return false
		}
		a.Op, a.N, a.A, a.B, a.Target = b.Op, b.N, b.A, b.B, b.Target
		if b.Text != "" {
			a.Text += b.Text
		}
		if b.Key != "" { // no GC write barrier where nothing changes
			a.Key = b.Key
		}
		return true
	case code.OpRoot:
		switch b.Op {
		case code.OpEmit:
			if !joinEmit(a, b, code.OpEmitRoot, a.A, img) {
				return false
			}
			a.A = 0
			return true
		case code.OpJumpIf:
			if b.N != 0 {
				return false
			}
			a.Op, a.Target = code.OpJumpRootFalse, b.Target
			return true
		}
	case code.OpSlot:
		if b.Op == code.OpEmit {
			return joinEmit(a, b, code.OpEmitSlot, -1, img)
		}
	case code.OpSlotKey:
		switch b.Op {
		case code.OpEmit:
			return joinEmit(a, b, code.OpEmitSlotKey, a.B, img)
		case code.OpJumpIf:
			if b.N != 0 {
				return false
			}
			a.Op, a.Target = code.OpJumpSlotKeyFalse, b.Target
			return true
		case code.OpSwitch:
			a.Op, a.Target = code.OpSwitchSlotKey, b.A
			return true
		}
	case code.OpUnary:
		if b.Op == code.OpJumpIf && code.UnaryOp(a.N) == code.UnNot {
			a.Op, a.N, a.Target = code.OpJumpIf, 1-b.N, b.Target
			return true
		}
	}
	return false
}

// joinEmit makes the read a, by the path of that index, -1 for none, the
// instruction op, which reads and writes as the placeholder of b prints.
func joinEmit(a, b *code.Instr, op code.Op, path int32, img *vm.Image) bool {
	o := &img.Outs[b.B]
	if !fusable(o) || b.Text != "" || b.N != 0 {
		return false
	}
	if path >= 0 {
		p := &img.Paths[path]
		o.Path.Keys, o.Path.Item, o.Path.Undef = p.Keys, p.Item, p.Undef
		a.N = uint16(len(o.Path.Keys))
	}
	a.Op, a.B = op, b.B
	return true
}

// fusable reports whether a placeholder prints its value with nothing added.
func fusable(o *vm.Out) bool { return !o.KeepNull && o.Indent == "" }
