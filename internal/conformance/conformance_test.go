package conformance

import (
	"strings"
	"testing"
)

// TestDeviationsAreReadable: who does not have the recorded runs is told what
// each deviation of the seed systems is about.
func TestDeviationsAreReadable(t *testing.T) {
	for id, d := range Deviations(t) {
		seed := strings.HasPrefix(id, "af-") || strings.HasPrefix(id, "hf-") || strings.HasPrefix(id, "ph-") || strings.HasPrefix(id, "pdx-")
		if seed && d.Class != "n/a" && (d.Input == "" || d.Ours == "") {
			t.Errorf("%s does not say what is rendered, and what comes of it", id)
		}
	}
}
