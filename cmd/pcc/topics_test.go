package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/docs"
	"github.com/pcc-lang/pcc/internal/markdown"
)

// TestTopics: each page that is part of the program has a topic, and shows all its
// words, in their order where no table wraps, in lines that fit the width but for
// blocks of code.
func TestTopics(t *testing.T) {
	files, err := docs.Pages.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.ContainsFunc(topics, func(tp topic) bool { return tp.page == f.Name() }) {
			t.Errorf("%s has no topic", f.Name())
		}
	}
	links := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, tp := range topics {
		var stdout, stderr bytes.Buffer
		if code := newApp(t.Context(), nil, &stdout, &stderr).run([]string{"help", tp.name, "--config", "none"}); code != 0 {
			t.Fatalf("%s: exit %d, %s", tp.name, code, &stderr)
		}
		text, err := docs.Pages.ReadFile(tp.page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range links.FindAllStringSubmatch(string(text), -1) {
			words := linkWords(m[1])
			if file, ok := strings.CutPrefix(words, "docs/"); ok || strings.HasPrefix(words, "..") {
				if found, _ := filepath.Glob(filepath.Join("../../docs", file)); len(found) == 0 {
					t.Errorf("%s: the link %s leads to no file", tp.name, m[1])
				}
			}
		}
		wide := markdown.Terminal(string(text), markdown.Options{Width: 100_000, Link: func(string) string { return "" }})
		if got, want := lettersOf(wide), lettersOf(pageText(string(text))); got != want {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Errorf("%s: the page shows other words from\n%.80s\nwhich are\n%.80s", tp.name, got[i:], want[i:])
		}
		for _, width := range []int{leastWidth, pageWidth, mostWidth} {
			for _, color := range []bool{false, true} {
				o := markdown.Options{Width: width, Color: color, Link: func(string) string { return "" }}
				shown := markdown.Terminal(string(text), o)
				if o.Color {
					shown = colours.ReplaceAllString(shown, "")
				}
				for line := range strings.Lines(shown) {
					if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width && !strings.HasPrefix(line, "    ") {
						t.Errorf("%s: %d columns of %d: %s", tp.name, n, width, line)
					}
				}
				if got, want := sorted(lettersOf(shown)), sorted(lettersOf(wide)); got != want {
					t.Errorf("%s: in %d columns letters are lost or added", tp.name, width)
				}
			}
		}
	}
}

// pageText is a page without what a terminal does not show: comments, fences with
// their marks, the targets of links, the dashes of tables.
func pageText(page string) string {
	page = regexp.MustCompile("(?m)^<!--.*-->$").ReplaceAllString(page, "")
	fence := ""
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		mark := strings.TrimLeft(line, "`")
		switch ticks := line[:len(line)-len(mark)]; {
		case fence != "" && line == fence:
			fence = ""
		case fence == "" && len(ticks) >= 3:
			fence = ticks
			lines[i] = strings.TrimPrefix(mark, "file ")
			if label, ok := map[string]string{"json": "data", "console": "", "sh": "", "go": "", "ebnf": ""}[mark]; ok {
				lines[i] = label
			}
		case fence == "":
			lines[i] = regexp.MustCompile(`\]\([^)\s]+\)`).ReplaceAllString(line, "")
		}
	}
	return strings.Join(lines, "\n")
}

// lettersOf are the letters and digits of a text.
func lettersOf(text string) string {
	return strings.Join(regexp.MustCompile(`[\pL\pN]+`).FindAllString(text, -1), "")
}

func sorted(text string) string {
	r := []rune(text)
	slices.Sort(r)
	return string(r)
}
