package vm

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPythonJSON(t *testing.T) {
	data, err := os.ReadFile("testdata/python/json.txt")
	if err != nil {
		t.Fatal(err)
	}
	options := map[string]JSONOptions{
		"":                            {EnsureASCII: true},
		"ensure_ascii=False":          {},
		"indent=2":                    {EnsureASCII: true, Indent: "  "},
		`indent='\t', sort_keys=True`: {EnsureASCII: true, Indent: "\t", SortKeys: true},
		"sort_keys=True":              {EnsureASCII: true, SortKeys: true},
		"separators=(',', ':')":       {EnsureASCII: true, ItemSep: ",", KeySep: ":"},
		"indent=0":                    {EnsureASCII: true, Multiline: true},
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		cols := strings.Split(line, "\t")
		o, ok := options[cols[1]]
		if !ok {
			t.Fatalf("no options %q", cols[1])
		}
		o.Python = true
		out, err := pythonEnv().JSON([]byte("x"), lit(t, cols[0]), o)
		if fault, isError := strings.CutPrefix(cols[2], "!"); isError {
			var e *Error
			_, msg, _ := strings.Cut(fault, ": ")
			if !errors.As(err, &e) || e.Msg != msg || string(out) != "x" {
				t.Errorf("%s %s: got %q, error %v, want error %q", cols[0], cols[1], out, err, msg)
			}
			continue
		}
		want, _ := lit(t, cols[2]).Str()
		if diff := cmp.Diff("x"+want, string(out)); err != nil || diff != "" {
			t.Errorf("%s %s: error %v (-want +got):\n%s", cols[0], cols[1], err, diff)
		}
	}
}

// What Jinja's tojson refuses or escapes besides.
func TestJSONJinja(t *testing.T) {
	e := pythonEnv()
	for _, c := range []struct {
		v    Value
		want string
	}{
		{undefinedVar("x"), "!Object of type Undefined is not JSON serializable"},
		{list(undefinedVar("x")), "!Object of type Undefined is not JSON serializable"},
		{Of(&Iterator{Next: emptyIterator().Next}), "!Object of type generator is not JSON serializable"},
		{ObjectOf(testRange(3)), "!Object of type range is not JSON serializable"},
		{Safe("<&'>"), `"\u003c\u0026\u0027\u003e"`},
		{dict("<", "é"), `{"\u003c": "é"}`},
	} {
		out, err := e.JSON(nil, c.v, JSONOptions{Python: true, HTMLSafe: true})
		got := string(out)
		if err != nil {
			got = "!" + err.Error()
		}
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestJSONNative(t *testing.T) {
	for _, c := range []struct {
		v    Value
		o    JSONOptions
		want string
	}{
		{dict("b", 1, "a", 2.5), JSONOptions{}, `{"b": 1, "a": 2.5}`},
		{dict("b", 1, "a", 2.0), JSONOptions{SortKeys: true}, `{"a": 2, "b": 1}`},
		{Of(map[string]any{"b": []any{}, "a": map[string]any{}}), JSONOptions{Indent: "  "}, "{\n  \"a\": {},\n  \"b\": []\n}"},
		{list("<é>", nil, true, 1e21, 1e-7), JSONOptions{}, `["<é>", null, true, 1e+21, 0.0000001]`},
		{dict(1, "a", 2.5, "b", nil, "c", true, "d"), JSONOptions{}, `{"1": "d", "2.5": "b", "null": "c"}`},
		{Of(map[int]string{10: "x", 9: "y"}), JSONOptions{}, `{"9": "y", "10": "x"}`},
		{Of(json.Number("1.50")), JSONOptions{}, `1.50`},
		{Of([]byte("a\"b")), JSONOptions{}, `"a\"b"`},
		{list(undefinedVar("x")), JSONOptions{}, `[null]`},
		{list("bad \xff byte"), JSONOptions{}, `["bad ` + "\ufffd" + ` byte"]`},
		{ObjectOf(testRange(3)), JSONOptions{}, `[0, 1, 2]`},
		{Float(math.NaN()), JSONOptions{}, `!infinity and NaN have no JSON form`},
		{Of(func() {}), JSONOptions{}, `!a value of type host value has no text form`},
		{list(make(chan int)), JSONOptions{}, `!a value of type host value has no text form`},
		{dict(tuple(1, 2), 3), JSONOptions{}, `!a map with keys of type list has no JSON form`},
	} {
		out, err := nativeEnv().JSON(nil, c.v, c.o)
		got := string(out)
		if err != nil {
			got = "!" + err.Error()
		}
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// Native JSON is what encoding/json reads back as the same value.
func TestJSONIsRead(t *testing.T) {
	in := map[string]any{"s": "a\"\\\u0000\u2028é🤗<", "n": []any{1.0, -0.5, 1e300, 5e-324, nil, false}, "m": map[string]any{"": ""}}
	out, err := nativeEnv().JSON(nil, Of(in), JSONOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	if diff := cmp.Diff(in, back); diff != "" {
		t.Error(diff)
	}
}

// testRange is range(n) as an object.
type testRange int

func (testRange) TypeName(*Env) string { return "range" }
func (r testRange) Len() int           { return int(r) }
func (r testRange) Iterate() *Iterator {
	i := 0
	return &Iterator{Next: func() (Value, bool, error) {
		if i == int(r) {
			return Value{}, false, nil
		}
		i++
		return Int(int64(i - 1)), true, nil
	}}
}
