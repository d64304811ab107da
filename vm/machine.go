package vm

import (
	"unsafe"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/internal/code"
)

// machine is the state of one render. Machines are pooled by program, and hold
// nothing of a finished render but empty buffers.
type machine struct {
	activation // what runs: image, context, cells
	env        Env
	root       map[string]any // the data where it is such a map, else nil
	rootV      Value          // the data where it is anything else, see data
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
	iterations int64

	ownGlobals map[string]Value // copies of shared values that may be changed
	spare      []registers      // frames of finished functions, for reuse
	includes   int              // templates entered and not yet left

	missing  []missing
	nearest  diag.Nearest
	kept     []missing
	keptAt   map[place]bool
	tried    map[place]int // how often a near key was looked for, see mayTry
	messages []message
	captures []int
	safe     []safePart // of running sums
	places   bool       // keep where messages stand
	report   bool       // keep what Report tells, and what a strict program fails for
	optioned bool       // options changed env
	spans    [][2]int

	documentState
}

// fuelChunk is the number of instructions between looks at the budget and the
// context.
const fuelChunk = 1024

// bulkBytes is the length from which writing a string costs fuel by its size.
const bulkBytes = 1024

// run executes function f and what it calls. Only the instruction and the fuel
// are carried from turn to turn of the loop in local variables: each further one
// is stored on the stack and loaded again at each turn, which cost a third of
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
		case code.OpText:
			s = ""
			goto write

		case code.OpEmitRoot:
			var x any
			if ins.N > 1 {
				var is bool
				x, is = m.root[ins.Key]
				x, _ = walk(x, is, m.img.Outs[ins.B].Path.Keys)
				if s, is = x.(string); is {
					goto write
				}
			} else {
				other := false
				if ins, x, other, fuel = m.emitKeys(ins, m.root, fuel); other {
					goto dispatch
				}
				if s, other = x.(string); other {
					goto write
				}
			}
			v = Value{ref: x}
			if x == nil { // null, or not there
				if v, err = m.rootPath(&m.img.Outs[ins.B].Path); err != nil {
					goto fail
				}
			}
			goto emit

		case code.OpEmitSlotKey:
			var x any // as m.local, in place
			if ins.A >= 0 {
				x = m.slots[ins.A].ref
			} else if ls := m.loop(^ins.A); ls.i < len(ls.anys) {
				x = ls.anys[ls.i]
			} else {
				x = ls.at(ls.i).ref
			}
			if mm, is := x.(map[string]any); is {
				if ins.N > 1 {
					x, ok := mm[ins.Key]
					x, ok = walk(x, ok, m.img.Outs[ins.B].Path.Keys)
					if s, is = x.(string); is {
						goto write
					}
					if ok {
						v = Value{ref: x}
						goto emit
					}
				} else {
					if ins, x, is, fuel = m.emitKeys(ins, mm, fuel); is {
						goto dispatch
					}
					if s, is = x.(string); is {
						goto write
					}
					if x != nil {
						v = Value{ref: x}
						goto emit
					}
				}
			}
			if v, err = m.path(m.local(ins.A), &m.img.Outs[ins.B].Path); err != nil {
				goto fail
			}
			if s, _ = v.plainText(); s != "" {
				goto write
			}
			goto emit

		case code.OpEmitSlot:
			// s is set on each way: were it not, Go's compiler would carry it
			// through all iterations of the loop.
			is := false
			if ins.A >= 0 {
				v = m.slots[ins.A]
				s, is = v.ref.(string)
			} else {
				first, ls := ins, m.loop(^ins.A)
				if ins, fuel = m.emitItems(ins, ls, fuel); ins != first {
					goto dispatch
				}
				v = ls.at(ls.i)
				s, is = v.ref.(string)
			}
			if is {
				goto write
			}
			if s, is = v.plainText(); is {
				goto write
			}
			goto emit

		case code.OpEmitField:
			var w iface // as m.iface, in place
			if ins.A >= 0 {
				w = *ifaceOf(&m.slots[ins.A].ref)
			} else if ls := m.loop(^ins.A); ls.kind == loopTyped && ls.record != nil && ls.i < ls.n {
				w = iface{ls.record, unsafe.Add(ls.first, uintptr(ls.i)*ls.size)}
			} else {
				w = ls.words()
			}
			a, is := &m.fn.fields[ins.N], false
			if a.run != nil {
				first := ins
				if ins, fuel = m.emitFields(ins, a.run, w, fuel); ins != first {
					goto dispatch
				}
				w = m.iface(ins.A)
			}
			if s, is = a.text(w); is {
				goto write
			}
			if v, err = m.field(a, m.local(ins.A)); err != nil {
				goto fail
			}
			goto emit

		case code.OpEmit:
			v = m.st[len(m.st)-1]
			m.st = m.st[:len(m.st)-1]
			if ins.N != 0 {
				if v, err = m.escape(v, code.EscapeRule(ins.N)); err != nil {
					goto fail
				}
			}
			goto emit

		case code.OpConst:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			m.st = append(m.st, m.img.Consts[ins.A])

		case code.OpRoot:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			if v, err = m.readRoot(ins, ins.A); err != nil {
				goto fail
			}
			goto push

		case code.OpSlot:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			v = m.local(ins.A)
			goto push

		case code.OpSlotKey:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			if v, err = m.readSlot(ins, m.local(ins.A)); err != nil {
				goto fail
			}
			goto push

		case code.OpField:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			if a := &m.fn.fields[ins.N]; a.items != nil && len(a.hops) == 0 {
				next := after(ins)
				w := m.iface(ins.A)
				if next.Op == code.OpLoop && w.typ == a.word && w.data != nil {
					ins = next
					fuel--
					m.loop(ins.A).startTyped(a.items, unsafe.Add(w.data, a.offset))
					goto begin
				}
			}
			if v, err = m.field(&m.fn.fields[ins.N], m.local(ins.A)); err != nil {
				goto fail
			}
			goto push

		case code.OpStore:
			m.slots[ins.A] = m.st[len(m.st)-1]
			m.st = m.st[:len(m.st)-1]

		case code.OpJump:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			ins = m.target(ins)
			goto dispatch

		case code.OpJumpIf:
			v = m.st[len(m.st)-1]
			m.st = m.st[:len(m.st)-1]
			t, known := quickTruth(v)
			if !known {
				if t, err = m.truth(v); err != nil {
					goto fail
				}
			}
			if t == (ins.N != 0) {
				ins = m.target(ins)
				goto dispatch
			}

		case code.OpJumpRootFalse:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			if v, err = m.readRoot(ins, ins.A); err != nil {
				goto fail
			}
			goto branch

		case code.OpJumpSlotKeyFalse:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			var x any // as m.local, in place
			if ins.A >= 0 {
				x = m.slots[ins.A].ref
			} else if ls := m.loop(^ins.A); ls.i < len(ls.anys) {
				x = ls.anys[ls.i]
			} else {
				x = ls.at(ls.i).ref
			}
			if mm, is := x.(map[string]any); is && ins.N == 1 {
				if t, is := mm[ins.Key].(bool); is {
					if !t {
						ins = m.target(ins)
						goto dispatch
					}
					continue
				}
			}
			if v, err = m.readSlot(ins, m.local(ins.A)); err != nil {
				goto fail
			}
			goto branch

		case code.OpJumpFieldFalse:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			var w iface // as m.iface, in place
			if ins.A >= 0 {
				w = *ifaceOf(&m.slots[ins.A].ref)
			} else if ls := m.loop(^ins.A); ls.kind == loopTyped && ls.record != nil && ls.i < ls.n {
				w = iface{ls.record, unsafe.Add(ls.first, uintptr(ls.i)*ls.size)}
			} else {
				w = ls.words()
			}
			if t, is := m.fn.fields[ins.N].flag(w); is {
				if !t {
					ins = m.target(ins)
					goto dispatch
				}
				continue
			}
			if v, err = m.field(&m.fn.fields[ins.N], m.local(ins.A)); err != nil {
				goto fail
			}
			goto branch

		case code.OpSwitchSlotKey:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			var x any // as m.local, in place
			if ins.A >= 0 {
				x = m.slots[ins.A].ref
			} else if ls := m.loop(^ins.A); ls.i < len(ls.anys) {
				x = ls.anys[ls.i]
			} else {
				x = ls.at(ls.i).ref
			}
			if mm, is := x.(map[string]any); is && ins.N == 1 {
				if str, is := mm[ins.Key].(string); is && len(str) < touchStep {
					pc = m.img.Switches[ins.Target].text(str)
					goto jump
				}
			}
			if v, err = m.readSlot(ins, m.local(ins.A)); err != nil {
				goto fail
			}
			if pc, err = m.choose(&m.img.Switches[ins.Target], v); err != nil {
				goto fail
			}
			goto jump

		case code.OpSwitchField:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			var w iface // as m.iface, in place
			if ins.A >= 0 {
				w = *ifaceOf(&m.slots[ins.A].ref)
			} else if ls := m.loop(^ins.A); ls.kind == loopTyped && ls.record != nil && ls.i < ls.n {
				w = iface{ls.record, unsafe.Add(ls.first, uintptr(ls.i)*ls.size)}
			} else {
				w = ls.words()
			}
			if str, is := m.fn.fields[ins.N].text(w); is && len(str) < touchStep {
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

		case code.OpLoop:
			v = m.st[len(m.st)-1]
			m.st = m.st[:len(m.st)-1]
			goto loop

		case code.OpNext:
			if ins.Text != "" {
				if err = m.put(ins.Text); err != nil {
					goto fail
				}
			}
			ls := m.loop(ins.A)
			ls.i++
			if ls.i >= ls.n {
				continue
			}
			if m.iterations--; m.iterations < 0 {
				err = errIterations
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
			ins = m.target(ins)
			goto dispatch

		case code.OpEndLoop:
			m.loop(ins.A).end()

		case code.OpReturn:
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
			if m.env.stopped { // in an operation that returns no error
				err = m.env.ended
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
		if next := after(ins); next.Op != code.OpLoop {
			m.st = append(m.st, v)
			continue
		} else {
			ins = next
		}
		fuel--

	loop: // begin the loop of ins over v
		{
			ls := m.loop(ins.A)
			if items, is := v.ref.([]any); is && code.LoopMode(ins.N) != code.ModeEntries {
				ls.startAnys(items)
			} else if err = m.startLoop(ls, v, code.LoopMode(ins.N)); err != nil {
				err = nameLoop(err, ins.Text, m.img.Tree && len(m.scopes) == 0)
				goto fail
			}
		}

	begin: // the first turn of the loop of ins
		{
			m.pc = m.index(ins) + 1 // for traces
			ls := m.loop(ins.A)
			if ls.n == 0 {
				ins = m.target(ins)
				goto dispatch
			}
			if m.iterations--; m.iterations < 0 {
				err = errIterations
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
			copyTexts(unsafe.Pointer(unsafe.SliceData(m.out)), n, ins.Text, s)
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
				ins = m.target(ins)
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
