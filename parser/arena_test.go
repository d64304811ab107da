package parser

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// TestArena reads texts of many shapes and sizes in one arena, again and again:
// each tree is that of an arena of its own.
func TestArena(t *testing.T) {
	texts := []string{
		"", "text", "{a} {b.c} {{ d | upper }}",
		"{when a == 1 and b}x{y}{else when c}z{else}w{/when}",
		"{loop xs as x}\n{x.name}: {x[0]}\n{else}none\n{/loop}",
		strings.Repeat("{# c #}", 3000), strings.Repeat("{a.b}{c}", 2000),
		strings.Repeat("{when a}", 150) + "{x}" + strings.Repeat("{/when}", 150),
		"{message user}hi {name}{/message}", "/{\"a\": {b}/}", "{{ a b }}{when}{/loop}",
		strings.Repeat("{switch a}{case \"x\"}1{default}2{/switch}", 500),
	}
	jinja := []string{
		"", "text", "{{ a }}{{ b.c | upper }}", "{% if a == 1 and b %}x{{ y }}{% elif c %}z{% else %}w{% endif %}",
		"{% for x in xs %}{{ x.name }}{% else %}none{% endfor %}{% set a, b = 1, 2 %}{% set ns.x = (1,) %}",
		strings.Repeat("{# c #}{{ a.b }}{{ c }}", 2000), strings.Repeat("{% if a %}", 150) + "x" + strings.Repeat("{% endif %}", 150),
		"{% macro m(a, b=1) %}{{ a }}{% endmacro %}{% block b %}{% endblock %}", "{{ a b }}{% if %}{% endfor %}{% for %}{{ (",
		strings.Repeat("{% for a in b if c %}{% set d %}{{ e }}{% endset %}{% endfor %}", 300), "{% raw %}{{ a }}{% endraw %}",
	}
	found := []string{ // in the syntax that each is found to be in
		"", "text", "{a} and <b> <c.d>", "<a> {when b}c{/when} <d>", "{# c #} <when a>b</when> <c.d>", "<a><b>{", "{{% if a %}}", "{% if a %}{{ b }}{% endif %}",
		"{a} <<switch ==>>b<<default c>>", "<switch a><case 1>b<default>c</switch>", "{a} <<loop >>b<<else c>>", "<loop a as b>c<else>d</loop>",
	}
	read := func(a *Arena, text string, syn *lexer.Syntax) string {
		o := Options{Syntax: syn, Filters: func(string) bool { return true }, Arena: a}
		tree, list := Parse(source.New("t", text), o)
		var codes []string
		for _, d := range list {
			codes = append(codes, string(d.Code))
		}
		return ast.Print(tree) + strings.Join(codes, " ")
	}
	var a Arena
	for range 3 {
		for i, text := range slices.Concat(texts, jinja, found) {
			syn := lexer.Brace()
			switch {
			case i >= len(texts)+len(jinja):
				syn = nil
			case i >= len(texts):
				syn = lexer.Jinja()
			}
			want, got := read(nil, text, syn), read(&a, text, syn)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%.40q: %s", text, diff)
			}
			a.Reset()
		}
	}
}

// TestArenaKeepsLittle resets an arena after a large text: the memory that later
// texts clear again and again is bounded.
func TestArenaKeepsLittle(t *testing.T) {
	const most = 1 << 12
	var a Arena
	for _, text := range []string{
		strings.Repeat("{# c #} ", 3*most), strings.Repeat("{a}", 3*most),
	} {
		Parse(source.New("t", text), Options{Syntax: lexer.Brace(), Arena: &a})
		if max(cap(a.blanks), cap(a.body)) <= most {
			t.Errorf("%.10q: the text is too short", text)
		}
		a.Reset()
		if n := max(cap(a.blanks), cap(a.body), len(a.texts.block), len(a.outputs.block), len(a.nodes.block)); n > most {
			t.Errorf("%.10q: memory for %d is kept", text, n)
		}
	}
}
