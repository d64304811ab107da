package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// renderFlags are the flags of `pcc render`.
type renderFlags struct {
	templateFlags
	dataFlags
	formFlags
	entry  string
	chat   string // a tokenizer's configuration, or a chat template
	guard  string
	now    string
	output string
	clock  func() time.Time
}

func (a *app) renderCommand() *cobra.Command {
	f := &renderFlags{}
	cmd := &cobra.Command{
		Use:   "render FILE",
		Short: "Render a template or document with data",
		Long: `Renders FILE with data: a template (- for standard input), a prompt document
(.yaml, .yml, .json) or the folder of an agent.

Data comes from -d and -D; where both give a name, -D wins. With a .jsonl file the
template is rendered once for each line. A chat prints its messages as JSON, or in
the form of --as. Placeholders that are kept because they have no value are reported.

--chat-template writes a conversation as a model reads it: with a template from a
tokenizer_config.json of Hugging Face's, or from a Jinja file, in the environment
of transformers. The data holds the messages; where FILE is given as well, they are
what FILE renders. Of several templates --entry names one.`,
		Example: `  pcc render greeting.md -d customer.json
  pcc render greeting.md -D name=Ada -D 'items:=["tea", "milk"]'
  pcc render chat.md -d history.json --as openai
  pcc render --chat-template tokenizer_config.json -d conversation.json
  echo 'Hello {name}' | pcc render - -D name=Ada
  pcc render report.md -d data.yaml -o report.txt`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.chat != "" && len(args) == 0 {
				return nil
			}
			return exactly("FILE")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{f.chat}
			}
			return a.render(args[0], f)
		},
	}
	fs := cmd.Flags()
	f.dataFlags.add(fs)
	f.templateFlags.add(fs)
	fs.StringVar(&f.entry, "entry", "", "which prompt of a document that holds several")
	f.formFlags.add(fs)
	fs.StringVar(&f.chat, "chat-template", "", "write the messages as a model reads them, with the chat template of this tokenizer_config.json or Jinja file")
	addGuard(fs, &f.guard)
	fs.StringVar(&f.now, "now", "", "the time that clock functions see, RFC 3339")
	fs.StringVarP(&f.output, "output", "o", "", "write the result to this file, as a whole or not at all")
	return cmd
}

func (a *app) render(path string, f *renderFlags) error {
	a.strict = f.strict
	if f.now != "" {
		at, err := time.Parse(time.RFC3339, f.now)
		if err != nil {
			return usagef("--now %s: write it as 2026-03-09T14:05:07Z", f.now)
		}
		f.clock = func() time.Time { return at }
	}
	if err := checkGuard(f.guard); err != nil {
		return err
	}
	p, chat, err := a.renderPrograms(path, f)
	if p == nil || err != nil {
		return err
	}
	f.lists = p == chat
	rows, many, err := a.rows(&f.dataFlags)
	if rows == nil || err != nil {
		return err
	}
	var out bytes.Buffer
	for i, row := range rows {
		err := a.renderRow(&out, p, chat, row, many, f)
		if err != nil {
			if err = a.report(err); a.strict {
				a.reportUnread(p, chat, f.definedNames())
			}
			a.hintTypes(f.sets)
			if many && err == nil {
				a.found = append(a.found, &diag.Diagnostic{Severity: diag.Note, Message: fmt.Sprintf("this happened in row %d of the data", i+1)})
			}
			if !f.given() && err == nil {
				a.reportVariables(path, p)
			}
			return err
		}
	}
	a.reportUnread(p, chat, f.definedNames())
	if !f.given() && (a.found.Worst() <= diag.Warning || f.undefined == "" && needsData(p)) {
		a.reportVariables(path, p)
	}
	if a.failed() {
		return nil // with --strict, warnings are errors: no result
	}
	return a.writeResult(f.output, out.Bytes())
}

// renderPrograms loads what path names, and the chat template. They are one
// where the data holds the messages. The program is nil where there are
// findings.
func (a *app) renderPrograms(path string, f *renderFlags) (p, chat *vm.Program, err error) {
	if f.chat != "" {
		t, entry := f.templateFlags, f.entry
		t.chat = !document.IsDocument(f.chat)
		if path != f.chat {
			entry = "" // it names a prompt of FILE
		}
		loaded, err := a.loadOne(f.chat, entry, &t)
		if loaded == nil || err != nil {
			return nil, nil, err
		}
		if chat = loaded.Program; path == f.chat {
			return chat, chat, nil
		}
	}
	loaded, err := a.loadOne(path, f.entry, &f.templateFlags)
	if loaded == nil || err != nil {
		return nil, nil, err
	}
	if p = loaded.Program; loaded.isChatTemplate() {
		chat = p
	}
	return p, chat, nil
}

// conversation is the data of a chat template: a row with the messages that it
// rendered to.
func conversation(row vm.Value, messages []vm.Message) vm.Value {
	items := make([]vm.Value, len(messages))
	for i := range messages {
		items[i] = messages[i].Value()
	}
	data := vm.NewMap(8)
	if m, ok := row.Map(); ok {
		merge(data, m)
	}
	data.Set("messages", vm.ListOf(items))
	return vm.MapOf(data)
}

// renderRow renders one row of data into out.
func (a *app) renderRow(out *bytes.Buffer, p, chat *vm.Program, row vm.Value, many bool, f *renderFlags) error {
	ctx, cancel := a.deadline(&f.templateFlags)
	defer cancel()
	report, err := p.Report(ctx, row, f.renderOptions()...)
	if err != nil {
		return err
	}
	a.reportRender(p, report)
	if chat != nil && chat != p {
		if report, err = chat.Report(ctx, conversation(row, report.Messages), f.renderOptions()...); err != nil {
			return err
		}
		p = chat
	}
	result, err := f.result(p, report)
	if err != nil {
		return err
	}
	text, isText := result.Str()
	if isText {
		out.WriteString(text)
	} else {
		o := vm.JSONOptions{}
		if !many {
			o.Indent = "  "
		}
		out.Write(vm.AppendJSON(nil, result, o))
	}
	if !isText || many && !strings.HasSuffix(text, "\n") {
		out.WriteByte('\n')
	}
	return nil
}

func (f *renderFlags) renderOptions() []vm.RenderOption {
	o := guardOption(f.guard)
	if f.clock != nil {
		o = append(o, vm.WithClock(f.clock))
	}
	return o
}

// checkData renders without keeping the result, to find what a row of data would
// do wrong.
func (a *app) checkData(ctx context.Context, p *vm.Program, row vm.Value) error {
	report, err := p.Report(ctx, row)
	if err != nil {
		return err
	}
	a.reportRender(p, report)
	return nil
}
