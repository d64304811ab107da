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

// TestDiffLines compares texts line by line: every line of both is shown once.
func TestDiffLines(t *testing.T) {
	for _, c := range []struct{ want, got, diff string }{
		{"a", "a", "  a"}, {"a", "b", "- a|+ b"}, {"a|b", "a", "  a|- b"}, {"a", "a|b", "  a|+ b"}, {"a|b|c", "a|c", "  a|- b|  c"},
		{"a|c", "b|a|c|d", "+ b|  a|  c|+ d"}, {"x|a|b", "a|b", "- x|  a|  b"}, {"", "a", "- |+ a"},
	} {
		text := func(s string) string { return strings.ReplaceAll(s, "|", "\n") }
		if got := diffLines(text(c.want), text(c.got)); got != text(c.diff) {
			t.Errorf("%q and %q: %q, want %q", c.want, c.got, got, text(c.diff))
		}
	}
	long := strings.Repeat("\n", maxDiffLines)
	if got := diffLines(long, "a"); strings.Contains(got, "\n") {
		t.Errorf("a long text is compared: %q", got)
	}
}

// TestRelative names files as seen from a folder of the same tree.
func TestRelative(t *testing.T) {
	for _, c := range []struct{ dir, name, want string }{
		{".", "a/b.md", "a/b.md"}, {"a", "a/b.md", "b.md"}, {"a/", "a/b/c.md", "b/c.md"}, {"a", "a", "."}, {".", ".", "."},
	} {
		if got := relative(c.dir, c.name); got != c.want {
			t.Errorf("relative(%q, %q) = %q, want %q", c.dir, c.name, got, c.want)
		}
	}
}

// TestApplyEdits applies edits of one file together: each once, insertions too.
func TestApplyEdits(t *testing.T) {
	f := source.New("f", "abcdef")
	edit := func(start, end int, text string) Edit {
		return Edit{File: f, Span: source.Span{Start: source.Pos(start), End: source.Pos(end)}, Text: text}
	}
	for _, c := range []struct {
		edits []Edit
		want  string
	}{
		{[]Edit{edit(0, 1, "A"), edit(4, 6, "EF")}, "AbcdEF"}, {[]Edit{edit(4, 6, "EF"), edit(0, 1, "A")}, "AbcdEF"}, {[]Edit{edit(1, 2, "B"), edit(1, 2, "B")}, "aBcdef"},
		{[]Edit{edit(2, 2, "-"), edit(2, 2, "-")}, "ab-cdef"}, {[]Edit{edit(6, 6, "!")}, "abcdef!"}, {[]Edit{edit(0, 2, "x"), edit(2, 4, "y")}, "xyef"}, {[]Edit{edit(0, 3, "x"), edit(2, 4, "y")}, "abyef"},
	} {
		if got := ApplyEdits(c.edits)["f"]; got != c.want {
			t.Errorf("%v: %q, want %q", c.edits, got, c.want)
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
