package message

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// AnthropicRequest is the part of a request to Anthropic's messages API that
// comes from a prompt.
type AnthropicRequest struct {
	// System joins the texts of all system and developer messages by a blank
	// line; nil where there is none.
	System *string
	// SystemBlocks takes System's place where a system message holds parts, or a
	// mark for the cache.
	SystemBlocks []vm.Value
	Messages     []AnthropicMessage
}

// AnthropicMessage is one message: content is a text or a list of blocks.
type AnthropicMessage struct{ vm.Message }

// Anthropic takes the system messages out of the list. Calls of tools become
// tool_use blocks with their arguments as data, and results that follow each
// other one user message of tool_result blocks, in the order of the calls;
// images, PDF and text files, and marks for the cache get the form of the API,
// whose own blocks are kept. What the API has no place for is an error: names,
// further keys of messages, other parts, a result without its call, a text
// without a visible character. Roles that it does not know stay, as the library
// prompt_templates has it.
func Anthropic(messages []vm.Message, o Options) (*AnthropicRequest, error) {
	r := &AnthropicRequest{Messages: []AnthropicMessage{}}
	all, err := turns(withoutSystem(messages, o), "anthropic")
	if err != nil {
		return nil, err
	}
	var texts []string
	var blocks []vm.Value
	plain := true
	s := anthropic()
	for _, t := range all {
		if t.results != nil || !isSystem(t.message.Role) {
			m, err := anthropicMessage(s, &t)
			if err != nil {
				return nil, err
			}
			r.Messages = append(r.Messages, AnthropicMessage{m})
			continue
		}
		parts, err := s.read(t.message, t.index)
		if err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			return nil, noContent(t.index, t.message)
		}
		if err := mark(t.message, t.index, parts); err != nil {
			return nil, err
		}
		for n := range parts {
			p := &parts[n]
			if p.kind != textPart {
				return nil, s.refuse(p, t.index, " in a system message")
			}
			block, err := anthropicPart(s, p, t.index)
			if err != nil {
				return nil, err
			}
			plain = plain && p.plain && t.message.Parts.IsNull()
			texts = append(texts, p.text)
			blocks = append(blocks, block)
		}
	}
	switch {
	case !plain:
		r.SystemBlocks = blocks
	case texts != nil:
		joined := strings.Join(texts, "\n\n")
		r.System = &joined
	}
	return r, nil
}

// anthropicTypes are the types of the blocks that messages of the API hold,
// those without an equal in other forms.
var anthropicTypes = [...]string{"image", "document", "search_result", "thinking", "redacted_thinking", "tool_use", "tool_result",
	"server_tool_use", "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result",
	"text_editor_code_execution_tool_result", "tool_search_tool_result", "tool_reference", "container_upload", "mcp_tool_use", "mcp_tool_result"}

func anthropic() *spelling {
	return &spelling{form: "anthropic", textKeys: []string{"cache_control", "citations"},
		own: func(p vm.Value, typ string) bool { return slices.Contains(anthropicTypes[:], typ) }}
}

// anthropicMessage gives a turn the form of the API.
func anthropicMessage(s *spelling, t *turn) (vm.Message, error) {
	var none vm.Message
	if t.results != nil {
		out := make([]vm.Value, len(t.results))
		for n := range t.results {
			result, err := anthropicResult(s, &t.results[n])
			if err != nil {
				return none, err
			}
			out[n] = result
		}
		return vm.Message{Role: "user", Parts: vm.ListOf(out)}, nil
	}
	m := t.message
	parts, err := s.read(m, t.index)
	if err != nil {
		return none, err
	}
	if t.calls != nil && len(parts) == 1 && parts[0].plain && strings.TrimSpace(parts[0].text) == "" {
		parts = nil // beside calls the API takes no blank text
	}
	if len(parts) == 0 && len(t.calls) == 0 {
		return none, noContent(t.index, m)
	}
	whole, err := messageMark(m, t.index)
	if err != nil {
		return none, err
	}
	if whole && len(t.calls) == 0 {
		parts[len(parts)-1].cache, parts[len(parts)-1].plain = true, false
	}
	if m.Parts.IsNull() && len(t.calls) == 0 && parts[0].plain {
		if err := visible(&parts[0], t.index); err != nil {
			return none, err
		}
		return vm.Message{Role: m.Role, Content: m.Content}, nil
	}
	out := make([]vm.Value, 0, len(parts)+len(t.calls))
	for n := range parts {
		block, err := anthropicPart(s, &parts[n], t.index)
		if err != nil {
			return none, err
		}
		out = append(out, block)
	}
	for _, c := range t.calls {
		out = append(out, mapOf("type", "tool_use", "id", c.id, "name", c.name, "input", c.input))
	}
	if whole && len(t.calls) > 0 {
		out[len(out)-1] = cached(out[len(out)-1])
	}
	return vm.Message{Role: m.Role, Parts: vm.ListOf(out)}, nil
}

