package document

import (
	"bytes"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

func isNameRune(c rune) bool {
	return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.Mn, c)
}

func startsName(s string) bool {
	for _, c := range s {
		return c == '_' || unicode.IsLetter(c)
	}
	return false
}

// advice maps what yaml.v3 says to what a person should know.
var advice = []struct{ part, message, help string }{
	{"cannot start any token", "a value cannot begin with this character", "quote the value"},
	{"mapping values are not allowed", "a `: ` inside an unquoted value", "quote the value, or write it as a block: key: |"},
	{"found a tab character", "a tab is used for indentation", "indent with spaces"},
	{"could not find expected ':'", "a key without its colon, or a text of several lines without quotes", "write texts of several lines as a block: key: |"},
	{"unexpected end of stream", "a quoted text is never closed", "add the closing quote"},
	{"found unexpected end", "a quoted text is never closed", "add the closing quote"},
	{"unknown escape character", "an unknown escape in a double-quoted text", "write the backslash twice, or use single quotes or a block"},
	{"invalid Unicode character escape", "an escape of half a surrogate pair, which is no character", `write the character itself, or beyond \uffff one escape such as \U0001f600: YAML has no pairs of escapes`},
	{"did not find expected hexdecimal", "an escape in a double-quoted text lacks digits", `write the digits, as in \xe9 or \u00e9; for a plain backslash write it twice`},
	{"unknown anchor", "an alias names an anchor that does not stand before it", "define the anchor with &name before its use"},
	{"did not find expected key", "the indentation or the quotes here do not fit what stands above", "check the indentation; quote values that hold : or #"},
	{"did not find expected '-' indicator", "the indentation here does not fit the list above", "indent all items of a list alike"},
	{"did not find expected", "a list or a map in brackets is not closed, or a value is not quoted", "quote the value, or close the bracket"},
	{"found character that cannot", "a value cannot begin with this character", "quote the value"},
	{"control characters are not allowed", "a control character stands in the document", "write it as an escape in double quotes, such as \"\\x1b\""},
	{"exceeded max depth", "lists and maps are nested too deep", "flatten the document"},
	{"incompatible YAML document", "the document asks for another version of YAML", "drop the %YAML line"},
	{"block sequence entries are not allowed", "a list item cannot stand here", "put the list on lines of its own"},
	{"undefined tag handle", "a tag that is not known", "drop the tag"},
}

var surrogateEscape = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

var linePattern = regexp.MustCompile(`line (\d+): `)

// faultLine is the line, from 1, that an error of yaml.v3 is about. Unlike its
// scanner, its parser counts lines from 0; and of a list or map in blocks it
// tells where that began. The fault is then on the first line with which the
// text so far has the same error; long texts are not read again to find it.
func (r *yamlReader) faultLine(text string) int {
	line := 0
	if m := linePattern.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	if line == 0 || strings.Contains(text, "did not find expected") {
		line++
	}
	inBlocks := strings.Contains(text, "did not find expected key") || strings.Contains(text, "did not find expected '-'")
	if !inBlocks || len(r.text) > 64<<10 || line > len(r.lines) {
		return line
	}
	masked := maskVersion(r.text)
	return line + sort.Search(len(r.lines)-line, func(i int) bool {
		dec := yaml.NewDecoder(bytes.NewReader(masked[:r.lines[line+i]]))
		var err error
		for err == nil {
			err = decodeNode(dec, new(yaml.Node))
		}
		return strings.TrimPrefix(err.Error(), "yaml: ") == text
	})
}

