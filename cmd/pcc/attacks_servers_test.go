package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing/fstest"
	"time"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// concurrent runs a row about servers: many goroutines, many tenants.
func (c *attackCase) concurrent() verdict {
	name := strings.TrimPrefix(c.row.Fixture, "conc:")
	run, ok := map[string]func(){
		"compile the same source on 256 goroutines":                         c.compileTogether,
		"load + hot reload + render loop for 60 s":                          c.reload,
		"panicking filter on half the goroutines":                           c.halfPanic,
		"output limit hit returns pooled buffers trimmed":                   c.trimmedPools,
		"render writes to an io.Writer that blocks / errors / short-writes": c.badWriters,
		"two tenants with the same template name in two loaders":            c.twoTenants,
		"cache stampede: 10000 goroutines ask for one cold template":        c.stampede,
		"host mutates its data map during render":                           c.ownCopy,
	}[name]
	if !ok {
		c.t.Fatalf("there is no fixture %q", name)
	}
	run()
	return verdict{Outcome: "render", Faults: c.faults}
}

// together runs f on n goroutines that begin at once.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() { <-start; f(i) })
	}
	close(start)
	wg.Wait()
}

const serverTemplate = `Dear {name},{loop items as i} {i.n}: {{ i.text | upper }}{/loop}{when vip} *{/when}`

func (c *attackCase) compileTogether() {
	code := make([]string, 256)
	together(len(code), func(i int) {
		p, err := compiler.Compile(serverTemplate)
		if err == nil {
			code[i] = p.Disassemble()
		}
	})
	for i, s := range code {
		if s == "" || s != code[0] {
			c.fault("program %d differs", i)
		}
	}
}

// reload replaces a program under renders; a second shows as much as a minute.
func (c *attackCase) reload() {
	compile := func(letter string) *vm.Program {
		p, err := compiler.Compile("{{x}}"+strings.Repeat(letter, 3000)+"{{x}}", compiler.WithSyntax("brace"))
		if err != nil {
			c.t.Fatal(err)
		}
		return p
	}
	var current atomic.Pointer[vm.Program]
	current.Store(compile("a"))
	end := time.Now().Add(time.Second)
	var mixed atomic.Int64
	together(9, func(i int) {
		for n := 0; time.Now().Before(end); n++ {
			if i == 0 {
				current.Store(compile(string(rune('a' + n%2))))
				continue
			}
			s, err := current.Load().Render(map[string]any{"x": "-"})
			if err != nil || s != "-"+strings.Repeat("a", 3000)+"-" && s != "-"+strings.Repeat("b", 3000)+"-" {
				mixed.Add(1)
			}
		}
	})
	if n := mixed.Load(); n > 0 {
		c.fault("%d outputs are neither old nor new", n)
	}
}

func (c *attackCase) halfPanic() {
	p, err := compiler.Compile("{{ x | touchy }}{{ x }}", compiler.WithSyntax("brace"), compiler.WithFilter("touchy", func(s string) string {
		if s == "bad" {
			panic(canary)
		}
		return s
	}))
	if err != nil {
		c.t.Fatal(err)
	}
	var wrong atomic.Int64
	together(64, func(i int) {
		for range 200 {
			want, data := "goodgood", map[string]any{"x": "good"}
			if i%2 == 0 {
				want, data = "", map[string]any{"x": "bad"}
			}
			got, err := p.Render(data)
			if got != want || (err == nil) != (want != "") {
				wrong.Add(1)
			}
		}
	})
	if n := wrong.Load(); n > 0 {
		c.fault("%d renders went wrong", n)
	}
}

// heap is the live heap in bytes.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func (c *attackCase) trimmedPools() {
	var kept []*vm.Program
	before := heap()
	for range 16 {
		p, err := compiler.Compile("{loop xs as x}{x}{/loop}")
		if err != nil {
			c.t.Fatal(err)
		}
		xs := make([]any, 100_000)
		for i := range xs {
			xs[i] = strings.Repeat("y", 900)
		}
		if _, err := p.Render(map[string]any{"xs": xs}); outcomeOf(err) != "limit" {
			c.fault("no limit: %v", err)
		}
		kept = append(kept, p)
	}
	if grown := heap() - before; grown > int64(len(kept))<<20 {
		c.fault("%d programs keep %d bytes", len(kept), grown)
	}
	runtime.KeepAlive(kept)
}

