package code

import (
	"strings"
	"testing"
)

// TestOpTable holds every opcode's description against what the other parts
// need of it.
func TestOpTable(t *testing.T) {
	names := map[string]Op{}
	for op := OpInvalid + 1; op < opCount; op++ {
		i := &opTable[op]
		if i.Name == "" || i.Doc == "" || i.Picture == "" {
			t.Errorf("opcode %d (%s) lacks a name, a stack picture or a description", op, i.Name)
			continue
		}
		if other, dup := names[i.Name]; dup {
			t.Errorf("opcodes %d and %d are both named %s", other, op, i.Name)
		}
		names[i.Name] = op
		if op.String() != i.Name {
			t.Errorf("opcode %d prints as %s, not %s", op, op, i.Name)
		}
		if !strings.Contains(i.Picture, "→") {
			t.Errorf("%s: the picture %q has no arrow", i.Name, i.Picture)
		}
		if i.Jump && i.Table {
			t.Errorf("%s uses Target both as a jump and as a table", i.Name)
		}
		if !strings.Contains(Reference(), "| `"+i.Name+"` |") {
			t.Errorf("%s is not in the reference", i.Name)
		}
		if op.Jumps() != i.Jump {
			t.Errorf("%s.Jumps() = %v", i.Name, op.Jumps())
		}
	}
	if got := OpInvalid.String(); got != "INVALID" {
		t.Errorf("the invalid opcode prints as %q", got)
	}
	if got := Op(9999).String(); got != "INVALID" {
		t.Errorf("an unknown opcode prints as %q", got)
	}
}
