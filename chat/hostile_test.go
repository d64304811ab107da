package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// repeated is a request of n messages that are all alike.
func repeated(n int, message string) []byte {
	return []byte(`{"messages": [` + strings.Repeat(message+",", n-1) + message + `]}`)
}

const secret = "s3cr3t"

// failed holds that a request gave no result, and an error with a code and help that
// shows nothing of the data.
func failed(t *testing.T, name string, res *Result, err error, code diag.Code, words string) {
	t.Helper()
	var d *diag.Diagnostic
	if res != nil || !errors.As(err, &d) || d.Code != code || d.Help == "" || !strings.Contains(d.Message, words) {
		t.Errorf("%s: %v, %.200v; want %s about %q", name, res != nil, err, code, words)
	}
	if shown := fmt.Sprintf("%v %+v", err, err); strings.Contains(shown, secret) || len(shown) > 2000 {
		t.Errorf("%s: the error shows data: %.300s", name, shown)
	}
}

// TestHostileRequests: requests in JSON that are no requests, or too much.
func TestHostileRequests(t *testing.T) {
	tmpl := must(t, `{% for m in messages %}{{ m.role }}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.arguments|tojson }}{% endfor %}{% endfor %}`, Config{})
	call := func(args string) string {
		return `{"role": "a", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": "` + args + `"}}]}`
	}
	for _, c := range []struct {
		name    string
		request []byte
		code    diag.Code
		words   string
	}{
		{"nothing", nil, "PCC330", "the request: "},
		{"YAML", []byte("messages: " + secret), "PCC330", "line 1"},
		{"two values", []byte(`{"messages": []} {"a": "` + secret + `"}`), "PCC330", "goes on"},
		{"UTF-16", []byte("\xff\xfe{\x00"), "PCC330", "UTF-8"},
		{"not UTF-8", []byte(`{"messages": [{"role": "u", "content": "` + secret + "\xff\"}]}"), "PCC330", "UTF-8"},
		{"half of a pair", []byte(`{"messages": [{"role": "u", "content": "` + secret + `\ud800"}]}`), "PCC333", "line 1"},
		{"half of a pair in a key", []byte(`{"messages": [{"role": "u", "\udc00": "` + secret + `"}]}`), "PCC333", "line 1"},
		{"half of a pair in arguments", repeated(1, call(`{\"a\": \"`+secret+`\\ud800\"}`)), "PCC333", "`messages[0].tool_calls[0].function.arguments` of the request: "},
		{"arguments that are no JSON", repeated(1, call(secret)), "PCC330", "`messages[0].tool_calls[0].function.arguments` of the request: "},
		{"deep", []byte(`{"messages": ` + strings.Repeat("[", 1_000_000)), "PCC912", "deeper"},
		{"deep arguments", repeated(1, call(strings.Repeat("[", 100_000))), "PCC912", "deeper"},
		{"a million nulls", repeated(1_000_000, "null"), "PCC371", "`messages[0]`"},
		{"a large integer", []byte(`{"messages": [{"role": "u", "content": ` + strings.Repeat("9", 100_000) + `}]}`), "PCC912", "digits"},
		{"a large float", []byte(`{"messages": [{"role": "u", "content": 1e999}]}`), "PCC332", "too large"},
		{"one key twice", []byte(`{"messages": [], "messages": "` + secret + `"}`), "PCC331", "twice"},
		{"arguments that are many values together", repeated(40, call(`[`+strings.Repeat(`[],`, 150_000)+`[]]`)), "PCC912", ""},
		{"a long key", []byte(`{"` + strings.Repeat("k", 1_000_000) + secret + `": 1}`), "PCC371", "`messages`"},
	} {
		if c.name == "arguments that are many values together" { // each alone would do, as an object
			c.request = repeated(40, call(`{\"a\": [`+strings.Repeat(`[],`, 150_000)+`[]]}`))
		}
		res, err := tmpl.Apply(context.Background(), c.request, WithSegments())
		failed(t, c.name, res, err, c.code, c.words)
	}
	res, err := tmpl.Apply(context.Background(), repeated(1_000_000, `{"role":"u","content":"x"}`))
	if err != nil || len(res.Prompt) != 2_000_000 {
		t.Errorf("a million messages: %v", err)
	}
	odd := `{"messages": [{"role": "", "content": "\u0000"}], "": 1, "a.b": 2, "__class__": 3, "self": 4, "range": 5, "loop": 6, "messages ": 7, "raise_exception": 8}`
	if res, err := tmpl.Apply(context.Background(), []byte(odd), WithSegments()); err != nil || res.Prompt != "\x00" {
		t.Errorf("odd keys: %v, %v", res, err)
	}
}

// TestHostileValues: Go values that are no JSON, contain themselves, or grow when they
// are written.
func TestHostileValues(t *testing.T) {
	tmpl := must(t, `{% for m in messages %}{{ m.role }}{{ m.content }}{% endfor %}`, Config{})
	user := func(content any) any { return []any{map[string]any{"role": "u", "content": content}} }
	loop := map[string]any{"role": "u"}
	loop["content"] = loop
	items := make([]any, 1)
	items[0] = items
	own := vm.NewMap(2)
	own.Set("role", vm.String("u"))
	own.Set("content", vm.MapOf(own))
	var deep any = secret
	deepOwn := vm.String(secret)
	for range 80 {
		deep, deepOwn = []any{deep}, vm.ListOf([]vm.Value{deepOwn})
	}
	type node struct{ A, B any }
	wide, wideOwn := any(secret), vm.String(secret)
	for range 40 {
		wide, wideOwn = node{wide, wide}, vm.ListOf([]vm.Value{wideOwn, wideOwn})
	}
	for _, c := range []struct {
		name     string
		messages any
		code     diag.Code
		words    string
	}{
		{"a map that holds itself", []any{loop}, "PCC371", "`messages[0].content"},
		{"a slice that holds itself", items, "PCC371", "`messages[0][0]"},
		{"an ordered map that holds itself", []any{own}, "PCC371", "`messages[0]`"},
		{"a deep value", user(deep), "PCC912", "deeper"},
		{"a deep value of ours", user(deepOwn), "PCC371", "`messages[0].content`"},
		{"a value that grows", user(wide), "PCC912", "longer"},
		{"a value of ours that grows", user(wideOwn), "PCC371", "`messages[0].content`"},
		{"a channel", user(make(chan int)), "PCC371", "`messages[0].content`"},
		{"a function", user(func() {}), "PCC371", "`messages[0].content`"},
		{"no number", user(math.NaN()), "PCC371", "`messages[0].content`"},
		{"a text that is not UTF-8", user(secret + "\xff"), "PCC371", "`messages[0].content`"},
		{"raw JSON that is none", user(json.RawMessage("{" + secret)), "PCC371", "`messages[0].content`"},
		{"no list", secret, "PCC371", "`messages`"},
		{"nothing", nil, "PCC371", "`messages`"},
		{"a nil map", []any{(*vm.Map)(nil)}, "PCC371", "`messages[0]`"},
	} {
		res, err := tmpl.ApplyRequest(context.Background(), Request{Messages: c.messages}, WithSegments())
		failed(t, c.name, res, err, c.code, c.words)
	}
}
