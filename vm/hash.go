package vm

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"math/big"
	"reflect"
	"time"
	"unsafe"
)

// hashKey returns the hashed form of a key, which holds no copy of a long key:
// of tuples and bytes it is a digest, which is as good as the key itself since
// nobody finds two keys of one SHA-256. Numbers that are equal have one
// form, whatever their kind, and booleans are the integers 0 and 1, so that 1,
// 1.0 and true are one key, as in Python. ok is false for lists and maps, and
// for tuples that hold one.
func hashKey(key Value) (mapKey, bool) {
	switch key.ref.(type) {
	case strPtr, safePtr:
		s, _ := key.Str()
		return mapKey{class: 's', str: s}, true
	case intMark, boolMark:
		return mapKey{class: 'i', num: key.num}, true
	case nil:
		return mapKey{class: 'n'}, true
	}
	return hashSlow(canonical(key))
}

func hashSlow(key Value) (mapKey, bool) {
	switch x := key.ref.(type) {
	case nil, strPtr, safePtr, intMark, boolMark:
		return hashKey(key)
	case floatMark:
		return hashFloat(math.Float64frombits(key.num)), true
	case *big.Int:
		return mapKey{class: 'b', str: string(x.Bytes()), num: uint64(x.Sign())}, true
	case *Undefined:
		return mapKey{class: 'u'}, true
	case *Tuple:
		return hashTuple(x)
	case time.Time:
		return mapKey{class: 'd', num: uint64(x.Unix()), str: itoa(x.Nanosecond())}, true
	case []byte:
		return mapKey{class: 'y', str: digestOf(unsafe.String(unsafe.SliceData(x), len(x)))}, true
	case *Iterator, Object:
		return hashIdentity(x)
	}
	return mapKey{}, false
}

func hashFloat(f float64) mapKey {
	if f == math.Floor(f) && f >= -1<<63 && f < 1<<63 {
		return mapKey{class: 'i', num: uint64(int64(f))}
	}
	if f == math.Floor(f) && !math.IsInf(f, 0) {
		b, _ := big.NewFloat(f).Int(nil)
		return mapKey{class: 'b', str: string(b.Bytes()), num: uint64(b.Sign())}
	}
	return mapKey{class: 'f', num: math.Float64bits(f)}
}

// hashIdentity hashes an object by its address. Whoever holds the key holds
// the object, so the address is not used again.
func hashIdentity(x any) (mapKey, bool) {
	if r := reflect.ValueOf(x); r.Kind() == reflect.Pointer {
		return mapKey{class: 'o', num: uint64(r.Pointer())}, true
	}
	return mapKey{}, false
}

// Bounds of tuples that are keys: their nesting, and the bytes of their hashed
// form, which shared parts can make far larger than the tuple is in memory.
const (
	maxTupleDepth = 16
	maxTupleBytes = 1 << 16
)

// maxKeyBytes is the longest hashed form of a tuple, or bytes, that a key holds
// as it is. Longer ones are digests of digestBytes.
const (
	maxKeyBytes = sha256.Size
	digestBytes = sha256.Size
)

// digestOf returns s itself as a text of its own where it is short, else a
// digest of it, which is longer than any such text.
func digestOf(s string) string {
	if len(s) < maxKeyBytes {
		return string([]byte(s))
	}
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(s), len(s)))
	return string(sum[:])
}

// keyWriter collects the hashed form of a tuple: in a buffer while it is short,
// then in a digest.
type keyWriter struct {
	short  []byte
	digest hash.Hash
	n      int
}

func (w *keyWriter) write(s string) {
	w.n += len(s)
	if w.digest == nil {
		if len(w.short)+len(s) < maxKeyBytes {
			w.short = append(w.short, s...)
			return
		}
		w.digest = sha256.New()
		w.digest.Write(w.short)
	}
	w.digest.Write(unsafe.Slice(unsafe.StringData(s), len(s)))
}

func (w *keyWriter) text() string {
	if w.digest == nil {
		return string(w.short)
	}
	return string(w.digest.Sum(nil))
}

// hashTuple writes the hashed forms of a tuple's items one after the other,
// each with its length, so that different tuples have different texts.
func hashTuple(t *Tuple) (mapKey, bool) {
	w := keyWriter{short: make([]byte, 0, maxKeyBytes)}
	if !walkTuple(t, func(head []byte, text string) bool {
		if w.n > maxTupleBytes {
			return false
		}
		w.write(string(head))
		if text != "" {
			w.write(text)
		}
		return true
	}) {
		return mapKey{}, false
	}
	return mapKey{class: 't', str: w.text()}, true
}

// walkTuple gives the pieces of a tuple's hashed form: what each item begins
// with, and its text. It ends early, with false, where take says so, and where
// the tuple cannot be a key.
func walkTuple(t *Tuple, take func(head []byte, text string) bool) bool {
	type frame struct {
		items []Value
		i     int
	}
	var head [32]byte
	stack := []frame{{items: t.Items}}
	if !take(binary.AppendUvarint(head[:0], uint64(len(t.Items))), "") {
		return false
	}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.i == len(f.items) {
			stack = stack[:len(stack)-1]
			continue
		}
		it := f.items[f.i]
		f.i++
		if sub, ok := it.ref.(*Tuple); ok {
			if len(stack) == maxTupleDepth || !take(binary.AppendUvarint(append(head[:0], 't'), uint64(len(sub.Items))), "") {
				return false
			}
			stack = append(stack, frame{items: sub.Items})
			continue
		}
		k, ok := hashKey(it)
		if !ok {
			return false
		}
		out := binary.LittleEndian.AppendUint64(append(head[:0], k.class), k.num)
		if !take(binary.AppendUvarint(out, uint64(len(k.str))), k.str) {
			return false
		}
	}
	return true
}

// PayKey takes the steps that hashing a key costs, before it is hashed: by the
// bytes of a text or of bytes, of a tuple by all that it holds.
func (e *Env) PayKey(key Value) error {
	switch x := key.ref.(type) {
	case strPtr, safePtr:
		if key.num < bulkBytes {
			return nil
		}
		return e.Step(int(key.num) / 64)
	case nil, intMark, boolMark, floatMark:
		return nil
	case []byte:
		return e.Step(len(x) / 16)
	case *Tuple:
		if x != nil {
			return e.payTuple(x)
		}
	default:
		if s, ok := key.Str(); ok {
			return e.Step(len(s) / 64)
		}
		if b, ok := key.Bytes(); ok {
			return e.Step(len(b) / 16)
		}
	}
	return nil
}

// payTuple is PayKey for tuples: a step for each item, and for each 16 bytes of
// text in it.
func (e *Env) payTuple(t *Tuple) error {
	type frame struct{ items []Value }
	stack := [maxTupleDepth]frame{{t.Items}}
	depth, n := 1, 0
	for depth > 0 {
		f := &stack[depth-1]
		if len(f.items) == 0 {
			depth--
			continue
		}
		it := f.items[0]
		f.items = f.items[1:]
		size := 0
		switch x := it.ref.(type) {
		case *Tuple:
			if depth == maxTupleDepth {
				return nil // no key
			}
			stack[depth] = frame{x.Items}
			depth++
		default:
			if s, ok := it.Str(); ok {
				size = len(s)
			} else if b, ok := it.Bytes(); ok {
				size = len(b)
			}
		}
		if err := e.Step(1 + size/16); err != nil {
			return err
		}
		if n += 10 + size; n > maxTupleBytes {
			return nil // hashing goes no further
		}
	}
	return nil
}
