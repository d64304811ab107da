package stdlib

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// call calls a global function of a dialect with named arguments last.
func call(t testing.TB, env *vm.Env, name string, args []vm.Value, names ...string) vm.Value {
	t.Helper()
	v, err := env.Call(env.Dialect.Globals[name], args, names)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func str(t testing.TB, env *vm.Env, v vm.Value) string {
	t.Helper()
	s, err := env.Str(v)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// attrCall calls a method or attribute of a value.
func attrCall(t testing.TB, env *vm.Env, v vm.Value, name string, args ...vm.Value) vm.Value {
	t.Helper()
	f, err := env.Attr(v, name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := env.Call(f, args, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// TestRangeSlices: a slice of a range is the range that Python writes.
func TestRangeSlices(t *testing.T) {
	env := newEnv(Jinja())
	for _, tc := range []struct {
		args []int64
		by   [3]vm.Value
		repr string
	}{
		{[]int64{3}, [3]vm.Value{vm.Null, vm.Null, vm.Int(2)}, "range(0, 3, 2)"},
		{[]int64{10}, [3]vm.Value{vm.Int(1), vm.Int(9), vm.Int(3)}, "range(1, 9, 3)"},
		{[]int64{0}, [3]vm.Value{vm.Null, vm.Null, vm.Int(2)}, "range(0, 0, 2)"},
		{[]int64{2, 20, 3}, [3]vm.Value{vm.Int(1), vm.Null, vm.Int(2)}, "range(5, 20, 6)"},
		{[]int64{3}, [3]vm.Value{vm.Null, vm.Null, vm.Int(-1)}, "range(2, -1, -1)"},
		{[]int64{3}, [3]vm.Value{vm.Null, vm.Null, vm.Int(100)}, "range(0, 3, 100)"},
		{[]int64{10, 0, -3}, [3]vm.Value{vm.Int(1), vm.Int(3), vm.Null}, "range(7, 1, -3)"},
	} {
		args := make([]vm.Value, len(tc.args))
		for i, n := range tc.args {
			args[i] = vm.Int(n)
		}
		s, err := env.Slice(call(t, env, "range", args), tc.by[0], tc.by[1], tc.by[2])
		if err != nil {
			t.Fatal(err)
		}
		if got := str(t, env, s); got != tc.repr {
			t.Errorf("range%v%v: %s, want %s", tc.args, tc.by, got, tc.repr)
		}
	}
}

func TestRange(t *testing.T) {
	env := newEnv(Jinja())
	for _, tc := range []struct {
		args []int64
		repr string
		list string
	}{
		{[]int64{3}, "range(0, 3)", "[0, 1, 2]"},
		{[]int64{1, 4}, "range(1, 4)", "[1, 2, 3]"},
		{[]int64{10, 0, -4}, "range(10, 0, -4)", "[10, 6, 2]"},
		{[]int64{0}, "range(0, 0)", "[]"},
		{[]int64{5, 5, -1}, "range(5, 5, -1)", "[]"},
		{[]int64{9223372036854775800, 9223372036854775807, 5}, "range(9223372036854775800, 9223372036854775807, 5)", "[9223372036854775800, 9223372036854775805]"},
		{[]int64{-9223372036854775808, 9223372036854775807, 9223372036854775807}, "range(-9223372036854775808, 9223372036854775807, 9223372036854775807)", "[-9223372036854775808, -1, 9223372036854775806]"},
	} {
		var args []vm.Value
		for _, a := range tc.args {
			args = append(args, vm.Int(a))
		}
		v := call(t, env, "range", args)
		if got := str(t, env, v); got != tc.repr {
			t.Errorf("range%v prints %s", tc.args, got)
		}
		items, err := env.Items(v)
		if err != nil || str(t, env, vm.ListOf(items)) != tc.list {
			t.Errorf("range%v: %v %v", tc.args, items, err)
		}
		n, _ := env.Len(v)
		if n != len(items) {
			t.Errorf("range%v: length %d of %d items", tc.args, n, len(items))
		}
		for i, it := range items {
			for _, key := range []int{i, i - n} {
				if x, err := env.Item(v, vm.Int(int64(key))); err != nil || str(t, env, x) != str(t, env, it) {
					t.Errorf("range%v[%d] = %v %v", tc.args, key, x, err)
				}
			}
			if in, err := env.Compare(code.CmpIn, it, v); err != nil || !in {
				t.Errorf("%v is not in range%v: %v", it, tc.args, err)
			}
			if at := attrCall(t, env, v, "index", it); str(t, env, at) != fmt.Sprint(i) {
				t.Errorf("range%v: index %v of item %d", tc.args, at, i)
			}
		}
	}
	v := call(t, env, "range", []vm.Value{vm.Int(10)})
	part, err := env.Slice(v, vm.Int(-1), vm.Null, vm.Int(-3))
	if err != nil || str(t, env, part) != "range(9, -1, -3)" {
		t.Errorf("a slice of a range: %v %v", part, err)
	}
	if x, err := env.Item(v, vm.Int(10)); err != nil || !x.IsUndefined() {
		t.Errorf("behind the end: %v %v", x, err)
	}
	sandboxed := newEnv(HF())
	call(t, sandboxed, "range", []vm.Value{vm.Int(100_000)})
	_, err = sandboxed.Call(sandboxed.Dialect.Globals["range"], []vm.Value{vm.Int(100_001)}, nil)
	var e *vm.Error
	if !errors.As(err, &e) || e.Kind != "overflow" {
		t.Errorf("a range too large for the sandbox: %v", err)
	}
}

func TestStatefulObjects(t *testing.T) {
	env := newEnv(Jinja())
	c := call(t, env, "cycler", []vm.Value{vm.String("odd"), vm.String("even")})
	var got []string
	for range 3 {
		got = append(got, str(t, env, attrCall(t, env, c, "next")))
	}
	attrCall(t, env, c, "reset")
	current, _ := env.Attr(c, "current")
	got = append(got, str(t, env, current))
	if diff := cmp.Diff([]string{"odd", "even", "odd", "odd"}, got); diff != "" {
		t.Error(diff)
	}

	j := call(t, env, "joiner", []vm.Value{vm.String("|")})
	first, _ := env.Call(j, nil, nil)
	second, _ := env.Call(j, nil, nil)
	if str(t, env, first) != "" || str(t, env, second) != "|" {
		t.Errorf("joiner gives %v and %v", first, second)
	}

	m := vm.NewMap(1)
	m.Set("a", vm.Int(1))
	ns := call(t, env, "namespace", []vm.Value{vm.MapOf(m), vm.String("x")}, "b")
	if got := str(t, env, ns); got != "<Namespace {'a': 1, 'b': 'x'}>" {
		t.Errorf("a namespace prints %s", got)
	}
	o, _ := ns.Object()
	o.(vm.AttrSetter).SetAttr("a", vm.Int(5))
	if x, _ := env.Attr(ns, "a"); str(t, env, x) != "5" {
		t.Errorf("ns.a = %v", x)
	}
	if _, ok := m.Get("b"); ok {
		t.Error("namespace changed the map that it was made of")
	}

	d := call(t, env, "dict", []vm.Value{vm.ListOf([]vm.Value{vm.TupleOf([]vm.Value{vm.Int(1), vm.Int(2)})}), vm.Int(3)}, "k")
	keys := attrCall(t, env, d, "keys")
	if got := str(t, env, keys); got != "dict_keys([1, 'k'])" {
		t.Errorf("keys print %s", got)
	}
	attrCall(t, env, d, "setdefault", vm.String("new"), vm.Int(4))
	if n, _ := env.Len(keys); n != 3 {
		t.Errorf("a view does not follow its map: %d keys", n)
	}
	if got := str(t, env, attrCall(t, env, d, "popitem")); got != "('new', 4)" {
		t.Errorf("popitem gives %s", got)
	}
	if got := str(t, env, attrCall(t, env, d, "items")); got != "dict_items([(1, 2), ('k', 3)])" {
		t.Errorf("items print %s", got)
	}
}

// Methods that change lists and maps work on what the template made, and leave
// the caller's data alone.
func TestChangingMethods(t *testing.T) {
	env := newEnv(Jinja())
	l := vm.ListOf([]vm.Value{vm.Int(3), vm.Int(1), vm.Int(2)})
	for _, step := range []struct {
		method string
		args   []vm.Value
		gives  string
		after  string
	}{
		{"append", []vm.Value{vm.Int(5)}, "None", "[3, 1, 2, 5]"},
		{"insert", []vm.Value{vm.Int(-1), vm.String("x")}, "None", "[3, 1, 2, 'x', 5]"},
		{"pop", []vm.Value{vm.Int(3)}, "x", "[3, 1, 2, 5]"},
		{"pop", nil, "5", "[3, 1, 2]"},
		{"extend", []vm.Value{vm.String("ab")}, "None", "[3, 1, 2, 'a', 'b']"},
		{"remove", []vm.Value{vm.String("a")}, "None", "[3, 1, 2, 'b']"},
		{"index", []vm.Value{vm.Int(2)}, "2", "[3, 1, 2, 'b']"},
		{"count", []vm.Value{vm.Float(1)}, "1", "[3, 1, 2, 'b']"},
		{"pop", nil, "b", "[3, 1, 2]"},
		{"sort", nil, "None", "[1, 2, 3]"},
		{"reverse", nil, "None", "[3, 2, 1]"},
		{"copy", nil, "[3, 2, 1]", "[3, 2, 1]"},
		{"clear", nil, "None", "[]"},
	} {
		got := str(t, env, attrCall(t, env, l, step.method, step.args...))
		if after := str(t, env, l); got != step.gives || after != step.after {
			t.Errorf("%s gives %s and leaves %s; want %s, %s", step.method, got, after, step.gives, step.after)
		}
	}

	shared := map[string]any{"l": []any{1, 2}, "m": map[string]any{"a": 1}}
	frozenList := &vm.List{Items: []vm.Value{vm.Int(1)}, Frozen: true}
	frozenMap := vm.NewMap(0)
	frozenMap.Frozen = true
	for _, tc := range []struct {
		on     vm.Value
		method string
		args   []vm.Value
	}{
		{vm.Of(shared["l"]), "append", []vm.Value{vm.Int(3)}},
		{vm.Of(shared["l"]), "pop", nil},
		{vm.Of(shared["m"]), "update", []vm.Value{vm.MapOf(vm.NewMap(0))}},
		{vm.Of(shared["m"]), "pop", []vm.Value{vm.String("a")}},
		{vm.Of(frozenList), "clear", nil},
		{vm.MapOf(frozenMap), "setdefault", []vm.Value{vm.String("k")}},
	} {
		f, err := env.Attr(tc.on, tc.method)
		if err != nil {
			t.Fatal(err)
		}
		_, err = env.Call(f, tc.args, nil)
		var e *vm.Error
		if !errors.As(err, &e) || e.Kind != "runtime" || e.Help == "" {
			t.Errorf("%s on the caller's data: %v", tc.method, err)
		}
	}
	if diff := cmp.Diff(map[string]any{"l": []any{1, 2}, "m": map[string]any{"a": 1}}, shared); diff != "" {
		t.Errorf("the caller's data changed:\n%s", diff)
	}
	// In the immutable sandbox not even what the template made is changed.
	sandboxed := newEnv(HF())
	f, err := sandboxed.Attr(vm.ListOf(nil), "append")
	if err == nil {
		_, err = sandboxed.Call(f, []vm.Value{vm.Int(1)}, nil)
	}
	var e *vm.Error
	if !errors.As(err, &e) || e.Kind != "security" {
		t.Errorf("append in the immutable sandbox: %v", err)
	}
}

func TestClockAndChance(t *testing.T) {
	env := newEnv(HF())
	format := []vm.Value{vm.String("%A, %d %B %Y %H:%M %j|%-d|%z")}
	_, err := env.Call(env.Dialect.Globals["strftime_now"], format, nil)
	var e *vm.Error
	if !errors.As(err, &e) || e.Help == "" {
		t.Errorf("without a clock: %v", err)
	}
	env.Now = func() time.Time { return time.Date(2024, 2, 29, 23, 5, 7, 0, time.UTC) }
	if got := str(t, env, call(t, env, "strftime_now", format)); got != "Thursday, 29 February 2024 23:05 060|29|" {
		t.Errorf("strftime_now gives %q", got)
	}
	_, err = env.Call(env.Dialect.Globals["raise_exception"], []vm.Value{vm.String("roles must alternate")}, nil)
	if !errors.As(err, &e) || e.Msg != "roles must alternate" {
		t.Errorf("raise_exception: %v", err)
	}

	l := vm.ListOf([]vm.Value{vm.Int(1), vm.Int(2), vm.Int(3)})
	if a, b := apply(t, Jinja(), "random", l), apply(t, Jinja(), "random", l); a != b {
		t.Errorf("random without a source gives %s and %s", a, b)
	}
	env.Random = func(n int) int { return n - 1 }
	if v, err := env.CallBuiltin(env.Dialect.Filters["random"], []vm.Value{l}, nil); err != nil || str(t, env, v) != "3" {
		t.Errorf("random with a source: %v %v", v, err)
	}
	one, two := newEnv(Jinja()), newEnv(Jinja())
	if a, b := str(t, one, call(t, one, "lipsum", nil)), str(t, two, call(t, two, "lipsum", nil)); a != b || strings.Count(a, "<p>") != 5 {
		t.Errorf("lipsum is not the same each time, or not five paragraphs: %q", a)
	}
	plain := str(t, one, call(t, one, "lipsum", []vm.Value{vm.Int(1), vm.Bool(false), vm.Int(5), vm.Int(6)}))
	if n := len(strings.Fields(plain)); n != 5 || !strings.HasSuffix(plain, ".") {
		t.Errorf("lipsum of five words: %q", plain)
	}
}

func TestHFTojson(t *testing.T) {
	v := data(t, `{"b":"é<'🤗","a":[1,1.0,[]],"n":null}`)
	for _, tc := range []struct {
		names []string
		args  []vm.Value
		want  string
	}{
		{nil, nil, `{"b": "é<'🤗", "a": [1, 1.0, []], "n": null}`},
		{[]string{"sort_keys"}, []vm.Value{vm.Bool(true)}, `{"a": [1, 1.0, []], "b": "é<'🤗", "n": null}`},
		{[]string{"ensure_ascii"}, []vm.Value{vm.Bool(true)}, `{"b": "\u00e9<'\ud83e\udd17", "a": [1, 1.0, []], "n": null}`},
		{[]string{"separators"}, []vm.Value{vm.TupleOf([]vm.Value{vm.String(","), vm.String(":")})}, `{"b":"é<'🤗","a":[1,1.0,[]],"n":null}`},
		{[]string{"indent"}, []vm.Value{vm.Int(1)}, "{\n \"b\": \"é<'🤗\",\n \"a\": [\n  1,\n  1.0,\n  []\n ],\n \"n\": null\n}"},
		{[]string{"indent"}, []vm.Value{vm.Int(0)}, "{\n\"b\": \"é<'🤗\",\n\"a\": [\n1,\n1.0,\n[]\n],\n\"n\": null\n}"},
	} {
		env := newEnv(HF())
		out, err := env.CallBuiltin(env.Dialect.Filters["tojson"], append([]vm.Value{v}, tc.args...), tc.names)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, str(t, env, out)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tc.names, diff)
		}
	}
}

// Every builtin is documented, by its own name, and can be built again.
func TestTable(t *testing.T) {
	table := Table()
	seen := map[string]bool{}
	for _, e := range table {
		key := e.Kind + " " + e.On + "." + e.Name
		if seen[key] {
			t.Errorf("%s stands twice", key)
		}
		seen[key] = true
		if len(e.Doc) < 5 || !strings.HasSuffix(e.Doc, ".") || !strings.HasPrefix(e.Signature, e.Name+"(") {
			t.Errorf("%s: signature %q, doc %q", key, e.Signature, e.Doc)
		}
		if !e.Native && !e.Jinja {
			t.Errorf("%s belongs to no dialect", key)
		}
	}
	for _, want := range []string{"filter .guard", "filter .truncate", "test .divisibleby", "function .range", "method str.split", "method dict.items"} {
		if !seen[want] {
			t.Errorf("%s is missing", want)
		}
	}
	if b := Jinja().Filters["truncate"]; b.Signature() != `truncate(s, length=255, killwords=false, end="...", leeway=null)` &&
		b.Signature() != `truncate(s, length=255, killwords=false, end='...', leeway=null)` {
		t.Errorf("signature %s", b.Signature())
	}
	for _, sig := range []string{"a, , b", "x=nope", "a,b=[1]"} {
		if _, err := parseSignature(sig); err == nil {
			t.Errorf("the signature %q is accepted", sig)
		}
	}
}

// Jinja's own names are all there (jinja2.filters.FILTERS, tests.TESTS and
// defaults.DEFAULT_NAMESPACE of 3.1.6).
func TestJinjaIsComplete(t *testing.T) {
	for _, name := range strings.Fields(`abs attr batch capitalize center count d default dictsort e escape filesizeformat first float
		forceescape format groupby indent int join last length list lower items map min max pprint random reject rejectattr replace
		reverse round safe select selectattr slice sort string striptags sum title trim truncate unique upper urlencode urlize
		wordcount wordwrap xmlattr tojson`) {
		if JinjaFilters()[name] == nil || NativeFilters()[name] == nil || HFFilters()[name] == nil {
			t.Errorf("no filter %s", name)
		}
	}
	for _, name := range strings.Fields(`odd even divisibleby defined undefined filter test none boolean false true integer float lower upper
		string mapping number sequence iterable callable sameas escaped in == eq equalto != ne > gt greaterthan ge >= < lt lessthan <= le`) {
		if JinjaTests()[name] == nil || NativeTests()[name] == nil {
			t.Errorf("no test %s", name)
		}
	}
	for _, name := range strings.Fields("range dict lipsum cycler joiner namespace") {
		if _, ok := JinjaGlobals()[name]; !ok {
			t.Errorf("no function %s", name)
		}
	}
	strict := PromptTemplates("strict")
	if len(strict.Filters) != 3 || len(strict.Tests) != 3 || len(strict.Globals) != 0 || strict.Undefined != vm.UndefinedStrict {
		t.Errorf("the strict level has %d filters, %d tests, %d functions", len(strict.Filters), len(strict.Tests), len(strict.Globals))
	}
	if _, ok := PromptTemplates("standard").Globals["len"]; !ok {
		t.Error("the standard level lacks len")
	}
	relaxed := PromptTemplates("relaxed").Globals
	if _, ok := relaxed["len"]; ok || len(relaxed) != len(JinjaGlobals()) {
		t.Error("the relaxed level has other functions than Jinja")
	}
}

// The maps that the package gives out are the caller's own, and dialects can be
// used by many renders at once.
func TestTablesAreShared(t *testing.T) {
	f := JinjaFilters()
	delete(f, "upper")
	m := Methods()
	delete(m[vm.KindString], "split")
	if JinjaFilters()["upper"] == nil || Jinja().Methods[vm.KindString]["split"] == nil {
		t.Error("a caller changed the tables")
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				apply(t, Native(), "guard", vm.String("<|im_start|>"))
				apply(t, Jinja(), "urlize", vm.String("see http://a.example"))
				apply(t, PDX(), "tojson", vm.Int(1))
			}
		})
	}
	wg.Wait()
}

