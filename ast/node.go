// Package ast holds the one abstract syntax tree that every concrete syntax of
// prompts is read into: the text languages (brace, angle, jinja, …) and the
// document forms (YAML files, chat lists, prompt trees).
//
// What enters: nodes made by package parser. What leaves: the tree that package
// compiler lowers to bytecode, Walk over it, and Print back to source text.
package ast

import "github.com/pcc-lang/pcc/ast/source"

// Template is one parsed template text.
type Template struct {
	File   *source.File
	Syntax string // the concrete syntax that was used: "brace", "jinja", …
	// Open and Close are the delimiters of the syntax "custom".
	Open, Close string
	// Chosen tells why this syntax was chosen, where the text itself decided.
	Chosen string
	Body   []Node
	// Chat says that the body holds messages and, besides them, only blanks.
	Chat bool
	// Front is the front matter, nil where there is none.
	Front *FrontMatter
	// Near are the texts that miss being placeholders by little, in the order of
	// the source.
	Near []NearTag
}

// NearTag is text in delimiters that misses being a placeholder by little. It is
// worth a warning only where its name is known: most are no tags.
type NearTag struct {
	Range
	Kind NearKind
	// Name is the variable that it would read, Filter the unknown filter.
	Name, Filter string
	// Tag is what to write for the placeholder.
	Tag string
}

// NearKind tells what keeps a NearTag from being a placeholder.
type NearKind uint8

// Kinds of near tags.
const (
	NearBlanks  NearKind = iota // blanks: { name }, << name >>
	NearFilter                  // a filter that nobody knows: {name|uppercase}
	NearTrim                    // a sign of Jinja's white-space control: {{- name }}
	NearWidth                   // delimiters of the other width: {name} where only {{name}} is a tag
	NearForm                    // an expression or a form of another language: {items[-1]}, {name!r}, {name:>9}
	NearHead                    // blanks before a keyword: { when name }
	NearElement                 // an element of XML, <name> with a </name> behind it; the first of its name
)

// FrontMatter is the block between the two `---` lines at a file's head.
type FrontMatter struct {
	Span source.Span // of the YAML text between the fences
	Meta *Meta       // what was read from it
}

// Node is a piece of a template body.
type Node interface {
	Span() source.Span
	SetSpan(source.Span)
	node()
}

// Range is embedded in each node and gives its span.
type Range struct{ Start, End source.Pos }

// Span returns the range of source bytes that the node was read from.
func (r Range) Span() source.Span { return source.Span{Start: r.Start, End: r.End} }

// SetSpan changes the range, of a node whose end is read later than its beginning.
func (r *Range) SetSpan(s source.Span) { *r = At(s) }

// At makes a Range of a span.
func At(s source.Span) Range { return Range{s.Start, s.End} }

