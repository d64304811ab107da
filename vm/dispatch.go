package vm

import "github.com/pcc-lang/pcc/internal/code"

// step executes the instructions that are not on the machine's main loop. It
// reads and writes the machine's registers.
func (m *machine) step(ins *code.Instr) (err error) {
	n := len(m.st)
	if n > 0 {
		m.st[n-1] = m.env.resolved(m.st[n-1])
	}
	switch ins.Op {
	case code.OpBare:
		slots := m.img.SlotLists[ins.B]
		if err = m.env.Step(len(slots)); err != nil {
			return err
		}
		for _, slot := range slots {
			if v, ok := m.lookup(m.slots[slot], ins.Key); ok {
				m.st = append(m.st, v)
				m.pc = int(ins.Target)
				break
			}
		}

	case code.OpLoopField:
		m.st = append(m.st, m.loops[ins.A].field(code.LoopField(ins.N)))

	case code.OpObject:
		var v Value
		if v, err = m.object(ins); err != nil {
			return err
		}
		m.st = append(m.st, v)

	case code.OpAttr:
		m.st[n-1], err = m.attr(m.st[n-1], ins.Key, m.img.Undefs[ins.B])

	case code.OpItem:
		m.st[n-2], err = m.item(m.st[n-2], m.st[n-1], m.img.Undefs[ins.B])
		m.st = m.st[:n-1]

	case code.OpSlice:
		m.st[n-4], err = m.slice(m.st[n-4], m.st[n-3], m.st[n-2], m.st[n-1])
		m.st = m.st[:n-3]

	case code.OpBinary:
		if m.printsNext() && isJoin(ins.N) && m.st[n-2].isPlainText() && m.st[n-1].isPlainText() {
			err = m.emitString(m.st[n-2])
			m.st[n-2] = m.st[n-1]
		} else {
			m.st[n-2], err = m.binary(code.BinaryOp(ins.N), m.st[n-2], m.st[n-1])
		}
		m.st = m.st[:n-1]

	case code.OpUnary:
		m.st[n-1], err = m.unary(code.UnaryOp(ins.N), m.st[n-1])

	case code.OpCompare:
		var t bool
		t, err = m.compare(code.CompareOp(ins.N), m.st[n-2], m.st[n-1])
		m.st[n-2] = Bool(t)
		m.st = m.st[:n-1]

	case code.OpChain:
		var t bool
		if t, err = m.compare(code.CompareOp(ins.N), m.st[n-2], m.st[n-1]); t {
			m.st[n-2] = m.st[n-1]
		} else {
			m.st[n-2] = Bool(false)
			m.pc = int(ins.Target)
		}
		m.st = m.st[:n-1]

	case code.OpMake:
		from := n - int(ins.N)
		var v Value
		v, err = m.collect(code.MakeKind(ins.B), m.st[from:], ins.A == 1)
		m.st = append(m.st[:from], v)

	case code.OpFilter, code.OpTest:
		from := n - int(ins.N)
		var v Value
		v, err = m.builtin(ins, m.st[from:])
		m.st = append(m.st[:from], v)

	case code.OpCall:
		from := n - int(ins.N)
		f, args := m.st[from-1], m.st[from:]
		m.st = m.st[:from-1]
		return m.invoke(&m.registers, f, args, m.names(ins.B), m.printedKind())

	case code.OpPop:
		m.st = m.st[:n-1]

	case code.OpKeepIf:
		var t bool
		if t, err = m.truth(m.st[n-1]); t == (ins.N == 1) {
			m.pc = int(ins.Target)
		} else {
			m.st = m.st[:n-1]
		}

	case code.OpSwitch:
		m.st = m.st[:n-1]
		m.pc, err = m.choose(&m.img.Switches[ins.A], m.st[:n][n-1])

	case code.OpMessage:
		m.st = m.st[:n-1]
		return m.openMessage(m.st[:n][n-1], ins.B)

	case code.OpMessageKey:
		err = m.setKey(ins.Key, m.st[n-1], code.KeyRule(ins.N))
		m.st = m.st[:n-1]

	case code.OpMessages:
		v := m.st[n-1]
		m.st = m.st[:n-1]
		err = m.insertMessages(v, ins.Key, m.img.Names[ins.B])

	case code.OpEndMessage:
		m.messages[len(m.messages)-1].end = len(m.out)
		if rule := code.BlankRule(ins.N); rule != code.BlankStays {
			err = m.endText(rule == code.BlankFails)
		}

	case code.OpSpan:
		switch ins.N {
		case code.SpanSum:
			m.captures = append(m.captures, len(m.out))
		case code.SpanSumEnd, code.SpanAddend, code.SpanConcat:
			from := m.captures[len(m.captures)-1]
			m.captures = m.captures[:len(m.captures)-1]
			if len(m.safe) > 0 {
				err = m.endSum(from, ins.N)
			}
		default:
			m.span(len(m.out), ins.N == code.SpanGenerated)
		}

	case code.OpCapture:
		m.captures = append(m.captures, len(m.out))

	case code.OpEndCapture:
		from := m.captures[len(m.captures)-1]
		m.captures = m.captures[:len(m.captures)-1]
		if err = m.env.Charge(len(m.out) - from); err != nil {
			return err
		}
		m.st = append(m.st, String(string(m.out[from:])))
		m.out = m.out[:from]

	case code.OpSection, code.OpCases, code.OpScope, code.OpEndScope, code.OpNoteUnknown, code.OpCover, code.OpDialect:
		return m.document(ins)

	default:
		return m.jinja(&m.registers, ins)
	}
	if m.env.unprinted != nil {
		m.warnUnprintedHere()
	}
	return err
}

// object is what the running code knows as a value.
func (m *machine) object(ins *code.Instr) (Value, error) {
	switch code.ObjectKind(ins.N) {
	case code.ObjectLoop:
		return m.env.objectOf(m.loops[ins.A].object()), nil
	case code.ObjectLoopContext:
		return ObjectOf(m.loopContext(&m.loops[ins.A])), nil
	case code.ObjectSelf:
		return m.env.objectOf(&templateReference{m.context()}), nil
	case code.ObjectSuper:
		return m.super(ins.Key, m.fn), nil
	}
	return m.vars()
}
