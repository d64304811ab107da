package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// readers read whole bodies, by the names of the forms.
var readers = map[string]func(*bodyReader) error{
	"openai": (*bodyReader).openAI, "responses": (*bodyReader).responses, "anthropic": (*bodyReader).anthropic, "gemini": (*bodyReader).gemini,
}

// FromBody reads the body of a request to a provider, in which nothing is a template.
// What the request form has no place for is an error that names it; blocks and parts
// that the provider alone has stay in their messages. Gemini's calls without an id get
// one.
func FromBody(body vm.Value, provider string) (*Request, error) {
	read, ok := readers[provider]
	if !ok {
		return nil, fmt.Errorf("unknown provider %q: it is one of %s", provider, strings.Join(Providers(), ", "))
	}
	if !body.IsMapping() {
		return nil, faultAt("PCC371", "request", "a request is a map, and this is %s", body.Kind().Noun())
	}
	r := &bodyReader{form: provider, body: body, request: &Request{}}
	if err := read(r); err != nil {
		return nil, err
	}
	return r.request, r.request.check()
}

// DetectProvider tells which provider a body is for, by its keys. "" is the form of
// ParseRequest, which is that of openai too where there is nothing but model, messages
// and tools.
func DetectProvider(body vm.Value) string {
	has := func(key string) bool { _, ok := vm.Lookup(body, key); return ok }
	switch {
	case has("contents"), has("generationConfig"), has("systemInstruction"):
		return "gemini"
	case has("input"), has("instructions"):
		return "responses"
	case has("system"), has("stop_sequences"), has("output_config"), has("thinking"):
		return "anthropic"
	}
	if tools, ok := vm.Lookup(body, "tools"); ok {
		for _, t := range partsOf(tools) {
			if _, ok := vm.Lookup(t, "input_schema"); ok {
				return "anthropic"
			}
		}
	}
	if messages, ok := vm.Lookup(body, "messages"); ok {
		for _, m := range partsOf(messages) {
			content, _ := vm.Lookup(m, "content")
			if !content.IsSequence() {
				continue
			}
			for _, p := range partsOf(content) {
				typ, _ := lookupText(p, "type")
				if _, marked := vm.Lookup(p, "cache_control"); marked || slices.Contains(anthropicTypes[:], typ) {
					return "anthropic"
				}
			}
		}
	}
	e, err := reader().Entries(body)
	for i := 0; err == nil && i < e.Len(); i++ {
		k, _ := e.At(i)
		if key, _ := k.Str(); !slices.Contains(requestKeys, key) {
			return "openai"
		}
	}
	return ""
}

// bodyReader reads one body.
type bodyReader struct {
	form    string
	body    vm.Value
	request *Request
	// Of Gemini's calls, which need no ids: how many there were, the ids of those of
	// each function in order, and the ids that have a result.
	calls    int
	byName   map[string][]string
	answered map[string]bool
	// last are the calls of the last message, and callsOf its number from 1.
	last    []vm.Value
	callsOf int
	// marked tells that one of the calls of the message just read has a mark for the
	// cache, which is the message's.
	marked bool
}

// add adds a message: keys and values in turn.
func (r *bodyReader) add(pairs ...any) error {
	ms, err := Parse(vm.ListOf([]vm.Value{mapOf(pairs...)}))
	if err == nil {
		r.request.Messages = append(r.request.Messages, ms...)
	}
	return err
}

// top goes over the keys of the body: those that are known, and parameters.
func (r *bodyReader) top(p *parameters, known map[string]func(x vm.Value, at string) error) error {
	e, err := reader().Entries(r.body)
	if err != nil {
		return err
	}
	for i := range e.Len() {
		k, x := e.At(i)
		key, _ := k.Str()
		if x.IsMissing() {
			continue
		}
		if read, ok := known[key]; ok {
			if err := read(x, key); err != nil {
				return err
			}
			continue
		}
		if err := r.parameter(p, key, key, x); err != nil {
			return err
		}
	}
	return nil
}

// parameter reads one that the provider calls key.
func (r *bodyReader) parameter(p *parameters, key, at string, x vm.Value) error {
	name := ""
	for ours, theirs := range p.names {
		if theirs == key {
			name = ours
		}
	}
	if name == "" && slices.Contains(p.own, key) {
		name = key
	}
	if name == "" {
		d := faultAt("PCC371", at, "the form %s has no key of this name", r.form).WithNames(key).WithHelp("correct it, or say with --from which form the request has")
		known := append(slices.Clone(p.own), requestKeys...)
		for _, theirs := range p.names {
			known = append(known, theirs)
		}
		slices.Sort(known)
		if near, ok := diag.Near(key, known); ok {
			d.Help = "did you mean `" + near + "`?"
		}
		return d
	}
	if r.request.Parameters == nil {
		r.request.Parameters = vm.NewMap(4)
	}
	r.request.Parameters.Set(name, x)
	return nil
}

// model reads the model.
func (r *bodyReader) model(x vm.Value, at string) (err error) {
	r.request.Model, err = textAt(x, at)
	return err
}

