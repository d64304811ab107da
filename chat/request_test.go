package chat

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// dump is a template that shows all that it is given.
const dump = `{{ messages|tojson }}{{ tools|tojson }}{{ documents|tojson }}{{ add_generation_prompt }}{{ extra }}`

// keepsText reads lists of parts, so that content stays as it is.
const keepsText = `{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endif %}{% endfor %}`

func must(t *testing.T, src string, c Config, opts ...Option) *Template {
	t.Helper()
	tmpl, err := New(src, c, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

type function struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
}

type toolDefinition struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type turn struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// TestFormsOfRequests gives one request in every form: all give the same
// bytes, keys in their order, and 1 apart from 1.0.
func TestFormsOfRequests(t *testing.T) {
	tmpl := must(t, dump, Config{})
	messages := `[{"role": "user", "content": "z <b>"}]`
	tools := `[{"type": "function", "function": {"name": "f", "parameters": {"z": 1.0, "a": 1}}}]`
	want, err := tmpl.Apply(context.Background(), []byte(`{"messages": `+messages+`, "tools": `+tools+`, "extra": 2.0, "add_generation_prompt": true}`))
	if err != nil {
		t.Fatal(err)
	}
	decoded := func(s string) vm.Value {
		v, err := vm.DecodeJSON([]byte(s), vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	parameters := json.RawMessage(`{"z": 1.0, "a": 1}`)
	for name, r := range map[string]Request{
		"raw JSON":    {Messages: json.RawMessage(messages), Tools: jsontext.Value(tools)},
		"bytes":       {Messages: []byte(messages), Tools: []byte(tools)},
		"vm values":   {Messages: decoded(messages), Tools: decoded(tools)},
		"structs":     {Messages: []turn{{"user", "z <b>"}}, Tools: []toolDefinition{{"function", function{"f", parameters}}}},
		"vm messages": {Messages: []vm.Message{{Role: "user", Content: "z <b>"}}, Tools: []any{toolDefinition{"function", function{"f", parameters}}}},
		"values inside others": {Messages: []any{json.RawMessage(`{"role": "user", "content": "z <b>"}`)},
			Tools: []any{decoded(strings.Trim(tools, "[]"))}},
	} {
		r.AddGenerationPrompt = true
		r.Variables = map[string]any{"extra": json.RawMessage("2.0")}
		got, err := tmpl.ApplyRequest(context.Background(), r)
		if err != nil || got.Prompt != want.Prompt {
			t.Errorf("%s: %v, %v; want %q", name, got, err, want.Prompt)
		}
	}
}

func TestDefaultsAndTokens(t *testing.T) {
	tmpl := must(t, `{{ bos_token }}|{{ tools }}|{{ documents }}|{{ add_generation_prompt }}|{{ enable_thinking }}`, Config{Tokens: map[string]string{"bos_token": "<s>"}})
	for request, want := range map[string]string{
		hello: "<s>|None|None|False|",
		`{"messages": [], "bos_token": "own", "chat_template_kwargs": {"enable_thinking": true}}`: "own|None|None|False|True",
		`{"messages": [], "tools": [], "add_generation_prompt": null, "model": "m"}`:              "<s>|[]|None|False|",
	} {
		res, err := tmpl.Apply(context.Background(), []byte(request))
		if err != nil || res.Prompt != want {
			t.Errorf("%s: %v, %v; want %q", request, res, err, want)
		}
	}
}

func TestChoice(t *testing.T) {
	several := must(t, "D", Config{Named: map[string]string{"tool_use": "T", "rag": "R"}})
	for _, c := range []struct{ request, name, want string }{
		{`{"messages": []}`, "", "D"}, {`{"messages": [], "tools": null}`, "", "D"},
		{`{"messages": [], "tools": [{}]}`, "", "T"}, {`{"messages": [], "tools": []}`, "", "T"},
		{`{"messages": [], "documents": [{}]}`, "", "D"}, {`{"messages": [], "tools": [{}]}`, "rag", "R"},
	} {
		var keys map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.request), &keys); err != nil {
			t.Fatal(err)
		}
		r := Request{Messages: keys["messages"], Template: c.name}
		if v, ok := keys["tools"]; ok {
			r.Tools = v
		}
		if v, ok := keys["documents"]; ok {
			r.Documents = v
		}
		res, err := several.ApplyRequest(context.Background(), r)
		if err != nil || res.Prompt != c.want {
			t.Errorf("%s %s: %v, %v; want %s", c.request, c.name, res, err, c.want)
		}
	}
	only, err := several.Named("rag")
	if err != nil {
		t.Fatal(err)
	}
	if res, err := only.Apply(context.Background(), []byte(`{"messages": [], "tools": [{}]}`)); err != nil || res.Prompt != "R" || res.Template != "rag" {
		t.Errorf("one by its name: %v, %v", res, err)
	}
	_, err = several.ApplyRequest(context.Background(), Request{Messages: []turn{}, Template: "tooluse"})
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != "PCC370" || !strings.Contains(d.Help, "tool_use") {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestNormalise gives OpenAI's forms of calls and content to templates of each
// capability. The caller's values stay as they are.
func TestNormalise(t *testing.T) {
	calls := `{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.name }}:{{ c.function.arguments|tojson }}{% endfor %}{% endfor %}`
	asText := `{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.name + ':' + c.function.arguments }}{% endfor %}{% endfor %}`
	plain := `{% for m in messages %}{{ m.role + ':' + m.content }}{% endfor %}`
	call := func(args string) string {
		return `{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": ` + args + `}}]}]}`
	}
	for _, c := range []struct{ name, template, request, want string }{
		{"text becomes an object", calls, call(`"{\"b\": 1.0, \"a\": 1}"`), `f:{"b": 1.0, "a": 1}`},
		{"an object stays", calls, call(`{"b": 1}`), `f:{"b": 1}`},
		{"empty text is no argument", calls, call(`""`), `f:{}`},
		{"a template that wants text", asText, call(`"{\"b\": 1}"`), `f:{"b": 1}`},
		{"parts are joined for texts", plain, `{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]}`, "user:a\nb"},
		{"parts stay for lists", keepsText, `{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]}`, "ab"},
		{"null content stays null", `{{ messages[0].content is none }}`, `{"messages": [{"role": "user", "content": null}]}`, "True"},
	} {
		res, err := must(t, c.template, Config{}).Apply(context.Background(), []byte(c.request))
		if err != nil || res.Prompt != c.want {
			t.Errorf("%s: %v, %v; want %q", c.name, res, err, c.want)
		}
	}
	own, err := vm.DecodeJSON([]byte(call(`"{\"b\": 1}"`)), vm.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before := string(vm.AppendJSON(nil, own, vm.JSONOptions{}))
	messages, _ := vm.Lookup(own, "messages")
	if _, err := must(t, calls, Config{}).ApplyRequest(context.Background(), Request{Messages: messages}); err != nil {
		t.Fatal(err)
	}
	if after := string(vm.AppendJSON(nil, own, vm.JSONOptions{})); after != before {
		t.Errorf("the caller's messages changed to %s", after)
	}
}

// TestBadRequests names the place of each fault, and prints nothing.
func TestBadRequests(t *testing.T) {
	plain := must(t, `{% for m in messages %}{{ m.role + ':' + m.content }}{% for c in m.tool_calls or [] %}{{ c.function.arguments|tojson }}{% endfor %}{% endfor %}`, Config{})
	for request, want := range map[string]string{
		``:                   "PCC330",
		`{"messages": [`:     "PCC330",
		`[]`:                 "PCC371 object",
		`{}`:                 "PCC371 `messages`",
		`{"mesages": []}`:    "PCC371 did you mean `messages`",
		`{"messages": "x"}`:  "PCC371 `messages`",
		`{"messages": null}`: "PCC371 `messages`",
		`{"messages": [{"role": "user", "content": "a"}, "x"]}`:                                            "PCC371 `messages[1]`",
		`{"messages": [{"content": "a"}]}`:                                                                 "PCC371 `messages[0]`",
		`{"messages": [{"role": 5, "content": "a"}]}`:                                                      "PCC371 `messages[0].role`",
		`{"messages": [], "add_generation_prompt": "false"}`:                                               "PCC371 `add_generation_prompt`",
		`{"messages": [], "tools": {}}`:                                                                    "PCC371 `tools`",
		`{"messages": [], "chat_template_kwargs": []}`:                                                     "PCC371 `chat_template_kwargs`",
		`{"messages": [{"role": "user", "content": "\ud800"}]}`:                                            "PCC333",
		`{"messages": [{"role": "a", "content": "", "tool_calls": {}}]}`:                                   "PCC371 `messages[0].tool_calls`",
		`{"messages": [{"role": "a", "content": "", "tool_calls": [{"function": {"arguments": "[1]"}}]}]}`: "PCC371 `messages[0].tool_calls[0].function.arguments`",
		`{"messages": [{"role": "a", "content": "", "tool_calls": [{"function": {"arguments": "{"}}]}]}`:   "PCC330",
		`{"messages": [{"role": "a", "content": [{"type": "image"}]}]}`:                                    "PCC371 `messages[0].content[0]`",
	} {
		res, err := plain.Apply(context.Background(), []byte(request))
		var d *diag.Diagnostic
		code, words, _ := strings.Cut(want, " ")
		if res != nil || !errors.As(err, &d) || string(d.Code) != code || !strings.Contains(d.Message+d.Help, words) || d.Help == "" {
			t.Errorf("%s: %v, %v; want %s", request, res, err, want)
		}
	}
	type loop struct {
		Next *loop  `json:"next"`
		Role string `json:"role"`
	}
	cyclic := &loop{Role: "user"}
	cyclic.Next = cyclic
	_, err := plain.ApplyRequest(context.Background(), Request{Messages: []any{cyclic}})
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != "PCC371" {
		t.Errorf("a cyclic struct: %v", err)
	}
}

// TestContinue ends prompts inside the last message, as transformers does.
func TestContinue(t *testing.T) {
	keep := `{% for m in messages %}<{{ m.role }}>{{ m.content if m.content is string else m.content[0].text }}<end>{% endfor %}`
	trims := `{% for m in messages %}<{{ m.role }}>{{ (m.content if m.content is string else m.content[0].text)|trim }}<end>{% endfor %}`
	for _, c := range []struct{ name, template, messages, want string }{
		{"the text's end", keep, `[{"role": "user", "content": "q"}, {"role": "assistant", "content": "It is"}]`, "<user>q<end><assistant>It is"},
		{"space that stays", keep, `[{"role": "assistant", "content": "It is "}]`, "<assistant>It is "},
		{"space that is trimmed", trims, `[{"role": "assistant", "content": "It is "}]`, "<assistant>It is"},
		{"the last occurrence", keep, `[{"role": "user", "content": "x"}, {"role": "assistant", "content": "x"}]`, "<user>x<end><assistant>x"},
		{"the last text part", keep, `[{"role": "assistant", "content": [{"type": "text", "text": "go on"}, {"type": "image"}]}]`, "<assistant>go on"},
	} {
		res, err := must(t, c.template, Config{}).Apply(context.Background(), []byte(`{"messages": `+c.messages+`, "continue_final_message": true}`))
		if err != nil || res.Prompt != c.want {
			t.Errorf("%s: %v, %v; want %q", c.name, res, err, c.want)
		}
	}
	for name, request := range map[string]string{
		"both":             `{"messages": [{"role": "a", "content": "x"}], "continue_final_message": true, "add_generation_prompt": true}`,
		"no text":          `{"messages": [{"role": "a", "content": [{"type": "image"}]}], "continue_final_message": true}`,
		"no message":       `{"messages": [], "continue_final_message": true}`,
		"text not printed": `{"messages": [{"role": "a", "content": "x"}, {"role": "b", "content": "hidden"}], "continue_final_message": true}`,
	} {
		res, err := must(t, `{% for m in messages %}{% if m.role == 'a' %}{{ m.content if m.content is string }}{% endif %}{% endfor %}`, Config{}).Apply(context.Background(), []byte(request))
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != "PCC371" {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}
}

// TestLimitsAndCancel: hostile templates and long conversations end, with a
// code.
func TestLimitsAndCancel(t *testing.T) {
	endless := must(t, `{% set x = range(9999) %}{% for i in x %}{% for j in x %}{% for k in x %}{% endfor %}{% endfor %}{% endfor %}`, Config{})
	_, err := endless.Apply(context.Background(), []byte(hello))
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != "PCC904" && d.Code != "PCC905" {
		t.Errorf("an endless template: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := endless.Apply(ctx, []byte(hello)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled render: %v", err)
	}
	var b strings.Builder
	b.WriteString(`{"messages": [`)
	const many = 100_000
	for i := range many {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"role": "user", "content": "x"}`)
	}
	b.WriteString(`]}`)
	res, err := must(t, `{% for m in messages %}{{ m.content }}{% endfor %}`, Config{}).Apply(context.Background(), []byte(b.String()))
	if err != nil || len(res.Prompt) != many {
		t.Errorf("a long conversation: %v", err)
	}
}

// TestConcurrent uses one template from many goroutines; -race watches.
func TestConcurrent(t *testing.T) {
	tmpl := must(t, `{% for m in messages %}{{ m.content }}{% endfor %}`, Config{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				res, err := tmpl.Apply(context.Background(), []byte(`{"messages": [{"role": "u", "content": [{"type": "text", "text": "hi"}]}]}`))
				if err != nil || res.Prompt != "hi" {
					t.Errorf("%v, %v", res, err)
				}
				tmpl.Capabilities()
			}
		})
	}
	wg.Wait()
}

// TestNearKeys: misspelt keys of a request and of its messages are told; those that
// the template reads, and keys of one's own, are not.
func TestNearKeys(t *testing.T) {
	tpl, err := New("{% for m in messages %}{{ m.role }}{{ m.content }}{% endfor %}{{ tool }}", Config{})
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		`{"messages": [{"role": "user", "contnet": "a"}]}`:                                         "messages[0].contnet",
		`{"messages": [{"role": "user", "content": "a"}], "add_genration_prompt": true}`:           "add_genration_prompt",
		`{"messages": [{"role": "user", "content": "a"}], "tool": 1, "enable_thinking": true}`:     "",
		`{"messages": [{"role": "user", "content": "a", "name": "x", "nam": 1, "thinking": "b"}]}`: "",
		`{"messages": [{"role": "tool", "content": "a", "tool_callid": "x"}]}`:                     "messages[0].tool_callid",
	} {
		r, err := tpl.Apply(context.Background(), []byte(request))
		if err != nil {
			t.Fatalf("%s: %v", request, err)
		}
		var got string
		for _, d := range r.Warnings {
			if d.Code == "PCC372" {
				got += d.Message
			}
		}
		if (want == "") != (got == "") || !strings.Contains(got, "`"+want+"`") && want != "" {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}

// TestSuspectRequests: roles that are like one that models know, parts that the
// template does not read and requests without messages are told; what the template
// itself names, and roles of one's own, are not.
func TestSuspectRequests(t *testing.T) {
	const plain = "{% for m in messages %}{{ m.role }}{{ m.content }}{% endfor %}"
	tool := `{"type": "function", "function": {"name": "f", "parameters": {}}}`
	for _, tt := range []struct{ template, request, want string }{
		{plain, `{"messages": [{"role": "user", "content": "a"}]}`, ""},
		{plain, `{"messages": [{"role": "user", "content": "a"}, {"role": "asistant", "content": "b"}]}`, "PCC372 the role of messages[1] is like `assistant`"},
		{plain, `{"messages": [{"role": "System", "content": "a"}]}`, "PCC372 the role of messages[0] is like `system`"},
		{plain, `{"messages": [{"role": "critic", "content": "a"}]}`, ""},
		{plain + "{% if messages[0].role == 'usr' %}{% endif %}", `{"messages": [{"role": "usr", "content": "a"}]}`, ""},
		{plain, `{"messages": [{"role": "user", "content": "a"}], "tools": [` + tool + `]}`, "PCC373 the template does not read `tools`, which the request gives"},
		{plain, `{"messages": [{"role": "user", "content": "a"}], "tools": []}`, ""},
		{plain, `{"messages": [{"role": "user", "content": "a"}], "tools": null}`, ""},
		{plain + "{{ tools }}", `{"messages": [{"role": "user", "content": "a"}], "tools": [` + tool + `]}`, ""},
		{plain, `{"messages": [{"role": "user", "content": "a"}], "documents": [{"title": "t", "text": "x"}]}`, "PCC373 the template does not read `documents`, which the request gives"},
		{plain, `{"messages": []}`, "PCC374 the request has no messages"},
	} {
		tpl, err := New(tt.template, Config{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := tpl.Apply(context.Background(), []byte(tt.request))
		if err != nil {
			t.Fatalf("%s: %v", tt.request, err)
		}
		var got []string
		for _, d := range r.Warnings {
			got = append(got, string(d.Code)+" "+d.Message)
		}
		if all := strings.Join(got, "; "); all != tt.want {
			t.Errorf("%s with %s: %q, want %q", tt.template, tt.request, all, tt.want)
		}
	}
}
