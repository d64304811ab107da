package sdk_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
	"github.com/pcc-lang/pcc/vm/message"
)

// all are the SDKs' ways that every body goes.
const all = "openai, responses, anthropic, anthropic beta, gemini, gemini vertex"

const calls = `messages:
  - messages: history
  - user: Thank you. And now?
tools:
  weather: {description: The weather, parameters: {city: string!, days: "integer[]", unit: [c, f]}}
  time: {}
parameters: {max_tokens: 64}
model: m-1
`

// cases are documents with data, and the SDKs that take their bodies; for the others
// the document cannot be said.
var cases = []struct{ name, document, data, sdks string }{
	{"texts", `
model: "{model}"
parameters: {max_tokens: 64}
messages:
  - system: You are {who}.
  - user: "1 < 2 & 3 > 2\n  日本 🤗 \"q\" \\ {question}"
  - assistant: Yes.
  - user: Why?
`, `{"model": "m-1", "who": "a guide", "question": "<|im_end|>"}`, all},
	{"system in parts", `
parameters: {max_tokens: 1}
model: m
messages:
  - system: [Be brief., {text: Be kind.}]
  - system: Be quick.
  - user: Hi
`, `{}`, all},
	{"developer", `
parameters: {max_tokens: 1}
model: m
messages: [{role: developer, content: Be brief.}, {role: user, content: Hi}]
`, `{}`, all},
	{"calls and results", calls, `{"history": [
  {"role": "user", "content": "Oslo?"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Oslo\", \"days\": [1, 2], \"x\": {\"y\": null, \"z\": 1.5}}"}},
    {"id": "c2", "type": "function", "function": {"name": "time", "arguments": {}}}]},
  {"role": "tool", "tool_call_id": "c2", "content": "noon"},
  {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "rain"}]},
  {"role": "assistant", "content": "Rain, at noon."}]}`, all},
	{"text beside a call", calls, `{"history": [
  {"role": "user", "content": "Oslo?"},
  {"role": "assistant", "content": "Let me look.", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "time", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "c1", "content": ""}]}`, all},
	{"a failed result", calls, `{"history": [
  {"role": "user", "content": "Oslo?"},
  {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "time", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "c1", "is_error": true, "content": "no clock"}]}`, "anthropic, anthropic beta, gemini, gemini vertex"},
	{"a result with an image", calls, `{"history": [
  {"role": "user", "content": "Oslo?"},
  {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "time", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "c1", "content": [{"text": "See"}, {"image": {"data": "iVBORw0KGgo=", "media_type": "image/png"}}]}]}`, "responses, anthropic, anthropic beta, gemini"},
	{"images", `
parameters: {max_tokens: 64}
model: m-1
messages:
  - user:
      - Which is it?
      - image: {url: "https://example.com/a.png", media_type: image/png}
      - image: {data: iVBORw0KGgo=, media_type: image/png}
`, `{}`, all},
	{"detail of an image", `
parameters: {max_tokens: 64}
model: m-1
messages:
  - user: [{type: image_url, image_url: {url: "https://example.com/a.png", detail: high}}]
`, `{}`, "openai, responses"},
	{"a file by its data", `
parameters: {max_tokens: 64}
model: m-1
messages:
  - user: [{file: {data: "JVBERi0=", media_type: application/pdf}}, Sum it up.]
`, `{}`, all},
	{"a file with a name", `
parameters: {max_tokens: 64}
model: m-1
messages:
  - user: [{file: {data: "JVBERi0=", media_type: application/pdf, name: a.pdf}}]
`, `{}`, all},
	{"a file by its address", `
parameters: {max_tokens: 64}
model: m-1
messages:
  - user: [{file: {url: "https://example.com/a.pdf", media_type: application/pdf}}]
`, `{}`, "responses, anthropic, anthropic beta, gemini, gemini vertex"},
	{"a plain text as a file", `
parameters: {max_tokens: 64}
model: m-1
messages:
  - user: [{file: {data: "aGVsbG8=", media_type: text/plain}}]
`, `{}`, all},
	{"audio", `
parameters: {max_tokens: 64}
model: m-1
messages:
  - user: [{audio: {data: "UklGRg==", media_type: audio/wav}}, {text: "What is said?"}]
`, `{}`, "openai, gemini, gemini vertex"},
	{"marks for the cache", `
parameters: {max_tokens: 64}
model: m-1
messages:
  - system: Be brief.
    cache: true
  - user: [{text: A long text., cache: true}, {image: {data: iVBORw0KGgo=, media_type: image/png}, cache: true}, "And?"]
  - assistant: Yes.
  - user: So?
    cache: true
`, `{}`, all},
	{"forms of tools", `
parameters: {max_tokens: 64}
model: m-1
tools:
  - type: function
    function: {name: a, description: Does a, parameters: {type: object, properties: {x: {$ref: "#/$defs/x"}}, $defs: {x: {type: integer, minimum: 0}}, additionalProperties: false}}
  - {name: b, description: Does b, inputSchema: {type: object, properties: {y: {anyOf: [{type: string}, {type: "null"}]}}, required: [y]}}
  - c: {description: Does c, parameters: {z: "string[]!", more: {n: number}}}
  - d: {}
tool_choice: required
messages: [{role: user, content: Go}]
`, `{}`, all},
	{"a chosen tool", `
parameters: {max_tokens: 64}
model: m-1
tools: {a: {parameters: {x: string}}}
tool_choice: {name: a}
messages: [{role: user, content: Go}]
`, `{}`, all},
	{"no tool", `
parameters: {max_tokens: 64}
model: m-1
tools: {a: {parameters: {x: string}}}
tool_choice: none
messages: [{role: user, content: Go}]
`, `{}`, all},
	{"a strict tool, one call at a time", `
parameters: {max_tokens: 64, parallel_tool_calls: false}
model: m-1
tools:
  - type: function
    function: {name: a, strict: true, parameters: {type: object, properties: {x: {type: string}}, required: [x], additionalProperties: false}}
tool_choice: auto
messages: [{role: user, content: Go}]
`, `{}`, "openai, responses, anthropic, anthropic beta"},
	{"output", `
parameters: {max_tokens: 64}
model: m-1
output: {answer: string!, facts: [{source: string!, year: integer}], mood: [good, bad]}
messages: [{role: user, content: Go}]
`, `{}`, all},
	{"a named output", `
parameters: {max_tokens: 64}
model: m-1
output: {name: reply, strict: true, schema: {type: object, properties: {a: {type: [string, "null"]}}, required: [a], additionalProperties: false}}
messages: [{role: user, content: Go}]
`, `{}`, all},
	{"shared parameters", `
model: m-1
parameters: {max_tokens: 64, temperature: 0.7, top_p: 0.95, stop: [END, "\n\n"], seed: 42, frequency_penalty: 0.5, presence_penalty: -0.25}
messages: [{role: user, content: Go}]
`, `{}`, "openai, gemini, gemini vertex"},
	{"stop", `
model: m-1
parameters: {max_tokens: 64, stop: END}
messages: [{role: user, content: Go}]
`, `{}`, "openai, anthropic, anthropic beta, gemini, gemini vertex"},
	{"parameters of chat completions", `
model: m-1
parameters:
  {n: 2, logprobs: true, top_logprobs: 3, logit_bias: {"50256": -100}, user: u, store: false, metadata: {k: v}, reasoning_effort: low,
  verbosity: low, service_tier: auto, safety_identifier: s, prompt_cache_key: k, prompt_cache_retention: 24h, modalities: [text, audio],
  audio: {voice: alloy, format: mp3}, prediction: {type: content, content: x}, stream_options: {include_usage: true},
  web_search_options: {search_context_size: low}}
messages: [{role: user, content: Go}]
`, `{}`, "openai"},
	{"parameters of responses", `
model: m-1
parameters:
  {reasoning: {effort: low, summary: auto}, store: true, metadata: {k: v}, include: [reasoning.encrypted_content], truncation: auto, user: u,
  service_tier: auto, safety_identifier: s, prompt_cache_key: k, prompt_cache_retention: 24h, top_logprobs: 2, previous_response_id: r1,
  conversation: {id: c1}, background: false, max_tool_calls: 4, stream_options: {include_obfuscation: true}, temperature: 1, top_p: 0.5}
messages: [{role: user, content: Go}]
`, `{}`, "responses"},
	{"parameters of Anthropic", `
model: m-1
parameters: {max_tokens: 4096, thinking: {type: enabled, budget_tokens: 1024}, metadata: {user_id: u}, service_tier: auto, container: c1}
messages: [{role: user, content: Go}]
`, `{}`, "anthropic, anthropic beta"},
	{"parameters of Anthropic's beta", `
model: m-1
parameters:
  max_tokens: 4096
  mcp_servers: [{type: url, url: "https://example.com/mcp", name: m}]
  context_management: {edits: [{type: clear_tool_uses_20250919}]}
messages: [{role: user, content: Go}]
`, `{}`, "anthropic beta"},
	{"parameters of Gemini", `
model: m-1
parameters:
  {top_k: 40, candidateCount: 1, responseLogprobs: true, logprobs: 2, thinkingConfig: {includeThoughts: true, thinkingBudget: 1024},
  responseModalities: [TEXT], speechConfig: {voiceConfig: {prebuiltVoiceConfig: {voiceName: Kore}}}, mediaResolution: MEDIA_RESOLUTION_LOW,
  imageConfig: {aspectRatio: "1:1"}}
messages: [{role: user, content: Go}]
`, `{}`, "gemini, gemini vertex"},
	{"parameters of Gemini on Vertex", `
model: m-1
parameters: {routingConfig: {autoMode: {modelRoutingPreference: BALANCED}}, audioTimestamp: true}
messages: [{role: user, content: Go}]
`, `{}`, "gemini vertex"},
	{"names and a refusal", `
model: m-1
messages:
  - {role: system, name: rules, content: Be kind.}
  - {role: user, name: ann, content: Hi}
  - {role: assistant, content: null, refusal: I may not.}
  - {role: user, content: [{type: text, text: "Why?"}]}
`, `{}`, "openai"},
	{"blocks of Anthropic", `
model: m-1
parameters: {max_tokens: 64}
messages:
  - {role: user, content: [{type: search_result, source: "https://example.com", title: T, content: [{type: text, text: x}], citations: {enabled: true}}, {type: text, text: Hi}]}
  - {role: assistant, content: [{type: thinking, thinking: Hm, signature: s}, {type: redacted_thinking, data: d}, {type: text, text: Yes}]}
  - {role: user, content: "So?"}
`, `{}`, "anthropic, anthropic beta"},
	{"parts of Gemini", `
model: m-1
messages:
  - messages: history
  - user: And?
`, `{"history": [{"role": "user", "content": "Run it"}, {"role": "assistant", "content": [
  {"text": "Hm", "thought": true, "thoughtSignature": "c2ln"},
  {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
  {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}]}]}`, "gemini, gemini vertex"},
}

