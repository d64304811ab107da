package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// stdinName stands for standard input in diagnostics.
const stdinName = "<stdin>"

// readStdin reads all of standard input for one purpose; a second one is an
// error, because nothing would be left.
func (a *app) readStdin(purpose string, limit int64) ([]byte, error) {
	if a.stdinUsed != "" {
		return nil, usagef("standard input cannot be both %s and %s", a.stdinUsed, purpose)
	}
	a.stdinUsed = purpose
	a.readsStdin()
	b, err := io.ReadAll(io.LimitReader(a.stdin, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("standard input is longer than %s bytes", writeAmount(limit))
	}
	return b, err
}

// compile compiles the template at path, or standard input for "-". Findings
// are reported; the program is nil where they hold errors.
func (a *app) compile(path string, t *templateFlags) (*vm.Program, error) {
	opts, err := t.options(a.asked)
	if err != nil {
		return nil, err
	}
	var p *vm.Program
	if path == "-" {
		p, err = a.compileStdin(opts, t)
	} else {
		p, err = a.compileFile(path, opts, t)
	}
	if err != nil {
		return nil, a.report(err)
	}
	a.found = append(a.found, p.Warnings()...)
	a.checkJinja(p, t)
	return p, nil
}

// checkJinja warns where --profile or --jinja makes a Jinja template of a file that
// has no tag of Jinja's, but placeholders of this language, which are text then.
func (a *app) checkJinja(p *vm.Program, t *templateFlags) {
	if t.profile == "" && len(t.jinja) == 0 || t.syntax != "auto" || len(p.Image().Sites) == 0 {
		return
	}
	text := p.Image().Sites[0].File.Text
	if strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.Contains(text, "{#") {
		return
	}
	native, err := compiler.Compile(text, compiler.WithLimits(t.limits))
	if err != nil || len(native.Variables()) == 0 {
		return
	}
	a.warn("`"+native.Variables()[0].Name+"` is text here, since --profile and --jinja make every template a Jinja template, and this one has no tag of Jinja's",
		"drop them for this file, or write {{ … }}")
}

func (a *app) compileStdin(opts []compiler.Option, t *templateFlags) (*vm.Program, error) {
	src, err := a.readStdin("the template", t.limits.OrDefault().SourceBytes)
	if err != nil {
		return nil, err
	}
	opts = append(opts, compiler.WithName(stdinName))
	root, err := a.rootOf(orDefault(t.root, "."))
	if err != nil {
		return nil, err
	}
	return compiler.Compile(string(src), append(opts, compiler.WithFS(root))...)
}

func (a *app) compileFile(path string, opts []compiler.Option, t *templateFlags) (*vm.Program, error) {
	if err := statTemplate(path); err != nil {
		return nil, err
	}
	dir, inside := filepath.Dir(path), filepath.Base(path)
	if t.root != "" {
		var err error
		if inside, err = relativeTo(t.root, path); err != nil {
			return nil, err
		}
		dir = t.root
	}
	root, err := a.rootOf(dir)
	if err != nil {
		return nil, err
	}
	return compiler.CompileFile(inside, append(opts, compiler.WithName(path), compiler.WithFS(root))...)
}

// relativeTo is path as a slash-separated path inside the folder root.
func relativeTo(root, path string) (string, error) {
	var abs [2]string
	for i, p := range []string{root, path} {
		var err error
		if abs[i], err = filepath.Abs(p); err != nil {
			return "", err
		}
	}
	rel, err := filepath.Rel(abs[0], abs[1])
	if err != nil || !filepath.IsLocal(rel) {
		return "", usagef("%s is not inside --root %s", path, root)
	}
	return filepath.ToSlash(rel), nil
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// statTemplate explains why a file cannot be a template before anything opens
// it: opening a pipe or a device would wait.
func statTemplate(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missingFile(path)
	case err != nil:
		return err
	case info.IsDir():
		for _, name := range []string{document.ChatTemplateFile, "tokenizer_config.json", "chat_template.json"} {
			if file := filepath.Join(path, name); isRegular(file) {
				return usagef("%s is a model's folder, which `pcc chat` and `pcc detect --capabilities` take; here name the file %s", path, file)
			}
		}
		return usagef("%s is a folder and no agent (with config.yaml and templates); name a file in it", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file; give it on standard input: `-`", path)
	}
	return nil
}

// missingFile names the file in the same folder that was likely meant.
func missingFile(path string) error {
	msg := fmt.Sprintf("there is no file %s", path)
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(orDefault(dir, "."))
	if err != nil {
		return errors.New(msg)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	near, ok := diag.Near(name, names)
	for _, n := range names {
		if !ok && strings.TrimSuffix(n, filepath.Ext(n)) == name {
			near, ok = n, true
		}
	}
	if ok {
		msg += fmt.Sprintf("; did you mean %s?", filepath.Join(dir, near))
	}
	return errors.New(msg)
}

// deadline is the context of one render.
func (a *app) deadline(t *templateFlags) (context.Context, context.CancelFunc) {
	if t.timeout > 0 {
		return context.WithTimeout(a.ctx, t.timeout)
	}
	return a.ctx, func() {}
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}
