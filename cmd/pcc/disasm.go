package main

import "github.com/spf13/cobra"

func (a *app) disasmCommand() *cobra.Command {
	var t templateFlags
	var entry string
	cmd := &cobra.Command{
		Use:   "disasm FILE",
		Short: "Print a template's bytecode",
		Long: `Prints the bytecode that the template FILE is compiled to, one instruction a
line, with the place in the source that each comes from.`,
		Example: "  pcc disasm greeting.md",
		Args:    exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			a.strict = t.strict
			p, err := a.loadOne(args[0], entry, &t)
			if p == nil || err != nil {
				return err
			}
			return a.writeText("", []byte(p.Disassemble()))
		},
	}
	t.add(cmd.Flags())
	cmd.Flags().StringVar(&entry, "entry", "", "which prompt of a document that holds several")
	return cmd
}
