package compiler

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// Pass names an optimisation that can be switched off.
type Pass string

// Optimisation passes.
const (
	PassFold   Pass = "fold"   // constant expressions
	PassSwitch Pass = "switch" // chains of == on one path
	PassFuse   Pass = "fuse"   // superinstructions
	PassItems  Pass = "items"  // items of loops read where they lie
	PassPrint  Pass = "print"  // sums that are printed, part by part
)

// config is what the options of one compilation add up to.
type config struct {
	name      string
	syntax    string
	delims    *lexer.Syntax
	undefined *code.Policy
	filters   map[string]*vm.Builtin
	tests     map[string]*vm.Builtin
	functions map[string]vm.Value
	limits    vm.Limits
	budget    lexer.Budget // what is left of limits.CompileMemory
	kept      int64        // what the programs that were made keep of it
	fsys      fs.FS
	chosen    string // the main template's syntax
	path      string // of the main file in fsys, "" where it is no file
	strict    bool
	host      bool
	off       map[Pass]bool
	vars      *vm.Map
	jinja     jinjaConfig
	err       diag.List // faults of the options themselves
	exclude   []string  // patterns of files that LoadDir passes over
	// givenExclude are those that were not given in WithDefaults.
	givenExclude []string
	broken       bool // parts of the tree could not be read
	found        int  // the number of errors that reading it found
	given        givenOptions
	// native and near are isNative and nearFilter, made once for all compilations.
	native func(name string) bool
	near   func(name string) (near string, ok bool)
	documentConfig
}

// Option changes a compilation.
type Option func(*config)

// WithName names the source in diagnostics, and chooses the syntax by its ending.
func WithName(name string) Option { return func(c *config) { c.name = name } }

// WithSyntax fixes the syntax. An empty text is SyntaxAuto.
func WithSyntax(s Syntax) Option {
	return func(c *config) {
		c.syntax = string(s)
		if s == "" || s == SyntaxAuto {
			c.syntax = ""
			return
		}
		c.given |= givenSyntax
		if _, ok := lexer.ByName(c.syntax); !ok {
			c.fault("PCC220", "there is no syntax named %q", s)
		}
	}
}

// WithDelimiters sets soft delimiters of one's own, such as "[[" and "]]".
func WithDelimiters(open, close string) Option {
	return func(c *config) {
		s, err := lexer.Custom(open, close)
		if err != nil {
			c.fault("PCC221", "delimiters: %v", err)
			return
		}
		c.delims = s
		c.given |= givenDelimiters
	}
}

// WithUndefined sets what placeholders without a value do. Without it each tag's
// own rule holds.
func WithUndefined(policy Undefined) Option {
	return func(c *config) {
		p, ok := policyByName(policy)
		if !ok {
			c.fault("PCC222", "there is no policy %q for missing values", policy)
			return
		}
		c.undefined = &p
		c.given |= givenUndefined
	}
}

func policyByName(name Undefined) (code.Policy, bool) {
	for _, p := range []code.Policy{code.Keep, code.Fail, code.Empty} {
		if p.String() == string(name) {
			return p, true
		}
	}
	return 0, false
}

// WithFilter adds a filter. fn is a Go function whose first parameter is the
// filtered value, such as func(string) string or func(s string, n int)
// (string, error); it is adapted here, once.
func WithFilter(name string, fn any) Option {
	return func(c *config) {
		b := c.adapt("filter", name, fn)
		if b == nil {
			return
		}
		if len(b.Params) == 0 {
			c.fault("PCC223", "filter %q: it has no parameter for the filtered value", name)
			return
		}
		if c.filters == nil {
			c.filters = map[string]*vm.Builtin{}
		}
		c.filters[name] = b
	}
}

// WithTest adds a test for `is`; fn returns a bool.
func WithTest(name string, fn any) Option {
	return func(c *config) {
		b := c.adapt("test", name, fn)
		if b == nil {
			return
		}
		if c.tests == nil {
			c.tests = map[string]*vm.Builtin{}
		}
		c.tests[name] = b
	}
}

// WithFunction adds a function, which templates call as name(…). fn is a Go
// function of the shapes that stdlib.Adapt takes, such as func(id int) (Ticket,
// error); it is adapted here, once, and must be safe for use by several renders at
// once. It takes the place of a function that the language has under that name.
// In native syntaxes it is a function only where it is called: as a name it is a
// variable, as all are.
func WithFunction(name string, fn any) Option {
	return func(c *config) {
		b := c.adapt("function", name, fn)
		if b == nil {
			return
		}
		if strings.Contains(name, ".") {
			c.fault("PCC223", "a function cannot be named %q: templates would read it as a field of %q",
				name, name[:strings.Index(name, ".")])
			return
		}
		if c.functions == nil {
			c.functions = map[string]vm.Value{}
		}
		c.functions[name] = stdlib.FunctionOf(b)
	}
}

// adapt makes a builtin of a host function; nil where that cannot be one.
func (c *config) adapt(what, name string, fn any) *vm.Builtin {
	if !callable(name) {
		c.fault("PCC223", "a %s cannot be named %q: templates could not call it", what, name)
		return nil
	}
	b, err := stdlib.Adapt(name, fn)
	if err != nil {
		c.fault("PCC223", "%s %q: %s", what, name, strings.TrimPrefix(err.Error(), "stdlib: "+name+": "))
		return nil
	}
	subject := slices.ContainsFunc(b.Params, func(p vm.ParamSpec) bool { return p.Kind != vm.Keywords })
	if !subject && what != "function" {
		c.fault("PCC223", "%s %q: the function has no parameter for the value", what, name)
		return nil
	}
	return b
}

