package chat

import (
	"context"
	"fmt"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// normalise gives the messages the form that the template reads. The request
// itself is not changed: messages that differ are copied.
//
//   - Arguments of tool calls that are JSON texts, as OpenAI's API has them,
//     become objects, as in vLLM and TGI, unless the template wants texts.
//   - Content in parts stays a list where the template reads lists; where it
//     reads texts only, the texts are joined by line breaks, as vLLM does for
//     such templates. A text stays a text, as in transformers.
func (n *named) normalise(ctx context.Context, messages *vm.List) (*vm.List, error) {
	out, left := messages, maxValues
	for i, m := range messages.Items {
		changed, err := n.message(ctx, m, i, &left)
		if err != nil {
			return nil, err
		}
		if changed == nil {
			continue
		}
		if out == messages {
			out = &vm.List{Items: append([]vm.Value(nil), messages.Items...)}
		}
		out.Items[i] = vm.MapOf(changed)
	}
	return out, nil
}

// message returns a changed copy of m, or nil where it stays as it is.
func (n *named) message(ctx context.Context, v vm.Value, at int, left *int) (*vm.Map, error) {
	m, ok := v.Map()
	if !ok {
		return nil, nil
	}
	content, hasContent := m.Get("content")
	calls, hasCalls := m.Get("tool_calls")
	if _, parts := content.List(); !parts && !hasCalls {
		return nil, nil
	}
	path := fmt.Sprintf("messages[%d]", at)
	var out *vm.Map
	set := func(key string, v vm.Value) {
		if out == nil {
			out = m.Clone()
		}
		out.Set(key, v)
	}
	if hasContent {
		changed, ok, err := n.content(ctx, content, path+".content")
		if err != nil {
			return nil, err
		}
		if ok {
			set("content", changed)
		}
	}
	if hasCalls {
		list, isList := calls.List()
		if !isList && !calls.IsNull() {
			return nil, wrongType(path+".tool_calls", "a list", calls)
		}
		changed := false
		var items []vm.Value
		for i := 0; isList && i < len(list.Items); i++ {
			call, ok, err := n.call(ctx, list.Items[i], fmt.Sprintf("%s.tool_calls[%d]", path, i), left)
			if err != nil {
				return nil, err
			}
			if ok && !changed {
				changed, items = true, append([]vm.Value(nil), list.Items...)
			}
			if ok {
				items[i] = call
			}
		}
		if changed {
			set("tool_calls", vm.ListOf(items))
		}
	}
	return out, nil
}

// content returns another form of a message's content where the template needs
// one.
func (n *named) content(ctx context.Context, v vm.Value, path string) (vm.Value, bool, error) {
	parts, ok := v.List()
	if !ok {
		return v, false, nil
	}
	if c := n.capabilities(ctx); c.Content != "string" {
		return v, false, nil
	}
	texts := make([]string, 0, len(parts.Items))
	for i, p := range parts.Items {
		t, ok := vm.Lookup(p, "text")
		s, isText := t.Str()
		if !ok || !isText {
			d := fault("PCC371", "`%s[%d]` of the request is no text, and the template reads only texts", path, i)
			d.Help = "leave the part out, or use a model whose template takes images and other media"
			return v, false, diag.List{d}
		}
		texts = append(texts, s)
	}
	return text(strings.Join(texts, "\n")), true, nil
}

// call returns a tool call with its arguments as an object, where they are a
// text.
func (n *named) call(ctx context.Context, v vm.Value, path string, left *int) (vm.Value, bool, error) {
	call, ok := v.Map()
	if !ok {
		return v, false, nil
	}
	f, _ := call.Get("function")
	function, ok := f.Map()
	if !ok {
		return v, false, nil
	}
	args, _ := function.Get("arguments")
	s, ok := args.Str()
	if !ok || n.capabilities(ctx).Arguments == "text" {
		return v, false, nil
	}
	path += ".function.arguments"
	object := vm.MapOf(vm.NewMap(0))
	if strings.TrimSpace(s) != "" {
		var err error
		if object, err = decode([]byte(s), path, left); err != nil {
			return v, false, err
		}
	}
	if _, ok := object.Map(); !ok {
		return v, false, wrongType(path, "a JSON object, or its text", object)
	}
	function = function.Clone()
	function.Set("arguments", object)
	call = call.Clone()
	call.Set("function", vm.MapOf(function))
	return vm.MapOf(call), true, nil
}
