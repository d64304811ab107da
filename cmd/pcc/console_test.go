package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostileName steers a terminal, forges lines of a log, and gives orders to the
// server that reads it.
const hostileName = "n\x1b[31m\u009b31m\x7f\u202e\u2066\u2028\r\n::error::x\n##[error]x"

// hostileYAML is hostileName in a YAML document, hostileJSON in JSON.
const (
	hostileYAML = `"n\e[31m\u009b31m\x7f\u202e\u2066\u2028\r\n::error::x\n##[error]x"`
	hostileJSON = `"n\u001b[31m\u009b31m\u007f\u202e\u2066\u2028\r\n::error::x\n##[error]x"`
)

// orders are the lines and marks that the servers which run builds obey.
var orders = regexp.MustCompile(`(?m)^\s*::error::x|##\w*\[`)

// steers reports what in a text a terminal or the log of a build server obeys.
func steers(text string) string {
	for i, r := range text {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0 || r == utf8.RuneError || strings.ContainsRune("\u202e\u2066\u2028", r) {
			return text[max(0, i-20):min(len(text), i+20)]
		}
	}
	return orders.FindString(text)
}

// TestOutputObeysNobody drives every command with names from outside that
// steer terminals and logs, in every form of diagnostics.
func TestOutputObeysNobody(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files cannot have such names there")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	file := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	name, short := hostileName+".md", "::error::x.md"
	file(name, "Hi {name}{{ x|nothing }}")
	file("good"+name, "Hi {name} {a|b}")
	file(short, "Hi {name} {a|b}")
	file(hostileName+"/"+name, "{{when x}}")
	file("t.md", "Hi {name}")
	file("front.md", "---\nvariables:\n  v: {type: string, description: "+hostileYAML+", default: "+hostileYAML+"}\n  ::error::x: {type: string, enum: ["+hostileYAML+"]}\n---\nHi {v}")
	file("vars.yaml", "variables:\n  "+hostileYAML+": {type: string, required: false}\nmessages:\n  - user: hi\n")
	file("include.md", `{include "`+short+`"}{{ include("x") }}{include "n\x1b[31m"}`)
	file("many.yaml", "templates:\n  "+hostileYAML+": hi\n  ::error::x: ho\n")
	file("tests.yaml", "template: \"Hi {name}\"\ntests:\n  - name: "+hostileYAML+"\n    data: {name: "+hostileYAML+"}\n    expect: {text: \"Hi\\n::error::x\\n\"}\n"+
		"  - name: '::error::x'\n    expect: {contains: "+hostileYAML+"}\n  - "+hostileYAML+": 1\n    entry: "+hostileYAML+"\n")
	file("bad.json", `{`+hostileJSON+`: 1, `+hostileJSON+`: 2}`)
	file("data.json", `{`+hostileJSON+`: 1, "name": `+hostileJSON+`}`)
	file("bad.yaml", hostileYAML+": [\n")
	file("rows.jsonl", `{"name": "a"}`+"\n"+`{`+hostileJSON+`: 1, `+hostileJSON+`: 2}`+"\n")
	file("raise.jinja", `{{ raise_exception("a\n::error::x\x1b[31m##[error]") }}`)
	file("hostile.json", `{"chat_template": [{"name": `+hostileJSON+`, "template": "{{ x }}"}, {"name": "b", "template": "{{ y }}"}]}`)
	file("chat.json", `{"messages": [{"role": `+hostileJSON+`, "content": `+hostileJSON+`}]}`)
	file("keys.json", `{"messages": [{"role": "user", "content": "x", `+hostileJSON+`: 1}]}`)
	file("body.json", `{"max_tokens": 1, "system": "x", "messages": [{"role": "user", "content": [{"type": `+hostileJSON+`, `+hostileJSON+`: 1}]}]}`)
	file("bad.gguf", "GGUF\x03\x00\x00\x00"+strings.Repeat("\x00", 8)+"\x01"+strings.Repeat("\x00", 7)+"\x04"+strings.Repeat("\x00", 7)+"\n\x1b[m"+strings.Repeat("\x00", 99))
	file("agent/config.yaml", "prompt:\n  - user: a.jinja\n"+hostileYAML+": 1\n")
	file("agent/templates/a.jinja", "hi")
	file("hostile/pcc.yaml", hostileYAML+": 1\nsyntax: "+hostileYAML+"\n")
	file("hostile/t.md", "Hi {name}")
	file("locked/"+name, "Hi {name}")
	file("locked/many.yaml", "templates:\n  "+hostileYAML+": hi\n")
	file("locked/pcc.lock", "# The prompts of this folder, written by `pcc lock`; instructions \x1b[31m::error::\n"+strings.Repeat("0", 64)+"  \"\\n::error::x\\x1b[31m\"\n")

	cases := map[string][][]string{
		"compile": {{"compile", name}, {"compile", "."}, {"compile", hostileName}, {"compile", "agent"}, {"compile", "include.md"},
			{"compile", "front.md", "-d", "bad.json"}, {"compile", "good" + name, "--emit", "tokens"}, {"compile", "good" + name, "--emit", "ast"},
			{"compile", "many.yaml", "--emit", "bytecode"}, {"compile", "vars.yaml", "--strict"}, {"compile", "bad.yaml"}},
		"render": {{"render", name}, {"render", hostileName + "x"}, {"render", "t.md", "-d", "bad.json"}, {"render", "t.md", "-d", "bad.yaml"},
			{"render", "t.md", "-D", hostileName + ":={"}, {"render", "t.md", "-D", hostileName}, {"render", "t.md", "-D", hostileName + "=1"},
			{"render", "front.md"}, {"render", "vars.yaml"}, {"render", "many.yaml"}, {"render", "many.yaml", "--entry", hostileName + "x"},
			{"render", "t.md", "-D", "name=a", "-o", hostileName + "/no/such"}, {"render", "raise.jinja"}, {"render", "--" + hostileName, "t.md"},
			{"render", "t.md", "--syntax", hostileName}, {"render", "t.md", "--config", hostileName}, {"render", "agent", "-D", "x=1"},
			{"render", "t.md", "--now", hostileName}, {"render", "t.md", "--guard", hostileName}, {"render", "t.md", "--chat-template", hostileName}},
		"batch": {{"batch", "t.md", "--rows", "rows.jsonl", "-o", "out"}, {"batch", "t.md", "--rows", "rows.jsonl", "--on-error", "emit", "-o", "::error::x"},
			{"batch", "t.md", "--rows", hostileName}, {"batch", "good" + name, "--rows", "rows.jsonl", "--shard", hostileName}},
		"lock":   {{"lock", "hostile"}, {"lock", "--check", "hostile"}, {"lock", "--check", "locked"}, {"lock", "."}, {"lock", hostileName}, {"lock", hostileName + "x"}, {"lock", "--check", "agent"}},
		"vars":   {{"vars", "front.md"}, {"vars", "front.md", "--json"}, {"vars", "front.md", "--json-schema"}, {"vars", "vars.yaml"}, {"vars", "vars.yaml", "--json"}, {"vars", name}},
		"test":   {{"test", "tests.yaml"}, {"test", "tests.yaml", "-v"}, {"test", "tests.yaml", "--cover", "--strict"}, {"test", "."}, {"test", hostileName}, {"test", "tests.yaml", "--run", hostileName + "("}, {"test", "agent"}},
		"disasm": {{"disasm", "good" + name}, {"disasm", "front.md"}, {"disasm", "vars.yaml"}, {"disasm", name}},
		"bench":  {{"bench", "good" + name, "--benchtime", "1x", "-D", "name=a"}, {"bench", short, "--benchtime", "1x", "-D", "name=a"}, {"bench", name}},
		"detect": {{"detect", "good" + name, short, "many.yaml"}, {"detect", short, short}, {"detect", "many.yaml", "--json"}, {"detect", short, "--json"}, {"detect", "agent"}, {"detect", hostileName + "x"}},
		"chat": {{"chat", hostileName, "-d", "data.json"}, {"chat", "hostile.json", "-d", "data.json"}, {"chat", "hostile.json", "-d", "chat.json", "--template", hostileName},
			{"chat", "hostile.json", "-d", "chat.json"}, {"chat", "raise.jinja", "-d", "chat.json"}, {"chat", "bad.gguf"}, {"detect", "--capabilities", "hostile.json", hostileName}},
		"request": {{"request", "chat.json", "--to", "gemini"}, {"request", "bad.json", "--to", "openai"}, {"request", "data.json", "--to", "anthropic"},
			{"request", "keys.json", "--to", "gemini"}, {"request", "body.json", "--to", "openai"}, {"request", hostileName, "--to", "openai"}, {"request", "chat.json", "--to", hostileName}},
		"escape":     {{"escape", hostileName + "x"}, {"escape", "t.md", "-o", hostileName + "/no/such"}},
		"filters":    {{"filters"}, {"filters", hostileName}},
		"explain":    {{"explain", hostileName}, {"explain", "PCC101"}},
		"completion": {{"completion", hostileName}},
		"version":    {{"version"}, {"version", hostileName}},
		"help":       {{"help", hostileName}, {"help", "render"}},
	}
	for _, c := range newApp(t.Context(), nil, nil, nil).rootCommand().Commands() {
		if cases[c.Name()] == nil {
			t.Errorf("%s has no case", c.Name())
		}
	}
	cases[""] = [][]string{{hostileName}, {"--" + hostileName}}
	said := 0
	run := func(args ...string) {
		for _, format := range []string{"text", "json", "sarif", "github"} {
			var stdout, stderr bytes.Buffer
			newApp(t.Context(), strings.NewReader(""), &stdout, &stderr).run(append([]string{"--format", format}, args...))
			os.Remove("out.part")
			os.Remove("::error::x.part")
			for stream, text := range map[string]string{"output": stdout.String(), "error": stderr.String()} {
				if at := steers(text); at != "" {
					t.Errorf("%q --format %s: standard %s steers by %q:\n%.600q", args, format, stream, at, text)
				}
				said += strings.Count(text, "error")
			}
		}
	}
	for _, list := range cases {
		for _, args := range list {
			run(args...)
		}
	}
	t.Chdir("hostile")
	run("render", "t.md")
	t.Setenv("PCC_SYNTX", hostileName)
	run("render", "t.md", "--config", "none")
	t.Setenv("PCC_SYNTAX", hostileName)
	run("render", "t.md", "--config", "none")
	if said < 100 {
		t.Errorf("the names were said %d times only", said)
	}
}

