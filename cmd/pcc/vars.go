package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

func (a *app) varsCommand() *cobra.Command {
	var t templateFlags
	var asJSON, asSchema bool
	var entry string
	cmd := &cobra.Command{
		Use:   "vars FILE",
		Short: "List the variables that a template or document reads",
		Long: `Lists the variables that FILE, a template or prompt document, reads: their type
(declared, or inferred from use), whether they are required, and where they are
used.`,
		Example: `  pcc vars greeting.md
  pcc vars greeting.md --json
  pcc vars greeting.md --json-schema > greeting.schema.json`,
		Args: exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if asJSON && asSchema {
				return usagef("give either --json or --json-schema")
			}
			a.strict = t.strict
			p, err := a.loadOne(args[0], entry, &t)
			if p == nil || err != nil {
				return err
			}
			var out []byte
			switch {
			case asSchema:
				out, err = prompt.Schema(p.Program)
				if err == nil {
					out = append(bytes.TrimRight(plainJSON(out), "\n"), '\n')
				}
			case asJSON:
				out, err = variablesJSON(p.Variables())
			default:
				out = forPeople([]byte(variableTable(p.Variables())), false)
			}
			if err != nil {
				return err
			}
			return a.writeResult("", out)
		},
	}
	t.add(cmd.Flags())
	cmd.Flags().StringVar(&entry, "entry", "", "which prompt of a document that holds several")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	cmd.Flags().BoolVar(&asSchema, "json-schema", false, "print a JSON Schema of the data")
	return cmd
}

// variableTable lists variables for people, one a line. Names and descriptions
// come from templates.
func variableTable(vars []vm.Variable) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, v := range vars {
		need := "required"
		switch {
		case v.Default != "":
			need = "default " + v.Default
		case !v.Required:
			need = "optional"
		}
		kind := orDefault(v.Type, "any")
		if len(v.Enum) > 0 {
			kind += ": " + strings.Join(v.Enum, " | ")
		}
		var l lines
		l.printf("  %s\t%s\t%s\t%s\n", v.Name, kind, need, v.Description+uses(v))
		_, _ = w.Write(l.b.Bytes())
	}
	w.Flush()
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

// uses says where v is used: "line 3, 8 and 12".
func uses(v vm.Variable) string {
	const shown = 4
	var lines []string
	last := 0
	for _, u := range v.Uses {
		if u.Line != last {
			lines = append(lines, fmt.Sprint(u.Line))
			last = u.Line
		}
	}
	if len(lines) == 0 {
		return ""
	}
	prefix := ""
	if v.Description != "" {
		prefix = " "
	}
	if len(lines) > shown {
		return fmt.Sprintf("%s(line %s, …)", prefix, strings.Join(lines[:shown], ", "))
	}
	return fmt.Sprintf("%s(line %s)", prefix, strings.Join(lines, ", "))
}

// variablesJSON writes variables as a JSON list.
func variablesJSON(vars []vm.Variable) ([]byte, error) {
	type use struct {
		File   string `json:"file,omitempty"`
		Line   int    `json:"line"`
		Column int    `json:"column"`
		Offset int    `json:"offset"`
	}
	type variable struct {
		Name        string          `json:"name"`
		Type        string          `json:"type"`
		Required    bool            `json:"required"`
		Description string          `json:"description,omitempty"`
		Default     json.RawMessage `json:"default,omitempty"`
		Enum        []string        `json:"enum,omitempty"`
		Uses        []use           `json:"uses"`
	}
	list := []variable{}
	for _, v := range vars {
		j := variable{Name: v.Name, Type: orDefault(v.Type, "any"), Required: v.Required,
			Description: v.Description, Default: json.RawMessage(v.Default), Enum: v.Enum, Uses: []use{}}
		for _, u := range v.Uses {
			j.Uses = append(j.Uses, use{v.File, u.Line, u.Column, u.Offset})
		}
		list = append(list, j)
	}
	return indentedJSON(list)
}

// indentedJSON writes v on several lines, with `<`, `>` and `&` as they are.
func indentedJSON(v any) ([]byte, error) { return encodeJSON(v, "  ") }

// jsonLine writes v on one line.
func jsonLine(v any) ([]byte, error) { return encodeJSON(v, "") }

func encodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return plainJSON(b.Bytes()), err
}