// explain makes a diagnostic of an error of yaml.v3. Where a line near the
// fault holds an unquoted placeholder, that is the likely cause and gets the
// blame.
func (r *yamlReader) explain(err error) *diag.Diagnostic {
	if r.lines == nil {
		r.lines = lineStarts(r.text)
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := r.faultLine(text)
	if d := r.blamePlaceholder(line); d != nil {
		return d
	}
	at := r.pos(min(line, len(r.lines)), 1)
	if found, ok := r.faultAt(text, min(line, len(r.lines))); ok {
		at = found
	}
	at += source.Pos(skipBlanks(r.text, int(at-r.base))) - (at - r.base)
	end := at
	for int(end-r.base) < len(r.text) && breakLen(r.text, int(end-r.base)) == 0 {
		end++
	}
	code := diag.Code("PCC401")
	switch {
	case strings.Contains(text, "unknown anchor"):
		code = "PCC406"
	case strings.Contains(text, "exceeded max depth"):
		code = "PCC921"
	}
	if strings.Contains(text, "invalid Unicode character escape") {
		if half := surrogateEscape.FindStringIndex(r.text[at-r.base : end-r.base]); half != nil {
			at, end = at+source.Pos(half[0]), at+source.Pos(half[1])
		}
	}
	if at > r.base && strings.Contains(text, "cannot start any token") && r.text[at-r.base-1] == '\t' {
		text = "found a tab character"
	}
	for _, a := range advice {
		if strings.Contains(text, a.part) {
			return diag.New(code, r.file, source.Span{Start: at, End: end}, "%s", a.message).WithHelp("%s", a.help)
		}
	}
	return diag.New(code, r.file, source.Span{Start: at, End: end}, "this is not well-formed YAML")
}

// faultAt finds the place of faults that yaml.v3 tells by the line only, or where
// the text ends: the colon inside a value, and the quote that is never closed.
func (r *yamlReader) faultAt(text string, line int) (source.Pos, bool) {
	switch {
	case strings.Contains(text, "mapping values are not allowed"):
		start, end := r.lines[line-1], len(r.text)
		if line < len(r.lines) {
			end = r.lines[line]
		}
		value := start + len(valueStart.FindString(r.text[start:end]))
		if n := strings.Index(r.text[value:end], ": "); n >= 0 {
			return r.base + source.Pos(value+n), true
		}
	case strings.Contains(text, "unexpected end of stream"):
		if at := openQuote(r.text, r.lines); at >= 0 {
			return r.base + source.Pos(at), true
		}
	}
	return 0, false
}

// openQuote is the offset of the first quote that begins a value and is never
// closed; -1 where there is none.
func openQuote(s string, lines []int) int {
	for i := 0; i < len(lines); {
		end := len(s)
		if i+1 < len(lines) {
			end = lines[i+1]
		}
		at := lines[i] + len(valueStart.FindString(s[lines[i]:end]))
		i++
		if at >= len(s) || s[at] != '"' && s[at] != '\'' {
			continue
		}
		closed := at + 1
		for closed < len(s) {
			if s[at] == '"' && s[closed] == '\\' || s[at] == '\'' && strings.HasPrefix(s[closed:], "''") {
				closed += 2 // an escape, or a doubled quote
				continue
			}
			if s[closed] == s[at] {
				break
			}
			closed++
		}
		if closed >= len(s) {
			return at
		}
		for i < len(lines) && lines[i] <= closed {
			i++
		}
	}
	return -1
}

// valueStart finds where the value of a line begins: behind list dashes and a
// key with its colon.
var valueStart = regexp.MustCompile(`^[ \t]*(?:-[ \t]+)*(?:(?:"[^"\\]*"|'[^']*'|[^\s"'#{}\[\],&*!|>%@` + "`" + `-][^:#{}]*):[ \t]+)?`)

// blamePlaceholder looks for an unquoted {x} or {{x}} at the start of a value,
// on the lines around the error, nearest first.
func (r *yamlReader) blamePlaceholder(line int) *diag.Diagnostic {
	const around = 3
	for i := 0; i <= 2*around; i++ {
		n := line + (i+1)/2
		if i%2 == 0 {
			n = line - i/2
		}
		if n < 1 || n > len(r.lines) {
			continue
		}
		start := r.lines[n-1]
		end := len(r.text)
		if n < len(r.lines) {
			end = r.lines[n]
		}
		if end-start > 4096 { // a placeholder near the start of a line is what is looked for
			end = start + 4096
		}
		at := start + len(valueStart.FindString(r.text[start:end]))
		text, stop, ok := placeholderAt(r.text, at)
		if !ok {
			continue
		}
		behind := strings.TrimRight(r.text[stop:end], " \t\r\n")
		if trimmed := strings.TrimLeft(behind, " \t"); !strings.HasPrefix(text, "{{") && (trimmed == "" || strings.HasPrefix(trimmed, "#")) {
			continue // {x} alone is well-formed YAML: the fault lies elsewhere
		}
		span := source.Span{Start: r.base + source.Pos(at), End: r.base + source.Pos(stop)}
		if r.file.Private {
			return diag.New("PCC402", r.file, span, "YAML reads this unquoted text in braces as the start of a map")
		}
		return diag.New("PCC402", r.file, span, "YAML reads the unquoted `%s` as the start of a map", clip(text, 60)).
			WithHelp("quote the value: \"%s\"", clip(strings.TrimSpace(text+behind), 80))
	}
	return nil
}
