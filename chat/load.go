package chat

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/internal/nofiles"
	"github.com/pcc-lang/pcc/vm"
)

// Template is a model's chat template, or several of them by name, with the
// special tokens of its tokenizer. It is immutable and safe for concurrent
// use.
type Template struct {
	named   []named
	options []vm.RenderOption // of each render
	limits  vm.Limits
	special *specialTokens
}

// named is one compiled template.
type named struct {
	name, source string
	program      *vm.Program
	probed       *probed
}

// Config is what a template's text does not say.
type Config struct {
	// Name is the template's name in diagnostics.
	Name string
	// Tokens are the special tokens by the names that templates use: bos_token,
	// eos_token, pad_token, unk_token and so on.
	Tokens map[string]string
	// Named are further templates by name, such as tool_use.
	Named map[string]string
}

// Option changes how a template is made.
type Option func(*settings)

type settings struct {
	clock   func() time.Time
	limits  vm.Limits
	dir     string
	options []compiler.Option
}

// WithClock gives the time that strftime_now reads. Without it a template that
// asks for the time fails, so that renders are repeatable.
func WithClock(now func() time.Time) Option { return func(s *settings) { s.clock = now } }

// WithLimits sets the limits of each render; fields that are zero keep those
// of DefaultLimits.
func WithLimits(l vm.Limits) Option { return func(s *settings) { s.limits = l } }

// WithFolder names the folder that the file system of LoadFS is, for messages:
// paths begin with it.
func WithFolder(dir string) Option { return func(s *settings) { s.dir = dir } }

// WithCompiler adds options of package compiler, such as
// compiler.WithUndefined. A profile or options of Jinja replace the environment
// of transformers. Variables and limits are those of this package.
func WithCompiler(opts ...compiler.Option) Option {
	return func(s *settings) { s.options = append(s.options, opts...) }
}

// DefaultLimits are the limits of this package, wider than those of other
// templates, since conversations are long: 5,000 messages fit every public
// template. A render may take 200,000,000 steps, 256 MiB of memory and 64 MiB
// of output; everything else is as in vm.DefaultLimits.
func DefaultLimits() vm.Limits {
	l := vm.DefaultLimits()
	l.Steps, l.Iterations, l.Memory, l.OutputBytes = 200_000_000, 200_000_000, 256<<20, 64<<20
	return l
}

func (s settings) allLimits() vm.Limits {
	l, d := s.limits, DefaultLimits()
	for _, f := range []struct {
		v *int64
		d int64
	}{{&l.Steps, d.Steps}, {&l.Iterations, d.Iterations}, {&l.Memory, d.Memory}, {&l.OutputBytes, d.OutputBytes}} {
		if *f.v == 0 {
			*f.v = f.d
		}
	}
	return l.OrDefault()
}

