package vm

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/ast/source"
)

// DecodeOptions bounds and shapes the decoding of JSON data. Zero values stand
// for the defaults.
type DecodeOptions struct {
	// MaxBytes is the longest input in bytes, 64 MiB by default.
	MaxBytes int
	// MaxDepth is the deepest nesting of lists and maps, 64 by default, at
	// most 10,000.
	MaxDepth int
	// MaxValues is the number of values of all kinds, keys not counted,
	// 4,000,000 by default.
	MaxValues int
	// MaxMemory is the memory in bytes that the lists, maps and texts of one value
	// may take besides the input, 256 MiB by default: those of a few bytes take
	// some ten times as much.
	MaxMemory int
	// Memory, where not nil, is what is left of that for several values that are
	// kept together: what a value takes is taken from it.
	Memory *int
	// MaxDigits is the longest integer in decimal digits, 4300 by
	// default.
	MaxDigits int
	// LastDuplicate lets the last value of a key win that stands twice in one
	// map, at the place of the first; by default that is an error.
	LastDuplicate bool
}

func (o DecodeOptions) orDefault() DecodeOptions {
	for _, f := range []struct {
		p *int
		d int
	}{{&o.MaxBytes, 64 << 20}, {&o.MaxDepth, 64}, {&o.MaxValues, 4_000_000}, {&o.MaxMemory, 256 << 20}, {&o.MaxDigits, maxNumberDigits}} {
		if *f.p <= 0 {
			*f.p = f.d
		}
	}
	return o
}

// memory is what one value may take.
func (o *DecodeOptions) memory() int {
	if o.Memory != nil {
		return min(o.MaxMemory, *o.Memory)
	}
	return o.MaxMemory
}

// took notes what a value has left of memory.
func (o *DecodeOptions) took(left int) {
	if o.Memory != nil {
		*o.Memory -= o.memory() - left
	}
}

// DecodeJSON reads one JSON value (RFC 8259) from data: objects as ordered
// maps, arrays as lists, integers exactly and apart from floats (1 is an
// integer, 1.0 a float). A byte order mark is skipped. The error is an *Error
// that tells line and column, and no value of the data.
func DecodeJSON(data []byte, o DecodeOptions) (Value, error) {
	o = o.orDefault()
	if len(data) <= o.MaxBytes {
		d := decoders.Get().(*Decoder)
		d.o = o
		v, ok := d.scan(string(data))
		d.letGo()
		decoders.Put(d)
		if ok {
			return v, nil
		}
	}
	return decodeJSON(data, o)
}

// decodeJSON is DecodeJSON token by token, with an exact account of what is
// wrong. Options are complete.
func decodeJSON(data []byte, o DecodeOptions) (Value, error) {
	if len(data) > o.MaxBytes {
		return Value{}, limitError("the JSON data has more than "+strconv.Itoa(o.MaxBytes)+" bytes", "split the data, or raise the limit")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	d := jsonDecoder{
		data: data, text: string(data), o: o, left: o.memory(),
		in: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true)),
	}
	v, err := d.value()
	if err != nil {
		return Value{}, err
	}
	if _, err := d.in.ReadToken(); !errors.Is(err, io.EOF) {
		return Value{}, d.fail("PCC330", "the JSON data goes on after its value", "put several values into a list, or one on each line of a JSONL file")
	}
	o.took(d.left)
	return v, nil
}

func limitError(msg, help string) error {
	return &Error{Kind: "limit", Code: "PCC912", Msg: msg, Help: help}
}

type jsonDecoder struct {
	data []byte
	// text is the data once more: strings of the result are parts of it, which
	// saves an allocation each.
	text   string
	in     *jsontext.Decoder
	o      DecodeOptions
	values int
	left   int // of o.MaxMemory
	most   openMemory
	stack  []decodeFrame
	// pairs and items hold what the open maps and lists have so far, those of
	// the innermost last: lists and maps are made when they are complete, at
	// their size.
	pairs []decodePair
	items []Value
}

// decodeFrame is a list or map that is being read; start is where its items or
// pairs begin.
type decodeFrame struct {
	isMap bool
	start int
}

type decodePair struct {
	key string
	val Value
	at  int64 // offset after the key
}

// value reads one value; the stack is its own, because the data decides how
// deep it nests.
func (d *jsonDecoder) value() (Value, error) {
	for {
		kind := d.in.PeekKind()
		if n := len(d.stack); n > 0 && d.stack[n-1].isMap && kind == '"' {
			if err := d.key(); err != nil {
				return Value{}, err
			}
			kind = d.in.PeekKind()
		}
		var v Value
		switch kind {
		case '{', '[':
			if _, err := d.in.ReadToken(); err != nil {
				return Value{}, d.syntax(err)
			}
			if err := d.open(kind); err != nil {
				return Value{}, err
			}
			continue
		case '}', ']':
			if _, err := d.in.ReadToken(); err != nil {
				return Value{}, d.syntax(err)
			}
			var err error
			if v, err = d.closed(); err != nil {
				return Value{}, err
			}
		default:
			var err error
			if v, err = d.scalar(); err != nil {
				return Value{}, err
			}
		}
		if len(d.stack) == 0 {
			return v, nil
		}
		if d.stack[len(d.stack)-1].isMap {
			d.pairs[len(d.pairs)-1].val = v
		} else {
			if err := d.take(d.most.item(len(d.items))); err != nil {
				return Value{}, err
			}
			d.items = append(d.items, v)
		}
	}
}

