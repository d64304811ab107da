package prompt_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/prompt"
)

// TestFolderLimits: the memory that compiling may take is that of one document,
// however many a folder has.
func TestFolderLimits(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 200 {
		files[fmt.Sprintf("d%03d.yaml", i)] = &fstest.MapFile{Data: []byte("template: \"Hi {name}, {when vip}VIP{/when}\"\n")}
	}
	if _, err := prompt.LoadDir(files, ".", prompt.WithLimits(prompt.Limits{CompileMemory: 20_000})); err != nil {
		t.Errorf("200 small documents: %v", err)
	}
	if _, err := prompt.LoadDir(files, ".", prompt.WithLimits(prompt.Limits{CompileMemory: 200})); err == nil {
		t.Error("a limit below one document has no effect")
	}
}
