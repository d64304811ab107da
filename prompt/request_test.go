package prompt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// reportOf renders the main prompt of a document with its request.
func reportOf(t *testing.T, fsys fstest.MapFS, data any) *Report {
	t.Helper()
	p, err := mustLoad(t, fsys, "a.yaml").Find("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Report(context.Background(), data, vm.WithRequest())
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return r
}

// compact is a JSON text without blanks between its tokens.
func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return b.String()
}

func jsonOf(t *testing.T, v vm.Value) string {
	t.Helper()
	return compact(t, vm.AppendJSON(nil, v, vm.JSONOptions{}))
}

// Messages of the data stand in a document as they are: every key, and content
// that is null, absent and empty.
func TestInsertedMessages(t *testing.T) {
	const history = `[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}],"reasoning":"r"},{"role":"tool","content":"","name":"f","tool_call_id":"1"},{"role":"assistant","tool_calls":[]}]`
	data, err := vm.DecodeJSON([]byte(`{"xs":`+history+`,"a":{"b":`+history+`},"on":true}`), vm.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{
		"messages:\n  - messages: xs\n",
		"- messages: a.b\n",
		"messages:\n  - messages: nothing\n  - messages: xs\n",
		"messages:\n  - when: on\n    messages: xs\n    else: [{user: x}]\n",
		"messages:\n  - when: on\n    messages:\n      - messages: xs\n",
		"messages:\n  - loop: '[a] as x'\n    messages: x.b\n",
		"messages:\n  - messages:\n      - messages: xs if on else nothing\n",
	} {
		r := reportOf(t, filesOf("a.yaml", doc), data)
		items := make([]vm.Value, len(r.Messages))
		for i := range r.Messages {
			items[i] = r.Messages[i].Value()
		}
		if diff := cmp.Diff(history, jsonOf(t, vm.ListOf(items))); diff != "" {
			t.Errorf("%s: %s", doc, diff)
		}
	}
}

// TestMessageContent tells the kinds of content apart, and lists of parts from
// texts.
func TestMessageContent(t *testing.T) {
	data := map[string]any{"parts": []any{map[string]any{"image": map[string]any{"url": "u"}}, map[string]any{"type": "text", "text": "t"}},
		"rows": []any{map[string]any{"text": "t", "id": 1}}, "none": []any{}, "q": "why", "photo": map[string]any{"url": "p"}, "yes": true, "n": nil}
	const parts = `[{"image":{"url":"u"}},{"text":"t","type":"text"}]`
	for _, c := range []struct{ item, want string }{
		{`assistant:`, `{"role":"assistant","content":null}`},
		{`{role: assistant, content: null, tool_calls: []}`, `{"role":"assistant","content":null,"tool_calls":[]}`},
		{`{role: assistant, tool_calls: []}`, `{"role":"assistant","tool_calls":[]}`},
		{`assistant: ""`, `{"role":"assistant","content":""}`},
		{`{assistant: x, name: null, tool_calls: null, cache: true}`, `{"role":"assistant","content":"x","cache":true}`},
		{`{assistant: x, name: "{q}", weight: "{q}{q}"}`, `{"role":"assistant","content":"x","name":"why","weight":"whywhy"}`},
		{`user: "{parts}"`, `{"role":"user","content":` + parts + `}`},
		{`user: "{{ parts }}"`, `{"role":"user","content":` + parts + `}`},
		{`user: " {parts}"`, `{"role":"user","content":" [{\"image\": {\"url\": \"u\"}}, {\"text\": \"t\", \"type\": \"text\"}]"}`},
		{`user: "{rows}"`, `{"role":"user","content":"[{\"id\": 1, \"text\": \"t\"}]"}`},
		{`user: "{none}"`, `{"role":"user","content":"[]"}`},
		{`user: ["{q}", "{parts}", {text: "{q}!"}, "{parts} "]`, `{"role":"user","content":["why",{"image":{"url":"u"}},{"text":"t","type":"text"},{"text":"why!"},"[{\"image\": {\"url\": \"u\"}}, {\"text\": \"t\", \"type\": \"text\"}] "]}`},
		{`user: {text: "{q}", cache: true}`, `{"role":"user","content":[{"text":"why","cache":true}]}`},
		{`user: {image: {url: "https://x/{q}.png", detail: low}}`, `{"role":"user","content":[{"image":{"url":"https://x/why.png","detail":"low"}}]}`},
		{`user: [{image: "{photo}"}]`, `{"role":"user","content":[{"image":{"url":"p"}}]}`},
		{`user: [{type: text, text: "{q}"}]`, `{"role":"user","content":[{"type":"text","text":"why"}]}`},
		{`user: {file: note.md}`, `{"role":"user","content":"note why"}`},
		{`user: [{text: {file: note.md}}]`, `{"role":"user","content":[{"text":"note why"}]}`},
		{`user: [{image: {file: pic.PNG}}]`, `{"role":"user","content":[{"image":{"media_type":"image/png","data":"iVA="}}]}`},
		{`user: [{file: {file: sub/a.pdf}}]`, `{"role":"user","content":[{"file":{"media_type":"application/pdf","name":"a.pdf","data":"JVBERg=="}}]}`},
		{`user: [{file: {file: sub/a.pdf, name: "{q}.pdf"}}]`, `{"role":"user","content":[{"file":{"name":"why.pdf","media_type":"application/pdf","data":"JVBERg=="}}]}`},
		{`user: [{audio: {file: note.md, media_type: audio/wav}}]`, `{"role":"user","content":[{"audio":{"media_type":"audio/wav","data":"bm90ZSB7cX0="}}]}`},
	} {
		for _, syntax := range []string{"", "syntax: jinja\n"} {
			item, want := c.item, c.want
			if syntax != "" {
				if strings.Contains(item, `"{{`) || strings.Contains(item, ".md") || strings.Contains(item, "none") || strings.Contains(want, `\"`) {
					continue // written or printed otherwise
				}
				item = strings.NewReplacer(`"{q}{q}"`, `"{{q}}{{q}}"`, `{q}`, `{{q}}`, `{parts}`, `{{parts}}`, `{none}`, `{{none}}`, `{photo}`, `{{photo}}`).Replace(item)
			}
			fsys := filesOf("a.yaml", syntax+"messages:\n  - "+item+"\n", "note.md", "note {q}", "pic.PNG", "\x89P", "sub/a.pdf", "%PDF")
			r := reportOf(t, fsys, data)
			if got := jsonOf(t, r.Messages[0].Value()); got != want {
				t.Errorf("%s%s:\n got %s\nwant %s", syntax, item, got, want)
			}
		}
	}
}

// TestRequest renders what documents say of the request.
func TestRequest(t *testing.T) {
	const weather = `[{"type":"function","function":{"name":"get_weather","description":"Weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"unit":{"type":"string","enum":["c","f"]}},"required":["city"]}}}]`
	data := map[string]any{"m": "m-1", "t": 0.5, "n": nil, "list": []any{"a", "b"}, "set": []any{"raw"}, "tool": "get_weather"}
	for _, c := range []struct{ head, want string }{
		{"description: x", "null"},
		{"model: m-1", `{"model":"m-1"}`},
		{"model: '{m}'", `{"model":"m-1"}`},
		{"model: 'x-{m}'", `{"model":"x-m-1"}`},
		{"model: {name: m-1}", "null"}, // what a document keeps for its caller
		{"model: 4.10", `{"model":"4.10"}`},
		{"parameters: {temperature: '{t}', max_tokens: 100, stop: ['{m}', END], seed: '{{ n }}', x: {y: '{list}'}}", `{"parameters":{"temperature":0.5,"max_tokens":100,"stop":["m-1","END"],"seed":null,"x":{"y":["a","b"]}}}`},
		{"parameters: {temperature: '{t} '}", `{"parameters":{"temperature":"0.5 "}}`},
		{"parameters: {temperature: '{nope}'}", `{"parameters":{"temperature":"{nope}"}}`},
		{"syntax: jinja\nparameters: {temperature: '{{ t }}', x: '{% set n = namespace(a=1) %}{{ n.a }}'}", `{"parameters":{"temperature":0.5,"x":"1"}}`},
		{"parameters: {}\nmodel: a", `{"parameters":{},"model":"a"}`},
		{"tools: {get_weather: {description: Weather, parameters: {city: string!, unit: [c, f]}}}", `{"tools":` + weather + `}`},
		{"tools: [{get_weather: {description: Weather, parameters: {city: string!, unit: [c, f]}}}]", `{"tools":` + weather + `}`},
		{"tools: " + weather, `{"tools":` + weather + `}`},
		{"tools: [{name: get_weather, title: T, description: Weather, inputSchema: {type: object, properties: {city: {type: string}, unit: {type: string, enum: [c, f]}}, required: [city]}, annotations: {x: 1}}]", `{"tools":` + weather + `}`},
		{"tools: [{name: get_weather, description: Weather, input_schema: {type: object, properties: {city: {type: string}, unit: {type: string, enum: [c, f]}}, required: [city]}}]", `{"tools":` + weather + `}`},
		{"tools: {ping: }", `{"tools":[{"type":"function","function":{"name":"ping"}}]}`},
		{"tools: {ping: {parameters: {}}}", `{"tools":[{"type":"function","function":{"name":"ping","parameters":{}}}]}`},
		{"tools: set", `{"tools":["raw"]}`},
		{"tools: 'set if m else list'", `{"tools":["raw"]}`},
		{"tools: {f: {parameters: {a: 'string[]!', b: integer, c: {type: number!, description: C}, d: {x: bool, y: any}, e!: [1, 2], f: [string], g: [{h: str!}], type: {enum: [q], required: true}, h: [1.5, x]}}}",
			`{"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"type":"integer"},"c":{"type":"number","description":"C"},"d":{"type":"object","properties":{"x":{"type":"boolean"},"y":{}}},"e":{"type":"integer","enum":[1,2]},"f":{"type":"array","items":{"type":"string"}},"g":{"type":"array","items":{"type":"object","properties":{"h":{"type":"string"}},"required":["h"]}},"type":{"enum":["q"]},"h":{"enum":[1.5,"x"]}},"required":["a","c","e","type"]}}}]}`},
		{"tool_choice: required", `{"tool_choice":"required"}`},
		{"tool_choice: {name: f}\ntools: {f: {}}", `{"tool_choice":{"name":"f"},"tools":[{"type":"function","function":{"name":"f"}}]}`},
		{"tool_choice: {type: function, function: {name: '{tool}'}}", `{"tool_choice":{"name":"get_weather"}}`},
		{"output: {answer: string!, score: number}", `{"output":{"schema":{"type":"object","properties":{"answer":{"type":"string"},"score":{"type":"number"}},"required":["answer"],"additionalProperties":false}}}`},
		{"output: {type: object, properties: {a: {type: string}}}", `{"output":{"schema":{"type":"object","properties":{"a":{"type":"string"}}}}}`},
		{"output: {name: n, strict: true, schema: {type: object, properties: {}}}", `{"output":{"name":"n","strict":true,"schema":{"type":"object","properties":{}}}}`},
		{"response_format: {type: json_schema, json_schema: {name: n, schema: {type: object}}}", `{"output":{"name":"n","schema":{"type":"object"}}}`},
		{"response_format: {type: json_object}", `{"output":{"schema":{"type":"object"}}}`},
		{"response_format: {type: text}", "null"},
		{"version: 1.10\nlabels: [prod]\nmetadata: {a: 1}", "null"},
	} {
		r := reportOf(t, filesOf("a.yaml", c.head+"\nmessages:\n  - user: hi\n"), data)
		got := "null"
		if r.Request != nil {
			got = jsonOf(t, vm.MapOf(r.Request))
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.head, got, c.want)
		}
	}
}

