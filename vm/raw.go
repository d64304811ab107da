package vm

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/ast/diag"
)

// Raw JSON of the host, a json.RawMessage or a jsontext.Value, is the value that
// it holds: an ordered map, a list, an exact number. A render decodes it where
// the value is first needed, pays for it, and keeps what it decoded. Code that
// has no render at hand (Value.Kind, Lookup) decodes it each time.

var (
	rawMessageType = reflect.TypeFor[json.RawMessage]()
	rawValueType   = reflect.TypeFor[jsontext.Value]()
)

func isRawType(t reflect.Type) bool { return t == rawMessageType || t == rawValueType }

// rawOf returns the raw JSON that v is, or points to.
//
// From Go 1.27 on the two types are one, which a type switch may name only once.
func rawOf(v Value) (b []byte, ok bool) {
	switch x := v.ref.(type) {
	case json.RawMessage:
		return x, true
	case *json.RawMessage:
		if x == nil {
			return nil, true
		}
		return *x, true
	}
	switch x := v.ref.(type) {
	case jsontext.Value:
		return x, true
	case *jsontext.Value:
		if x == nil {
			return nil, true
		}
		return *x, true
	}
	return nil, false
}

// rawKind is the kind of the value that b holds, by how it begins.
func rawKind(b []byte) Kind {
	b = bytes.TrimLeft(b, " \t\r\n")
	if len(b) == 0 {
		return KindNull
	}
	switch b[0] {
	case '{':
		return KindMap
	case '[':
		return KindList
	case '"':
		return KindString
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNull
	}
	if bytes.ContainsAny(b, ".eE") {
		return KindFloat
	}
	return KindInt
}

// rawKey tells raw JSON from other: it is the same as long as it lies in the
// same memory.
type rawKey struct {
	first *byte
	n     int
}

// rawCache holds what was decoded. Calls of the host's functions have one of their
// own above that of the render.
type rawCache struct {
	values map[rawKey]Value
	below  *rawCache
}

func (c *rawCache) get(key rawKey) (Value, bool) {
	for ; c != nil; c = c.below {
		if v, ok := c.values[key]; ok {
			return v, true
		}
	}
	return Value{}, false
}

// above returns a cache without values above c.
func (c *rawCache) above() rawCache {
	if c.values == nil {
		return rawCache{below: c.below}
	}
	below := *c // c may be used for another render before the caller ends
	return rawCache{below: &below}
}

// rawRoom is what a decoded value takes in the list of them, and longScalar the
// length from which texts and numbers are kept there. Lists and maps always are:
// each is one thing however often it is read.
const (
	rawRoom    = 96
	longScalar = 64
)

// decodeRaw returns the value that b holds. The nil slice is null. What is wrong
// with b ends the render, see end; without a render ok is false then.
func (e *Env) decodeRaw(b []byte) (v Value, ok bool) {
	if b == nil {
		return Null, true
	}
	if e == nil {
		v, err := DecodeJSON(b, DecodeOptions{})
		return v, err == nil
	}
	key := rawKey{unsafe.SliceData(b), len(b)}
	if v, ok := e.rawCache.get(key); ok {
		return v, true
	}
	if e.stopped {
		return Null, true
	}
	v, err := e.readRaw(b)
	if err != nil {
		e.end(err)
		return Null, true
	}
	if len(b) < longScalar && v.Kind() != KindMap && v.Kind() != KindList {
		return v, true
	}
	if err := e.Hold(rawRoom); err != nil {
		return Null, true
	}
	if e.rawCache.values == nil {
		e.rawCache.values = map[rawKey]Value{}
	}
	e.rawCache.values[key] = v
	return v, true
}

// readRaw decodes b, which is paid for before.
func (e *Env) readRaw(b []byte) (Value, error) {
	if err := e.Charge(len(b)); err != nil { // for the copy that its texts are parts of
		return Null, err
	}
	size, err := e.rawSize(b)
	if err != nil {
		return Null, err
	}
	if err := e.Hold(size); err != nil {
		return Null, err
	}
	d := NewDecoder(DecodeOptions{MaxBytes: max(len(b), 1), MaxDepth: e.limits.ValueDepth, MaxValues: max(len(b), 1), MaxDigits: e.limits.NumberDigits,
		MaxMemory: math.MaxInt}) // which is paid for
	d.env = e
	v, ok := d.scan(string(b))
	if ok {
		return v, nil
	}
	if err := e.StopError(); err != nil {
		return Null, err
	}
	if err := e.Charge(len(b)); err != nil { // for another copy
		return Null, err
	}
	if v, err = decodeJSON(b, d.o); err == nil {
		return v, nil
	}
	failed := *err.(*Error)
	failed.raw = b
	return Null, &failed
}

