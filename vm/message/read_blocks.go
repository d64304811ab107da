package message

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// This file reads the bodies of anthropic and gemini, whose messages are lists of
// blocks.

// anthropic reads a body of Anthropic's messages API.
func (r *bodyReader) anthropic() error {
	if system, ok := vm.Lookup(r.body, "system"); ok && !system.IsMissing() {
		if system.IsSequence() {
			parts, _, _, err := r.blocks(system, "system")
			if err != nil {
				return err
			}
			system = parts
		}
		if err := r.add("role", "system", "content", system); err != nil {
			return err
		}
	}
	return r.top(&anthropicParameters, map[string]func(vm.Value, string) error{
		"model":  r.model,
		"system": func(vm.Value, string) error { return nil },
		"messages": func(x vm.Value, at string) error {
			items, err := listAt(x, at)
			for i := 0; err == nil && i < len(items); i++ {
				err = r.anthropicMessage(items[i], fmt.Sprintf("%s[%d]", at, i))
			}
			return err
		},
		"tools": func(x vm.Value, at string) error {
			items, err := listAt(x, at)
			for i := 0; err == nil && i < len(items); i++ {
				if schema, ok := vm.Lookup(items[i], "input_schema"); ok {
					items[i] = with(dropped(items[i], "input_schema"), "parameters", schema)
				} else if typ, ok := lookupText(items[i], "type"); ok {
					return r.unknownType(fmt.Sprintf("%s[%d]", at, i), typ)
				}
			}
			if err == nil {
				r.request.Tools, err = readTools(vm.ListOf(items))
			}
			return err
		},
		"tool_choice": func(x vm.Value, at string) error {
			if off, ok := vm.Lookup(x, "disable_parallel_tool_use"); ok {
				b, err := flagAt(off, at+".disable_parallel_tool_use")
				if err != nil {
					return err
				}
				if b != nil && *b {
					if err := r.parameter(&openAIParameters, "parallel_tool_calls", at, vm.Bool(false)); err != nil {
						return err
					}
				}
			}
			switch typ, _ := lookupText(x, "type"); typ {
			case "auto", "none":
				if typ == "auto" && r.request.has("parallel_tool_calls") {
					return nil // it stands there for the switch
				}
				r.request.ToolChoice = &ToolChoice{Mode: typ}
			case "any":
				r.request.ToolChoice = &ToolChoice{Mode: "required"}
			case "tool":
				name, _ := lookupText(x, "name")
				r.request.ToolChoice = &ToolChoice{Mode: "tool", Name: name}
			default:
				return r.unknownType(at, typ)
			}
			return nil
		},
		"output_config": func(x vm.Value, at string) error {
			return fields(x, at, "write {format: {type: json_schema, schema: …}}", map[string]func(vm.Value, string) error{
				"format": func(x vm.Value, _ string) error { return r.output(untyped(x)) },
			})
		},
		"temperature": r.sampled, "top_p": r.sampled, "top_k": r.sampled, // earlier versions of the API
	})
}

// sampled reads a parameter of earlier versions of Anthropic's API.
func (r *bodyReader) sampled(x vm.Value, at string) error {
	if r.request.Parameters == nil {
		r.request.Parameters = vm.NewMap(4)
	}
	r.request.Parameters.Set(at, x)
	return nil
}

// anthropicMessage reads a message: results of tools come before what else a user's
// message holds, as they stand there.
func (r *bodyReader) anthropicMessage(x vm.Value, at string) error {
	if err := r.only(x, at, "role", "content"); err != nil {
		return err
	}
	role, _ := lookupText(x, "role")
	content, _ := vm.Lookup(x, "content")
	if !content.IsSequence() {
		return r.add("role", role, "content", content)
	}
	parts, calls, results, err := r.blocks(content, at+".content")
	if err != nil {
		return err
	}
	for _, result := range results {
		if err := r.add(result...); err != nil {
			return err
		}
	}
	items := partsOf(parts)
	switch {
	case len(calls) > 0:
		pairs := []any{"role", role, "content", vm.Null}
		if len(items) > 0 {
			pairs[3] = lone(parts)
		}
		if r.marked {
			pairs = append(pairs, "cache", true)
		}
		return r.add(append(pairs, "tool_calls", vm.ListOf(calls))...)
	case len(items) > 0 || len(results) == 0:
		return r.add("role", role, "content", lone(parts))
	}
	return nil
}

