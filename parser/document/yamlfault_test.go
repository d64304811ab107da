package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/source"
)

// Every error of yaml.v3 that a text can cause is told at the place where it is,
// with what to do, and in the words of a person: none is told as another.
func TestYAMLFaults(t *testing.T) {
	told := map[string]bool{}
	for _, c := range []struct{ yaml, place, text, message string }{
		{"a: |\n  x\n**Your response: y\n", "3:1", "**Your", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"prompts:\n  system:\n    A: |\n      text\n\n    **Your response should be.\n\n  user: x\n", "6:5", "**Your", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"prompts:\n  system:\n    A: |\n      text\n\n    **Your response: x**\n\n  user: x\n", "6:5", "**Your", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"a: *\n", "1:4", "*", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"a: *b*\n", "1:4", "*b*", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"a: **b**\n", "1:4", "**b**", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"- *x y\n", "1:3", "*x", "an alias names an anchor that does not stand before it"},
		{"a: 1\nb: *y\n", "2:4", "*y", "an alias names an anchor that does not stand before it"},
		{"a: &x 1\nb:\n  - *x\n  - c: [*x, *xy, *y, 2]\n", "4:13", "*xy", "an alias names an anchor that does not stand before it"},
		{"a: |\n  b: *y\nc: '*y'\nd: *y\n", "4:4", "*y", "an alias names an anchor that does not stand before it"},
		{"a: &\n", "1:4", "&", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"a: &a: b\n", "1:6", ": b", "a `: ` inside an unquoted value"},
		{"a: & b\n", "1:4", "&", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"**bold** text\n", "1:1", "**bold**", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"*x\n", "1:1", "*x", "an alias names an anchor that does not stand before it"},
		{"a: [1, 2\n", "1:4", "[1, 2", "a list in brackets is not closed, or an item in it is not quoted"},
		{"a: [1, 2\nb: 3\n", "1:4", "[1, 2", "a list in brackets is not closed, or an item in it is not quoted"},
		{"a: {b: 1\n", "1:4", "{b: 1", "a map in braces is not closed, or a value in it is not quoted"},
		{"a: {b: 1}}\n", "1:1", "a: {b: 1}}", "the indentation or the quotes here do not fit what stands above"},
		{"a: ]\n", "1:4", "]", "a bracket or a comma where a value is expected"},
		{"a: 'x\n", "1:4", "'x", "a quoted text is never closed"},
		{"a: \"x\n", "1:4", "\"x", "a quoted text is never closed"},
		{"a: \"x\n---\n", "1:4", "\"x", "a quoted text is never closed before a line that ends the document"},
		{"a: \"\\q\"\n", "1:5", "\\q", "an unknown escape in a double-quoted text"},
		{"a: \"\\xZ\"\n", "1:5", "\\x", "an escape in a double-quoted text lacks digits"},
		{"a: \"\\ud83d\"\n", "1:5", "\\ud83d", "an escape of half a surrogate pair, which is no character"},
		{"a: `x`\n", "1:4", "`x`", "a value cannot begin with this character"},
		{"a: @x\n", "1:4", "@x", "a value cannot begin with this character"},
		{"a: %x\n", "1:4", "%x", "a value cannot begin with this character"},
		{"a: b: c\n", "1:5", ": c", "a `: ` inside an unquoted value"},
		{"a:\n\tb: 1\n", "2:2", "b: 1", "a tab is used for indentation"},
		{"\ta: 1\n", "1:2", "a: 1", "a tab is used for indentation"},
		{"a\nb: 1\n", "2:1", "b: 1", "a `: ` inside an unquoted value"},
		{"a: 1\n  b: 2\n", "2:3", "b: 2", "a `: ` inside an unquoted value"},
		{"a:\n  - 1\n - 2\n", "3:2", "- 2", "the indentation or the quotes here do not fit what stands above"},
		{"- a\nb: 1\n", "2:1", "b: 1", "the indentation here does not fit the list above"},
		{"a: - b\n", "1:4", "- b", "a list item cannot stand here"},
		{"a: ? b\n", "1:4", "? b", "a `? ` inside an unquoted value, which begins a key in YAML"},
		{"? a\n? b\n: : c\n", "3:1", ": : c", "the indentation or the quotes here do not fit what stands above"},
		{"a: |0\n x\n", "1:4", "|0", "the number behind the sign that begins a block is its indentation, which is at least 1"},
		{"a: |x\n", "1:4", "|x", "text stands behind the sign that begins a block, or behind a line with %"},
		{"a: >+1x\n y\n", "1:4", ">+1x", "text stands behind the sign that begins a block, or behind a line with %"},
		{"a: |\n\tx\n", "2:2", "x", "a tab is used for indentation"},
		{"a: |2\n x\n", "2:2", "x", "the indentation or the quotes here do not fit what stands above"},
		{"%FOO bar\na: 1\n", "1:1", "%FOO bar", "a line that begins with % tells YAML's version or tags, and this one does not"},
		{"%YAML 1\n---\na: 1\n", "1:1", "%YAML 1", "the version of YAML behind %YAML is no number"},
		{"%YAML 9.9\n---\na: 1\n", "1:1", "%YAML 9.9", "the document asks for another version of YAML"},
		{"%TAG ! x\n", "2:1", "", "no document begins here: one has ended before, or lines that begin with % ask for a line `---`"},
		{"%TAG !a! x\n%TAG !a! y\n---\nb: 1\n", "1:1", "%TAG !a! x", "a line that begins with % tells YAML's version or tags, and this one does not"},
		{"a: !x!y z\n", "1:4", "!x!y", "a tag that is not known"},
		{"a: !<x z\n", "1:4", "!<x", "a tag that is not closed"},
		{"a: &x [*x]\n", "1:8", "*x", "the alias `*x` contains itself"},
		{"a: \x01\n", "1:4", "\x01", "a control character stands in the document"},
		{"a: 1\n...\nb: 2\n", "3:1", "b: 2", "no document begins here: one has ended before, or lines that begin with % ask for a line `---`"},
		{"a: \"x\" y\n", "1:8", "y", "text stands behind the closing quote of a value"},
		{"a: 'x'y'\n", "1:7", "y'", "text stands behind the closing quote of a value"},
		{"a: [b]c\n", "1:1", "a: [b]c", "the indentation or the quotes here do not fit what stands above"},
		{"key: value\nkey2\n", "2:1", "key2", "a key without its colon, or a text of several lines without quotes"},
		{"a: >\n x\ny\n", "3:1", "y", "a key without its colon, or a text of several lines without quotes"},
		{"a: \"b\nc: d\n", "1:4", "\"b", "a quoted text is never closed"},
		{"-a: 1\n- b\n", "2:1", "- b", "the indentation or the quotes here do not fit what stands above"},
		{"a: |\n x\n  y\n z\nw\n", "5:1", "w", "a key without its colon, or a text of several lines without quotes"},
		{"a: [b: c: d]\n", "1:4", "[b: c: d]", "a list in brackets is not closed, or an item in it is not quoted"},
		{"a: [,]\n", "1:5", ",", "a bracket or a comma where a value is expected"},
		{"a: {,}\n", "1:5", ",", "a bracket or a comma where a value is expected"},
		{"? - a\n  b\n", "2:3", "b", "a key without its colon, or a text of several lines without quotes"},
		{"a: 'it's'\n", "1:8", "s'", "text stands behind the closing quote of a value"},
		{"a: 1\r\nb: **c**\r\n", "2:4", "**c**", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"a: [{b: 'it's'}]\n", "1:4", "[{b: 'it's'}]", "a map in braces is not closed, or a value in it is not quoted"},
		{"- !x!y z\n- b\n", "1:3", "!x!y", "a tag that is not known"},
		{"a:\n  b: |\n    x\n  &\n", "4:3", "&", "`*` begins an alias in YAML, `&` an anchor, and here no name follows"},
		{"é: 𝄞\nü: @ö\n", "2:4", "@ö", "a value cannot begin with this character"},
		{"a: \"b\n\n\\q\"\n", "3:1", "\\q", "an unknown escape in a double-quoted text"},
		{"a: !<> z\n", "1:4", "!<>", "a tag without its name"},
		{"%F-O\n", "1:1", "%F-O", "a line that begins with % tells YAML's version or tags, and this one does not"},
		{"% x\n", "1:1", "% x", "a line that begins with % tells YAML's version or tags, and this one does not"},
		{"a: !x\"y\"\n", "1:4", "!x\"y\"", "a tag is not parted from its value by a blank"},
	} {
		f := source.New("a.yaml", c.yaml)
		_, l := ReadData(f, YAMLOptions{})
		if len(l) != 1 {
			t.Errorf("%q: %v", c.yaml, l)
			continue
		}
		d := l[0]
		told[d.Message] = true
		p := f.Position(d.Span.Start)
		if got := fmt.Sprintf("%d:%d", p.Line, p.Column); got != c.place || f.Slice(d.Span) != c.text || d.Message != c.message || d.Help == "" {
			t.Errorf("%q:\n got %s %q %s (help: %s)\nwant %s %q %s", c.yaml, got, f.Slice(d.Span), d.Message, d.Help, c.place, c.text, c.message)
		}
	}
	// These are found before yaml.v3 is asked, or need a text too long for a table.
	elsewhere := []string{"exceeded max depth", "excessive aliasing", ""}
	for _, fault := range yamlFaults {
		if told[fault.message] == slices.Contains(elsewhere, fault.part) {
			t.Errorf("%q is told by a row: %v", fault.part, told[fault.message])
		}
	}
}

// A line that leaves the text of a block has the block named in the help.
func TestLeftBlock(t *testing.T) {
	for text, want := range map[string]bool{
		"a: |\n  x\n\n**Your response: y\n":          true,
		"a:\n  b: |\n    x\n  **Your response** y\n": true,
		"a: **Your response** y\n":                   false,
		"a: x\n**Your response** y\n":                false,
		"**Your response** y\n":                      false,
		strings.Repeat("\n", 200) + "  **Your** y\n": false,
	} {
		_, l := ReadData(source.New("a.yaml", text), YAMLOptions{})
		if len(l) != 1 || strings.HasPrefix(l[0].Help, "indent the line") != want {
			t.Errorf("%q: %v", text, l)
		}
	}
}
