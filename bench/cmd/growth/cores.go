package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pcc-lang/pcc/bench/engine"
	"github.com/pcc-lang/pcc/bench/measure"
	"github.com/pcc-lang/pcc/bench/workload"
)

// cores renders W2 with one prepared engine in as many goroutines as there are
// cores. Renders a second go by the clock, so that they count waiting too, and
// what other programs take; the last column compares CPU time for one render,
// which other programs disturb less and which does not count waiting.
func (g *growth) cores() error {
	n := runtime.NumCPU()
	head := []string{"W2, renders a second by cores"}
	for c := 1; c <= n; c++ {
		head = append(head, fmt.Sprint(c))
	}
	head = append(head, fmt.Sprintf("part of %d × one", n), "CPU time of one, part of that on all")
	t := measure.Table{head}
	w, err := workload.Named("W2")
	if err != nil {
		return err
	}
	for _, e := range engine.All() {
		if !g.engines.MatchString(e.Name) || e.CompileOnly || e.Reuses { // a reused buffer is one goroutine's
			continue
		}
		render, err := e.Prepare(w)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		row := []string{e.Name}
		var rates, costs []float64
		for c := 1; c <= n; c++ {
			r, cost, err := g.rate(c, len(w.Sets), render)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Name, err)
			}
			rates, costs = append(rates, r), append(costs, cost)
			row = append(row, fmt.Sprintf("%.0f k", r/1000))
		}
		row = append(row, measure.Ratio(rates[n-1]/rates[0]/float64(n)), measure.Ratio(costs[0]/costs[n-1]))
		t = append(t, row)
	}
	fmt.Fprintln(g.out, t.String())
	return nil
}

// rate counts renders a second on c cores, the best of a few stretches since
// whatever else the machine does can only take away, and the CPU time of one
// render in nanoseconds, the least of them.
func (g *growth) rate(c, sets int, render engine.Render) (rate, cost float64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c))
	stretch := g.wall / time.Duration(g.options.Rounds)
	for range g.options.Rounds {
		var done atomic.Int64
		var failed atomic.Pointer[error]
		var all sync.WaitGroup
		start, used := time.Now(), measure.CPU()
		for range c {
			all.Go(func() {
				for time.Since(start) < stretch {
					for i := range 100 {
						if _, err := render(i % sets); err != nil {
							failed.Store(&err)
							return
						}
					}
					done.Add(100)
				}
			})
		}
		all.Wait()
		if err := failed.Load(); err != nil {
			return 0, 0, *err
		}
		n := float64(done.Load())
		rate = max(rate, n/time.Since(start).Seconds())
		if t := float64(measure.CPU()-used) / n; cost == 0 || t < cost {
			cost = t
		}
	}
	return rate, cost, nil
}
