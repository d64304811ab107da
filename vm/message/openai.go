package message

import "github.com/pcc-lang/pcc/vm"

// OpenAIMessage is a message of OpenAI's chat completions API: content is a
// text or a list of parts; name, tool_call_id, tool_calls and other keys stand
// beside it.
type OpenAIMessage struct{ vm.Message }

// OpenAIMessages is the `messages` of a request.
type OpenAIMessages []OpenAIMessage

// OpenAI gives the messages for OpenAI's chat completions API, and for the many
// servers that extend it: keys of messages and types of parts that are not known
// stay as they are. Parts in the short form and marks for the cache are
// translated, arguments of calls that are maps written as JSON. What the API has
// no place for is an error: parts beside texts in the messages of others than
// the user, a failed result, a result without its call.
func OpenAI(messages []vm.Message, o Options) (OpenAIMessages, error) {
	messages = withoutSystem(messages, o)
	out := make(OpenAIMessages, len(messages))
	made := calls{}
	for i := range messages {
		m := messages[i]
		if err := openAICalls(&m, i, made); err != nil {
			return nil, err
		}
		if err := openAIContent(&m, i, &o); err != nil {
			return nil, err
		}
		out[i] = OpenAIMessage{m}
	}
	return out, nil
}

// openAI tells parts that have a type, and no mark to be translated, as those of
// the API.
func openAI() *spelling {
	return &spelling{form: "openai", own: func(p vm.Value, typ string) bool {
		_, marked := vm.Lookup(p, "cache")
		return typ != "" && !marked
	}}
}

// openAICalls gives the calls and results of message i the form of the API.
func openAICalls(m *vm.Message, i int, made calls) error {
	if m.Extra == nil {
		return nil
	}
	if _, answers := extra(m, "tool_call_id"); answers && m.Role == "tool" {
		r, err := made.result(m, i)
		if err != nil {
			return err
		}
		if r.failed {
			return fault("PCC360", i, ".is_error", "the form openai cannot say that a tool failed").
				WithHelp("say so in the result's text, and drop the key")
		}
		m.Name, m.Extra = "", without(m.Extra, "is_error")
		return nil
	}
	list, ok := extra(m, "tool_calls")
	if !ok || !list.IsSequence() {
		return nil
	}
	items, changed := partsOf(list), false
	out := make([]vm.Value, len(items))
	for n, item := range items {
		out[n] = item
		id, _ := lookupText(item, "id")
		function, _ := vm.Lookup(item, "function")
		name, _ := lookupText(function, "name")
		if id != "" {
			if err := made.add(toolCall{id: id, name: name}, i, n); err != nil {
				return err
			}
		}
		if arguments, ok := vm.Lookup(function, "arguments"); ok && arguments.IsMapping() {
			text := vm.AppendJSON(nil, arguments, vm.JSONOptions{ItemSep: ",", KeySep: ":"})
			out[n] = with(item, "function", with(function, "arguments", vm.String(string(text))))
			changed = true
		}
	}
	if changed {
		m.Extra, _ = with(vm.MapOf(m.Extra), "tool_calls", vm.ListOf(out)).Map()
	}
	return nil
}

// openAIContent gives the content of message i the form of the API.
func openAIContent(m *vm.Message, i int, o *Options) error {
	s := openAI()
	parts, err := s.read(m, i)
	if err != nil {
		return err
	}
	_, calls := extra(m, "tool_calls")
	if len(parts) == 0 {
		_, others := extra(m, "refusal")
		_, audio := extra(m, "audio")
		if calls || others || audio {
			if whole, err := messageMark(m, i); err != nil {
				return err
			} else if whole {
				o.unplaced(i, "", s.form)
			}
			m.Extra = without(m.Extra, "cache")
			return nil
		}
		return noContent(i, m)
	}
	if err := mark(m, i, parts); err != nil {
		return err
	}
	m.Extra = without(m.Extra, "cache")
	if m.Parts.IsNull() && !parts[0].cache {
		return nil
	}
	out := make([]vm.Value, len(parts))
	for n := range parts {
		if out[n], err = openAIPart(s, &parts[n], m.Role, i); err != nil {
			return err
		}
	}
	m.Content, m.Parts = "", vm.ListOf(out)
	return nil
}

func openAIPart(s *spelling, p *part, role string, i int) (vm.Value, error) {
	is := p.kind
	if is == ownPart {
		typ, _ := lookupText(p.value, "type")
		is = map[string]kind{"image_url": imagePart, "input_audio": audioPart, "file": filePart}[typ]
	}
	if is == imagePart || is == audioPart || is == filePart {
		switch role {
		case "system", "developer", "assistant", "tool":
			return vm.Null, fault("PCC360", i, p.field, "the form openai has no place for %s in a message of the role %q", is.noun(), role)
		}
	}
	x := &p.media
	var out vm.Value
	switch p.kind {
	case textPart:
		out = mapOf("type", "text", "text", p.text)
	case refusalPart:
		out = mapOf("type", "refusal", "refusal", p.text)
	case imagePart:
		url := x.url
		if url == "" {
			url = x.dataURL()
		}
		image := mapOf("url", url)
		if x.detail != "" {
			image = mapOf("url", url, "detail", x.detail)
		}
		out = mapOf("type", "image_url", "image_url", image)
	case audioPart:
		format := map[string]string{"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}[x.mediaType]
		if x.url != "" {
			return vm.Null, fault("PCC360", i, x.field+".url", "the form openai takes audio by its data only")
		}
		if format == "" {
			return vm.Null, x.only(s, i, "audio/wav", "audio/mpeg")
		}
		out = mapOf("type", "input_audio", "input_audio", mapOf("data", x.data, "format", format))
	case filePart:
		if x.url != "" {
			return vm.Null, fault("PCC360", i, x.field+".url", "the form openai takes files by their data only")
		}
		file := mapOf("file_data", x.dataURL())
		if x.name != "" {
			file = mapOf("filename", x.name, "file_data", x.dataURL())
		}
		out = mapOf("type", "file", "file", file)
	case ownPart:
		out = p.value
	}
	if p.cache {
		out = with(out, "prompt_cache_breakpoint", mapOf("mode", "explicit"))
	}
	return out, nil
}

// Value is the messages as a list of maps.
func (ms OpenAIMessages) Value() vm.Value {
	items := make([]vm.Value, len(ms))
	for i := range ms {
		items[i] = ms[i].Value()
	}
	return vm.ListOf(items)
}