// Without being asked for, the request is not rendered.
func TestRequestOnDemand(t *testing.T) {
	p, err := mustLoad(t, filesOf("a.yaml", "parameters: {seed: '{{ nope }}'}\nmessages:\n  - user: hi\n"), "a.yaml").Find("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Report(context.Background(), nil)
	if err != nil || r.Request != nil {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := p.Report(context.Background(), nil, vm.WithRequest()); !errors.Is(err, ErrMissing) {
		t.Errorf("a missing value of the request: %v", err)
	}
	if ms, err := p.Messages(nil); err != nil || len(ms) != 1 {
		t.Errorf("after it failed: %v, %v", ms, err)
	}
}

// What a document says of the request is available to its texts, or kept.
func TestRequestData(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{"examples: shots.jsonl\ntemplate: '{loop examples as e}{e.q}={e.a};{/loop}'\n", "1=2;3=4;"},
		{"examples: [{q: 5}]\ntemplate: '{{ examples[0].q }}'\n", "5"},
		{"examples: {file: shots.jsonl}\nvariables: {}\ntemplate: '{{ examples|length }}'\n", "2"},
		{"output: {a: string}\ntemplate: '{output.schema}'\n", `{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}`},
		{"output: {a: string}\nsyntax: jinja\ntemplate: '{{ output.schema.type }}'\n", "object"},
		{"examples: shots.jsonl\nvars: {x: 1}\ntemplates:\n  a: {output: {a: any}, template: '{x}{{ examples|length }}{{ output.schema.type }}'}\n", "12object"},
	} {
		s := mustLoad(t, filesOf("a.yaml", c.doc, "shots.jsonl", "{\"q\":1,\"a\":2}\n\r\n{\"q\":3,\"a\":4}"), "a.yaml")
		p, err := s.Find("")
		if err != nil {
			t.Fatal(err)
		}
		if w := s.Warnings(); len(w) > 0 {
			t.Errorf("%s: %v", c.doc, w)
		}
		if vars := p.Variables(); len(vars) > 0 && vars[0].Name != "x" {
			t.Errorf("%s: the variables are %v", c.doc, vars)
		}
		if got, err := p.Render(nil); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.doc, got, err)
		}
	}
}

