package vm

// Placeholders until the real bodies land in arith.go, compare.go, lookup.go,
// iterate.go and print.go.

func hashKey(key Value) (mapKey, bool) {
	s, ok := key.Str()
	return mapKey{class: 's', str: s}, ok
}

// JSONOptions controls JSON output.
type JSONOptions struct {
	// Indent is the text of one level of indentation; "" writes one line.
	Indent string
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

// AppendJSON writes v as JSON without limits of its own (for tests and docs).
func AppendJSON(dst []byte, v Value, o JSONOptions) []byte { return dst }

func pythonRepr(s string) string { return s }

func (e *Env) Binary(op BinaryOp, a, b Value) (Value, error)              { return Null, nil }
func (e *Env) Negate(v Value) (Value, error)                              { return Null, nil }
func (e *Env) Positive(v Value) (Value, error)                            { return Null, nil }
func (e *Env) Compare(op CompareOp, a, b Value) (bool, error)             { return false, nil }
func (e *Env) Equal(a, b Value) (bool, error)                             { return false, nil }
func (e *Env) Less(a, b Value) (bool, error)                              { return false, nil }
func (e *Env) Truth(v Value) (bool, error)                                { return false, nil }
func (e *Env) Attr(v Value, name string) (Value, error)                   { return Null, nil }
func (e *Env) Item(v, key Value) (Value, error)                           { return Null, nil }
func (e *Env) PyAttr(v Value, name string) (Value, error)                 { return Null, nil }
func (e *Env) Slice(v, lo, hi, step Value) (Value, error)                 { return Null, nil }
func (e *Env) Iterate(v Value) (*Iterator, error)                         { return nil, nil }
func (e *Env) Items(v Value) ([]Value, error)                             { return nil, nil }
func (e *Env) Len(v Value) (int, error)                                   { return 0, nil }
func (e *Env) Str(v Value) (string, error)                                { return "", nil }
func (e *Env) AppendStr(dst []byte, v Value, style Style) ([]byte, error) { return dst, nil }
func (e *Env) Repr(v Value) (string, error)                               { return "", nil }
func (e *Env) TypeName(v Value) string                                    { return "" }
func (e *Env) CallBuiltin(b *Builtin, args []Value, names []string) (Value, error) {
	return Null, nil
}
func (e *Env) Call(f Value, args []Value, names []string) (Value, error) { return Null, nil }
func (e *Env) Escape(v Value) (Value, error)                             { return Null, nil }
func (e *Env) JSON(dst []byte, v Value, o JSONOptions) ([]byte, error)   { return dst, nil }
func Lookup(v Value, name string) (Value, bool)                          { return Null, false }
