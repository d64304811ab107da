package prompt_test

import (
	"fmt"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

// seedShapes are inputs of each shape that the rows of the seed systems have.
var seedShapes = map[string][]string{
	"agentforge": {
		`{"fn": "extract", "template": "{a}"}`, `{"fn": "check", "version": "head", "template": "{a}", "data": {"a": 1}}`,
		`{"fn": "render", "version": "v0.2.11", "template": "{a}", "data": {"a": [1]}}`, `{"fn": "unescape", "template": "/{a/}"}`,
		`{"fn": "render_prompts", "version": "4425be8", "prompts": {"system": "{a}", "user": {"x": "u"}}, "data": {}}`,
		`{"fn": "render_prompts", "version": "v0.4.0", "prompts": {"System": "s", "User": "u"}, "data": null}`,
		`{"fn": "markdown", "value": {"a": [1, {"b": null}]}, "indent": 0}`, `{"fn": "persona", "static": {"name": "n"}, "settings": {"static_char_cap": 5}}`,
		`{"fn": "validate_format", "version": "head", "prompts": {"user": "u"}}`, `{"fn": "check_format", "version": "v0.5.0", "prompts": {"system": "s", "user": "u"}}`,
		`{"fn": "fix_placeholders", "yaml": "user: {x}"}`, `{"fn": "load_and_render", "yaml": "prompts: {user: hi}", "data": {}}`,
		`{"fn": "validate", "version": "v0.5.0", "rendered": {"system": "", "user": "u"}}`,
	},
	"hf": {
		`{"kind": "text", "template": "{{ a }}", "vars": {"a": 1}}`, `{"kind": "text", "template": "x", "op": "variables"}`,
		`{"kind": "text", "template": "x", "op": "save", "filename": "t.yaml"}`, `{"kind": "text", "template": "x", "op": "save_load", "filename": "t.json", "format": "json"}`,
		`{"kind": "text", "template": "x", "op": "display"}`, `{"kind": "text", "template": "x", "op": "repr"}`, `{"kind": "chat", "template": [], "op": "getitem"}`,
		`{"kind": "chat", "template": [{"role": "user", "content": "x"}], "vars": {}, "client": "anthropic"}`,
		`{"kind": "names", "template": "{a}", "populator": "single_brace_regex"}`, `{"kind": "populator", "template": "{a}", "populator": "jinja2", "vars": {}}`,
		`{"kind": "file", "filename": "t.yaml", "text": "prompt: {template: x}", "class": "base", "vars": {}}`, `{"kind": "file", "filename": "none.yaml"}`,
		`{"kind": "dictionary", "text": "prompt: {template_dictionary: {a: {template: x}}}", "get": "a", "populate": "a", "vars": {}}`,
		`{"kind": "dictionary", "text": "prompt: {template: x}"}`, `{"kind": "format", "messages": [{"role": "user", "content": "x"}], "client": "google"}`,
		`{"kind": "format", "messages": "x", "client": "openai"}`, `{"kind": "keyword_clash"}`,
		`{"kind": "text", "template": "{a}", "populator": "autodetect", "version": "8d52847^", "vars": {"a": 1}}`,
	},
	"phronomy": {
		`{"template": "{{a}}", "call": "format", "arg": {"a": 1}}`, `{"template": "{{a}}", "system_template": "{{b}}", "call": "format_system", "arg": {}}`,
		`{"template": "{{input}}", "call": "invoke", "arg": "x"}`, `{"template": "{{a}}", "call": "variables"}`, `{"template": "x", "call": "batch", "arg": [{}, "y"]}`,
		`{"template": "x", "call": "stream", "arg": {}}`, `{"template": "x", "call": "trace", "arg": {}}`, `{"template": "x", "call": "instructions", "arg": "q"}`,
		`{"template": "x", "call": "invoke", "arg": 3, "keys": "symbol"}`, `{"template": null, "call": "format", "arg": {}}`,
	},
	"pdx": {
		`{"kind": "agent", "files": {"config.yaml": "prompt: [{user: a.txt}]", "templates/a.txt": "x"}, "request": {}}`,
		`{"kind": "agent", "files": {"config.yaml": "prompt: [{template: a.txt}]", "templates/a.txt": "x"}, "runs": [{}, null]}`,
		`{"kind": "agent", "files": {"config.yaml": "prompt: [{user: a.txt}]"}, "strict": true}`, `{"kind": "chain"}`, `{"kind": "prompt"}`,
	},
}

// TestSeedShapes runs each shape, as it stands and with each of its fields
// missing, null or of another type: what comes of it is a value or an error,
// and never a panic. Expected results of any type can be compared with it.
func TestSeedShapes(t *testing.T) {
	runs := map[string]func(*testing.T, *seedRow) seedResult{"agentforge": runAgentForge, "hf": runPromptTemplates, "phronomy": runPair, "pdx": runAgent}
	for system, inputs := range seedShapes {
		for i, text := range inputs {
			in, err := vm.DecodeJSON([]byte(text), vm.DecodeOptions{})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			whole, _ := in.Map()
			try := func(name string, in vm.Value) {
				for _, expect := range []vm.Value{vm.Null, vm.String("x"), mapOf("result", vm.Null), mapOf("messages", vm.Null, "session_type", "text")} {
					r := &seedRow{id: fmt.Sprintf("%s-%d %s", system, i, name), in: in, row: mapOf("expect", expect)}
					if got := runSeed(t, r, runs[system]); got.na == "" {
						r.check(got)
					}
				}
			}
			try("whole", in)
			for j := range whole.Len() {
				key, _ := whole.At(j)
				name, _ := key.Str()
				if name == "fn" || name == "kind" || name == "call" || name == "op" {
					continue // what is run must be known
				}
				for what, x := range map[string]vm.Value{"null": vm.Null, "a number": vm.Int(1), "a list": vm.Of([]any{1, "x"}), "a map": mapOf("k", vm.Of([]any{nil}))} {
					m := vm.NewMap(whole.Len())
					for n := range whole.Len() {
						if k, v := whole.At(n); n != j {
							m.Put(k, v)
						}
					}
					if what != "null" {
						m.Put(key, x)
					}
					try(name+" is "+what, vm.MapOf(m))
				}
			}
		}
	}
}
