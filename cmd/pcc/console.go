package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/diag"
)

// What people read may end in a terminal, which obeys control characters, or in
// the log of a build server, which obeys lines such as `::error::text`. Names of
// files, variables and tests come from anywhere. So each text for people goes
// through two gates: lines makes names one line each, and forPeople takes away
// what is obeyed. Results (rendered texts) are written as they are, except to a
// terminal.

// lines is a text for people under construction.
type lines struct{ b bytes.Buffer }

// printf adds to the text. The format is the program's own; control characters
// and line breaks of arguments are made visible.
func (l *lines) printf(format string, args ...any) {
	shown := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			shown[i] = diag.Visible(arg)
		case error:
			shown[i] = diag.Visible(arg.Error())
		case fmt.Stringer:
			shown[i] = diag.Visible(arg.String())
		default:
			shown[i] = arg
		}
	}
	fmt.Fprintf(&l.b, format, shown...)
}

// block adds a text of several lines that comes from outside, each behind a
// mark that keeps it from beginning a line.
func (l *lines) block(mark, text string) {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		l.b.WriteString(strings.TrimRight(mark+visibleText(line), " ") + "\n")
	}
}

// visibleText is text with control characters made visible that are neither line
// breaks nor tabs.
func visibleText(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7F }) < 0 {
		return text
	}
	var b strings.Builder
	for {
		i := strings.IndexAny(text, "\n\t")
		if i < 0 {
			b.WriteString(diag.Visible(text))
			return b.String()
		}
		b.WriteString(diag.Visible(text[:i]))
		b.WriteByte(text[i])
		text = text[i+1:]
	}
}

var (
	// colours are what diag.Text writes for a terminal.
	colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	// bracketCommand is how the logs of Azure, TeamCity and, of old, GitHub are
	// told something, anywhere in a line.
	bracketCommand = regexp.MustCompile(`##(\w*)\[`)
)

// forPeople is a text as a terminal or a log may show it. Where it is coloured,
// colours stay.
func forPeople(text []byte, coloured bool) []byte {
	s := string(text)
	if coloured {
		var b strings.Builder
		last := 0
		for _, at := range colours.FindAllStringIndex(s, -1) {
			b.WriteString(visibleText(s[last:at[0]]))
			b.WriteString(s[at[0]:at[1]])
			last = at[1]
		}
		b.WriteString(visibleText(s[last:]))
		s = b.String()
	} else {
		s = visibleText(s)
	}
	if !strings.Contains(s, "::") && !strings.Contains(s, "##") {
		return []byte(s)
	}
	var b strings.Builder
	for line := range strings.Lines(bracketCommand.ReplaceAllString(s, `#\#$1[`)) {
		// GitHub takes a line for a command however far it is indented.
		text := strings.TrimLeftFunc(line, unicode.IsSpace)
		if strings.HasPrefix(text, "::") {
			b.WriteString(line[:len(line)-len(text)])
			b.WriteByte('\\')
			line = text
		}
		b.WriteString(line)
	}
	return []byte(b.String())
}

// plainJSON is JSON text with the characters written as escapes that a terminal
// would obey or hide: encoders leave DEL, the C1 controls and bidirectional controls
// as they are. They can stand in strings only.
func plainJSON(text []byte) []byte {
	var b bytes.Buffer
	done := 0
	escape := func(from, to int, r rune) {
		b.Write(text[done:from])
		done = to
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	for i := 0; i < len(text); {
		c := text[i]
		r, size := rune(c), 1
		switch {
		case c >= utf8.RuneSelf:
			r, size = utf8.DecodeRune(text[i:])
			if s := string(r); r != utf8.RuneError && diag.Visible(s) != s {
				escape(i, i+size, r)
			}
		case c == 0x7F, c == '#' && i+1 < len(text) && text[i+1] == '#':
			escape(i, i+1, r)
		}
		i += size
	}
	if done == 0 {
		return text
	}
	b.Write(text[done:])
	return b.Bytes()
}

// tell writes a text for people to standard error.
func (a *app) tell(text []byte, coloured bool) error {
	_, err := a.stderr.Write(forPeople(text, coloured))
	return err
}

// writeText writes a text for people to standard output, or to the file of -o.
func (a *app) writeText(path string, text []byte) error {
	return a.writeResult(path, forPeople(text, false))
}
