//go:build unix

package fuzz

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// What is cancelled here may do little after its context has ended: touch texts
// and lists for no more than bulkBytes, allocate slack, and look at the context
// again a few times, while calls return. Nothing of this is time, so it does not
// matter how fast or busy the machine is.
const (
	bulkBytes = 512 << 10
	slack     = 8 << 20 // a text of bulk has 6 MiB, and its copy may be made
	moreLooks = 64
)

// The lists of these tests are long, and all but their ends cannot be read: who
// goes on over them without a look is cut short by the processor.
const (
	listBytes = 32 << 20
	listEdge  = 2 << 20
)

// halfList is a list of which only the ends can be read. Its items point to
// nothing that the collector looks after.
func halfList(t *testing.T, item func(i int) vm.Value) []vm.Value {
	t.Helper()
	mem, err := syscall.Mmap(-1, 0, listBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(mem) })
	size := int(unsafe.Sizeof(vm.Value{}))
	items := unsafe.Slice((*vm.Value)(unsafe.Pointer(&mem[0])), listBytes/size)
	for i := range items {
		if at := i * size; at < listEdge+size || at > listBytes-listEdge-size {
			items[i] = item(i)
		}
	}
	if err := syscall.Mprotect(mem[listEdge:listBytes-listEdge], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return items
}

// countedContext ends at a look at it, and counts the looks and what is worked
// and allocated after that.
type countedContext struct {
	context.Context
	endsAt, looks int
	worked        int // bytes of bulk work after the end
	allocated     uint64
}

func (c *countedContext) Err() error {
	if c.looks++; c.looks < c.endsAt {
		return nil
	}
	if c.looks == c.endsAt {
		c.allocated = allocated()
	}
	return context.DeadlineExceeded
}

func (c *countedContext) onWork(bytes int) {
	if c.looks >= c.endsAt {
		c.worked += bytes
	}
}

// cancelled runs work under contexts that end at one of the first looks, and
// tells what it does too much afterwards, "" for nothing.
func cancelled(work func(ctx *countedContext) error) string {
	for _, endsAt := range []int{1, 3} {
		ctx := &countedContext{Context: context.Background(), endsAt: endsAt}
		err := survive(func() error { return work(ctx) })
		var e *vm.Error
		var d *diag.Diagnostic
		if errors.As(err, &e) && e.Code == "PCC302" || errors.As(err, &d) && d.Code == "PCC302" {
			return fmt.Sprintf("touches too much without a look at its context, which ended at look %d: %v", endsAt, err)
		}
		if ctx.looks < endsAt {
			continue // it was done before
		}
		bytes := allocated() - ctx.allocated
		if more := ctx.looks - endsAt; more > moreLooks || ctx.worked > bulkBytes || bytes > slack {
			return fmt.Sprintf("works on after its context has ended at look %d: %d looks, %d bytes touched, %d allocated (%v)", endsAt, more, ctx.worked, bytes, err)
		}
		if err == nil {
			return fmt.Sprintf("does not tell that its context has ended at look %d", endsAt)
		}
	}
	return ""
}

// survive makes errors of panics, as calls of builtins do.
func survive(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &vm.Error{Kind: "runtime", Code: "PCC302", Msg: fmt.Sprint(r)}
		}
	}()
	return work()
}

// bulk are values of several megabytes.
func bulk(t *testing.T) map[string]vm.Value {
	const size = 6 << 20
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	words := []string{"Text b", "text", "Ä", "a", "zz top"}
	texts := halfList(t, func(i int) vm.Value { return vm.String(words[i*7919%len(words)]) })
	m, own, typed := map[string]any{}, vm.NewMap(0), map[int]int{}
	for i := range 200_000 {
		m[fmt.Sprint("key", i*7919%200_003)] = i
	}
	for i := range 200_000 {
		own.Set(fmt.Sprint("key", i*7919%200_003), vm.Int(int64(i)))
	}
	for i := range 200_000 {
		typed[i] = i
	}
	rows := make([]any, 100_000)
	for i := range rows {
		rows[i] = map[string]any{"k": fmt.Sprint("Key", i%1000), "n": i}
	}
	return map[string]vm.Value{
		"words":    vm.String(fill("lorem Ipsum, ")),
		"one word": vm.String(fill("a")),
		"letters":  vm.String(fill("ΑΣς Äß")),
		"markup":   vm.Safe(fill("<b>&amp;'x'</b> www.example.com a@b.com ")),
		"lines":    vm.String(fill("one\n  <|two|> 1\r\n")),
		"fields":   vm.String(fill("{0!r:>2} %(a)s ")),
		"bytes":    vm.PythonBytes([]byte(fill("ab\n"))),
		"ints":     vm.ListOf(halfList(t, func(i int) vm.Value { return vm.Int(int64(i * 7919 % 500_009)) })),
		"texts":    vm.ListOf(texts),
		"tuple":    vm.TupleOf(texts),
		"map":      vm.Of(m),
		"own map":  vm.MapOf(own),
		"rows":     vm.Of(rows),
		"typed":    vm.Of(typed),
	}
}