// listAt is a list at a place of the body.
func listAt(x vm.Value, at string) ([]vm.Value, error) {
	if !x.IsSequence() {
		return nil, faultAt("PCC371", at, "this is a list, and not %s", x.Kind().Noun())
	}
	return reader().Items(x)
}

// only refuses keys of a map beside those that are read: nothing is left out without a
// word.
func (r *bodyReader) only(v vm.Value, at string, keys ...string) error {
	e, err := reader().Entries(v)
	if err != nil || !v.IsMapping() {
		return faultAt("PCC371", at, "this is a map, and not %s", v.Kind().Noun())
	}
	for i := range e.Len() {
		k, x := e.At(i)
		if key, _ := k.Str(); !x.IsMissing() && !slices.Contains(keys, key) {
			d := faultAt("PCC371", at+"."+diag.ClipName(key), "the form %s has no such key here, or it has no place in a request", r.form).WithNames(key)
			d.Help = "leave it out"
			if near, ok := diag.Near(key, keys); ok {
				d.Help = "did you mean `" + near + "`?"
			}
			return d
		}
	}
	return nil
}

// unknownType is the error of a part or item that requests have no place for.
func (r *bodyReader) unknownType(at, typ string) error {
	return faultAt("PCC371", at+".type", "there is no place in a request for what the form %s calls %q", r.form, diag.ClipName(typ)).WithNames(typ)
}

// openAI reads a body of the chat completions API, whose messages are ours.
func (r *bodyReader) openAI() error {
	return r.top(&openAIParameters, map[string]func(vm.Value, string) error{
		"model": r.model,
		"messages": func(x vm.Value, at string) error {
			items, err := listAt(x, at)
			if err != nil {
				return err
			}
			for i, item := range items {
				content, _ := vm.Lookup(item, "content")
				if content.IsSequence() {
					item = with(item, "content", marksRead(content, "prompt_cache_breakpoint"))
				}
				items[i] = item
			}
			r.request.Messages, err = Parse(vm.ListOf(items))
			return err
		},
		"tools":       func(x vm.Value, _ string) (err error) { r.request.Tools, err = readTools(x); return err },
		"tool_choice": func(x vm.Value, _ string) (err error) { r.request.ToolChoice, err = readChoice(x); return err },
		"max_tokens": func(x vm.Value, at string) error {
			return r.parameter(&openAIParameters, "max_completion_tokens", at, x)
		},
		"response_format": func(x vm.Value, at string) error {
			if typ, _ := lookupText(x, "type"); typ != "json_schema" {
				return r.unknownType(at, typ)
			}
			inner, _ := vm.Lookup(x, "json_schema")
			return r.output(inner)
		},
	})
}

// output reads the schema of the answer.
func (r *bodyReader) output(x vm.Value) (err error) {
	r.request.Output, err = readOutput(x)
	if err == nil && r.request.Output.Name == "output" {
		r.request.Output.Name = "" // what we write where there is none
	}
	return err
}

// marksRead replaces a provider's mark for the cache in each part by ours. Marks with
// further keys stay.
func marksRead(parts vm.Value, key string) vm.Value {
	items := partsOf(parts)
	out := make([]vm.Value, len(items))
	for n, p := range items {
		out[n] = markRead(p, key)
	}
	return vm.ListOf(out)
}

func markRead(p vm.Value, key string) vm.Value {
	m, ok := vm.Lookup(p, key)
	if !ok || m.IsMissing() {
		return p
	}
	if n, _ := m.Map(); n == nil || n.Len() != 1 {
		return p
	}
	return with(dropped(p, key), "cache", vm.Bool(true))
}

// responses reads a body of the responses API.
func (r *bodyReader) responses() error {
	if text, ok := lookupText(r.body, "instructions"); ok {
		if err := r.add("role", "system", "content", text); err != nil {
			return err
		}
	}
	return r.top(&responsesParameters, map[string]func(vm.Value, string) error{
		"model": r.model,
		"instructions": func(x vm.Value, at string) error {
			_, err := textAt(x, at)
			return err
		},
		"input": func(x vm.Value, at string) error {
			if text, ok := x.Str(); ok {
				return r.add("role", "user", "content", text)
			}
			items, err := listAt(x, at)
			for i := 0; err == nil && i < len(items); i++ {
				err = r.item(items[i], fmt.Sprintf("%s[%d]", at, i))
			}
			return err
		},
		"tools": func(x vm.Value, at string) error {
			items, err := listAt(x, at)
			for i := 0; err == nil && i < len(items); i++ {
				if strict, ok := vm.Lookup(items[i], "strict"); ok {
					if b, _ := strict.AsBool(); !b {
						items[i] = dropped(items[i], "strict") // as the API wants it of every tool
					}
				}
			}
			if err == nil {
				r.request.Tools, err = readTools(vm.ListOf(items))
			}
			return err
		},
		"tool_choice": func(x vm.Value, _ string) (err error) { r.request.ToolChoice, err = readChoice(x); return err },
		"text": func(x vm.Value, at string) error {
			return fields(x, at, "write {format: {type: json_schema, name: …, schema: …}}", map[string]func(vm.Value, string) error{
				"format": func(x vm.Value, at string) error {
					switch typ, _ := lookupText(x, "type"); typ {
					case "text":
						return nil
					case "json_schema":
						return r.output(untyped(x))
					default:
						return r.unknownType(at, typ)
					}
				},
			})
		},
	})
}