// lone is the text of a list of one text part without a mark, else the list.
func lone(parts vm.Value) vm.Value {
	items := partsOf(parts)
	if len(items) == 1 {
		if m, ok := items[0].Map(); ok && m.Len() == 1 {
			if text, ok := m.Get("text"); ok {
				return text
			}
		}
	}
	return parts
}

// blocks takes a list of Anthropic's blocks apart: parts of content, calls, and results
// as messages.
func (r *bodyReader) blocks(content vm.Value, at string) (parts vm.Value, calls []vm.Value, results [][]any, err error) {
	items, err := listAt(content, at)
	if err != nil {
		return vm.Null, nil, nil, err
	}
	var out []vm.Value
	r.marked = false
	for n, b := range items {
		here := fmt.Sprintf("%s[%d]", at, n)
		b = markRead(b, "cache_control")
		_, marked := vm.Lookup(b, "cache")
		var part vm.Value
		switch typ, _ := lookupText(b, "type"); typ {
		case "text":
			part = untyped(b)
		case "image", "document":
			if err = r.only(b, here, "type", "source", "title", "context", "citations", "cache"); err != nil {
				return vm.Null, nil, nil, err
			}
			if part, err = anthropicMedia(b, typ, here); err != nil {
				return vm.Null, nil, nil, err
			}
		case "tool_use":
			if err = r.only(b, here, "type", "id", "name", "input", "cache"); err != nil {
				return vm.Null, nil, nil, err
			}
			r.marked = r.marked || marked
			id, _ := lookupText(b, "id")
			name, _ := lookupText(b, "name")
			input, _ := vm.Lookup(b, "input")
			calls = append(calls, mapOf("id", id, "type", "function", "function", mapOf("name", name, "arguments", input)))
			continue
		case "tool_result":
			if err = r.only(b, here, "type", "tool_use_id", "content", "is_error", "cache"); err != nil {
				return vm.Null, nil, nil, err
			}
			id, _ := lookupText(b, "tool_use_id")
			inner, _ := vm.Lookup(b, "content")
			if inner.IsSequence() {
				if inner, _, _, err = r.blocks(inner, here+".content"); err != nil {
					return vm.Null, nil, nil, err
				}
			}
			if inner.IsMissing() {
				inner = vm.String("")
			}
			result := []any{"role", "tool", "tool_call_id", id, "content", inner}
			if failed, _ := vm.Lookup(b, "is_error"); !failed.IsMissing() {
				if yes, _ := failed.AsBool(); yes {
					result = append(result, "is_error", true)
				}
			}
			if marked {
				result = append(result, "cache", true)
			}
			results = append(results, result)
			continue
		default:
			part = b // the provider's own
		}
		if marked {
			part = with(part, "cache", vm.Bool(true))
		}
		out = append(out, part)
	}
	return vm.ListOf(out), calls, results, nil
}

// anthropicMedia is an image or document as a part.
func anthropicMedia(b vm.Value, typ, at string) (vm.Value, error) {
	source, _ := vm.Lookup(b, "source")
	from := vm.NewMap(3)
	set := func(ours, theirs string) {
		if s, ok := lookupText(source, theirs); ok {
			from.Set(ours, vm.String(s))
		}
	}
	switch kind, _ := lookupText(source, "type"); kind {
	case "base64":
		set("data", "data")
		set("media_type", "media_type")
	case "url":
		set("url", "url")
	case "text":
		text, _ := lookupText(source, "data")
		from.Set("data", vm.String(base64.StdEncoding.EncodeToString([]byte(text))))
		set("media_type", "media_type")
	default:
		return b, nil // by an id, or of blocks: the provider's own
	}
	if typ == "image" {
		return mapOf("image", vm.MapOf(from)), nil
	}
	if title, ok := lookupText(b, "title"); ok {
		from.Set("name", vm.String(title))
	}
	for _, key := range []string{"context", "citations"} {
		if v, ok := vm.Lookup(b, key); ok && !v.IsMissing() {
			return vm.Null, faultAt("PCC371", at+"."+key, "there is no place for it in a request").WithNames(key)
		}
	}
	return mapOf("file", vm.MapOf(from)), nil
}

