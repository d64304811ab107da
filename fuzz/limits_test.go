package fuzz

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"

	"github.com/pcc-lang/pcc/ast/source"
)

// deepList is a list in a list, n times.
func deepList(n int) any { return deepOf("x", n) }

func deepOf(v any, n int) any {
	for range n {
		v = []any{v}
	}
	return v
}

// ownList is a list, of a render's own kind, of n numbers, in a list, and so on.
func ownList(depth, n int) vm.Value {
	v := vm.ListOf(make([]vm.Value, n))
	for range depth - 1 {
		v = vm.ListOf([]vm.Value{v})
	}
	return v
}

// deepMaps is a map in a list in a map, and so on.
func deepMaps(n int) any {
	v := any("x")
	for range n {
		v = []any{map[string]any{"a": v}}
	}
	return v
}

// limitCase is what goes beyond one limit, and not beyond another value of it.
type limitCase struct {
	name     string
	code     diag.Code
	template string
	syntax   string
	data     any
	files    fstest.MapFS
	// low is a limit that the input passes, enough one that it does not.
	low, enough vm.Limits
}

func limitCases() []limitCase {
	chain := fstest.MapFS{}
	for i := range 6 {
		chain[fmt.Sprintf("n%d.txt", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, `{include "n%d.txt"}`, i+1)}
		chain[fmt.Sprintf("j%d.txt", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, `{%% include "j%d.txt" %%}`, i+1)}
		chain[fmt.Sprintf("e%d.txt", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, `{%% extends "e%d.txt" %%}`, i+1)}
	}
	for _, name := range []string{"n6.txt", "j6.txt", "e6.txt"} {
		chain[name] = &fstest.MapFile{Data: []byte("end")}
	}
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	xs := make([]any, 1000)
	for i := range xs {
		xs[i] = "item"
	}
	long := strings.Repeat("s", 5000)
	keyed := map[string]any{}
	withList := map[string]any{"xs": ownList(1, 1)}
	const change = "{% set _ = xs.append(1) %}"
	ordered := vm.NewMap(0)
	for i := range 1000 {
		ordered.Set(fmt.Sprint("k", i), vm.Int(1))
		keyed[fmt.Sprint("k", i)] = i
		withList[fmt.Sprint("k", i)] = i
	}
	return []limitCase{
		{"source", "PCC902", strings.Repeat("text ", 100), "brace", nil, nil, vm.Limits{SourceBytes: 499}, vm.Limits{SourceBytes: 500}},
		{"source of an include", "PCC902", `{include "big.txt"}`, "brace", nil, fstest.MapFS{"big.txt": {Data: []byte(long)}}, vm.Limits{SourceBytes: 4999}, vm.Limits{}},
		{"source of includes together", "PCC902", `{include "big.txt"}{include "big.txt"}`, "brace", nil, fstest.MapFS{"big.txt": {Data: []byte(long)}}, vm.Limits{SourceBytes: 9999}, vm.Limits{SourceBytes: 11_000}},
		{"source of a Jinja include", "PCC902", `{% include "big.txt" %}`, "jinja", nil, fstest.MapFS{"big.txt": {Data: []byte(long)}}, vm.Limits{SourceBytes: 4999}, vm.Limits{}},
		{"depth of blocks", "PCC901", strings.Repeat("{when a}", 20) + strings.Repeat("{/when}", 20), "brace", nil, nil, vm.Limits{Depth: 19}, vm.Limits{Depth: 20}},
		{"depth of Jinja blocks", "PCC901", strings.Repeat("{% if a %}", 20) + strings.Repeat("{% endif %}", 20), "jinja", nil, nil, vm.Limits{Depth: 19}, vm.Limits{Depth: 20}},
		{"depth of brackets", "PCC901", "{{ " + strings.Repeat("(", 20) + "1" + strings.Repeat(")", 20) + " }}", "jinja", nil, nil, vm.Limits{Depth: 10}, vm.Limits{Depth: 40}},
		{"depth of literal groups", "PCC901", strings.Repeat("/{", 20) + strings.Repeat("/}", 20), "brace", nil, nil, vm.Limits{Depth: 10}, vm.Limits{Depth: 40}},
		{"depth of a printed value", "PCC906", "{x}", "brace", map[string]any{"x": deepList(20)}, nil, vm.Limits{ValueDepth: 19}, vm.Limits{ValueDepth: 21}},
		{"depth of a value printed as Python does", "PCC906", "{{ x }}", "jinja", map[string]any{"x": deepList(20)}, nil, vm.Limits{ValueDepth: 19}, vm.Limits{ValueDepth: 21}},
		{"depth of a value as JSON", "PCC906", "{{ x | tojson }}", "jinja", map[string]any{"x": deepList(20)}, nil, vm.Limits{ValueDepth: 19}, vm.Limits{ValueDepth: 21}},
		{"depth of compared values", "PCC906", "{{ x == y }}", "jinja", map[string]any{"x": deepList(20), "y": deepList(20)}, nil, vm.Limits{ValueDepth: 18}, vm.Limits{ValueDepth: 22}},
		{"a map in itself", "PCC906", "{x}", "brace", map[string]any{"x": cyclic}, nil, vm.Limits{}, vm.Limits{ValueDepth: -1}},
		{"depth of macros", "PCC913", "{% macro f(n) %}{{ f(n - 1) if n }}{% endmacro %}{{ f(10) }}", "jinja", nil, nil, vm.Limits{MacroDepth: 9}, vm.Limits{MacroDepth: 12}},
		{"depth of a recursive loop", "PCC913", "{% for x in xs recursive %}{{ loop(x) if x is iterable and x is not string }}{% endfor %}", "jinja", map[string]any{"xs": deepList(10)}, nil, vm.Limits{MacroDepth: 8}, vm.Limits{MacroDepth: 14}},
		{"depth of includes", "PCC909", `{include "n0.txt"}`, "brace", nil, chain, vm.Limits{IncludeDepth: 5}, vm.Limits{IncludeDepth: 8}},
		{"depth of includes that are known already", "PCC909", `{include "n2.txt"}{include "n0.txt"}`, "brace", nil, chain, vm.Limits{IncludeDepth: 5}, vm.Limits{IncludeDepth: 8}},
		{"depth of Jinja includes", "PCC909", `{% include "j0.txt" %}`, "jinja", nil, chain, vm.Limits{IncludeDepth: 5}, vm.Limits{IncludeDepth: 8}},
		{"depth of parents", "PCC909", `{% extends "e0.txt" %}`, "jinja", nil, chain, vm.Limits{IncludeDepth: 5}, vm.Limits{IncludeDepth: 8}},
		{"steps of a loop", "PCC904", "{loop xs as x}{/loop}", "brace", map[string]any{"xs": xs}, nil, vm.Limits{Steps: 900}, vm.Limits{Steps: 10_000}},
		{"steps of bulk work", "PCC904", "{{ x | upper | lower | length }}", "jinja", map[string]any{"x": strings.Repeat("x", 200_000)}, nil, vm.Limits{Steps: 3000}, vm.Limits{Steps: 30_000}},
		{"steps of a long value", "PCC904", "{x}{x}{x}{x}", "brace", map[string]any{"x": strings.Repeat("x", 200_000)}, nil, vm.Limits{Steps: 3000}, vm.Limits{Steps: 30_000}},
		{"memory of strings", "PCC905", "{{ (x ~ x) | length }}", "jinja", map[string]any{"x": long}, nil, vm.Limits{Memory: 9000}, vm.Limits{Memory: 30_000}},
		{"memory of lists", "PCC905", "{{ (xs + xs) | length }}", "jinja", map[string]any{"xs": xs}, nil, vm.Limits{Memory: 30_000}, vm.Limits{Memory: 200_000}},
		{"memory of captures", "PCC905", "{% set c %}{{ x }}{{ x }}{% endset %}", "jinja", map[string]any{"x": long}, nil, vm.Limits{Memory: 9000}, vm.Limits{Memory: 30_000}},
		{"memory of macro calls", "PCC905", "{% macro f() %}{{ x }}{% endmacro %}{{ f() | length }}", "jinja", map[string]any{"x": long}, nil, vm.Limits{Memory: 4000}, vm.Limits{Memory: 30_000}},
		{"memory of messages", "PCC905", "{loop xs as x}\n{message user}\n{x}\n{/message}\n{/loop}", "brace", map[string]any{"xs": xs}, nil, vm.Limits{Memory: 100_000}, vm.Limits{Memory: 1 << 20}},
		{"memory of calls of nothing", "PCC905", "{% macro f() %}{% endmacro %}{% for i in range(500) %}{{ f() }}{% endfor %}", "jinja", nil, nil, vm.Limits{Memory: 100_000}, vm.Limits{Memory: 10 << 20}},
		{"memory of parents", "PCC905", `{% extends "e0.txt" %}`, "jinja", nil, chain, vm.Limits{Memory: 1500}, vm.Limits{Memory: 1 << 20}},
		{"memory of list expressions", "PCC905", "{% for i in range(500) %}{% set l = [i, i, i, i, i, i, i, i] %}{% endfor %}", "jinja", nil, nil, vm.Limits{Memory: 90_000}, vm.Limits{Memory: 1 << 20}},
		{"memory of map expressions", "PCC905", "{% for i in range(500) %}{% set l = {'a': i, 'b': i, 'c': i, 'd': i} %}{% endfor %}", "jinja", nil, nil, vm.Limits{Memory: 90_000}, vm.Limits{Memory: 1 << 20}},
		{"memory of arguments in a list", "PCC905", "{% for i in range(10) %}{{ dict(*xs[:1]) }}{{ cycler(*xs).current }}{% endfor %}", "jinja", map[string]any{"xs": append([]any{map[string]any{}}, xs...)}, nil, vm.Limits{Memory: 400_000}, vm.Limits{Memory: 10 << 20}},
		{"memory of arguments in a map", "PCC905", "{{ dict(**m) | length }}", "jinja", map[string]any{"m": keyed}, nil, vm.Limits{Memory: 170_000}, vm.Limits{Memory: 10 << 20}},
		{"memory of attributes set", "PCC905", "{% set n = namespace(a=0) %}{% for i in range(1000) %}{% set n.a = i %}{% endfor %}", "jinja", nil, nil, vm.Limits{Memory: 40_000}, vm.Limits{Memory: 1 << 20}},
		{"memory of a filtered loop", "PCC905", "{% for i in range(1000) if i is number %}{{ loop.length }}{% endfor %}", "jinja", nil, nil, vm.Limits{Memory: 40_000}, vm.Limits{Memory: 1 << 20}},
		{"memory of loops over maps", "PCC905", "{loop m as k, v}{/loop}", "brace", map[string]any{"m": keyed}, nil, vm.Limits{Memory: 15_000}, vm.Limits{Memory: 1 << 20}},
		{"memory of messages of computed roles", "PCC905", "---\nroles: [user]\n---\n{loop xs as x}\n{message r}\n{x}\n{/message}\n{/loop}", "brace", map[string]any{"xs": xs, "r": "user"}, nil, vm.Limits{Memory: 100_000}, vm.Limits{Memory: 1 << 20}},
		{"steps of looks for templates", "PCC904", `{% for i in range(500) %}{% include "j6.txt" %}{% endfor %}`, "jinja", nil, chain, vm.Limits{Steps: 25_000}, vm.Limits{Steps: 100_000}},
		{"steps of a long value at the end", "PCC904", "{x}", "brace", map[string]any{"x": strings.Repeat("x", 200_000)}, nil, vm.Limits{Steps: 3000}, vm.Limits{Steps: 30_000}},
		{"steps of a long value in a block", "PCC904", "{% block b %}{{ x }}{% endblock %}{{ x }}", "jinja", map[string]any{"x": strings.Repeat("x", 200_000)}, nil, vm.Limits{Steps: 3000}, vm.Limits{Steps: 30_000}},
		{"steps of a long value as it is", "PCC904", "{x}{x}", "brace", map[string]any{"x": strings.Repeat("x", 1<<20)}, nil, vm.Limits{Steps: 20_000}, vm.Limits{Steps: 50_000}},
		{"depth of objects that print", "PCC906", "{% set keep = namespace(v=0) %}{% for i in range(5) %}{% set keep.v = namespace(v=keep.v) %}{% endfor %}{{ keep }}", "jinja", nil, nil, vm.Limits{ValueDepth: 4}, vm.Limits{ValueDepth: 60}},
		{"depth of a value pretty-printed", "PCC906", "{{ x | pprint }}", "jinja", map[string]any{"x": deepList(20)}, nil, vm.Limits{ValueDepth: 19}, vm.Limits{ValueDepth: 22}},
		{"depth of a value as YAML", "PCC906", "{{ x | yaml }}", "jinja", map[string]any{"x": deepList(20)}, nil, vm.Limits{ValueDepth: 18}, vm.Limits{ValueDepth: 22}},
		{"depth of a value as bullets", "PCC906", "{{ x | bullets }}", "jinja", map[string]any{"x": deepList(20)}, nil, vm.Limits{ValueDepth: 17}, vm.Limits{ValueDepth: 22}},
		{"depth of maps as bullets", "PCC906", "{{ x | bullets }}", "jinja", map[string]any{"x": deepMaps(20)}, nil, vm.Limits{ValueDepth: 17}, vm.Limits{ValueDepth: 42}},
		{"depth of ordered values", "PCC906", "{{ x < y }}", "jinja", map[string]any{"x": deepList(20), "y": deepOf("y", 20)}, nil, vm.Limits{ValueDepth: 18}, vm.Limits{ValueDepth: 22}},
		{"depth of data that is copied to be changed", "PCC906", change, "jinja", map[string]any{"xs": ownList(20, 1)}, nil, vm.Limits{ValueDepth: 10}, vm.Limits{ValueDepth: 30}},
		{"memory of lists that are copied to be changed", "PCC905", change, "jinja", map[string]any{"xs": ownList(1, 1000)}, nil, vm.Limits{Memory: 20_000}, vm.Limits{Memory: 1 << 20}},
		{"memory of maps that are copied to be changed", "PCC905", change, "jinja", map[string]any{"xs": ownList(1, 1), "m": ordered}, nil, vm.Limits{Memory: 40_000}, vm.Limits{Memory: 1 << 20}},
		{"memory of Go maps that are copied to be changed", "PCC905", change, "jinja", withList, nil, vm.Limits{Memory: 40_000}, vm.Limits{Memory: 1 << 20}},
		{"output of text", "PCC907", strings.Repeat("text ", 100), "brace", nil, nil, vm.Limits{OutputBytes: 499}, vm.Limits{OutputBytes: 500}},
		{"output of values", "PCC907", "{x}{y}", "brace", map[string]any{"x": "12345", "y": "67890"}, nil, vm.Limits{OutputBytes: 9}, vm.Limits{OutputBytes: 10}},
		{"output of long values", "PCC907", "{x}{x}", "brace", map[string]any{"x": long}, nil, vm.Limits{OutputBytes: 9999}, vm.Limits{OutputBytes: 10_000}},
		{"output of printed lists", "PCC907", "{xs}", "brace", map[string]any{"xs": xs}, nil, vm.Limits{OutputBytes: 7999}, vm.Limits{OutputBytes: 8000}},
		{"output of a text and a value", "PCC907", "12345{x}", "brace", map[string]any{"x": "67890"}, nil, vm.Limits{OutputBytes: 9}, vm.Limits{OutputBytes: 10}},
		{"output of messages", "PCC907", "{loop xs as x}\n{message user}\n{x}\n{/message}\n{/loop}", "brace", map[string]any{"xs": xs}, nil, vm.Limits{OutputBytes: 3900}, vm.Limits{OutputBytes: 5000}},
		{"output of printed numbers", "PCC907", "{x}", "brace", map[string]any{"x": 1234567890}, nil, vm.Limits{OutputBytes: 9}, vm.Limits{OutputBytes: 10}},
		{"one turn of a loop", "PCC908", "{loop xs as x}{/loop}{loop xs as x}{/loop}", "brace", map[string]any{"xs": xs[:1]}, nil, vm.Limits{Iterations: 1}, vm.Limits{Iterations: 2}},
		{"iterations", "PCC908", "{loop xs as x}{/loop}", "brace", map[string]any{"xs": xs}, nil, vm.Limits{Iterations: 999}, vm.Limits{Iterations: 1000}},
		{"iterations of nested loops", "PCC908", "{loop xs as x}{loop ys as y}{/loop}{/loop}", "brace", map[string]any{"xs": xs, "ys": xs[:2]}, nil, vm.Limits{Iterations: 2999}, vm.Limits{Iterations: 3000}},
		{"digits of a power", "PCC911", "{{ 10 ** n }}", "jinja", map[string]any{"n": 100}, nil, vm.Limits{NumberDigits: 95}, vm.Limits{NumberDigits: 105}},
		{"digits of a great power", "PCC911", "{{ 10 ** n }}", "jinja", map[string]any{"n": 1000}, nil, vm.Limits{NumberDigits: 100}, vm.Limits{NumberDigits: 1100}},
		{"digits of a product", "PCC911", "{{ n * n }}", "jinja", map[string]any{"n": int64(1) << 62}, nil, vm.Limits{NumberDigits: 30}, vm.Limits{NumberDigits: 40}},
		{"digits of a sum", "PCC911", "{{ n + n > 0 }}", "jinja", map[string]any{"n": int64(1) << 62}, nil, vm.Limits{NumberDigits: 18}, vm.Limits{NumberDigits: 20}},
		{"digits of a text", "PCC911", "{{ x | int }}", "jinja", map[string]any{"x": strings.Repeat("9", 50)}, nil, vm.Limits{NumberDigits: 49}, vm.Limits{NumberDigits: 50}},
	}
}

