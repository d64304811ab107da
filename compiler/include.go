package compiler

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
)

// included is a template that an include tag names.
type included struct {
	tmpl *ast.Template // nil where it cannot be read
	path string
	// size is that of the source with every include put in place: a file that
	// includes another ten times counts it ten times. depth is the number of
	// files inside one another below this one.
	size  int64
	depth int
}

// includer loads what include tags name before anything is lowered: files are
// read and parsed once, cycles and the depth and total size are checked.
type includer struct {
	cfg     *config
	out     map[*ast.Include]*included
	files   map[string]*included
	paths   map[reference]string // files by what names them
	errs    diag.List
	faults  int  // errors among errs
	chat    bool // an included file holds messages
	stack   []string
	way     []string // the include tags that lead to the current file
	main    included
	nearest diag.Nearest
	now     *included // whose includes are being loaded: main, or one of files
	full    bool
}

// reference is a name of a file in files of a folder.
type reference struct{ folder, name string }

// load loads the includes of t, a template at this path.
func (ld *includer) load(t *ast.Template, at string) {
	if ld.now == nil {
		ld.now = &ld.main
	}
	ld.stack = append(ld.stack, at)
	defer func() { ld.stack = ld.stack[:len(ld.stack)-1] }()
	ast.Walk(t.Body, func(n ast.Node) bool {
		if e, ok := n.(*ast.Embedded); ok {
			ld.embedded(e, at)
			return false
		}
		if inc, ok := n.(*ast.Include); ok && t.Syntax != "jinja" && !ld.full {
			ld.include(t.File, inc, at)
		}
		return !ld.full
	})
}

// includedFrom is the entry of a trace for the include tag at this place.
func includedFrom(f *source.File, at source.Span) string {
	outer, pos := f.Root(at.Start)
	p := outer.Position(pos)
	return fmt.Sprintf("included from %s:%d:%d", outer.Name, p.Line, p.Column)
}

// includedFrom is the trace of what is found in the file being lowered.
func (l *lowerer) includedFrom() (trace []string) {
	for s := &l.img.Sites[l.site]; s.Parent >= 0; s = &l.img.Sites[s.Parent] {
		trace = append(trace, includedFrom(l.img.Sites[s.Parent].File, s.At))
	}
	slices.Reverse(trace)
	return trace
}

func (ld *includer) fail(code diag.Code, f *source.File, n *ast.Include, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, f, n.Span(), format, args...)
	d.Severity, d.Trace = diag.Error, slices.Clone(ld.way)
	ld.found(d)
	return d
}

// found adds findings. After many errors nothing more is read.
func (ld *includer) found(l ...*diag.Diagnostic) {
	for _, d := range l {
		if d.Severity == diag.Error {
			if ld.faults++; ld.faults > maxErrors {
				ld.errs = append(ld.errs, diag.New("PCC903", d.File, d.Span, "too many errors, the rest is left out"))
				ld.full = true
				return
			}
		}
		ld.errs = append(ld.errs, d)
	}
}

func (ld *includer) include(f *source.File, n *ast.Include, from string) {
	lit, ok := n.Name.(*ast.Literal)
	if !ok || lit.Kind != ast.StringLit {
		ld.fail("PCC213", f, n, "the name of an included file must be a string: includes are resolved when compiling")
		return
	}
	name := lit.Str
	if ld.cfg.fsys == nil {
		ld.fail("PCC210", f, n, "cannot include %q: no files are at hand", name).
			WithHelp("compile a file, or give compiler.WithFS").WithKind("notfound").WithNames(name)
		return
	}
	at, ok := ld.find(dirOf(from), name)
	if !ok {
		ld.fail("PCC212", f, n, "%q leaves the folder of templates", name).WithKind("security").WithNames(name)
		return
	}
	for _, s := range ld.stack {
		if s == at {
			way := append(append([]string{}, ld.stack...), at)
			if way[0] == "" { // the main template is no file
				way = way[1:]
			}
			ld.fail("PCC211", f, n, "the includes run in a circle: %s", strings.Join(way, " → ")).WithNames(way...)
			return
		}
	}
	inc := ld.files[at]
	if inc == nil && len(ld.stack) <= ld.cfg.limits.IncludeDepth {
		inc = ld.file(f, n, name, at)
	}
	switch {
	case ld.full:
	case inc == nil || len(ld.stack)+inc.depth > ld.cfg.limits.IncludeDepth:
		ld.fail("PCC909", f, n, "includes are nested deeper than %d", ld.cfg.limits.IncludeDepth).WithKind("limit")
		ld.full = true
	case inc.tmpl != nil:
		if ld.out == nil {
			ld.out = map[*ast.Include]*included{}
		}
		ld.out[n] = inc
		ld.now.depth = max(ld.now.depth, inc.depth+1)
		if ld.now.size += inc.size; ld.now.size > ld.cfg.limits.SourceBytes {
			ld.fail("PCC902", f, n, "the included texts together are longer than %d bytes", ld.cfg.limits.SourceBytes).WithKind("limit")
			ld.full = true
		}
	}
}

// find is the path of the file that a file in this folder calls by name; it is
// looked for once. ok is false where the name leads out.
func (ld *includer) find(folder, name string) (at string, ok bool) {
	ref := reference{folder, name}
	if at, ok := ld.paths[ref]; ok {
		return at, true
	}
	at = path.Join(folder, name) // `..` may lead up, but not out
	if name == "" || path.IsAbs(name) || !fs.ValidPath(at) || strings.ContainsAny(name, "\\\x00") {
		return "", false
	}
	if _, err := fs.Stat(ld.cfg.fsys, at); err != nil { // relative to the root then
		if fromRoot := path.Clean(name); fs.ValidPath(fromRoot) {
			if _, err := fs.Stat(ld.cfg.fsys, fromRoot); err == nil {
				at = fromRoot
			}
		}
	}
	if ld.paths == nil {
		ld.paths = map[reference]string{}
	}
	ld.paths[ref] = at
	return at, true
}

