package source

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPosition holds line and column against a plain count, at every offset of
// texts with short and long lines.
func TestPosition(t *testing.T) {
	long := strings.Repeat("aé€𐍈", 1200)
	for _, text := range []string{"", "a", "\n", "a\nbé\r\n\nc", long, long + "\n" + long + "\n\n" + "x", "\xff\xfe" + long, strings.Repeat("\n", 5000)} {
		f := New("t", text)
		line, start := 1, 0
		for i := 0; i <= len(text); i++ {
			if i > 0 && text[i-1] == '\n' {
				line, start = line+1, i
			}
			if i < len(text) && !utf8.RuneStart(text[i]) {
				continue
			}
			got := f.Position(Pos(i))
			if want := (Position{line, utf8.RuneCountInString(text[start:i]) + 1, i}); got != want {
				t.Fatalf("%.10q: position of %d is %+v, want %+v", text, i, got, want)
			}
		}
	}
}

func TestPositionPastTheEnd(t *testing.T) {
	if got := New("t", "ab\nc").Position(99); got != (Position{2, 2, 4}) {
		t.Errorf("%+v", got)
	}
}

// TestPositionsOfALongLine checks that the columns of one long line are not
// counted from its beginning each time.
func TestPositionsOfALongLine(t *testing.T) {
	f := New("t", strings.Repeat("é", 4<<20))
	for i := range 200_000 {
		p := Pos(i * 40)
		if got := f.Position(p).Column; got != int(p)/2+1 {
			t.Fatalf("column of %d is %d", p, got)
		}
	}
}

func TestLines(t *testing.T) {
	f := New("t", "one\r\ntwo\n\nfour")
	for i, want := range []string{"", "one", "two", "", "four", ""} {
		if got := f.Line(i); got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
	if got := f.LineStart(2); got != 5 {
		t.Errorf("line 2 begins at %d", got)
	}
	if got := f.Slice(Span{4, 99}); got != "\ntwo\n\nfour" {
		t.Errorf("slice %q", got)
	}
}

// TestRoot checks that positions go through nested files.
func TestRoot(t *testing.T) {
	outer := New("outer", "0123456789")
	middle := &File{Name: "middle", Text: "34567", Outer: outer, Map: func(p Pos) Pos { return p + 3 }}
	inner := &File{Name: "inner", Text: "56", Outer: middle, Map: func(p Pos) Pos { return p + 2 }}
	f, p := inner.Root(1)
	if f != outer || p != 6 {
		t.Errorf("%s, %d", f.Name, p)
	}
}

// TestASCII puts one character at each place of texts of all lengths around the
// eight and the 32 bytes that are looked at together.
func TestASCII(t *testing.T) {
	for n := range 80 {
		text := strings.Repeat("a", n)
		if !New("t", text).ASCII() {
			t.Errorf("%d letters are not ASCII", n)
		}
		for i := range n {
			if b := text[:i] + "é" + text[i:]; New("t", b).ASCII() {
				t.Errorf("%q is ASCII", b)
			}
		}
	}
}
