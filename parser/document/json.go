package document

import (
	"errors"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// ReadJSON reads the JSON text at span of f (RFC 8259), with the same limits
// and the same refusal of duplicate keys as ReadYAML. The result is nil where
// there are errors.
func ReadJSON(f *source.File, span source.Span, o YAMLOptions) (*ast.Structure, diag.List) {
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
	j := &jsonReader{yamlReader: r, dec: jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))}
	s := j.value(0)
	if !r.diags.HasErrors() {
		at := r.base + source.Pos(j.next())
		if _, err := j.dec.ReadToken(); !errors.Is(err, io.EOF) {
			r.add(diag.New("PCC405", f, source.Span{Start: at, End: at + 1}, "more text follows the JSON value"))
		}
	}
	if r.diags.HasErrors() {
		return nil, r.diags
	}
	return &s, r.diags
}

type jsonReader struct {
	*yamlReader
	dec *jsontext.Decoder
}

// next is the offset of the token that comes next.
func (j *jsonReader) next() int {
	i := int(j.dec.InputOffset())
	for i < len(j.text) && (isBlankOrBreak(j.text[i]) || j.text[i] == ',' || j.text[i] == ':') {
		i++
	}
	return i
}

// value reads one value, which stands depth arrays and objects deep.
func (j *jsonReader) value(depth int) ast.Structure {
	start := j.next()
	at := j.base + source.Pos(start)
	s := ast.Structure{Range: ast.Range{Start: at, End: at}}
	if j.nodes++; j.nodes > j.limits.Nodes {
		j.limit("PCC922", at, "the document holds more than %d values", j.limits.Nodes)
		return s
	}
	if depth > j.limits.Depth {
		j.limit("PCC921", at, "arrays and objects are nested more than %d deep", j.limits.Depth)
		return s
	}
	tok, err := j.dec.ReadToken()
	if err != nil {
		j.fault(err, at)
		return s
	}
	switch tok.Kind() {
	case 'n':
		s.Kind, s.Source = ast.SNull, "null"
	case 't', 'f':
		s.Kind, s.Bool, s.Source = ast.SBool, tok.Bool(), tok.String()
	case '"':
		s.Kind, s.Str = ast.SString, tok.String()
	case '0':
		j.number(&s, tok.String())
	case '[':
		s.Kind, s.Items = ast.SList, []ast.Structure{}
		for !j.stopped && j.dec.PeekKind() != ']' {
			item := j.value(depth + 1)
			if j.diags.HasErrors() {
				return s
			}
			s.Items = append(s.Items, item)
		}
		j.close(&s)
	case '{':
		s.Kind, s.Map = ast.SMap, []ast.Entry{}
		j.members(&s, depth)
		j.close(&s)
	}
	s.End = j.base + source.Pos(j.dec.InputOffset())
	return s
}

func (j *jsonReader) close(s *ast.Structure) {
	if j.stopped || j.diags.HasErrors() {
		return
	}
	if _, err := j.dec.ReadToken(); err != nil {
		j.fault(err, s.Start)
	}
}

func (j *jsonReader) members(s *ast.Structure, depth int) {
	seen := map[string]int{}
	for !j.stopped && j.dec.PeekKind() != '}' {
		at := j.base + source.Pos(j.next())
		tok, err := j.dec.ReadToken()
		if err != nil {
			j.fault(err, at)
			return
		}
		e := ast.Entry{Key: tok.String(), KeySpan: source.Span{Start: at, End: j.base + source.Pos(j.dec.InputOffset())}}
		e.Value = j.value(depth + 1)
		if j.diags.HasErrors() {
			return
		}
		if d := j.o.put(j.file, s, seen, e, "object"); d != nil {
			j.add(d)
			return
		}
	}
}

// number keeps integers apart from floats: a number without a fraction or an
// exponent is an integer of any size.
func (j *jsonReader) number(s *ast.Structure, text string) {
	s.Source = text
	if !strings.ContainsAny(text, ".eE") && len(text) <= maxDigits {
		s.Kind = ast.SInt
		s.Int, _ = new(big.Int).SetString(text, 10)
		return
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) > maxDigits {
		j.add(diag.New("PCC409", j.file, s.Span(), "the number is too large"))
	}
	s.Kind, s.Float = ast.SFloat, f
}

// fault reports an error of the JSON decoder at the offset that it names.
func (j *jsonReader) fault(err error, at source.Pos) {
	message, help := "this is not well-formed JSON", ""
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		at = max(at, j.base+source.Pos(min(int(syntactic.ByteOffset), len(j.text))))
	}
	off := int(at - j.base)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		message, help = "the JSON text ends too soon", "close the brackets and quotes that are open"
	case off < len(j.text) && j.text[off] < 0x20 && j.insideString(off):
		message, help = "a line break or control character stands inside a JSON text",
			"write it as \\n, or write the document as YAML and use YAML block scalars (key: |)"
	case strings.Contains(err.Error(), "surrogate"):
		message, help = "half of a surrogate pair", "write both halves, or the character itself"
	case strings.Contains(err.Error(), "escape"):
		message, help = "an escape that JSON does not know", "write the backslash twice"
	case off < len(j.text) && (j.text[off] == ']' || j.text[off] == '}'):
		message, help = "a value is expected here", "remove the comma before the closing bracket"
	}
	d := diag.New("PCC409", j.file, source.Span{Start: at, End: min(at+1, j.base+source.Pos(len(j.text)))}, "%s", message)
	if help != "" {
		d = d.WithHelp("%s", help)
	}
	j.add(d)
}

// insideString reports whether an odd number of quotes stands on the way from
// the last token to off: the decoder stopped inside a string.
func (j *jsonReader) insideString(off int) bool {
	in := false
	for i := min(int(j.dec.InputOffset()), off); i < off; i++ {
		switch j.text[i] {
		case '\\':
			i++
		case '"':
			in = !in
		}
	}
	return in
}
