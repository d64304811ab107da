//lint:file-ignore SA1019 eino renders MultiContent as well, deprecated or not.

package eino_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/prompt"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/contrib/eino"
	"github.com/pcc-lang/pcc/vm"
)

func Example() {
	t := eino.FromMessages(schema.Jinja2,
		schema.SystemMessage("You are a {{ role }}."),
		schema.MessagesPlaceholder("history", true),
		schema.UserMessage("{% for q in questions %}{{ loop.index }}. {{ q }}\n{% endfor %}"),
	)
	messages, err := t.Format(context.Background(), map[string]any{
		"role":      "pirate",
		"history":   []*schema.Message{schema.UserMessage("Ahoy"), schema.AssistantMessage("Arr", nil)},
		"questions": []string{"Where?", "When?"},
	})
	if err != nil {
		panic(err)
	}
	for _, m := range messages {
		fmt.Printf("%s: %q\n", m.Role, m.Content)
	}
	// Output:
	// system: "You are a pirate."
	// user: "Ahoy"
	// assistant: "Arr"
	// user: "1. Where?\n2. When?\n"
}

// TestSameAsEino: what eino's own template gives in each format, this one gives.
func TestSameAsEino(t *testing.T) {
	values := map[string]any{
		"context": "it's a {{ fine }} day", "question": "how is it",
		"history": []*schema.Message{schema.UserMessage("who are you")},
	}
	for format, tags := range map[schema.FormatType][2]string{
		schema.FString: {"{context}", "{question}"}, schema.Jinja2: {"{{context}}", "{{ question }}"},
		schema.GoTemplate: {"{{.context}}", "{{ .question }}"},
	} {
		templates := []schema.MessagesTemplate{
			schema.SystemMessage("context: " + tags[0]),
			schema.MessagesPlaceholder("history", false),
			schema.MessagesPlaceholder("absent", true),
			&schema.Message{Role: schema.User, Name: "n", Content: "question: " + tags[1], Extra: map[string]any{"k": 1}},
		}
		want, err := prompt.FromMessages(format, templates...).Format(context.Background(), values)
		if err != nil {
			t.Fatal(err)
		}
		got, err := eino.FromMessages(format, templates...).Format(context.Background(), values)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("format %d: got %v, %v, want %v", format, got, err, want)
		}
	}
}

func TestParts(t *testing.T) {
	url, data := "{{ u }}", "{{ d }}"
	common := schema.MessagePartCommon{URL: &url, Base64Data: &data}
	m := &schema.Message{
		Role: schema.User,
		MultiContent: []schema.ChatMessagePart{
			{Type: schema.ChatMessagePartTypeText, Text: "{{ t }}"},
			{Type: schema.ChatMessagePartTypeImageURL, ImageURL: &schema.ChatMessageImageURL{URL: "{{ u }}1"}},
			{Type: schema.ChatMessagePartTypeAudioURL, AudioURL: &schema.ChatMessageAudioURL{URL: "{{ u }}2"}},
			{Type: schema.ChatMessagePartTypeVideoURL, VideoURL: &schema.ChatMessageVideoURL{URL: "{{ u }}3"}},
			{Type: schema.ChatMessagePartTypeFileURL, FileURL: &schema.ChatMessageFileURL{URL: "{{ u }}4"}},
			{Type: schema.ChatMessagePartTypeImageURL},
		},
		UserInputMultiContent: []schema.MessageInputPart{
			{Type: schema.ChatMessagePartTypeText, Text: "{{ t }}"},
			{Type: schema.ChatMessagePartTypeImageURL, Image: &schema.MessageInputImage{MessagePartCommon: common}},
			{Type: schema.ChatMessagePartTypeAudioURL, Audio: &schema.MessageInputAudio{MessagePartCommon: common}},
			{Type: schema.ChatMessagePartTypeVideoURL, Video: &schema.MessageInputVideo{MessagePartCommon: common}},
			{Type: schema.ChatMessagePartTypeFileURL, File: &schema.MessageInputFile{MessagePartCommon: common}},
			{Type: schema.ChatMessagePartTypeFileURL},
		},
	}
	before, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := eino.FromMessages(schema.Jinja2, m)
	for _, n := range []string{"1", "2"} { // eino's own changes the template at the first call
		got, err := tmpl.Format(context.Background(), map[string]any{"t": "text" + n, "u": "http://" + n, "d": "ZA==" + n})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(got[0])
		if err != nil {
			t.Fatal(err)
		}
		want := strings.NewReplacer("{{ t }}", "text"+n, "{{ u }}", "http://"+n, "{{ d }}", "ZA=="+n).Replace(string(before))
		if string(text) != want {
			t.Errorf("got %s\nwant %s", text, want)
		}
	}
	if after, _ := json.Marshal(m); string(after) != string(before) {
		t.Errorf("rendering changed the template to %s", after)
	}
}

