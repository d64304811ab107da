package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

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

// TestManPages wants the manual page of every command to say all that its help
// says: neither Markdown nor troff may swallow a part.
func TestManPages(t *testing.T) {
	root := newApp(t.Context(), nil, io.Discard, io.Discard).rootCommand()
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		page, err := manPage(c)
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
		}
		words := wordsOf(string(page))
		texts := []string{c.Short, c.Long, c.Example}
		c.Flags().VisitAll(func(f *pflag.Flag) { texts = append(texts, f.Name, f.Usage) })
		for _, text := range texts {
			if want := wordsOf(text); !strings.Contains(words, want) {
				t.Errorf("%s: the page lacks %q", c.Name(), want)
			}
		}
		if !bytes.HasPrefix(page, []byte(".nh\n.TH \"PCC")) {
			t.Errorf("%s: the page begins with %.40q", c.Name(), page)
		}
	}
}

// TestCommandReference holds docs/commands.md against the help of the program;
// PCC_UPDATE=1 writes it.
func TestCommandReference(t *testing.T) {
	const name = "../../docs/commands.md"
	root := newApp(t.Context(), nil, io.Discard, io.Discard).rootCommand()
	root.DisableAutoGenTag = true
	var b bytes.Buffer
	b.WriteString("# Commands\n\nThis page is the help of the program; `make golden` writes it.\n\n")
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		c.DisableAutoGenTag = true
		inPage := func(link string) string {
			return "#" + strings.ReplaceAll(strings.TrimSuffix(link, ".md"), "_", "-")
		}
		if err := doc.GenMarkdownCustom(c, &b, inPage); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv("PCC_UPDATE") != "" {
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page, b.Bytes()) {
		t.Errorf("%s is stale; run PCC_UPDATE=1 go test ./cmd/pcc -run TestCommandReference", name)
	}
}
