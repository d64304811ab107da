package compiler

import (
	"maps"
	"path"
	"strings"
	"sync"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// Autoescape tells which Jinja templates escape what they print for HTML.
type Autoescape uint8

// Escaping policies.
const (
	AutoescapeOff Autoescape = iota
	AutoescapeOn
	// AutoescapeByName escapes in templates whose name ends in .html, .htm or
	// .xml, and in those without a name, as jinja2.select_autoescape does.
	AutoescapeByName
)

// JinjaOptions are the options of a Jinja environment. Its zero value is
// jinja2.Environment() with the loopcontrols and do extensions off.
type JinjaOptions struct {
	// Syntax holds delimiters, white-space control and extensions.
	Syntax     lexer.JinjaOptions
	Autoescape Autoescape
	Undefined  vm.UndefinedKind
	Sandbox    vm.Sandbox
	// Globals are variables that every template sees, below the data.
	Globals map[string]any
}

// jinjaConfig is what the options of a compilation say about Jinja.
type jinjaConfig struct {
	set     bool // templates are Jinja, without front matter
	opts    JinjaOptions
	dialect *vm.Dialect // of the profile; nil is plain Jinja's
	part    bool        // the template is part of another program
	load    vm.Loader
}

// WithJinja makes the template a Jinja template of an environment with these
// options. Front matter is then text, as in Jinja.
func WithJinja(o JinjaOptions) Option {
	return func(c *config) {
		d := c.jinja.dialect
		c.jinja = jinjaConfig{set: true, opts: o, dialect: d}
		c.given |= givenJinja
		c.syntax = "jinja"
	}
}

// profiles are the Jinja environments of known programs.
var profiles = map[Profile]func(c *jinjaConfig){
	ProfileJinja: func(c *jinjaConfig) {},
	ProfileHF: func(c *jinjaConfig) {
		c.dialect = stdlib.HF()
		c.opts.Syntax = document.ChatTemplateSyntax()
		c.opts.Sandbox = vm.SandboxImmutable
	},
	// The three levels of the library prompt_templates.
	ProfilePromptTemplates:        promptTemplates("standard"),
	ProfilePromptTemplatesStrict:  promptTemplates("strict"),
	ProfilePromptTemplatesRelaxed: promptTemplates("relaxed"),
	ProfilePDX:                    func(c *jinjaConfig) { c.dialect = stdlib.PDX() },
}

func promptTemplates(level string) func(c *jinjaConfig) {
	return func(c *jinjaConfig) {
		c.dialect = stdlib.PromptTemplates(level)
		c.opts.Syntax = lexer.JinjaOptions{TrimBlocks: true, LstripBlocks: true}
		c.opts.Undefined = vm.UndefinedStrict
		if level != "relaxed" {
			c.opts.Sandbox = vm.SandboxOn
		}
		if level == "strict" {
			c.opts.Autoescape = AutoescapeOn
		}
	}
}

// WithProfile makes the template a Jinja template of a known environment. A Jinja
// template without a profile and without WithJinja runs as in ProfileJinja, but
// inside the sandbox.
func WithProfile(name Profile) Option {
	return func(c *config) {
		set, ok := profiles[name]
		if !ok {
			c.fault("PCC224", "there is no profile %q", name)
			return
		}
		c.jinja = jinjaConfig{set: true}
		c.given |= givenProfile
		set(&c.jinja)
		c.syntax = "jinja"
	}
}

// ChatTemplate compiles a model's chat template, as found in the
// chat_template of a tokenizer_config.json. The data holds `messages`,
// `add_generation_prompt`, special tokens such as `bos_token`, and what else
// the template reads; `tools` and `documents` are null where they are absent,
// `add_generation_prompt` false. LoadFile reads the configuration itself, with
// its special tokens and further templates. Functions of time need vm.WithClock. The byte
// spans of {% generation %} blocks are in Report.Generated.
func ChatTemplate(src string, opts ...Option) (*vm.Program, error) {
	return Compile(src, append([]Option{WithProfile("hf"), WithVars(ChatTemplateVars())}, opts...)...)
}

// ChatTemplateVars is the default data of chat templates: what transformers
// gives them where the caller says nothing.
func ChatTemplateVars() *vm.Map {
	vars := vm.NewMap(3)
	vars.Set("tools", vm.Null)
	vars.Set("documents", vm.Null)
	vars.Set("add_generation_prompt", vm.Bool(false))
	return vars
}

// jinjaDialect is the dialect of a Jinja template of this name.
func (c *config) jinjaDialect() *vm.Dialect {
	base := c.jinja.dialect
	if base == nil && !c.jinja.set && c.undefined == nil && len(c.functions) == 0 {
		return plainJinja()
	}
	if base == nil {
		base = stdlib.Jinja()
	}
	o := &c.jinja.opts
	kind := o.Undefined
	if c.undefined != nil {
		kind = map[code.Policy]vm.UndefinedKind{code.Keep: vm.UndefinedDebug, code.Fail: vm.UndefinedStrict, code.Empty: kind}[*c.undefined]
	}
	d := *base
	d.Undefined, d.Sandbox = kind, o.Sandbox
	if !c.jinja.set {
		d.Sandbox = vm.SandboxOn // who names no environment gets a safe one
	}
	if o.Syntax.NewlineSequence != "" {
		d.Newline = o.Syntax.NewlineSequence
	}
	if len(o.Globals) > 0 {
		d.Globals = maps.Clone(base.Globals)
		if d.Globals == nil {
			d.Globals = map[string]vm.Value{}
		}
		for k, v := range o.Globals {
			d.Globals[k] = vm.Of(v)
		}
	}
	if len(c.functions) > 0 {
		d.Globals = c.withFunctions(d.Globals)
	}
	return &d
}

// plainJinja is the dialect of templates without options.
var plainJinja = sync.OnceValue(func() *vm.Dialect {
	d := *stdlib.Jinja()
	d.Undefined, d.Sandbox = vm.UndefinedDefault, vm.SandboxOn
	return &d
})

// escapes tells whether the template of this name escapes its output.
func (a Autoescape) escapes(name string) bool {
	if a != AutoescapeByName {
		return a == AutoescapeOn
	}
	switch path.Ext(strings.ToLower(name)) {
	case ".html", ".htm", ".xml":
		return true
	}
	return name == ""
}

// parseJinja reads a text that the options say is Jinja; the arena may be nil.
func (c *config) parseJinja(f *source.File, arena *parser.Arena) (*ast.Template, diag.List) {
	syn, _ := lexer.ByName("jinja")
	return parser.Parse(f, parser.Options{Syntax: syn, Depth: c.limits.Depth, Source: c.limits.SourceBytes, Budget: &c.budget, Jinja: &c.jinja.opts.Syntax, Arena: arena})
}
