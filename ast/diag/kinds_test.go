package diag

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pcc-lang/pcc/ast/source"
)

// TestKinds: each code of an error is of one kind, but for those that are listed
// here; warnings are of none.
func TestKinds(t *testing.T) {
	none := []Code{
		"PCC302", "PCC325", // functions of the host and of the language
		"PCC303", // the caller takes messages for a text
		"PCC324", // the sandbox
		"PCC370", // the caller asks for a template by a name
		"PCC399", "PCC910",
	}
	for _, e := range Entries() {
		d := New(e.Code, nil, source.Span{}, "x")
		var found []error
		for _, k := range []error{ErrTemplate, ErrMissing, ErrData, ErrLimit} {
			if errors.Is(fmt.Errorf("wrapped: %w", List{d}), k) {
				found = append(found, k)
			}
		}
		want := 1
		if d.Severity != Error || slices.Contains(none, e.Code) {
			want = 0
		}
		if len(found) != want {
			t.Errorf("%s (%s) is of %d kinds: %v", e.Code, e.Title, len(found), found)
		}
	}
}
