package chat

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
)

// ggufFile writes a model file of metadata only.
func ggufFile(pairs ...string) string {
	var b bytes.Buffer
	text := func(s string) {
		b.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
		b.WriteString(s)
	}
	b.WriteString("GGUF")
	b.Write(binary.LittleEndian.AppendUint32(nil, 3))
	b.Write(make([]byte, 8))
	b.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(pairs)/2)))
	for i := 0; i < len(pairs); i += 2 {
		text(pairs[i])
		b.Write(binary.LittleEndian.AppendUint32(nil, 8))
		text(pairs[i+1])
	}
	return b.String()
}

func memory(files ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		m[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return m
}

const hello = `{"messages": [{"role": "user", "content": "hi"}]}`

// TestLoad loads models in every form. Each template prints where it comes
// from, so that the precedence shows.
func TestLoad(t *testing.T) {
	for _, c := range []struct {
		name  string
		files fs.FS
		load  string
		want  string
		names string
	}{
		{"a configuration", memory("tokenizer_config.json", `{"bos_token": "<s>", "chat_template": "config {{ bos_token }}"}`),
			"tokenizer_config.json", "config <s>", "default"},
		{"under any name", memory("gemma.json", `{"bos_token": {"content": "<bos>"}, "chat_template": "config {{ bos_token }}"}`), "gemma.json", "config <bos>", "default"},
		{"a folder", memory("m/tokenizer_config.json", `{"eos_token": "</s>", "chat_template": "config {{ eos_token }}"}`), "m", "config </s>", "default"},
		{"a template beside a configuration", memory("m/tokenizer_config.json", `{"bos_token": "<s>", "chat_template": "config"}`, "m/chat_template.jinja", "file {{ bos_token }}"),
			"m", "file <s>", "default"},
		{"the configuration of a template beside it", memory("m/tokenizer_config.json", `{"bos_token": "<s>"}`, "m/chat_template.jinja", "file {{ bos_token }}"),
			"m/tokenizer_config.json", "file <s>", "default"},
		{"a template with its neighbours", memory("m/special_tokens_map.json", `{"bos_token": "<map>"}`, "m/chat_template.jinja", "file {{ bos_token }}"),
			"m/chat_template.jinja", "file <map>", "default"},
		{"the configuration's tokens go before the map's", memory("m/special_tokens_map.json", `{"bos_token": "<map>"}`, "m/tokenizer_config.json", `{"bos_token": "<config>"}`, "m/chat_template.jinja", "{{ bos_token }}"),
			"m", "<config>", "default"},
		{"a template alone", memory("a.jinja2", "alone{{ bos_token }}"), "a.jinja2", "alone", "default"},
		{"an old processor", memory("m/chat_template.json", `{"chat_template": "old"}`, "m/tokenizer_config.json", `{"chat_template": "config"}`), "m", "old", "default"},
		{"several templates", memory("m/tokenizer_config.json", `{"chat_template": [{"name": "default", "template": "D"}, {"name": "tool_use", "template": "T"}]}`), "m", "D", "default tool_use"},
		{"templates of a folder", memory("m/chat_template.jinja", "D", "m/additional_chat_templates/rag.jinja", "R", "m/additional_chat_templates/notes.txt", "N"), "m", "D", "default rag"},
		{"a model file", memory("m.gguf", ggufFile("general.name", "x", "tokenizer.chat_template", "gguf", "tokenizer.chat_template.tool_use", "tools")), "m.gguf", "gguf", "default tool_use"},
		{"a model file of another name", memory("model.bin", ggufFile("tokenizer.chat_template", "gguf")), "model.bin", "gguf", "default"},
		{"duplicate keys as in Python", memory("t.json", `{"chat_template": "first", "chat_template": "last"}`), "t.json", "last", "default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tmpl, err := LoadFS(c.files, c.load)
			if err != nil {
				t.Fatal(err)
			}
			res, err := tmpl.Apply(context.Background(), []byte(hello))
			if err != nil {
				t.Fatal(err)
			}
			if res.Prompt != c.want || strings.Join(tmpl.Names(), " ") != c.names {
				t.Errorf("%q of %v, want %q of %s", res.Prompt, tmpl.Names(), c.want, c.names)
			}
		})
	}
}

