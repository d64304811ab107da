package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// Placeholders says what an unquoted {x} in a value means. YAML reads it as a
// map with the key x and no value.
type Placeholders uint8

// Policies for unquoted placeholders.
const (
	// PlaceholdersData leaves the map as it is: data files may hold such maps.
	PlaceholdersData Placeholders = iota
	// PlaceholdersRefuse reports an error that says to quote the value.
	PlaceholdersRefuse
	// PlaceholdersText takes {x} as the text "{x}", with a warning.
	PlaceholdersText
)

// Limits bound what a document may cost to read. Zero means the default.
type Limits struct {
	Bytes   int // size of the source, default 1 MiB
	Depth   int // nesting of lists and maps, default 64
	Nodes   int // scalars, lists and maps after aliases are expanded, default 50,000
	Aliases int // aliases in the source, default 100
}

func (l Limits) orDefault() Limits {
	for _, f := range []struct {
		p *int
		d int
	}{{&l.Bytes, 1 << 20}, {&l.Depth, 64}, {&l.Nodes, 50_000}, {&l.Aliases, 100}} {
		if *f.p == 0 {
			*f.p = f.d
		}
	}
	return l
}

// YAMLOptions controls the gates.
type YAMLOptions struct {
	// Booleans11 also reads YAML 1.1's yes, no, on and off as booleans.
	Booleans11   bool
	Placeholders Placeholders
	// DuplicatesLast lets the last of several equal keys win (data files only).
	DuplicatesLast bool
	Limits         Limits
}

// IsJSON reports whether a file of this name is read by JSON's rules.
func IsJSON(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".json") }

// ReadData reads the whole of f: as JSON if its name ends in .json, else as YAML.
func ReadData(f *source.File, o YAMLOptions) (*ast.Structure, diag.List) {
	span := source.Span{End: source.Pos(len(f.Text))}
	if IsJSON(f.Name) {
		return ReadJSON(f, span, o)
	}
	return ReadYAML(f, span, o)
}

// DecodeYAMLData reads a data file (YAML, or JSON by its name). Unquoted {x}
// are maps there, as YAML has it.
func DecodeYAMLData(f *source.File, o YAMLOptions) (*ast.Structure, diag.List) {
	o.Placeholders = PlaceholdersData
	return ReadData(f, o)
}

// ReadYAML reads the YAML text at span of f, one document of YAML 1.2's core
// schema. An empty text is null. The result is nil where there are errors.
//
// Refused with a diagnostic: duplicate keys, keys that are no scalars, tags
// other than the core schema's, a second document, aliases that contain
// themselves, and whatever passes the limits.
func ReadYAML(f *source.File, span source.Span, o YAMLOptions) (*ast.Structure, diag.List) {
	r := &yamlReader{file: f, o: o, limits: o.Limits.orDefault()}
	text := f.Slice(span)
	if !r.admit(text, span) {
		return nil, r.diags
	}
	if t := strings.TrimPrefix(text, "\ufeff"); len(t) < len(text) {
		span.Start += source.Pos(len(text) - len(t))
		text = t
	}
	r.base, r.text = span.Start, text
	doc := r.parse(maskVersion(text))
	if doc == nil {
		return nil, r.diags
	}
	r.lines = lineStarts(text)
	s := r.convert(doc, 0)
	if r.diags.HasErrors() {
		return nil, r.diags
	}
	return &s, r.diags
}

// yamlReader turns yaml.v3's node tree into a Structure.
type yamlReader struct {
	file   *source.File
	o      YAMLOptions
	limits Limits
	base   source.Pos // offset of text in file
	text   string
	lines  []int // offsets of line starts, by YAML's line breaks
	diags  diag.List

	nodes, aliases int
	open           map[*yaml.Node]bool // anchored nodes on the way to the current one
	stopped        bool                // a limit was passed: go on no further

	// Where the last node was found, so that columns of a long line are
	// counted once and not from its start for every node.
	lastLine, lastCol, lastOff int
}

// admit checks what must hold before yaml.v3 sees the text.
func (r *yamlReader) admit(text string, span source.Span) bool {
	if len(text) > r.limits.Bytes {
		r.add(diag.New("PCC920", r.file, source.Span{Start: span.Start, End: span.Start},
			"the document has %d bytes; the limit is %d", len(text), r.limits.Bytes))
		return false
	}
	if !utf8.ValidString(text) {
		n := invalidAt(text)
		d := diag.New("PCC415", r.file, source.Span{Start: span.Start + source.Pos(n), End: span.Start + source.Pos(n) + 1},
			"the document is not UTF-8: the byte at offset %d starts no character", int(span.Start)+n)
		if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
			d = d.WithHelp("the file is UTF-16: save it as UTF-8")
		}
		r.add(d)
		return false
	}
	return true
}

