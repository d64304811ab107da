package compiler_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/prompt"
)

// TestNotATemplate: what is loaded, and not compiled, is told by what to call;
// texts that may be meant as prompts are compiled.
func TestNotATemplate(t *testing.T) {
	const chat = "messages:\n  - system: Be kind.\n  - user: \"{question}\"\n"
	dir := t.TempDir()
	for _, c := range []struct {
		name, text  string
		file, text2 bool // refused as a file, as a text
	}{
		{"chat.yaml", chat, true, true},
		{"named.yml", "# a comment\nname: support\ndescription: x\n" + chat, true, true},
		{"forge.yaml", "prompts:\n  system: You are {name}\n  user: hi\n", true, true},
		{"hf.yaml", "prompt:\n  template: Hi {{name}}\n", true, true},
		{"native.yaml", "template: Hi {name}\n", true, false},
		{"pair.yaml", "template: Hi {{name}}\nsystem_template: S\n", true, false},
		{"short.yaml", "system: You are {name}\nuser: hi\n", true, false},
		{"tokenizer_config.json", `{"bos_token": "<s>", "chat_template": "{{ messages }}"}`, true, true},
		{"body.json", `{"model": "m", "input": "{question}"}`, false, false},
		{"list.yaml", "- milk\n- {item}\n", false, false},
		{"data.yaml", "name: Ann\nage: {age}\n", false, false},
		{"broken.yaml", "messages: [\n", false, false},
		{"prose.md", "Task: write prompt messages: {x}\n", false, false},
		{"prose2.md", "messages:\n- buy milk\n- call {name}\n", false, false},
		{"prose3.md", "prompts: be short\n{x}", false, false},
		{"prose4.md", "{\n\"chat_template\"}: {x}", false, false},
		{"empty.md", "", false, false},
		{"hash.md", "# Title\nmessages: {x}\n", false, false},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		check := func(what string, err error, want bool, help string) {
			d := &diag.Diagnostic{}
			got := errors.As(err, &d) && d.Code == "PCC241"
			if got != want {
				t.Errorf("%s as a %s: %v", c.name, what, err)
			}
			if got && !strings.Contains(d.Help, help) {
				t.Errorf("%s as a %s: help is %q", c.name, what, d.Help)
			}
		}
		_, err := compiler.CompileFile(path)
		check("file", err, c.file, "LoadFile")
		_, err = compiler.CompileFile(c.name, compiler.WithFS(fstest.MapFS{c.name: &fstest.MapFile{Data: []byte(c.text)}}))
		check("file of a file system", err, c.file, "prompt.Load")
		check("checked file", compiler.CheckFile(path).Err(), c.file, "LoadFile")
		_, err = compiler.Compile(c.text)
		check("text", err, c.text2, "LoadText")
		for _, o := range []compiler.Option{compiler.WithSyntax("brace"), compiler.WithSyntax("jinja"), compiler.WithProfile("hf"), compiler.WithDelimiters("[[", "]]")} {
			_, err = compiler.Compile(c.text, o)
			check("text of a named syntax", err, false, "")
		}
		if c.file {
			if _, err := prompt.LoadFile(path); err != nil {
				t.Errorf("%s cannot be loaded: %v", c.name, err)
			}
		}
	}
	_, err := compiler.CompileFile(dir)
	d := &diag.Diagnostic{}
	if !errors.As(err, &d) || d.Code != "PCC241" || !strings.Contains(d.Help, "LoadDir") || !strings.Contains(d.Help, "LoadFile") {
		t.Errorf("a folder: %v", err)
	}
}

// TestLateFrontMatter: front matter behind blank lines or comments is text, and
// is told so.
func TestLateFrontMatter(t *testing.T) {
	const front = "---\nsyntax: brace\nvariables:\n  name: {type: string}\n---\n{name}"
	for before, warned := range map[string]bool{
		"": false, "\n": true, " \n": true, "\r\n\n": true, "\ufeff\n": true, "{# a comment #}\n": true, "<!-- x\ny -->\n": true,
		"# a comment\n": true, "text\n": false, "{# open\n": false, " ": false, "{# x #} text\n": false,
	} {
		l := compiler.Check(before + front)
		got := false
		for _, d := range l {
			got = got || d.Code == "PCC428"
		}
		if got != warned {
			t.Errorf("%q: %v", before, l)
		}
	}
	for _, text := range []string{"\n---\nHello {name}\n---\n", "\n---\n- a\n---\n", "# Title\n---\nnote: x\n---\n", "\n---\nsyntax: brace\n", "\n---\nsyntax: brace\nThen text.\n---\n"} {
		for _, d := range compiler.Check(text) {
			if d.Code == "PCC428" {
				t.Errorf("%q: %v", text, d)
			}
		}
	}
}

// The source of a prompt document that is included as text is told; other YAML is not.
func TestIncludedDocument(t *testing.T) {
	for _, c := range []struct {
		text string
		told bool
	}{
		{"messages:\n  - user: hi\n", true},
		{"prompts:\n  user: hi\n", true},
		{"prompt:\n  template: hi\n", true},
		{"- question: a\n  answer: b\n", false},
		{"messages: we like them\n", false},
		{"name: Ada\nprompt: none\n", false},
		{"Hi {name}", false},
	} {
		fsys := fstest.MapFS{"a.md": {Data: []byte("x\n{include \"part.yaml\"}")}, "part.yaml": {Data: []byte(c.text)}}
		p, err := compiler.CompileFile("a.md", compiler.WithFS(fsys))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		w := p.Warnings()
		if told := len(w) == 1 && w[0].Code == "PCC243" && w[0].Span.Start == 2; told != c.told || !told && len(w) > 0 {
			t.Errorf("%q: %v", c.text, w)
		}
	}
}
