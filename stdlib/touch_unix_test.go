//go:build unix && !race

package stdlib

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

	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// The texts of these tests are long, and all but their ends cannot be read: who
// touches more than is paid for, or does not look at the context meanwhile, is cut
// short by the processor. So it does not matter how a builtin reads a text, and a
// new one is covered by being in the tables.
const (
	touchSize  = 32 << 20
	touchEdge  = 68 << 10 // at either end, which can be read: 64 KiB and a page for what looks a little ahead
	touchSteps = 64       // pay for 64 KiB
)

// halfRead makes a text of repeated units of which only the ends can be read,
// behind what begins it.
func halfRead(t *testing.T, begin, unit string) string {
	t.Helper()
	size := touchSize / len(unit) * len(unit)
	mem, err := syscall.Mmap(-1, 0, touchSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(mem) })
	for _, from := range []int{0, (size - touchEdge - 64<<10) / len(unit) * len(unit)} {
		for i := from; i < from+touchEdge+64<<10 && i < size; i += len(unit) {
			copy(mem[i:], unit)
		}
	}
	copy(mem, begin)
	if err := syscall.Mprotect(mem[touchEdge:touchSize-touchEdge], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return unsafe.String(&mem[0], size)
}

// touchTexts are the texts by their shapes.
func touchTexts(t *testing.T) map[string]string {
	units := map[string]string{"letters": "a", "words": "lorem, ", "accents": "é", "breaks": "\n", "returns": "\r", "digits": "7", "other digits": "٩",
		"blanks": " ", "openers": "<", "braces": "{", "conversions": "%s", "dots": "a.b", "commas": ",", "quotes": "'", "capitals": "Σ", "hyphens": "-",
		"entities": "&amp;", "at": "a@", "zeros": "0", "slashes": "//", "emoji": "😀", "backticks": "`", "brackets": "["}
	texts := make(map[string]string, len(units))
	for name, unit := range units {
		texts[name] = halfRead(t, "", unit)
	}
	for _, begin := range []string{"https://", "{0[", "%(", "{", "+0.", "1e", "0x", "<!--", "{:"} {
		texts["letters behind "+begin] = halfRead(t, begin, "a")
		texts["digits behind "+begin] = halfRead(t, begin, "1")
	}
	return texts
}

// touchCall is one way to use something of the language.
type touchCall struct {
	name string
	do   func(env *vm.Env) (vm.Value, error)
}

// touchCalls are the calls of all builtins and operations with a text, and with
// an equal one in other places.
// Few leaves out all subjects but the text itself.
func touchCalls(d *vm.Dialect, s, same string, few bool) []touchCall {
	var calls []touchCall
	text, other := vm.String(s), vm.String(same)
	add := func(name string, do func(env *vm.Env) (vm.Value, error)) { calls = append(calls, touchCall{name, do}) }
	subjects := map[string]func() vm.Value{
		"text":   func() vm.Value { return text },
		"markup": func() vm.Value { return vm.Safe(s) },
		"bytes":  func() vm.Value { return vm.Of(unsafe.Slice(unsafe.StringData(s), len(s))) },
		"list":   func() vm.Value { return vm.ListOf([]vm.Value{text, other}) },
		"tuple":  func() vm.Value { return vm.TupleOf([]vm.Value{text, vm.Int(1)}) },
		"map":    func() vm.Value { return vm.Of(map[string]any{"a": s}) },
		"own map": func() vm.Value {
			m := vm.NewMap(1)
			m.Set("a", text)
			return vm.MapOf(m)
		},
		"short": func() vm.Value { return vm.String("a") },
	}
	if few {
		maps.DeleteFunc(subjects, func(kind string, _ func() vm.Value) bool { return kind != "text" })
	}
	for what, b := range allBuiltins(d) {
		for kind, subject := range subjects {
			if strings.HasPrefix(what, "method ") && !strings.HasPrefix(what, "method "+subject().Kind().String()+".") {
				continue
			}
			for how, rest := range touchArguments(b, text, other) {
				add(fmt.Sprintf("%s of %s with %s", what, kind, how), func(env *vm.Env) (vm.Value, error) {
					if strings.HasPrefix(what, "function ") {
						return settle(env, b, rest)
					}
					return settle(env, b, append([]vm.Value{subject()}, rest...))
				})
			}
			for _, name := range []string{"attribute", "default", "a"} {
				add(fmt.Sprintf("%s of %s with %s=", what, kind, name), func(env *vm.Env) (vm.Value, error) {
					v, err := env.CallBuiltin(b, []vm.Value{subject(), other}, []string{name})
					if it, lazy := v.Iterator(); lazy && err == nil {
						_, _, err = it.Next()
					}
					return v, err
				})
			}
		}
	}
	for kind, subject := range subjects {
		for how, arg := range map[string]vm.Value{"an equal text": other, "a letter": vm.String("a"), "3": vm.Int(3), "the middle": vm.Int(touchSize / 8),
			"the middle from the end": vm.Int(-touchSize / 8), "bytes": vm.Of(unsafe.Slice(unsafe.StringData(same), len(same))), "a tuple": vm.TupleOf([]vm.Value{other}),
			"a list": vm.ListOf([]vm.Value{other, other})} {
			if kind == "bytes" && strings.HasPrefix(how, "the middle") {
				continue // one byte of them, which is there at once
			}
			for op := code.BinAdd; op <= code.BinConcat; op++ {
				add(fmt.Sprintf("operator %d of %s and %s", op, kind, how), func(env *vm.Env) (vm.Value, error) { return env.Binary(op, subject(), arg) })
				add(fmt.Sprintf("operator %d of %s and %s", op, how, kind), func(env *vm.Env) (vm.Value, error) { return env.Binary(op, arg, subject()) })
			}
			for op := code.CmpEq; op <= code.CmpNotIn; op++ {
				add(fmt.Sprintf("comparison %d of %s and %s", op, kind, how), func(env *vm.Env) (vm.Value, error) {
					b, err := env.Compare(op, subject(), arg)
					return vm.Bool(b), err
				})
				add(fmt.Sprintf("comparison %d of %s and %s", op, how, kind), func(env *vm.Env) (vm.Value, error) {
					b, err := env.Compare(op, arg, subject())
					return vm.Bool(b), err
				})
			}
			add(fmt.Sprintf("%s[%s]", kind, how), func(env *vm.Env) (vm.Value, error) { return env.Item(subject(), arg) })
			add(fmt.Sprintf("%s[%s:]", kind, how), func(env *vm.Env) (vm.Value, error) { return env.Slice(subject(), arg, vm.Null, vm.Null) })
			add(fmt.Sprintf("%s[:%s]", kind, how), func(env *vm.Env) (vm.Value, error) { return env.Slice(subject(), vm.Null, arg, vm.Null) })
			add(fmt.Sprintf("%s[::%s]", kind, how), func(env *vm.Env) (vm.Value, error) { return env.Slice(subject(), vm.Null, vm.Null, arg) })
		}
		add("length of "+kind, func(env *vm.Env) (vm.Value, error) { n, err := env.Len(subject()); return vm.Int(int64(n)), err })
		add("truth of "+kind, func(env *vm.Env) (vm.Value, error) { b, err := env.Truth(subject()); return vm.Bool(b), err })
		add("escaped "+kind, func(env *vm.Env) (vm.Value, error) { return env.Escape(subject()) })
		add("printed "+kind, func(env *vm.Env) (vm.Value, error) { s, err := env.Repr(subject()); return vm.String(s), err })
		add("JSON of "+kind, func(env *vm.Env) (vm.Value, error) {
			out, err := env.JSON(nil, subject(), vm.JSONOptions{})
			return vm.Bool(out != nil), err
		})
		add("items of "+kind, func(env *vm.Env) (vm.Value, error) { items, err := env.Items(subject()); return vm.ListOf(items), err })
	}
	return calls
}

