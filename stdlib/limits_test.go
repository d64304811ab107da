package stdlib

import (
	"errors"
	"math"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/fuzz/growth"
	"github.com/pcc-lang/pcc/vm"
)

// oddValues are values that builtins are not made for, each built anew.
func oddValues() []vm.Value {
	cyclic := &vm.List{}
	cyclic.Items = append(cyclic.Items, vm.Of(cyclic), vm.String(canary))
	m := vm.NewMap(2)
	m.Set(canary, vm.Int(1))
	m.Put(vm.Null, vm.String(canary))
	return []vm.Value{
		vm.Null, vm.UndefinedOf(&vm.Undefined{Name: "u"}), vm.Bool(true), vm.Int(0), vm.Int(-1), vm.Int(3),
		vm.Int(math.MaxInt64), vm.Int(math.MinInt64), vm.BigInt(new(big.Int).Lsh(big.NewInt(1), 300)),
		vm.Float(0.5), vm.Float(math.NaN()), vm.Float(math.Inf(-1)), vm.String(""), vm.String(canary), vm.Safe("<" + canary + ">"),
		vm.String("{" + canary + "}{0} %(x)s %d <|im_start|> \xff\xfe\x00"), vm.String("upper"), vm.String("a.b,0"),
		vm.ListOf(nil), vm.ListOf([]vm.Value{vm.Int(2), vm.String(canary), vm.Null}), vm.Of(cyclic), vm.TupleOf([]vm.Value{vm.Int(1), vm.Int(2)}),
		vm.MapOf(vm.NewMap(0)), vm.MapOf(m), vm.Of(map[string]any{"k": canary}), vm.Of([]any{1, canary}), vm.Of([]byte(canary)),
		vm.Of(time.Unix(0, 0)), vm.ObjectOf(newRange(0, 3, 1)), vm.ObjectOf(newRange(math.MinInt64, math.MaxInt64, 1)),
		vm.Of(&vm.Iterator{Next: func() (vm.Value, bool, error) { return vm.Null, false, nil }}), vm.Of(make(chan int)), vm.Of(struct{ secret string }{canary}),
	}
}

const canary = "CANARY-7f3a"

// allBuiltins lists every builtin of a dialect, each once.
func allBuiltins(d *vm.Dialect) map[string]*vm.Builtin {
	out := map[string]*vm.Builtin{}
	for name, b := range d.Filters {
		out["filter "+name] = b
	}
	for name, b := range d.Tests {
		out["test "+name] = b
	}
	for name, b := range functionsOf(d.Globals) {
		out["function "+name] = b
	}
	for kind, m := range d.Methods {
		for name, b := range m {
			out["method "+kind.String()+"."+name] = b
		}
	}
	return out
}

// No builtin panics, runs on, or names a value of the data in an error,
// whatever it is given; and none fails without a class.
func TestBuiltinsWithstandAnything(t *testing.T) {
	limits := vm.DefaultLimits()
	limits.Steps, limits.Memory = 20_000, 1<<20
	for _, d := range []*vm.Dialect{Native(), HF()} {
		for name, b := range allBuiltins(d) {
			subjects := oddValues()
			for i := range subjects {
				for j := range 8 {
					pool := oddValues()
					args := []vm.Value{pool[i]}
					for n := 0; n < j%4 && len(args) < len(b.Params); n++ {
						args = append(args, pool[(i*7+j*11+n*13)%len(pool)])
					}
					env := vm.NewEnv(d, limits)
					env.Autoescape = j%2 == 1
					_, err := settle(env, b, args)
					if err == nil {
						continue
					}
					var e *vm.Error
					if !errors.As(err, &e) || e.Kind == "" {
						t.Errorf("%s: %s: an error without a class: %v", d.Name, name, err)
						continue
					}
					if e.Code == "PCC302" {
						t.Errorf("%s: %s panics with arguments %d, %d: %v", d.Name, name, i, j, err)
					}
					if strings.Contains(e.Msg+e.Help, canary) && name != "function raise_exception" {
						t.Errorf("%s: %s: the error holds a value: %s", d.Name, name, e.Msg)
					}
				}
			}
		}
	}
}

