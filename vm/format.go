package vm

import (
	"fmt"
	"slices"
	"strings"
)

// This file and format_*.go turn messages into what clients of model providers
// take. Every type has Value, which keeps the order of keys, and MarshalJSON,
// which writes UTF-8 without HTML escapes (an encoding/json Encoder needs
// SetEscapeHTML(false) to leave it so).

// FormatOptions change how messages are formatted.
type FormatOptions struct {
	// NoSystemRole turns system and developer messages into user messages, for
	// models without that role.
	NoSystemRole bool
	// Labels are what FormatText writes before the messages of each role; nil
	// means DefaultLabels.
	Labels map[string]string
}

// Formats lists the names that FormatMessages takes.
func Formats() []string {
	return []string{"messages", "openai", "anthropic", "gemini", "google", "text"}
}

// FormatMessages formats messages as plain data: lists and maps for the JSON
// forms, a string for "text".
func FormatMessages(messages []Message, format string, o FormatOptions) (Value, error) {
	switch format {
	case "messages":
		return ListOf(messageValues(withoutSystem(messages, o))), nil
	case "openai":
		return FormatOpenAI(messages, o).Value(), nil
	case "anthropic":
		r, err := FormatAnthropic(messages, o)
		if err != nil {
			return Null, err
		}
		return r.Value(), nil
	case "gemini":
		r, err := FormatGemini(messages, o)
		if err != nil {
			return Null, err
		}
		return r.Value(), nil
	case "google":
		r, err := FormatGoogle(messages, o)
		if err != nil {
			return Null, err
		}
		return r.Value(), nil
	case "text":
		s, err := FormatText(messages, o)
		return String(s), err
	}
	return Null, fmt.Errorf("unknown format %q: it is one of %s", format, strings.Join(Formats(), ", "))
}

// messageValues are messages as maps: role, content, name, then further keys.
func messageValues(messages []Message) []Value {
	items := make([]Value, len(messages))
	for i := range messages {
		items[i] = messages[i].Value()
	}
	return items
}

// Value is the message as a map: role, content (the text, or the structured
// content), name where there is one, then the further keys.
func (m *Message) Value() Value {
	out := NewMap(3)
	out.Set("role", String(m.Role))
	switch m.State {
	case HasContent:
		out.Set("content", m.content())
	case NullContent:
		out.Set("content", Null)
	}
	m.rest(out)
	return MapOf(out)
}

// MarshalJSON writes the message as Value has it.
func (m Message) MarshalJSON() ([]byte, error) { return AppendJSON(nil, m.Value(), JSONOptions{}), nil }

func (m *Message) content() Value {
	if !m.Parts.IsNull() {
		return m.Parts
	}
	return String(m.Content)
}

// rest adds the keys beyond role and content.
func (m *Message) rest(out *Map) {
	if m.Name != "" {
		out.Set("name", String(m.Name))
	}
	if m.Extra == nil {
		return
	}
	for i := range m.Extra.Len() {
		if k, v := m.Extra.At(i); !reserved(k) {
			out.Put(k, v)
		}
	}
}

// reserved reports whether a key is one that a message has of its own: no
// further key may replace it.
func reserved(k Value) bool {
	s, _ := k.Str()
	return s == "role" || s == "content"
}

