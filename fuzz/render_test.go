package fuzz

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/fuzz/cases"
	"github.com/pcc-lang/pcc/vm"
)

// seed is a template with data.
type seed struct{ template, data, syntax, undefined string }

// goldens are the templates of all golden cases and examples.
func goldens(t testing.TB) []seed {
	t.Helper()
	var all []seed
	for _, dir := range []string{"render", "errors", "code"} {
		archives, err := cases.ReadAll(filepath.Join("..", "testdata", dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range archives {
			for _, c := range a.Cases {
				syntax := c.Options["syntax"]
				if syntax == "" {
					syntax = "brace"
				}
				all = append(all, seed{c.Template, c.Data, syntax, c.Options["undefined"]})
			}
		}
	}
	prompts, err := filepath.Glob(filepath.Join("..", "testdata", "examples", "*", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range prompts {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(filepath.Dir(name), "data.json"))
		if err != nil {
			data = []byte("{}")
		}
		all = append(all, seed{string(src), string(data), "auto", ""})
	}
	if len(all) < 100 {
		t.Fatalf("only %d seeds", len(all))
	}
	return all
}

// includable are files that seeds may include.
var includable = fstest.MapFS{
	"part.md":  {Data: []byte("{x}{{ name|default(\"-\") }}{loop xs as x}{x}{/loop}\n")},
	"hello.md": {Data: []byte("Hello {name}!")},
	"item.md":  {Data: []byte("<{x}>")},
}

// small are limits under which no render takes long.
var small = vm.Limits{Steps: 200_000, Memory: 4 << 20, OutputBytes: 1 << 20, Iterations: 100_000, SourceBytes: 1 << 20}

// FuzzRender holds every way to render a template against the others and
// against the tree walker.
func FuzzRender(f *testing.F) {
	for _, s := range goldens(f) {
		f.Add(s.template, s.data, s.syntax, s.undefined)
	}
	f.Fuzz(func(t *testing.T, src, data, syntax, undefined string) {
		checkRender(t, seed{src, data, syntax, undefined})
	})
}

// compileSeed compiles with the seed's options, those that do not exist left
// out.
func compileSeed(s *seed, more ...compiler.Option) (*vm.Program, error) {
	opts := []compiler.Option{compiler.WithName("fuzz.txt"), compiler.WithLimits(small), compiler.WithFS(includable)}
	switch s.syntax {
	case "brace", "angle", "single-brace", "double-brace", "single-angle", "double-angle":
		opts = append(opts, compiler.WithSyntax(compiler.Syntax(s.syntax)))
	default:
		s.syntax = ""
	}
	switch s.undefined {
	case "keep", "error", "empty":
		opts = append(opts, compiler.WithUndefined(compiler.Undefined(s.undefined)))
	default:
		s.undefined = ""
	}
	return compiler.Compile(s.template, append(opts, more...)...)
}

// outcome is what a render gave, in a form to compare.
type outcome struct {
	Text     string
	Messages []string
	Code     string // of the first error
}

func outcomeOf(r *vm.Report, chat bool, err error) outcome {
	if err != nil {
		return outcome{Code: firstCode(err)}
	}
	var o outcome
	if !chat {
		o.Text = r.Text
		return o
	}
	for _, m := range r.Messages {
		o.Messages = append(o.Messages, m.Role+":"+m.Name+":"+m.Content)
	}
	return o
}

func firstCode(err error) string {
	var l diag.List
	d := &diag.Diagnostic{}
	switch {
	case errors.As(err, &l):
		for _, d := range l {
			if d.Severity == diag.Error {
				return string(d.Code)
			}
		}
	case errors.As(err, &d):
		return string(d.Code)
	}
	return "no diagnostic: " + err.Error()
}

func checkRender(t *testing.T, s seed) {
	data, err := vm.DecodeJSON([]byte(s.data), vm.DecodeOptions{MaxBytes: 1 << 16})
	if err != nil {
		data = vm.MapOf(vm.NewMap(0))
	}
	p, err := compileSeed(&s)
	if err != nil {
		if code := firstCode(err); code == "PCC299" || !strings.HasPrefix(code, "PCC") {
			t.Fatalf("compiling: %v", err)
		}
		return
	}
	r, err := p.Report(context.Background(), data)
	want := outcomeOf(r, p.IsChat(), err)
	limit := strings.HasPrefix(want.Code, "PCC9") && want.Code != "PCC906"
	if !strings.HasPrefix(want.Code, "PCC") && want.Code != "" {
		t.Fatal(want.Code)
	}
	if len(want.Text) > int(small.OutputBytes) {
		t.Fatalf("%d bytes of output, %d are allowed", len(want.Text), small.OutputBytes)
	}
	if want.Code == "PCC302" || want.Code == "PCC399" {
		t.Fatalf("the machine panicked: %v\n%s", err, s.template)
	}
	check := func(how string, got outcome) {
		t.Helper()
		if limit || strings.HasPrefix(got.Code, "PCC9") { // budgets end elsewhere in other code
			return
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-first +now):\n%s", how, d)
		}
	}
	for _, pass := range []compiler.Pass{compiler.PassFold, compiler.PassSwitch, compiler.PassFuse, compiler.PassItems, compiler.PassPrint} {
		q, err := compileSeed(&s, compiler.WithoutPass(pass))
		if err != nil {
			t.Fatalf("compiling without %s: %v", pass, err)
		}
		r, err := q.Report(context.Background(), data)
		check("without "+string(pass), outcomeOf(r, q.IsChat(), err))
	}
	if !p.IsChat() {
		text, err := p.Render(data)
		check("Render", textOutcome(text, err))
		b, err := p.AppendTo([]byte("dst"), data)
		check("AppendTo", textOutcome(strings.TrimPrefix(string(b), "dst"), err))
		var w bytes.Buffer
		err = p.RenderTo(&w, data)
		check("RenderTo", textOutcome(w.String(), err))
	}
	if native, sorted := goData(data); sorted {
		r, err := p.Report(context.Background(), native)
		check("with Go data", outcomeOf(r, p.IsChat(), err))
	}
	switch want.Code {
	case "PCC304", "PCC305", "PCC306", "PCC309": // the walker checks neither contracts nor the data as a whole
		return
	}
	text, messages, err := walk(s.template, s.syntax, s.undefined, includable, data)
	switch {
	case errors.Is(err, errBeyond):
	case err != nil:
		check("tree walker", outcome{Code: walkCode(err)})
	default:
		check("tree walker", outcomeOf(&vm.Report{Text: text, Messages: messages}, p.IsChat(), nil))
	}
}

func textOutcome(text string, err error) outcome {
	if err != nil {
		return outcome{Code: firstCode(err)}
	}
	return outcome{Text: text}
}

// goData turns decoded data into Go maps and slices; sorted tells whether all
// maps have their keys in order.
func goData(v vm.Value) (x any, sorted bool) {
	sorted = true
	if m, ok := v.Map(); ok {
		out := map[string]any{}
		last := ""
		for i := range m.Len() {
			key, value := m.At(i)
			k, _ := key.Str()
			item, s := goData(value)
			sorted = sorted && s && k >= last
			out[k], last = item, k
		}
		return out, sorted
	}
	if l, ok := v.List(); ok {
		out := make([]any, len(l.Items))
		for i, item := range l.Items {
			x, s := goData(item)
			out[i], sorted = x, sorted && s
		}
		return out, sorted
	}
	return v.Interface(), true
}
