package main

import (
	"bytes"
	"time"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/chat"
	"github.com/pcc-lang/pcc/vm"
)

// chatFlags are the flags of `pcc chat`.
type chatFlags struct {
	dataFlags
	template string
	cont     bool
	segments bool
	now      string
	output   string
	strict   bool
}

func (a *app) chatCommand() *cobra.Command {
	f := &chatFlags{}
	cmd := &cobra.Command{
		Use:   "chat MODEL",
		Short: "Write a chat request as a model reads it",
		Long: `Renders a chat request with the chat template of MODEL and prints the prompt. MODEL
is a model's folder, its tokenizer_config.json, a chat_template.jinja or .json, or a
GGUF file.

The request comes from -d, as JSON: an object with messages, and where they are wanted
tools, documents, add_generation_prompt, chat_template_kwargs and what else the
template reads; a list alone is the messages. Arguments of tool calls may be objects or
JSON texts, as in OpenAI's API. With a .jsonl file each line is a request.

--segments prints the pieces of the prompt instead, one JSON object a line: start and
end (byte offsets), text, from_data (false where the template wrote it), path (where in
the request it stands), derived (data without a path), and control (data that spells a
control token, to be encoded as plain text); row with several requests.

Of several templates the one named tool_use is taken where the request has tools, else
default, as transformers does; --template names another.`,
		Example: `  pcc chat models/qwen3 -d request.json
  pcc chat model.gguf -d messages.json -D add_generation_prompt=true
  pcc chat tokenizer_config.json -d request.json --continue
  pcc chat models/qwen3 -d request.json --segments`,
		Args: exactly("MODEL"),
		RunE: func(_ *cobra.Command, args []string) error { return a.chat(args[0], f) },
	}
	fs := cmd.Flags()
	f.dataFlags.add(fs)
	f.lists = true
	fs.StringVar(&f.template, "template", "", "which of several templates")
	fs.BoolVar(&f.cont, "continue", false, "end the prompt inside the last message, so that the model goes on with it")
	fs.BoolVar(&f.segments, "segments", false, "print where each piece of the prompt comes from, as JSON lines")
	fs.StringVar(&f.now, "now", "", "the time that clock functions see: now, a date such as 2026-03-09, or 2026-03-09T14:05:07Z")
	fs.StringVarP(&f.output, "output", "o", "", "write the prompt to this file, as a whole or not at all")
	fs.BoolVar(&f.strict, "strict", false, "make warnings errors")
	return cmd
}

func (a *app) chat(model string, f *chatFlags) error {
	a.strict = f.strict
	var opts []chat.Option
	if f.now != "" {
		at, err := parseNow(f.now)
		if err != nil {
			return err
		}
		opts = append(opts, chat.WithClock(func() time.Time { return at }))
	}
	t, err := a.loadModel(model, f.template, opts...)
	if t == nil || err != nil {
		return err
	}
	rows, many, err := a.rows(&f.dataFlags)
	if rows == nil || err != nil {
		return err
	}
	var render []chat.RenderOption
	if f.segments {
		render = append(render, chat.WithSegments())
	}
	var out bytes.Buffer
	var told rowFindings
	for i, row := range rows {
		begin := len(a.found)
		if request, _ := row.Map(); f.cont {
			request.Set("continue_final_message", vm.Bool(true))
		}
		res, err := a.applyChat(a.ctx, t, row, render...)
		if many {
			a.perRow(&told, begin, i+1)
		}
		if err == nil && many {
			err = a.hold(out.Len() + len(res.Prompt))
		}
		if err != nil {
			a.found = append(a.found, told.findings()...)
			if err = a.report(err); many && err == nil {
				a.found = append(a.found, f.rowNote(i+1, "no row is written"))
			}
			return err
		}
		if f.segments {
			for _, s := range res.Segments {
				piece := promptPiece{Segment: s}
				if many {
					piece.Row = i + 1
				}
				line, err := jsonLine(piece)
				if err != nil {
					return err
				}
				out.Write(line)
			}
			continue
		}
		if many {
			line, err := jsonLine(res.Prompt)
			if err != nil {
				return err
			}
			out.Write(line)
			continue
		}
		out.WriteString(res.Prompt)
	}
	a.found = append(a.found, told.findings()...)
	if a.failed() {
		return nil // with --strict, warnings are errors: no result
	}
	return a.writeResult(f.output, out.Bytes())
}

// promptPiece is a line of --segments.
type promptPiece struct {
	// Row is the number of the request where there are several, from 1 on.
	Row int `json:"row,omitempty"`
	chat.Segment
}

// requestSwitches are the keys of a request that are true or false.
var requestSwitches = []string{"add_generation_prompt", "continue_final_message"}

// typeRequest reads the switches of a request that -D gave as texts.
func typeRequest(m *vm.Map) {
	for _, key := range requestSwitches {
		v, _ := m.Get(key)
		switch s, _ := v.Str(); s {
		case "true":
			m.Set(key, vm.Bool(true))
		case "false":
			m.Set(key, vm.Bool(false))
		}
	}
}

// detectCapabilities prints what the chat template of each model supports.
func (a *app) detectCapabilities(models []string) error {
	var out bytes.Buffer
	for _, model := range models {
		t, err := a.loadModel(model, "")
		if err != nil {
			return err
		}
		if t == nil {
			continue
		}
		line, err := encodeJSON(t.Capabilities(), "  ")
		if err != nil {
			return err
		}
		out.Write(line)
	}
	for _, d := range a.found {
		if d.Severity == diag.Error {
			return nil
		}
	}
	return a.writeResult("", out.Bytes())
}