// take takes n bytes from the memory.
func (d *jsonDecoder) take(n int) error {
	if d.left -= n; d.left < 0 {
		return d.limit("the JSON data takes more than "+strconv.Itoa(d.o.MaxMemory)+" bytes of memory", "split the data, or raise the limit")
	}
	return nil
}

// openMemory counts the items and pairs of open lists and maps, which are in
// memory twice once they are closed: the most that there were so far.
type openMemory struct{ items, pairs int }

// item returns what one item more takes, n being there.
func (m *openMemory) item(n int) int {
	if n < m.items {
		return 0
	}
	m.items = n + 1
	return valueSize
}

// pair returns what one pair more takes, n being there.
func (m *openMemory) pair(n int) int {
	if n < m.pairs {
		return 0
	}
	m.pairs = n + 1
	return pairSize
}

// pairSize is that of a decodePair.
const pairSize = 48

// listMemory is what a list of n items takes.
func listMemory(n int) int { return listSize + valueSize*n }

// mapMemory is what a map of n entries takes, with its index.
func mapMemory(n int) int {
	if n <= mapScan {
		return mapSize + entrySize*n
	}
	return mapSize + entryRoom*n
}

func (d *jsonDecoder) open(kind jsontext.Kind) error {
	if len(d.stack) == d.o.MaxDepth {
		return d.limit("the JSON data is nested deeper than "+strconv.Itoa(d.o.MaxDepth)+" levels", "flatten the data, or raise the limit")
	}
	if err := d.count(); err != nil {
		return err
	}
	if kind == '{' {
		d.stack = append(d.stack, decodeFrame{true, len(d.pairs)})
	} else {
		d.stack = append(d.stack, decodeFrame{false, len(d.items)})
	}
	return nil
}

// closed makes the innermost container and takes it off the stack.
func (d *jsonDecoder) closed() (Value, error) {
	f := d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
	if !f.isMap {
		if err := d.take(listMemory(len(d.items) - f.start)); err != nil {
			return Value{}, err
		}
		items := slices.Clone(d.items[f.start:])
		d.items = d.items[:f.start]
		return ListOf(items), nil
	}
	pairs := d.pairs[f.start:]
	if err := d.take(mapMemory(len(pairs))); err != nil {
		return Value{}, err
	}
	m := NewMap(len(pairs))
	for i := range pairs {
		m.Set(pairs[i].key, pairs[i].val)
		if m.Len() <= i && !d.o.LastDuplicate {
			return Value{}, d.placed(&Error{Kind: "value", Code: "PCC331", Msg: "a map of the JSON data has one key twice",
				Help: "remove one of the two entries, or let the last one win with --duplicate-keys last"}, pairs[i].at)
		}
	}
	d.pairs = d.pairs[:f.start]
	return MapOf(m), nil
}

func (d *jsonDecoder) count() error {
	if d.values++; d.values > d.o.MaxValues {
		return d.limit("the JSON data holds more than "+strconv.Itoa(d.o.MaxValues)+" values", "split the data, or raise the limit")
	}
	return nil
}

// key reads the key of a map's next entry.
func (d *jsonDecoder) key() error {
	raw, err := d.in.ReadValue()
	if err != nil {
		return d.syntax(err)
	}
	key, err := d.unquote(raw)
	if err != nil {
		return d.syntax(err)
	}
	if err := d.take(d.most.pair(len(d.pairs))); err != nil {
		return err
	}
	d.pairs = append(d.pairs, decodePair{key: key, at: d.in.InputOffset()})
	return nil
}

// unquote returns the text of the JSON string that was read last.
func (d *jsonDecoder) unquote(raw []byte) (string, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		end := int(d.in.InputOffset())
		return d.text[end-len(raw)+1 : end-1], nil
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err == nil {
		d.left -= len(text) // what comes next asks
	}
	return string(text), err
}

func (d *jsonDecoder) scalar() (Value, error) {
	raw, err := d.in.ReadValue()
	if err != nil {
		return Value{}, d.syntax(err)
	}
	if err := d.count(); err != nil {
		return Value{}, err
	}
	switch raw[0] {
	case 'n':
		return Null, nil
	case 't':
		return Bool(true), nil
	case 'f':
		return Bool(false), nil
	case '"':
		text, err := d.unquote(raw)
		if err != nil {
			return Value{}, d.syntax(err)
		}
		return String(text), nil
	}
	return d.number(raw)
}

