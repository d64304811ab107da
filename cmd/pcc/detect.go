package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
)

func (a *app) detectCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "detect FILE…",
		Short: "Tell which syntax a template is written in",
		Long: `Prints the syntax that a template is read with where none is given, and why:
by the file's name, by ` + "`syntax:`" + ` in its front matter, or by its text. It also
lists what looks like a filtered placeholder, {a|b}, but is text because there is
no such filter.`,
		Example: `  pcc detect greeting.md
  pcc detect --json prompts/*.md`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("detect: FILE is missing; `-` is standard input")
			}
			return a.detect(args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a file")
	return cmd
}

func (a *app) detect(paths []string, asJSON bool) error {
	var b bytes.Buffer
	for _, path := range paths {
		f, err := a.readTemplate(path, &templateFlags{})
		if err != nil {
			return err
		}
		d := compiler.Detect(f.Text, f.Name)
		a.found = append(a.found, d.Warnings...)
		type text struct {
			Text   string `json:"text"`
			Line   int    `json:"line"`
			Column int    `json:"column"`
		}
		texts := []text{}
		for _, s := range d.TextTags {
			p := f.Position(s.Start)
			texts = append(texts, text{f.Slice(source.Span{Start: s.Start, End: min(s.End, s.Start+80)}), p.Line, p.Column})
		}
		if asJSON {
			line, err := jsonLine(struct {
				File   string `json:"file"`
				Syntax string `json:"syntax"`
				Reason string `json:"reason"`
				Texts  []text `json:"texts"`
			}{f.Name, d.Syntax.Name, d.Reason, texts})
			if err != nil {
				return err
			}
			b.Write(line)
			continue
		}
		if len(paths) > 1 {
			fmt.Fprintf(&b, "%s: ", f.Name)
		}
		fmt.Fprintf(&b, "%s: %s\n", d.Syntax.Name, d.Reason)
		for _, t := range texts {
			fmt.Fprintf(&b, "  %d:%d %q is text: there is no such filter\n", t.Line, t.Column, t.Text)
		}
	}
	return a.writeResult("", b.Bytes())
}
