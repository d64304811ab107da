package stdlib

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// caseMethods are the functions of this package that change the case of text.
var caseMethods = map[string]func(*vm.Env, string) string{
	"upper": upperText, "lower": lowerText, "casefold": casefoldText, "title": titleText,
	"capitalize": capitalizeText, "swapcase": swapcaseText,
}

// TestCaseOfEveryCharacter compares with CPython 3.11: the sums are those of
//
//	for c in every code point below 0x20000 but the surrogates:
//	    h.update(chr(c).METHOD().encode() + b"\n")
//	    if c < 0x10000 and c not in (0x0ECE, 0x10FC, 0xA7F2, 0xA7F3, 0xA7F4, 0xAB69):
//	        h.update(("a" + chr(c) + "Σ").METHOD().encode() + b"\n")
//
// These few are new or lower case in a later Unicode only than that Python has.
// The next Unicode in the Go distribution may give more letters a case.
func TestCaseOfEveryCharacter(t *testing.T) {
	for name, want := range map[string]string{
		"upper": "aea49a56ba776cae", "lower": "6070db5296c69fc0", "casefold": "dd8a94b7bf03dd4d",
		"title": "f88f058bb469ea1b", "capitalize": "d7de961f62fd679c", "swapcase": "46ea4304a0a208b7",
	} {
		env := vm.NewEnv(HF(), vm.Limits{Steps: 1 << 60, Memory: 1 << 50}.OrDefault())
		h := sha256.New()
		for r := rune(0); r < 0x20000; r++ { // no character beyond has a case
			if !utf8.ValidRune(r) {
				continue
			}
			fmt.Fprintf(h, "%s\n", caseMethods[name](env, string(r)))
			if r < 0x10000 && !strings.ContainsRune("\u0ece\u10fc\ua7f2\ua7f3\ua7f4\uab69", r) {
				fmt.Fprintf(h, "%s\n", caseMethods[name](env, "a"+string(r)+"Σ"))
			}
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != want {
			t.Errorf("%s differs from Python's for some character (Unicode %s): %s, want %s", name, unicode.Version, got, want)
		}
	}
}

// TestCaseInPieces: a text longer than the memory that a mapping has is mapped as
// its characters are, whatever stands where a piece ends; bytes that are no
// UTF-8 end.
func TestCaseInPieces(t *testing.T) {
	env := vm.NewEnv(HF(), vm.Limits{Steps: 1 << 60, Memory: 1 << 50}.OrDefault())
	for _, unit := range []string{"é", "ß", "ΐ", "𐐨", "ŉa", "ẞé", "ﬃ", "ꭰᏸéı"} {
		for _, fill := range []int{0, 1, 2, 3} {
			text := strings.Repeat("x", fill) + strings.Repeat(unit, 1500)
			for _, name := range []string{"upper", "casefold", "swapcase"} {
				var want strings.Builder
				for _, r := range text {
					want.WriteString(caseMethods[name](env, string(r)))
				}
				if got := caseMethods[name](env, text); got != want.String() {
					t.Errorf("%s of %d %q: differs from that of its characters", name, 1500, unit)
				}
			}
		}
	}
	for _, bad := range []string{strings.Repeat("\x80", 3000), strings.Repeat("\xff\xf0\x90", 1000), "é\xc3"} {
		for name, f := range caseMethods {
			if got := f(env, bad); got == "" {
				t.Errorf("%s of bytes that are no UTF-8 is empty", name)
			}
		}
	}
}

// TestCaseConcurrently maps texts in many goroutines at once.
func TestCaseConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		text := strings.Repeat(string(rune('à'+i)), 2000)
		wg.Go(func() {
			for range 50 {
				if got := upperText(nil, text); got != strings.ToUpper(text) {
					t.Error("the upper case of one text has letters of another")
					return
				}
			}
		})
	}
	wg.Wait()
}
