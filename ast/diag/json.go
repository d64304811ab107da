package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/source"
)

// jsonPlace is a range of a file: lines and columns from 1, columns in
// characters, offsets in bytes from 0, ends exclusive.
type jsonPlace struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Offset    int    `json:"offset"`
	EndOffset int    `json:"endOffset"`
}

type jsonLabel struct {
	Message string `json:"message"`
	*jsonPlace
}

type jsonFix struct {
	Replacement string `json:"replacement"`
	*jsonPlace
}

type jsonDiagnostic struct {
	Code     Code   `json:"code,omitempty"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	*jsonPlace
	Note   string      `json:"note,omitempty"`
	Help   string      `json:"help,omitempty"`
	Labels []jsonLabel `json:"labels,omitempty"`
	Trace  []string    `json:"trace,omitempty"`
	Names  []string    `json:"names,omitempty"`
	Fix    *jsonFix    `json:"fix,omitempty"`
}

func jsonPlaceOf(f *source.File, s source.Span) *jsonPlace {
	p, ok := placeOf(f, s)
	if !ok {
		return nil
	}
	return &jsonPlace{
		File: p.file.Name,
		Line: p.start.Line, Column: p.start.Column,
		EndLine: p.end.Line, EndColumn: p.end.Column,
		Offset: p.start.Offset, EndOffset: p.end.Offset,
	}
}

// JSON writes one JSON object a line for each diagnostic, with the members
// code, severity, message, file, line, column, endLine, endColumn, offset,
// endOffset, note, help, labels, trace, names and fix; those that do not apply are
// left out. Columns count characters from 1, offsets bytes from 0.
func JSON(w io.Writer, l List) error {
	for _, d := range l {
		j := jsonDiagnostic{
			Code: d.Code, Severity: d.Severity.String(), Message: Shorten(d.Message, maxMessage),
			jsonPlace: jsonPlaceOf(d.File, d.Span), Note: Shorten(d.Note, maxNote), Help: Shorten(d.Help, maxHelp),
			Trace: d.Trace, Names: d.Names,
		}
		if d.SpanLabel != "" {
			j.Labels = append(j.Labels, jsonLabel{Shorten(d.SpanLabel, maxLabelText), j.jsonPlace})
		}
		for _, lb := range d.Labels {
			f := lb.File
			if f == nil {
				f = d.File
			}
			j.Labels = append(j.Labels, jsonLabel{Shorten(lb.Message, maxLabelText), jsonPlaceOf(f, lb.Span)})
		}
		if d.Fix != nil {
			j.Fix = &jsonFix{d.Fix.Replacement, jsonPlaceOf(d.File, d.Fix.Span)}
		}
		line, err := encodeJSON(j, "")
		if err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// encodeJSON writes v with `<`, `>` and `&` as they are: prompts are full of
// them, and none of this goes into HTML. What a terminal would obey or hide is
// escaped: logs are read on one.
func encodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeInvisible(b.Bytes()), nil
}

// escapeInvisible writes the characters of JSON text that visible replaces as
// \uXXXX. Outside strings JSON has none of them but line breaks and tabs.
func escapeInvisible(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if _, hidden := visibleRune(r, n, text[0]); !hidden || r < 0x20 {
			out = append(out, text[:n]...)
		} else if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		} else {
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}
