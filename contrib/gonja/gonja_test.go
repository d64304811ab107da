package gonja_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/contrib/gonja"
	"github.com/pcc-lang/pcc/contrib/gonja/config"
	"github.com/pcc-lang/pcc/contrib/gonja/exec"
	"github.com/pcc-lang/pcc/contrib/gonja/loaders"
	"github.com/pcc-lang/pcc/vm"
)

func Example() {
	t, err := gonja.FromString("Hello {{ name | capitalize }}!")
	if err != nil {
		panic(err)
	}
	if err := t.Execute(os.Stdout, exec.NewContext(map[string]any{"name": "bob"})); err != nil {
		panic(err)
	}
	// Output: Hello Bob!
}

// TestRender has what gonja's users write, with what Python's Jinja2 prints.
func TestRender(t *testing.T) {
	data := map[string]any{
		"name": "bob", "n": 3, "f": 2.0, "none": nil, "yes": true,
		"list": []any{1, "two", 3.5}, "names": []string{"x", "y"},
		"user": struct {
			ID string `json:"user_id"`
		}{"u1"},
		"raw":    json.RawMessage(`{"z": 1, "a": [1.50]}`),
		"double": func(n int) int { return 2 * n },
		"fail":   func(s string) (string, error) { return "", errors.New("refused: " + s) },
		"rest": func(args *exec.VarArgs) *exec.Value {
			return exec.AsValue(len(args.Args) + 10*len(args.KwArgs))
		},
	}
	for _, c := range []struct{ source, want, err string }{
		{"{{ name }} {{ n }} {{ f }} {{ none }} {{ yes }}", "bob 3 2.0 None True", ""},
		{"{{ list }} {{ names }}", "[1, 'two', 3.5] ['x', 'y']", ""},
		{"{{ missing }}|{{ user.missing }}|{{ missing is defined }}", "||False", ""},
		{"{{ missing.x }}", "", "undefined"},
		{"{{ user.user_id }}{{ user['user_id'] }}", "u1u1", ""},
		{"{{ raw }} {{ raw|tojson }}", `{'z': 1, 'a': [1.5]} {"a": [1.5], "z": 1}`, ""},
		{"{{ '%.2f and %s'|format(f, name) }}", "2.00 and bob", ""},
		{"{% for x in list if x != 3.5 %}{{ loop.index }}:{{ x }} {% endfor %}", "1:1 2:two ", ""},
		{"{% for x in range(9) %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}", "01", ""},
		{"{% set l = [] %}{% do l.append(n) %}{{ l }}", "[3]", ""},
		{"{% macro m(a, b='d') %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, b=2) }}", "1d12", ""},
		{"{% set ns = namespace(x=0) %}{% for i in [1, 2] %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}", "3", ""},
		{"{{ double(n) }} {{ rest(1, 2, k=3) }}", "6 12", ""},
		{"{{ fail('x') }}", "", "refused: x"},
		{"{{ ''.__class__.__mro__ }}", "", "unsafe"},
		{"{{ n", "", "PCC"},
		{"a\n", "a", ""},
		{"{% include 'x' %}", "", "no folder"},
	} {
		t.Run(c.source, func(t *testing.T) {
			got, err := "", error(nil)
			tmpl, err := gonja.FromString(c.source)
			if err == nil {
				got, err = tmpl.ExecuteToString(exec.NewContext(data))
			}
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			var d *diag.Diagnostic
			if err != nil && !errors.As(err, &d) {
				t.Errorf("%v is no diagnostic", err)
			}
		})
	}
}

