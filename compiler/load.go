package compiler

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// Load compiles the prompt document at name in fsys: a YAML or JSON document
// of any form, an agent folder, or a template file. The form is told by the
// shape. All files that it names are read from fsys, whose root they cannot
// leave; an embed.FS, os.Root.FS() or a test's map will do. The error is a
// diag.List with everything that is wrong.
func Load(fsys fs.FS, name string, opts ...Option) (*Set, error) {
	s, list := load(fsys, path.Clean(name), newConfig(opts))
	if err := list.Err(); err != nil {
		return nil, err
	}
	s.warnings = list
	return s, nil
}

// LoadFile is Load for a file or an agent folder of the system. The files that
// it names are read from its folder, or from the agent's, only.
func LoadFile(name string, opts ...Option) (*Set, error) {
	fsys, base := fileRoot(name)
	return Load(fsys, base, opts...)
}

// fileRoot is the folder of a file as a file system that links cannot leave.
func fileRoot(name string) (fs.FS, string) {
	name = filepath.Clean(name)
	base := filepath.Base(name)
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return rootFS(name), "."
	}
	return rootFS(filepath.Dir(name)), base
}

// LoadText compiles a document whose text is at hand. Its name tells how it is
// read: .yaml, .yml and .json are documents, others templates. fsys holds the
// files that it names, relative to the folder of name; nil is none.
func LoadText(name, text string, fsys fs.FS, opts ...Option) (*Set, error) {
	c := newConfig(opts)
	if c.err != nil {
		return nil, c.err
	}
	f := source.New(name, text)
	if !document.IsDocument(name) && int64(len(text)) > c.limits.SourceBytes {
		return nil, diag.List{tooLarge(f, c.limits.SourceBytes)}
	}
	return c.loadText(f, fsys, c.documentOptions())
}

func (c *config) loadText(f *source.File, fsys fs.FS, read document.Options) (*Set, error) {
	doc, list := document.ReadFile(f, fsys, read)
	s, list := c.compileDocument(doc, list, fsys)
	if err := list.Err(); err != nil {
		return nil, err
	}
	s.warnings = list
	return s, nil
}

// CheckDocument loads the document at name and returns all findings, warnings
// as well.
func CheckDocument(fsys fs.FS, name string, opts ...Option) diag.List {
	_, list := load(fsys, path.Clean(name), newConfig(opts))
	return list
}

func load(fsys fs.FS, name string, c *config) (*Set, diag.List) {
	if c.err != nil {
		return nil, c.err
	}
	doc, list := document.Read(fsys, name, c.documentOptions())
	return c.compileDocument(doc, list, fsys)
}

// documentOptions are the options of the compilation as the reader takes them.
func (c *config) documentOptions() document.Options {
	o := document.Options{Form: c.rules.Form, Version: c.version, BlankSystem: c.blankSystem,
		Populator: c.populator, Security: c.security, Unchecked: c.unchecked, Tests: c.testFiles}
	if most := c.limits.SourceBytes; most != vm.DefaultLimits().SourceBytes {
		o.Limits.Bytes = int(most) // the default of documents is their own
	}
	o.Parser = parser.Options{Depth: c.limits.Depth, Source: c.limits.SourceBytes, Filters: c.native, NearFilter: c.near}
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

// compileDocument compiles the entries of a document.
func (c *config) compileDocument(doc *ast.Document, list diag.List, fsys fs.FS) (*Set, diag.List) {
	if doc == nil || list.HasErrors() && !checkable(list) {
		return nil, c.finishList(list)
	}
	broken := list.HasErrors()
	s := newSet()
	s.doc = doc
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
		list = append(list, more...)
		if p != nil {
			s.add(e.Name, p, e)
		}
	}
	if !broken {
		list = append(list, checkCommon(doc, s)...)
	}
	list = c.finishList(list)
	if list.HasErrors() {
		return nil, list
	}
	return s, list
}

// finishList sorts the findings, each once, and applies WithStrict.
func (c *config) finishList(list diag.List) diag.List {
	list.Sort()
	list = slices.CompactFunc(list, func(a, b *diag.Diagnostic) bool {
		return a.Code == b.Code && a.Span == b.Span && sameFile(a.File, b.File) && a.Message == b.Message
	})
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
