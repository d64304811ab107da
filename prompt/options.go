package prompt

import (
	"io/fs"

	"github.com/pcc-lang/pcc/compiler"
)

// Option changes how documents are read and compiled. It is package compiler's,
// whose options these are.
type Option = compiler.Option

// WithDefaults applies options that are meant for many documents, such as those
// of a program's settings: one that has no effect on a document is not told.
func WithDefaults(opts ...Option) Option { return compiler.WithDefaults(opts...) }

// WithName names the source in diagnostics, and chooses the syntax by its ending.
func WithName(name string) Option { return compiler.WithName(name) }

// WithSyntax fixes the syntax. An empty text is SyntaxAuto.
func WithSyntax(s Syntax) Option { return compiler.WithSyntax(s) }

// WithDelimiters sets soft delimiters of one's own, such as "[[" and "]]".
func WithDelimiters(open, close string) Option { return compiler.WithDelimiters(open, close) }

// WithUndefined sets what placeholders without a value do. Without it each tag's
// own rule holds.
func WithUndefined(policy Undefined) Option { return compiler.WithUndefined(policy) }

// WithFilter adds a filter. fn is a Go function whose first parameter is the
// filtered value, such as func(string) string or func(s string, n int)
// (string, error); it is adapted here, once.
func WithFilter(name string, fn any) Option { return compiler.WithFilter(name, fn) }

// WithFunction adds a function, which templates call as name(…).
func WithFunction(name string, fn any) Option { return compiler.WithFunction(name, fn) }

// WithTest adds a test for `is`; fn returns a bool.
func WithTest(name string, fn any) Option { return compiler.WithTest(name, fn) }

// WithLimits sets the limits of compiling and of every render; zero fields
// keep their defaults.
func WithLimits(l Limits) Option { return compiler.WithLimits(l) }

// WithFS gives the files that includes may read: names are relative and stay
// inside.
func WithFS(fsys fs.FS) Option { return compiler.WithFS(fsys) }

// WithStrict makes warnings errors: those of compiling, and of each render those of
// vm.Report.Findings. Unless another policy is chosen, names without a value are
// errors as with `undefined: error`.
func WithStrict() Option { return compiler.WithStrict() }

// WithHostMethods lets renders call the Go methods that give values of the data
// a text of their own: those of error, fmt.Stringer and encoding.TextMarshaler, as
// compiler.WithHostMethods says.
func WithHostMethods() Option { return compiler.WithHostMethods() }

// WithVars gives default data, used for names that the data of a render lacks.
func WithVars(vars *Map) Option { return compiler.WithVars(vars) }

// WithExclude has LoadDir pass over files and folders: patterns as path.Match has
// them, such as "drafts" or "*.draft.md". One without a slash is held against the
// last part of a path, one with a slash against the path from the folder that is
// loaded.
func WithExclude(patterns ...string) Option { return compiler.WithExclude(patterns...) }

// WithForm reads a text by the rules of a document form: FormAgentForge ({path}
// placeholders, Markdown values), FormPromptTemplates (Hugging Face's, Jinja
// unless WithPopulator says otherwise, exact variables), FormPair (Phronomy's
// {{name}}), FormAgent (PDX's Jinja) or FormNative. Documents tell their form by
// their shape, so that this is for texts without one, and for the one shape that
// two systems share: a document with `template` alone is native, or a pair.
func WithForm(form Form) Option { return compiler.WithForm(form) }

// WithAgentForgeVersion selects the rules of a version of AgentForge: "head",
// "v0.5.0", "v0.4.0", "v0.2.11", or the commits "4425be8" and "f5760dd".
func WithAgentForgeVersion(version string) Option { return compiler.WithAgentForgeVersion(version) }

// WithBlankSystem leaves the system message of an AgentForge document out where
// it is blank after rendering, and lists it in Report.Dropped. Without it a blank
// system message is an error, as a blank user message always is: that is what
// AgentForge's validate_rendered_prompts asks for. A `system:` that is left empty
// in the file is none, and no error.
func WithBlankSystem() Option { return compiler.WithBlankSystem() }

// WithPopulator replaces the populator of a prompt-templates document.
func WithPopulator(p Populator) Option { return compiler.WithPopulator(p) }

// WithSecurityLevel replaces the jinja2_security_level of a prompt-templates
// document.
func WithSecurityLevel(level SecurityLevel) Option { return compiler.WithSecurityLevel(level) }

// WithUncheckedVariables drops prompt-templates' rule that the given variables
// must be just the required ones.
func WithUncheckedVariables() Option { return compiler.WithUncheckedVariables() }

// WithTestFiles makes Load and LoadDir also read the tests that stand in a folder
// `tests` beside a document or template: in files that are named after it, such
// as tests/support.yaml and tests/support_refunds.yaml for support.yaml. Each
// holds one test, or a list. Set.Tests lists them. The tests of an agent, in
// tests/test….yaml, are read without it.
func WithTestFiles() Option { return compiler.WithTestFiles() }

// WithCoverage makes programs that note, in the reports of their renders,
// which branches and loop bodies ran.
func WithCoverage() Option { return compiler.WithCoverage() }

// WithJinja makes the template a Jinja template of an environment with these
// options. Front matter is then text, as in Jinja.
func WithJinja(o JinjaOptions) Option { return compiler.WithJinja(o) }

// WithProfile makes the template a Jinja template of a known environment. A Jinja
// template without a profile and without WithJinja runs as in ProfileJinja, but
// inside the sandbox.
func WithProfile(name Profile) Option { return compiler.WithProfile(name) }
