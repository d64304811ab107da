// Package jinja has the names of github.com/ardanlabs/jinja, with PCC behind them:
// chat templates of models render byte for byte as in Hugging Face's transformers,
// in a sandbox and under limits, and errors tell the place and what to do.
//
//	t, err := jinja.Compile(chatTemplate)
//	prompt, err := t.Render(map[string]any{"messages": messages, "tools": json.RawMessage(tools)})
//
// The README lists what differs.
package jinja

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/pcc-lang/pcc/chat"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// Template is a compiled template, safe for concurrent use.
type Template struct{ program *vm.Program }

// Compile compiles a template in the environment of transformers: trim_blocks,
// lstrip_blocks, break and continue, generation tags, raise_exception and
// strftime_now. Variables that a render does not give, tools, documents and
// add_generation_prompt, are none and false as there. Options are PCC's, such as
// compiler.WithLimits; the limits are those of package chat.
func Compile(source string, opts ...compiler.Option) (*Template, error) {
	p, err := compiler.ChatTemplate(source, append([]compiler.Option{compiler.WithLimits(chat.DefaultLimits())}, opts...)...)
	if err != nil {
		return nil, err
	}
	return &Template{program: p}, nil
}

// Render renders with data: maps, slices, structs by their json names, and raw JSON
// (json.RawMessage), which keeps the order of its keys and the spelling of its numbers.
func (t *Template) Render(data map[string]any) (string, error) {
	return t.RenderContext(context.Background(), data)
}

// RenderContext is Render with a context, whose end ends the render, and options of
// PCC; vm.WithClock gives strftime_now another time than that of the machine. The peer
// has no such method.
func (t *Template) RenderContext(ctx context.Context, data map[string]any, opts ...vm.RenderOption) (string, error) {
	return t.program.RenderContext(ctx, data, append([]vm.RenderOption{vm.WithClock(time.Now)}, opts...)...)
}

// RenderValues is Render with values, whose dictionaries keep the order of their keys.
func (t *Template) RenderValues(data map[string]Value) (string, error) {
	m, err := exportMap(slices.Sorted(maps.Keys(data)), data, 0)
	if err != nil {
		return "", err
	}
	return t.program.RenderContext(context.Background(), m, vm.WithClock(time.Now))
}

// Program is the compiled program, for what PCC can do besides: segments, warnings,
// the names that a template reads.
func (t *Template) Program() *vm.Program { return t.program }
