package stdlib

import (
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/vm"
)

type point struct {
	X    int     `json:"x"`
	Y    float64 `json:"y,omitempty"`
	Name *string `json:"name"`
	Tags []string
	skip int
}

type label string

func TestAdapt(t *testing.T) {
	for _, tc := range []struct {
		fn   any
		args []string // JSON
		want any
		err  string
	}{
		{func(s string) string { return s + "!" }, []string{`"a"`}, "a!", ""},
		{func(s string) string { return s + "!" }, []string{`12`}, "12!", ""},
		{func(s string) string { return s }, []string{`[1]`}, nil, "argument 1 of f must be text, not list"},
		{func(s string) (string, error) { return "", errors.New("no such thing") }, []string{`"a"`}, nil, "f: no such thing"},
		{func(x any) any { return x }, []string{`{"a":[1,2.5,null,"s",true]}`}, map[string]any{"a": []any{1, 2.5, nil, "s", true}}, ""},
		{func(v vm.Value) (vm.Value, error) { return vm.Bool(v.IsNull()), nil }, []string{`null`}, true, ""},
		{func(s string, n int) (string, error) { return strings.Repeat(s, n), nil }, []string{`"ab"`, `3`}, "ababab", ""},
		{func(s string, n int) (string, error) { return s, nil }, []string{`"ab"`, `"3"`}, nil, "argument 2 of f must be an integer, not string"},
		{func(s string, n int) (string, error) { return s, nil }, []string{`"ab"`}, nil, "missing"},
		{func(s string, n int8) string { return s }, []string{`"ab"`, `300`}, nil, "out of range"},
		{func(n uint) uint { return n }, []string{`-1`}, nil, "out of range"},
		{func(n int) int { return n }, []string{`3.0`}, int64(3), ""},
		{func(n int) int { return n }, []string{`3.5`}, nil, "must be an integer"},
		{func(sep string, parts ...string) string { return strings.Join(parts, sep) }, []string{`"-"`, `"a"`, `"b"`}, "a-b", ""},
		{func(sep string, parts ...string) string { return strings.Join(parts, sep) }, []string{`"-"`}, "", ""},
		{func(b bool, f float64) string { return fmt.Sprint(b, f) }, []string{`true`, `2`}, "true 2", ""},
		{func(b bool) bool { return b }, []string{`1`}, nil, "must be a boolean"},
		{func(xs []any) int { return len(xs) }, []string{`[1,[2],{"a":3}]`}, int64(3), ""},
		{func(xs []string) string { return strings.Join(xs, ",") }, []string{`["a","b"]`}, "a,b", ""},
		{func(xs []int) int { return len(xs) }, []string{`"no"`}, nil, "must be a list"},
		{func(m map[string]any) any { return m["k"] }, []string{`{"k":"v"}`}, "v", ""},
		{func(m map[string][]int) int { return m["k"][1] }, []string{`{"k":[1,2]}`}, int64(2), ""},
		{func(m map[label]int) int { return m["k"] }, []string{`{"k":7}`}, int64(7), ""},
		{func(p point) string { return fmt.Sprintln(p.X, p.Y, *p.Name, p.Tags, p.skip) }, []string{`{"x":1,"y":2.5,"name":"p","Tags":["t"],"skip":9}`}, "1 2.5 p [t] 0\n", ""},
		{func(p *point) bool { return p == nil }, []string{`null`}, true, ""},
		{func(t time.Time) int { return t.Year() }, []string{`"2026-03-09T14:05:07Z"`}, int64(2026), ""},
		{func(b []byte) int { return len(b) }, []string{`"abc"`}, int64(3), ""},
		{func(i *big.Int) string { return i.String() }, []string{`123456789012345678901234567890`}, "123456789012345678901234567890", ""},
		{func(env *vm.Env, s string) string { return env.Dialect.Name + s }, []string{`"!"`}, "native!", ""},
		{func(l label) label { return l + "!" }, []string{`"x"`}, "x!", ""},
		{func(s string) string { panic("secret") }, []string{`"a"`}, nil, "panicked (string)"},
		{func(s string) string { runtime.Goexit(); return "" }, []string{`"a"`}, nil, "Goexit"},
	} {
		b, err := Adapt("f", tc.fn)
		if err != nil {
			t.Errorf("%T: %v", tc.fn, err)
			continue
		}
		var args []vm.Value
		for _, a := range tc.args {
			args = append(args, data(t, a))
		}
		env := newEnv(Native())
		got, err := env.CallBuiltin(b, args, nil)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%T of %v: %v, want %q", tc.fn, tc.args, err, tc.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%T of %v: %v", tc.fn, tc.args, err)
			continue
		}
		want, got2 := plainNumbers(tc.want), plainNumbers(got.Interface())
		if fmt.Sprint(want) != fmt.Sprint(got2) {
			t.Errorf("%T of %v (-want +got):\n%s", tc.fn, tc.args, cmp.Diff(want, got2))
		}
	}
}

// A struct of the host's own type is handed over as it is.
func TestAdaptHostStruct(t *testing.T) {
	b, err := Adapt("f", func(p point) int { return p.skip })
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{point{skip: 4}, &point{skip: 4}} {
		got, err := newEnv(Native()).CallBuiltin(b, []vm.Value{vm.Of(v)}, nil)
		if i, _ := got.Int64(); err != nil || i != 4 {
			t.Errorf("%T: %v %v", v, got, err)
		}
	}
}

func TestAdaptRefuses(t *testing.T) {
	type deep [][][][][][][][][][]int
	for _, fn := range []any{
		nil, 7, func() {}, func(string) {}, func(string) (int, string) { return 0, "" }, func(string) error { return nil },
		func(chan int) int { return 0 }, func(func()) int { return 0 }, func(map[float64]int) int { return 0 }, func(deep) int { return 0 },
		func(complex128) int { return 0 }, (func(string) string)(nil), (func(any) any)(nil),
	} {
		if _, err := Adapt("f", fn); err == nil {
			t.Errorf("%T is accepted", fn)
		}
	}
	b := Jinja().Filters["upper"]
	if got, err := Adapt("f", b); err != nil || got != b {
		t.Errorf("a builtin: %v %v", got, err)
	}
}

func BenchmarkFilters(b *testing.B) {
	d := Native()
	list := vm.ListOf([]vm.Value{vm.String("alpha"), vm.String("beta"), vm.String("gamma")})
	for _, bc := range []struct {
		name string
		args []vm.Value
	}{
		{"upper", []vm.Value{vm.String("hello world")}},
		{"trim", []vm.Value{vm.String("  hello world \n"), vm.Null}},
		{"default", []vm.Value{vm.String("x"), vm.String("y"), vm.Bool(false)}},
		{"join", []vm.Value{list, vm.String(", "), vm.Null}},
		{"json", []vm.Value{list, vm.Null}},
		{"length", []vm.Value{list}},
		{"guard", []vm.Value{vm.String("a plain text of some length, with a < b and [x] in it"), vm.String("all")}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			env := newEnv(d)
			f := d.Filters[bc.name].Fn
			b.ReportAllocs()
			for range b.N {
				if _, err := f(env, bc.args); err != nil {
					env = newEnv(d)
				}
			}
		})
	}
}