// callCases are the arguments after the subject that a builtin is called with
// beside the usual ones.
func callCases(name string) [][]vm.Value {
	text, n := vm.String, func(i int64) vm.Value { return vm.Int(i) }
	return map[string][][]vm.Value{
		"batch":          {{n(3)}, {n(1)}},
		"center":         {{n(8 << 20)}, {n(10_000_000), text("é")}},
		"rjust":          {{n(10_000_000), text("é")}},
		"decode":         {{text("latin-1")}, {text("utf-8"), text("replace")}},
		"encode":         {{text("latin-1"), text("replace")}, {text("ascii"), text("xmlcharrefreplace")}},
		"dictsort":       {{vm.Bool(false), text("value")}},
		"groupby":        {{text("k")}, {text("n")}},
		"join":           {{text(", ")}, {vm.Safe("<br>")}},
		"map":            {{text("upper")}, {text("wordcount")}},
		"replace":        {{text("a"), text("bb")}, {text(""), text("-")}, {text("e"), text("")}},
		"select":         {{text("odd")}, {text("none")}},
		"selectattr":     {{text("n"), text("none")}},
		"sort":           {{vm.Bool(true)}, {vm.Bool(false), vm.Bool(true), text("k,n")}},
		"split":          {{text(" ")}, {text("a")}, {vm.Null, n(1_000_000)}},
		"rsplit":         {{text(" ")}, {text("a")}, {vm.Null, n(1_000_000)}},
		"sum":            {{text("n")}},
		"tojson":         {{n(2)}, {vm.Bool(true)}, {vm.Bool(false), vm.Null, vm.Null, vm.Bool(true)}},
		"json":           {{n(2)}},
		"truncate":       {{n(4 << 20)}, {n(4 << 20), vm.Bool(true)}},
		"unique":         {{vm.Bool(true)}, {vm.Bool(false), text("k")}},
		"max":            {{vm.Bool(false), text("k")}},
		"wordwrap":       {{n(20)}, {n(4_000_000)}, {n(3), vm.Bool(false)}},
		"indent":         {{n(2), vm.Bool(true), vm.Bool(true)}},
		"truncate_words": {{n(1 << 30)}},
		"int":            {{n(0), n(16)}},
		"insert":         {{n(0), n(1)}, {n(-3), n(1)}},
		"pop":            {{n(0)}, {n(-1)}},
		"urlize":         {{n(10)}},
	}[name]
}

// TestCancelledBuiltins gives several megabytes to every filter, test, function
// and method, and to the operators, under a context that ends soon.
func TestCancelledBuiltins(t *testing.T) {
	debug.SetPanicOnFault(true)
	first, second := bulk(t), bulk(t)
	jinja, native := stdlib.HF(), stdlib.Native()
	calls := 0
	for _, on := range slices.Sorted(maps.Keys(first)) {
		call := func(d *vm.Dialect, what, name string, required int, f func(env *vm.Env, args []vm.Value) (vm.Value, error)) {
			cases := callCases(name)
			switch {
			case required <= 0:
				cases = append(cases, nil)
			case required == 1:
				cases = append(cases, []vm.Value{vm.String("a")}, []vm.Value{second[on]})
			default:
				cases = append(cases, slices.Repeat([]vm.Value{vm.String("a")}, required))
			}
			for _, rest := range cases {
				args := append([]vm.Value{first[on]}, rest...)
				if items, ok := first[on].List(); ok { // methods change it
					args[0] = vm.ListOf(items.Items[: len(items.Items)-8 : len(items.Items)])
				}
				calls++
				if fault := cancelled(func(ctx *countedContext) error {
					return inFull(d, ctx, func(env *vm.Env) (vm.Value, error) { return f(env, args) })
				}); fault != "" {
					t.Errorf("%s: %s of %s with %d arguments %s", d.Name, what, on, len(rest), fault)
				}
			}
		}
		builtins := func(d *vm.Dialect, kind string, table, done map[string]*vm.Builtin) {
			for name, b := range table {
				required := -1
				for _, p := range b.Params {
					if p.Kind == vm.Required {
						required++
					}
				}
				if done[name] == nil {
					call(d, kind+" "+name, name, required, func(env *vm.Env, args []vm.Value) (vm.Value, error) {
						return env.CallBuiltin(b, args, nil)
					})
				}
			}
		}
		builtins(jinja, "filter", jinja.Filters, nil)
		builtins(native, "filter", native.Filters, jinja.Filters)
		builtins(jinja, "test", jinja.Tests, nil)
		builtins(native, "test", native.Tests, jinja.Tests)
		builtins(jinja, "method", jinja.Methods[first[on].Kind()], nil)
		for name, v := range jinja.Globals {
			call(jinja, "function "+name, name, 0, func(env *vm.Env, args []vm.Value) (vm.Value, error) {
				return env.Call(v, args, nil)
			})
		}
		for op := code.CmpEq; op <= code.CmpNotIn; op++ {
			call(native, fmt.Sprint("comparison ", op), "", 1, func(env *vm.Env, args []vm.Value) (vm.Value, error) {
				b, err := env.Compare(op, args[1], args[0])
				return vm.Bool(b), err
			})
		}
		for _, d := range []*vm.Dialect{native, jinja} {
			for op := code.BinAdd; op <= code.BinConcat; op++ {
				call(d, fmt.Sprint("operator ", op), "", 1, func(env *vm.Env, args []vm.Value) (vm.Value, error) {
					return env.Binary(op, args[0], args[1])
				})
			}
		}
	}
	t.Logf("%d calls", calls)
}

