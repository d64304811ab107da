//go:build unix && !race

package stdlib

import (
	"runtime"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

// Nothing that is called with a text of 1 MiB allocates much more than the memory
// budget that is left, whichever argument the text is.
func TestNothingIsAllocatedForNothing(t *testing.T) {
	const budget, most = 64 << 10, 512 << 10
	for _, unit := range []string{"a", "é", "a b,"} {
		s := strings.Repeat(unit, 1<<20/len(unit))
		text := vm.String(s)
		for what, b := range allBuiltins(HF()) {
			if strings.HasPrefix(what, "method ") && !strings.HasPrefix(what, "method "+text.Kind().String()+".") {
				continue
			}
			for how, args := range touchArguments(b, text, vm.String(s)) {
				if !strings.HasPrefix(what, "function ") {
					args = append([]vm.Value{text}, args...)
				}
				limits := vm.DefaultLimits()
				limits.Steps, limits.Memory = 1<<40, budget
				env := vm.NewEnv(HF(), limits)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := env.CallBuiltin(b, args, nil)
				runtime.ReadMemStats(&after)
				if n := after.TotalAlloc - before.TotalAlloc; n > most {
					t.Errorf("%s of %q with %s allocates %d KiB with a budget of %d KiB (%v)", what, unit, how, n>>10, budget>>10, err)
				}
			}
		}
	}
}
