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
	OperandBlank            // 1: a blank message is left out, 2: it is an error
	OperandAccess           // index: fields that code bound to a struct type reads
	OperandSlotList         // index: lists of slots
	OperandConst            // index: constants
	OperandRole             // index: constants, a message's role
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
