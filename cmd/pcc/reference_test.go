package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// wordsOf are the words of a text without signs that troff or Markdown write in
// other ways.
func wordsOf(text string) string {
	text = regexp.MustCompile(`\\f[BIPR]|\\[&e]|\\\(\w\w|(?m)^\.\w+`).ReplaceAllString(text, "")
	return strings.Join(regexp.MustCompile(`[\pL\pN]+`).FindAllString(text, -1), " ")
}

// commands are the program and its commands.
func commands(t *testing.T) []*cobra.Command {
	root := newApp(t.Context(), nil, io.Discard, io.Discard).rootCommand()
	all := append([]*cobra.Command{root}, root.Commands()...)
	for _, c := range all {
		c.DisableAutoGenTag = true // no date
	}
	return all
}

// isCurrent wants the file to hold text; PCC_UPDATE=1 writes it.
func isCurrent(t *testing.T, name string, text []byte) {
	t.Helper()
	if os.Getenv("PCC_UPDATE") != "" {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(name); err != nil || !bytes.Equal(old, text) {
		t.Errorf("%s is stale: run PCC_UPDATE=1 go test ./cmd/pcc -run '%s' (%v)", name, t.Name(), err)
	}
}

// TestManPages holds the manual page of every command against its help: neither
// Markdown nor troff may swallow a part.
func TestManPages(t *testing.T) {
	pages := map[string]bool{}
	for _, c := range commands(t) {
		pages[manName(c)] = true
		var b bytes.Buffer
		if err := doc.GenMan(c, &doc.GenManHeader{Manual: "User Commands", Source: "pcc", Date: &time.Time{}}, &b); err != nil {
			t.Fatal(err)
		}
		page := bytes.Replace(b.Bytes(), []byte(`"Jan 0001"`), []byte(`""`), 1)
		isCurrent(t, filepath.Join("man", manName(c)), page)
		words := wordsOf(string(page))
		texts := []string{c.Short, c.Long, c.Example}
		c.Flags().VisitAll(func(f *pflag.Flag) { texts = append(texts, f.Name, f.Usage) })
		for _, text := range texts {
			if want := wordsOf(text); !strings.Contains(words, want) {
				t.Errorf("%s: the page lacks %q", c.Name(), want)
			}
		}
	}
	files, err := manPages.ReadDir("man")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !pages[f.Name()] {
			t.Errorf("man/%s is of no command", f.Name())
		}
	}
}

// TestCommandReference holds docs/commands.md against the help of the program.
func TestCommandReference(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("# Commands\n\nThis page is the help of the program; `make golden` writes it.\n\n")
	for _, c := range commands(t) {
		inPage := func(link string) string {
			return "#" + strings.ReplaceAll(strings.TrimSuffix(link, ".md"), "_", "-")
		}
		if err := doc.GenMarkdownCustom(c, &b, inPage); err != nil {
			t.Fatal(err)
		}
	}
	isCurrent(t, "../../docs/commands.md", b.Bytes())
}