// gemini reads a body of Gemini's generateContent.
func (r *bodyReader) gemini() error {
	r.byName, r.answered = map[string][]string{}, map[string]bool{}
	if system, ok := vm.Lookup(r.body, "systemInstruction"); ok && !system.IsMissing() {
		if err := r.only(system, "systemInstruction", "role", "parts"); err != nil {
			return err
		}
		parts, _ := vm.Lookup(system, "parts")
		if err := r.turn("system", parts, "systemInstruction.parts"); err != nil {
			return err
		}
	}
	return r.top(&parameters{form: "gemini"}, map[string]func(vm.Value, string) error{
		"model":             r.model,
		"systemInstruction": func(vm.Value, string) error { return nil },
		"contents": func(x vm.Value, at string) error {
			items, err := listAt(x, at)
			for i := 0; err == nil && i < len(items); i++ {
				if err := r.only(items[i], fmt.Sprintf("%s[%d]", at, i), "role", "parts"); err != nil {
					return err
				}
				role, _ := lookupText(items[i], "role")
				if role == "model" {
					role = "assistant"
				} else if role == "" {
					role = "user"
				}
				parts, _ := vm.Lookup(items[i], "parts")
				err = r.turn(role, parts, fmt.Sprintf("%s[%d].parts", at, i))
			}
			return err
		},
		"tools": func(x vm.Value, at string) error {
			items, err := listAt(x, at)
			if err != nil {
				return err
			}
			var all []vm.Value
			for i, item := range items {
				declared, ok := vm.Lookup(item, "functionDeclarations")
				if !ok {
					return faultAt("PCC371", fmt.Sprintf("%s[%d]", at, i), "only functions have a place among the tools of a request")
				}
				functions, err := listAt(declared, fmt.Sprintf("%s[%d].functionDeclarations", at, i))
				if err != nil {
					return err
				}
				for _, f := range functions {
					if schema, ok := vm.Lookup(f, "parametersJsonSchema"); ok {
						f = with(dropped(f, "parametersJsonSchema"), "parameters", schema)
					}
					all = append(all, f)
				}
			}
			r.request.Tools, err = readTools(vm.ListOf(all))
			return err
		},
		"toolConfig": func(x vm.Value, at string) error {
			calling, _ := vm.Lookup(x, "functionCallingConfig")
			names, _ := vm.Lookup(calling, "allowedFunctionNames")
			mode, _ := lookupText(calling, "mode")
			switch {
			case mode == "AUTO", mode == "NONE":
				r.request.ToolChoice = &ToolChoice{Mode: strings.ToLower(mode)}
			case mode == "ANY" && names.IsMissing():
				r.request.ToolChoice = &ToolChoice{Mode: "required"}
			case mode == "ANY" && len(partsOf(names)) == 1:
				name, _ := partsOf(names)[0].Str()
				r.request.ToolChoice = &ToolChoice{Mode: "tool", Name: name}
			default:
				return faultAt("PCC371", at+".functionCallingConfig", "there is no such choice in a request").WithHelp(choiceHelp)
			}
			return nil
		},
		"generationConfig": r.generationConfig,
	})
}

