//go:build unix && !race

package stdlib

import (
	"context"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/pcc-lang/pcc/vm"
)

// lookedAt counts the looks at a context.
type lookedAt struct {
	context.Context
	looks int
}

func (c *lookedAt) Err() error {
	c.looks++
	return nil
}

// TestCopiesLook: who makes a long text has looked at the context at least each
// 64 KiB of it, but for a few pieces; a copy that is made in one go has not.
func TestCopiesLook(t *testing.T) {
	const size, piece, few = 256 << 10, 64 << 10, 2
	long := 0
	for _, d := range []*vm.Dialect{Native(), HF()} {
		for _, unit := range []string{"lorem, ", "<b>\n"} {
			s, same := strings.Repeat(unit, size/len(unit)), strings.Repeat(unit, size/len(unit))
			for _, c := range touchCalls(d, s, same, true) {
				limits := vm.DefaultLimits()
				limits.Steps = 1 << 15
				env := vm.NewEnv(d, limits)
				looked := &lookedAt{Context: context.Background()}
				env.Ctx = looked
				env.Now = func() time.Time { return time.Unix(0, 0) }
				v, err := touch(env, c)
				if err != nil {
					continue
				}
				text, ok := v.Str()
				if !ok || len(text) < size/2 || within(text, s) || within(text, same) {
					continue
				}
				long++
				if want := len(text)/piece - few; looked.looks < want {
					t.Errorf("%s: %s (%q): %d looks while %d bytes are made, want %d", d.Name, c.name, unit, looked.looks, len(text), want)
				}
			}
		}
	}
	if long < 100 {
		t.Errorf("%d calls make long texts, so that the test shows nothing", long)
	}
}

// within reports whether text is a part of s, in its memory.
func within(text, s string) bool {
	at, from := uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(unsafe.Pointer(unsafe.StringData(s)))
	return at >= from && at < from+uintptr(len(s))
}
