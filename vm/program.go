package vm

import (
	"context"
	"io"

	"github.com/pcc-lang/pcc/ast/source"
)

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

// Kept is a placeholder that a render wrote as it stands in the source, its
// value being missing.
type Kept struct {
	Name     string
	Position source.Position
	File     string
}

// Dropped is a section that a render left out, with the names that lacked.
type Dropped struct {
	Section string
	Names   []string
}

// Segment is a stretch of output; FromData tells whether it came from the
// data, else from the template.
type Segment struct {
	Start, End int
	FromData   bool
}

// Report tells what happened in one render besides its text.
type Report struct {
	Text    string
	Kept    []Kept
	Dropped []Dropped
	// Generated are the byte spans of text inside `generation` tags.
	Generated [][2]int
	// Segments is filled only by Program.Segments.
	Segments []Segment
	Steps    int64
}

// Message is one chat message.
type Message struct {
	Role    string
	Content string
	// Parts holds structured content (a list or map), null where the content
	// is text.
	Parts Value
	Name  string
	// Extra holds the message's other keys, in order; nil where there are none.
	Extra *Map
}

// THE API (bodies: render.go, by the machine's author):
//
//	func (p *Program) Render(data any) (string, error)
//	func (p *Program) AppendTo(dst []byte, data any) ([]byte, error)   // dst unchanged on error
//	func (p *Program) RenderTo(w io.Writer, data any) error             // nothing written on error
//	func (p *Program) RenderContext(ctx context.Context, data any, opts ...RenderOption) (string, error)
//	func (p *Program) Report(ctx context.Context, data any, opts ...RenderOption) (*Report, error)
//	func (p *Program) Messages(data any, opts ...RenderOption) ([]Message, error)
//	func (p *Program) Variables() []Variable
//	func (p *Program) IsChat() bool
//	func (p *Program) Disassemble() string
//	func (p *Program) Verify() error
var (
	_ context.Context
	_ io.Writer
)
