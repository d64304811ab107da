package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/vm"
)

func (a *app) compileCommand() *cobra.Command {
	var t templateFlags
	var d dataFlags
	var emit, output string
	var exclude []string
	cmd := &cobra.Command{
		Use:     "compile PATH…",
		Aliases: []string{"check"},
		Short:   "Check templates, documents and whole folders",
		Long: `Compiles templates and reports what is wrong with them; prints nothing where
all is well. A folder stands for all templates, prompt documents and agents in it:
files that end in .md, .txt, .prompt, .tmpl, .pcc, .jinja, .jinja2 or .j2, and those
that end in .yaml, .yml or .json and hold prompts. Hidden files, files named README
and what --exclude names are passed over.

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
			t.exclude = exclude
			return a.compileAll(args, &t, &d, emit, output)
		},
	}
	t.add(cmd.Flags())
	addExclude(cmd.Flags(), &exclude)
	cmd.Flags().StringArrayVarP(&d.files, "data", "d", nil, "also try the templates with this data: .json, .yaml or .jsonl")
	cmd.Flags().StringArrayVarP(&d.sets, "define", "D", nil, "one value of that data: name=text or name:=json")
	cmd.Flags().Var(&choice{&emit, emitNames()}, "emit", "print what a stage of the compiler makes: "+oneOf(emitNames()))
	cmd.Flags().StringVarP(&output, "output", "o", "", "write what --emit prints to this file")
	return cmd
}

func (a *app) compileAll(paths []string, t *templateFlags, d *dataFlags, emit, output string) error {
	if emit != "" {
		if len(paths) != 1 {
			return usagef("--emit takes one file, not %d", len(paths))
		}
		return a.emit(paths[0], emit, output, t)
	}
	var rows []vm.Value
	var many bool
	if d.given() {
		var err error
		if rows, many, err = a.rows(d); rows == nil || err != nil {
			return err
		}
	}
	for _, path := range paths {
		prompts, err := a.loadPath(path, t)
		if err != nil {
			return err
		}
		for _, p := range prompts {
			if err := a.checkRows(p.Program, rows, many, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkRows tries a program with rows of data.
func (a *app) checkRows(p *vm.Program, rows []vm.Value, many bool, t *templateFlags) error {
	var told rowFindings
	for i, row := range rows {
		begin := len(a.found)
		ctx, cancel := a.deadline(t)
		err := a.report(a.checkData(ctx, p, row))
		cancel()
		if err != nil {
			return err
		}
		if many {
			a.perRow(&told, begin, i+1)
		}
	}
	a.found = append(a.found, told.findings()...)
	return nil
}

// loadPath is load, but a folder that is no agent stands for all that it holds.
func (a *app) loadPath(path string, t *templateFlags) ([]loaded, error) {
	if a.ctx.Err() != nil {
		return nil, errInterrupted
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return a.loadTree(path, t)
	}
	return a.load(path, t)
}

// addExclude adds the flag --exclude.
func addExclude(f *pflag.FlagSet, patterns *[]string) {
	f.StringArrayVar(patterns, "exclude", nil, "files and folders of a folder that are passed over, such as 'drafts' or '*.draft.md'")
}