func (c *limitCase) run(l vm.Limits) error {
	opts := []compiler.Option{compiler.WithSyntax(compiler.Syntax(c.syntax)), compiler.WithLimits(l)}
	if c.files != nil {
		opts = append(opts, compiler.WithFS(c.files))
	}
	p, err := compiler.Compile(c.template, opts...)
	if err != nil {
		return err
	}
	_, err = p.Report(context.Background(), c.data)
	return err
}

func codeOf(err error) diag.Code {
	d := &diag.Diagnostic{}
	if errors.As(err, &d) {
		return d.Code
	}
	return ""
}

// TestLimits goes beyond each limit, and stays within a wider one.
func TestLimits(t *testing.T) {
	for _, c := range limitCases() {
		t.Run(c.name, func(t *testing.T) {
			if err := c.run(c.low); codeOf(err) != c.code {
				t.Errorf("beyond the limit: %v, want %s", err, c.code)
			}
			if c.enough.ValueDepth < 0 { // nothing is enough
				return
			}
			if err := c.run(c.enough); err != nil {
				t.Errorf("within the limit: %v", err)
			}
		})
	}
}

// TestLimitsOfOneRender lowers the limits of a program for one render.
func TestLimitsOfOneRender(t *testing.T) {
	for _, c := range limitCases() {
		if c.low.SourceBytes+int64(c.low.Depth) > 0 || c.files != nil && c.syntax != "jinja" {
			continue // limits of compiling
		}
		t.Run(c.name, func(t *testing.T) {
			opts := []compiler.Option{compiler.WithSyntax(compiler.Syntax(c.syntax)), compiler.WithFS(c.files), compiler.WithLimits(c.enough)}
			if c.files == nil {
				opts = opts[:1]
			}
			p, err := compiler.Compile(c.template, opts...)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Report(context.Background(), c.data, vm.WithLimits(c.low)); codeOf(err) != c.code {
				t.Errorf("with lower limits: %v, want %s", err, c.code)
			}
			if c.enough.ValueDepth < 0 {
				return
			}
			if _, err := p.Report(context.Background(), c.data); err != nil {
				t.Errorf("the lower limits stay in force: %v", err)
			}
		})
	}
}

