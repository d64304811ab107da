package langchaingo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/fake"
	"github.com/tmc/langchaingo/prompts"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/contrib/langchaingo"
	"github.com/pcc-lang/pcc/vm"
)

const jinja2 = prompts.TemplateFormatJinja2

func Example() {
	p, err := langchaingo.Compile("Tell {{ n }} joke{{ 's' if n > 1 }} about {{ topic }}.", prompts.TemplateFormatJinja2)
	if err != nil {
		panic(err)
	}
	value, err := p.FormatPrompt(map[string]any{"n": 2, "topic": "gophers"})
	if err != nil {
		panic(err)
	}
	fmt.Println(value.String(), p.GetInputVariables())
	// Output: Tell 2 jokes about gophers. [n topic]
}

// TestFormat has what users of langchaingo write, with what Python's Jinja2 prints.
func TestFormat(t *testing.T) {
	for _, c := range []struct {
		source string
		format prompts.TemplateFormat
		values map[string]any
		want   string
		err    string
	}{
		{"Hello {{ key }}", jinja2, map[string]any{"key": "world"}, "Hello world", ""},
		{"{{ key1.key2 }}", jinja2, map[string]any{"key1": map[string]any{"key2": "world"}}, "world", ""},
		{"{% for x in xs %}{{ loop.index }}.{{ x }} {% endfor %}", jinja2, map[string]any{"xs": []string{"a", "b"}}, "1.a 2.b ", ""},
		{"{{ name|default('you') }}{{ missing }}", jinja2, nil, "you", ""},
		{"{{ '%.1f'|format(x) }} {{ l }} {{ j|tojson }}", jinja2, map[string]any{"x": 2, "l": []any{true, nil}, "j": json.RawMessage(`{"a": 1.0}`)}, `2.0 [True, None] {"a": 1.0}`, ""},
		{"{{ key }}", jinja2, map[string]any{"key": "{{ other }}{% if %}"}, "{{ other }}{% if %}", ""},
		{"Hello {key}, {\"json\": 1}", langchaingo.TemplateFormatPCC, map[string]any{"key": "world"}, `Hello world, {"json": 1}`, ""},
		{"Hello {{ .key }}", prompts.TemplateFormatGoTemplate, map[string]any{"key": "world"}, "Hello world", ""},
		{"Hello {key}", prompts.TemplateFormatFString, map[string]any{"key": "world"}, "Hello world", ""},
		{"{{ key", jinja2, nil, "", "PCC"},
		{"{{ a.b }}", jinja2, nil, "", "'a' is undefined"},
		{"{% include '/etc/passwd' %}", jinja2, nil, "", "PCC326"},
		{"{{ ''.__class__.__mro__ }}", jinja2, nil, "", "unsafe"},
		{"x", "unknown", nil, "", "invalid template format"},
	} {
		t.Run(c.source, func(t *testing.T) {
			p := langchaingo.PromptTemplate{Template: c.source, TemplateFormat: c.format}
			ways := map[string]func() (string, error){
				"PromptTemplate": func() (string, error) { return p.Format(c.values) },
				"RenderTemplate": func() (string, error) { return langchaingo.RenderTemplate(c.source, c.format, c.values) },
				"FormatPrompt": func() (string, error) {
					v, err := p.FormatPrompt(c.values)
					if err != nil {
						return "", err
					}
					return v.Messages()[0].GetContent(), nil
				},
			}
			if c.format == jinja2 || c.format == langchaingo.TemplateFormatPCC {
				ways["Compile"] = func() (string, error) {
					p, err := langchaingo.Compile(c.source, c.format)
					if err != nil {
						return "", err
					}
					return p.Format(c.values)
				}
			}
			for way, f := range ways {
				got, err := f()
				if got != c.want || c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
					t.Errorf("%s: got %q, %v, want %q, %q", way, got, err, c.want, c.err)
				}
				var d *diag.Diagnostic
				if err != nil && c.format == jinja2 && !errors.As(err, &d) {
					t.Errorf("%s: %v is no diagnostic", way, err)
				}
			}
		})
	}
}

func TestPartialVariables(t *testing.T) {
	p := langchaingo.PromptTemplate{
		Template: "{{ a }}{{ b }}{{ c }}{{ d }}{{ e }}", TemplateFormat: jinja2,
		PartialVariables: map[string]any{
			"a": "x", "b": func() string { return "y" }, "c": func() int { return 1 }, "d": 2.5, "e": func() bool { return true },
		},
	}
	if s, err := p.Format(map[string]any{"a": "own"}); s != "owny12.5True" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
	p.PartialVariables["a"] = []string{}
	if _, err := p.Format(nil); !errors.Is(err, prompts.ErrInvalidPartialVariableType) {
		t.Errorf("%v", err)
	}
}

// TestChanged: the fields count, also of a prompt that was compiled.
func TestChanged(t *testing.T) {
	p, err := langchaingo.Compile("{{ a }}", jinja2)
	if err != nil {
		t.Fatal(err)
	}
	p.Template = "{{ a }}!"
	if s, err := p.Format(map[string]any{"a": 1}); s != "1!" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
}

