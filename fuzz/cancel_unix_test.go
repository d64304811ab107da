//go:build unix

package fuzz

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// What is cancelled here ends once the process has worked for endsAfter, and
// must return before it has worked for lateness more. This is time of the
// processor, not of the clock: a busy machine does not count. The promise is
// 10 ms; garbage is collected between the calls only.
const (
	endsAfter = 2 * time.Millisecond
	lateness  = 60 * time.Millisecond
)

// cpuTime is the time that all threads of the process have worked.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// workContext ends once the process has worked until a time.
type workContext struct {
	context.Context
	until time.Duration
}

func (c workContext) Err() error {
	if cpuTime() < c.until {
		return nil
	}
	return context.DeadlineExceeded
}

// late runs work under a context and tells by how much it outlived it.
func late(work func(ctx context.Context) error) (by time.Duration, err error) {
	var now runtime.MemStats
	if runtime.ReadMemStats(&now); now.HeapAlloc > 700<<20 {
		runtime.GC()
	}
	for range 2 { // once more, in case something else worked in between
		until := cpuTime() + endsAfter
		err = work(workContext{context.Background(), until})
		if by = cpuTime() - until; by < lateness {
			break
		}
	}
	return by, err
}

// bulk are values of several megabytes, each made anew for the methods that
// change their receiver.
func bulk() map[string]vm.Value {
	const size = 6 << 20
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	ints := make([]any, 500_000)
	texts := make([]vm.Value, 200_000)
	for i := range ints {
		ints[i] = i * 7919 % 500_009
	}
	for i := range texts {
		texts[i] = vm.String(fmt.Sprint("Text ", ints[i]))
	}
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
		"ints":     vm.Of(ints),
		"texts":    vm.Of(&vm.List{Items: texts}),
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
		"urlize":         {{n(10)}},
	}[name]
}

// TestCancelledBuiltins gives several megabytes to every filter, test, function
// and method, and to the operators, under a context that ends soon.
func TestCancelledBuiltins(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("times work")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	first, second := bulk(), bulk()
	jinja, native := stdlib.HF(), stdlib.Native()
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
				by, err := late(func(ctx context.Context) error {
					return inFull(d, ctx, func(env *vm.Env) (vm.Value, error) { return f(env, args) })
				})
				if by > lateness {
					t.Errorf("%s: %s of %s with %d arguments worked on for %v after its context had ended (%v)", d.Name, what, on, len(rest), by.Round(time.Millisecond), err)
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
		for op := vm.CmpEq; op <= vm.CmpNotIn; op++ {
			call(native, fmt.Sprint("comparison ", op), "", 1, func(env *vm.Env, args []vm.Value) (vm.Value, error) {
				b, err := env.Compare(op, args[1], args[0])
				return vm.Bool(b), err
			})
		}
		for _, d := range []*vm.Dialect{native, jinja} {
			for op := vm.OpAdd; op <= vm.OpConcat; op++ {
				call(d, fmt.Sprint("operator ", op), "", 1, func(env *vm.Env, args []vm.Value) (vm.Value, error) {
					return env.Binary(op, args[0], args[1])
				})
			}
		}
	}
}

// inFull calls f in an environment without limits, draws all items of a lazy
// result and prints it.
func inFull(d *vm.Dialect, ctx context.Context, f func(*vm.Env) (vm.Value, error)) error {
	limits := vm.DefaultLimits()
	limits.Steps, limits.Memory = 1<<60, 1<<40
	env := vm.NewEnv(d, limits)
	env.Ctx = ctx
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
	if raceEnabled || testing.Short() {
		t.Skip("times work")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	big := bulk()
	huge := vm.Limits{Steps: 1 << 60, Memory: 1 << 40, OutputBytes: 1 << 40, LoopTurns: 1 << 60}
	for _, tt := range []struct{ syntax, template string }{
		{"jinja", "{{ x[::-1] }}"}, {"jinja", "{{ x[1::2] }}"}, {"jinja", "{{ x[-2:1:-3] }}"}, {"jinja", "{{ x[4000000:4000010] }}"},
		{"jinja", "{% for y in x %}{% endfor %}"}, {"jinja", "{% for k, v in x.items() %}{% endfor %}"}, {"jinja", "{{ x }}"}, {"jinja", "{{ [x, x] }}"},
		{"jinja", "{% set c %}{{ x }}{% endset %}{{ c[::-1] }}"}, {"jinja", "{{ x | length }}"},
		{"jinja", "{% filter upper %}{{ x }}{% endfilter %}"}, {"jinja", "{% autoescape true %}{{ x }}{% endautoescape %}"},
		{"jinja", "{% for y in x recursive %}{% endfor %}"}, {"jinja", "{% for y in x if y is none %}{% endfor %}"},
		{"brace", "{x}"}, {"brace", "{{ x[::-1] }}"}, {"brace", "{loop x as k, v}{/loop}"}, {"brace", "{loop x as v}{/loop}"}, {"brace", "  {x}"},
		{"brace", "{{ [x, x] }}"}, {"brace", "{message user}{x}{/message}"},
	} {
		p, err := compiler.Compile(tt.template, compiler.WithSyntax(tt.syntax), compiler.WithLimits(huge))
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range big {
			for _, opts := range [][]vm.RenderOption{nil, {vm.WithGuard("all")}} {
				if opts != nil && !strings.Contains(tt.template, "x}") {
					continue
				}
				by, err := late(func(ctx context.Context) error {
					_, err := p.Report(ctx, map[string]any{"x": v}, opts...)
					return err
				})
				if by > lateness {
					t.Errorf("%s of %s (%d options) worked on for %v after its context had ended (%v)", tt.template, name, len(opts), by.Round(time.Millisecond), err)
				}
			}
		}
	}
}
