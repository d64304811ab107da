package message

import (
	"encoding/json"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

// TestRawJSON: what the caller gives as raw JSON is in each form what it would
// be as decoded data.
func TestRawJSON(t *testing.T) {
	decoded := func(s string) vm.Value {
		v, err := vm.DecodeJSON([]byte(s), vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	raw := func(s string) vm.Value { return vm.Of(json.RawMessage(s)) }
	const (
		arguments = `{"b": 1, "a": 2.5}`
		call      = `{"id": "c1", "type": "function", "function": {"name": "f", "arguments": ` + arguments + `}}`
		parts     = `[{"type": "text", "text": "look"}]`
	)
	messages := func(of func(string) vm.Value) [][]vm.Message {
		calls := func(v vm.Value) *vm.Map {
			m := vm.NewMap(1)
			m.Set("tool_calls", v)
			return m
		}
		function := vm.NewMap(2)
		function.Set("name", vm.String("f"))
		function.Set("arguments", of(arguments))
		inner := vm.NewMap(3)
		inner.Set("id", vm.String("c1"))
		inner.Set("type", vm.String("function"))
		inner.Set("function", vm.MapOf(function))
		user := vm.Message{Role: "user", Parts: of(parts)}
		var out [][]vm.Message
		for _, list := range []vm.Value{of("[" + call + "]"), vm.ListOf([]vm.Value{of(call)}), vm.ListOf([]vm.Value{vm.MapOf(inner)})} {
			out = append(out, []vm.Message{user, {Role: "assistant", State: vm.NullContent, Extra: calls(list)}})
		}
		return out
	}
	for _, form := range Forms() {
		if form == "google" || form == "text" {
			continue // they say no calls
		}
		given := messages(raw)
		for i, m := range messages(decoded) {
			want, err := Format(m, form, Options{})
			if err != nil {
				t.Errorf("%s: %v", form, err)
				continue
			}
			got, err := Format(given[i], form, Options{})
			if err != nil {
				t.Errorf("%s %d: %v", form, i, err)
				continue
			}
			if g, w := string(vm.AppendJSON(nil, got, vm.JSONOptions{})), string(vm.AppendJSON(nil, want, vm.JSONOptions{})); g != w {
				t.Errorf("%s %d:\ngot  %s\nwant %s", form, i, g, w)
			}
		}
	}
}
