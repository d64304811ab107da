package main

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/pcc-lang/pcc/docs"
	"github.com/pcc-lang/pcc/internal/markdown"
)

// topic is a page that `pcc help NAME` prints.
type topic struct {
	name, short string
	page        string // in docs
}

// topics are the pages, in the order in which one reads them.
var topics = []topic{
	{"syntax", "the template language: every tag, front matter, the grammar", "language.md"},
	{"data", "how data is given, and what a template sees of it", "data.md"},
	{"undefined", "what a missing value does, and how to choose", "undefined.md"},
	{"documents", "prompts of several messages, with tests, in YAML", "documents.md"},
	{"requests", "tools, images, caches and parameters for each provider", "requests.md"},
	{"chat", "chat templates of models, in servers and on the command line", "chat.md"},
	{"limits", "limits, and data that imitates control tokens", "limits.md"},
	{"ci", "checks before a change is merged: exit codes, annotations, hooks", "ci.md"},
	{"migration", "coming from other template systems", "migration.md"},
}

// topicCalled is the topic of a name, which may be that of its page.
func topicCalled(name string) (topic, bool) {
	for _, t := range topics {
		if t.name == name || strings.TrimSuffix(t.page, ".md") == name {
			return t, true
		}
	}
	return topic{}, false
}

// topicList is the list of the topics for a help text.
func topicList() string {
	var b strings.Builder
	for _, t := range topics {
		fmt.Fprintf(&b, "    %-10s %s\n", t.name, t.short)
	}
	return b.String()
}

// The widths of a page: that of a terminal between the others, pageWidth elsewhere.
const (
	leastWidth = 40
	pageWidth  = 80
	mostWidth  = 110
)

// showTopic prints a page for a terminal; other outputs get it without colours.
func (a *app) showTopic(t topic) error {
	text, err := docs.Pages.ReadFile(t.page)
	if err != nil {
		return err
	}
	width := pageWidth
	if f, ok := a.stdout.(term.File); ok && a.isTerminal(a.stdout) {
		if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
			width = min(max(w, leastWidth), mostWidth)
		}
	}
	coloured := a.colored(a.stdout)
	shown := markdown.Terminal(string(text), markdown.Options{Width: width, Color: coloured, Link: linkWords})
	_, err = a.stdout.Write(forPeople([]byte(shown), coloured))
	return err
}

// linkWords says where the target of a link in a page is found: by a command, where
// one prints it.
func linkWords(target string) string {
	target, _, _ = strings.Cut(target, "#")
	switch target {
	case "":
		return "" // in the same page
	case "commands.md":
		return "pcc help"
	case "filters.md":
		return "pcc filters"
	case "diagnostics.md":
		return "pcc explain"
	}
	for _, t := range topics {
		if t.page == target {
			return "pcc help " + t.name
		}
	}
	if strings.Contains(target, "://") {
		return target
	}
	return path.Join("docs", target)
}

// helpWithTopic prints the page before the help of the command of the same name,
// whose flags then stand at the end.
func (a *app) helpWithTopic(t topic, help func() error) error {
	if err := a.showTopic(t); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\npcc %s\n%s\n\n", t.name, strings.Repeat("─", len("pcc ")+len(t.name)))
	if _, err := a.stdout.Write(b.Bytes()); err != nil {
		return err
	}
	return help()
}
