package vm

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// Program is a compiled template. It is immutable and safe for concurrent use.
type Program struct {
	// shapes are the types of data that the code has been bound to on the way.
	shapes shapes

	once sync.Once // for vars, made by Image.Lister
	vars []Variable
	img  *Image
	pool sync.Pool // of *machine
	// plain says that rendering is running the code and nothing else; linear,
	// where not nil, is code that needs no machine. It is looked for at the first
	// render, as many programs are compiled and not rendered.
	plain  bool
	looked sync.Once
	linear *textRun
	// takesOut says that text may be taken out of the output again, see AppendTo.
	takesOut bool
	// traced is the variant that traces where text comes from (segments.go).
	recording sync.Once
	traced    *Program
}

// New makes a Program of an image. It plans the stack and refuses an image that
// the verifier does not accept; img must not be changed afterwards.
func New(img *Image) (*Program, error) {
	if img == nil {
		return nil, &Error{Kind: "runtime", Msg: "no image is given"}
	}
	img.Limits = img.Limits.OrDefault()
	if img.Dialect == nil {
		return nil, &Error{Kind: "runtime", Msg: "image without a dialect"}
	}
	for i := range img.Outs {
		o := &img.Outs[i]
		o.Plain = !o.KeepNull && o.Indent == ""
	}
	if err := verify(img); err != nil {
		return nil, err
	}
	for i := range img.Switches {
		img.Switches[i].plan()
	}
	p := &Program{img: img, plain: img.Exact == nil && !img.Mutates && !img.Chat && !img.Strict}
	p.takesOut = !img.Dialect.NativeTags() && takesOut(img)
	p.pool.New = func() any { return newMachine(img) }
	return p, nil
}

// takesOut reports whether the code, or code that it may enter, takes text out of
// the output again: what a block sets, filters or a macro returns is written
// there first.
func takesOut(img *Image) bool {
	return len(img.Functions) > 1 || slices.ContainsFunc(img.Functions[0].Code, func(ins code.Instr) bool {
		return ins.Op == code.OpCapture || ins.Op == code.OpInclude || ins.Op == code.OpImport || ins.Op == code.OpExtends
	})
}

// Name is the name of the template's file.
func (p *Program) Name() string { return p.img.Name }

// IsChat reports whether the program renders messages rather than a text.
func (p *Program) IsChat() bool { return p.img.Chat }

// Variables lists what the program reads from its data, in order of first use.
func (p *Program) Variables() []Variable {
	return append([]Variable(nil), p.variables()...)
}

// variables is the list itself.
func (p *Program) variables() []Variable {
	if p.img.Lister == nil {
		return p.img.Variables
	}
	p.once.Do(func() { p.vars = p.img.Lister.ListVariables() })
	return p.vars
}

// Warnings lists what the compiler found that is not an error.
func (p *Program) Warnings() diag.List { return append(diag.List(nil), p.img.Warnings...) }

// Meta returns what the source declares besides the template, or nil.
func (p *Program) Meta() *Map { return p.img.Meta }

// Image returns the program's code. It must not be changed.
func (p *Program) Image() *Image { return p.img }

// Variable is a name that a program reads from its data.
type Variable struct {
	// Name is the path as written, such as "user.name"; "[]" stands for the
	// items of a list ("tools[].name").
	Name     string
	Required bool
	// Type is inferred from use or taken from the contract: "string", "integer",
	// "number", "boolean", "list", "map" or "any".
	Type        string
	Description string
	Default     string // JSON, "" where there is none
	Enum        []string
	Uses        []source.Position
	File        string
}

// Names are the paths that v is read by, one as a rule. Of several, as a name in
// a loop without `as` may have, the first counts that the data has.
func (v *Variable) Names() []string { return Paths(v.Name).All() }

// Paths are paths into the data, such as "user.name", of which the first counts
// that the data has. They are one text, in which a bar with blanks stands between
// two, so that the path that stands alone as a rule costs nothing.
type Paths string

const orElse = " | "

// Or adds a path that counts where the data has none of p.
func (p Paths) Or(path string) Paths {
	if p == "" {
		return Paths(path)
	}
	return p + orElse + Paths(path)
}

