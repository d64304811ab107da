package vm

import (
	"unsafe"

	"github.com/pcc-lang/pcc/ast/diag"
)

// machine is the state of one render. Machines are pooled by program, and hold
// nothing of a finished render but empty buffers.
type machine struct {
	activation // what runs: image, context, cells
	env        Env
	root       map[string]any // the data where it is such a map, else nil
	rootV      Value          // the data
	main       *Function      // what exec runs: the template, or its code bound to a type
	registers                 // of the running function
	base       int            // where this render's output begins in out
	// big are long strings that belong between the bytes of out but were not
	// copied there: Render puts them in when it makes the string, so that they
	// are copied only once. spill allows it; bigBytes is their length.
	big      []piece
	bigBytes int
	spill    bool
	direct   bool   // out is a buffer of its own, to become the result
	scratch  []byte // the buffer for all renders, while direct
	guess    sizeGuess

	// What the template's own function uses; macros and blocks have frames of
	// their own.
	stackStore []Value
	slotStore  []Value
	loopStore  []loopState
	calls      []frame
	turns      int64

	ownGlobals map[string]Value // copies of shared values that may be changed
	spare      []registers      // frames of finished functions, for reuse
	includes   int              // templates entered and not yet left

	missing  []missing
	nearest  diag.Nearest
	kept     []missing
	keptAt   map[place]bool
	messages []message
	captures []int
	report   bool // keep what Report tells
	optioned bool // options changed env
	spans    [][2]int

	documentState
}

// fuelChunk is the number of instructions between looks at the budget and the
// context.
const fuelChunk = 1024

// bulkBytes is the length from which writing a string costs fuel by its size.
const bulkBytes = 1024

