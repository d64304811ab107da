package prompt_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/prompt"
)

// TestUpdatedTextHolds writes what was rendered into an expectation with a comment
// behind it, whatever line breaks and blanks the text has: the test then passes,
// and the comment is kept.
func TestUpdatedTextHolds(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		for _, text := range []string{"x", "x\n", "x\n\n", "\n\nx\n", " x\n\n", "x\n y\n", "# x\n", "x # y", "", "\n", "a: b\n- c\n", "x\t\n\t"} {
			for _, old := range []string{"old # c", "# c\n        old", "'old' # c", "old", "old    #   c", "|\n        old\n        more"} {
				src := "template: \"{{ a }}\"\ntests:\n- data: {a: A}\n  expect:\n    text: " + old + "\n    not_contains: nothing\n"
				run := func(src string) []*prompt.TestResult {
					s, err := prompt.LoadText("d.yaml", src, nil)
					if err != nil {
						t.Fatalf("%q: %v", src, err)
					}
					var out []*prompt.TestResult
					for _, test := range s.Tests() {
						out = append(out, test.Run(context.Background()))
					}
					return out
				}
				src = strings.Replace(src, "{a: A}", "{a: "+quoted(text)+"}", 1)
				src = strings.ReplaceAll(src, "\n", end)
				var edits []prompt.Edit
				for _, r := range run(src) {
					edits = append(edits, r.Edits...)
				}
				updated := prompt.ApplyEdits(edits)["d.yaml"]
				if updated == "" {
					t.Fatalf("%q: no edit", src)
				}
				for _, r := range run(updated) {
					if len(r.Failures) > 0 {
						t.Errorf("%q in place of %q:\n%s\n%v", text, old, updated, r.Failures)
					}
				}
				if strings.Contains(old, "#") && !strings.Contains(updated, "c"+end) {
					t.Errorf("the comment is lost:\n%s", updated)
				}
				if strings.Count(updated, "\n") != strings.Count(updated, end) {
					t.Errorf("lines end in %q and otherwise:\n%q", end, updated)
				}
			}
		}
	}
}

// quoted writes s as YAML's double quoted scalar.
func quoted(s string) string {
	return `"` + strings.NewReplacer("\\", `\\`, "\"", `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

// TestMatchIsBounded: an expression that would take long on a long output is
// refused, and a long output is not shown whole.
func TestMatchIsBounded(t *testing.T) {
	src := "template: \"{{ 'a' * 800000 }}\"\nsyntax: jinja\ntests:\n- expect: {matches: '(a{1,100}){1,10}(b{1,100}){1,9}$'}\n- expect: {matches: 'b$'}\n- expect: {matches: 'a+$'}\n"
	s, err := prompt.LoadText("d.yaml", src, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range s.Tests() {
		r := test.Run(context.Background())
		if want := []string{"too much work", "does not match", ""}[i]; (want == "") != (len(r.Failures) == 0) || want != "" && !strings.Contains(r.Failures[0].Message, want) {
			t.Errorf("test %d: %v, want %q", i, r.Failures, want)
		}
		if len(r.Diff) > 20_000 {
			t.Errorf("test %d shows %d bytes", i, len(r.Diff))
		}
	}
}
