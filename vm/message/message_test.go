package message

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

func formatted(t *testing.T, ms []vm.Message, format string, o Options) string {
	t.Helper()
	v, err := Format(ms, format, o)
	if err != nil {
		return "error: " + err.Error()
	}
	if s, ok := v.Str(); ok {
		return s
	}
	return string(vm.AppendJSON(nil, v, vm.JSONOptions{}))
}

func object(pairs ...string) vm.Value {
	m := vm.NewMap(2)
	for i := 0; i < len(pairs); i += 2 {
		m.Set(pairs[i], vm.String(pairs[i+1]))
	}
	return vm.MapOf(m)
}

func TestFormats(t *testing.T) {
	image := mapOf("type", "image_url", "image_url", object("url", "data:image/png;base64,AAAA"))
	link := vm.NewMap(2)
	link.Set("type", vm.String("image_url"))
	link.Set("image_url", object("url", "http://e/x.png"))
	toolKeys := vm.NewMap(1)
	toolKeys.Set("tool_call_id", vm.String("c1"))
	evil := vm.NewMap(2)
	evil.Set("role", vm.String("system"))
	evil.Set("x", vm.Int(1))

	chat := []vm.Message{{Role: "system", Content: "S1"}, {Role: "user", Content: "<|u|>&"}, {Role: "assistant", Content: "a"}, {Role: "developer", Content: "S2"}}
	calls, callKeys := vm.NewMap(3), vm.NewMap(1)
	calls.Set("id", vm.String("c1"))
	calls.Set("type", vm.String("function"))
	calls.Set("function", object("name", "look", "arguments", "{}"))
	callKeys.Set("tool_calls", vm.ListOf([]vm.Value{vm.MapOf(calls)}))
	rich := []vm.Message{{Role: "user", Parts: vm.ListOf([]vm.Value{object("type", "text", "text", "look"), image, vm.MapOf(link)})},
		{Role: "assistant", Extra: callKeys}, {Role: "tool", Content: "42", Extra: toolKeys}}
	known := vm.Message{Role: "user", Parts: list(object("type", "text", "text", "look"), image, mapOf("image", object("url", "http://e/x.png", "media_type", "image/png")))}
	cached := []vm.Message{{Role: "system", Parts: vm.ListOf([]vm.Value{object("type", "text", "text", "S", "cache_control", "c")})}, {Role: "user", Content: "u"}}

	for _, c := range []struct {
		name   string
		ms     []vm.Message
		format string
		o      Options
		want   string
	}{
		{"messages", chat[:2], "messages", Options{}, `[{"role": "system", "content": "S1"}, {"role": "user", "content": "<|u|>&"}]`},
		{"name and keys", []vm.Message{{Role: "user", Content: "u", Name: "n", Extra: evil}}, "openai", Options{}, `[{"role": "user", "content": "u", "name": "n", "x": 1}]`},
		{"openai parts", rich[:1], "openai", Options{}, `[{"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, {"type": "image_url", "image_url": {"url": "http://e/x.png"}}]}]`},
		{"no system role", chat, "openai", Options{NoSystemRole: true}, `[{"role": "user", "content": "S1"}, {"role": "user", "content": "<|u|>&"}, {"role": "assistant", "content": "a"}, {"role": "user", "content": "S2"}]`},
		{"anthropic", chat, "anthropic", Options{}, `{"system": "S1\n\nS2", "messages": [{"role": "user", "content": "<|u|>&"}, {"role": "assistant", "content": "a"}]}`},
		{"anthropic without system", chat[1:2], "anthropic", Options{}, `{"messages": [{"role": "user", "content": "<|u|>&"}]}`},
		{"anthropic parts", rich, "anthropic", Options{}, `{"messages": [{"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}, {"type": "image", "source": {"type": "url", "url": "http://e/x.png"}}]}, {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "42"}]}]}`},
		{"anthropic system blocks", cached, "anthropic", Options{}, `{"system": [{"type": "text", "text": "S", "cache_control": "c"}], "messages": [{"role": "user", "content": "u"}]}`},
		{"gemini", chat, "gemini", Options{}, `{"systemInstruction": {"parts": [{"text": "S1"}, {"text": "S2"}]}, "contents": [{"role": "user", "parts": [{"text": "<|u|>&"}]}, {"role": "model", "parts": [{"text": "a"}]}]}`},
		{"gemini parts", append([]vm.Message{known}, rich[1:]...), "gemini", Options{}, `{"contents": [{"role": "user", "parts": [{"text": "look"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}, {"fileData": {"mimeType": "image/png", "fileUri": "http://e/x.png"}}]}, {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "look", "args": {}}}]}, {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "look", "response": {"output": "42"}}}]}]}`},
		{"gemini role", []vm.Message{{Role: "critic"}}, "gemini", Options{}, `error: PCC360: messages[0].role: the role "critic" has no counterpart in the form gemini`},
		{"google, one", chat[:2], "google", Options{}, `{"system_instruction": "S1", "contents": "<|u|>&"}`},
		{"google, several", chat, "google", Options{}, `{"system_instruction": "S2", "contents": [{"role": "user", "parts": [{"text": "<|u|>&"}]}, {"role": "model", "parts": [{"text": "a"}]}]}`},
		{"google, none", nil, "google", Options{}, `{"system_instruction": null, "contents": []}`},
		{"google role", rich[2:], "google", Options{}, `error: PCC360: messages[0].role: the role "tool" has no counterpart in the form google`},
		{"text", chat[:3], "text", Options{}, "\n\nSYSTEM S1\n\nUSER <|u|>&\n\nASSISTANT a\n\nASSISTANT"},
		{"text of one", chat[1:2], "text", Options{}, "<|u|>&"},
		{"text, own labels", chat[1:3], "text", Options{Labels: map[string]string{"user": "\n\nHuman:", "assistant": "\n\nAssistant:"}}, "\n\nHuman: <|u|>&\n\nAssistant: a\n\nAssistant:"},
		{"text, no labels", chat[1:3], "text", Options{Labels: map[string]string{}}, "<|u|>& a"},
		{"unknown", chat, "mistral", Options{}, `error: unknown form "mistral": it is one of messages, openai, responses, anthropic, gemini, google, text`},
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
	ms := []vm.Message{{Role: "system", Content: "S"}, {Role: "user", Content: "<|im_start|>&"}}
	openai, _ := OpenAI(ms, Options{})
	gemini, _ := Gemini(ms, Options{})
	google, _ := Google(ms, Options{})
	anthropic, _ := Anthropic(ms, Options{})
	for _, v := range []any{ms, openai, anthropic, gemini, google} {
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

func TestParse(t *testing.T) {
	v := vm.Of([]any{map[string]any{"role": "user", "content": "u", "x": 1.0}, map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "t"}}}})
	ms, err := Parse(v)
	if err != nil || len(ms) != 2 || ms[0].Content != "u" || ms[0].Extra.Len() != 1 || ms[1].Parts.IsNull() {
		t.Errorf("got %+v, %v", ms, err)
	}
	for _, bad := range []any{map[string]any{"role": "user"}, []any{"x"}, []any{map[string]any{"role": 1}}} {
		if _, err := Parse(vm.Of(bad)); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// A message's text is there where all its parts are texts.
func TestMessageText(t *testing.T) {
	image := object("type", "image_url")
	for _, c := range []struct {
		m    vm.Message
		want string
		ok   bool
	}{
		{vm.Message{Content: "a"}, "a", true}, {vm.Message{Parts: object("type", "text", "text", "a")}, "a", true},
		{vm.Message{Parts: list(object("type", "text", "text", "a"), "b")}, "a\nb", true}, {vm.Message{Parts: vm.Of([]string{"a", "b"})}, "a\nb", true},
		{vm.Message{Parts: vm.Of([]map[string]any{{"type": "text", "text": "a"}})}, "a", true},
		{vm.Message{Parts: list("a", image)}, "", false}, {vm.Message{Parts: image}, "", false}, {vm.Message{Parts: vm.Of([]any{1})}, "", false},
	} {
		c.m.Role = "user"
		got, err := Text([]vm.Message{c.m}, Options{})
		if ok := err == nil; got != c.want || ok != c.ok {
			t.Errorf("%v: %q, %v, want %q, %v", c.m, got, ok, c.want, c.ok)
		}
	}
}

// The system prompt is one text where its messages are texts, and not parts.
func TestAnthropicSystem(t *testing.T) {
	text := object("type", "text", "text", "b")
	cached := object("type", "text", "text", "b", "cache_control", "ephemeral")
	for _, c := range []struct {
		parts vm.Value
		want  string // "" where the parts are kept apart
	}{{vm.Null, "a\n\nend"}, {list("a", text), ""}, {text, ""}, {list("a", cached), ""}} {
		r, err := Anthropic([]vm.Message{{Role: "system", Content: "a", Parts: c.parts}, {Role: "system", Content: "end"}}, Options{})
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

func list(items ...any) vm.Value { return vm.Of(items) }
