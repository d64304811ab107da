package vm

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// bulkStep is how much of a text is worked on between two looks at the context,
// and bulkItems how many items of a list.
const (
	bulkStep  = 64 << 10
	bulkItems = 1 << 12
)

// touchStep is the most that bulk work touches for one step, in bytes. What is
// known beforehand is paid more dearly (Charge, Step); that work pays here again
// while it goes on keeps the price whatever the input, for second and third
// passes, and where nobody thought of paying.
const touchStep = 1 << 10

// Stopped looks at the context and the steps. Once it reports true the work that asked may
// end at any place: whatever it has made is thrown away, since the call of the
// builtin that it belongs to fails (CallBuiltin).
func (e *Env) Stopped() bool {
	if e == nil {
		return false // a function without a render, such as EstimateTokens
	}
	e.unlooked = 0
	if e.steps < 0 {
		_ = e.end(errSteps)
	}
	return e.stopped || e.poll() != nil
}

// spend pays for n bytes that are touched, a step for each whole touchStep, and
// looks at the context each bulkStep. It reports true where the steps are used up
// or the context has ended, see Stopped.
func (e *Env) spend(n int) bool {
	if e == nil {
		return false
	}
	if e.onWork != nil {
		e.onWork(n)
	}
	e.steps -= int64(n / touchStep)
	if e.unlooked += n; e.unlooked >= bulkStep || e.steps < 0 {
		return e.Stopped()
	}
	return e.stopped
}

// Work pays for n bytes that a scan looks at, some KiB at a time, and reports
// whether it may end, see Stopped.
func (e *Env) Work(n int) (stop bool) { return e.spend(n) }

// OnWork has f called with the number of bytes of each piece of bulk work, for
// tests that compare the work with its price.
func (e *Env) OnWork(f func(bytes int)) { e.onWork = f }

// Spend pays for n bytes of a text that are looked at in one go, before they are.
// Short ones are paid for by the step of the call. Where many texts are looked at
// in one call, a Pace counts the short ones too.
func (e *Env) Spend(n int) error {
	if n < touchStep {
		return nil
	}
	for ; n > 0; n -= bulkStep {
		if e.spend(min(n, bulkStep)) {
			return e.StopError()
		}
	}
	return nil
}

// StopError returns why Stopped has reported true, nil where all work was done to
// its end.
func (e *Env) StopError() error {
	if e == nil || !e.stopped {
		return nil
	}
	return e.ended
}

// Parts goes over a text piece by piece, looking at the context in between:
//
//	for p := env.Parts(s); p.Next(); {
//		for i, r := range p.Text { … s[p.At+i:] … }
//	}
//
// No piece ends within a code point. The pieces are paid for, a step for each KiB.
// Where the steps or the context have ended the pieces do too; see Stopped.
func (e *Env) Parts(s string) Parts { return Parts{env: e, rest: s} }

// Parts is a walk over a text, see Env.Parts.
type Parts struct {
	// Text is the piece, At its offset in the whole text in bytes.
	Text string
	At   int
	rest string
	env  *Env
}

// Next moves to the next piece and reports whether there is one.
func (p *Parts) Next() bool {
	p.At += len(p.Text)
	if len(p.rest) <= bulkStep {
		p.Text, p.rest = p.rest, ""
		return p.Text != "" && (len(p.Text) < touchStep || !p.env.spend(len(p.Text)))
	}
	if p.env.spend(bulkStep) { // before anything of it is looked at
		return false
	}
	n := cutBefore(p.rest, bulkStep)
	p.Text, p.rest = p.rest[:n], p.rest[n:]
	return true
}

// cutBefore is the last offset up to n at which no code point of s is cut.
func cutBefore(s string, n int) int {
	for back := range utf8.UTFMax {
		if utf8.RuneStart(s[n-back]) {
			return n - back
		}
	}
	return n // within what is no UTF-8
}

// Pace pays for work that does not go over a text from its beginning to its end,
// and looks at the context from time to time. The zero value is ready.
type Pace struct{ left int }

// Stopped counts n bytes of work, takes a step for each KiB of it and reports
// whether the steps or the context have ended, at which it looks each 64 KiB; see
// Env.Stopped.
func (p *Pace) Stopped(e *Env, n int) bool {
	if p.left += n; p.left < touchStep {
		return false
	}
	return p.pay(e)
}

func (p *Pace) pay(e *Env) bool {
	n := p.left
	p.left %= touchStep
	return e.spend(n - p.left)
}

// Append appends s to b, some KiB at a time, and reports whether the work may end,
// see Stopped.
func (e *Env) Append(b *strings.Builder, s string) (stop bool) {
	for len(s) > bulkStep {
		b.WriteString(s[:bulkStep])
		if s = s[bulkStep:]; e.spend(bulkStep) {
			return true
		}
	}
	b.WriteString(s)
	return false
}

// Repeat appends n times unit to b, which has been charged for, and reports
// whether the work may end, see Stopped.
func (e *Env) Repeat(b *strings.Builder, unit string, n int) (stop bool) {
	if n <= 0 || unit == "" {
		return false
	}
	b.Grow(n * len(unit))
	if many := bulkStep / len(unit); many > 0 && n > many {
		for block := strings.Repeat(unit, many); n > many; n -= many {
			if e.Append(b, block) || e.spend(len(block)) {
				return true
			}
		}
	}
	for ; n > 0; n-- {
		if e.Append(b, unit) {
			return true
		}
	}
	return false
}

// appendItems appends n items of a sequence to out, looking at the context in
// between.
func (e *Env) appendItems(out []Value, v Value, n int) ([]Value, error) {
	for i := range n {
		if i%bulkItems == bulkItems-1 {
			if err := e.poll(); err != nil {
				return nil, err
			}
		}
		out = append(out, e.resolved(seqAt(v, i)))
	}
	return out, nil
}

// sortPaced sorts items stably, looking at the context in between: short runs
// first, which are then merged.
func sortPaced[T any](e *Env, items []T, compare func(a, b T) int) error {
	if len(items) <= bulkItems {
		slices.SortStableFunc(items, compare)
		return nil
	}
	for from := 0; from < len(items); from += bulkItems {
		slices.SortStableFunc(items[from:min(from+bulkItems, len(items))], compare)
		if err := e.poll(); err != nil {
			return err
		}
	}
	src, dst := items, make([]T, len(items))
	for width := bulkItems; width < len(items); width *= 2 {
		for from := 0; from < len(items); from += 2 * width {
			mid, to := min(from+width, len(items)), min(from+2*width, len(items))
			if err := mergePaced(e, dst[from:to], src[from:mid], src[mid:to], compare); err != nil {
				return err
			}
		}
		src, dst = dst, src
	}
	copy(items, src) // does nothing where they are the same
	return nil
}

// mergePaced merges two sorted runs into dst.
func mergePaced[T any](e *Env, dst, a, b []T, compare func(a, b T) int) error {
	for i := range dst {
		if i%bulkItems == bulkItems-1 {
			if err := e.poll(); err != nil {
				return err
			}
		}
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			dst[i], a = a[0], a[1:]
		} else {
			dst[i], b = b[0], b[1:]
		}
	}
	return nil
}

// sortedKeys lists the keys of a Go map in order.
func sortedKeys[V any](e *Env, m map[string]V) ([]string, error) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys, sortPaced(e, keys, strings.Compare)
}
