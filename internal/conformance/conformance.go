// Package conformance is for tests alone: it finds the recorded runs of other
// systems, and the list of the rows on which this one differs on purpose.
package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"gopkg.in/yaml.v3"
)

// Deviation is a row whose result is deliberately another.
type Deviation struct {
	ID     string
	Input  string
	Reason string
	Ours   string
	Class  string
}

// Folder is the folder of recorded runs, that of the environment variable
// PCC_CONFORMANCE; without it the test is skipped.
func Folder(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PCC_CONFORMANCE")
	if dir == "" {
		t.Skip("PCC_CONFORMANCE does not name the conformance folder")
	}
	return dir
}

// Deviations are the rows of testdata/conformance/deviations.yaml by their ids.
func Deviations(t *testing.T) map[string]Deviation {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root(t), "testdata", "conformance", "deviations.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file map[string][]Deviation
	if err := yaml.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	out := map[string]Deviation{}
	for _, list := range file {
		for _, d := range list {
			if d.ID == "" || d.Reason == "" {
				t.Errorf("a deviation lacks its id or reason: %+v", d)
			}
			out[d.ID] = d
		}
	}
	return out
}

// root is the folder of the module, above that of the test.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("the test runs outside of the module")
		}
		dir = filepath.Dir(dir)
	}
}
