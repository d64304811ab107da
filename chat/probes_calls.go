package chat

import (
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// call is one tool call in OpenAI's form.
func call(id, name string, arguments vm.Value) vm.Value {
	return object(pair{"id", text(id)}, pair{"type", text("function")},
		pair{"function", object(pair{"name", text(name)}, pair{"arguments", arguments})})
}

// arguments of a call, as an object or as JSON text.
func arguments(asText bool, value string) vm.Value {
	if asText {
		return text(`{"zq_arg": "` + value + `"}`)
	}
	return object(pair{"zq_arg", text(value)})
}

// conversation is a call, its result, an answer and a further question.
type conversation struct {
	content vm.Value // of the calling message
	absent  bool     // it has no content at all
	calls   []vm.Value
	results []string
}

func (p *prober) converse(c conversation) (string, bool) {
	out, ok := p.converseNamed(c, false)
	if !ok {
		return p.converseNamed(c, true)
	}
	return out, ok
}

func (p *prober) converseNamed(c conversation, named bool) (string, bool) {
	caller := []pair{{"role", text("assistant")}}
	if !c.absent {
		caller = append(caller, pair{"content", c.content})
	}
	caller = append(caller, pair{"tool_calls", vm.ListOf(c.calls)})
	messages := []vm.Value{p.user(userWord), object(caller...)}
	for i, result := range c.results {
		id, name := callID, toolName
		if i > 0 {
			id, name = callID2, toolName2
		}
		m := []pair{{"role", text("tool")}, {"tool_call_id", text(id)}}
		if named {
			m = append(m, pair{"name", text(name)})
		}
		messages = append(messages, object(append(m, pair{"content", p.content(result)})...))
	}
	messages = append(messages, p.assistant(assistantWord), p.user(userWord2))
	return p.render(request{messages: messages, extra: []pair{{"tools", list(otherTool())}}})
}

// one is the plain conversation about one call.
func (p *prober) one(asText bool) conversation {
	return conversation{content: text(""), calls: []vm.Value{call(callID, toolName, arguments(asText, valueWord))}, results: []string{resultWord}}
}

// shown tells what the prompt has of a call.
func shown(out string, ok bool) string {
	switch {
	case !ok:
		return "error"
	case strings.Contains(out, `\"zq_arg`):
		return "escaped"
	case strings.Contains(out, `"zq_arg"`) && holds(out, valueWord):
		return "json"
	case strings.Contains(out, `'zq_arg'`) && holds(out, valueWord):
		return "repr"
	case holds(out, "zq_arg", valueWord):
		return "other"
	case holds(out, toolName):
		return "name-only"
	}
	return "dropped"
}

func (p *prober) calls(c *Capabilities) {
	object, objectOK := p.converse(p.one(false))
	asText, textOK := p.converse(p.one(true))
	c.CallObject, c.CallText = shown(object, objectOK), shown(asText, textOK)
	works := func(s string) bool { return s == "json" || s == "other" }
	switch o, t := works(c.CallObject), works(c.CallText); {
	case o && t:
		c.Arguments = "either"
	case o:
		c.Arguments = "object"
	case t:
		c.Arguments = "text"
	default:
		c.Arguments = "none"
	}
	switch {
	case c.Arguments != "none":
		c.ToolCalls = "yes"
	case c.CallObject == "name-only" || c.CallText == "name-only":
		c.ToolCalls = "name-only"
	case c.CallObject == "error" && c.CallText == "error":
		c.ToolCalls = "error"
	default:
		c.ToolCalls = "no"
	}

	// What follows is asked with the arguments in the form that works.
	form := c.Arguments == "text"
	out, ok := object, objectOK
	if form || !ok {
		out, ok = asText, textOK
	}
	switch {
	case !ok:
		c.CallName = "error"
	case holds(out, toolName):
		c.CallName = "name"
	case holds(out, callID):
		c.CallName = "id"
	default:
		c.CallName = "no"
	}
	c.ToolResults = answer(out, ok, resultWord)

	c.CallContentNull = p.without(form, func(c *conversation) { c.content = vm.Null })
	c.CallContentAbsent = p.without(form, func(c *conversation) { c.absent = true })

	both := p.one(form)
	both.calls = append(both.calls, call(callID2, toolName2, arguments(form, valueWord2)))
	both.results = append(both.results, resultWord2)
	out, ok = p.converse(both)
	c.ParallelCalls = answer(out, ok, valueWord, valueWord2)
	c.ParallelResults = answer(out, ok, resultWord, resultWord2)

	beside := p.one(form)
	beside.content = p.content(textWord)
	out, ok = p.converse(beside)
	c.CallWithText = answer(out, ok, textWord, valueWord)
	if c.CallWithText == Refused {
		c.CallWithText = No
	}
}

// without is what becomes of a call whose message has no content. A template
// may show calls there only, so the other form of arguments is tried as well.
func (p *prober) without(asText bool, change func(*conversation)) Answer {
	for _, form := range []bool{asText, !asText} {
		c := p.one(form)
		change(&c)
		out, ok := p.converse(c)
		switch {
		case !ok:
			continue
		case strings.Contains(out, "None"):
			return PrintsNone
		}
		return answer(out, ok, valueWord)
	}
	return Refused
}
