package vm

import (
	"strings"
	"testing"
	"unsafe"
)

// Texts of all lengths are copied whole, and nothing beside them is touched.
func TestCopyTexts(t *testing.T) {
	const text = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"
	for a := range 50 {
		for b := range 50 {
			buf := []byte(strings.Repeat("#", 120))
			copyTexts(unsafe.Pointer(&buf[0]), 10, text[:a], text[1:1+b])
			want := "##########" + text[:a] + text[1:1+b]
			if want += strings.Repeat("#", 120-len(want)); string(buf) != want {
				t.Fatalf("%d and %d bytes: %s", a, b, buf)
			}
			buf = []byte(strings.Repeat("#", 120))
			copyText(unsafe.Pointer(&buf[0]), 10, text[:a])
			if string(buf) != "##########"+text[:a]+strings.Repeat("#", 110-a) {
				t.Fatalf("%d bytes: %s", a, buf)
			}
		}
	}
}
