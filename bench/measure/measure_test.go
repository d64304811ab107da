package measure

import (
	"errors"
	"math"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		x       []float64
		q, want float64
	}{
		{[]float64{3}, 0.5, 3},
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{4, 1, 3, 2}, 0.5, 2.5},
		{[]float64{5, 4, 3, 2, 1}, 0.25, 2},
		{[]float64{1, 2}, 1, 2},
	} {
		if got := Quantile(c.x, c.q); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Quantile(%v, %v) = %v, want %v", c.x, c.q, got, c.want)
		}
	}
}

var sink int

func spin(n int) {
	for i := range n {
		sink += i ^ sink
	}
}

// Work that is ten times as much must show as a ratio well above 1, and the
// baseline as exactly 1.
func TestCompare(t *testing.T) {
	f := func(name string, work int) Function {
		return Function{Name: name, Run: func(n int) error {
			for range n {
				spin(work)
			}
			return nil
		}}
	}
	r, err := Compare([]Function{f("much", 100_000), f("little", 10_000)}, 1, Options{Rounds: 5, Batch: 2 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if r[1].Ratio != 1 {
		t.Errorf("the baseline's ratio is %v", r[1].Ratio)
	}
	if r[0].Ratio < 3 || r[0].Ratio > 30 {
		t.Errorf("ten times the work has ratio %v", r[0].Ratio)
	}
	if r[0].Name != "much" || r[0].Low > r[0].Time || r[0].Time > r[0].High {
		t.Errorf("bad result %+v", r[0])
	}
}

func TestCompareError(t *testing.T) {
	bad := errors.New("bad")
	_, err := Compare([]Function{{Name: "f", Run: func(int) error { return bad }}}, 0, Options{Rounds: 1, Batch: time.Millisecond})
	if !errors.Is(err, bad) {
		t.Errorf("got %v", err)
	}
}

var kept [][]byte

// What goes on beside the operation is not counted as its own.
func TestAllocations(t *testing.T) {
	noise := 0
	allocs, bytes, err := allocations(Function{Run: func(n int) error {
		for range n {
			kept = append(kept[:0], make([]byte, 1000), make([]byte, 1000))
		}
		if noise++; noise < 3 {
			for range 100 {
				kept = append(kept, make([]byte, 4000))
			}
		}
		return nil
	}})
	if err != nil || allocs < 2 || allocs > 3 || bytes < 2000 || bytes > 2500 {
		t.Errorf("got %v allocations of %v bytes, %v", allocs, bytes, err)
	}
}
