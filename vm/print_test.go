package vm

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

type address struct {
	City string `json:"city"`
	Zip  string `json:"zip,omitempty"`
}

type customer struct {
	Name    string `json:"name"`
	Age     int
	secret  string
	Hidden  string   `json:"-"`
	Address *address `json:"address"`
	Tags    []string `json:"tags,omitempty"`
}

type grade int

func (grade) String() string { return "a grade" }

type celsius float64

func TestPrintNative(t *testing.T) {
	noon := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	age := 41
	for _, c := range []struct {
		v    Value
		want string
	}{
		{String("a\n\"é"), "a\n\"é"},
		{Null, ""}, {Bool(true), "true"}, {Of(false), "false"}, {undefinedVar("x"), ""},
		{Int(-42), "-42"}, {Of(uint64(math.MaxUint64)), "18446744073709551615"}, {Of(int8(-3)), "-3"},
		{Of(big.NewInt(7)), "7"}, {Of(&age), "41"}, {Of((*int)(nil)), ""},
		{Float(3), "3"}, {Float(-0.5), "-0.5"}, {Float(1e20), "100000000000000000000"}, {Float(1e21), "1e+21"},
		{Float(123456789.125), "123456789.125"}, {Float(1e-6), "0.000001"}, {Float(1.5e-7), "0.00000015"},
		{Float(5e-324), "0." + strings.Repeat("0", 323) + "5"}, {Float(1e-10), "0.0000000001"}, {Float(1e100), "1e+100"}, {Float(math.Copysign(0, -1)), "-0"},
		{Float(math.Inf(-1)), "-Infinity"}, {Float(math.NaN()), "NaN"},
		{Of(float32(0.1)), "0.1"}, {Of(celsius(21.5)), "21.5"}, {Of(grade(3)), "3"},
		{Of(json.Number("1.50")), "1.50"}, {Of(json.Number("12")), "12"},
		{Of([]byte("bytes")), "bytes"}, {Of(noon), "2026-03-09T12:00:00Z"},
		{Of(&noon), "2026-03-09T12:00:00Z"}, {Of(noon.Add(1500 * time.Millisecond)), "2026-03-09T12:00:01.5Z"},
		{list(), "[]"}, {list(1, "a", nil, true, 2.0, []any{}), `[1, "a", null, true, 2, []]`},
		{Of([]string{"<b>", "é"}), `["<b>", "é"]`}, {Of([2]int{1, 2}), "[1, 2]"}, {tuple(1), "[1]"},
		{dict("b", 1, "a", dict()), `{"b": 1, "a": {}}`},
		{Of(map[string]any{"b": 1, "a": []any{nil}}), `{"a": [null], "b": 1}`},
		{Of(map[string]int{"y": 2, "x": 1}), `{"x": 1, "y": 2}`},
		{Of(map[any]any{"1": "s", 1: "i", nil: 0, 2.5: 1, true: 2}), `{"null": 0, "true": 2, "1": "i", "2.5": 1, "1": "s"}`},
		{Of(customer{Name: "Ann", Age: 3, secret: "CANARY", Hidden: "CANARY"}), `{"name": "Ann", "Age": 3, "address": null}`},
		{Of(&customer{Name: "B", Address: &address{City: "Köln"}, Tags: []string{"x"}}),
			`{"name": "B", "Age": 0, "address": {"city": "Köln"}, "tags": ["x"]}`},
		{Of([]time.Time{noon}), `["2026-03-09T12:00:00Z"]`},
		{list(math.NaN(), math.Inf(1)), "[NaN, Infinity]"},
		{dict(tuple(1, 2), 3), `{"[1, 2]": 3}`},
		{ObjectOf(testRange(3)), "[0, 1, 2]"},
	} {
		if got := must(t)(nativeEnv().Str(c.v)); got != c.want {
			t.Errorf("%v: got %s, want %s", c.v, got, c.want)
		}
	}
}

