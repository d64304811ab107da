package vm

import (
	"unsafe"

	"github.com/pcc-lang/pcc/internal/code"
)

// This file holds what the machine's main loop reads and writes with.

// after is the instruction behind ins. There is one: the verifier refuses code
// whose last instruction does not end it.
func after(ins *code.Instr) *code.Instr {
	return (*code.Instr)(unsafe.Add(unsafe.Pointer(ins), unsafe.Sizeof(*ins)))
}

// index is the place of ins in the running code.
func (m *machine) index(ins *code.Instr) int {
	return int((uintptr(unsafe.Pointer(ins)) - uintptr(unsafe.Pointer(unsafe.SliceData(m.code)))) / unsafe.Sizeof(*ins))
}

// data is what the template's variables are read from: what the render was
// given, or in a prompt tree what its scope holds.
func (m *machine) data() Value {
	if m.root != nil {
		return Value{ref: m.root}
	}
	return m.rootV
}

// target is the instruction that ins jumps to; the verifier has checked it.
func (m *machine) target(ins *code.Instr) *code.Instr {
	return (*code.Instr)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.code)), uintptr(ins.Target)*unsafe.Sizeof(*ins)))
}

// loop is loop state a; the verifier has checked that there is one.
func (m *machine) loop(a int32) *loopState {
	return (*loopState)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.loops)), uintptr(a)*unsafe.Sizeof(loopState{})))
}

// local returns the value of slot a; where a is negative, the item of the
// running loop ^a, which then is in no slot: what a slot gets is a pointer
// written to the heap, which costs as much as a look-up in a map while the
// garbage collector marks.
func (m *machine) local(a int32) Value {
	if a >= 0 {
		return m.slots[a]
	}
	ls := m.loop(^a)
	return ls.at(ls.i)
}

// localHeld is local for an instruction that need not be the running one: the item
// of a loop that has none now is null.
func (m *machine) localHeld(a int32) Value {
	if a < 0 && !m.loop(^a).has(m.loop(^a).i) {
		return Null
	}
	return m.local(a)
}

// put writes the text of an instruction that does something else besides.
func (m *machine) put(text string) (err error) {
	n := len(m.out)
	if cap(m.out)-n < len(text) {
		if m.out, err = m.grow(m.out, len(text)); err != nil {
			return err
		}
	}
	m.out = m.out[:n+len(text)] // no pointer is written
	copyText(unsafe.Pointer(unsafe.SliceData(m.out)), n, text)
	return nil
}

// readRoot reads the path from the data that the instruction names.
func (m *machine) readRoot(ins *code.Instr, path int32) (Value, error) {
	x, ok := m.root[ins.Key]
	if ok && ins.N == 1 {
		return Value{ref: x}, nil
	}
	p := &m.img.Paths[path]
	if ins.N > 1 {
		if x, ok = walk(x, ok, p.Keys); ok {
			return Value{ref: x}, nil
		}
	}
	return m.rootPath(p)
}

// readSlot reads the path of operand B from a slot's value.
func (m *machine) readSlot(ins *code.Instr, from Value) (Value, error) {
	if mm, is := from.ref.(map[string]any); is {
		x, ok := mm[ins.Key]
		if ins.N > 1 {
			x, ok = walk(x, ok, m.img.Paths[ins.B].Keys)
		}
		if ok {
			return Value{ref: x}, nil
		}
	}
	return m.path(from, &m.img.Paths[ins.B])
}

// walk follows keys[1:] from x through Go maps; ok is false where another kind
// of value is met, or a key is missing: the general look-up then decides.
func walk(x any, ok bool, keys []string) (any, bool) {
	for _, k := range keys[1:] {
		mm, is := x.(map[string]any)
		if !ok || !is {
			return nil, false
		}
		x, ok = mm[k]
	}
	return x, ok
}

// quickTruth is Env.Truth for the commonest kinds, small enough to be inlined.
func quickTruth(v Value) (truth, known bool) {
	switch x := v.ref.(type) {
	case nil:
		return false, true
	case bool:
		return x, true
	case string:
		return x != "", true
	case boolMark:
		return v.num != 0, true
	case []any:
		return len(x) > 0, true
	case map[string]any:
		return len(x) > 0, true
	}
	return false, false
}

// refuel takes the next chunk of fuel from the budget. left is at most -1: the
// debt of the last chunk, from long strings.
func (m *machine) refuel(left int) (int, error) {
	debt := int64(-left)
	if m.env.steps < debt {
		m.env.steps = 0
		return 0, errSteps
	}
	m.env.steps -= debt
	chunk := min(int64(fuelChunk), m.env.steps)
	m.env.steps -= chunk
	if err := m.env.poll(); err != nil {
		return 0, err
	}
	return int(chunk), nil
}

// finish settles the fuel that was not burnt and checks what can only be known
// at the end.
func (m *machine) finish(fuel int) error {
	m.env.steps += int64(fuel)
	if m.env.steps < 0 {
		return m.fault(errSteps)
	}
	if err := m.env.StopError(); err != nil { // of bulk work outside of builtins
		return m.fault(err)
	}
	if len(m.missing) > 0 {
		return oneOrAll(m.missingNames())
	}
	return nil
}

func (m *machine) names(i int32) []string {
	if i < 0 {
		return nil
	}
	return m.img.Names[i]
}
