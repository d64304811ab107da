package guard

import (
	"strings"
	"testing"
)

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

// TestEndsInToken ends texts within tokens and without. What stands before the
// last line break is not looked at, so no token that is looked for may hold one.
func TestEndsInToken(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "\n": false, "a <": false, "<|": false, "<|im_": true, "a\nb <|im_": true, "[IN": true, "[INST]": false,
		"<|im_start|>": false, "<|im_start\n": false, "<|im_\nstart": false, "<|a|>\n<|b": true, "x\n": false,
	} {
		if got := EndsInToken(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for name, f := range families {
		for _, token := range f.tokens {
			if token[0] != '\n' && strings.Contains(token, "\n") {
				t.Errorf("%s: %q holds a line break", name, token)
			}
		}
	}
}
