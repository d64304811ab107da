// Package langchaingo renders the prompt templates of github.com/tmc/langchaingo with
// PCC: the types of its package prompts with the same fields and methods, for the
// format jinja2, byte for byte as in Python's Jinja2, in a sandbox and under limits.
//
//	p := langchaingo.PromptTemplate{
//		Template:       "Hello {{ name }}!",
//		InputVariables: []string{"name"},
//		TemplateFormat: prompts.TemplateFormatJinja2,
//	}
//	text, err := p.Format(map[string]any{"name": "Ada"})
//
// The README lists what differs from langchaingo's own.
package langchaingo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// TemplateFormatPCC is PCC's own language, as a format beside langchaingo's three:
// soft placeholders in single braces, {name}, hard ones in double braces, conditions
// and loops, and whatever other spelling a template's tags show.
const TemplateFormatPCC prompts.TemplateFormat = "pcc"

// PromptTemplate is a prompt with variables, as prompts.PromptTemplate is. One that
// Compile has made is parsed once; others are parsed at each call.
type PromptTemplate struct {
	Template       string
	InputVariables []string
	// TemplateFormat is jinja2 or pcc, or another that is left to langchaingo.
	TemplateFormat prompts.TemplateFormat
	OutputParser   schema.OutputParser[any]
	// PartialVariables are values, or functions without parameters that return
	// one: texts, integers, floats and bools.
	PartialVariables map[string]any

	compiled *compiled
}

// compiled is a program with what it was compiled from.
type compiled struct {
	program *vm.Program
	source  string
	format  prompts.TemplateFormat
}

var (
	_ prompts.Formatter      = PromptTemplate{}
	_ prompts.FormatPrompter = PromptTemplate{}
)

// Compile returns a prompt that is parsed once, and what is wrong with it at once: a
// diag.List. The variables that the template reads are its InputVariables. Options are
// PCC's, such as compiler.WithFilter and compiler.WithLimits.
func Compile(template string, format prompts.TemplateFormat, opts ...compiler.Option) (PromptTemplate, error) {
	p, err := compile(template, format, opts...)
	if err != nil {
		return PromptTemplate{}, err
	}
	t := PromptTemplate{Template: template, TemplateFormat: format, compiled: &compiled{p, template, format}}
	t.InputVariables = variables(p)
	return t, nil
}

// variables lists what the program reads, by the names in the values.
func variables(p *vm.Program) []string {
	var names []string
	for _, v := range p.Variables() {
		name, _, _ := strings.Cut(v.Name, ".") // a.b and a[].b are read from a
		name, _, _ = strings.Cut(name, "[")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Format renders the prompt.
func (p PromptTemplate) Format(values map[string]any) (string, error) {
	return p.FormatContext(context.Background(), values)
}

// FormatContext is Format with a context, whose end ends the render. langchaingo has
// no such method.
func (p PromptTemplate) FormatContext(ctx context.Context, values map[string]any) (string, error) {
	values, err := withPartial(p.PartialVariables, values)
	if err != nil {
		return "", err
	}
	if c := p.compiled; c != nil && c.source == p.Template && c.format == p.TemplateFormat {
		return c.program.RenderContext(ctx, values)
	}
	return render(ctx, p.Template, p.TemplateFormat, values)
}

// FormatPrompt renders the prompt as the value that chains and models take.
func (p PromptTemplate) FormatPrompt(values map[string]any) (llms.PromptValue, error) {
	s, err := p.Format(values)
	if err != nil {
		return nil, err
	}
	return prompts.StringPromptValue(s), nil
}

// GetInputVariables returns InputVariables.
func (p PromptTemplate) GetInputVariables() []string { return p.InputVariables }

// RenderTemplate renders a template once. Formats that are not PCC's are left to
// langchaingo, and so are its options: with any of them it renders.
func RenderTemplate(template string, format prompts.TemplateFormat, values map[string]any, opts ...prompts.RenderOption) (string, error) {
	if len(opts) > 0 && format != TemplateFormatPCC {
		return prompts.RenderTemplate(template, format, values, opts...)
	}
	return render(context.Background(), template, format, values)
}

// CheckValidTemplate reports what is wrong with a template, and the variables that it
// reads and inputVariables lacks.
func CheckValidTemplate(template string, format prompts.TemplateFormat, inputVariables []string) error {
	if !ours(format) {
		return prompts.CheckValidTemplate(template, format, inputVariables)
	}
	p, err := compile(template, format)
	if err != nil {
		return err
	}
	var missing []error
	for _, name := range variables(p) {
		if !slices.Contains(inputVariables, name) {
			missing = append(missing, fmt.Errorf("the template reads %q, which is none of the input variables", name))
		}
	}
	return errors.Join(missing...)
}

func ours(format prompts.TemplateFormat) bool {
	return format == prompts.TemplateFormatJinja2 || format == TemplateFormatPCC
}

func compile(template string, format prompts.TemplateFormat, opts ...compiler.Option) (*vm.Program, error) {
	switch format {
	case TemplateFormatPCC:
		return compiler.Compile(template, opts...)
	case prompts.TemplateFormatJinja2:
		return compiler.Compile(template, append([]compiler.Option{compiler.WithSyntax(compiler.SyntaxJinja)}, opts...)...)
	}
	return nil, fmt.Errorf("%w %q: PCC compiles %q and %q", prompts.ErrInvalidTemplateFormat, format, prompts.TemplateFormatJinja2, TemplateFormatPCC)
}

func render(ctx context.Context, template string, format prompts.TemplateFormat, values map[string]any, opts ...compiler.Option) (string, error) {
	if !ours(format) {
		return prompts.RenderTemplate(template, format, values)
	}
	p, err := compile(template, format, opts...)
	if err != nil {
		return "", err
	}
	return p.RenderContext(ctx, values)
}

// withPartial adds partial variables to the values, which hide them.
func withPartial(partial, values map[string]any) (map[string]any, error) {
	if len(partial) == 0 {
		return values, nil
	}
	all := make(map[string]any, len(partial)+len(values))
	for _, name := range slices.Sorted(maps.Keys(partial)) {
		switch v := partial[name].(type) {
		case string, int, float64, bool:
			all[name] = v
		case func() string:
			all[name] = v()
		case func() int:
			all[name] = v()
		case func() float64:
			all[name] = v()
		case func() bool:
			all[name] = v()
		default:
			return nil, fmt.Errorf("%w: %q is a %T", prompts.ErrInvalidPartialVariableType, name, v)
		}
	}
	maps.Copy(all, values)
	return all, nil
}