// ParseMessages reads messages from plain data: a list of maps with `role` and
// `content`.
func ParseMessages(v Value) ([]Message, error) {
	env := NewEnv(&Dialect{}, DefaultLimits())
	if k := v.Kind(); k != KindList && k != KindTuple {
		return nil, fmt.Errorf("messages are a list of maps, and this is a %s", k)
	}
	items, err := env.Items(v)
	if err != nil {
		return nil, err
	}
	out := make([]Message, 0, len(items))
	for i, item := range items {
		if item.Kind() != KindMap {
			return nil, fmt.Errorf("message %d is no map, but a %s", i+1, item.Kind())
		}
		e, err := env.Entries(item)
		if err != nil {
			return nil, err
		}
		var m Message
		for j := range e.Len() {
			k, x := e.At(j)
			key, _ := k.Str()
			text, isText := x.Str()
			switch {
			case key == "role" && isText:
				m.Role = text
			case key == "content" && isText:
				m.Content = text
			case key == "content" && x.IsNull():
				m.State = NullContent
			case key == "content":
				m.Parts = x
			case key == "name" && isText:
				m.Name = text
			case key == "role":
				return nil, fmt.Errorf("the role of message %d is no string, but a %s", i+1, x.Kind())
			default:
				if m.Extra == nil {
					m.Extra = NewMap(2)
				}
				m.Extra.Put(k, x)
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// withoutSystem applies NoSystemRole. The messages given are not changed.
func withoutSystem(messages []Message, o FormatOptions) []Message {
	if !o.NoSystemRole {
		return messages
	}
	out := slices.Clone(messages)
	for i := range out {
		if isSystem(out[i].Role) {
			out[i].Role = "user"
		}
	}
	return out
}

func isSystem(role string) bool { return role == "system" || role == "developer" }

// OpenAIMessage is a message of OpenAI's chat completions API: content is a
// text or a list of parts; name, tool_call_id, tool_calls and other keys stand
// beside it.
type OpenAIMessage struct{ Message }

// OpenAIMessages is the `messages` of a request.
type OpenAIMessages []OpenAIMessage

// FormatOpenAI gives the messages as they are, further keys included.
func FormatOpenAI(messages []Message, o FormatOptions) OpenAIMessages {
	messages = withoutSystem(messages, o)
	out := make(OpenAIMessages, len(messages))
	for i, m := range messages {
		out[i] = OpenAIMessage{m}
	}
	return out
}

// Value is the messages as a list of maps.
func (ms OpenAIMessages) Value() Value {
	items := make([]Value, len(ms))
	for i := range ms {
		items[i] = ms[i].Value()
	}
	return ListOf(items)
}

// text is the message's text; ok is false where its content holds other parts
// than texts.
func (m *Message) text() (s string, ok bool) {
	if m.Parts.IsNull() {
		return m.Content, true
	}
	var b strings.Builder
	for i, p := range partsOf(m.Parts) {
		t, isText := partText(p)
		if !isText {
			return "", false
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t)
	}
	return b.String(), true
}

// partsOf lists the parts of structured content; a single map is one part.
func partsOf(v Value) []Value {
	if l, ok := v.List(); ok {
		return l.Items
	}
	if v.Kind() == KindList {
		items, err := NewEnv(&Dialect{}, DefaultLimits()).Items(v)
		if err == nil {
			return items
		}
	}
	return []Value{v}
}

// partText is the text of a part {type: text, text: …}, or of a plain string.
func partText(p Value) (string, bool) {
	if s, ok := p.Str(); ok {
		return s, true
	}
	typ, _ := Lookup(p, "type")
	if s, ok := typ.Str(); ok && s != "text" {
		return "", false
	}
	t, _ := Lookup(p, "text")
	return t.Str()
}

// DefaultLabels are PDX's role labels of the completion form.
func DefaultLabels() map[string]string {
	return map[string]string{"user": "\n\nUSER", "assistant": "\n\nASSISTANT", "system": "\n\nSYSTEM", "developer": "\n\nSYSTEM"}
}

// FormatText writes messages as one text for completion models: before each
// message the label of its role and a blank, and at the end the assistant's
// label. A role without a label gets none. A single user message is its text
// alone. Content that is not text is written as JSON. Calls of tools are an error,
// and so are a tool's messages where Labels has no label for them.
func FormatText(messages []Message, o FormatOptions) (string, error) {
	labels := o.Labels
	if labels == nil {
		labels = DefaultLabels()
	}
	for i := range messages {
		if err := noCalls(&messages[i], i, "text"); err != nil {
			return "", err
		}
		if messages[i].Role == "tool" && labels["tool"] == "" {
			return "", formFault("PCC360", i, "", "the form text has no label for a tool's message").
				WithHelp("give one: --label tool=…, in Go FormatOptions.Labels")
		}
	}
	one := func(m *Message) string {
		if s, ok := m.text(); ok {
			return s
		}
		return string(AppendJSON(nil, m.Parts, JSONOptions{}))
	}
	if len(messages) == 1 && messages[0].Role == "user" && o.Labels == nil {
		return one(&messages[0]), nil
	}
	var b strings.Builder
	for i := range messages {
		m := &messages[i]
		if label := labels[m.Role]; label != "" {
			b.WriteString(label)
			b.WriteByte(' ')
		} else if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(one(m))
	}
	b.WriteString(labels["assistant"])
	return b.String(), nil
}
