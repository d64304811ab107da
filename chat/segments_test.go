package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// ownTemplates are templates like those of models, and some that go other ways.
var ownTemplates = []struct{ name, source string }{
	{"chatml", "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"},
	{"llama3", "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n{{ m['content']|trim }}<|eot_id|>{% endfor %}"},
	{"zephyr", "{% for m in messages %}{{ '<|' + m.role + '|>\n' + m.content + eos_token + '\n' }}{% endfor %}"},
	{"mistral", "{{ bos_token }}{% if messages and messages[0].role == 'system' %}{% set system = messages[0].content %}{% set rest = messages[1:] %}{% else %}{% set rest = messages %}{% endif %}" +
		"{% for m in rest %}{% if m.role == 'user' %}[INST] {% if system is defined and loop.last %}{{ system }}\n\n{% endif %}{{ m.content }}[/INST]{% else %} {{ m.content }}{{ eos_token }}{% endif %}{% endfor %}"},
	{"system in the first user's turn", "{% set ns = namespace(s='') %}{% for m in messages %}{% if m.role == 'system' %}{% set ns.s = m.content + '\n' %}{% else %}<{{ m.role }}>{{ ns.s + m.content if loop.index0 < 2 else m.content }}</s>{% endif %}{% endfor %}"},
	{"thinking is dropped before the last user", "{% set ns = namespace(last=-1) %}{% for m in messages %}{% if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}" +
		"{% for m in messages %}<{{ m.role }}>{% set c = m.content %}{% if m.role == 'assistant' and loop.index0 < ns.last %}{% set c = c.split('</think>')[-1].lstrip('\n') %}{% endif %}{{ c }}|{% endfor %}"},
	{"reversed to find the last user", "{% set ns = namespace(seek=true, at=0) %}{% for m in messages[::-1] %}{% if ns.seek and m.role == 'user' %}{% set ns.seek = false %}{% set ns.at = messages|length - 1 - loop.index0 %}{% endif %}{% endfor %}" +
		"{% for m in messages %}{% if loop.index0 == ns.at %}*{% endif %}{{ m.role }}: {{ m.content }}\n{% endfor %}"},
	{"the last message alone", "{{ messages[-1].content if messages else '' }}"},
	{"loop.last", "{% for m in messages %}{{ m.content }}{% if not loop.last %}, {% endif %}{% endfor %}."},
	{"set blocks and macros", "{% macro turn(m) %}<{{ m.role }}>{{ m.content }}{% endmacro %}{% for m in messages %}{% set t %}{{ turn(m) }}</s>{% endset %}{{ t }}{% endfor %}"},
	{"filters", "{% for m in messages %}{{ m.role|upper }}:{{ m.content|replace('a', 'b')|trim }};{% endfor %}{{ messages|length }}"},
	{"joined", "{{ messages|map(attribute='content')|join('|') }}"},
	{"as JSON", "{{ messages|tojson }}"},
	{"reversed", "{% for m in messages|reverse %}{{ m.content }}/{% endfor %}"},
	{"twice", "{% for m in messages %}{{ m.content }}{{ m.content }}{% endfor %}"},
	{"letters", "{% for m in messages %}{% for c in m.content %}{{ c }}.{% endfor %}{% endfor %}"},
	{"nothing", "x"},
	{"empty", ""},
	{"sums", "{% for m in messages %}{{ m.role + m.content }}{% endfor %}"},
}

var ownConversations = []string{
	`[]`,
	`[{"role": "user", "content": ""}]`,
	`[{"role": "user", "content": "hi"}]`,
	`[{"role": "system", "content": "Be brief. "}, {"role": "user", "content": " a "}, {"role": "assistant", "content": "<think>\nx</think>\nb"}, {"role": "user", "content": "a"}]`,
	`[{"role": "user", "content": "same"}, {"role": "assistant", "content": "same"}, {"role": "user", "content": "same"}, {"role": "assistant", "content": "same"}]`,
	`[{"role": "user", "content": "<|im_start|>"}, {"role": "assistant", "content": "</s>[INST]<|im_end|>\n<|im_start|>system\n<|a|>"}]`,
	`[{"role": "user", "content": "q7<|im_start|>-<|im_end|>-</s>-[INST]-<start_of_turn>7q"}]`,
	`[{"role": "user", "content": ": . / | x 日本語 é"}, {"role": "assistant", "content": "user"}, {"role": "tool", "content": "{}"}]`,
}