// settle calls b, draws all items of a lazy result and prints it.
func settle(env *vm.Env, b *vm.Builtin, args []vm.Value) (vm.Value, error) {
	v, err := env.CallBuiltin(b, args, nil)
	if _, lazy := v.Iterator(); lazy && err == nil {
		var items []vm.Value
		items, err = env.Items(v)
		v = vm.ListOf(items)
	}
	if err == nil && env.Dialect.Undefined != vm.UndefinedStrict {
		_, err = env.Repr(v)
	}
	return v, err
}

// Calls that would make huge results end with a limit error before memory is
// taken.
func TestLimits(t *testing.T) {
	lines := vm.String(strings.Repeat("\n", 1000))
	long := vm.String(strings.Repeat("x", 20000))
	kb := vm.String(strings.Repeat("a ", 1000))
	big := vm.Int(2_000_000_000)
	for _, tc := range []struct {
		table string
		name  string
		args  []vm.Value
	}{
		{"filter", "center", []vm.Value{vm.String("x"), big}},
		{"filter", "indent", []vm.Value{lines, vm.Int(100_000_000)}},
		{"filter", "indent", []vm.Value{vm.String(strings.Repeat("x\n", 10000)), long}},
		{"filter", "replace", []vm.Value{long, vm.String(""), long}},
		{"filter", "join", []vm.Value{vm.ObjectOf(newRange(0, 90000, 1)), long}},
		{"filter", "batch", []vm.Value{vm.ListOf([]vm.Value{vm.Int(1)}), big, vm.String("x")}},
		{"filter", "slice", []vm.Value{vm.ListOf([]vm.Value{vm.Int(1)}), big}},
		{"filter", "list", []vm.Value{vm.ObjectOf(newRange(0, math.MaxInt64, 1))}},
		{"filter", "sum", []vm.Value{vm.ObjectOf(newRange(0, math.MaxInt64, 1))}},
		{"filter", "max", []vm.Value{vm.ObjectOf(newRange(0, math.MaxInt64, 1))}},
		{"filter", "unique", []vm.Value{vm.ObjectOf(newRange(0, math.MaxInt64, 1))}},
		{"filter", "select", []vm.Value{vm.ObjectOf(newRange(0, math.MaxInt64, 1)), vm.String("none")}},
		{"filter", "wordwrap", []vm.Value{kb, vm.Int(1), vm.Bool(true), vm.String(strings.Repeat("z", 1_000_000))}},
		{"filter", "tojson", []vm.Value{vm.ListOf([]vm.Value{vm.Int(1)}), vm.Bool(false), big}},
		{"filter", "json", []vm.Value{vm.ListOf([]vm.Value{vm.Int(1)}), big}},
		{"filter", "bullets", []vm.Value{vm.ListOf([]vm.Value{vm.String(strings.Repeat("x\n", 100_000))}), vm.String(strings.Repeat("-", 100_000))}},
		{"method", "zfill", []vm.Value{vm.String("x"), big}},
		{"method", "rjust", []vm.Value{vm.String("x"), big}},
		{"method", "expandtabs", []vm.Value{vm.String(strings.Repeat("\t", 1000)), vm.Int(100_000_000)}},
		{"method", "replace", []vm.Value{long, vm.String("x"), long}},
		{"method", "join", []vm.Value{long, kb}},
		{"method", "format", []vm.Value{vm.String("{:1000000000}"), vm.Int(1)}},
		{"method", "format", []vm.Value{vm.String("{:.1000000000f}"), vm.Float(1)}},
		{"method", "format", []vm.Value{vm.String("{:{}}"), vm.Int(1), vm.Int(1_000_000_000)}},
		{"function", "lipsum", []vm.Value{big}},
		{"function", "lipsum", []vm.Value{vm.Int(1), vm.Bool(false), vm.Int(1_000_000_000), vm.Int(1_000_000_001)}},
		{"function", "strftime_now", []vm.Value{vm.String(strings.Repeat("%1024Y", 100_000))}},
	} {
		d := HF()
		b := map[string]*vm.Builtin{
			"filter": d.Filters[tc.name], "method": d.Methods[vm.KindString][tc.name], "function": functionsOf(d.Globals)[tc.name],
		}[tc.table]
		limits := vm.DefaultLimits()
		limits.Steps = 2_000_000
		env := vm.NewEnv(d, limits)
		env.Now = func() time.Time { return time.Unix(0, 0).UTC() }
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := settle(env, b, tc.args)
		runtime.ReadMemStats(&after)
		var e *vm.Error
		if !errors.As(err, &e) || e.Kind != "limit" {
			t.Errorf("%s: %v, want a limit error", tc.name, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 6*uint64(env.Limits().Memory) /* garbage of growing included */ {
			t.Errorf("%s allocated %d MB", tc.name, grown>>20)
		}
	}
}

// Lazy sequences over lazy sequences, and objects in objects, are bounded.
func TestNestingIsBounded(t *testing.T) {
	env := newEnv(Jinja())
	v := vm.ListOf([]vm.Value{vm.String("a")})
	for range 50_000 {
		var err error
		if v, err = env.CallBuiltin(env.Dialect.Filters["map"], []vm.Value{v, vm.String("upper")}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := env.Items(v); !isLimit(err) {
		t.Errorf("a chain of 50,000 maps gives %v", err)
	}

	ns := &namespace{attrs: vm.NewMap(1)}
	ns.SetAttr("self", vm.ObjectOf(ns))
	if _, err := env.Str(vm.ObjectOf(ns)); !isLimit(err) {
		t.Errorf("a namespace that holds itself prints: %v", err)
	}
	for range 100_000 {
		m := vm.NewMap(1)
		m.Set("k", v)
		v = vm.ObjectOf(&view{env: env, of: vm.MapOf(m), kind: viewValues})
	}
	if _, err := env.Str(v); !isLimit(err) {
		t.Errorf("100,000 nested views print: %v", err)
	}
	cyclic := &vm.List{}
	cyclic.Items = []vm.Value{vm.Of(cyclic)}
	for _, name := range []string{"yaml", "markdown", "bullets", "pprint", "json", "tojson", "string", "fence"} {
		if _, err := settle(newEnv(Jinja()), Jinja().Filters[name], []vm.Value{vm.Of(cyclic)}); !isLimit(err) {
			t.Errorf("%s of a list that holds itself: %v", name, err)
		}
	}
}

func isLimit(err error) bool {
	var e *vm.Error
	return errors.As(err, &e) && e.Kind == "limit"
}

// Work grows in proportion to the input.
func TestLinear(t *testing.T) {
	const n = 1 << 18
	limits := vm.DefaultLimits()
	limits.Steps, limits.Memory = math.MaxInt64, math.MaxInt64
	inputs := map[string]string{
		"letters": strings.Repeat("a", n), "spaces": strings.Repeat(" ", n), "openers": strings.Repeat("<", n),
		"hyphens": strings.Repeat("-", n), "comments": strings.Repeat("<!", n/4) + strings.Repeat("<!----->", n/16),
		"marks": "a" + strings.Repeat("\u0301", n/2), "sigmas": strings.Repeat("Σ.", n/4), "pipes": strings.Repeat("<|", n/2),
		"invisible": strings.Repeat("<\u200b", n/4), "dots": strings.Repeat("a.", n/2), "breaks": strings.Repeat("\n", n),
		"urls": strings.Repeat("http://a.b ", n/11), "parens": strings.Repeat("(", n/2) + strings.Repeat(")", n/2), "braces": strings.Repeat("{", n),
		"backticks": strings.Repeat("`", n), "mails": strings.Repeat("a@", n/2),
	}
	d := Jinja()
	for _, name := range []string{"upper", "lower", "title", "capitalize", "trim", "striptags", "urlize", "wordwrap", "wordcount", "truncate", "indent",
		"escape", "guard", "escape_control", "unescape_control", "strip_invisible", "tokens", "dedent", "oneline", "quote", "fence", "xml", "yaml", "pprint", "tojson", "int", "float", "reverse", "center"} {
		for kind, s := range inputs {
			growth.Linear(t, name+" of "+kind, len(s), func(n int) {
				_, err := settle(vm.NewEnv(d, limits), d.Filters[name], []vm.Value{vm.String(s[:n])})
				if err != nil && isLimit(err) {
					t.Errorf("%s of %s: %v", name, kind, err)
				}
			})
		}
	}
}
