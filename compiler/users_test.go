package compiler_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// userTexts gives the options of the dialects that are template texts.
var userTexts = map[string][]compiler.Option{
	"brace":        {compiler.WithSyntax("brace")},
	"dbrace":       {compiler.WithSyntax("double-brace")},
	"double-brace": {compiler.WithSyntax("double-brace")},
	"angle":        {compiler.WithSyntax("angle")},
	"dangle":       {compiler.WithSyntax("double-angle")},
	"double-angle": {compiler.WithSyntax("double-angle")},
	"jinja":        {compiler.WithProfile("hf")},
}

// userChecks are the dialects that are neither.
var userChecks = map[string]func(row vm.Value) string{"include": userInclude, "lint": userLint, "detect": userDetect}

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
		} else if check, ok := userChecks[dialect]; ok {
			why = check(r.row)
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
	text, expect := str(row, "template"), field(row, "expect")
	start := time.Now()
	p, err := compiler.Compile(text, opts...)
	if err != nil {
		return userOutcome(row, nil, "", err)
	}
	if has(expect, "vars") {
		return userVars(p, field(expect, "vars"))
	}
	if p.IsChat() {
		ms, err := p.Messages(field(row, "data"))
		return userOutcome(row, ms, "", err)
	}
	s, err := p.RenderContext(background, field(row, "data"), vm.WithClock(userClock))
	if n, ok := field(expect, "text_len").Int64(); ok && int(n) != len(s) {
		return fmt.Sprintf("gives %d bytes, wants %d", len(s), n)
	}
	// Ten times what is asked for, since other tests run beside this one.
	if ms, ok := field(expect, "max_ms").Int64(); ok && time.Since(start) > time.Duration(10*ms)*time.Millisecond {
		return fmt.Sprintf("took %v", time.Since(start))
	}
	if other := field(expect, "with_indent_filter"); other.Kind() == vm.KindMap {
		q, err := compiler.Compile(str(other, "template"), opts...)
		if err != nil {
			return err.Error()
		}
		if got, err := q.Render(field(row, "data")); got != str(other, "text") || err != nil {
			return fmt.Sprintf("with the filter: %q, %v", got, err)
		}
	}
	return userOutcome(row, nil, s, err)
}

// userVars compares the names of the variables, in order. Ours are paths.
func userVars(p *vm.Program, want vm.Value) string {
	var got []vm.Value
	seen := map[string]bool{}
	for _, v := range p.Variables() {
		name, _, _ := strings.Cut(v.Name, ".")
		name = strings.TrimSuffix(name, "[]")
		if !seen[name] {
			got = append(got, vm.String(name))
		}
		seen[name] = true
	}
	if g := plainJSON(vm.ListOf(got)); !reflect.DeepEqual(g, plainJSON(want)) {
		return fmt.Sprintf("has the variables %v, wants %v", g, plainJSON(want))
	}
	return ""
}

// userCodes are our codes for the ones of rows.
var userCodes = map[string]diag.Code{"include-cycle": "PCC211", "suspicious-single-brace": "PCC209"}

// userInclude compiles the file `main` of a set of files; `{{> x}}` is our
// `{{include "x"}}`.
func userInclude(row vm.Value) string {
	files := fstest.MapFS{}
	templates, _ := field(row, "template").Map()
	for i := range templates.Len() {
		name, text := templates.At(i)
		n, _ := name.Str()
		s, _ := text.Str()
		s = regexp.MustCompile(`\{\{>\s*([\w./-]+)\s*\}\}`).ReplaceAllString(s, `{{include "$1"}}`)
		files[n] = &fstest.MapFile{Data: []byte(s)}
	}
	p, err := compiler.CompileFile("main", compiler.WithFS(files), compiler.WithSyntax("brace"))
	want := field(field(row, "expect"), "error")
	if want.Kind() != vm.KindMap {
		if err != nil {
			return err.Error()
		}
		s, err := p.Render(field(row, "data"))
		return userOutcome(row, nil, s, err)
	}
	l := list(err)
	if len(l) == 0 {
		return "wants an error"
	}
	if code := userCodes[str(want, "code")]; code != "" && l[0].Code != code {
		return "fails otherwise: " + err.Error()
	}
	var way []vm.Value
	for _, n := range l[0].Names {
		way = append(way, vm.String(n))
	}
	if w := field(want, "path"); w.Kind() == vm.KindList && !reflect.DeepEqual(plainJSON(vm.ListOf(way)), plainJSON(w)) {
		return fmt.Sprintf("goes the way %v, wants %v", l[0].Names, plainJSON(w))
	}
	return ""
}

// userLint looks for warnings. The data's names are declared, which takes front
// matter of two lines and one for each.
func userLint(row vm.Value) string {
	head, lines := "---\nvariables:\n", 3
	data, _ := field(row, "data").Map()
	for i := range data.Len() {
		name, _ := data.At(i)
		n, _ := name.Str()
		head += "  " + n + ": {}\n"
		lines++
	}
	found := compiler.Check(head+"---\n"+str(row, "template"), compiler.WithSyntax("brace"))
	wants, _ := field(field(row, "expect"), "lint").List()
next:
	for _, w := range wants.Items {
		line, _ := field(w, "line").Int64()
		col, _ := field(w, "col").Int64()
		for _, d := range found {
			if _, p, _ := d.Position(); d.Code == userCodes[str(w, "code")] && p.Line-lines == int(line) && p.Column == int(col) {
				continue next
			}
		}
		return fmt.Sprintf("finds %v, wants %v", found, plainJSON(w))
	}
	return ""
}

// userDetect looks at what the detection of the syntax says.
func userDetect(row vm.Value) string {
	d := compiler.Detect(str(row, "template"), "")
	if str(field(row, "expect"), "detect") == "go-template" && !strings.Contains(d.Reason, "Go text/template") {
		return "says " + d.Reason
	}
	return ""
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
	p, err := s.Find("")
	if err != nil {
		return userOutcome(row, nil, "", err)
	}
	ms, err := p.Messages(field(row, "data"))
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