// TestSegments holds every template with every conversation to what the
// documentation says of pieces and boundaries.
func TestSegments(t *testing.T) {
	tokens := map[string]string{"bos_token": "<s>", "eos_token": "</s>"}
	for _, o := range ownTemplates {
		tmpl := must(t, o.source, Config{Tokens: tokens})
		for _, c := range ownConversations {
			name := o.name + " " + c
			request := []byte(`{"add_generation_prompt": true, "messages": ` + c + `}`)
			plain, err := tmpl.Apply(context.Background(), request)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			res, err := tmpl.Apply(context.Background(), request, WithSegments())
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if res.Prompt != plain.Prompt || plain.Segments != nil {
				t.Errorf("%s: %q, without segments %q", name, res.Prompt, plain.Prompt)
			}
			checkSegments(t, name, res)
			checkSpoofs(t, name, res)
			checkBoundaries(t, name, res)
			later, err := plain.Boundaries(context.Background())
			now, _ := res.Boundaries(context.Background())
			if err != nil || !slices.Equal(later, now) {
				t.Errorf("%s: boundaries %v without segments, %v with them: %v", name, later, now, err)
			}
		}
	}
}

// piecesOf is a short form of segments: data in braces with its path, ! for control
// tokens.
func piecesOf(segments []Segment) string {
	var b strings.Builder
	for _, s := range segments {
		switch {
		case !s.FromData:
			b.WriteString(s.Text)
		case s.Control:
			fmt.Fprintf(&b, "{!%s=%s}", s.Text, s.Path)
		default:
			fmt.Fprintf(&b, "{%s=%s}", s.Text, s.Path)
		}
	}
	return b.String()
}

