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

// TestReadmeTests runs the tests that the README shows, as those of a document.
func TestReadmeTests(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(readme), "\n```yaml\n")
	block, _, closed := strings.Cut(block, "\n```\n")
	if !ok || !closed {
		t.Fatal("the README shows no tests in YAML")
	}
	for _, at := range []string{"support.yaml", "tests/support.yaml"} { // in the document, and beside it
		t.Run(at, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.Mkdir("tests", 0o755); err != nil {
				t.Fatal(err)
			}
			document := "messages: [{user: \"{question}\"}]\n"
			if at == "support.yaml" {
				document += "tests:\n" + block + "\n"
			} else if err := os.WriteFile(at, []byte(block), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("support.yaml", []byte(document), 0o644); err != nil {
				t.Fatal(err)
			}
			var out, errs strings.Builder
			if code := Main([]string{"test", "support.yaml"}, strings.NewReader(""), &out, &errs); code != exitOK || !strings.Contains(out.String(), "1 passed") {
				t.Errorf("exit code %d\n%s%s", code, out.String(), errs.String())
			}
		})
	}
}
