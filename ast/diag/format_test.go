package diag

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/source"
)

// TestFormat: %v and %s are Error, %+v has the source and the help.
func TestFormat(t *testing.T) {
	f := source.New("a.md", "Hello {name")
	d := New("PCC110", f, source.Span{Start: 6, End: 7}, "the tag is never closed").WithHelp("add }")
	for _, err := range []error{d, List{d}} {
		for _, verb := range []string{"%v", "%s"} {
			if got := fmt.Sprintf(verb, err); got != err.Error() {
				t.Errorf("%T as %s: %q", err, verb, got)
			}
		}
		if got := fmt.Sprintf("%q", err); got != fmt.Sprintf("%q", err.Error()) {
			t.Errorf("%T quoted: %s", err, got)
		}
		got := fmt.Sprintf("%+v", err)
		for _, want := range []string{"error[PCC110]", "a.md:1:7", "1 | Hello {name", "= help: add }"} {
			if !strings.Contains(got, want) {
				t.Errorf("%T as %%+v lacks %q:\n%s", err, want, got)
			}
		}
		if got := fmt.Sprintf("load: %v", fmt.Errorf("wrapped: %w", err)); !strings.HasSuffix(got, err.Error()) {
			t.Errorf("%T wrapped: %s", err, got)
		}
	}
}
