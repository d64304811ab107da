package exec

import (
	"context"
	"io"
	"reflect"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/contrib/gonja/config"
	"github.com/pcc-lang/pcc/contrib/gonja/loaders"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// Environment is what templates find besides their data. Jinja's own filters, tests
// and functions are always there.
type Environment struct {
	// Context holds values and functions that every render finds; those of its
	// data hide them.
	Context *Context
	// Filters are further filters.
	Filters *FilterSet
	// Options are further options of PCC, such as compiler.WithLimits, WithTest
	// and WithHostMethods.
	Options []compiler.Option
}

// NewEnvironment returns an environment of Jinja's own names, to be added to.
func NewEnvironment() *Environment {
	return &Environment{Context: EmptyContext(), Filters: NewFilterSet(nil)}
}

// Template is a compiled template, safe for concurrent use.
type Template struct {
	program *vm.Program
	globals *Context
}

// NewTemplate compiles the template that loader knows by the name identifier. The
// environment may be nil.
func NewTemplate(identifier string, c *config.Config, loader loaders.Loader, e *Environment) (*Template, error) {
	r, err := loader.Read(identifier)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return NewSource(identifier, string(b), c, loader, e)
}

// NewSource compiles a text. name stands in messages. Without a loader the template
// can include nothing.
func NewSource(name, source string, c *config.Config, loader loaders.Loader, e *Environment) (*Template, error) {
	if e == nil {
		e = &Environment{}
	}
	o := compiler.JinjaOptions{
		Syntax: lexer.JinjaOptions{
			TrimBlocks: c.TrimBlocks, LstripBlocks: c.LeftStripBlocks,
			KeepTrailingNewline: c.KeepTrailingNewline, NewlineSequence: c.NewlineSequence,
			BlockStart: c.BlockStartString, BlockEnd: c.BlockEndString,
			VariableStart: c.VariableStartString, VariableEnd: c.VariableEndString,
			CommentStart: c.CommentStartString, CommentEnd: c.CommentEndString,
			LineStatementPrefix: c.LineStatementPrefix, LineCommentPrefix: c.LineCommentPrefix,
			LoopControls: true, Do: true,
		},
		Sandbox: vm.SandboxOn,
	}
	if c.AutoEscape {
		o.Autoescape = compiler.AutoescapeOn
	}
	if c.StrictUndefined {
		o.Undefined = vm.UndefinedStrict
	}
	options := []compiler.Option{compiler.WithJinja(o)}
	if name != "" {
		options = append(options, compiler.WithName(name))
	}
	if loader != nil {
		options = append(options, compiler.WithFS(loaders.Files(loader)))
	}
	options = append(options, e.Filters.options()...)
	p, err := compiler.Compile(source, append(options, e.Options...)...)
	if err != nil {
		return nil, err
	}
	return &Template{program: p, globals: e.Context}, nil
}

// Execute writes the rendered text to w in one call, and nothing on an error.
func (t *Template) Execute(w io.Writer, data *Context) error {
	b, err := t.ExecuteToBytes(data)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// ExecuteToBytes returns the rendered text.
func (t *Template) ExecuteToBytes(data *Context) ([]byte, error) {
	s, err := t.ExecuteToString(data)
	if err != nil {
		return nil, err
	}
	return []byte(s), nil
}

// ExecuteToString returns the rendered text.
func (t *Template) ExecuteToString(data *Context) (string, error) {
	return t.ExecuteContext(context.Background(), data)
}

// ExecuteContext is ExecuteToString with a context of Go, whose end ends the render,
// and options of PCC, such as vm.WithClock. The peer has no such method.
func (t *Template) ExecuteContext(ctx context.Context, data *Context, opts ...vm.RenderOption) (string, error) {
	values := t.globals.Inherit().Update(data).values()
	for name, v := range values {
		f, err := callable(name, v)
		if err != nil {
			return "", err
		}
		if f != nil {
			values[name] = f
		}
	}
	return t.program.RenderContext(ctx, values, opts...)
}

// Program is the compiled program, for what PCC can do besides: segments, warnings,
// the names that a template reads.
func (t *Template) Program() *vm.Program { return t.program }

// callable makes a function that templates call of a Go function, nil of all else.
func callable(name string, v any) (*vm.Builtin, error) {
	switch v.(type) {
	case nil, string, bool, int, int64, float64, map[string]any, []any:
		return nil, nil
	}
	if reflect.TypeOf(v).Kind() != reflect.Func {
		return nil, nil
	}
	if f, ok := v.(func(*VarArgs) *Value); ok {
		return builtinOf(name, false, func(_ *Value, args *VarArgs) *Value { return f(args) }), nil
	}
	return stdlib.Adapt(name, v)
}
