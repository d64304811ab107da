package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// Options change how messages are formatted.
type Options struct {
	// NoSystemRole turns system and developer messages into user messages, for
	// models without that role.
	NoSystemRole bool
	// Labels are what Text writes before the messages of each role; nil means
	// DefaultLabels.
	Labels map[string]string
	// Note, where set, is called with what a form leaves out although a message
	// asks for it, because it changes nothing in what the model reads: marks for
	// the prompt cache.
	Note func(*diag.Diagnostic)
}

// Forms lists the names that Format takes.
func Forms() []string {
	return []string{"messages", "openai", "responses", "anthropic", "gemini", "google", "text"}
}

// Format gives messages in a form as plain data: lists and maps for the JSON
// forms, a string for "text".
func Format(messages []vm.Message, form string, o Options) (vm.Value, error) {
	switch form {
	case "messages":
		return vm.ListOf(values(withoutSystem(messages, o))), nil
	case "openai":
		return valueOf(OpenAI(messages, o))
	case "responses":
		return valueOf(Responses(messages, o))
	case "anthropic":
		return valueOf(Anthropic(messages, o))
	case "gemini":
		return valueOf(Gemini(messages, o))
	case "google":
		return valueOf(Google(messages, o))
	case "text":
		s, err := Text(messages, o)
		return vm.String(s), err
	}
	return vm.Null, fmt.Errorf("unknown form %q: it is one of %s", form, strings.Join(Forms(), ", "))
}

// valueOf is the value of what a form made, or its error.
func valueOf[T interface{ Value() vm.Value }](r T, err error) (vm.Value, error) {
	if err != nil {
		return vm.Null, err
	}
	return r.Value(), nil
}

// values are messages as maps: role, content, name, then further keys.
func values(messages []vm.Message) []vm.Value {
	items := make([]vm.Value, len(messages))
	for i := range messages {
		items[i] = messages[i].Value()
	}
	return items
}

const messagesHelp = `write [{"role": "user", "content": "Hi"}]`

// Parse reads messages from plain data: a list of maps with `role` and
// `content`.
func Parse(v vm.Value) ([]vm.Message, error) {
	env := reader()
	if !v.IsSequence() {
		return nil, faultAt("PCC371", "messages", "the messages are a list of maps, and this is %s", v.Kind().Noun()).WithHelp(messagesHelp)
	}
	items, err := env.Items(v)
	if err != nil {
		return nil, err
	}
	out := make([]vm.Message, 0, len(items))
	for i, item := range items {
		if !item.IsMapping() {
			return nil, faultAt("PCC371", fmt.Sprintf("messages[%d]", i), "a message is a map, and this is %s", item.Kind().Noun()).WithHelp(messagesHelp)
		}
		e, err := env.Entries(item)
		if err != nil {
			return nil, err
		}
		m := vm.Message{State: vm.NoContent}
		for j := range e.Len() {
			k, x := e.At(j)
			key, _ := k.Str()
			text, isText := x.Str()
			switch {
			case key == "role" && isText:
				m.Role = text
			case key == "content" && isText:
				m.Content, m.State = text, vm.HasContent
			case key == "content" && x.IsNull():
				m.State = vm.NullContent
			case key == "content":
				m.Parts, m.State = x, vm.HasContent
			case key == "name" && isText:
				m.Name = text
			case key == "role":
				return nil, faultAt("PCC371", fmt.Sprintf("messages[%d].role", i), "the role is a text, and not %s", x.Kind().Noun()).WithHelp(messagesHelp)
			default:
				if m.Extra == nil {
					m.Extra = vm.NewMap(2)
				}
				m.Extra.Put(k, x)
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// reader lists lists and maps of messages, which have been charged where they
// were made.
func reader() *vm.Env { return vm.NewEnv(&vm.Dialect{}, vm.DefaultLimits()) }

// withoutSystem applies NoSystemRole. The messages given are not changed.
func withoutSystem(messages []vm.Message, o Options) []vm.Message {
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

// fault makes the error of message i, which a form cannot say; field is the
// place in the message, such as ".name".
func fault(code diag.Code, i int, field, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, nil, source.Span{}, "messages[%d]%s: %s", i, field, fmt.Sprintf(format, args...))
	d.Severity = diag.Error
	return d
}

// unsupportedRole is the error of a role that a form does not have.
func unsupportedRole(i int, role, form string) error {
	return fault("PCC360", i, ".role", "the role %q has no counterpart in the form %s", diag.ClipName(role), form)
}

// extra is a further key of a message; one that is null counts as absent.
func extra(m *vm.Message, key string) (vm.Value, bool) {
	if m.Extra == nil {
		return vm.Null, false
	}
	v, ok := m.Extra.Get(key)
	return v, ok && !v.IsMissing()
}

func extraText(m *vm.Message, key string) (string, bool) {
	v, _ := extra(m, key)
	return v.Str()
}

// foreignKeys refuses further keys of a message, for which a form has no place,
// except those that calls.go and marks read.
func foreignKeys(m *vm.Message, i int, form string) error {
	if m.Name != "" && m.Role != "tool" {
		return fault("PCC360", i, ".name", "the form %s has no place for a participant's name", form).
			WithHelp("drop the name, or write it into the text")
	}
	if m.Extra == nil {
		return nil
	}
	for j := range m.Extra.Len() {
		k, v := m.Extra.At(j)
		key, _ := k.Str()
		switch {
		case v.IsMissing(), key == "role", key == "content", key == "cache":
			continue
		case key == "tool_calls" && (m.Role == "assistant" || m.Role == "model"),
			(key == "tool_call_id" || key == "is_error") && m.Role == "tool":
			continue
		}
		return fault("PCC360", i, "."+diag.ClipName(key), "the form %s has no place for the key `%s` of a message of the role %q", form, diag.ClipName(key), diag.ClipName(m.Role)).
			WithNames(key)
	}
	return nil
}

// marked reads `cache`, the mark of a message or part for the prompt cache,
// which stands at field of message i.
func marked(v vm.Value, i int, field string) (bool, error) {
	if v.IsMissing() {
		return false, nil
	}
	b, ok := v.AsBool()
	if !ok {
		return false, fault("PCC360", i, field, "this is true or false, and not %s", v.Kind().Noun()).
			WithHelp("write `cache: true` to end the part of the prompt that is cached there")
	}
	return b, nil
}

// messageMark is the mark of message i as a whole.
func messageMark(m *vm.Message, i int) (bool, error) {
	v, _ := extra(m, "cache")
	return marked(v, i, ".cache")
}

// unplaced tells that a form has no place for the mark at field of message i.
func (o *Options) unplaced(i int, field, form string) {
	if o.Note == nil {
		return
	}
	d := fault("PCC363", i, field+".cache", "the form %s has no place for this mark, which is left out", form)
	d.Severity = diag.Note
	o.Note(d)
}
