package message

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/vm"
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
	Parts []vm.Value // maps such as {text: …}
}

// Gemini gives the messages in the form of the Gemini API. Texts, images, audio
// and files are translated, the API's own parts kept. Calls of tools become
// function calls, and results that follow each other one turn of function
// responses, in the order of the calls. What the API has no place for is an
// error: other roles and parts, names, further keys of messages, addresses
// without a media type, results without their call.
func Gemini(messages []vm.Message, o Options) (*GeminiRequest, error) {
	r := &GeminiRequest{Contents: []GeminiContent{}}
	all, err := turns(withoutSystem(messages, o), "gemini")
	if err != nil {
		return nil, err
	}
	s := gemini()
	for _, t := range all {
		if t.results != nil {
			parts := make([]vm.Value, len(t.results))
			for n := range t.results {
				if parts[n], err = functionResponse(s, &t.results[n], &o); err != nil {
					return nil, err
				}
			}
			r.Contents = append(r.Contents, GeminiContent{Role: "user", Parts: parts})
			continue
		}
		role := ""
		switch t.message.Role {
		case "system", "developer":
		case "user":
			role = "user"
		case "assistant", "model":
			role = "model"
		default:
			return nil, unsupportedRole(t.index, t.message.Role, "gemini")
		}
		parts, err := geminiParts(s, &t, &o)
		if err != nil {
			return nil, err
		}
		switch {
		case role != "":
			r.Contents = append(r.Contents, GeminiContent{Role: role, Parts: parts})
		case r.SystemInstruction == nil:
			r.SystemInstruction = &GeminiContent{Parts: parts}
		default:
			r.SystemInstruction.Parts = append(r.SystemInstruction.Parts, parts...)
		}
	}
	return r, nil
}

// geminiKeys are the keys of which a part of the API has one.
var geminiKeys = [...]string{"inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"}

func gemini() *spelling {
	return &spelling{form: "gemini", textKeys: []string{"thought", "thoughtSignature"},
		own: func(p vm.Value, typ string) bool {
			return slices.ContainsFunc(geminiKeys[:], func(key string) bool {
				_, ok := vm.Lookup(p, key)
				return ok
			})
		}}
}

// geminiParts are the parts of a message that is no result.
func geminiParts(s *spelling, t *turn, o *Options) ([]vm.Value, error) {
	m := t.message
	parts, err := s.read(m, t.index)
	if err != nil {
		return nil, err
	}
	if t.calls != nil && len(parts) == 1 && parts[0].plain && strings.TrimSpace(parts[0].text) == "" {
		parts = nil // beside calls the API takes no blank text
	}
	if len(parts) == 0 && len(t.calls) == 0 {
		return nil, noContent(t.index, m)
	}
	if err := geminiMarks(m, t.index, parts, o); err != nil {
		return nil, err
	}
	out := make([]vm.Value, 0, len(parts)+len(t.calls))
	for n := range parts {
		p := &parts[n]
		if isSystem(m.Role) && p.kind != textPart {
			return nil, s.refuse(p, t.index, " in a system message")
		}
		x, err := geminiPart(s, p, t.index)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	for _, c := range t.calls {
		out = append(out, mapOf("functionCall", mapOf("id", c.id, "name", c.name, "args", c.input)))
	}
	return out, nil
}

// geminiMarks tells that the marks of message i have no place.
func geminiMarks(m *vm.Message, i int, parts []part, o *Options) error {
	whole, err := messageMark(m, i)
	if whole {
		o.unplaced(i, "", "gemini")
	}
	for n := range parts {
		if parts[n].cache {
			o.unplaced(i, parts[n].field, "gemini")
		}
	}
	return err
}

// geminiPart gives a part of content the form of the API.
func geminiPart(s *spelling, p *part, i int) (vm.Value, error) {
	x := &p.media
	switch p.kind {
	case textPart:
		if p.keep {
			return untyped(p.value), nil
		}
		return mapOf("text", p.text), nil
	case ownPart:
		return p.value, nil
	case refusalPart:
		return vm.Null, s.refuse(p, i, "")
	}
	if err := x.noDetail(s, i); err != nil {
		return vm.Null, err
	}
	if x.data != "" {
		return mapOf("inlineData", mapOf("mimeType", x.mediaType, "data", x.data)), nil
	}
	if x.mediaType == "" {
		return vm.Null, fault("PCC360", i, x.typeField, "the form gemini takes an address only with its media type").
			WithHelp("write {%s: {url: …, media_type: …}}", [...]string{imagePart: "image", audioPart: "audio", filePart: "file"}[p.kind])
	}
	return mapOf("fileData", mapOf("mimeType", x.mediaType, "fileUri", x.url)), nil
}

// functionResponse is what a tool said: its texts, under `error` where it
// failed, and beside them its images and files.
func functionResponse(s *spelling, x *toolResult, o *Options) (vm.Value, error) {
	parts, err := s.read(x.message, x.index)
	if err != nil {
		return vm.Null, err
	}
	if parts == nil {
		return vm.Null, noContent(x.index, x.message)
	}
	if err := geminiMarks(x.message, x.index, parts, o); err != nil {
		return vm.Null, err
	}
	var text strings.Builder
	var others []vm.Value
	for n := range parts {
		p := &parts[n]
		if p.kind == textPart {
			text.WriteString(p.text)
			continue
		}
		if p.kind == ownPart {
			_, data := vm.Lookup(p.value, "inlineData")
			_, file := vm.Lookup(p.value, "fileData")
			if !data && !file {
				return vm.Null, s.refuse(p, x.index, " of this kind in a tool's result")
			}
		}
		other, err := geminiPart(s, p, x.index)
		if err != nil {
			return vm.Null, err
		}
		others = append(others, other)
	}
	key := "output"
	if x.failed {
		key = "error"
	}
	f := mapOf("id", x.call.id, "name", x.call.name, "response", mapOf(key, text.String()))
	if others != nil {
		f = with(f, "parts", vm.ListOf(others))
	}
	return mapOf("functionResponse", f), nil
}

func (c *GeminiContent) value() vm.Value {
	if c.Role == "" {
		return mapOf("parts", vm.ListOf(c.Parts))
	}
	return mapOf("role", c.Role, "parts", vm.ListOf(c.Parts))
}

// Value is the request as a map with systemInstruction, where there is one, and
// contents.
func (r *GeminiRequest) Value() vm.Value {
	if r.SystemInstruction == nil {
		return mapOf("contents", contentValues(r.Contents))
	}
	return mapOf("systemInstruction", r.SystemInstruction.value(), "contents", contentValues(r.Contents))
}

func contentValues(contents []GeminiContent) vm.Value {
	items := make([]vm.Value, len(contents))
	for i := range contents {
		items[i] = contents[i].value()
	}
	return vm.ListOf(items)
}

// MarshalJSON writes the request as Value has it.
func (r *GeminiRequest) MarshalJSON() ([]byte, error) {
	return vm.AppendJSON(nil, r.Value(), vm.JSONOptions{}), nil
}
