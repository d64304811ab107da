package diag

import (
	"fmt"
	"io"
	"strings"
)

// GitHub writes each diagnostic as a workflow command of GitHub Actions, which
// shows it beside the line that it is about:
//
//	::error file=a.md,line=3,col=1,endLine=3,endColumn=26,title=PCC104::message
func GitHub(w io.Writer, l List) error {
	for _, d := range l {
		kind := d.Severity.String()
		if d.Severity == Note {
			kind = "notice"
		}
		var props []string
		add := func(key, value string) { props = append(props, key+"="+githubProperty.Replace(githubVisible(value))) }
		if p, ok := placeOf(d.File, d.Span); ok {
			add("file", p.file.Name)
			add("line", fmt.Sprint(p.start.Line))
			add("col", fmt.Sprint(p.start.Column))
			add("endLine", fmt.Sprint(p.end.Line))
			add("endColumn", fmt.Sprint(p.end.Column))
		}
		if d.Code != "" {
			add("title", string(d.Code))
		}
		text := Shorten(d.Message, maxMessage)
		if d.Note != "" {
			text += "\nnote: " + Shorten(d.Note, maxNote)
		}
		if d.Help != "" {
			text += "\nhelp: " + Shorten(d.Help, maxHelp)
		}
		head := "::" + kind
		if len(props) > 0 {
			head += " " + strings.Join(props, ",")
		}
		if _, err := fmt.Fprintf(w, "%s::%s\n", head, githubData.Replace(githubVisible(text))); err != nil {
			return err
		}
	}
	return nil
}

// githubVisible is s as visible has it, but for line breaks, which GitHub has
// escapes of its own for. It has none for other control characters, which would
// stand in the log as they are.
func githubVisible(s string) string {
	var b strings.Builder
	for {
		n := strings.IndexAny(s, "\r\n")
		if n < 0 {
			b.WriteString(visible(s))
			return b.String()
		}
		b.WriteString(visible(s[:n]))
		b.WriteByte(s[n])
		s = s[n+1:]
	}
}

// The escapes of GitHub's own toolkit (actions/toolkit, packages/core,
// command.ts: escapeData and escapeProperty).
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
