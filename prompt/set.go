package prompt

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// Set is the programs of a document, or of a whole tree of documents, by name.
// It is immutable and safe for concurrent use.
type Set struct {
	names    []string
	programs map[string]*vm.Program
	entries  map[string]*ast.DocumentEntry
	doc      *ast.Document // nil for a tree
	docs     map[string]*ast.Document
	warnings diag.List
}

func newSet() *Set {
	return &Set{programs: map[string]*vm.Program{}, entries: map[string]*ast.DocumentEntry{}, docs: map[string]*ast.Document{}}
}

func (s *Set) add(name string, p *vm.Program, e *ast.DocumentEntry) {
	if _, ok := s.programs[name]; !ok {
		s.names = append(s.names, name)
	}
	s.programs[name], s.entries[name] = p, e
}

// merge adds the programs of a document under the document's name.
func (s *Set) merge(name string, sub *Set) {
	for _, n := range sub.names {
		full := name
		if n != "" {
			full += "#" + n
		}
		s.add(full, sub.programs[n], sub.entries[n])
	}
	s.docs[name] = sub.doc
}

// Names lists the names in the order of the document; the only or main prompt
// of a document has the name "".
func (s *Set) Names() []string { return append([]string(nil), s.names...) }

// Len is the number of programs.
func (s *Set) Len() int { return len(s.names) }

// All ranges over names and programs in order.
func (s *Set) All() iter.Seq2[string, *vm.Program] {
	return func(yield func(string, *vm.Program) bool) {
		for _, n := range s.names {
			if !yield(n, s.programs[n]) {
				return
			}
		}
	}
}

// Lookup returns the program of that name. "" is the main prompt; where a
// document has but one prompt, "" finds it whatever its name, and among a
// tokenizer's chat templates the one named "default".
func (s *Set) Lookup(name string) (*vm.Program, bool) {
	p, ok := s.programs[name]
	if !ok && name == "" && len(s.names) == 1 {
		p, ok = s.programs[s.names[0]]
	}
	if !ok && name == "" && s.doc != nil && s.doc.Form == ast.FormChatTemplate {
		p, ok = s.programs["default"]
	}
	return p, ok
}

// Find is Lookup with an error that names the nearest prompt, or lists them.
func (s *Set) Find(name string) (*vm.Program, error) {
	if p, ok := s.Lookup(name); ok {
		return p, nil
	}
	d := diag.New("PCC419", nil, source.Span{}, "there is no prompt named %s", quoteJSON(diag.ClipName(name))).WithNames(name)
	if name == "" {
		d.Message = "the document has several prompts, and none was named"
	}
	for _, n := range s.names {
		if file, _, _ := strings.Cut(n, "#"); name != "" && strings.TrimSuffix(file, path.Ext(file)) == name {
			return nil, diag.List{d.WithHelp("did you mean %q? Names are those of files, with their endings", n)}
		}
	}
	if near, ok := diag.Near(name, s.names); ok {
		return nil, diag.List{d.WithHelp("did you mean %q?", near)}
	}
	return nil, diag.List{d.WithHelp("name one of %s", diag.QuotedList(s.names))}
}

// Form is the document's form; "" for a tree of documents.
func (s *Set) Form() Form {
	if s.doc == nil {
		return ""
	}
	return Form(s.doc.Form.String())
}

// Warnings lists what loading found that is not an error.
func (s *Set) Warnings() diag.List { return append(diag.List(nil), s.warnings...) }

// TestFaults lists the errors of tests: in files that cannot be read, and in
// tests that are malformed. The prompts load all the same, with a warning for
// each; whoever runs the tests should count them as failed.
func (s *Set) TestFaults() diag.List {
	if s.doc != nil {
		return append(diag.List(nil), s.doc.TestFaults...)
	}
	var all diag.List
	seen := map[*ast.Document]bool{}
	for _, n := range s.docNames() {
		if d := s.docs[n]; !seen[d] {
			seen[d] = true
			all = append(all, d.TestFaults...)
		}
	}
	return all
}

// Files lists the files that a document was read from, for watchers.
func (s *Set) Files() []string {
	if s.doc != nil {
		return append([]string(nil), s.doc.Files...)
	}
	var files []string
	for _, n := range s.names {
		if d := s.docs[n]; d != nil {
			files = append(files, d.Files...)
		}
	}
	return files
}

// Data is the whole document as it was read; null for templates and trees.
func (s *Set) Data() vm.Value {
	if s.doc == nil || s.doc.Data == nil {
		return vm.Null
	}
	return compiler.ValueOf(s.doc.Data)
}

// Encode writes the document in a format, "yaml" or "json". Every text of it
// comes back byte for byte when it is loaded again; comments and the layout of
// the original do not.
func (s *Set) Encode(format string) ([]byte, error) {
	if s.doc == nil || s.doc.Data == nil {
		return nil, errors.New("only YAML and JSON documents can be encoded")
	}
	switch format {
	case "yaml":
		return document.WriteYAML(s.doc.Data), nil
	case "json":
		return document.WriteJSON(s.doc.Data)
	}
	return nil, fmt.Errorf("unknown format %q: it is yaml or json", format)
}

// Save writes the document to a file, as YAML or JSON by the name's ending.
// The file is replaced at once, or not at all.
func (s *Set) Save(name string) error {
	formats := map[string]string{".yaml": "yaml", ".yml": "yaml", ".json": "json"}
	format, ok := formats[strings.ToLower(filepath.Ext(name))]
	if !ok {
		return fmt.Errorf("cannot tell the format of %q: the name must end in .yaml, .yml or .json", filepath.Base(name))
	}
	b, err := s.Encode(format)
	if err != nil {
		return err
	}
	return writeFile(name, b)
}

// writeFile writes a temporary file beside name and renames it.
func writeFile(name string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	if _, err = f.Write(b); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
