package vm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm/guard"
)

func TestParts(t *testing.T) {
	for _, s := range []string{"", "a", strings.Repeat("a", bulkStep), strings.Repeat("é", bulkStep), "a" + strings.Repeat("日", bulkStep),
		strings.Repeat("😀", bulkStep) + "x", strings.Repeat("\x80", 3*bulkStep), strings.Repeat("\xf0\x9f", bulkStep)} {
		var want []rune
		for _, r := range s {
			want = append(want, r)
		}
		var got []rune
		at := 0
		env := NewEnv(&Dialect{}, DefaultLimits())
		for p := env.Parts(s); p.Next(); {
			if p.At != at || len(p.Text) > bulkStep || p.Text != s[at:at+len(p.Text)] {
				t.Fatalf("%.4q…: a piece at %d of %d bytes", s, p.At, len(p.Text))
			}
			at += len(p.Text)
			got = append(got, []rune(p.Text)...)
		}
		if at != len(s) || !slices.Equal(got, want) {
			t.Errorf("%.4q…: the pieces have %d bytes of %d", s, at, len(s))
		}
	}
}

func TestSortKeys(t *testing.T) {
	env := NewEnv(&Dialect{}, DefaultLimits())
	for _, n := range []int{0, 1, bulkItems, bulkItems + 1, 3*bulkItems - 1, 8 * bulkItems} {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprint(i * 7919 % 100_003)
		}
		want := slices.Sorted(slices.Values(keys))
		if err := sortPaced(env, keys, strings.Compare); err != nil || !slices.Equal(keys, want) {
			t.Errorf("%d keys are not sorted: %v", n, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	env.Ctx = ctx
	if err := sortPaced(env, make([]string, 2*bulkItems), strings.Compare); err == nil {
		t.Error("keys are sorted after the context has ended")
	}
}

// A list repeated is copied many items at once, from any of its items on.
func TestRepeatedLists(t *testing.T) {
	env := NewEnv(&Dialect{Python: true}, DefaultLimits())
	for _, tt := range [][2]int{{1, 10_000}, {3, 5000}, {7, 1}, {7, 0}, {0, 5}, {5, -1}, {5000, 3}} {
		items := make([]Value, tt[0])
		for i := range items {
			items[i] = Int(int64(i))
		}
		v, err := env.Binary(code.BinMul, ListOf(items), Int(int64(tt[1])))
		l, _ := v.List()
		if want := tt[0] * max(tt[1], 0); err != nil || len(l.Items) != want {
			t.Fatalf("%v: %d items, want %d: %v", tt, len(l.Items), want, err)
		}
		for i, x := range l.Items {
			if got, _ := x.Int64(); got != int64(i%tt[0]) {
				t.Fatalf("%v: item %d is %d", tt, i, got)
			}
		}
	}
}

// looks is a context that counts how often it is looked at.
type looks struct {
	context.Context
	n int
}

func (l *looks) Err() error { l.n++; return nil }

// Bulk work looks at the context again and again.
func TestBulkWorkLooksAtTheContext(t *testing.T) {
	const n = 8 * bulkItems
	list, keys, m := ListOf(make([]Value, n)), make([]string, n), map[string]any{}
	for i := range keys {
		keys[i] = fmt.Sprint(n - i)
		m[keys[i]] = i
	}
	long := strings.Repeat("<\n", 8*bulkStep)
	for _, tt := range []struct {
		name  string
		looks int
		f     func(e *Env) error
	}{
		{"items", 8, func(e *Env) error { _, err := e.Items(list); return err }},
		{"joined lists", 16, func(e *Env) error { _, err := e.Binary(code.BinAdd, list, list); return err }},
		{"repeated lists", 16, func(e *Env) error { _, err := e.Binary(code.BinMul, list, Int(2)); return err }},
		{"keys", 8 + 3*7, func(e *Env) error { return sortPaced(e, slices.Clone(keys), strings.Compare) }},
		{"entries", 8 + 3*7 + 7, func(e *Env) error { _, err := e.Entries(Of(m)); return err }},
		{"escaping", 2 * 16, func(e *Env) error { _, err := e.Escape(String(long)); return err }},
		{"a repr", 15, func(e *Env) error { _, err := e.Repr(String(long)); return err }},
		{"JSON", 15, func(e *Env) error { _, err := e.JSON(nil, String(long), JSONOptions{}); return err }},
		{"bytes", 15, func(e *Env) error { _, err := e.Str(PythonBytes([]byte(long))); return err }},
		{"a format", 15, func(e *Env) error {
			_, err := e.Binary(code.BinMod, String(strings.Repeat("%%", 8*bulkStep)), MapOf(NewMap(0)))
			return err
		}},
		{"guarding", 15, func(e *Env) error { guard.Find("all").Neutralise(long, e.Work); return e.StopError() }},
		{"unescaping", 15, func(e *Env) error { guard.Find("all").Unescape(long, e.Work); return e.StopError() }},
		{"a long token", 15, func(e *Env) error {
			guard.Find("all").Neutralise("<|"+strings.Repeat("a", 16*bulkStep), e.Work)
			return e.StopError()
		}},
	} {
		e := NewEnv(&Dialect{Python: true, Style: StylePython}, wideLimits())
		ctx := &looks{Context: context.Background()}
		e.Ctx = ctx
		if err := tt.f(e); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if ctx.n < tt.looks {
			t.Errorf("%s: %d looks, want %d or more", tt.name, ctx.n, tt.looks)
		}
	}
}
