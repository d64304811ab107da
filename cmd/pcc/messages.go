package main

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// formFlags say in which form a render's result is written.
type formFlags struct {
	as       string
	noSystem bool
	labels   []string
}

func (m *formFlags) add(f *pflag.FlagSet) {
	f.Var(&choice{&m.as, vm.Formats()}, "as", "form of the result: "+oneOf(vm.Formats())+" (default: by the template); text has PDX's labels SYSTEM, USER and ASSISTANT, which --label replaces")
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
func (m *formFlags) options() (vm.FormatOptions, error) {
	o := vm.FormatOptions{NoSystemRole: m.noSystem}
	for _, l := range m.labels {
		role, text, ok := strings.Cut(l, "=")
		if !ok || role == "" {
			return o, usagef("--label %s: write role=text", l)
		}
		if o.Labels == nil {
			o.Labels = vm.DefaultLabels()
		}
		o.Labels[role] = strings.ReplaceAll(text, `\n`, "\n")
	}
	return o, nil
}

// result gives what a render made in the form that was asked for: a string for
// text, else lists and maps.
func (m *formFlags) result(p *vm.Program, r *vm.Report) (vm.Value, error) {
	form := m.form(p)
	if form == "text" && !p.IsChat() {
		return vm.String(r.Text), nil
	}
	o, err := m.options()
	if err != nil {
		return vm.Null, err
	}
	v, err := vm.FormatMessages(r.Messages, form, o)
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		d.Message = "--as " + form + ": " + d.Message
		if sites := p.Image().Sites; len(sites) > 0 {
			d.File = sites[0].File
		}
		return vm.Null, d
	}
	if err != nil {
		return vm.Null, &diag.Diagnostic{Message: "--as " + form + ": " + err.Error()}
	}
	return v, nil
}
