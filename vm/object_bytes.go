package vm

import "bytes"

// PythonBytes makes a value of Python's type bytes, as str.encode gives it: it
// prints as b'…', while byte slices of the data print as text.
func PythonBytes(b []byte) Value { return ObjectOf(pythonBytes{b}) }

type pythonBytes struct{ b []byte }

// TypeName implements Object.
func (pythonBytes) TypeName() string { return "bytes" }

// Print implements Printer.
func (p pythonBytes) Print(e *Env, dst []byte, _ bool) ([]byte, error) {
	if err := e.Charge(len(p.b)); err != nil {
		return dst, err
	}
	return appendPythonBytes(dst, p.b), nil
}

// Len implements Lener.
func (p pythonBytes) Len() int { return len(p.b) }

// Index implements Indexer: a byte as an integer.
func (p pythonBytes) Index(e *Env, key Value) (Value, bool, error) {
	n, ok := numberOf(key, true)
	if !ok || n.kind != numInt {
		return Value{}, false, nil
	}
	v, ok := e.elementAt(Of(p.b), n.i)
	return v, ok, nil
}

// Iterate implements Iterable.
func (p pythonBytes) Iterate() *Iterator {
	i := 0
	return &Iterator{Name: "bytes_iterator", Next: func() (Value, bool, error) {
		if i == len(p.b) {
			return Value{}, false, nil
		}
		i++
		return Int(int64(p.b[i-1])), true, nil
	}}
}

// Equal implements Equaler.
func (p pythonBytes) Equal(_ *Env, other Value) (equal, known bool) {
	if o, ok := other.ref.(pythonBytes); ok {
		return bytes.Equal(p.b, o.b), true
	}
	return false, true
}
