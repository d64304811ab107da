package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pages are the README and the guide, by their names in the project.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(found) < 4 {
		t.Fatalf("%d pages: %v", len(found), err)
	}
	return append(found, "../../README.md")
}

// TestConsole runs what pages show on a terminal: a block marked `file NAME` is a
// file, in a block marked `console` each line behind `$ ` is a command, and the
// lines behind it are what it prints. A page has one folder. Commands are pcc's own,
// with < and > for files, and cat. With PCC_UPDATE set, what is printed is written
// into the page.
func TestConsole(t *testing.T) {
	run := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			page, err := filepath.Abs(page)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			var out strings.Builder
			lines := strings.SplitAfter(string(text), "\n")
			for i := 0; i < len(lines); i++ {
				out.WriteString(lines[i])
				name, isFile := strings.CutPrefix(strings.TrimRight(lines[i], "\n"), "```file ")
				if !isFile && lines[i] != "```console\n" {
					continue
				}
				end := i + 1
				for end < len(lines) && lines[end] != "```\n" {
					end++
				}
				block := strings.Join(lines[i+1:end], "")
				i = end - 1
				if isFile {
					if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(name, []byte(block), 0o600); err != nil {
						t.Fatal(err)
					}
					out.WriteString(block)
					continue
				}
				run++
				out.WriteString(consoleOf(t, block))
			}
			if out.String() == string(text) {
				return
			}
			if os.Getenv("PCC_UPDATE") != "" {
				if err := os.WriteFile(page, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("what the page shows (-) is not what is printed (+); PCC_UPDATE=1 go test ./cmd/pcc -run Console takes it\n%s",
				cmp.Diff(string(text), out.String()))
		})
	}
	if run == 0 {
		t.Error("no page shows a command")
	}
}

// consoleOf runs the commands of a block and returns the block as it should be.
func consoleOf(t *testing.T, block string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(block) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		out.WriteString(line)
		var printed bytes.Buffer
		args := shellWords(strings.TrimSpace(command))
		switch args[0] {
		case "pcc":
			stdin, args := &bytes.Buffer{}, args[1:]
			stdout := &printed
			for i := 0; i+1 < len(args); i++ {
				switch args[i] {
				case "<":
					b, err := os.ReadFile(args[i+1])
					if err != nil {
						t.Fatal(err)
					}
					stdin.Write(b)
				case ">":
					stdout = &bytes.Buffer{}
					defer func(name string) { _ = os.WriteFile(name, stdout.Bytes(), 0o600) }(args[i+1])
				default:
					continue
				}
				args = append(args[:i:i], args[i+2:]...)
				i--
			}
			if !slices.Contains(args, "--config") {
				args = append(args, "--config", "none")
			}
			newApp(t.Context(), stdin, stdout, &printed).run(args)
		case "cat":
			for _, name := range args[1:] {
				b, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				printed.Write(b)
			}
		default:
			t.Fatalf("a page cannot run %q", args[0])
		}
		if b := printed.Bytes(); len(b) > 0 && b[len(b)-1] != '\n' {
			printed.WriteByte('\n')
		}
		out.Write(printed.Bytes())
	}
	return out.String()
}

// shellWords splits a command at blanks outside quotes.
func shellWords(s string) (words []string) {
	word, quote, any := "", rune(0), false
	for _, r := range s + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, any = r, true
		case quote == 0 && r == ' ':
			if word != "" || any {
				words = append(words, word)
			}
			word, any = "", false
		default:
			word += string(r)
		}
	}
	return words
}

// TestGoExamples: each Go block of the pages that uses a package of ours stands in a
// file of Example functions, which go test runs.
func TestGoExamples(t *testing.T) {
	var sources []string
	files, err := filepath.Glob("../../*/example*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, squeezed(string(src)))
	}
	run := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(string(text), "\n```go\n")
		for ; found; _, rest, found = strings.Cut(rest, "\n```go\n") {
			block, _, _ := strings.Cut(rest, "\n```\n")
			if !strings.Contains(block, "compiler.") && !strings.Contains(block, "prompt.") && !strings.Contains(block, "chat.") {
				continue // an example of text
			}
			run++
			is := false
			for _, src := range sources {
				is = is || strings.Contains(src, squeezed(block))
			}
			if !is {
				t.Errorf("%s: no Example function holds\n%s", filepath.Base(page), block)
			}
		}
	}
	if run == 0 {
		t.Error("no page shows Go")
	}
}

// squeezed is Go source without comments' and layout's white space.
func squeezed(src string) string { return strings.Join(strings.Fields(src), " ") }
