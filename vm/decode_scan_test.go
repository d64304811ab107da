package vm

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// scanSeeds are JSON texts and near misses of all kinds.
var scanSeeds = []string{
	`{"b":1,"a":[1.0,-2,3e2,null,true,false,"x\u00e9\n"]}`, ` [ ] `, `{}`, `{ }`, `""`, `-0`, `-0.0`, `0`, `00`, `01`, `-`, `1.`, `.5`, `1e`, `1e+`,
	`1E+2`, `1.5e-3`, `999999999999999999`, `9999999999999999999`, `-9223372036854775808`, `123456789012345678901234567890`, `1e999`,
	"\ufeff[1]", "\ufeff", "", " ", `"\ud83e\udd17"`, `"\ud83e"`, `"\udd17"`, `"\ud83e\ud83e"`, `"\uD83E\u0041"`, `"\u12"`, `"\u00zz"`, `"\x"`, `"\`, `"\"`,
	`"a`, "\"a\x01\"", "\"a\x7fb\"", "\"\xff\"", "\"é\xc3\"", "\"abcdefgh\xe2\x82\"", `"abcdefgh\"ijklmnop\\q/\/\b\f\n\r\t"`, "\"12345678\n\"",
	`[1,2,]`, `[,1]`, `[1 2]`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `[}`, `{]`, `[1}`, `{"a":1]`, `]`, `}`, `[`, `{`, `{"a"`, `{"a":`,
	`{} {}`, `1 2`, `nul`, `nulll`, `True`, `[true,false,null]`, `tru`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `[{"a":[{}]},[[[]]]]`,
	`{"k0":0,"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,"k9":9,"k10":10,"k11":11,"k12":12,"k13":13,"k14":14,"k15":15,"k16":16,"k17":17,"k3":18}`,
	"[\t1,\r\n2 , 3\f]", "[1,\u00a02]", `"` + strings.Repeat("long text, ", 50) + `\u20ac` + strings.Repeat("é", 50) + `"`,
}

// sameDecoded holds the scanner against the decoder that reads token by token.
func sameDecoded(t *testing.T, d *Decoder, text string, o DecodeOptions) {
	t.Helper()
	want, wantErr := decodeJSON([]byte(text), o.orDefault())
	got, err := d.Decode(text)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%q, %+v: %v, want %v", text, o, err, wantErr)
	}
	if err != nil {
		if v, ok := d.scan(text); ok {
			t.Fatalf("%q, %+v: the scanner takes it for %v; it is not valid: %v", text, o, v, err)
		}
		return
	}
	if a, b := must(t)(pythonEnv().Repr(want)), must(t)(pythonEnv().Repr(got)); a != b {
		t.Fatalf("%q: %s, want %s", text, b, a)
	}
}

var scanOptions = []DecodeOptions{{}, {LastDuplicate: true}, {MaxDepth: 2}, {MaxValues: 4}, {MaxMemory: 300}, {MaxDigits: 20}, {MaxBytes: 12}}

func TestDecoder(t *testing.T) {
	for _, o := range scanOptions {
		d := NewDecoder(o)
		for _, text := range scanSeeds {
			sameDecoded(t, d, text, o)
		}
	}
	// Texts that are cut off anywhere.
	for _, text := range scanSeeds {
		if len(text) > 80 {
			continue
		}
		for end := range len(text) {
			sameDecoded(t, NewDecoder(DecodeOptions{}), text[:end], DecodeOptions{})
		}
	}
	// Every byte at every place of the eight that are looked at together.
	d := NewDecoder(DecodeOptions{})
	for c := range 256 {
		for at := range 17 {
			text := `"` + strings.Repeat("a", at) + string([]byte{byte(c)}) + strings.Repeat("\x20", 16-at) + `"`
			sameDecoded(t, d, text, DecodeOptions{})
		}
	}
}

func FuzzDecoder(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range scanOptions {
			sameDecoded(t, NewDecoder(o), text, o)
		}
	})
}

// TestDecoderReuse reads values one after the other: each must be right until
// the next is read, and strings stay.
func TestDecoderReuse(t *testing.T) {
	d := NewDecoder(DecodeOptions{})
	var kept []Value
	var texts []string
	for i := range 300 {
		key := strings.Repeat("k", i%40)
		text := fmt.Sprintf(`{%q: [%d, "é\n%d", {"x": [%s0]}], "last": "\u0041%d"}`, key, i, i, strings.Repeat("1,", i), i)
		v, err := d.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := decodeJSON([]byte(text), DecodeOptions{}.orDefault())
		if diff := cmp.Diff(must(t)(pythonEnv().Repr(want)), must(t)(pythonEnv().Repr(v))); diff != "" {
			t.Fatalf("row %d (-want +got):\n%s", i, diff)
		}
		m, _ := v.Map()
		last, _ := m.Get("last")
		kept, texts = append(kept, last), append(texts, fmt.Sprintf("A%d", i))
	}
	for i, v := range kept {
		if s, _ := v.Str(); s != texts[i] {
			t.Errorf("string %d became %q", i, s)
		}
	}
	if raceEnabled {
		return
	}
	const row = `{"name": "Ann", "tags": ["a", "b"], "user": {"id": 7, "ok": true, "x": 1.5}}`
	if n := testing.AllocsPerRun(100, func() { d.Decode(row) }); n != 0 {
		t.Errorf("%v allocations for each row", n)
	}
}

// TestPlainJSON holds the eight bytes at a time against one at a time.
func TestPlainJSON(t *testing.T) {
	for c := range 256 {
		for at := range 24 {
			for _, rest := range []string{"", "x", "\x00\xff\"\\", strings.Repeat("~ ", 12)} {
				s := strings.Repeat("!", at) + string([]byte{byte(c)}) + rest
				want := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r >= utf8.RuneSelf || r == '"' || r == '\\' })
				if want < 0 {
					want = len(s)
				}
				if got := plainJSON(s); got != want {
					t.Fatalf("%q: %d, want %d", s, got, want)
				}
			}
		}
	}
}