// TestLimitsOfData goes beyond the limits of the decoders.
func TestLimitsOfData(t *testing.T) {
	for _, tt := range []struct {
		name, json string
		o          vm.DecodeOptions
	}{
		{"bytes", `{"a": "` + strings.Repeat("x", 100) + `"}`, vm.DecodeOptions{MaxBytes: 100}},
		{"depth", strings.Repeat("[", 10) + strings.Repeat("]", 10), vm.DecodeOptions{MaxDepth: 9}},
		{"values", "[1, 2, 3]", vm.DecodeOptions{MaxValues: 3}},
		{"digits", strings.Repeat("9", 50), vm.DecodeOptions{MaxDigits: 49}},
	} {
		t.Run("JSON "+tt.name, func(t *testing.T) {
			_, err := vm.DecodeJSON([]byte(tt.json), tt.o)
			var e *vm.Error
			if !errors.As(err, &e) || e.CodeOf() != "PCC912" {
				t.Errorf("%v, want PCC912", err)
			}
			if _, err := vm.DecodeJSON([]byte(tt.json), vm.DecodeOptions{}); err != nil {
				t.Errorf("within the limits: %v", err)
			}
		})
	}
	for _, tt := range []struct {
		name, yaml string
		code       diag.Code
	}{
		{"bytes", "a: " + strings.Repeat("x", 1<<20) + "\n", "PCC920"},
		{"depth", strings.Repeat("[", 70) + strings.Repeat("]", 70) + "\n", "PCC921"},
		{"values", "[" + strings.Repeat("1,", 50_000) + "1]\n", "PCC922"},
		{"aliases", "a: &a 1\nb: [" + strings.Repeat("*a,", 101) + "]\n", "PCC923"},
		{"values through aliases", "a: &a [" + strings.Repeat("1,", 900) + "]\nb: [" + strings.Repeat("*a,", 90) + "]\n", "PCC922"},
	} {
		t.Run("YAML "+tt.name, func(t *testing.T) {
			_, list := document.DecodeYAMLData(source.New("d.yaml", tt.yaml), document.YAMLOptions{})
			if codeOf(list.Err()) != tt.code {
				t.Errorf("%v, want %s", list.Err(), tt.code)
			}
			_, err := compiler.Compile("---\nvars:\n  x: "+strings.ReplaceAll(strings.TrimSuffix(tt.yaml, "\n"), "\n", "\n  ")+"\n---\n{x}", compiler.WithSyntax("brace"))
			if err == nil {
				t.Error("front matter has no such limit")
			}
		})
	}
}

