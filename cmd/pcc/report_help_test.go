package main

import "testing"

// TestKeptHelp: the literal form of a kept placeholder is written out in its
// own delimiters.
func TestKeptHelp(t *testing.T) {
	const give = "give the value, or write it as a literal"
	for _, c := range []struct{ placeholder, name, want string }{
		{"{age}", "age", give + ": /{age/}"},
		{"<user.age>", "user.age", give + ": /<user.age/>"},
		{"<<age>>", "age", give + ": /<<age/>>"},
		{"{{ age }}", "age", give + ": /{{ age /}}"},
		{"[[age]]", "age", give + ": /[[age/]]"},
		{"{age", "age", give + " group"}, // a filter follows
	} {
		if got := keptHelp(c.placeholder, c.name); got != c.want {
			t.Errorf("%s: %s, want %s", c.placeholder, got, c.want)
		}
	}
}
