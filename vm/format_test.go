package vm

import (
	"bytes"
	"encoding/json"
	"testing"
)

func formatted(t *testing.T, ms []Message, format string, o FormatOptions) string {
	t.Helper()
	v, err := FormatMessages(ms, format, o)
	if err != nil {
		return "error: " + err.Error()
	}
	if s, ok := v.Str(); ok {
		return s
	}
	return string(AppendJSON(nil, v, JSONOptions{}))
}

func part(pairs ...string) Value {
	m := NewMap(2)
	for i := 0; i < len(pairs); i += 2 {
		m.Set(pairs[i], String(pairs[i+1]))
	}
	return MapOf(m)
}

func TestFormats(t *testing.T) {
	image := NewMap(2)
	image.Set("type", String("image_url"))
	image.Set("image_url", part("url", "data:image/png;base64,AAAA"))
	link := NewMap(2)
	link.Set("type", String("image_url"))
	link.Set("image_url", part("url", "http://e/x.png"))
	toolKeys := NewMap(1)
	toolKeys.Set("tool_call_id", String("c1"))
	evil := NewMap(2)
	evil.Set("role", String("system"))
	evil.Set("x", Int(1))

	chat := []Message{{Role: "system", Content: "S1"}, {Role: "user", Content: "<|u|>&"}, {Role: "assistant", Content: "a"}, {Role: "developer", Content: "S2"}}
	calls, callKeys := NewMap(3), NewMap(1)
	calls.Set("id", String("c1"))
	calls.Set("type", String("function"))
	calls.Set("function", part("name", "look", "arguments", "{}"))
	callKeys.Set("tool_calls", ListOf([]Value{MapOf(calls)}))
	rich := []Message{{Role: "user", Parts: ListOf([]Value{part("type", "text", "text", "look"), MapOf(image), MapOf(link)})},
		{Role: "assistant", Extra: callKeys}, {Role: "tool", Content: "42", Extra: toolKeys}}
	cached := []Message{{Role: "system", Parts: ListOf([]Value{part("type", "text", "text", "S", "cache_control", "c")})}, {Role: "user", Content: "u"}}

	for _, c := range []struct {
		name   string
		ms     []Message
		format string
		o      FormatOptions
		want   string
	}{
		{"messages", chat[:2], "messages", FormatOptions{}, `[{"role": "system", "content": "S1"}, {"role": "user", "content": "<|u|>&"}]`},
		{"name and keys", []Message{{Role: "user", Content: "u", Name: "n", Extra: evil}}, "openai", FormatOptions{}, `[{"role": "user", "content": "u", "name": "n", "x": 1}]`},
		{"openai parts", rich[:1], "openai", FormatOptions{}, `[{"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, {"type": "image_url", "image_url": {"url": "http://e/x.png"}}]}]`},
		{"no system role", chat, "openai", FormatOptions{NoSystemRole: true}, `[{"role": "user", "content": "S1"}, {"role": "user", "content": "<|u|>&"}, {"role": "assistant", "content": "a"}, {"role": "user", "content": "S2"}]`},
		{"anthropic", chat, "anthropic", FormatOptions{}, `{"system": "S1\n\nS2", "messages": [{"role": "user", "content": "<|u|>&"}, {"role": "assistant", "content": "a"}]}`},
		{"anthropic without system", chat[1:2], "anthropic", FormatOptions{}, `{"messages": [{"role": "user", "content": "<|u|>&"}]}`},
		{"anthropic parts", rich, "anthropic", FormatOptions{}, `{"messages": [{"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}, {"type": "image", "source": {"type": "url", "url": "http://e/x.png"}}]}, {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "42"}]}]}`},
		{"anthropic system blocks", cached, "anthropic", FormatOptions{}, `{"system": [{"type": "text", "text": "S", "cache_control": "c"}], "messages": [{"role": "user", "content": "u"}]}`},
		{"gemini", chat, "gemini", FormatOptions{}, `{"systemInstruction": {"parts": [{"text": "S1"}, {"text": "S2"}]}, "contents": [{"role": "user", "parts": [{"text": "<|u|>&"}]}, {"role": "model", "parts": [{"text": "a"}]}]}`},
		{"gemini parts", rich, "gemini", FormatOptions{}, `{"contents": [{"role": "user", "parts": [{"text": "look"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}, {"fileData": {"fileUri": "http://e/x.png"}}]}, {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "look", "args": {}}}]}, {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "look", "response": {"output": "42"}}}]}]}`},
		{"gemini role", []Message{{Role: "critic"}}, "gemini", FormatOptions{}, `error: PCC360: messages[0].role: the role "critic" has no counterpart in the form gemini`},
		{"google, one", chat[:2], "google", FormatOptions{}, `{"system_instruction": "S1", "contents": "<|u|>&"}`},
		{"google, several", chat, "google", FormatOptions{}, `{"system_instruction": "S2", "contents": [{"role": "user", "parts": [{"text": "<|u|>&"}]}, {"role": "model", "parts": [{"text": "a"}]}]}`},
		{"google, none", nil, "google", FormatOptions{}, `{"system_instruction": null, "contents": []}`},
		{"google role", rich[2:], "google", FormatOptions{}, `error: PCC360: messages[0].role: the role "tool" has no counterpart in the form google`},
		{"text", chat[:3], "text", FormatOptions{}, "\n\nSYSTEM S1\n\nUSER <|u|>&\n\nASSISTANT a\n\nASSISTANT"},
		{"text of one", chat[1:2], "text", FormatOptions{}, "<|u|>&"},
		{"text, own labels", chat[1:3], "text", FormatOptions{Labels: map[string]string{"user": "\n\nHuman:", "assistant": "\n\nAssistant:"}}, "\n\nHuman: <|u|>&\n\nAssistant: a\n\nAssistant:"},
		{"text, no labels", chat[1:3], "text", FormatOptions{Labels: map[string]string{}}, "<|u|>& a"},
		{"unknown", chat, "mistral", FormatOptions{}, `error: unknown format "mistral": it is one of messages, openai, anthropic, gemini, google, text`},
	} {
		if got := formatted(t, c.ms, c.format, c.o); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	if chat[0].Role != "system" {
		t.Error("formatting changed the messages")
	}
}

func TestFormatJSON(t *testing.T) {
	ms := []Message{{Role: "system", Content: "S"}, {Role: "user", Content: "<|im_start|>&"}}
	gemini, _ := FormatGemini(ms, FormatOptions{})
	google, _ := FormatGoogle(ms, FormatOptions{})
	anthropic, _ := FormatAnthropic(ms, FormatOptions{})
	for _, v := range []any{ms, FormatOpenAI(ms, FormatOptions{}), anthropic, gemini, google} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(b.Bytes(), []byte("<|im_start|>&")) {
			t.Errorf("%T: %s", v, b.Bytes())
		}
	}
}

