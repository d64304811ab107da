package compiler

import (
	"io/fs"
	"iter"
	"slices"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/nofiles"
)

// Templates are the compiled templates of a file system, by path. They are
// immutable and safe for concurrent use.
type Templates struct {
	names    []string // sorted
	programs map[string]*Program
}

// CompileFS compiles the templates of fsys whose paths match one of the patterns,
// so that a program compiles at start-up all that it embeds:
//
//	//go:embed prompts
//	var files embed.FS
//
//	templates, err := compiler.CompileFS(files, "prompts/*.md", "prompts/*/*.jinja")
//
// Patterns are those of fs.Glob; folders among what they match are passed over.
// Templates include files of fsys as CompileFile says.
//
// The error is a diag.List of what is wrong in all templates. A pattern that
// matches no file is an error too, and so is a file that is no template: package
// prompt loads documents.
func CompileFS(fsys fs.FS, patterns ...string) (*Templates, error) {
	return CompileMatching(fsys, patterns)
}

// CompileMatching is CompileFS with options, which hold for every template.
func CompileMatching(fsys fs.FS, patterns []string, opts ...Option) (*Templates, error) {
	t := &Templates{programs: map[string]*Program{}}
	fsys = nofiles.Or(fsys)
	var list diag.List
	opts = []Option{WithDefaults(opts...), WithFS(fsys)}
	for _, pattern := range patterns {
		names, err := matching(fsys, pattern)
		if err != nil {
			list = append(list, err)
		}
		for _, name := range names {
			if _, done := t.programs[name]; done {
				continue
			}
			p, err := CompileFile(name, opts...)
			list = append(list, diag.AsList(err)...)
			t.names, t.programs[name] = append(t.names, name), p
		}
	}
	if err := list.Err(); err != nil {
		return nil, err
	}
	slices.Sort(t.names)
	return t, nil
}

// matching lists the files that a pattern matches, of which there must be one.
func matching(fsys fs.FS, pattern string) ([]string, *diag.Diagnostic) {
	found, err := fs.Glob(fsys, pattern)
	if err != nil {
		d := diag.New("PCC210", nil, source.Span{}, "the pattern %q cannot be read", pattern).WithCause(err)
		return nil, d.WithHelp("write it as prompts/*.md or prompts/[ab]?.md")
	}
	names := slices.DeleteFunc(found, func(name string) bool {
		info, err := fs.Stat(fsys, name)
		return err == nil && info.IsDir()
	})
	if len(names) == 0 {
		d := diag.New("PCC210", nil, source.Span{}, "no file matches the pattern %q", pattern).WithCause(fs.ErrNotExist)
		return nil, d.WithHelp("patterns are paths from the root of the file system, without ./ and without a leading /; * does not match a /")
	}
	return names, nil
}

// Names lists the paths in order.
func (t *Templates) Names() []string { return slices.Clone(t.names) }

// Len is the number of templates.
func (t *Templates) Len() int { return len(t.names) }

// All ranges over paths and programs in order.
func (t *Templates) All() iter.Seq2[string, *Program] {
	return func(yield func(string, *Program) bool) {
		for _, n := range t.names {
			if !yield(n, t.programs[n]) {
				return
			}
		}
	}
}

// Lookup returns the template of this path.
func (t *Templates) Lookup(name string) (*Program, bool) {
	p, ok := t.programs[name]
	return p, ok
}

// Find is Lookup with an error that tells which templates there are. It is an
// fs.ErrNotExist too.
func (t *Templates) Find(name string) (*Program, error) {
	if p, ok := t.programs[name]; ok {
		return p, nil
	}
	d := diag.New("PCC210", nil, source.Span{}, "there is no template %q", diag.ClipName(name)).WithNames(name).WithCause(fs.ErrNotExist)
	if near, ok := diag.Near(name, t.names); ok {
		return nil, diag.List{d.WithHelp("did you mean %q?", near)}
	}
	return nil, diag.List{d.WithHelp("the templates are %s", diag.QuotedList(t.names))}
}
