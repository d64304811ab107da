package vm

import "testing"

func TestMayHoldToken(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "<": false, "[": false, "a < b and [1]": false, "<start_o": false, "[TOOL": false,
		"<|im_": true, "a <b [INST": true, "[x] [/": true, "[TOOL_CALLS": true, "[AVAILABLE": true,
		"<<start_of_": true, "x<end_of_turn>": true,
	} {
		if got := MayHoldToken(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
