package message

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// ResponsesInput is the `input` of a request to OpenAI's responses API: messages,
// calls of tools and their results, one item each, in order.
type ResponsesInput []vm.Value

// Responses gives the messages as the input of OpenAI's responses API. Roles stay; a
// call becomes a function_call item behind the text of its message, a result a
// function_call_output. Images and files get the form of the API, whose own parts are
// kept. What the API has no place for is an error: names, audio, parts beside texts in
// an assistant's message, a failed result, a result without its call. A mark for the
// cache has its place on the parts of others than the assistant, and is noted
// elsewhere.
//
// Source: EasyInputMessage, ResponseFunctionToolCall and
// ResponseInputItem.FunctionCallOutput of the package openai, resources/responses
// (https://github.com/openai/openai-node/tree/master/src/resources/responses).
func Responses(messages []vm.Message, o Options) (ResponsesInput, error) {
	out := ResponsesInput{}
	made := calls{}
	for i := range messages {
		m := &withoutSystem(messages[i:i+1], o)[0]
		if err := foreignKeys(m, i, "responses"); err != nil {
			return nil, err
		}
		items, err := responsesItems(m, i, made, &o)
		if err != nil {
			return nil, err
		}
		out = append(out, items...)
	}
	return out, nil
}

// responsesTypes are the types of the API's own parts.
var responsesTypes = [...]string{"input_text", "input_image", "input_file"}

func responses() *spelling {
	return &spelling{form: "responses", own: func(p vm.Value, typ string) bool { return slices.Contains(responsesTypes[:], typ) }}
}

// responsesItems are the items of message i.
func responsesItems(m *vm.Message, i int, made calls, o *Options) ([]vm.Value, error) {
	s := responses()
	switch m.Role {
	case "system", "developer", "user":
		content, err := responsesContent(s, m, i)
		return []vm.Value{mapOf("role", m.Role, "content", content)}, err
	case "assistant":
		return responsesAnswer(s, m, i, made, o)
	case "tool":
		r, err := made.result(m, i)
		if err != nil {
			return nil, err
		}
		if r.failed {
			return nil, fault("PCC360", i, ".is_error", "the form responses cannot say that a tool failed").
				WithHelp("say so in the result's text, and drop the key")
		}
		output, err := responsesContent(s, m, i)
		return []vm.Value{mapOf("type", "function_call_output", "call_id", r.call.id, "output", output)}, err
	}
	return nil, unsupportedRole(i, m.Role, "responses")
}

// responsesContent is a text, or a list of parts.
func responsesContent(s *spelling, m *vm.Message, i int) (vm.Value, error) {
	parts, err := s.read(m, i)
	if err != nil {
		return vm.Null, err
	}
	if parts == nil {
		return vm.Null, noContent(i, m)
	}
	if err := mark(m, i, parts); err != nil {
		return vm.Null, err
	}
	if m.Parts.IsNull() && parts[0].plain {
		return vm.String(m.Content), nil
	}
	out := make([]vm.Value, len(parts))
	for n := range parts {
		if out[n], err = responsesPart(s, &parts[n], i); err != nil {
			return vm.Null, err
		}
	}
	return vm.ListOf(out), nil
}

func responsesPart(s *spelling, p *part, i int) (vm.Value, error) {
	x := &p.media
	var out vm.Value
	switch p.kind {
	case textPart:
		out = mapOf("type", "input_text", "text", p.text)
	case imagePart:
		url, detail := x.url, x.detail
		if url == "" {
			url = x.dataURL()
		}
		if detail == "" {
			detail = "auto"
		}
		out = mapOf("type", "input_image", "detail", detail, "image_url", url)
	case filePart:
		out = mapOf("type", "input_file")
		if x.name != "" {
			out = with(out, "filename", vm.String(x.name))
		}
		if x.url != "" {
			out = with(out, "file_url", vm.String(x.url))
		} else {
			out = with(out, "file_data", vm.String(x.dataURL()))
		}
	case ownPart:
		out = p.value
	default:
		return vm.Null, s.refuse(p, i, "")
	}
	if p.cache {
		out = with(out, "prompt_cache_breakpoint", mapOf("mode", "explicit"))
	}
	return out, nil
}

// responsesAnswer is an assistant's message: its text, then its calls.
func responsesAnswer(s *spelling, m *vm.Message, i int, made calls, o *Options) ([]vm.Value, error) {
	parts, err := s.read(m, i)
	if err != nil {
		return nil, err
	}
	list, calls := extra(m, "tool_calls")
	if len(parts) == 0 && !calls {
		return nil, noContent(i, m)
	}
	whole, err := messageMark(m, i)
	if err != nil {
		return nil, err
	}
	if whole {
		o.unplaced(i, "", s.form)
	}
	var text strings.Builder
	for n := range parts {
		p := &parts[n]
		if p.kind == ownPart {
			if own, ok := lookupText(p.value, "text"); ok {
				p.kind, p.text = textPart, own
			}
		}
		if p.kind != textPart {
			return nil, s.refuse(p, i, " in an assistant's message")
		}
		if p.cache {
			o.unplaced(i, p.field, s.form)
		}
		text.WriteString(p.text)
	}
	var out []vm.Value
	if text.Len() > 0 || !calls {
		out = append(out, mapOf("role", m.Role, "content", text.String()))
	}
	if !calls {
		return out, nil
	}
	read, err := readCalls(list, i, true)
	if err != nil {
		return nil, err
	}
	for n, c := range read {
		if err := made.add(c, i, n); err != nil {
			return nil, err
		}
		out = append(out, mapOf("type", "function_call", "call_id", c.id, "name", c.name, "arguments", c.text()))
	}
	return out, nil
}

// text is the arguments as JSON text: as they were written, where they were one.
func (c *toolCall) text() string {
	if c.input.IsNull() {
		return c.written
	}
	return string(vm.AppendJSON(nil, c.input, vm.JSONOptions{ItemSep: ",", KeySep: ":"}))
}

// Value is the input as a list of maps.
func (in ResponsesInput) Value() vm.Value { return vm.ListOf(in) }
