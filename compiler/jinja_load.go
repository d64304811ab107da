package compiler

import (
	"errors"
	"io/fs"
	"strings"
	"sync"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/vm"
)

// jinjaLoader returns the function that finds the templates which Jinja
// templates include, import and extend while they render: names are relative
// to the loader's root. Each is compiled once; an image of it serves all
// renders. The render that needs it first pays for that.
func (c *config) jinjaLoader() vm.Loader {
	if c.jinja.load != nil || c.fsys == nil {
		return c.jinja.load
	}
	all := &loadedTemplates{by: map[string]*loadedTemplate{}}
	part := *c
	part.jinja.part, part.coverage = true, false
	all.budget = lexer.NewBudget(c.limits.CompileMemory)
	load := func(name string, pay func(bytes int64) error) (*vm.Image, error) {
		name, ok := templatePath(name)
		if !ok {
			return nil, nil
		}
		t, err := all.find(name)
		if err != nil {
			return nil, err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.done {
			return t.img, t.err
		}
		size, ok := part.templateSize(t.name)
		if !ok {
			t.done = true
			all.lacks(t)
			return nil, nil
		}
		paid := size * sourceMemory
		if err := pay(paid); err != nil { // another render may have more to spend
			return nil, err
		}
		if !all.takes(size, part.limits.SourceBytes) {
			return nil, tooMuchLoaded(t.name, part.limits.SourceBytes)
		}
		t.done = true
		var kept int64
		if t.img, kept, t.err = all.compile(&part, t.name); t.err == nil && kept > paid {
			if err := pay(kept - paid); err != nil {
				return nil, err // another render has it for nothing
			}
		}
		return t.img, t.err
	}
	part.jinja.load = load
	return load
}

// templatePath is the path of the template of a name, as Jinja's loaders of files
// read it (split_template_path): empty and `.` segments do not count, so that no
// path begins at the system's root. A name with `..` is of no template.
func templatePath(name string) (path string, ok bool) {
	if !fs.ValidPath(name) || name == "." {
		var kept []string
		for part := range strings.SplitSeq(name, "/") {
			if part != "" && part != "." {
				kept = append(kept, part)
			}
		}
		name = strings.Join(kept, "/")
	}
	return name, fs.ValidPath(name) && name != ""
}

// loadedTemplates are those that a program has been asked for. The names may come
// from data, so that those of templates that are not there are kept for a while
// only: else one render could use up the limit for all later ones, and what it
// was given would stay in memory.
type loadedTemplates struct {
	mu      sync.Mutex
	by      map[string]*loadedTemplate
	missing int   // of by
	bytes   int64 // of the sources of those that are kept

	// budget is the memory that those may still take, one being compiled at a time.
	compiling sync.Mutex
	budget    lexer.Budget
}

type loadedTemplate struct {
	name    string
	mu      sync.Mutex // while it is compiled
	done    bool
	img     *vm.Image // nil where there is no such template
	err     error
	missing bool // counted
}

// sourceMemory is what a byte of source of a template counts that is compiled for
// a render, before it is known what the program takes.
const sourceMemory = 64

const (
	// maxTemplates is the number of templates that one program may load.
	maxTemplates = 10_000
	// maxMissing is the number of names of missing templates that are kept, of
	// at most maxMissingName bytes.
	maxMissing     = 1000
	maxMissingName = 256
)

var errManyTemplates = errors.New("the program loads more templates than its limit allows")

// find returns the template of a name, which may have yet to be loaded.
func (l *loadedTemplates) find(name string) (*loadedTemplate, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.by[name]
	if t != nil {
		return t, nil
	}
	if len(l.by)-l.missing >= maxTemplates {
		return nil, errManyTemplates
	}
	t = &loadedTemplate{name: strings.Clone(name)} // it may be a part of a long text
	l.by[t.name] = t
	return t, nil
}

// takes notes that n bytes of source more are kept, unless these are too many.
func (l *loadedTemplates) takes(n, most int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bytes > most-n {
		return false
	}
	l.bytes += n
	return true
}

func tooMuchLoaded(name string, most int64) *diag.Diagnostic {
	d := diag.New("PCC902", nil, source.Span{}, "with %q, the templates that this program loads have more than %d bytes together", name, most)
	d.Severity = diag.Error
	d.Help = "include fewer or smaller templates, or raise Limits.SourceBytes"
	return d.WithKind("limit").WithNames(name)
}

// lacks notes that t is not there.
func (l *loadedTemplates) lacks(t *loadedTemplate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(t.name) > maxMissingName {
		delete(l.by, t.name)
		return
	}
	if l.missing == maxMissing {
		for name, t := range l.by {
			if t.missing {
				delete(l.by, name)
			}
		}
		l.missing = 0
	}
	t.missing = true
	l.missing++
}

// templateSize is the length of another template in bytes; ok is false where
// there is none.
func (c *config) templateSize(name string) (size int64, ok bool) {
	info, err := fs.Stat(c.fsys, name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// compile compiles the template of a name with the memory that is left. kept is
// what the program keeps of it.
func (l *loadedTemplates) compile(c *config, name string) (img *vm.Image, kept int64, err error) {
	l.compiling.Lock()
	defer l.compiling.Unlock()
	own := *c
	own.budget = l.budget
	if img, err = own.loadTemplate(name); err == nil {
		kept = own.kept
		l.budget.Take(kept)
	}
	return img, kept, err
}

// loadTemplate compiles another template.
func (c *config) loadTemplate(name string) (*vm.Image, error) {
	src, d := readFile(c.fsys, name, c.limits.SourceBytes, nil, source.Span{})
	if d != nil {
		return nil, d
	}
	f := source.New(name, src)
	c.name = name
	t, list := c.parseJinja(f, nil)
	if !list.HasErrors() {
		p, more := c.build(t)
		if list = append(list, more...); !list.HasErrors() {
			return p.Image(), nil
		}
	}
	list.Sort()
	return nil, list
}
