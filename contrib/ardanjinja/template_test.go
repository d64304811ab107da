package jinja_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	jinja "github.com/pcc-lang/pcc/contrib/ardanjinja"
	"github.com/pcc-lang/pcc/vm"
)

const chatML = `{%- if tools %}
<|im_start|>system
# Tools
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}<|im_end|>
{%- endif %}
{%- for message in messages %}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{%- endfor %}
{%- if add_generation_prompt %}
<|im_start|>assistant
{%- endif %}`

func Example() {
	tmpl, err := jinja.Compile("Hello {{ name }}!")
	if err != nil {
		panic(err)
	}
	result, err := tmpl.Render(map[string]any{"name": "World"})
	if err != nil {
		panic(err)
	}
	fmt.Println(result)
	// Output: Hello World!
}

// chatML's line breaks behind a tag are not printed: transformers sets trim_blocks.

// TestTools: raw JSON and dictionaries keep the order of keys, maps sort them.
func TestTools(t *testing.T) {
	tmpl, err := jinja.Compile(chatML)
	if err != nil {
		t.Fatal(err)
	}
	messages := []any{map[string]any{"role": "user", "content": "Weather in London?"}}
	prompt := func(tool string) string {
		return "<|im_start|>system\n# Tools" + tool + "<|im_end|><|im_start|>user\nWeather in London?<|im_end|><|im_start|>assistant"
	}
	function := jinja.NewDict()
	function.AsDict().Set("name", jinja.NewString("f"))
	function.AsDict().Set("args", jinja.NewList([]jinja.Value{jinja.NewInt(1), jinja.NewFloat(2), jinja.None()}))
	for _, c := range []struct {
		tools any
		want  string
	}{
		{json.RawMessage(`[{"name": "f", "args": [1, 2.0, null]}]`), `{"name": "f", "args": [1, 2.0, null]}`},
		{[]any{map[string]any{"name": "f", "args": []any{1, 2.0, nil}}}, `{"args": [1, 2.0, null], "name": "f"}`},
		{[]jinja.Value{function}, `{"name": "f", "args": [1, 2.0, null]}`},
	} {
		data := map[string]any{"messages": messages, "tools": c.tools, "add_generation_prompt": true}
		var got string
		if _, values := c.tools.([]jinja.Value); values {
			v := map[string]jinja.Value{}
			for k, x := range data {
				v[k] = jinja.FromGoValue(x)
			}
			got, err = tmpl.RenderValues(v)
		} else {
			got, err = tmpl.Render(data)
		}
		if err != nil || got != prompt(c.want) {
			t.Errorf("%T: got %q, %v", c.tools, got, err)
		}
	}
}

// TestRender has what users of the peer write, with what transformers prints.
func TestRender(t *testing.T) {
	deep := map[string]any{}
	deep["self"] = deep
	for _, c := range []struct {
		source string
		data   map[string]any
		want   string
		err    string
	}{
		{"{% for i in items %}\n{{ loop.index }}={{ i }};\n{% endfor %}\n", map[string]any{"items": []any{"a", "b"}}, "1=a;\n2=b;\n", ""},
		{"{{ 9007199254740992 == 9007199254740993 }} {{ 1 == 1.0 }} {{ true == 1 }}", nil, "False True True", ""},
		{"{{ x }} {{ y }}", map[string]any{"x": math.MaxInt64, "y": 1e20}, "9223372036854775807 1e+20", ""},
		{"{{ 10**25 }}", nil, "10000000000000000000000000", ""},
		{"{{ [1, 'a', none, true]|tojson }} {{ {'b': 1, 'a': '<é>'}|tojson }}", nil, `[1, "a", null, true] {"b": 1, "a": "<é>"}`, ""},
		{"{% set ns = namespace(found=false) %}{% for m in [1, 2] %}{% if m == 2 %}{% set ns.found = true %}{% endif %}{% endfor %}{{ ns.found }}", nil, "True", ""},
		{"{{ ' a '.strip() ~ 'b'.upper() }} {{ 'a,b'.split(',') }} {{ 'x' if false else 'y' }}", nil, "aB ['a', 'b'] y", ""},
		{"{{ d.get('a') }} {{ d.get('b', 2) }} {% for k, v in d.items() %}{{ k }}{{ v }}{% endfor %}", map[string]any{"d": map[string]any{"a": 1}}, "1 2 a1", ""},
		{"{{ items[::-1] }} {{ items[1:] }} {{ items[-1] }}", map[string]any{"items": []any{1, 2, 3}}, "[3, 2, 1] [2, 3] 3", ""},
		{"{{ tools is none }} {{ documents is none }} {{ x is defined }}", nil, "True True False", ""},
		{"{{ raise_exception('Only user and assistant roles') }}", nil, "", "Only user and assistant roles"},
		{"{{ missing.x }}", nil, "", "undefined"},
		{"{% if %}", nil, "", "PCC"},
		{"{{ x.self.self }}", map[string]any{"x": deep}, "", "PCC"},
		{"{% for i in range(10**5) %}{% for j in range(10**5) %}{% endfor %}{% endfor %}", nil, "", "PCC9"},
	} {
		t.Run(c.source, func(t *testing.T) {
			tmpl, err := jinja.Compile(c.source)
			got := ""
			if err == nil {
				got, err = tmpl.Render(c.data)
			}
			if got != c.want || c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("got %q, %v, want %q, %q", got, err, c.want, c.err)
			}
			var d *diag.Diagnostic
			if err != nil && !errors.As(err, &d) {
				t.Errorf("%v is no diagnostic", err)
			}
		})
	}
}

