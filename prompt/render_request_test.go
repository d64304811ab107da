package prompt

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// TestRenderRequest writes one document for each provider.
func TestRenderRequest(t *testing.T) {
	const doc = `
model: m-1
parameters: {max_tokens: "{limit}"}
tools: {get_weather: {parameters: {city: string!}}}
tool_choice: {name: get_weather}
output: {city: string!}
messages:
  - system: Be brief.
    cache: true
  - messages: history
  - user:
      - "{question}"
      - image: {file: map.png}
`
	data, err := vm.DecodeJSON([]byte(`{"limit":64,"question":"And here?","history":[{"role":"user","content":"Weather in Oslo?"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"rain"}]}`), vm.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := mustLoad(t, filesOf("a.yaml", doc, "map.png", "PNG"), "a.yaml").Find("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := RenderRequest(context.Background(), p, data)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	const schema = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
	const output = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`
	for provider, want := range map[string]string{
		"openai":    `{"model":"m-1","messages":[{"role":"system","content":[{"type":"text","text":"Be brief.","prompt_cache_breakpoint":{"mode":"explicit"}}]},{"role":"user","content":"Weather in Oslo?"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]},{"role":"tool","content":"rain","tool_call_id":"c1"},{"role":"user","content":[{"type":"text","text":"And here?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}}]}],"max_completion_tokens":64,"tools":[{"type":"function","function":{"name":"get_weather","parameters":` + schema + `}}],"tool_choice":{"type":"function","function":{"name":"get_weather"}},"response_format":{"type":"json_schema","json_schema":{"name":"output","schema":` + output + `}}}`,
		"responses": `{"model":"m-1","input":[{"role":"system","content":[{"type":"input_text","text":"Be brief.","prompt_cache_breakpoint":{"mode":"explicit"}}]},{"role":"user","content":"Weather in Oslo?"},{"type":"function_call","call_id":"c1","name":"get_weather","arguments":"{\"city\":\"Oslo\"}"},{"type":"function_call_output","call_id":"c1","output":"rain"},{"role":"user","content":[{"type":"input_text","text":"And here?"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,UE5H"}]}],"max_output_tokens":64,"tools":[{"type":"function","name":"get_weather","parameters":` + schema + `,"strict":false}],"tool_choice":{"type":"function","name":"get_weather"},"text":{"format":{"type":"json_schema","name":"output","schema":` + output + `}}}`,
		"anthropic": `{"model":"m-1","max_tokens":64,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"Weather in Oslo?"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"get_weather","input":{"city":"Oslo"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"rain"}]},{"role":"user","content":[{"type":"text","text":"And here?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"UE5H"}}]}],"tools":[{"name":"get_weather","input_schema":` + schema + `}],"tool_choice":{"type":"tool","name":"get_weather"},"output_config":{"format":{"type":"json_schema","schema":` + output + `}}}`,
		"gemini":    `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Weather in Oslo?"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"get_weather","args":{"city":"Oslo"}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"get_weather","response":{"output":"rain"}}}]},{"role":"user","parts":[{"text":"And here?"},{"inlineData":{"mimeType":"image/png","data":"UE5H"}}]}],"tools":[{"functionDeclarations":[{"name":"get_weather","parametersJsonSchema":` + schema + `}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["get_weather"]}},"generationConfig":{"maxOutputTokens":64,"responseMimeType":"application/json","responseJsonSchema":` + output + `}}`,
	} {
		notes := 0
		body, err := r.Body(provider, FormatOptions{Note: func(*diag.Diagnostic) { notes++ }})
		if err != nil {
			t.Errorf("%s: %v", provider, err)
			continue
		}
		if got := jsonOf(t, body); got != want {
			t.Errorf("%s:\n got %s\nwant %s", provider, got, want)
		}
		if (notes == 1) != (provider == "gemini") {
			t.Errorf("%s: %d notes", provider, notes)
		}
	}
	if len(Providers()) != 4 {
		t.Errorf("the test lacks a provider of %v", Providers())
	}
}

// TestToolsOfData: tools that the data gives may have any form, and what is wrong
// with them is told without showing the data.
func TestToolsOfData(t *testing.T) {
	p, err := mustLoad(t, filesOf("a.yaml", "tools: toolset\nmessages:\n  - user: hi\n"), "a.yaml").Find("")
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}]`
	for _, c := range []struct{ tools, code, place, help string }{
		{want, "", "", ""},
		{`[{"name":"f","inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}]`, "", "", ""},
		{`{"f":{"parameters":{"a":"string!"}}}`, "", "", ""},
		{`[{"f":{"parameters":{"a":"string!"}}}]`, "", "", ""},
		{`null`, "", "", ""},
		{`[]`, "", "", ""},
		{`5`, "PCC410", "tools: ", ""},
		{`"secret"`, "PCC410", "tools: ", ""},
		{`["secret"]`, "PCC433", "tools[0]: ", "name"},
		{`[{"name":"f"},{"name":"f"}]`, "PCC433", "tools[1].name: ", "name of its own"},
		{`[{"description":"secret"}]`, "PCC433", "tools[0]: ", ""},
		{`{"f":{"parameters":{"a":"secret"}}}`, "PCC433", "tools.f.parameters.a: ", "string"},
		{`[{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"secret"}}}}]`, "PCC434", "tools[0].parameters.properties.a.type: ", ""},
		{`{"f":{"parameters":{"a":[` + strings.Repeat(`"secret",`, 50_000) + `"x"]}}}`, "PCC922", "tools: ", ""},
	} {
		v, err := vm.DecodeJSON([]byte(`{"toolset":`+c.tools+`}`), vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := RenderRequest(context.Background(), p, v)
		if c.code == "" {
			if err != nil {
				t.Errorf("%s: %v", c.tools, err)
			} else if len(c.tools) > 10 && jsonOf(t, r.Value()) != `{"messages":[{"role":"user","content":"hi"}],"tools":`+want+`}` {
				t.Errorf("%s: %s", c.tools, jsonOf(t, r.Value()))
			}
			continue
		}
		var d *diag.Diagnostic
		if !errors.As(err, &d) || string(d.Code) != c.code || !strings.HasPrefix(d.Message, c.place) || !strings.Contains(d.Help, c.help) {
			t.Errorf("%s: %v, help %q", c.tools, err, d.Help)
			continue
		}
		if strings.Contains(d.Message+d.Help, "secret") || d.File == nil || d.File.Slice(d.Span) != "tools" {
			t.Errorf("%s: %v at %q", c.tools, d, d.File.Slice(d.Span))
		}
	}
}

// What no provider can be told is an error at the document's key.
func TestRequestThatIsNone(t *testing.T) {
	for _, c := range []struct{ doc, place, message string }{
		{"tool_choice: required\nmessages: [{user: hi}]\n", "tool_choice", "no tools"},
		{"tool_choice: '{c}'\nmessages: [{user: hi}]\n", "tool_choice", ""},
	} {
		p, err := mustLoad(t, filesOf("a.yaml", c.doc), "a.yaml").Find("")
		if err != nil {
			t.Fatal(err)
		}
		_, err = RenderRequest(context.Background(), p, map[string]any{"c": "sometimes"})
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.File == nil || d.File.Slice(d.Span) != c.place || !strings.Contains(d.Message, c.message) {
			t.Errorf("%s: %+v", c.doc, err)
		}
	}
}

// Report tells where each message stands.
func TestPlacesOfMessages(t *testing.T) {
	r := reportOf(t, filesOf("a.yaml", "messages:\n  - system: a\n  - messages: xs\n  - when: xs\n    messages: [{user: b}]\n  - {role: user, content: c}\n"),
		map[string]any{"xs": []any{map[string]any{"role": "user", "content": "x"}, map[string]any{"role": "user", "content": "y"}}})
	var got []string
	for _, p := range r.Places {
		got = append(got, p.File.Slice(p.Span))
	}
	want := []string{"system: a", "xs", "xs", "{user: b}", "{role: user, content: c}"}
	if len(got) != len(want) || len(got) != len(r.Messages) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], strings.SplitN(want[i], ":", 2)[0]) {
			t.Errorf("message %d stands at %q, want %q", i, got[i], want[i])
		}
	}
}
