// Package growth tells tests whether work grows faster than its input, on any
// machine and beside any other work: it compares the processor time of a small
// input with that of a large one, and knows no bound in seconds.
package growth

import (
	"testing"
	"time"
)

const (
	// times is how much larger the large input is.
	times = 8
	// most is how often the time of the small input the large one may take.
	// Quadratic work takes sixty-four times as long, linear work eight times, with
	// some more for caches and for the garbage of other tests.
	most = 4 * times
	// least is a time that the clock and the collector do not disturb much; work
	// that takes less is not judged: in a square of it nobody waits.
	least = 20 * time.Millisecond
	// attempts is how often a result that looks bad is measured again.
	attempts = 5
)

// Linear fails the test where work(n) takes more than its share of what work(n/8)
// takes. what names the work.
func Linear(t testing.TB, what string, n int, work func(n int)) {
	t.Helper()
	var small, large time.Duration
	for range attempts {
		large = spent(func() { work(n) })
		if large < least {
			return
		}
		small = spent(func() { work(n / times) })
		if large <= most*max(small, least/times) {
			return
		}
	}
	t.Errorf("%s: %d times the input takes %.0f times the time (%v after %v)", what, times, float64(large)/float64(max(small, 1)), large, small)
}

func spent(work func()) time.Duration {
	start := processorTime()
	work()
	return processorTime() - start
}
