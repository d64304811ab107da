package vm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
)

// TestStraight holds code that runs without a machine against the machine: with
// values of all kinds, lengths around which strings are not copied, limits, and
// buffers with and without room.
func TestStraight(t *testing.T) {
	long := strings.Repeat("long ", bulkBytes)
	many := make([]string, maxLinear+1)
	for i := range many {
		many[i] = fmt.Sprintf("k%d", i)
	}
	for _, keys := range [][]string{{}, {"a"}, {"a", "b", "a"}, many[:maxLinear], many} {
		for _, v := range []any{"", "short", long[:bulkBytes-1], long[:bulkBytes], long, 7, nil, true, []any{"x"}, String("value"), map[string]any{"x": 1.5}} {
			for _, limits := range []Limits{{}, {OutputBytes: 30}, {Steps: 3}, {Steps: 40}, {OutputBytes: int64(len(long))}} {
				img := lineImage(keys...)
				img.Limits = limits
				p, err := New(img)
				if err != nil {
					t.Fatal(err)
				}
				p.tryLinear(nil, map[string]any(nil)) // looks whether it is linear
				if p.linear == nil != (len(keys) > maxLinear) {
					t.Errorf("%d variables: straight is %v", len(keys), p.linear)
				}
				data := map[string]any{"b": "B"}
				for _, k := range keys {
					if k != "b" {
						data[k] = v
					}
				}
				r, wantErr := p.Report(context.Background(), data) // runs on the machine
				want := ""
				if r != nil {
					want = r.Text
				}
				for how, f := range map[string]func() (string, error){
					"Render":   func() (string, error) { return p.Render(data) },
					"AppendTo": func() (string, error) { b, err := p.AppendTo(nil, data); return string(b), err },
					"behind": func() (string, error) {
						b, err := p.AppendTo([]byte("dst "), data)
						return strings.TrimPrefix(string(b), "dst "), err
					},
					"room": func() (string, error) {
						b, err := p.AppendTo(make([]byte, 0, len(want)), data)
						return string(b), err
					},
				} {
					got, err := f()
					if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
						t.Errorf("%d variables, %T, %+v, %s: %d bytes, %v; the machine gives %d, %v", len(keys), v, limits, how, len(got), err, len(want), wantErr)
					}
				}
			}
		}
	}
}

// TestStraightWithin renders straight code where more is to be watched than its
// own limits.
func TestStraightWithin(t *testing.T) {
	p, err := New(lineImage("a"))
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]any{"a": "A"}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.RenderContext(cancelled, data); !errors.Is(err, &diag.Diagnostic{Code: "PCC910"}) {
		t.Errorf("cancelled: %v", err)
	}
	outer := NewEnv(p.img.Dialect, Limits{Steps: 1}.OrDefault())
	ctx := outer.enclose()
	if _, err := p.RenderContext(ctx, data); !errors.Is(err, &diag.Diagnostic{Code: "PCC904"}) {
		t.Errorf("within a render of few steps: %v", err)
	}
	for _, tt := range []struct {
		contract Declared
		quick    bool
		code     diag.Code
	}{
		{Declared{Name: "b", Type: "string", Required: true}, false, "PCC304"},
		{Declared{Name: "a", Type: "integer"}, false, "PCC305"},
		{Declared{Name: "a", Type: "string", Enum: []Value{String("B")}}, false, "PCC306"},
		{Declared{Name: "a", Type: "string", Enum: []Value{String("A")}}, false, ""},
		{Declared{Name: "b", Type: "integer"}, true, ""},
		{Declared{Name: "a", Type: "string", Required: true}, true, ""},
	} {
		img := lineImage("a")
		img.Contract = []Declared{tt.contract}
		if p, err = New(img); err != nil {
			t.Fatal(err)
		}
		if _, ok := p.tryLinear(nil, data); ok != tt.quick {
			t.Errorf("%+v: without a machine: %v", tt.contract, ok)
		}
		if _, err := p.Render(data); err == nil != (tt.code == "") || err != nil && !errors.Is(err, &diag.Diagnostic{Code: tt.code}) {
			t.Errorf("%+v: %v", tt.contract, err)
		}
	}
	if raceEnabled {
		return
	}
	if p, err = New(lineImage("a")); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { p.Render(data) }); n != 1 {
		t.Errorf("%v allocations", n)
	}
	dst := make([]byte, 0, 100)
	if n := testing.AllocsPerRun(100, func() { dst, _ = p.AppendTo(dst[:0], data) }); n != 0 {
		t.Errorf("into a buffer: %v allocations", n)
	}
}

// A contract that holds costs no allocation.
func TestContractAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	img := lineImage("a", "b")
	img.Contract = []Declared{{Name: "a", Type: "string", Required: true}, {Name: "b", Type: "integer"}}
	p, err := New(img)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]any{"a": "A", "b": 7}
	if n := testing.AllocsPerRun(100, func() { p.Render(data) }); n != 1 {
		t.Errorf("%v allocations", n)
	}
}

// TestNoContext renders with a nil context, which is none, on the machine and
// without it.
func TestNoContext(t *testing.T) {
	p, err := New(lineImage("a"))
	if err != nil {
		t.Fatal(err)
	}
	var none context.Context
	for _, data := range []map[string]any{{"a": "x"}, {"a": 1}} {
		want, err := p.Render(data)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.RenderContext(none, data); got != want || err != nil {
			t.Errorf("%v: %q, %v, want %q", data, got, err, want)
		}
	}
}
