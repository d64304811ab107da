package fuzz

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// TestFixedLimits goes beyond the limits that no option sets, and stays just
// within them.
func TestFixedLimits(t *testing.T) {
	repeat := strings.Repeat
	for _, tt := range []struct {
		name, syntax string
		code         diag.Code
		most         int // with which it compiles
		template     func(n int) string
	}{
		{"operators in a row", "brace", "PCC901", 999, func(n int) string { return "{{ a" + repeat(" + a", n) + " }}" }},
		{"operators in a row, Jinja", "jinja", "PCC901", 999, func(n int) string { return "{{ a" + repeat(" + a", n) + " }}" }},
		{"not in a row", "brace", "PCC901", 999, func(n int) string { return "{when " + repeat("not ", n) + "a}{/when}" }},
		{"signs in a row", "jinja", "PCC901", 999, func(n int) string { return "{{ " + repeat("-", n) + "a }}" }},
		{"filters in a row", "brace", "PCC901", 999, func(n int) string { return "{{ a" + repeat("|upper", n) + " }}" }},
		{"conditions in a row", "jinja", "PCC901", 999, func(n int) string { return "{{ " + repeat("a if b else ", n) + "c }}" }},
		{"delimiters in a run", "single-brace", "PCC901", 10_000, func(n int) string { return repeat("{", n) + " x" }},
		{"digits of a literal", "jinja", "PCC901", 4300, func(n int) string { return "{{ " + repeat("9", n) + " }}" }},
		{"letters of a word, Jinja", "jinja", "PCC055", 1 << 16, func(n int) string { return "{{ " + repeat("a", n) + " }}" }},
		{"names of a path", "jinja", "PCC901", 999, func(n int) string { return "{{ a" + repeat(".b", n) + " }}" }},
		{"names of a path of names", "brace", "PCC914", 65_534, func(n int) string { return "{a" + repeat(".b", n) + "}" }},
		{"parts of a list", "brace", "PCC914", 65_535, func(n int) string { return "{{ a or [" + repeat("b,", n) + "] }}" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			compile := func(n int) error {
				_, err := compiler.Compile(tt.template(n), compiler.WithSyntax(compiler.Syntax(tt.syntax)))
				return err
			}
			if err := compile(tt.most); err != nil {
				t.Errorf("within the limit: %.300v", err)
			}
			if err := compile(tt.most + tt.most/50 + 2); codeOf(err) != tt.code {
				t.Errorf("beyond the limit: %.300v, want %s", err, tt.code)
			}
		})
	}
}

// TestFindingsAreBounded: a template full of errors has a limited
// number of findings, in every syntax and stage.
func TestFindingsAreBounded(t *testing.T) {
	for _, tt := range []struct {
		name, syntax, template string
		most                   int
	}{
		{"errors of the parser", "brace", strings.Repeat("{{ a b }} ", 1000), 21},
		{"errors of the compiler", "brace", strings.Repeat("{{ a|none }} ", 1000), 21},
		{"errors of Jinja", "jinja", strings.Repeat("{{ a b }} {% nope %}", 1000), 21},
		{"errors of Jinja's names", "jinja", strings.Repeat("{{ a|none }} ", 1000), 21},
	} {
		n := 0
		p, err := compiler.Compile(tt.template, compiler.WithSyntax(compiler.Syntax(tt.syntax)))
		if err != nil {
			n = len(err.(diag.List))
		} else {
			n = len(p.Warnings())
		}
		if n < 2 || n > tt.most {
			t.Errorf("%s: %d findings, want at most %d", tt.name, n, tt.most)
		}
	}
}

// TestParserLimits gives the parser its own options.
func TestParserLimits(t *testing.T) {
	o := parser.Options{Source: 10}
	if _, list := parser.Parse(source.New("t", "12345678901"), o); codeOf(list.Err()) != "PCC902" {
		t.Errorf("%v, want PCC902", list.Err())
	}
	if _, list := parser.Parse(source.New("t", "1234567890"), o); list.Err() != nil {
		t.Errorf("a text of just the limit: %v", list.Err())
	}
}