func TestExecute(t *testing.T) {
	tmpl := gonja.Must(gonja.FromBytes([]byte("{{ a }}{{ 1 // b }}")))
	good := exec.NewContext(map[string]any{"a": "x", "b": 1})
	if b, err := tmpl.ExecuteToBytes(good); err != nil || string(b) != "x1" {
		t.Errorf("got %q, %v", b, err)
	}
	var out bytes.Buffer
	if err := tmpl.Execute(&out, exec.NewContext(map[string]any{"a": "x", "b": 0})); err == nil || out.Len() > 0 {
		t.Errorf("a failing render wrote %q, %v", out.String(), err)
	}
	if s, err := gonja.Must(gonja.FromString("{{ a }}")).ExecuteToString(nil); err != nil || s != "" {
		t.Errorf("without data: %q, %v", s, err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if s, err := tmpl.ExecuteToString(good); s != "x1" || err != nil {
					t.Errorf("got %q, %v", s, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestMust(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	gonja.Must(gonja.FromString("{% if %}"))
}

func TestContext(t *testing.T) {
	parent := exec.NewContext(map[string]any{"a": 1, "b": 2})
	child := parent.Inherit()
	child.Set("b", 3)
	child.Update(exec.NewContext(map[string]any{"c": 4}))
	if v, _ := child.Get("b"); v != 3 || !child.Has("a") || !child.Has("c") || parent.Has("c") || child.Has("d") {
		t.Error("a child does not see its own values before those of the parent")
	}
	s, err := gonja.Must(gonja.FromString("{{ a }}{{ b }}{{ c }}")).ExecuteToString(child)
	if s != "134" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		name   string
		set    func(*config.Config)
		source string
		want   string
		fails  bool
	}{
		{"lenient", func(*config.Config) {}, "'{{ data.nope }}'", "''", false},
		{"strict", func(c *config.Config) { c.StrictUndefined = true }, "'{{ data.nope }}'", "", true},
		{"delimiters", func(c *config.Config) {
			c.BlockStartString, c.BlockEndString = "[%", "%]"
			c.VariableStartString, c.VariableEndString = "<<", ">>"
			c.CommentStartString, c.CommentEndString = "|#", "#|"
		}, "[% if 1 %]{{ << 'x' >> }}[% endif %]|# no #|", "{{ x }}", false},
		{"trailing newline", func(c *config.Config) { c.KeepTrailingNewline = true }, "a\n", "a\n", false},
		{"newlines", func(c *config.Config) { c.NewlineSequence = "\r\n" }, "a\nb", "a\r\nb", false},
		{"blocks", func(c *config.Config) { c.TrimBlocks, c.LeftStripBlocks = true, true }, "  {% if 1 %}\nx\n  {% endif %}\n", "x\n", false},
		{"escape", func(c *config.Config) { c.AutoEscape = true }, "{{ '<' }}{{ '<'|safe }}", "&lt;<", false},
		{"lines", func(c *config.Config) { c.LineStatementPrefix, c.LineCommentPrefix = "#", "##" }, "# if 1\nx ## no\n# endif\n", "x\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := config.New()
			c.set(conf)
			loader := loaders.MustNewMemoryLoader(map[string]string{"/test": c.source})
			tmpl, err := exec.NewTemplate("/test", conf.Inherit(), loader, exec.NewEnvironment())
			got := ""
			if err == nil {
				got, err = tmpl.ExecuteToString(exec.NewContext(map[string]any{"data": map[string]any{}}))
			}
			if got != c.want || (err != nil) != c.fails {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	for name, text := range map[string]string{
		filepath.Join(dir, "main.j2"):  "{% extends 'base.j2' %}{% block b %}{% include 'part.j2' %}{% endblock %}",
		filepath.Join(dir, "base.j2"):  "<{% block b %}{% endblock %}>",
		filepath.Join(dir, "part.j2"):  "{{ x }}",
		filepath.Join(dir, "leave.j2"): "{% include '../secret' %}",
		filepath.Join(dir, "abs.j2"):   "{% include '" + filepath.ToSlash(outside) + "' %}",
		outside:                        "secret",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data := exec.NewContext(map[string]any{"x": 1})
	if s, err := gonja.Must(gonja.FromFile(filepath.Join(dir, "main.j2"))).ExecuteToString(data); s != "<1>" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
	for _, name := range []string{"leave.j2", "abs.j2", "absent.j2"} {
		tmpl, err := gonja.FromFile(filepath.Join(dir, name))
		if err == nil {
			_, err = tmpl.ExecuteToString(data)
		}
		if err == nil {
			t.Errorf("%s rendered", name)
		}
	}
	if _, err := gonja.FromFile(filepath.Join(dir, "nowhere", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestLoaders(t *testing.T) {
	memory := loaders.MustNewMemoryLoader(map[string]string{"/a/b": "b{{ x }}"})
	shifted := loaders.MustNewShiftedLoader("root", strings.NewReader("{% include '/a/b' %}{% include '/c' ignore missing %}"), memory)
	tmpl, err := exec.NewTemplate("root", config.New(), shifted, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := tmpl.ExecuteToString(exec.NewContext(map[string]any{"x": 1})); s != "b1" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
	if _, err := loaders.NewMemoryLoader(map[string]string{"a": ""}); err == nil {
		t.Error("a key without a slash was taken")
	}
	if _, err := loaders.NewFileSystemLoader(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that is not there was taken")
	}
	if _, err := memory.Read("/../a/b/../../../c"); err == nil {
		t.Error("a name with .. was read")
	}
}

func TestFilters(t *testing.T) {
	e := exec.NewEnvironment()
	b64 := func(_ *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
		if in.IsError() {
			return in
		}
		if err := params.Take(); err != nil {
			return exec.AsValue(exec.ErrInvalidCall(err))
		}
		return exec.AsValue(base64.StdEncoding.EncodeToString([]byte(in.String())))
	}
	pad := func(_ *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
		var n int
		var with string
		if err := params.Take(
			exec.PositionalArgument("n", nil, exec.IntArgument(&n)),
			exec.KeywordArgument("with", exec.AsValue("."), exec.StringArgument(&with)),
		); err != nil {
			return exec.ValueError(err)
		}
		return exec.AsSafeValue(in.String() + strings.Repeat(with, n))
	}
	for name, f := range map[string]exec.FilterFunction{"b64encode": b64, "pad": pad} {
		if err := e.Filters.Register(name, f); err != nil {
			t.Fatal(err)
		}
	}
	if e.Filters.Register("pad", pad) == nil || e.Filters.Replace("nope", pad) == nil || !e.Filters.Exists("pad") {
		t.Error("filters are registered twice or replaced where there are none")
	}
	e.Context.Set("greeting", "hi")
	e.Options = append(e.Options, compiler.WithLimits(vm.Limits{OutputBytes: 50}))
	for _, c := range []struct{ source, want, err string }{
		{"{{ 'gonja'|b64encode }}", "Z29uamE=", ""},
		{"{{ true|b64encode }}", "VHJ1ZQ==", ""},
		{"{{ 'x'|b64encode(1) }}", "", "wrong arguments"},
		{"{{ 'x'|pad(2) }}{{ 'x'|pad(n=1, with='<') }}", "x..x<", ""},
		{"{{ 'x'|pad }}", "", `"n" is missing`},
		{"{{ 'x'|pad('a') }}", "", "not an integer"},
		{"{{ 'x'|pad(1, m=2) }}", "", `no parameter "m"`},
		{"{{ 'x'|pad(1, n=2) }}", "", "twice"},
		{"{{ greeting }}", "hi", ""},
		{"{{ 'x' * 60 }}", "", "PCC9"},
		{"{{ 'x'|nope }}", "", "nope"},
	} {
		tmpl, err := exec.NewSource("", c.source, config.New(), nil, e)
		got := ""
		if err == nil {
			got, err = tmpl.ExecuteToString(nil)
		}
		if got != c.want || c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: got %q, %v, want %q, %q", c.source, got, err, c.want, c.err)
		}
	}
}

func TestValue(t *testing.T) {
	for _, c := range []struct {
		x    any
		text string
		true bool
		n    int
	}{
		{"é", "é", true, 1}, {"", "", false, 0}, {3, "3", true, 0}, {0, "0", false, 0}, {2.5, "2.5", true, 0},
		{true, "True", true, 0}, {false, "False", false, 0}, {nil, "None", false, 0},
		{[]any{1}, "[1]", true, 1}, {[]any{}, "[]", false, 0}, {map[string]any{"a": 1}, "map[a:1]", true, 1},
	} {
		v := exec.AsValue(c.x)
		if v.String() != c.text || v.IsTrue() != c.true || v.Len() != c.n {
			t.Errorf("%#v: %q, %v, %d", c.x, v.String(), v.IsTrue(), v.Len())
		}
	}
	if v := exec.AsValue(2.9); v.Integer() != 2 || !v.IsFloat() || v.IsInteger() || exec.AsValue(4).Float() != 4 {
		t.Error("numbers")
	}
}