// inFull calls f in an environment without limits, draws all items of a lazy
// result and prints it.
func inFull(d *vm.Dialect, ctx *countedContext, f func(*vm.Env) (vm.Value, error)) error {
	limits := vm.DefaultLimits()
	limits.Steps, limits.Memory = 1<<60, 1<<40
	env := vm.NewEnv(d, limits)
	env.Ctx = ctx
	env.OnWork(ctx.onWork)
	env.Now = func() time.Time { return time.Unix(0, 0) }
	v, err := f(env)
	if _, lazy := v.Iterator(); lazy && err == nil {
		var items []vm.Value
		items, err = env.Items(v)
		v = vm.ListOf(items)
	}
	if err == nil {
		_, err = env.Str(v)
	}
	return err
}

// TestCancelledExpressions is the same for what only templates do: slices,
// loops, what is written, and messages.
func TestCancelledExpressions(t *testing.T) {
	debug.SetPanicOnFault(true)
	big := bulk(t)
	huge := vm.Limits{Steps: 1 << 60, Memory: 1 << 40, OutputBytes: 1 << 40, Iterations: 1 << 60}
	for _, tt := range []struct{ syntax, template string }{
		{"jinja", "{{ x[::-1] }}"}, {"jinja", "{{ x[1::2] }}"}, {"jinja", "{{ x[-2:1:-3] }}"}, {"jinja", "{{ x[4000000:4000010] }}"},
		{"jinja", "{% for y in x %}{% endfor %}"}, {"jinja", "{% for k, v in x.items() %}{% endfor %}"}, {"jinja", "{{ x }}"}, {"jinja", "{{ [x, x] }}"},
		{"jinja", "{% set c %}{{ x }}{% endset %}{{ c[::-1] }}"}, {"jinja", "{{ x | length }}"},
		{"jinja", "{% filter upper %}{{ x }}{% endfilter %}"}, {"jinja", "{% autoescape true %}{{ x }}{% endautoescape %}"},
		{"jinja", "{% for y in x recursive %}{% endfor %}"}, {"jinja", "{% for y in x if y is none %}{% endfor %}"},
		{"brace", "{x}"}, {"brace", "{{ x[::-1] }}"}, {"brace", "{loop x as k, v}{/loop}"}, {"brace", "{loop x as v}{/loop}"}, {"brace", "  {x}"},
		{"brace", "{{ [x, x] }}"}, {"brace", "{message user}{x}{/message}"},
	} {
		p, err := compiler.Compile(tt.template, compiler.WithSyntax(compiler.Syntax(tt.syntax)), compiler.WithLimits(huge))
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range big {
			for _, opts := range [][]vm.RenderOption{nil, {vm.WithGuard("all")}} {
				if opts != nil && !strings.Contains(tt.template, "x}") {
					continue
				}
				if fault := cancelled(func(ctx *countedContext) error {
					_, err := p.Report(ctx, map[string]any{"x": v}, opts...)
					return err
				}); fault != "" {
					t.Errorf("%s of %s (%d options) %s", tt.template, name, len(opts), fault)
				}
			}
		}
	}
}
