package vm

import "strings"

// machine is the state of one render. Machines are pooled by program, and hold
// nothing of a finished render but empty buffers.
type machine struct {
	activation // what runs: image, context, cells
	env        Env
	root       map[string]any // the data where it is such a map, else nil
	rootV      Value          // the data
	out        []byte
	base       int // where this render's output begins in out
	// big are long strings that belong between the bytes of out but were not
	// copied there: Render puts them in when it makes the string, so that they
	// are copied only once. spill allows it; bigBytes is their length.
	big      []piece
	bigBytes int
	spill    bool
	stack    []Value
	slots    []Value
	loops    []loopState
	calls    []frame

	running []loopState // the loops of the function to blame
	fn      *Function   // the function and instruction to blame for an error
	pc      int
	turns   int64

	ownGlobals map[string]Value // copies of shared values that may be changed
	spare      []registers      // frames of finished functions, for reuse
	includes   int              // templates entered and not yet left

	missing  []missing
	kept     []missing
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

// run executes function f and what it calls. Its local copies of code, slots,
// output and fuel keep the loop in registers.
func (m *machine) run(f *Function) error {
	var (
		code  = f.Code
		slots = m.slots[:f.Slots]
		loops = m.loops[:f.Loops]
		st    = m.stack[:0]
		out   = m.out
		root  = m.root
		fuel  = 0
		pc    = 0
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
			if out, err = m.appendText(out, ins.Text); err != nil {
				goto fail
			}

		case OpEmitRoot:
			x, ok := root[ins.Key]
			if ins.N > 1 {
				x, ok = walk(x, ok, m.img.Outs[ins.B].Path.Keys)
			}
			if s, is := x.(string); is && ok {
				if len(s) >= bulkBytes {
					fuel -= len(s) >> 6
					if out, err = m.bulk(out, ins.Text, s); err != nil {
						goto fail
					}
					continue
				}
				n, need := len(out), len(ins.Text)+len(s)
				if cap(out)-n < need {
					if out, err = m.grow(out, need); err != nil {
						goto fail
					}
				}
				out = out[:n+need]
				copy(out[n:], ins.Text)
				copy(out[n+len(ins.Text):], s)
				continue
			}
			var v Value
			o := &m.img.Outs[ins.B]
			if ok {
				v = Value{ref: x}
			} else if v, err = m.rootPath(&o.Path); err != nil {
				goto fail
			}
			if out, err = m.emit(out, ins.Text, o, v); err != nil {
				goto fail
			}

		case OpEmitSlotKey:
			o := &m.img.Outs[ins.B]
			if mm, is := slots[ins.A].ref.(map[string]any); is {
				x, ok := mm[ins.Key]
				if ins.N > 1 {
					x, ok = walk(x, ok, o.Path.Keys)
				}
				if s, is := x.(string); is && ok {
					if len(s) >= bulkBytes {
						fuel -= len(s) >> 6
						if out, err = m.bulk(out, ins.Text, s); err != nil {
							goto fail
						}
						continue
					}
					n, need := len(out), len(ins.Text)+len(s)
					if cap(out)-n < need {
						if out, err = m.grow(out, need); err != nil {
							goto fail
						}
					}
					out = out[:n+need]
					copy(out[n:], ins.Text)
					copy(out[n+len(ins.Text):], s)
					continue
				}
				if ok {
					if out, err = m.emit(out, ins.Text, o, Value{ref: x}); err != nil {
						goto fail
					}
					continue
				}
			}
			var v Value
			if v, err = m.path(slots[ins.A], &o.Path); err != nil {
				goto fail
			}
			if out, err = m.emit(out, ins.Text, o, v); err != nil {
				goto fail
			}

		case OpEmitSlot:
			if s, is := slots[ins.A].ref.(string); is {
				if len(s) >= bulkBytes {
					fuel -= len(s) >> 6
					if out, err = m.bulk(out, ins.Text, s); err != nil {
						goto fail
					}
					continue
				}
				n, need := len(out), len(ins.Text)+len(s)
				if cap(out)-n < need {
					if out, err = m.grow(out, need); err != nil {
						goto fail
					}
				}
				out = out[:n+need]
				copy(out[n:], ins.Text)
				copy(out[n+len(ins.Text):], s)
				continue
			}
			if out, err = m.emit(out, ins.Text, &m.img.Outs[ins.B], slots[ins.A]); err != nil {
				goto fail
			}

		case OpEmit:
			v := st[len(st)-1]
			st = st[:len(st)-1]
			if out, err = m.emit(out, ins.Text, &m.img.Outs[ins.B], v); err != nil {
				goto fail
			}

		case OpEmitLoop:
			if out, err = m.emit(out, ins.Text, &m.img.Outs[ins.B], loops[ins.A].field(LoopField(ins.N))); err != nil {
				goto fail
			}

		case OpConst:
			st = append(st, m.img.Consts[ins.A])

		case OpRoot:
			p := &m.img.Paths[ins.A]
			x, ok := root[ins.Key]
			if len(p.Keys) > 1 {
				x, ok = walk(x, ok, p.Keys)
			}
			v := Value{ref: x}
			if !ok {
				if v, err = m.rootPath(p); err != nil {
					goto fail
				}
			}
			st = append(st, v)

		case OpSlot:
			st = append(st, slots[ins.A])

		case OpSlotKey:
			p := &m.img.Paths[ins.B]
			if mm, is := slots[ins.A].ref.(map[string]any); is {
				x, ok := mm[ins.Key]
				if len(p.Keys) > 1 {
					x, ok = walk(x, ok, p.Keys)
				}
				if ok {
					st = append(st, Value{ref: x})
					continue
				}
			}
			var v Value
			if v, err = m.path(slots[ins.A], p); err != nil {
				goto fail
			}
			st = append(st, v)

		case OpStore:
			slots[ins.A] = st[len(st)-1]
			st = st[:len(st)-1]

		case OpBare:
			if v, ok := Lookup(slots[ins.A], ins.Key); ok {
				st = append(st, v)
				pc = int(ins.Target)
			}

		case OpVars:
			st = append(st, m.vars())

		case OpLoopField:
			st = append(st, loops[ins.A].field(LoopField(ins.N)))

		case OpLoopObject:
			st = append(st, loops[ins.A].objectValue())

		case OpAttr:
			top := &st[len(st)-1]
			if *top, err = m.attr(*top, ins.Key, m.img.Undefs[ins.B]); err != nil {
				goto fail
			}

		case OpItem:
			n := len(st)
			if st[n-2], err = m.item(st[n-2], st[n-1], m.img.Undefs[ins.B]); err != nil {
				goto fail
			}
			st = st[:n-1]

		case OpSlice:
			n := len(st)
			if st[n-4], err = m.slice(st[n-4], st[n-3], st[n-2], st[n-1]); err != nil {
				goto fail
			}
			st = st[:n-3]

		case OpBinary:
			n := len(st)
			if st[n-2], err = m.binary(BinaryOp(ins.N), st[n-2], st[n-1]); err != nil {
				goto fail
			}
			st = st[:n-1]

		case OpNegate, OpPositive:
			top := &st[len(st)-1]
			if *top, err = m.unary(ins.Op, *top); err != nil {
				goto fail
			}

		case OpNot:
			top := &st[len(st)-1]
			var t bool
			if t, err = m.truth(*top); err != nil {
				goto fail
			}
			*top = Bool(!t)

		case OpCompare:
			n := len(st)
			var t bool
			if t, err = m.compare(CompareOp(ins.N), st[n-2], st[n-1]); err != nil {
				goto fail
			}
			st[n-2] = Bool(t)
			st = st[:n-1]

		case OpChain:
			n := len(st)
			var t bool
			if t, err = m.compare(CompareOp(ins.N), st[n-2], st[n-1]); err != nil {
				goto fail
			}
			if t {
				st[n-2] = st[n-1]
			} else {
				st[n-2] = Bool(false)
				pc = int(ins.Target)
			}
			st = st[:n-1]

		case OpList, OpTuple, OpDict:
			var v Value
			n := int(ins.N)
			if ins.Op == OpDict {
				n *= 2
			}
			if v, err = m.collect(ins.Op, st[len(st)-n:]); err != nil {
				goto fail
			}
			st = append(st[:len(st)-n], v)

		case OpFilter, OpTest:
			n := len(st) - int(ins.N)
			var v Value
			if v, err = m.builtin(ins, st[n:]); err != nil {
				goto fail
			}
			st = append(st[:n], v)

		case OpCall:
			n := len(st) - int(ins.N)
			var v Value
			if v, err = m.env.Call(st[n-1], st[n:], m.names(ins.B)); err != nil {
				goto fail
			}
			st = append(st[:n-1], v)

		case OpPop:
			st = st[:len(st)-1]

		case OpDup:
			st = append(st, st[len(st)-1])

		case OpJump:
			pc = int(ins.Target)

		case OpJumpFalse, OpJumpTrue:
			v := st[len(st)-1]
			st = st[:len(st)-1]
			t, known := quickTruth(v)
			if !known {
				if t, err = m.truth(v); err != nil {
					goto fail
				}
			}
			if t == (ins.Op == OpJumpTrue) {
				pc = int(ins.Target)
			}

		case OpAnd, OpOr:
			var t bool
			if t, err = m.truth(st[len(st)-1]); err != nil {
				goto fail
			}
			if t == (ins.Op == OpOr) {
				pc = int(ins.Target)
			} else {
				st = st[:len(st)-1]
			}

		case OpJumpRootFalse:
			p := &m.img.Paths[ins.A]
			x, ok := root[ins.Key]
			if len(p.Keys) > 1 {
				x, ok = walk(x, ok, p.Keys)
			}
			v := Value{ref: x}
			if !ok {
				if v, err = m.rootPath(p); err != nil {
					goto fail
				}
			}
			t, known := quickTruth(v)
			if !known {
				if t, err = m.truth(v); err != nil {
					goto fail
				}
			}
			if !t {
				pc = int(ins.Target)
			}

		case OpJumpSlotFalse:
			t, known := quickTruth(slots[ins.A])
			if !known {
				if t, err = m.truth(slots[ins.A]); err != nil {
					goto fail
				}
			}
			if !t {
				pc = int(ins.Target)
			}

		case OpJumpSlotKeyFalse:
			p := &m.img.Paths[ins.B]
			var v Value
			ok := false
			if mm, is := slots[ins.A].ref.(map[string]any); is {
				var x any
				x, ok = mm[ins.Key]
				if len(p.Keys) > 1 {
					x, ok = walk(x, ok, p.Keys)
				}
				v = Value{ref: x}
			}
			if !ok {
				if v, err = m.path(slots[ins.A], p); err != nil {
					goto fail
				}
			}
			t, known := quickTruth(v)
			if !known {
				if t, err = m.truth(v); err != nil {
					goto fail
				}
			}
			if !t {
				pc = int(ins.Target)
			}

		case OpSwitch:
			v := st[len(st)-1]
			st = st[:len(st)-1]
			var to int32
			if to, err = m.choose(&m.img.Switches[ins.A], v); err != nil {
				goto fail
			}
			pc = int(to)

		case OpSwitchRoot:
			p := &m.img.Paths[ins.B]
			x, ok := root[ins.Key]
			if len(p.Keys) > 1 {
				x, ok = walk(x, ok, p.Keys)
			}
			v := Value{ref: x}
			if !ok {
				if v, err = m.rootPath(p); err != nil {
					goto fail
				}
			}
			var to int32
			if to, err = m.choose(&m.img.Switches[ins.A], v); err != nil {
				goto fail
			}
			pc = int(to)

		case OpSwitchSlotKey:
			p := &m.img.Paths[ins.B]
			var v Value
			ok := false
			if mm, is := slots[ins.A].ref.(map[string]any); is {
				var x any
				x, ok = mm[ins.Key]
				if len(p.Keys) > 1 {
					x, ok = walk(x, ok, p.Keys)
				}
				v = Value{ref: x}
			}
			if !ok {
				if v, err = m.path(slots[ins.A], p); err != nil {
					goto fail
				}
			}
			var to int32
			if to, err = m.choose(&m.img.Switches[ins.Target], v); err != nil {
				goto fail
			}
			pc = int(to)

		case OpLoop:
			v := st[len(st)-1]
			st = st[:len(st)-1]
			ls := &loops[ins.A]
			if err = m.startLoop(ls, v, LoopMode(ins.N), ins.B); err != nil {
				goto fail
			}
			if ls.n == 0 {
				*ls = loopState{}
				pc = int(ins.Target)
				continue
			}
			if err = m.turn(); err != nil {
				goto fail
			}
			ls.bind(slots, ins)

		case OpNext:
			ls := &loops[ins.A]
			ls.i++
			if ls.i >= ls.n {
				continue
			}
			if m.turns--; m.turns < 0 {
				err = errLoopTurns
				goto fail
			}
			if ls.anys != nil && ins.N == uint16(ModeItems) {
				slots[ins.B] = Value{ref: ls.anys[ls.i]}
			} else {
				ls.bind(slots, ins)
			}
			pc = int(ins.Target)

		case OpEndLoop:
			loops[ins.A].end()

		case OpReturn:
			if len(m.calls) == 0 {
				m.out = out
				return m.finish(fuel)
			}
			r := registers{f, pc, slots, loops, st, out}
			if err = m.leave(&r); err != nil {
				goto fail
			}
			f, code, pc, slots, loops, st, out = r.fn, r.fn.Code, r.pc, r.slots, r.loops, r.st, r.out

		case OpMessage:
			r, _ := m.img.Consts[ins.A].Str()
			m.beginMessage(r, len(out))
			if err = m.env.Charge(messageBytes); err != nil {
				goto fail
			}

		case OpMessageRole:
			v := st[len(st)-1]
			st = st[:len(st)-1]
			if err = m.computedRole(v, len(out)); err != nil {
				goto fail
			}

		case OpMessageKey:
			m.messageKey(ins.Key, st[len(st)-1])
			st = st[:len(st)-1]

		case OpMessagePart:
			m.messages[len(m.messages)-1].parts = st[len(st)-1]
			st = st[:len(st)-1]

		case OpEndMessage:
			m.messages[len(m.messages)-1].end = len(out)

		case OpCapture:
			m.captures = append(m.captures, len(out))

		case OpEndCapture:
			from := m.captures[len(m.captures)-1]
			m.captures = m.captures[:len(m.captures)-1]
			if err = m.env.Charge(len(out) - from); err != nil {
				goto fail
			}
			st = append(st, String(string(out[from:])))
			out = out[:from]

		case OpSection, OpEndText, OpEnterLevel, OpEnterItem, OpLeaveLevel, OpLevelKey, OpCases,
			OpScope, OpScopeOwn, OpEndScope, OpKnownKeys, OpUnknownCase, OpCover:
			m.fn, m.pc, m.out, m.running = f, pc-1, out, loops
			if st, pc, err = m.document(ins, st, slots, loops, pc); err != nil {
				goto fail
			}
			out, root = m.out, m.root

		default:
			r := registers{f, pc, slots, loops, st, out}
			err = m.jinja(&r, ins)
			f, code, pc, slots, loops, st, out = r.fn, r.fn.Code, r.pc, r.slots, r.loops, r.st, r.out
			if err != nil {
				goto fail
			}
		}
		continue
	fail:
		m.fn, m.pc, m.out, m.running = f, pc-1, out, loops
		return m.fault(err)
	}
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

func (m *machine) appendText(out []byte, s string) ([]byte, error) {
	if cap(out)-len(out) < len(s) {
		var err error
		if out, err = m.grow(out, len(s)); err != nil {
			return out, err
		}
	}
	return append(out, s...), nil
}

// grow makes room for n more bytes, doubling, up to the output limit.
func (m *machine) grow(out []byte, n int) ([]byte, error) {
	if need := int64(m.length(out)) + int64(n); need > m.env.limits.OutputBytes {
		return out, errOutput
	}
	c := max(2*cap(out), len(out)+n, 256)
	c = int(min(int64(c), int64(m.base)+m.env.limits.OutputBytes))
	bigger := make([]byte, len(out), c)
	copy(bigger, out)
	return bigger, nil
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

// piece is a string that comes before out[at].
type piece struct {
	at int
	s  string
}

// length is the number of bytes written in this render.
func (m *machine) length(out []byte) int { return len(out) - m.base + m.bigBytes }

// bulk writes text and a long string.
func (m *machine) bulk(out []byte, text, s string) ([]byte, error) {
	if !m.spill || len(m.captures) > 0 {
		out, err := m.appendText(out, text)
		if err != nil {
			return out, err
		}
		return m.appendText(out, s)
	}
	out, err := m.appendText(out, text)
	if err != nil {
		return out, err
	}
	if int64(m.length(out))+int64(len(s)) > m.env.limits.OutputBytes {
		return out, errOutput
	}
	m.big = append(m.big, piece{len(out), s})
	m.bigBytes += len(s)
	return out, nil
}

// text makes the string of what was rendered: one allocation, whose bytes are
// not cleared first.
func (m *machine) text() string {
	if len(m.big) == 0 {
		return string(m.out[m.base:])
	}
	var b strings.Builder
	b.Grow(m.length(m.out))
	from := m.base
	for _, p := range m.big {
		b.Write(m.out[from:p.at])
		b.WriteString(p.s)
		from = p.at
	}
	b.Write(m.out[from:])
	return b.String()
}
