package vm

import "strings"

// AnthropicRequest is the part of a request to Anthropic's messages API that
// comes from a prompt.
type AnthropicRequest struct {
	// System joins the texts of all system and developer messages by a blank
	// line; nil where there is none.
	System *string
	// SystemBlocks takes System's place where a system message holds parts
	// that are no text, or text parts with keys of their own (cache_control).
	SystemBlocks []Value
	Messages     []AnthropicMessage
}

// AnthropicMessage is one message: content is a text or a list of blocks.
type AnthropicMessage struct{ Message }

// FormatAnthropic takes the system messages out of the list. Calls of tools
// become tool_use blocks with their arguments as data, and results that follow
// each other one user message of tool_result blocks, in the order of the calls;
// image parts in OpenAI's form become image blocks. What that API has no place
// for is an error: names, further keys of messages, a result without its call.
// Roles that it does not know stay, as the library prompt_templates has it. An
// empty text stays, which the API refuses: what to send instead is the caller's
// to decide; beside calls it is left out.
func FormatAnthropic(messages []Message, o FormatOptions) (*AnthropicRequest, error) {
	r := &AnthropicRequest{Messages: []AnthropicMessage{}}
	all, err := turns(withoutSystem(messages, o), "anthropic")
	if err != nil {
		return nil, err
	}
	var texts []string
	var blocks []Value
	plain := true
	for _, t := range all {
		if t.results != nil || !isSystem(t.message.Role) {
			r.Messages = append(r.Messages, AnthropicMessage{anthropicMessage(&t)})
			continue
		}
		m := t.message
		if m.Parts.IsNull() {
			texts = append(texts, m.Content)
			blocks = append(blocks, textBlock(m.Content))
			continue
		}
		for _, p := range partsOf(m.Parts) {
			text, ok := partText(p)
			n, isMap := mapLen(canonical(p))
			plain = plain && ok && (!isMap || n <= 2)
			texts = append(texts, text)
			if isMap {
				blocks = append(blocks, anthropicPart(p))
			} else {
				blocks = append(blocks, textBlock(text))
			}
		}
	}
	switch {
	case !plain:
		r.SystemBlocks = blocks
	case texts != nil:
		s := strings.Join(texts, "\n\n")
		r.System = &s
	}
	return r, nil
}

func textBlock(s string) Value {
	b := NewMap(2)
	b.Set("type", String("text"))
	b.Set("text", String(s))
	return MapOf(b)
}

// anthropicMessage gives a turn the form of the API.
func anthropicMessage(t *turn) Message {
	if t.results != nil {
		out := make([]Value, len(t.results))
		for i, x := range t.results {
			result := NewMap(4)
			result.Set("type", String("tool_result"))
			result.Set("tool_use_id", String(x.call.id))
			result.Set("content", String(x.message.Content))
			if !x.message.Parts.IsNull() {
				result.Set("content", ListOf(anthropicParts(x.message.Parts)))
			}
			if x.failed {
				result.Set("is_error", Bool(true))
			}
			out[i] = MapOf(result)
		}
		return Message{Role: "user", Parts: ListOf(out)}
	}
	m := Message{Role: t.message.Role, Content: t.message.Content}
	var parts []Value
	switch {
	case !t.message.Parts.IsNull():
		parts = anthropicParts(t.message.Parts)
	case t.calls == nil:
		return m
	case strings.TrimSpace(m.Content) != "":
		parts = []Value{textBlock(m.Content)}
	}
	for _, c := range t.calls {
		use := NewMap(4)
		use.Set("type", String("tool_use"))
		use.Set("id", String(c.id))
		use.Set("name", String(c.name))
		use.Set("input", c.input)
		parts = append(parts, MapOf(use))
	}
	m.Content, m.Parts = "", ListOf(parts)
	return m
}

func anthropicParts(v Value) []Value {
	parts := partsOf(v)
	out := make([]Value, len(parts))
	for i, p := range parts {
		out[i] = anthropicPart(p)
	}
	return out
}

// anthropicPart gives a part of content the form of the API: texts, and images
// in OpenAI's form. Others are kept.
func anthropicPart(p Value) Value {
	if url, ok := imageURL(p); ok {
		return anthropicImage(url)
	}
	if s, ok := p.Str(); ok {
		return textBlock(s)
	}
	if n, isMap := mapLen(canonical(p)); isMap && n == 1 {
		if s, ok := partText(p); ok {
			return textBlock(s)
		}
	}
	return p
}

// imageURL is the address in a part {type: image_url, image_url: {url: …}}.
func imageURL(p Value) (string, bool) {
	typ, _ := Lookup(p, "type")
	if s, _ := typ.Str(); s != "image_url" {
		return "", false
	}
	image, _ := Lookup(p, "image_url")
	if s, ok := image.Str(); ok {
		return s, true
	}
	url, _ := Lookup(image, "url")
	return url.Str()
}

// dataURL splits data:image/png;base64,….
func dataURL(url string) (mime, data string, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", "", false
	}
	mime, data, ok = strings.Cut(rest, ";base64,")
	return mime, data, ok
}

func anthropicImage(url string) Value {
	source := NewMap(3)
	if mime, data, ok := dataURL(url); ok {
		source.Set("type", String("base64"))
		source.Set("media_type", String(mime))
		source.Set("data", String(data))
	} else {
		source.Set("type", String("url"))
		source.Set("url", String(url))
	}
	block := NewMap(2)
	block.Set("type", String("image"))
	block.Set("source", MapOf(source))
	return MapOf(block)
}

// Value is the request as a map with system, where there is one, and messages.
func (r *AnthropicRequest) Value() Value {
	out := NewMap(2)
	switch {
	case r.SystemBlocks != nil:
		out.Set("system", ListOf(r.SystemBlocks))
	case r.System != nil:
		out.Set("system", String(*r.System))
	}
	items := make([]Value, len(r.Messages))
	for i := range r.Messages {
		items[i] = r.Messages[i].Value()
	}
	out.Set("messages", ListOf(items))
	return MapOf(out)
}

// MarshalJSON writes the request as Value has it.
func (r *AnthropicRequest) MarshalJSON() ([]byte, error) {
	return AppendJSON(nil, r.Value(), JSONOptions{}), nil
}