// touchArguments are arguments for the parameters of b behind its subject.
func touchArguments(b *vm.Builtin, text, other vm.Value) map[string][]vm.Value {
	params := b.Params
	if len(params) > 0 && params[0].Kind != vm.Variadic {
		params = params[1:]
	}
	fill := func(v vm.Value, all bool) (out []vm.Value) {
		for _, p := range params {
			switch {
			case p.Kind == vm.Keywords:
			case p.Kind == vm.Optional && !all:
				return out
			default:
				out = append(out, v)
			}
		}
		return out
	}
	cases := map[string][]vm.Value{
		"letters": fill(vm.String("a"), false), "numbers": fill(vm.Int(1), false), "texts": fill(text, false), "equal texts": fill(other, false),
		"texts everywhere": fill(other, true), "numbers everywhere": fill(vm.Int(3), true), "large numbers": fill(vm.Int(1<<40), false),
		"tuples": fill(vm.TupleOf([]vm.Value{other, other}), false), "lists": fill(vm.ListOf([]vm.Value{other, other}), false),
	}
	for i, p := range params {
		if p.Kind == vm.Optional {
			var args []vm.Value
			for _, q := range params[:i] {
				if q.Kind == vm.Optional {
					args = append(args, q.Default)
				} else {
					args = append(args, vm.String("a"))
				}
			}
			cases["a text as "+p.Name] = append(args, other)
		}
	}
	return cases
}

// Nothing that a template can call touches more than a KiB of a text for a step,
// nor a text at all, beyond its first 64 KiB, after the context has ended.
func TestNothingIsTouchedForNothing(t *testing.T) {
	debug.SetPanicOnFault(true)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	texts, copies := touchTexts(t), touchTexts(t)
	calls := 0
	for _, d := range []*vm.Dialect{Native(), HF()} {
		for _, shape := range slices.Sorted(maps.Keys(texts)) {
			few := !slices.Contains([]string{"letters", "accents", "breaks", "commas"}, shape)
			for _, c := range touchCalls(d, texts[shape], copies[shape], few) {
				for promise, ctx := range map[string]context.Context{"64 steps": context.Background(), "a context that has ended": ended} {
					limits := vm.DefaultLimits()
					limits.Steps, limits.Memory = touchSteps, 1<<40
					if ctx == ended {
						limits.Steps = 1 << 50
					}
					env := vm.NewEnv(d, limits)
					env.Ctx = ctx
					env.Now = func() time.Time { return time.Unix(0, 0) }
					calls++
					if _, err := touch(env, c); err != nil {
						var e *vm.Error
						if errors.As(err, &e) && e.Code == "PCC302" {
							t.Errorf("%s: %s (%s): touches too much for %s: %v", d.Name, c.name, shape, promise, err)
						}
					}
				}
			}
		}
	}
	t.Logf("%d calls", calls)
}

// touch makes a call, of which a panic is an error, as it is of a builtin.
func touch(env *vm.Env, c touchCall) (v vm.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &vm.Error{Kind: "runtime", Code: "PCC302", Msg: fmt.Sprint(r)}
		}
	}()
	return c.do(env)
}
