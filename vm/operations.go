package vm

// BinaryOp is an arithmetic operator.
type BinaryOp uint8

// Arithmetic operators.
const (
	OpAdd BinaryOp = iota
	OpSub
	OpMul
	OpDiv
	OpFloorDiv
	OpMod
	OpPow
	OpConcat // ~
)

// CompareOp is a comparison operator.
type CompareOp uint8

// Comparison operators.
const (
	CmpEq CompareOp = iota
	CmpNe
	CmpLt
	CmpLe
	CmpGt
	CmpGe
	CmpIn
	CmpNotIn
)

// The operations below are the one place where their rule is written; the
// machine, the folder, the builtins and the test's tree walker share them.
// SIGNATURES (bodies in arith.go, compare.go, lookup.go, iterate.go, print.go):
//
//	func (e *Env) Binary(op BinaryOp, a, b Value) (Value, error)
//	func (e *Env) Negate(v Value) (Value, error)          // unary -
//	func (e *Env) Positive(v Value) (Value, error)        // unary +
//	func (e *Env) Compare(op CompareOp, a, b Value) (bool, error)
//	func (e *Env) Equal(a, b Value) (bool, error)
//	func (e *Env) Less(a, b Value) (bool, error)
//	func (e *Env) Truth(v Value) (bool, error)
//	func (e *Env) Attr(v Value, name string) (Value, error)   // x.name by the dialect's rule
//	func (e *Env) Item(v, key Value) (Value, error)           // x[key] by the dialect's rule
//	func (e *Env) PyAttr(v Value, name string) (Value, error) // attribute only (|attr)
//	func (e *Env) Slice(v, lo, hi, step Value) (Value, error) // Null = absent
//	func (e *Env) Iterate(v Value) (*Iterator, error)
//	func (e *Env) Items(v Value) ([]Value, error)         // all items, charged
//	func (e *Env) Len(v Value) (int, error)
//	func (e *Env) Str(v Value) (string, error)            // as printed
//	func (e *Env) AppendStr(dst []byte, v Value, style Style) ([]byte, error)
//	func (e *Env) Repr(v Value) (string, error)           // Python repr, or JSON in native
//	func (e *Env) TypeName(v Value) string                // Python or native type name
//	func (e *Env) CallBuiltin(b *Builtin, args []Value, names []string) (Value, error)
//	func (e *Env) Call(f Value, args []Value, names []string) (Value, error)
//	func (e *Env) Escape(v Value) (Value, error)          // HTML escape to Safe
//	func (e *Env) JSON(dst []byte, v Value, o JSONOptions) ([]byte, error)
//	func Lookup(v Value, name string) (Value, bool)       // the one look-up of a name on data
