package vm

import "unsafe"

// This file makes texts and lists that grow in a loop cost what they become, and
// not the square of it: x = x ~ s appends in place where x is what was made last
// and there is room behind it. Nobody sees that, since a text never changes, and a
// list is only treated so in programs that cannot change lists.

// growing are the texts and lists of one render that may grow.
type growing struct {
	texts grower[byte]
	lists grower[Value]
}

// grower remembers what was joined lately, each as a slice up to the end of its
// last result. What was joined once has no room behind it; what is joined again
// moves to where it has.
type grower[T any] struct {
	fresh     [16][]T
	grown     [8][]T
	used      [8]bool // since its place was last wanted for another
	nextFresh uint8
	nextGrown uint8
}

// place returns the place for one more that grows: of one that did not grow lately.
func (g *grower[T]) place() *[]T {
	for {
		i := g.nextGrown
		g.nextGrown = (i + 1) % uint8(len(g.grown))
		if !g.used[i] {
			return &g.grown[i]
		}
		g.used[i] = false
	}
}

// The least lengths of results that are remembered.
const (
	leastGrowing      = 256 // bytes
	leastGrowingItems = 16
	// growingSize is what a growing takes.
	growingSize = int(unsafe.Sizeof(growing{}))
)

// isTail reports whether a is the last part of s.
func isTail[T any](s, a []T) bool {
	return len(a) > 0 && len(a) <= len(s) && &s[len(s)-1] == &a[len(a)-1]
}

// find returns where a is remembered: what grows, or what was joined once.
func (g *grower[T]) find(a []T) (grown, fresh *[]T) {
	for i := range g.grown {
		if isTail(g.grown[i], a) {
			g.used[i] = true
			return &g.grown[i], nil
		}
	}
	for i := range g.fresh {
		if isTail(g.fresh[i], a) {
			return nil, &g.fresh[i]
		}
	}
	return nil, nil
}

// remember notes a result, which may grow.
func (g *grower[T]) remember(s []T) {
	g.fresh[g.nextFresh] = s
	g.nextFresh = (g.nextFresh + 1) % uint8(len(g.fresh))
}

// room returns a slice that ends with a and has room for n more, if a is
// remembered; in is where the longer one is to be kept. size is that of an item;
// the room is paid for before it is made, so that what grows costs four times its
// last length at most.
func (g *grower[T]) room(e *Env, a []T, n, size int) (s []T, in *[]T, err error) {
	grown, fresh := g.find(a)
	if grown == nil && fresh == nil {
		return nil, nil, nil
	}
	if grown != nil && cap(*grown)-len(*grown) >= n {
		return *grown, grown, e.Step(1 + n*size/64)
	}
	need := len(a) + n
	c := 2 * need
	if int64(c)*int64(size) > e.memory {
		c = need
	}
	if err = e.Charge(c * size); err != nil {
		return nil, nil, err
	}
	if grown == nil {
		*fresh = nil
		grown = g.place()
	}
	s = make([]T, 0, c)
	for len(a) > 0 { // a piece at a time, looking at the context
		part := a[:min(len(a), max(bulkStep/size, 1))]
		s, a = append(s, part...), a[len(part):]
		if len(a) > 0 && e.spend(len(part)*size) {
			return nil, nil, e.StopError()
		}
	}
	return s, grown, nil
}

// growers returns what grows in this render.
func (e *Env) growers() (*growing, error) {
	if e.growing == nil {
		if err := e.Hold(growingSize); err != nil {
			return nil, err
		}
		e.growing = &growing{}
	}
	return e.growing, nil
}

// join is a and b as one text, which is paid for.
func (e *Env) join(a, b string) (string, error) {
	n := len(a) + len(b)
	if n < leastGrowing || a == "" || b == "" {
		if n > 0 {
			if err := e.Charge(n); err != nil {
				return "", err
			}
		}
		if n <= bulkStep {
			return a + b, nil
		}
	}
	g, err := e.growers()
	if err != nil {
		return "", err
	}
	s, in, err := g.texts.room(e, bytesOf(a), len(b), 1)
	if err != nil {
		return "", err
	}
	if in == nil {
		if err := e.Charge(n); err != nil {
			return "", err
		}
		s = make([]byte, 0, n)
		if s = e.appendPaced(s, a); e.stopped {
			return "", e.StopError()
		}
	}
	if s = e.appendPaced(s, b); e.stopped {
		return "", e.StopError()
	}
	if in != nil {
		*in = s
	} else {
		g.texts.remember(s)
	}
	return unsafe.String(&s[len(s)-n], n), nil
}

// bytesOf are the bytes of a text; they must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// appendPaced appends s, looking at the context in between.
func (e *Env) appendPaced(dst []byte, s string) []byte {
	for len(s) > bulkStep {
		dst = append(dst, s[:bulkStep]...)
		if s = s[bulkStep:]; e.spend(bulkStep) {
			return dst
		}
	}
	return append(dst, s...)
}

// joinItems is the items of a and of b, of which there are na and nb, paid for.
func (e *Env) joinItems(a Value, na int, b Value, nb int) (items []Value, err error) {
	n := na + nb
	var in *[]Value
	var g *growing
	may := !e.mutates && n >= leastGrowingItems && na > 0 && nb > 0
	if may {
		if g, err = e.growers(); err != nil {
			return nil, err
		}
		if own := ownItems(a); own != nil {
			if items, in, err = g.lists.room(e, own, nb, valueSize); err != nil {
				return nil, err
			}
		}
	}
	if err = e.Charge(tupleSize); err != nil {
		return nil, err
	}
	if in == nil {
		if err = e.Charge(valueSize * n); err != nil {
			return nil, err
		}
		items, err = e.appendItems(make([]Value, 0, n), a, na)
	}
	if err == nil {
		items, err = e.appendItems(items, b, nb)
	}
	switch {
	case err != nil:
		return nil, err
	case in != nil:
		*in = items
	case may:
		g.lists.remember(items)
	}
	return items[len(items)-n : len(items) : len(items)], nil
}

// ownItems are the items of a list or tuple of ours, nil where v is of the host's.
func ownItems(v Value) []Value {
	if l, ok := v.ref.(*List); ok && l != nil {
		return l.Items
	}
	if t, ok := v.ref.(*Tuple); ok && t != nil {
		return t.Items
	}
	return nil
}
