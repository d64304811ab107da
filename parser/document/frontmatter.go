package document

import (
	"strings"
	"unicode"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// SplitFrontMatter finds the front matter of a template file: YAML between a
// first line `---` and the next such line, with LF or CRLF, a BOM before it
// allowed. Blanks may follow the dashes. ok is false where there is none; body
// is then the whole file.
func SplitFrontMatter(f *source.File) (yaml, body source.Span, ok bool) {
	text := f.Text
	body.End = source.Pos(len(text))
	start := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	next, fence := fenceAt(text, start)
	if !fence {
		return yaml, body, false
	}
	for i := next; i < len(text); {
		after, fence := fenceAt(text, i)
		if fence {
			yaml = source.Span{Start: source.Pos(next), End: source.Pos(i)}
			body.Start = source.Pos(after)
			return yaml, body, true
		}
		i = after
	}
	return yaml, body, false
}

// fenceAt reports whether the line at i is `---`, and where the next begins.
func fenceAt(s string, i int) (next int, fence bool) {
	line := s[i:]
	next = len(s)
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		next = i + n + 1
		line = line[:n]
	}
	return next, strings.TrimRight(line, " \t\r") == "---"
}

// ReadTemplate reads a template file: its front matter, the choice of the
// syntax (by option, by a file name that tells it, by `syntax:`, else by
// parser.Detect), the body and, with `format: roles`, its messages. The
// template is never nil.
//
// A BOM and the front matter are no part of the text. Warnings of the
// detection are in the list.
func ReadTemplate(f *source.File, o parser.Options) (*ast.Template, diag.List) {
	r := &reporter{file: f}
	yaml, body, ok := SplitFrontMatter(f)
	var front *ast.FrontMatter
	if ok {
		front = &ast.FrontMatter{Span: yaml, Meta: r.frontMatter(yaml)}
		o.Body = body
	} else {
		r.openFrontMatter()
		r.lateFrontMatter()
	}
	t, diags := r.parse(o, front)
	t.Front = front
	if front != nil && front.Meta.Format == "roles" {
		r.splitRoles(t, body)
	}
	return t, append(r.diags, diags...)
}

// openFrontMatter warns of a first line `---` with `key: value` below it and no
// second such line.
func (r *reporter) openFrontMatter() {
	text := r.file.Text
	start := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	next, fence := fenceAt(text, start)
	if !fence {
		return
	}
	line := text[next:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	key, value, ok := strings.Cut(strings.TrimRight(line, " \t\r"), ":")
	if !ok || key == "" || value != "" && value[0] != ' ' || strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return
	}
	r.report("PCC426", source.Span{Start: source.Pos(start), End: source.Pos(start + 3)}, "the front matter is never closed, so it is text")
}

// frontMatter reads the YAML between the fences.
func (r *reporter) frontMatter(yaml source.Span) *ast.Meta {
	s, diags := ReadYAML(r.file, yaml, YAMLOptions{Placeholders: PlaceholdersRefuse})
	r.diags = append(r.diags, diags...)
	if s == nil {
		return &ast.Meta{File: r.file}
	}
	if s.Kind != ast.SMap && s.Kind != ast.SNull {
		r.want("a map of keys", "front matter", s)
		last := len(r.diags) - 1
		r.diags[last].Help = "if the first line `---` is meant as text, write {##} before it"
		return &ast.Meta{File: r.file}
	}
	m := r.meta(s)
	for i := range m.Extra {
		// Other keys belong to other tools; only near misses are worth a word.
		if near, ok := diag.Near(m.Extra[i].Key, frontKeys); ok && len(near) > 3 {
			r.unknownKey(&m.Extra[i], frontKeys)
		}
	}
	return m
}

// frontKeys are the keys of front matter: the tests are read by package prompt.
var frontKeys = append([]string{"tests"}, headKeys...)

// parse chooses the syntax and parses the body.
func (r *reporter) parse(o parser.Options, front *ast.FrontMatter) (*ast.Template, diag.List) {
	if o.Syntax == nil {
		o.Syntax, _ = declaredSyntax(r.file, front)
	}
	return parser.Parse(r.file, o) // which chooses by name and text where nothing else does
}

// declaredSyntax is the syntax that the front matter names; the file's name
// comes before it.
func declaredSyntax(f *source.File, front *ast.FrontMatter) (*lexer.Syntax, bool) {
	if front == nil || front.Meta.Syntax == "" {
		return nil, false
	}
	if _, ok := syntaxOfName(f.Name); ok {
		return nil, false
	}
	return lexer.ByName(front.Meta.Syntax)
}

// Detect tells which syntax ReadTemplate chooses for f where the options name
// none, and why.
func Detect(f *source.File, o parser.Options) parser.Detection {
	var front *ast.FrontMatter
	if yaml, body, ok := SplitFrontMatter(f); ok {
		front = &ast.FrontMatter{Span: yaml, Meta: (&reporter{file: f}).frontMatter(yaml)}
		o.Body = body
	}
	if syn, ok := declaredSyntax(f, front); ok {
		return parser.Detection{Syntax: syn, Reason: "its front matter says so"}
	}
	return parser.Detect(f, o)
}

// syntaxOfName returns the syntax that a file's name tells.
func syntaxOfName(name string) (*lexer.Syntax, bool) {
	name = strings.ToLower(name)
	for _, suffix := range []string{".jinja", ".jinja2", ".j2"} {
		if strings.HasSuffix(name, suffix) {
			return lexer.Jinja(), true
		}
	}
	return nil, false
}
