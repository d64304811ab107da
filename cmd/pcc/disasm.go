package main

import "github.com/spf13/cobra"

func (a *app) disasmCommand() *cobra.Command {
	var t templateFlags
	cmd := &cobra.Command{
		Use:   "disasm FILE",
		Short: "Print a template's bytecode",
		Long: `Prints the bytecode that the template FILE is compiled to, one instruction a
line, with the place in the source that each comes from.`,
		Example: "  pcc disasm greeting.md",
		Args:    exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			a.strict = t.strict
			p, err := a.compile(args[0], &t)
			if p == nil || err != nil {
				return err
			}
			return a.writeResult("", []byte(p.Disassemble()))
		},
	}
	t.add(cmd.Flags())
	return cmd
}
