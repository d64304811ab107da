package chat

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/parser/document"
)

// templateSource is a template as a source file of its own: text is what the
// string at span of the JSON file says, and its positions are those of the
// string. Without a span it stands for itself.
func templateSource(outer *source.File, span source.Span, text string) *source.File {
	if span.End == 0 {
		return source.New(outer.Name, text)
	}
	return document.TextFile(outer, &ast.Structure{Range: ast.Range{Start: span.Start, End: span.End}, Kind: ast.SString, Str: text})
}

// templateSpans finds the strings of `chat_template` in a JSON file that is
// well-formed: the text, or the template of each item of the list, an empty span
// where an item has none. What is read more leniently than JSON has no spans.
func templateSpans(text string) []source.Span {
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var spans []source.Span
	members(d, func(key string) bool {
		if key != "chat_template" {
			return false
		}
		spans = spans[:0] // the last of two equal keys counts
		if d.PeekKind() != '[' {
			spans = append(spans, valueSpan(d))
			return true
		}
		_, _ = d.ReadToken()
		for d.PeekKind() == '{' {
			var span source.Span
			members(d, func(key string) bool {
				if key == "template" {
					span = valueSpan(d)
				}
				return key == "template"
			})
			spans = append(spans, span)
		}
		for d.PeekKind() != ']' {
			if d.SkipValue() != nil {
				return true
			}
		}
		_, _ = d.ReadToken()
		return true
	})
	return spans
}

// members reads an object; read reads a member's value, or reports that it is to
// be passed over.
func members(d *jsontext.Decoder, read func(key string) bool) {
	if d.PeekKind() != '{' {
		_ = d.SkipValue()
		return
	}
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			return
		}
		if !read(key.String()) && d.SkipValue() != nil {
			return
		}
	}
	_, _ = d.ReadToken()
}

// valueSpan reads a value and returns where it stands.
func valueSpan(d *jsontext.Decoder) source.Span {
	raw, err := d.ReadValue()
	if err != nil {
		return source.Span{}
	}
	end := d.InputOffset()
	return source.Span{Start: source.Pos(end - int64(len(raw))), End: source.Pos(end)}
}
