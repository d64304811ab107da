package compiler

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// documentConfig is what concerns documents and their forms.
type documentConfig struct {
	coverage    bool // note which branches run
	document    bool // the template is an entry of a document
	rules       ast.Rules
	version     string
	populator   string
	security    string
	blankSystem bool
	unchecked   bool
	testFiles   bool // read tests/*.yaml beside documents
	shared      sharedValues
}

// forms are the names that WithForm takes.
var forms = []ast.Form{ast.FormNative, ast.FormAgentForge, ast.FormPromptTemplates, ast.FormPair, ast.FormAgent}

// WithForm reads a text by the rules of a document form: FormAgentForge ({path}
// placeholders, Markdown values), FormPromptTemplates (Hugging Face's, Jinja
// unless WithPopulator says otherwise, exact variables), FormPair (Phronomy's
// {{name}}), FormAgent (PDX's Jinja) or FormNative. Documents tell their form by
// their shape, so that this is for texts without one, and for the one shape that
// two systems share: a document with `template` alone is native, or a pair.
func WithForm(form Form) Option {
	return func(c *config) {
		for _, f := range forms {
			if f.String() == string(form) {
				c.rules.Form = f
				c.given |= givenForm
				return
			}
		}
		c.fault("PCC240", "there is no form named %q", form)
	}
}

// WithAgentForgeVersion selects the rules of a version of AgentForge: "head",
// "v0.5.0", "v0.4.0", "v0.2.11", or the commits "4425be8" and "f5760dd".
func WithAgentForgeVersion(version string) Option {
	return func(c *config) {
		if _, ok := document.AgentForge(version); !ok {
			c.fault("PCC240", "there is no version %q of AgentForge's rules", version)
			return
		}
		c.version = version
		c.given |= givenVersion
	}
}

// WithBlankSystem leaves the system message of an AgentForge document out where
// it is blank after rendering, and lists it in Report.Dropped. Without it a blank
// system message is an error, as a blank user message always is: that is what
// AgentForge's validate_rendered_prompts asks for. A `system:` that is left empty
// in the file is none, and no error.
func WithBlankSystem() Option {
	return func(c *config) {
		c.blankSystem = true
		c.given |= givenBlankSystem
	}
}

// WithPopulator replaces the populator of a prompt-templates document.
func WithPopulator(p Populator) Option {
	return func(c *config) {
		if !document.KnownPopulator(string(p)) {
			c.fault("PCC240", "there is no populator named %q", p)
			return
		}
		c.populator = string(p)
		c.given |= givenPopulator
	}
}

// WithSecurityLevel replaces the jinja2_security_level of a prompt-templates
// document.
func WithSecurityLevel(level SecurityLevel) Option {
	return func(c *config) {
		switch level {
		case document.SecurityStrict, document.SecurityStandard, document.SecurityRelaxed:
		default:
			c.fault("PCC240", "there is no security level named %q", level)
			return
		}
		c.security = string(level)
		c.given |= givenSecurity
	}
}

// WithUncheckedVariables drops prompt-templates' rule that the given variables
// must be just the required ones.
func WithUncheckedVariables() Option {
	return func(c *config) {
		c.unchecked = true
		c.given |= givenUnchecked
	}
}

// WithTestFiles makes Load and LoadDir also read the tests that stand in a folder
// `tests` beside a document or template: in files that are named after it, such
// as tests/support.yaml and tests/support_refunds.yaml for support.yaml. Each
// holds one test, or a list. Set.Tests lists them. The tests of an agent, in
// tests/test….yaml, are read without it.
func WithTestFiles() Option { return func(c *config) { c.testFiles = true } }

// WithCoverage makes programs that note, in the reports of their renders,
// which branches and loop bodies ran.
func WithCoverage() Option { return func(c *config) { c.coverage = true } }

// cover notes that a branch runs, if coverage is asked for.
func (l *lowerer) cover(nodes []ast.Node) {
	if !l.cfg.coverage || len(nodes) == 0 {
		return
	}
	b := code.Branch{Site: l.site, Span: nodes[0].Span()}
	for _, n := range nodes {
		if t, ok := n.(*ast.Text); !ok || strings.TrimSpace(t.Value) != "" {
			b.Span = n.Span()
			break
		}
	}
	l.img.Branches = append(l.img.Branches, b)
	l.code.emit(code.Instr{Op: code.OpCover, A: int32(len(l.img.Branches) - 1)})
}

