// Package yamlout writes YAML: block style, two blanks a level, texts quoted
// where a reader of YAML 1.1 or 1.2 could take them for something else. What it
// writes reads back byte for byte.
//
// The rules are those of the YAML 1.2.2 specification; gopkg.in/yaml.v3 writes
// YAML too, but keeps no spelling of numbers and cannot be charged for.
package yamlout

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Emitter writes one document from a sequence of events: a scalar, or Map or
// List, their content and End. Each entry of a map is Key and a value. It
// keeps its own stack, so that only its caller's walk needs a limit of depth.
type Emitter struct {
	// Charge, where not nil, is called before so many bytes are written. Its
	// error ends the event.
	Charge func(bytes int) error
	// Work, where not nil, is called while long texts are read and copied, with
	// the bytes done since the last call.
	Work func(bytes int) error
	// SingleQuotes prefers them for values of one line that have none inside.
	SingleQuotes bool

	out     []byte
	base    int // the column of the outermost lines
	stack   []frame
	key     bool // a key stands before the value on its line
	kept    bool // the last text was a block whose final line break counts
	scratch []byte
}

type frame struct {
	list bool
	// inline says that the first line goes on one that has begun.
	inline bool
}

// pieceBytes is how much of a text is handled between two calls of a hook.
const pieceBytes = 2 << 10

// longPiece is that of texts that are only copied.
const longPiece = 64 << 10

// Under makes what follows the value of a key in a column of some document. The
// key and its colon are the caller's.
func (e *Emitter) Under(column int) {
	e.base, e.key = column, true
	e.stack = append(e.stack, frame{})
}

// indent is the column of the lines of the innermost map or list.
func (e *Emitter) indent() int { return e.base + 2*(len(e.stack)-1) }

// Bytes returns the document without a last line break.
func (e *Emitter) Bytes() []byte { return e.out }

// EndsInBlock reports whether the text written last ends in a line break that
// the document must end in too.
func (e *Emitter) EndsInBlock() bool { return e.kept }

// Map begins a map of some entries; an empty one has no End.
func (e *Emitter) Map(empty bool) error { return e.begin(empty, "{}", false) }

// List begins a list of some values; an empty one has no End.
func (e *Emitter) List(empty bool) error { return e.begin(empty, "[]", true) }

func (e *Emitter) begin(empty bool, brackets string, list bool) error {
	if empty {
		return e.Scalar(brackets)
	}
	if err := e.item(); err != nil {
		return err
	}
	e.stack = append(e.stack, frame{list: list, inline: !e.key})
	e.key = false
	return nil
}

// End ends the innermost map or list.
func (e *Emitter) End() { e.stack = e.stack[:len(e.stack)-1] }

// line begins a line of the innermost map or list.
func (e *Emitter) line() error {
	top := &e.stack[len(e.stack)-1]
	if top.inline {
		top.inline = false
		return nil
	}
	return e.write("\n", e.indent(), "")
}

// item writes the dash of a list's value.
func (e *Emitter) item() error {
	if len(e.stack) == 0 || !e.stack[len(e.stack)-1].list {
		return nil
	}
	if err := e.line(); err != nil {
		return err
	}
	return e.write("- ", 0, "")
}

// write appends head, blanks and tail.
func (e *Emitter) write(head string, blanks int, tail string) error {
	if err := e.charge(len(head) + blanks + len(tail)); err != nil {
		return err
	}
	e.out = append(e.out, head...)
	for range blanks {
		e.out = append(e.out, ' ')
	}
	e.out = append(e.out, tail...)
	e.kept = false
	return nil
}

func (e *Emitter) charge(n int) error {
	if e.Charge == nil {
		return nil
	}
	return e.Charge(n)
}

func (e *Emitter) work(n int) error {
	if e.Work == nil {
		return nil
	}
	return e.Work(n)
}

// Scalar writes a null, boolean, number or time as it is spelled.
func (e *Emitter) Scalar(spelling string) error {
	if err := e.before(); err != nil {
		return err
	}
	return e.write(spelling, 0, "")
}

// before writes what stands before a scalar.
func (e *Emitter) before() error {
	if e.key {
		e.key = false
		return e.write(" ", 0, "")
	}
	return e.item()
}

// maxSimpleKey is the length in bytes from which a key gets the explicit form:
// readers look 1,024 characters ahead for its colon.
const maxSimpleKey = 900

// Key writes the text of a key.
func (e *Emitter) Key(text string) error { return e.entry(text, false) }

// ScalarKey writes a key that is no text, as it is spelled.
func (e *Emitter) ScalarKey(spelling string) error { return e.entry(spelling, true) }

func (e *Emitter) entry(text string, spelled bool) error {
	if err := e.line(); err != nil {
		return err
	}
	start := len(e.out)
	f := features{}
	var err error
	if !spelled {
		if f, err = e.read(text); err != nil {
			return err
		}
	}
	// y and n are readable as keys: only values are taken for booleans.
	if spelled || f.plain || yesNo[text] {
		err = e.write(text, 0, "")
	} else {
		err = e.quote(text)
	}
	if err != nil {
		return err
	}
	if n := len(e.out) - start; n > maxSimpleKey {
		if err := e.charge(len("? ")); err != nil {
			return err
		}
		e.out = append(e.out, "? "...)
		copy(e.out[start+2:], e.out[start:start+n])
		copy(e.out[start:], "? ")
		if err := e.write("\n", e.indent(), ""); err != nil {
			return err
		}
	}
	e.key = true
	return e.write(":", 0, "")
}

