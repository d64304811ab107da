package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/diag"
)

// codeForm is how people write a code: PCC104, pcc104 or 104.
var codeForm = regexp.MustCompile(`^(?i:pcc)?[-_]?(\d{3})$`)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE…]",
		Short: "Explain a diagnostic code",
		Long:  "Prints what a code such as PCC104 means, with an example that raises it and the\nmended form. Without a code it lists them all.",
		Example: `  pcc explain PCC104
  pcc explain`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, e := range diag.Entries() {
				codes = append(codes, string(e.Code)+"\t"+e.Title)
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var b bytes.Buffer
			if len(args) == 0 {
				for _, e := range diag.Entries() {
					fmt.Fprintf(&b, "%s  %-7s  %s\n", e.Code, e.Severity, e.Title)
				}
			}
			var unknown error // the first; the codes that there are come all the same
			for _, arg := range args {
				e, err := findCode(arg)
				if err != nil {
					if unknown == nil {
						unknown = err
					}
					continue
				}
				if b.Len() > 0 {
					b.WriteByte('\n')
				}
				if err := diag.Explain(&b, e); err != nil {
					return err
				}
			}
			if err := a.writeText("", b.Bytes()); err != nil {
				return err
			}
			return unknown
		},
	}
}

func findCode(arg string) (diag.Entry, error) {
	code := arg
	if m := codeForm.FindStringSubmatch(arg); m != nil {
		code = "PCC" + m[1]
	}
	if e, ok := diag.Lookup(diag.Code(code)); ok {
		return e, nil
	}
	// Numbers are not misspelt as words are: the near ones have nothing in common.
	msg := fmt.Sprintf("there is no code %s", strings.ToUpper(code))
	if !codeForm.MatchString(arg) {
		var codes []string
		for _, e := range diag.Entries() {
			codes = append(codes, string(e.Code))
		}
		if near, ok := diag.Near(strings.ToUpper(code), codes); ok {
			msg += fmt.Sprintf("; the nearest is %s", near)
		}
	}
	return diag.Entry{}, usagef("%s; `pcc explain` lists them all", msg)
}
