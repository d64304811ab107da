package fuzz

import (
	"context"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/fuzz/cases"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/vm"
)

// jinjaSeeds adds the Jinja templates of the golden files.
func jinjaSeeds(f *testing.F) {
	a, err := txtar.ParseFile("../testdata/parser/jinja.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for i, file := range a.Files {
		if filepath.Ext(file.Name) == ".jinja" {
			f.Add(byte(i), string(file.Data))
		}
	}
	for _, dir := range []string{"../testdata/render", "../testdata/errors"} {
		archives, err := cases.ReadAll(dir)
		if err != nil {
			f.Fatal(err)
		}
		for _, a := range archives {
			for i, c := range a.Cases {
				if c.Options["syntax"] == "jinja" || c.Options["profile"] != "" {
					f.Add(byte(i), c.Template)
				}
			}
		}
	}
}

// jinjaOptions makes options of a byte.
func jinjaOptions(b byte) lexer.JinjaOptions {
	return lexer.JinjaOptions{TrimBlocks: b&1 != 0, LstripBlocks: b&2 != 0, KeepTrailingNewline: b&4 != 0,
		LoopControls: b&8 == 0, Do: b&8 == 0, Generation: b&8 == 0}
}

// FuzzJinjaParse: no input makes the parser panic; spans lie in the source;
// what Print writes of a good tree parses to that tree again, under the same
// white-space options.
func FuzzJinjaParse(f *testing.F) {
	jinjaSeeds(f)
	f.Fuzz(func(t *testing.T, which byte, src string) {
		o := jinjaOptions(which)
		lined := o
		if which&16 != 0 {
			lined.LineStatementPrefix, lined.LineCommentPrefix = "#", "##"
		}
		read := func(src string, o lexer.JinjaOptions) (*ast.Template, error) {
			tree, list := parser.Parse(source.New("x", src), parser.Options{Syntax: lexer.Jinja(), Jinja: &o})
			for _, d := range list {
				if d.Span.Start > d.Span.End || int(d.Span.End) > len(src) {
					t.Fatalf("%s: span %v of %d bytes", d.Code, d.Span, len(src))
				}
			}
			ast.Walk(tree.Body, func(n ast.Node) bool {
				if s := n.Span(); s.Start > s.End || int(s.End) > len(src) {
					t.Fatalf("span %v of %d bytes", s, len(src))
				}
				return true
			})
			return tree, list.Err()
		}
		tree, err := read(src, lined)
		if err != nil {
			return
		}
		printed := ast.Print(tree)
		again, err := read(printed, o)
		if err != nil {
			t.Fatalf("%q prints as %q, which does not parse: %v", src, printed, err)
		}
		if d := diff(bare(tree.Body), bare(again.Body)); d != "" {
			t.Fatalf("%q prints as %q, which parses to another tree:\n%s", src, printed, d)
		}
	})
}

// bare is tidy without the source text of placeholders.
func bare(body []ast.Node) []ast.Node {
	body = tidy(body)
	ast.Walk(body, func(n ast.Node) bool {
		if o, ok := n.(*ast.Output); ok {
			o.Raw = ""
		}
		return true
	})
	return body
}

// FuzzJinjaRender: what compiles passes the verifier and renders, or fails,
// within its limits, and the same way each time.
func FuzzJinjaRender(f *testing.F) {
	jinjaSeeds(f)
	files := fstest.MapFS{
		"base":   {Data: []byte("[{% block a %}A{{ x }}{% endblock %}{% block b scoped %}{% endblock %}]")},
		"macros": {Data: []byte("{% macro m(a, b=1) %}{{ a }}{{ b }}{{ caller is defined }}{% endmacro %}{% set v = 1 %}")},
		"part":   {Data: []byte("<{{ x }}{{ loop.index }}>")},
	}
	data := map[string]any{
		"x": "X", "n": 3, "f": 1.5, "none": nil, "yes": true, "xs": []any{1, "b", nil, []any{2}},
		"m": map[string]any{"a": 1, "items": 2, "k": map[string]any{"z": "<b>"}},
	}
	limits := vm.Limits{Steps: 200_000, Memory: 4 << 20, OutputBytes: 1 << 20, Iterations: 100_000}
	f.Fuzz(func(t *testing.T, which byte, src string) {
		o := compiler.JinjaOptions{Syntax: jinjaOptions(which), Undefined: vm.UndefinedKind(which >> 4 & 3), Sandbox: vm.Sandbox(which >> 6 % 3)}
		if which&32 != 0 {
			o.Autoescape = compiler.AutoescapeOn
		}
		p, err := compiler.Compile(src, compiler.WithJinja(o), compiler.WithFS(files), compiler.WithLimits(limits))
		if err != nil {
			return
		}
		if err := p.Verify(); err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		ctx := context.Background()
		first, err := p.RenderContext(ctx, data)
		again, err2 := p.RenderContext(ctx, data)
		if first != again || (err == nil) != (err2 == nil) {
			t.Fatalf("%q renders as %q (%v), then as %q (%v)", src, first, err, again, err2)
		}
		plain, err := compiler.Compile(src, compiler.WithJinja(o), compiler.WithFS(files), compiler.WithLimits(limits),
			compiler.WithoutPass(compiler.PassFuse), compiler.WithoutPass(compiler.PassSwitch), compiler.WithoutPass(compiler.PassItems), compiler.WithoutPass(compiler.PassPrint))
		if err != nil {
			t.Fatalf("%q compiles only with all passes: %v", src, err)
		}
		if s, err3 := plain.RenderContext(ctx, data); err2 == nil && (err3 != nil || s != first) {
			t.Fatalf("%q renders as %q; without passes as %q (%v)", src, first, s, err3)
		}
	})
}