func TestPrintPython(t *testing.T) {
	noon := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		v         Value
		str, repr string
	}{
		{String("it's"), "it's", `"it's"`},
		{Safe("<b>"), "<b>", "Markup('<b>')"},
		{Null, "None", "None"}, {Bool(true), "True", "True"}, {Of(grade(3)), "3", "3"},
		{Float(3), "3.0", "3.0"}, {Of(float32(0.1)), "0.1", "0.1"}, {Of(json.Number("1.50")), "1.5", "1.5"},
		{undefinedVar("x"), "", "Undefined"},
		{list(undefinedVar("x"), Safe("a")), "[Undefined, Markup('a')]", "[Undefined, Markup('a')]"},
		{Of(customer{Name: "Ann"}), "{'name': 'Ann', 'Age': 0, 'address': None}", "{'name': 'Ann', 'Age': 0, 'address': None}"},
		{Of(noon), "2026-03-09T12:00:00Z", "'2026-03-09T12:00:00Z'"},
		{Of([]byte("a'b\n\xff")), "a'b\n\xff", `b"a'b\n\xff"`},
		{PythonBytes([]byte("Hi")), "b'Hi'", "b'Hi'"},
		{Of("stray \xff\xc3 bytes"), "stray \xff\xc3 bytes", `'stray \udcff\udcc3 bytes'`},
		{Of(&Iterator{}), "<generator object>", "<generator object>"},
		{complexPower(-8, 1.0/3), "(1.0000000000000002+1.7320508075688772j)", "(1.0000000000000002+1.7320508075688772j)"},
	} {
		if got := must(t)(pythonEnv().Str(c.v)); got != c.str {
			t.Errorf("str(%v) = %s, want %s", c.v, got, c.str)
		}
		if got := must(t)(pythonEnv().Repr(c.v)); got != c.repr {
			t.Errorf("repr(%v) = %s, want %s", c.v, got, c.repr)
		}
	}
}

func TestPrintUndefined(t *testing.T) {
	attr := UndefinedOf(&Undefined{Name: "k", Owner: "dict"})
	element := UndefinedOf(&Undefined{Name: "5", Owner: "list", Element: true})
	none := UndefinedOf(&Undefined{Name: "a", Owner: "NoneType"})
	hint := UndefinedOf(&Undefined{Message: "parameter 'a' was not provided"})
	for _, c := range []struct {
		kind UndefinedKind
		v    Value
		want string
	}{
		{UndefinedDefault, attr, ""}, {UndefinedChainable, attr, ""},
		{UndefinedDebug, undefinedVar("x"), "{{ x }}"},
		{UndefinedDebug, attr, "{{ no such element: dict object['k'] }}"},
		{UndefinedDebug, element, "{{ no such element: list object[5] }}"},
		{UndefinedDebug, none, "{{ no such element: None['a'] }}"},
		{UndefinedDebug, hint, "{{ undefined value printed: parameter 'a' was not provided }}"},
		{UndefinedStrict, undefinedVar("x"), "!'x' is undefined"},
		{UndefinedStrict, attr, "!'dict object' has no attribute 'k'"},
		{UndefinedStrict, element, "!list object has no element 5"},
		{UndefinedStrict, none, "!'None' has no attribute 'a'"},
		{UndefinedStrict, hint, "!parameter 'a' was not provided"},
	} {
		e := pythonEnv()
		e.Dialect.Undefined = c.kind
		got, err := e.Str(c.v)
		if err != nil {
			got = "!" + err.Error()
		}
		if got != c.want {
			t.Errorf("kind %d: got %s, want %s", c.kind, got, c.want)
		}
	}
}