func TestCallable(t *testing.T) {
	tmpl, err := jinja.Compile("{{ f(1, {'b': [2]}, k='v') }}{{ f() is undefined }}")
	if err != nil {
		t.Fatal(err)
	}
	f := jinja.NewCallable("f", func(args []jinja.Value, kwargs map[string]jinja.Value) (jinja.Value, error) {
		if len(args) == 0 {
			return jinja.Undefined(), nil
		}
		v, _ := args[1].AsDict().Get("b")
		if !args[0].IsInt() || v.AsList().Get(0).AsInt() != 2 || kwargs["k"].AsString() != "v" {
			return jinja.Undefined(), fmt.Errorf("arguments %v %v", args, kwargs)
		}
		return jinja.NewString("called"), nil
	})
	if s, err := tmpl.RenderValues(map[string]jinja.Value{"f": f, "gone": jinja.Undefined()}); s != "calledTrue" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
	failing := jinja.NewCallable("f", func([]jinja.Value, map[string]jinja.Value) (jinja.Value, error) {
		return jinja.Undefined(), context.Canceled
	})
	if _, err := tmpl.RenderValues(map[string]jinja.Value{"f": failing}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestCyclicValues(t *testing.T) {
	tmpl, err := jinja.Compile("{{ l }}")
	if err != nil {
		t.Fatal(err)
	}
	l := jinja.NewList(nil)
	l.AsList().Append(l)
	if _, err := tmpl.RenderValues(map[string]jinja.Value{"l": l}); err == nil {
		t.Error("a list that holds itself was rendered")
	}
}

func TestClock(t *testing.T) {
	tmpl, err := jinja.Compile("{{ strftime_now('%Y-%m-%d') }}")
	if err != nil {
		t.Fatal(err)
	}
	day := func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) }
	if s, err := tmpl.RenderContext(context.Background(), nil, vm.WithClock(day)); s != "2026-03-09" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
	if s, err := tmpl.Render(nil); len(s) != len("2026-03-09") || err != nil {
		t.Errorf("%q, %v", s, err)
	}
}

func TestConcurrent(t *testing.T) {
	tmpl, err := jinja.Compile(chatML)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]any{"messages": json.RawMessage(`[{"role": "user", "content": "hi"}]`)}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if s, err := tmpl.Render(data); s != "<|im_start|>user\nhi<|im_end|>" || err != nil {
					t.Errorf("%q, %v", s, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		x    any
		kind func(jinja.Value) bool
	}{
		{nil, jinja.Value.IsNone}, {true, jinja.Value.IsBool}, {1, jinja.Value.IsInt}, {int64(1), jinja.Value.IsInt},
		{json.Number("1"), jinja.Value.IsInt}, {json.Number("1.0"), jinja.Value.IsFloat}, {1.5, jinja.Value.IsNumber},
		{json.Number("123456789012345678901234567890"), jinja.Value.IsInt},
		{"s", jinja.Value.IsString}, {[]any{1}, jinja.Value.IsList}, {map[string]any{}, jinja.Value.IsDict},
		{json.RawMessage("{}"), jinja.Value.IsDict}, {jinja.Undefined(), jinja.Value.IsUndefined},
	} {
		if v := jinja.FromGoValue(c.x); !c.kind(v) {
			t.Errorf("%T %v has another kind", c.x, c.x)
		}
	}
	d := jinja.FromGoValue(map[string]any{"b": 1, "a": 2}).AsDict()
	d.Set("c", jinja.None())
	d.Set("a", jinja.NewInt(3))
	if got := strings.Join(d.OrderedKeys(), ""); got != "abc" || d.Len() != 3 || !d.Has("c") {
		t.Errorf("keys %q", got)
	}
	if jinja.NewInt(1).AsString() != "" || jinja.NewInt(1).AsList() != nil {
		t.Error("a number is another value too")
	}
	big := map[string]jinja.Value{"x": jinja.FromGoValue(json.Number("123456789012345678901234567890"))}
	tmpl, err := jinja.Compile("{{ x + 1 }}")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := tmpl.RenderValues(big); s != "123456789012345678901234567891" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
}
