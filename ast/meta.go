package ast

import (
	"math/big"

	"github.com/pcc-lang/pcc/ast/source"
)

// Meta is what front matter or a document's head declares.
type Meta struct {
	File        *source.File
	Name        string
	Description string
	Syntax      string // "" where not given
	Undefined   string // "keep", "error", "empty" or "" where not given
	Format      string // "roles" or ""
	Roles       []string
	// Contract says that a `variables` key is present, even an empty one.
	Contract  bool
	Variables []Variable
	// Vars is default data (`vars:`), nil where absent.
	Vars *Structure
	// Given are the names among Vars that stand for other keys of the document,
	// such as `examples`: no variables of the data.
	Given []string
	// SharedGiven says that Given are those of a head that several prompts have.
	SharedGiven bool
	// Extra holds all other keys, in order.
	Extra []Entry
}

// Variable declares one variable of a contract.
type Variable struct {
	Name        string
	Span        source.Span // of the name
	Type        string      // "string", "integer", "number", "boolean", "list", "map", "any"
	Description string
	Enum        []Structure
	Default     *Structure // nil where absent
	Required    bool       // false if a default is given or `required: false`
}

// StructureKind tells what a Structure is.
type StructureKind uint8

// Structure kinds.
const (
	SNull StructureKind = iota
	SBool
	SInt
	SFloat
	SString
	SList
	SMap
	// STemplate is a string that is a template itself: Body is set.
	STemplate
)

// String returns the kind as messages name it.
func (k StructureKind) String() string {
	return [...]string{"null", "boolean", "integer", "number", "text", "list", "map", "text"}[k]
}

// Structure is plain data read from a document, positions kept. Scalars keep
// their source spelling, so that `1.10`, `01234` and dates print as written.
type Structure struct {
	Range
	Kind   StructureKind
	Bool   bool
	Int    *big.Int
	Float  float64
	Str    string // SString: the text
	Source string // scalars: spelling in the document where plain, else ""
	Items  []Structure
	Map    []Entry
	Body   []Node // STemplate
}

// Entry is one key of a map, in document order.
type Entry struct {
	Key     string
	KeySpan source.Span
	Value   Structure
}

// Get returns the value of key in a map structure.
func (s *Structure) Get(key string) (*Structure, bool) {
	for i := range s.Map {
		if s.Map[i].Key == key {
			return &s.Map[i].Value, true
		}
	}
	return nil, false
}
