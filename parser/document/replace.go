package document

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/yamlout"
)

// Replacement gives the span and the new text that change the value of entry e
// of the map in to value, in the layout that stands there: on one line in JSON
// and inside braces, else as a block under its key. Lines end as the first one of the
// file does.
func Replacement(f *source.File, in *ast.Structure, e *ast.Entry, value *ast.Structure) (source.Span, string) {
	span, text := replacement(f, in, e, value)
	if i := strings.IndexByte(f.Text, '\n'); i > 0 && f.Text[i-1] == '\r' {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return span, text
}

// replacement is Replacement with lines that end in "\n".
func replacement(f *source.File, in *ast.Structure, e *ast.Entry, value *ast.Structure) (source.Span, string) {
	if IsJSON(f.Name) {
		b, err := WriteJSON(value)
		if err != nil {
			return e.Value.Span(), f.Slice(e.Value.Span())
		}
		return e.Value.Span(), strings.ReplaceAll(strings.TrimRight(string(b), "\n"), "\n", "\n"+lineIndent(f.Text, int(e.KeySpan.Start)))
	}
	span := source.Span{Start: e.KeySpan.End, End: e.Value.End}
	if int(in.Start) < len(f.Text) && f.Text[in.Start] == '{' || inFlow(f.Text, int(in.Start)) {
		return span, ": " + flowText(value)
	}
	// The column of the key tells how deep its value stands.
	column := int(e.KeySpan.Start) - strings.LastIndexByte(f.Text[:e.KeySpan.Start], '\n') - 1
	out := &yamlout.Emitter{SingleQuotes: true}
	out.Under(column)
	emit(out, value)
	text := ":" + string(out.Bytes())
	// A block scalar's last line break may belong to the old value.
	if end := int(e.Value.End); end > 0 && end <= len(f.Text) && f.Text[end-1] == '\n' && int(e.Value.Start) < end {
		text += "\n"
	}
	// So does a comment behind the key of a block.
	if line, _, several := strings.Cut(f.Text[e.KeySpan.End:e.Value.Start], "\n"); several {
		if comment := strings.TrimSpace(strings.TrimPrefix(line, ":")); strings.HasPrefix(comment, "#") {
			first, more, _ := strings.Cut(text, "\n")
			return span, strings.TrimRight(first+" "+comment+"\n"+more, " ")
		}
	}
	// A comment behind the old value stays on its line: behind a text of several
	// lines it would be part of the text, or take one of its line breaks.
	if end := int(span.End); end < len(f.Text) {
		rest := f.Text[end:]
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			rest = rest[:i]
		}
		comment := strings.TrimSpace(rest)
		if first, more, several := strings.Cut(text, "\n"); several && strings.HasPrefix(comment, "#") {
			span.End += source.Pos(len(strings.TrimRight(rest, "\r")))
			text = first + " " + comment + "\n" + more
		}
	}
	return span, text
}

// lineIndent is the white space that the line of offset i begins with.
func lineIndent(s string, i int) string {
	line := s[strings.LastIndexByte(s[:i], '\n')+1 : i]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// inFlow reports whether a map that begins at i stands inside brackets that
// were opened on its own line.
func inFlow(s string, i int) bool {
	line := s[strings.LastIndexByte(s[:min(i, len(s))], '\n')+1 : min(i, len(s))]
	return strings.Count(line, "{")+strings.Count(line, "[") > strings.Count(line, "}")+strings.Count(line, "]")
}

// flowText writes a structure on one line.
func flowText(s *ast.Structure) string {
	switch s.Kind {
	case ast.SList:
		parts := make([]string, len(s.Items))
		for i := range s.Items {
			parts[i] = flowText(&s.Items[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case ast.SMap:
		parts := make([]string, len(s.Map))
		for i := range s.Map {
			parts[i] = yamlout.Quote(s.Map[i].Key) + ": " + flowText(&s.Map[i].Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case ast.SNull:
		return "null"
	case ast.SBool, ast.SInt, ast.SFloat:
		return plainScalar(s)
	}
	return yamlout.Quote(s.Str)
}
