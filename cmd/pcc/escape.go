package main

import (
	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

func (a *app) escapeCommand() *cobra.Command {
	syntax := "brace"
	var output string
	cmd := &cobra.Command{
		Use:   "escape [FILE]",
		Short: "Turn a text into a template that renders it",
		Long: `Reads a text (FILE, or standard input) and prints a template that renders to
exactly that text: what looks like a tag is written as a literal.`,
		Example: `  pcc escape manual.tex > manual.md
  pbpaste | pcc escape --syntax double-brace`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path := "-"
			if len(args) == 1 {
				path = args[0]
			}
			var text []byte
			var err error
			limit := vm.DefaultLimits().SourceBytes
			if path == "-" {
				text, err = a.readStdin("the text", limit)
			} else if err = statTemplate(path); err == nil {
				text, err = a.readInput(path, limit)
			}
			if err != nil {
				return err
			}
			out, err := compiler.Escape(string(text), compiler.Syntax(syntax))
			if err != nil {
				return a.report(err)
			}
			return a.writeResult(output, []byte(out))
		},
	}
	cmd.Flags().Var(&choice{&syntax, syntaxNames[1:]}, "syntax", "syntax of the template: "+oneOf(syntaxNames[1:]))
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the template to this file")
	return cmd
}
