package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/diag"
)

func (a *app) helpCommand() *cobra.Command {
	var man bool
	cmd := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show help for a command",
		Example: `  pcc help render
  pcc help --man > pcc.1
  pcc help --man render > pcc-render.1`,
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range cmd.Root().Commands() {
				names = append(names, c.Name()+"\t"+c.Short)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			show := (*cobra.Command).Help
			if man {
				show = func(c *cobra.Command) error {
					page, err := manPage(c)
					if err == nil {
						_, err = a.stdout.Write(page)
					}
					return err
				}
			}
			if len(args) == 0 {
				return show(root)
			}
			for _, c := range root.Commands() {
				if c.Name() == args[0] || c.HasAlias(args[0]) {
					c.InitDefaultHelpFlag()
					return show(c)
				}
			}
			if _, err := findCode(args[0]); err == nil {
				return usagef("%s is a diagnostic code: `pcc explain %[1]s`", args[0])
			}
			var names []string
			for _, c := range root.Commands() {
				names = append(names, c.Name())
			}
			msg := fmt.Sprintf("there is no command %q", args[0])
			if near, ok := diag.Near(args[0], names); ok {
				msg += fmt.Sprintf("; did you mean `pcc help %s`?", near)
			}
			return &usageError{msg: msg, help: "pcc help"}
		},
	}
	cmd.Flags().BoolVar(&man, "man", false, "print the manual page (troff)")
	return cmd
}