// item reads one item of a responses body's input.
func (r *bodyReader) item(x vm.Value, at string) error {
	typ, _ := lookupText(x, "type")
	switch typ {
	case "", "message": // id and status are those of an answer that is sent back
		if err := r.only(x, at, "type", "role", "content", "id", "status"); err != nil {
			return err
		}
		role, _ := lookupText(x, "role")
		content, _ := vm.Lookup(x, "content")
		if content.IsSequence() {
			parts, err := r.inputParts(content, at+".content")
			if err != nil {
				return err
			}
			content = parts
		}
		return r.add("role", role, "content", content)
	case "function_call":
		if err := r.only(x, at, "type", "call_id", "name", "arguments", "id", "status"); err != nil {
			return err
		}
		id, _ := lookupText(x, "call_id")
		name, _ := lookupText(x, "name")
		arguments, _ := vm.Lookup(x, "arguments")
		return r.call(id, name, arguments)
	case "function_call_output":
		if err := r.only(x, at, "type", "call_id", "output", "id", "status"); err != nil {
			return err
		}
		id, _ := lookupText(x, "call_id")
		output, _ := vm.Lookup(x, "output")
		if output.IsSequence() {
			parts, err := r.inputParts(output, at+".output")
			if err != nil {
				return err
			}
			output = parts
		}
		return r.add("role", "tool", "tool_call_id", id, "content", output)
	}
	return r.unknownType(at, typ)
}

// call adds a call of a tool to the assistant's message before it, or to one of its
// own.
func (r *bodyReader) call(id, name string, arguments vm.Value) error {
	call := mapOf("id", id, "type", "function", "function", mapOf("name", name, "arguments", arguments))
	ms := r.request.Messages
	if n := len(ms); n > 0 && ms[n-1].Role == "assistant" {
		m := &ms[n-1]
		if m.Extra == nil {
			m.Extra = vm.NewMap(1)
		}
		if r.callsOf != n {
			r.callsOf, r.last = n, nil
		}
		r.last = append(r.last, call)
		m.Extra.Set("tool_calls", vm.ListOf(r.last))
		return nil
	}
	r.callsOf, r.last = len(ms)+1, []vm.Value{call}
	return r.add("role", "assistant", "content", vm.Null, "tool_calls", vm.ListOf(r.last))
}

// inputParts reads the parts of a responses body's message.
func (r *bodyReader) inputParts(content vm.Value, at string) (vm.Value, error) {
	items, err := listAt(content, at)
	if err != nil {
		return vm.Null, err
	}
	out := make([]vm.Value, len(items))
	for n, p := range items {
		here := fmt.Sprintf("%s[%d]", at, n)
		typ, _ := lookupText(p, "type")
		p = markRead(p, "prompt_cache_breakpoint")
		text := func(key string) (vm.Value, bool) { s, ok := lookupText(p, key); return vm.String(s), ok }
		var part vm.Value
		switch typ {
		case "input_text", "output_text":
			if err := r.only(p, here, "type", "text", "cache", "annotations", "logprobs"); err != nil {
				return vm.Null, err
			}
			s, _ := lookupText(p, "text")
			part = mapOf("text", s)
		case "input_image":
			if err := r.only(p, here, "type", "image_url", "detail", "cache"); err != nil {
				return vm.Null, err
			}
			url, ok := text("image_url")
			if !ok {
				return vm.Null, faultAt("PCC371", here, "only images by their address or data have a place in a request")
			}
			part = mapOf("type", "image_url", "image_url", mapOf("url", url))
			if detail, ok := lookupText(p, "detail"); ok && detail != "auto" {
				part = mapOf("type", "image_url", "image_url", mapOf("url", url, "detail", detail))
			}
		case "input_file":
			if err := r.only(p, here, "type", "filename", "file_url", "file_data", "cache"); err != nil {
				return vm.Null, err
			}
			file := vm.NewMap(2)
			if name, ok := text("filename"); ok {
				file.Set("name", name)
			}
			url, byURL := text("file_url")
			data, byData := lookupText(p, "file_data")
			switch {
			case byURL:
				file.Set("url", url)
			case byData:
				x := media{url: data}
				x.split()
				if x.data == "" {
					return vm.Null, faultAt("PCC371", here+".file_data", "the data is no address such as data:application/pdf;base64,…")
				}
				file.Set("data", vm.String(x.data))
				file.Set("media_type", vm.String(x.mediaType))
			default:
				return vm.Null, faultAt("PCC371", here, "only files by their address or data have a place in a request")
			}
			part = mapOf("file", vm.MapOf(file))
		default:
			return vm.Null, r.unknownType(here, typ)
		}
		if _, marked := vm.Lookup(p, "cache"); marked {
			part = with(part, "cache", vm.Bool(true))
		}
		out[n] = part
	}
	return vm.ListOf(out), nil
}
