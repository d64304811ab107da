// Package config holds the options of an environment.
package config

// Config holds the options of an environment. An empty delimiter is Jinja's own.
type Config struct {
	BlockStartString, BlockEndString       string
	VariableStartString, VariableEndString string
	CommentStartString, CommentEndString   string
	// AutoEscape escapes what is printed for HTML.
	AutoEscape bool
	// StrictUndefined makes it an error to print a value that is missing.
	StrictUndefined bool
	// TrimBlocks drops the line break after a block, LeftStripBlocks the blanks
	// before one that begins its line.
	TrimBlocks, LeftStripBlocks bool
	// KeepTrailingNewline keeps the line break that ends the source.
	KeepTrailingNewline bool
	// NewlineSequence replaces the line breaks of the source: "\n", "\r\n" or "\r".
	NewlineSequence string
	// LineStatementPrefix and LineCommentPrefix open statements and comments that
	// reach to the end of the line; "" turns them off.
	LineStatementPrefix, LineCommentPrefix string
}

// New returns the options that Jinja2 has by default.
func New() *Config {
	return &Config{
		BlockStartString: "{%", BlockEndString: "%}",
		VariableStartString: "{{", VariableEndString: "}}",
		CommentStartString: "{#", CommentEndString: "#}",
		NewlineSequence: "\n",
	}
}

// Inherit returns a copy.
func (c *Config) Inherit() *Config {
	d := *c
	return &d
}
