package vm

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"time"
)

// hostText is the text that a Go value's own methods give it: Error, String or
// MarshalText. They are called only where the caller opted in (Env.Host), on a
// goroutine of their own, so that no panic or Goexit leaves them.
func (e *Env) hostText(v Value) (text string, ok bool, err error) {
	if !e.Host {
		return "", false, nil
	}
	switch v.ref.(type) {
	case nil, boolMark, intMark, floatMark, strPtr, safePtr, string, bool, int, int64, float64,
		map[string]any, []any, *List, *Tuple, *Map, *Undefined, *Iterator, Object,
		time.Time, *time.Time, *big.Int, json.Number, []byte, *Error:
		return "", false, nil
	}
	var call func() (string, error)
	switch x := v.ref.(type) {
	case error:
		call = func() (string, error) { return x.Error(), nil }
	case fmt.Stringer:
		call = func() (string, error) { return x.String(), nil }
	case encoding.TextMarshaler:
		call = func() (string, error) {
			b, err := x.MarshalText()
			return string(b), err
		}
	default:
		return "", false, nil
	}
	out, err := e.isolated("printing a value of the host", func(*Env) (Value, error) {
		s, err := call()
		if err != nil {
			return Null, &Error{Kind: "runtime", Msg: "the method MarshalText of a value of the host failed"}
		}
		return String(s), nil
	})
	if err != nil {
		return "", false, err
	}
	text, _ = out.Str()
	return text, true, nil
}
