// Package eino renders the chat templates of github.com/cloudwego/eino with PCC: a
// component of eino's interface prompt.ChatTemplate, whose messages are compiled once,
// and render byte for byte as in Python's Jinja2, in a sandbox and under limits.
//
//	t := eino.FromMessages(schema.Jinja2, schema.UserMessage("{{ question | trim }}"))
//	messages, err := t.Format(ctx, map[string]any{"question": q})
//
// The README lists what differs from eino's own.
package eino

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/prompt"
	"github.com/cloudwego/eino/schema"

	"github.com/pcc-lang/pcc/compiler"
)

// Native is PCC's own language, as a format beside eino's three: soft placeholders
// in single braces, {name}, hard ones in double braces, conditions and loops, and
// whatever other spelling the tags of a message show.
const Native schema.FormatType = 100

// ChatTemplate is a list of messages with placeholders. It is safe for concurrent
// use, and implements prompt.ChatTemplate.
type ChatTemplate struct {
	templates  []schema.MessagesTemplate // as they were given, for callbacks
	parts      []schema.MessagesTemplate // with compiled messages in their places
	formatType schema.FormatType
	err        error
}

var _ prompt.ChatTemplate = (*ChatTemplate)(nil)

// FromMessages compiles a chat template, as prompt.FromMessages does. What is wrong
// with it is the error of each call of Format; New gives it at once.
//
// With schema.Jinja2 and Native the texts and addresses of messages are PCC's.
// The formats schema.FString and schema.GoTemplate, placeholders of messages and
// templates of other types are left to eino.
func FromMessages(formatType schema.FormatType, templates ...schema.MessagesTemplate) *ChatTemplate {
	t, err := New(formatType, templates)
	if err != nil {
		return &ChatTemplate{templates: templates, formatType: formatType, err: err}
	}
	return t
}

// New is FromMessages with an error and with options of PCC, such as
// compiler.WithFilter and compiler.WithLimits. The error is a diag.List; places in it
// are in the message that its text names.
func New(formatType schema.FormatType, templates []schema.MessagesTemplate, opts ...compiler.Option) (*ChatTemplate, error) {
	t := &ChatTemplate{templates: templates, formatType: formatType}
	var options []compiler.Option
	switch formatType {
	case schema.FString, schema.GoTemplate:
		t.parts = templates
		return t, nil
	case schema.Jinja2:
		options = []compiler.Option{compiler.WithSyntax(compiler.SyntaxJinja)}
	case Native:
	default:
		return nil, fmt.Errorf("unknown format type %d: give schema.Jinja2, schema.FString, schema.GoTemplate or eino.Native", formatType)
	}
	for i, m := range templates {
		if msg, ok := m.(*schema.Message); ok {
			c, err := compileMessage(msg, append(options[:len(options):len(options)], opts...))
			if err != nil {
				return nil, fmt.Errorf("message %d (%s): %w", i, msg.Role, err)
			}
			m = c
		}
		t.parts = append(t.parts, m)
	}
	return t, nil
}

// Format renders the messages. The result shares nothing with the template that a
// later render changes.
func (t *ChatTemplate) Format(ctx context.Context, vs map[string]any, _ ...prompt.Option) (result []*schema.Message, err error) {
	ctx = callbacks.EnsureRunInfo(ctx, t.GetType(), components.ComponentOfPrompt)
	ctx = callbacks.OnStart(ctx, &prompt.CallbackInput{Variables: vs, Templates: t.templates})
	defer func() {
		if err != nil {
			callbacks.OnError(ctx, err)
		}
	}()
	if t.err != nil {
		return nil, t.err
	}
	result = make([]*schema.Message, 0, len(t.parts))
	for i, part := range t.parts {
		m, err := part.Format(ctx, vs, t.formatType)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		result = append(result, m...)
	}
	callbacks.OnEnd(ctx, &prompt.CallbackOutput{Result: result, Templates: t.templates})
	return result, nil
}

// GetType is the name of the component in callbacks.
func (t *ChatTemplate) GetType() string { return "PCC" }

// IsCallbacksEnabled tells eino that Format calls the callbacks itself.
func (t *ChatTemplate) IsCallbacksEnabled() bool { return true }
