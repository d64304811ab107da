package compiler

import (
	"io/fs"
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// documentOptions are the options of the compilation as the reader takes them.
func (c *config) documentOptions() document.Options {
	o := document.Options{Form: c.rules.Form, Version: c.version, BlankSystem: c.blankSystem,
		Populator: c.populator, Security: c.security, Unchecked: c.unchecked, Tests: c.testFiles}
	if most := c.limits.SourceBytes; most != vm.DefaultLimits().SourceBytes {
		o.Limits.Bytes = int(most) // the default of documents is their own
	}
	o.Parser = parser.Options{Depth: c.limits.Depth, Source: c.limits.SourceBytes, Memory: c.limits.CompileMemory, Filters: c.native, NearFilter: c.near}
	if c.jinja.set {
		o.Parser.Jinja = &c.jinja.opts.Syntax
	}
	switch {
	case c.delims != nil:
		o.Parser.Syntax = c.delims
	case c.syntax != "":
		o.Parser.Syntax, _ = lexer.ByName(c.syntax)
	}
	return o
}

// DocumentOptions are options, sorted out once for any number of documents.
type DocumentOptions struct {
	// Read is what the reader of documents is told.
	Read document.Options
	// Exclude are the patterns of WithExclude, GivenExclude those of them that were not
	// given in WithDefaults.
	Exclude, GivenExclude []string
	// Name is that of WithName, "" where it is not given.
	Name string

	config *config
}

// DocumentOptionsOf sorts out options for documents. The error is a diag.List:
// what is wrong with any of opts.
func DocumentOptionsOf(opts ...Option) (*DocumentOptions, error) {
	c := newConfig(opts)
	if err := c.err.Err(); err != nil {
		return nil, err
	}
	o := &DocumentOptions{Read: c.documentOptions(), Exclude: c.exclude, GivenExclude: c.givenExclude, config: c}
	if c.name != unnamed {
		o.Name = c.name
	}
	return o, nil
}

// WithoutEffect warns of options that have no effect on any of the forms of what
// was loaded with them: f is the file, nil where there are several.
func (o *DocumentOptions) WithoutEffect(f *source.File, forms ...ast.Form) diag.List {
	return o.config.withoutEffect(f, forms...)
}

// DocumentProgram is a compiled entry of a document.
type DocumentProgram struct {
	Program *vm.Program
	Entry   *ast.DocumentEntry
}

// CompileDocument compiles the entries of a document, in order. doc is what
// package parser/document read, with the findings in list; it may be nil. The
// files that its texts include are read from fsys. The result is nil where the
// findings, which are returned whole and sorted, hold an error.
//
// Package prompt is its user: prompt.Load and its like read and compile in one
// step.
func CompileDocument(doc *ast.Document, list diag.List, fsys fs.FS, o *DocumentOptions) ([]DocumentProgram, diag.List) {
	config := *o.config // what one document takes from its limits is not another's
	c := &config
	if doc == nil || list.HasErrors() && !checkable(list) {
		return nil, c.finishList(list)
	}
	broken := list.HasErrors()
	c.shared = sharedValues{}
	programs := make([]DocumentProgram, 0, len(doc.Entries))
	for _, e := range doc.Entries {
		own := *c
		own.rules = e.Rules
		own.fsys, own.path = fsys, doc.File.Name
		own.name = doc.File.Name
		own.document = doc.Form != ast.FormTemplate && doc.Form != ast.FormChatTemplate
		own.formProfile()
		if broken {
			if e.Template != nil && e.Template.Syntax != "jinja" {
				list = append(list, own.rest(e.Template, list)...)
			}
			continue
		}
		p, more := own.build(e.Template)
		c.budget = own.budget
		list = append(list, more...)
		if p != nil {
			programs = append(programs, DocumentProgram{p, e})
		}
	}
	if !broken {
		list = append(list, checkCommon(doc, programs)...)
		list = append(list, mixedTexts(doc)...)
	}
	for _, e := range doc.Entries {
		if e.Template != nil {
			noteChoice(list, e.Template)
		}
	}
	list = c.finishList(list)
	if list.HasErrors() {
		return nil, list
	}
	return programs, list
}

// finishList sorts the findings, each once and each note once, and applies
// WithStrict.
func (c *config) finishList(list diag.List) diag.List {
	list.Sort()
	list = slices.CompactFunc(list, func(a, b *diag.Diagnostic) bool {
		return a.Code == b.Code && a.Span == b.Span && sameFile(a.File, b.File) && a.Message == b.Message
	})
	var notes map[string]bool
	for _, d := range list {
		switch {
		case d.Note == "":
		case notes[d.Note]:
			d.Note = ""
		case notes == nil:
			notes = map[string]bool{d.Note: true}
		default:
			notes[d.Note] = true
		}
	}
	if c.strict {
		for _, d := range list {
			if d.Severity == diag.Warning {
				d.Severity = diag.Error
			}
		}
	}
	return list
}

// sameFile reports whether two findings are in one file: an included one is
// read as often as it is included.
func sameFile(a, b *source.File) bool {
	return a == b || a != nil && b != nil && a.Name == b.Name && a.Text == b.Text
}