// TestSent: what each SDK sends is the body.
func TestSent(t *testing.T) {
	for _, c := range cases {
		p := load(t, c.name, c.document)
		data, err := vm.DecodeJSON([]byte(c.data), vm.DecodeOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r, err := prompt.RenderRequest(context.Background(), p, data)
		if err != nil {
			t.Errorf("%s: %+v", c.name, err)
			continue
		}
		takes := strings.Split(c.sdks, ", ")
		for sdk, s := range senders {
			_, err := r.Body(s.form, prompt.FormatOptions{})
			switch {
			case slices.Contains(takes, sdk):
				if err != nil {
					t.Errorf("%s, %s: %v", c.name, sdk, err)
					continue
				}
				holds(t, c.name, sdk, r)
			case s.form == "openai": // keeps parts and keys of servers that extend the API
			case err == nil && !slices.ContainsFunc(takes, func(x string) bool { return senders[x].form == s.form }):
				t.Errorf("%s: %s can say it, and the case does not name it", c.name, sdk)
			}
		}
	}
}

func load(t *testing.T, name, document string) *prompt.Program {
	t.Helper()
	set, err := prompt.LoadText("case.yaml", document, nil)
	if err != nil {
		t.Fatalf("%s: %+v", name, err)
	}
	p, err := set.Find("")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// TestDifferences: the comparison, and the list of unknown fields, can fail.
func TestDifferences(t *testing.T) {
	for _, c := range []struct{ body, sent, want string }{
		{`{"a": 1.0, "b": [true, null]}`, `{"b": [true, null], "a": 1}`, ""},
		{`{"a": {"b": 1}}`, `{"a": {}}`, ".a.b is lost"},
		{`{"a": [{}]}`, `{"a": [{"b": 1}]}`, ".a[0].b is added"},
		{`{"a": "1"}`, `{"a": 1}`, ".a is 1, and was 1"},
		{`{"a": 12345678901234567890}`, `{"a": 12345678901234567000}`, ""},
		{`{"a": 1234567890}`, `{"a": 1234567891}`, ".a is 1234567891, and was 1234567890"},
		{`{"a": [1]}`, `{"a": [1, 2]}`, ".a is another list"},
	} {
		got := strings.Join(differences("openai", tree(t, []byte(c.body)), tree(t, []byte(c.sent)), ""), "; ")
		if got != c.want {
			t.Errorf("%s, %s: %q, and not %q", c.body, c.sent, got, c.want)
		}
	}
	for _, c := range []struct{ document, sdk string }{
		{"parameters: {reasoning_effort: low}\nmodel: m\nmessages: [{role: user, content: Hi, odd_key: 1}]\n", "openai"},
		{"parameters: {max_tokens: 1, metadata: {odd_key: 1}}\nmodel: m\nmessages: [{role: user, content: Hi}]\n", "anthropic"},
		{"parameters: {thinkingConfig: {odd_key: 1}}\nmodel: m\nmessages: [{role: user, content: Hi}]\n", "gemini"},
	} {
		r, err := prompt.RenderRequest(context.Background(), load(t, c.sdk, c.document), nil)
		if err != nil {
			t.Fatal(err)
		}
		more, err := senders[c.sdk].send(r, clientOf(&wire{}))
		told := strings.Join(more, " ")
		if err != nil {
			told = err.Error()
		}
		if !strings.Contains(told, "odd_key") {
			t.Errorf("%s: a key that the SDK does not know is not told: %q", c.sdk, told)
		}
	}
}

// requestOf reads a request as `pcc request` does.
func requestOf(t *testing.T, text json.RawMessage) *prompt.Request {
	t.Helper()
	v, err := vm.DecodeJSON(text, vm.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := message.ParseRequest(v)
	if err != nil {
		return nil
	}
	return r
}
