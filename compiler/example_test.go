package compiler_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/pcc-lang/pcc/compiler"
)

func ExampleCompile() {
	p, err := compiler.Compile("Hello {name}! Answer as JSON: {\"mood\": \"...\"}")
	if err != nil {
		log.Fatal(err)
	}
	text, err := p.Render(map[string]any{"name": "Ada"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output: Hello Ada! Answer as JSON: {"mood": "..."}
}

// The error of Compile lists everything that is wrong, each with its place.
func ExampleCompile_errors() {
	_, err := compiler.Compile("Dear {{ name|uper }},\n{when formal}\nSincerely", compiler.WithName("letter.md"))
	fmt.Println(err)
	// Output:
	// letter.md:1:14: PCC201: there is no filter `uper`
	// letter.md:2:1: PCC104: `when` is never closed
}

func ExampleCompileFile() {
	dir, err := os.MkdirTemp("", "prompts")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"ask.md":   "{include \"rules.md\"}\nQuestion: {question}",
		"rules.md": "Answer in one sentence.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	p, err := compiler.CompileFile(filepath.Join(dir, "ask.md"))
	if err != nil {
		log.Fatal(err)
	}
	text, err := p.Render(map[string]any{"question": "Why is the sky blue?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// Answer in one sentence.
	// Question: Why is the sky blue?
}

// Included files come from any fs.FS, such as an embed.FS.
func ExampleWithFS() {
	files := fstest.MapFS{"tone.md": {Data: []byte("Be {tone}.")}}
	p, err := compiler.Compile(`{include "tone.md" with tone="kind"}`, compiler.WithFS(files))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Render(nil))
	// Output: Be kind. <nil>
}

func ExampleWithFilter() {
	shout := func(s string) string { return strings.ToUpper(s) + "!" }
	repeat := func(s string, n int) (string, error) {
		if n < 0 {
			return "", fmt.Errorf("cannot repeat %d times", n)
		}
		return strings.Repeat(s, n), nil
	}
	p, err := compiler.Compile("{name|shout} {{ name|repeat(3) }}",
		compiler.WithFilter("shout", shout), compiler.WithFilter("repeat", repeat))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Render(map[string]any{"name": "ha"}))
	// Output: HA! hahaha <nil>
}

func ExampleWithSyntax() {
	p, err := compiler.Compile("<task><<task>></task> {json}", compiler.WithSyntax("angle"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Render(map[string]any{"task": "translate"}))
	// Output: <task>translate</task> {json} <nil>
}

func ExampleWithUndefined() {
	p, err := compiler.Compile("Dear {name}", compiler.WithUndefined("error"), compiler.WithName("letter.md"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = p.Render(map[string]any{"nmae": "Ada"})
	fmt.Println(err)
	// Output: letter.md:1:7: PCC301: no value for `name`
}

func ExampleEscape() {
	src, err := compiler.Escape("Write {name} or {{name}} in the template.", "brace")
	if err != nil {
		log.Fatal(err)
	}
	p, err := compiler.Compile(src, compiler.WithSyntax("brace"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Render(map[string]any{"name": "Ada"}))
	// Output: Write {name} or {{name}} in the template. <nil>
}

func ExampleDetect() {
	for _, src := range []string{"Hi {name}", "Hi <name>", "{% if x %}Hi{% endif %}"} {
		fmt.Println(compiler.Detect(src, "").Syntax.Name)
	}
	// Output:
	// brace
	// angle
	// jinja
}

func ExampleCheck() {
	for _, d := range compiler.Check("{{#if name}}Hello {{name}}", compiler.WithName("greet.md")) {
		fmt.Println(d.Severity, d)
	}
	// Output: warning greet.md:1:1: PCC112: a Handlebars block is text in the brace syntax
}
