package stdlib

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// Long text is worked on in pieces. What a function makes of it is what it
// makes of each line, wherever the pieces end: within words, markup, entities
// and the bytes of a character.
func TestPieces(t *testing.T) {
	const unit = "ÄRGER Σίσυφος ΟΔΟΣ, ǆ x-y &amp; <b class='a'>é</b> \"q\" １２ \t\u200b😀 www.example.com <|im_end|> \x00 {{}}. 日本\n"
	const n = 2000
	if !utf8.ValidString(unit) || len(unit)%2 == 0 {
		t.Fatal("the line must have a length that is odd")
	}
	long := strings.Repeat(unit, n)
	d := HF()
	call := func(b *vm.Builtin, s string, args ...vm.Value) vm.Value {
		t.Helper()
		limits := vm.DefaultLimits()
		limits.Steps, limits.Memory = 1<<60, 1<<40
		v, err := vm.NewEnv(d, limits).CallBuiltin(b, append([]vm.Value{vm.String(s)}, args...), nil)
		if err != nil {
			t.Fatalf("%s: %v", b.Name, err)
		}
		return v
	}
	filter := func(name string) *vm.Builtin { return d.Filters[name] }
	method := func(name string) *vm.Builtin { return d.Methods[vm.KindString][name] }
	textOf := func(v vm.Value) string { s, _ := v.Str(); return s }

	// Each line becomes a text of its own.
	str := func(s string) vm.Value { return vm.String(s) }
	for _, tt := range []struct {
		b    *vm.Builtin
		args []vm.Value
	}{
		{filter("upper"), nil}, {filter("lower"), nil}, {filter("title"), nil}, {method("title"), nil}, {method("swapcase"), nil},
		{method("casefold"), nil}, {filter("escape"), nil}, {filter("urlencode"), nil}, {filter("xml"), nil}, {filter("strip_invisible"), nil},
		{filter("guard"), nil}, {filter("escape_control"), nil}, {filter("unescape_control"), nil}, {filter("quote"), nil}, {filter("dedent"), nil},
		{method("expandtabs"), nil}, {filter("replace"), []vm.Value{str("ί"), str("ii")}}, {filter("replace"), []vm.Value{str("am"), str("")}},
		{filter("urlize"), nil}, {filter("indent"), []vm.Value{vm.Int(2), vm.Bool(true)}},
	} {
		// The last line has neighbours, as all others.
		part := textOf(call(tt.b, unit+unit+unit, tt.args...))
		one := part[len(part)/3 : len(part)/3*2]
		want := strings.Repeat(one, n)
		if len(part)%3 != 0 || strings.Repeat(one, 3) != part {
			// The first or last line differs from those within.
			one = textOf(call(tt.b, strings.Repeat(unit, 4), tt.args...))[len(part):]
			want = part + strings.Repeat(one, n-3)
			if tt.b.Name == "indent" {
				one = "  " + unit
				want = strings.Repeat(one, n)
			}
		}
		if got := textOf(call(tt.b, long, tt.args...)); got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: at byte %d of %d/%d: %q, want %q", tt.b.Name, at, len(got), len(want), clip(got, at), clip(want, at))
		}
	}

	// Each line adds to a number.
	for _, name := range []string{"wordcount", "tokens", "length"} {
		two, _ := call(filter(name), unit+unit).Int64()
		one, _ := call(filter(name), unit).Int64()
		if got, _ := call(filter(name), long).Int64(); got != one+(n-1)*(two-one) {
			t.Errorf("%s: %d, want %d", name, got, one+(n-1)*(two-one))
		}
	}
	for sub, each := range map[string]int{"Σ": 2, "a": strings.Count(unit, "a"), "日本\nÄ": 1} {
		want := each * n
		if strings.HasSuffix(sub, "Ä") {
			want--
		}
		if got, _ := call(method("count"), long, str(sub)).Int64(); got != int64(want) {
			t.Errorf("count of %q: %d, want %d", sub, got, want)
		}
	}

	// Each line becomes items.
	items := func(v vm.Value) []string {
		var out []string
		l, _ := v.List()
		for _, it := range l.Items {
			out = append(out, textOf(it))
		}
		return out
	}
	words := strings.Fields(long)
	for _, tt := range []struct {
		name string
		args []vm.Value
		want []string
	}{
		{"split", nil, words}, {"rsplit", nil, words}, {"splitlines", nil, strings.Split(strings.TrimSuffix(long, "\n"), "\n")},
		{"split", []vm.Value{str("x-y")}, strings.Split(long, "x-y")}, {"rsplit", []vm.Value{str("x-y")}, strings.Split(long, "x-y")},
		{"split", []vm.Value{vm.Null, vm.Int(1)}, []string{words[0], strings.TrimLeft(long[len(words[0]):], " ")}},
	} {
		if got := items(call(method(tt.name), long, tt.args...)); !slices.Equal(got, tt.want) {
			t.Errorf("%s %v: %d items, want %d", tt.name, tt.args, len(got), len(tt.want))
		}
	}

	// Questions, positions and ends.
	blanks := strings.Repeat(" \u2003", 50_000)
	for _, tt := range []struct{ what, got, want string }{
		{"oneline", textOf(call(filter("oneline"), blanks+long+blanks)), strings.Join(words, " ")},
		{"trim", textOf(call(filter("trim"), blanks+long+blanks)), strings.TrimSpace(long)},
		{"trim of blanks", textOf(call(filter("trim"), blanks)), ""},
		{"rstrip", textOf(call(method("rstrip"), blanks+"é"+blanks)), blanks + "é"},
		{"reverse", textOf(call(filter("reverse"), textOf(call(filter("reverse"), long)))), long},
		{"striptags", textOf(call(filter("striptags"), long)), strings.TrimSpace(strings.Repeat(textOf(call(filter("striptags"), unit))+" ", n))},
		{"truncate", textOf(call(filter("truncate"), long, vm.Int(100_000), vm.Bool(true), str(""))), string([]rune(long)[:100_000])},
		{"center", textOf(call(filter("center"), "é", vm.Int(5001))), strings.Repeat(" ", 2500) + "é" + strings.Repeat(" ", 2500)},
		{"replace of nothing", textOf(call(filter("replace"), "aé", str(""), str("-"))), "-a-é-"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %d bytes, want %d: %q", tt.what, len(tt.got), len(tt.want), clip(tt.got, 0))
		}
	}
	letters := strings.Repeat("é", 50_000)
	for name, want := range map[string][2]bool{"isalpha": {true, false}, "islower": {true, false}, "isprintable": {true, false}, "isidentifier": {true, false}} {
		for i, end := range []string{"", "É\n"} {
			if got, _ := call(method(name), letters+end).AsBool(); got != want[i] {
				t.Errorf("%s of a text that ends in %q: %v", name, end, got)
			}
		}
	}
}

