package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/chat"
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
the form of --as. With --request it prints the whole body of a request to the provider
that --as names. Placeholders that are kept because they have no value are reported.

--chat-template writes a conversation as a model reads it: with a template from a
tokenizer_config.json of Hugging Face's, from a Jinja file, or from the folder of a
model, in the environment of transformers. The data holds the messages; where FILE is
given as well, they are what FILE renders. Of several templates the one named tool_use
is taken where the data has tools, else default, as transformers does; --entry names
another.

The file of -o must not be one that is read. In a terminal control characters of the
result are shown; elsewhere it is written byte for byte.`,
		Example: `  pcc render greeting.md -d customer.json
  pcc render greeting.md -D name=Ada -D 'items:=["tea", "milk"]'
  pcc render chat.md -d history.json --as openai
  pcc render agent.yaml -d ticket.json --as anthropic --request
  pcc render --chat-template tokenizer_config.json -d conversation.json
  echo 'Hello {name}' | pcc render - -D name=Ada
  pcc render report.md -d data.yaml -o report.txt`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.chat != "" && len(args) == 0 {
				return nil
			}
			if len(args) > 1 {
				if hint := dataHint(args[1]); hint != "" {
					return usagef("render takes one FILE, and %q is another argument; %s", args[1], hint)
				}
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
	fs.StringVar(&f.chat, "chat-template", "", "write the messages as a model reads them, with the chat template of this tokenizer_config.json, Jinja file or folder")
	addGuard(fs, &f.guard)
	fs.StringVar(&f.now, "now", "", "the time that clock functions see: now, a date such as 2026-03-09, or 2026-03-09T14:05:07Z")
	fs.StringVarP(&f.output, "output", "o", "", "write the result to this file, as a whole or not at all")
	return cmd
}

func (a *app) render(path string, f *renderFlags) error {
	a.strict = f.strict
	if f.now != "" {
		at, err := parseNow(f.now)
		if err != nil {
			return err
		}
		f.clock = func() time.Time { return at }
	}
	if err := checkGuard(f.guard); err != nil {
		return err
	}
	if err := f.checkRequest(); err != nil {
		return err
	}
	p, t, err := a.renderPrograms(path, f)
	if p == nil && t == nil || err != nil {
		return err
	}
	if t != nil && f.request {
		return usagef("--request writes a body for a provider, and a chat template a text; drop one of the two")
	}
	if t != nil && f.as != "" && f.as != "text" {
		return usagef("--as %s is for messages, and a chat template writes a text; drop one of the two", f.as)
	}
	a.checkFormFlags(f, p, t)
	f.lists = p == nil
	rows, many, err := a.rows(&f.dataFlags)
	if rows == nil || err != nil {
		return err
	}
	var out bytes.Buffer
	var told rowFindings
	for i, row := range rows {
		begin := len(a.found)
		err := a.renderRow(&out, p, t, row, many, f)
		if many {
			a.perRow(&told, begin, i+1)
		}
		if err == nil && many {
			err = a.hold(out.Len())
		}
		if err != nil {
			a.found = append(a.found, told.findings()...)
			if err = a.report(err); a.strict {
				a.reportDefined(f.sets, p, t)
			}
			a.hintTypes(f.sets)
			if many && err == nil {
				a.found = append(a.found, f.rowNote(i+1, "no row is written; with `pcc batch --on-error skip` the others are"))
			}
			if !f.given() && err == nil {
				a.reportVariables(path, mainOf(p, t))
			}
			return err
		}
	}
	a.found = append(a.found, told.findings()...)
	a.reportDefined(f.sets, p, t)
	if !f.given() && (a.found.Worst() <= diag.Warning || f.undefined == "" && needsData(mainOf(p, t))) {
		a.reportVariables(path, mainOf(p, t))
	}
	if a.failed() {
		return nil // with --strict, warnings are errors: no result
	}
	return a.writeResult(f.output, out.Bytes())
}

// renderPrograms loads what path names, and the chat templates. p is nil where
// the data holds the messages of a chat template; both are nil where there are
// findings.
func (a *app) renderPrograms(path string, f *renderFlags) (p *vm.Program, t *chat.Template, err error) {
	if f.chat != "" {
		entry := f.entry
		if path != f.chat {
			entry = "" // it names a prompt of FILE
		}
		if t, err = a.loadChat(f.chat, entry, &f.templateFlags); t == nil || path == f.chat {
			return nil, t, err
		}
	}
	found := len(a.found)
	prompts, err := a.load(path, &f.templateFlags)
	if err != nil || len(prompts) == 0 {
		return nil, nil, err
	}
	if prompts[0].isChatTemplate() {
		if t != nil {
			return nil, nil, usagef("%s and --chat-template %s are both chat templates; give one, and the messages with -d", path, f.chat)
		}
		a.found = a.found[:found] // loading the model tells it again
		t, err = a.loadChat(path, f.entry, &f.templateFlags)
		return nil, t, err
	}
	loaded, err := pick(prompts, path, f.entry)
	if err != nil {
		return nil, nil, err
	}
	return loaded.Program, t, nil
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
func (a *app) renderRow(out *bytes.Buffer, p *vm.Program, t *chat.Template, row vm.Value, many bool, f *renderFlags) error {
	ctx, cancel := a.deadline(&f.templateFlags)
	defer cancel()
	if p == nil {
		return a.renderChat(ctx, out, t, row, many, f)
	}
	report, err := p.Report(ctx, row, f.renderOptions()...)
	if err != nil {
		return err
	}
	a.reportRender(p, report)
	if t != nil {
		return a.renderChat(ctx, out, t, conversation(row, report.Messages), many, f)
	}
	result, err := f.result(p, report, func(d *diag.Diagnostic) { a.found = append(a.found, d) })
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

// renderChat writes a request into out as the model reads it.
func (a *app) renderChat(ctx context.Context, out *bytes.Buffer, t *chat.Template, request vm.Value, many bool, f *renderFlags) error {
	res, err := a.applyChat(ctx, t, request, f.renderOptions()...)
	if err != nil {
		return err
	}
	out.WriteString(res.Prompt)
	if many && !strings.HasSuffix(res.Prompt, "\n") {
		out.WriteByte('\n')
	}
	return nil
}

func (f *renderFlags) renderOptions() []vm.RenderOption {
	o := append(guardOption(f.guard), f.renderOption()...)
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

// mainOf is the program that reads the data.
func mainOf(p *vm.Program, t *chat.Template) *vm.Program {
	if p == nil {
		return mainProgram(t)
	}
	return p
}

// checkFormFlags warns of flags for messages where there are none, or that
// another form would need.
func (a *app) checkFormFlags(f *renderFlags, p *vm.Program, t *chat.Template) {
	if len(f.labels) > 0 && (f.as != "text" || t != nil) {
		a.warn("--label has no effect without --as text", "add --as text, or drop it")
	}
	if f.request && p != nil && p.Meta() != nil && len(p.Image().RequestKeys) == 0 {
		for _, key := range []string{"model", "parameters", "tools", "tool_choice", "output", "response_format", "client_parameters"} {
			if v, ok := p.Meta().Get(key); ok && !v.IsMissing() {
				a.warn("--request takes no `"+key+"` from this file, only the messages", "write the prompt as a document, `messages:` with `"+key+":` beside it")
				break
			}
		}
	}
	if f.now != "" && p != nil && !readsClock(p.Image()) {
		a.warn("--now has no effect: this template has no function that reads the clock", "drop it; strftime_now is a function of Jinja templates with --profile hf")
	}
	if f.noSystem && (t != nil || !p.IsChat() && f.as == "") {
		a.warn("--no-system-role has no effect on a text", "drop it, or give --as messages")
	}
}

// readsClock reports whether a program's templates have the function that reads the
// clock.
func readsClock(img *vm.Image) bool {
	return slices.ContainsFunc(append(slices.Clip(img.Dialects), img.Dialect), func(d *vm.Dialect) bool {
		_, has := d.Globals["strftime_now"]
		return has
	})
}

// parseNow reads --now.
func parseNow(s string) (time.Time, error) {
	if s == "now" {
		return time.Now(), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, s); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usagef("--now %s: write now, 2026-03-09 or 2026-03-09T14:05:07Z", s)
}