func TestCancellation(t *testing.T) {
	env := newEnv(Jinja())
	ctx, cancel := context.WithCancel(context.Background())
	env.Ctx = ctx
	cancel()
	_, err := env.CallBuiltin(env.Dialect.Filters["sum"], []vm.Value{vm.ObjectOf(newRange(0, 1_000_000, 1))}, nil)
	var e *vm.Error
	if !errors.As(err, &e) || e.Kind != "cancelled" {
		t.Errorf("a cancelled sum: %v", err)
	}
}

// Lazy filters look at their arguments when items are asked for, and by then
// the caller may have used the slice again.
func TestLazyFiltersKeepTheirArguments(t *testing.T) {
	env := newEnv(Jinja())
	list := vm.ListOf([]vm.Value{vm.Int(1), vm.Int(2), vm.Int(2)})
	for _, tc := range []struct {
		filter string
		args   []vm.Value
		want   string
	}{
		{"map", []vm.Value{list, vm.String("string")}, "['1', '2', '2']"},
		{"select", []vm.Value{list, vm.String("odd")}, "[1]"},
		{"unique", []vm.Value{list, vm.Bool(false), vm.Null}, "[1, 2]"},
		{"batch", []vm.Value{list, vm.Int(2), vm.String("x")}, "[[1, 2], [2, 'x']]"},
		{"slice", []vm.Value{list, vm.Int(2), vm.String("x")}, "[[1, 2], [2, 'x']]"},
		{"items", []vm.Value{vm.Of(map[string]any{"k": 1})}, "[('k', 1)]"},
	} {
		v, err := env.CallBuiltin(env.Dialect.Filters[tc.filter], tc.args, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tc.args {
			tc.args[i] = v
		}
		items, err := env.Items(v)
		if err != nil || str(t, env, vm.ListOf(items)) != tc.want {
			t.Errorf("%s gives %v, %v; want %s", tc.filter, items, err, tc.want)
		}
	}
}
