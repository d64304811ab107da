package guard

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
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

// TestLookAlikes writes tokens with every character that Unicode counts as
// compatible with a part of them, and with every invisible one between the
// letters: each is found, neutralised, and restored.
func TestLookAlikes(t *testing.T) {
	disguised := 0
	check := func(token string) {
		t.Helper()
		disguised++
		if found, _ := HasToken(token, "all"); !found {
			t.Errorf("%+q is not found", token)
		}
		plain, _ := Neutralise(token, "all")
		if found, _ := HasToken(plain, "all"); found || plain == token {
			t.Errorf("%+q becomes %+q", token, plain)
		}
		if again, _ := Neutralise(plain, "all"); again != plain {
			t.Errorf("%+q changes again, to %+q", plain, again)
		}
		escaped, _ := Escape(token, "all")
		if back, _ := Unescape(escaped, "all"); back != token {
			t.Errorf("%+q comes back as %+q", token, back)
		}
	}
	tokens := []string{"<|im_start|>", "[INST]", "[SUFFIX]", "<think>", "\n\nHuman:", "<s>"}
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		part := strings.ToLower(norm.NFKC.String(string(r)))
		if part == "" || strings.ContainsFunc(part, func(c rune) bool { return c < 'a' || c > 'z' }) {
			continue
		}
		for _, token := range tokens {
			if at := strings.Index(strings.ToLower(token), part); at > 0 {
				check("a" + token[:at] + string(r) + token[at+len(part):] + "b")
			}
		}
	}
	for _, bounds := range [][2]rune{{0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x200b, 0x200f}, {0xe0000, 0xe007f}, {0xfe00, 0xfe0f}, {0x2060, 0x206f}} {
		for r := bounds[0]; r <= bounds[1]; r++ {
			for _, token := range tokens {
				check("a" + token[:3] + string(r) + token[3:] + "b")
			}
			if s := StripInvisible("a" + string(r) + "b"); s != "ab" {
				t.Errorf("%+q stays in %+q", r, s)
			}
		}
	}
	for _, token := range []string{"x\r\n\r\nHuman:", "x\n\r\nHuman:", "x\r\n\nAssistant:", "x<|\u2178m|>", "<|\u24d8\u24dc|>", "<|\u00e9|>", "<|\u304c|>", "<|\uac00|>"} {
		check(token)
	}
	if disguised < 500 {
		t.Errorf("only %d disguises", disguised)
	}
	for _, text := range []string{"x\r\rHuman:", "\u00bd < \u00be", "<\u2460>", "a \u2026 <\u2026"} {
		if found, _ := HasToken(text, "all"); found {
			t.Errorf("%+q is found", text)
		}
	}
}
