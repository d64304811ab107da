package compiler_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/fuzz/cases"
	"github.com/pcc-lang/pcc/vm"
)

var update = flag.Bool("update", false, "write what comes out into the golden files; read the difference before you commit it")

// passes are all optimisations.
var passes = []compiler.Pass{compiler.PassFold, compiler.PassSwitch, compiler.PassFuse, compiler.PassItems, compiler.PassPrint}

// golden runs f for every case under testdata/dir and writes changed archives
// back where -update is given.
func golden(t *testing.T, dir string, f func(t *testing.T, c *cases.Case)) {
	archives, err := cases.ReadAll(filepath.Join("..", "testdata", dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(archives) == 0 {
		t.Fatalf("no archives under testdata/%s", dir)
	}
	for _, a := range archives {
		name := strings.TrimSuffix(filepath.Base(a.Path), ".txtar")
		t.Run(name, func(t *testing.T) {
			for _, c := range a.Cases {
				t.Run(c.Name, func(t *testing.T) { f(t, c) })
			}
		})
		if *update {
			if err := a.Save(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// expect holds got against a section of c.
func expect(t *testing.T, c *cases.Case, section, got string) {
	t.Helper()
	want, _ := c.Want(section)
	if d := cmp.Diff(want, got); d != "" {
		if *update {
			c.Set(section, got)
			return
		}
		t.Errorf("%s (-want +got):\n%s", section, d)
	}
}

// TestGoldenRender renders the cases of testdata/render: their output or
// messages, or else their errors, and all warnings.
func TestGoldenRender(t *testing.T) { golden(t, "render", checkCase) }

// TestGoldenErrors does the same for testdata/errors, which holds a case for
// every code of diagnostics that a template can raise.
func TestGoldenErrors(t *testing.T) { golden(t, "errors", checkCase) }

func checkCase(t *testing.T, c *cases.Case) {
	opts, err := options(c)
	if err != nil {
		t.Fatal(err)
	}
	p, err := compiler.Compile(c.Template, opts...)
	if err != nil {
		expect(t, c, "errors", diagnostics(t, err))
		expect(t, c, "output", "")
		expect(t, c, "messages", "")
		return
	}
	warnings := ""
	if w := p.Warnings(); len(w) > 0 {
		warnings = diagnostics(t, w)
	}
	expect(t, c, "warnings", warnings)
	if _, ok := c.Want("variables"); ok {
		expect(t, c, "variables", variables(p))
	}
	data := decode(t, c.Data)
	r, err := p.Report(context.Background(), data)
	if err != nil {
		expect(t, c, "errors", diagnostics(t, err))
		expect(t, c, "output", "")
		expect(t, c, "messages", "")
		sameEverywhere(t, c, data, "", err)
		return
	}
	expect(t, c, "errors", "")
	expect(t, c, map[bool]string{false: "messages", true: "output"}[p.IsChat()], "")
	if _, ok := c.Want("kept"); ok {
		expect(t, c, "kept", kept(r))
	}
	if _, ok := c.Want("findings"); ok {
		findings := ""
		if l := p.Findings(r); len(l) > 0 {
			findings = diagnostics(t, l)
		}
		expect(t, c, "findings", findings)
	}
	if p.IsChat() {
		expect(t, c, "messages", messages(r.Messages))
	} else {
		expect(t, c, "output", cases.Visible(r.Text))
	}
	sameEverywhere(t, c, data, result(p, r), nil)
}

// result is what a render gave, as one text.
func result(p *vm.Program, r *vm.Report) string {
	if p.IsChat() {
		return messages(r.Messages)
	}
	return r.Text
}

// sameEverywhere renders the case in the other ways that there are — without
// each optimisation, with Go maps in place of decoded data, through the other
// methods of Program — and holds the outcome against that of the first.
func sameEverywhere(t *testing.T, c *cases.Case, data vm.Value, want string, wantErr error) {
	t.Helper()
	check := func(how string, p *vm.Program, data any) {
		t.Helper()
		r, err := p.Report(context.Background(), data)
		switch {
		case (err == nil) != (wantErr == nil):
			t.Errorf("%s: %v, but %v at first", how, err, wantErr)
		case err != nil && isLimit(err): // where a budget ends depends on the code
			if d := cmp.Diff(codes(wantErr), codes(err)); d != "" {
				t.Errorf("%s: other errors (-first +now):\n%s", how, d)
			}
		case err != nil:
			if d := cmp.Diff(diagnostics(t, wantErr), diagnostics(t, err)); d != "" {
				t.Errorf("%s: other errors (-first +now):\n%s", how, d)
			}
		case result(p, r) != want:
			t.Errorf("%s: other result (-first +now):\n%s", how, cmp.Diff(want, result(p, r)))
		}
	}
	opts, _ := options(c)
	compile := func(more ...compiler.Option) *vm.Program {
		p, err := compiler.Compile(c.Template, append(slices.Clone(opts), more...)...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	var off []compiler.Option
	for _, pass := range passes {
		check("without "+string(pass), compile(compiler.WithoutPass(pass)), data)
		off = append(off, compiler.WithoutPass(pass))
	}
	check("without any pass", compile(off...), data)
	p := compile()
	native, sorted := goData(data)
	if sorted {
		check("with Go maps", p, native)
	}
	if p.IsChat() {
		return
	}
	got, err := p.Render(data)
	if got != want || (err == nil) != (wantErr == nil) {
		t.Errorf("Render: %q, %v", got, err)
	}
	dst, err := p.AppendTo([]byte("dst"), data)
	if string(dst) != "dst"+want || (err == nil) != (wantErr == nil) {
		t.Errorf("AppendTo: %q, %v", dst, err)
	}
	var w bytes.Buffer
	if err := p.RenderTo(&w, data); w.String() != want || (err == nil) != (wantErr == nil) {
		t.Errorf("RenderTo: %q, %v", w.String(), err)
	}
}

// options turns a case's options into those of Compile.
func options(c *cases.Case) ([]compiler.Option, error) {
	opts := []compiler.Option{compiler.WithName("case.txt"), compiler.WithSyntax("brace")}
	if len(c.Files) > 0 {
		files := fstest.MapFS{}
		for name, text := range c.Files {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		opts = append(opts, compiler.WithFS(files))
	}
	var l vm.Limits
	for key, value := range c.Options {
		switch key {
		case "crlf", "escapes":
		case "syntax":
			opts = append(opts, compiler.WithSyntax(compiler.Syntax(value)))
		case "profile":
			opts = append(opts, compiler.WithProfile(compiler.Profile(value)))
		case "name":
			opts = append(opts, compiler.WithName(value))
		case "undefined":
			opts = append(opts, compiler.WithUndefined(compiler.Undefined(value)))
		case "delimiters":
			open, closing, _ := strings.Cut(value, " ")
			opts = append(opts, compiler.WithDelimiters(open, closing))
		case "strict":
			opts = append(opts, compiler.WithStrict())
		case "without":
			for pass := range strings.FieldsSeq(value) {
				opts = append(opts, compiler.WithoutPass(compiler.Pass(pass)))
			}
		case "steps", "turns", "output", "depth":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return nil, err
			}
			switch key {
			case "steps":
				l.Steps = n
			case "turns":
				l.Iterations = n
			case "output":
				l.OutputBytes = n
			case "depth":
				l.Depth = int(n)
			}
		default:
			return nil, fmt.Errorf("there is no option %q", key)
		}
	}
	return append(opts, compiler.WithLimits(l)), nil
}

func decode(t testing.TB, text string) vm.Value {
	t.Helper()
	v, err := vm.DecodeJSON([]byte(text), vm.DecodeOptions{})
	if err != nil {
		t.Fatalf("data.json: %v", err)
	}
	return v
}

// goData turns decoded data into Go values; sorted tells whether all its maps
// have their keys in order, as those of Go maps come.
func goData(v vm.Value) (x any, sorted bool) {
	sorted = true
	if m, ok := v.Map(); ok {
		out := map[string]any{}
		last := ""
		for i := range m.Len() {
			key, value := m.At(i)
			k, _ := key.Str()
			item, s := goData(value)
			out[k] = item
			sorted = sorted && s && k >= last
			last = k
		}
		return out, sorted
	}
	if l, ok := v.List(); ok {
		out := make([]any, len(l.Items))
		for i, item := range l.Items {
			x, s := goData(item)
			out[i] = x
			sorted = sorted && s
		}
		return out, sorted
	}
	return v.Interface(), true
}

// diagnostics writes the diagnostics in err as a terminal without colours shows
// them.
func diagnostics(t testing.TB, err error) string {
	t.Helper()
	l := diag.AsList(err)
	if l == nil {
		t.Fatalf("an error without diagnostics: %v", err)
	}
	var w bytes.Buffer
	if err := diag.Text(&w, l, diag.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

// codes lists the codes of the diagnostics in err.
func codes(err error) string {
	var s []string
	for _, d := range diag.AsList(err) {
		s = append(s, string(d.Code))
	}
	return strings.Join(s, " ")
}

func isLimit(err error) bool { return strings.HasPrefix(codes(err), "PCC9") }

func messages(ms []vm.Message) string {
	var w strings.Builder
	for _, m := range ms {
		w.WriteString("[" + m.Role + "]")
		if m.Name != "" {
			fmt.Fprintf(&w, " name=%q", m.Name)
		}
		if m.Extra != nil {
			for i := range m.Extra.Len() {
				k, v := m.Extra.At(i)
				key, _ := k.Str()
				fmt.Fprintf(&w, " %s=%s", key, vm.AppendJSON(nil, v, vm.JSONOptions{}))
			}
		}
		w.WriteByte('\n')
		w.WriteString(cases.Visible(m.Content))
	}
	return w.String()
}

func kept(r *vm.Report) string {
	var w strings.Builder
	for _, k := range r.Kept {
		fmt.Fprintf(&w, "%s at %s:%d:%d\n", k.Name, k.File, k.Position.Line, k.Position.Column)
	}
	return w.String()
}

// variables lists what a program reads: name, type, whether it is required,
// default, allowed values, places.
func variables(p *vm.Program) string {
	var w strings.Builder
	for _, v := range p.Variables() {
		fmt.Fprintf(&w, "%s %s", v.Name, v.Type)
		if v.Required {
			w.WriteString(" required")
		}
		if v.Default != "" {
			fmt.Fprintf(&w, " default=%s", v.Default)
		}
		if len(v.Enum) > 0 {
			fmt.Fprintf(&w, " enum=%s", strings.Join(v.Enum, "|"))
		}
		for _, u := range v.Uses {
			fmt.Fprintf(&w, " %d:%d", u.Line, u.Column)
		}
		if v.Description != "" {
			fmt.Fprintf(&w, " # %s", v.Description)
		}
		w.WriteByte('\n')
	}
	return w.String()
}

// TestGoldenCode disassembles the templates of testdata/code.
func TestGoldenCode(t *testing.T) {
	golden(t, "code", func(t *testing.T, c *cases.Case) {
		opts, err := options(c)
		if err != nil {
			t.Fatal(err)
		}
		p, err := compiler.Compile(c.Template, opts...)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, c, "code", p.Disassemble())
	})
}
