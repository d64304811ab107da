package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExamples renders every folder of testdata/examples: prompt.* with data.*
// must give want.*.
func TestExamples(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/examples/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	one := func(t *testing.T, dir, pattern string) string {
		t.Helper()
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		if len(found) != 1 {
			t.Fatalf("%s holds %d files %s, want one", dir, len(found), pattern)
		}
		return found[0]
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			want, err := os.ReadFile(one(t, dir, "want.*"))
			if err != nil {
				t.Fatal(err)
			}
			var out, errs strings.Builder
			code := Main([]string{"render", one(t, dir, "prompt.*"), "-d", one(t, dir, "data.*")}, strings.NewReader(""), &out, &errs)
			if code != exitOK || errs.Len() > 0 {
				t.Fatalf("exit code %d\n%s", code, errs.String())
			}
			if diff := cmp.Diff(string(want), out.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestReadmeCommand runs the render command that the README gives first.
func TestReadmeCommand(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(readme)) {
		args, ok := strings.CutPrefix(strings.TrimSpace(line), "go run ./cmd/pcc ")
		if !ok {
			continue
		}
		t.Chdir("../..")
		var out, errs strings.Builder
		if code := Main(strings.Fields(args), strings.NewReader(""), &out, &errs); code != exitOK || out.Len() == 0 {
			t.Errorf("`%s` gives exit code %d\n%s", strings.TrimSpace(line), code, errs.String())
		}
		return
	}
	t.Error("the README shows no `go run ./cmd/pcc` command")
}
