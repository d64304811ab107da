package compiler_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/internal/conformance"
)

// TestJinjaConformance runs templates that Python's Jinja rendered.
func TestJinjaConformance(t *testing.T) {
	dir := filepath.Join(conformance.Folder(t), "jinja")
	known := conformance.Deviations(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows in the conformance folder: %v", err)
	}
	for _, name := range files {
		t.Run(strings.SplitN(filepath.Base(name), ".", 2)[0], func(t *testing.T) {
			passed, total, allowed := 0, 0, 0
			conformance.EachJinjaRow(t, name, func(r *conformance.JinjaRow) {
				total++
				why := r.Check(r.Run(conformance.Clock))
				d, deviates := known[r.ID]
				switch {
				case why == "" && deviates:
					t.Errorf("%s passes, but is listed as a deviation", r.ID)
				case why == "":
					passed++
				case deviates:
					allowed++
					t.Logf("%s deviates: %s", r.ID, d.Reason)
				default:
					t.Errorf("%s %.200q %s", r.ID, r.Template, why)
				}
			})
			fmt.Printf("conformance jinja/%s: %d/%d passed, %d deviations\n", filepath.Base(name), passed, total, allowed)
		})
	}
}
