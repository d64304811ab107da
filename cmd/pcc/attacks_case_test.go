package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
	"github.com/pcc-lang/pcc/vm/guard"
	"github.com/pcc-lang/pcc/vm/message"
)

// attackCase is a row while it runs.
type attackCase struct {
	t      *testing.T
	row    attack
	dir    string // the folder of templates is dir/templates
	at     string // of generated inputs
	opts   []compiler.Option
	render []vm.RenderOption
	ctx    context.Context
	cancel time.Duration // after which a render's context ends, 0 never
	data   any
	called func() bool // whether a hostile method of the data ran

	program *vm.Program
	report  *vm.Report
	err     error
	faults  []string
	both    string // what the last pcc of a row about the command line printed
	spent   time.Duration
}

func (c *attackCase) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// run prepares the row's input, runs it and holds the result against the
// row's assertions.
func (c *attackCase) run() verdict {
	c.ctx = context.Background()
	kind, _, _ := strings.Cut(c.row.Fixture, ":")
	switch {
	case kind == "cli" || c.row.Where == "cli":
		c.bounded()
		return c.commandLine()
	case kind == "conc":
		c.bounded()
		return c.concurrent()
	case kind == "mutate":
		c.bounded()
		return c.mutant()
	}
	c.fixture()
	src := c.source()
	if c.data == nil {
		c.data = c.rowData()
	}
	c.bounded()
	if c.err == nil {
		c.measure(func() { c.err = c.load(src) })
	}
	if c.err == nil && c.row.Where != "compile" && (c.row.Where != "load" || c.row.Must == "render") {
		c.renders()
	}
	if lacksConstruct(c.err) && c.row.Must != "error" { // a filter that only others have: refusing it is right
		return verdict{Outcome: "none"}
	}
	c.check()
	v := verdict{Outcome: outcomeOf(c.err), Or: c.row.Or, Faults: c.faults, MS: c.spent.Milliseconds()}
	if d := (&diag.Diagnostic{}); c.row.Must == "limit" && errors.As(c.err, &d) && d.Kind == "overflow" {
		v.Outcome = "limit" // range() of Jinja's sandbox has a limit of its own
	}
	if c.err != nil {
		v.Detail = shortened(c.err.Error())
	} else if c.report != nil {
		v.Detail = shortened(c.report.Text)
	}
	return v
}

func shortened(s string) string { return s[:min(len(s), 500)] }

// measure adds the processor time that f takes, of all threads.
func (c *attackCase) measure(f func()) {
	start, cpu := time.Now(), processorTime()
	f()
	took := time.Since(start)
	if cpu > 0 {
		took = processorTime() - cpu
	}
	c.spent += took
}

// lacksConstruct reports whether a row calls filters or tests that the language
// does not have, and was refused for that when it was compiled.
func lacksConstruct(err error) bool {
	d := &diag.Diagnostic{}
	return errors.As(err, &d) && (d.Code == "PCC201" || d.Code == "PCC202")
}

// outcomeOf classifies an error by its codes.
func outcomeOf(err error) string {
	if err == nil {
		return "render"
	}
	var list diag.List
	var d *diag.Diagnostic
	switch {
	case errors.As(err, &list):
	case errors.As(err, &d):
		list = diag.List{d}
	}
	for _, d := range list {
		if d.Code.Stage() == diag.LimitStage && d.Code != "PCC910" {
			return "limit"
		}
	}
	return "error"
}

// source is the template or document of the row, or nil if it has none.
func (c *attackCase) source() string {
	switch {
	case c.row.Gen != "":
		b, err := os.ReadFile(c.at + ".src")
		if err != nil {
			c.t.Fatal(err)
		}
		return string(b)
	case c.row.File != nil:
		return *c.row.File
	}
	return c.row.Template
}

func (c *attackCase) files() map[string]string {
	raw := []byte(c.row.Files)
	if bytes.HasPrefix(raw, []byte(`"py:`)) {
		var err error
		if raw, err = os.ReadFile(c.at + ".files"); err != nil {
			c.t.Fatal(err)
		}
	}
	files := map[string]string{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &files); err != nil {
			c.t.Fatal(err)
		}
	}
	return files
}