func TestPrintMarkdown(t *testing.T) {
	for _, c := range []struct{ v, want string }{
		{"'a text'", "a text"},
		{"None", "None"},
		{"[]", ""}, {"{}", ""},
		{"['red', 'green']", "- red\n- green"},
		{"[True, None, 1.0, 2]", "- True\n- None\n- 1.0\n- 2"},
		{"{'name': 'Ann', 'n': 1.5}", "name: Ann\nn: 1.5"},
		{"[{'id': 1, 'qty': 2}, {'id': 3, 'qty': 4}]", "- id: 1\n  qty: 2\n- id: 3\n  qty: 4"},
		{"{'items': [{'id': 1, 'tags': ['x', 'y']}], 'end': 0}", "items:\n  - id: 1\n    tags:\n      - x\n      - y\nend: 0"},
		{"[['a', 'b'], ['c']]", "- - a\n  - b\n- - c"},
		{"[[['a', 'b'], 'c']]", "- - - a\n    - b\n  - c"},
		{"{'a': {}, 'b': [], 'c': {'d': []}}", "a:\nb:\nc:\n  d:"},
		{"[{}, [], 'x']", "-\n-\n- x"},
		{"[{'a': ['x', {'b': 'y'}]}, 'tail']", "- a:\n    - x\n    - b: y\n- tail"},
		{"{1: 'one', None: 'n'}", "1: one\nNone: n"},
	} {
		got, err := pythonEnv().AppendStr(nil, lit(t, c.v), StyleMarkdown)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: error %v\ngot:\n%s\nwant:\n%s", c.v, err, got, c.want)
		}
	}
}

// TestPrintBold: what AgentForge's commit f5760dd printed, of which these texts
// were made.
func TestPrintBold(t *testing.T) {
	for _, c := range []struct{ v, want string }{
		{"'a text'", "a text"}, {"None", "None"}, {"[]", ""}, {"{}", ""},
		{"['red', 1.0, None, ['a', 'b'], {'k': True}]", "- red\n- 1.0\n- None\n- ['a', 'b']\n- {'k': True}"},
		{"{'name': 'Ann', 'n': 1.5, 'no': None, 2: True}", "**name**: Ann\n**n**: 1.5\n**no**: None\n**2**: True"},
		{"{'tags': ['x', ['y']], 'none': [], 'map': {'a': 1, 'b': [2], 'c': {}}, 'end': {}}",
			"**tags**:\n- x\n- ['y']\n**none**:\n**map**:\n- a: 1\n- b: [2]\n- c: {}\n**end**:"},
	} {
		got, err := pythonEnv().AppendStr(nil, lit(t, c.v), StyleBold)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: error %v\ngot:\n%s\nwant:\n%s", c.v, err, got, c.want)
		}
	}
}

func TestPrintPDX(t *testing.T) {
	for _, c := range []struct{ v, want string }{
		{"'é'", "é"}, {"None", "None"}, {"True", "True"}, {"2.0", "2.0"},
		{"['a', True]", "['a', True]"},
		{"{'é': 1.0, 'b': [True, None, 'x']}", `{"é": 1.0, "b": [true, null, "x"]}`},
	} {
		got, err := pythonEnv().AppendStr(nil, lit(t, c.v), StylePDX)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.v, got, err, c.want)
		}
	}
}

// A float prints as digits that read back, in both styles.
func TestFloatRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		f := math.Float64frombits(r.Uint64())
		if r.IntN(2) == 0 {
			f = math.Round(r.NormFloat64()*1e6) / 100
		}
		if math.IsNaN(f) {
			continue
		}
		for _, text := range []string{string(appendFloat(nil, f, StyleNative)), string(appendFloat(nil, f, StylePython))} {
			if back, err := strconv.ParseFloat(text, 64); err != nil || back != f {
				t.Fatalf("%b prints as %s, which reads as %b (%v)", f, text, back, err)
			}
		}
	}
}

