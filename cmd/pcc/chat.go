package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/chat"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// loadModel loads the chat template of a model: path is its folder, a file in it,
// or - for a template on standard input. name is one of several templates, ""
// for the choice of transformers. There is no template where there are findings.
func (a *app) loadModel(path, name string, opts ...chat.Option) (*chat.Template, error) {
	var t *chat.Template
	var err error
	if path == "-" {
		var f *source.File
		if f, err = a.readTemplate(path, &templateFlags{}); err != nil {
			return nil, err
		}
		t, err = chat.New(f.Text, chat.Config{Name: f.Name}, opts...)
	} else {
		dir, base := path, "."
		if info, statErr := os.Stat(path); statErr != nil || !info.IsDir() {
			dir, base = filepath.Dir(filepath.Clean(path)), filepath.Base(path)
		}
		t, err = chat.LoadFS(&readFS{compiler.DirFS(dir), a}, base, append([]chat.Option{chat.WithFolder(dir)}, opts...)...)
	}
	if err == nil && name != "" {
		t, err = t.Named(name)
	}
	if err != nil {
		return nil, a.report(err)
	}
	for _, p := range t.Programs() {
		a.found = append(a.found, p.Warnings()...)
	}
	return t, nil
}

// loadChat is loadModel with the flags of templates.
func (a *app) loadChat(path, entry string, t *templateFlags) (*chat.Template, error) {
	opts, err := t.options(a.asked)
	if err != nil {
		return nil, err
	}
	return a.loadModel(path, entry, chat.WithCompiler(opts...), chat.WithLimits(t.limits))
}

// mainProgram is the program of the template for requests without tools.
func mainProgram(t *chat.Template) *vm.Program {
	var first *vm.Program
	for name, p := range t.Programs() {
		if name == "default" {
			return p
		}
		if first == nil {
			first = p
		}
	}
	return first
}

// applyChat renders a request.
func (a *app) applyChat(ctx context.Context, t *chat.Template, request vm.Value, opts ...vm.RenderOption) (*chat.Result, error) {
	m, _ := request.Map()
	typeRequest(m)
	res, err := t.ApplyMap(ctx, m, opts...)
	if err == nil {
		a.found = append(a.found, res.Warnings...)
	}
	return res, err
}