// endingContext has ended from a number of looks on.
type endingContext struct {
	context.Context
	at    int64
	looks atomic.Int64
}

func (c *endingContext) Err() error {
	if c.looks.Add(1) < c.at {
		return nil
	}
	return context.Canceled
}

// Done is not nil, so that the context is taken for one that can end.
func (c *endingContext) Done() <-chan struct{} { return make(chan struct{}) }

// TestCancellation ends renders by their context, whatever they are at. How much
// is done between two looks is counted elsewhere; no clock is read.
func TestCancellation(t *testing.T) {
	huge := vm.Limits{Steps: 1 << 60, Memory: 1 << 40, OutputBytes: 1 << 40, Iterations: 1 << 60, NumberDigits: 1 << 30}
	text := strings.Repeat("lorem ipsum <b> & ", 200_000)
	xs := make([]any, 200_000)
	for i := range xs {
		xs[i] = text[i%100 : i%100+60]
	}
	data := map[string]any{"xs": xs, "text": text, "m": map[string]any{"xs": xs}}
	forever := func(body string) string {
		return "{% for i in range(99999999) %}" + body + "{% endfor %}"
	}
	for _, tt := range []struct{ name, template string }{
		{"an empty loop", forever("")},
		{"calls of a macro", "{% macro f() %}{% endmacro %}" + forever("{{ f() }}")},
		{"captures", forever("{% set c %}{{ text }}{% endset %}")},
		{"upper case", forever("{% set c = text | upper %}")},
		{"replacements", forever("{% set c = text | replace('i', 'yy') %}")},
		{"escaping", forever("{% set c = text | escape %}")},
		{"joining", forever("{% set c = xs | join(',') %}")},
		{"sorting", forever("{% set c = xs | sort | length %}")},
		{"unique items", forever("{% set c = xs | unique | list | length %}")},
		{"grouping", forever("{% set c = xs | groupby('x') | length %}")},
		{"mapping", forever("{% set c = xs | map('upper') | list %}")},
		{"comparing", forever("{% set c = xs == m.xs %}")},
		{"searching", forever("{% set c = 'nope' in xs %}")},
		{"JSON", forever("{% set c = m | tojson %}")},
		{"printing", forever("{% set c %}{{ xs }}{% endset %}")},
		{"words", forever("{% set c = text | wordcount %}")},
		{"wrapping", forever("{% set c = text | wordwrap(20) %}")},
		{"indenting", forever("{% set c = text | indent(4) %}")},
		{"striping tags", forever("{% set c = text | striptags %}")},
		{"guarding", forever("{% set c = text | guard %}")},
		{"splitting", forever("{% set c = text.split(' ') %}")},
		{"long integers", forever("{% set c = 7 ** 200000 %}")},
		{"slices", forever("{% set c = text[::-1] %}")},
		{"concatenating lists", forever("{% set c = xs + xs %}")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := compiler.Compile(tt.template, compiler.WithSyntax("jinja"), compiler.WithLimits(huge),
				compiler.WithJinja(compiler.JinjaOptions{}))
			if err != nil {
				t.Fatal(err)
			}
			// The context ends at a look in the midst of the work. Whoever takes no
			// notice goes on for ever, or looks again and again.
			for _, at := range []int64{1, 2, 7, 50} {
				ctx := &endingContext{Context: context.Background(), at: at}
				if _, err = p.RenderContext(ctx, data); codeOf(err) != "PCC910" {
					t.Fatalf("%v, want PCC910", err)
				}
				if more := ctx.looks.Load() - at; more > 10 {
					t.Errorf("looked %d times more after it was cancelled", more)
				}
			}
		})
	}
}

