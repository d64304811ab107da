package message

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// This file reads the tool calls and results of messages, which are in OpenAI's
// form (tool_calls of an assistant's message; tool_call_id, is_error and name of
// a tool's), for forms that say them in another way.

// toolCall is a call of a tool in an assistant's message.
type toolCall struct {
	id, name string
	input    vm.Value // a map
	written  string   // the arguments as the message has them, where they are a text
}

// toolResult is the result of a call.
type toolResult struct {
	call    toolCall
	order   int // of the call among those of its message
	index   int // of the message
	message *vm.Message
	failed  bool
}

// turn is a message, or the results of one turn's calls in the calls' order.
type turn struct {
	index   int // of the message
	message *vm.Message
	calls   []toolCall
	results []toolResult
}

// turns reads the messages for a form: it takes calls and results apart, and
// refuses further keys, for which the form has no place.
func turns(messages []vm.Message, form string) ([]turn, error) {
	out := make([]turn, 0, len(messages))
	made := calls{}
	for i := range messages {
		m := &messages[i]
		if err := foreignKeys(m, i, form); err != nil {
			return nil, err
		}
		id, _ := extraText(m, "tool_call_id")
		// The library prompt_templates keeps roles in its anthropic form that it
		// does not know; so it is with a tool that answers no call.
		if m.Role == "tool" && (id != "" || form != "anthropic" || m.Extra != nil) {
			r, err := made.result(m, i)
			if err != nil {
				return nil, err
			}
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
			if t.calls, err = readCalls(list, i, false); err != nil {
				return nil, err
			}
			for n, c := range t.calls {
				if err := made.add(c, i, n); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, t)
	}
	for i := range out {
		slices.SortStableFunc(out[i].results, func(a, b toolResult) int { return a.order - b.order })
	}
	return out, nil
}

// calls are those made so far, by their ids.
type calls map[string]madeCall

type madeCall struct {
	toolCall
	order int // among those of its message
}

// add adds call n of message i.
func (cs calls) add(c toolCall, i, n int) error {
	if _, twice := cs[c.id]; twice {
		return fault("PCC362", i, ".tool_calls["+strconv.Itoa(n)+"].id", "two calls have this id").
			WithHelp("give each call an id of its own")
	}
	cs[c.id] = madeCall{c, n}
	return nil
}

// unanswering is the error of a tool's message, number i, without the id of a call.
func unanswering(i int) *diag.Diagnostic {
	return fault("PCC362", i, ".tool_call_id", "the tool's message does not say which call it answers").
		WithHelp("write `tool_call_id:` with the id of the call")
}

// result reads a tool's message, number i.
func (cs calls) result(m *vm.Message, i int) (toolResult, error) {
	id, _ := extraText(m, "tool_call_id")
	c, ok := cs[id]
	var err error
	switch {
	case id == "":
		err = unanswering(i)
	case !ok:
		err = fault("PCC362", i, ".tool_call_id", "no call before it has this id")
	case m.Name != "" && m.Name != c.name:
		err = fault("PCC362", i, ".name", "this is another name than that of the call").
			WithHelp("drop the name: it is known from the call")
	}
	if err != nil {
		return toolResult{}, err
	}
	isError, given := extra(m, "is_error")
	failed, isBool := isError.AsBool()
	if given && !isBool {
		return toolResult{}, fault("PCC362", i, ".is_error", "this is true or false, and not %s", isError.Kind().Noun()).
			WithHelp("write `is_error: true` where the tool failed")
	}
	return toolResult{call: c.toolCall, order: c.order, index: i, message: m, failed: failed}, nil
}

// readCalls reads tool_calls: a list of {id, type, function: {name, arguments}},
// where arguments is a JSON object, or its text. A text stays as it is where asText
// is set: a model may have written what is no JSON, and the API takes it back.
func readCalls(list vm.Value, i int, asText bool) ([]toolCall, error) {
	if !list.IsSequence() {
		return nil, fault("PCC361", i, ".tool_calls", "the calls are a list, and this is %s", list.Kind().Noun())
	}
	items := partsOf(list)
	out := make([]toolCall, 0, len(items))
	for n, item := range items {
		at := fmt.Sprintf(".tool_calls[%d]", n)
		function, ok := vm.Lookup(item, "function")
		inner := ".function"
		if !ok {
			function, inner = item, ""
		}
		id, _ := vm.Lookup(item, "id")
		name, _ := vm.Lookup(function, "name")
		var c toolCall
		c.id, _ = id.Str()
		c.name, _ = name.Str()
		switch {
		case c.id == "":
			return nil, fault("PCC361", i, at+".id", "the call has no id").WithHelp("give each call an id, which its result names as tool_call_id")
		case c.name == "":
			return nil, fault("PCC361", i, at+inner+".name", "the call does not name its function")
		}
		arguments, ok := vm.Lookup(function, "arguments")
		if !ok || arguments.IsMissing() {
			arguments = vm.MapOf(vm.NewMap(0))
		}
		if text, isText := arguments.Str(); isText {
			if c.written = text; asText {
				out = append(out, c)
				continue
			}
			v, err := vm.DecodeJSON([]byte(text), vm.DecodeOptions{})
			if err != nil {
				return nil, fault("PCC361", i, at+inner+".arguments", "the arguments are not JSON")
			}
			arguments = v
		}
		if !arguments.IsMapping() {
			return nil, fault("PCC361", i, at+inner+".arguments", "the arguments are no JSON object, but %s", arguments.Kind().Noun())
		}
		c.input = arguments
		out = append(out, c)
	}
	return out, nil
}

// noCalls refuses calls and results, for forms that cannot say them.
func noCalls(m *vm.Message, i int, form string) error {
	if _, ok := extra(m, "tool_calls"); ok {
		return fault("PCC360", i, ".tool_calls", "the form %s cannot say a call of a tool", form).
			WithHelp("choose the form openai, anthropic or gemini, or leave calls and results out")
	}
	return nil
}
