package stdlib

import (
	"fmt"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

// The short way of a filter gives what the filter gives, and takes the same
// steps and memory.
func TestOnText(t *testing.T) {
	for name := range onText {
		for _, d := range []*vm.Dialect{Native(), Jinja()} {
			b := d.Filters[name]
			if b.Text == nil {
				t.Fatalf("%s: %s has no short way", d.Name, name)
			}
			for _, s := range []string{"", " ", "a", " a\t\n", "\u00a0\u2003é\u3000", "\x1c x \x1f", "ΑΣ ß", "\xff \xff", " é ", "  \u2028"} {
				for _, v := range []vm.Value{vm.String(s), vm.Safe(s)} {
					for n := range int64(10) {
						limits := vm.Limits{Steps: n, Memory: n, ValueDepth: 10}
						want, err := vm.NewEnv(d, limits).CallBuiltin(b, []vm.Value{v}, nil)
						got, shortErr := b.Text(vm.NewEnv(d, limits), s)
						if fmt.Sprint(err) != fmt.Sprint(shortErr) {
							t.Errorf("%s: %s of %q in %d steps and bytes: %v, the long way gives %v", d.Name, name, s, n, shortErr, err)
						}
						if err != nil {
							continue
						}
						if text, _ := want.Str(); got != text || want.IsSafe() != v.IsSafe() {
							t.Errorf("%s: %s of %q: %q, the long way gives %q", d.Name, name, s, got, text)
						}
					}
				}
			}
		}
	}
}
