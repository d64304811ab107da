package compiler_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// jinjaRow is one recorded run of Python's Jinja.
type jinjaRow struct {
	ID       string
	Template string
	Context  json.RawMessage
	Options  jinjaRowOptions
	Expect   *string
	Error    *jinjaRowError
	// Where two versions of Jinja differ, the newer one's result.
	NewExpect *string        `json:"new_expect"`
	NewError  *jinjaRowError `json:"new_error"`
}

type jinjaRowError struct {
	Type    string
	Phase   string
	Message string
	Lineno  int
}

type jinjaRowOptions struct {
	Profile             string
	Name                string
	TrimBlocks          bool   `json:"trim_blocks"`
	LstripBlocks        bool   `json:"lstrip_blocks"`
	KeepTrailingNewline bool   `json:"keep_trailing_newline"`
	NewlineSequence     string `json:"newline_sequence"`
	BlockStart          string `json:"block_start_string"`
	BlockEnd            string `json:"block_end_string"`
	VariableStart       string `json:"variable_start_string"`
	VariableEnd         string `json:"variable_end_string"`
	CommentStart        string `json:"comment_start_string"`
	CommentEnd          string `json:"comment_end_string"`
	LineStatement       string `json:"line_statement_prefix"`
	LineComment         string `json:"line_comment_prefix"`
	Autoescape          any
	Undefined           string
	Extensions          []string
	Sandbox             any
	Templates           map[string]string
	Globals             json.RawMessage
}

