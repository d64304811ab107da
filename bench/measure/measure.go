// Package measure times functions side by side.
//
// What enters: functions that do the same work in different ways. What leaves:
// for each the CPU time of the whole process for one operation, the garbage
// collector's share included, and its ratio to a baseline.
//
// Batches of all functions are interleaved, in an order that is shuffled for
// each round, and each ratio is taken between batches of one round, so that a
// machine that slows down for a while slows all of them. Medians over the
// rounds leave out the batches that something else disturbed.
package measure

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// Function is one way to do the work.
type Function struct {
	Name string
	// Run does the work n times.
	Run func(n int) error
	// Before runs ahead of each batch and is not timed; nil for nothing.
	Before func() error
}

// Options say how long to measure.
type Options struct {
	Rounds int           // batches of each function; their median counts
	Batch  time.Duration // CPU time of one batch, about
}

// Result is what one function took for one operation.
type Result struct {
	Name string
	// Time is CPU time in nanoseconds, Low and High its quartiles.
	Time, Low, High float64
	// Ratio is the median of the ratios to the baseline's batch of the same
	// round.
	Ratio float64
	// Allocs and Bytes are heap allocations and the bytes they asked for.
	Allocs, Bytes float64
}

// Divide makes a result for each of n parts of the operation that was measured.
// The ratio stays.
func (r *Result) Divide(n float64) {
	for _, x := range []*float64{&r.Time, &r.Low, &r.High, &r.Allocs, &r.Bytes} {
		*x /= n
	}
}

// CPU is the user and system time that the process has taken so far, all its
// threads together.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // fails for a bad argument only
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Compare measures all functions; results come in their order. baseline is an
// index.
func Compare(functions []Function, baseline int, o Options) ([]Result, error) {
	n := make([]int, len(functions))
	results := make([]Result, len(functions))
	for i, f := range functions {
		results[i].Name = f.Name
		var err error
		if n[i], err = batchSize(f, o.Batch); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if results[i].Allocs, results[i].Bytes, err = allocations(f); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	times := make([][]float64, len(functions))
	order := rand.New(rand.NewPCG(1, 2)) // the same in each process
	for range o.Rounds {
		for _, i := range order.Perm(len(functions)) {
			t, err := batch(functions[i], n[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", functions[i].Name, err)
			}
			times[i] = append(times[i], t)
		}
	}
	for i := range functions {
		ratios := make([]float64, o.Rounds)
		for round := range ratios {
			ratios[round] = times[i][round] / times[baseline][round]
		}
		r := &results[i]
		r.Ratio = Quantile(ratios, 0.5)
		r.Time, r.Low, r.High = Quantile(times[i], 0.5), Quantile(times[i], 0.25), Quantile(times[i], 0.75)
	}
	return results, nil
}

// batch times n operations and returns nanoseconds for each.
func batch(f Function, n int) (float64, error) {
	if f.Before != nil {
		if err := f.Before(); err != nil {
			return 0, err
		}
	}
	runtime.GC() // the garbage of the function before is not this one's
	// What the collector and the idle time have taken away, pooled buffers and
	// pages of memory, is fetched back before the clock starts.
	if err := f.Run(max(1, n/4)); err != nil {
		return 0, err
	}
	start := CPU()
	if err := f.Run(n); err != nil {
		return 0, err
	}
	return float64(CPU()-start) / float64(n), nil
}

// batchSize finds how many operations take the time of one batch, at least 1.
func batchSize(f Function, want time.Duration) (int, error) {
	for n := 1; ; n *= 4 {
		t, err := batch(f, n)
		if err != nil {
			return 0, err
		}
		if total := t * float64(n); total >= float64(want)/8 {
			return max(1, int(float64(want)/t)), nil
		}
	}
}

// allocations counts what one operation allocates. The counters are the whole
// process's, so timers, the collector and other goroutines add to them, and
// nothing takes away: the least of several counts is the operation's own.
func allocations(f Function) (allocs, bytes float64, err error) {
	const counts, n = 8, 8
	var before, after runtime.MemStats
	for i := range counts {
		runtime.ReadMemStats(&before)
		if err := f.Run(n); err != nil {
			return 0, 0, err
		}
		runtime.ReadMemStats(&after)
		a, b := float64(after.Mallocs-before.Mallocs)/n, float64(after.TotalAlloc-before.TotalAlloc)/n
		if i == 0 {
			allocs, bytes = a, b
		}
		allocs, bytes = min(allocs, a), min(bytes, b)
	}
	return allocs, bytes, nil
}

// Quantile returns the q-th quantile, 0 to 1, between the two nearest values.
func Quantile(x []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(x))
	at := q * float64(len(s)-1)
	i := int(at)
	if i+1 >= len(s) {
		return s[len(s)-1]
	}
	return s[i] + (at-float64(i))*(s[i+1]-s[i])
}
