package code

import "github.com/pcc-lang/pcc/ast/source"

// This file holds what code refers to and that holds no values.

// Site is a file that code came from: the template (Parent -1) or an included
// one, with the place of the include.
type Site struct {
	File   *source.File
	Parent int32
	At     source.Span // of the include tag, in the parent's file
	// Open and Close are what a placeholder of any expression is written in, for
	// help lines; empty where the source has none.
	Open, Close string
}

// Macro describes code that is called as a value: a macro, the body of a call
// block, a recursive loop.
type Macro struct {
	Name string // "" for the body of a call block
	// Func is the index of its function. The parameters arrive in the first
	// slots, those that are not given as unset values; then the special ones.
	Func   int32
	Params []string
	// Caller, Varargs and Kwargs are the slots of the special parameters, -1
	// where the code does not use them.
	Caller, Varargs, Kwargs int32
	// ExplicitCaller says that `caller` is among Params.
	ExplicitCaller bool
	// Captures are the cells of the defining function that become its first
	// cells.
	Captures []int32
	// Recursive marks a loop, whose one parameter is what it runs over.
	Recursive bool
}

// Block is a named block of a template.
type Block struct {
	Name     string
	Func     int32
	Required bool
}

// Branch is the place of a branch or loop body.
type Branch struct {
	Site int32
	Span source.Span
}

// NearText is text that would read the variable Name if it were a placeholder.
type NearText struct {
	Name string
	Help string // what to write for that
	Span source.Span
	Site int32
	// Element says that it is an element of XML, which the name is likely meant for
	// if anything else reads the variable.
	Element bool
}

// ExactRule says that the given data must be just what a program reads.
type ExactRule struct {
	Required, Optional []string
	// Brace says that names are what stands between braces, so that a missing
	// one may be a brace that was meant as text.
	Brace bool
	// Span is where the template begins, in the file of the first site.
	Span source.Span
}

// Policy tells what a placeholder does where its value is missing.
type Policy uint8

// Policies.
const (
	Keep  Policy = iota // write the placeholder as it stands in the source
	Fail                // report the name and fail at the end
	Empty               // write nothing
)

// String returns the policy's name as in options and front matter.
func (p Policy) String() string { return [...]string{"keep", "error", "empty"}[p] }

// HeadRule tells what a missing variable means in the head of a block, where it
// stands for null: a misspelt name there drops a section in silence.
type HeadRule uint8

// Rules of heads.
const (
	HeadSilent HeadRule = iota // not in a head, or provided for
	HeadWarns                  // a warning where the data has a name like it
	HeadFails                  // as a placeholder of the policy Fail
)

// Flags of OpInclude, OpImport and OpBlock.
const (
	FlagIgnoreMissing = 1 << iota
	FlagIsolated      // without context
	FlagScoped
	FlagRequired
	// FlagOne is set inside the machine where a single name must be given.
	FlagOne
)