// rowData decodes the row's data; what the decoder refuses is the outcome.
func (c *attackCase) rowData() any {
	raw := []byte(c.row.Data)
	o := vm.DecodeOptions{MaxBytes: 512 << 20, MaxDepth: 10_000, MaxValues: 1 << 30, MaxDigits: 1 << 20}
	switch {
	case c.row.DataGen != "":
		var err error
		if raw, err = os.ReadFile(c.at + ".data"); err != nil {
			c.t.Fatal(err)
		}
	case c.row.DataFile != "":
		raw, o = []byte(c.row.DataFile), vm.DecodeOptions{}
	case len(raw) == 0:
		return map[string]any{}
	}
	v, err := vm.DecodeJSON(raw, o)
	if err != nil {
		c.err = dataError("data", string(raw), 1, err)
		return nil
	}
	m, ok := v.Map()
	if !ok {
		c.err = notAMap("data")
		return nil
	}
	for i := range m.Len() {
		k, x := m.At(i)
		if inner, ok := x.Map(); ok {
			if h, ok := inner.Get("$bytes"); ok {
				s, _ := h.Str()
				b, _ := hex.DecodeString(s)
				m.Put(k, vm.String(string(b)))
			}
		}
	}
	return v
}

// load compiles the row: a document, or a template with files beside it.
func (c *attackCase) load(src string) error {
	files := c.files()
	if c.row.Dialect == "yaml" || c.row.Dialect == "pdx" {
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if c.inFolder() {
			c.write(files)
			c.writeFile("agent.yaml", src)
			return c.document(prompt.LoadFile(filepath.Join(c.dir, "templates", "agent.yaml"), c.opts...))
		}
		return c.document(prompt.LoadText("agent.yaml", src, fsys, c.opts...))
	}
	opts := append([]compiler.Option{compiler.WithSyntax(compiler.Syntax(c.row.Dialect))}, c.opts...)
	if c.row.Dialect == "jinja" {
		opts = append([]compiler.Option{compiler.WithJinja(compiler.JinjaOptions{
			Syntax: lexer.JinjaOptions{LoopControls: true, Do: true, KeepTrailingNewline: true}, Sandbox: vm.SandboxOn})}, c.opts...)
	}
	var p *vm.Program
	var err error
	if c.inFolder() {
		c.write(files)
		c.writeFile("main.txt", src)
		p, err = compiler.CompileFile(filepath.Join(c.dir, "templates", "main.txt"), opts...)
	} else {
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		p, err = compiler.Compile(src, append(opts, compiler.WithFS(fsys))...)
	}
	if err != nil {
		return err
	}
	c.program = p
	return nil
}

func (c *attackCase) document(s *prompt.Set, err error) error {
	if err == nil {
		c.program, err = s.Find("")
	}
	return err
}

// inFolder reports whether the row is about files of the system.
func (c *attackCase) inFolder() bool { return c.row.Kind == "path" }

func (c *attackCase) write(files map[string]string) {
	for name, text := range files {
		c.writeFile(name, text)
	}
}

