package conformance

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// JinjaRow is one recorded run of Python's Jinja.
type JinjaRow struct {
	ID       string
	Template string
	Context  json.RawMessage
	Options  JinjaOptions
	Expect   *string
	Error    *JinjaError
	// Where two versions of Jinja differ, the newer one's result.
	NewExpect *string     `json:"new_expect"`
	NewError  *JinjaError `json:"new_error"`
}

// JinjaError is an error that Python raised.
type JinjaError struct {
	Type    string
	Phase   string
	Message string
	Lineno  int
}

// JinjaOptions are the options of the environment of a row.
type JinjaOptions struct {
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

// Compile compiles a template with the options.
func (o *JinjaOptions) Compile(src string) (*vm.Program, error) {
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
		opts = append(opts, compiler.WithProfile(compiler.Profile(o.Profile)))
		j, _ = compiler.Profile(o.Profile).Options()
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

// Outcome is what a row gave.
type Outcome struct {
	Text string
	Err  error
}

// Clock is the time at which the rows were made.
func Clock() time.Time { return time.Date(2026, 3, 9, 14, 5, 7, 0, time.UTC) }

// rowTime bounds one row.
const rowTime = 5 * time.Second

// Run renders the row; now is the clock of its time functions.
func (r *JinjaRow) Run(now func() time.Time) Outcome {
	done := make(chan Outcome, 1)
	ctx, cancel := context.WithTimeout(context.Background(), rowTime)
	defer cancel()
	go func() {
		var o Outcome
		defer func() {
			if x := recover(); x != nil {
				o.Err = fmt.Errorf("panic: %v", x)
			}
			done <- o
		}()
		p, err := r.Options.Compile(r.Template)
		if err != nil {
			o.Err = err
			return
		}
		data := vm.MapOf(vm.NewMap(0))
		if len(r.Context) > 0 {
			if data, o.Err = vm.DecodeJSON(r.Context, vm.DecodeOptions{LastDuplicate: true}); o.Err != nil {
				return
			}
		}
		o.Text, o.Err = p.RenderContext(ctx, data, vm.WithClock(now))
	}()
	select {
	case o := <-done:
		return o
	case <-time.After(rowTime + time.Second):
		return Outcome{Err: errors.New("no result in time")}
	}
}

// Check returns what is wrong with an Outcome, "" if nothing is.
func (r *JinjaRow) Check(o Outcome) string {
	expect, fail := r.Expect, r.Error
	if r.NewExpect != nil || r.NewError != nil {
		expect, fail = r.NewExpect, r.NewError
	}
	if fail == nil {
		switch {
		case o.Err != nil:
			return fmt.Sprintf("fails: %v", o.Err)
		case expect == nil:
			return "the row expects nothing"
		case o.Text != *expect:
			return fmt.Sprintf("gives %q, not %q", Shorten(o.Text, *expect), Shorten(*expect, o.Text))
		}
		return ""
	}
	if o.Err == nil {
		return fmt.Sprintf("gives %q, not %s: %s", Shorten(o.Text, ""), fail.Type, fail.Message)
	}
	var d *diag.Diagnostic
	if !errors.As(o.Err, &d) {
		return fmt.Sprintf("fails without a diagnostic: %v", o.Err)
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

// Shorten cuts the parts that two long texts have in common.
func Shorten(s, other string) string {
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

// EachJinjaRow calls run for each row of a file, which may be compressed.
func EachJinjaRow(t *testing.T, name string, run func(*JinjaRow)) {
	t.Helper()
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
		var r JinjaRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		run(&r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
