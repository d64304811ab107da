package vm

import (
	"strings"
	"unsafe"
)

// This file holds where output goes. A render writes either into the machine's
// scratch buffer, from which the result is copied, or, where recent outputs
// were of nearly one size, straight into a new buffer that becomes the result.

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
	if int64(m.length(out)) > m.env.limits.OutputBytes-int64(n) {
		return out, errOutput
	}
	c := max(2*cap(out), len(out)+n, 256)
	if most := m.env.limits.OutputBytes - int64(m.bigBytes); int64(c-m.base) > most { // the sum of both may be too large for an int64
		c = m.base + int(most)
	}
	if m.direct { // the guess was short: go on in the scratch buffer
		m.direct = false
		m.guess.short(len(out) + n)
		if cap(m.scratch) >= len(out)+n {
			return m.fit(append(m.scratch[:0], out...))
		}
	}
	bigger := make([]byte, len(out), c)
	copy(bigger, out)
	return bigger, nil
}

// piece is a string that comes before out[at].
type piece struct {
	at int
	s  string
}

// length is the number of bytes written in this render.
func (m *machine) length(out []byte) int { return len(out) - m.base + m.bigBytes }

// fit takes from out the room that the output limit does not leave, and fails
// where out is longer than that already. So the text that is too long meets the
// limit where it is written, in a new buffer and in one that is used again.
func (m *machine) fit(out []byte) ([]byte, error) {
	most := m.env.limits.OutputBytes - int64(m.bigBytes) // for the bytes from m.base on
	if int64(cap(out)-m.base) <= most {
		return out, nil
	}
	if int64(len(out)-m.base) > most {
		return out, errOutput
	}
	return out[: len(out) : m.base+int(most)], nil
}

// empty readies the machine's buffer for the output of a render.
func (m *machine) empty() {
	m.base = 0
	m.out, _ = m.fit(m.out[:0]) // nothing is longer than a limit, which is positive
}

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
	return m.fit(out)
}

// text makes the string of what was rendered: one allocation, whose bytes are
// not cleared first.
func (m *machine) text() string {
	if len(m.big) == 0 {
		n := len(m.out) - m.base
		m.guess.note(n)
		if m.direct && m.guess.fills(n, cap(m.out)) {
			return unsafe.String(unsafe.SliceData(m.out), n)
		}
		return string(m.out[m.base:])
	}
	m.guess.off()
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

// begin readies the output of a render whose result is a string.
func (m *machine) begin() {
	m.spill = true
	if m.guess.size > 0 {
		m.scratch, m.direct = m.out, true
		m.out = uncleared(m.guess.size)
	}
	m.empty()
}

// settleOutput gives the scratch buffer back to the machine.
func (m *machine) settleOutput() {
	if m.direct {
		m.out, m.direct = m.scratch[:0], false
	}
	if m.scratch != nil {
		m.scratch = nil
	}
}

// uncleared makes an empty buffer with room for n bytes that the runtime does
// not fill with zeros: nothing reads what is not written first.
func uncleared(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0) // of an empty string there is no address to ask for
	return unsafe.Slice(unsafe.StringData(b.String()), b.Cap())[:0]
}

// sizeGuess learns how large the outputs of one machine are. It guesses the
// largest of the last window, and only where all of them are within a fifth of
// it: a buffer that is too short costs a second allocation and a copy, one that
// is too large wastes memory for as long as the result lives.
type sizeGuess struct {
	size      int // of the buffer to make; 0 is none
	low, high int // in this window
	seen      int // renders in this window
	failed    int // of them, those that outgrew the guess
	rest      int // renders until guessing starts again
}

const (
	guessLeast  = 32 << 10 // below, a copy is cheaper than the room that a guess wastes
	guessWindow = 16       // renders that a guess is made from
	guessFails  = 3        // failures in a window that end guessing
	guessRest   = 1024     // for so many renders
)

// note records the size of a finished output.
func (g *sizeGuess) note(n int) {
	if g.rest > 0 {
		g.rest--
		return
	}
	if g.seen == 0 {
		g.low, g.high = n, n
	}
	g.low, g.high = min(g.low, n), max(g.high, n)
	if g.seen++; g.seen < guessWindow {
		return
	}
	switch {
	case g.failed >= guessFails:
		*g = sizeGuess{rest: guessRest}
		return
	case g.high < guessLeast || g.high-g.low > g.high/5:
		g.size = 0
	case g.size < g.high || g.size > g.high+g.high/4:
		g.size = g.high + g.high/64
	}
	g.seen, g.failed = 0, 0
}

// short records that an output outgrew the guess, to n bytes at least.
func (g *sizeGuess) short(n int) {
	g.size = max(g.size, n+n/64)
	g.failed++
}

// off gives guessing up for a while.
func (g *sizeGuess) off() { *g = sizeGuess{rest: guessRest} }

// fills reports whether n bytes make good use of a buffer of size c.
func (g *sizeGuess) fills(n, c int) bool { return c-n <= c/4 }