func TestErrors(t *testing.T) {
	long := compiler.WithLimits(vm.Limits{OutputBytes: 10})
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		format schema.FormatType
		source schema.MessagesTemplate
		opts   []compiler.Option
		early  bool // New tells it
		want   string
	}{
		{"syntax", context.Background(), schema.Jinja2, schema.UserMessage("{% if %}"), nil, true, "message 0 (user)"},
		{"include", context.Background(), schema.Jinja2, schema.UserMessage("{% include '/etc/passwd' %}"), nil, false, "message 0"},
		{"undefined", context.Background(), schema.Jinja2, schema.UserMessage("{{ a.b }}"), nil, false, "'a' is undefined"},
		{"sandbox", context.Background(), schema.Jinja2, schema.UserMessage("{{ ''.__class__.__mro__ }}"), nil, false, "unsafe"},
		{"limit", context.Background(), schema.Jinja2, schema.UserMessage("{{ 'x' * 20 }}"), []compiler.Option{long}, false, "PCC9"},
		{"history", context.Background(), schema.Jinja2, schema.MessagesPlaceholder("nope", false), nil, false, "nope"},
		{"stopped", stopped, schema.Jinja2, schema.UserMessage("{% for i in range(90000) %}{{ i }}{% endfor %}"), nil, false, "canceled"},
		{"format", context.Background(), 7, schema.UserMessage("x"), nil, true, "unknown format type 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tmpl, err := eino.New(c.format, []schema.MessagesTemplate{c.source}, c.opts...)
			if (err != nil) != c.early {
				t.Fatalf("New gives %v", err)
			}
			if c.early {
				tmpl = eino.FromMessages(c.format, c.source)
			}
			got, err := tmpl.Format(c.ctx, map[string]any{})
			if err == nil || !strings.Contains(err.Error(), c.want) || got != nil {
				t.Errorf("got %v, %v, want %q", got, err, c.want)
			}
			var d *diag.Diagnostic
			if c.name != "format" && c.name != "history" && !errors.As(err, &d) {
				t.Errorf("%v is no diagnostic", err)
			}
		})
	}
}

func TestNative(t *testing.T) {
	tmpl, err := eino.New(eino.Native, []schema.MessagesTemplate{
		schema.SystemMessage("Answer {user.name} as {\"mood\": \"…\"}"),
		schema.UserMessage("{{ question|trim|shout }}"),
	}, compiler.WithFilter("shout", strings.ToUpper))
	if err != nil {
		t.Fatal(err)
	}
	got, err := tmpl.Format(context.Background(), map[string]any{"user": map[string]string{"name": "Ada"}, "question": " why? "})
	if err != nil || got[0].Content != "Answer Ada as {\"mood\": \"…\"}" || got[1].Content != "WHY?" {
		t.Errorf("%v, %v", got, err)
	}
}

// TestExact: raw JSON keeps its order, and values print as in Python.
func TestExact(t *testing.T) {
	got, err := eino.FromMessages(schema.Jinja2, schema.UserMessage("{{ tools|tojson(indent=None) }} {{ x }} {{ y }}\n")).Format(context.Background(),
		map[string]any{"tools": json.RawMessage(`{"a": 1, "b": [1.0]}`), "x": []any{true, nil, 2.0}, "y": 1e20})
	if want := `{"a": 1, "b": [1.0]} [True, None, 2.0] 1e+20`; err != nil || got[0].Content != want {
		t.Errorf("got %v, %v, want %q", got, err, want)
	}
}

// TestChain runs the template as a part of eino's graphs, with callbacks.
func TestChain(t *testing.T) {
	tmpl := eino.FromMessages(schema.Jinja2, schema.UserMessage("{{ 6 // x }}"))
	chain := compose.NewChain[map[string]any, []*schema.Message]()
	chain.AppendChatTemplate(tmpl)
	r, err := chain.Compile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	handler := callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
			if p := prompt.ConvCallbackInput(in); p != nil && info.Type == "PCC" {
				seen = append(seen, fmt.Sprint("start ", p.Variables["x"], len(p.Templates)))
			}
			return ctx
		}).
		OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
			if p := prompt.ConvCallbackOutput(out); p != nil && info.Type == "PCC" {
				seen = append(seen, "end "+p.Result[0].Content)
			}
			return ctx
		}).
		OnErrorFn(func(ctx context.Context, info *callbacks.RunInfo, err error) context.Context {
			if info.Type == "PCC" {
				seen = append(seen, "error")
			}
			return ctx
		}).Build()
	if _, err := r.Invoke(context.Background(), map[string]any{"x": 2}, compose.WithCallbacks(handler)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Invoke(context.Background(), map[string]any{"x": 0}, compose.WithCallbacks(handler)); err == nil {
		t.Error("a division by zero rendered")
	}
	if want := []string{"start 2 1", "end 3", "start 0 1", "error"}; !reflect.DeepEqual(seen, want) {
		t.Errorf("callbacks %q, want %q", seen, want)
	}
}

func TestConcurrent(t *testing.T) {
	tmpl := eino.FromMessages(schema.Jinja2, schema.UserMessage("{{ n }}"))
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for range 50 {
				got, err := tmpl.Format(context.Background(), map[string]any{"n": n})
				if err != nil || got[0].Content != fmt.Sprint(n) {
					t.Errorf("%v, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}
