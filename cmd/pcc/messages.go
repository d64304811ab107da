package main

import "github.com/pcc-lang/pcc/vm"

// messageForms are the values of --as.
var messageForms = []string{"text", "messages", "openai", "anthropic", "gemini"}

// formatMessages writes messages as JSON in the form that a client wants.
func formatMessages(messages []vm.Message, form string, pretty bool) ([]byte, error) {
	var v vm.Value
	switch form {
	case "messages":
		v = messageList(messages)
	default:
		return nil, usagef("--as %s is not known for these messages", form)
	}
	o := vm.JSONOptions{}
	if pretty {
		o.Indent = "  "
	}
	out := vm.AppendJSON(nil, v, o)
	return append(out, '\n'), nil
}

func messageList(messages []vm.Message) vm.Value {
	items := make([]vm.Value, len(messages))
	for i, m := range messages {
		items[i] = vm.MapOf(messageMap(m))
	}
	return vm.ListOf(items)
}

// messageMap is a message with its keys in the order in which clients write
// them: role, name, content, the rest.
func messageMap(m vm.Message) *vm.Map {
	out := vm.NewMap(4)
	out.Set("role", vm.String(m.Role))
	if m.Name != "" {
		out.Set("name", vm.String(m.Name))
	}
	if m.Parts.Kind() != vm.KindNull {
		out.Set("content", m.Parts)
	} else {
		out.Set("content", vm.String(m.Content))
	}
	if m.Extra != nil {
		for i := range m.Extra.Len() {
			out.Put(m.Extra.At(i))
		}
	}
	return out
}
