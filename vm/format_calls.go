package vm

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// This file reads the tool calls and results of messages, which are in OpenAI's
// form (tool_calls of an assistant's message; tool_call_id, is_error and name of
// a tool's), for forms that say them in another way.

// toolCall is a call of a tool in an assistant's message.
type toolCall struct {
	id, name string
	input    Value // a map
}

// toolResult is the result of a call.
type toolResult struct {
	call    toolCall
	order   int // of the call among those of its message
	message *Message
	failed  bool
}

// turn is a message, or the results of one turn's calls in the calls' order.
type turn struct {
	index   int // of the message
	message *Message
	calls   []toolCall
	results []toolResult
}

// formFault makes the error of a message that a form cannot say; field is the
// place in the message, such as ".name".
func formFault(code diag.Code, i int, field, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, nil, source.Span{}, "messages["+strconv.Itoa(i)+"]"+field+": "+format, args...)
	d.Severity = diag.Error
	return d
}

// turns reads the messages for a form: it takes calls and results apart, and
// refuses further keys, for which the form has no place.
func turns(messages []Message, form string) ([]turn, error) {
	out := make([]turn, 0, len(messages))
	type made struct {
		toolCall
		order int
	}
	calls := map[string]made{} // those made so far
	for i := range messages {
		m := &messages[i]
		if err := foreignKeys(m, i, form); err != nil {
			return nil, err
		}
		id, _ := extraText(m, "tool_call_id")
		// The library prompt_templates keeps roles in its anthropic form that it
		// does not know; so it is with a tool that answers no call.
		if m.Role == "tool" && (id != "" || form != "anthropic" || m.Extra != nil) {
			c, ok := calls[id]
			switch {
			case id == "":
				return nil, formFault("PCC362", i, ".tool_call_id", "the tool's message does not say which call it answers").
					WithHelp("write `tool_call_id:` with the id of the call")
			case !ok:
				return nil, formFault("PCC362", i, ".tool_call_id", "no call before it has this id")
			case m.Name != "" && m.Name != c.name:
				return nil, formFault("PCC362", i, ".name", "this is another name than that of the call").
					WithHelp("drop the name: it is known from the call")
			}
			isError, given := extra(m, "is_error")
			failed, isBool := isError.AsBool()
			if given && !isBool {
				return nil, formFault("PCC362", i, ".is_error", "this is true or false, and not %s", isError.Kind().noun()).
					WithHelp("write `is_error: true` where the tool failed")
			}
			r := toolResult{call: c.toolCall, order: c.order, message: m, failed: failed}
			if n := len(out); n > 0 && out[n-1].results != nil {
				out[n-1].results = append(out[n-1].results, r)
			} else {
				out = append(out, turn{index: i, results: []toolResult{r}})
			}
			continue
		}
		t := turn{index: i, message: m}
		if list, ok := extra(m, "tool_calls"); ok {
			var err error
			if t.calls, err = readCalls(list, i); err != nil {
				return nil, err
			}
			for n, c := range t.calls {
				if _, twice := calls[c.id]; twice {
					return nil, formFault("PCC362", i, ".tool_calls["+strconv.Itoa(n)+"].id", "two calls have this id").
						WithHelp("give each call an id of its own")
				}
				calls[c.id] = made{c, n}
			}
		}
		out = append(out, t)
	}
	for i := range out {
		slices.SortStableFunc(out[i].results, func(a, b toolResult) int { return a.order - b.order })
	}
	return out, nil
}

// extra is a further key of a message; one that is null counts as absent.
func extra(m *Message, key string) (Value, bool) {
	if m.Extra == nil {
		return Null, false
	}
	v, ok := m.Extra.Get(key)
	return v, ok && !v.IsMissing()
}

func extraText(m *Message, key string) (string, bool) {
	v, _ := extra(m, key)
	return v.Str()
}

// foreignKeys refuses what a form has no place for: dropped without a word it
// would be missed, and left in, the provider refuses the request.
func foreignKeys(m *Message, i int, form string) error {
	if m.Name != "" && m.Role != "tool" {
		return formFault("PCC360", i, ".name", "the form %s has no place for a participant's name", form).
			WithHelp("drop the name, or write it into the text")
	}
	if m.Extra == nil {
		return nil
	}
	allowed := []string{}
	switch m.Role {
	case "assistant", "model":
		allowed = []string{"tool_calls"}
	case "tool":
		allowed = []string{"tool_call_id", "is_error"}
	}
	for j := range m.Extra.Len() {
		k, v := m.Extra.At(j)
		key, _ := k.Str()
		if v.IsMissing() || reserved(k) || slices.Contains(allowed, key) {
			continue
		}
		return formFault("PCC360", i, "."+clipName(key), "the form %s has no place for the key `%s` of a message of the role %q", form, clipName(key), clipName(m.Role)).
			WithNames(key)
	}
	return nil
}

// readCalls reads tool_calls: a list of {id, type, function: {name, arguments}},
// where arguments is a JSON object, or its text.
func readCalls(list Value, i int) ([]toolCall, error) {
	if k := list.Kind(); k != KindList && k != KindTuple {
		return nil, formFault("PCC361", i, ".tool_calls", "the calls are a list, and this is %s", k.noun())
	}
	items := partsOf(list)
	calls := make([]toolCall, 0, len(items))
	for n, item := range items {
		at := fmt.Sprintf(".tool_calls[%d]", n)
		function, ok := Lookup(item, "function")
		inner := ".function"
		if !ok {
			function, inner = item, ""
		}
		id, _ := Lookup(item, "id")
		name, _ := Lookup(function, "name")
		var c toolCall
		c.id, _ = id.Str()
		c.name, _ = name.Str()
		switch {
		case c.id == "":
			return nil, formFault("PCC361", i, at+".id", "the call has no id").WithHelp("give each call an id, which its result names as tool_call_id")
		case c.name == "":
			return nil, formFault("PCC361", i, at+inner+".name", "the call does not name its function")
		}
		arguments, ok := Lookup(function, "arguments")
		if !ok || arguments.IsMissing() {
			arguments = MapOf(NewMap(0))
		}
		if text, isText := arguments.Str(); isText {
			v, err := DecodeJSON([]byte(text), DecodeOptions{})
			if err != nil {
				return nil, formFault("PCC361", i, at+inner+".arguments", "the arguments are not JSON")
			}
			arguments = v
		}
		if k := arguments.Kind(); k != KindMap && !(k == KindHost && isRecord(arguments)) {
			return nil, formFault("PCC361", i, at+inner+".arguments", "the arguments are no JSON object, but %s", k.noun())
		}
		c.input = arguments
		calls = append(calls, c)
	}
	return calls, nil
}

// noCalls refuses calls and results, for forms that cannot say them.
func noCalls(m *Message, i int, form string) error {
	if _, ok := extra(m, "tool_calls"); ok {
		return formFault("PCC360", i, ".tool_calls", "the form %s cannot say a call of a tool", form).
			WithHelp("choose the form openai, anthropic or gemini, or leave calls and results out")
	}
	return nil
}
