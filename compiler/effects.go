package compiler

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// givenOptions are the options that were asked for, among those that have an
// effect on some forms only.
type givenOptions uint16

const (
	givenSyntax givenOptions = 1 << iota
	givenDelimiters
	givenProfile
	givenJinja
	givenPopulator
	givenSecurity
	givenUnchecked
	givenVersion
	givenBlankSystem
	givenForm
	givenUndefined
)

// effects says on which forms these options have an effect. flag is what the
// command line calls the option.
var effects = []struct {
	bit    givenOptions
	option string
	flag   string
	forms  []ast.Form
}{
	{givenSyntax, "WithSyntax", "syntax", []ast.Form{ast.FormTemplate, ast.FormNative}},
	{givenDelimiters, "WithDelimiters", "delimiters", []ast.Form{ast.FormTemplate, ast.FormNative}},
	{givenProfile, "WithProfile", "profile", jinjaForms},
	{givenJinja, "WithJinja", "jinja", jinjaForms},
	{givenPopulator, "WithPopulator", "populator", []ast.Form{ast.FormPromptTemplates}},
	{givenSecurity, "WithSecurityLevel", "security-level", []ast.Form{ast.FormPromptTemplates}},
	{givenUnchecked, "WithUncheckedVariables", "unchecked", []ast.Form{ast.FormPromptTemplates}},
	{givenVersion, "WithAgentForgeVersion", "agentforge-version", []ast.Form{ast.FormAgentForge}},
	{givenUndefined, "WithUndefined", "undefined", []ast.Form{ast.FormTemplate, ast.FormNative, ast.FormPair, ast.FormPromptTemplates, ast.FormAgent, ast.FormChatTemplate}},
	{givenBlankSystem, "WithBlankSystem", "blank-system", []ast.Form{ast.FormAgentForge}},
}

var jinjaForms = []ast.Form{ast.FormTemplate, ast.FormNative, ast.FormPromptTemplates, ast.FormAgent, ast.FormChatTemplate}

// WithDefaults applies options that are meant for many files, such as those of a
// program's settings. One of them that has no effect on a file is not told,
// unlike those that are given for it.
func WithDefaults(opts ...Option) Option {
	return func(c *config) {
		given, exclude := c.given, c.givenExclude
		apply(c, opts)
		c.given, c.givenExclude = given, exclude
	}
}

// withoutEffect warns of the options that were asked for and have no effect on
// any of the forms of what was loaded. f is the file, nil for several.
func (c *config) withoutEffect(f *source.File, loaded ...ast.Form) diag.List {
	if c.given == 0 || len(loaded) == 0 {
		return nil
	}
	var list diag.List
	warn := func(option, flag, message, help string) {
		d := diag.New("PCC427", f, source.Span{}, "%s has no effect on %s", option, message).WithNames(flag, option).WithHelp("%s", help)
		if c.strict {
			d.Severity = diag.Error
		}
		list = append(list, d)
	}
	what := "any of these files"
	if f != nil {
		what = formNoun(loaded[0])
	}
	for _, e := range effects {
		if c.given&e.bit != 0 && !slices.ContainsFunc(loaded, func(form ast.Form) bool { return slices.Contains(e.forms, form) }) {
			warn(e.option, e.flag, what, "drop it; it is for "+formNouns(e.forms))
		}
	}
	if asked := c.rules.Form; c.given&givenForm != 0 && f != nil && loaded[0] != ast.FormTemplate && loaded[0] != asked {
		warn("WithForm", "form", "a document whose keys tell the form "+loaded[0].String(),
			"drop it; it is for texts, and for documents whose keys leave a choice")
	}
	return list
}

// templateWithoutEffect is withoutEffect for a template, which is of the form that
// WithForm gives it.
func (c *config) templateWithoutEffect(f *source.File) diag.List {
	if c.given&^givenForm == 0 {
		return nil
	}
	return c.withoutEffect(f, c.rules.Form)
}

func formNoun(form ast.Form) string {
	switch form {
	case ast.FormTemplate:
		return "a template"
	case ast.FormChatTemplate:
		return "the configuration of a tokenizer"
	}
	return "a document of the form " + form.String()
}

func formNouns(forms []ast.Form) string {
	var documents []string
	head := ""
	for _, form := range forms {
		switch form {
		case ast.FormTemplate:
			head = "templates and "
		case ast.FormChatTemplate:
		default:
			documents = append(documents, form.String())
		}
	}
	last := len(documents) - 1
	if last > 0 {
		documents[last-1] += " or " + documents[last]
		documents = documents[:last]
	}
	return head + "documents of the form " + strings.Join(documents, ", ")
}
