package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFileMaps: the package comments of the large packages list their files in
// reading order, every file once or by a pattern, and no file that is not there.
func TestFileMaps(t *testing.T) {
	name := regexp.MustCompile(`[a-z0-9_*]+\.go\b`)
	for _, dir := range []string{"vm", "compiler", "prompt", "chat"} {
		doc, err := os.ReadFile(filepath.Join("../..", dir, "doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		patterns := name.FindAllString(string(doc), -1)
		used := map[string]bool{}
		files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, f := range files {
			base := filepath.Base(f)
			if strings.HasSuffix(base, "_test.go") || base == "doc.go" {
				continue
			}
			found := false
			for _, p := range patterns {
				if ok, _ := path.Match(p, base); ok {
					found, used[p] = true, true
				}
			}
			if !found {
				t.Errorf("%s/doc.go does not say what %s is for", dir, base)
			}
		}
		for _, p := range patterns {
			if !used[p] {
				t.Errorf("%s/doc.go names %s, which is no file", dir, p)
			}
		}
	}
}