type (
	// Text is literal text, un-escaped, ready to be written.
	Text struct {
		Range
		Value string
	}

	// Output is a placeholder: it prints the value of Expr.
	Output struct {
		Range
		Expr Expr
		// Soft says that single delimiters were used; Raw is the source text
		// of the whole placeholder, written where the value is missing and the
		// policy is to keep it.
		Soft bool
		Raw  string
	}

	// When is a chain of conditions: when / else when / else, or if / elif / else.
	When struct {
		Range
		Branches []Branch
		Else     []Node
		HasElse  bool
		ElseSpan source.Span
		// Level says that the one condition is the name of a key of the
		// current level of a prompt tree; its value is the level of the body.
		Level bool
	}

	// Loop runs Body for each item of Iter.
	Loop struct {
		Range
		Head   source.Span // of the opening tag
		Target Target
		Iter   Expr
		Filter Expr // jinja: `if` clause, else nil
		Body   []Node
		Else   []Node
		// HasElse says that an else branch stands in the source.
		HasElse   bool
		Recursive bool
		// Mode tells how the items are bound.
		Mode LoopMode
		// Level says that Iter is the name of a key of the current level of a
		// prompt tree; each item is the level of the body.
		Level bool
	}

	// Switch runs the first case that equals Subject, else Default.
	Switch struct {
		Range
		Subject    Expr
		Cases      []Case
		Default    []Node
		HasDefault bool
		// Level says that Subject is the name of a key of the current level of
		// a prompt tree, and the case's data the level of the body.
		Level bool
	}

	// Message is one chat message.
	Message struct {
		Range
		Role  Expr // a Literal for the role words
		Attrs []Arg
		Body  []Node
		// Content, where not nil, is structured content made by a document; Body
		// is then empty. Content that is null is none.
		Content *Structure
		// Parts says that placeholders may stand for lists of parts.
		Parts bool
		// Keys are further keys that a document gives the message. NullKeys says
		// that those that are null are kept.
		Keys     []Entry
		NullKeys bool
		// NoContent says that the message has no content, not even an empty one.
		NoContent bool
		// Blank tells what happens if the text of the message is blank.
		Blank Blank
	}

	// Messages puts the messages of a list here, as they are.
	Messages struct {
		Range
		List Expr
	}

	// Request is what a document says of the request beside its messages: model,
	// parameters, tools and the like. A text that is one placeholder and nothing
	// else stands for its value, of whatever type.
	Request struct {
		Range
		Keys []RequestKey
	}

	// Embedded is a text of a document or a file that it names: the spans of
	// Body are those of File, Range is its place in the document.
	Embedded struct {
		Range
		File   *source.File
		Syntax string
		Chosen string // as that of a template
		Body   []Node
		Near   []NearTag // those of the text
	}

	// Include puts another template here.
	Include struct {
		Range
		Name Expr
		With []Arg
		// Standalone says that the tag has its line to itself; LineBreak is then
		// that line's break ("", "\n" or "\r\n"), which is dropped if the
		// included text ends in a line break.
		Standalone bool
		LineBreak  string
		// DropBreak drops the line break that the tag's line ends in, its own or
		// that of the included text: a standalone {/message} follows.
		DropBreak bool
		// Jinja: `ignore missing` and `with/without context`.
		IgnoreMissing  bool
		WithoutContext bool
	}

	// Section is a named part of an AgentForge prompt: dropped whole when one
	// of its variables is missing or empty.
	Section struct {
		Range
		Name string
		Body []Node
	}

	// Sections is a list of sections, joined with Separator between those that
	// are not dropped.
	Sections struct {
		Range
		Name      string
		Items     []*Section
		Separator string
	}

	// Scoped runs Body with the root data replaced by the map at Key of the
	// current level of a prompt tree; names that it lacks are looked up in the
	// maps at the same key of outer levels, then in Defaults.
	Scoped struct {
		Range
		Key string
		// Own says that Body reads the level's own map; Key is then empty.
		Own      bool
		Body     []Node
		Defaults *Structure
		// Separator is written between texts of a tree that is no chat.
		Separator string
	}

	// Bad stands where a tag could not be parsed; it compiles to nothing, and
	// the error was reported.
	Bad struct{ Range }

	// Comment prints nothing. It is kept for printing and formatting.
	Comment struct {
		Range
		Text string
	}

	// Set assigns to Target: a jinja `set` tag.
	Set struct {
		Range
		Target Target
		Value  Expr
	}

	// SetBlock assigns the rendered Body, through Filter where it is not nil.
	SetBlock struct {
		Range
		Target Target
		// Filter is a chain of Filter expressions whose innermost X is nil.
		Filter Expr
		Body   []Node
	}

	// With opens a scope with the assignments; values see the outer scope.
	With struct {
		Range
		Targets []Target
		Values  []Expr
		Body    []Node
	}

	// Macro defines a macro.
	Macro struct {
		Range
		Name   string
		Params []Param
		Body   []Node
	}

	// CallBlock calls Call with Body as its caller.
	CallBlock struct {
		Range
		Params []Param
		Call   Expr
		Body   []Node
	}

	// FilterBlock prints Body through Filter (a chain whose innermost X is nil).
	FilterBlock struct {
		Range
		Filter Expr
		Body   []Node
	}

	// Block is a named block of template inheritance.
	Block struct {
		Range
		Name             string
		Scoped, Required bool
		Body             []Node
	}

	// Extends names the parent template.
	Extends struct {
		Range
		Name Expr
	}

	// Import binds another template's exports to Alias.
	Import struct {
		Range
		Name        Expr
		Alias       string
		WithContext bool
	}

	// FromImport binds single exports.
	FromImport struct {
		Range
		Name        Expr
		Names       []Alias
		WithContext bool
	}

	// Do evaluates Expr for its effects.
	Do struct {
		Range
		Expr Expr
	}

	// Break leaves the innermost loop.
	Break struct{ Range }
	// Continue goes on with the innermost loop's next turn.
	Continue struct{ Range }

	// Autoescape switches HTML escaping for Body.
	Autoescape struct {
		Range
		On   Expr
		Body []Node
	}

	// Generation marks text that a model generated; its byte spans are reported.
	Generation struct {
		Range
		Body []Node
	}
)