// TestRequestFaults: what is wrong is told where it stands.
func TestRequestFaults(t *testing.T) {
	for _, c := range []struct{ head, code, place, help string }{
		{"tools: 5", "PCC410", "5", ""},
		{"tools: [5]", "PCC433", "5", "name:"},
		{"tools: '{set}'", "PCC420", "'{set}'", "tools: set"},
		{"tools: {name: f, description: x}", "PCC433", "{", "dash"},
		{"tools: [{description: x}]", "PCC433", "{", "name"},
		{"tools: [{name: 'get weather'}]", "PCC433", "'get weather'", "get_weather"},
		{"tools: [{f: {}}, {name: f}]", "PCC433", "f", "name of its own"},
		{"tools: {f: {parameters: {a: strng}}}", "PCC433", "strng", "string"},
		{"tools: {f: {parameters: {a: 5}}}", "PCC433", "5", "string"},
		{"tools: {f: {parameters: {a: }}}", "PCC433", "a", "a: string"},
		{"tools: {f: {parameters: {a: []}}}", "PCC433", "[]", "list"},
		{"tools: {f: {parameters: {a: [[1], 2]}}}", "PCC433", "[1]", ""},
		{"tools: {f: {parameters: string}}", "PCC433", "string", "one parameter"},
		{"tools: {f: {descripton: x}}", "PCC411", "descripton", "description"},
		{"tools: {f: {description: [x]}}", "PCC410", "[x]", ""},
		{"tools: [{type: web_search}]", "PCC433", "web_search", "function"},
		{"tools: [{name: f, cache_control: {}}]", "PCC411", "cache_control", ""},
		{"tools: {f: x}", "PCC433", "x", "parameters"},
		{"tool_choice: any", "PCC412", "any", "required"},
		{"tool_choice: autp", "PCC412", "autp", "auto"},
		{"tool_choice: {name: g}\ntools: {f: {}, h: {}}", "PCC433", "g", ""},
		{"tool_choice: [a]", "PCC410", "[a]", ""},
		{"output: text", "PCC410", "text", ""},
		{"output: {}", "PCC433", "{}", "field"},
		{"output: {a: strin}", "PCC433", "strin", "string"},
		{"response_format: json", "PCC410", "json", ""},
		{"response_format: {type: json_schem}", "PCC412", "json_schem", "json_schema"},
		{"response_format: {type: json_schema}", "PCC433", "json_schema", "json_schema: {"},
		{"parameters: 5", "PCC410", "5", ""},
		{"parameters: {temprature: 1}", "PCC411", "temprature", "temperature"},
		{"model: [a]", "PCC410", "[a]", ""},
		{"labels: {a: 1}", "PCC410", "{", ""},
		{"version: [1]", "PCC410", "[1]", ""},
		{"examples: 5", "PCC410", "5", ""},
		{"examples: none.jsonl", "PCC418", "none.jsonl", ""},
		{"examples: ../x.jsonl", "PCC418", "../x.jsonl", ""},
		{"examples: empty.jsonl", "PCC438", "empty.jsonl", ""},
		{"examples: bad.jsonl", "PCC409", "]", "one JSON value"},
		{"examples: shots.jsonl\nvars: {examples: 1}", "PCC411", "examples", "another name"},
		{"examples: shots.jsonl\nvariables: {examples: {type: list, required: false}}", "PCC411", "examples", "another name"},
		{"tool: {}", "PCC411", "tool", "tools"},
		{"outputs: {a: string}", "PCC411", "outputs", "output"},
		{"paramters: {}", "PCC411", "paramters", "parameters"},
	} {
		list := CheckDocument(filesOf("a.yaml", c.head+"\nmessages:\n  - user: hi\n", "empty.jsonl", " \n", "bad.jsonl", "{}\n{]\n", "shots.jsonl", "{}"), "a.yaml")
		checkFault(t, c.head, list, c.code, c.place, c.help)
	}
	for _, c := range []struct{ item, code, place, help string }{
		{`{messages: xs, cache: true}`, "PCC420", "cache", "new item"},
		{`messages: "{xs}"`, "PCC420", `"{xs}"`, "messages: xs"},
		{`messages: "{messages xs}"`, "PCC420", `"{messages xs}"`, "messages: xs"},
		{`messages: "{{ xs }}"`, "PCC420", `"{{ xs }}"`, "messages: xs"},
		{`user: [{text: a, image: {url: u}}]`, "PCC436", "image", "new part"},
		{`user: [{image: pic.png}]`, "PCC436", "pic.png", "{file: …}"},
		{`user: [{image: 5}]`, "PCC436", "5", ""},
		{`user: [{image: {media_type: image/png}}]`, "PCC436", "{", "url"},
		{`user: [{image: {url: u, file: pic.png}}]`, "PCC436", "file", ""},
		{`user: [{image: {file: note}}]`, "PCC436", "note", "media_type"},
		{`user: [{image: {file: a.pdf}}]`, "PCC436", "a.pdf", "media_type"},
		{`user: [{image: {file: "{x}.png"}}]`, "PCC436", `"{x}.png"`, "content:"},
		{`user: [{image: {file: ../x.png}}]`, "PCC418", "../x.png", ""},
		{`user: [{image: {file: /etc/x.png}}]`, "PCC418", "/etc/x.png", ""},
		{`user: [{image: {file: big.png}}]`, "PCC920", "big.png", ""},
		{`user: [{image: {ulr: u}}]`, "PCC411", "ulr", "url"},
		{`user: [{imge: {url: u}}]`, "PCC411", "imge", "image"},
		{`user: [{}]`, "PCC436", "{", ""},
		{`user: {a: b}`, "PCC410", "{", ""},
		{`{user: a, cache: 5}`, "PCC410", "5", ""},
		{`user: [{text: a, cache: later}]`, "PCC410", "later", ""},
		{`user: [{text: [a]}]`, "PCC410", "[a]", ""},
	} {
		list := CheckDocument(filesOf("a.yaml", "messages:\n  - "+c.item+"\n", "big.png", strings.Repeat("x", 21<<20)), "a.yaml")
		checkFault(t, c.item, list, c.code, c.place, c.help)
	}
}