// TestNestedRenders lets a function of the host render the program that calls
// it: depth and budgets go with the context.
func TestNestedRenders(t *testing.T) {
	var p *vm.Program
	depth, deepest := 0, 0
	again := func(env *vm.Env, s string) (string, error) {
		depth++
		deepest = max(deepest, depth)
		defer func() { depth-- }()
		return p.RenderContext(env.Ctx, map[string]any{"x": s}, vm.WithLimits(vm.Limits{Steps: 1 << 40}))
	}
	compile := func(src string, l vm.Limits) {
		t.Helper()
		var err error
		if p, err = compiler.Compile(src, compiler.WithSyntax("brace"), compiler.WithFilter("again", again), compiler.WithLimits(l)); err != nil {
			t.Fatal(err)
		}
	}
	compile("{x|again}", vm.Limits{})
	if _, err := p.Render(map[string]any{"x": "v"}); codeOf(err) != "PCC913" || deepest > 70 {
		t.Errorf("%v, %d deep, want PCC913", err, deepest)
	}
	// Twice at each level: without a shared budget 2^20 renders.
	compile("{when x}{loop xs as i}-{/loop}{{ x[1:] | again }}{{ x[1:] | again }}{/when}", vm.Limits{Steps: 10_000})
	if _, err := p.Render(map[string]any{"x": strings.Repeat("x", 20)}); codeOf(err) != "PCC904" {
		t.Errorf("%v, want PCC904", err)
	}
	// What ends well is charged, and leaves nothing behind.
	compile("{when x}{{ x[1:] | again }}.{/when}", vm.Limits{Steps: 10_000})
	for range 100 {
		if s, err := p.Render(map[string]any{"x": "xxx"}); s != "..." || err != nil {
			t.Fatalf("%q, %v", s, err)
		}
	}
}
