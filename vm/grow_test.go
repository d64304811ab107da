package vm

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/internal/code"
)

// Texts and lists that are joined in any order, several longer ones of one, and
// parts of them again, are what copies would be, and stay so.
func TestJoinedValuesStayApart(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		e := NewEnv(&Dialect{Python: true}, Limits{}.OrDefault())
		texts, wantTexts := []Value{String("")}, []string{""}
		lists, wantLists := []Value{ListOf(nil)}, [][]int64{nil}
		piece := func() string {
			return strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN([...]int{4, 40, 400, 4000}[r.IntN(4)]))
		}
		pick := func(n int) int { // a late one as a rule, as in loops
			if r.IntN(3) > 0 {
				return n - 1
			}
			return r.IntN(n)
		}
		for range 120 {
			i := pick(len(texts))
			x, want := texts[i], wantTexts[i]
			if r.IntN(5) == 0 { // a part of it
				from := r.IntN(len(want) + 1)
				to := from + r.IntN(len(want)+1-from)
				s, _ := x.Str()
				x, want = String(s[from:to]), want[from:to]
			}
			more := piece()
			op := code.BinConcat
			if r.IntN(2) == 0 {
				op = code.BinAdd
			}
			v, err := e.Binary(op, x, String(more))
			if err != nil {
				t.Fatal(err)
			}
			texts, wantTexts = append(texts, v), append(wantTexts, want+more)

			i = pick(len(lists))
			n := r.IntN([...]int{2, 5, 50}[r.IntN(3)])
			items, ints := make([]Value, n), append([]int64(nil), wantLists[i]...)
			for k := range items {
				items[k] = Int(r.Int64())
				x, _ := items[k].Int64()
				ints = append(ints, x)
			}
			if v, err = e.Binary(code.BinAdd, lists[i], ListOf(items)); err != nil {
				t.Fatal(err)
			}
			lists, wantLists = append(lists, v), append(wantLists, ints)
		}
		for i, v := range texts {
			if s, _ := v.Str(); s != wantTexts[i] {
				t.Fatalf("seed %d: text %d of %d bytes is another one", seed, i, len(s))
			}
		}
		for i, v := range lists {
			l, _ := v.List()
			var ints []int64
			for _, x := range l.Items {
				n, _ := x.Int64()
				ints = append(ints, n)
			}
			if fmt.Sprint(ints) != fmt.Sprint(wantLists[i]) {
				t.Fatalf("seed %d: list %d is another one", seed, i)
			}
		}
	}
}

// Programs that may change a list have each sum apart.
func TestSumsOfListsThatChange(t *testing.T) {
	e := NewEnv(&Dialect{Python: true}, Limits{}.OrDefault())
	e.mutates = true
	x := ListOf(nil)
	var all []Value
	for i := range 100 {
		v, err := e.Binary(code.BinAdd, x, ListOf([]Value{Int(int64(i))}))
		if err != nil {
			t.Fatal(err)
		}
		all, x = append(all, v), v
	}
	last, _ := x.List()
	last.Items[0] = Int(-1)
	for i, v := range all[:99] {
		if l, _ := v.List(); l.Items[0] != Int(0) {
			t.Fatalf("sum %d changed with the last one", i)
		}
	}
}

// What grows is paid for: an upper bound of what lives at the end, and a small
// part of all that was ever made.
func TestGrowthIsCharged(t *testing.T) {
	const turns, length = 20_000, 10
	e := NewEnv(&Dialect{Python: true}, Limits{}.OrDefault())
	before := e.memory
	x := String("")
	for range turns {
		v, err := e.Binary(code.BinConcat, x, String(strings.Repeat("x", length)))
		if err != nil {
			t.Fatal(err)
		}
		x = v
	}
	if took := before - e.memory; took < turns*length || took > 5*turns*length {
		t.Errorf("a text of %d bytes took %d bytes", turns*length, took)
	}
	for n := 0; ; n++ {
		v, err := e.Binary(code.BinAdd, x, x)
		if err != nil {
			var limit *Error
			if !errors.As(err, &limit) || limit.CodeOf() != "PCC905" {
				t.Fatal(err)
			}
			break
		}
		if x = v; n > 40 {
			t.Fatal("a text doubles for ever")
		}
	}
}
