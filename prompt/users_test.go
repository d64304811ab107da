package prompt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/internal/conformance"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/prompt"
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
	"auto":         {},
}

// userChecks are the dialects that are neither.
var userChecks = map[string]func(row vm.Value) string{"jinja": userJinja, "jinja+keep_trailing_newline": userJinja, "include": userInclude, "lint": userLint, "detect": userDetect}

// userDocuments gives the file names of the dialects that are documents.
var userDocuments = map[string]string{
	"chat-yaml": "chat.yaml", "chat-json": "chat.json", "doc-yaml": "doc.yaml", "pdx-when": "agent.yaml", "frontmatter": "chat.md",
	"doc": "",
}

// userElsewhere says what holds the rows of the other dialects.
var userElsewhere = map[string]string{
	"chat-template": "TestUserCommands in cmd/pcc", "cli": "testdata/script", "fmt": "not built", "positional": "not built",
	"files": "not built", "go-test": "TestLoad and FuzzRender in fuzz",
}

// userExpects are the keys of `expect` that the tests here read.
var userExpects = []string{
	"text", "messages", "error", "vars", "vars_schema", "with_indent_filter", "strings", "lint", "detect", "hint", "text_len",
	"max_ms", // TestLinearTime: a clock tells little on a busy machine
	"note", "property",
}

// TestUserCases runs re-creations of public reports about prompt templating.
// Rows that describe a property rather than a rendering have tests of their
// own.
func TestUserCases(t *testing.T) {
	passed, total, allowed := 0, 0, 0
	known := conformance.Deviations(t)
	elsewhere := map[string][]string{}
	for _, r := range seedRows(t, filepath.Join(conformance.Folder(t), "users", "cases.jsonl")) {
		dialect := str(r.row, "dialect")
		if userElsewhere[dialect] != "" {
			elsewhere[dialect] = append(elsewhere[dialect], r.id)
			continue
		}
		total++
		why := userRow(r.row, dialect)
		_, deviates := known[r.id]
		switch {
		case why == "" && deviates:
			t.Errorf("%s passes, but is listed as a deviation", r.id)
		case why == "":
			passed++
		case deviates:
			allowed++
			t.Logf("%s deviates: %s", r.id, known[r.id].Reason)
		default:
			t.Errorf("%s (%s) %.600s\n\t%.600q", r.id, dialect, why, yamlOf(field(r.row, "template")))
		}
	}
	fmt.Printf("conformance users/cases.jsonl: %d/%d passed, %d deviations\n", passed, total, allowed)
	for _, dialect := range slices.Sorted(maps.Keys(elsewhere)) {
		fmt.Printf("\t%s is not run here (%s): %s\n", strings.Join(elsewhere[dialect], ", "), dialect, userElsewhere[dialect])
	}
}

func userRow(row vm.Value, dialect string) string {
	expect, _ := field(row, "expect").Map()
	for i := range expect.Len() {
		k, _ := expect.At(i)
		if name, _ := k.Str(); !slices.Contains(userExpects, name) {
			return "wants `" + name + "`, which is not looked at"
		}
	}
	if err := userGenerate(row); err != nil {
		return err.Error()
	}
	if opts, ok := userTexts[dialect]; ok {
		return userText(row, opts)
	}
	if name, ok := userDocuments[dialect]; ok {
		return userDocument(row, dialect, name)
	}
	if check, ok := userChecks[dialect]; ok {
		return check(row)
	}
	return "is of an unknown dialect"
}

// userGenerate replaces {"gen": a Python expression} by its value, in the
// template and the data.
func userGenerate(row vm.Value) error {
	m, _ := row.Map()
	for _, name := range []string{"template", "data"} {
		code, ok := field(field(row, name), "gen").Str()
		if !ok {
			continue
		}
		const program = "import json, sys; x = eval(sys.argv[1]); json.dump(x, sys.stdout)"
		out, err := exec.Command("python3", "-c", program, code).Output()
		if err != nil {
			return fmt.Errorf("the row's %s is made by Python: %w", name, err)
		}
		v, err := vm.DecodeJSON(out, vm.DecodeOptions{})
		if err != nil {
			return err
		}
		m.Set(name, v)
	}
	return nil
}

