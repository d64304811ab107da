package parser

import (
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
	read := func(a *Arena, text string) string {
		o := Options{Syntax: lexer.Brace(), Filters: func(string) bool { return true }, Arena: a}
		tree, list := Parse(source.New("t", text), o)
		var codes []string
		for _, d := range list {
			codes = append(codes, string(d.Code))
		}
		return ast.Print(tree) + strings.Join(codes, " ")
	}
	var a Arena
	for range 3 {
		for _, text := range texts {
			want, got := read(nil, text), read(&a, text)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%.40q: %s", text, diff)
			}
			a.Reset()
		}
	}
}
