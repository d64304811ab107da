package vm

import (
	"fmt"
	"slices"

	"github.com/pcc-lang/pcc/ast/diag"
)

// This file knows the keys of messages that have a meaning, and tells those of
// inserted messages that are like one: a message may have any key, so that a misspelt
// one goes out to the model's provider, and what it was meant for is lost.

// The keys that messages of any role may have, and those of an assistant's and of a
// tool's alone.
var (
	keysOfAny       = []string{"role", "content", "name", "cache"}
	keysOfAssistant = append(slices.Clone(keysOfAny), "tool_calls", "reasoning", "reasoning_content", "refusal", "audio")
	keysOfTool      = append(slices.Clone(keysOfAny), "tool_call_id", "is_error")
	keysOfMessages  = append(slices.Clone(keysOfAssistant), keysOfTool[len(keysOfAny):]...)
)

// MessageKeys are the keys with a meaning for readers and writers of requests that a
// message of the role may have; "" is a role that is not known, whose message may have
// each of them. The list is shared and not to be changed.
func MessageKeys(role string) []string {
	switch role {
	case "":
		return keysOfMessages
	case "assistant":
		return keysOfAssistant
	case "tool":
		return keysOfTool
	}
	return keysOfAny
}

// NearMessageKey returns the key with a meaning that the key of a message of the role
// is most likely meant as; ok is false where it has a meaning itself, for whatever
// role, or is like none.
func NearMessageKey(n *diag.Nearest, role, key string) (near string, ok bool) {
	if slices.Contains(keysOfMessages, key) {
		return "", false
	}
	return n.Find(key, func() []string { return MessageKeys(role) })
}

// nearMessageKey notes that the key of a message that is inserted, number n of the
// list called name, is like one with a meaning that the message lacks. Each key is
// told once.
func (m *machine) nearMessageKey(v Value, role, key, name string, n int) {
	site, index, span := m.where()
	if site == nil || len(m.notes) >= maxNotes {
		return
	}
	near, ok := NearMessageKey(&m.nearest, role, key)
	if !ok {
		return
	}
	if _, given := Lookup(v, near); given {
		return
	}
	for _, d := range m.notes {
		if d.Code == "PCC387" && d.File == site.File && d.Span == span && d.Names[0] == key {
			return
		}
	}
	d := diag.New("PCC387", site.File, span, "the key `%s` of message %d of `%s` is like `%s`, and is passed on as it is", diag.ClipName(key), n, diag.ClipName(name), near).
		WithNames(key).WithHelp("did you mean `%s`?", near)
	d.Trace = m.trace(index)
	m.notes = append(m.notes, d)
}

// roleLike is the help for the message v that lacks a role: the key that may be meant
// as one.
func (m *machine) roleLike(v Value) string {
	for _, key := range candidates(v) {
		if near, ok := NearMessageKey(&m.nearest, "user", key); ok && near == "role" {
			return fmt.Sprintf("did you mean `role` by the key `%s`?", diag.ClipName(key))
		}
	}
	return messagesHelp
}
