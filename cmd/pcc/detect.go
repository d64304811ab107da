package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
)

func (a *app) detectCommand() *cobra.Command {
	var asJSON, capabilities bool
	cmd := &cobra.Command{
		Use:   "detect FILE…",
		Short: "Tell which syntax a template is written in, or which form a document has",
		Long: `Prints the syntax that a template is read with where none is given, and why:
by the file's name, by ` + "`syntax:`" + ` in its front matter, or by its text. It also
lists what looks like a filtered placeholder, {a|b}, but is text because there is
no such filter.

Of a prompt document or an agent's folder it prints the form and the prompts.

--capabilities prints as JSON what a model's chat template supports: roles, tools, how
it reads their calls, content in parts, reasoning, media. FILE is as in pcc chat.`,
		Example: `  pcc detect greeting.md
  pcc detect --json prompts/*.md
  pcc detect --capabilities tokenizer_config.json`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("detect: FILE is missing; `-` is standard input")
			}
			if capabilities {
				return a.detectCapabilities(args)
			}
			return a.detect(args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a file")
	cmd.Flags().BoolVar(&capabilities, "capabilities", false, "print what a model's chat template supports, as JSON")
	return cmd
}

func (a *app) detect(paths []string, asJSON bool) error {
	var b lines
	for _, path := range paths {
		if isDocument(path) {
			if err := a.detectForm(&b, path, len(paths) > 1, asJSON); err != nil {
				return err
			}
			continue
		}
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
			b.b.Write(line)
			continue
		}
		if len(paths) > 1 {
			b.printf("%s: ", f.Name)
		}
		b.printf("%s: %s\n", d.Syntax.Name, d.Reason)
		for _, t := range texts {
			b.printf("  %d:%d %q is text: there is no such filter\n", t.Line, t.Column, t.Text)
		}
	}
	return a.writeText("", b.b.Bytes())
}

// isDocument reports whether path is read as a document: a YAML or JSON file,
// or a folder.
func isDocument(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.IsDir() || document.IsDocument(path))
}

// formReasons tell what each form is known by.
var formReasons = map[string]string{
	"native":           "it has `messages`, `template` or `templates`, or is a list of messages",
	"agentforge":       "it has `prompts` with `system` and `user`, or these alone",
	"prompt-templates": "it has a map under `prompt`",
	"pair":             "it has `system_template`",
	"agent":            "it has a list under `prompt`",
	"chat-template":    "it is a tokenizer's configuration with `chat_template`",
}

// detectForm writes the form of a document and the names of its prompts.
func (a *app) detectForm(b *lines, path string, many, asJSON bool) error {
	prompts, err := a.load(path, &templateFlags{syntax: "auto"})
	if err != nil || len(prompts) == 0 {
		return err
	}
	form := prompts[0].form
	names := []string{}
	for _, p := range prompts {
		if name := entryName(path, p.name); name != "" {
			names = append(names, name)
		}
	}
	if asJSON {
		line, err := jsonLine(struct {
			File    string   `json:"file"`
			Form    string   `json:"form"`
			Reason  string   `json:"reason"`
			Entries []string `json:"entries"`
		}{path, form, formReasons[form], names})
		b.b.Write(line)
		return err
	}
	if many {
		b.printf("%s: ", path)
	}
	b.printf("%s document: %s\n", form, formReasons[form])
	for _, name := range names {
		b.printf("  --entry %s\n", name)
	}
	return nil
}
