package message

import (
	"errors"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"

	"github.com/pcc-lang/pcc/vm"
)

// chatOf reads messages of a test.
func chatOf(t *testing.T, text string) []vm.Message {
	t.Helper()
	v, err := vm.DecodeJSON([]byte(text), vm.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ms, err := Parse(v)
	if err != nil {
		t.Fatal(err)
	}
	return ms
}

const (
	callRome  = `{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Rome\", \"n\": 1.5, \"big\": 12345678901234567890}"}}`
	callOslo  = `{"id": "c2", "type": "function", "function": {"name": "time", "arguments": {"city": "Oslo"}}}`
	resultOne = `{"role": "tool", "tool_call_id": "c1", "content": "22C"}`
	resultTwo = `{"role": "tool", "tool_call_id": "c2", "content": "12:00"}`
)

// Calls and results are translated as each API has them.
func TestToolCalls(t *testing.T) {
	for _, c := range []struct{ name, messages, anthropic, gemini string }{
		{"one call", `{"role": "assistant", "content": "", "tool_calls": [` + callRome + `]}, ` + resultOne,
			`{"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Rome", "n": 1.5, "big": 12345678901234567890}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "22C"}]}`,
			`{"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "weather", "args": {"city": "Rome", "n": 1.5, "big": 12345678901234567890}}}]}, {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "weather", "response": {"output": "22C"}}}]}`},
		{"results in another order, one failed", `{"role": "assistant", "content": "Both.", "tool_calls": [` + callRome + `, ` + callOslo + `]}, {"role": "tool", "tool_call_id": "c2", "content": "no", "is_error": true}, ` + resultOne,
			`{"role": "assistant", "content": [{"type": "text", "text": "Both."}, {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Rome", "n": 1.5, "big": 12345678901234567890}}, {"type": "tool_use", "id": "c2", "name": "time", "input": {"city": "Oslo"}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "22C"}, {"type": "tool_result", "tool_use_id": "c2", "content": "no", "is_error": true}]}`,
			`{"role": "model", "parts": [{"text": "Both."}, {"functionCall": {"id": "c1", "name": "weather", "args": {"city": "Rome", "n": 1.5, "big": 12345678901234567890}}}, {"functionCall": {"id": "c2", "name": "time", "args": {"city": "Oslo"}}}]}, {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "weather", "response": {"output": "22C"}}}, {"functionResponse": {"id": "c2", "name": "time", "response": {"error": "no"}}}]}`},
		{"parts, no arguments, keys that are null", `{"role": "assistant", "content": null, "name": null, "refusal": null, "tool_calls": [{"id": "c1", "function": {"name": "ping"}}]}, {"role": "tool", "name": "ping", "tool_call_id": "c1", "content": [{"text": "a"}, {"type": "text", "text": "b"}]}`,
			`{"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "ping", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]}`,
			`{"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "ping", "args": {}}}]}, {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "ping", "response": {"output": "ab"}}}]}`},
	} {
		ms := chatOf(t, `[`+c.messages+`]`)
		if got, want := formatted(t, ms, "anthropic", Options{}), `{"messages": [`+c.anthropic+`]}`; got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
		if got, want := formatted(t, ms, "gemini", Options{}), `{"contents": [`+c.gemini+`]}`; got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
		for _, form := range []string{"google", "text"} {
			var d *diag.Diagnostic
			if _, err := Format(ms, form, Options{}); !errors.As(err, &d) || d.Code != "PCC360" || !strings.HasPrefix(d.Message, "messages[0].tool_calls: ") {
				t.Errorf("%s, %s: %v", c.name, form, err)
			}
		}
	}
}

// What a form cannot say is refused with the place in the messages: nothing is
// dropped, and no key of another provider left in.
func TestFormRefuses(t *testing.T) {
	call := func(inner string) string {
		return `[{"role": "assistant", "content": "", "tool_calls": [` + inner + `]}]`
	}
	for _, c := range []struct{ messages, code, place string }{
		{call(`{"id": "c", "function": {"name": "f", "arguments": "{\"a\": b}"}}`), "PCC361", "messages[0].tool_calls[0].function.arguments"},
		{call(`{"id": "c", "function": {"name": "f", "arguments": "[1]"}}`), "PCC361", "messages[0].tool_calls[0].function.arguments"},
		{call(`{"id": "c", "function": {"name": "f", "arguments": ""}}`), "PCC361", "messages[0].tool_calls[0].function.arguments"},
		{call(callRome + `, {"id": "c", "function": {"name": "f", "arguments": 3}}`), "PCC361", "messages[0].tool_calls[1].function.arguments"},
		{call(`{"function": {"name": "f"}}`), "PCC361", "messages[0].tool_calls[0].id"},
		{call(`{"id": "c", "function": {}}`), "PCC361", "messages[0].tool_calls[0].function.name"},
		{call(`{"id": "c"}`), "PCC361", "messages[0].tool_calls[0].name"},
		{call(`3`), "PCC361", "messages[0].tool_calls[0].id"},
		{call(callRome + `, ` + callRome), "PCC362", "messages[0].tool_calls[1].id"},
		{`[{"role": "assistant", "content": "", "tool_calls": "x"}]`, "PCC361", "messages[0].tool_calls"},
		{`[` + resultOne + `]`, "PCC362", "messages[0].tool_call_id"},
		{`[{"role": "tool", "content": "x", "is_error": true}]`, "PCC362", "messages[0].tool_call_id"},
		{`[{"role": "assistant", "content": "", "tool_calls": [` + callRome + `]}, ` + resultTwo + `]`, "PCC362", "messages[1].tool_call_id"},
		{`[{"role": "assistant", "content": "", "tool_calls": [` + callRome + `]}, {"role": "tool", "name": "time", "tool_call_id": "c1", "content": "x"}]`, "PCC362", "messages[1].name"},
		{`[{"role": "assistant", "content": "", "tool_calls": [` + callRome + `]}, {"role": "tool", "is_error": "no", "tool_call_id": "c1", "content": "x"}]`, "PCC362", "messages[1].is_error"},
		{`[{"role": "user", "content": "x"}, {"role": "user", "content": "x", "name": "ada"}]`, "PCC360", "messages[1].name"},
		{`[{"role": "user", "content": "x", "tool_calls": []}]`, "PCC360", "messages[0].tool_calls"},
		{`[{"role": "user", "content": "x", "weight": 1}]`, "PCC360", "messages[0].weight"},
	} {
		for _, form := range []string{"anthropic", "gemini"} {
			_, err := Format(chatOf(t, c.messages), form, Options{})
			var d *diag.Diagnostic
			if !errors.As(err, &d) || string(d.Code) != c.code || !strings.HasPrefix(d.Message, c.place+": ") || d.Help == "" || d.Severity != diag.Error {
				t.Errorf("%s, %s: %v", c.messages, form, err)
			}
		}
	}
	for messages, want := range map[string]string{
		`[{"role": "critic", "content": "x"}]`: `error: PCC360: messages[0].role: the role "critic" has no counterpart in the form gemini`,
		`[{"role": "tool", "content": "x"}]`:   `error: PCC362: messages[0].tool_call_id: the tool's message does not say which call it answers`,
	} {
		ms := chatOf(t, messages)
		if got := formatted(t, ms, "gemini", Options{}); got != want {
			t.Errorf("got %s", got)
		}
		if got := formatted(t, ms, "anthropic", Options{}); got != `{"messages": `+messages+`}` {
			t.Errorf("got %s", got)
		}
	}
	tool := chatOf(t, `[{"role": "user", "content": "x"}, `+resultOne+`]`)
	var d *diag.Diagnostic
	if _, err := Text(tool, Options{}); !errors.As(err, &d) || d.Code != "PCC360" {
		t.Errorf("text: %v", err)
	}
	labels := DefaultLabels()
	labels["tool"] = "\n\nTOOL"
	if got, err := Text(tool, Options{Labels: labels}); err != nil || got != "\n\nUSER x\n\nTOOL 22C\n\nASSISTANT" {
		t.Errorf("text with a label: %q, %v", got, err)
	}
}