func (o *jinjaRowOptions) compile(src string) (*vm.Program, error) {
	files := fstest.MapFS{}
	for name, text := range o.Templates {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	opts := []compiler.Option{compiler.WithName(o.Name)}
	if o.Templates != nil {
		opts = append(opts, compiler.WithFS(files))
	}
	var j compiler.JinjaOptions
	if o.Profile != "" {
		opts = append(opts, compiler.WithProfile(o.Profile))
		j, _ = compiler.ProfileOptions(o.Profile)
	}
	s := &j.Syntax
	s.TrimBlocks, s.LstripBlocks = s.TrimBlocks || o.TrimBlocks, s.LstripBlocks || o.LstripBlocks
	s.KeepTrailingNewline = s.KeepTrailingNewline || o.KeepTrailingNewline
	s.NewlineSequence = o.NewlineSequence
	s.BlockStart, s.BlockEnd, s.VariableStart, s.VariableEnd = o.BlockStart, o.BlockEnd, o.VariableStart, o.VariableEnd
	s.CommentStart, s.CommentEnd = o.CommentStart, o.CommentEnd
	s.LineStatementPrefix, s.LineCommentPrefix = o.LineStatement, o.LineComment
	for _, e := range o.Extensions {
		switch e {
		case "do":
			s.Do = true
		case "loopcontrols":
			s.LoopControls = true
		default:
			return nil, fmt.Errorf("unknown extension %s", e)
		}
	}
	switch o.Autoescape {
	case true:
		j.Autoescape = compiler.AutoescapeOn
	case "select":
		j.Autoescape = compiler.AutoescapeByName
	}
	switch o.Undefined {
	case "", "default":
	case "chainable":
		j.Undefined = vm.UndefinedChainable
	case "strict":
		j.Undefined = vm.UndefinedStrict
	case "debug":
		j.Undefined = vm.UndefinedDebug
	default:
		return nil, fmt.Errorf("unknown kind of undefined %s", o.Undefined)
	}
	switch o.Sandbox {
	case "sandbox":
		j.Sandbox = vm.SandboxOn
	case "immutable":
		j.Sandbox = vm.SandboxImmutable
	}
	if len(o.Globals) > 0 {
		v, err := vm.DecodeJSON(o.Globals, vm.DecodeOptions{LastDuplicate: true})
		if err != nil {
			return nil, err
		}
		j.Globals = map[string]any{}
		m, _ := v.Map()
		for i := range m.Len() {
			k, x := m.At(i)
			name, _ := k.Str()
			j.Globals[name] = x
		}
	}
	return compiler.Compile(src, append(opts, compiler.WithJinja(j))...)
}

// errorKinds gives our kind of error for each class of Python.
var errorKinds = map[string]string{
	"TemplateSyntaxError": "syntax", "TemplateAssertionError": "syntax", "SyntaxError": "syntax",
	"UndefinedError": "undefined", "TypeError": "type", "ValueError": "value", "SecurityError": "security",
	"TemplateRuntimeError": "runtime", "TemplateError": "runtime", "ZeroDivisionError": "zerodivision",
	"OverflowError": "overflow", "TemplateNotFound": "notfound", "TemplatesNotFound": "notfound",
	"RecursionError": "limit", "AssertionError": "assertion", "FilterArgumentError": "runtime",
	"KeyError": "key", "IndexError": "key", "AttributeError": "undefined",
}

// outcome is what a row gave.
type outcome struct {
	text string
	err  error
}

// rowClock is the time at which the rows were made.
func rowClock() time.Time { return time.Date(2026, 3, 9, 14, 5, 7, 0, time.UTC) }

// rowTime bounds one row.
const rowTime = 5 * time.Second

func (r *jinjaRow) run(now func() time.Time) outcome {
	done := make(chan outcome, 1)
	ctx, cancel := context.WithTimeout(context.Background(), rowTime)
	defer cancel()
	go func() {
		var o outcome
		defer func() {
			if x := recover(); x != nil {
				o.err = fmt.Errorf("panic: %v", x)
			}
			done <- o
		}()
		p, err := r.Options.compile(r.Template)
		if err != nil {
			o.err = err
			return
		}
		data := vm.MapOf(vm.NewMap(0))
		if len(r.Context) > 0 {
			if data, o.err = vm.DecodeJSON(r.Context, vm.DecodeOptions{LastDuplicate: true}); o.err != nil {
				return
			}
		}
		o.text, o.err = p.RenderContext(ctx, data, vm.WithClock(now))
	}()
	select {
	case o := <-done:
		return o
	case <-time.After(rowTime + time.Second):
		return outcome{err: errors.New("no result in time")}
	}
}

// check returns what is wrong with an outcome, "" if nothing is.
func (r *jinjaRow) check(o outcome) string {
	expect, fail := r.Expect, r.Error
	if r.NewExpect != nil || r.NewError != nil {
		expect, fail = r.NewExpect, r.NewError
	}
	if fail == nil {
		switch {
		case o.err != nil:
			return fmt.Sprintf("fails: %v", o.err)
		case expect == nil:
			return "the row expects nothing"
		case o.text != *expect:
			return fmt.Sprintf("gives %q, not %q", shorten(o.text, *expect), shorten(*expect, o.text))
		}
		return ""
	}
	if o.err == nil {
		return fmt.Sprintf("gives %q, not %s: %s", shorten(o.text, ""), fail.Type, fail.Message)
	}
	var d *diag.Diagnostic
	if !errors.As(o.err, &d) {
		return fmt.Sprintf("fails without a diagnostic: %v", o.err)
	}
	want, ok := errorKinds[fail.Type]
	if !ok {
		return "unknown class of error " + fail.Type
	}
	if d.Kind != want {
		return fmt.Sprintf("fails with kind %q (%v), not %s: %s", d.Kind, d, fail.Type, fail.Message)
	}
	if fail.Lineno > 0 && want == "syntax" {
		if _, p, ok := d.Position(); !ok || p.Line != fail.Lineno {
			return fmt.Sprintf("fails in line %d (%v), not in line %d: %s", p.Line, d, fail.Lineno, fail.Message)
		}
	}
	return ""
}

// shorten cuts the parts that two long texts have in common.
func shorten(s, other string) string {
	i := 0
	for i < len(s) && i < len(other) && s[i] == other[i] {
		i++
	}
	i = max(0, i-30)
	s = s[i:]
	if len(s) > 120 {
		s = s[:120] + "…"
	}
	if i > 0 {
		s = "…" + s
	}
	return s
}

// deviation is a row whose result is deliberately another.
type deviation struct {
	ID     string
	Input  string
	Reason string
	Ours   string
	Class  string
}

// TestDeviationsAreReadable: who does not have the recorded runs is told what
// each deviation of the seed systems is about.
func TestDeviationsAreReadable(t *testing.T) {
	for id, d := range readDeviations(t) {
		seed := strings.HasPrefix(id, "af-") || strings.HasPrefix(id, "hf-") || strings.HasPrefix(id, "ph-") || strings.HasPrefix(id, "pdx-")
		if seed && d.Class != "n/a" && (d.Input == "" || d.Ours == "") {
			t.Errorf("%s does not say what is rendered, and what comes of it", id)
		}
	}
}

func readDeviations(t *testing.T) map[string]deviation {
	b, err := os.ReadFile("../testdata/conformance/deviations.yaml")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var file map[string][]deviation
	if err := yaml.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	out := map[string]deviation{}
	for _, list := range file {
		for _, d := range list {
			if d.ID == "" || d.Reason == "" {
				t.Errorf("a deviation lacks its id or reason: %+v", d)
			}
			out[d.ID] = d
		}
	}
	return out
}

// conformanceFolder is the folder of recorded runs, or the test is skipped.
func conformanceFolder(t *testing.T) string {
	dir := os.Getenv("PCC_CONFORMANCE")
	if dir == "" {
		t.Skip("PCC_CONFORMANCE does not name the conformance folder")
	}
	return dir
}

// TestJinjaConformance runs templates that Python's Jinja rendered.
func TestJinjaConformance(t *testing.T) {
	dir := filepath.Join(conformanceFolder(t), "jinja")
	known := readDeviations(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows in the conformance folder: %v", err)
	}
	for _, name := range files {
		t.Run(strings.SplitN(filepath.Base(name), ".", 2)[0], func(t *testing.T) {
			passed, total, allowed := 0, 0, 0
			eachRow(t, name, func(r *jinjaRow) {
				total++
				why := r.check(r.run(rowClock))
				d, deviates := known[r.ID]
				switch {
				case why == "" && deviates:
					t.Errorf("%s passes, but is listed as a deviation", r.ID)
				case why == "":
					passed++
				case deviates:
					allowed++
					t.Logf("%s deviates: %s", r.ID, d.Reason)
				default:
					t.Errorf("%s %.200q %s", r.ID, r.Template, why)
				}
			})
			fmt.Printf("conformance jinja/%s: %d/%d passed, %d deviations\n", filepath.Base(name), passed, total, allowed)
		})
	}
}

func eachRow(t *testing.T, name string, run func(*jinjaRow)) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r jinjaRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		run(&r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
