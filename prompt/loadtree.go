package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/internal/nofiles"
	"github.com/pcc-lang/pcc/parser/document"
)

// templateSuffixes are the endings of template files in a tree.
var templateSuffixes = []string{".md", ".txt", ".prompt", ".tmpl", ".pcc", ".jinja", ".jinja2", ".j2"}

// LoadDir compiles all prompt documents, agent folders and template files in
// the tree under dir. Names are paths relative to dir; entries of dictionaries
// have "#" and their name added. Hidden files, files named README and what
// WithExclude names are passed over, and so are YAML and JSON files that are no
// prompt documents (data, settings, tests, or values under `system` and `user` that
// are no text of a prompt); those that look like misspelt ones get a warning. The error tells the faults of all files.
func LoadDir(fsys fs.FS, dir string, opts ...Option) (*Set, error) {
	all, list := LoadAll(fsys, dir, opts...)
	if err := list.Err(); err != nil {
		return nil, list
	}
	return all, nil
}

// LoadAll is LoadDir for tools that go on where a file has faults: the set holds
// the files that have none, and the list is what was found in all of them.
func LoadAll(fsys fs.FS, dir string, opts ...Option) (*Set, diag.List) {
	all := newSet()
	o, err := compiler.DocumentOptionsOf(opts...)
	if err != nil {
		return all, diag.AsList(err)
	}
	o.Read.Tree = true
	fsys = nofiles.Or(fsys)
	var list diag.List
	var forms []ast.Form
	var unread unreadFiles
	used := map[string]bool{}
	err = fs.WalkDir(fsys, path.Clean(dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name != path.Clean(dir) && passesOver(o.Exclude, relative(dir, name), d.IsDir(), used) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		isAgent := d.IsDir() && document.IsAgent(fsys, name)
		if !isAgent && (d.IsDir() || !loadable(name)) {
			unread.add(name, d)
			return nil
		}
		doc, found := document.Read(fsys, name, o.Read)
		s, found := compile(doc, found, fsys, o)
		if s == nil {
			if warnings, ok := passedOver(name, found); ok {
				list = append(list, warnings...)
				return nil
			}
		}
		list = append(list, found...)
		if s != nil {
			if !slices.Contains(forms, doc.Form) {
				forms = append(forms, doc.Form)
			}
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
	list = append(onceEach(list), o.WithoutEffect(nil, forms...)...)
	for _, p := range o.GivenExclude {
		if !used[p] {
			d := diag.New("PCC427", nil, source.Span{}, "WithExclude %q has no effect: nothing in the folder has such a name", p).WithNames("exclude", "WithExclude")
			d.Help = "a pattern without a slash is held against names, one with a slash against paths from the folder"
			list = append(list, d)
		}
	}
	if d := unread.finding(); d != nil {
		list = append(list, d)
	}
	all.warnings = list
	return all, list
}

// templateLike are endings that texts have in which people write templates, and which
// LoadDir does not take: of programs, of pages, of other languages of templates.
var templateLike = []string{".tpl", ".template", ".text", ".markdown", ".mdown", ".mdx", ".mustache", ".hbs", ".handlebars",
	".liquid", ".gotmpl", ".gotpl", ".html", ".htm", ".xml", ".prompty", ".poml"}

// unreadFiles are files of a folder that LoadDir does not take for their endings.
type unreadFiles struct {
	endings []string
	files   int
	first   string
}

func (u *unreadFiles) add(name string, d fs.DirEntry) {
	ending := strings.ToLower(path.Ext(name))
	if d.IsDir() || !slices.Contains(templateLike, ending) {
		return
	}
	if u.files++; u.files == 1 {
		u.first = name
	}
	if !slices.Contains(u.endings, ending) {
		u.endings = append(u.endings, ending)
	}
}

// finding tells of these files, nil where there are none.
func (u *unreadFiles) finding() *diag.Diagnostic {
	if u.files == 0 {
		return nil
	}
	slices.Sort(u.endings)
	what := fmt.Sprintf("%q is passed over: LoadDir takes no files that end in %s", u.first, u.endings[0])
	if u.files > 1 {
		what = fmt.Sprintf("%d files that end in %s are passed over, the first is %q", u.files, strings.Join(u.endings, ", "), u.first)
	}
	return diag.New("PCC442", nil, source.Span{}, "%s", what).WithNames(u.first).
		WithHelp("where they are templates, name them one by one, or have them end in %s", strings.Join(templateSuffixes, ", "))
}

// passesOver reports whether LoadDir leaves out what stands at name, a path from
// the folder that it loads. It notes the pattern that says so in used.
func passesOver(exclude []string, name string, isDir bool, used map[string]bool) bool {
	base := path.Base(name)
	if strings.HasPrefix(base, ".") {
		return true
	}
	if !isDir && strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), "README") {
		return true // of the folder, not a prompt
	}
	for _, p := range exclude {
		of := base
		if strings.Contains(p, "/") {
			of = name
		}
		if ok, _ := path.Match(p, of); ok {
			used[p] = true
			return true
		}
	}
	return false
}

// onceEach drops findings about files that several documents share.
func onceEach(list diag.List) diag.List {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(d *diag.Diagnostic) bool {
		if d.Code != "PCC425" || seen[d.Error()] {
			return d.Code == "PCC425"
		}
		seen[d.Error()] = true
		return false
	})
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

// passedOver reports whether a file that does not load is no prompt document,
// but data that lies about: one that tells no form, or one that cannot be read
// and has no key of a prompt document. A misspelt form, and a file that is too
// large to tell, are warned of.
func passedOver(name string, found diag.List) (warnings diag.List, ok bool) {
	if !document.IsDocument(name) {
		return nil, false
	}
	for _, d := range found {
		switch {
		case d.Severity != diag.Error:
			continue
		case d.Code == "PCC416":
			if d.Fix == nil {
				continue
			}
		case d.Code == "PCC920":
		case d.File != nil && d.File.Name == name && documentFault(d.Code) && !document.LooksLikePrompts(d.File.Text):
			continue
		default:
			return nil, false
		}
		own := *d
		own.Severity, own.Message = diag.Warning, "passed over: "+d.Message
		warnings = append(warnings, &own)
	}
	return warnings, true
}

// documentFault reports whether a code is about the reading of YAML and JSON,
// before a form is told.
func documentFault(c diag.Code) bool {
	switch c {
	case "PCC401", "PCC402", "PCC403", "PCC404", "PCC405", "PCC406", "PCC407", "PCC408", "PCC409", "PCC415", "PCC921", "PCC922", "PCC923":
		return true
	}
	return false
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