// generationConfig reads Gemini's parameters, among which the schema of the answer is.
func (r *bodyReader) generationConfig(x vm.Value, at string) error {
	if !x.IsMapping() {
		return faultAt("PCC371", at, "this is a map, and not %s", x.Kind().Noun())
	}
	e, err := reader().Entries(x)
	if err != nil {
		return err
	}
	for i := range e.Len() {
		k, v := e.At(i)
		key, _ := k.Str()
		switch {
		case v.IsMissing():
		case key == "responseMimeType":
			if typ, _ := v.Str(); typ != "application/json" && typ != "text/plain" {
				return faultAt("PCC371", at+"."+key, "there is no place in a request for answers of the type %q", typ)
			}
		case key == "responseJsonSchema":
			if err := r.output(mapOf("schema", v)); err != nil {
				return err
			}
		default:
			if err := r.parameter(&geminiParameters, key, at+"."+key, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// turn reads one of Gemini's contents.
func (r *bodyReader) turn(role string, parts vm.Value, at string) error {
	items, err := listAt(parts, at)
	if err != nil {
		return err
	}
	var out []vm.Value
	var calls []vm.Value
	flush := func() error {
		if len(out) == 0 && len(calls) > 0 {
			if err := r.add("role", role, "content", vm.Null); err != nil {
				return err
			}
		} else if len(out) > 0 {
			if err := r.add("role", role, "content", lone(vm.ListOf(out))); err != nil {
				return err
			}
		}
		for _, call := range calls {
			id, _ := lookupText(call, "id")
			name, _ := lookupText(call, "name")
			args, _ := vm.Lookup(call, "args")
			if args.IsMissing() {
				args = vm.MapOf(vm.NewMap(0))
			}
			if r.calls++; id == "" {
				id = fmt.Sprintf("call_%d", r.calls)
			}
			r.byName[name] = append(r.byName[name], id)
			if err := r.call(id, name, args); err != nil {
				return err
			}
		}
		out, calls = nil, nil
		return nil
	}
	for n, p := range items {
		here := fmt.Sprintf("%s[%d]", at, n)
		if call, ok := vm.Lookup(p, "functionCall"); ok {
			if err := r.only(p, here, "functionCall"); err != nil { // a thoughtSignature, for instance
				return err
			}
			if err := r.only(call, here+".functionCall", "id", "name", "args"); err != nil {
				return err
			}
			calls = append(calls, call)
			continue
		}
		if response, ok := vm.Lookup(p, "functionResponse"); ok {
			if err := flush(); err != nil {
				return err
			}
			if err := r.only(p, here, "functionResponse"); err != nil {
				return err
			}
			if err := r.response(response, here+".functionResponse"); err != nil {
				return err
			}
			continue
		}
		out = append(out, geminiRead(p))
	}
	return flush()
}

// geminiRead is a part of Gemini's as one of ours; what is the provider's own stays.
func geminiRead(p vm.Value) vm.Value {
	if m, ok := p.Map(); !ok || m.Len() != 1 {
		return p
	}
	if data, ok := vm.Lookup(p, "inlineData"); ok {
		return geminiMedia(data, "data")
	}
	if file, ok := vm.Lookup(p, "fileData"); ok {
		return geminiMedia(file, "fileUri")
	}
	return p
}

func geminiMedia(v vm.Value, key string) vm.Value {
	ours := map[string]string{"data": "data", "fileUri": "url"}[key]
	typ, _ := lookupText(v, "mimeType")
	from, _ := lookupText(v, key)
	kind := "file"
	for _, k := range []string{"image", "audio"} {
		if strings.HasPrefix(typ, k+"/") {
			kind = k
		}
	}
	out := mapOf(ours, from, "media_type", typ)
	if name, ok := lookupText(v, "displayName"); ok && kind == "file" {
		out = with(out, "name", vm.String(name))
	}
	return mapOf(kind, out)
}

// response reads a function's response: of the call with its id, or without one of the
// first call of its name that has none yet.
func (r *bodyReader) response(v vm.Value, at string) error {
	if err := r.only(v, at, "id", "name", "response", "parts"); err != nil {
		return err
	}
	id, _ := lookupText(v, "id")
	if id == "" {
		name, _ := lookupText(v, "name")
		id = r.open(name)
		if id == "" {
			return faultAt("PCC362", at+".name", "no call before it has this name")
		}
	}
	r.answered[id] = true
	inner, _ := vm.Lookup(v, "response")
	pairs := []any{"role", "tool", "tool_call_id", id}
	text, failed := "", false
	m, _ := inner.Map()
	switch {
	case m != nil && m.Len() == 1:
		k, x := m.At(0)
		key, _ := k.Str()
		s, isText := x.Str()
		if isText && (key == "output" || key == "error") {
			text, failed = s, key == "error"
			break
		}
		fallthrough
	default:
		text = string(vm.AppendJSON(nil, inner, vm.JSONOptions{}))
	}
	content := vm.String(text)
	if parts, ok := vm.Lookup(v, "parts"); ok && !parts.IsMissing() {
		items, err := listAt(parts, at+".parts")
		if err != nil {
			return err
		}
		all := []vm.Value{}
		if text != "" {
			all = append(all, mapOf("text", text))
		}
		for _, p := range items {
			all = append(all, geminiRead(p))
		}
		content = vm.ListOf(all)
	}
	pairs = append(pairs, "content", content)
	if failed {
		pairs = append(pairs, "is_error", true)
	}
	return r.add(pairs...)
}

// open is the id of the first call of a function that has no result yet.
func (r *bodyReader) open(name string) string {
	ids := r.byName[name]
	for len(ids) > 0 && r.answered[ids[0]] {
		ids = ids[1:]
	}
	r.byName[name] = ids
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}
