package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/diag"
)

func (a *app) helpCommand() *cobra.Command {
	var man bool
	cmd := &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Show help for a command, or a page about a topic",
		Long:  "Prints the help of a command, or a page:\n\n" + topicList(),
		Example: `  pcc help render
  pcc help syntax
  pcc help data | less
  pcc help --man > pcc.1
  pcc help --man render > pcc-render.1`,
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range cmd.Root().Commands() {
				names = append(names, c.Name()+"\t"+c.Short)
			}
			for _, t := range topics {
				if !slices.ContainsFunc(cmd.Root().Commands(), func(c *cobra.Command) bool { return c.Name() == t.name }) {
					names = append(names, t.name+"\t"+t.short)
				}
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
			page, isTopic := topicCalled(args[0])
			for _, c := range root.Commands() {
				if c.Name() == args[0] || c.HasAlias(args[0]) {
					c.InitDefaultHelpFlag()
					if isTopic && !man {
						return a.helpWithTopic(page, c.Help)
					}
					return show(c)
				}
			}
			if isTopic && man {
				return usagef("%s is a topic, and manual pages are of commands: `pcc help %[1]s`", page.name)
			}
			if isTopic {
				return a.showTopic(page)
			}
			if _, err := findCode(args[0]); err == nil {
				return usagef("%s is a diagnostic code: `pcc explain %[1]s`", args[0])
			}
			var names []string
			for _, c := range root.Commands() {
				names = append(names, c.Name())
			}
			for _, t := range topics {
				names = append(names, t.name)
			}
			msg := fmt.Sprintf("there is no command and no topic %q", args[0])
			if near, ok := diag.Near(args[0], names); ok {
				msg += fmt.Sprintf("; did you mean `pcc help %s`?", near)
			}
			return &usageError{msg: msg, help: "pcc help"}
		},
	}
	cmd.Flags().BoolVar(&man, "man", false, "print the manual page (troff)")
	return cmd
}
