package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// prompt is a compiled program with the name that people know it by.
type loaded struct {
	name string // the path, with "#" and the entry's name in a document of many
	*vm.Program
	form string // of the document, "" for templates and trees
}

// isChatTemplate reports whether p is a model's, from the configuration of its
// tokenizer.
func (p *loaded) isChatTemplate() bool { return p.form == "chat-template" }

// load compiles what path names: a template, a prompt document, a folder that
// is an agent, or a template on standard input for "-". Findings are reported;
// the list is empty where they hold errors.
func (a *app) load(path string, t *templateFlags) ([]loaded, error) {
	info, err := os.Stat(path)
	isDir := err == nil && info.IsDir()
	if path == "-" || !isDir && !document.IsDocument(path) {
		p, err := a.compile(path, t)
		if p == nil || err != nil {
			return nil, err
		}
		return []loaded{{name: path, Program: p}}, nil
	}
	if !isDir || !document.IsAgent(compiler.DirFS(path), ".") {
		if err := statTemplate(path); err != nil {
			return nil, err
		}
	}
	dir, base := filepath.Dir(filepath.Clean(path)), filepath.Base(path)
	if isDir {
		dir, base = path, "."
	}
	return a.loadSet(dir, base, path, t, prompt.Load)
}

// loadTree compiles all that a folder holds.
func (a *app) loadTree(dir string, t *templateFlags) ([]loaded, error) {
	n := len(a.found)
	prompts, err := a.loadSet(dir, ".", dir, t, prompt.LoadDir)
	if err == nil && len(prompts) == 0 && len(a.found) == n {
		err = fmt.Errorf("there is no template in %s", dir)
	}
	return prompts, err
}

// loadSet loads base, a path inside the folder dir, which files cannot leave;
// where --root names a folder, inside that one.
func (a *app) loadSet(dir, base, path string, t *templateFlags,
	load func(fs.FS, string, ...compiler.Option) (*prompt.Set, error)) ([]loaded, error) {
	opts, err := t.options(a.asked)
	if err != nil {
		return nil, err
	}
	if t.root != "" {
		if base, err = relativeTo(t.root, filepath.Join(dir, base)); err != nil {
			return nil, err
		}
		dir = t.root
	}
	root, err := a.rootOf(dir)
	if err != nil {
		return nil, err
	}
	set, err := load(root, base, append(opts, a.asked("exclude", compiler.WithExclude(t.exclude...)))...)
	var l diag.List
	if errors.As(err, &l) {
		a.showUnder(dir, l, nil)
		return nil, a.report(err)
	}
	if err != nil {
		return nil, a.report(err)
	}
	a.showUnder(dir, set.Warnings(), set)
	a.found = append(a.found, set.Warnings()...)
	var prompts []loaded
	for name, p := range set.All() {
		full := path
		if name != "" {
			full += "#" + name
		}
		prompts = append(prompts, loaded{full, p, string(set.Form())})
	}
	return prompts, nil
}

// showUnder makes the names of files, which are paths inside dir, paths from
// the current folder, as the user gave them. A file that several findings or
// several lists of them share is renamed once.
func (a *app) showUnder(dir string, l diag.List, set *prompt.Set) {
	if a.shown == nil {
		a.shown = map[*source.File]bool{}
	}
	show := func(f *source.File) {
		if f == nil {
			return
		}
		if f, _ = f.Root(0); !a.shown[f] {
			a.shown[f] = true
			f.Name = filepath.Join(dir, filepath.FromSlash(f.Name))
		}
	}
	for _, d := range l {
		show(d.File)
		for _, label := range d.Labels {
			show(label.File)
		}
	}
	if set == nil {
		return
	}
	for _, p := range set.All() {
		for _, s := range p.Image().Sites {
			show(s.File)
		}
	}
}

// loadOne is load for commands that work on one prompt: entry names it in a
// document of several.
func (a *app) loadOne(path, entry string, t *templateFlags) (*loaded, error) {
	prompts, err := a.load(path, t)
	if err != nil || len(prompts) == 0 {
		return nil, err
	}
	return pick(prompts, path, entry)
}

// pick is the prompt named entry, or the main one.
func pick(prompts []loaded, path, entry string) (*loaded, error) {
	var names []string
	for i, p := range prompts {
		name := entryName(path, p.name)
		main := p.isChatTemplate() && entry == "" && name == "default"
		if main || name == entry || entry == "" && len(prompts) == 1 {
			return &prompts[i], nil
		}
		if name != "" {
			names = append(names, name)
		}
	}
	switch near, ok := diag.Near(entry, names); {
	case len(names) == 0:
		return nil, usagef("%s has no entries, so --entry %s names nothing", path, entry)
	case entry == "":
		return nil, usagef("%s holds %d prompts; choose with --entry: %s", path, len(prompts), oneOf(names))
	case ok:
		return nil, usagef("%s has no entry %q; did you mean --entry %s?", path, entry, near)
	}
	return nil, usagef("%s has no entry %q; it has %s", path, entry, oneOf(names))
}

// entryName is the entry's part of a prompt's name.
func entryName(path, name string) string {
	if len(name) > len(path) {
		return name[len(path)+1:]
	}
	return ""
}
