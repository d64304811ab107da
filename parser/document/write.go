package document

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/ast"
)

// WriteYAML writes s as a YAML document. Reading it again gives the same
// structure: texts byte for byte, spellings of numbers and booleans kept. Texts
// of several lines are literal blocks wherever those can hold them.
func WriteYAML(s *ast.Structure) []byte {
	w := &yamlWriter{}
	w.node(s, 0, false)
	b := w.b.Bytes()
	if len(b) == 0 || b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	return b
}

type yamlWriter struct{ b bytes.Buffer }

// node writes s, whose lines are indented by indent blanks. inline says that
// something stands before it on the line ("key:" or "-").
func (w *yamlWriter) node(s *ast.Structure, indent int, inline bool) {
	switch {
	case s.Kind == ast.SList && len(s.Items) > 0:
		for i := range s.Items {
			w.startLine(indent, inline && i == 0)
			w.b.WriteByte('-')
			w.child(&s.Items[i], indent+2, true)
		}
	case s.Kind == ast.SMap && len(s.Map) > 0:
		for i := range s.Map {
			w.startLine(indent, inline && i == 0)
			w.key(s.Map[i].Key, indent)
			w.child(&s.Map[i].Value, indent+2, false)
		}
	case s.Kind == ast.SList:
		w.b.WriteString(" []\n"[b2i(!inline):])
	case s.Kind == ast.SMap:
		w.b.WriteString(" {}\n"[b2i(!inline):])
	default:
		if inline {
			w.b.WriteByte(' ')
		}
		w.scalar(s, indent)
		w.b.WriteByte('\n')
	}
}

// maxSimpleKey is the length from which a key needs the explicit form: YAML
// readers look 1,024 characters ahead for its colon.
const maxSimpleKey = 900