func TestCompile(t *testing.T) {
	p, err := langchaingo.Compile("{{ user.name|shout }}{{ user.id }}{% for x in xs %}{{ x }}{% endfor %}", jinja2,
		compiler.WithFilter("shout", strings.ToUpper), compiler.WithLimits(vm.Limits{OutputBytes: 10}))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"user", "xs"}; !slices.Equal(p.GetInputVariables(), want) {
		t.Errorf("it reads %q, want %q", p.GetInputVariables(), want)
	}
	values := map[string]any{"user": map[string]any{"name": "ada", "id": 7}, "xs": []int{1}}
	if s, err := p.Format(values); s != "ADA71" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
	values["user"] = map[string]any{"name": strings.Repeat("x", 20)}
	if _, err := p.Format(values); !errors.Is(err, diag.ErrLimit) {
		t.Errorf("%v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	slow := langchaingo.PromptTemplate{Template: "{% for i in range(90000) %}{{ i }}{% endfor %}", TemplateFormat: jinja2}
	if _, err := slow.FormatContext(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, f := range []prompts.TemplateFormat{prompts.TemplateFormatGoTemplate, prompts.TemplateFormatFString, ""} {
		if _, err := langchaingo.Compile("x", f); !errors.Is(err, prompts.ErrInvalidTemplateFormat) {
			t.Errorf("%q: %v", f, err)
		}
	}
}

func TestCheckValidTemplate(t *testing.T) {
	for _, c := range []struct {
		source string
		format prompts.TemplateFormat
		inputs []string
		err    string
	}{
		{"{{ a }}", jinja2, []string{"a", "b"}, ""},
		{"{{ a }}{{ c.d }}", jinja2, []string{"a"}, `"c"`},
		{"{{ a", jinja2, []string{"a"}, "PCC"},
		{"{{ .a }}", prompts.TemplateFormatGoTemplate, []string{"a"}, ""},
		{"x", "unknown", nil, "invalid template format"},
	} {
		err := langchaingo.CheckValidTemplate(c.source, c.format, c.inputs)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", c.source, err, c.err)
		}
	}
}

func TestRenderTemplateFS(t *testing.T) {
	files := fstest.MapFS{
		"main.j2":     {Data: []byte("{% extends 'base.j2' %}{% block b %}{% include 'dir/part.j2' %}{% endblock %}")},
		"base.j2":     {Data: []byte("<{% block b %}{% endblock %}>")},
		"dir/part.j2": {Data: []byte("{{ x }}")},
		"leave.j2":    {Data: []byte("{% include '../../etc/passwd' %}")},
		"go.tmpl":     {Data: []byte("{{ .x }}")},
	}
	values := map[string]any{"x": "<b>"}
	for _, c := range []struct {
		name   string
		format prompts.TemplateFormat
		opts   []prompts.RenderOption
		want   string
		fails  bool
	}{
		{"main.j2", jinja2, nil, "<<b>>", false},
		{"dir/part.j2", jinja2, []prompts.RenderOption{prompts.WithSanitization()}, "&lt;b&gt;", false},
		{"go.tmpl", prompts.TemplateFormatGoTemplate, nil, "<b>", false},
		{"leave.j2", jinja2, nil, "", true},
		{"absent.j2", jinja2, nil, "", true},
	} {
		got, err := langchaingo.RenderTemplateFS(files, c.name, c.format, values, c.opts...)
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
		if c.name == "absent.j2" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v", err)
		}
	}
}

// TestChat: the messages stand in langchaingo's own chat prompts.
func TestChat(t *testing.T) {
	of := func(s string) langchaingo.PromptTemplate {
		p, err := langchaingo.Compile(s, jinja2)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	chat := prompts.NewChatPromptTemplate([]prompts.MessageFormatter{
		langchaingo.SystemMessagePromptTemplate{Prompt: of("You translate to {{ lang }}.")},
		prompts.MessagesPlaceholder{VariableName: "history"},
		langchaingo.HumanMessagePromptTemplate{Prompt: of("{{ text|trim }}")},
		langchaingo.AIMessagePromptTemplate{Prompt: of("ok")},
		langchaingo.GenericMessagePromptTemplate{Prompt: of("note {{ lang }}"), Role: "critic"},
	})
	got, err := chat.FormatMessages(map[string]any{
		"lang": "French", "text": " hi ", "history": []llms.ChatMessage{llms.HumanChatMessage{Content: "before"}},
	})
	want := []llms.ChatMessage{
		llms.SystemChatMessage{Content: "You translate to French."}, llms.HumanChatMessage{Content: "before"},
		llms.HumanChatMessage{Content: "hi"}, llms.AIChatMessage{Content: "ok"},
		llms.GenericChatMessage{Content: "note French", Role: "critic"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	names := chat.GetInputVariables()
	slices.Sort(names)
	if want := []string{"history", "lang", "text"}; !slices.Equal(names, want) {
		t.Errorf("it reads %q, want %q", names, want)
	}
	bad := langchaingo.HumanMessagePromptTemplate{Prompt: langchaingo.PromptTemplate{Template: "{{ a.b }}", TemplateFormat: jinja2}}
	if _, err := bad.FormatMessages(nil); err == nil {
		t.Error("an undefined value was rendered")
	}
}

// TestChain gives a prompt to a chain of langchaingo.
func TestChain(t *testing.T) {
	p, err := langchaingo.Compile("Company for {{ product|upper }}?", jinja2)
	if err != nil {
		t.Fatal(err)
	}
	chain := chains.NewLLMChain(fake.NewFakeLLM([]string{"answer"}), p)
	if s, err := chains.Run(context.Background(), chain, "socks"); s != "answer" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
}
