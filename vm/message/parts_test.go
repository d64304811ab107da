package message

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

const (
	pngURL  = `"data:image/png;base64,iVBO"`
	textOne = `{"type": "text", "text": "a"}`
)

// Every part that a provider has a counterpart of is translated.
func TestParts(t *testing.T) {
	for _, c := range []struct{ part, openai, anthropic, gemini string }{
		{`"a"`, textOne, textOne, `{"text": "a"}`},
		{`{"text": "a"}`, textOne, textOne, `{"text": "a"}`},
		{textOne, textOne, textOne, `{"text": "a"}`},
		{`{"image": {"data": "iVBO", "media_type": "image/png"}}`, `{"type": "image_url", "image_url": {"url": ` + pngURL + `}}`,
			`{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}`, `{"inlineData": {"mimeType": "image/png", "data": "iVBO"}}`},
		{`{"type": "image_url", "image_url": {"url": ` + pngURL + `, "detail": "auto"}}`, `{"type": "image_url", "image_url": {"url": ` + pngURL + `, "detail": "auto"}}`,
			`{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}`, `{"inlineData": {"mimeType": "image/png", "data": "iVBO"}}`},
		{`{"image": {"url": "https://e/x", "media_type": "image/png"}}`, `{"type": "image_url", "image_url": {"url": "https://e/x"}}`,
			`{"type": "image", "source": {"type": "url", "url": "https://e/x"}}`, `{"fileData": {"mimeType": "image/png", "fileUri": "https://e/x"}}`},
		{`{"image": "https://e/x"}`, `{"type": "image_url", "image_url": {"url": "https://e/x"}}`, `{"type": "image", "source": {"type": "url", "url": "https://e/x"}}`, "PCC360 .image"},
		{`{"type": "image_url", "image_url": {"url": "https://e/x"}}`, `{"type": "image_url", "image_url": {"url": "https://e/x"}}`,
			`{"type": "image", "source": {"type": "url", "url": "https://e/x"}}`, "PCC360 .image_url.url"},
		{`{"type": "image_url", "image_url": {"url": ` + pngURL + `, "detail": "high"}}`, `{"type": "image_url", "image_url": {"url": ` + pngURL + `, "detail": "high"}}`,
			"PCC360 .image_url.detail", "PCC360 .image_url.detail"},
		{`{"audio": {"data": "SUQz", "media_type": "audio/mpeg"}}`, `{"type": "input_audio", "input_audio": {"data": "SUQz", "format": "mp3"}}`,
			"PCC360 ", `{"inlineData": {"mimeType": "audio/mpeg", "data": "SUQz"}}`},
		{`{"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}}`, `{"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}}`,
			"PCC360 ", `{"inlineData": {"mimeType": "audio/wav", "data": "UklG"}}`},
		{`{"audio": {"data": "T2dn", "media_type": "audio/ogg"}}`, "PCC360 .audio.media_type", "PCC360 ", `{"inlineData": {"mimeType": "audio/ogg", "data": "T2dn"}}`},
		{`{"file": {"data": "JVBE", "media_type": "application/pdf", "name": "a.pdf"}}`, `{"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"}}`,
			`{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}, "title": "a.pdf"}`, `{"inlineData": {"mimeType": "application/pdf", "data": "JVBE"}}`},
		{`{"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"}}`, `{"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"}}`,
			`{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}, "title": "a.pdf"}`, `{"inlineData": {"mimeType": "application/pdf", "data": "JVBE"}}`},
		{`{"file": {"data": "aMOpbGxv", "media_type": "text/plain"}}`, `{"type": "file", "file": {"file_data": "data:text/plain;base64,aMOpbGxv"}}`,
			`{"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "héllo"}}`, `{"inlineData": {"mimeType": "text/plain", "data": "aMOpbGxv"}}`},
		{`{"file": {"url": "https://e/x.pdf", "media_type": "application/pdf"}}`, "PCC360 .file.url",
			`{"type": "document", "source": {"type": "url", "url": "https://e/x.pdf"}}`, `{"fileData": {"mimeType": "application/pdf", "fileUri": "https://e/x.pdf"}}`},
		{`{"file": {"data": "YSxi", "media_type": "text/csv"}}`, `{"type": "file", "file": {"file_data": "data:text/csv;base64,YSxi"}}`, "PCC360 .file.media_type", `{"inlineData": {"mimeType": "text/csv", "data": "YSxi"}}`},
		{`{"file": {"data": "!", "media_type": "text/plain"}}`, `{"type": "file", "file": {"file_data": "data:text/plain;base64,!"}}`, "PCC360 .file", `{"inlineData": {"mimeType": "text/plain", "data": "!"}}`},
		// Types that only OpenAI has, or nobody: its form leaves them to the server.
		{`{"type": "file", "file": {"file_id": "f1"}}`, `{"type": "file", "file": {"file_id": "f1"}}`, "PCC360 .file.file_id", "PCC360 .file.file_id"},
		{`{"type": "refusal", "refusal": "No."}`, `{"type": "refusal", "refusal": "No."}`, "PCC360 ", "PCC360 "},
		{`{"type": "video_url", "video_url": {"url": "u"}}`, `{"type": "video_url", "video_url": {"url": "u"}}`, "PCC360 .type", "PCC360 .type"},
		// The provider's own parts stay, in its form alone.
		{`{"type": "thinking", "thinking": "x", "signature": "s"}`, `{"type": "thinking", "thinking": "x", "signature": "s"}`, `{"type": "thinking", "thinking": "x", "signature": "s"}`, "PCC360 .type"},
		{`{"inlineData": {"mimeType": "video/mp4", "data": "AA"}}`, "PCC360 ", "PCC360 ", `{"inlineData": {"mimeType": "video/mp4", "data": "AA"}}`},
		{`{"text": "a", "cache_control": {"type": "ephemeral"}}`, "PCC360 .cache_control", `{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}`, "PCC360 .cache_control"},
		{`{"text": "a", "thoughtSignature": "s"}`, "PCC360 .thoughtSignature", "PCC360 .thoughtSignature", `{"text": "a", "thoughtSignature": "s"}`},
		// Marks for the cache.
		{`{"text": "a", "cache": true}`, `{"type": "text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit"}}`,
			`{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}`, `{"text": "a"} note .cache`},
		{`{"text": "a", "cache": false}`, textOne, textOne, `{"text": "a"}`},
		{`{"text": "a", "cache": "yes"}`, "PCC360 .cache", "PCC360 .cache", "PCC360 .cache"},
		// Parts that are not well-formed.
		{`3`, "PCC360 ", "PCC360 ", "PCC360 "},
		{`{}`, "PCC360 ", "PCC360 ", "PCC360 "},
		{`{"text": "a", "image": {"url": "u"}}`, "PCC360 ", "PCC360 ", "PCC360 "},
		{`{"text": 3}`, "PCC360 .text", "PCC360 .text", "PCC360 .text"},
		{`{"image": 3}`, "PCC360 .image", "PCC360 .image", "PCC360 .image"},
		{`{"image": {}}`, "PCC360 .image", "PCC360 .image", "PCC360 .image"},
		{`{"image": {"url": "u", "data": "d"}}`, "PCC360 .image", "PCC360 .image", "PCC360 .image"},
		{`{"image": {"url": 3}}`, "PCC360 .image.url", "PCC360 .image.url", "PCC360 .image.url"},
		{`{"image": {"url": "u", "size": 3}}`, "PCC360 .image.size", "PCC360 .image.size", "PCC360 .image.size"},
		{`{"image": {"data": "d"}}`, "PCC360 .image.media_type", "PCC360 .image.media_type", "PCC360 .image.media_type"},
	} {
		for form, want := range map[string]string{"openai": c.openai, "anthropic": c.anthropic, "gemini": c.gemini} {
			ms := chatOf(t, `[{"role": "user", "content": ["q", `+c.part+`]}]`)
			before := string(vm.AppendJSON(nil, vm.ListOf(values(ms)), vm.JSONOptions{}))
			if got := partIn(t, ms, form); got != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", c.part, form, got, want)
			}
			if after := string(vm.AppendJSON(nil, vm.ListOf(values(ms)), vm.JSONOptions{})); after != before {
				t.Errorf("%s, %s: the messages were changed: %s", c.part, form, after)
			}
		}
		for _, form := range []string{"google", "text"} {
			got := partIn(t, chatOf(t, `[{"role": "user", "content": ["q", `+c.part+`]}]`), form)
			isText := slices.Contains([]string{`"a"`, `{"text": "a"}`, textOne, `{"text": "a", "cache": false}`}, c.part)
			if refused := strings.HasPrefix(got, "PCC360 "); refused == isText && !strings.Contains(got, "note") {
				t.Errorf("%s, %s: %s", c.part, form, got)
			}
		}
	}
}

