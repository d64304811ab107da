package code

// Op is an operation code.
type Op uint16

// The operation codes. opTable says what each does; everything else that must
// know an opcode (disassembler, verifier, maximum stack, reference) reads it.
const (
	// OpInvalid is the zero value and never valid, so that a zeroed
	// instruction is refused.
	OpInvalid Op = iota

	// Those of the machine's main loop. They are numbered without a gap, so that
	// Go's compiler makes a jump table of the loop's switch: it takes one where
	// a quarter of the range has a case, and searches in halves otherwise.

	// Writing.
	OpText
	OpEmit
	OpEmitRoot
	OpEmitSlot
	OpEmitSlotKey
	OpEmitField

	// Reading. From here to OpReturn all write their Text first, if they have one.
	OpConst
	OpRoot
	OpSlot
	OpSlotKey
	OpField
	OpStore

	// Flow.
	OpJump
	OpJumpIf
	OpJumpRootFalse
	OpJumpSlotKeyFalse
	OpJumpFieldFalse
	OpSwitchSlotKey
	OpSwitchField
	OpNext
	OpReturn
	OpLoop
	OpEndLoop

	// Those of step, from here on: rarer, or dearer.

	// Reading.
	OpBare
	OpLoopField
	OpObject

	// Operators.
	OpAttr
	OpItem
	OpSlice
	OpBinary
	OpUnary
	OpCompare
	OpChain
	OpMake
	OpFilter
	OpTest
	OpCall
	OpPop

	// Flow.
	OpKeepIf
	OpSwitch

	// Messages and captures.
	OpMessage
	OpMessageKey
	OpMessages
	OpEndMessage
	OpCapture
	OpEndCapture

	// Documents.
	OpSection
	OpCases
	OpScope
	OpEndScope
	OpNoteUnknown
	OpCover
	OpDialect

	// Jinja: variables, functions, other templates.
	OpResolve
	OpCell
	OpSetCell
	OpGiven
	OpClosure
	OpCallSpread
	OpExtend
	OpAppend
	OpUnpack
	OpSetAttr
	OpSafe
	OpAutoescape
	OpSpan
	OpExport
	OpInclude
	OpImport
	OpImportName
	OpExtends
	OpExtended
	OpBlock
	OpFinish

	opCount
)

// String returns the opcode's name.
func (o Op) String() string {
	if o < opCount && opTable[o].Name != "" {
		return opTable[o].Name
	}
	return "INVALID"
}

// Valid reports whether there is such an opcode.
func (o Op) Valid() bool { return o > OpInvalid && o < opCount }

// Info is the opcode's description; it must be valid.
func (o Op) Info() *Info { return &opTable[o] }

// All lists the opcodes.
func All() []Op {
	all := make([]Op, 0, opCount-1)
	for op := OpInvalid + 1; op < opCount; op++ {
		all = append(all, op)
	}
	return all
}
