package vm

import (
	"fmt"
	"strings"
)

// GeminiRequest is the part of a request to the Gemini API that comes from a
// prompt.
type GeminiRequest struct {
	// SystemInstruction holds the parts of all system and developer messages;
	// nil where there is none.
	SystemInstruction *GeminiContent
	Contents          []GeminiContent
}

// GeminiContent is one turn. Role is "user" or "model", empty for the system
// instruction.
type GeminiContent struct {
	Role  string
	Parts []Value // maps such as {text: …}
}

// FormatGemini gives the messages in the form of the Gemini API. Text and
// image parts in OpenAI's form are translated, other maps kept; tool messages
// become function responses. Roles without a counterpart are an error.
func FormatGemini(messages []Message, o FormatOptions) (*GeminiRequest, error) {
	r := &GeminiRequest{Contents: []GeminiContent{}}
	for _, m := range withoutSystem(messages, o) {
		switch m.Role {
		case "system", "developer":
			if r.SystemInstruction == nil {
				r.SystemInstruction = &GeminiContent{}
			}
			r.SystemInstruction.Parts = append(r.SystemInstruction.Parts, geminiParts(&m)...)
		case "user":
			r.Contents = append(r.Contents, GeminiContent{Role: "user", Parts: geminiParts(&m)})
		case "assistant", "model":
			r.Contents = append(r.Contents, GeminiContent{Role: "model", Parts: geminiParts(&m)})
		case "tool":
			r.Contents = append(r.Contents, GeminiContent{Role: "user", Parts: []Value{functionResponse(&m)}})
		default:
			return nil, unsupportedRole(m.Role, "gemini")
		}
	}
	return r, nil
}

func unsupportedRole(role, format string) error {
	return fmt.Errorf("the role %q has no counterpart in the format %s", clipName(role), format)
}

func textPart(s string) Value {
	p := NewMap(1)
	p.Set("text", String(s))
	return MapOf(p)
}

func geminiParts(m *Message) []Value {
	if m.Parts.IsNull() {
		return []Value{textPart(m.Content)}
	}
	parts := partsOf(m.Parts)
	out := make([]Value, len(parts))
	for i, p := range parts {
		out[i] = p
		if t, ok := partText(p); ok {
			out[i] = textPart(t)
		} else if url, ok := imageURL(p); ok {
			out[i] = geminiImage(url)
		}
	}
	return out
}

func geminiImage(url string) Value {
	inner, part := NewMap(2), NewMap(1)
	if mime, data, ok := dataURL(url); ok {
		inner.Set("mimeType", String(mime))
		inner.Set("data", String(data))
		part.Set("inlineData", MapOf(inner))
	} else {
		inner.Set("fileUri", String(url))
		part.Set("fileData", MapOf(inner))
	}
	return MapOf(part)
}

// functionResponse is what a tool said. Its name is the message's name, else
// the id of the call.
func functionResponse(m *Message) Value {
	name := String(m.Name)
	if m.Name == "" && m.Extra != nil {
		if id, ok := m.Extra.Get("tool_call_id"); ok {
			name = id
		}
	}
	response, f, part := NewMap(1), NewMap(2), NewMap(1)
	response.Set("content", m.content())
	f.Set("name", name)
	f.Set("response", MapOf(response))
	part.Set("functionResponse", MapOf(f))
	return MapOf(part)
}

func (c *GeminiContent) value() Value {
	out := NewMap(2)
	if c.Role != "" {
		out.Set("role", String(c.Role))
	}
	out.Set("parts", ListOf(c.Parts))
	return MapOf(out)
}

// Value is the request as a map with systemInstruction, where there is one, and
// contents.
func (r *GeminiRequest) Value() Value {
	out := NewMap(2)
	if r.SystemInstruction != nil {
		out.Set("systemInstruction", r.SystemInstruction.value())
	}
	out.Set("contents", contentValues(r.Contents))
	return MapOf(out)
}

func contentValues(contents []GeminiContent) Value {
	items := make([]Value, len(contents))
	for i := range contents {
		items[i] = contents[i].value()
	}
	return ListOf(items)
}

// MarshalJSON writes the request as Value has it.
func (r *GeminiRequest) MarshalJSON() ([]byte, error) {
	return AppendJSON(nil, r.Value(), JSONOptions{}), nil
}

// GoogleRequest is the "google" format of the library prompt_templates, for
// Google's Python client: the last system text, and the contents, which are the
// text alone where there is one message. FormatGemini is the API's own form.
type GoogleRequest struct {
	SystemInstruction *string
	Contents          []GeminiContent
}

// FormatGoogle gives the messages in prompt_templates' "google" format. Content
// that is no text, and other roles than system, user and assistant, are errors.
func FormatGoogle(messages []Message, o FormatOptions) (*GoogleRequest, error) {
	r := &GoogleRequest{}
	for _, m := range withoutSystem(messages, o) {
		text, ok := m.text()
		if !ok {
			return nil, fmt.Errorf("the format google takes texts only, and a %s message holds other parts", m.Role)
		}
		switch m.Role {
		case "system", "developer":
			r.SystemInstruction = &text
		case "user", "assistant":
			role := strings.Replace(m.Role, "assistant", "model", 1)
			r.Contents = append(r.Contents, GeminiContent{Role: role, Parts: []Value{textPart(text)}})
		default:
			return nil, unsupportedRole(m.Role, "google")
		}
	}
	return r, nil
}

// Value is the request as a map with system_instruction (null where there is
// none) and contents: a text, or a list of turns.
func (r *GoogleRequest) Value() Value {
	out := NewMap(2)
	out.Set("system_instruction", Null)
	if r.SystemInstruction != nil {
		out.Set("system_instruction", String(*r.SystemInstruction))
	}
	if len(r.Contents) == 1 {
		text, _ := Lookup(r.Contents[0].Parts[0], "text")
		out.Set("contents", text)
	} else {
		out.Set("contents", contentValues(r.Contents))
	}
	return MapOf(out)
}

// MarshalJSON writes the request as Value has it.
func (r *GoogleRequest) MarshalJSON() ([]byte, error) {
	return AppendJSON(nil, r.Value(), JSONOptions{}), nil
}
