package chat

import (
	"slices"
	"strings"
	"time"

	"github.com/pcc-lang/pcc/vm"
)

// probeClock is the time of probes: any fixed one, so that they are
// repeatable.
func probeClock() time.Time { return time.Date(2026, 3, 9, 14, 5, 7, 0, time.UTC) }

// undeclared are the root names that the program reads from its data.
func undeclared(p *vm.Program) []string {
	names := []string{}
	for _, v := range p.Variables() {
		name := v.Name
		if i := strings.IndexAny(name, ".["); i >= 0 {
			name = name[:i]
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
