package code

import "strings"

// Info describes one opcode. Pop is the number of values taken from the stack,
// Push of those put there; PopN and PushN times the operand N are added. Where
// Jump is set, Target is the instruction to go to.
type Info struct {
	Name     string
	A, B, N  Operand
	Text     bool // uses Text
	First    bool // writes Text before it does anything else
	Key      bool // uses Key
	Pop      int8
	PopN     int8
	Push     int8
	PushN    int8
	Jump     bool
	JumpDiff int8 // change of the stack's height on the jump taken, relative to before
	Ends     bool // does not fall through
	Table    bool // Target is a switch table
	Picture  string
	Doc      string
}

// opTable is the one description of every opcode. The picture shows the stack
// before and after, top at the right.
var opTable = [opCount]Info{
	OpText: {Name: "TEXT", Text: true, First: true, Picture: "→", Doc: "writes Text"},
	OpEmit: {Name: "EMIT", B: OperandOut, N: OperandEscape, Text: true, Pop: 1, Picture: "x →",
		Doc: "writes Text, then x as placeholder B prints it; escaped if N is 2, or 1 and escaping is on"},
	OpEmitRoot: {Name: "EMIT_ROOT", B: OperandOut, N: OperandCount, Text: true, First: true, Key: true, Picture: "→",
		Doc: "writes Text, then the data at placeholder B's path; Key is the path's first key, N its length"},
	OpEmitSlot: {Name: "EMIT_SLOT", A: OperandLocal, B: OperandOut, Text: true, First: true, Picture: "→",
		Doc: "writes Text, then slot A as placeholder B prints it"},
	OpEmitSlotKey: {Name: "EMIT_SLOT_KEY", A: OperandLocal, B: OperandOut, N: OperandCount, Text: true, First: true, Key: true, Picture: "→",
		Doc: "writes Text, then what placeholder B's path leads to from slot A"},

	OpConst: {Name: "CONST", Text: true, First: true, A: OperandConst, Push: 1, Picture: "→ x", Doc: "pushes constant A"},
	OpRoot: {Name: "ROOT", Text: true, First: true, A: OperandPath, Key: true, Push: 1, Picture: "→ x",
		Doc: "pushes the data at path A, or a missing value"},
	OpSlot: {Name: "SLOT", Text: true, First: true, A: OperandLocal, Push: 1, Picture: "→ x", Doc: "pushes slot A"},
	OpSlotKey: {Name: "SLOT_KEY", Text: true, First: true, A: OperandLocal, B: OperandPath, Key: true, Push: 1, Picture: "→ x",
		Doc: "pushes what path B leads to from slot A"},
	OpStore: {Name: "STORE", A: OperandSlot, Pop: 1, Picture: "x →", Doc: "puts x into slot A"},
	OpBare: {Name: "BARE", B: OperandSlotList, Key: true, Jump: true, JumpDiff: 1, Picture: "→ x | →",
		Doc: "if one of the slots B, in turn, holds a map with Key, pushes its value and jumps; else goes on"},
	OpLoopField: {Name: "LOOP_FIELD", A: OperandLoop, N: OperandField, Push: 1, Picture: "→ x",
		Doc: "pushes field N of loop A"},
	OpObject: {Name: "OBJECT", A: OperandOwner, N: OperandObject, Key: true, Push: 1, Picture: "→ x",
		Doc: "pushes what the running code knows as a value: N tells what, of loop A or of block Key"},

	OpAttr:    {Name: "ATTR", B: OperandUndef, Key: true, Pop: 1, Push: 1, Picture: "x → x.Key", Doc: "reads an attribute by the dialect's rule"},
	OpItem:    {Name: "ITEM", B: OperandUndef, Pop: 2, Push: 1, Picture: "x k → x[k]", Doc: "reads an item by the dialect's rule"},
	OpSlice:   {Name: "SLICE", Pop: 4, Push: 1, Picture: "x lo hi step → x[lo:hi:step]", Doc: "slices; null stands for an absent bound"},
	OpBinary:  {Name: "BINARY", N: OperandBinary, Pop: 2, Push: 1, Picture: "x y → x N y", Doc: "arithmetic or concatenation"},
	OpUnary:   {Name: "UNARY", N: OperandUnary, Pop: 1, Push: 1, Picture: "x → N x", Doc: "applies a sign, or negates the truth of x"},
	OpCompare: {Name: "COMPARE", N: OperandCompare, Pop: 2, Push: 1, Picture: "x y → bool", Doc: "compares"},
	OpChain: {Name: "CHAIN", N: OperandCompare, Pop: 2, Push: 1, Jump: true, JumpDiff: -1, Picture: "x y → y | → false",
		Doc: "compares x and y; if true keeps y for the next link, else leaves false and jumps"},
	OpMake: {Name: "MAKE", A: OperandFlags, B: OperandMake, N: OperandCount, PopN: 1, Push: 1, Picture: "x… → [x…]",
		Doc: "makes a list, a tuple, a map (key, value, …) or a list of parts of N values; if A is 1, a missing one makes it missing"},
	OpFilter: {Name: "FILTER", A: OperandBuiltin, B: OperandName, N: OperandCount, PopN: 1, Push: 1, Picture: "x args… → y",
		Doc: "applies builtin A to N arguments, the last ones named by B"},
	OpTest: {Name: "TEST", A: OperandBuiltin, B: OperandName, N: OperandCount, PopN: 1, Push: 1, Picture: "x args… → bool",
		Doc: "applies test A to N arguments, the last ones named by B"},
	OpPop: {Name: "POP", Pop: 1, Picture: "x →", Doc: "drops x"},

	OpJump:   {Name: "JUMP", Text: true, First: true, Jump: true, Ends: true, Picture: "→", Doc: "jumps"},
	OpJumpIf: {Name: "JUMP_IF", N: OperandFlag, Pop: 1, Jump: true, JumpDiff: -1, Picture: "x →", Doc: "jumps if x is true (N 1) or false (N 0)"},
	OpKeepIf: {Name: "KEEP_IF", N: OperandFlag, Pop: 1, Jump: true, Picture: "x → | x", Doc: "jumps keeping x if it is true (N 1) or false (N 0), else drops it"},
	OpJumpRootFalse: {Name: "JUMP_ROOT_FALSE", Text: true, First: true, A: OperandPath, Key: true, Jump: true, Picture: "→",
		Doc: "jumps if the data at path A is false or missing"},
	OpJumpSlotKeyFalse: {Name: "JUMP_SLOT_KEY_FALSE", Text: true, First: true, A: OperandLocal, B: OperandPath, Key: true, Jump: true, Picture: "→",
		Doc: "jumps if what path B leads to from slot A is false or missing"},
	OpSwitch: {Name: "SWITCH", A: OperandTable, Pop: 1, Ends: true, Picture: "x →",
		Doc: "goes to the target that table A has for x, or to its default"},
	OpSwitchSlotKey: {Name: "SWITCH_SLOT_KEY", Text: true, First: true, A: OperandLocal, B: OperandPath, Key: true, Ends: true, Table: true, Picture: "→",
		Doc: "SWITCH by table Target on what path B leads to from slot A"},
	OpLoop: {Name: "LOOP", Text: true, A: OperandLoop, B: OperandTarget, N: OperandMode, Pop: 1, Jump: true, JumpDiff: -1, Picture: "xs →",
		Doc: "starts loop A over xs in mode N and binds the first item to slot B; jumps if there is none; Text is the loop as traces name it"},
	OpNext: {Name: "NEXT", Text: true, First: true, A: OperandLoop, B: OperandTarget, N: OperandMode, Jump: true, Picture: "→",
		Doc: "binds loop A's next item to slot B and jumps back; goes on at the end"},
	OpEndLoop: {Name: "END_LOOP", A: OperandLoop, Picture: "→", Doc: "ends loop A"},
	OpReturn:  {Name: "RETURN", Text: true, First: true, Ends: true, Picture: "→", Doc: "ends the function"},

	OpMessage: {Name: "MESSAGE", B: OperandRoles, Pop: 1, Picture: "role →", Doc: "begins a message; a computed role must be among names B"},
	OpMessageKey: {Name: "MESSAGE_KEY", N: OperandKey, Key: true, Pop: 1, Picture: "x →",
		Doc: "sets Key of the open message; if N is 1, not where x is null; if N is 2, sets its structured content; if N is 3, the message has no content; if N is 4, sets Key of the request"},
	OpMessages: {Name: "MESSAGES", B: OperandKeys, Key: true, Pop: 1, Picture: "x →", Doc: "adds the messages of the list x, called Key, whose roles must be among names B"},
	OpEndMessage: {Name: "END_MESSAGE", N: OperandBlank, Picture: "→",
		Doc: "ends the open message; if its text is blank, leaves it out (N 1) or fails (N 2)"},
	OpCapture: {Name: "CAPTURE", Picture: "→", Doc: "begins to collect output apart"},
	OpSection: {Name: "SECTION", Text: true, A: OperandSection, B: OperandSlot, Jump: true, Picture: "→",
		Doc: "jumps if section A lacks a variable, or has a text that is blank; else writes Text if slot B is set, and sets it"},
	OpCases: {Name: "CASES", Key: true, Pop: 1, Push: 1, Picture: "x → cases",
		Doc: "makes a map of the cases to run from the data x of switch Key"},
	OpScope: {Name: "SCOPE", A: OperandSlotList, B: OperandConst, N: OperandFlag, Key: true, Pop: 1, Picture: "extra →",
		Doc: "makes the maps at Key in slots A (N 1: the slots' own maps), over the defaults B, over the map extra, the data that names are looked up in"},
	OpEndScope: {Name: "END_SCOPE", Picture: "→", Doc: "goes back to the data outside the scope"},
	OpNoteUnknown: {Name: "NOTE_UNKNOWN", A: OperandSlot, B: OperandKeys, N: OperandFlag, Picture: "→",
		Doc: "if a report is made, notes the keys of slot A that are not among names B; if N is 1, slot A itself, the name of a case"},
	OpCover:      {Name: "COVER", A: OperandBranch, Picture: "→", Doc: "notes that branch A ran, if a report is made"},
	OpDialect:    {Name: "DIALECT", A: OperandDialect, Picture: "→", Doc: "goes on by the rules of dialect A"},
	OpEndCapture: {Name: "END_CAPTURE", Push: 1, Picture: "→ s", Doc: "pushes what was collected"},

	OpResolve: {Name: "RESOLVE", Key: true, Push: 1, Picture: "→ x", Doc: "pushes the variable Key of the template's context"},
	OpCell:    {Name: "CELL", A: OperandCell, Push: 1, Picture: "→ x", Doc: "pushes the value of cell A"},
	OpSetCell: {Name: "SET_CELL", A: OperandCell, Pop: 1, Picture: "x →", Doc: "puts x into cell A"},
	OpGiven:   {Name: "GIVEN", A: OperandSlot, Jump: true, Picture: "→", Doc: "jumps if the parameter in slot A was given"},
	OpClosure: {Name: "CLOSURE", A: OperandMacro, Push: 1, Picture: "→ f", Doc: "pushes function A with the cells that it uses"},
	OpCall: {Name: "CALL", B: OperandName, N: OperandCount, Pop: 1, PopN: 1, Push: 1, Picture: "f args… → y",
		Doc: "calls f, which may be a macro, with N arguments, the last ones named by B"},
	OpCallSpread: {Name: "CALL_SPREAD", Pop: 3, Push: 1, Picture: "f list map → y",
		Doc: "calls f with the arguments in the list and the keyword arguments in the map"},
	OpExtend:     {Name: "EXTEND", Pop: 2, Push: 1, Picture: "xs more → xs", Doc: "appends the items of more to the list xs, or adds its entries to the map of keyword arguments xs"},
	OpAppend:     {Name: "APPEND", A: OperandSlot, Pop: 1, Picture: "x →", Doc: "appends x to the list in slot A"},
	OpUnpack:     {Name: "UNPACK", N: OperandCount, Pop: 1, PushN: 1, Picture: "xs → x…", Doc: "pushes the N items of xs, the first on top"},
	OpSetAttr:    {Name: "SET_ATTR", Key: true, Pop: 2, Picture: "y x →", Doc: "sets x.Key to y"},
	OpSafe:       {Name: "SAFE", N: OperandFlags, Pop: 1, Push: 1, Picture: "s → s", Doc: "marks s as safe if N is 1, or 0 and escaping is on; as plain if N is 2"},
	OpAutoescape: {Name: "AUTOESCAPE", A: OperandSlot, Pop: 1, Picture: "x →", Doc: "puts the state of escaping into slot A and sets it to the truth of x"},
	OpSpan:       {Name: "SPAN", N: OperandFlags, Picture: "→", Doc: "begins (N 1) or ends (N 0) a stretch of generated text, or begins (N 2) or ends (N 3) a sum whose parts are written one by one; one that ends is a part of another sum (N 4) or concatenation (N 5)"},
	OpExport:     {Name: "EXPORT", Key: true, Pop: 1, Picture: "x →", Doc: "sets the variable Key of the template's context"},
	OpInclude: {Name: "INCLUDE", A: OperandFlags, B: OperandName, N: OperandCount, Pop: 1, PopN: 1, Picture: "x… name →",
		Doc: "writes another template, which sees N local variables named by B"},
	OpImport: {Name: "IMPORT", A: OperandFlags, B: OperandName, N: OperandCount, Pop: 1, PopN: 1, Push: 1, Picture: "x… name → module",
		Doc: "runs another template for its exports"},
	OpImportName: {Name: "IMPORT_NAME", Key: true, Pop: 1, Push: 2, Picture: "module → module x", Doc: "reads export Key"},
	OpExtends:    {Name: "EXTENDS", Pop: 1, Picture: "name →", Doc: "names the parent template"},
	OpExtended:   {Name: "EXTENDED", Jump: true, Picture: "→", Doc: "jumps if a parent template was named"},
	OpBlock: {Name: "BLOCK", A: OperandFlags, B: OperandName, N: OperandCount, Key: true, PopN: 1, Picture: "x… →",
		Doc: "writes block Key; a scoped one sees N local variables named by B"},
	OpFinish: {Name: "FINISH", Picture: "→", Doc: "goes on with the parent template, if one was named"},

	OpEmitField: {Name: "EMIT_FIELD", A: OperandLocal, B: OperandOut, N: OperandAccess, Text: true, First: true, Picture: "→",
		Doc: "writes Text, then field N of the struct in slot A as placeholder B prints it"},
	OpField: {Name: "FIELD", Text: true, First: true, A: OperandLocal, N: OperandAccess, Key: true, Push: 1, Picture: "→ x",
		Doc: "pushes field N of the struct in slot A"},
	OpJumpFieldFalse: {Name: "JUMP_FIELD_FALSE", Text: true, First: true, A: OperandLocal, N: OperandAccess, Key: true, Jump: true, Picture: "→",
		Doc: "jumps if field N of the struct in slot A is false or missing"},
	OpSwitchField: {Name: "SWITCH_FIELD", Text: true, First: true, A: OperandLocal, N: OperandAccess, Key: true, Ends: true, Table: true, Picture: "→",
		Doc: "SWITCH by table Target on field N of the struct in slot A"},
}

// Reference returns a reference of all opcodes as a Markdown table.
func Reference() string {
	var w strings.Builder
	w.WriteString("| opcode | stack | what it does |\n|---|---|---|\n")
	for _, op := range All() {
		i := op.Info()
		w.WriteString("| `" + i.Name + "` | `" + strings.ReplaceAll(i.Picture, "|", "\\|") + "` | " + strings.ReplaceAll(i.Doc, "|", "\\|") + " |\n")
	}
	return w.String()
}
