package vm

import (
	"unsafe"

	"github.com/pcc-lang/pcc/internal/code"
)

// This file holds what executes several instructions at once: a turn of the
// machine's main loop costs more than most of them.

// emitKeys executes instructions from ins on that write a string of mm each,
// while they are of one kind and read one key of the same place, and a text
// behind them. Where that place is the item of a loop whose body they are, it
// goes on with the loop's next count. It returns the first instruction that it
// left to do and the fuel that is left; other says that this instruction is of
// another kind, or that the fuel is used up. Where it is not, x is the value of
// its key, null where there is none.
func (m *machine) emitKeys(ins *code.Instr, mm map[string]any, fuel int) (next *code.Instr, x any, other bool, left int) {
	first := ins
	n := len(m.out)
	for {
		x = mm[ins.Key]
		s, is := x.(string)
		if !is || len(s) >= bulkBytes || cap(m.out)-n < len(ins.Text)+len(s) {
			m.out = m.out[:n]
			return ins, x, false, fuel
		}
		out := unsafe.Pointer(unsafe.SliceData(m.out))
		if t := len(ins.Text); t > shortCopy { // copyTexts, in place
			copy(unsafe.Slice((*byte)(unsafe.Add(out, n)), t), ins.Text)
		} else if t >= 8 {
			copyWide(unsafe.Add(out, n), ins.Text, t)
		} else if t > 0 {
			copyTiny(unsafe.Add(out, n), ins.Text, t)
		}
		n += len(ins.Text)
		if t := len(s); t > shortCopy {
			copy(unsafe.Slice((*byte)(unsafe.Add(out, n)), t), s)
		} else if t >= 8 {
			copyWide(unsafe.Add(out, n), s, t)
		} else if t > 0 {
			copyTiny(unsafe.Add(out, n), s, t)
		}
		n += len(s)
		ins = after(ins)
		if fuel < 2 {
			break
		}
		if kindOf(ins) == kindOf(first) {
			fuel--
			continue
		}
		if ins.Op == code.OpText && cap(m.out)-n >= len(ins.Text) {
			copyText(unsafe.Pointer(unsafe.SliceData(m.out)), n, ins.Text)
			n += len(ins.Text)
			ins = after(ins)
			fuel--
			break
		}
		if !m.repeats(ins, first) || m.iterations <= 0 || cap(m.out)-n < len(ins.Text) {
			break
		}
		ls := m.loop(ins.A)
		if ls.i+1 >= len(ls.anys) {
			break
		}
		if mm, is = ls.anys[ls.i+1].(map[string]any); !is {
			break
		}
		copyText(unsafe.Pointer(unsafe.SliceData(m.out)), n, ins.Text)
		n += len(ins.Text)
		ls.i++
		m.iterations--
		ins = first
		fuel -= 2
	}
	m.out = m.out[:n]
	return ins, nil, true, fuel
}

// emitItems is emitKeys for an instruction that writes the item of a running
// loop. It returns the instruction that is next, which is ins itself where the
// item is not to be copied just so.
func (m *machine) emitItems(ins *code.Instr, ls *loopState, fuel int) (next *code.Instr, left int) {
	next = after(ins)
	more := 0 // iterations that may follow
	if m.repeats(next, ins) {
		more = int(min(int64(ls.n-1-ls.i), m.iterations, int64(fuel/2)))
	}
	count := more
	n := len(m.out)
	for {
		var s string
		is := false
		if ls.i < len(ls.anys) {
			s, is = ls.anys[ls.i].(string)
		} else if ls.kind == loopTyped && ls.typed.item.kind == loadString && ls.i < ls.n {
			s, is = *(*string)(unsafe.Add(ls.first, uintptr(ls.i)*ls.size)), true
		}
		if !is || len(s) >= bulkBytes || cap(m.out)-n < len(ins.Text)+len(s) {
			next = ins
			break
		}
		copyTexts(unsafe.Pointer(unsafe.SliceData(m.out)), n, ins.Text, s)
		n += len(ins.Text) + len(s)
		if more == 0 || cap(m.out)-n < len(next.Text) {
			break
		}
		copyText(unsafe.Pointer(unsafe.SliceData(m.out)), n, next.Text)
		n += len(next.Text)
		ls.i++
		more--
	}
	m.out = m.out[:n]
	m.iterations -= int64(count - more)
	return next, fuel - 2*(count-more)
}

// repeats reports whether next ends the body of a loop that begins at first,
// which reads the loop's item where it lies.
func (m *machine) repeats(next, first *code.Instr) bool {
	return next.Op == code.OpNext && next.A == ^first.A && next.B < 0 && m.target(next) == first
}

// kindOf is the opcode of an instruction with operands N and A, which come first,
// in one word.
func kindOf(ins *code.Instr) uint64 { return *(*uint64)(unsafe.Pointer(ins)) }

var _ = [1]int{}[8-unsafe.Offsetof(code.Instr{}.B)] // no index but 0 compiles
