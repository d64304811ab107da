package document

import (
	"encoding/base64"
	"path"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/parser"
)

// This file reads what the messages of native documents say: texts and parts, some
// of which are files.

// The keys of parts, and those of what is no text in them.
var (
	partKeys  = []string{"text", "image", "audio", "file", "cache"}
	mediaData = []string{"url", "data", "file", "media_type", "name", "detail"}
)

// messageContent reads what a message says: a text, {file: name}, one part or a
// list of them. Null is content too: that there is none.
func (r *reader) messageContent(m *ast.Message, s *ast.Structure, o parser.Options) {
	m.Parts = true
	switch s.Kind {
	case ast.SNull:
		m.Content = &ast.Structure{Range: s.Range}
	case ast.SMap:
		if f, ok := s.Get("file"); ok && len(s.Map) == 1 && f.Kind != ast.SMap {
			if e := r.templateFile(f, r.dir, o); e != nil {
				m.Body = []ast.Node{e}
			}
			return
		}
		if !isPart(s) {
			r.want("a text, a list of parts or {file: name}", "content", s)
			return
		}
		m.Content = &ast.Structure{Range: s.Range, Kind: ast.SList, Items: []ast.Structure{r.part(s, o)}}
	case ast.SList:
		c := *s
		c.Items = make([]ast.Structure, len(s.Items))
		for i := range s.Items {
			c.Items[i] = r.part(&s.Items[i], o)
		}
		m.Content = &c
	default:
		m.Body = []ast.Node{r.template(s, o)}
	}
}

// isPart reports whether a map has the keys of a part.
func isPart(s *ast.Structure) bool {
	return slices.ContainsFunc(s.Map, func(e ast.Entry) bool { return e.Key == "type" || e.Key != "cache" && slices.Contains(partKeys, e.Key) })
}

// part reads an item of content. A part with a type is a provider's own and kept
// as it is, its texts rendered.
func (r *reader) part(s *ast.Structure, o parser.Options) ast.Structure {
	if _, typed := s.Get("type"); typed || s.Kind != ast.SMap {
		return r.structure(s, o)
	}
	var kind *ast.Entry
	out := *s
	out.Map = make([]ast.Entry, len(s.Map))
	for i := range s.Map {
		e := s.Map[i]
		switch {
		case e.Key == "cache":
			r.cacheMark(&e.Value)
			e.Value = r.structure(&e.Value, o)
		case !slices.Contains(partKeys, e.Key):
			if _, near := diag.Near(e.Key, partKeys); near || len(s.Map) > 1 {
				r.unknownKey(&e, partKeys)
			}
			e.Value = r.structure(&e.Value, o)
		case kind != nil:
			r.report("PCC436", e.KeySpan, "a part is one thing, and this one has `%s` and `%s`", kind.Key, e.Key).
				WithLabel(kind.KeySpan, "`%s` is here", kind.Key).WithNames(kind.Key, e.Key).WithHelp("begin a new part with `-` for each")
			return out
		case e.Key == "text":
			kind = &s.Map[i]
			e.Value = r.partText(&e.Value, o)
		default:
			kind = &s.Map[i]
			e.Value = r.media(e.Key, &e.Value, o)
		}
		out.Map[i] = e
	}
	if kind == nil {
		d := r.report("PCC436", source.Span{Start: s.Start, End: s.Start + 1}, "this part does not say what it is")
		if len(s.Map) > 0 {
			d.Span = s.Map[0].KeySpan
		}
	}
	return out
}

// partText reads the text of a part, which may be that of a file.
func (r *reader) partText(s *ast.Structure, o parser.Options) ast.Structure {
	switch s.Kind {
	case ast.SMap:
		if f, ok := s.Get("file"); ok && len(s.Map) == 1 {
			out := *s
			out.Kind, out.Map = ast.STemplate, nil
			if e := r.templateFile(f, r.dir, o); e != nil {
				out.Body = []ast.Node{e}
			}
			return out
		}
		fallthrough
	case ast.SNull, ast.SList:
		r.want("a text or {file: name}", "text", s)
	}
	return r.structure(s, o)
}

// cacheMark checks the value of `cache`.
func (r *reader) cacheMark(s *ast.Structure) {
	if s.Kind != ast.SBool && s.Kind != ast.SNull && !strings.ContainsAny(s.Str, "{<[") {
		r.want("true or false", "cache", s)
	}
}

