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

// The operations on values are methods of Env, because their rules follow the
// dialect and their cost counts against the budgets. Each rule is written once;
// the machine, the folder, the builtins and the tests' tree walker share them:
//
//	Binary, Negate, Positive       arithmetic and joining          arith.go
//	Compare, Equal, Less, Truth    comparison and truth            compare.go
//	Attr, Item, ConstItem, PyAttr  x.name and x[key]               lookup.go
//	Slice, SliceBounds             x[a:b:c]                        lookup_slice.go
//	Iterate, Items, Entries, Len   items, entries, length          iterate.go
//	Str, AppendStr, Repr, TypeName text as printed                 print.go
//	JSON                           JSON                            json.go
//	Escape                         text safe in HTML               escape.go
//	Call, CallMethod, CallBuiltin  calls                           call.go
//
// Lookup, which resolves a name on data, needs no environment.
