package growth

import (
	"fmt"
	"testing"
)

// record notes what is said of a test.
type record struct {
	testing.TB
	failed string
}

func (*record) Helper() {}

func (r *record) Errorf(format string, args ...any) { r.failed = fmt.Sprintf(format, args...) }

var sink int

// Quadratic work is told from linear work.
func TestLinear(t *testing.T) {
	linear, quadratic := &record{}, &record{}
	Linear(linear, "a sum", 100_000_000, func(n int) {
		for i := range n {
			sink += i ^ sink
		}
	})
	Linear(quadratic, "sums of sums", 16_000, func(n int) {
		for i := range n {
			for j := range n {
				sink += i ^ j ^ sink
			}
		}
	})
	if linear.failed != "" {
		t.Error(linear.failed)
	}
	if quadratic.failed == "" {
		t.Error("quadratic work is taken for linear work")
	}
}
