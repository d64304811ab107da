package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

const canary = "CANARY-7f3a"

// hostileUser is the go_user of the rows.
type hostileUser struct {
	Name   string
	secret string
	Inner  hostileInner
}

type hostileInner struct{ Conn hostileConn }

type hostileConn struct {
	Password string `json:"-"`
}

var methodCalls atomic.Int64

func (*hostileUser) Delete() { methodCalls.Add(1) }

// Values whose methods misbehave.
type (
	panicking     struct{ N int }
	nilPanicking  struct{ s string }
	dividing      struct{ zero int }
	blocking      struct{ N int }
	enormous      struct{ N int }
	failing       struct{ N int }
	badMarshaler  struct{ N int }
	htmlMarshaler struct{ N int }
	brokenObject  struct{}
	pointerToSelf *pointerToSelf
	ring          struct{ Next *ring }
	locked        struct {
		mu   sync.Mutex
		Name string
	}
	embedsPointer struct{ *hostileInner }
)

func (panicking) String() string       { methodCalls.Add(1); panic(canary) }
func (n *nilPanicking) String() string { methodCalls.Add(1); return n.s }
func (d dividing) String() string      { methodCalls.Add(1); return fmt.Sprint(1 / d.zero) }
func (blocking) String() string        { methodCalls.Add(1); select {} }
func (failing) Error() string          { methodCalls.Add(1); panic(canary) }
func (badMarshaler) MarshalJSON() ([]byte, error) {
	methodCalls.Add(1)
	panic(canary)
}
func (htmlMarshaler) MarshalText() ([]byte, error) { return []byte("<script>x</script>"), nil }

// String is a gigabyte that no memory stands behind.
func (enormous) String() string {
	methodCalls.Add(1)
	b := emptyMemory(1 << 30)
	return unsafe.String(&b[0], len(b))
}

func (brokenObject) TypeName(*vm.Env) string               { return "broken" }
func (brokenObject) Attr(*vm.Env, string) (vm.Value, bool) { panic(canary) }

type drainable struct{ *bytes.Reader }

// fixture sets up what the row's fixture names.
func (c *attackCase) fixture() {
	c.called = func() bool { return methodCalls.Load() > 0 }
	name := c.row.Fixture
	switch {
	case name == "":
	case c.row.Kind == "path":
		c.folder(name)
	case strings.HasPrefix(name, "go_user"):
		c.data = map[string]any{"u": &hostileUser{Name: "bob", secret: canary, Inner: hostileInner{hostileConn{canary}}}}
	case strings.HasPrefix(name, "render_twice"):
	case strings.HasPrefix(name, "filter "):
		c.filters(name)
	default:
		c.settings(name)
	}
}

// settings reads the parts of a fixture that say how a render runs and what
// types its data has; what is left is the name of a value.
func (c *attackCase) settings(fixture string) {
	var types hostTypes
	for part := range splitOutside(fixture, ';') {
		word, arg, _ := strings.Cut(part, ":")
		switch word {
		case "guard":
			c.render = append(c.render, vm.WithGuard(arg))
		case "segments", "WithSegments":
			c.render = append(c.render, vm.WithSegments())
		case "cancel_after":
			after, err := time.ParseDuration(arg)
			if err != nil {
				c.t.Fatal(err)
			}
			c.cancel = after
		default:
			if !types.read(part) {
				c.value(part)
			}
		}
	}
	switch {
	case types.name != "":
		types.use(c)
	case types.opted:
		c.opts = append(c.opts, compiler.WithHostMethods())
	}
}

// splitOutside yields the trimmed parts of s between separators that stand
// outside of braces.
func splitOutside(s string, separator rune) iter.Seq[string] {
	return func(yield func(string) bool) {
		depth, start := 0, 0
		for i, r := range s + string(separator) {
			switch {
			case r == '{':
				depth++
			case r == '}':
				depth--
			case r == separator && (depth == 0 || i == len(s)):
				if part := strings.TrimSpace(s[start:i]); part != "" && !yield(part) {
					return
				}
				start = i + 1
			}
		}
	}
}

