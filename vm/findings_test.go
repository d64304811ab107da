package vm

import "testing"

// TestLiteralForm: a kept placeholder is written out as a literal in its own
// delimiters.
func TestLiteralForm(t *testing.T) {
	for _, c := range []struct{ raw, name, want string }{
		{"{age}", "age", "/{age/}"},
		{"{age|upper}", "age", "/{age|upper/}"},
		{"<user.age>", "user.age", "/<user.age/>"},
		{"<<age>>", "age", "/<<age/>>"},
		{"{{ age }}", "age", "/{{ age /}}"},
		{"[[age]]", "age", "/[[age/]]"},
		{"{a}", "", ""},
		{"age", "age", ""},
		{"", "age", ""},
		{"{{ age\n }}", "age", ""},
	} {
		if got := literalForm(c.raw, c.name); got != c.want {
			t.Errorf("%q: %q, want %q", c.raw, got, c.want)
		}
	}
}
