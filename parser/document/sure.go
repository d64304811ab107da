package document

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// This file tells what is at hand where a text is given as a template and may be
// something else: a document, or front matter that is not at the beginning.

// Recognise reports whether a file of a document's name, .yaml, .yml or .json,
// holds a prompt document.
func Recognise(f *source.File, o Options) bool {
	if !IsDocument(f.Name) {
		return false
	}
	s := recognised(f, o)
	return s != nil
}

// MayBeSure reports whether IsSurely is worth asking: it is a look at the first
// line of most texts.
func MayBeSure(text string) bool {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.HasPrefix(text, "{") {
		return strings.Contains(text, `"chat_template"`)
	}
	return beginsWithKey(text) && (strings.Contains(text, "messages:") || strings.Contains(text, "prompt"))
}

// IsSurely reports whether a text is a prompt document or a model's tokenizer
// configuration, and nothing that could be meant as the text of a prompt.
func IsSurely(text string, o Options) bool {
	text = strings.TrimPrefix(text, "\ufeff")
	json := strings.HasPrefix(text, "{")
	name := "document.yaml"
	if json {
		name = "document.json"
	}
	s := recognised(source.New(name, text), o)
	if s == nil {
		return false
	}
	if json {
		template, _ := s.Get("chat_template")
		return template != nil && (template.Kind == ast.SString || template.Kind == ast.SList)
	}
	if m, ok := s.Get("messages"); ok {
		return m.Kind == ast.SList && len(m.Items) > 0 && !slices.ContainsFunc(m.Items, func(item ast.Structure) bool { return !isMessageItem(item) })
	}
	for key, parts := range map[string][]string{"prompt": {"template"}, "prompts": {"system", "user"}} {
		if m, ok := s.Get(key); ok && m.Kind == ast.SMap {
			return slices.ContainsFunc(parts, func(part string) bool { _, ok := m.Get(part); return ok })
		}
	}
	return false
}

// beginsWithKey reports whether the first line that is no comment is `key:` or
// `key: value`.
func beginsWithKey(text string) bool {
	const comments = 20
	for range comments {
		line, rest, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(line, "#") {
			key, value, ok := strings.Cut(line, ":")
			return ok && key != "" && (value == "" || value[0] == ' ' || value[0] == '\r') &&
				strings.IndexFunc(key, func(r rune) bool { return r != '_' && (r < 'A' || r > 'z' || r > 'Z' && r < 'a') }) < 0
		}
		text = rest
	}
	return false
}

// recognised reads a document that has one of the forms, and no faults; nil is
// none.
func recognised(f *source.File, o Options) *ast.Structure {
	o.Limits = tokenizerLimits(f.Name, o.Limits)
	s, diags := ReadData(f, YAMLOptions{Placeholders: PlaceholdersText, Limits: o.Limits})
	if s == nil || diags.HasErrors() || s.Kind != ast.SMap && s.Kind != ast.SList {
		return nil
	}
	r := &reader{reporter: &reporter{file: f}, fsys: noFiles{}, dir: path.Dir(f.Name), o: o, doc: &ast.Document{}}
	if r.recognise(s) == nil {
		return nil
	}
	return s
}

// lateFrontMatter warns of front matter behind blank lines or comments: it is
// text then.
func (r *reporter) lateFrontMatter() {
	text := r.file.Text
	at := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	start := beforeFence(text, at)
	if start == at {
		return
	}
	next, fence := fenceAt(text, start)
	if !fence {
		return
	}
	known := false
	for i := next; i < len(text); {
		after, fence := fenceAt(text, i)
		if fence {
			if known {
				r.report("PCC428", source.Span{Start: source.Pos(start), End: source.Pos(start + 3)},
					"front matter begins a file, and here something stands before it: it is text")
			}
			return
		}
		line := text[i:after]
		if !headLine.MatchString(line) {
			return
		}
		key, _, _ := strings.Cut(line, ":")
		known = known || slices.Contains(headKeys[2:], key)
		i = after
	}
}

// headLine is a line that front matter may hold: a key, something that is
// indented or an item, a comment, or nothing.
var headLine = regexp.MustCompile(`^([\w-]+:(\s|$)|[ \t]+|- |#|\r?\n|\})`)

// beforeFence is the offset behind the blank lines and comments that begin a
// text at i, at the beginning of a line.
func beforeFence(text string, i int) int {
	for start := i; ; start = i {
		line, _, _ := strings.Cut(text[i:], "\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "{#"), strings.HasPrefix(trimmed, "<#"), strings.HasPrefix(trimmed, "<!--"):
			closer := "-->"
			switch trimmed[:2] {
			case "{#":
				closer = "#}"
			case "<#":
				closer = "#>"
			}
			n := strings.Index(text[i:], closer)
			if n < 0 {
				return start
			}
			i += n + len(closer)
			blank, _, more := strings.Cut(text[i:], "\n")
			if strings.TrimSpace(blank) != "" || !more {
				return start
			}
			i += len(blank) + 1
		case trimmed == "" && i+len(line) < len(text), strings.HasPrefix(line, "#") && i+len(line) < len(text):
			i += len(line) + 1
		default:
			return start
		}
	}
}