// formOptions changes how a text without a document is parsed, by WithForm.
func (c *config) formOptions(f *source.File, o parser.Options) parser.Options {
	if o.Syntax != nil {
		c.rules.Syntax = o.Syntax.Name
		return o
	}
	switch c.rules.Form {
	case ast.FormAgentForge:
		v, _ := document.AgentForge(c.version)
		return v.ParserOptions(o)
	case ast.FormPromptTemplates:
		c.rules.Populator, c.rules.Security, c.rules.Exact = "jinja2", "standard", !c.unchecked
		if c.populator != "" {
			if c.rules.Populator = document.PopulatorOf(c.populator, f.Text); c.rules.Populator == "" {
				c.rules.Populator = "single_brace"
			}
		}
		if c.security != "" {
			c.rules.Security = c.security
		}
		c.formProfile()
		return document.HFOptions(o, c.rules.Populator)
	case ast.FormPair:
		return document.PairOptions(o)
	case ast.FormAgent:
		c.formProfile()
		return document.AgentOptions(o)
	}
	return o
}

// formTemplate changes a parsed text by WithForm.
func (c *config) formTemplate(t *ast.Template) {
	if v, ok := document.AgentForge(c.version); ok && usesNativePlaceholders(c.rules, ast.FormAgentForge) {
		v.Undot(t.Body)
	}
}

// usesNativePlaceholders reports whether a text of this form keeps to the form's
// own placeholders: no syntax was chosen.
func usesNativePlaceholders(r ast.Rules, form ast.Form) bool { return r.Form == form && r.Syntax == "" }

// brace reports whether a prompt-templates text is populated by a brace
// populator.
func brace(r ast.Rules) bool {
	return usesNativePlaceholders(r, ast.FormPromptTemplates) && r.Populator != "jinja2"
}

// documentOut gives a placeholder the ways of the document's form.
func (l *lowerer) documentOut(o *vm.Out, n *ast.Output) {
	switch {
	case l.rules.Form == ast.FormAgentForge:
		l.agentForgeOut(o, n)
	case brace(l.rules):
		o.Style, o.Policy = vm.StylePython, code.Fail
	}
}

// documentName is how the name of a variable begins in reports, where base, or
// base.rest, is what the template reads; it notes the read.
func (l *lowerer) documentName(base, rest string) string {
	if l.rules.Form != ast.FormPromptTemplates && !l.own {
		if l.prefix == "" {
			return base
		}
		return l.prefix + base
	}
	root := base
	switch {
	case !brace(l.rules):
		root = l.rootOf(base)
	case rest != "":
		root = base + "." + rest
	}
	if l.guard == 0 && l.defined[root] == 0 {
		if l.plain == nil {
			l.plain = map[string]bool{}
		}
		l.plain[root] = true
	}
	if l.own {
		l.templateKeyUsed(root)
	}
	return l.prefix + base
}

// rootOf is the variable that a path starts from.
func (l *lowerer) rootOf(path string) string {
	if brace(l.rules) {
		return path
	}
	return firstName(path)
}

// providers are the filters and tests that say what holds for a missing value.
var providers = map[string]bool{"default": true, "d": true, "defined": true, "undefined": true}

// provided lowers the subject of a filter or test that takes missing values.
func (l *lowerer) provided(b *vm.Builtin, subject func()) {
	if providers[b.Name] {
		l.guard++
		defer func() { l.guard-- }()
	}
	l.maybe(subject)
}

// under lowers what runs only if cond holds. Names of which cond says that they
// are defined are provided for there.
func (l *lowerer) under(cond ast.Expr, lower func()) {
	names := definedNames(nil, cond)
	if l.defined == nil && names != nil {
		l.defined = map[string]int{}
	}
	for _, n := range names {
		l.defined[n]++
	}
	lower()
	for _, n := range names {
		l.defined[n]--
	}
}

// definedNames adds the names that are defined if e is true.
func definedNames(names []string, e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.Binary:
		if e.Op == ast.And {
			names = definedNames(definedNames(names, e.X), e.Y)
		}
	case *ast.Test:
		if n, ok := e.X.(*ast.Name); ok && (e.Name == "defined" && !e.Not || e.Name == "undefined" && e.Not) {
			names = append(names, n.Name)
		}
	}
	return names
}