// run executes function f and what it calls. Only what nearly every
// instruction touches is kept in local variables: with more of them the
// compiler moves values about at each turn of the loop, which cost a third of
// the time. Instructions that are rarer or dearer are in step.
func (m *machine) run(f *Function) error {
	if m.fn != f {
		m.fn, m.code, m.slots, m.loops, m.st = f, f.Code, m.slotStore[:f.Slots], m.loopStore[:f.Loops], m.stackStore
	}
	m.st = m.st[:0]
	var (
		fuel = 0
		pc   = 0
		s    string
		v    Value
		err  error
	)
	ins := &m.code[0]
	for ; ; ins = after(ins) {
	dispatch:
		if fuel--; fuel < 0 {
			if fuel, err = m.refuel(fuel); err != nil {
				goto fail
			}
		}
		switch ins.Op {
		case OpText:
			s = ""
			goto write

		case OpEmitRoot:
			x, ok := m.root[ins.Key]
			if ins.N > 1 {
				x, _ = walk(x, ok, m.img.Outs[ins.B].Path.Keys)
			}
			if s, ok = x.(string); ok {
				goto write
			}
			v = Value{ref: x}
			if x == nil { // null, or not there
				if v, err = m.rootPath(&m.img.Outs[ins.B].Path); err != nil {
					goto fail
				}
			}
			goto emit

		case OpEmitSlotKey:
			var x any // as m.local, in place
			if ins.A >= 0 {
				x = m.slots[ins.A].ref
			} else if ls := &m.loops[^ins.A]; ls.i < len(ls.anys) {
				x = ls.anys[ls.i]
			} else {
				x = ls.at(ls.i).ref
			}
			if mm, is := x.(map[string]any); is {
				x, ok := mm[ins.Key]
				if ins.N > 1 {
					x, ok = walk(x, ok, m.img.Outs[ins.B].Path.Keys)
				}
				if s, is = x.(string); is {
					goto write
				}
				if ok {
					v = Value{ref: x}
					goto emit
				}
			}
			if v, err = m.path(m.local(ins.A), &m.img.Outs[ins.B].Path); err != nil {
				goto fail
			}
			goto emit

		case OpEmitSlot:
			// s is set on each way: were it not, Go's compiler would carry it
			// through all turns of the loop.
			is := false
			if ins.A >= 0 {
				v = m.slots[ins.A]
				s, is = v.ref.(string)
			} else if ls := &m.loops[^ins.A]; ls.i < len(ls.anys) {
				v = Value{ref: ls.anys[ls.i]}
				s, is = v.ref.(string)
			} else {
				s, v = "", ls.at(ls.i)
			}
			if is {
				goto write
			}
			if s, is = v.plainText(); is {
				goto write
			}
			goto emit

		case OpEmitField:
			var w words // as m.words, in place
			if ins.A >= 0 {
				w = *wordsOf(&m.slots[ins.A].ref)
			} else if ls := &m.loops[^ins.A]; ls.kind == loopTyped && ls.record != nil && ls.i < ls.n {
				w = words{ls.record, unsafe.Add(ls.first, uintptr(ls.i)*ls.size)}
			} else {
				w = ls.words()
			}
			a, is := &m.fn.fields[ins.N], false
			if a.run != nil {
				var n int
				if n, err = m.writeRun(a.run, w); err != nil {
					goto fail
				}
				if n > 0 {
					fuel -= n - 1
					pc = m.index(ins) + n
					goto jump
				}
			}
			if s, is = a.text(w); is {
				goto write
			}
			if v, err = m.field(a, m.local(ins.A)); err != nil {
				goto fail
			}
			goto emit

		case OpEmit:
			v = m.st[len(m.st)-1]
			m.st = m.st[:len(m.st)-1]
			goto emit

		case OpEmitLoop:
			v = m.loops[ins.A].field(LoopField(ins.N))
			goto emit

		case OpConst:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			m.st = append(m.st, m.img.Consts[ins.A])

		case OpRoot:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			if v, err = m.readRoot(ins, ins.A); err != nil {
				goto fail
			}
			goto push

		case OpSlot:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			v = m.local(ins.A)
			goto push

		case OpSlotKey:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			if v, err = m.readSlot(ins, m.local(ins.A)); err != nil {
				goto fail
			}
			goto push

		case OpField:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			if a := &m.fn.fields[ins.N]; a.items != nil && len(a.hops) == 0 {
				next := after(ins)
				w := m.words(ins.A)
				if next.Op == OpLoop && w.typ == a.word && w.data != nil {
					ins = next
					fuel--
					m.loops[ins.A].startTyped(a.items, unsafe.Add(w.data, a.offset))
					goto begin
				}
			}
			if v, err = m.field(&m.fn.fields[ins.N], m.local(ins.A)); err != nil {
				goto fail
			}
			goto push

		case OpStore:
			m.slots[ins.A] = m.st[len(m.st)-1]
			m.st = m.st[:len(m.st)-1]

		case OpJump:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			ins = &m.code[ins.Target]
			goto dispatch

		case OpJumpFalse, OpJumpTrue:
			v = m.st[len(m.st)-1]
			m.st = m.st[:len(m.st)-1]
			t, known := quickTruth(v)
			if !known {
				if t, err = m.truth(v); err != nil {
					goto fail
				}
			}
			if t == (ins.Op == OpJumpTrue) {
				ins = &m.code[ins.Target]
				goto dispatch
			}

		case OpJumpRootFalse:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			if v, err = m.readRoot(ins, ins.A); err != nil {
				goto fail
			}
			goto branch

		case OpJumpSlotFalse:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			v = m.local(ins.A)
			goto branch

		case OpJumpSlotKeyFalse:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			var x any // as m.local, in place
			if ins.A >= 0 {
				x = m.slots[ins.A].ref
			} else if ls := &m.loops[^ins.A]; ls.i < len(ls.anys) {
				x = ls.anys[ls.i]
			} else {
				x = ls.at(ls.i).ref
			}
			if mm, is := x.(map[string]any); is && ins.N == 1 {
				if t, is := mm[ins.Key].(bool); is {
					if !t {
						ins = &m.code[ins.Target]
						goto dispatch
					}
					continue
				}
			}
			if v, err = m.readSlot(ins, m.local(ins.A)); err != nil {
				goto fail
			}
			goto branch

		case OpJumpFieldFalse:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			var w words // as m.words, in place
			if ins.A >= 0 {
				w = *wordsOf(&m.slots[ins.A].ref)
			} else if ls := &m.loops[^ins.A]; ls.kind == loopTyped && ls.record != nil && ls.i < ls.n {
				w = words{ls.record, unsafe.Add(ls.first, uintptr(ls.i)*ls.size)}
			} else {
				w = ls.words()
			}
			if t, is := m.fn.fields[ins.N].flag(w); is {
				if !t {
					ins = &m.code[ins.Target]
					goto dispatch
				}
				continue
			}
			if v, err = m.field(&m.fn.fields[ins.N], m.local(ins.A)); err != nil {
				goto fail
			}
			goto branch

		case OpSwitchRoot:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			if v, err = m.readRoot(ins, ins.B); err != nil {
				goto fail
			}
			if pc, err = m.choose(&m.img.Switches[ins.A], v); err != nil {
				goto fail
			}
			goto jump

		case OpSwitchSlotKey:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			if v, err = m.readSlot(ins, m.local(ins.A)); err != nil {
				goto fail
			}
			if pc, err = m.choose(&m.img.Switches[ins.Target], v); err != nil {
				goto fail
			}
			goto jump

		case OpSwitchField:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			var w words // as m.words, in place
			if ins.A >= 0 {
				w = *wordsOf(&m.slots[ins.A].ref)
			} else if ls := &m.loops[^ins.A]; ls.kind == loopTyped && ls.record != nil && ls.i < ls.n {
				w = words{ls.record, unsafe.Add(ls.first, uintptr(ls.i)*ls.size)}
			} else {
				w = ls.words()
			}
			if str, is := m.fn.fields[ins.N].text(w); is {
				pc = m.img.Switches[ins.Target].text(str)
				goto jump
			}
			if v, err = m.field(&m.fn.fields[ins.N], m.local(ins.A)); err != nil {
				goto fail
			}
			if pc, err = m.choose(&m.img.Switches[ins.Target], v); err != nil {
				goto fail
			}
			goto jump

		case OpLoop:
			v = m.st[len(m.st)-1]
			m.st = m.st[:len(m.st)-1]
			goto loop

		case OpNext:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			ls := &m.loops[ins.A]
			ls.i++
			if ls.i >= ls.n {
				continue
			}
			if m.turns--; m.turns < 0 {
				err = errLoopTurns
				goto fail
			}
			if ins.B < 0 {
				// The item is read where it lies.
			} else if ls.kind == loopAnys {
				m.slots[ins.B] = Value{ref: ls.anys[ls.i]}
			} else if ls.kind == loopTyped {
				m.slots[ins.B] = ls.typed.itemAt(ls.first, ls.i)
			} else {
				ls.bind(m.slots, ins)
			}
			ins = &m.code[ins.Target]
			goto dispatch

		case OpEndLoop:
			m.loops[ins.A].end()

		case OpReturn:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			m.pc = m.index(ins) + 1
			if len(m.calls) == 0 {
				return m.finish(fuel)
			}
			if err = m.leave(&m.registers); err != nil {
				goto blame
			}
			pc = m.pc
			goto jump

		default:
			m.pc = m.index(ins) + 1
			if err = m.step(ins); err != nil {
				goto blame
			}
			pc = m.pc
			goto jump
		}
		continue

	jump: // to the instruction pc
		ins = &m.code[pc]
		goto dispatch

	push: // v, or begin the loop over it that comes next
		if next := after(ins); next.Op != OpLoop {
			m.st = append(m.st, v)
			continue
		} else {
			ins = next
		}
		fuel--

	loop: // begin the loop of ins over v
		{
			ls := &m.loops[ins.A]
			if items, is := v.ref.([]any); is && LoopMode(ins.N) != ModeEntries {
				ls.startAnys(items)
			} else if err = m.startLoop(ls, v, LoopMode(ins.N)); err != nil {
				err = nameLoop(err, ins.Text)
				goto fail
			}
		}

	begin: // the first turn of the loop of ins
		{
			m.pc = m.index(ins) + 1 // for traces
			ls := &m.loops[ins.A]
			if ls.n == 0 {
				ins = &m.code[ins.Target]
				goto dispatch
			}
			if m.turns--; m.turns < 0 {
				err = errLoopTurns
				goto fail
			}
			if ins.B >= 0 {
				ls.bind(m.slots, ins)
			}
		}
		continue

	write: // the instruction's text and the string s
		if len(s) < bulkBytes {
			n, need := len(m.out), len(ins.Text)+len(s)
			if cap(m.out)-n < need {
				if m.out, err = m.grow(m.out, need); err != nil {
					goto fail
				}
			}
			m.out = m.out[:n+need]
			copy(m.out[n:], ins.Text)
			copy(m.out[n+len(ins.Text):], s)
			continue
		}
		fuel -= len(s) >> 6
		if m.out, err = m.bulk(m.out, ins.Text, s); err != nil {
			goto fail
		}
		continue

	emit: // the instruction's text and the value v, as its placeholder prints it
		{
			var out []byte
			out, err = m.emit(m.out, ins.Text, &m.img.Outs[ins.B], v)
			if unsafe.SliceData(out) == unsafe.SliceData(m.out) { // no pointer is written
				m.out = m.out[:len(out)]
			} else {
				m.out = out
			}
			if err != nil {
				goto fail
			}
		}
		continue

	branch: // jump if v is false
		{
			t, known := quickTruth(v)
			if !known {
				if t, err = m.truth(v); err != nil {
					goto fail
				}
			}
			if !t {
				ins = &m.code[ins.Target]
				goto dispatch
			}
		}
		continue

	fail:
		m.pc = m.index(ins) + 1
	blame: // the instruction before m.pc
		return m.fault(err)
	}
}

