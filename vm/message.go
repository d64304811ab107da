package vm

import (
	"strings"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// message is a chat message being built: content is out[start:end].
type message struct {
	role       string
	name       string
	start, end int
	parts      Value
	extra      *Map
	state      ContentState
	site       int32 // where it stands, if places are kept
	span       source.Span
}

// messageBytes is what a message counts against the memory budget besides its
// text: its entries here and in the result.
const messageBytes = 256

func (m *machine) beginMessage(role string, at int) {
	msg := message{role: role, start: at, end: at}
	if m.places {
		_, msg.site, msg.span = m.where()
	}
	m.messages = append(m.messages, msg)
}

// openMessage begins a message. Where the role was computed, allowed is the index
// of the names of which it must be one: those that the template declares for this
// message, so that data cannot forge a role. A role of the template's own has -1.
func (m *machine) openMessage(v Value, allowed int32) error {
	if s, ok := v.Str(); ok && allowed < 0 {
		m.beginMessage(s, len(m.out))
		return m.env.Charge(messageBytes)
	}
	roles := m.names(allowed)
	if u := v.Undef(); u != nil {
		return &Error{Kind: "undefined", Msg: "no value for `" + u.Name + "`, a message's role", Names: []string{u.Name}}
	}
	s, ok := v.Str()
	if !ok {
		return &Error{Kind: "type", Code: "PCC311", Msg: "a message's role is " + v.Kind().Noun() + ", not a string",
			Help: "its declared roles are " + strings.Join(roles, ", ")}
	}
	for _, r := range roles {
		if r == s {
			m.beginMessage(r, len(m.out))
			return m.env.Charge(messageBytes)
		}
	}
	return &Error{Kind: "value", Code: "PCC311", Msg: "the computed role is none of the declared ones: " + strings.Join(roles, ", "),
		Help: "use one of them, or declare others under `roles:`"}
}

// setKey sets a key of the open message, or of the request, by a rule.
func (m *machine) setKey(key string, v Value, rule code.KeyRule) error {
	switch rule {
	case code.KeyContent:
		msg := &m.messages[len(m.messages)-1]
		if msg.parts = v; v.IsNull() {
			msg.state = NullContent
		}
		return nil
	case code.KeyAbsent:
		m.messages[len(m.messages)-1].state = NoContent
		return nil
	case code.KeyRequest:
		return m.requestKey(key, v)
	}
	return m.messageKey(key, v, rule == code.KeyNotNull)
}

// messageKey sets a key of the open message. A missing value is reported; a name
// that is null is none, and so is any key where leave is set.
func (m *machine) messageKey(key string, v Value, leave bool) error {
	msg := &m.messages[len(m.messages)-1]
	if u := v.Undef(); u != nil && !m.env.Dialect.UndefinedObjects() {
		m.miss(u, u.Site)
		return nil
	}
	if leave && v.IsNull() {
		return nil
	}
	if key == "content" {
		s, text := v.Str()
		switch {
		case v.IsNull():
			msg.state = NullContent
		case text:
			return m.contentText(s)
		default:
			msg.parts = v
		}
		return nil
	}
	if key == "name" {
		if s, ok := v.Str(); ok || v.IsNull() {
			msg.name = s
			return nil
		}
	}
	if msg.extra == nil {
		msg.extra = NewMap(2)
	}
	msg.extra.Set(key, v)
	return nil
}

// takeMessages copies the finished messages out of the machine: one string
// holds all contents.
func (m *machine) takeMessages(text string) []Message {
	if len(m.messages) == 0 {
		return nil
	}
	out := make([]Message, len(m.messages))
	for i, msg := range m.messages {
		out[i] = Message{Role: msg.role, Content: text[msg.start-m.base : msg.end-m.base],
			Parts: msg.parts, Name: msg.name, Extra: msg.extra, State: msg.state}
	}
	return out
}

// takePlaces are the places of the finished messages.
func (m *machine) takePlaces() []MessagePlace {
	out := make([]MessagePlace, len(m.messages))
	for i := range m.messages {
		msg := &m.messages[i]
		if msg.site < 0 || int(msg.site) >= len(m.img.Sites) {
			continue
		}
		f, at := m.img.Sites[msg.site].File.Root(msg.span.Start)
		out[i] = MessagePlace{File: f, Span: source.Span{Start: at, End: at + msg.span.End - msg.span.Start}}
	}
	return out
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

// field is what Value has under a name, without making that map.
func (m *Message) field(name string) (Value, bool) {
	switch name {
	case "role":
		return String(m.Role), true
	case "content":
		switch m.State {
		case HasContent:
			return m.content(), true
		case NullContent:
			return Null, true
		}
		return Value{}, false
	}
	if m.Extra != nil {
		if x, ok := m.Extra.Get(name); ok {
			return x, true
		}
	}
	return String(m.Name), name == "name" && m.Name != ""
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
