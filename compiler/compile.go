package compiler

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// Compile compiles a template text. The error is a diag.List with everything
// that is wrong; warnings are in Program.Warnings. The Program is immutable and
// safe for concurrent use: compile once, at start-up.
func Compile(src string, opts ...Option) (*vm.Program, error) {
	c := newConfig(opts)
	p, list := compile(source.New(c.name, src), c)
	c.free()
	if err := list.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// CompileSource is Compile for a text inside another file, such as a string in
// JSON: findings are shown where it stands there.
func CompileSource(f *source.File, opts ...Option) (*vm.Program, error) {
	if f == nil {
		f = source.New(unnamed, "")
	}
	c := newConfig(append([]Option{WithName(f.Name)}, opts...))
	p, list := compile(f, c)
	c.free()
	if err := list.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// CompileFile compiles the template in a file. Includes are read from its
// folder, which they cannot leave, or from WithFS, when name is a path in that.
func CompileFile(name string, opts ...Option) (*vm.Program, error) {
	c := newConfig(append([]Option{WithName(name)}, opts...))
	src, list := readMain(name, c)
	if list == nil {
		var p *vm.Program
		p, list = compile(source.New(c.name, src), c)
		if list.Err() == nil {
			return p, nil
		}
	}
	return nil, list.Err()
}

// Check compiles src and returns all findings, warnings as well.
func Check(src string, opts ...Option) diag.List {
	c := newConfig(opts)
	p, list := compile(source.New(c.name, src), c)
	c.free()
	if p != nil && list == nil {
		return p.Warnings()
	}
	return list
}

// CheckFile is Check for a file.
func CheckFile(name string, opts ...Option) diag.List {
	c := newConfig(append([]Option{WithName(name)}, opts...))
	src, list := readMain(name, c)
	if list != nil {
		return list
	}
	p, list := compile(source.New(c.name, src), c)
	if p != nil && list == nil {
		return p.Warnings()
	}
	return list
}

// readMain reads the file that CompileFile names and sets where its includes
// come from.
func readMain(name string, c *config) (string, diag.List) {
	fsys, base := c.fsys, name
	if fsys == nil {
		fsys, base = rootFS(filepath.Dir(name)), filepath.Base(name)
		c.fsys = fsys
	}
	c.path = base
	if info, err := fs.Stat(fsys, base); err == nil && info.IsDir() {
		d := notATemplate(nil, fmt.Sprintf("%q is a folder, and no template", name)).WithNames(name)
		d.Help = "call prompt.LoadFile for the folder of an agent, prompt.LoadDir for one of prompts"
		return "", diag.List{d}
	}
	src, d := readFile(fsys, base, c.limits.SourceBytes, nil, source.Span{})
	if d != nil {
		return "", diag.List{d}
	}
	if f := source.New(c.name, src); document.IsDocument(base) && document.Recognise(source.New(base, src), c.documentOptions()) {
		d := notATemplate(f, fmt.Sprintf("%q is a prompt document, and no template", name)).WithNames(name)
		return "", diag.List{d}
	}
	return src, nil
}

// notATemplate is the error of something that is loaded, and not compiled.
func notATemplate(f *source.File, message string) *diag.Diagnostic {
	d := diag.New("PCC241", f, source.Span{}, "%s", message)
	d.Severity = diag.Error
	if f != nil && document.IsDocument(f.Name) {
		d.Help = fmt.Sprintf("call prompt.LoadFile(%q), or prompt.Load for a file of an fs.FS", f.Name)
	} else if f != nil {
		d.Help = "call prompt.LoadText(\"name.yaml\", text, nil)"
	}
	return d
}

// compile runs all passes. The list holds errors and warnings; the program is
// nil where there are errors.
func compile(f *source.File, c *config) (*vm.Program, diag.List) {
	if c.err != nil {
		return nil, c.err
	}
	src := f.Text
	if int64(len(src)) > c.limits.SourceBytes {
		return nil, diag.List{tooLarge(f, c.limits.SourceBytes)}
	}
	// Who names a syntax is taken at the word: a tokenizer's configuration is
	// legal Jinja.
	if c.undecided() && document.MayBeSure(src) && document.IsSurely(src, c.documentOptions()) {
		return nil, diag.List{notATemplate(f, "this text is a prompt document, and no template")}
	}
	arena := arenas.Get().(*parser.Arena)
	p, list := c.compileIn(arena, f)
	arena.Reset()
	arenas.Put(arena)
	return p, list
}

// undecided reports whether the text tells its syntax, not the caller.
func (c *config) undecided() bool {
	return c.delims == nil && c.syntax == ""
}

// arenas holds memory for trees, which end with the compilation.
var arenas = sync.Pool{New: func() any { return new(parser.Arena) }}

// compileIn compiles f with its tree in the arena. Neither the program nor the
// list may refer to nodes.
func (c *config) compileIn(arena *parser.Arena, f *source.File) (*vm.Program, diag.List) {
	t, list := c.parse(f, arena)
	if list.HasErrors() {
		if t.Syntax != "jinja" && checkable(list) {
			list = append(list, c.rest(t, list)...)
		}
		noteChoice(list, t)
		return nil, c.finishList(list)
	}
	p, more := c.build(t)
	list = append(list, more...)
	noteChoice(list, t)
	list = append(list, c.templateWithoutEffect(f)...)
	list = c.finishList(list)
	if list.HasErrors() {
		return nil, list
	}
	p.Image().Warnings = list
	return p, nil
}

// noteChoice says in findings of t, or of its texts, which syntax was chosen
// where the text decided.
func noteChoice(list diag.List, t *ast.Template) {
	if len(list) == 0 {
		return
	}
	parser.NoteChoice(list, t.File, t.Syntax, t.Chosen)
	var in map[*source.File]diag.List
	ast.Walk(t.Body, func(n ast.Node) bool {
		e, ok := n.(*ast.Embedded)
		if !ok || e.Chosen == "" {
			return !ok
		}
		if in == nil {
			in = map[*source.File]diag.List{}
			for _, d := range list {
				in[d.File] = append(in[d.File], d)
			}
		}
		parser.NoteChoice(in[e.File], e.File, e.Syntax, e.Chosen)
		return false
	})
}

func tooLarge(f *source.File, most int64) *diag.Diagnostic {
	d := diag.New("PCC902", f, source.Span{}, "the source is longer than %d bytes", most)
	d.Severity = diag.Error
	return d
}

// parse reads a text with the configured syntax; the arena may be nil.
func (c *config) parse(f *source.File, arena *parser.Arena) (*ast.Template, diag.List) {
	if c.jinja.set {
		return c.parseJinja(f, arena)
	}
	o := parser.Options{Depth: c.limits.Depth, Source: c.limits.SourceBytes, Budget: &c.budget, Arena: arena}
	switch {
	case c.delims != nil:
		o.Syntax = c.delims
	case c.syntax != "":
		o.Syntax, _ = lexer.ByName(c.syntax)
	}
	o.Filters, o.NearFilter = c.native, c.near
	t, list := document.ReadTemplate(f, c.formOptions(f, o))
	c.formTemplate(t)
	return t, list
}

// lowerers holds lowerers that are done, for the memory of their scopes.
var lowerers = sync.Pool{New: func() any { return new(lowerer) }}

// free gives l back. What the program keeps is its own.
func (l *lowerer) free() {
	l.scopes.reset()
	kept := l.scopes
	*l = lowerer{}
	l.scopes = kept
	lowerers.Put(l)
}

// build lowers a parsed template.
func (c *config) build(t *ast.Template) (*vm.Program, diag.List) {
	dialect := c.nativeDialect()
	if t.Syntax == "jinja" {
		dialect = c.jinjaDialect()
	}
	c.chosen = t.Syntax
	// As a rule the template is the only function and has one source: what each
	// program has is made at once.
	made := &struct {
		img    vm.Image
		main   [1]vm.Function
		sites  [1]code.Site
		lister variableLister
	}{}
	img := &made.img
	img.Name, img.Dialect, img.Limits, img.Host, img.Chat = t.File.Name, dialect, c.limits, c.host, t.Chat
	img.Strict = c.strict
	l := lowerers.Get().(*lowerer)
	defer l.free()
	l.lang = nativeLanguage{l}
	l.cfg, l.dialect, l.img, l.file, l.angle, l.policy = c, dialect, img, t.File, isAngle(t.Syntax), c.undefined
	made.sites[0] = c.site(t.File, t.Syntax, -1, source.Span{})
	img.Sites, l.lister = made.sites[:], &made.lister
	l.rules = c.rules
	var facts jinjaFacts
	if t.Syntax == "jinja" {
		l.counts = countNodes(t, &facts)
	} else {
		l.counts = countNodes(t, nil)
	}
	ld := &l.loader
	ld.cfg = c
	if l.counts.includes {
		ld.load(t, c.path)
	}
	l.includes = ld.out
	l.errs = append(l.errs, ld.errs...)
	l.errs = append(l.errs, suspicious(t)...)
	img.Chat = t.Chat || ld.chat
	l.chat = img.Chat
	if t.Front != nil && t.Front.Meta != nil {
		l.front(t.Front.Meta)
	}
	if c.vars != nil {
		if img.Defaults == nil {
			img.Defaults = vm.NewMap(c.vars.Len())
		}
		for i := range c.vars.Len() {
			img.Defaults.Put(c.vars.At(i))
		}
	}
	if l.broken = c.broken; l.errs.HasErrors() {
		if t.Syntax == "jinja" {
			return nil, l.errs
		}
		l.broken = true
	}
	l.errors = c.found + errorsIn(l.errs)
	l.check(t)
	l.nearTags(t.Near)
	l.bytes = int64(len(t.File.Text)) + ld.main.size
	l.roomIn(&c.budget)
	defer l.payFor(c)
	l.code = l.newCode(where{}, 2*l.tags+8)
	img.Outs, img.Paths = make([]vm.Out, 0, l.outputs), make([]vm.Path, 0, l.reads-l.pathOutputs+1)
	if t.Syntax == "jinja" && !c.document {
		img.Autoescape, img.Load = c.jinja.opts.Autoescape.escapes(c.name), c.jinjaLoader()
		l.jinjaTemplate(t.Body, facts, c.jinja.part)
	} else {
		l.scopes.push()
		l.documentEntry(t)
	}
	l.code.at(0, source.Span{Start: source.Pos(len(t.File.Text)), End: source.Pos(len(t.File.Text))})
	l.code.emit(code.Instr{Op: code.OpReturn})
	var meta *ast.Meta
	if t.Front != nil {
		meta = t.Front.Meta
	}
	l.fits(l.code.now.span)
	l.unused(meta)
	l.finishVariables(meta)
	l.finishDocument()
	if l.errs.HasErrors() || l.broken {
		return nil, l.errs
	}
	if !c.off[PassFuse] {
		l.code.fuse(img)
	}
	if !c.off[PassItems] {
		l.code.placeItems(img, &l.scopes)
	}
	main := &made.main[0]
	l.code.assemble(main, "template", &l.scopes, img)
	main.Cells = l.cells
	img.Functions = append(made.main[:], img.Functions...)
	if at := img.RequestCode; at > 0 {
		img.Functions[at].Cells = l.cells
	}
	p, err := vm.New(img)
	if err != nil { // a fault of the compiler, not of the template
		d := diag.New("PCC299", t.File, source.Span{}, "%v", err)
		d.Severity = diag.Error
		return nil, append(l.errs, d)
	}
	return p, l.errs
}

// readFile reads one regular file of at most most bytes.
func readFile(fsys fs.FS, name string, most int64, from *source.File, at source.Span) (string, *diag.Diagnostic) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return "", readError(from, at, name, err)
	}
	if !info.Mode().IsRegular() {
		return "", readError(from, at, name, errors.New("it is not a regular file"))
	}
	if info.Size() > most {
		return "", fileTooLarge(from, at, name, most)
	}
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return "", readError(from, at, name, err)
	}
	if int64(len(b)) > most {
		return "", fileTooLarge(from, at, name, most)
	}
	return string(b), nil
}

func fileTooLarge(from *source.File, at source.Span, name string, most int64) *diag.Diagnostic {
	d := diag.New("PCC902", from, at, "%q is larger than %d bytes", name, most).WithKind("limit").WithNames(name)
	d.Severity = diag.Error
	return d
}

func readError(from *source.File, at source.Span, name string, err error) *diag.Diagnostic {
	why := err.Error()
	var pe *fs.PathError
	if errors.As(err, &pe) {
		why = pe.Err.Error()
	}
	d := diag.New("PCC210", from, at, "cannot read %q: %s", name, why).WithKind("notfound").WithNames(name).WithCause(err)
	d.Severity = diag.Error
	return d
}

// rootFS is a folder as a file system that symbolic links cannot leave. The
// folder is opened anew for each file, so that nothing stays open.
type rootFS string

func (r rootFS) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(r))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return openIn(root, name)
}

// Stat keeps a look at a FIFO from opening it.
func (r rootFS) Stat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(string(r))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return fs.Stat(root.FS(), name)
}

// dirOf is the folder of a slash-separated path, "" for the root.
func dirOf(name string) string {
	if d := path.Dir(name); d != "." {
		return d
	}
	return ""
}
