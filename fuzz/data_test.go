package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// FuzzData decodes hostile data, as JSON and as YAML. What the JSON decoder
// takes, encoding/json takes too; what either takes renders in every form or
// fails with a diagnostic, prints as JSON that reads as the same value, and is
// not changed by a render.
func FuzzData(f *testing.F) {
	for _, s := range goldens(f) {
		f.Add([]byte(s.data))
	}
	for _, s := range []string{
		`{"a": [1, 2.50, 1e400, -0, 12345678901234567890123456789, true, null, "\ud83d\ude00\u0000"]}`,
		`{"a": 1, "a": 2}`, `[[[[[[]]]]]]`, `"\ud800"`, "{\"a\": \"\xff\"}", `{"a": 1} {}`, `1e99999999`,
		"a: &a [*a]\n", "a: &a {b: 1}\nc: {<<: *a}\n", "? [x]\n: y\n", "a: !!python/object x\n", "- .inf\n- .nan\n- 0o14\n- 1_000\n- 2001-01-01\n",
		"a: |\n  b\n--- \nc: d\n", "%YAML 1.2\n---\na: 'x'\n", "\ufeffa: 1\n", "a:\t1\n", "a: \"\\ud800\"\n", "{a: {b: [c, {d: e}]}}\n",
	} {
		f.Add([]byte(s))
	}
	var programs []*vm.Program
	for _, t := range []struct{ syntax, template string }{
		{"brace", "{x}{{x | json}}{{x | yaml}}{{x | markdown}}{{x == x}}{when x}{/when}{loop x}{item}{/loop}"},
		{"jinja", "{{ x }}{{ x | tojson }}{{ x | pprint }}{{ x == x }}{% for i in x %}{{ i }}{% endfor %}"},
	} {
		p, err := compiler.Compile(t.template, compiler.WithSyntax(compiler.Syntax(t.syntax)), compiler.WithLimits(small))
		if err != nil {
			f.Fatal(err)
		}
		programs = append(programs, p)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > maxDocument {
			t.Skip()
		}
		var v vm.Value
		var err error
		frugal(t, "decoding JSON", mostBytes(string(text)), func() { v, err = vm.DecodeJSON(text, vm.DecodeOptions{}) })
		if err == nil && !json.Valid(bytes.TrimPrefix(text, []byte("\ufeff"))) { // files begin with that
			t.Fatalf("encoding/json refuses it")
		}
		values := []vm.Value{v}
		if err != nil {
			e := &vm.Error{}
			if !errors.As(err, &e) || e.CodeOf() == "" {
				t.Fatalf("no code: %v", err)
			}
			values = nil
		}
		var s *ast.Structure
		var list diag.List
		frugal(t, "decoding YAML", mostBytes(string(text)), func() {
			s, list = document.DecodeYAMLData(&source.File{Name: "d.yaml", Text: string(text), Private: true}, document.YAMLOptions{})
		})
		if !list.HasErrors() && s != nil {
			values = append(values, compiler.ValueOf(s))
		}
		for _, v := range values {
			printed := vm.AppendJSON(nil, v, vm.JSONOptions{})
			// Whole floats print as integers: what is read back may differ
			// from v in that, and then no more.
			read := func(text []byte) []byte {
				again, err := vm.DecodeJSON(text, vm.DecodeOptions{LastDuplicate: true})
				if err != nil {
					return nil
				}
				return vm.AppendJSON(nil, again, vm.JSONOptions{})
			}
			if once := read(printed); once != nil {
				if twice := read(once); !bytes.Equal(once, twice) {
					t.Fatalf("reads as %s, that as %s", once, twice)
				}
			}
			data := vm.NewMap(1)
			data.Set("x", v)
			for _, p := range programs {
				var err error
				frugal(t, "rendering", mostRendered, func() { _, err = p.Render(vm.MapOf(data)) })
				d := &diag.Diagnostic{}
				if err != nil && !errors.As(err, &d) {
					t.Fatalf("no diagnostic: %v", err)
				}
			}
			if after := vm.AppendJSON(nil, v, vm.JSONOptions{}); !bytes.Equal(after, printed) {
				t.Fatalf("a render changed %s to %s", printed, after)
			}
		}
	})
}