// partIn is the second part of the only message in a form, or the code and the
// place, in that part, of what is wrong with it; behind it the places of notes.
func partIn(t *testing.T, ms []vm.Message, form string) string {
	t.Helper()
	const at = "messages[0].content[1]"
	notes := ""
	v, err := Format(ms, form, Options{Note: func(d *diag.Diagnostic) {
		place, _, _ := strings.Cut(d.Message, ": ")
		notes += " note " + strings.TrimPrefix(place, at)
	}})
	if err != nil {
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Help == "" || d.Severity != diag.Error || strings.Contains(d.Message, "%!") {
			t.Fatalf("%s: %v", form, err)
		}
		place, _, _ := strings.Cut(d.Message, ": ")
		return string(d.Code) + " " + strings.TrimPrefix(place, at)
	}
	s := string(vm.AppendJSON(nil, v, vm.JSONOptions{}))
	for _, before := range []string{`{"type": "text", "text": "q"}, `, `{"text": "q"}, `} {
		if _, rest, ok := strings.Cut(s, before); ok {
			s = rest
		}
	}
	return strings.TrimRight(strings.TrimSuffix(s, "]}]}"), "]}") + closing(s) + notes
}

// closing is the end of the part that s begins with, whose brackets TrimRight
// took away.
func closing(s string) string {
	trimmed := strings.TrimRight(strings.TrimSuffix(s, "]}]}"), "]}")
	open := strings.Count(trimmed, "{") - strings.Count(trimmed, "}")
	return strings.Repeat("}", open)
}

