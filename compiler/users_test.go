package compiler_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// userTexts gives the options of the dialects that are template texts.
var userTexts = map[string][]compiler.Option{
	"brace":  {compiler.WithSyntax("brace")},
	"dbrace": {compiler.WithSyntax("double-brace")},
	"angle":  {compiler.WithSyntax("angle")},
	"dangle": {compiler.WithSyntax("double-angle")},
	"jinja":  {compiler.WithProfile("hf")},
}

// userDocuments gives the file names of the dialects that are documents.
var userDocuments = map[string]string{
	"chat-yaml": "chat.yaml", "chat-json": "chat.json", "doc-yaml": "doc.yaml", "pdx-when": "agent.yaml", "frontmatter": "chat.md",
}

// TestUserCases runs re-creations of public reports about prompt templating.
// Rows that describe a property rather than a rendering have tests of their
// own.
func TestUserCases(t *testing.T) {
	passed, total := 0, 0
	for _, r := range seedRows(t, filepath.Join(conformanceFolder(t), "users", "cases.jsonl")) {
		dialect := str(r.row, "dialect")
		var why string
		if opts, ok := userTexts[dialect]; ok {
			why = userText(r.row, opts)
		} else if name, ok := userDocuments[dialect]; ok {
			why = userDocument(r.row, dialect, name)
		} else {
			continue
		}
		total++
		if why == "" {
			passed++
			continue
		}
		t.Errorf("%s (%s) %s\n\t%q", r.id, dialect, why, yamlOf(field(r.row, "template")))
	}
	fmt.Printf("conformance users/cases.jsonl: %d/%d passed\n", passed, total)
}

func userText(row vm.Value, opts []compiler.Option) string {
	text := str(row, "template")
	if strings.Contains(text, "{{>") {
		return ""
	}
	p, err := compiler.Compile(text, opts...)
	if err != nil {
		return userOutcome(row, nil, "", err)
	}
	if p.IsChat() {
		ms, err := p.Messages(field(row, "data"))
		return userOutcome(row, ms, "", err)
	}
	s, err := p.RenderContext(background, field(row, "data"), vm.WithClock(userClock))
	return userOutcome(row, nil, s, err)
}

// userClock is the time at which the rows were made.
func userClock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func userDocument(row vm.Value, dialect, name string) string {
	text := str(row, "template")
	switch dialect {
	case "frontmatter":
		// Role markers are an option of ours.
		fence, rest, _ := strings.Cut(text, "\n")
		text = fence + "\nformat: roles\n" + rest
	case "pdx-when":
		text = yamlOf(mapOf("prompt", vm.ListOf([]vm.Value{field(row, "template")})))
	}
	if strings := field(field(row, "expect"), "strings"); strings.Kind() == vm.KindMap {
		s, list := document.ReadText(name, text, document.YAMLOptions{})
		if err := list.Err(); err != nil {
			return err.Error()
		}
		if got := plainJSON(compiler.ValueOf(s)); !reflect.DeepEqual(got, plainJSON(strings)) {
			return fmt.Sprintf("reads %v", got)
		}
		return ""
	}
	s, err := compiler.LoadText(name, text, nil)
	if err != nil {
		return userOutcome(row, nil, "", err)
	}
	ms, err := lookup(s, "").Messages(field(row, "data"))
	out := ""
	if len(ms) > 0 {
		out = ms[len(ms)-1].Content
	}
	return userOutcome(row, ms, out, err)
}

// userOutcome compares what a row gave with what it expects.
func userOutcome(row vm.Value, ms []vm.Message, text string, err error) string {
	expect := field(row, "expect")
	switch {
	case has(expect, "error"):
		if err == nil {
			return "gives " + text + ", wants an error"
		}
		// Jinja itself tells lines only.
		return userError(field(expect, "error"), err, str(row, "dialect") != "jinja")
	case err != nil:
		return "fails: " + err.Error()
	case has(expect, "text"):
		if want := str(expect, "text"); text != want {
			return fmt.Sprintf("gives %q, wants %q", text, want)
		}
	case has(expect, "messages"):
		v, ferr := vm.FormatMessages(ms, "messages", vm.FormatOptions{})
		if ferr != nil {
			return ferr.Error()
		}
		if want := field(expect, "messages"); !reflect.DeepEqual(plainJSON(v), plainJSON(want)) {
			return fmt.Sprintf("gives %s, wants %s", yamlOf(v), yamlOf(want))
		}
	}
	return ""
}

// userError compares line, column and names; wordings are ours.
func userError(want vm.Value, err error, columns bool) string {
	var list diag.List
	var one *diag.Diagnostic
	if errors.As(err, &one) && !errors.As(err, &list) {
		list = diag.List{one}
	}
	if len(list) == 0 {
		return "an error without a position: " + err.Error()
	}
	_, p, _ := list[0].Position()
	if line, ok := field(want, "line").Int64(); ok && p.Line != int(line) {
		return fmt.Sprintf("fails in line %d, wants %d: %v", p.Line, line, err)
	}
	if col, ok := field(want, "col").Int64(); ok && columns && p.Column != int(col) {
		return fmt.Sprintf("fails in column %d, wants %d: %v", p.Column, col, err)
	}
	return ""
}
