package vm

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
	OpEmitLoop
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
	OpJumpFalse
	OpJumpTrue
	OpJumpRootFalse
	OpJumpSlotFalse
	OpJumpSlotKeyFalse
	OpJumpFieldFalse
	OpSwitchRoot
	OpSwitchSlotKey
	OpSwitchField
	OpNext
	OpReturn
	OpLoop
	OpEndLoop

	// Those of step, from here on: rarer, or dearer.

	// Reading.
	OpBare
	OpBares
	OpBareField
	OpVars
	OpLoopField
	OpLoopObject

	// Operators.
	OpAttr
	OpItem
	OpSlice
	OpBinary
	OpNegate
	OpPositive
	OpNot
	OpCompare
	OpChain
	OpList
	OpTuple
	OpDict
	OpFilter
	OpTest
	OpCall
	OpPop
	OpDup

	// Flow.
	OpAnd
	OpOr
	OpSwitch

	// Messages and captures.
	OpMessage
	OpMessageRole
	OpMessageKey
	OpMessagePart
	OpMessages
	OpEndMessage
	OpCapture
	OpEndCapture

	// Documents (document.go).
	OpSection
	OpEndText
	OpEnterLevel
	OpEnterItem
	OpLeaveLevel
	OpLevelKey
	OpCases
	OpScope
	OpScopeOwn
	OpEndScope
	OpKnownKeys
	OpUnknownCase
	OpCover
	OpDialect

	// Jinja: variables, functions, other templates (jinja_*.go).
	OpResolve
	OpCell
	OpSetCell
	OpGiven
	OpClosure
	OpInvoke
	OpInvokeSpread
	OpFilterSpread
	OpExtend
	OpMerge
	OpAppend
	OpUnpack
	OpCheckNamespace
	OpSetAttr
	OpLoopContext
	OpRaise
	OpEmitEscape
	OpSafe
	OpAutoescape
	OpRestoreEscape
	OpSpan
	OpExport
	OpInclude
	OpImport
	OpImportName
	OpExtends
	OpExtended
	OpBlock
	OpSelf
	OpSuper
	OpFinish

	opCount
)

// operand tells what a field of an instruction means.
type operand uint8

const (
	operandNone operand = iota
	operandSlot
	operandSlots    // A first slot, N count
	operandLocal    // a slot, or ^A of a loop: its item
	operandTarget   // the slot of a loop's item, or ^slot of one that stays out of it
	operandSlotList // index into Image.SlotLists
	operandLoop
	operandConst
	operandPath
	operandOut
	operandName // index into Image.Names: keyword names of a call
	operandBuiltin
	operandTable // index into Image.Switches
	operandRole  // index into Image.Consts
	operandCount // N values
	operandBinary
	operandCompare
	operandField
	operandMode
	operandFlags
	operandUndef   // index into Image.Undefs
	operandSection // index into Image.Sections
	operandBlank   // 1: a blank message is left out, 2: it is an error
	operandFlag    // 0 or 1
	operandKeys    // index into Image.Names: known keys
	operandBranch  // index into Image.Branches
	operandDialect // index into Image.Dialects
	operandCell
	operandMacro  // index into Image.Macros
	operandAccess // index into Function.fields
)

// opInfo describes one opcode. pop is the number of values taken from the
// stack; popN adds N of the instruction. Where jump is set, Target is used, and
// jumpPush is the change of height on the jump's way where it differs.
type opInfo struct {
	name     string
	a, b, n  operand
	text     bool // uses Text
	first    bool // writes Text before it does anything else
	key      bool // uses Key
	pop      int8
	popN     int8 // times N are popped as well
	push     int8
	pushN    int8 // times N are pushed as well
	jump     bool
	jumpDiff int8 // height change on the jump taken, relative to before
	ends     bool // does not fall through
	table    bool // Target is an index into Image.Switches
	picture  string
	doc      string
}

