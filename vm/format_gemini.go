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
// image parts in OpenAI's form are translated, other maps kept. Calls of tools
// become function calls, and results that follow each other one turn of function
// responses, in the order of the calls. Roles without a counterpart, names,
// further keys of messages, and results without their call are errors.
func FormatGemini(messages []Message, o FormatOptions) (*GeminiRequest, error) {
	r := &GeminiRequest{Contents: []GeminiContent{}}
	all, err := turns(withoutSystem(messages, o), "gemini")
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.results != nil {
			parts := make([]Value, len(t.results))
			for i := range t.results {
				if parts[i], err = functionResponse(&t.results[i], t.index); err != nil {
					return nil, err
				}
			}
			r.Contents = append(r.Contents, GeminiContent{Role: "user", Parts: parts})
			continue
		}
		m := t.message
		switch m.Role {
		case "system", "developer":
			if r.SystemInstruction == nil {
				r.SystemInstruction = &GeminiContent{}
			}
			r.SystemInstruction.Parts = append(r.SystemInstruction.Parts, geminiParts(m)...)
		case "user":
			r.Contents = append(r.Contents, GeminiContent{Role: "user", Parts: geminiParts(m)})
		case "assistant", "model":
			var parts []Value
			if t.calls == nil || !m.Parts.IsNull() || strings.TrimSpace(m.Content) != "" {
				parts = geminiParts(m)
			}
			for _, c := range t.calls {
				parts = append(parts, functionCall(c))
			}
			r.Contents = append(r.Contents, GeminiContent{Role: "model", Parts: parts})
		default:
			return nil, unsupportedRole(t.index, m.Role, "gemini")
		}
	}
	return r, nil
}

func unsupportedRole(i int, role, format string) error {
	return formFault("PCC360", i, ".role", "the role %q has no counterpart in the form %s", clipName(role), format)
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

// functionCall is a call of a tool.
func functionCall(c toolCall) Value {
	f, part := NewMap(3), NewMap(1)
	f.Set("id", String(c.id))
	f.Set("name", String(c.name))
	f.Set("args", c.input)
	part.Set("functionCall", MapOf(f))
	return MapOf(part)
}

// functionResponse is what a tool said: its texts, under `error` where it failed.
func functionResponse(x *toolResult, i int) (Value, error) {
	text := x.message.Content
	if !x.message.Parts.IsNull() {
		var b strings.Builder
		for n, p := range partsOf(x.message.Parts) {
			s, ok := partText(p)
			if !ok {
				return Null, formFault("PCC360", i, fmt.Sprintf(".content[%d]", n), "the form gemini takes only the texts of a tool's result").
					WithHelp("give the result as a text")
			}
			b.WriteString(s)
		}
		text = b.String()
	}
	key := "output"
	if x.failed {
		key = "error"
	}
	response, f, part := NewMap(1), NewMap(3), NewMap(1)
	response.Set(key, String(text))
	f.Set("id", String(x.call.id))
	f.Set("name", String(x.call.name))
	f.Set("response", MapOf(response))
	part.Set("functionResponse", MapOf(f))
	return MapOf(part), nil
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
	for i, m := range withoutSystem(messages, o) {
		if err := noCalls(&m, i, "google"); err != nil {
			return nil, err
		}
		text, ok := m.text()
		if !ok {
			return nil, formFault("PCC360", i, ".content", "the form google takes texts only, and this message holds other parts").
				WithHelp("choose the form gemini")
		}
		switch m.Role {
		case "system", "developer":
			r.SystemInstruction = &text
		case "user", "assistant":
			role := strings.Replace(m.Role, "assistant", "model", 1)
			r.Contents = append(r.Contents, GeminiContent{Role: role, Parts: []Value{textPart(text)}})
		default:
			return nil, unsupportedRole(i, m.Role, "google")
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
