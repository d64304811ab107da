package vm

import "github.com/pcc-lang/pcc/ast/diag"

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
		m.fn, m.slots, m.loops, m.st = f, m.slotStore[:f.Slots], m.loopStore[:f.Loops], m.stackStore
	}
	m.st = m.st[:0]
	var (
		code  = f.Code
		slots = m.slots
		fuel  = 0
		pc    = 0
		s     string
		v     Value
		err   error
	)
	for {
		ins := &code[pc]
		pc++
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
			if mm, is := slots[ins.A].ref.(map[string]any); is {
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
			if v, err = m.path(slots[ins.A], &m.img.Outs[ins.B].Path); err != nil {
				goto fail
			}
			goto emit

		case OpEmitSlot:
			v = slots[ins.A]
			var is bool
			if s, is = v.ref.(string); is {
				goto write
			}
			if s, is = v.plainText(); is {
				goto write
			}
			goto emit

		case OpEmitField:
			a, is := &m.fn.fields[ins.N], false
			if a.run != nil {
				var n int
				if n, err = m.writeRun(a.run, &slots[ins.A]); err != nil {
					goto fail
				}
				if n > 0 {
					pc, fuel = pc+n-1, fuel-(n-1)
					continue
				}
			}
			if s, is = a.text(&slots[ins.A]); is {
				goto write
			}
			if v, err = m.field(a, slots[ins.A]); err != nil {
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
			m.st = append(m.st, m.img.Consts[ins.A])

		case OpRoot:
			if v, err = m.readRoot(ins, ins.A); err != nil {
				goto fail
			}
			m.st = append(m.st, v)

		case OpSlot:
			m.st = append(m.st, slots[ins.A])

		case OpSlotKey:
			if v, err = m.readSlot(ins, slots[ins.A]); err != nil {
				goto fail
			}
			m.st = append(m.st, v)

		case OpField:
			if v, err = m.field(&m.fn.fields[ins.N], slots[ins.A]); err != nil {
				goto fail
			}
			m.st = append(m.st, v)

		case OpStore:
			slots[ins.A] = m.st[len(m.st)-1]
			m.st = m.st[:len(m.st)-1]

		case OpJump:
			pc = int(ins.Target)

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
				pc = int(ins.Target)
			}

		case OpJumpRootFalse:
			if v, err = m.readRoot(ins, ins.A); err != nil {
				goto fail
			}
			goto branch

		case OpJumpSlotFalse:
			v = slots[ins.A]
			goto branch

		case OpJumpSlotKeyFalse:
			if mm, is := slots[ins.A].ref.(map[string]any); is && ins.N == 1 {
				if t, is := mm[ins.Key].(bool); is {
					if !t {
						pc = int(ins.Target)
					}
					continue
				}
			}
			if v, err = m.readSlot(ins, slots[ins.A]); err != nil {
				goto fail
			}
			goto branch

		case OpSwitchRoot:
			if v, err = m.readRoot(ins, ins.B); err != nil {
				goto fail
			}
			if pc, err = m.choose(&m.img.Switches[ins.A], v); err != nil {
				goto fail
			}

		case OpSwitchSlotKey:
			if v, err = m.readSlot(ins, slots[ins.A]); err != nil {
				goto fail
			}
			if pc, err = m.choose(&m.img.Switches[ins.Target], v); err != nil {
				goto fail
			}

		case OpJumpFieldFalse:
			if t, is := m.fn.fields[ins.N].flag(&slots[ins.A]); is {
				if !t {
					pc = int(ins.Target)
				}
				continue
			}
			if v, err = m.field(&m.fn.fields[ins.N], slots[ins.A]); err != nil {
				goto fail
			}
			goto branch

		case OpSwitchField:
			if str, is := m.fn.fields[ins.N].text(&slots[ins.A]); is {
				pc = m.img.Switches[ins.Target].text(str)
				continue
			}
			if v, err = m.field(&m.fn.fields[ins.N], slots[ins.A]); err != nil {
				goto fail
			}
			if pc, err = m.choose(&m.img.Switches[ins.Target], v); err != nil {
				goto fail
			}

		case OpNext:
			ls := &m.loops[ins.A]
			ls.i++
			if ls.i >= ls.n {
				continue
			}
			if m.turns--; m.turns < 0 {
				err = errLoopTurns
				goto fail
			}
			if ls.kind == loopAnys {
				slots[ins.B] = Value{ref: ls.anys[ls.i]}
			} else if ls.kind == loopTyped {
				slots[ins.B] = ls.typed.itemAt(ls.first, ls.i)
			} else {
				ls.bind(slots, ins)
			}
			pc = int(ins.Target)

		case OpReturn:
			m.pc = pc
			if len(m.calls) == 0 {
				return m.finish(fuel)
			}
			if err = m.leave(&m.registers); err != nil {
				goto blame
			}
			code, slots, pc = m.fn.Code, m.slots, m.pc

		default:
			m.pc = pc
			if err = m.step(ins); err != nil {
				goto blame
			}
			code, slots, pc = m.fn.Code, m.slots, m.pc
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
		if m.out, err = m.emit(m.out, ins.Text, &m.img.Outs[ins.B], v); err != nil {
			goto fail
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
				pc = int(ins.Target)
			}
		}
		continue

	fail:
		m.pc = pc
	blame: // the instruction before m.pc
		return m.fault(err)
	}
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
