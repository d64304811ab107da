package diag

import "strings"

// QuotedList lists names in a message: each as ClipName has it and in quotes,
// the first twenty of them.
func QuotedList(names []string) string {
	const most = 20
	var b strings.Builder
	for i, name := range names {
		if i == most {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("`" + ClipName(name) + "`")
	}
	return b.String()
}

// ClipName shortens a name for a message: names come from templates and data,
// which may make them as long as they like.
func ClipName(name string) string {
	const most = 80
	return Shorten(name, most)
}
