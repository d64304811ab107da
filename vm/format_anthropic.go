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

// FormatAnthropic takes the system messages out of the list. A tool message
// that names its call becomes a user message with a tool_result block; image
// parts in OpenAI's form become image blocks. A name is left out, which that API
// does not take; an empty text stays, which it refuses: what to send instead is
// the caller's to decide.
func FormatAnthropic(messages []Message, o FormatOptions) *AnthropicRequest {
	r := &AnthropicRequest{Messages: []AnthropicMessage{}}
	var texts []string
	var blocks []Value
	plain := true
	for _, m := range withoutSystem(messages, o) {
		if !isSystem(m.Role) {
			r.Messages = append(r.Messages, AnthropicMessage{anthropicMessage(m)})
			continue
		}
		if m.Parts.IsNull() {
			texts = append(texts, m.Content)
			blocks = append(blocks, textBlock(m.Content))
			continue
		}
		for _, p := range partsOf(m.Parts) {
			t, ok := partText(p)
			n, isMap := mapLen(canonical(p))
			plain = plain && ok && (!isMap || n == 2)
			texts = append(texts, t)
			if isMap {
				blocks = append(blocks, p)
			} else {
				blocks = append(blocks, textBlock(t))
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
	return r
}

func textBlock(s string) Value {
	b := NewMap(2)
	b.Set("type", String("text"))
	b.Set("text", String(s))
	return MapOf(b)
}

// anthropicMessage gives a message the form of the API.
func anthropicMessage(m Message) Message {
	m.Name = ""
	if m.Role == "tool" && m.Extra != nil {
		if id, ok := m.Extra.Get("tool_call_id"); ok {
			result := NewMap(3)
			result.Set("type", String("tool_result"))
			result.Set("tool_use_id", id)
			result.Set("content", m.content())
			return Message{Role: "user", Parts: ListOf([]Value{MapOf(result)})}
		}
	}
	if m.Parts.IsNull() {
		return m
	}
	parts := partsOf(m.Parts)
	out := make([]Value, len(parts))
	for i, p := range parts {
		out[i] = p
		if url, ok := imageURL(p); ok {
			out[i] = anthropicImage(url)
		}
	}
	m.Parts = ListOf(out)
	return m
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