func invalidAt(s string) int {
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}

func (r *yamlReader) add(d *diag.Diagnostic) { r.diags = append(r.diags, d) }

// maskVersion turns `%YAML 1.x` lines of the head into comments: yaml.v3
// refuses 1.2. The length stays, so that positions hold.
func maskVersion(text string) []byte {
	b := []byte(text)
	for i := 0; i < len(b); {
		line := b[i:]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n+1]
		}
		switch t := bytes.TrimSpace(line); {
		case bytes.HasPrefix(t, []byte("%YAML 1.")) && line[0] == '%':
			b[i] = '#'
		case len(t) == 0, t[0] == '#', t[0] == '%':
		default:
			return b
		}
		i += len(line)
	}
	return b
}

// parse runs yaml.v3 over one document, and makes sure that no second one
// follows. It returns nil where that failed.
func (r *yamlReader) parse(b []byte) (root *yaml.Node) {
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc, second yaml.Node
	switch err := decodeNode(dec, &doc); {
	case errors.Is(err, io.EOF):
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: 1, Column: 1}
	case err != nil:
		r.add(r.explain(err))
		return nil
	}
	err := decodeNode(dec, &second)
	if errors.Is(err, io.EOF) {
		if len(doc.Content) == 0 {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: 1, Column: 1}
		}
		return doc.Content[0]
	}
	r.lines = lineStarts(r.text)
	if err != nil {
		r.add(r.explain(err))
		return nil
	}
	at := r.pos(second.Line, second.Column)
	r.add(diag.New("PCC405", r.file, source.Span{Start: at, End: min(at+3, r.base+source.Pos(len(r.text)))},
		"a second YAML document starts here"))
	return nil
}

// decodeNode contains the panics that yaml.v3 lets out on some malformed
// inputs.
func decodeNode(dec *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("yaml: the text is malformed")
		}
	}()
	return dec.Decode(n)
}

// lineStarts returns the offset of each line's first byte, lines being divided
// as yaml.v3 counts them: at LF, CRLF, CR, NEL, LS and PS.
func lineStarts(s string) []int {
	starts := []int{0}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\n':
			starts = append(starts, i+1)
		case '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
			starts = append(starts, i+1)
		case 0xC2:
			if strings.HasPrefix(s[i:], "\u0085") {
				i++
				starts = append(starts, i+1)
			}
		case 0xE2:
			if strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029") {
				i += 2
				starts = append(starts, i+1)
			}
		}
	}
	return starts
}

// offset translates a line and column of yaml.v3 (from 1, the column in
// characters) to an offset in r.text.
func (r *yamlReader) offset(line, col int) int {
	if line < 1 || line > len(r.lines) {
		return len(r.text)
	}
	if line != r.lastLine || col < r.lastCol {
		r.lastLine, r.lastCol, r.lastOff = line, 1, r.lines[line-1]
	}
	for r.lastCol < col && r.lastOff < len(r.text) {
		_, n := utf8.DecodeRuneInString(r.text[r.lastOff:])
		r.lastOff += n
		r.lastCol++
	}
	return r.lastOff
}

func (r *yamlReader) pos(line, col int) source.Pos {
	return r.base + source.Pos(r.offset(line, col))
}

// limit reports a passed limit once and stops the conversion.
func (r *yamlReader) limit(code diag.Code, at source.Pos, format string, args ...any) {
	if !r.stopped {
		r.stopped = true
		r.add(diag.New(code, r.file, source.Span{Start: at, End: at}, format, args...))
	}
}