// values are the fixtures that are data of one name, x.
func (c *attackCase) value(name string) {
	x := func(v any) { c.data = map[string]any{"x": v} }
	host := func(v any) { x(v); c.opts = append(c.opts, compiler.WithHostMethods()) }
	nested := func(v any, levels int) any {
		// The data itself must not take what the row allows.
		defer debug.SetGCPercent(debug.SetGCPercent(20))
		for range levels {
			v = []any{v}
		}
		return v
	}
	deep := func() any { return nested("end", 3_000_000) }
	switch name {
	case "shared_dag_pair_depth40":
		c.data = map[string]any{"a": sharedLists(40), "b": sharedLists(40)}
	case "shared_dag_depth30":
		c.data = map[string]any{"d": sharedLists(30)}
	case "stringer_panics":
		host(panicking{})
	case "stringer_panics_nil_ptr":
		host((*nilPanicking)(nil))
	case "stringer_runtime_error":
		host(dividing{})
	case "stringer_blocks":
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		c.t.Cleanup(cancel)
		c.ctx = ctx
		host(blocking{})
	case "stringer_1GB":
		host(enormous{})
	case "error_value_panics":
		host(failing{})
	case "marshaljson_panics":
		host(badMarshaler{})
		c.uncalledIsRight()
	case "marshaltext_returns_html":
		host(htmlMarshaler{})
	case "nil_interface":
		x(error((*fs.PathError)(nil)))
	case "reflect_value":
		x(reflect.ValueOf(&hostileUser{secret: canary}))
		c.uncalledIsRight()
	case "mutex_struct":
		v := &locked{Name: "n"}
		v.mu.Lock()
		x(v)
	case "nan_map_key":
		x(map[float64]string{math.NaN(): "a", 1: "b"})
	case "mixed_key_map":
		x(map[any]any{1: "a", "1": "b"})
	case "unhashable_key":
		c.row.Template = "{{ x[k] }}{{ {'a': 1}[k] }}"
		c.data = map[string]any{"x": map[string]any{"a": 1}, "k": []any{1}}
		c.strict()
	case "cyclic_map", "cyclic_map_json":
		m := map[string]any{}
		m["self"] = m
		x(m)
	case "cyclic_slice":
		s := make([]any, 1)
		s[0] = s
		x(s)
	case "cyclic_ptr":
		var p pointerToSelf
		p = &p
		x(p)
	case "cyclic_struct":
		r := &ring{}
		r.Next = r
		c.row.Template = "{% for k in [x] recursive %}{{ loop([k.Next]) }}{% endfor %}"
		x(r)
	case "deep_slice_3M", "deep_slice_3M_json":
		x(deep())
	case "deep_slice_3M_eq":
		inner := nested("end", 2_000_000)
		c.data = map[string]any{"a": nested(inner, 1_000_000), "b": nested(inner, 1_000_000)}
	case "iter_func_infinite":
		x(iter.Seq[int](func(yield func(int) bool) {
			for i := 0; yield(i); i++ {
			}
		}))
	case "iter_func_panics":
		x(iter.Seq[int](func(yield func(int) bool) {
			for i := 0; i < 3 && yield(i); i++ {
			}
			panic(canary)
		}))
	case "chan_open":
		x(make(chan int))
	case "io_reader_value":
		r := drainable{bytes.NewReader([]byte("content"))}
		x(r)
		c.t.Cleanup(func() {
			if r.Len() != len("content") {
				c.t.Error("the reader was drained")
			}
		})
	case "embedded_ptr_nil": // its promoted field is missing, and that is reported
		c.row.Template = "{{ x.Conn }}"
		x(embedsPointer{})
		c.strict()
	case "getter_side_effect":
		c.row.Template = "{{ x.y }}"
		x(brokenObject{})
	case "time_value":
		x(time.Date(2026, 3, 9, 14, 5, 7, 0, time.UTC))
	case "huge_bytes":
		x(emptyMemory(1 << 30))
	case "bigint":
		x(new(big.Int).Lsh(big.NewInt(1), 33_219_280)) // ten million digits
	case "error_size":
		c.row.Dialect, c.row.Template = "jinja", "{{ x + 1 }}"
		x(strings.Repeat("v", 10<<20))
	case "fmt verbs on every exported type":
		c.row.Dialect, c.row.Template = "jinja", "{{ x }}"
		c.verbs()
	default:
		c.t.Fatalf("there is no fixture %q", name)
	}
}

func (c *attackCase) strict() {
	c.opts = append(c.opts, compiler.WithUndefined("error"))
}

