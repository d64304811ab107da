package vm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// rawParts are the values of the variables in rawTemplates.
var rawParts = map[string]string{
	"m": `{"z": 1.0, "a": [1, {"k": "v"}, [2.50]], "s": "te\u00e9xt", "deep": {"b": {"c": [true, null]}}, "n": null}`,
	"l": `["x", "b", "a"]`, "s": `"plain <&> \"text\""`, "i": `12`, "big": `12345678901234567890123`, "f": `2.50`,
	"t": `true`, "no": `false`, "none": `null`, "e": `{}`, "el": `[]`,
	"rows":     `[{"id": 2, "tags": ["p"]}, {"id": 1, "tags": []}]`,
	"messages": `[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": {"b": 1, "a": 2.0}}}]}]`,
}

// rawTemplates read each value in all the ways there are.
var rawTemplates = map[string][]string{
	"brace": {
		"{m}|{l}|{s}|{i}|{big}|{f}|{t}|{no}|{none}|{e}|{el}|{rows}",
		"{m.z}{m.a[1].k}{m.s}{m.deep.b.c[0]}{m.deep.b}{m.a.0}{{ m['s'] }}{{ m.a[-1][0] }}{{ l[1] }}{{ l[0:2] }}{{ s[0] }}{{ s[::-1] }}",
		"{loop l as x}<{x}>{/loop}{loop m as k, v}{k}={v};{/loop}{loop rows}{id}{tags}{item.id}{loop tags as t}{t}{/loop}{/loop}{loop el as x}{x}{else}none{/loop}{loop none as x}{else}no{/loop}",
		"{when t}1{/when}{when no}2{else}3{/when}{when e}4{else}5{/when}{when el}6{else}7{/when}{when none}8{else}9{/when}{when m.deep}10{/when}{when not s}11{else}12{/when}",
		`{switch s}{case "plain <&> \"text\""}A{default}B{/switch}{switch i}{case 12}C{default}D{/switch}{switch m.z}{case 1}E{default}F{/switch}`,
		`{{ i + 1 }}{{ f * 2 }}{{ -i }}{{ s ~ i ~ l }}{{ l + l }}{{ s + "x" }}{{ i == 12 }}{{ l == ["x", "b", "a"] }}{{ m.deep == m["deep"] }}{{ i < 13 }}{{ "b" in l }}{{ "z" in m }}{{ s in [s] }}{{ "ex" in s }}{{ none == null }}`,
		`{{ s|upper }}{{ l|join("-") }}{{ l|sort }}{{ m|json }}{{ m|yaml }}{{ rows|map(attribute="id")|join }}{{ rows|sort(attribute="id") }}{{ l|length }}{{ m|length }}{{ e|default("d") }}{{ none|default("d") }}{{ s|length }}{{ i|string }}{{ t|string }}{{ m|dictsort }}{{ m|markdown }}{{ l|bullets }}{{ f|round }}`,
		`{{ t is boolean }}{{ s is string }}{{ i is integer }}{{ m is mapping }}{{ l is sequence }}{{ none is none }}{{ l if t else s }}{{ [l, s] }}{{ {"k": m, "j": [s]} }}{{ l|first }}{{ l|last }}{{ rows[0].tags|first }}`,
		"{{ m.nope|default(s) }}{{ [i, f]|sum }}{{ rows|groupby('id') }}{{ rows|selectattr('id', 'equalto', i)|list }}{{ l|batch(2)|list }}",
	},
	"jinja": {
		"{{ m }}|{{ l }}|{{ s }}|{{ i }}|{{ big }}|{{ f }}|{{ t }}|{{ no }}|{{ none }}|{{ e }}|{{ el }}|{{ rows }}",
		"{{ m.z }}{{ m.a[1].k }}{{ m.s }}{{ m.deep.b.c[0] }}{{ m['deep']['b'] }}{{ m.get('s') }}{{ m.items()|list }}{{ l[1:] }}{{ s[0] }}{{ s.upper() }}{{ s.split(' ') }}{{ m.keys()|list }}",
		"{% for x in l %}<{{ x }}{{ loop.last }}>{% endfor %}{% for k, v in m.items() %}{{ k }}={{ v }};{% endfor %}{% for r in rows if r.id == 2 %}{{ r.tags }}{% endfor %}{% for c in s %}{{ c }}{% endfor %}{% for k in m %}{{ k }}{% endfor %}",
		"{% if t %}1{% endif %}{% if no %}2{% else %}3{% endif %}{% if e %}4{% else %}5{% endif %}{% if el %}6{% endif %}{% if not none %}9{% endif %}{% if m.deep and l %}10{% endif %}",
		"{% set x = m %}{{ x.s }}{% set a, b, c = l %}{{ a }}{{ b }}{{ c }}{% set ns = namespace(v=l) %}{{ ns.v }}{% macro q(x, y=1) %}{{ x }}{{ y }}{{ x[0] }}{% endmacro %}{{ q(l) }}{{ q(l, y=s) }}{% with z = rows %}{{ z[1].id }}{% endwith %}",
		`{{ i + 1 }}{{ f * 2 }}{{ -i }}{{ s ~ i ~ l }}{{ l + l }}{{ s + "x" }}{{ s % () if no else "" }}{{ "%s %d" % (s, i) }}{{ "{} {}".format(s, i) }}{{ i == 12 }}{{ l == ["x", "b", "a"] }}{{ i < 13 }}{{ "b" in l }}{{ "z" in m }}{{ big + 1 }}{{ i // 5 }}{{ i ** 2 }}`,
		`{{ s|upper }}{{ l|join("-") }}{{ l|sort }}{{ m|tojson }}{{ m|tojson(indent=2) }}{{ rows|map(attribute="id")|list }}{{ l|length }}{{ none|default("d", true) }}{{ m|dictsort }}{{ rows|groupby("id")|list }}{{ m|pprint }}{{ s|escape }}{{ m|items|list }}{{ [m, l]|tojson }}{{ l|reverse|list }}{{ l|random if no }}{{ s|safe }}{{ f|int }}{{ m|xmlattr }}`,
		"{{ t is boolean }}{{ s is string }}{{ i is integer }}{{ m is mapping }}{{ l is sequence }}{{ l is iterable }}{{ none is none }}{{ dict(m, y=l) }}{{ dict(k=m).k.s }}{{ {s: m}|tojson }}{{ l.index('b') }}{{ l.count('a') }}",
		`{{ l.append('new') or "" }}{{ l }}{{ m.update({'up': 1}) or "" }}{{ m.up }}{{ m|length }}{{ rows[0].tags.append(1) or "" }}{{ rows }}`,
		"{% for m in messages %}{{ m.role }}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.arguments|tojson }}{% for k, v in c.function.arguments|items %}{{ k }}{{ v }}{% endfor %}{% endfor %}{% endfor %}",
	},
}

