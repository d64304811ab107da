package vm

import (
	"encoding/binary"
	"math"
	"math/big"
	"reflect"
	"time"
)

// hashKey returns the hashed form of a key. Numbers that are equal have one
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
		return mapKey{class: 'y', str: string(x)}, true
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

// hashTuple writes the hashed forms of a tuple's items one after the other,
// each with its length, so that different tuples have different texts.
func hashTuple(t *Tuple) (mapKey, bool) {
	type frame struct {
		items []Value
		i     int
	}
	stack := []frame{{items: t.Items}}
	var out []byte
	out = binary.AppendUvarint(out, uint64(len(t.Items)))
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.i == len(f.items) {
			stack = stack[:len(stack)-1]
			continue
		}
		if len(out) > maxTupleBytes {
			return mapKey{}, false
		}
		it := f.items[f.i]
		f.i++
		if sub, ok := it.ref.(*Tuple); ok {
			if len(stack) == maxTupleDepth {
				return mapKey{}, false
			}
			out = binary.AppendUvarint(append(out, 't'), uint64(len(sub.Items)))
			stack = append(stack, frame{items: sub.Items})
			continue
		}
		k, ok := hashKey(it)
		if !ok {
			return mapKey{}, false
		}
		out = binary.LittleEndian.AppendUint64(append(out, k.class), k.num)
		out = append(binary.AppendUvarint(out, uint64(len(k.str))), k.str...)
	}
	return mapKey{class: 't', str: string(out)}, true
}
