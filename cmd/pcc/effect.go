package main

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
)

// documentFlags say by which rules of another system a document is read.
type documentFlags struct {
	form      string
	populator string
	security  string
	version   string
}

// The values that the flags take.
var (
	formNames     = []string{"native", "agentforge", "prompt-templates", "pair", "agent"}
	populators    = []string{"jinja2", "double_brace", "single_brace", "autodetect", "autodetect_strict"}
	securityNames = []string{"strict", "standard", "relaxed"}
	versionNames  = []string{"head", "v0.5.0", "v0.4.0", "v0.2.11", "4425be8", "f5760dd"}
)

func (d *documentFlags) add(f *pflag.FlagSet) {
	f.Var(&choice{&d.form, formNames}, "form", "form of a document, where its keys leave a choice: "+oneOf(formNames))
	f.Var(&choice{&d.populator, populators}, "populator", "populator of a prompt-templates document: "+oneOf(populators))
	f.Var(&choice{&d.security, securityNames}, "security-level", "Jinja's level in a prompt-templates document: "+oneOf(securityNames))
	f.Var(&choice{&d.version, versionNames}, "agentforge-version", "rules of this version of AgentForge: "+oneOf(versionNames))
}

func (d *documentFlags) options() []compiler.Option {
	var o []compiler.Option
	if d.form != "" {
		o = append(o, compiler.WithForm(d.form))
	}
	if d.populator != "" {
		o = append(o, compiler.WithPopulator(d.populator))
	}
	if d.security != "" {
		o = append(o, compiler.WithSecurityLevel(d.security))
	}
	if d.version != "" {
		o = append(o, compiler.WithAgentForgeVersion(d.version))
	}
	return o
}

// templateForm stands for files that are no documents.
const templateForm = "template"

// effects are the forms that a flag has an effect on, where it has not one on
// all of them.
var effects = map[string][]string{
	"syntax":             {templateForm, "native"},
	"delimiters":         {templateForm, "native"},
	"profile":            {templateForm, "native", "prompt-templates", "agent", "chat-template"},
	"jinja":              {templateForm, "native", "prompt-templates", "agent", "chat-template"},
	"populator":          {"prompt-templates"},
	"security-level":     {"prompt-templates"},
	"agentforge-version": {"agentforge"},
	"blank-system":       {"agentforge"},
}

// checkEffects warns of flags on the command line that mean nothing for a file of
// this form. What variables and settings say is meant for many files.
func (a *app) checkEffects(path, form string, t *templateFlags) {
	if asked := t.document.form; asked != "" && form != "" && asked != form && slices.Contains(a.given, "form") {
		a.warn(fmt.Sprintf("--form %s has no effect on %s, whose keys tell the form %s", asked, path, form), "drop it; it is for documents whose keys leave a choice")
	}
	if form == "" {
		form = templateForm
	}
	for _, flag := range a.given {
		forms, limited := effects[flag]
		if !limited || slices.Contains(forms, form) {
			continue
		}
		what := "a document of the form " + form
		if form == templateForm {
			what = "a template"
		}
		a.warn(fmt.Sprintf("--%s has no effect on %s, which is %s", flag, path, what),
			fmt.Sprintf("drop it; it is for %s", forWhom(forms)))
	}
}

func forWhom(forms []string) string {
	named := slices.Clone(forms)
	if i := slices.Index(named, templateForm); i >= 0 {
		named = append([]string{"templates"}, slices.Delete(named, i, i+1)...)
		if len(named) == 1 {
			return named[0]
		}
		return "templates and documents of the form " + oneOf(named[1:])
	}
	return "documents of the form " + oneOf(named)
}

// warn adds a warning about the command line to the findings, once.
func (a *app) warn(message, help string) {
	if !slices.ContainsFunc(a.found, func(d *diag.Diagnostic) bool { return d.Message == message }) {
		a.found = append(a.found, &diag.Diagnostic{Severity: diag.Warning, Message: message, Help: help})
	}
}
