package compiler

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestVariablesOfTemplates: what a template reads that another one takes in is
// listed, each name once, through any number of files and in circles.
func TestVariablesOfTemplates(t *testing.T) {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"part.jinja": "{{ x }}{{ user.name }}",
		"deep.jinja": "{% include 'part.jinja' %}{{ y }}",
		"circle":     "{{ z }}{% include 'circle' %}{% include 'back' %}",
		"back":       "{{ b }}{% include 'circle' %}",
		"base":       "{{ title }}{% block b %}{{ body }}{% endblock %}",
		"broken":     "{{ a",
		"lib":        "{% macro m(p) %}{{ p }}{{ lang }}{% endmacro %}",
		"sets":       "{% set v = 1 %}{{ v }}{{ w }}",
		"many":       strings.Repeat("{% include 'part.jinja' %}", 2000),
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for _, c := range []struct{ src, want string }{
		{"{% include 'part.jinja' %}", "x user.name"},
		{"{{ x }}{% include 'part.jinja' %}{% include 'part.jinja' %}", "x user.name"},
		{"{% include 'deep.jinja' %}", "y x user.name"},
		{"{% if c %}{% include 'circle' %}{% endif %}", "c z b"},
		{"{% extends 'base' %}{% block b %}{{ mine }}{% endblock %}", "mine body title"},
		{"{% include 'broken' ignore missing %}{% include 'none' ignore missing %}{{ x }}", "x"},
		{"{% from 'lib' import m %}{{ m(1) }}", "lang"},
		{"{% import 'lib' as lib %}{{ q }}", "q lang"},
		{"{% include 'sets' %}", "w"},
		{"{% include name %}", "name"},
		{"{% include 'many' %}", "x user.name"},
	} {
		p, err := Compile(c.src, WithSyntax("jinja"), WithFS(files))
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		var names []string
		for _, v := range p.Variables() {
			names = append(names, v.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s reads %s, want %s", c.src, got, c.want)
		}
	}
}