// Values that never end, or that are far larger than they look, meet a limit
// in every form of output.
func TestPrintLimits(t *testing.T) {
	cyclicMap := map[string]any{"a": 1}
	cyclicMap["self"] = cyclicMap
	cyclicSlice := make([]any, 1)
	cyclicSlice[0] = cyclicSlice
	ordered := NewMap(1)
	ordered.Set("self", MapOf(ordered))
	type node struct{ Next *node }
	ring := &node{}
	ring.Next = ring
	var deep any = "x"
	for range 3_000_000 {
		deep = []any{deep}
	}
	dag := []any{}
	for range 40 {
		dag = []any{dag, dag}
	}
	emptyDag := map[string]any{}
	for range 40 {
		emptyDag = map[string]any{"a": emptyDag, "b": emptyDag}
	}
	for name, v := range map[string]any{
		"cyclic map": cyclicMap, "cyclic slice": cyclicSlice, "ordered map": ordered, "ring of structs": ring,
		"3M levels": deep, "shared lists": dag, "shared maps": emptyDag,
	} {
		limits := DefaultLimits()
		limits.Memory = 1 << 20
		for _, d := range []*Dialect{{}, {Python: true, Style: StylePython}} {
			e := NewEnv(d, limits)
			outs := map[string]func() error{
				"str":      func() error { _, err := e.Str(Of(v)); return err },
				"markdown": func() error { _, err := e.AppendStr(nil, Of(v), StyleMarkdown); return err },
				"repr":     func() error { _, err := e.Repr(Of(v)); return err },
				"json": func() error {
					_, err := e.JSON(nil, Of(v), JSONOptions{Python: e.Dialect.Python, Indent: " ", SortKeys: true})
					return err
				},
			}
			for form, f := range outs {
				wantLimit(t, name+" "+form, f())
			}
		}
	}
}

func wantLimit(t *testing.T, what string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != "limit" || e.Code == "" {
		t.Errorf("%s: error %v, want a limit error with a code", what, err)
	}
}

func TestPrintCharges(t *testing.T) {
	limits := DefaultLimits()
	limits.Memory = 10_000
	for what, v := range map[string]any{
		"long text": strings.Repeat("x", 20_000), "bytes": make([]byte, 20_000), "list": []any{strings.Repeat("x", 6000), strings.Repeat("y", 6000)},
		"many items": make([]any, 20_000), "escapes": []any{strings.Repeat("\x01", 4000)},
	} {
		for _, d := range []*Dialect{{}, {Python: true, Style: StylePython}} {
			dst, err := NewEnv(d, limits).AppendStr([]byte("before"), Of(v), d.Style)
			wantLimit(t, what, err)
			if string(dst) != "before" {
				t.Errorf("%s: dst is changed on an error", what)
			}
		}
	}
	// What is about to be written is paid for before, and only once.
	e := nativeEnv()
	before := e.memory
	w := writer{e: e}
	if err := w.room(5000); err != nil || before-e.memory != 5000 {
		t.Errorf("room for 5000 bytes: %v, %d bytes charged", err, before-e.memory)
	}
	w.dst = make([]byte, 5000)
	if err := w.settle(); err != nil || before-e.memory != 5000 {
		t.Errorf("5000 bytes that are paid for: %v, %d bytes charged", err, before-e.memory)
	}
	// A number too long to be printed in time is refused before the attempt.
	huge := new(big.Int).Lsh(big.NewInt(1), 50_000_000)
	e = nativeEnv()
	steps := e.steps
	_, err := e.Str(Of(huge))
	wantLimit(t, "huge number", err)
	if used := steps - e.steps; used > 1000 {
		t.Errorf("refusing a huge number took %d steps", used)
	}
}

type selfPrinter struct{ inner *List }

func (selfPrinter) TypeName(*Env) string { return "box" }
func (p selfPrinter) Print(e *Env, dst []byte, _ bool) ([]byte, error) {
	s, err := e.Repr(Value{ref: p.inner})
	return append(dst, s...), err
}

