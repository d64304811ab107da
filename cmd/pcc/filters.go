package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/stdlib"
)

func (a *app) filtersCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "filters [NAME]",
		Short: "List the filters, tests and functions, or explain one",
		Long: `Lists the filters, tests, functions and methods that templates can use, each with its
arguments and one sentence. With NAME only those of that name.

Native templates ({name|upper}) and Jinja templates share most of them; the others are
marked. Methods exist in Jinja only, as in Python.`,
		Example: `  pcc filters
  pcc filters truncate
  pcc filters --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return a.filters(name, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return cmd
}

func (a *app) filters(name string, asJSON bool) error {
	var entries []stdlib.Entry
	var names []string
	for _, e := range stdlib.Table() {
		names = append(names, e.Name)
		if e.Name == name || name == "" && (e.Kind != "method" || asJSON) {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		if near, ok := diag.Near(name, names); ok {
			return usagef("there is no filter, test or function %q; did you mean %q?", name, near)
		}
		return usagef("there is no filter, test or function %q; `pcc filters` lists them", name)
	}
	if asJSON {
		out, err := encodeJSON(entries, "  ")
		if err != nil {
			return err
		}
		return a.writeResult("", out)
	}
	return a.writeResult("", []byte(filterTable(entries)))
}

// filterTable is the list for people, a heading for each kind.
func filterTable(entries []stdlib.Entry) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	kind := ""
	for _, e := range entries {
		if e.Kind != kind {
			if kind != "" {
				fmt.Fprintln(w)
			}
			kind = e.Kind
			fmt.Fprintf(w, "%ss\n", kind)
		}
		usage := e.Signature
		if e.On != "" {
			usage = e.On + "." + usage
		}
		only := ""
		switch {
		case e.Kind == "method":
		case !e.Native:
			only = " (Jinja only)"
		case !e.Jinja:
			only = " (native only)"
		}
		fmt.Fprintf(w, "  %s\t%s%s\n", usage, e.Doc, only)
	}
	w.Flush()
	return b.String()
}