// Text writes a text: plain where nobody can mistake it, as a literal block
// where it has several lines, else in quotes.
func (e *Emitter) Text(text string) error {
	f, err := e.read(text)
	if err != nil {
		return err
	}
	if err := e.before(); err != nil {
		return err
	}
	switch {
	case f.plain:
		return e.write(text, 0, "")
	case f.lines > 0 && !f.hidden:
		return e.block(text, f.lines)
	case e.SingleQuotes && text != "" && !f.hidden && !f.tab && f.lines == 0 && !f.apostrophe:
		if err := e.write("'", 0, text); err != nil {
			return err
		}
		return e.write("'", 0, "")
	}
	return e.quote(text)
}

// block writes a literal block of text, which has so many line breaks. An
// indentation indicator is given where the first line could be mistaken.
func (e *Emitter) block(text string, breaks int) error {
	indent := max(e.indent()+2, 2)
	if err := e.charge(len("|2+") + len(text) + (breaks+1)*(indent+1)); err != nil {
		return err
	}
	body := strings.TrimRight(text, "\n")
	e.out = append(e.out, '|')
	if body == "" || strings.IndexByte(" \n\t", text[0]) >= 0 {
		e.out = append(e.out, '2')
	}
	switch tail := len(text) - len(body); {
	case tail == 0:
		e.out = append(e.out, '-')
	case tail > 1 || body == "":
		e.out = append(e.out, '+')
	}
	e.kept = len(body) < len(text)
	pending := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		e.out = append(e.out, '\n')
		if line != "" {
			for range indent {
				e.out = append(e.out, ' ')
			}
			for ; len(line) > longPiece; line = line[longPiece:] {
				e.out = append(e.out, line[:longPiece]...)
				if err := e.work(longPiece); err != nil {
					return err
				}
			}
			e.out = append(e.out, line...)
		}
		if pending += len(line) + indent; pending >= pieceBytes {
			if err := e.work(pending); err != nil {
				return err
			}
			pending = 0
		}
	}
	return nil
}

// quote writes text in double quotes, with escapes that every YAML and JSON
// reader knows, and \U for what is beyond them.
func (e *Emitter) quote(text string) error {
	if err := e.write(`"`, 0, ""); err != nil {
		return err
	}
	for text != "" {
		n := min(len(text), pieceBytes)
		for n < len(text) && n > pieceBytes-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		e.scratch = appendEscaped(e.scratch[:0], text[:n])
		if err := e.charge(len(e.scratch)); err != nil {
			return err
		}
		e.out = append(e.out, e.scratch...)
		if err := e.work(n); err != nil {
			return err
		}
		text = text[n:]
	}
	return e.write(`"`, 0, "")
}

// Quote returns text in double quotes, as an Emitter writes it.
func Quote(text string) string {
	b := appendEscaped([]byte{'"'}, text)
	return string(append(b, '"'))
}

func appendEscaped(dst []byte, text string) []byte {
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case printable(c):
			dst = utf8.AppendRune(dst, c)
		case c > 0xFFFF:
			dst = fmt.Appendf(dst, `\U%08X`, c)
		default:
			dst = fmt.Appendf(dst, `\u%04X`, c)
		}
	}
	return dst
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

// features are what decides how a text can be written.
type features struct {
	plain      bool // reads back as itself without quotes
	lines      int  // line feeds
	tab        bool
	apostrophe bool
	hidden     bool // holds what YAML does not print
}

// typedBytes are those of numbers, dates and times of all YAML versions.
const typedBytes = "0123456789abcdefABCDEFxXoO_.:+-TtZz inIN"

// read looks through a text once.
func (e *Emitter) read(text string) (features, error) {
	var f features
	if text == "" {
		return f, nil
	}
	typed := strings.IndexByte("0123456789.+-", text[0]) >= 0
	marks := false // of comments and keys
	done, last := 0, rune(0)
	for i, c := range text {
		switch {
		case c == '\n':
			f.lines++
		case c == '\t':
			f.tab = true
		case !printable(c):
			f.hidden = true
		case c == '\'':
			f.apostrophe = true
		case c == ' ' && last == ':', c == '#' && last == ' ':
			marks = true
		}
		typed = typed && c < utf8.RuneSelf && strings.IndexByte(typedBytes, byte(c)) >= 0
		last = c
		if i-done >= pieceBytes {
			if err := e.work(i - done); err != nil {
				return f, err
			}
			done = i
		}
	}
	f.plain = f.lines == 0 && !f.tab && !f.hidden && !marks && !typed &&
		text[0] != ' ' && last != ' ' && last != ':' &&
		strings.IndexByte("-?:,[]{}#&*!|>'\"%@`=~", text[0]) < 0 &&
		!strings.HasPrefix(text, "...") && !isWord(text)
	return f, nil
}

// words are what some reader takes for a boolean, null, number or merge key.
var words = map[string]bool{"null": true, "true": true, "false": true, "yes": true, "no": true,
	"on": true, "off": true, "y": true, "n": true, "nan": true, "inf": true, "<<": true}

var yesNo = map[string]bool{"y": true, "n": true, "Y": true, "N": true}

func isWord(text string) bool { return len(text) <= len("false") && words[strings.ToLower(text)] }

// Float spells a float. There is always a point in it, without which readers of
// YAML 1.1 take a number with an exponent for a text.
func Float(f float64) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 1):
		return ".inf"
	case math.IsInf(f, -1):
		return "-.inf"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if strings.Contains(s, ".") {
		return s
	}
	if i := strings.IndexByte(s, 'e'); i >= 0 {
		return s[:i] + ".0" + s[i:]
	}
	return s + ".0"
}
