package prompt

import (
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/source"
)

// TestDiffLines compares texts line by line: every line of both is shown once.
func TestDiffLines(t *testing.T) {
	for _, c := range []struct{ want, got, diff string }{
		{"a", "a", "  a"}, {"a", "b", "- a|+ b"}, {"a|b", "a", "  a|- b"}, {"a", "a|b", "  a|+ b"}, {"a|b|c", "a|c", "  a|- b|  c"},
		{"a|c", "b|a|c|d", "+ b|  a|  c|+ d"}, {"x|a|b", "a|b", "- x|  a|  b"}, {"", "a", "- |+ a"},
	} {
		text := func(s string) string { return strings.ReplaceAll(s, "|", "\n") }
		if got := diffLines(text(c.want), text(c.got)); got != text(c.diff) {
			t.Errorf("%q and %q: %q, want %q", c.want, c.got, got, text(c.diff))
		}
	}
	long := strings.Repeat("\n", maxDiffLines)
	if got := diffLines(long, "a"); strings.Contains(got, "\n") {
		t.Errorf("a long text is compared: %q", got)
	}
}

// TestRelative names files as seen from a folder of the same tree.
func TestRelative(t *testing.T) {
	for _, c := range []struct{ dir, name, want string }{
		{".", "a/b.md", "a/b.md"}, {"a", "a/b.md", "b.md"}, {"a/", "a/b/c.md", "b/c.md"}, {"a", "a", "."}, {".", ".", "."},
	} {
		if got := relative(c.dir, c.name); got != c.want {
			t.Errorf("relative(%q, %q) = %q, want %q", c.dir, c.name, got, c.want)
		}
	}
}

// TestApplyEdits applies edits of one file together: each once, insertions too.
func TestApplyEdits(t *testing.T) {
	f := source.New("f", "abcdef")
	edit := func(start, end int, text string) Edit {
		return Edit{File: f, Span: source.Span{Start: source.Pos(start), End: source.Pos(end)}, Text: text}
	}
	for _, c := range []struct {
		edits []Edit
		want  string
	}{
		{[]Edit{edit(0, 1, "A"), edit(4, 6, "EF")}, "AbcdEF"}, {[]Edit{edit(4, 6, "EF"), edit(0, 1, "A")}, "AbcdEF"}, {[]Edit{edit(1, 2, "B"), edit(1, 2, "B")}, "aBcdef"},
		{[]Edit{edit(2, 2, "-"), edit(2, 2, "-")}, "ab-cdef"}, {[]Edit{edit(6, 6, "!")}, "abcdef!"}, {[]Edit{edit(0, 2, "x"), edit(2, 4, "y")}, "xyef"}, {[]Edit{edit(0, 3, "x"), edit(2, 4, "y")}, "abyef"},
	} {
		if got := ApplyEdits(c.edits)["f"]; got != c.want {
			t.Errorf("%v: %q, want %q", c.edits, got, c.want)
		}
	}
}
