package vm

import (
	"strings"

	"github.com/pcc-lang/pcc/internal/code"
)

// This file holds prints whose text is never made: the parts of a sum, and what
// macros write where they are called by a placeholder, go straight to the output.
// A sum of texts that is unfinished when the render fails is dropped with the rest
// of the output.

// safePart is a part of a running sum that is safe: where it lies in the output.
// The other parts of that sum are escaped at its end, as they would have been when
// they were added to it.
type safePart struct{ from, to int }

// emitPart writes text, then v, which is a part of a sum but no plain text: what is
// left of it, or right of it, is a text.
func (m *machine) emitPart(out []byte, text string, o *Out, v Value) ([]byte, error) {
	out, err := m.appendText(out, text)
	if err != nil {
		return out, err
	}
	if own, is := v.ref.(Value); is {
		v = own
	}
	if m.env.unprinted != nil {
		m.env.unprinted.note(v.ref)
	}
	op, x, y := code.BinAdd, String(""), v
	switch o.Part {
	case code.PartBefore:
		x, y = y, x
	case code.PartAfter:
		if n := len(m.safe); n > 0 && m.safe[n-1].from >= m.captures[len(m.captures)-1] {
			x = Safe("") // as messages call it
		}
	case code.PartConcat:
		op = code.BinConcat
	}
	sum, err := m.binary(op, x, y)
	if m.env.unprinted != nil {
		m.warnUnprinted(o.Site, o.Span)
	}
	if m.env.stopped {
		err = m.env.ended
	}
	if err != nil {
		if e, ours := err.(*Error); ours {
			own := *e // errors of limits are shared
			own.part = o
			err = &own
		}
		return out, err
	}
	s, _ := sum.Str()
	if sum.IsSafe() {
		if err := m.env.Hold(safePartSize); err != nil {
			return out, err
		}
		m.safe = append(m.safe, safePart{len(out), len(out) + len(s)})
	}
	return m.appendText(out, s)
}

// safePartSize is what a safePart takes, with the room that their list leaves.
const safePartSize = 32

// endSum ends a sum that begins in the output at from: where parts of it are
// safe, the others are escaped, and all of it is safe. end tells what it is a part
// of itself.
func (m *machine) endSum(from int, end uint16) error {
	first := len(m.safe)
	for first > 0 && m.safe[first-1].from >= from {
		first--
	}
	parts := m.safe[first:]
	if len(parts) == 0 {
		return nil
	}
	if err := m.env.Charge(len(m.out) - from); err != nil {
		return err
	}
	text := string(m.out[from:])
	var origin runs
	var err error
	if r := m.env.recorder; r != nil {
		out, err := r.out.room(&m.env, 1)
		if err != nil {
			return err
		}
		r.out = out.cut(len(m.out))
		if origin, err = r.out.slice(&m.env, from, len(m.out)); err != nil {
			return err
		}
		r.out = r.out.cut(from)
	}
	m.out = m.out[:from]
	at := 0
	for _, p := range parts {
		if err = m.putPart(text, at, p.from-from, true, origin); err == nil {
			err = m.putPart(text, p.from-from, p.to-from, false, origin)
		}
		if err != nil {
			return err
		}
		at = p.to - from
	}
	m.safe = m.safe[:first]
	if err = m.putPart(text, at, len(text), true, origin); err != nil {
		return err
	}
	if end == code.SpanAddend || end == code.SpanConcat && m.env.Autoescape {
		m.safe = append(m.safe, safePart{from, len(m.out)})
	}
	return nil
}

// putPart writes text[from:to], escaped or not, and notes its origin.
func (m *machine) putPart(text string, from, to int, escape bool, origin runs) error {
	if from == to {
		return nil
	}
	if m.env.recorder == nil {
		return m.putStretch(text[from:to], escape)
	}
	own, err := origin.slice(&m.env, from, to)
	if err != nil {
		return err
	}
	at := from
	for _, r := range own {
		for end := from + r.end(); at < end; {
			stretch := text[at:end]
			if escape && !r.data() { // what is not replaced stays the template's
				if i := strings.IndexAny(stretch, htmlSpecial); i > 0 {
					stretch = stretch[:i]
				} else if i == 0 {
					stretch = stretch[:1]
				}
			}
			start := len(m.out)
			if err := m.putStretch(stretch, escape); err != nil {
				return err
			}
			source := r.source()
			if len(m.out)-start != len(stretch) {
				source = fromData
			}
			if err := m.wrote(start, source); err != nil {
				return err
			}
			at += len(stretch)
		}
	}
	return nil
}

// htmlSpecial are the characters that escaping replaces.
const htmlSpecial = `&<>'"`

func (m *machine) putStretch(s string, escape bool) (err error) {
	if escape {
		if s, err = m.env.escapeString(s); err != nil {
			return err
		}
	}
	m.out, err = m.appendText(m.out, s)
	return err
}

// printsNext reports whether the next instruction writes what the running one
// pushes, as it is.
func (m *machine) printsNext() bool {
	if m.pc >= len(m.code) {
		return false
	}
	next := &m.code[m.pc]
	return next.Op&^traced == code.OpEmit && next.N == 0 && next.Text == "" && m.img.Outs[next.B].Plain
}

// printedKind is what becomes of the output of the code that is called.
func (m *machine) printedKind() returnKind {
	if m.printsNext() {
		return returnPrinted
	}
	return returnText
}

// write writes the text that a builtin of ours returns.
func (m *machine) write(b *Builtin, args []Value, names []string) error {
	start, base := len(m.out), len(m.env.args)
	bound, err := m.env.boundArgs(b, args, names)
	if err != nil {
		return err
	}
	_, err = m.env.contained(b, func(e *Env, args []Value) (Value, error) {
		out, err := b.Write(e, m.out, args)
		if err == nil {
			m.out, err = m.fit(out)
		}
		return Null, err
	}, bound, base)
	if err != nil {
		return err
	}
	if m.env.recorder != nil {
		return m.wrote(start, fromData)
	}
	return nil
}

// isJoin reports whether a binary operator joins texts.
func isJoin(n uint16) bool {
	return code.BinaryOp(n) == code.BinAdd || code.BinaryOp(n) == code.BinConcat
}

// isPlainText reports whether v is a string that is not safe.
func (v *Value) isPlainText() bool {
	if _, is := v.ref.(string); is {
		return true
	}
	return ifaceOf(&v.ref).typ == strWord
}

// emitString writes a plain text.
func (m *machine) emitString(v Value) (err error) {
	s, _ := v.Str()
	if len(s) < bulkBytes {
		m.out, err = m.appendText(m.out, s)
		return err
	}
	if err = m.env.Step(len(s) >> 6); err != nil {
		return err
	}
	m.out, err = m.bulk(m.out, "", s)
	return err
}