// TestLoadRefuses loads what holds no chat template: each error has a code and
// says what the file is or what to do.
func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct {
		files fs.FS
		load  string
		code  diag.Code
		help  string
	}{
		{memory(), "missing", "PCC210", "model's folder"},
		{memory("config.json", `{"model_type": "x"}`), "config.json", "PCC440", "made for chat"},
		{memory("m/readme.md", "x"), "m", "PCC440", "tokenizer_config.json"},
		{memory("prompt.yaml", "messages:\n- user: hi\n"), "prompt.yaml", "PCC440", "prompt document"},
		{memory("weights.safetensors", "\x00\x01"), "weights.safetensors", "PCC440", "GGUF"},
		{memory("t.json", `{"chat_template": 5}`), "t.json", "PCC440", ""},
		{memory("t.json", `{"chat_template": [{"name": "a"}]}`), "t.json", "PCC440", ""},
		{memory("t.json", `{"chat_template": [{"name": "a", "template": "1"}, {"name": "a", "template": "2"}]}`), "t.json", "PCC440", ""},
		{memory("t.json", `{"chat_template": `), "t.json", "PCC330", ""},
		{memory("t.json", `[]`), "t.json", "PCC440", ""},
		{memory("t.json", `{"chat_template": "{% if %}"}`), "t.json", "PCC102", ""},
		{memory("m.gguf", "not a model"), "m.gguf", "PCC441", ""},
		{memory("m.gguf", ""), "m.gguf", "PCC441", ""},
		{memory("m.gguf", ggufFile("tokenizer.chat_template", "x")[:40]), "m.gguf", "PCC441", ""},
		{memory("m.gguf", ggufFile("general.name", "x")), "m.gguf", "PCC440", "original model"},
	} {
		_, err := LoadFS(c.files, c.load)
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != c.code || d.Help == "" || !strings.Contains(d.Help, c.help) {
			t.Errorf("%s: %v, want %s with help about %q", c.load, err, c.code, c.help)
		}
	}
}

// TestLoadStaysInside: a link in a model's folder does not lead out of it.
func TestLoadStaysInside(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.jinja")
	model := filepath.Join(dir, "model")
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Mkdir(model, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(model, "chat_template.jinja")); err != nil {
		t.Skipf("links cannot be made here: %v", err)
	}
	if _, err := Load(model); err == nil {
		t.Error("a template outside of the model's folder is read")
	}
}

// TestLargeConfiguration loads a configuration with as many added tokens as
// Gemma 3 has, of 1.2 MB, under any name; a special one of them is marked in data.
func TestLargeConfiguration(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"add_bos_token": true, "added_tokens_decoder": {`)
	for i := range 6415 {
		fmt.Fprintf(&b, "\n    \"%d\": {\n      \"content\": \"<unused%d>\",\n      \"lstrip\": false,\n      \"normalized\": false,\n      \"rstrip\": false,\n      \"single_word\": false,\n      \"special\": %v\n    },", i, i, i%2 == 0)
	}
	b.WriteString(`"x": {}}, "bos_token": "<bos>", "boi_token": "<start_of_image>", "chat_template": "{{ bos_token }}{{ messages[0].content }}", "tokenizer_class": "GemmaTokenizer"}`)
	if b.Len() < 1_100_000 {
		t.Fatalf("only %d bytes", b.Len())
	}
	for name, load := range map[string]string{"tokenizer_config.json": ".", "any.json": "any.json", "gemma/tokenizer_config.json": "gemma", "a/gemma-3.config.json": "a/gemma-3.config.json"} {
		tmpl, err := LoadFS(memory(name, b.String()), load)
		if err != nil {
			t.Fatal(err)
		}
		res, err := tmpl.Apply(context.Background(), []byte(`{"messages": [{"role": "user", "content": "hi<unused2><unused3>"}]}`), WithSegments())
		if want := "<bos>{hi=messages[0].content}{!<unused2>=messages[0].content}{<unused3>=messages[0].content}"; err != nil || piecesOf(res.Segments) != want {
			t.Errorf("%s: %v, %v", name, piecesOf(res.Segments), err)
		}
	}
}
