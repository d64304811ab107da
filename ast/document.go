package ast

import (
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// Form is the concrete form of a document.
type Form uint8

// Forms of documents.
const (
	// FormTemplate is a template file: text, perhaps with front matter.
	FormTemplate Form = iota
	// FormNative has `messages`, `template` or `templates`.
	FormNative
	// FormAgentForge has `prompts` with `system` and `user`, in sections.
	FormAgentForge
	// FormPromptTemplates is Hugging Face's: a map under `prompt`.
	FormPromptTemplates
	// FormPair is Phronomy's: `template` and `system_template`.
	FormPair
	// FormAgent is PDX's: a list under `prompt`, in a file or an agent folder.
	FormAgent
	// FormChatTemplate is a tokenizer's configuration with `chat_template`.
	FormChatTemplate
)

// String returns the form's name, as options and messages write it.
func (f Form) String() string {
	return [...]string{"template", "native", "agentforge", "prompt-templates", "pair", "agent", "chat-template"}[f]
}

// Document is a prompt document: its entries are programs to be.
type Document struct {
	Form Form
	File *source.File
	// Meta is declared at the head, for all entries.
	Meta    *Meta
	Entries []*DocumentEntry
	// Data is the whole document as it was read, nil for templates.
	Data  *Structure
	Tests []DocumentTest
	// TestFaults are the errors of tests. A prompt is none the worse for them:
	// reading the document warns of each, and running the tests fails.
	TestFaults diag.List
	// Files are the names of all files that were read, in order.
	Files []string
}

// DocumentEntry is one prompt of a document. The document's only or main
// prompt has the name "".
type DocumentEntry struct {
	Name     string
	Span     source.Span // of the name, or of the entry
	Template *Template   // Front.Meta is set: what holds for this entry
	Rules    Rules
	// Data is the entry's part of the document.
	Data *Structure
}

// Rules say by which system's rules an entry is checked and rendered.
type Rules struct {
	Form Form
	// Syntax is given where the document chooses one itself: blocks, filters
	// and comments are then part of seed forms too.
	Syntax string
	// Populator of prompt-templates: "jinja2", "double_brace" or "single_brace".
	Populator string
	// Security of prompt-templates' Jinja: "strict", "standard" or "relaxed".
	Security string
	// Exact says that the given variables must be just the required ones.
	Exact bool
	// Declared are prompt-templates' template_variables, nil where not given.
	Declared     []string
	DeclaredSpan source.Span
	// Common says that Declared stands for all such entries together: those of
	// a dictionary in the short form.
	Common bool
}

// DocumentTest is one test of a document.
type DocumentTest struct {
	Name   string
	File   *source.File
	Span   source.Span
	Entry  string
	Data   *Structure // nil is no data
	Expect *Structure // nil where nothing is expected but that it renders
}

// RebaseExpr translates all positions in e with m. Expressions are nested no
// deeper than the parser's limit, so that recursion is safe.
func RebaseExpr(e Expr, m func(source.Pos) source.Pos) {
	r := rebaser(m)
	r.expr(e)
}

// RebaseTarget translates all positions in t with m.
func RebaseTarget(t *Target, m func(source.Pos) source.Pos) { rebaser(m).target(t) }

type rebaser func(source.Pos) source.Pos

func (m rebaser) rng(r *Range) { r.Start, r.End = m(r.Start), m(r.End) }

func (m rebaser) span(s *source.Span) { s.Start, s.End = m(s.Start), m(s.End) }

func (m rebaser) target(t *Target) {
	m.rng(&t.Range)
	for i := range t.Items {
		m.target(&t.Items[i])
	}
}

func (m rebaser) list(es []Expr) {
	for _, e := range es {
		m.expr(e)
	}
}

func (m rebaser) args(args []Arg) {
	for i := range args {
		m.span(&args[i].NameSpan)
		m.expr(args[i].Value)
	}
}

func (m rebaser) expr(e Expr) {
	switch e := e.(type) {
	case nil:
	case *Literal:
		m.rng(&e.Range)
	case *Name:
		m.rng(&e.Range)
	case *Attr:
		m.rng(&e.Range)
		m.span(&e.NameSpan)
		m.expr(e.X)
	case *Index:
		m.rng(&e.Range)
		m.expr(e.X)
		m.expr(e.I)
	case *Slice:
		m.rng(&e.Range)
		m.list([]Expr{e.X, e.Lo, e.Hi, e.Step})
	case *Call:
		m.rng(&e.Range)
		m.expr(e.F)
		m.args(e.Args)
	case *Filter:
		m.rng(&e.Range)
		m.span(&e.NameSpan)
		m.expr(e.X)
		m.args(e.Args)
	case *Test:
		m.rng(&e.Range)
		m.span(&e.NameSpan)
		m.expr(e.X)
		m.args(e.Args)
	case *Unary:
		m.rng(&e.Range)
		m.expr(e.X)
	case *Binary:
		m.rng(&e.Range)
		m.span(&e.OpSpan)
		m.expr(e.X)
		m.expr(e.Y)
	case *Compare:
		m.rng(&e.Range)
		m.expr(e.X)
		for i := range e.Rest {
			m.span(&e.Rest[i].OpSpan)
			m.expr(e.Rest[i].Y)
		}
	case *Cond:
		m.rng(&e.Range)
		m.list([]Expr{e.Then, e.If, e.Else})
	case *List:
		m.rng(&e.Range)
		m.list(e.Items)
	case *Tuple:
		m.rng(&e.Range)
		m.list(e.Items)
	case *Dict:
		m.rng(&e.Range)
		m.list(e.Keys)
		m.list(e.Values)
	case *BadExpr:
		m.rng(&e.Range)
	}
}