// convert makes a Structure of n, which stands depth collections deep.
func (r *yamlReader) convert(n *yaml.Node, depth int) ast.Structure {
	start := r.offset(n.Line, n.Column)
	at := r.base + source.Pos(start)
	s := ast.Structure{Range: ast.Range{Start: at, End: at}}
	if r.stopped {
		return s
	}
	if r.nodes++; r.nodes > r.limits.Nodes {
		r.limit("PCC922", at, "the document holds more than %d values, aliases expanded", r.limits.Nodes)
		return s
	}
	if depth > r.limits.Depth {
		r.limit("PCC921", at, "lists and maps are nested more than %d deep", r.limits.Depth)
		return s
	}
	if n.Kind == yaml.AliasNode {
		return r.alias(n, depth, at)
	}
	text := strings.HasPrefix(r.text[start:], "! ") // the tag that makes a text of any scalar
	start = skipProperties(r.text, start)
	s.Start = r.base + source.Pos(start)
	s.End = s.Start
	if n.Anchor != "" {
		if r.open == nil {
			r.open = map[*yaml.Node]bool{}
		}
		r.open[n] = true
		defer delete(r.open, n)
	}
	if d := r.tagFault(n, at); d != nil {
		r.add(d)
		return s
	}
	switch n.Kind {
	case yaml.ScalarNode:
		r.scalar(n, start, text, &s)
	case yaml.SequenceNode:
		s.Kind = ast.SList
		s.Items = make([]ast.Structure, 0, len(n.Content))
		for _, c := range n.Content {
			s.Items = append(s.Items, r.convert(c, depth+1))
			if r.stopped {
				return s
			}
			s.End = max(s.End, s.Items[len(s.Items)-1].End)
		}
	case yaml.MappingNode:
		r.mapping(n, depth, &s)
	}
	if n.Style&yaml.FlowStyle != 0 {
		s.End = r.base + source.Pos(closerAfter(r.text, int(s.End-r.base)))
	}
	return s
}

// alias expands *name: its target's structure, at the target's own place.
func (r *yamlReader) alias(n *yaml.Node, depth int, at source.Pos) ast.Structure {
	span := source.Span{Start: at, End: at + source.Pos(len(n.Value)) + 1}
	s := ast.Structure{Range: ast.At(span)}
	if r.aliases++; r.aliases > r.limits.Aliases {
		r.limit("PCC923", at, "the document uses more than %d aliases", r.limits.Aliases)
		return s
	}
	if r.open[n.Alias] {
		r.add(diag.New("PCC406", r.file, span, "the alias `*%s` contains itself", n.Value))
		return s
	}
	target := r.convert(n.Alias, depth)
	return target
}

// coreTags are the tags of the core schema, the only ones that are read.
var coreTags = map[string]yaml.Kind{
	"!!str": yaml.ScalarNode, "!!int": yaml.ScalarNode, "!!float": yaml.ScalarNode,
	"!!bool": yaml.ScalarNode, "!!null": yaml.ScalarNode,
	"!!map": yaml.MappingNode, "!!seq": yaml.SequenceNode,
}

func (r *yamlReader) tagFault(n *yaml.Node, at source.Pos) *diag.Diagnostic {
	if n.Style&yaml.TaggedStyle == 0 {
		return nil
	}
	kind, ok := coreTags[n.Tag]
	if ok && kind == n.Kind {
		return nil
	}
	end := int(at - r.base)
	for end < len(r.text) && !isBlankOrBreak(r.text[end]) {
		end++
	}
	return diag.New("PCC404", r.file, source.Span{Start: at, End: r.base + source.Pos(end)},
		"the tag `%s` is not allowed here", diag.Shorten(n.Tag, 60))
}

// mapping converts a map: keys are unique scalars, `<<` merges.
func (r *yamlReader) mapping(n *yaml.Node, depth int, s *ast.Structure) {
	s.Kind = ast.SMap
	if r.o.Placeholders != PlaceholdersData && r.placeholderMap(n, s) {
		return
	}
	s.Map = make([]ast.Entry, 0, len(n.Content)/2)
	seen := make(map[string]int, len(n.Content)/2)
	var merges []ast.Entry
	for i := 0; i+1 < len(n.Content) && !r.stopped; i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		start := skipProperties(r.text, r.offset(k.Line, k.Column))
		e := ast.Entry{KeySpan: source.Span{Start: r.base + source.Pos(start), End: r.base + source.Pos(start)}}
		if k.Kind == yaml.AliasNode && k.Alias.Kind == yaml.ScalarNode {
			r.aliases++
			e.KeySpan.End += source.Pos(len(k.Value)) + 1
			k = k.Alias
		} else if k.Kind == yaml.ScalarNode {
			e.KeySpan.End = r.base + source.Pos(scalarEnd(r.text, start, k.Value))
		}
		if k.Kind != yaml.ScalarNode {
			r.add(r.badKey(k, e.KeySpan.Start))
			continue
		}
		if d := r.tagFault(k, r.pos(k.Line, k.Column)); d != nil {
			r.add(d)
			continue
		}
		r.nodes++
		e.Key = k.Value
		e.Value = r.convert(v, depth+1)
		s.End = max(s.End, e.Value.End, e.KeySpan.End)
		if k.Tag == "!!merge" && k.Style&^yaml.TaggedStyle == 0 {
			merges = append(merges, e)
			continue
		}
		if d := r.o.put(r.file, s, seen, e, "map"); d != nil {
			r.add(d)
		}
	}
	for _, m := range merges {
		r.merge(s, seen, m)
	}
}

