package vm

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/internal/code"
)

// smallEnv has budgets that keep one fuzz execution short.
func smallEnv(d *Dialect) *Env {
	l := DefaultLimits()
	l.Memory, l.Steps = 1<<20, 1<<20
	return NewEnv(d, l)
}

// FuzzDecodeJSON: what encoding/json accepts we accept, within the limits, and
// what we write of it both read back as the same value.
// wholeZeros takes the sign off whole zeros: native text has no mark of whole
// floats, so that -0.0 is written as -0, which reads as the integer.
func wholeZeros(text []byte) string { return negativeZero.ReplaceAllString(string(text), "0$1") }

var negativeZero = regexp.MustCompile(`-0([^0-9.eE]|$)`)

func FuzzDecodeJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,-0,1e9,null,true],"b":{"":"\u00e9\ud83e\udd17\/"}}`, `[`, `{"a":1,"a":2}`, `"\ud800"`, `123456789012345678901`, "\ufeff[]", `1 2`, `nul`, `{"a"}`, `[1,]`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := DecodeJSON(data, DecodeOptions{LastDuplicate: true})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Code == "" || e.Help == "" {
				t.Fatalf("error %v has no code or no help", err)
			}
			if e.Kind == "limit" || e.Code == "PCC332" {
				return
			}
			// encoding/json mends bad UTF-8 and lone surrogates, which we refuse.
			if json.Valid(data) && utf8.Valid(data) && !bytes.Contains(bytes.ToLower(data), []byte(`\ud`)) {
				t.Fatalf("refused, but valid: %v", err)
			}
			return
		}
		if !json.Valid(bytes.TrimPrefix(data, []byte("\ufeff"))) {
			t.Fatal("accepted, but not valid")
		}
		for _, python := range []bool{false, true} {
			e := smallEnv(&Dialect{Python: python})
			out, err := e.JSON(nil, v, JSONOptions{Python: python, EnsureASCII: python})
			if err != nil {
				var f *Error
				if errors.As(err, &f) && f.Kind == "limit" {
					return
				}
				t.Fatalf("cannot be written: %v", err)
			}
			back, err := DecodeJSON(out, DecodeOptions{})
			if err != nil {
				t.Fatalf("%q: %v", out, err)
			}
			if again, err := e.JSON(nil, back, JSONOptions{Python: python, EnsureASCII: python}); err != nil || wholeZeros(again) != wholeZeros(out) {
				t.Fatalf("%q reads as %q: %v", out, again, err)
			}
			// Native text has no mark of whole floats: those beyond 2**53 read
			// back as the integer of their digits.
			if eq, err := e.Equal(v, back); python && (!eq || err != nil) {
				t.Fatalf("%q is not equal to its source: %v", out, err)
			}
		}
	})
}

// FuzzPrintf: no format breaks out of the limits, and errors quote nothing.
func FuzzPrintf(f *testing.F) {
	for _, s := range []string{"%s", "%5.3d|%-8s", "%(a)s%%", "%*.*f", "%#x%+d% d%05d", "%c%r%a", "%", "%(a", "%10000000s", "%hhd", "%.9999f", "%é"} {
		f.Add(s, "CANARY", int64(-42), 2.5)
	}
	f.Fuzz(func(t *testing.T, format, s string, i int64, x float64) {
		for _, args := range []Value{TupleOf([]Value{String(s), Int(i), Float(x)}), TupleOf([]Value{Int(i), Float(x), String(s), Int(i)}), dict("a", s), Float(x), Int(i), Null, list(s)} {
			for _, f := range []Value{String(format), Safe(format)} {
				e := smallEnv(&Dialect{Python: true, Style: StylePython})
				v, err := e.Binary(code.BinMod, f, args)
				if err != nil {
					if len(s) > 5 && strings.Contains(err.Error(), s) && !strings.Contains("format character required number string", s) {
						t.Fatalf("the error holds the value: %v", err)
					}
					continue
				}
				if v.IsSafe() != f.IsSafe() {
					t.Fatal("the result of a safe format is safe, that of another is not")
				}
			}
		}
	})
}

// FuzzRepr: Python's repr of a string reads back as the string.
func FuzzRepr(f *testing.F) {
	for _, s := range []string{"", "it's", `"`, "both ' and \"", "\x00\n\r\t\\\x7f", "é\u200b\u2028🤗\U000e0001", "\\x41"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		text := pythonRepr(s)
		l := literals{nil, text[1:]}
		if back := l.text(text[0]); back != s || l.s != "" {
			t.Fatalf("%q has repr %s, which reads as %q", s, text, back)
		}
	})
}

// FuzzSlice: slices agree with picking the items one by one.
func FuzzSlice(f *testing.F) {
	f.Add("héllo🤗", int64(1), int64(-1), int64(1), uint8(0))
	f.Add("abc", int64(-9), int64(99), int64(-2), uint8(7))
	f.Fuzz(func(t *testing.T, s string, lo, hi, step int64, absent uint8) {
		if step == 0 || len(s) > 100 {
			return
		}
		parts := [3]Value{Int(lo), Int(hi), Int(step)}
		for i := range parts {
			if absent>>i&1 == 1 {
				parts[i] = Null
			}
		}
		e := smallEnv(&Dialect{Python: true})
		text, err := e.Slice(String(s), parts[0], parts[1], parts[2])
		if err != nil {
			t.Fatal(err)
		}
		runes, err := e.Items(String(s))
		if err != nil {
			t.Fatal(err)
		}
		items, err := e.Slice(ListOf(runes), parts[0], parts[1], parts[2])
		if err != nil {
			t.Fatal(err)
		}
		var joined strings.Builder
		n, _ := seqLen(items)
		for i := range n {
			c, _ := seqAt(items, i).Str()
			joined.WriteString(c)
		}
		if got, _ := text.Str(); got != joined.String() {
			t.Fatalf("%q[%d:%d:%d] (absent %b) = %q, item by item %q", s, lo, hi, step, absent, got, joined.String())
		}
	})
}
