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

// Stopped looks at the context. Once it reports true the work that asked may
// end at any place: whatever it has made is thrown away, since the call of the
// builtin that it belongs to fails (CallBuiltin).
func (e *Env) Stopped() bool {
	if e == nil {
		return false // a function without a render, such as EstimateTokens
	}
	if e.stopped || e.poll() != nil {
		e.stopped = true
	}
	return e.stopped
}

// StopError returns the error of a context that Stopped has found at its end,
// nil where all work since the last call was done to its end.
func (e *Env) StopError() error {
	if !e.stopped {
		return nil
	}
	e.stopped = false
	return e.poll()
}

// Parts goes over a text piece by piece, looking at the context in between:
//
//	for p := env.Parts(s); p.Next(); {
//		for i, r := range p.Text { … s[p.At+i:] … }
//	}
//
// No piece ends within a code point. Where the context has ended the pieces do
// too; see Stopped. It charges nothing.
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
		return p.Text != "" && (p.At == 0 || !p.env.Stopped())
	}
	if p.env.Stopped() {
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

// Pace looks at the context from time to time in work that does not go over
// a text from its beginning to its end. The zero value is ready.
type Pace struct{ left int }

// Stopped counts n bytes of work and reports whether the context has ended, at
// which it looks each 64 KiB; see Env.Stopped.
func (p *Pace) Stopped(e *Env, n int) bool {
	if p.left += n; p.left < bulkStep {
		return false
	}
	p.left = 0
	return e.Stopped()
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
		out = append(out, seqAt(v, i))
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
func (e *Env) sortedKeys(m map[string]any) ([]string, error) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys, sortPaced(e, keys, strings.Compare)
}
