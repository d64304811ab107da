package code

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/bytecode.md")

// TestReference holds docs/bytecode.md against the table of opcodes.
func TestReference(t *testing.T) {
	const page = "../../docs/bytecode.md"
	want := "# Bytecode\n\nThe opcodes of the machine, as `pcc disasm` shows them. The page is made from the table in\n" +
		"internal/code/table.go; `go test ./internal/code -update` writes it anew.\n\n" + Reference()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("%s is stale (-table +page):\n%s", page, d)
	}
}