type rawFields struct {
	M        json.RawMessage            `json:"m"`
	L        *json.RawMessage           `json:"l"`
	S        jsontext.Value             `json:"s"`
	I        any                        `json:"i"`
	Big      **json.RawMessage          `json:"big"`
	F        *jsontext.Value            `json:"f"`
	T, No    json.RawMessage            // by their lower case names below
	None     json.RawMessage            `json:"none"`
	E        json.RawMessage            `json:"e"`
	El       json.RawMessage            `json:"el"`
	Rows     []json.RawMessage          `json:"rows"`
	Messages []map[string]any           `json:"messages"`
	Rest     map[string]json.RawMessage `json:"-"`
}

func rawData(t *testing.T) (want vm.Value, forms map[string]any) {
	t.Helper()
	var all strings.Builder
	decoded := vm.NewMap(0)
	messages, typed, withJSONValues, own := map[string]any{}, map[string]json.RawMessage{}, map[string]any{}, vm.NewMap(0)
	all.WriteString("{")
	for k, s := range rawParts {
		v, err := vm.DecodeJSON([]byte(s), vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		decoded.Set(k, v)
		raw := json.RawMessage(s)
		messages[k], typed[k], withJSONValues[k] = raw, raw, jsontext.Value(s)
		own.Set(k, vm.Of(&raw))
		if all.Len() > 1 {
			all.WriteString(", ")
		}
		fmt.Fprintf(&all, "%q: %s", k, s)
	}
	all.WriteString("}")
	whole := json.RawMessage(all.String())
	r := func(k string) json.RawMessage { return json.RawMessage(rawParts[k]) }
	l, big, f := r("l"), r("big"), jsontext.Value(rawParts["f"])
	pbig := &big
	fields := &rawFields{M: r("m"), L: &l, S: jsontext.Value(rawParts["s"]), I: r("i"), Big: &pbig, F: &f, E: r("e"), El: r("el"),
		Rows: []json.RawMessage{json.RawMessage(`{"id": 2, "tags": ["p"]}`), json.RawMessage(`{"id": 1, "tags": []}`)}}
	if err := json.Unmarshal([]byte(rawParts["messages"]), &fields.Messages); err != nil {
		t.Fatal(err)
	}
	fields.Messages[1]["tool_calls"] = []any{map[string]any{"function": struct {
		Arguments json.RawMessage `json:"arguments"`
	}{json.RawMessage(`{"b": 1, "a": 2.0}`)}}}
	list := map[string]any{}
	for k, v := range messages {
		list[k] = v
	}
	list["l"] = []any{json.RawMessage(`"x"`), jsontext.Value(`"b"`), "a"}
	list["rows"] = []any{map[string]any{"id": json.RawMessage("2"), "tags": json.RawMessage(`["p"]`)}, json.RawMessage(`{"id": 1, "tags": []}`)}
	return vm.MapOf(decoded), map[string]any{
		"whole": whole, "jsontext": jsontext.Value(whole), "pointer": &whole, "map": messages, "typed map": typed,
		"jsontext values": withJSONValues, "ordered map": own, "lists": list,
		"struct": struct {
			*rawFields
			T  json.RawMessage `json:"t"`
			No json.RawMessage `json:"no"`
		}{fields, r("t"), r("no")},
	}
}

// TestRawJSON: raw JSON of the host reads as the value that it holds, wherever it
// stands, in both languages: as if the caller had decoded it. Programs bind to
// types at the second render and remember sizes, so that each is made thrice.
func TestRawJSON(t *testing.T) {
	want, forms := rawData(t)
	for syntax, sources := range rawTemplates {
		for _, src := range sources {
			p, err := compiler.Compile(src, compiler.WithSyntax(compiler.Syntax(syntax)))
			if err != nil {
				t.Errorf("%s: %v", src, err)
				continue
			}
			expected, err := p.Render(want)
			if err != nil {
				t.Errorf("%s: %v", src, err)
				continue
			}
			for name, data := range forms {
				for range 3 {
					got, err := p.Render(data)
					if err != nil || got != expected {
						t.Errorf("%s\n%s: %v\ngot  %s\nwant %s", src, name, err, got, expected)
						break
					}
				}
				r, err := p.Report(context.Background(), data, vm.WithSegments())
				if err != nil || r.Text != expected {
					t.Errorf("%s\n%s, recorded: %v", src, name, err)
				}
			}
		}
	}
}

// TestRawMessages: whole messages, and parts of them, may be raw JSON.
func TestRawMessages(t *testing.T) {
	_, forms := rawData(t)
	p := mustCompile(t, `{messages messages}{message user}{m.s}{/message}`)
	for name, data := range forms {
		got, err := p.Messages(data)
		if err != nil || len(got) != 3 || got[0].Content != "Hi" || got[1].Extra == nil || got[2].Content != "teéxt" {
			t.Errorf("%s: %v, %v", name, got, err)
			continue
		}
		calls, _ := got[1].Extra.Get("tool_calls")
		if text := string(vm.AppendJSON(nil, calls, vm.JSONOptions{})); !strings.Contains(text, `"arguments": {"b": 1, "a": 2.0}`) && !strings.Contains(text, `"arguments": {"b": 1, "a": 2}`) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestRawContract: declared types hold for what the JSON is.
func TestRawContract(t *testing.T) {
	head := "---\nvariables:\n  x: {type: %s}\n---\n{{ x }}"
	for raw, want := range map[string]string{`{"a": 1}`: "map", `[1]`: "list", `"s"`: "string", `1`: "integer", `1.5`: "number", `true`: "boolean"} {
		for _, typ := range []string{"map", "list", "string", "integer", "number", "boolean"} {
			p := mustCompile(t, fmt.Sprintf(head, typ))
			_, err := p.Render(map[string]any{"x": json.RawMessage(raw)})
			if ok := typ == want || typ == "number" && want == "integer"; ok != (err == nil) || !ok && !errors.Is(err, &diag.Diagnostic{Code: "PCC305"}) {
				t.Errorf("%s as %s: %v", raw, typ, err)
			}
		}
	}
	p := mustCompile(t, fmt.Sprintf(head, "any, enum: [a]"))
	if _, err := p.Render(map[string]any{"x": json.RawMessage(`"b"`)}); !errors.Is(err, &diag.Diagnostic{Code: "PCC306"}) {
		t.Errorf("enum: %v", err)
	}
	for _, typ := range []string{"string", "map"} {
		p := mustCompile(t, fmt.Sprintf(head, typ))
		if _, err := p.Render(map[string]any{"x": json.RawMessage(nil)}); !errors.Is(err, &diag.Diagnostic{Code: "PCC305"}) {
			t.Errorf("nil as %s: %v", typ, err)
		}
	}
}

// TestRawFaults: what is no JSON is told with its path, wherever it is needed,
// and is no fault where nothing reads it.
func TestRawFaults(t *testing.T) {
	bad := json.RawMessage(`{"a": SECRET}`)
	other := func() json.RawMessage { return append(json.RawMessage(nil), bad...) }
	type user struct {
		Meta json.RawMessage `json:"meta"`
	}
	nested := map[string]any{"users": []user{{json.RawMessage(`{}`)}, {other()}}, "my key": map[string]any{"x": other()}, "m": vm.MapOf(func() *vm.Map {
		m := vm.NewMap(1)
		m.Set("v", vm.Of(other()))
		return m
	}())}
	for _, c := range []struct {
		src, path string
		data      any
	}{
		{"{{ x }}", "`x`", map[string]any{"x": bad}}, {"{x.a}", "`x`", map[string]any{"x": bad}}, {"{when x}1{/when}", "`x`", map[string]any{"x": bad}},
		{"{loop x as y}1{/loop}", "`x`", map[string]any{"x": bad}}, {"{{ x|upper }}", "`x`", map[string]any{"x": bad}}, {`{switch x}{case "a"}{/switch}`, "`x`", map[string]any{"x": bad}},
		{`{{ x == 1 }}`, "`x`", map[string]any{"x": bad}}, {`{{ [x] }}`, "`x`", map[string]any{"x": bad}}, {`{{ x ~ "a" }}`, "`x`", map[string]any{"x": bad}}, {"---\nroles: [a]\n---\n{message x}{/message}", "`x`", map[string]any{"x": bad}},
		{"{{ users }}", "`users[1].meta`", nested}, {"{loop users as u}{u.meta}{/loop}", "`users[1].meta`", nested}, {"{{ users[1].meta.a }}", "`users[1].meta`", nested},
		{"{{ users|json }}", "`users[1].meta`", nested}, {`{{ users|map(attribute="meta")|list|json }}`, "`users[1].meta`", nested},
		{`{{ vars["my key"] }}`, "`[\"my key\"].x`", nested}, {"{{ m.v.a }}", "`m.v`", nested},
		{"{x}", "the data", bad}, {"{x}", "the data", json.RawMessage{}}, {"---\nvariables: {x: {type: map}}\n---\n{x}", "`x`", map[string]any{"x": bad}},
	} {
		p := mustCompile(t, c.src)
		var err error
		if p.IsChat() {
			_, err = p.Messages(c.data)
		} else {
			_, err = p.Render(c.data)
		}
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != "PCC330" || !strings.Contains(d.Message, c.path) || d.Help == "" || strings.Contains(fmt.Sprintf("%+v", err), "SECRET") {
			t.Errorf("%s: %+v, want %s", c.src, err, c.path)
		}
		j, err := compiler.Compile("{{ "+"x"+" }}{% if users %}{{ users[1].meta }}{% endif %}", compiler.WithSyntax("jinja"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Render(c.data); !errors.As(err, &d) || d.Code != "PCC330" {
			t.Errorf("jinja: %v", err)
		}
	}
	for raw, code := range map[string]string{`{"a": 1, "a": 2}`: "PCC331", `1e999`: "PCC332", `"\ud800"`: "PCC333", strings.Repeat("[", 65) + strings.Repeat("]", 65): "PCC912", ``: "PCC330"} {
		if _, err := mustCompile(t, "{{ x }}").Render(map[string]any{"x": json.RawMessage(raw)}); !errors.Is(err, &diag.Diagnostic{Code: diag.Code(code)}) {
			t.Errorf("%s: %v, want %s", raw, err, code)
		}
	}
	if s, err := mustCompile(t, "{y}{users[0].meta}").Render(map[string]any{"x": bad, "y": 1, "users": nested["users"]}); s != "1{}" || err != nil {
		t.Errorf("what nothing reads: %q, %v", s, err)
	}
}

// TestRawIsPaidFor: raw JSON is decoded once in a render and charged at its size,
// before it is decoded; the context is looked at on the way.
func TestRawIsPaidFor(t *testing.T) {
	text := `[` + strings.Repeat(`{"k": [1, "s"]}, `, 20_000) + `0]`
	for syntax, src := range map[string]string{"brace": "{{ x[%d].k[1] }}", "jinja": "{{ x[%d].k[1] }}{%% if x %%}{%% endif %%}{{ x|length }}"} {
		var used [2]int64
		for i, n := range []int{1, 200} {
			var b strings.Builder
			for j := range n {
				fmt.Fprintf(&b, src, j)
			}
			p, err := compiler.Compile(b.String(), compiler.WithSyntax(compiler.Syntax(syntax)))
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Report(context.Background(), map[string]any{"x": json.RawMessage(text)})
			if err != nil {
				t.Fatal(err)
			}
			used[i] = r.Memory
			if r.Steps < int64(len(text))/64 {
				t.Errorf("%s: %d steps for %d bytes", syntax, r.Steps, len(text))
			}
		}
		if least := int64(20_000 * (2*112 + 5*24)); used[0] < least {
			t.Errorf("%s: %d bytes are charged, want %d or more", syntax, used[0], least)
		}
		if used[1] > used[0]+used[0]/10 {
			t.Errorf("%s: 200 reads take %d bytes, one takes %d", syntax, used[1], used[0])
		}
	}
	p := mustCompile(t, "{{ x[0] }}")
	data := map[string]any{"x": json.RawMessage(text)}
	if _, err := p.RenderContext(context.Background(), data, vm.WithLimits(vm.Limits{Memory: 1 << 20})); !errors.Is(err, &diag.Diagnostic{Code: "PCC905"}) {
		t.Errorf("memory: %v", err)
	}
	if _, err := p.RenderContext(context.Background(), data, vm.WithLimits(vm.Limits{Steps: 1000})); !errors.Is(err, &diag.Diagnostic{Code: "PCC904"}) {
		t.Errorf("steps: %v", err)
	}
	for _, long := range []string{text + text[1:], `"` + strings.Repeat("é", 200_000) + `"`, `"` + strings.Repeat(`\n`, 200_000) + `"`} {
		ctx := &endingContext{Context: context.Background(), looks: 3}
		if _, err := p.RenderContext(ctx, map[string]any{"x": json.RawMessage(long)}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled on the way: %v", err)
		}
	}
}

// endingContext is cancelled after a number of looks.
type endingContext struct {
	context.Context
	looks int
}

func (c *endingContext) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestRawIsTheRendersOwn: what a render changes in decoded JSON is not seen by
// the next, and the raw JSON itself stays.
func TestRawIsTheRendersOwn(t *testing.T) {
	p, err := compiler.Compile(`{{ x.l.append(1) or "" }}{{ x.l.append(2) or "" }}{{ x.l }}{{ s.M.l }}{{ s.M.l.append(3) or "" }}{{ s.M.l }}`, compiler.WithSyntax("jinja"))
	if err != nil {
		t.Fatal(err)
	}
	raw := json.RawMessage(`{"l": [0]}`)
	data := map[string]any{"x": raw, "s": struct{ M json.RawMessage }{json.RawMessage(`{"l": [9]}`)}}
	for range 3 {
		if got, err := p.Render(data); got != "[0, 1, 2][9][9, 3]" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if string(raw) != `{"l": [0]}` {
		t.Errorf("the caller's JSON is %s", raw)
	}
}

// TestRawWithoutRender: values that are asked outside of a render decode, too.
func TestRawWithoutRender(t *testing.T) {
	for raw, kind := range map[string]vm.Kind{`{"a": 1}`: vm.KindMap, ` [1]`: vm.KindList, `"s"`: vm.KindString, `1`: vm.KindInt, `1e5`: vm.KindFloat, `true`: vm.KindBool, `null`: vm.KindNull} {
		for _, v := range []vm.Value{vm.Of(json.RawMessage(raw)), vm.Of(jsontext.Value(raw))} {
			if v.Kind() != kind {
				t.Errorf("%s is of kind %s", raw, v.Kind())
			}
		}
	}
	if v, ok := vm.Lookup(vm.Of(json.RawMessage(`{"a": [1]}`)), "a"); !ok || !v.IsSequence() {
		t.Errorf("a key of raw JSON: %v", v)
	}
	if s, ok := vm.Of(json.RawMessage(`"a\n"`)).Str(); s != "a\n" || !ok {
		t.Errorf("a text: %q", s)
	}
	if n, ok := vm.Of(json.RawMessage(`7`)).Int64(); n != 7 || !ok {
		t.Errorf("an integer: %d", n)
	}
	if b, ok := vm.Of(json.RawMessage(`tru`)).AsBool(); b || ok {
		t.Error("what is no JSON is a boolean")
	}
}
