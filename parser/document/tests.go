package document

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

var (
	testKeys   = []string{"name", "entry", "data", "expect"}
	expectKeys = []string{"text", "messages", "contains", "not_contains", "matches", "error", "variables", "warnings"}
)

// testFaults keeps the errors that were found since there were n findings, all
// of them about tests, and makes warnings of them: who renders a prompt needs no
// tests.
func (r *reader) testFaults(n int) {
	for _, d := range r.diags[n:] {
		if d.Severity != diag.Error {
			continue
		}
		fault := *d
		r.doc.TestFaults = append(r.doc.TestFaults, &fault)
		d.Severity = diag.Warning
	}
}

// isTests reports whether a file holds tests of a document: one, or a list, with
// `data` or `expect`, and no key that a document would have.
func isTests(s *ast.Structure) bool {
	switch s.Kind {
	case ast.SList:
		for i := range s.Items {
			if s.Items[i].Kind != ast.SMap || !isTests(&s.Items[i]) {
				return false
			}
		}
		return len(s.Items) > 0
	case ast.SMap:
		found := false
		for i := range s.Map {
			switch s.Map[i].Key {
			case "data", "expect":
				found = true
			case "name", "entry":
			case "tests":
				return len(s.Map) == 1
			default:
				return false
			}
		}
		return found
	}
	return false
}

// siblingTests reads the tests that stand in the folder `tests` beside a
// document: those in files that are named after it, such as tests/support.yaml,
// tests/support_refunds.yaml and tests/test_support.yaml for support.yaml.
func (r *reader) siblingTests() {
	n := len(r.diags)
	defer func() { r.testFaults(n) }()
	dir := path.Join(r.dir, "tests")
	entries := r.listTests(r.fsys, dir)
	if len(entries) == 0 {
		return
	}
	var siblings []string
	if docs, err := fs.ReadDir(r.fsys, r.dir); err == nil {
		for _, e := range docs {
			if !e.IsDir() {
				siblings = append(siblings, e.Name())
			}
		}
	}
	own := path.Base(r.file.Name)
	for _, e := range entries {
		if e.IsDir() || !IsDocument(e.Name()) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		full := path.Join(dir, e.Name())
		switch {
		case testsFor(e.Name(), own):
			r.siblingFile(full)
		case !slices.ContainsFunc(siblings, func(doc string) bool { return testsFor(e.Name(), doc) }):
			r.stray(full, "`%s` is not run as a test: no document beside the folder has its name").
				WithKind(Unchecked).WithHelp("name it after the document, such as %s", path.Join(dir, stem(own)+".yaml"))
		}
	}
}

// stray reports a file that nothing reads, at the file itself.
func (r *reporter) stray(full, format string) *diag.Diagnostic {
	d := r.report("PCC425", source.Span{}, format, diag.Shorten(full, 120)).WithNames(full)
	d.File = &source.File{Name: full, Private: true}
	return d
}

// listTests lists a folder of tests; there may be none. One that is there and
// cannot be read, as a link out of the tree, is a fault: without a word its
// tests would seem to pass.
func (r *reporter) listTests(fsys fs.FS, dir string) []fs.DirEntry {
	entries, err := fs.ReadDir(fsys, dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return entries
	}
	if info, err := fs.Stat(fsys, dir); err == nil && info.Mode().IsRegular() {
		return nil // a file that happens to have this name
	}
	r.openFault(source.Span{}, dir, err)
	return nil
}

// testsFor reports whether a file of tests is named after a document.
func testsFor(file, doc string) bool {
	name, base := strings.TrimSuffix(file, path.Ext(file)), stem(doc)
	for _, prefix := range []string{"test_", "test-"} {
		name = strings.TrimPrefix(name, prefix)
	}
	rest, ok := strings.CutPrefix(name, base)
	return ok && base != "" && (rest == "" || strings.ContainsRune("._-", rune(rest[0])))
}

func (r *reader) siblingFile(full string) {
	text, err := readFile(r.fsys, full, r.o.Limits.orDefault().Bytes)
	if err != nil {
		r.openFault(source.Span{}, full, err)
		return
	}
	r.doc.Files = append(r.doc.Files, full)
	f := source.New(full, text)
	s, diags := ReadData(f, YAMLOptions{Limits: r.o.Limits})
	r.diags = append(r.diags, diags...)
	if s == nil {
		return
	}
	sub := &reader{reporter: &reporter{file: f}, fsys: r.fsys, dir: r.dir, o: r.o, doc: r.doc}
	defer func() { r.diags = append(r.diags, sub.diags...) }()
	if t, ok := s.Get("tests"); ok && len(s.Map) == 1 {
		s = t
	}
	name := strings.TrimSuffix(path.Base(full), path.Ext(full))
	if s.Kind != ast.SMap {
		before := len(r.doc.Tests)
		sub.testList(s)
		for i := range r.doc.Tests[before:] {
			t := &r.doc.Tests[before+i]
			t.Name = name + ": " + t.Name
		}
		return
	}
	if t, ok := sub.test(s, name); ok {
		r.doc.Tests = append(r.doc.Tests, t)
	}
}

// tests reads the tests that a document holds itself.
func (r *reader) tests(s *ast.Structure) {
	n := len(r.diags)
	r.testList(s)
	r.testFaults(n)
}

// testList reads a list of tests: {name, entry, data, expect}.
func (r *reader) testList(s *ast.Structure) {
	if s.Kind == ast.SNull {
		return
	}
	if s.Kind != ast.SList {
		r.want("a list of tests", "tests", s)
		return
	}
	for i := range s.Items {
		if t, ok := r.test(&s.Items[i], "test "+strconv.Itoa(i+1)); ok {
			r.doc.Tests = append(r.doc.Tests, t)
		}
	}
}

func (r *reader) test(s *ast.Structure, name string) (ast.DocumentTest, bool) {
	t := ast.DocumentTest{Name: name, File: r.file, Span: source.Span{Start: s.Start, End: s.Start + 1}}
	if s.Kind != ast.SMap {
		r.want("a map with `data` and `expect`", "tests", s)
		return t, false
	}
	for i := range s.Map {
		e := &s.Map[i]
		switch e.Key {
		case "name":
			t.Name, t.Span = r.text(e.Key, &e.Value), e.Value.Span()
		case "entry":
			t.Entry = r.text(e.Key, &e.Value)
		case "data":
			if e.Value.Kind == ast.SMap {
				t.Data = &e.Value
			} else if e.Value.Kind != ast.SNull {
				r.want("a map", e.Key, &e.Value)
			}
		case "expect":
			t.Expect = &e.Value
			r.checkExpect(&e.Value)
		default:
			r.unknownTestKey(e, testKeys)
		}
	}
	return t, true
}

func (r *reader) checkExpect(s *ast.Structure) {
	if s.Kind != ast.SMap {
		r.want("a map such as {contains: text}", "expect", s)
		return
	}
	for i := range s.Map {
		if e := &s.Map[i]; !slices.Contains(expectKeys, e.Key) {
			r.unknownTestKey(e, expectKeys)
		}
	}
}

// Unchecked is the kind of the warnings of what was meant as a test and is not
// run: keys that a test does not have, a misspelt `tests:`, files that belong to no
// document. Whoever runs the tests should not let them pass.
const Unchecked = "unchecked"

func (r *reader) unknownTestKey(e *ast.Entry, keys []string) {
	n := len(r.diags)
	r.unknownKey(e, keys)
	for _, d := range r.diags[n:] {
		d.Kind = Unchecked
	}
}