// Writers that do not do what they should.
type (
	failingWriter struct{}
	shortWriter   struct{}
	slowWriter    struct{ released chan struct{} }
)

func (failingWriter) Write([]byte) (int, error) { return 0, fs.ErrPermission }
func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }
func (w slowWriter) Write(p []byte) (int, error) {
	<-w.released
	return len(p), nil
}

func (c *attackCase) badWriters() {
	p, err := compiler.Compile("Hello {name}")
	if err != nil {
		c.t.Fatal(err)
	}
	data := map[string]any{"name": "Ada"}
	if err := p.RenderTo(failingWriter{}, data); !errors.Is(err, fs.ErrPermission) {
		c.fault("a writer that fails: %v", err)
	}
	if err := p.RenderTo(shortWriter{}, data); !errors.Is(err, io.ErrShortWrite) {
		c.fault("a writer that writes less: %v", err)
	}
	slow := slowWriter{make(chan struct{})}
	done := make(chan error, 1)
	go func() { done <- p.RenderTo(slow, data) }()
	if s, err := p.Render(data); s != "Hello Ada" || err != nil {
		c.fault("beside a writer that blocks: %q, %v", s, err)
	}
	close(slow.released)
	if err := <-done; err != nil {
		c.fault("a writer that blocks for a while: %v", err)
	}
}

func (c *attackCase) twoTenants() {
	var programs [2]*vm.Program
	for i := range programs {
		fsys := fstest.MapFS{"part.txt": {Data: fmt.Appendf(nil, "tenant %d", i)}}
		var err error
		if programs[i], err = compiler.Compile("{% include name %}", compiler.WithSyntax("jinja"), compiler.WithFS(fsys), compiler.WithName("same.txt")); err != nil {
			c.t.Fatal(err)
		}
	}
	together(32, func(i int) {
		s, err := programs[i%2].Render(map[string]any{"name": "part.txt"})
		if s != fmt.Sprintf("tenant %d", i%2) || err != nil {
			c.t.Errorf("tenant %d got %q, %v", i%2, s, err)
		}
	})
}

// countingFS counts how often files are opened.
type countingFS struct {
	fstest.MapFS
	opened *atomic.Int64
}

func (f countingFS) Open(name string) (fs.File, error) {
	f.opened.Add(1)
	return f.MapFS.Open(name)
}

func (c *attackCase) stampede() {
	f := countingFS{fstest.MapFS{"cold.txt": {Data: []byte("[{{ x }}]")}}, new(atomic.Int64)}
	p, err := compiler.Compile("{% include n %}", compiler.WithSyntax("jinja"), compiler.WithFS(f))
	if err != nil {
		c.t.Fatal(err)
	}
	var wrong atomic.Int64
	together(10_000, func(i int) {
		s, err := p.Render(map[string]any{"n": "cold.txt", "x": i})
		if err != nil || s != fmt.Sprintf("[%d]", i) {
			wrong.Add(1)
		}
	})
	if n := wrong.Load(); n > 0 {
		c.fault("%d renders went wrong", n)
	}
	if n := f.opened.Load(); n > 2 { // one to look, one to read
		c.fault("the file was opened %d times", n)
	}
}

// ownCopy renders a decoded copy while the host changes the original: the
// documented way, since data must not change during a render.
func (c *attackCase) ownCopy() {
	p, err := compiler.Compile("{{ x }}{{ xs }}", compiler.WithSyntax("brace"))
	if err != nil {
		c.t.Fatal(err)
	}
	host := map[string]any{"x": "1", "xs": []any{1, 2}}
	b, err := vm.NewEnv(p.Image().Dialect, vm.DefaultLimits()).JSON(nil, vm.Of(host), vm.JSONOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	snapshot, err := vm.DecodeJSON(b, vm.DecodeOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ctx.Err() == nil; i++ {
			host["x"] = fmt.Sprint(i)
		}
	}()
	for range 2000 {
		if s, err := p.Render(snapshot); s != "1[1, 2]" || err != nil {
			c.fault("%q, %v", s, err)
			break
		}
	}
	cancel()
	<-done
}
