package vm

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// The searches find what those of package strings find, in texts of every length
// around the sizes of their windows and in the periodic ones that long patterns
// are searched for in a way of its own.
func TestSearches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	limits := DefaultLimits()
	limits.Steps = 1 << 40
	e := NewEnv(&Dialect{}, limits)
	text := func(n, letters int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = 'a' + byte(r.IntN(letters))
		}
		return string(b)
	}
	sizes := []int{0, 1, 2, 5, 200, 257, 300, 1000, 5000, 70_000, 140_000}
	for range 600 {
		s := text(sizes[r.IntN(len(sizes))], 1+r.IntN(3))
		if r.IntN(2) == 0 && s != "" { // periodic
			s = strings.Repeat(s[:1+r.IntN(min(len(s), 40))], 1+r.IntN(2000)) + text(r.IntN(5), 3)
		}
		sub := text(r.IntN(4), 2)
		if s != "" && r.IntN(4) > 0 {
			from := r.IntN(len(s))
			sub = s[from : from+r.IntN(len(s)-from+1)]
			if r.IntN(3) == 0 {
				sub += text(1, 3)
			}
		}
		var p Pace
		if got, want := p.Index(e, s, sub), strings.Index(s, sub); got != want {
			t.Fatalf("Index of %d bytes in %d: %d, want %d", len(sub), len(s), got, want)
		}
		if got, want := p.LastIndex(e, s, sub), strings.LastIndex(s, sub); got != want {
			t.Fatalf("LastIndex of %d bytes in %d: %d, want %d", len(sub), len(s), got, want)
		}
		if got, want := p.Count(e, s, sub), strings.Count(s, sub); got != want {
			t.Fatalf("Count of %d bytes in %d: %d, want %d", len(sub), len(s), got, want)
		}
		if got, want := p.Equal(e, s, s+sub), sub == ""; got != want || !p.Equal(e, s, strings.Clone(s)) {
			t.Fatalf("Equal of %d bytes: %v", len(s), got)
		}
	}
}

// Parts of texts are cut at code points, and bytes that are no UTF-8 count one
// each, from either end.
func TestCodePoints(t *testing.T) {
	limits := DefaultLimits()
	limits.Steps = 1 << 40
	e := NewEnv(&Dialect{}, limits)
	for _, unit := range []string{"a", "é", "aé漢😀", "\xff", "é\x80\xf0\x9f", "a\xf0\x9f\x98"} {
		for _, n := range []int{1, 3, 1000, 1100, 5000, 30_000} {
			s := strings.Repeat(unit, n)
			runes := []rune(s)
			if got := e.RuneCount(s); got != len(runes) {
				t.Fatalf("%q × %d has %d code points, want %d", unit, n, got, len(runes))
			}
			for _, i := range []int{0, 1, len(runes) / 3, len(runes) - 1, len(runes), len(runes) + 5} {
				head, tail := e.CutRunes(s, i)
				if want := min(i, len(runes)); utf8.RuneCountInString(head) != want || head+tail != s {
					t.Fatalf("%q × %d cut at %d: %d code points before", unit, n, i, utf8.RuneCountInString(head))
				}
				for _, at := range []int{i, -i - 1} {
					c, ok, err := e.codePoint(s, int64(at))
					j := at
					if j < 0 {
						j += len(runes)
					}
					if inside := j >= 0 && j < len(runes); ok != inside || err != nil || ok && []rune(c)[0] != runes[j] {
						t.Fatalf("%q × %d at %d: %q %v %v", unit, n, at, c, ok, err)
					}
				}
			}
		}
	}
}

// An error of a budget or of the context that is dropped ends the render all the
// same: a builtin that drops it, an operator, an object of the host.
func TestDroppedErrorsOfBudgets(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, use := range map[string]func(e *Env){
		"steps":   func(e *Env) { _ = e.Step(1 << 40) },
		"memory":  func(e *Env) { _ = e.Charge(1 << 40) },
		"context": func(e *Env) { e.Ctx = ended; _ = e.Step(5000) },
		"work":    func(e *Env) { e.Ctx = ended; e.RuneCount(strings.Repeat("x", 1<<20)) },
	} {
		b := &Builtin{Name: "f", Fn: func(e *Env, _ []Value) (Value, error) {
			use(e)
			return String("all is well"), nil
		}}
		var failed *Error
		if _, err := NewEnv(&Dialect{}, DefaultLimits()).CallBuiltin(b, nil, nil); !errors.As(err, &failed) {
			t.Errorf("%s: a builtin that drops the error gives %v", name, err)
		}
	}
}
