package markdown

import (
	"strings"
	"testing"
)

func TestTerminal(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		o          Options
		want       string
	}{
		{"a paragraph is wrapped", "one two three\nfour five six", Options{Width: 20}, "one two three four\nfive six\n"},
		{"code stays together", "a `b c d` of some words", Options{Width: 20}, "a `b c d` of some\nwords\n"},
		{"a word behind code has no blank", "the `pcc`s, `a`/`b`", Options{Width: 20}, "the `pcc`s, `a`/`b`\n"},
		{"long code is divided at blanks", "`a b c d e f g h i j k l`", Options{Width: 20}, "`a b c d e f g h i j\nk l`\n"},
		{"a long word is divided", "x 123456789012345678901234567890", Options{Width: 20}, "x\n12345678901234567890\n1234567890\n"},
		{"headings", "# One `two`\n\ntext\n\n## Three\n", Options{Width: 20}, "One two\n───────\n\ntext\n\n\nThree\n─────\n"},
		{"a list", "text\n* one two three four five\n  six\n* seven\n\nend", Options{Width: 20}, "text\n\n* one two three four\n  five six\n* seven\n\nend\n"},
		{"strong", "a **b c** d", Options{Width: 20, Color: true}, "a \x1b[1mb c\x1b[0m d\n"},
		{"code in colour", "a ``b`c``.", Options{Width: 20, Color: true}, "a \x1b[36mb`c\x1b[0m.\n"},
		{"links", "see [the page](p.md), [x](#y)", Options{Width: 40, Link: func(s string) string {
			if s == "p.md" {
				return "pcc help p"
			}
			return ""
		}}, "see the page (pcc help p), x\n"},
		{"a link without words for it", "[the page](p.md)", Options{Width: 40}, "the page (p.md)\n"},
		{"brackets that are no link", "a[0] [b] [c](", Options{Width: 40}, "a[0] [b] [c](\n"},
		{"blocks", "```file a.md\n**x** `y`\n\n\tz\n```\n````output\n```go\nx\n```\n````\n", Options{Width: 20},
			"  a.md:\n    **x** `y`\n\n        z\n\n  output:\n    ```go\n    x\n    ```\n"},
		{"commands", "```console\n$ pcc x\n$ y\n```", Options{Width: 20, Color: true}, "    $ \x1b[1mpcc x\x1b[0m\n    $ \x1b[1my\x1b[0m\n"},
		{"comments", "<!-- x -->\na\n<!-- /x -->", Options{Width: 20}, "a\n"},
		{"a block that is never closed", "```\nx", Options{Width: 20}, "    x\n"},
		{"code that is never closed", "a `b", Options{Width: 20}, "a `b\n"},
		{"a table", "| a | b |\n|---|---|\n| `x\\|y` | two |\n| z | |\n", Options{Width: 20}, "a    b\n───  ───\nx|y  two\nz\n"},
		{"a table without a head", "| | |\n|---|---|\n| x | two |\n", Options{Width: 20}, "x  two\n"},
		{"a table that does not fit", "| a | b |\n|---|---|\n| x | one two three four five |\n| y | six |\n", Options{Width: 20},
			"a  b\n─  ─────────────────\nx  one two three\n   four five\n\ny  six\n"},
		{"more columns than room", "| aa | b | c | d | e | f | g | h | i | j |\n|---|\n| aa | b |\n", Options{Width: 20}, ""},
		{"rows of other lengths", "| a |\n|---|\n| b | c |\n| |\n", Options{Width: 20}, "a\n─  ─\nb  c\n"},
		{"nothing", "", Options{}, "\n"},
	} {
		got := Terminal(tt.page, tt.o)
		if tt.want != "" && got != tt.want {
			t.Errorf("%s:\n%q, want\n%q", tt.name, got, tt.want)
		}
	}
}

func TestCells(t *testing.T) {
	for line, want := range map[string]string{
		"| a | b |":      "a/b",
		"| `a\\|b` | |":  "`a\\|b`/",
		"|a|b":           "a/b",
		"| a \\|":        "a \\|",
		"| a | \\":       "a/\\",
		"| `` x `` | y|": "`` x ``/y",
	} {
		if got := strings.Join(Cells(line), "/"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// A page may hold anything.
func FuzzTerminal(f *testing.F) {
	f.Add("# a\n\n* b `c`\n\n| d | e |\n|---|---|\n| [f](g) | **h** |\n", 30)
	f.Add("```file x\n```", 20)
	f.Add("0000000000000000000\xf30", -79)
	f.Fuzz(func(t *testing.T, page string, width int) {
		for _, color := range []bool{false, true} {
			shown := Terminal(page, Options{Width: width % 200, Color: color})
			if !strings.HasSuffix(shown, "\n") {
				t.Errorf("%q ends without a line break", shown)
			}
		}
	})
}
