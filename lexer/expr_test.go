package lexer

import (
	"fmt"
	"strings"
	"testing"
)

// dumpTokens lists the tokens of src, punctuation as it is written.
func dumpTokens(x Expr) string {
	var out []string
	for {
		t := x.Next()
		text := x.Src[t.Start:t.End]
		switch t.Kind {
		case EOF:
			if x.Closed {
				out = append(out, "close")
			}
			return strings.Join(out, " ")
		case Invalid:
			return strings.Join(append(out, fmt.Sprintf("fault%d@%d", x.Fault, t.Start)), " ")
		case Name, Int, Float, String:
			text = strings.ToLower(t.Kind.String()[:1]) + ":" + text
		}
		out = append(out, text)
	}
}

func TestExprTokens(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"a + b_1 - été", "n:a + n:b_1 - n:été"},
		{"42 1_000 0x1F 0b1 0o17 0 00", "i:42 i:1_000 i:0x1F i:0b1 i:0o17 i:0 i:00"},
		{"1.0 1e3 1.5e-3 1_0.5 2E+10", "f:1.0 f:1e3 f:1.5e-3 f:1_0.5 f:2E+10"},
		{"1. 1.2.3 a.0.1 007 1__0 0x 1e", "i:1 . f:1.2 . i:3 n:a . i:0 . i:1 i:00 i:7 i:1 n:__0 i:0 n:x i:1 n:e"},
		{`"a\"b" 'c' "x
y"`, "s:\"a\\\"b\" s:'c' s:\"x\ny\""},
		{"a==b!=c<=d>=e**f//g", "n:a == n:b != n:c <= n:d >= n:e ** n:f // n:g"},
		{"a===b", "n:a == = n:b"},
		{"f(a, [b], {c: d})|g", "n:f ( n:a , [ n:b ] , { n:c : n:d } ) | n:g"},
		{"a & b", "n:a fault1@2"},
		{"!a", "fault1@0"},
		{`"open`, "fault2@0"},
		{"((((", "( ( ( fault3@3"},
		{"नाम cafe\u0301", "n:नाम n:cafe\u0301"},
		{"a\u200bb", "n:a fault1@1"},
		{"", ""},
	} {
		if got := dumpTokens(Expr{Src: tt.src, End: len(tt.src), Limit: 3}); got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

func TestExprClose(t *testing.T) {
	hard := func(src string, pos int) bool { return strings.HasPrefix(src[pos:], "{{") }
	for _, tt := range []struct {
		src, close string
		want       string
	}{
		{"a }} b", "}}", "n:a close"},
		{`{"a": {"b": 1}}}} x`, "}}", `{ s:"a" : { s:"b" : i:1 } } close`},
		{"a > b", ">", "n:a close"},
		{"(a > b)>", ">", "( n:a > n:b ) close"},
		{"a >> b", ">>", "n:a close"},
		{`"}}"}}`, "}}", `s:"}}" close`},
		{"a {{ b", "}}", "n:a fault4@2"},
		{"a b", "}}", "n:a n:b"},
	} {
		x := Expr{Src: tt.src, End: len(tt.src), Close: tt.close, Stop: hard, StopByte: '{'}
		if got := dumpTokens(x); got != tt.want {
			t.Errorf("%q up to %q:\n got %s\nwant %s", tt.src, tt.close, got, tt.want)
		}
	}
	tight := Expr{Src: "a|f( b)", End: 7, Tight: true}
	if got := dumpTokens(tight); got != "n:a | n:f ( n:b )" {
		t.Error("blanks in brackets:", got)
	}
	for src, want := range map[string]string{"a b": "n:a fault5@1", "f(\nb)": "n:f ( fault5@2"} {
		if got := dumpTokens(Expr{Src: src, End: len(src), Tight: true}); got != want {
			t.Errorf("%q: %s, want %s", src, got, want)
		}
	}
}

// TestKinds: participle's token types and the kinds map to each other, and each
// kind has a name.
func TestKinds(t *testing.T) {
	symbols := Definition{}.Symbols()
	if len(symbols) != int(numKinds) {
		t.Errorf("%d symbols for %d kinds", len(symbols), numKinds)
	}
	for k := EOF; k < numKinds; k++ {
		if KindOf(TypeOf(k)) != k {
			t.Errorf("kind %v comes back as %v", k, KindOf(TypeOf(k)))
		}
		if k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
	}
	if KindOf(3) != EOF || KindOf(-1000) != EOF || Kind(200).String() != "?" {
		t.Error("unknown types")
	}
}

func TestExprAllocates(t *testing.T) {
	src := strings.Repeat(`user.name|default("x") == 3.5 and (a or [1, 2]) `, 20)
	if n := testing.AllocsPerRun(10, func() {
		x := Expr{Src: src, End: len(src)}
		for x.Next().Kind > Invalid {
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