// put adds an entry to a map whose keys are at the indexes that seen holds. A key
// that the map has already is a fault, or, by option, takes the new value.
func (o *YAMLOptions) put(f *source.File, s *ast.Structure, seen map[string]int, e ast.Entry, kind string) *diag.Diagnostic {
	at, dup := seen[e.Key]
	switch {
	case !dup:
		seen[e.Key] = len(s.Map)
		s.Map = append(s.Map, e)
	case o.DuplicatesLast:
		s.Map[at].Value = e.Value
	default:
		return diag.New("PCC403", f, e.KeySpan, "the key `%s` stands twice in this %s", diag.Shorten(e.Key, 60), kind).
			WithLabel(s.Map[at].KeySpan, "first here").WithNames(e.Key)
	}
	return nil
}

// merge adds the entries of a `<<` value that the map does not have itself.
func (r *yamlReader) merge(s *ast.Structure, seen map[string]int, m ast.Entry) {
	sources := []ast.Structure{m.Value}
	if m.Value.Kind == ast.SList {
		sources = m.Value.Items
	}
	for _, src := range sources {
		if src.Kind != ast.SMap {
			r.add(diag.New("PCC408", r.file, m.KeySpan, "`<<` merges maps, and this is %s", withArticle(src.Kind.String())))
			return
		}
		for _, e := range src.Map {
			if _, dup := seen[e.Key]; !dup {
				seen[e.Key] = len(s.Map)
				s.Map = append(s.Map, e)
			}
		}
	}
}

// placeholderMap recognises an unquoted {x} or {{x}}: a flow map of one key
// that has no value. It reports whether it dealt with the node.
func (r *yamlReader) placeholderMap(n *yaml.Node, s *ast.Structure) bool {
	if n.Style&yaml.FlowStyle == 0 || len(n.Content) != 2 {
		return false
	}
	text, end, ok := placeholderAt(r.text, int(s.Start-r.base))
	if !ok {
		return false
	}
	s.End = r.base + source.Pos(end)
	if !isNoValue(n.Content[1]) {
		return false
	}
	if r.file.Private {
		r.add(diag.New("PCC402", r.file, s.Span(), "YAML reads this unquoted text in braces as a map"))
		return true
	}
	d := diag.New("PCC402", r.file, s.Span(), "YAML reads the unquoted `%s` as a map", diag.Shorten(text, 60)).
		WithHelp("quote the value: \"%s\"", diag.Shorten(text, 60))
	if r.o.Placeholders == PlaceholdersText && !strings.HasPrefix(text, "{{") {
		d.Severity = diag.Warning
		if strings.Contains(text, ".") {
			// AgentForge reads single names as text, and paths as maps.
			r.add(d)
			return false
		}
		d.Message = fmt.Sprintf("the unquoted `%s` was read as text", diag.Shorten(text, 60))
		s.Kind, s.Str, s.Map = ast.SString, text, nil
	}
	r.add(d)
	return true
}

func isNoValue(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Tag == "!!null"
}

func (r *yamlReader) badKey(k *yaml.Node, at source.Pos) *diag.Diagnostic {
	kind := map[yaml.Kind]string{yaml.MappingNode: "map", yaml.SequenceNode: "list", yaml.AliasNode: "alias"}[k.Kind]
	d := diag.New("PCC407", r.file, source.Span{Start: at, End: at + 1}, "a key must be a text, and this one is a %s", kind)
	if text, end, ok := placeholderAt(r.text, int(at-r.base)); ok && !r.file.Private {
		d.Span.End = r.base + source.Pos(end)
		d = d.WithHelp("quote the key if it is meant as text: \"%s\"", diag.Shorten(text, 60))
	}
	return d
}

// ReadText is ReadData of a text without a file.
func ReadText(name, text string, o YAMLOptions) (*ast.Structure, diag.List) {
	return ReadData(source.New(name, text), o)
}
