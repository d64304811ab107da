package vm

import (
	"unsafe"

	"github.com/pcc-lang/pcc/internal/code"
)

// findRuns marks the runs of bound code.
func (f *Function) findRuns() {
	for pc := 0; pc < len(f.Code); pc++ {
		first := &f.Code[pc]
		if first.Op != code.OpEmitField {
			continue
		}
		r := &textRun{word: f.fields[first.N].word}
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
			r.value(ins.Text, runPart{offset: a.offset})
		}
		if end == pc {
			continue
		}
		if end < len(f.Code) && f.Code[end].Op == code.OpText {
			r.text(f.Code[end].Text)
			end++
		}
		if last := &f.Code[end]; pc == 0 && last.Op == code.OpReturn {
			all := *r
			all.text(last.Text)
			f.whole = &all
		}
		if r.count > 1 {
			f.fields[first.N].run = r
		}
		pc = end - 1
	}
}

// emitFields executes the instructions of run r, which begins at first, with
// the struct in w. Where that is the item of a loop whose body they are, it goes
// on with the loop's next iterations. It returns the instruction that is next, and
// the fuel that is left; where that is first itself, the instructions have to be
// executed one by one: there is no room, or a string that costs fuel and is
// perhaps not copied here.
func (m *machine) emitFields(first *code.Instr, r *textRun, w iface, fuel int) (next *code.Instr, left int) {
	for {
		base := r.base(w)
		if base == nil || fuel < r.count {
			return first, fuel
		}
		end, ok := r.write(unsafe.Pointer(unsafe.SliceData(m.out)), len(m.out), cap(m.out), base)
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