func checkFault(t *testing.T, what string, list diag.List, code, place, help string) {
	t.Helper()
	for _, d := range list {
		if string(d.Code) == code && d.File != nil && strings.HasPrefix(d.File.Slice(d.Span), place) && strings.Contains(d.Help+d.Message, help) {
			return
		}
	}
	for _, d := range list {
		t.Logf("%s at %q, help %q", d, d.File.Slice(d.Span), d.Help)
	}
	t.Errorf("%s: no %s at %q with %q", what, code, place, help)
}

// A mark for the cache behind text that varies is told, with the text.
func TestCacheMarks(t *testing.T) {
	for _, c := range []struct{ doc, varies string }{
		{"messages:\n  - system: fixed\n    cache: true\n  - user: '{q}'\n", ""},
		{"messages:\n  - system: You help {company}.\n    cache: true\n", "{company}"},
		{"messages:\n  - system: You help {company}.\n    cache: false\n", ""},
		{"messages:\n  - system: '{q}'\n  - user: fixed\n    cache: true\n", "{q}"},
		{"messages:\n  - user: [{text: fixed, cache: true}, '{q}']\n", ""},
		{"messages:\n  - user: ['{q}', {text: fixed, cache: true}]\n", "{q}"},
		{"messages:\n  - user: [{text: '{q}', cache: true}]\n", "{q}"},
		{"messages:\n  - user: [{image: {url: 'https://x/{q}'}}, a]\n    cache: true\n", "{q}"},
		{"messages:\n  - user: {file: x.md}\n    cache: true\n", "{z}"},
		{"messages:\n  - user: '{q}'\n    cache: '{on}'\n", "{q}"},
		{"messages:\n  - system: fixed\n  - messages: history\n  - user: '{q}'\n    cache: true\n", ""},
		{"messages:\n  - system: '{q}'\n  - messages: history\n  - user: fixed\n    cache: true\n", "{q}"},
		{"messages:\n  - system: fixed\n  - loop: history as t\n    messages: [{user: '{t}'}]\n  - user: '{q}'\n    cache: true\n", ""},
		{"messages:\n  - when: pro\n    messages: [{system: fixed, cache: true}]\n    else: [{system: '{q}', cache: true}]\n", "{q}"},
		{"messages:\n  - switch: plan\n    cases: {pro: [{system: '{q}', cache: true}]}\n", "{q}"},
		{"messages:\n  - system: '{when pro}{q}{/when}'\n    cache: true\n", "{q}"},
		{"output: {a: string}\nexamples: [{q: a}]\nmessages:\n  - system: '{output.schema}{{ examples[0].q }}{loop examples as e}{e.q}{/loop}{{ 1 + 1 }}'\n    cache: true\n", ""},
		{"examples: [{q: a}]\nmessages:\n  - loop: examples as e\n    messages: [{user: '{e.q}'}]\n  - user: '{q}'\n    cache: true\n", "{q}"},
		{"syntax: jinja\nmessages:\n  - system: '{{ q }}'\n    cache: true\n", "{{ q }}"},
	} {
		list := CheckDocument(filesOf("a.yaml", c.doc, "x.md", "a\n{z}"), "a.yaml")
		got := ""
		for _, d := range list {
			if d.Code == "PCC435" && len(d.Labels) == 1 {
				got += d.Labels[0].File.Slice(d.Labels[0].Span)
			}
		}
		if got != c.varies {
			t.Errorf("%s: %q is told, want %q: %v", c.doc, got, c.varies, list)
		}
	}
}

