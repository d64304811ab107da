// Package growth tells tests whether work grows faster than its input, on any
// machine and beside any other work: it compares the memory that a small input
// takes and the time that its thread works with those of a large one, and knows
// no bound in seconds.
package growth

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

const (
	// times is how much larger the large input is.
	times = 8
	// most is how often the cost of the small input the large one may have.
	// Quadratic work costs sixty-four times as much, linear work eight times, with
	// some more for caches, steps of slices that grow, the collector and, in builds
	// with -race, the shadow of the memory.
	most = 5 * times
	// leastTime and leastBytes are costs that the clock and the collector do not
	// disturb much; work that costs less is not judged: for a square of it nobody
	// waits.
	leastTime  = float64(20 * time.Millisecond)
	leastBytes = 4 << 20
	// attempts is how often a result that looks bad is measured again. The least
	// counts: other work only adds.
	attempts = 6
)

const memoryLimit = 768 << 20

// one measurement is made at a time: settings of the collector are the process's.
var one sync.Mutex

// cost is what work takes: nanoseconds of its thread, and bytes that are
// allocated in all.
type cost struct{ time, bytes float64 }

// Linear fails the test where work(n) takes more than its share of what work(n/8)
// takes. what names the work, which starts no goroutines.
func Linear(t testing.TB, what string, n int, work func(n int)) {
	t.Helper()
	if fault := judge(n, func(n int) cost { return spent(func() { work(n) }) }); fault != "" {
		t.Errorf("%s: %s", what, fault)
	}
}

// judge tells what grows too fast, "" where nothing does.
func judge(n int, measure func(n int) cost) (fault string) {
	small, large := cost{math.Inf(1), math.Inf(1)}, cost{math.Inf(1), math.Inf(1)}
	for range attempts {
		c := measure(n)
		large = cost{min(large.time, c.time), min(large.bytes, c.bytes)}
		if large.time < leastTime && large.bytes < leastBytes {
			return ""
		}
		c = measure(n / times)
		small = cost{min(small.time, c.time), min(small.bytes, c.bytes)}
		switch slower, larger := large.time/max(small.time, leastTime/times), large.bytes/max(small.bytes, leastBytes/times); {
		case slower > most:
			fault = fmt.Sprintf("%d times the input takes %.0f times the time (%v after %v)", times, slower, time.Duration(large.time), time.Duration(small.time))
		case larger > most:
			fault = fmt.Sprintf("%d times the input allocates %.0f times the memory (%.0f bytes after %.0f)", times, larger, large.bytes, small.bytes)
		default:
			return ""
		}
	}
	return fault
}

// spent measures work without the collector, which a thread that allocates helps:
// it runs only where the heap has memoryLimit bytes. One that runs already is
// waited for by SetGCPercent. To start one each time would take longer than most
// of the work.
func spent(work func()) cost {
	one.Lock()
	defer one.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processorTime()
	work()
	took := processorTime() - start
	runtime.ReadMemStats(&after)
	return cost{float64(took), float64(after.TotalAlloc - before.TotalAlloc)}
}