// Blank tells what happens to a message whose text is blank.
type Blank uint8

// Policies for blank messages.
const (
	BlankKept    Blank = iota // it stays
	BlankDropped              // it is left out, and reported
	BlankFails                // the render fails
)

// Branch is a condition with the body that it guards.
type Branch struct {
	Head source.Span // of the tag
	Cond Expr
	Body []Node
}

// Case is one case of a switch: its values and body.
type Case struct {
	Head   source.Span
	Values []Expr
	Body   []Node
}

// LoopMode tells how a loop binds its items.
type LoopMode uint8

// Loop modes.
const (
	// LoopItems binds each item of a list to the target.
	LoopItems LoopMode = iota
	// LoopEntries binds key and value of each entry of a map.
	LoopEntries
	// LoopBare binds the name `item`, and the fields of items that are maps.
	LoopBare
	// LoopJinja iterates as Python does and may unpack.
	LoopJinja
)

// Alias is a name in a from-import with the name that it is bound to.
type Alias struct {
	Name, As string
	Span     source.Span
}

// Param is a parameter of a macro or call block; Default may be nil.
type Param struct {
	Name    string
	Span    source.Span
	Default Expr
}

// RequestKey is one key of a Request. Fixed says that no template stands in its value.
type RequestKey struct {
	Entry
	Fixed bool
}

// Target is what an assignment or a loop binds: a name, an attribute of a
// namespace (Attr not empty), or a list of targets to unpack into.
type Target struct {
	Range
	Name  string
	Attr  string
	Items []Target
	// List says that Items is a pattern, even an empty one.
	List bool
}

func (*Text) node()        {}
func (*Output) node()      {}
func (*When) node()        {}
func (*Loop) node()        {}
func (*Switch) node()      {}
func (*Message) node()     {}
func (*Messages) node()    {}
func (*Request) node()     {}
func (*Include) node()     {}
func (*Embedded) node()    {}
func (*Section) node()     {}
func (*Sections) node()    {}
func (*Scoped) node()      {}
func (*Bad) node()         {}
func (*Comment) node()     {}
func (*Set) node()         {}
func (*SetBlock) node()    {}
func (*With) node()        {}
func (*Macro) node()       {}
func (*CallBlock) node()   {}
func (*FilterBlock) node() {}
func (*Block) node()       {}
func (*Extends) node()     {}
func (*Import) node()      {}
func (*FromImport) node()  {}
func (*Do) node()          {}
func (*Break) node()       {}
func (*Continue) node()    {}
func (*Autoescape) node()  {}
func (*Generation) node()  {}