// New compiles a chat template. The error is a diag.List.
func New(src string, c Config, opts ...Option) (*Template, error) {
	parts := []part{{"default", source.New(c.Name, src)}}
	for _, name := range sortedKeys(c.Named) {
		parts = append(parts, part{name, source.New(c.Name, c.Named[name])})
	}
	tokens := vm.NewMap(len(c.Tokens))
	for _, name := range sortedKeys(c.Tokens) {
		tokens.Set(name, vm.String(c.Tokens[name]))
	}
	return build(parts, tokens, nil, settingsOf(opts))
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// part is a template before it is compiled.
type part struct {
	name string
	file *source.File
}

func settingsOf(opts []Option) *settings {
	s := &settings{}
	for _, o := range opts {
		if o != nil { // a caller may leave some out
			o(s)
		}
	}
	return s
}

// build compiles the templates. The tokens are data by default, as is what
// transformers gives where the caller says nothing; special are further special
// tokens, which have no name.
func build(parts []part, tokens *vm.Map, special []string, s *settings) (*Template, error) {
	t := &Template{limits: s.allLimits(), special: &specialTokens{named: tokens, more: special}}
	if s.clock != nil {
		t.options = []vm.RenderOption{vm.WithClock(s.clock)}
	}
	vars := compiler.ChatTemplateVars()
	for i := range tokens.Len() {
		vars.Put(tokens.At(i))
	}
	opts := append(make([]compiler.Option, 0, 3+len(s.options)), compiler.WithDefaults(compiler.WithProfile("hf")))
	opts = append(opts, s.options...)
	opts = append(opts, compiler.WithVars(vars), compiler.WithLimits(t.limits))
	var all diag.List
	t.named = make([]named, 0, len(parts))
	for _, p := range parts {
		program, err := compiler.CompileSource(p.file, opts...)
		if list, ok := err.(diag.List); ok {
			all = append(all, list...)
			continue
		}
		if err != nil {
			return nil, err
		}
		t.named = append(t.named, named{name: p.name, source: p.file.Text, program: program, probed: new(probed)})
	}
	if err := all.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

// Load reads the chat template of a model: from its folder, its
// tokenizer_config.json, its chat_template.jinja or .json, or a GGUF file. The
// files beside the named one are read where transformers reads them: the
// special tokens for a template, the template for a configuration. Links cannot
// leave the folder. The error is a diag.List; a file that is none of these is
// refused, and the error says what it is.
func Load(name string, opts ...Option) (*Template, error) {
	name = filepath.Clean(name)
	dir, base := name, "."
	if info, err := os.Stat(name); err != nil {
		return nil, diag.List{new(files).unreadable(name, err)}
	} else if !info.IsDir() {
		dir, base = filepath.Dir(name), filepath.Base(name)
	}
	return LoadFS(compiler.DirFS(dir), base, append([]Option{WithFolder(dir)}, opts...)...)
}

// LoadFS is Load in a file system.
func LoadFS(fsys fs.FS, name string, opts ...Option) (*Template, error) {
	s := settingsOf(opts)
	f := &files{fsys: nofiles.Or(fsys), dir: s.dir, tokens: vm.NewMap(8)}
	if d := f.read(path.Clean(name)); d != nil {
		return nil, diag.List{d}
	}
	return build(f.parts, f.tokens, f.special, s)
}

// Programs ranges over the names and programs of the templates. Apply renders
// them; by themselves they tell what a template reads.
func (t *Template) Programs() iter.Seq2[string, *vm.Program] {
	return func(yield func(string, *vm.Program) bool) {
		for i := range t.named {
			if !yield(t.named[i].name, t.named[i].program) {
				return
			}
		}
	}
}

// Names lists the templates, "default" for the one without a name.
func (t *Template) Names() []string {
	names := make([]string, len(t.named))
	for i := range t.named {
		names[i] = t.named[i].name
	}
	return names
}

// Named returns the template of that name alone, which then serves every
// request. The error is a diag.List with the names that there are.
func (t *Template) Named(name string) (*Template, error) {
	n, err := t.choose(name, false)
	if err != nil {
		return nil, err
	}
	only := *t
	only.named = []named{*n}
	return &only, nil
}

// find returns a template by name, nil where there is none.
func (t *Template) find(name string) *named {
	for i := range t.named {
		if t.named[i].name == name {
			return &t.named[i]
		}
	}
	return nil
}

// choose is the template for a request, as transformers chooses
// (PreTrainedTokenizerBase.get_chat_template): tool_use where tools are given,
// else default.
func (t *Template) choose(name string, tools bool) (*named, error) {
	if name != "" {
		if n := t.find(name); n != nil {
			return n, nil
		}
		d := fault("PCC370", "there is no chat template %q", name)
		d.Help = "the templates are " + strings.Join(t.Names(), ", ")
		if near, ok := diag.Near(name, t.Names()); ok {
			d.Help = fmt.Sprintf("did you mean %q? ", near) + d.Help
		}
		return nil, diag.List{d}
	}
	if tools {
		if n := t.find("tool_use"); n != nil {
			return n, nil
		}
	}
	if n := t.find("default"); n != nil {
		return n, nil
	}
	if len(t.named) == 1 {
		return &t.named[0], nil
	}
	d := fault("PCC370", "the model has several chat templates and none is called default")
	d.Help = "choose one by name: " + strings.Join(t.Names(), ", ")
	return nil, diag.List{d}
}

// Capabilities tells what the template for requests without tools supports.
// They are found at the first call, by rendering some hundred small requests,
// and kept.
func (t *Template) Capabilities() *Capabilities {
	n, err := t.choose("", false)
	if err != nil {
		n = &t.named[0]
	}
	return n.capabilities(context.Background())
}

// probed is what is found out about a template once it is asked for.
type probed struct {
	mu   sync.Mutex
	caps *Capabilities

	listed sync.Once
	read   []string // names of the variables that it reads
}

// capabilities finds out what the template supports, once. What was found when
// ctx ended is not kept.
func (n *named) capabilities(ctx context.Context) *Capabilities {
	n.probed.mu.Lock()
	defer n.probed.mu.Unlock()
	if n.probed.caps != nil {
		return n.probed.caps
	}
	variables, err := compiler.Undeclared(n.source, compiler.WithProfile("hf"))
	if err != nil {
		variables = nil // it compiled, so that it parses
	}
	c := probe(ctx, n.program, variables)
	if ctx.Err() == nil {
		n.probed.caps = c
	}
	return c
}

// fault is a finding without a place in a file: its message tells the path.
func fault(code diag.Code, format string, args ...any) *diag.Diagnostic {
	return diag.New(code, nil, source.Span{}, format, args...)
}
