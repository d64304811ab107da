package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shells are the shells that completion scripts are written for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a completion script for a shell",
		Long:  "Prints a script that completes commands, flags and files: for " + oneOf(shells) + ".\nThat for bash needs the package bash-completion.",
		Example: `  source <(pcc completion bash)
  pcc completion zsh > "${fpath[1]}/_pcc"
  pcc completion fish > ~/.config/fish/completions/pcc.fish`,
		Args:      exactly("SHELL"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.stdout)
			}
			return usagef("no completion for %q; shells are %s", args[0], oneOf(shells))
		},
	}
}

// completeChoices makes the shell complete the values of flags that have a
// fixed set of them.
func completeChoices(cmd *cobra.Command) {
	complete := func(f *pflag.Flag) {
		if c, ok := f.Value.(*choice); ok {
			if err := cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(c.allowed, cobra.ShellCompDirectiveNoFileComp)); err != nil {
				panic(fmt.Sprintf("%s: %v", cmd.Name(), err)) // two registrations: a fault in this file
			}
		}
	}
	cmd.Flags().VisitAll(complete)
	cmd.PersistentFlags().VisitAll(complete)
	for _, c := range cmd.Commands() {
		completeChoices(c)
	}
}
