package vm

import (
	"fmt"
	"slices"
	"strings"
)

// insertMessages adds the messages of the list v as they are; name is what the
// template calls it, roles are those that they may have. Null is no message.
func (m *machine) insertMessages(v Value, name string, roles []string) error {
	if v.IsMissing() {
		return nil
	}
	v = m.env.canonical(v)
	n, ok := seqLen(v)
	if !ok {
		return &Error{Kind: "type", Code: "PCC312", Msg: "`" + name + "` is " + v.Kind().Noun() + ", not a list of messages", Help: messagesHelp}
	}
	for i := range n {
		if err := m.env.Step(1); err != nil {
			return err
		}
		if err := m.insertMessage(seqAt(v, i), name, i+1, roles); err != nil {
			return err
		}
	}
	return nil
}

const messagesHelp = "give a list of maps that have `role` and `content`"

// insertMessage adds the message v, number n of the list called name.
func (m *machine) insertMessage(v Value, name string, n int, roles []string) error {
	v = m.env.canonical(v)
	if v.Kind() != KindMap && !(v.Kind() == KindHost && isRecord(v)) {
		return &Error{Kind: "type", Code: "PCC312", Msg: fmt.Sprintf("item %d of `%s` is %s, not a message", n, name, v.Kind().Noun()), Help: messagesHelp}
	}
	role, ok := Lookup(v, "role")
	if !ok {
		return &Error{Kind: "value", Code: "PCC312", Msg: fmt.Sprintf("message %d of `%s` has no role", n, name), Help: m.roleLike(v)}
	}
	s, ok := role.Str()
	if !ok {
		return &Error{Kind: "type", Code: "PCC312", Msg: fmt.Sprintf("the role of message %d of `%s` is %s, not a text", n, name, role.Kind().Noun()), Help: messagesHelp}
	}
	if !slices.Contains(roles, s) {
		return &Error{Kind: "value", Code: "PCC311", Msg: fmt.Sprintf("the role of message %d of `%s` is none that may be inserted", n, name),
			Help: "these may: " + strings.Join(roles, ", ") + "; declare others under `roles:`"}
	}
	entries, err := m.env.Entries(v)
	if err != nil {
		return err
	}
	const entryBytes = 2 * valueSize
	if err := m.env.Charge(messageBytes + entries.Len()*entryBytes); err != nil {
		return err
	}
	if err := m.env.Step(entries.Len()); err != nil {
		return err
	}
	m.beginMessage(s, len(m.out))
	at := len(m.messages) - 1
	m.messages[at].state = NoContent
	for i := range entries.Len() {
		k, x := entries.At(i)
		x = m.env.canonical(x)
		key, isText := k.Str()
		text, isTextValue := x.Str()
		msg := &m.messages[at]
		switch {
		case isText && key == "role":
		case isText && key == "content" && x.IsMissing():
			msg.state = NullContent
		case isText && key == "content" && isTextValue:
			msg.state = HasContent
			if err := m.contentText(text); err != nil {
				return err
			}
		case isText && key == "content":
			msg.state, msg.parts = HasContent, x
		case isText && key == "name" && isTextValue:
			msg.name = text
		default:
			if msg.extra == nil {
				msg.extra = NewMap(entries.Len())
			}
			msg.extra.Put(k, x)
			if m.report && isText {
				m.nearMessageKey(v, s, key, name, n)
			}
		}
	}
	return nil
}

// contentText writes a text of the data into the last message.
func (m *machine) contentText(s string) error {
	o := Out{Plain: true}
	out, err := m.emit(m.out, "", &o, String(s))
	if err != nil {
		return err
	}
	m.out = out
	m.messages[len(m.messages)-1].end = len(out)
	return nil
}
