package measure

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Table is a Markdown table; the first row is its head.
type Table [][]string

// String writes the table with its columns in line: the first to the left, all
// others to the right.
func (t Table) String() string {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	var b strings.Builder
	for r, row := range t {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString("| " + cell + pad)
			} else {
				b.WriteString(" | " + pad + cell)
			}
		}
		b.WriteString(" |\n")
		if r == 0 {
			for i, n := range widths {
				if i == 0 {
					b.WriteString("|" + strings.Repeat("-", n+2))
				} else {
					b.WriteString("|" + strings.Repeat("-", n+1) + ":")
				}
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}

// Duration writes nanoseconds with three digits and a unit.
func Duration(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= u.size {
			return digits(ns/u.size) + " " + u.name
		}
	}
	return digits(ns) + " ns"
}

// Ratio writes a ratio with as many digits as the measurement deserves.
func Ratio(x float64) string { return digits(x) }

func digits(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
