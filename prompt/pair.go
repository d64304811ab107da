package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// Pair is a prompt with an optional system prompt, as Phronomy has them:
// placeholders are {{name}}, where a name is letters, digits and `_`, and
// everything else is text. It is immutable and safe for concurrent use.
type Pair struct {
	set            *Set
	prompt, system *vm.Program // system is nil where there is none
	text           string
	systemText     *string
	trace          func(PairCall) func(error)
	values         bool
}

// PairResult is a rendered pair. System is nil where there is no system
// template; an empty template gives an empty text.
type PairResult struct {
	Prompt string  `json:"prompt"`
	System *string `json:"system,omitempty"`
}

// NewPair compiles a pair; system is nil for none.
func NewPair(template string, system *string, opts ...Option) (*Pair, error) {
	doc := &ast.Structure{Kind: ast.SMap, Map: []ast.Entry{{Key: "template", Value: textStructure(template)}}}
	key := ast.Entry{Key: "system_template", Value: ast.Structure{Kind: ast.SNull}}
	if system != nil {
		key.Value = textStructure(*system)
	}
	doc.Map = append(doc.Map, key)
	s, err := loadStructure(doc, opts)
	if err != nil {
		return nil, err
	}
	p, _ := s.Pair()
	return p, nil
}

// Pair returns the document as a pair; ok is false for other forms.
func (s *Set) Pair() (p *Pair, ok bool) {
	if s.doc == nil || s.doc.Form != ast.FormPair {
		return nil, false
	}
	p = &Pair{set: s, prompt: s.programs[document.PairPrompt], system: s.programs[document.PairSystem]}
	p.text = s.entries[document.PairPrompt].Data.Str
	if e := s.entries[document.PairSystem]; e != nil {
		p.systemText = &e.Data.Str
	}
	return p, true
}

// Set returns the pair as a document, to look up its programs or to save it.
func (p *Pair) Set() *Set { return p.set }

// Template returns the prompt's source text.
func (p *Pair) Template() string { return p.text }

// SystemTemplate returns the system prompt's source text; ok is false where
// there is none.
func (p *Pair) SystemTemplate() (text string, ok bool) {
	if p.systemText == nil {
		return "", false
	}
	return *p.systemText, true
}

// Variables lists the names in both texts, each once: the prompt's first, then
// the system prompt's, in the order of first use.
func (p *Pair) Variables() []string {
	var names []string
	seen := map[string]bool{}
	for _, prog := range []*vm.Program{p.prompt, p.system} {
		if prog == nil {
			continue
		}
		for _, v := range prog.Variables() {
			if !seen[v.Name] {
				seen[v.Name] = true
				names = append(names, v.Name)
			}
		}
	}
	return names
}

// Format renders the prompt. A variable without a value is an error that lists
// all of them; values that nothing reads are passed over.
func (p *Pair) Format(vars any) (string, error) { return formatPair(p.prompt, vars) }