// media reads an image, audio or a file: where it is, or its data.
func (r *reader) media(kind string, s *ast.Structure, o parser.Options) ast.Structure {
	if s.Kind == ast.SString && strings.ContainsAny(s.Str, "{<[") {
		return r.structure(s, o) // a map of the data, most likely
	}
	if s.Kind != ast.SMap {
		d := r.report("PCC436", s.Span(), "`%s` is a map, and this is %s", kind, withArticle(s.Kind.String()))
		if s.Kind == ast.SString {
			d.Help = "write " + kind + ": {file: …} for a file beside the document, or {url: …}"
		}
		return *s
	}
	out := *s
	out.Map = make([]ast.Entry, 0, len(s.Map)+2)
	var from *ast.Entry
	for i := range s.Map {
		e := &s.Map[i]
		if !slices.Contains(mediaData, e.Key) {
			r.unknownKey(e, mediaData)
		}
		switch e.Key {
		case "url", "data", "file":
			if from != nil {
				r.report("PCC436", e.KeySpan, "`%s` has `%s` and `%s`, and is one thing only", kind, from.Key, e.Key).
					WithLabel(from.KeySpan, "`%s` is here", from.Key).WithNames(from.Key, e.Key)
				return *s
			}
			from = e
		}
		if e.Key == "file" {
			continue
		}
		k := *e
		k.Value = r.structure(&e.Value, o)
		out.Map = append(out.Map, k)
	}
	switch {
	case from == nil:
		r.report("PCC436", source.Span{Start: s.Start, End: s.Start + 1}, "`%s` does not say where it is", kind)
	case from.Key == "file":
		r.attach(kind, from, &out)
	}
	return out
}

// maxAttached is the greatest size of a file that is part of a message in bytes.
const maxAttached = 20 << 20

// attach puts the data of a file into a part, with its type and, where the kind
// has one, its name.
func (r *reader) attach(kind string, e *ast.Entry, to *ast.Structure) {
	name := r.text("file", &e.Value)
	if name == "" {
		return
	}
	if strings.ContainsAny(name, "{}<>") {
		r.report("PCC436", e.Value.Span(), "the name of a file is fixed: it is read when the document is loaded").
			WithHelp("write the name itself, or give the whole part in the data: content: \"{parts}\"")
		return
	}
	if _, ok := to.Get("media_type"); !ok {
		typ := mediaTypes[strings.ToLower(path.Ext(name))]
		if typ == "" || kind != "file" && !strings.HasPrefix(typ, kind+"/") {
			r.report("PCC436", e.Value.Span(), "the ending of `%s` does not tell which type of %s it is", diag.Shorten(name, 120), kind).WithNames(name).
				WithHelp("add media_type: …, such as %s", map[string]string{"image": "image/png", "audio": "audio/wav", "file": "application/pdf"}[kind])
			return
		}
		to.Map = append(to.Map, entryOf("media_type", typ, e.Value.Range))
	}
	data, ok := r.openData(name, e.Value.Span())
	if !ok {
		return
	}
	if _, named := to.Get("name"); !named && kind == "file" {
		to.Map = append(to.Map, entryOf("name", path.Base(name), e.Value.Range))
	}
	to.Map = append(to.Map, entryOf("data", data, e.Value.Range))
}

// entryOf is an entry of a map that stands for what is written at a place.
func entryOf(key, value string, at ast.Range) ast.Entry {
	return ast.Entry{Key: key, KeySpan: at.Span(), Value: ast.Structure{Range: at, Kind: ast.SString, Str: value}}
}

// openData reads a file in base64, each file once.
func (r *reader) openData(name string, span source.Span) (string, bool) {
	full := r.inRoot(r.dir, name)
	if data, ok := r.attached[full]; ok {
		return data, r.take(name, len(data), span)
	}
	text, err := readFile(r.fsys, full, maxAttached)
	if err != nil {
		r.openFault(span, name, err)
		return "", false
	}
	if !r.take(name, len(text), span) {
		return "", false
	}
	r.doc.Files = append(r.doc.Files, full)
	if r.attached == nil {
		r.attached = map[string]string{}
	}
	data := base64.StdEncoding.EncodeToString([]byte(text))
	r.attached[full] = data
	return data, true
}

// mediaTypes are the types of files that providers take, by their endings.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".wav": "audio/wav", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".flac": "audio/flac", ".m4a": "audio/mp4", ".aac": "audio/aac",
	".pdf": "application/pdf", ".txt": "text/plain", ".md": "text/markdown", ".csv": "text/csv", ".html": "text/html",
	".json": "application/json", ".xml": "application/xml",
}
