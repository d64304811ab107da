package message

import "github.com/pcc-lang/pcc/vm"

// GoogleRequest is the "google" form of the library prompt_templates, for
// Google's Python client: the last system text, and the contents, which are the
// text alone where there is one message. Gemini gives the API's own form.
type GoogleRequest struct {
	SystemInstruction *string
	Contents          []GeminiContent
}

// Google gives the messages in prompt_templates' "google" form. Content that is
// no text, further keys, calls of tools, and other roles than system, user and
// assistant, are errors.
func Google(messages []vm.Message, o Options) (*GoogleRequest, error) {
	r := &GoogleRequest{}
	s := &spelling{form: "google"}
	for i, m := range withoutSystem(messages, o) {
		if err := noCalls(&m, i, "google"); err != nil {
			return nil, err
		}
		role := m.Role
		switch role {
		case "system", "developer", "user":
		case "assistant":
			role = "model"
		default:
			return nil, unsupportedRole(i, m.Role, "google")
		}
		if err := foreignKeys(&m, i, "google"); err != nil {
			return nil, err
		}
		text, err := s.texts(&m, i, "\n", &o)
		if err != nil {
			return nil, err
		}
		if isSystem(role) {
			r.SystemInstruction = &text
			continue
		}
		r.Contents = append(r.Contents, GeminiContent{Role: role, Parts: []vm.Value{mapOf("text", text)}})
	}
	return r, nil
}

// Value is the request as a map with system_instruction (null where there is
// none) and contents: a text, or a list of turns.
func (r *GoogleRequest) Value() vm.Value {
	system := vm.Null
	if r.SystemInstruction != nil {
		system = vm.String(*r.SystemInstruction)
	}
	contents := contentValues(r.Contents)
	if len(r.Contents) == 1 {
		contents, _ = vm.Lookup(r.Contents[0].Parts[0], "text")
	}
	return mapOf("system_instruction", system, "contents", contents)
}

// MarshalJSON writes the request as Value has it.
func (r *GoogleRequest) MarshalJSON() ([]byte, error) {
	return vm.AppendJSON(nil, r.Value(), vm.JSONOptions{}), nil
}
