package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/stdlib"
)

// cell is a text for a cell of a table of Markdown.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// TestFiltersPage: docs/filters.md is what the registrations say. PCC_UPDATE=1 writes
// it.
func TestFiltersPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Filters, tests, functions, methods

Generated from the registrations, as ` + "`pcc filters`" + ` prints them; ` + "`pcc filters NAME`" + ` explains one.
A filter stands behind a bar, ` + "`{{ name|upper }}`" + `, a test behind ` + "`is`" + `, a function is called by its
name. Methods exist in Jinja only, as in Python. Where no dialect is named, both have it.
`)
	kind := ""
	n := 0
	for _, e := range stdlib.Table() {
		if e.Kind != kind {
			kind = e.Kind
			fmt.Fprintf(&b, "\n## %s%ss\n\n| %s | | dialect |\n|---|---|---|\n", strings.ToUpper(kind[:1]), kind[1:], kind)
		}
		usage, dialect := e.Signature, ""
		switch {
		case e.Kind == "method":
			usage, dialect = e.On+"."+usage, "Jinja"
		case !e.Native:
			dialect = "Jinja"
		case !e.Jinja:
			dialect = "native"
		}
		if e.Doc == "" {
			t.Errorf("%s %s has no documentation", e.Kind, e.Name)
		}
		n++
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", cell(usage), cell(e.Doc), dialect)
	}
	if n < 100 {
		t.Errorf("%d entries", n)
	}
	isCurrent(t, "../../docs/filters.md", []byte(b.String()))
}

// TestDiagnosticsPage: docs/diagnostics.md is what the table of codes says.
// PCC_UPDATE=1 writes it.
func TestDiagnosticsPage(t *testing.T) {
	stages := map[diag.Stage]string{
		diag.LexerStage: "0xx: characters and tokens", diag.SyntaxStage: "1xx: tags and blocks", diag.CheckStage: "2xx: names and checks when compiling",
		diag.RenderStage: "3xx: rendering, data and requests", diag.DocumentStage: "4xx: documents and files", diag.LimitStage: "9xx: limits",
	}
	var b strings.Builder
	b.WriteString("# Diagnostics\n\nGenerated from the table of codes; `pcc explain CODE` prints one. In Go, `errors.Is` tells the\nkinds of errors apart ([in Go](go.md#errors)).\n")
	last := diag.UnknownStage
	fenced := func(title, text string) {
		if text = strings.TrimRight(text, "\n"); text == "" {
			return
		}
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = strings.ReplaceAll(diag.Visible(strings.ReplaceAll(lines[i], "\t", "    ")), "\r", "")
		}
		fmt.Fprintf(&b, "%s\n\n%s\n%s\n%s\n\n", title, fence, strings.Join(lines, "\n"), fence)
	}
	for _, e := range diag.Entries() {
		if s := e.Code.Stage(); s != last {
			last = s
			fmt.Fprintf(&b, "\n## %s\n", stages[s])
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s: %s. %s\n\n", e.Code, e.Severity, e.Title, strings.Join(strings.Fields(e.Explain), " "))
		bad, good := "Wrong:", "Right:"
		if e.Form == "limit" {
			bad, good = "Runs into it:", "Instead:"
		}
		fenced(bad, e.Bad)
		fenced("With the data:", e.Data)
		fenced(good, e.Good)
		if e.Help != "" {
			fmt.Fprintf(&b, "What to do: %s.\n", strings.TrimSuffix(e.Help, "."))
		}
	}
	isCurrent(t, "../../docs/diagnostics.md", []byte(strings.TrimRight(strings.ReplaceAll(b.String(), "\n\n\n", "\n\n"), "\n")+"\n"))
}
