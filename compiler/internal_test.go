package compiler

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// TestForeignNodes builds trees that no source of the syntax makes.
func TestForeignNodes(t *testing.T) {
	f := source.New("tree", "0123456789")
	str := func(s string) ast.Expr { return &ast.Literal{Kind: ast.StringLit, Str: s} }
	for _, tt := range []struct {
		name, code string
		body       []ast.Node
	}{
		{"a statement of another dialect", "PCC199", []ast.Node{&ast.Do{Expr: str("x")}}},
		{"a case that stands twice", "PCC206", []ast.Node{&ast.Switch{Subject: &ast.Name{Name: "x"},
			Cases: []ast.Case{{Values: []ast.Expr{str("a")}}, {Values: []ast.Expr{str("b"), str("a")}}}}}},
		{"a message inside a message", "PCC231", []ast.Node{&ast.Message{Role: str("user"), Body: []ast.Node{&ast.Message{Role: str("user")}}}}},
	} {
		_, l := newConfig(nil).build(&ast.Template{File: f, Syntax: "brace", Body: tt.body, Chat: tt.code == "PCC231"})
		if len(l) == 0 || string(l[0].Code) != tt.code {
			t.Errorf("%s: %v, want %s", tt.name, l, tt.code)
		}
	}
}

// TestSpans checks that every instruction of a program knows its source, also
// where instructions were joined.
func TestSpans(t *testing.T) {
	const src = "a {x} b {{ y + 1 }}\n{when x.k}c{x.k}{/when}{loop xs as i}{i.n} {loop.index}{/loop}"
	for _, off := range []Option{func(*config) {}, WithoutPass(PassFuse)} {
		p, err := Compile(src, WithSyntax("brace"), off)
		if err != nil {
			t.Fatal(err)
		}
		f := &p.Image().Functions[0]
		if len(f.Spans) == 0 || f.Spans[0].PC != 0 {
			t.Fatal("the code does not begin with a position")
		}
		for _, s := range f.Spans {
			if int(s.Span.End) > len(src) || s.Span.Start > s.Span.End {
				t.Errorf("instruction %d: span %v", s.PC, s.Span)
			}
		}
		for _, line := range strings.Split(strings.TrimSpace(p.Disassemble()), "\n")[1:] {
			if !strings.Contains(line, "; 1:") && !strings.Contains(line, "; 2:") {
				t.Errorf("no position: %s", line)
			}
		}
	}
}

// TestScopesKeepLittle resets scopes of few names and of very many: the former
// are cleared and used again, the latter let go of.
func TestScopesKeepLittle(t *testing.T) {
	for _, c := range []struct {
		names int
		kept  bool
	}{{3, true}, {10_000, false}} {
		var s scopes
		s.push()
		for i := range c.names {
			s.declare(strconv.Itoa(i), binding{slot: i})
		}
		s.reset()
		names := s.push().names
		if len(names) != 0 || cap(names) > 0 != c.kept || slices.ContainsFunc(names[:cap(names)], func(n named) bool { return n.name != "" }) {
			t.Errorf("%d names: memory for %d is kept, or not cleared", c.names, cap(names))
		}
	}
}

// TestJinjaBodies finds the scopes of few tags and of many, again and again in the
// same memory.
func TestJinjaBodies(t *testing.T) {
	var b jinjaBodies
	for n := range 20 {
		tags, scopes := make([]ast.Node, n), make([]*jinjaScope, n)
		for i := range n {
			tags[i], scopes[i] = &ast.Loop{}, &jinjaScope{}
			b.add(tags[i], scopes[i])
		}
		for i := range n {
			if b.of(tags[i]) != scopes[i] {
				t.Errorf("tag %d of %d has another scope", i, n)
			}
		}
		if b.of(&ast.Loop{}) != nil {
			t.Errorf("%d tags: one more has a scope", n)
		}
		b.reset()
	}
}