// file reads the file at this path and loads what it includes. It is never nil.
func (ld *includer) file(f *source.File, n *ast.Include, name, at string) *included {
	inc := &included{path: at}
	if ld.files == nil {
		ld.files = map[string]*included{}
	}
	ld.files[at] = inc
	src, d := readFile(ld.cfg.fsys, at, ld.cfg.limits.SourceBytes, f, n.Span())
	if d != nil {
		if near, ok := ld.nearest.Find(path.Base(name), func() []string { return siblings(ld.cfg.fsys, dirOf(at)) }); ok {
			d.Help = "did you mean " + path.Join(path.Dir(name), near) + "?"
		}
		d.Trace = slices.Clone(ld.way)
		ld.found(d)
		return inc
	}
	t, list := ld.cfg.parseIncluded(source.New(at, src), f)
	ld.way = append(ld.way, includedFrom(f, n.Span()))
	defer func() { ld.way = ld.way[:len(ld.way)-1] }()
	for _, d := range list {
		d.Trace = append(slices.Clone(ld.way), d.Trace...)
	}
	ld.found(list...)
	if list.HasErrors() {
		return inc
	}
	if document.MayBeSure(src) && document.IsSurely(src, ld.cfg.documentOptions()) {
		d := diag.New("PCC243", f, n.Span(), "%q is a prompt document, and its source is put in as text", name).WithNames(name)
		d.Trace = slices.Clone(ld.way[:len(ld.way)-1])
		ld.found(d)
	}
	ld.chat = ld.chat || t.Chat
	inc.tmpl, inc.size = t, int64(len(src))
	outer := ld.now
	ld.now = inc
	ld.load(t, at)
	ld.now = outer
	return inc
}

// parseIncluded reads an included file: in the syntax that its name or front
// matter gives, else in the one of this compilation.
func (c *config) parseIncluded(f *source.File, from *source.File) (*ast.Template, diag.List) {
	o := parser.Options{Depth: c.limits.Depth, Source: c.limits.SourceBytes, Budget: &c.budget, Filters: c.native, NearFilter: c.near}
	switch {
	case c.delims != nil:
		o.Syntax = c.delims
	case c.syntax != "":
		o.Syntax, _ = lexer.ByName(c.syntax)
	case c.chosen != "":
		o.Syntax, _ = lexer.ByName(c.chosen)
	}
	t, list := document.ReadTemplate(f, o)
	if s, ok := ownSyntax(t); ok && s != o.Syntax && c.delims == nil {
		o.Syntax = s
		t, list = document.ReadTemplate(f, o)
	}
	named := document.Detect(source.New(f.Name, ""), parser.Options{})
	if t != nil && (t.Syntax == "jinja" || named.Syntax == lexer.Jinja()) && !list.HasErrors() {
		d := diag.New("PCC214", f, source.Span{}, "a jinja template cannot be included here")
		d.Severity = diag.Error
		list = append(list, d)
	}
	if t != nil && c.delims == nil && !list.HasErrors() {
		if d := otherTags(t, o); d != nil {
			list = append(list, d)
		}
	}
	return t, list
}

// otherTags warns of an included file without tags in its syntax that holds tags
// of the other family. What stands in angle brackets is rather markup, unless it
// is a block or has double ones.
func otherTags(t *ast.Template, o parser.Options) *diag.Diagnostic {
	if _, ok := ownSyntax(t); ok || tagIn(t.Body, true) != nil {
		return nil
	}
	other := lexer.Brace()
	if o.Syntax == nil || !o.Syntax.Angle {
		other = lexer.Angle()
	}
	mine := ""
	if o.Syntax != nil {
		mine = o.Syntax.Name
	}
	o.Syntax, o.Arena = other, nil
	read, list := document.ReadTemplate(source.New(t.File.Name, t.File.Text), o)
	if list.HasErrors() {
		return nil
	}
	n := tagIn(read.Body, !other.Angle)
	if n == nil {
		return nil
	}
	return diag.New("PCC242", t.File, n.Span(), "this is a tag of the syntax %s, but the file is read as %s: it is text", other.Name, mine).
		WithHelp("name the file's syntax in its front matter: `syntax: %s`, or `syntax: %s` where text is meant", other.Name, mine)
}

// tagIn returns the first tag of a body, nil where there is none; soft
// placeholders count if soft is set.
func tagIn(body []ast.Node, soft bool) (found ast.Node) {
	ast.Walk(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Text, *ast.Comment:
			return false
		case *ast.Output:
			if n.Soft && !soft {
				return false
			}
		}
		if found == nil {
			found = n
		}
		return false
	})
	return found
}

// ownSyntax is the syntax that a template's front matter names.
func ownSyntax(t *ast.Template) (*lexer.Syntax, bool) {
	if t == nil || t.Front == nil || t.Front.Meta == nil {
		return nil, false
	}
	return lexer.ByName(t.Front.Meta.Syntax)
}

// siblings lists the files in a folder, for near misses.
func siblings(fsys fs.FS, dir string) []string {
	if dir == "" {
		dir = "."
	}
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries[:min(len(entries), 1000)] {
		names = append(names, e.Name())
	}
	return names
}
