package vm

import (
	"encoding/json"
	"testing"
)

// TestValueMarshals: values are JSON for encoding/json, alone and inside others, the
// keys of maps in their order.
func TestValueMarshals(t *testing.T) {
	m := NewMap(2)
	m.Set("z", Int(1))
	m.Set("a", ListOf([]Value{String("<\u2028\""), Null, Bool(true), Float(1.5)}))
	for want, v := range map[string]any{
		`{"z":1,"a":["\u003c\u2028\"",null,true,1.5]}`:          MapOf(m),
		`{"body":{"z":1,"a":["\u003c\u2028\"",null,true,1.5]}}`: map[string]any{"body": MapOf(m)},
		`null`: Value{},
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	if _, err := json.Marshal(Of(func() {})); err == nil {
		t.Error("a function is JSON")
	}
}