func (c *attackCase) writeFile(name, text string) {
	path := filepath.Join(c.dir, "templates", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
}

// renders renders once, and for stable rows many times.
func (c *attackCase) renders() {
	report := func(data any) (r *vm.Report, err error) {
		ctx := c.ctx
		if c.cancel > 0 {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeout(ctx, c.cancel)
			defer stop()
		}
		c.measure(func() { r, err = c.program.Report(ctx, data, c.render...) })
		return r, err
	}
	if first, isTwice := c.firstData(); isTwice { // what it leaves behind is looked for in the second
		if _, err := report(first); err != nil {
			c.fault("the first render: %v", err)
		}
	}
	c.report, c.err = report(c.data)
	for range c.row.Assert.Stable - 1 {
		again, err := c.program.Report(c.ctx, c.data, c.render...)
		if err != nil || again.Text != c.report.Text {
			c.fault("the output differs from render to render: %v", err)
			return
		}
	}
}

// firstData is the data of the first of two renders.
func (c *attackCase) firstData() (any, bool) {
	rest, twice := strings.CutPrefix(c.row.Fixture, "render_twice")
	if !twice {
		return nil, false
	}
	if strings.Contains(rest, "TENANT1-SECRET") {
		x := map[string]any{"x": "TENANT1-SECRET"}
		return map[string]any{"u": x, "x": "TENANT1-SECRET"}, true
	}
	return c.data, true
}

// check holds output and diagnostics against the row's assertions.
func (c *attackCase) check() {
	a := &c.row.Assert
	text := ""
	if c.report != nil {
		text = c.report.Text
	}
	said := c.diagnostics()
	if a.Equals != nil && c.err == nil && text != *a.Equals {
		c.fault("output %.200q, want %q", text, *a.Equals)
	}
	for _, s := range a.Absent {
		secret := strings.Contains(s, "CANARY") || strings.Contains(s, "SECRET")
		if strings.Contains(text, s) || secret && strings.Contains(said, s) || s == "\x1b" && strings.Contains(said, s) {
			c.fault("%q got out", s)
		}
	}
	for _, s := range a.ErrorAbsent {
		if strings.Contains(said, s) {
			c.fault("%q stands in a diagnostic: %.300s", s, said)
		}
	}
	for _, name := range a.Verbatim {
		x := vm.String("")
		if v, ok := vm.Lookup(vm.Of(c.data), name); ok {
			x = v
		}
		if s, _ := x.Str(); !strings.Contains(text, s) {
			c.fault("`%s` is not verbatim in %q", name, text)
		}
	}
	if c.err == nil && c.report != nil {
		c.checkMessages(a)
	}
	if a.NoToken && c.err == nil {
		inner := strings.TrimSuffix(strings.TrimPrefix(text, "<|im_start|>user\n"), "<|im_end|>")
		if found, _ := guard.HasToken(inner, "all"); found || len(inner) == len(text) {
			c.fault("a control token survives in %q", text)
		}
	}
	if a.FlagUnset && c.called() {
		c.fault("a method of the data was called")
	}
	if c.row.ExpectWarning && c.err == nil && c.program != nil && len(c.program.Warnings()) == 0 && (c.report == nil || len(c.report.Kept) == 0) {
		c.fault("no warning")
	}
	if c.row.MaxOut > 0 && len(said) > c.row.MaxOut {
		c.fault("a diagnostic of %d bytes", len(said))
	}
}

func (c *attackCase) checkMessages(a *assertion) {
	if a.Messages > 0 && len(c.report.Messages) != a.Messages {
		c.fault("%d messages, want %d", len(c.report.Messages), a.Messages)
	}
	for i, role := range a.Roles {
		if i >= len(c.report.Messages) || c.report.Messages[i].Role != role {
			c.fault("message %d is not %s", i+1, role)
		}
	}
	if a.ValidJSON {
		var got []struct{ Role, Content string }
		v, err := message.Format(c.report.Messages, "openai", message.Options{})
		if err == nil {
			err = json.Unmarshal(vm.AppendJSON(nil, v, vm.JSONOptions{}), &got)
		}
		if err != nil || len(got) != len(c.report.Messages) {
			c.fault("the messages as JSON: %v, %v", got, err)
		}
	}
	if a.Segments != nil {
		segments, err := c.program.Segments(c.data)
		var got [][2]any
		for _, s := range segments {
			got = append(got, [2]any{s.Text, s.FromData})
		}
		if fmt.Sprint(got) != fmt.Sprint(a.Segments) {
			c.fault("segments %v (%v), want %v", got, err, a.Segments)
		}
	}
}

// diagnostics is all that the row's failure and warnings say, in every form.
func (c *attackCase) diagnostics() string {
	var list diag.List
	var one *diag.Diagnostic
	switch {
	case c.err == nil:
	case errors.As(c.err, &list):
	case errors.As(c.err, &one):
		list = diag.List{one}
	default:
		return c.err.Error()
	}
	var b bytes.Buffer
	if err := diag.Text(&b, list, diag.TextOptions{}); err != nil {
		c.fault("%v", err)
	}
	return b.String()
}
