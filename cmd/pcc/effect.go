package main

import (
	"slices"
	"strings"

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
	profileNames  = []string{"hf", "jinja", "pdx", "prompt-templates", "prompt-templates-relaxed", "prompt-templates-strict"}
	versionNames  = []string{"head", "v0.5.0", "v0.4.0", "v0.2.11", "4425be8", "f5760dd"}
)

func (d *documentFlags) add(f *pflag.FlagSet) {
	f.Var(&choice{&d.form, formNames}, "form", "form of a document, where its keys leave a choice: "+oneOf(formNames))
	f.Var(&choice{&d.populator, populators}, "populator", "populator of a prompt-templates document: "+oneOf(populators))
	f.Var(&choice{&d.security, securityNames}, "security-level", "Jinja's level in a prompt-templates document: "+oneOf(securityNames))
	f.Var(&choice{&d.version, versionNames}, "agentforge-version", "rules of this version of AgentForge: "+oneOf(versionNames))
}

func (d *documentFlags) options(asked asker) []compiler.Option {
	var o []compiler.Option
	if d.form != "" {
		o = append(o, asked("form", compiler.WithForm(compiler.Form(d.form))))
	}
	if d.populator != "" {
		o = append(o, asked("populator", compiler.WithPopulator(compiler.Populator(d.populator))))
	}
	if d.security != "" {
		o = append(o, asked("security-level", compiler.WithSecurityLevel(compiler.SecurityLevel(d.security))))
	}
	if d.version != "" {
		o = append(o, asked("agentforge-version", compiler.WithAgentForgeVersion(d.version)))
	}
	return o
}

// asker gives the option of a flag back: as it is where the flag stands on the
// command line, else, since variables and settings are meant for many files, as
// one that may be without effect.
type asker func(flag string, o compiler.Option) compiler.Option

func (a *app) asked(flag string, o compiler.Option) compiler.Option {
	if slices.Contains(a.given, flag) {
		return o
	}
	return compiler.WithDefaults(o)
}

// nameFlag makes a finding about an option without effect, whose names are the flag
// and the option, name the flag.
func nameFlag(d *diag.Diagnostic) {
	if d.Code != "PCC427" || len(d.Names) < 2 {
		return
	}
	if rest, ok := strings.CutPrefix(d.Message, d.Names[1]+" "); ok {
		d.Message = "--" + d.Names[0] + " " + rest
	}
}

// warn adds a warning about the command line to the findings, once.
func (a *app) warn(message, help string) {
	if !slices.ContainsFunc(a.found, func(d *diag.Diagnostic) bool { return d.Message == message }) {
		a.found = append(a.found, &diag.Diagnostic{Severity: diag.Warning, Message: message, Help: help})
	}
}