// finishDocument sets what the form asks of the data.
func (l *lowerer) finishDocument() {
	l.img.EmptyIsMissing = l.rules.Form == ast.FormAgentForge
	l.img.FlatNames = brace(l.rules)
	l.img.Tree = l.rules.Form == ast.FormAgent && l.cfg.document
	if l.rules.Form != ast.FormPromptTemplates {
		return
	}
	l.img.Variables, l.img.Lister = l.img.Lister.ListVariables(), nil
	x := &code.ExactRule{Brace: l.img.FlatNames}
	seen := map[string]bool{}
	for i := range l.img.Variables {
		v := &l.img.Variables[i]
		if vm.Paths(v.Name).Several() && !l.img.FlatNames {
			continue
		}
		root := l.rootOf(v.Name)
		optional := l.optional(root)
		v.Required = v.Name == root && !optional
		if seen[root] {
			continue
		}
		seen[root] = true
		if optional {
			x.Optional = append(x.Optional, root)
		} else {
			x.Required = append(x.Required, root)
		}
	}
	if l.rules.Exact {
		x.Span = l.textPlace
		l.img.Exact = x
	}
	if l.rules.Declared != nil && !l.rules.Common {
		l.errs = append(l.errs, checkDeclared(l.file, &l.rules, seen)...)
	}
}

// optional reports whether a variable need not be given: it has a default, or
// is read only where a missing value is provided for.
func (l *lowerer) optional(root string) bool {
	if !l.plain[root] {
		return true
	}
	if l.img.Defaults != nil {
		if _, ok := l.img.Defaults.Get(root); ok {
			return true
		}
	}
	for i := range l.img.Contract {
		if l.img.Contract[i].Name == root {
			return !l.img.Contract[i].Required
		}
	}
	return false
}

// checkDeclared holds template_variables against the variables in use.
func checkDeclared(f *source.File, rules *ast.Rules, used map[string]bool) diag.List {
	var undeclared, unused []string
	for root := range used {
		if !slices.Contains(rules.Declared, root) {
			undeclared = append(undeclared, root)
		}
	}
	for _, name := range rules.Declared {
		if !used[name] && !slices.Contains(unused, name) {
			unused = append(unused, name)
		}
	}
	if undeclared == nil && unused == nil {
		return nil
	}
	slices.Sort(undeclared)
	var parts []string
	if undeclared != nil {
		parts = append(parts, "not declared: "+diag.QuotedList(undeclared))
	}
	if unused != nil {
		parts = append(parts, "declared and not used: "+diag.QuotedList(unused))
	}
	d := diag.New("PCC421", f, rules.DeclaredSpan, "template_variables do not fit the template: %s", strings.Join(parts, "; ")).
		WithNames(append(undeclared, unused...)...)
	var nearest diag.Nearest
	for _, name := range undeclared {
		if near, ok := nearest.Find(name, func() []string { return unused }); ok {
			d.Help = "did you mean `" + name + "` by the declared `" + near + "`?"
		}
	}
	return diag.List{d}
}

// checkCommon holds the template_variables of a dictionary in the short form
// against all its entries together.
func checkCommon(doc *ast.Document, programs []DocumentProgram) diag.List {
	used := map[string]bool{}
	var rules *ast.Rules
	for i := range programs {
		p, e := programs[i].Program, programs[i].Entry
		if !e.Rules.Common || e.Rules.Declared == nil || p.Image().Exact == nil {
			continue
		}
		rules = &e.Rules
		for _, names := range [][]string{p.Image().Exact.Required, p.Image().Exact.Optional} {
			for _, n := range names {
				used[n] = true
			}
		}
	}
	if rules == nil {
		return nil
	}
	return checkDeclared(doc.File, rules, used)
}

// formProfile chooses the environment of a form's Jinja texts.
func (c *config) formProfile() {
	if c.jinja.set {
		return
	}
	name := ""
	switch {
	case usesNativePlaceholders(c.rules, ast.FormPromptTemplates) && c.rules.Populator == "jinja2":
		name = "prompt-templates"
		if c.rules.Security != "standard" {
			name += "-" + c.rules.Security
		}
	case usesNativePlaceholders(c.rules, ast.FormAgent):
		name = "pdx"
	case c.rules.Form == ast.FormChatTemplate:
		name = "hf"
	default:
		return
	}
	c.jinja = jinjaConfig{set: true}
	profiles[Profile(name)](&c.jinja)
}

func agentForgeRules(version string) (document.AgentForgeRules, bool) {
	return document.AgentForge(version)
}

// embedded loads the includes of a text of a document, relative to the file
// that it stands in.
func (ld *includer) embedded(n *ast.Embedded, at string) {
	if n.File.Outer == nil {
		at = n.File.Name
	}
	ld.load(&ast.Template{File: n.File, Syntax: n.Syntax, Body: n.Body}, at)
}
