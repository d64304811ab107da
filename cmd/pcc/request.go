package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
	"github.com/pcc-lang/pcc/vm/message"
)

// requestForms are the names that --from takes: the providers', and request for the
// form that documents have, which is no provider's.
func requestForms() []string { return append([]string{"request"}, message.Providers()...) }

func (a *app) requestCommand() *cobra.Command {
	var to, from, output string
	cmd := &cobra.Command{
		Use:   "request FILE --to PROVIDER",
		Short: "Convert a ready request into the body for another provider",
		Long: `Reads a request in JSON or YAML (FILE, or - for standard input; a .jsonl file holds one a
line) and prints it as the API of another provider takes it: openai (chat completions),
responses (OpenAI's), anthropic (messages) or gemini (generateContent). Nothing in the
request is a template: braces and tags in it stay as they are.

The request is the body for a provider, which its keys tell, or has the keys model,
messages, tools, tool_choice, parameters and output, as a document has them; --from says
so where the keys leave a choice. What the other provider cannot say is an error that
names its place, and nothing is printed. A mark for the prompt cache that has no place is
left out with a note.`,
		Example: `  pcc request request.json --to anthropic
  pcc request body.json --from openai --to gemini
  pcc request - --to responses < request.json`,
		Args: exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if to == "" {
				return usagef("say for whom: --to %s", oneOf(message.Providers()))
			}
			return a.convertRequests(args[0], from, to, output)
		},
	}
	cmd.Flags().Var(&choice{&to, message.Providers()}, "to", "the provider: "+oneOf(message.Providers()))
	cmd.Flags().Var(&choice{&from, requestForms()}, "from", "form of the request: "+oneOf(requestForms())+" (default: by its keys)")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the body to this file, as a whole or not at all")
	return cmd
}

// convertRequests writes the requests of a file as bodies.
func (a *app) convertRequests(path, from, to, output string) error {
	if path != "-" {
		if err := statTemplate(path); err != nil {
			return err
		}
	}
	requests, many, err := a.readData(path, &dataFlags{})
	if err != nil {
		return a.report(err)
	}
	name := path
	if path == "-" {
		name = stdinName
	}
	var out bytes.Buffer
	for i, v := range requests {
		at := &source.File{Name: name, Private: true}
		if many {
			at.Name = fmt.Sprintf("%s, request %d", name, i+1)
		}
		body, err := a.convertRequest(v, from, to, at)
		if err != nil {
			for _, d := range diag.AsList(err) {
				d.File = at
			}
			return a.report(err)
		}
		indent := "  "
		if many {
			indent = ""
		}
		line, err := encodeJSON(body, indent)
		if err != nil {
			return err
		}
		out.Write(line)
	}
	return a.writeResult(output, out.Bytes())
}

func (a *app) convertRequest(v vm.Value, from, to string, at *source.File) (vm.Value, error) {
	if from == "" {
		from = message.DetectProvider(v)
	}
	var r *message.Request
	var err error
	if from == "" || from == "request" {
		r, err = message.ParseRequest(v)
	} else {
		r, err = message.FromBody(v, from)
	}
	if err != nil {
		return vm.Null, err
	}
	return r.Body(to, message.Options{Note: func(d *diag.Diagnostic) {
		d.File = at
		a.found = append(a.found, d)
	}})
}
