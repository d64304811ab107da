package code

// Operand tells what a field of an instruction means. Those that are an index
// refer to a table of the Pool.
type Operand uint8

// The kinds of operands.
const (
	OperandNone     Operand = iota
	OperandSlot             // a slot
	OperandLocal            // a slot, or ^A of a loop: its item
	OperandTarget           // the slot of a loop's item, or ^slot of one that stays out of it
	OperandLoop             // a loop state
	OperandCell             // a cell
	OperandCount            // a number of values
	OperandBinary           // a BinaryOp
	OperandCompare          // a CompareOp
	OperandField            // a LoopField
	OperandMode             // a LoopMode
	OperandFlags            // bits that the opcode describes
	OperandFlag             // 0 or 1
	OperandBlank            // a BlankRule
	OperandKey              // a KeyRule
	OperandEscape           // an EscapeRule
	OperandUnary            // a UnaryOp
	OperandObject           // an ObjectKind
	OperandOwner            // the loop of an ObjectKind that is a loop's, else 0
	OperandMake             // a MakeKind
	OperandAccess           // index: fields that code bound to a struct type reads
	OperandSlotList         // index: lists of slots
	OperandConst            // index: constants
	OperandRoles            // index: lists of names, the roles that a message may have; -1 is any
	OperandPath             // index: paths
	OperandOut              // index: placeholders
	OperandName             // index: lists of names, the keyword names of a call; -1 is none
	OperandKeys             // index: lists of names, the known keys
	OperandBuiltin          // index: filters, tests and functions
	OperandTable            // index: switch tables
	OperandUndef            // index: descriptions of missing values
	OperandSection          // index: sections
	OperandBranch           // index: branches
	OperandDialect          // index: dialects
	OperandMacro            // index: macros
	operandKinds
)

// BlankRule tells what OpEndMessage does with a blank text.
type BlankRule uint8

// Rules of blank texts.
const (
	BlankStays BlankRule = iota
	BlankLeftOut
	BlankFails
	blankRules
)

// String returns the rule's name, as the disassembler writes it.
func (r BlankRule) String() string {
	return [blankRules]string{"", "leave out blank", "refuse blank"}[r]
}

// KeyRule tells how OpMessageKey sets a key.
type KeyRule uint8

// Rules of keys.
const (
	KeyAlways  KeyRule = iota // null too
	KeyNotNull                // not where the value is null
	KeyContent                // the value is the message's structured content, null that it has none
	KeyAbsent                 // the message has no key of this name: its content
	KeyRequest                // it is a key of the request, not of a message
	keyRules
)

// String returns the rule's name, as the disassembler writes it.
func (r KeyRule) String() string {
	return [keyRules]string{"", "unless null", "content", "absent", "request"}[r]
}

// EscapeRule tells whether OpEmit escapes what it prints.
type EscapeRule uint8

// Rules of escaping.
const (
	EscapeNever EscapeRule = iota
	EscapeIfOn             // if escaping is on where the code runs
	EscapeAlways
	escapeRules
)

// String returns the rule's name, as the disassembler writes it.
func (r EscapeRule) String() string { return [escapeRules]string{"", "escape?", "escape"}[r] }

// PartRule tells how what a placeholder writes is a part of a sum of texts.
type PartRule uint8

// Rules of parts.
const (
	PartNone   PartRule = iota
	PartBefore          // first, with a text added to it
	PartAfter           // added to a text
	PartConcat          // concatenated
	partRules
)

// Known reports whether there is such a rule.
func (r PartRule) Known() bool { return r < partRules }

// What OpSpan begins and ends.
const (
	SpanEnd       = iota // a stretch of generated text ends
	SpanGenerated        // one begins
	SpanSum              // a sum whose parts are written begins
	SpanSumEnd           // it ends
	SpanAddend           // it ends, and is a part of a sum itself
	SpanConcat           // it ends, and is a part of a concatenation
)

// UnaryOp is an operator before its operand.
type UnaryOp uint8

// Unary operators.
const (
	UnNegate UnaryOp = iota
	UnPositive
	UnNot
	unaryOps
)

// String returns the operator as templates write it.
func (o UnaryOp) String() string { return [unaryOps]string{"-", "+", "not"}[o] }

// MakeKind tells what OpMake makes.
type MakeKind uint8

// What OpMake makes.
const (
	MakeList MakeKind = iota
	MakeTuple
	MakeMap
	MakeParts // a list, where what is a list itself gives its items
	makeKinds
)

// String returns the kind's name, as the disassembler writes it.
func (k MakeKind) String() string { return [makeKinds]string{"list", "tuple", "map", "parts"}[k] }

// ObjectKind tells what OpObject pushes.
type ObjectKind uint8

// What OpObject pushes.
const (
	ObjectVars        ObjectKind = iota // the data
	ObjectLoop                          // the state of loop A in this iteration
	ObjectLoopContext                   // loop A itself, which goes on
	ObjectSelf                          // the template's blocks
	ObjectSuper                         // the parent of the running block Key
	objectKinds
)

// ofLoop reports whether the object is a loop's.
func (k ObjectKind) ofLoop() bool { return k == ObjectLoop || k == ObjectLoopContext }

// String returns the kind's name, as the disassembler writes it.
func (k ObjectKind) String() string {
	return [objectKinds]string{"vars", "loop", "loop context", "self", "super"}[k]
}

// BinaryOp is an arithmetic operator.
type BinaryOp uint8

// Arithmetic operators.
const (
	BinAdd BinaryOp = iota
	BinSub
	BinMul
	BinDiv
	BinFloorDiv
	BinMod
	BinPow
	BinConcat // ~
	binaryOps
)

// String returns the operator as templates write it.
func (o BinaryOp) String() string {
	return [binaryOps]string{"+", "-", "*", "/", "//", "%", "**", "~"}[o]
}

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
	compareOps
)

// String returns the operator as templates write it.
func (o CompareOp) String() string {
	return [compareOps]string{"==", "!=", "<", "<=", ">", ">=", "in", "not in"}[o]
}

// LoopField is a field of the native `loop` variable.
type LoopField uint16

// Loop fields.
const (
	LoopIndex LoopField = iota
	LoopIndex0
	LoopFirst
	LoopLast
	LoopLength
	LoopRevindex
	LoopRevindex0
	loopFields
)

// LoopFieldNames gives each field's name in templates.
var LoopFieldNames = [loopFields]string{"index", "index0", "first", "last", "length", "revindex", "revindex0"}

// LoopMode tells OpLoop how items are bound.
type LoopMode uint16

// Loop modes.
const (
	// ModeItems binds list items to slot B; strings, numbers and maps are errors.
	ModeItems LoopMode = iota
	// ModeEntries binds the key to slot B and the value to slot B+1.
	ModeEntries
	// ModePython iterates as Python does.
	ModePython
	loopModes
)

// String returns the mode's name, as the disassembler writes it.
func (m LoopMode) String() string { return [loopModes]string{"items", "entries", "python"}[m] }
