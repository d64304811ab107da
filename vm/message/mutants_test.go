package message

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// mutate replaces, drops or doubles one value somewhere in x.
func mutate(rnd *rand.Rand, x any) any {
	odd := []any{nil, true, 1.5, "", "text", []any{}, map[string]any{}, []any{nil}, map[string]any{"type": "text"}, map[string]any{"type": 1.0}}
	switch v := x.(type) {
	case map[string]any:
		for k := range v {
			if rnd.IntN(len(v)) > 0 {
				continue
			}
			switch rnd.IntN(4) {
			case 0:
				delete(v, k)
			case 1:
				v["x"+k] = v[k]
			default:
				v[k] = mutate(rnd, v[k])
			}
			return v
		}
	case []any:
		if len(v) > 0 {
			i := rnd.IntN(len(v))
			v[i] = mutate(rnd, v[i])
			if rnd.IntN(8) == 0 {
				v = append(v, v[i])
			}
			return v
		}
	}
	return odd[rnd.IntN(len(odd))]
}

// TestMutatedBodies: whatever a body is, reading it and writing it for each provider
// ends in a body or in an error with a code.
func TestMutatedBodies(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	refused := 0
	const n = 3000
	for range n {
		from := Providers()[rnd.IntN(len(Providers()))]
		body, err := randomRequest(rnd).Body(from, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var x any
		if err := json.Unmarshal(vm.AppendJSON(nil, body, vm.JSONOptions{}), &x); err != nil {
			t.Fatal(err)
		}
		for range 1 + rnd.IntN(3) {
			x = mutate(rnd, x)
		}
		text, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		v, err := vm.DecodeJSON(text, vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		check := func(err error) bool {
			var d *diag.Diagnostic
			if err != nil && (!errors.As(err, &d) || d.Code == "" || d.Help == "") {
				t.Errorf("%s: %v has no code or help\n%s", from, err, text)
			}
			return err == nil
		}
		DetectProvider(v)
		r, err := FromBody(v, from)
		if !check(err) {
			refused++
			continue
		}
		for _, to := range Providers() {
			_, err := r.Body(to, Options{})
			check(err)
		}
		if _, err := ParseRequest(r.Value()); err != nil {
			check(err)
		}
	}
	if refused < n/10 || refused > n*9/10 {
		t.Errorf("%d of %d bodies are refused", refused, n)
	}
}

// TestManyCalls: the work for one message of many calls grows as their number.
func TestManyCalls(t *testing.T) {
	for _, provider := range []string{"responses", "gemini"} {
		const n = 20_000
		var items []vm.Value
		for range n {
			if provider == "gemini" {
				items = append(items, mapOf("functionCall", mapOf("name", "f", "args", vm.MapOf(vm.NewMap(0)))))
			} else {
				items = append(items, mapOf("type", "function_call", "call_id", "c", "name", "f", "arguments", "{}"))
			}
		}
		body := mapOf("input", vm.ListOf(items))
		if provider == "gemini" {
			body = mapOf("contents", vm.ListOf([]vm.Value{mapOf("role", "model", "parts", vm.ListOf(items))}))
		}
		allocated := testing.AllocsPerRun(1, func() {
			if _, err := FromBody(body, provider); err != nil {
				t.Fatal(err)
			}
		})
		if allocated > 40*n {
			t.Errorf("%s: %d calls take %.0f allocations", provider, n, allocated)
		}
	}
}
