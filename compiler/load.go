package compiler

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/stdlib"
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
	doc, list := document.ReadFile(f, fsys, c.documentOptions())
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
	o := document.Options{Version: c.version, RequireSystem: c.requireSystem,
		Populator: c.populator, Security: c.security, Unchecked: c.unchecked}
	if most := c.limits.SourceBytes; most != vm.DefaultLimits().SourceBytes {
		o.Limits.Bytes = int(most) // the default of documents is their own
	}
	o.Parser = parser.Options{Depth: c.limits.Depth, Source: c.limits.SourceBytes, Filters: c.known(stdlib.Native()), NearFilter: c.nearFilter}
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

// templateSuffixes are the endings of template files in a tree.
var templateSuffixes = []string{".md", ".txt", ".prompt", ".tmpl", ".pcc", ".jinja", ".jinja2", ".j2"}

// LoadDir compiles all prompt documents, agent folders and template files in
// the tree under dir. Names are paths relative to dir; entries of dictionaries
// have "#" and their name added. Hidden files, and YAML and JSON files that are
// no prompt documents, are passed over; the latter with a warning. The error
// tells the faults of all files.
func LoadDir(fsys fs.FS, dir string, opts ...Option) (*Set, error) {
	all := newSet()
	var list diag.List
	err := fs.WalkDir(fsys, path.Clean(dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := path.Base(name); base != "." && strings.HasPrefix(base, ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		isAgent := d.IsDir() && document.IsAgent(fsys, name)
		if !isAgent && (d.IsDir() || !loadable(name)) {
			return nil
		}
		s, found := load(fsys, name, newConfig(opts))
		if s == nil && onlyUnrecognised(found) {
			list = append(list, asWarnings(found)...)
			return nil
		}
		list = append(list, found...)
		if s != nil {
			all.merge(relative(dir, name), s)
		}
		if isAgent {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		d := diag.New("PCC210", nil, source.Span{}, "cannot read the folder %q: %s", dir, pathReason(err)).WithNames(dir).WithCause(err)
		d.Severity = diag.Error
		list = append(list, d)
	}
	if err := list.Err(); err != nil {
		return nil, list
	}
	all.warnings = list
	return all, nil
}

func pathReason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func loadable(name string) bool {
	return document.IsDocument(name) || slices.Contains(templateSuffixes, strings.ToLower(path.Ext(name)))
}

// onlyUnrecognised reports whether the one fault of a file is that it is no
// prompt document, and not a misspelt one.
func onlyUnrecognised(list diag.List) bool {
	for _, d := range list {
		if d.Severity == diag.Error && (d.Code != "PCC416" || d.Fix != nil) {
			return false
		}
	}
	return true
}

func asWarnings(list diag.List) diag.List {
	for _, d := range list {
		if d.Code == "PCC416" {
			d.Severity = diag.Warning
			d.Message = "passed over: " + d.Message
		}
	}
	return list
}

func relative(dir, name string) string {
	dir = path.Clean(dir)
	if dir == "." {
		return name
	}
	if name == dir {
		return "."
	}
	return strings.TrimPrefix(name, dir+"/")
}
