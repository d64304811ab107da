package main

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
	"github.com/pcc-lang/pcc/vm/message"
)

// formFlags say in which form a render's result is written.
type formFlags struct {
	as       string
	noSystem bool
	labels   []string
	request  bool // the whole body of a request
}

func (m *formFlags) add(f *pflag.FlagSet) {
	f.Var(&choice{&m.as, message.Forms()}, "as", "form of the result: "+oneOf(message.Forms())+" (default: by the template); text has PDX's labels SYSTEM, USER and ASSISTANT, which --label replaces")
	f.BoolVar(&m.request, "request", false, "the whole body of a request, with the model, parameters, tools and output of the document: in the form of --as "+oneOf(message.Providers()))
	f.BoolVar(&m.noSystem, "no-system-role", false, "turn system messages into user messages, for models without that role")
	f.StringArrayVar(&m.labels, "label", nil, "with --as text, what stands before the messages of a role: role=text")
}

// form is the form of p's results.
func (m *formFlags) form(p *vm.Program) string {
	switch {
	case m.as != "":
		return m.as
	case p.IsChat():
		return "messages"
	}
	return "text"
}

// checkRequest refuses --request where there is no form of a body.
func (m *formFlags) checkRequest() error {
	switch {
	case !m.request || slices.Contains(message.Providers(), m.as):
		return nil
	case m.as == "":
		return usagef("--request writes the body for a provider: add --as %s", oneOf(message.Providers()))
	}
	return usagef("--as %s has no body of a request: --request goes with --as %s", m.as, oneOf(message.Providers()))
}

// renderOption asks a render for what --request needs.
func (m *formFlags) renderOption() []vm.RenderOption {
	if m.request {
		return []vm.RenderOption{vm.WithRequest()}
	}
	return nil
}

// written is a render's result in a form: the messages, or the body of the request.
func (m *formFlags) written(p *vm.Program, r *vm.Report, form string, o message.Options) (vm.Value, error) {
	if !m.request {
		return message.Format(r.Messages, form, o)
	}
	request, err := prompt.RequestOf(p, r)
	if err != nil {
		return vm.Null, err
	}
	return request.Body(form, o)
}

// options reads the flags for the formats.
func (m *formFlags) options() (message.Options, error) {
	o := message.Options{NoSystemRole: m.noSystem}
	for _, l := range m.labels {
		role, text, ok := strings.Cut(l, "=")
		if !ok || role == "" {
			return o, usagef("--label %s: write role=text", l)
		}
		if o.Labels == nil {
			o.Labels = message.DefaultLabels()
		}
		o.Labels[role] = strings.ReplaceAll(text, `\n`, "\n")
	}
	return o, nil
}

// findingAt matches the path that the finding of a form begins with.
var findingAt = regexp.MustCompile(`^(\w+)(?:\[(\d{1,9})\])?`)

// place gives the finding of a form the place in the source of what it is about.
func place(d *diag.Diagnostic, p *vm.Program, r *vm.Report) {
	path := findingAt.FindStringSubmatch(d.Message)
	if d.File != nil || path == nil {
		return
	}
	if i, err := strconv.Atoi(path[2]); err == nil && path[1] == "messages" && i < len(r.Places) {
		d.File, d.Span = r.Places[i].File, r.Places[i].Span
		return
	}
	d.File, d.Span = p.RequestPlace(path[1])
}

// result gives what a render made in the form that was asked for: a string for
// text, else lists and maps. note, where it is not nil, is called with what the
// form leaves out.
func (m *formFlags) result(p *vm.Program, r *vm.Report, note func(*diag.Diagnostic)) (vm.Value, error) {
	form := m.form(p)
	if form == "text" && !p.IsChat() {
		return vm.String(r.Text), nil
	}
	o, err := m.options()
	if err != nil {
		return vm.Null, err
	}
	at := func(d *diag.Diagnostic) *diag.Diagnostic {
		place(d, p, r)
		d.Message = "--as " + form + ": " + d.Message
		return d
	}
	if note != nil {
		o.Note = func(d *diag.Diagnostic) { note(at(d)) }
	}
	v, err := m.written(p, r, form, o)
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		return vm.Null, at(d)
	}
	if err != nil {
		return vm.Null, &diag.Diagnostic{Message: "--as " + form + ": " + err.Error()}
	}
	return v, nil
}
