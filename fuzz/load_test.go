package fuzz

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// loadRenders is the number of renders of the load tests. PCC_LOAD sets it: a
// million is what a server is held to, and takes minutes under the race
// detector.
func loadRenders(t *testing.T) int64 {
	if s := os.Getenv("PCC_LOAD"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 1 {
			t.Fatalf("PCC_LOAD=%q is no number of renders", s)
		}
		return n
	}
	if testing.Short() {
		return 5_000
	}
	return 30_000
}

// loaded is a program under load: data and what they must give, one apiece for
// each tenant.
type loaded struct {
	program *vm.Program
	data    []vm.Value
	want    []string
}

// tenants is the number of different data that each program renders.
const tenants = 4

// underLoad compiles a hundred programs of the golden cases, and renders them
// once, alone.
func underLoad(t *testing.T) []loaded {
	const programs = 100
	var all []loaded
	for _, s := range goldens(t) {
		p, err := compileSeed(&s)
		if err != nil || len(all) == programs {
			continue
		}
		l := loaded{program: p}
		for tenant := range tenants {
			v, err := vm.DecodeJSON([]byte(s.data), vm.DecodeOptions{})
			m, ok := v.Map()
			if err != nil || !ok {
				break
			}
			for i := range m.Len() { // texts tell the tenants apart
				k, x := m.At(i)
				if text, ok := x.Str(); ok {
					m.Put(k, vm.String(text+strconv.Itoa(tenant)))
				}
			}
			l.data = append(l.data, v)
			l.want = append(l.want, rendered(p, v))
		}
		if len(l.data) == tenants {
			all = append(all, l)
		}
	}
	if len(all) != programs {
		t.Fatalf("%d programs, want %d", len(all), programs)
	}
	return all
}

// rendered is the output of a render, messages with their roles, or its error.
func rendered(p *vm.Program, data any) string {
	if !p.IsChat() {
		s, err := p.Render(data)
		if err != nil {
			return "error: " + err.Error()
		}
		return s
	}
	ms, err := p.Messages(data)
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	for _, m := range ms {
		b.WriteString(m.Role + ":" + m.Content + "\n")
	}
	return b.String()
}

// TestLoad renders a hundred programs on 256 goroutines, and checks every byte.
func TestLoad(t *testing.T) {
	programs := underLoad(t)
	const workers = 256
	var left atomic.Int64
	left.Store(loadRenders(t))
	var wrong atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; left.Add(-1) >= 0; i++ {
				l := &programs[i*31%len(programs)]
				k := (i + w) % tenants
				if got := rendered(l.program, l.data[k]); got != l.want[k] && wrong.Add(1) < 5 {
					t.Errorf("%q\nwant %q", got, l.want[k])
				}
			}
		})
	}
	wg.Wait()
	if n := wrong.Load(); n > 0 {
		t.Errorf("%d outputs are wrong", n)
	}
}

// hostilePrograms end at a limit, each at another one.
func hostilePrograms(t testing.TB) []loaded {
	limits := vm.Limits{Steps: 200_000, Memory: 4 << 20, OutputBytes: 1 << 20}
	var all []loaded
	for _, src := range []string{
		"{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
		"{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
		"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
		"{% for i in range(99999) %}{{ 'y' * 1000 }}{% endfor %}",
		"{{ ([1] * 9999999) | length }}{{ 7 ** 99999999 }}",
		"{{ 'x' | explode }}",
	} {
		p, err := compiler.Compile(src, compiler.WithSyntax("jinja"), compiler.WithLimits(limits),
			compiler.WithFilter("explode", func(s string) string { panic(s) }))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, loaded{program: p})
	}
	return all
}

// TestHostileNeighbours renders good programs beside as many hostile ones: what a
// render costs and writes does not depend on its neighbours, and what these cost is
// bounded by their limits. Costs are steps and bytes: how long a render waits for a
// core is the machine's affair.
func TestHostileNeighbours(t *testing.T) {
	programs, hostile := underLoad(t), hostilePrograms(t)
	type cost struct{ steps, memory int64 }
	costs := make([]cost, len(programs))
	spent := func(i int) cost {
		r, err := programs[i].program.Report(context.Background(), programs[i].data[0])
		if err != nil {
			return cost{}
		}
		return cost{r.Steps, r.Memory}
	}
	renders := 0
	for i := range programs {
		if costs[i] = spent(i); costs[i] != (cost{}) {
			renders++
		}
	}
	if renders < len(programs)/2 {
		t.Fatalf("%d of %d programs render", renders, len(programs))
	}
	for i := range hostile {
		frugal(t, fmt.Sprint("hostile program ", i), mostRendered, func() { _, _ = hostile[i].program.Render(nil) })
	}
	const workers, rounds = 32, 400
	var done atomic.Bool
	var ended atomic.Int64
	var good, bad sync.WaitGroup
	for w := range workers {
		if w%2 == 0 {
			bad.Go(func() {
				for i := w; !done.Load(); i++ {
					d := &diag.Diagnostic{}
					if _, err := hostile[i%len(hostile)].program.Render(nil); !errors.As(err, &d) {
						t.Errorf("a hostile render ends with %v", err)
						return
					}
					ended.Add(1)
					// A server takes requests as they come; a core is not one's own.
					runtime.Gosched()
				}
			})
			continue
		}
		good.Go(func() {
			for i := range rounds {
				k := (i*31 + w) % len(programs)
				if got := rendered(programs[k].program, programs[k].data[0]); got != programs[k].want[0] {
					t.Errorf("%q\nwant %q", got, programs[k].want[0])
					return
				}
				if got := spent(k); got != costs[k] {
					t.Errorf("%s costs %+v beside hostile renders, %+v alone", programs[k].program.Name(), got, costs[k])
					return
				}
			}
		})
	}
	good.Wait()
	done.Store(true)
	bad.Wait()
	if ended.Load() == 0 {
		t.Error("no hostile render has ended")
	}
}

// TestSoak renders good and hostile programs for a while: memory must not grow.
func TestSoak(t *testing.T) {
	programs, hostile := underLoad(t), hostilePrograms(t)
	live := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	n := int(loadRenders(t) / 10)
	round := func() {
		for i := range n {
			l := &programs[i%len(programs)]
			rendered(l.program, l.data[i%tenants])
			if i%100 == 0 {
				rendered(hostile[i/100%len(hostile)].program, nil)
			}
			if i%50 == 0 {
				if _, err := l.program.Report(context.Background(), l.data[0], vm.WithGuard("all")); err == nil {
					continue
				}
			}
		}
	}
	round()
	before := live()
	goroutines := runtime.NumGoroutine()
	for range 4 {
		round()
	}
	after := live()
	t.Logf("live heap %d KiB, after four times as many renders %d KiB", before>>10, after>>10)
	if after-before > before/4+1<<20 {
		t.Errorf("the live heap grew from %d to %d bytes", before, after)
	}
	if n := runtime.NumGoroutine(); n > goroutines+2 {
		t.Errorf("%d goroutines are left of %d", n, goroutines)
	}
}