// Schemas of tools and of the output are held against JSON Schema.
func TestSchemasInDocuments(t *testing.T) {
	for _, c := range []struct{ head, place, message string }{
		{"output: {type: object, properties: {n: {type: whole}}}", "whole", "the schema of the output, at `properties.n.type`"},
		{"tools: [{name: f, inputSchema: {type: object, properties: {n: {type: string, required: true}}}}]", "true", "the tool `f`, at `properties.n.required`"},
		{"tools: {g: {parameters: {type: object, required: a}}}", "a", "the tool `g`, at `required`"},
		{"tools: {g: {parameters: {a: {type: string, minLength: -1}}}}", "-1", "the tool `g`, at `properties.a.minLength`"},
		{"output: {a: {$ref: '#/$defs/x'}}", "'#/$defs/x'", "leads nowhere"},
		{"output: {type: object, properties: {a: {$ref: 'https://example.com/x.json'}}}", "'https://example.com/x.json'", "nothing is fetched"},
		{"output: {a: {type: [string, nul]}}", "nul", "must be one of"},
	} {
		list := CheckDocument(filesOf("a.yaml", c.head+"\nmessages:\n  - user: hi\n"), "a.yaml")
		checkFault(t, c.head, list, "PCC434", c.place, c.message)
	}
	list := CheckDocument(filesOf("a.yaml", "output: {type: object, properties: {n: {type: whole}}}\ntemplates: {a: hi, b: hi, c: hi}\n"), "a.yaml")
	if len(list) != 1 {
		t.Errorf("what several prompts inherit is told once: %v", list)
	}
}

