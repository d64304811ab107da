package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/vm"
)

// templateEndings are the file names' endings that `pcc compile DIR` takes for
// templates.
var templateEndings = []string{".md", ".markdown", ".txt", ".prompt", ".tmpl", ".tpl", ".jinja", ".jinja2", ".j2"}

func (a *app) compileCommand() *cobra.Command {
	var t templateFlags
	var d dataFlags
	var emit, output string
	cmd := &cobra.Command{
		Use:     "compile PATH…",
		Aliases: []string{"check"},
		Short:   "Check templates, documents and whole folders",
		Long: `Compiles templates and reports what is wrong with them; prints nothing where
all is well. A folder stands for all templates in it: ` + oneOf(templateEndings) + `.

With --data the templates are also tried with that data. With --format json,
sarif or github the findings are the result and go to standard output; with text
they go to standard error.`,
		Example: `  pcc compile greeting.md
  pcc check prompts/ --strict
  pcc compile greeting.md --data sample.json
  pcc compile greeting.md --emit bytecode
  pcc compile prompts/ --format sarif > pcc.sarif`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("compile: PATH is missing; `.` is this folder, `-` standard input")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			a.strict = t.strict
			if emit == "" && output != "" {
				return usagef("-o goes with --emit")
			}
			if emit == "" && a.format != "text" {
				a.findings = a.stdout
			}
			return a.compileAll(args, &t, &d, emit, output)
		},
	}
	t.add(cmd.Flags())
	cmd.Flags().StringArrayVarP(&d.files, "data", "d", nil, "also try the templates with this data: .json, .yaml or .jsonl")
	cmd.Flags().StringArrayVarP(&d.sets, "define", "D", nil, "one value of that data: name=text or name:=json")
	cmd.Flags().Var(&choice{&emit, emitNames()}, "emit", "print what a stage of the compiler makes: "+oneOf(emitNames()))
	cmd.Flags().StringVarP(&output, "output", "o", "", "write what --emit prints to this file")
	return cmd
}

func (a *app) compileAll(paths []string, t *templateFlags, d *dataFlags, emit, output string) error {
	files, err := templatesIn(paths)
	if err != nil {
		return err
	}
	if emit != "" {
		if len(files) != 1 {
			return usagef("--emit takes one file, not %d", len(files))
		}
		return a.emit(files[0], emit, output, t)
	}
	var rows []vm.Value
	if d.given() {
		if rows, _, err = a.rows(d); rows == nil || err != nil {
			return err
		}
	}
	for _, path := range files {
		if a.ctx.Err() != nil {
			return errInterrupted
		}
		p, err := a.compile(path, t)
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		for _, row := range rows {
			ctx, cancel := a.deadline(t)
			err := a.report(a.checkData(ctx, p, row))
			cancel()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// templatesIn lists the templates that paths stand for: files as they are, and
// what folders hold, in order of names. Folders whose names begin with a dot
// are left out, and links are not followed.
func templatesIn(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "-":
			files = append(files, path)
			continue
		case errors.Is(err, fs.ErrNotExist):
			return nil, missingFile(path)
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, path)
			continue
		}
		n := len(files)
		err = filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && p != path && strings.HasPrefix(e.Name(), "."):
				return fs.SkipDir
			case e.Type().IsRegular() && slices.Contains(templateEndings, strings.ToLower(filepath.Ext(p))):
				files = append(files, p)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(files) == n {
			return nil, fmt.Errorf("there is no template in %s (files ending in %s)", path, oneOf(templateEndings))
		}
	}
	return files, nil
}