// Several reports whether there is more than one.
func (p Paths) Several() bool { return strings.Contains(string(p), orElse) }

// All lists them.
func (p Paths) All() []string { return strings.Split(string(p), orElse) }

// Each goes over them.
func (p Paths) Each() iter.Seq[string] { return strings.SplitSeq(string(p), orElse) }

// Below is the same place below each of them: suffix is "[]", or begins with a dot.
func (p Paths) Below(suffix string) Paths {
	if p.Several() {
		return Paths(strings.ReplaceAll(string(p), orElse, suffix+orElse) + suffix)
	}
	return p + Paths(suffix)
}

// Kept is a placeholder that a render wrote as it stands in the source, its
// value being missing. One that a loop writes again and again is listed once.
type Kept struct {
	Name     string
	Position source.Position
	File     string
	// Near is a name in the data that is like Name, "" where there is none.
	Near string
}

// Dropped is a section that a render left out, with the names that lacked.
type Dropped struct {
	// Prompt is the role of the message that the section is part of; a section
	// of that very name is the whole message, which was blank.
	Prompt  string
	Section string
	Names   []string
	File    *source.File
	Span    source.Span
	// Near is a name in the data that is like one of Names, "" where there is
	// none.
	Near string
}

// Finding is the note that tells of a section that was left out.
func (d *Dropped) Finding() *diag.Diagnostic {
	what := "the section `" + d.Section + "` of the `" + d.Prompt + "` prompt"
	switch d.Section {
	case "main": // a prompt of one text
		what = "the text of the `" + d.Prompt + "` prompt"
	case d.Prompt:
		what = "the `" + d.Prompt + "` message"
	}
	why := "it is blank"
	if len(d.Names) > 0 {
		why = "no value for " + diag.QuotedList(d.Names)
	}
	f := diag.New("PCC381", d.File, d.Span, "%s is left out: %s", what, why).WithNames(d.Names...)
	if d.Near != "" {
		f.Help = "the data has `" + diag.ClipName(d.Near) + "`; did you mean that?"
	}
	return f
}

// Report tells what happened in one render besides its text.
type Report struct {
	Text    string
	Kept    []Kept
	Dropped []Dropped
	// Warnings tells of data that nothing reads, and of names without a value in
	// the heads of blocks. Program.Findings adds what Kept and Dropped hold.
	Warnings diag.List
	// Branches are those that ran, as numbers of Image.Branches: of programs
	// that were compiled with coverage.
	Branches []int
	// Generated are the byte spans of text inside `generation` tags.
	Generated [][2]int
	// Segments tells where Text comes from, if WithSegments or WithGuard is
	// given.
	Segments []Segment
	// Messages are the messages of a chat program, or the text as one user
	// message.
	Messages []Message
	// Places are those of Messages in the source: of the message or the tag that
	// inserted it. There is none for a text that is one message.
	Places []MessagePlace
	// Request is what the document says of the request beside its messages, by
	// key, if WithRequest is given: model, parameters, tools and the like, as
	// written there, texts rendered; nil where it says nothing. It must not be
	// changed.
	Request *Map
	// Steps is the fuel that the render took, and Memory the bytes that it was
	// charged, see Limits.
	Steps, Memory int64
}

// MessagePlace is where a message stands in the source.
type MessagePlace struct {
	File *source.File
	Span source.Span
}

// Message is one chat message. As data of another template it reads as the map
// that Value gives: `role`, `content`, `name` and the further keys.
type Message struct {
	Role    string
	Content string
	// Parts holds structured content (a list or map), null where the content
	// is text.
	Parts Value
	Name  string
	// Extra holds the message's other keys, in order; nil where there are none.
	Extra *Map
	// State tells of a message that was inserted as it is whether it has content.
	State ContentState
}

// ContentState tells whether a message has content.
type ContentState uint8

// States of a message's content.
const (
	HasContent  ContentState = iota // a text, or structured content
	NullContent                     // null, as beside tool calls
	NoContent                       // the key is not there
)
