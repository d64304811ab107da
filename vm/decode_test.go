package vm

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeJSON(t *testing.T) {
	// The repr of Python shows kinds and order.
	for _, c := range []struct{ in, want string }{
		{`{"b":1,"a":[1.0,-2,3e2,null,true,false,"x\u00e9\n"]}`, `{'b': 1, 'a': [1.0, -2, 300.0, None, True, False, 'xé\n']}`},
		{` [ ] `, `[]`},
		{`{}`, `{}`},
		{`""`, `''`},
		{`-0`, `0`},
		{`-0.0`, `-0.0`},
		{`9223372036854775807`, `9223372036854775807`},
		{`9223372036854775808`, `9223372036854775808`},
		{`-123456789012345678901234567890`, `-123456789012345678901234567890`},
		{`1E2`, `100.0`},
		{"\ufeff[1]", `[1]`},
		{`"\ud83e\udd17"`, `'🤗'`},
		{`[[[[1]]],{"a":{"b":[{}]}}]`, `[[[[1]]], {'a': {'b': [{}]}}]`},
		{`{"a\tb":1,"":2}`, `{'a\tb': 1, '': 2}`},
	} {
		v, err := DecodeJSON([]byte(c.in), DecodeOptions{})
		if err != nil {
			t.Errorf("DecodeJSON(%q): %v", c.in, err)
			continue
		}
		if diff := cmp.Diff(c.want, must(t)(pythonEnv().Repr(v))); diff != "" {
			t.Errorf("DecodeJSON(%q) (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestDecodeJSONErrors(t *testing.T) {
	const secret = "CANARY"
	for _, c := range []struct {
		name, in   string
		o          DecodeOptions
		code, want string
	}{
		{"empty", " \n", DecodeOptions{}, "PCC330", "the JSON data is empty"},
		{"cut", `{"a": [1, `, DecodeOptions{}, "PCC330", "ends too early (line 1, column 11)"},
		{"comma", "{\n  \"é\": 1,\n  \"b\" 2}", DecodeOptions{}, "PCC330", "not JSON (line 3, column 7)"},
		{"comma at the end", "[1, 2 ,\n]", DecodeOptions{}, "PCC330", "a comma behind the last entry"},
		{"comma at the very end", `[1,,`, DecodeOptions{}, "PCC330", "not JSON (line 1, column 4)"},
		{"bracket", `{"a": ]`, DecodeOptions{}, "PCC330", "not JSON (line 1, column 7)"},
		{"two values", `{} {}`, DecodeOptions{}, "PCC330", "goes on after its value"},
		{"word", `CANARY`, DecodeOptions{}, "PCC330", "a word without quotes (line 1, column 1)"},
		{"word as a key", "{\n  nameCANARY: 1}", DecodeOptions{}, "PCC330", "a word without quotes (line 2, column 3)"},
		{"word as a value", `{"a": nullCANARY}`, DecodeOptions{}, "PCC330", "a word without quotes (line 1, column 7)"},
		{"word that begins like another", `[1, falCANARY]`, DecodeOptions{}, "PCC330", "a word without quotes (line 1, column 5)"},
		{"word of Python", `{"a": True}`, DecodeOptions{}, "PCC330", "a word without quotes (line 1, column 7)"},
		{"word behind a text", `{"a": "b" CANARY}`, DecodeOptions{}, "PCC330", "not JSON (line 1, column 11)"},
		{"escape in a text", `{"a": "b, \qCANARY"}`, DecodeOptions{}, "PCC330", "the data is not JSON"},
		{"word behind a number", `[12ab]`, DecodeOptions{}, "PCC330", "not JSON (line 1, column 4)"},
		{"encoding", "\"a\xff\"", DecodeOptions{}, "PCC330", "not UTF-8"},
		{"high surrogate", `["CANARY \ud83d b"]`, DecodeOptions{}, "PCC333", "half of a surrogate pair, which is no character (line 1, column 10)"},
		{"low surrogate", "[\n\"\\uDE00\"]", DecodeOptions{}, "PCC333", "half of a surrogate pair, which is no character (line 2, column 2)"},
		{"two high surrogates", `["\ud83d\ud83d"]`, DecodeOptions{}, "PCC333", "(line 1, column 3)"},
		{"surrogate before another escape", `["\ud83d\u0041"]`, DecodeOptions{}, "PCC333", "(line 1, column 3)"},
		{"surrogate in a key", `{"\ud83d": 1}`, DecodeOptions{}, "PCC333", "(line 1, column 3)"},
		{"surrogate behind a pair", `["\ud83d\ude00\ud83d"]`, DecodeOptions{}, "PCC333", "(line 1, column 15)"},
		{"surrogate where the data is cut", `["\ud83d`, DecodeOptions{}, "PCC330", "ends too early"},
		{"surrogate outside a text", `[\ud83d]`, DecodeOptions{}, "PCC330", "not JSON (line 1, column 2)"},
		{"duplicate", `{"CANARY": 1, "CANARY": 2}`, DecodeOptions{}, "PCC331", "one key twice"},
		{"infinite", `1e999`, DecodeOptions{}, "PCC332", "too large"},
		{"digits", `[` + strings.Repeat("9", 5000) + `]`, DecodeOptions{}, "PCC912", "more than 4300 digits"},
		{"depth", strings.Repeat("[", 3_000_000), DecodeOptions{}, "PCC912", "deeper than 64 levels"},
		{"depth asked for", `[[1]]`, DecodeOptions{MaxDepth: 1}, "PCC912", "deeper than 1 levels (line 1, column 3)"},
		{"values", `[1,2,3]`, DecodeOptions{MaxValues: 3}, "PCC912", "more than 3 values"},
		{"bytes", `[1,2,3]`, DecodeOptions{MaxBytes: 6}, "PCC912", "more than 6 bytes"},
	} {
		_, err := DecodeJSON([]byte(c.in), c.o)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v, want an *Error", c.name, err)
			continue
		}
		if e.Code != c.code || !strings.Contains(e.Msg, c.want) || e.Help == "" {
			t.Errorf("%s: %s %q (help %q), want %s %q", c.name, e.Code, e.Msg, e.Help, c.code, c.want)
		}
		if strings.Contains(e.Msg, secret) {
			t.Errorf("%s: the message quotes the data: %q", c.name, e.Msg)
		}
	}
}

func TestDecodeJSONDuplicates(t *testing.T) {
	v, err := DecodeJSON([]byte(`{"a":1,"b":2,"a":3}`), DecodeOptions{LastDuplicate: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := must(t)(pythonEnv().Repr(v)), "{'a': 3, 'b': 2}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Decoding what was written gives the same value, and writing it again the
// same text.
func TestJSONRoundTrip(t *testing.T) {
	for _, in := range []string{
		`{"a": [1, 2.5, null, true, "\u0001\"\\/é🤗"], "b": {"c": {}, "d": []}}`,
		`[1e+16, 1e-05, 0.1, 123456789012345678901234567890, -0.0, 5e-324, 1.7976931348623157e+308]`,
	} {
		v, err := DecodeJSON([]byte(in), DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []JSONOptions{{Python: true}, {Python: true, EnsureASCII: true}, {}, {HTMLSafe: true}, {Python: true, Indent: "\t"}} {
			out, err := pythonEnv().JSON(nil, v, o)
			if err != nil {
				t.Fatal(err)
			}
			back, err := DecodeJSON(out, DecodeOptions{})
			if err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			if eq, err := pythonEnv().Equal(v, back); err != nil || !eq {
				t.Errorf("%+v: %s is not equal to its source %s (%v)", o, out, in, err)
			}
		}
	}
}

func BenchmarkDecodeJSON(b *testing.B) {
	var rows []string
	for i := range 1000 {
		rows = append(rows, fmt.Sprintf(`{"id": %d, "name": "user %d", "tags": ["a", "b"], "score": %d.5}`, i, i, i))
	}
	data := []byte("[" + strings.Join(rows, ",") + "]")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeJSON(data, DecodeOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
