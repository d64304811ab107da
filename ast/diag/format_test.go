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

// TestStage: each code of the table has a stage, which its first digit tells; what
// is no code has none.
func TestStage(t *testing.T) {
	stages := map[byte]Stage{'0': LexerStage, '1': SyntaxStage, '2': CheckStage, '3': RenderStage, '4': DocumentStage, '9': LimitStage}
	for _, e := range Entries() {
		if want, ok := stages[e.Code[3]]; !ok || e.Code.Stage() != want {
			t.Errorf("%s has stage %d", e.Code, e.Code.Stage())
		}
	}
	for _, c := range []Code{"", "PCC", "PCC5", "PCCx01"} {
		if c.Stage() != UnknownStage {
			t.Errorf("%q has stage %d", c, c.Stage())
		}
	}
}

// TestShorten: what is shortened has at most so many bytes and is valid text.
func TestShorten(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "…"}, {"abcdefg", 6, "abc…"}, {"äöüäöü", 8, "äö…"}, {"äöüäöü", 12, "äöüäöü"}} {
		if got := Shorten(c.s, c.n); got != c.want {
			t.Errorf("%q to %d bytes is %q, not %q", c.s, c.n, got, c.want)
		}
	}
}
