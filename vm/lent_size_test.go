package vm

import (
	"math"
	"testing"
)

// TestLentWalkIsPaidFor looks for lent lists in host values that hold themselves
// many times: each is walked once, and what is yet to be walked is charged.
func TestLentWalkIsPaidFor(t *testing.T) {
	type named map[string]any
	m := named{}
	for i := range 1000 {
		m[itoa(i)] = m
	}
	s := make([]named, 1000)
	for i := range s {
		s[i] = m
	}
	for name, x := range map[string]any{"map": m, "slice": s} {
		e := pythonEnv()
		e.unsearched = []Value{Of(x)}
		if lent, err := e.CallerOwned(ListOf(nil)); lent || err != nil {
			t.Errorf("%s: %v, %v", name, lent, err)
		}
		if steps := e.limits.Steps - e.steps; steps > 20_000 {
			t.Errorf("%s: the walk took %d steps", name, steps)
		}
		if e.memory == e.limits.Memory {
			t.Errorf("%s: the walk was not charged", name)
		}
	}
}

// TestOutputLimitIsTheLargest grows a buffer that is not empty where the limit is
// the largest number there is.
func TestOutputLimitIsTheLargest(t *testing.T) {
	m := &machine{base: 5}
	m.env.limits.OutputBytes = math.MaxInt64
	out, err := m.grow(make([]byte, 5), 100)
	if err != nil || len(out) != 5 || cap(out) < 105 {
		t.Errorf("%d of %d bytes, %v", len(out), cap(out), err)
	}
}
