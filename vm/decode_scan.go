package vm

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// A Decoder reads JSON values one after the other, such as the rows of a JSONL
// file, and uses its memory again. It is for one goroutine at a time.
//
// It accepts what DecodeJSON accepts: it reads valid data by itself, four times
// as fast, and leaves all else to the same code, whose word on what is wrong is
// the one that counts.
type Decoder struct {
	o    DecodeOptions
	text string
	env  *Env // of the render that decodes, which may end on the way; else nil
	seen int  // where it was last asked

	values int
	left   int // of o.MaxMemory, for this value
	most   openMemory
	stack  []decodeFrame
	pairs  []decodePair
	items  []Value

	// What the result is made of, in blocks; used counts what is taken of the
	// last block.
	cells []Value
	maps  []Map
	lists []List
	bytes []byte // of strings with escapes; never used again
}

// NewDecoder returns a Decoder.
func NewDecoder(o DecodeOptions) *Decoder { return &Decoder{o: o.orDefault()} }

// decoders are at rest: with room for what is open, and nothing of a result.
var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// letGo leaves the result to its owner, and keeps the room for what is open.
func (d *Decoder) letGo() {
	const most = 1 << 10
	clear(d.pairs[:min(d.most.pairs, cap(d.pairs))])
	clear(d.items[:min(d.most.items, cap(d.items))])
	kept := Decoder{stack: d.stack, pairs: d.pairs, items: d.items}
	if max(cap(d.stack), cap(d.pairs), cap(d.items)) > most {
		kept = Decoder{}
	}
	*d = kept
}

// Decode reads one JSON value. The value and what is in it is valid until the
// next call; strings stay. Text must not change.
func (d *Decoder) Decode(text string) (Value, error) {
	if v, ok := d.scan(text); ok {
		return v, nil
	}
	return decodeJSON([]byte(text), d.o)
}

// Sizes of the blocks that a Decoder allocates, in elements: the first ones, and
// the largest.
const (
	firstBlock = 4
	lastBlock  = 1024
)

// take cuts n elements off the front of a block and makes another one where it
// has too few. The elements are zero or stale; their capacity ends with them.
func take[T any](block *[]T, n int) []T {
	b := *block
	if cap(b)-len(b) < n {
		b = make([]T, 0, max(n, min(2*cap(b), lastBlock), firstBlock))
	}
	from := len(b)
	b = b[:from+n]
	*block = b
	return b[from : from+n : from+n]
}

// scan reads a value; ok is false where text is not valid, or beyond a limit.
func (d *Decoder) scan(text string) (v Value, ok bool) {
	if len(text) > d.o.MaxBytes {
		return v, false
	}
	const bom = "\ufeff"
	if len(text) >= len(bom) && text[:len(bom)] == bom {
		text = text[len(bom):]
	}
	d.text, d.values, d.left, d.most = text, 0, d.o.memory(), openMemory{}
	d.stack, d.pairs, d.items = d.stack[:0], d.pairs[:0], d.items[:0]
	d.cells, d.maps, d.lists = d.cells[:0], d.maps[:0], d.lists[:0]
	if d.cells == nil { // a guess that is right for most data
		d.cells = make([]Value, 0, min(max(len(text)/16, 8), lastBlock))
	}
	v, end, ok := d.value()
	d.text = ""
	if ok = ok && skipBlanks(text, end) == len(text); ok {
		d.o.took(d.left)
	}
	if d.left < 0 { // let go of what is of no use
		*d = Decoder{o: d.o}
	}
	return v, ok
}

// ended reports whether the render that decodes has ended, where it was not
// asked for a while before byte i. There must be one.
func (d *Decoder) ended(i int) bool {
	if i-d.seen < bulkStep {
		return false
	}
	d.seen = i
	return d.env.poll() != nil
}