// FormatSystem renders the system prompt; nil where there is none.
func (p *Pair) FormatSystem(vars any) (*string, error) {
	if p.system == nil {
		return nil, nil
	}
	s, err := formatPair(p.system, vars)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

func formatPair(prog *vm.Program, vars any) (string, error) {
	s, err := prog.Render(vars)
	if err != nil {
		return "", missingVariables(err)
	}
	return s, nil
}

// missingVariables gives the error for names without a value the text that
// callers of pairs know.
func missingVariables(err error) error {
	var names []string
	for _, d := range missingIn(err) {
		for _, name := range d.Names {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if names == nil {
		return err
	}
	return fmt.Errorf("missing variable: %s: %w", diag.QuotedList(names), err)
}

// Invoke renders both texts. The input is the variables (a map or a struct), or
// a text, which fills the variable `input`.
func (p *Pair) Invoke(input any) (*PairResult, error) {
	return p.InvokeContext(context.Background(), input)
}

// InvokeContext is Invoke with a context, which is looked at before each text
// is rendered.
func (p *Pair) InvokeContext(ctx context.Context, input any) (result *PairResult, err error) {
	vars, err := pairInput(input)
	if err != nil {
		return nil, err
	}
	if p.trace != nil {
		if done := p.trace(p.call(vars)); done != nil {
			defer func() { done(err) }()
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	prompt, err := p.prompt.Render(vars)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.system == nil {
		if err != nil {
			return nil, missingVariables(err)
		}
		return &PairResult{Prompt: prompt}, nil
	}
	system, systemErr := p.system.Render(vars)
	if err := bothErrors(err, systemErr); err != nil {
		return nil, missingVariables(err)
	}
	return &PairResult{Prompt: prompt, System: &system}, nil
}

// bothErrors are the errors of both texts as one: what is missing in either is
// told together, of another kind of error the first.
func bothErrors(prompt, system error) error {
	a, b := missingIn(prompt), missingIn(system)
	switch {
	case prompt == nil:
		return system
	case a == nil || b == nil:
		return prompt
	}
	return append(a, b...)
}

// missingIn are the findings of an error that tells of missing variables alone.
func missingIn(err error) diag.List {
	var list diag.List
	var one *diag.Diagnostic
	switch {
	case errors.As(err, &list):
		list = slices.Clone(list)
	case errors.As(err, &one):
		list = diag.List{one}
	}
	if slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code != "PCC301" }) {
		return nil
	}
	return list
}

// pairInput makes variables of an input.
func pairInput(input any) (any, error) {
	v := vm.Of(input)
	if s, ok := v.Str(); ok {
		return map[string]any{"input": s}, nil
	}
	if v.IsMapping() {
		return input, nil
	}
	return nil, fmt.Errorf("a pair takes a map of variables or a text, and this is a %s", v.Kind())
}

// BatchOption changes a Batch.
type BatchOption func(*batch)

type batch struct{ collect bool }

// CollectErrors makes Batch go on after an error: it renders all inputs, and
// its error joins those of all of them.
func CollectErrors() BatchOption { return func(b *batch) { b.collect = true } }

// BatchError is the error of one input of a Batch.
type BatchError struct {
	Index int // of the input
	Err   error
}

func (e *BatchError) Error() string { return fmt.Sprintf("input %d: %v", e.Index, e.Err) }

// Unwrap returns the error of the input.
func (e *BatchError) Unwrap() error { return e.Err }

// Batch invokes the pair for each input, in order. It stops at the first error,
// unless CollectErrors is given: then the results of failed inputs are nil. The
// error holds a *BatchError for each failed input.
func (p *Pair) Batch(ctx context.Context, inputs []any, opts ...BatchOption) ([]*PairResult, error) {
	var b batch
	for _, o := range opts {
		if o != nil {
			o(&b)
		}
	}
	results := make([]*PairResult, 0, len(inputs))
	var errs []error
	for i, in := range inputs {
		r, err := p.InvokeContext(ctx, in)
		if err != nil {
			err = &BatchError{Index: i, Err: err}
			if !b.collect {
				return nil, err
			}
			errs = append(errs, err)
		}
		results = append(results, r)
	}
	return results, errors.Join(errs...)
}

// Stream yields the result of one invocation, once. It makes a pair usable
// where a sequence of results is expected.
func (p *Pair) Stream(ctx context.Context, input any) iter.Seq2[*PairResult, error] {
	return func(yield func(*PairResult, error) bool) { yield(p.InvokeContext(ctx, input)) }
}

// StreamTo writes the rendered prompt to w; nothing is written on an error.
func (p *Pair) StreamTo(ctx context.Context, input any, w io.Writer) error {
	r, err := p.InvokeContext(ctx, input)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, r.Prompt)
	return err
}

// PairCall is what a trace sees of an invocation: the names and sizes of the
// variables, in the order of Variables, and their values only if asked for.
type PairCall struct {
	Names []string
	// Sizes are the lengths of the printed values in bytes, -1 for missing ones.
	Sizes []int
	// Values are the printed values; nil unless TraceValues is given.
	Values []string
}

// TraceOption changes a Trace.
type TraceOption func(*Pair)

// TraceValues lets the trace see values.
func TraceValues() TraceOption { return func(p *Pair) { p.values = true } }

// Trace returns a pair that calls hook before each invocation; the function
// that hook returns, if any, is called behind it with the error.
func (p *Pair) Trace(hook func(PairCall) func(error), opts ...TraceOption) *Pair {
	traced := *p
	traced.trace = hook
	for _, o := range opts {
		if o != nil {
			o(&traced)
		}
	}
	return &traced
}

func (p *Pair) call(vars any) PairCall {
	c := PairCall{Names: p.Variables()}
	env := vm.NewEnv(p.prompt.Image().Dialect, vm.DefaultLimits())
	for _, name := range c.Names {
		size, text := -1, ""
		if v, ok := vm.Lookup(vm.Of(vars), name); ok {
			if s, err := env.Str(v); err == nil {
				size, text = len(s), s
			}
		}
		c.Sizes = append(c.Sizes, size)
		if p.values {
			c.Values = append(c.Values, text)
		}
	}
	return c
}