// uncalledIsRight accepts a render that never called the value's methods.
func (c *attackCase) uncalledIsRight() {
	c.row.Or = "render"
	c.t.Cleanup(func() {
		if c.err == nil && c.called() {
			c.t.Error("a method was called")
		}
	})
}

// sharedLists is a list that holds one list twice, and so on: 2^depth leaves
// in depth lists.
func sharedLists(depth int) any {
	v := any("x")
	for range depth {
		v = []any{v, v}
	}
	return v
}

// verbs prints what a render leaves behind with every verb of fmt.
func (c *attackCase) verbs() {
	p, err := compiler.Compile("{{ x }}{{ x + 1 }}", compiler.WithSyntax("jinja"))
	if err != nil {
		c.t.Fatal(err)
	}
	_, failed := p.Render(map[string]any{"x": canary})
	for _, v := range []any{p, *p.Image(), failed, p.Variables(), vm.NewEnv(p.Image().Dialect, vm.DefaultLimits())} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if s := fmt.Sprintf(verb, v); strings.Contains(s, canary) {
				c.fault("%s of %T shows data", verb, v)
			}
		}
	}
	c.data = map[string]any{"x": "fine"}
}

// folder makes the files around the folder of templates.
func (c *attackCase) folder(name string) {
	must := func(err error) {
		if errors.Is(err, errors.ErrUnsupported) {
			c.t.Skip(err)
		}
		if err != nil {
			c.t.Fatal(err)
		}
	}
	inside := filepath.Join(c.dir, "templates")
	must(os.MkdirAll(inside, 0o777))
	must(os.WriteFile(filepath.Join(c.dir, "secret.txt"), []byte(canary), 0o666))
	must(os.WriteFile(filepath.Join(c.dir, "secret.yaml"), []byte("x: "+canary+"\n"), 0o666))
	for part := range strings.SplitSeq(name, ";") {
		part = strings.TrimSpace(part)
		switch {
		case strings.HasPrefix(part, "outside:"):
		case part == "mkfifo fifo":
			must(makeFIFO(filepath.Join(inside, "fifo")))
		case part == "truncate -s 2G big":
			must(os.WriteFile(filepath.Join(inside, "big"), nil, 0o666))
			must(os.Truncate(filepath.Join(inside, "big"), 2<<30))
		case part == "race: rewrite a.j2":
			c.rewriting(filepath.Join(inside, "a.j2"))
		default: // [symlink] l1 -> l2, l2 -> l1 (comment)
			for link := range strings.SplitSeq(strings.TrimPrefix(part, "symlink "), ",") {
				from, to, ok := strings.Cut(link, "->")
				if !ok {
					c.t.Fatalf("there is no fixture %q", part)
				}
				to, _, _ = strings.Cut(strings.TrimSpace(to), " ")
				must(os.Symlink(to, filepath.Join(inside, strings.TrimSpace(from))))
			}
		}
	}
}

// rewriting changes a file all the time. Each render must see one version.
func (c *attackCase) rewriting(path string) {
	versions := []string{strings.Repeat("A", 5000), strings.Repeat("B", 9000)}
	write := func(i int) error { return os.WriteFile(path+".new", []byte(versions[i%2]), 0o666) }
	if err := errors.Join(write(0), os.Rename(path+".new", path)); err != nil {
		c.t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				if write(i) == nil {
					os.Rename(path+".new", path)
				}
			}
		}
	}()
	c.t.Cleanup(func() {
		close(stop)
		<-done
		if c.report == nil {
			return
		}
		if s := c.report.Text; s != versions[0]+versions[0] && s != versions[1]+versions[1] {
			c.t.Errorf("output of %d bytes mixes versions", len(s))
		}
	})
}

// filters registers the filters that the row calls.
func (c *attackCase) filters(name string) {
	switch {
	case strings.HasPrefix(name, "filter gone"):
		c.opts = append(c.opts, compiler.WithFilter("gone", func(any) string { runtime.Goexit(); return "" }))
	case strings.HasPrefix(name, "filter again"):
		c.opts = append(c.opts, compiler.WithFilter("again", func(env *vm.Env, v vm.Value) (string, error) {
			return c.program.RenderContext(env.Ctx, c.data)
		}))
	default:
		c.t.Fatalf("there is no fixture %q", name)
	}
}
