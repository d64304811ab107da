package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Explain writes what `pcc explain CODE` prints: the code's title, its
// explanation, an example that raises it and the mended form.
func Explain(w io.Writer, e Entry) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n\n", e.Code, e.Severity, e.Title)
	for _, p := range strings.Split(strings.TrimSpace(e.Explain), "\n\n") {
		b.WriteString(wrap(strings.Join(strings.Fields(p), " "), 78))
		b.WriteString("\n\n")
	}
	bad, good := "Wrong:", "Right:"
	if e.Form == "limit" {
		bad, good = "Runs into it:", "Instead:"
	}
	example(&b, bad, e.Bad)
	if e.Data != "" {
		example(&b, "with the data:", e.Data)
	}
	example(&b, good, e.Good)
	if e.Help != "" {
		b.WriteString(wrap("Help: "+e.Help, 78) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func example(b *strings.Builder, title, text string) {
	if text == "" {
		return
	}
	b.WriteString(title + "\n\n")
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		line = visible(strings.TrimRight(line, "\r\n"))
		if line != "" {
			b.WriteString("    " + line)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}

// wrap breaks text at blanks into lines of at most width characters; a longer
// word has a line of its own.
func wrap(text string, width int) string {
	var b strings.Builder
	col := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case col+1+n > width:
			b.WriteByte('\n')
			col = 0
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += n
	}
	return b.String()
}
