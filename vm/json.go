package vm

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/internal/numfmt"
)

// JSONOptions controls JSON output.
type JSONOptions struct {
	// Indent is the text of one level of indentation; "" writes one line.
	Indent string
	// Multiline breaks lines although Indent is empty (Python's indent=0).
	Multiline bool
	// ItemSep and KeySep default to ", " and ": " (with Indent: "," and ": ").
	ItemSep, KeySep string
	SortKeys        bool
	EnsureASCII     bool
	// HTMLSafe writes < > & ' as \u escapes.
	HTMLSafe bool
	// Python writes NaN, Infinity and floats by Python's repr, and refuses
	// what json.dumps refuses.
	Python bool
}

// MarshalJSON writes v as JSON, the keys of ordered maps in their order. What JSON has
// no form for is an error.
func (v Value) MarshalJSON() ([]byte, error) {
	return NewEnv(&Dialect{}, DefaultLimits()).JSON(nil, v, JSONOptions{})
}

// AppendJSON writes v as JSON without limits of its own (for tests and docs).
func AppendJSON(dst []byte, v Value, o JSONOptions) []byte {
	limits := DefaultLimits()
	limits.Steps, limits.Memory = math.MaxInt64, math.MaxInt64
	e := NewEnv(&Dialect{Python: o.Python}, limits)
	out, err := e.JSON(dst, v, o)
	if err != nil {
		return append(dst, "null"...)
	}
	return out
}

// JSON appends v as JSON. Maps keep their order unless o sorts. It fails with
// a type error for what has no JSON form, and with a value error for NaN and
// infinity unless o.Python writes them as Python does. On an error dst comes
// back as it was.
func (e *Env) JSON(dst []byte, v Value, o JSONOptions) ([]byte, error) {
	w := writer{e: e, dst: dst, paid: len(dst)}
	err := w.json(v, &o, false)
	if err == nil {
		err = w.settle()
	}
	if err != nil {
		return dst, err
	}
	return w.dst, nil
}

// jsonWriter writes JSON. display is the native printing of containers, which
// has a form for everything.
type jsonWriter struct {
	*writer
	o               *JSONOptions
	display         bool
	itemSep, keySep string
	stack           []printFrame
}

func (w *writer) json(v Value, o *JSONOptions, display bool) error {
	j := jsonWriter{writer: w, o: o, display: display, itemSep: o.ItemSep, keySep: o.KeySep}
	if j.itemSep == "" {
		j.itemSep = ", "
		if j.multiline() {
			j.itemSep = ","
		}
	}
	if j.keySep == "" {
		j.keySep = ": "
	}
	j.stack = make([]printFrame, 0, 4)
	for {
		if err := j.open(v); err != nil {
			return err
		}
		more := false
		for !more {
			if len(j.stack) == 0 {
				return nil
			}
			var err error
			if v, more, err = j.advance(); err != nil {
				return err
			}
		}
	}
}

func (j *jsonWriter) multiline() bool { return j.o.Indent != "" || j.o.Multiline }

// advance writes what stands before the next value of the innermost container
// and returns the value, or closes the container.
func (j *jsonWriter) advance() (v Value, more bool, err error) {
	top := &j.stack[len(j.stack)-1]
	if top.it != nil {
		v, more, err = top.it.Next()
		if err != nil {
			return v, false, err
		}
		if !more {
			return v, false, j.close(top)
		}
		if err = j.e.Step(1); err != nil {
			return v, false, err
		}
		top.i++
		top.n = top.i
		return v, true, j.separate(top.i == 1)
	}
	if top.i == top.n {
		return v, false, j.close(top)
	}
	if err = j.separate(top.i == 0); err != nil {
		return v, false, err
	}
	v = top.next()
	if top.isMap {
		if err = j.key(v); err != nil {
			return v, false, err
		}
		j.dst = append(j.dst, j.keySep...)
		v = top.next()
	}
	return v, true, nil
}

// separate writes the separator and the line break before an item.
func (j *jsonWriter) separate(first bool) error {
	if !first {
		j.dst = append(j.dst, j.itemSep...)
	}
	return j.newline(len(j.stack))
}

func (j *jsonWriter) newline(depth int) error {
	if !j.multiline() {
		return j.room(0)
	}
	if err := j.room(1 + depth*len(j.o.Indent)); err != nil {
		return err
	}
	j.dst = append(j.dst, '\n')
	for range depth {
		j.dst = append(j.dst, j.o.Indent...)
	}
	return nil
}