// anthropicResult is the block of a tool's result; a mark is the block's own.
func anthropicResult(s *spelling, x *toolResult) (vm.Value, error) {
	parts, err := s.read(x.message, x.index)
	if err != nil {
		return vm.Null, err
	}
	if parts == nil {
		return vm.Null, noContent(x.index, x.message)
	}
	content := vm.String(x.message.Content)
	if !x.message.Parts.IsNull() {
		blocks := make([]vm.Value, len(parts))
		for n := range parts {
			if blocks[n], err = anthropicPart(s, &parts[n], x.index); err != nil {
				return vm.Null, err
			}
		}
		content = vm.ListOf(blocks)
	}
	result := mapOf("type", "tool_result", "tool_use_id", x.call.id, "content", content)
	if x.failed {
		result = with(result, "is_error", vm.Bool(true))
	}
	whole, err := messageMark(x.message, x.index)
	if whole {
		result = cached(result)
	}
	return result, err
}

// visible refuses texts that the API refuses.
func visible(p *part, i int) error {
	if strings.TrimSpace(p.text) != "" {
		return nil
	}
	field := p.field
	if field != ".content" {
		field += ".text"
	}
	return fault("PCC360", i, field, "the form anthropic takes no text without a visible character").
		WithHelp("leave the message or part out, or give it a text")
}

// anthropicPart gives a part of content the form of the API.
func anthropicPart(s *spelling, p *part, i int) (vm.Value, error) {
	x := &p.media
	var out vm.Value
	switch p.kind {
	case textPart:
		if err := visible(p, i); err != nil {
			return vm.Null, err
		}
		out = mapOf("type", "text", "text", p.text)
		if p.keep {
			out = over(out, p.value)
		}
	case imagePart:
		if err := x.noDetail(s, i); err != nil {
			return vm.Null, err
		}
		from := mapOf("type", "url", "url", x.url)
		if x.data != "" {
			if err := x.only(s, i, "image/jpeg", "image/png", "image/gif", "image/webp"); err != nil {
				return vm.Null, err
			}
			from = mapOf("type", "base64", "media_type", x.mediaType, "data", x.data)
		}
		out = mapOf("type", "image", "source", from)
	case filePart:
		from, err := anthropicFile(s, x, i)
		if err != nil {
			return vm.Null, err
		}
		out = mapOf("type", "document", "source", from)
		if x.name != "" {
			out = with(out, "title", vm.String(x.name))
		}
	case ownPart:
		out = p.value
	default:
		return vm.Null, s.refuse(p, i, "")
	}
	if p.cache {
		out = cached(out)
	}
	return out, nil
}

// anthropicFile is the source of a document.
func anthropicFile(s *spelling, x *media, i int) (vm.Value, error) {
	if x.url != "" {
		if err := x.only(s, i, "application/pdf"); err != nil {
			return vm.Null, err
		}
		return mapOf("type", "url", "url", x.url), nil
	}
	if err := x.only(s, i, "application/pdf", "text/plain"); err != nil {
		return vm.Null, err
	}
	if x.mediaType == "application/pdf" {
		return mapOf("type", "base64", "media_type", x.mediaType, "data", x.data), nil
	}
	text, err := base64.StdEncoding.DecodeString(x.data)
	if err != nil || !utf8.Valid(text) {
		return vm.Null, fault("PCC360", i, x.field, "the data of a plain text is no UTF-8 text in base64")
	}
	return mapOf("type", "text", "media_type", x.mediaType, "data", string(text)), nil
}

// cached is a block with the API's mark for the cache.
func cached(block vm.Value) vm.Value {
	return with(block, "cache_control", mapOf("type", "ephemeral"))
}

// Value is the request as a map with system, where there is one, and messages.
func (r *AnthropicRequest) Value() vm.Value {
	out := vm.NewMap(2)
	switch {
	case r.SystemBlocks != nil:
		out.Set("system", vm.ListOf(r.SystemBlocks))
	case r.System != nil:
		out.Set("system", vm.String(*r.System))
	}
	items := make([]vm.Value, len(r.Messages))
	for i := range r.Messages {
		items[i] = r.Messages[i].Value()
	}
	out.Set("messages", vm.ListOf(items))
	return vm.MapOf(out)
}

// MarshalJSON writes the request as Value has it.
func (r *AnthropicRequest) MarshalJSON() ([]byte, error) {
	return vm.AppendJSON(nil, r.Value(), vm.JSONOptions{}), nil
}