// skipBlanks returns the first place from i on that is no JSON white space.
func skipBlanks(s string, i int) int {
	for i < len(s) && s[i] <= ' ' && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// value reads a value from the start of the text, up to end.
func (d *Decoder) value() (v Value, end int, ok bool) {
	s := d.text
	i := 0
	depth := min(d.o.MaxDepth, 10_000) // see DecodeOptions
	for {
		// A value begins here, or a list ends that has none.
		if i = skipBlanks(s, i); i == len(s) {
			return v, i, false
		}
		if d.values++; d.values > d.o.MaxValues || d.env != nil && d.ended(i) {
			return v, i, false
		}
		switch c := s[i]; c {
		case '{', '[':
			if len(d.stack) == depth {
				return v, i, false
			}
			i = skipBlanks(s, i+1)
			if c == '[' {
				d.stack = append(d.stack, decodeFrame{false, len(d.items)})
				if i == len(s) || s[i] != ']' {
					continue
				}
				i++
				if v, ok = d.close(); !ok {
					return v, i, false
				}
				break
			}
			d.stack = append(d.stack, decodeFrame{true, len(d.pairs)})
			if i == len(s) || s[i] != '}' {
				if i, ok = d.key(i); !ok {
					return v, i, false
				}
				continue
			}
			i++
			if v, ok = d.close(); !ok {
				return v, i, false
			}
		case '"':
			var str string
			if str, i, ok = d.str(i + 1); !ok {
				return v, i, false
			}
			v = String(str)
		case 't', 'f', 'n':
			if v, i, ok = word(s, i); !ok {
				return v, i, false
			}
		default:
			if v, i, ok = d.number(i); !ok {
				return v, i, false
			}
		}
		// The value is complete. It may complete what it stands in.
		for more := false; !more; {
			if len(d.stack) == 0 {
				return v, i, true
			}
			top := &d.stack[len(d.stack)-1]
			if top.isMap {
				d.pairs[len(d.pairs)-1].val = v
			} else {
				if !d.take(d.most.item(len(d.items))) {
					return v, i, false
				}
				d.items = append(d.items, v)
			}
			if i = skipBlanks(s, i); i == len(s) {
				return v, i, false
			}
			c := s[i]
			i++
			switch {
			case c == ',' && top.isMap:
				if i, ok = d.key(skipBlanks(s, i)); !ok {
					return v, i, false
				}
				more = true
			case c == ',':
				more = true
			case c == '}' && top.isMap, c == ']' && !top.isMap:
				if v, ok = d.close(); !ok {
					return v, i, false
				}
			default:
				return v, i, false
			}
		}
	}
}

// key reads a key and its colon.
func (d *Decoder) key(i int) (end int, ok bool) {
	if i == len(d.text) || d.text[i] != '"' {
		return i, false
	}
	k, i, ok := d.str(i + 1)
	if !ok {
		return i, false
	}
	if i = skipBlanks(d.text, i); i == len(d.text) || d.text[i] != ':' {
		return i, false
	}
	if !d.take(d.most.pair(len(d.pairs))) {
		return i, false
	}
	d.pairs = append(d.pairs, decodePair{key: k})
	return i + 1, true
}

// close makes the innermost container and takes it off the stack; ok is false
// where a key stands twice and may not, or there is no memory.
func (d *Decoder) close() (v Value, ok bool) {
	f := d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
	if !f.isMap {
		if !d.take(listMemory(len(d.items) - f.start)) {
			return v, false
		}
		l := &take(&d.lists, 1)[0]
		items := d.items[f.start:]
		*l = List{Items: take(&d.cells, len(items))}
		copy(l.Items, items)
		d.items = d.items[:f.start]
		return Value{ref: l}, true
	}
	pairs := d.pairs[f.start:]
	if !d.take(mapMemory(len(pairs))) {
		return v, false
	}
	m := &take(&d.maps, 1)[0]
	cells := take(&d.cells, 2*len(pairs))
	*m = Map{keys: cells[:0:len(pairs)], vals: cells[len(pairs):][:0:len(pairs)]}
	if len(pairs) > mapScan {
		for i := range pairs {
			m.Set(pairs[i].key, pairs[i].val)
			if m.Len() <= i && !d.o.LastDuplicate {
				return v, false
			}
		}
	} else {
		for i := range pairs {
			if j := findPair(pairs[:i], pairs[i].key); j >= 0 {
				if !d.o.LastDuplicate {
					return v, false
				}
				m.Set(pairs[i].key, pairs[i].val)
				continue
			}
			m.keys = append(m.keys, String(pairs[i].key))
			m.vals = append(m.vals, pairs[i].val)
		}
	}
	d.pairs = d.pairs[:f.start]
	return Value{ref: m}, true
}

// take takes n bytes from the memory and reports whether they were there.
func (d *Decoder) take(n int) bool {
	d.left -= n
	return d.left >= 0
}

func findPair(pairs []decodePair, key string) int {
	for i := range pairs {
		if pairs[i].key == key {
			return i
		}
	}
	return -1
}

// word reads true, false or null.
func word(s string, i int) (v Value, end int, ok bool) {
	for _, w := range [...]struct {
		text string
		v    Value
	}{{"true", Value{1, boolRef}}, {"false", Value{0, boolRef}}, {"null", Value{}}} {
		if len(s)-i >= len(w.text) && s[i:i+len(w.text)] == w.text {
			return w.v, i + len(w.text), true
		}
	}
	return v, i, false
}

// str reads a string from behind its opening quote.
func (d *Decoder) str(i int) (str string, end int, ok bool) {
	s := d.text
	for at := i; ; {
		at += plainJSON(s[at:])
		if at == len(s) || d.env != nil && d.ended(at) {
			return "", at, false
		}
		switch c := s[at]; {
		case c == '"':
			return s[i:at], at + 1, true
		case c == '\\':
			return d.escaped(i, at)
		case c < ' ':
			return "", at, false
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && size == 1 {
			return "", at, false
		}
		at += size
	}
}

// escaped reads a string that begins at i and has its first escape at at.
func (d *Decoder) escaped(i, at int) (str string, end int, ok bool) {
	const block = 4 << 10
	s := d.text
	// The rest of the data is no measure beyond a block: each string would take as
	// much.
	if rest := min(block, len(s)-i); cap(d.bytes)-len(d.bytes) < min(block/4, rest) {
		d.bytes = make([]byte, 0, rest)
	}
	start := len(d.bytes)
	b := append(d.bytes, s[i:at]...)
	for {
		n := plainJSON(s[at:])
		b = append(b, s[at:at+n]...)
		if at += n; at == len(s) || d.env != nil && d.ended(at) {
			return "", at, false
		}
		c := s[at]
		switch {
		case c == '"':
			d.bytes = b
			if !d.take(len(b) - start) {
				return "", at, false
			}
			if len(b) == start {
				return "", at + 1, true
			}
			return unsafe.String(&b[start], len(b)-start), at + 1, true
		case c < ' ':
			return "", at, false
		case c != '\\':
			r, size := utf8.DecodeRuneInString(s[at:])
			if r == utf8.RuneError && size == 1 {
				return "", at, false
			}
			b = append(b, s[at:at+size]...)
			at += size
			continue
		}
		if at+1 == len(s) {
			return "", at, false
		}
		if e := escapes[s[at+1]]; e != 0 {
			b = append(b, e)
			at += 2
			continue
		}
		r := unicodeEscape(s[at:])
		if at += 6; r >= 0xd800 && r < 0xdc00 { // a half of a pair
			low := unicodeEscape(s[min(at, len(s)):])
			if low < 0xdc00 || low > 0xdfff {
				return "", at, false
			}
			r = (r-0xd800)<<10 + (low - 0xdc00) + 0x10000
			at += 6
		} else if r < 0 || r >= 0xdc00 && r <= 0xdfff {
			return "", at, false
		}
		b = utf8.AppendRune(b, r)
	}
}

// escapes are the characters that follow a backslash, but for u.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicodeEscape reads \uXXXX at the start of s; it is negative where there is
// none.
func unicodeEscape(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range []byte(s[2:6]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// number reads a number; integers of more than 18 digits and floats that do not
// fit are left to DecodeJSON.
func (d *Decoder) number(i int) (v Value, end int, ok bool) {
	s := d.text
	at := i
	if s[at] == '-' {
		at++
	}
	first := at
	n := int64(0)
	for at < len(s) && s[at] >= '0' && s[at] <= '9' {
		if at-first < 18 {
			n = n*10 + int64(s[at]-'0')
		}
		at++
	}
	digits := at - first
	if digits == 0 || digits > 1 && s[first] == '0' {
		return v, at, false
	}
	isFloat := false
	if at < len(s) && s[at] == '.' {
		isFloat = true
		from := at + 1
		if at = skipDigits(s, from); at == from {
			return v, at, false
		}
	}
	if at < len(s) && (s[at] == 'e' || s[at] == 'E') {
		isFloat = true
		at++
		if at < len(s) && (s[at] == '+' || s[at] == '-') {
			at++
		}
		from := at
		if at = skipDigits(s, from); at == from {
			return v, at, false
		}
	}
	switch {
	case isFloat:
		f, err := strconv.ParseFloat(s[i:at], 64)
		if err != nil || math.IsInf(f, 0) {
			return v, at, false
		}
		return Float(f), at, true
	case digits > 18:
		return v, at, false
	case s[i] == '-':
		n = -n
	}
	return Int(n), at, true
}

func skipDigits(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

// plainJSON returns the length of the longest start of s that JSON strings hold
// as it is: printable ASCII without quotes and backslashes. It looks at eight
// bytes at a time.
func plainJSON(s string) int {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		w := load64(s, i)
		// In each byte the high bit is set where the byte is below a blank, a
		// quote, a backslash, or has the high bit itself. Borrows spoil only
		// bytes behind the first.
		quote, back := w^('"'*ones), w^('\\'*ones)
		m := (w - ' '*ones) | (quote - ones) | (back - ones) | w
		// A byte x-c borrows where x < c, and where x has its high bit set, which
		// w tells as well.
		if m &= high; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

// load64 reads eight bytes of s, the first as the lowest.
func load64(s string, i int) uint64 {
	return binary.LittleEndian.Uint64(unsafe.Slice(unsafe.StringData(s[i:i+8]), 8))
}