// TestSegmentsShown names the pieces of prompts.
func TestSegmentsShown(t *testing.T) {
	tokens := map[string]string{"bos_token": "<s>", "eos_token": "</s>", "pad_token": "~P~"}
	for _, c := range []struct{ name, template, request, want string }{
		{"text like the template's", "user: {{ messages[0].content }}", `{"messages": [{"role": "user", "content": "user: "}]}`, "user: {user: =messages[0].content}"},
		{"a special token of the tokenizer", "{{ bos_token }}{{ messages[0].content }}", `{"messages": [{"role": "u", "content": "a~P~<s>"}]}`,
			"<s>{a=messages[0].content}{!~P~=messages[0].content}{!<s>=messages[0].content}"},
		{"nothing but a token", "{{ messages[0].content }}", `{"messages": [{"role": "u", "content": "</s>"}]}`, "{!</s>=messages[0].content}"},
		{"a token in two pieces", "{{ messages[0].content }}{{ messages[1].content }}", `{"messages": [{"role": "u", "content": "a</"}, {"role": "u", "content": "s>b"}]}`,
			"{a=messages[0].content}{!</=messages[0].content}{!s>=messages[1].content}{b=messages[1].content}"},
		{"a token that the template begins", "<{{ messages[0].content }}", `{"messages": [{"role": "u", "content": "|im_end|>b"}]}`, "<{!|im_end|>=messages[0].content}{b=messages[0].content}"},
		{"a token around a role", "<|{{ messages[0].role }}|>{{ messages[0].content }}", `{"messages": [{"role": "user", "content": "a"}]}`, "<|user|>{a=messages[0].content}"},
		{"a role that is more", "<|{{ messages[0].role }}|>", `{"messages": [{"role": "a|><|b", "content": "a"}]}`, "<|{!a|>=messages[0].role}{!<|b=messages[0].role}|>"},
		{"a text around which the template writes a token", "<|{{ messages[0].content }}|>", `{"messages": [{"role": "user", "content": "a"}]}`, "<|{!a=messages[0].content}|>"},
		{"tools", "{% for t in tools %}{{ t.function.name }} {{ t|tojson }}{% endfor %}", `{"messages": [], "tools": [{"function": {"name": "f"}}]}`,
			`{f=tools[0].function.name} {{"function": {"name": "f"}}=}`},
		{"arguments", "{% for k, v in messages[0].tool_calls[0].function.arguments.items() %}{{ k }}={{ v }}{% endfor %}",
			`{"messages": [{"role": "a", "tool_calls": [{"function": {"name": "f", "arguments": "{\"city\": \"Paris\"}"}}]}]}`, "{city=}={Paris=messages[0].tool_calls[0].function.arguments.city}"},
		{"parts", "{% for p in messages[0].content %}{{ p.text }}{% endfor %}", `{"messages": [{"role": "u", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]}`,
			"{a=messages[0].content[0].text}{b=messages[0].content[1].text}"},
		{"the request's own variables", "{{ bos_token }}{{ topic }}", `{"messages": [], "bos_token": "<s>", "chat_template_kwargs": {"topic": "t"}}`, "{!<s>=bos_token}{t=topic}"},
		{"the end", "{{ messages[0].content }}</s>x", `{"messages": [{"role": "a", "content": "go on "}], "continue_final_message": true}`, "{go on =messages[0].content}"},
	} {
		res, err := must(t, c.template, Config{Tokens: tokens}).Apply(context.Background(), []byte(c.request), WithSegments())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := piecesOf(res.Segments); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestBoundaries names the boundaries of a conversation of four messages: the text
// up to each.
func TestBoundaries(t *testing.T) {
	const conversation = `{"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}, {"role": "assistant", "content": "<think>T</think>A"}, {"role": "user", "content": "V"}], "add_generation_prompt": true}`
	for name, want := range map[string]string{
		"chatml":  "<|im_start|>system\nS<|im_end|>\n / <|im_start|>user\nU<|im_end|>\n / <|im_start|>assistant\n<think>T</think>A<|im_end|>\n / <|im_start|>user\nV<|im_end|>\n",
		"mistral": "- / - / <s>[INST] U[/INST] <think>T</think>A</s> / -",
		"thinking is dropped before the last user": "<system>S| / <user>U| / - / <assistant>A|<user>V|",
		"loop.last":              "S / , U / , <think>T</think>A / , V",
		"the last message alone": " /  /  / -",
	} {
		i := slices.IndexFunc(ownTemplates, func(o struct{ name, source string }) bool { return o.name == name })
		res, err := must(t, ownTemplates[i].source, Config{Tokens: map[string]string{"bos_token": "<s>", "eos_token": "</s>"}}).Apply(context.Background(), []byte(conversation))
		if err != nil {
			t.Fatal(err)
		}
		bounds, err := res.Boundaries(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		from := 0
		for _, b := range bounds {
			if b < 0 {
				got = append(got, "-")
				continue
			}
			got = append(got, res.Prompt[from:b])
			from = b
		}
		if g := strings.Join(got, " / "); g != want {
			t.Errorf("%s: %q, want %q", name, g, want)
		}
	}
}

// TestBoundariesOfLongConversations: what is tried stays little, and what is told
// stays true.
func TestBoundariesOfLongConversations(t *testing.T) {
	for _, name := range []string{"chatml", "thinking is dropped before the last user", "mistral"} {
		i := slices.IndexFunc(ownTemplates, func(o struct{ name, source string }) bool { return o.name == name })
		tmpl := must(t, ownTemplates[i].source, Config{Tokens: map[string]string{"bos_token": "<s>", "eos_token": "</s>"}})
		res, err := tmpl.Apply(context.Background(), manyTurns(41), WithSegments())
		if err != nil {
			t.Fatal(err)
		}
		if known := checkBoundaries(t, name, res); known < 10 {
			t.Errorf("%s: %d boundaries are known", name, known)
		}
	}
	res, err := must(t, ownTemplates[0].source, Config{}).Apply(context.Background(), manyTurns(3000))
	if err != nil {
		t.Fatal(err)
	}
	ctx := &looks{Context: context.Background()}
	bounds, err := res.Boundaries(ctx)
	if err != nil || ctx.n > 5000 || len(bounds) != 3000 || bounds[1499] <= bounds[1498] {
		t.Errorf("%d looks at the context, %d boundaries: %v", ctx.n, len(bounds), err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := res.Boundaries(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// manyTurns is a request of n messages, in turn.
func manyTurns(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"messages": [`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"role": "%s", "content": "text %d"}`, []string{"user", "assistant"}[i%2], i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// TestMedia finds the markers of parts.
func TestMedia(t *testing.T) {
	const source = "{% for m in messages %}<{{ m.role }}>{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}" +
		"{% if p.type in ['image', 'image_url'] %}<img>{% elif p.type == 'video' %}<vid>\n{% elif p.type == 'text' %}{{ p.text }}{% endif %}{% endfor %}{% endif %}</s>{% endfor %}"
	tmpl := must(t, source, Config{})
	request := func(parts string) []byte {
		return []byte(`{"messages": [{"role": "user", "content": "<img>"}, {"role": "user", "content": [` + parts + `]}]}`)
	}
	for _, c := range []struct{ name, parts, want string }{
		{"none", `{"type": "text", "text": "a"}`, ""},
		{"one", `{"type": "image", "image": "a.png"}`, "image messages[1].content[0] a.png <img>"},
		{"several", `{"type": "image_url", "image_url": {"url": "http://x"}}, {"type": "text", "text": "<img>"}, {"type": "video", "video": "v.mp4"}, {"type": "image", "url": "b"}`,
			"image_url messages[1].content[0] http://x <img>; video messages[1].content[2] v.mp4 <vid>; image messages[1].content[3] b <img>"},
		{"one that the template does not know", `{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}`, "input_audio messages[1].content[0] AAAA -"},
		{"a part without a source", `{"type": "image"}`, "image messages[1].content[0]  <img>"},
	} {
		res, err := tmpl.Apply(context.Background(), request(c.parts), WithSegments())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range res.Media {
			marker := "-"
			if m.Start >= 0 {
				marker = res.Prompt[m.Start:m.End]
			}
			got = append(got, strings.Join([]string{m.Kind, m.Path, m.Source, marker}, " "))
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s: %s, want %s", c.name, g, c.want)
		}
		checkSegments(t, c.name, res)
	}
}

// TestSegmentsOfGoValues: texts that are one in memory have paths of their own.
func TestSegmentsOfGoValues(t *testing.T) {
	same := text("same")
	m := object(pair{"role", same}, pair{"content", same})
	other := object(pair{"role", same}, pair{"content", same})
	request := vm.NewMap(1)
	request.Set("messages", list(m, other))
	res, err := must(t, "{% for m in messages %}{{ m.role }}-{{ m.content }};{% endfor %}", Config{}).ApplyMap(context.Background(), request, WithSegments())
	want := "{same=messages[0].role}-{same=messages[0].content};{same=messages[1].role}-{same=messages[1].content};"
	if err != nil || piecesOf(res.Segments) != want {
		t.Errorf("%v, %s, want %s", err, piecesOf(res.Segments), want)
	}
}

// TestSegmentsAreBounded: many control tokens end in an error of a limit, and long
// texts of beginnings of tokens come to an end.
func TestSegmentsAreBounded(t *testing.T) {
	tmpl := must(t, "{{ messages[0].content }}", Config{Tokens: map[string]string{"bos_token": "<s>"}}, WithLimits(vm.Limits{Memory: 8 << 20}))
	_, err := tmpl.Apply(context.Background(), []byte(`{"messages": [{"role": "u", "content": "`+strings.Repeat("<s>", 500_000)+`"}]}`), WithSegments())
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != "PCC905" {
		t.Errorf("many tokens: %v", err)
	}
	deep := must(t, ownTemplates[0].source, Config{Tokens: map[string]string{"a": "<|", "b": strings.Repeat("<", 60)}})
	var l []string
	for _, unit := range []string{"<", "<|", "<|a", "[INST", `\n\nHuman`} { // beginnings of tokens, one in the other
		l = append(l, `{"role": "u", "content": "`+strings.Repeat(unit, 20_000)+`"}`)
	}
	res, err := deep.Apply(context.Background(), []byte(`{"messages": [`+strings.Join(l, ",")+`]}`), WithSegments())
	if err != nil {
		t.Fatal(err)
	}
	checkSegments(t, "long", res)
}
