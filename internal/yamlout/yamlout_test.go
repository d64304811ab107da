package yamlout

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestLayout(t *testing.T) {
	e := &Emitter{}
	steps := []func() error{
		func() error { return e.Map(false) },
		func() error { return e.Key("name") }, func() error { return e.Text("Ann, the {first}") },
		func() error { return e.Key("none") }, func() error { return e.List(true) },
		func() error { return e.Key("y") }, func() error { return e.Text("y") },
		func() error { return e.Key("list") }, func() error { return e.List(false) },
		func() error { return e.List(false) }, func() error { return e.Scalar("1.0") },
		func() error { return e.Map(true) }, func() error { e.End(); return nil },
		func() error { return e.Map(false) }, func() error { return e.ScalarKey("null") },
		func() error { return e.Text(" a\nb\n") }, func() error { return e.Key("no") },
		func() error { return e.Text("it's: \"q\"") },
		func() error { e.End(); return nil }, func() error { e.End(); return nil },
		func() error { return e.Key("last") }, func() error { return e.Text("a\n\n") },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	want := `name: Ann, the {first}
none: []
y: "y"
list:
  - - 1.0
    - {}
  - null: |2
       a
      b
    "no": "it's: \"q\""
last: |+
  a
`
	if got := string(e.Bytes()); got != want || !e.EndsInBlock() {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// texts are written in each place and read back by yaml.v3; plain tells those
// that need no quotes.
var texts = []struct {
	text  string
	plain bool
}{
	{"", false}, {"a", true}, {"a, b", true}, {"Hello {name} [1]", true}, {`say "x"`, true}, {"it's", true}, {"<role>", true}, {"é 日本 😀", true},
	{"yes", false}, {"No", false}, {"on", false}, {"NULL", false}, {"nan", false}, {"~", false}, {"<<", false}, {"=", false},
	{"1", false}, {"1.10", false}, {"0x1F", false}, {"0o17", false}, {"1_000", false}, {"12:30:45", false}, {"2026-01-02", false},
	{"2026-03-09T14:05:07Z", false}, {"-1", false}, {"+1", false}, {".5", false}, {".inf", false}, {"1e3", false}, {strings.Repeat("9", 9000), false},
	{"1st place", true}, {"a: b", false}, {"a:", false}, {"a:b", true}, {"a #b", false}, {"a#b", true}, {"- a", false}, {"#x", false},
	{"{x}", false}, {"[x]", false}, {"*x", false}, {"&x", false}, {"!x", false}, {"|x", false}, {">x", false}, {"%x", false}, {"@x", false},
	{"`x`", false}, {"'x'", false}, {`"x"`, false}, {", x", false}, {"? x", false}, {"...", false}, {"---", false}, {" a", false}, {"a ", false},
	{"a\tb", false}, {"a\nb", false}, {"\n", false}, {"a\n\n", false}, {" a\nb\n", false}, {"\ta\nb", false}, {"a\r\nb", false}, {"#\n#\n", false},
	{"\x00\x1b", false}, {"\u0085", false}, {"a\u2028b", false}, {"\ufeffa", false}, {"\ufffd", false}, {"a\\b", true},
	{strings.Repeat("é", 5000), true}, {strings.Repeat("é\x01", 5000), false}, {strings.Repeat("long line of text\n", 1000), false},
}

func TestTextsReadBack(t *testing.T) {
	for _, single := range []bool{false, true} {
		for _, c := range texts {
			e := &Emitter{SingleQuotes: single}
			e.Map(false)
			e.Key("k")
			e.Text(c.text)
			e.Key(c.text + "!")
			e.List(false)
			e.Text(c.text)
			e.Map(false)
			e.Key("c")
			e.Text(c.text)
			e.Key("end")
			e.Text("end")
			out := string(e.Bytes())
			var got struct {
				K    string           `yaml:"k"`
				Rest map[string][]any `yaml:",inline"`
			}
			if err := yaml.Unmarshal([]byte(out+"\n"), &got); err != nil {
				t.Errorf("%q: %v\n%s", c.text, err, out)
				continue
			}
			list := got.Rest[c.text+"!"]
			if got.K != c.text || len(list) != 2 || list[0] != c.text || list[1].(map[string]any)["c"] != c.text {
				t.Errorf("%q reads back as %q and %q", c.text, got.K, list)
			}
			if plain := strings.HasPrefix(out, "k: "+c.text+"\n"); plain != c.plain {
				t.Errorf("%q is written as %.60s", c.text, out)
			}
			// A document may be a single text.
			top := &Emitter{SingleQuotes: single}
			top.Text(c.text)
			var alone any
			if err := yaml.Unmarshal(append(top.Bytes(), '\n'), &alone); err != nil || alone != c.text {
				t.Errorf("%q alone reads back as %q (%v)", c.text, alone, err)
			}
		}
	}
}

// All that is written is charged for before, and what an error of a hook stops
// is short.
func TestHooks(t *testing.T) {
	full := errors.New("full")
	for _, c := range texts {
		long := c.text + strings.Repeat("\x01\n", 20000)
		for _, text := range []string{c.text, long, "a\n" + strings.Repeat("b\n", 20000)} {
			charged, worked := 0, 0
			var e *Emitter
			e = &Emitter{
				Charge: func(n int) error {
					if n < 0 || charged < len(e.out) {
						t.Fatalf("%.20q: %d bytes written, %d charged, %d more", text, len(e.out), charged, n)
					}
					charged += n
					return nil
				},
				Work: func(n int) error { worked += n; return nil },
			}
			e.Map(false)
			e.Key(text)
			e.Text(text)
			if charged < len(e.out) {
				t.Errorf("%.20q: %d bytes written, %d charged", text, len(e.out), charged)
			}
			if len(text) > 2*pieceBytes && worked < len(text)/2 {
				t.Errorf("%.20q: %d bytes of work reported, of %d", text, worked, len(text))
			}
		}
		calls := 0
		e := &Emitter{Work: func(int) error { calls++; return full }}
		if err := e.Text(long); !errors.Is(err, full) || calls != 1 || len(e.out) > 0 {
			t.Errorf("%.20q: after %d calls %v, %d bytes written", c.text, calls, err, len(e.out))
		}
	}
}

func TestFloat(t *testing.T) {
	for f, want := range map[float64]string{1: "1.0", -0.5: "-0.5", 1e30: "1.0e+30", 1.5e-9: "1.5e-09",
		math.Inf(1): ".inf", math.Inf(-1): "-.inf", 1e20: "1.0e+20", 123456789: "1.23456789e+08"} {
		if got := Float(f); got != want {
			t.Errorf("%g is %s, not %s", f, got, want)
		}
	}
	if got := Float(math.NaN()); got != ".nan" {
		t.Errorf("NaN is %s", got)
	}
}
