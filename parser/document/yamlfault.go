package document

import (
	"regexp"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
)

// yamlFault is what a person should know of an error of yaml.v3, which tells its
// errors by texts alone.
type yamlFault struct {
	part          string // of the text that it is told by
	message, help string
	code          diag.Code
	// parser says that the parser tells it, not the scanner: its lines are counted
	// from 0.
	parser bool
	// place finds the fault on its line: the first group, or the whole. Without it,
	// and where it finds nothing, the fault is the whole line.
	place *regexp.Regexp
}

// Parts of texts that are told by more than the table.
const (
	notAToken = "cannot start any token"
	notAName  = "did not find expected alphabetic or numeric character"
	noKey     = "did not find expected key"
	// behindQuote is part of no text: yaml.v3 then misses a key.
	behindQuote = "text behind a quote"
)

const (
	asBlock      = "quote the value, or write it as a block: key: |"
	dropPercent  = "drop the line; a text that begins with % is quoted, or indented as the text above it"
	valueBefore  = `(?:^|[:\-?,\[{])[ \t]*`
	wordFromHere = `[^\s,\[\]{}]*`
)

// yamlFaults are the errors of yaml.v3's reader, scanner and parser; what is more
// exact comes first. The last one is told of all others.
var yamlFaults = [...]yamlFault{
	{part: notAToken, message: "a value cannot begin with this character", help: "quote the value", place: regexp.MustCompile(valueBefore + "([@`%]" + wordFromHere + ")")},
	{part: "mapping values are not allowed", message: "a `: ` inside an unquoted value", help: asBlock},
	{part: "mapping keys are not allowed", message: "a `? ` inside an unquoted value, which begins a key in YAML", help: asBlock, place: regexp.MustCompile(valueBefore + `(\?(?:\s.*)?)$`)},
	{part: "found a tab character", message: "a tab is used for indentation", help: "indent with spaces"},
	{part: "could not find expected ':'", message: "a key without its colon, or a text of several lines without quotes", help: "write texts of several lines as a block: key: |"},
	{part: "unexpected end of stream", message: "a quoted text is never closed", help: "add the closing quote"},
	{part: "unexpected document indicator", message: "a quoted text is never closed before a line that ends the document", help: "add the closing quote"},
	{part: "unknown escape character", message: "an unknown escape in a double-quoted text", help: "write the backslash twice, or use single quotes or a block",
		place: regexp.MustCompile(`^(?:[^\\]|\\[0abt\tnvfre "/\\N_LPxuU])*?(\\[^0abt\tnvfre "/\\N_LPxuU])`)},
	{part: "invalid Unicode character escape", message: "an escape of half a surrogate pair, which is no character",
		help: `write the character itself, or beyond \uffff one escape such as \U0001f600: YAML has no pairs of escapes`, place: regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)},
	{part: "did not find expected hexdecimal", message: "an escape in a double-quoted text lacks digits", help: `write the digits, as in \xe9 or \u00e9; for a plain backslash write it twice`,
		place: regexp.MustCompile(`(\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}))(?:[^0-9a-fA-F]|$)`)},
	{part: "unknown anchor", code: "PCC406", message: "an alias names an anchor that does not stand before it", help: "define the anchor with &name before its use", place: regexp.MustCompile(valueBefore + `(\*` + wordFromHere + `)`)},
	{part: notAName, message: "`*` begins an alias in YAML, `&` an anchor, and here no name follows", help: "quote the value", place: regexp.MustCompile(valueBefore + `([*&]` + wordFromHere + `)`)},
	{part: behindQuote, message: "text stands behind the closing quote of a value", help: `quote the whole value; a quote inside is written twice between ' and as \" between "`, place: regexp.MustCompile(`^` + valueHead + `(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ \t]*([^\s#:,\]}].*)$`)},
	{part: noKey, parser: true, message: "the indentation or the quotes here do not fit what stands above", help: "check the indentation; quote values that hold : or #"},
	{part: "did not find expected '-' indicator", parser: true, message: "the indentation here does not fit the list above", help: "indent all items of a list alike"},
	{part: "did not find expected node content", parser: true, message: "a bracket or a comma where a value is expected", help: "write the value, or quote it if the character is part of it", place: regexp.MustCompile(`(?:[:\-?,\[{]|^)[ \t]*([\]},])`)},
	{part: "did not find expected ',' or ']'", parser: true, message: "a list in brackets is not closed, or an item in it is not quoted", help: "quote the value, or close the bracket"},
	{part: "did not find expected ',' or '}'", parser: true, message: "a map in braces is not closed, or a value in it is not quoted", help: "quote the value, or close the brace"},
	{part: "did not find expected <document start>", parser: true, message: "no document begins here: one has ended before, or lines that begin with % ask for a line `---`", help: "drop the line `...` or those with % before it"},
	{part: "did not find expected comment or line break", message: "text stands behind the sign that begins a block, or behind a line with %", help: "begin the text of a block on the next line, indented", place: regexp.MustCompile(`[|>].*$`)},
	{part: "indentation indicator equal to 0", message: "the number behind the sign that begins a block is its indentation, which is at least 1", help: "drop the number", place: regexp.MustCompile(`[|>][-+]?0`)},
	{part: "control characters are not allowed", message: "a control character stands in the document", help: "write it as an escape in double quotes, such as \"\\x1b\"", place: regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`)},
	{part: "exceeded max depth", code: "PCC921", message: "lists and maps are nested too deep", help: "flatten the document"},
	{part: "incompatible YAML document", message: "the document asks for another version of YAML", help: "drop the %YAML line"},
	{part: "block sequence entries are not allowed", message: "a list item cannot stand here", help: "put the list on lines of its own", place: regexp.MustCompile(valueBefore + `(-(?:\s.*)?)$`)},
	{part: "undefined tag handle", message: "a tag that is not known", help: "drop the tag, or quote a value that begins with `!`", place: tagPlace},
	{part: "expected '>'", message: "a tag that is not closed", help: "drop the tag, or quote a value that begins with `!`", place: tagPlace},
	{part: "expected tag URI", message: "a tag without its name", help: "drop the tag, or quote a value that begins with `!`", place: tagPlace},
	{part: "expected whitespace", message: "a tag is not parted from its value by a blank", help: "drop the tag, or quote a value that begins with `!`", place: tagPlace},
	{part: "directive", message: "a line that begins with % tells YAML's version or tags, and this one does not", help: dropPercent},
	{part: "version number", message: "the version of YAML behind %YAML is no number", help: dropPercent},
	{part: "expected digit or '.'", message: "the version of YAML behind %YAML is no number", help: dropPercent},
	{part: "non-alphabetical character", message: "a line that begins with % tells YAML's version or tags, and this one does not", help: dropPercent},
	{part: "excessive aliasing", message: "aliases multiply the document too often", help: "write the values out"},
	{part: "", message: "this is not well-formed YAML", help: asBlock},
}

var tagPlace = regexp.MustCompile(valueBefore + `(!\S*)`)

// yamlFaultOf finds the fault that an error's text tells.
func yamlFaultOf(text string) *yamlFault {
	for i := range yamlFaults {
		if f := yamlFaults[i]; strings.Contains(text, f.part) {
			if f.code == "" {
				f.code = "PCC401"
			}
			return &f
		}
	}
	return nil // the last one is found in every text
}

// found reports whether the fault is on a line.
func (f *yamlFault) found(line string) bool {
	_, _, ok := f.find(line)
	return ok
}

// find tells where on its line the fault is. What it looks at is bounded.
func (f *yamlFault) find(line string) (from, to int, ok bool) {
	const most = 4096
	if f.place == nil {
		return 0, 0, false
	}
	m := f.place.FindStringSubmatchIndex(line[:min(len(line), most)])
	switch {
	case m == nil:
		return 0, 0, false
	case len(m) > 2:
		return m[2], m[3], true
	}
	return m[0], m[1], true
}
