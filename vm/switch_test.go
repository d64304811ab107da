package vm

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// A switch of many cases takes the first one that equals the value, as comparing
// them one by one does, in both dialects; and what is not looked up costs a step
// for each case.
func TestSwitchOfManyCases(t *testing.T) {
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	pool := []Value{Null, Bool(true), Bool(false), Int(0), Int(1), Float(1), Float(math.Copysign(0, -1)), Float(0.5), Float(math.NaN()), Float(math.Inf(1)),
		BigInt(huge), Float(math.Ldexp(1, 70)), Float(math.Ldexp(1, 62)), Int(1 << 62), Int(math.MaxInt64), Float(math.MaxInt64), String("1"), String(""), Safe("a"), String("a"),
		Of([]byte("a")), ListOf(nil), TupleOf([]Value{Int(1)}), MapOf(NewMap(0)), Of(int8(1)), Of(uint64(math.MaxUint64))}
	r := rand.New(rand.NewPCG(7, 8))
	for _, python := range []bool{false, true} {
		m := newMachine(&Image{Dialect: &Dialect{Python: python}, Limits: DefaultLimits(), Functions: []Function{{}}})
		m.env.steps = 1 << 40
		for range 400 {
			s := Switch{Default: -1}
			for i := range 1 + r.IntN(30) {
				s.Values = append(s.Values, pool[r.IntN(20)])
				s.Targets = append(s.Targets, int32(i))
			}
			s.plan()
			for i, v := range pool {
				want := -1
				for j := range s.Values {
					if eq, err := m.env.Equal(v, s.Values[j]); err == nil && eq {
						want = j
						break
					}
				}
				if got, err := m.choose(&s, v); got != want || err != nil {
					t.Fatalf("python %v: value %d takes case %d of %d, want %d: %v", python, i, got, len(s.Values), want, err)
				}
			}
		}
	}

	m := newMachine(&Image{Dialect: &Dialect{}, Limits: DefaultLimits(), Functions: []Function{{}}})
	var s Switch
	for i := range 50_000 {
		s.Values, s.Targets = append(s.Values, Float(float64(i)+0.5)), append(s.Targets, int32(i))
	}
	s.plan()
	for name, v := range map[string]Value{"a number": Float(-0.5), "a list": ListOf(nil)} {
		m.env.steps = 10_000
		if _, err := m.choose(&s, v); !errors.Is(err, errSteps) {
			t.Errorf("%s is compared with 50,000 cases for 10,000 steps: %v", name, err)
		}
		m.env.stopped = false
	}
	m.env.steps = 1000
	if _, err := m.choose(&s, String(strings.Repeat("x", 1<<20))); !errors.Is(err, errSteps) {
		t.Errorf("a text of 1 MiB is looked up for 1,000 steps: %v", err)
	}
}