// What all prompts of a document inherit is read once, and made once.
func TestInheritedRequest(t *testing.T) {
	var head, many strings.Builder
	head.WriteString("tools:\n")
	for i := range 300 {
		fmt.Fprintf(&head, "  - t%d: {parameters: {a: string, b: [x, y]}}\n", i)
	}
	head.WriteString("examples: shots.jsonl\nmetadata: {list: [" + strings.Repeat("1, ", 2000) + "1]}\n")
	many.WriteString("templates:\n")
	for i := range 5000 {
		fmt.Fprintf(&many, "  e%d: hi\n", i)
	}
	files := func(text string) fstest.MapFS {
		return filesOf("a.yaml", text, "shots.jsonl", strings.Repeat("{\"q\":[1,2,3,4,5,6,7,8,9]}\n", 5000))
	}
	s := mustLoad(t, files(head.String()+many.String()), "a.yaml")
	first, _ := s.Lookup("e0")
	last, _ := s.Lookup("e4999")
	for _, key := range []string{"tools", "metadata", "examples"} {
		a, ok := first.Meta().Get(key)
		b, _ := last.Meta().Get(key)
		if !ok {
			t.Fatalf("%s is not inherited", key)
		}
		if x, isList := a.List(); isList {
			if y, _ := b.List(); x != y {
				t.Errorf("each prompt has a %s of its own", key)
			}
		} else if x, isMap := a.Map(); isMap {
			if y, _ := b.Map(); x != y {
				t.Errorf("each prompt has a %s of its own", key)
			}
		}
	}
	// What cannot be shared is bounded.
	list := CheckDocument(files("parameters: {a: '{x}', b: ["+strings.Repeat("1, ", 1000)+"1]}\n"+many.String()), "a.yaml")
	if len(list) != 1 || list[0].Code != "PCC922" {
		t.Errorf("%v", list)
	}
}