// after is the instruction behind ins. There is one: the verifier refuses code
// whose last instruction does not end it.
func after(ins *Instr) *Instr { return (*Instr)(unsafe.Add(unsafe.Pointer(ins), unsafe.Sizeof(*ins))) }

// index is the place of ins in the running code.
func (m *machine) index(ins *Instr) int {
	return int((uintptr(unsafe.Pointer(ins)) - uintptr(unsafe.Pointer(unsafe.SliceData(m.code)))) / unsafe.Sizeof(*ins))
}

// local returns the value of slot a; where a is negative, the item of the
// running loop ^a, which then is in no slot: what a slot gets is a pointer
// written to the heap, which costs as much as a look-up in a map while the
// garbage collector marks.
func (m *machine) local(a int32) Value {
	if a >= 0 {
		return m.slots[a]
	}
	ls := &m.loops[^a]
	return ls.at(ls.i)
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
	copy(m.out[n:], text)
	return nil
}

// readRoot reads the path from the data that the instruction names.
func (m *machine) readRoot(ins *Instr, path int32) (Value, error) {
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
func (m *machine) readSlot(ins *Instr, from Value) (Value, error) {
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

// quickTruth decides the commonest kinds without a call.
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
	if int64(m.length(m.out)) > m.env.limits.OutputBytes {
		return m.fault(errOutput)
	}
	if len(m.missing) > 0 {
		return m.missingNames()
	}
	return nil
}

// turn counts one loop turn.
func (m *machine) turn() error {
	if m.turns--; m.turns < 0 {
		return errLoopTurns
	}
	return nil
}

func (m *machine) names(i int32) []string {
	if i < 0 {
		return nil
	}
	return m.img.Names[i]
}