// An object that prints what holds it again ends at the limit.
func TestPrintObjectThatHoldsItself(t *testing.T) {
	l := &List{}
	l.Items = []Value{ObjectOf(selfPrinter{l})}
	for _, e := range []*Env{nativeEnv(), pythonEnv()} {
		_, err := e.Str(Value{ref: l})
		wantLimit(t, "an object in itself", err)
		if e.nesting != 0 {
			t.Errorf("nesting is %d after the error", e.nesting)
		}
	}
}

type panicking struct{}

func (panicking) String() string { panic("CANARY") }

type dereferencing struct{ name *string }

func (d *dereferencing) String() string { return *d.name }

type marshaling struct{}

func (marshaling) MarshalText() ([]byte, error) { return []byte("<i>text</i>"), nil }

type failing struct{}

func (failing) MarshalText() ([]byte, error) { return nil, errors.New("CANARY") }

func TestPrintHostMethods(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string // "!" and a part of the message
	}{
		{grade(3), "a grade"}, {errors.New("an error"), "an error"}, {marshaling{}, "<i>text</i>"},
		{panicking{}, "!printing a value of the host panicked (string)"},
		{&dereferencing{}, "!panicked (runtime.errorString"},
		{failing{}, "!MarshalText of a value of the host failed"},
	} {
		for _, e := range []*Env{nativeEnv(), pythonEnv()} {
			e.Host = true
			got, err := e.Str(Of(c.v))
			if part, isError := strings.CutPrefix(c.want, "!"); isError {
				if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "CANARY") {
					t.Errorf("%T: error %v, want %q", c.v, err, part)
				}
			} else if err != nil || got != c.want {
				t.Errorf("%T: got %q, %v, want %q", c.v, got, err, c.want)
			}
		}
	}
	// Without the option no method runs.
	for _, v := range []any{panicking{}, &dereferencing{}, failing{}} {
		if got := must(t)(nativeEnv().Str(Of(v))); got != "{}" {
			t.Errorf("%T prints as %q", v, got)
		}
	}
}

// Formatting a Value with package fmt shows nothing of what it holds.
func TestValueFormat(t *testing.T) {
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		if got := fmt.Sprintf(verb, String("CANARY")); got != "<string>" {
			t.Errorf("%s gives %q", verb, got)
		}
	}
}

func BenchmarkAppendStr(b *testing.B) {
	for name, v := range map[string]Value{
		"string": String("a short string"), "int": Int(123456), "float": Float(1234.5), "whole": Float(1234), "bool": Bool(true), "null": Null,
		"anyString": Of("a short string"), "anyFloat": Of(1234.5), "int32": Of(int32(5)), "json.Number": Of(json.Number("12.5")),
	} {
		for _, e := range []*Env{nativeEnv(), pythonEnv()} {
			b.Run(name+"/"+e.Dialect.Name, func(b *testing.B) {
				dst := make([]byte, 0, 64)
				e.steps, e.memory = math.MaxInt64, math.MaxInt64
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.AppendStr(dst, v, e.Dialect.Style); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Scalars are written without a single allocation.
func TestAppendStrAllocates(t *testing.T) {
	dst := make([]byte, 0, 64)
	for _, e := range []*Env{nativeEnv(), pythonEnv()} {
		for _, v := range []Value{String("abc"), Int(1 << 40), Float(0.1), Bool(true), Null, Of("abc"), Of(12), Of(1.5), Of(true), undefinedVar("x")} {
			if n := testing.AllocsPerRun(100, func() { dst, _ = e.AppendStr(dst[:0], v, e.Dialect.Style) }); n != 0 {
				t.Errorf("%s %v: %v allocations", e.Dialect.Name, v, n)
			}
		}
	}
}

// Bytes that a template made print as in Python 3.11.
func TestPythonBytes(t *testing.T) {
	for in, want := range map[string]string{"a\r\n\t\\\x00\x7f\xff": `b'a\r\n\t\\\x00\x7f\xff'`, "it's": `b"it's"`, `'"`: `b'\'"'`, `"`: `b'"'`, "": "b''"} {
		if got := must(t)(pythonEnv().Repr(PythonBytes([]byte(in)))); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