// nativeDialect is the dialect of native templates.
func (c *config) nativeDialect() *vm.Dialect {
	if len(c.functions) == 0 {
		return stdlib.Native()
	}
	d := *stdlib.Native()
	d.Globals = c.withFunctions(d.Globals)
	return &d
}

// withFunctions adds the host's functions to those of a dialect.
func (c *config) withFunctions(globals map[string]vm.Value) map[string]vm.Value {
	all := make(map[string]vm.Value, len(globals)+len(c.functions))
	maps.Copy(all, globals)
	maps.Copy(all, c.functions)
	return all
}

// callable reports whether templates can write a filter's or test's name: words
// of letters, digits and `_`, joined by dots.
func callable(name string) bool {
	for _, word := range strings.Split(name, ".") {
		for i, r := range word {
			if i == 0 && !lexer.IsNameStart(r) || !lexer.IsNamePart(r) {
				return false
			}
		}
		if word == "" {
			return false
		}
	}
	return true
}

// WithLimits sets the limits of compiling and of every render; zero fields
// keep their defaults.
func WithLimits(l vm.Limits) Option { return func(c *config) { c.limits = l } }

// WithFS gives the files that includes may read: names are relative and stay
// inside.
func WithFS(fsys fs.FS) Option { return func(c *config) { c.fsys = fsys } }

// WithStrict makes warnings errors: those of compiling, and of each render those of
// Program.Findings. Unless another policy is chosen, names without a value are
// errors as with `undefined: error`.
func WithStrict() Option { return func(c *config) { c.strict = true } }

// WithHostMethods lets renders call the Go methods that give values of the data
// a text of their own: those of error, fmt.Stringer and encoding.TextMarshaler,
// asked for in this order. Such a value is that text wherever one is wanted: it
// prints as it, alone and inside lists, maps and JSON, filters and comparisons with
// texts see it, and a key of a map is it. Strings and bytes are nothing else, so
// that a type which hides what it holds keeps that hidden; numbers, booleans,
// lists, maps and structs also count, compare and are read as what they are.
// Without the option no method is called, and PCC384 warns where a report is
// made. Methods must be safe for use by several renders at once.
func WithHostMethods() Option { return func(c *config) { c.host = true } }

// WithVars gives default data, used for names that the data of a render lacks.
func WithVars(vars *vm.Map) Option { return func(c *config) { c.vars = vars } }

// WithoutPass switches an optimisation off; results stay the same.
func WithoutPass(p Pass) Option {
	return func(c *config) {
		if c.off == nil {
			c.off = map[Pass]bool{}
		}
		c.off[p] = true
	}
}

func (c *config) fault(code diag.Code, format string, args ...any) {
	d := diag.New(code, nil, source.Span{}, "%s", fmt.Sprintf(format, args...))
	d.Severity = diag.Error
	c.err = append(c.err, d)
}

// configs holds configs that are done.
var configs = sync.Pool{New: func() any {
	c := new(config)
	c.native, c.near = c.isNative, c.nearFilter
	return c
}}

// free gives c back. What was compiled keeps nothing of it.
func (c *config) free() {
	*c = config{native: c.native, near: c.near}
	configs.Put(c)
}

// unnamed is the name of a source without WithName.
const unnamed = "template"

func newConfig(opts []Option) *config {
	c := configs.Get().(*config)
	c.name = unnamed
	apply(c, opts)
	c.limits = c.limits.OrDefault()
	c.budget = lexer.NewBudget(c.limits.CompileMemory)
	return c
}

// apply applies options, of which a caller may leave some nil.
func apply(c *config, opts []Option) {
	for _, o := range opts {
		if o != nil {
			o(c)
		}
	}
}

// isNative reports whether a native filter of this name is known to this
// compilation.
func (c *config) isNative(name string) bool { return c.filter(stdlib.Native(), name) != nil }

// nearFilter returns the native filter that an unknown name is near to.
func (c *config) nearFilter(name string) (string, bool) {
	var known []string
	for _, set := range []map[string]*vm.Builtin{c.filters, stdlib.Native().Filters} {
		for k := range set {
			known = append(known, k)
		}
	}
	return diag.Near(name, known)
}

func (c *config) filter(d *vm.Dialect, name string) *vm.Builtin {
	if b := c.filters[name]; b != nil {
		return b
	}
	return d.Filters[name]
}

func (c *config) test(d *vm.Dialect, name string) *vm.Builtin {
	if b := c.tests[name]; b != nil {
		return b
	}
	return d.Tests[name]
}

// WithExclude has prompt.LoadDir pass over files and folders: patterns as path.Match has
// them, such as "drafts" or "*.draft.md". One without a slash is held against the
// last part of a path, one with a slash against the path from the folder that is
// loaded.
func WithExclude(patterns ...string) Option {
	return func(c *config) {
		for _, p := range patterns {
			if _, err := path.Match(p, ""); err != nil {
				c.fault("PCC240", "the pattern %q cannot be read", p)
				c.err[len(c.err)-1].Help = "write it as *.draft.md, drafts or old/[ab]?.md"
				continue
			}
			c.exclude = append(c.exclude, strings.TrimSuffix(p, "/"))
			c.givenExclude = append(c.givenExclude, strings.TrimSuffix(p, "/"))
		}
	}
}