// Further keys of messages and content that is not there are refused in every
// form that has no place for them, and never dropped.
func TestMessageKeys(t *testing.T) {
	call := `{"role": "assistant", "content": null, "tool_calls": [` + callRome + `]}`
	for _, c := range []struct{ messages, place, forms string }{
		{`[{"role": "user", "content": "x", "name": "ada"}]`, "[0].name", "anthropic gemini google text"},
		{`[{"role": "user", "content": "x", "weight": 1}]`, "[0].weight", "anthropic gemini google text"},
		{`[{"role": "user", "content": "x", "50%d off": 1}]`, "[0].50%d off", "anthropic gemini google text"},
		{`[{"role": "assistant", "content": "x", "refusal": "no"}]`, "[0].refusal", "anthropic gemini google text"},
		{`[{"role": "assistant", "content": "x", "reasoning_content": "y"}]`, "[0].reasoning_content", "anthropic gemini google text"},
		{`[{"role": "user", "content": null}]`, "[0].content", "openai anthropic gemini google text"},
		{`[{"role": "user"}]`, "[0].content", "openai anthropic gemini google text"},
		{`[{"role": "system", "content": []}]`, "[0].content", "openai anthropic gemini google text"},
		{`[{"role": "assistant", "content": null}]`, "[0].content", "openai anthropic gemini google text"},
		{`[{"role": "user", "content": " \n"}]`, "[0].content", "anthropic"},
		{`[{"role": "user", "content": [{"text": ""}]}]`, "[0].content[0].text", "anthropic"},
		{`[{"role": "user", "content": "x", "cache": 1}]`, "[0].cache", "openai anthropic gemini google text"},
		{`[{"role": "system", "content": ["a", {"image": "https://e/x"}]}, {"role": "user", "content": "x"}]`, "[0].content[1]", "openai anthropic gemini google text"},
		{`[{"role": "assistant", "content": ["a", {"type": "image_url", "image_url": "https://e/x"}]}]`, "[0].content[1]", "openai google text"},
		{`[` + call + `, {"role": "tool", "tool_call_id": "c1", "content": "x", "is_error": true}]`, "[1].is_error", "openai"},
		{`[` + call + `, {"role": "tool", "tool_call_id": "c2", "content": "x"}]`, "[1].tool_call_id", "openai anthropic gemini"},
		{`[` + call + `, {"role": "tool", "tool_call_id": "c1", "content": "x", "name": "other"}]`, "[1].name", "openai anthropic gemini"},
		{`[` + call + `, {"role": "tool", "tool_call_id": "c1"}]`, "[1].content", "openai anthropic gemini"},
		{`[` + call + `, {"role": "tool", "tool_call_id": "c1", "content": ["a", {"audio": {"data": "d", "media_type": "audio/wav"}}]}]`, "[1].content[1]", "openai anthropic"},
	} {
		for _, form := range strings.Fields(c.forms) {
			_, err := Format(chatOf(t, c.messages), form, Options{Labels: map[string]string{"tool": "T"}})
			var d *diag.Diagnostic
			if !errors.As(err, &d) || !strings.HasPrefix(d.Message, "messages"+c.place+": ") || d.Help == "" || d.Severity != diag.Error || strings.Contains(d.Message, "%!") {
				t.Errorf("%s, %s: %v", c.messages, form, err)
			}
		}
	}
}

