// Package diag holds diagnostics: what is wrong with a template, a document or
// its data, where, and what to do about it.
//
// What enters: a Code, a message and spans of source files. What leaves:
// Diagnostic values, Lists of them that are Go errors, and renderings for a
// terminal, JSON, SARIF and GitHub.
package diag

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/pcc-lang/pcc/ast/source"
)

// Severity orders diagnostics by weight.
type Severity uint8

// Severities. Only Error makes a compilation or a rendering fail.
const (
	Error Severity = iota
	Warning
	Note
)

// String returns "error", "warning" or "note".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "note"
}

// Code identifies a kind of diagnostic, such as "PCC104". The first digit tells
// the stage: 0 lexer, 1 syntax, 2 names and checks, 3 rendering, 4 documents,
// 9 limits. Every code has an entry in the table that Explain reads.
type Code string

// Stage is the class of a code: where what it tells of is found.
type Stage uint8

// Stages.
const (
	LexerStage    Stage = iota // characters, tokens, text
	SyntaxStage                // tags and blocks
	CheckStage                 // names and what they mean, when compiling
	RenderStage                // rendering
	DocumentStage              // documents, their files and their forms
	LimitStage                 // limits
	UnknownStage               // what is no code of ours
)

// Stage returns the class of c.
func (c Code) Stage() Stage {
	if len(c) < len("PCC0") {
		return UnknownStage
	}
	switch digit := c[len("PCC")]; digit {
	case '0', '1', '2', '3', '4':
		return Stage(digit - '0')
	case '9':
		return LimitStage
	}
	return UnknownStage
}

// Label marks a further place that a diagnostic speaks of, such as the opener
// of a block that is never closed.
type Label struct {
	File    *source.File
	Span    source.Span
	Message string
}

// Fix is a replacement of source text that would mend the fault.
type Fix struct {
	Span        source.Span
	Replacement string
}

// Diagnostic is one finding. It never holds a value from the data: names,
// types and positions only.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Message  string
	File     *source.File // nil where no source is at hand
	Span     source.Span
	// SpanLabel is written beside the caret line, may be empty.
	SpanLabel string
	Labels    []Label
	Note      string // one line, no full stop; says what the finding may come from
	Help      string // one line, no full stop; says what to do
	Fix       *Fix
	// Kind is the class of a rendering error in the terms of Python's Jinja:
	// "syntax", "undefined", "type", "security", "runtime", "value",
	// "overflow", "zerodivision", "notfound", "assertion"; empty elsewhere.
	Kind string
	// Trace tells the way to the place at run time: iterations of loops, macro calls,
	// includes, outermost first.
	Trace []string
	// Names are the variables, filters or keys that the finding is about.
	Names []string
	// Cause is the error that led to this one: a context's, a file system's, or
	// that of a function of the host program. It is found by errors.Is and
	// errors.As and never printed, since it may hold anything.
	Cause error
}

// Error returns "name:line:column: CODE: message".
func (d *Diagnostic) Error() string {
	var b strings.Builder
	if f, p, ok := d.Position(); ok {
		fmt.Fprintf(&b, "%s:%d:%d: ", f.Name, p.Line, p.Column)
	}
	if d.Code != "" {
		fmt.Fprintf(&b, "%s: ", d.Code)
	}
	b.WriteString(d.Message)
	return b.String()
}

// Unwrap returns the cause.
func (d *Diagnostic) Unwrap() error { return d.Cause }

// Position returns the outermost file and the place in it where d begins;
// ok is false where d has no file.
func (d *Diagnostic) Position() (f *source.File, p source.Position, ok bool) {
	if d.File == nil {
		return nil, source.Position{}, false
	}
	f, pos := d.File.Root(d.Span.Start)
	return f, f.Position(pos), true
}

// Is reports whether target is the kind of d, such as ErrMissing, or a diagnostic
// of the same code, so that errors.Is(err, &diag.Diagnostic{Code: "PCC104"}) works.
// Warnings and notes are of no kind: they stand beside errors in a list.
func (d *Diagnostic) Is(target error) bool {
	switch t := target.(type) {
	case *Diagnostic:
		return t.Code == d.Code
	case *kind:
		return d.Severity == Error && d.Code.kind() == target
	}
	return false
}

// AsList returns the findings in err, a List or one Diagnostic; nil where it
// holds neither.
func AsList(err error) List {
	var l List
	var d *Diagnostic
	if !errors.As(err, &l) && errors.As(err, &d) {
		l = List{d}
	}
	return l
}

// New makes a diagnostic with the severity and help text that the table gives
// for code; the caller may change both.
func New(code Code, f *source.File, span source.Span, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Code: code, Message: fmt.Sprintf(format, args...), File: f, Span: span}
	if e, ok := Lookup(code); ok {
		d.Severity, d.Help = e.Severity, e.Help
	}
	return d
}

// WithHelp sets the help line and returns d.
func (d *Diagnostic) WithHelp(format string, args ...any) *Diagnostic {
	d.Help = fmt.Sprintf(format, args...)
	return d
}

// WithLabel adds a label in the diagnostic's own file and returns d.
func (d *Diagnostic) WithLabel(span source.Span, format string, args ...any) *Diagnostic {
	d.Labels = append(d.Labels, Label{File: d.File, Span: span, Message: fmt.Sprintf(format, args...)})
	return d
}

// WithNames records the names that the finding is about and returns d.
func (d *Diagnostic) WithNames(names ...string) *Diagnostic {
	d.Names = append(d.Names, names...)
	return d
}

// WithCause records the error that led to this one and returns d.
func (d *Diagnostic) WithCause(err error) *Diagnostic {
	d.Cause = err
	return d
}

// WithKind sets the Jinja error class and returns d.
func (d *Diagnostic) WithKind(kind string) *Diagnostic {
	d.Kind = kind
	return d
}

// List is a list of diagnostics. As an error it stands for its Error-severity
// members: use Err to get nil where there are none.
type List []*Diagnostic

// Error returns one line for each diagnostic.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, d := range l {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes errors.As and errors.Is look at each diagnostic.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, d := range l {
		errs[i] = d
	}
	return errs
}

// HasErrors reports whether any member has severity Error.
func (l List) HasErrors() bool { return l.Worst() == Error }

// Worst is the gravest severity in the list; that of an empty one is milder
// than any.
func (l List) Worst() Severity {
	worst := Note + 1
	for _, d := range l {
		worst = min(worst, d.Severity)
	}
	return worst
}

// Err returns the list as an error if it holds an error, else nil.
func (l List) Err() error {
	if l.HasErrors() {
		return l
	}
	return nil
}

// Sort orders the list by file name, position, severity and code.
func (l List) Sort() {
	key := func(d *Diagnostic) (string, source.Pos) {
		if d.File == nil {
			return "", 0
		}
		f, p := d.File.Root(d.Span.Start)
		return f.Name, p
	}
	sort.SliceStable(l, func(i, j int) bool {
		fi, pi := key(l[i])
		fj, pj := key(l[j])
		switch {
		case fi != fj:
			return fi < fj
		case pi != pj:
			return pi < pj
		case l[i].Severity != l[j].Severity:
			return l[i].Severity < l[j].Severity
		}
		return l[i].Code < l[j].Code
	})
}