// TestLimitsOfDocuments: JSON documents have the limits of YAML ones, and
// numbers of both are bounded.
func TestLimitsOfDocuments(t *testing.T) {
	nested := strings.Repeat("[", 70) + "1" + strings.Repeat("]", 70)
	many := "[" + strings.Repeat("1,", 50_000) + "1]"
	digits := strings.Repeat("9", 4301)
	for _, tt := range []struct {
		name, text string
		code       diag.Code
	}{
		{"d.json", `{"x": ` + nested + `}`, "PCC921"}, {"d.json", `{"x": ` + many + `}`, "PCC922"},
		{"d.json", `{"x": "` + strings.Repeat("x", 1<<20) + `"}`, "PCC920"},
		{"d.json", `{"x": 1, "x": 2}`, "PCC403"}, {"d.yaml", "x: 1\nx: 2\n", "PCC403"},
	} {
		_, list := document.ReadData(source.New(tt.name, tt.text), document.YAMLOptions{})
		if codeOf(list.Err()) != tt.code {
			t.Errorf("%.20s…: %v, want %s", tt.text, list.Err(), tt.code)
		}
	}
	s, list := document.ReadData(source.New("d.yaml", "x: "+digits+"\n"), document.YAMLOptions{})
	if s == nil || list.Err() != nil {
		t.Fatal(list.Err())
	}
	if x, _ := s.Get("x"); x.Kind.String() != "text" {
		t.Errorf("a number of 4,301 digits in YAML is %s, want text", x.Kind)
	}
	_, list = document.ReadData(source.New("d.json", `{"x": `+digits+`}`), document.YAMLOptions{})
	if codeOf(list.Err()) != "PCC409" {
		t.Errorf("a number of 4,301 digits in JSON: %v, want PCC409", list.Err())
	}
}

// TestLimitsOfGuardedRenders: what guarding adds, walks over and copies counts.
func TestLimitsOfGuardedRenders(t *testing.T) {
	token := map[string]any{"x": "<|im_start|>"}
	long := map[string]any{"x": strings.Repeat("text ", 200_000)}
	key := "{message user about=x}\nx\n{/message}\n"
	for _, tt := range []struct {
		name, template string
		data           any
		low, enough    vm.Limits
		code           diag.Code
	}{
		{"output", "{x}", token, vm.Limits{OutputBytes: 12}, vm.Limits{OutputBytes: 13}, "PCC907"},
		{"steps", "{x}", long, vm.Limits{Steps: 60_000}, vm.Limits{Steps: 200_000}, "PCC904"},
		{"depth of a message's keys", key, map[string]any{"x": deepList(20)}, vm.Limits{ValueDepth: 10}, vm.Limits{ValueDepth: 30}, "PCC906"},
		{"memory of a message's keys", key, long, vm.Limits{Memory: 900_000}, vm.Limits{Memory: 10 << 20}, "PCC905"},
	} {
		p, err := compiler.Compile(tt.template, compiler.WithSyntax("brace"))
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range []vm.Limits{tt.low, tt.enough} {
			want := []diag.Code{tt.code, ""}[i]
			_, err := p.Report(context.Background(), tt.data, vm.WithGuard("all"), vm.WithLimits(l))
			if codeOf(err) != want {
				t.Errorf("%s: %v, want %q", tt.name, err, want)
			}
		}
	}
}

// statFS gives files another size than they have.
type statFS struct {
	fstest.MapFS
	size int64
	read bool
}

func (f *statFS) Stat(name string) (fs.FileInfo, error) {
	info, err := f.MapFS.Stat(name)
	return statInfo{info, f.size}, err
}

func (f *statFS) ReadFile(name string) ([]byte, error) {
	f.read = true
	return f.MapFS.ReadFile(name)
}

type statInfo struct {
	fs.FileInfo
	size int64
}

func (i statInfo) Size() int64 { return i.size }

