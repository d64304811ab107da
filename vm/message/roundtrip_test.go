package message

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

// randomRequest draws a request from what every form can express: texts that can be
// seen, images by their data and PDF files in user turns, calls with results in the
// calls' order, parameters that all have.
func randomRequest(rnd *rand.Rand) *Request {
	words := []string{"Hello", "Wetter {{x}}", "日本 🤗", "a\nb", `"q" \ <|im_end|>`, "{name}", " x "}
	word := func() string { return words[rnd.IntN(len(words))] }
	r := &Request{Model: "m", Parameters: vm.NewMap(2)}
	r.Parameters.Set("max_tokens", vm.Int(int64(1+rnd.IntN(1000))))
	add := func(pairs ...any) {
		ms, err := Parse(vm.ListOf([]vm.Value{mapOf(pairs...)}))
		if err != nil {
			panic(err)
		}
		r.Messages = append(r.Messages, ms...)
	}
	if rnd.IntN(2) == 0 {
		add("role", "system", "content", word())
	}
	schema := mapOf("type", "object", "properties", mapOf("city", mapOf("type", "string")))
	tools := rnd.IntN(3)
	for i := range tools {
		t := Tool{Name: fmt.Sprintf("tool_%d", i), at: fmt.Sprintf("tools[%d].function", i)}
		if rnd.IntN(2) == 0 {
			t.Description = word()
		}
		t.Parameters = schema
		r.Tools = append(r.Tools, t)
	}
	if tools > 0 && rnd.IntN(2) == 0 {
		r.ToolChoice = []*ToolChoice{{Mode: "auto"}, {Mode: "none"}, {Mode: "required"}, {Mode: "tool", Name: "tool_0"}}[rnd.IntN(4)]
	}
	if rnd.IntN(4) == 0 {
		r.Output = &Output{Schema: schema}
	}
	call := 0
	for range 1 + rnd.IntN(6) {
		switch rnd.IntN(3) {
		case 0:
			add("role", "user", "content", word())
		case 1:
			parts := []vm.Value{mapOf("text", word()), mapOf("image", mapOf("data", "iVBORw0KGgo=", "media_type", "image/png"))}
			if rnd.IntN(2) == 0 {
				parts = append(parts, mapOf("text", word()))
			}
			add("role", "user", "content", vm.ListOf(parts))
		}
		if tools == 0 || rnd.IntN(2) == 0 {
			add("role", "user", "content", word())
			add("role", "assistant", "content", word())
			continue
		}
		add("role", "user", "content", word())
		content := vm.Null
		if rnd.IntN(2) == 0 {
			content = vm.String(word())
		}
		var calls []vm.Value
		first := call
		for range 1 + rnd.IntN(3) {
			arguments := vm.MapOf(vm.NewMap(1))
			if rnd.IntN(2) == 0 {
				arguments = mapOf("city", word(), "n", vm.Int(int64(rnd.IntN(9))))
			}
			text := vm.String(string(vm.AppendJSON(nil, arguments, vm.JSONOptions{ItemSep: ",", KeySep: ":"})))
			calls = append(calls, mapOf("id", fmt.Sprintf("c%d", call), "type", "function",
				"function", mapOf("name", fmt.Sprintf("tool_%d", rnd.IntN(tools)), "arguments", text)))
			call++
		}
		add("role", "assistant", "content", content, "tool_calls", vm.ListOf(calls))
		for ; first < call; first++ {
			add("role", "tool", "tool_call_id", fmt.Sprintf("c%d", first), "content", word())
		}
	}
	add("role", "user", "content", word())
	return r
}

// plainRequest is a request as JSON to compare: arguments of calls as data, consecutive
// messages of a role joined, lists of one text as the text.
func plainRequest(t *testing.T, r *Request) any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(vm.AppendJSON(nil, r.Value(), vm.JSONOptions{}), &v); err != nil {
		t.Fatal(err)
	}
	var out []any
	for _, item := range v["messages"].([]any) {
		m := item.(map[string]any)
		if calls, ok := m["tool_calls"].([]any); ok {
			for _, c := range calls {
				f := c.(map[string]any)["function"].(map[string]any)
				if text, ok := f["arguments"].(string); ok {
					var data any
					if err := json.Unmarshal([]byte(text), &data); err != nil {
						t.Fatal(err)
					}
					f["arguments"] = data
				}
			}
		}
		var parts []any
		switch c := m["content"].(type) {
		case string:
			parts = []any{map[string]any{"text": c}}
		case []any:
			parts = c
		}
		for i, p := range parts {
			if x, ok := p.(map[string]any); ok && x["type"] != nil { // OpenAI's spelling of our parts
				switch x["type"] {
				case "text":
					parts[i] = map[string]any{"text": x["text"]}
				case "image_url":
					url := x["image_url"].(map[string]any)["url"].(string)
					typ, data, _ := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
					parts[i] = map[string]any{"image": map[string]any{"data": data, "media_type": typ}}
				}
			}
		}
		m["content"] = parts
		if n := len(out); n > 0 && m["tool_call_id"] == nil {
			last := out[n-1].(map[string]any)
			if last["role"] == m["role"] && last["tool_calls"] == nil && m["tool_calls"] == nil {
				last["content"] = append(last["content"].([]any), parts...)
				continue
			}
		}
		out = append(out, m)
	}
	v["messages"] = out
	return v
}

// TestRoundTrips sends requests round all forms: nothing is lost but the borders of
// messages that the APIs join themselves.
func TestRoundTrips(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	rounds := [][]string{{"openai", "anthropic", "gemini", "openai"}, {"openai", "responses", "gemini", "anthropic", "responses", "openai"}}
	for n := range 400 {
		first := randomRequest(rnd)
		want := plainRequest(t, first)
		for _, way := range rounds {
			r := first
			for _, provider := range way {
				body, err := r.Body(provider, Options{})
				if err != nil {
					t.Fatalf("%d, %s of %v: %v\n%s", n, provider, way, err, vm.AppendJSON(nil, r.Value(), vm.JSONOptions{}))
				}
				if r, err = FromBody(body, provider); err != nil {
					t.Fatalf("%d, reading %s of %v: %v\n%s", n, provider, way, err, vm.AppendJSON(nil, body, vm.JSONOptions{}))
				}
				if provider == "gemini" && r.Model == "" {
					r.Model = "m" // it stands in the address
				}
			}
			if got := plainRequest(t, r); !reflect.DeepEqual(got, want) {
				g, _ := json.Marshal(got)
				w, _ := json.Marshal(want)
				t.Fatalf("%d, round %v:\n got %s\nwant %s", n, way, g, w)
			}
		}
	}
}
