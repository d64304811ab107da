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

var linePattern = regexp.MustCompile(`line (\d+): `)

// faultLine is the line, from 1, that an error of yaml.v3 is about. Unlike its
// scanner, its parser counts lines from 0 (yamlFault.parser); and of a list or map in blocks it
// tells where that began. The fault is then on the first line with which the
// text so far has the same error; long texts are not read again to find it.
func (r *yamlReader) faultLine(text string) int {
	line := 0
	if m := linePattern.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	if line == 0 || yamlFaultOf(text).parser {
		line++
	}
	if _, ok := unknownAnchor(text); ok { // which is told without its line
		return r.firstWith(text, 1)
	}
	inBlocks := strings.Contains(text, "did not find expected key") || strings.Contains(text, "did not find expected '-'")
	if !inBlocks {
		return line
	}
	return r.firstWith(text, line)
}

// unknownAnchor is the name in the error of an alias without its anchor; ok is false
// for other errors.
func unknownAnchor(text string) (name string, ok bool) {
	_, rest, ok := strings.Cut(text, "unknown anchor '")
	end := strings.LastIndex(rest, "' referenced")
	if !ok || end < 0 {
		return "", false
	}
	return rest[:end], true
}

// firstWith is the first line from line on with which the text so far has the error
// that text tells; line itself for a long text.
func (r *yamlReader) firstWith(text string, line int) int {
	if len(r.text) > 64<<10 || line > len(r.lines) {
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
	line = min(line, len(r.lines))
	fault := yamlFaultOf(text)
	if fault.part == noKey {
		if quote := yamlFaultOf(behindQuote); quote.found(lineAt(r.text, r.lines[line-1])) {
			fault = quote
		}
	}
	at, end := r.lines[line-1], 0
	if found, ok := r.faultAt(text, line); ok {
		at = int(found - r.base)
		if name, ok := unknownAnchor(text); ok {
			end = at + len("*"+name)
		}
	} else if from, to, ok := fault.find(lineAt(r.text, at)); ok {
		at, end = at+from, at+to
	}
	at = skipBlanks(r.text, at)
	if end == 0 {
		end = at + len(lineAt(r.text, at))
	}
	if fault.part == notAToken && at > 0 && r.text[at-1] == '\t' {
		fault = yamlFaultOf("found a tab character")
	}
	d := diag.New(fault.code, r.file, source.Span{Start: r.base + source.Pos(at), End: r.base + source.Pos(end)}, "%s", fault.message)
	switch {
	case fault.part == notAName && leavesBlock(r.text, r.lines, line):
		d.WithHelp("indent the line as the text above it, if it belongs to that; else quote the value")
	case fault.help != "":
		d.WithHelp("%s", fault.help)
	}
	return d
}

// lineAt is the rest of the line from offset at.
func lineAt(s string, at int) string {
	s = s[min(at, len(s)):]
	for i := range len(s) {
		if breakLen(s, i) != 0 {
			return s[:i]
		}
	}
	return s
}

// leavesBlock reports whether line, from 1, is indented less than the last line
// above it that is not blank: a text in a block ends there.
func leavesBlock(s string, lines []int, line int) bool {
	own := skipBlanks(s, lines[line-1]) - lines[line-1]
	for n := line - 1; n > 0 && line-n < 64; n-- {
		above := lineAt(s, lines[n-1])
		if blanks := skipBlanks(above, 0); blanks < len(above) {
			return blanks > own
		}
	}
	return false
}

// faultAt finds the place of faults that yaml.v3 tells by the line only, or where
// the text ends: the colon inside a value, the bracket and the quote that are never
// closed.
func (r *yamlReader) faultAt(text string, line int) (source.Pos, bool) {
	if name, ok := unknownAnchor(text); ok {
		at := r.lines[line-1]
		row := lineAt(r.text, at)
		for from := 0; ; {
			n := strings.Index(row[from:], "*"+name)
			if n < 0 {
				return 0, false
			}
			from += n
			if end := from + 1 + len(name); end == len(row) || strings.IndexByte(" \t,]}", row[end]) >= 0 {
				return r.base + source.Pos(at+from), true
			}
			from++
		}
	}
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
	case strings.Contains(text, "did not find expected ','"):
		for n := line; n > 0 && line-n < 64; n-- {
			value := r.lines[n-1] + len(valueStart.FindString(lineAt(r.text, r.lines[n-1])))
			if value < len(r.text) && (r.text[value] == '[' || r.text[value] == '{') {
				return r.base + source.Pos(value), true
			}
		}
	case strings.Contains(text, "unexpected document indicator"), strings.Contains(text, "unexpected end of stream"):
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
var valueStart = regexp.MustCompile(`^` + valueHead)

const valueHead = `[ \t]*(?:-[ \t]+)*(?:(?:"[^"\\]*"|'[^']*'|[^\s"'#{}\[\],&*!|>%@` + "`" + `-][^:#{}]*):[ \t]+)?`

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
		return diag.New("PCC402", r.file, span, "YAML reads the unquoted `%s` as the start of a map", diag.Shorten(text, 60)).
			WithHelp("quote the value: \"%s\"", diag.Shorten(strings.TrimSpace(text+behind), 80))
	}
	return nil
}