// What decoded JSON takes in bytes besides the text: for each value its place,
// in the result and while it is read, for each key that and its place in an
// index, for each list or map that.
const (
	rawValueSize     = 2 * valueSize
	rawKeySize       = entryRoom
	rawContainerSize = mapSize
)

// rawSize is what the value in b takes at most. It is right for JSON; what is
// wrong with other text the decoder tells.
func (e *Env) rawSize(b []byte) (int, error) {
	size := rawValueSize
	var pace Pace
	inText := false
	for i := 0; i < len(b); i++ {
		if i%touchStep == touchStep-1 && pace.Stopped(e, touchStep) {
			return 0, e.StopError()
		}
		switch c := b[i]; {
		case inText:
			if c == '\\' {
				i++
			} else if c == '"' {
				inText = false
			}
		case c == '"':
			inText = true
		case c == ',':
			size += rawValueSize
		case c == ':':
			size += rawKeySize
		case c == '{', c == '[':
			size += rawContainerSize + rawValueSize
		}
	}
	return size, nil
}

// resolved returns what v stands for where that is another value: the JSON that
// raw JSON holds, the text of a string that has one of its own. It returns all other values as they are; e may be nil. What
// cannot be resolved ends the render, see end.
func (e *Env) resolved(v Value) Value {
	switch v.ref.(type) {
	case nil, strPtr, safePtr, intMark, boolMark, floatMark, string, int, bool, float64,
		map[string]any, []any, *Map, *List, *Undefined, *Tuple:
		return v
	}
	return e.resolvedHost(v)
}

func (e *Env) resolvedHost(v Value) Value {
	if raw, ok := rawOf(v); ok {
		return e.canonicalRaw(raw, v)
	}
	v, _ = e.hostString(v)
	return v
}

// resolve puts what they stand for in the place of values.
func (e *Env) resolve(values []Value) error {
	for i := range values {
		switch values[i].ref.(type) {
		case nil, strPtr, safePtr, intMark, boolMark, floatMark, string, int, bool, float64,
			map[string]any, []any, *Map, *List, *Undefined, *Tuple:
		default:
			values[i] = e.resolvedHost(values[i])
		}
	}
	return e.StopError()
}

// rawFault is the message of a failure to decode raw JSON that stands in data: it
// names the place, which is looked for only then.
func rawFault(data Value, raw []byte, msg string) string {
	name := "a raw value of the data"
	if path, ok := findRaw(data, raw); ok && path == "" {
		name = "the data of the render"
	} else if ok {
		name = "`" + path + "` of the data"
	}
	return name + " is given as raw JSON: " + msg
}

// findRaw finds the path that leads from v to raw JSON. It gives up after as
// many values as make a long search.
func findRaw(v Value, raw []byte) (path string, ok bool) {
	const most = 100_000
	type at struct {
		v      Value
		parent *at
		key    string // of the parent's entry, else
		i      int    // its item
		depth  int
	}
	e := NewEnv(&Dialect{}, DefaultLimits())
	key := rawKey{unsafe.SliceData(raw), len(raw)}
	stack := []*at{{v: v, i: -1}}
	for n := 0; len(stack) > 0; {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b, is := rawOf(p.v); is {
			if (rawKey{unsafe.SliceData(b), len(b)}) != key {
				continue
			}
			for ; p.parent != nil; p = p.parent {
				switch {
				case p.i >= 0:
					path = "[" + itoa(p.i) + "]" + path
				case !isPath(p.key):
					path = "[\"" + diag.ClipName(p.key) + "\"]" + path
				case p.parent.parent == nil:
					path = diag.ClipName(p.key) + path
				default:
					path = "." + diag.ClipName(p.key) + path
				}
			}
			return path, true
		}
		if p.depth == e.limits.ValueDepth {
			continue
		}
		c := canonical(p.v)
		if items, isSeq := seqLen(c); isSeq {
			for i := min(items, most-n) - 1; i >= 0; i-- {
				n++
				stack = append(stack, &at{v: seqAt(c, i), parent: p, i: i, depth: p.depth + 1})
			}
		} else if isMap(c) {
			en, err := e.Entries(c)
			if err != nil {
				continue
			}
			en.env = nil // nothing in it is decoded
			for i := min(en.Len(), most-n) - 1; i >= 0; i-- {
				k, x := en.At(i)
				if s, isText := k.Str(); isText {
					n++
					stack = append(stack, &at{v: x, parent: p, key: s, i: -1, depth: p.depth + 1})
				}
			}
		}
	}
	return "", false
}
