package growth

import (
	"math/rand/v2"
	"testing"
)

var sink int

// Quadratic work is told from linear work.
func TestLinear(t *testing.T) {
	add := func(n int) {
		sum := sink // of this goroutine: -race looks at each use of a shared one
		for i := range n {
			sum += i ^ sum
		}
		sink = sum
	}
	var kept []byte
	for _, tt := range []struct {
		name      string
		n         int
		work      func(n int)
		quadratic bool
	}{
		{"a sum", 50_000_000, add, false},
		{"sums of sums", 20_000, func(n int) {
			for range n {
				add(n)
			}
		}, true},
		{"a slice", 8 << 20, func(n int) { kept = make([]byte, n) }, false},
		{"slices of slices", 8000, func(n int) {
			for range n {
				kept = make([]byte, n)
			}
		}, true},
	} {
		fault := judge(tt.n, func(n int) cost { return spent(func() { tt.work(n) }) })
		if (fault != "") != tt.quadratic {
			t.Errorf("%s: %q", tt.name, fault)
		}
	}
	sink += len(kept)
}

// What disturbs a measurement adds to it: as long as some are near the truth, the
// verdict is true.
func TestDisturbed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	measured := func(exponent int) func(n int) cost {
		calls := 0
		return func(n int) cost {
			c := float64(n)
			for range exponent - 1 {
				c *= float64(n)
			}
			if calls++; calls%3 != 0 {
				c *= 1 + 20*r.Float64()
			}
			return cost{c * 1000, c * 1000}
		}
	}
	for range 500 {
		if fault := judge(100_000, measured(1)); fault != "" {
			t.Fatalf("linear work: %s", fault)
		}
	}
	if judge(1000, func(n int) cost { return cost{float64(n * n * 1000), 0} }) == "" {
		t.Error("time that grows with the square is not told")
	}
	if judge(10_000, func(n int) cost { return cost{0, float64(n * n)} }) == "" {
		t.Error("memory that grows with the square is not told")
	}
}