// opTable is the one description of every opcode. The picture shows the stack
// before and after, top at the right.
var opTable = [opCount]opInfo{
	OpText: {name: "TEXT", text: true, first: true, picture: "→", doc: "writes Text"},
	OpEmit: {name: "EMIT", b: operandOut, text: true, pop: 1, picture: "x →",
		doc: "writes Text, then x as placeholder B prints it"},
	OpEmitRoot: {name: "EMIT_ROOT", b: operandOut, n: operandCount, text: true, first: true, key: true, picture: "→",
		doc: "writes Text, then the data at placeholder B's path; Key is the path's first key, N its length"},
	OpEmitSlot: {name: "EMIT_SLOT", a: operandLocal, b: operandOut, text: true, first: true, picture: "→",
		doc: "writes Text, then slot A as placeholder B prints it"},
	OpEmitSlotKey: {name: "EMIT_SLOT_KEY", a: operandLocal, b: operandOut, n: operandCount, text: true, first: true, key: true, picture: "→",
		doc: "writes Text, then what placeholder B's path leads to from slot A"},
	OpEmitLoop: {name: "EMIT_LOOP", a: operandLoop, n: operandField, b: operandOut, text: true, first: true, picture: "→",
		doc: "writes Text, then field N of loop A"},

	OpConst: {name: "CONST", text: true, first: true, a: operandConst, push: 1, picture: "→ x", doc: "pushes constant A"},
	OpRoot: {name: "ROOT", text: true, first: true, a: operandPath, key: true, push: 1, picture: "→ x",
		doc: "pushes the data at path A, or a missing value"},
	OpSlot: {name: "SLOT", text: true, first: true, a: operandLocal, push: 1, picture: "→ x", doc: "pushes slot A"},
	OpSlotKey: {name: "SLOT_KEY", text: true, first: true, a: operandLocal, b: operandPath, key: true, push: 1, picture: "→ x",
		doc: "pushes what path B leads to from slot A"},
	OpStore: {name: "STORE", a: operandSlot, pop: 1, picture: "x →", doc: "puts x into slot A"},
	OpBare: {name: "BARE", a: operandSlot, key: true, jump: true, jumpDiff: 1, picture: "→ x | →",
		doc: "if slot A holds a map with Key, pushes its value and jumps; else goes on"},
	OpBares: {name: "BARES", b: operandSlotList, key: true, jump: true, jumpDiff: 1, picture: "→ x | →",
		doc: "BARE with the slots B, in turn"},
	OpVars: {name: "VARS", push: 1, picture: "→ m", doc: "pushes the root data"},
	OpLoopField: {name: "LOOP_FIELD", a: operandLoop, n: operandField, push: 1, picture: "→ x",
		doc: "pushes field N of loop A"},
	OpLoopObject: {name: "LOOP_OBJECT", a: operandLoop, push: 1, picture: "→ loop",
		doc: "pushes loop A as an object"},

	OpAttr:     {name: "ATTR", b: operandUndef, key: true, pop: 1, push: 1, picture: "x → x.Key", doc: "reads an attribute by the dialect's rule"},
	OpItem:     {name: "ITEM", b: operandUndef, pop: 2, push: 1, picture: "x k → x[k]", doc: "reads an item by the dialect's rule"},
	OpSlice:    {name: "SLICE", pop: 4, push: 1, picture: "x lo hi step → x[lo:hi:step]", doc: "slices; null stands for an absent bound"},
	OpBinary:   {name: "BINARY", n: operandBinary, pop: 2, push: 1, picture: "x y → x N y", doc: "arithmetic or concatenation"},
	OpNegate:   {name: "NEGATE", pop: 1, push: 1, picture: "x → -x", doc: "negates"},
	OpPositive: {name: "POSITIVE", pop: 1, push: 1, picture: "x → +x", doc: "unary plus"},
	OpNot:      {name: "NOT", pop: 1, push: 1, picture: "x → not x", doc: "negates the truth of x"},
	OpCompare:  {name: "COMPARE", n: operandCompare, pop: 2, push: 1, picture: "x y → bool", doc: "compares"},
	OpChain: {name: "CHAIN", n: operandCompare, pop: 2, push: 1, jump: true, jumpDiff: -1, picture: "x y → y | → false",
		doc: "compares x and y; if true keeps y for the next link, else leaves false and jumps"},
	OpList:  {name: "LIST", a: operandFlags, n: operandCount, popN: 1, push: 1, picture: "x… → [x…]", doc: "makes a list of N values; if A is 1, a missing one makes it missing"},
	OpTuple: {name: "TUPLE", a: operandFlags, n: operandCount, popN: 1, push: 1, picture: "x… → (x…)", doc: "makes a tuple of N values; if A is 1, a missing one makes it missing"},
	OpDict:  {name: "DICT", a: operandFlags, n: operandCount, popN: 2, push: 1, picture: "k v … → {k: v…}", doc: "makes a map of N entries; if A is 1, a missing one makes it missing"},
	OpFilter: {name: "FILTER", a: operandBuiltin, b: operandName, n: operandCount, popN: 1, push: 1, picture: "x args… → y",
		doc: "applies builtin A to N arguments, the last ones named by B"},
	OpTest: {name: "TEST", a: operandBuiltin, b: operandName, n: operandCount, popN: 1, push: 1, picture: "x args… → bool",
		doc: "applies test A to N arguments, the last ones named by B"},
	OpCall: {name: "CALL", b: operandName, n: operandCount, pop: 1, popN: 1, push: 1, picture: "f args… → y",
		doc: "calls f with N arguments, the last ones named by B"},
	OpPop: {name: "POP", pop: 1, picture: "x →", doc: "drops x"},
	OpDup: {name: "DUP", pop: 1, push: 2, picture: "x → x x", doc: "doubles x"},

	OpJump:      {name: "JUMP", text: true, first: true, jump: true, ends: true, picture: "→", doc: "jumps"},
	OpJumpFalse: {name: "JUMP_FALSE", pop: 1, jump: true, jumpDiff: -1, picture: "x →", doc: "jumps if x is false"},
	OpJumpTrue:  {name: "JUMP_TRUE", pop: 1, jump: true, jumpDiff: -1, picture: "x →", doc: "jumps if x is true"},
	OpAnd:       {name: "AND", pop: 1, jump: true, picture: "x → | x", doc: "jumps keeping x if it is false, else drops it"},
	OpOr:        {name: "OR", pop: 1, jump: true, picture: "x → | x", doc: "jumps keeping x if it is true, else drops it"},
	OpJumpRootFalse: {name: "JUMP_ROOT_FALSE", text: true, first: true, a: operandPath, key: true, jump: true, picture: "→",
		doc: "jumps if the data at path A is false or missing"},
	OpJumpSlotFalse: {name: "JUMP_SLOT_FALSE", text: true, first: true, a: operandLocal, jump: true, picture: "→", doc: "jumps if slot A is false"},
	OpJumpSlotKeyFalse: {name: "JUMP_SLOT_KEY_FALSE", text: true, first: true, a: operandLocal, b: operandPath, key: true, jump: true, picture: "→",
		doc: "jumps if what path B leads to from slot A is false or missing"},
	OpSwitch: {name: "SWITCH", a: operandTable, pop: 1, ends: true, picture: "x →",
		doc: "goes to the target that table A has for x, or to its default"},
	OpSwitchRoot: {name: "SWITCH_ROOT", text: true, first: true, a: operandTable, b: operandPath, key: true, ends: true, picture: "→",
		doc: "SWITCH on the data at path B"},
	OpSwitchSlotKey: {name: "SWITCH_SLOT_KEY", text: true, first: true, a: operandLocal, b: operandPath, key: true, ends: true, table: true, picture: "→",
		doc: "SWITCH by table Target on what path B leads to from slot A"},
	OpLoop: {name: "LOOP", text: true, a: operandLoop, b: operandTarget, n: operandMode, pop: 1, jump: true, jumpDiff: -1, picture: "xs →",
		doc: "starts loop A over xs in mode N and binds the first item to slot B; jumps if there is none; Text is the loop as traces name it"},
	OpNext: {name: "NEXT", text: true, first: true, a: operandLoop, b: operandTarget, n: operandMode, jump: true, picture: "→",
		doc: "binds loop A's next item to slot B and jumps back; goes on at the end"},
	OpEndLoop: {name: "END_LOOP", a: operandLoop, picture: "→", doc: "ends loop A"},
	OpReturn:  {name: "RETURN", text: true, first: true, ends: true, picture: "→", doc: "ends the function"},

	OpMessage:     {name: "MESSAGE", a: operandRole, picture: "→", doc: "begins a message of role A"},
	OpMessageRole: {name: "MESSAGE_ROLE", b: operandKeys, pop: 1, picture: "role →", doc: "begins a message of a computed role, which must be among names B"},
	OpMessageKey:  {name: "MESSAGE_KEY", n: operandFlag, key: true, pop: 1, picture: "x →", doc: "sets Key of the open message, where N is 1 only if x is not null"},
	OpMessagePart: {name: "MESSAGE_PART", pop: 1, picture: "x →", doc: "sets the open message's structured content"},
	OpMessages:    {name: "MESSAGES", b: operandKeys, key: true, pop: 1, picture: "x →", doc: "adds the messages of the list x, called Key, whose roles must be among names B"},
	OpEndMessage:  {name: "END_MESSAGE", picture: "→", doc: "ends the open message"},
	OpCapture:     {name: "CAPTURE", picture: "→", doc: "begins to collect output apart"},
	OpSection: {name: "SECTION", text: true, a: operandSection, b: operandSlot, jump: true, picture: "→",
		doc: "jumps if section A lacks a variable; else writes Text if slot B is set, and sets it"},
	OpEndText: {name: "END_TEXT", n: operandBlank, picture: "→",
		doc: "ends the open message; if its text is blank, leaves it out (N 1) or fails (N 2)"},
	OpEnterLevel: {name: "ENTER_LEVEL", pop: 1, picture: "x →", doc: "makes x the current level of a prompt tree"},
	OpEnterItem:  {name: "ENTER_ITEM", a: operandLoop, b: operandSlot, picture: "→", doc: "makes slot B, the item of loop A, the current level"},
	OpLeaveLevel: {name: "LEAVE_LEVEL", picture: "→", doc: "goes back to the outer level"},
	OpLevelKey:   {name: "LEVEL_KEY", key: true, push: 1, picture: "→ x", doc: "pushes the value at Key of the current level, or null"},
	OpCases: {name: "CASES", key: true, pop: 1, push: 1, picture: "x → cases",
		doc: "makes a map of the cases to run from the data x of switch Key"},
	OpScope: {name: "SCOPE", b: operandConst, key: true, picture: "→",
		doc: "makes the maps at Key of all levels, over the defaults B, the data that names are looked up in"},
	OpScopeOwn:    {name: "SCOPE_OWN", b: operandConst, picture: "→", doc: "SCOPE with the levels' own maps"},
	OpEndScope:    {name: "END_SCOPE", picture: "→", doc: "goes back to the data outside the scope"},
	OpKnownKeys:   {name: "KNOWN_KEYS", b: operandKeys, picture: "→", doc: "notes the keys of the current level that are not among names B, if a report is made"},
	OpCover:       {name: "COVER", a: operandBranch, picture: "→", doc: "notes that branch A ran, if a report is made"},
	OpDialect:     {name: "DIALECT", a: operandDialect, picture: "→", doc: "goes on by the rules of dialect A"},
	OpUnknownCase: {name: "UNKNOWN_CASE", a: operandSlot, b: operandKeys, picture: "→", doc: "notes that slot A is none of the cases B, if a report is made"},
	OpEndCapture:  {name: "END_CAPTURE", push: 1, picture: "→ s", doc: "pushes what was collected"},

	OpResolve: {name: "RESOLVE", key: true, push: 1, picture: "→ x", doc: "pushes the variable Key of the template's context"},
	OpCell:    {name: "CELL", a: operandCell, push: 1, picture: "→ x", doc: "pushes the value of cell A"},
	OpSetCell: {name: "SET_CELL", a: operandCell, pop: 1, picture: "x →", doc: "puts x into cell A"},
	OpGiven:   {name: "GIVEN", a: operandSlot, jump: true, picture: "→", doc: "jumps if the parameter in slot A was given"},
	OpClosure: {name: "CLOSURE", a: operandMacro, push: 1, picture: "→ f", doc: "pushes function A with the cells that it uses"},
	OpInvoke: {name: "INVOKE", b: operandName, n: operandCount, pop: 1, popN: 1, push: 1, picture: "f args… → y",
		doc: "calls f, which may be a macro, with N arguments, the last ones named by B"},
	OpInvokeSpread: {name: "INVOKE_SPREAD", pop: 3, push: 1, picture: "f list map → y",
		doc: "calls f with the arguments in the list and the keyword arguments in the map"},
	OpFilterSpread: {name: "FILTER_SPREAD", a: operandBuiltin, pop: 2, push: 1, picture: "list map → y",
		doc: "applies filter or test A to the arguments in the list and the map"},
	OpExtend: {name: "EXTEND", pop: 2, push: 1, picture: "list xs → list", doc: "appends the items of xs to the list"},
	OpMerge:  {name: "MERGE", pop: 2, push: 1, picture: "map m → map", doc: "adds the entries of m to the map of keyword arguments"},
	OpAppend: {name: "APPEND", a: operandSlot, pop: 1, picture: "x →", doc: "appends x to the list in slot A"},
	OpUnpack: {name: "UNPACK", n: operandCount, pop: 1, pushN: 1, picture: "xs → x…", doc: "pushes the N items of xs, the first on top"},
	OpCheckNamespace: {name: "CHECK_NAMESPACE", pop: 1, picture: "x →",
		doc: "fails unless x takes attributes"},
	OpSetAttr:     {name: "SET_ATTR", key: true, pop: 2, picture: "y x →", doc: "sets x.Key to y"},
	OpLoopContext: {name: "LOOP_CONTEXT", a: operandLoop, push: 1, picture: "→ loop", doc: "pushes the live object of loop A"},
	OpRaise:       {name: "RAISE", a: operandConst, ends: true, picture: "→", doc: "fails with the text of constant A"},
	OpEmitEscape: {name: "EMIT_ESCAPE", b: operandOut, n: operandFlags, pop: 1, picture: "x →",
		doc: "writes x as placeholder B prints it, escaped if N is 1 or escaping is on"},
	OpSafe:          {name: "SAFE", n: operandFlags, pop: 1, push: 1, picture: "s → s", doc: "marks s as safe if N is 1, or 0 and escaping is on; as plain if N is 2"},
	OpAutoescape:    {name: "AUTOESCAPE", a: operandSlot, pop: 1, picture: "x →", doc: "keeps the state of escaping in slot A and sets it to the truth of x"},
	OpRestoreEscape: {name: "RESTORE_ESCAPE", a: operandSlot, picture: "→", doc: "sets escaping back to slot A"},
	OpSpan:          {name: "SPAN", n: operandFlags, picture: "→", doc: "begins (N 1) or ends (N 0) a stretch of generated text"},
	OpExport:        {name: "EXPORT", key: true, pop: 1, picture: "x →", doc: "sets the variable Key of the template's context"},
	OpInclude: {name: "INCLUDE", a: operandFlags, b: operandName, n: operandCount, pop: 1, popN: 1, picture: "x… name →",
		doc: "writes another template, which sees N local variables named by B"},
	OpImport: {name: "IMPORT", a: operandFlags, b: operandName, n: operandCount, pop: 1, popN: 1, push: 1, picture: "x… name → module",
		doc: "runs another template for its exports"},
	OpImportName: {name: "IMPORT_NAME", key: true, pop: 1, push: 2, picture: "module → module x", doc: "reads export Key"},
	OpExtends:    {name: "EXTENDS", pop: 1, picture: "name →", doc: "names the parent template"},
	OpExtended:   {name: "EXTENDED", jump: true, picture: "→", doc: "jumps if a parent template was named"},
	OpBlock: {name: "BLOCK", a: operandFlags, b: operandName, n: operandCount, key: true, popN: 1, picture: "x… →",
		doc: "writes block Key; a scoped one sees N local variables named by B"},
	OpSelf:   {name: "SELF", push: 1, picture: "→ self", doc: "pushes the template's blocks as an object"},
	OpSuper:  {name: "SUPER", key: true, push: 1, picture: "→ super", doc: "pushes the parent of the running block Key"},
	OpFinish: {name: "FINISH", picture: "→", doc: "goes on with the parent template, if one was named"},

	OpEmitField: {name: "EMIT_FIELD", a: operandLocal, b: operandOut, n: operandAccess, text: true, first: true, picture: "→",
		doc: "writes Text, then field N of the struct in slot A as placeholder B prints it"},
	OpField: {name: "FIELD", text: true, first: true, a: operandLocal, n: operandAccess, key: true, push: 1, picture: "→ x",
		doc: "pushes field N of the struct in slot A"},
	OpJumpFieldFalse: {name: "JUMP_FIELD_FALSE", text: true, first: true, a: operandLocal, n: operandAccess, key: true, jump: true, picture: "→",
		doc: "jumps if field N of the struct in slot A is false or missing"},
	OpSwitchField: {name: "SWITCH_FIELD", text: true, first: true, a: operandLocal, n: operandAccess, key: true, ends: true, table: true, picture: "→",
		doc: "SWITCH by table Target on field N of the struct in slot A"},
	OpBareField: {name: "BARE_FIELD", a: operandSlot, n: operandAccess, key: true, jump: true, jumpDiff: 1, picture: "→ x | →",
		doc: "pushes field N of the struct in slot A, which its type has, and jumps; if another value without Key is there, goes on"},
}

// String returns the opcode's name.
func (o Op) String() string {
	if o < opCount && opTable[o].name != "" {
		return opTable[o].name
	}
	return "INVALID"
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
