package vm

import (
	"math"
	"unsafe"

	"github.com/pcc-lang/pcc/internal/code"
)

// A fieldRun is a stretch of code that only writes texts and strings in fields
// of one struct, as most prompts do over many lines. Its first instruction
// writes all of it: the type is looked at once, and the room is made at once.
// Where one of the values is not to be copied just so, the instructions run one
// by one.
type fieldRun struct {
	word  unsafe.Pointer // type word of the struct
	parts []runPart
	tail  string // text behind the last field
	texts int    // bytes of all texts
	count int    // instructions
}

// runPart is a text and the offset of the string behind it.
type runPart struct {
	text   string
	offset uintptr
}

// findRuns marks the runs of bound code.
func (f *Function) findRuns() {
	for pc := 0; pc < len(f.Code); pc++ {
		first := &f.Code[pc]
		if first.Op != code.OpEmitField {
			continue
		}
		r := &fieldRun{word: f.fields[first.N].word}
		end := pc
		for ; end < len(f.Code); end++ {
			ins := &f.Code[end]
			if ins.Op != code.OpEmitField || ins.A != first.A {
				break
			}
			a := &f.fields[ins.N]
			if a.plain != loadString || a.word != r.word {
				break
			}
			r.parts = append(r.parts, runPart{ins.Text, a.offset})
			r.texts += len(ins.Text)
		}
		if end == pc {
			continue
		}
		if end < len(f.Code) && f.Code[end].Op == code.OpText {
			r.tail = f.Code[end].Text
			r.texts += len(r.tail)
			end++
		}
		r.count = end - pc
		if last := &f.Code[end]; pc == 0 && last.Op == code.OpReturn {
			all := *r
			all.tail += last.Text
			all.texts += len(last.Text)
			all.count++
			f.whole = &all
		}
		if r.count > 1 {
			f.fields[first.N].run = r
		}
		pc = end - 1
	}
}

// at returns the string of a part of the struct at base.
func (p *runPart) at(base unsafe.Pointer) string { return *(*string)(unsafe.Add(base, p.offset)) }

// base returns the address of the struct that w is or points to; nil where it
// is of another type.
func (r *fieldRun) base(w iface) unsafe.Pointer {
	if w.typ != r.word {
		return nil
	}
	return w.data
}

// emitFields executes the instructions of run r, which begins at first, with
// the struct in w. Where that is the item of a loop whose body they are, it goes
// on with the loop's next turns. It returns the instruction that is next, and
// the fuel that is left; where that is first itself, the instructions have to be
// executed one by one: there is no room, or a string that costs fuel and is
// perhaps not copied here.
func (m *machine) emitFields(first *code.Instr, r *fieldRun, w iface, fuel int) (next *code.Instr, left int) {
	for {
		base := r.base(w)
		if base == nil || fuel < r.count {
			return first, fuel
		}
		end, ok := r.write(unsafe.Pointer(unsafe.SliceData(m.out)), len(m.out), cap(m.out), bulkBytes, base)
		if !ok {
			return first, fuel
		}
		m.out = m.out[:end]
		fuel -= r.count - 1
		next = (*code.Instr)(unsafe.Add(unsafe.Pointer(first), uintptr(r.count)*unsafe.Sizeof(*first)))
		if fuel < 2 || !m.repeats(next, first) {
			return next, fuel
		}
		ls, n := m.loop(next.A), len(m.out)
		if ls.i+1 >= ls.n || m.iterations <= 0 || ls.record == nil || ls.kind != loopTyped || cap(m.out)-n < len(next.Text) {
			return next, fuel
		}
		m.out = m.out[:n+len(next.Text)]
		copyText(unsafe.Pointer(unsafe.SliceData(m.out)), n, next.Text)
		ls.i++
		m.iterations--
		fuel -= 2
		w = iface{ls.record, unsafe.Add(ls.first, uintptr(ls.i)*ls.size)}
	}
}

// write copies the run's texts and values of the struct at base to dst, from
// byte n on, and returns where they end. It copies nothing beyond limit, and no
// string of long bytes or more: ok is false then.
func (r *fieldRun) write(dst unsafe.Pointer, n, limit, long int, base unsafe.Pointer) (end int, ok bool) {
	limit -= len(r.tail)
	for i := range r.parts {
		p := &r.parts[i]
		s := p.at(base)
		if len(s) >= long || limit-n < len(p.text)+len(s) {
			return n, false
		}
		if t := len(p.text); t > shortCopy { // copyTexts, in place
			copy(unsafe.Slice((*byte)(unsafe.Add(dst, n)), t), p.text)
		} else if t >= 8 {
			copyWide(unsafe.Add(dst, n), p.text, t)
		} else if t > 0 {
			copyTiny(unsafe.Add(dst, n), p.text, t)
		}
		n += len(p.text)
		if t := len(s); t > shortCopy {
			copy(unsafe.Slice((*byte)(unsafe.Add(dst, n)), t), s)
		} else if t >= 8 {
			copyWide(unsafe.Add(dst, n), s, t)
		} else if t > 0 {
			copyTiny(unsafe.Add(dst, n), s, t)
		}
		n += len(s)
	}
	copyText(dst, n, r.tail)
	return n + len(r.tail), true
}

// appendTo appends what a run that is all of the code writes for data. It spares
// short prompts the machine, see Program.tryLinear.
func (r *fieldRun) appendTo(dst []byte, data any, l *Limits) ([]byte, bool) {
	base := r.base(*ifaceOf(&data))
	if base == nil {
		return dst, false
	}
	size, steps := r.texts, r.count
	for i := range r.parts {
		n := len(r.parts[i].at(base))
		if n >= bulkBytes {
			steps += n >> 6
		}
		size += n
	}
	dst, ok := room(dst, size, steps, l)
	if !ok {
		return dst, false
	}
	// Whoever changes the struct at the same time must not make it write beyond.
	end, ok := r.write(unsafe.Pointer(unsafe.SliceData(dst)), len(dst), len(dst)+size, math.MaxInt, base)
	return dst[:end], ok
}