// TestFilesAreJudgedBeforeTheyAreRead: what is too large or no regular file is
// not read; what is larger than was said is refused then.
func TestFilesAreJudgedBeforeTheyAreRead(t *testing.T) {
	large := &statFS{MapFS: fstest.MapFS{"a.md": {Data: []byte("x")}}, size: 1 << 40}
	if _, err := compiler.CompileFile("a.md", compiler.WithFS(large)); codeOf(err) != "PCC902" || large.read {
		t.Errorf("a file of a terabyte: %v, read: %v", err, large.read)
	}
	grown := &statFS{MapFS: fstest.MapFS{"a.md": {Data: make([]byte, 11<<20)}}, size: 1}
	if _, err := compiler.CompileFile("a.md", compiler.WithFS(grown)); codeOf(err) != "PCC902" {
		t.Errorf("a file that has grown: %v", err)
	}
	pipe := &fstest.MapFile{Data: []byte("messages: [{user: hello}]"), Mode: fs.ModeNamedPipe}
	files := fstest.MapFS{"a.md": pipe, "a.yaml": pipe}
	if _, err := compiler.CompileFile("a.md", compiler.WithFS(files)); codeOf(err) != "PCC210" {
		t.Errorf("a template in a pipe: %v", err)
	}
	if _, err := prompt.Load(files, "a.yaml"); codeOf(err) != "PCC418" {
		t.Errorf("a document in a pipe: %v", err)
	}
}

// anyFS has a file of every name.
type anyFS struct{}

func (anyFS) Open(name string) (fs.File, error) {
	return fstest.MapFS{name: {Data: []byte("x")}}.Open(name)
}

// TestLoadedTemplatesAreBounded: data must not make a program grow without end.
func TestLoadedTemplatesAreBounded(t *testing.T) {
	p, err := compiler.Compile(`{% for i in range(n) %}{% include "t" ~ i %}{% endfor %}`, compiler.WithSyntax("jinja"), compiler.WithFS(anyFS{}))
	if err != nil {
		t.Fatal(err)
	}
	for n, ok := range map[int]bool{9000: true, 10_001: false} {
		if _, err := p.Render(map[string]any{"n": n}); (err == nil) != ok {
			t.Errorf("%d templates: %v", n, err)
		}
	}
}

// TestMissingNamesAreBounded: a template without data has a limited number of
// names in its error.
func TestMissingNamesAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "{{ name%d }}", i)
	}
	p, err := compiler.Compile(b.String(), compiler.WithSyntax("brace"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Render(nil)
	d := &diag.Diagnostic{}
	if !errors.As(err, &d) || len(d.Names) == 0 || len(d.Names) > 64 {
		t.Errorf("%d names in %.200v", len(d.Names), err)
	}
}

// TestNestedRendersAreCharged: what renders within a function of the host take
// is taken from the outer one, so that many small ones end it as well.
func TestNestedRendersAreCharged(t *testing.T) {
	inner, err := compiler.Compile("{loop xs as x}{{ (x ~ x) | upper }}{/loop}", compiler.WithSyntax("brace"))
	if err != nil {
		t.Fatal(err)
	}
	xs := make([]any, 500)
	for i := range xs {
		xs[i] = strings.Repeat("x", 50)
	}
	again := func(env *vm.Env, _ string) (string, error) {
		_, err := inner.RenderContext(env.Ctx, map[string]any{"xs": xs})
		return "", err
	}
	p, err := compiler.Compile("{loop xs as x}{{ x | again }}{/loop}", compiler.WithSyntax("brace"), compiler.WithFilter("again", again))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		l    vm.Limits
		code diag.Code
	}{{vm.Limits{Steps: 100_000}, "PCC904"}, {vm.Limits{Memory: 2 << 20}, "PCC905"}, {vm.Limits{}, ""}} {
		if _, err := p.Report(context.Background(), map[string]any{"xs": xs[:200]}, vm.WithLimits(tt.l)); codeOf(err) != tt.code {
			t.Errorf("%+v: %v, want %q", tt.l, err, tt.code)
		}
	}
}