func (d *jsonDecoder) number(raw []byte) (Value, error) {
	if bytes.ContainsAny(raw, ".eE") {
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || math.IsInf(f, 0) {
			return Value{}, d.fail("PCC332", "a number of the JSON data is too large", "give numbers below 1.8e308, or the number as a string")
		}
		return Float(f), nil
	}
	if i, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return Int(i), nil
	}
	digits := len(raw)
	if raw[0] == '-' {
		digits--
	}
	if digits > d.o.MaxDigits {
		return Value{}, d.limit("an integer of the JSON data has more than "+strconv.Itoa(d.o.MaxDigits)+" digits", "give the number as a string")
	}
	b, _ := new(big.Int).SetString(string(raw), 10)
	return BigInt(b), nil
}

// fail makes an error at the place that was read last.
func (d *jsonDecoder) fail(code, msg, help string) error {
	return d.placed(&Error{Kind: "value", Code: code, Msg: msg, Help: help}, d.in.InputOffset())
}

func (d *jsonDecoder) limit(msg, help string) error {
	return d.placed(&Error{Kind: "limit", Code: "PCC912", Msg: msg, Help: help}, d.in.InputOffset())
}

// syntax tells where the data stops being JSON. The text of the parser's own
// error is not used: it may quote the data.
func (d *jsonDecoder) syntax(err error) error {
	offset := d.in.InputOffset()
	var s *jsontext.SyntacticError
	if errors.As(err, &s) {
		offset = s.ByteOffset
	}
	msg, help := "the data is not JSON", "check the commas, quotes and brackets before this place"
	rest := d.data[min(int(offset), len(d.data)):]
	switch {
	case len(bytes.TrimSpace(d.data)) == 0:
		msg, help = "the JSON data is empty", "give a JSON object, such as {}"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		offset = int64(len(d.data))
		msg, help = "the JSON data ends too early", "a bracket, brace or quote is not closed"
	case bytes.HasPrefix(rest, []byte("'")):
		msg, help = "the JSON data has a single quote where a value or key begins", "write texts and keys in double quotes"
	case commaBeforeEnd(rest):
		msg, help = "the JSON data has a comma behind the last entry", "remove the comma before the closing bracket"
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), bytes.HasPrefix(rest, []byte("#")):
		msg, help = "the JSON data has a comment, and JSON knows none", "remove it, or give the data as YAML"
	case halfPair(rest) && s != nil && strings.HasSuffix(s.Err.Error(), "in string"):
		return d.placed(&Error{Kind: "value", Code: "PCC333", Msg: "a text of the JSON data has half of a surrogate pair, which is no character",
			Help: "write both halves, as in \\ud83d\\ude00, or the character itself; where the other half is lost, write \\ufffd"}, offset)
	case !utf8.Valid(rest[:min(len(rest), utf8.UTFMax)]) && !utf8.Valid(d.data):
		msg, help = "the JSON data is not UTF-8", "convert the data to UTF-8"
	default:
		if start, ok := bareWord(d.data, int(offset)); ok {
			offset = int64(start)
			msg, help = "the JSON data has a word without quotes", "write texts and keys in double quotes; words without them are true, false and null only"
		}
	}
	return d.placed(&Error{Kind: "value", Code: "PCC330", Msg: msg, Help: help}, offset)
}

// halfPair reports whether rest begins with the escape of a surrogate. One that
// belongs to a pair is no error, and so not asked for.
func halfPair(rest []byte) bool {
	r := unicodeEscape(string(rest[:min(len(rest), len(`\u0000`))]))
	return r >= 0xd800 && r <= 0xdfff
}

// bareWord finds the start of a word that stands where a value or key begins.
// The parser stops inside one that begins like true, false or null.
func bareWord(data []byte, offset int) (start int, ok bool) {
	letter := func(i int) bool {
		return i < len(data) && (data[i]|0x20 >= 'a' && data[i]|0x20 <= 'z' || data[i] == '_')
	}
	for start = min(offset, len(data)); start > 0 && offset-start < len("false") && letter(start-1); start-- {
	}
	before := bytes.TrimRight(data[:start], " \t\r\n")
	return start, letter(start) && (len(before) == 0 || bytes.IndexByte([]byte("{[,:"), before[len(before)-1]) >= 0)
}

// commaBeforeEnd reports whether rest begins with a comma that a closing bracket
// follows.
func commaBeforeEnd(rest []byte) bool {
	behind, ok := bytes.CutPrefix(rest, []byte(","))
	behind = bytes.TrimLeft(behind, " \t\r\n")
	return ok && len(behind) > 0 && (behind[0] == ']' || behind[0] == '}')
}

// placed gives an error its place in the data: line and column in characters.
func (d *jsonDecoder) placed(e *Error, offset int64) error {
	before := d.data[:min(int(offset), len(d.data))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	e.At = source.Position{Line: line, Column: column, Offset: len(before)}
	e.Msg += Place(e.At)
	return e
}

// Place is how the message of a decoder's error tells a place, at its end.
func Place(p source.Position) string {
	return " (line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Column) + ")"
}
