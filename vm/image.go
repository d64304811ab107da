package vm

import (
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// Function is a code block with its frame: the template itself, a macro, a
// block.
type Function struct {
	code.Function
	// Of code that is bound to a type, see shape.go and shape_run.go.
	fields []access
	whole  *textRun // all of the code, where that is one run
}

// Path is a chain of keys. Item tells which were written as subscripts.
type Path struct {
	Keys  []string
	Item  []bool
	Undef *Undefined // what the path is where it leads nowhere
}

// Out is a placeholder.
type Out struct {
	Raw    string // source text
	Name   string // the path or expression as written
	Path   Path
	Policy code.Policy
	Style  Style
	// Plain, set by New, says that neither KeepNull nor Indent is: the value's
	// string form is all there is.
	Plain bool
	// Part is how the value is a part of a sum, whose other parts are placeholders
	// too.
	Part code.PartRule
	// KeepNull writes Raw for null too; Indent goes before each further
	// non-blank line of a value. Both are AgentForge's.
	KeepNull bool
	Span     source.Span
	Site     int32
	Indent   string
	// Parts says that the placeholder is all of a message's text: where the value
	// is a list of parts, these are the content.
	Parts bool
}

type textCase struct {
	text   string
	target int32
}

// Switch is a table of constants and targets.
type Switch struct {
	Values  []Value
	Targets []int32
	Default int32
	// Made by New: the string cases in order and, where the cases are many, the
	// targets of strings, the places of whole numbers, and those of all others.
	texts    []textCase
	strings  map[string]int32
	integers map[int64]int32
	others   []int32
}

// Loader finds the template of a name; nil is none. Where it has to compile it, it
// calls pay before, and after it if that was too little, with the memory in bytes,
// and gives up where that fails.
type Loader func(name string, pay func(bytes int64) error) (*Image, error)

// Image is the content of a Program, as the compiler makes it.
type Image struct {
	Name      string
	Dialect   *Dialect
	Functions []Function // 0 is the template
	Consts    []Value
	Paths     []Path
	Outs      []Out
	Undefs    []*Undefined
	Names     [][]string
	SlotLists [][]int32
	Builtins  []*Builtin
	// Spelled gives names that are not ASCII in Unicode's decomposed form:
	// templates hold names in NFC, and a key of the data may be in either.
	Spelled  map[string]string
	Switches []Switch
	Sites    []code.Site
	Chat     bool
	// Jinja: macros, blocks by name, whether output is escaped to begin with,
	// and where other templates come from; nil knows none. Load gives images that
	// New has taken: the machine trusts in what is verified there.
	Macros     []code.Macro
	Blocks     []code.Block
	Autoescape bool
	Load       Loader
	verified   bool // New has taken it
	// Mutates says that code may call methods that change lists and maps: each
	// render then works on a copy of its data.
	Mutates bool
	// Dialects are those that OpDialect changes to: the texts of a document may
	// be of several.
	Dialects []*Dialect
	// Branches are the places that OpCover notes, for reports of coverage.
	Branches []code.Branch
	// Sections are those of documents.
	Sections []SectionRule
	// Exact, where not nil, is checked against the data before rendering.
	Exact *code.ExactRule
	// FlatNames says that a variable's name is one key, dots and all;
	// EmptyIsMissing that Missing counts empty values.
	FlatNames, EmptyIsMissing bool
	// Tree says that the text is made of a prompt tree's templates: where none
	// of them is rendered there is no message.
	Tree bool
	// Defaults is data used for names that the caller's data lacks.
	Defaults *Map
	// Contract is checked against the data before rendering; nil is none.
	Contract []Declared
	// Variables are what the code reads from its data. Lister, where not nil, makes
	// the list in its place when it is first asked for: most programs are never
	// asked.
	Variables []Variable
	Lister    VariableLister
	Warnings  diag.List
	Limits    Limits
	Host      bool // Go methods may be called when printing
	// Near are texts that miss being placeholders by little; where the data has
	// the name, a report tells so.
	Near []code.NearText
	// Strict says that what a render would warn of makes it fail.
	Strict bool
	// Meta is kept for callers: name, description, model parameters, ….
	Meta *Map
	// Request holds the keys of the request beside its messages whose values the
	// source fixes, and RequestCode is the number of the function that sets the
	// others, 0 for none. The order of all is RequestKeys, and RequestSpans are their
	// places.
	Request      *Map
	RequestCode  int32
	RequestKeys  []string
	RequestSpans []source.Span
}

// VariableLister makes the list of what a program reads. It is called once, from
// any goroutine.
type VariableLister interface{ ListVariables() []Variable }

// Declared is a variable of a contract.
type Declared struct {
	Name     string
	Type     string
	Required bool
	Enum     []Value
	Span     source.Span
	Site     int32
}