func (w *yamlWriter) key(key string, indent int) {
	text := scalarText(key, true)
	if len(text) > maxSimpleKey {
		w.b.WriteString("? " + text + "\n" + strings.Repeat(" ", indent))
		text = ""
	}
	w.b.WriteString(text + ":")
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// child writes the value behind "key:" or "-". A collection begins a line of
// its own, except behind a dash.
func (w *yamlWriter) child(s *ast.Structure, indent int, dash bool) {
	collection := s.Kind == ast.SList && len(s.Items) > 0 || s.Kind == ast.SMap && len(s.Map) > 0
	switch {
	case collection && dash:
		w.b.WriteByte(' ')
		w.node(s, indent, true)
	case collection:
		w.b.WriteByte('\n')
		w.node(s, indent, false)
	default:
		w.node(s, indent, true)
	}
}

func (w *yamlWriter) startLine(indent int, inline bool) {
	if !inline {
		w.b.WriteString(strings.Repeat(" ", indent))
	}
}

func (w *yamlWriter) scalar(s *ast.Structure, indent int) {
	switch s.Kind {
	case ast.SNull:
		w.b.WriteString("null")
	case ast.SBool, ast.SInt, ast.SFloat:
		w.b.WriteString(plainScalar(s))
	default:
		if strings.Contains(s.Str, "\n") && fitsBlock(s.Str) {
			w.block(s.Str, indent)
			return
		}
		w.b.WriteString(scalarText(s.Str, false))
	}
}

// plainScalar is the spelling of a boolean or number. What was quoted under a
// tag gets its tag back.
func plainScalar(s *ast.Structure) string {
	if s.Source != "" {
		var again ast.Structure
		resolvePlain(&again, s.Source, true)
		if again.Kind == s.Kind && !leadingZeros.MatchString(s.Source) {
			return s.Source
		}
	}
	switch s.Kind {
	case ast.SBool:
		return strconv.FormatBool(s.Bool)
	case ast.SInt:
		return s.Int.String()
	}
	switch {
	case math.IsNaN(s.Float):
		return ".nan"
	case math.IsInf(s.Float, 0):
		return map[bool]string{true: ".inf", false: "-.inf"}[s.Float > 0]
	}
	text := strconv.FormatFloat(s.Float, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// fitsBlock reports whether a literal block can hold text: all its characters
// are printable to YAML, and its line breaks are line feeds.
func fitsBlock(text string) bool {
	for _, c := range text {
		if c == '\n' || c == '\t' {
			continue
		}
		if !printable(c) {
			return false
		}
	}
	return true
}

// printable is YAML 1.2.2's c-printable without the line breaks and the byte
// order mark, as yaml.v3 reads it.
func printable(c rune) bool {
	switch {
	case c == utf8.RuneError, c == 0xFEFF, c == 0x85, c == 0x2028, c == 0x2029:
		return false
	case 0x20 <= c && c <= 0x7E, 0xA0 <= c && c <= 0xD7FF, 0xE000 <= c && c <= 0xFFFD, c > 0xFFFF:
		return true
	}
	return false
}

// block writes a literal block. An indentation indicator is given where the
// first line could be mistaken.
func (w *yamlWriter) block(text string, indent int) {
	w.b.WriteByte('|')
	indent = max(indent, 2)
	body := strings.TrimRight(text, "\n")
	if body == "" || text[0] == ' ' || text[0] == '\n' || text[0] == '\t' {
		w.b.WriteByte('2')
	}
	switch tail := len(text) - len(body); {
	case tail == 0:
		w.b.WriteByte('-')
	case tail > 1 || body == "":
		w.b.WriteByte('+')
	}
	pad := strings.Repeat(" ", indent)
	lines := strings.Split(text, "\n")
	if strings.HasSuffix(text, "\n") {
		lines = lines[:len(lines)-1]
	}
	for _, line := range lines {
		w.b.WriteByte('\n')
		if line != "" {
			w.b.WriteString(pad + line)
		}
	}
}

// scalarText writes a text on one line: plain where nobody can mistake it,
// else in single or double quotes.
func scalarText(text string, key bool) string {
	switch {
	case isPlain(text) && (key || !yesNo[text]):
		return text
	case !key && !strings.ContainsAny(text, "\n\t") && fitsBlock(text) && text != "" && !strings.Contains(text, "'"):
		return "'" + text + "'"
	}
	return doubleQuoted(text)
}

// yesNo are words that some YAML 1.1 readers take for booleans.
var yesNo = map[string]bool{"y": true, "n": true, "Y": true, "N": true}

// isPlain reports whether text reads back as itself without quotes: a
// conservative rule.
func isPlain(text string) bool {
	if text == "" || len(text) > 1000 || strings.TrimSpace(text) != text {
		return false
	}
	var s ast.Structure
	resolvePlain(&s, text, true)
	if s.Kind != ast.SString || text == "<<" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	if first < 0x80 && !isPlainStart(byte(first)) {
		return false
	}
	if strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") {
		return false
	}
	return !strings.ContainsAny(text, "\n\t[]{},\"") && fitsBlock(text) && !looksTyped(text)
}

func isPlainStart(c byte) bool {
	return c == '_' || c == '/' || c == '(' || c == '<' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// looksTyped reports whether a YAML 1.1 reader would take text for a number,
// date or time.
func looksTyped(text string) bool {
	if text[0] < '0' || text[0] > '9' {
		return false
	}
	return strings.Trim(text, "0123456789_-:.+eExXoObBaAcCdDfF TZtz") == ""
}

// doubleQuoted writes text with escapes that every YAML and JSON reader knows,
// and \x, \u and \U for what YAML does not print.
func doubleQuoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case printable(c):
			b.WriteRune(c)
		case c > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, c)
		default:
			fmt.Fprintf(&b, `\u%04X`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// WriteJSON writes s as JSON (RFC 8259), indented by two blanks, UTF-8 kept.
// NaN and infinities, which JSON lacks, are an error.
func WriteJSON(s *ast.Structure) ([]byte, error) {
	var b bytes.Buffer
	enc := jsontext.NewEncoder(&b, jsontext.WithIndent("  "))
	if err := writeJSON(enc, s); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeJSON(enc *jsontext.Encoder, s *ast.Structure) error {
	switch s.Kind {
	case ast.SBool:
		return enc.WriteToken(jsontext.Bool(s.Bool))
	case ast.SInt:
		return enc.WriteValue(jsontext.Value(s.Int.String()))
	case ast.SFloat:
		if math.IsNaN(s.Float) || math.IsInf(s.Float, 0) {
			return fmt.Errorf("JSON has no number %s", plainScalar(s))
		}
		if jsontext.Value(s.Source).IsValid() {
			return enc.WriteValue(jsontext.Value(s.Source))
		}
		return enc.WriteValue(jsontext.Value(plainScalar(&ast.Structure{Kind: ast.SFloat, Float: s.Float})))
	case ast.SString, ast.STemplate:
		return enc.WriteToken(jsontext.String(s.Str))
	case ast.SList:
		if err := enc.WriteToken(jsontext.BeginArray); err != nil {
			return err
		}
		for i := range s.Items {
			if err := writeJSON(enc, &s.Items[i]); err != nil {
				return err
			}
		}
		return enc.WriteToken(jsontext.EndArray)
	case ast.SMap:
		if err := enc.WriteToken(jsontext.BeginObject); err != nil {
			return err
		}
		for i := range s.Map {
			if err := enc.WriteToken(jsontext.String(s.Map[i].Key)); err != nil {
				return err
			}
			if err := writeJSON(enc, &s.Map[i].Value); err != nil {
				return err
			}
		}
		return enc.WriteToken(jsontext.EndObject)
	}
	return enc.WriteToken(jsontext.Null)
}
