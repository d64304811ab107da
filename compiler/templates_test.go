package compiler_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
)

func files(texts map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range texts {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestCompileFS(t *testing.T) {
	fsys := files(map[string]string{
		"p/hello.md":         "Hello {name}{include \"./parts/end.md\"}",
		"p/parts/end.md":     "!",
		"p/sub/list.jinja":   "{% include 'p/parts/end.md' %}{% for x in xs %}{{ x }}{% endfor %}",
		"p/notes.txt":        "no tags",
		"other/broken.md":    "{when x}",
		"other/wrong.md":     "{{x|uper}}",
		"docs/document.yaml": "messages:\n- user: hi\n",
	})
	set, err := compiler.CompileFS(fsys, "p/*", "p/*/*", "p/hello.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(set.Names(), set.Len()); got != "[p/hello.md p/notes.txt p/parts/end.md p/sub/list.jinja] 4" {
		t.Error(got)
	}
	outputs := ""
	for name, p := range set.All() {
		out, err := p.Render(map[string]any{"name": "Ada", "xs": []int{1, 2}})
		outputs += fmt.Sprintln(name, out, err)
	}
	if want := "p/hello.md Hello Ada! <nil>\np/notes.txt no tags <nil>\np/parts/end.md ! <nil>\np/sub/list.jinja !12 <nil>\n"; outputs != want {
		t.Errorf("got\n%swant\n%s", outputs, want)
	}
	if _, ok := set.Lookup("hello.md"); ok {
		t.Error("Lookup finds a path by its end")
	}
	_, err = set.Find("p/helo.md")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(fmt.Sprintf("%+v", err), `did you mean "p/hello.md"?`) {
		t.Errorf("%+v", err)
	}
	if _, err = set.Find("zzz"); !strings.Contains(fmt.Sprintf("%+v", err), "`p/sub/list.jinja`") {
		t.Errorf("%+v", err)
	}

	// All that is wrong is told at once.
	_, err = compiler.CompileFS(fsys, "other/*.md", "nothing/*", "[", "docs/*")
	var codes []string
	for _, d := range diag.AsList(err) {
		codes = append(codes, string(d.Code))
	}
	if got := strings.Join(codes, " "); got != "PCC104 PCC201 PCC210 PCC210 PCC241" {
		t.Errorf("%s: %v", got, err)
	}
	if !errors.Is(err, compiler.ErrTemplate) || errors.Is(err, compiler.ErrMissing) {
		t.Error("the kind of the error")
	}

	set, err = compiler.CompileMatching(fsys, []string{"p/hello.md"}, compiler.WithUndefined(compiler.UndefinedError))
	if err != nil {
		t.Fatal(err)
	}
	p, _ := set.Lookup("p/hello.md")
	if _, err := p.Render(nil); !errors.Is(err, compiler.ErrMissing) {
		t.Errorf("the option does not hold: %v", err)
	}
}

type ticket struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

// TestWithFunction: functions of the host are called in every dialect and in
// texts of another one, and replace those that the language has.
func TestWithFunction(t *testing.T) {
	failed := errors.New("no such ticket")
	opts := []compiler.Option{
		compiler.WithFunction("ticket", func(id int) (ticket, error) {
			if id < 0 {
				return ticket{}, failed
			}
			return ticket{id, "T" + fmt.Sprint(id)}, nil
		}),
		compiler.WithFunction("today", func() string { return "Monday" }),
		compiler.WithFunction("range", func(n int) string { return fmt.Sprint("mine ", n) }),
		compiler.WithFunction("join", func(parts ...string) string { return strings.Join(parts, "+") }),
		compiler.WithFS(files(map[string]string{"part.md": "{{today()}}", "part.jinja": "{{ today() }}"})),
	}
	for _, c := range []struct {
		syntax    compiler.Syntax
		src, want string
	}{
		{compiler.SyntaxBrace, "{{ticket(3).title}} {{today()}} {{range(2)}} {{join('a', 'b')}}{when today() == 'Monday'}!{/when}", "T3 Monday mine 2 a+b!"},
		{compiler.SyntaxBrace, "{today} {{ ticket }} {include \"part.md\"}", "text text Monday"},
		{compiler.SyntaxAngle, "<<today()>> <<ticket(4).id>>", "Monday 4"},
		{compiler.SyntaxJinja, "{{ ticket(3).title }} {{ today() }} {{ range(2) }} {{ join('a', 'b') }} {% include 'part.jinja' %}", "T3 Monday mine 2 a+b Monday"},
		{compiler.SyntaxJinja, "{% macro m() %}{{ today() }}{% endmacro %}{{ m() }} {{ ticket(x).title }}", "Monday T7"},
	} {
		p, err := compiler.Compile(c.src, append(opts, compiler.WithSyntax(c.syntax))...)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		data := map[string]any{"x": 7}
		if c.syntax != compiler.SyntaxJinja { // where data go before functions, as in Python
			data["today"], data["ticket"] = "text", "text"
		}
		if got, err := p.Render(data); got != c.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", c.src, got, err, c.want)
		}
	}

	p := compiler.Must(compiler.Compile("{{ ticket(-1) }}", opts...))
	if _, err := p.Render(nil); !errors.Is(err, failed) {
		t.Errorf("the function's own error: %v", err)
	}
	for _, c := range []struct {
		name string
		fn   any
	}{{"a b", strings.ToUpper}, {"", strings.ToUpper}, {"a.b", strings.ToUpper}, {"f", 1}, {"f", nil}, {"f", func(chan int) int { return 1 }}} {
		if _, err := compiler.Compile("x", compiler.WithFunction(c.name, c.fn)); !errors.Is(err, &diag.Diagnostic{Code: "PCC223"}) || !errors.Is(err, compiler.ErrTemplate) {
			t.Errorf("WithFunction(%q, %T): %v", c.name, c.fn, err)
		}
	}
	if _, err := compiler.Compile("{{tickt(1)}}", append(opts, compiler.WithSyntax(compiler.SyntaxBrace))...); !strings.Contains(fmt.Sprintf("%+v", err), "did you mean `ticket`?") {
		t.Errorf("%+v", err)
	}
	if _, err := compiler.Compile("{{ticket(1, 2)}}", append(opts, compiler.WithSyntax(compiler.SyntaxBrace))...); err == nil {
		t.Error("too many arguments are not told when compiling")
	}
}

func TestMustPanics(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || err.Error() == "" {
			t.Errorf("Must of a faulty template does not panic with its error")
		}
	}()
	compiler.Must(compiler.Compile("{when x}"))
}