func clip(s string, at int) string { return s[max(at-10, 0):min(at+20, len(s))] }

// What breaks off because the context has ended fails, whatever the function
// has made until then.
func TestStopped(t *testing.T) {
	long := vm.String(strings.Repeat("é", 100_000))
	for _, name := range []string{"wordcount", "tokens", "strip_invisible"} {
		ctx, cancel := context.WithCancel(context.Background())
		limits := vm.DefaultLimits()
		env := vm.NewEnv(HF(), limits)
		env.Ctx = &endsLater{ctx, 2, cancel}
		v, err := env.CallBuiltin(env.Dialect.Filters[name], []vm.Value{long}, nil)
		var e *vm.Error
		if !errors.As(err, &e) || e.Code != "PCC910" || !v.IsNull() {
			t.Errorf("%s: %v, %v, want PCC910", name, v.Kind(), err)
		}
	}
	// A walk of a lazy sequence as well.
	ctx, cancel := context.WithCancel(context.Background())
	env := vm.NewEnv(HF(), vm.DefaultLimits())
	v, err := env.CallBuiltin(env.Dialect.Filters["unique"], []vm.Value{vm.ListOf([]vm.Value{long, vm.Int(1)})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	env.Ctx = &endsLater{ctx, 1, cancel}
	it, _ := v.Iterator()
	if _, _, err := it.Next(); err == nil {
		t.Error("unique gives an item of which it has read a half")
	}
}

// endsLater is a context that ends when it is looked at for the nth time.
type endsLater struct {
	context.Context
	left int
	end  context.CancelFunc
}

func (c *endsLater) Err() error {
	if c.left--; c.left < 0 {
		c.end()
	}
	return c.Context.Err()
}
