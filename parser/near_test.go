package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// TestNearTags lists what misses being a placeholder by little, and nothing else.
func TestNearTags(t *testing.T) {
	kinds := []string{ast.NearBlanks: "blanks", ast.NearFilter: "filter", ast.NearTrim: "trim", ast.NearWidth: "width"}
	for _, c := range []struct{ syntax, src, want string }{
		{"brace", "{ name } {name } {\tname} {{ name }} {name}", "blanks 0-8 name {name}; blanks 9-16 name {name}; blanks 17-24 name {name}"},
		{"brace", "{ user.first.0 } { a..b } { a. } { 1 } { } { a b } { a, b } { a: 1 } { größe }", "blanks 0-16 user {user.first.0}; blanks 69-80 größe {größe}"},
		{"brace", "{ { NAME } }", "blanks 2-10 NAME {NAME}"},
		{"brace", "{name|uppercase} {a.b|shout(1)} {yes|no} {name|uper}", "filter 0-16 name {name}; filter 17-31 a {a.b}; filter 32-40 yes {yes}"},
		{"brace", "{{- name }} {{-name-}} {{+ name +}}", "trim 0-11 name {{name}}; trim 12-22 name {{name}}; trim 23-35 name {{name}}"},
		{"brace", "/{ name /} {{ name", ""},
		{"brace", "/{ { name } /} /{ a }", ""},
		{"angle", "<< name >> < name > <name > <name>", "blanks 0-10 name <<name>>; blanks 11-19 name <name>; blanks 20-27 name <name>"},
		{"angle", "<name > <b > x</b> </name>", ""},
		{"single-brace", "{ name } {{ name }}", "blanks 0-8 name {name}; blanks 10-18 name {name}"},
		{"double-brace", "{name} { name } {{name}} {x y}", "width 0-6 name {{name}}; width 7-15 name {{name}}"},
		{"double-angle", "<name> << name >>", "width 0-6 name <<name>>; blanks 7-17 name <<name>>"},
		{"jinja", "{ name } {name}", ""},
	} {
		syn, _ := lexer.ByName(c.syntax)
		tree, _ := Parse(source.New("x", c.src), Options{Syntax: syn, Filters: knownFilters, NearFilter: nearFilter})
		var got []string
		for _, n := range tree.Near {
			got = append(got, fmt.Sprintf("%s %d-%d %s %s", kinds[n.Kind], n.Start, n.End, n.Name, n.Tag))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.syntax, c.src, s, c.want)
		}
	}
	tree, _ := Parse(source.New("x", strings.Repeat("{ name }", 2*maxNear)), Options{Syntax: lexer.Brace()})
	if n := len(tree.Near); n != maxNear {
		t.Errorf("%d near tags are listed", n)
	}
}
