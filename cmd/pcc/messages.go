package main

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
	"github.com/pcc-lang/pcc/vm/message"
)

// formFlags say in which form a render's result is written.
type formFlags struct {
	as       string
	noSystem bool
	labels   []string
}

func (m *formFlags) add(f *pflag.FlagSet) {
	f.Var(&choice{&m.as, message.Forms()}, "as", "form of the result: "+oneOf(message.Forms())+" (default: by the template); text has PDX's labels SYSTEM, USER and ASSISTANT, which --label replaces")
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
		d.Message = "--as " + form + ": " + d.Message
		if sites := p.Image().Sites; len(sites) > 0 {
			d.File = sites[0].File
		}
		return d
	}
	if note != nil {
		o.Note = func(d *diag.Diagnostic) { note(at(d)) }
	}
	v, err := message.Format(r.Messages, form, o)
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		return vm.Null, at(d)
	}
	if err != nil {
		return vm.Null, &diag.Diagnostic{Message: "--as " + form + ": " + err.Error()}
	}
	return v, nil
}