// userJinja runs a row as those of the folder jinja, where it has options. The
// others run as a template does that comes without any.
func userJinja(row vm.Value) string {
	opts := []compiler.Option{compiler.WithSyntax("jinja")}
	if _, option, ok := strings.Cut(str(row, "dialect"), "+"); ok {
		m, _ := row.Map()
		m.Set("options", mapOf(option, true))
	}
	if !has(row, "options") && str(row, "oracle") == "reasoned" {
		return userText(row, opts)
	}
	r := conformance.JinjaRow{ID: str(row, "id"), Template: str(row, "template"),
		Context: vm.AppendJSON(nil, field(row, "data"), vm.JSONOptions{Python: true})} // 1.0 stays a float
	if strings.Contains(str(row, "oracle"), "(hf env)") {
		r.Options.Profile = "hf"
	}
	if has(row, "options") {
		in := json.NewDecoder(strings.NewReader(yamlOf(field(row, "options"))))
		in.DisallowUnknownFields()
		if err := in.Decode(&r.Options); err != nil {
			return "has options that are not known: " + err.Error()
		}
	}
	expect := field(row, "expect")
	if text, ok := field(expect, "text").Str(); ok {
		r.Expect = &text
	}
	if e := field(expect, "error"); e.Kind() == vm.KindMap {
		r.Error = &conformance.JinjaError{}
		if err := json.Unmarshal([]byte(yamlOf(e)), r.Error); err != nil {
			return err.Error()
		}
	}
	clock := conformance.Clock
	if !has(row, "options") {
		clock = userClock
	}
	o := r.Run(clock)
	if why := r.Check(o); why != "" || r.Error == nil {
		return why
	}
	return userHolds(row, o.Err)
}

// userHolds looks for what the message of an error must hold.
func userHolds(row vm.Value, err error) string {
	text := err.Error()
	for _, d := range diag.AsList(err) {
		text += "\n" + d.Message + "\n" + d.Help
	}
	if want := str(row, "expect_message_holds"); !strings.Contains(text, want) {
		return fmt.Sprintf("says %q, which lacks %q", text, want)
	}
	return ""
}

func userText(row vm.Value, opts []compiler.Option) string {
	text, expect := str(row, "template"), field(row, "expect")
	p, err := compiler.Compile(text, opts...)
	if err != nil {
		return userOutcome(row, nil, "", err)
	}
	if has(expect, "vars") {
		return userVars(p, field(expect, "vars"), field(expect, "vars_schema"))
	}
	if p.IsChat() {
		ms, err := p.Messages(field(row, "data"))
		return userOutcome(row, ms, "", err)
	}
	s, err := p.RenderContext(background, field(row, "data"), vm.WithClock(userClock))
	if n, ok := field(expect, "text_len").Int64(); ok && int(n) != len(s) {
		return fmt.Sprintf("gives %d bytes, wants %d", len(s), n)
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

// userVars compares the names of the variables, in order. Ours are paths; schema
// is an example of the data they need.
func userVars(p *vm.Program, want, schema vm.Value) string {
	var paths []string
	for _, v := range p.Variables() {
		paths = append(paths, v.Name)
	}
	for _, path := range schemaPaths("", schema) {
		if !slices.Contains(paths, path) {
			return fmt.Sprintf("reads %v, wants %s too", paths, path)
		}
	}
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

// schemaPaths are the paths of the leaves of an example, spelled as ours.
func schemaPaths(path string, example vm.Value) (all []string) {
	if m, ok := example.Map(); ok {
		for i := range m.Len() {
			k, v := m.At(i)
			name, _ := k.Str()
			all = append(all, schemaPaths(strings.TrimPrefix(path+"."+name, "."), v)...)
		}
		return all
	}
	if l, ok := example.List(); ok {
		return schemaPaths(path+"[]", l.Items[0])
	}
	if path == "" {
		return nil
	}
	return []string{path}
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
	l := diag.AsList(err)
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

// userClock is the time of the rows without options.
func userClock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func userDocument(row vm.Value, dialect, name string) string {
	text := str(row, "template")
	if dialect == "doc" {
		name = str(row, "name")
	}
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
	s, err := prompt.LoadText(name, text, nil)
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
		if why := userError(field(expect, "error"), err, str(row, "dialect") != "jinja"); why != "" {
			return why
		}
		return userHolds(row, err)
	case err != nil:
		return "fails: " + err.Error()
	case has(expect, "text"):
		if want := str(expect, "text"); text != want {
			return fmt.Sprintf("gives %q, wants %q", text, want)
		}
	case has(expect, "messages"):
		v, ferr := prompt.FormatMessages(ms, "messages", prompt.FormatOptions{})
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
	if code := str(want, "code"); strings.HasPrefix(code, "PCC") && list[0].Code != diag.Code(code) {
		return fmt.Sprintf("fails with %s, wants %s: %v", list[0].Code, code, err)
	}
	if name := str(want, "name"); name != "" && !strings.Contains(err.Error(), name) {
		return fmt.Sprintf("does not name %s: %v", name, err)
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
