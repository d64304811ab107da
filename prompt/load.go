package prompt

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/internal/nofiles"
	"github.com/pcc-lang/pcc/parser/document"
)

// Load compiles the prompt document at name in fsys: a YAML or JSON document
// of any form, an agent folder, or a template file. The form is told by the
// shape. All files that it names are read from fsys, whose root they cannot
// leave; an embed.FS, os.Root.FS() or a test's map will do. The error is a
// diag.List with everything that is wrong.
func Load(fsys fs.FS, name string, opts ...Option) (*Set, error) {
	s, list := load(fsys, path.Clean(name), opts)
	if err := list.Err(); err != nil {
		return nil, err
	}
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
		return compiler.DirFS(name), "."
	}
	return compiler.DirFS(filepath.Dir(name)), base
}

// LoadText compiles a document whose text is at hand. Its name tells how it is
// read: .yaml, .yml and .json are documents, others templates. fsys holds the
// files that it names, relative to the folder of name; nil is none.
func LoadText(name, text string, fsys fs.FS, opts ...Option) (*Set, error) {
	o, err := compiler.DocumentOptionsOf(opts...)
	if err != nil {
		return nil, err
	}
	return loadText(source.New(name, text), fsys, o)
}

func loadText(f *source.File, fsys fs.FS, o *compiler.DocumentOptions) (*Set, error) {
	doc, list := document.ReadFile(f, fsys, o.Read)
	s, list := single(doc, list, fsys, o)
	if err := list.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// CheckDocument loads the document at name and returns all findings, warnings
// as well.
func CheckDocument(fsys fs.FS, name string, opts ...Option) diag.List {
	_, list := load(fsys, path.Clean(name), opts)
	return list
}

func load(fsys fs.FS, name string, opts []Option) (*Set, diag.List) {
	o, err := compiler.DocumentOptionsOf(opts...)
	if err != nil {
		return nil, diag.AsList(err)
	}
	fsys = nofiles.Or(fsys)
	doc, list := document.Read(fsys, name, o.Read)
	return single(doc, list, fsys, o)
}

// single is compile for a document that is loaded alone: options that have no
// effect on it are told.
func single(doc *ast.Document, list diag.List, fsys fs.FS, o *compiler.DocumentOptions) (*Set, diag.List) {
	s, list := compile(doc, list, fsys, o)
	if s == nil {
		return nil, list
	}
	list = append(list, o.WithoutEffect(doc.File, doc.Form)...)
	if list.HasErrors() {
		return nil, list
	}
	s.warnings = list
	return s, list
}

// compile makes a set of a document and what reading it found; nil where that
// or compiling it found an error.
func compile(doc *ast.Document, list diag.List, fsys fs.FS, o *compiler.DocumentOptions) (*Set, diag.List) {
	list = append(list, checkRequests(doc)...)
	programs, list := compiler.CompileDocument(doc, list, fsys, o)
	if list.HasErrors() {
		return nil, list
	}
	s := newSet()
	s.doc, s.warnings = doc, list
	for _, p := range programs {
		s.add(p.Entry.Name, p.Program, p.Entry)
	}
	return s, list
}