func (j *jsonWriter) close(f *printFrame) error {
	j.stack = j.stack[:len(j.stack)-1]
	if f.n > 0 {
		if err := j.newline(len(j.stack)); err != nil {
			return err
		}
	}
	if f.isMap {
		j.dst = append(j.dst, '}')
	} else {
		j.dst = append(j.dst, ']')
	}
	return nil
}

// open writes a scalar, or the opening bracket of a container.
func (j *jsonWriter) open(v Value) error {
	done, err := j.scalar(v)
	if done || err != nil {
		return err
	}
	v = j.e.canonical(v)
	f, ok, err := j.frame(v, len(j.stack))
	if err != nil {
		return err
	}
	if !ok {
		if f, ok = j.iterate(v); !ok {
			return j.refuse(v)
		}
		if err := j.enter(len(j.stack)); err != nil {
			return err
		}
	}
	if f.isMap && j.o.SortKeys {
		if f.en, err = j.sorted(f.en); err != nil {
			return err
		}
	}
	if f.isMap {
		j.dst = append(j.dst, '{')
	} else {
		j.dst = append(j.dst, '[')
	}
	j.stack = append(j.stack, f)
	return nil
}

// iterate opens what can be walked without being a list; Python's json refuses
// it.
func (j *jsonWriter) iterate(v Value) (f printFrame, ok bool) {
	if j.o.Python {
		return f, false
	}
	switch x := v.ref.(type) {
	case *Iterator:
		return printFrame{it: x}, true
	case Iterable:
		return printFrame{it: x.Iterate()}, true
	}
	return f, false
}

// refuse fails for a value that has no JSON form.
func (j *jsonWriter) refuse(v Value) error {
	if j.o.Python {
		return j.e.Errorf("type", "Object of type %s is not JSON serializable", j.e.TypeName(v))
	}
	t := j.e.TypeName(v)
	return &Error{Kind: "type", Msg: "a value of type " + t + " has no text form",
		Help: "give strings, numbers, booleans, lists, maps or structs"}
}

// sorted returns the entries in the order of their keys.
func (j *jsonWriter) sorted(en Entries) (Entries, error) {
	n := en.Len()
	if err := j.e.Charge(entrySize * n); err != nil {
		return en, err
	}
	pairs := make([]entry, n)
	for i := range pairs {
		pairs[i].key, pairs[i].val = en.At(i)
	}
	var failed error
	slices.SortStableFunc(pairs, func(a, b entry) int {
		if failed != nil {
			return 0
		}
		if failed = j.e.Step(1); failed != nil {
			return 0
		}
		if !j.o.Python {
			return compareKeys(j.e.canonical(a.key), j.e.canonical(b.key))
		}
		var less bool
		if less, failed = j.e.Less(a.key, b.key); failed != nil {
			return 0
		}
		if less {
			return -1
		}
		return 1
	})
	return Entries{pairs: pairs, env: en.env}, failed
}

// scalar writes what is no container.
func (j *jsonWriter) scalar(v Value) (done bool, err error) {
	if n, ok := v.ref.(json.Number); ok && !j.o.Python && isNumberText(string(n)) {
		if err := j.room(len(n)); err != nil {
			return true, err
		}
		j.dst = append(j.dst, n...)
		return true, nil
	}
	if text, ok, err := j.e.hostText(v); ok || err != nil {
		if err == nil {
			err = j.text(text)
		}
		return true, err
	}
	if n, ok := spelledNumber(v); ok {
		j.dst = append(j.dst, n...)
		return true, j.room(0)
	}
	v = j.e.canonical(v)
	switch x := v.ref.(type) {
	case nil:
		j.dst = append(j.dst, "null"...)
	case *Undefined:
		if j.o.Python {
			return true, j.refuse(v)
		}
		j.dst = append(j.dst, "null"...)
	case boolMark:
		j.dst = appendBool(j.dst, v.num != 0, StyleNative)
	case intMark:
		j.dst = strconv.AppendInt(j.dst, int64(v.num), 10)
	case floatMark:
		return true, j.float(math.Float64frombits(v.num))
	case *big.Int:
		j.dst, err = j.e.appendBig(j.dst, x)
		return true, err
	case strPtr, safePtr:
		s, _ := v.Str()
		return true, j.text(s)
	case []byte:
		return true, j.text(bytesText(x))
	case json.Number:
		return true, j.text(string(x))
	case time.Time:
		j.dst = append(appendTime(append(j.dst, '"'), x), '"')
	case Object:
		if _, ok := x.(Iterable); ok || j.o.Python {
			return false, nil
		}
		p, ok := x.(Printer)
		if !ok {
			return true, j.refuse(v)
		}
		b, err := j.e.printObject(nil, p, false, len(j.stack))
		if err != nil {
			return true, err
		}
		return true, j.text(string(b))
	default:
		return false, nil
	}
	return true, nil
}