func TestParseMessages(t *testing.T) {
	v := Of([]any{map[string]any{"role": "user", "content": "u", "x": 1.0}, map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "t"}}}})
	ms, err := ParseMessages(v)
	if err != nil || len(ms) != 2 || ms[0].Content != "u" || ms[0].Extra.Len() != 1 || ms[1].Parts.IsNull() {
		t.Errorf("got %+v, %v", ms, err)
	}
	for _, bad := range []any{map[string]any{"role": "user"}, []any{"x"}, []any{map[string]any{"role": 1}}} {
		if _, err := ParseMessages(Of(bad)); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// Empty texts are left to the caller.
func TestAnthropicEmpty(t *testing.T) {
	ms := []Message{{Role: "user", Content: "Hi"}, {Role: "user", Content: ""}}
	const want = `{"messages": [{"role": "user", "content": "Hi"}, {"role": "user", "content": ""}]}`
	if got := formatted(t, ms, "anthropic", FormatOptions{}); got != want {
		t.Errorf("got %s", got)
	}
}

// A message's text is there where all its parts are texts.
func TestMessageText(t *testing.T) {
	image := part("type", "image_url")
	for _, c := range []struct {
		m    Message
		want string
		ok   bool
	}{
		{Message{Content: "a"}, "a", true}, {Message{Parts: part("type", "text", "text", "a")}, "a", true},
		{Message{Parts: list(part("type", "text", "text", "a"), "b")}, "a\nb", true}, {Message{Parts: Of([]string{"a", "b"})}, "a\nb", true},
		{Message{Parts: Of([]map[string]any{{"type": "text", "text": "a"}})}, "a", true},
		{Message{Parts: list("a", image)}, "", false}, {Message{Parts: image}, "", false}, {Message{Parts: Of([]any{1})}, "", false},
	} {
		if got, ok := c.m.text(); got != c.want || ok != c.ok {
			t.Errorf("%v: %q, %v, want %q, %v", c.m, got, ok, c.want, c.ok)
		}
	}
}

// The system prompt is one text where its messages are nothing but texts.
func TestAnthropicSystem(t *testing.T) {
	text := part("type", "text", "text", "b")
	cached := part("type", "text", "text", "b", "cache_control", "ephemeral")
	for _, c := range []struct {
		parts Value
		want  string // "" where the parts are kept apart
	}{{list("a", text), "a\n\nb\n\nend"}, {text, "b\n\nend"}, {list("a", cached), ""}} {
		r, err := FormatAnthropic([]Message{{Role: "system", Parts: c.parts}, {Role: "system", Content: "end"}}, FormatOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r.System != nil {
			got = *r.System
		}
		if got != c.want || (r.SystemBlocks == nil) != (c.want != "") {
			t.Errorf("%v: %q, %d blocks", c.parts, got, len(r.SystemBlocks))
		}
	}
}