// What the forms of results and calls share holds for parts and marks too.
func TestResultsAndMarks(t *testing.T) {
	const call = `{"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}]`
	for _, c := range []struct{ messages, form, want string }{
		{`[` + call + `}, {"role": "tool", "name": "f", "tool_call_id": "c1", "is_error": false, "content": "x"}]`, "openai",
			`[{"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}}]}, {"role": "tool", "content": "x", "tool_call_id": "c1"}]`},
		{`[` + call + `}, {"role": "tool", "tool_call_id": "c1", "content": ["x", {"image": {"data": "d", "media_type": "image/png"}}]}]`, "gemini",
			`{"contents": [{"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}}]}, {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "f", "response": {"output": "x"}, "parts": [{"inlineData": {"mimeType": "image/png", "data": "d"}}]}}]}]}`},
		{`[` + call + `, "cache": true}, {"role": "tool", "tool_call_id": "c1", "content": "x", "cache": true}]`, "anthropic",
			`{"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}, "cache_control": {"type": "ephemeral"}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x", "cache_control": {"type": "ephemeral"}}]}]}`},
		{`[{"role": "user", "content": ["a", "b"], "cache": true, "x": 1}]`, "openai",
			`[{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b", "prompt_cache_breakpoint": {"mode": "explicit"}}], "x": 1}]`},
		{`[{"role": "system", "content": "S", "cache": true}, {"role": "user", "content": "u"}]`, "anthropic",
			`{"system": [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}], "messages": [{"role": "user", "content": "u"}]}`},
		{`[{"role": "system", "content": "S"}, {"role": "user", "content": "u"}]`, "text", "\n\nSYSTEM S\n\nUSER u\n\nASSISTANT"},
	} {
		if got := formatted(t, chatOf(t, c.messages), c.form, Options{}); got != c.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", c.messages, c.form, got, c.want)
		}
	}
	if got, err := Text(chatOf(t, `[{"role": "system", "content": "S"}]`), Options{NoSystemRole: true}); err != nil || got != "S" {
		t.Errorf("text without a system role: %q, %v", got, err)
	}
}