func (j *jsonWriter) float(f float64) error {
	finite := !math.IsNaN(f) && !math.IsInf(f, 0)
	switch {
	case j.o.Python && finite:
		j.dst = appendPythonFloat(j.dst, f)
	case j.o.Python || finite || j.display:
		j.dst = numfmt.AppendShortest(j.dst, f)
	default:
		return &Error{Kind: "value", Msg: "infinity and NaN have no JSON form"}
	}
	return nil
}

// key writes the key of a map: strings as they are, other scalars as text.
func (j *jsonWriter) key(k Value) error {
	if text, ok, err := j.e.hostText(k); ok || err != nil {
		if err == nil {
			err = j.text(text)
		}
		return err
	}
	k = j.e.canonical(k)
	if s, ok := k.Str(); ok {
		return j.text(s)
	}
	if k.ref == nil {
		return j.text("null")
	}
	if _, ok := numberOf(k, true); !ok {
		t := j.e.TypeName(k)
		if j.o.Python {
			return j.e.Errorf("type", "keys must be str, int, float, bool or None, not %s", t)
		}
		if !j.display {
			return &Error{Kind: "type", Msg: "a map with keys of type " + t + " has no JSON form"}
		}
		inner := writer{e: j.e}
		if err := inner.json(k, &JSONOptions{}, true); err != nil {
			return err
		}
		return j.text(string(inner.dst))
	}
	from := len(j.dst)
	j.dst = append(j.dst, '"')
	if _, err := j.scalar(k); err != nil {
		j.dst = j.dst[:from]
		return err
	}
	j.dst = append(j.dst, '"')
	return nil
}

// text writes a JSON string.
func (j *jsonWriter) text(s string) error {
	if err := j.room(len(s) + 2); err != nil {
		return err
	}
	j.dst = append(j.dst, '"')
	for p := j.e.Parts(s); p.Next(); {
		if err := j.part(p.Text, len(s)-p.At); err != nil {
			return err
		}
	}
	j.dst = append(j.dst, '"')
	return j.e.StopError()
}

// part writes a piece of a JSON string, with which left bytes of it begin.
func (j *jsonWriter) part(s string, left int) error {
	from := 0
	plain := !j.o.EnsureASCII && !j.o.HTMLSafe
	for i := 0; i < len(s); {
		if plain {
			if i += plainJSON(s[i:]); i == len(s) {
				break
			}
		}
		c := s[i]
		size, r := 1, rune(c)
		switch {
		case c >= utf8.RuneSelf:
			r, size = utf8.DecodeRuneInString(s[i:])
			if !j.o.EnsureASCII && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
		case c >= ' ' && c != '"' && c != '\\' && !(j.o.HTMLSafe && htmlUnsafe(c)) && !(c == 0x7f && j.o.EnsureASCII):
			i++
			continue
		}
		j.dst = append(j.dst, s[from:i]...)
		// Escapes are longer than what they stand for.
		if err := j.room(left - i); err != nil {
			return err
		}
		j.escape(r)
		i += size
		from = i
	}
	j.dst = append(j.dst, s[from:]...)
	return nil
}

func htmlUnsafe(c byte) bool { return c == '<' || c == '>' || c == '&' || c == '\'' }

func (j *jsonWriter) escape(r rune) {
	switch r {
	case '"', '\\':
		j.dst = append(j.dst, '\\', byte(r))
		return
	case '\n':
		j.dst = append(j.dst, '\\', 'n')
		return
	case '\r':
		j.dst = append(j.dst, '\\', 'r')
		return
	case '\t':
		j.dst = append(j.dst, '\\', 't')
		return
	case '\b':
		j.dst = append(j.dst, '\\', 'b')
		return
	case '\f':
		j.dst = append(j.dst, '\\', 'f')
		return
	}
	if r == utf8.RuneError && !j.o.EnsureASCII {
		j.dst = append(j.dst, "\ufffd"...)
		return
	}
	if r > 0xffff {
		r -= 0x10000
		j.unit(0xd800 + r>>10)
		r = 0xdc00 + r&0x3ff
	}
	j.unit(r)
}

// unit writes one UTF-16 code unit as \uhhhh.
func (j *jsonWriter) unit(r rune) {
	j.dst = append(j.dst, '\\', 'u', hexDigits[r>>12&0xf], hexDigits[r>>8&0xf], hexDigits[r>>4&0xf], hexDigits[r&0xf])
}