func TestForPeople(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		coloured bool
	}{
		{"plain\n\ttext\n", "plain\n\ttext\n", false},
		{"::error::x\n", "\\::error::x\n", false},
		{"a\n \t ::set-env::x", "a\n \t \\::set-env::x", false},
		{"a ::b", "a ::b", false},
		{"a ##[group]b ##vso[x]", `a #\#[group]b #\#vso[x]`, false},
		{"\x1b[31mred\x1b[0m\x1b]0;t\x07\n", "␛[31mred␛[0m␛]0;t␇\n", false},
		{"\x1b[31mred\x1b[0m\x1b]0;t\x07\n", "\x1b[31mred\x1b[0m␛]0;t␇\n", true},
		{"a\rb\u009bc", "a␍b<U+009B>c", false},
	} {
		if got := string(forPeople([]byte(tt.in), tt.coloured)); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
	for text, want := range map[string]string{
		"\"\x7f\u009b é ##[x]\"":           `"\u007f\u009b é \u0023#[x]"`,
		"\"###\"":                          `"\u0023\u0023#"`,
		"\"\u202ea\u2066\u200b\u2028 ü\"":  `"\u202ea\u2066\u200b\u2028 ü"`,
		"\"\U000E0041 \U0001F600 \ufffd\"": `"\udb40\udc41 😀 ` + "\ufffd" + `"`,
		"\"é plain\"":                      `"é plain"`,
	} {
		got := string(plainJSON([]byte(text)))
		if got != want {
			t.Errorf("as JSON: %s, want %s", got, want)
		}
		var before, after string
		if json.Unmarshal([]byte(text), &before) != nil || json.Unmarshal([]byte(got), &after) != nil || before != after {
			t.Errorf("%+q reads back as %+q", before, after)
		}
	}
}

// A result is written as it is, except to a terminal; and what follows one
// without a line break at its end begins a line there.
func TestResultInATerminal(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var stdout, stderr bytes.Buffer
		a := newApp(t.Context(), strings.NewReader("a\x1b[31m{x}"), &stdout, &stderr)
		a.environ = func() []string { return nil }
		a.isTerminal = func(any) bool { return terminal }
		a.run([]string{"render", "-", "-D", "y=1", "--color", "never"})
		wantOut, wantErr := "a\x1b[31m{x}", "warning"
		if terminal {
			wantOut, wantErr = "a␛[31m{x}", "\nwarning"
		}
		if stdout.String() != wantOut || !strings.HasPrefix(stderr.String(), wantErr) {
			t.Errorf("terminal %v: %q, %.20q", terminal, stdout.String(), stderr.String())
		}
	}
}
