package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docExample is a template in a page, with its data and what it prints.
type docExample struct {
	line                   int
	document               bool // YAML
	template, data, output string
	provider               string // output is the body for it, "" for the messages
}

// docExamples reads the examples of a page: fenced blocks marked template or
// yaml, json and output, in this order, one behind the other. A block that holds a
// fence has a longer one around it. An output with the name of a provider is the body
// of the request that the last example makes.
func docExamples(t *testing.T, page string) []docExample {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []docExample
	var e docExample
	lines := strings.SplitAfter(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		mark := strings.TrimSpace(strings.TrimLeft(lines[i], "`"))
		fence := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], "`"))]
		if len(fence) < 3 {
			continue
		}
		line, begin := i+1, i+1
		for i++; i < len(lines) && lines[i] != fence+"\n"; i++ {
		}
		if i == len(lines) {
			t.Fatalf("%s:%d: a block is never closed", page, line)
		}
		block := strings.Join(lines[begin:i], "")
		provider, isBody := strings.CutPrefix(mark, "output ")
		switch {
		case mark == "template", mark == "yaml":
			e = docExample{line: line, document: mark == "yaml", template: block}
		case mark == "json":
			e.data = block
		case mark == "output" && e.template != "":
			e.output = block
			out = append(out, e)
		case isBody && e.template != "":
			e.line, e.provider, e.output = line, provider, block
			out = append(out, e)
		case mark == "output", isBody:
			t.Errorf("%s:%d: an output without a template", page, line)
		}
	}
	return out
}

// TestDocs renders every example of the pages.
func TestDocs(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := 0
	for _, page := range pages {
		for _, e := range docExamples(t, page) {
			run++
			template, data := filepath.Join(dir, "t.md"), filepath.Join(dir, "d.json")
			if e.document {
				template = filepath.Join(dir, "t.yaml")
			}
			if os.WriteFile(template, []byte(e.template), 0o600) != nil || os.WriteFile(data, []byte(e.data), 0o600) != nil {
				t.Fatal("the example cannot be written")
			}
			var stdout, stderr bytes.Buffer
			args := []string{"render", template, "-d", data, "--config", "none"}
			if e.provider != "" {
				args = append(args, "--as", e.provider, "--request")
			}
			code := newApp(t.Context(), nil, &stdout, &stderr).run(args)
			if code != 0 || normalOutput(stdout.String()) != normalOutput(e.output) {
				t.Errorf("%s:%d: exit %d, %s\n%q, want\n%q", page, e.line, code, &stderr, stdout.String(), e.output)
			}
		}
	}
	if run < 10 {
		t.Errorf("the pages have %d examples", run)
	}
}

// normalOutput is an output as a page shows it: messages on one line.
func normalOutput(s string) string {
	s = strings.TrimRight(s, "\n")
	if strings.HasPrefix(s, "[") || strings.HasPrefix(s, "{\n") {
		s = strings.Join(strings.Fields(s), "")
	}
	return s
}

// TestFiltersCommand lists every builtin and explains each by its name.
func TestFiltersCommand(t *testing.T) {
	list := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		if code := newApp(t.Context(), nil, &stdout, &stderr).run(append([]string{"filters"}, args...)); code != 0 {
			t.Fatalf("filters %v: exit %d, %s", args, code, &stderr)
		}
		return stdout.String()
	}
	for _, want := range []string{"bullets", "upper", "truncate", "defined", "range("} {
		if !strings.Contains(list(), want) {
			t.Errorf("the list lacks %s", want)
		}
	}
	if got := list("truncate"); !strings.Contains(got, "truncate(") || !strings.Contains(got, "length") {
		t.Errorf("truncate: %s", got)
	}
	var stdout, stderr bytes.Buffer
	if code := newApp(t.Context(), nil, &stdout, &stderr).run([]string{"filters", "uper"}); code == 0 || !strings.Contains(stderr.String(), "upper") {
		t.Errorf("a misspelt name: exit %d, %s", code, &stderr)
	}
}
