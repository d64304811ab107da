package compiler

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestUndeclared: names that not every branch sets are the data's, by the rules
// of Jinja2 3.1.2, which counts body, all elif together, and else.
func TestUndeclared(t *testing.T) {
	for src, want := range map[string]string{
		"{{ x }}":                "x",
		"{% set x = 1 %}{{ x }}": "",
		"{% if a %}{% set x = 1 %}{% endif %}{{ x }}":                                              "a x",
		"{% if a %}{% set x = 1 %}{% else %}{% set x = 2 %}{% endif %}":                            "a x",
		"{% if a %}{% set x = 1 %}{% elif b %}{% set x = 2 %}{% else %}{% set x = 3 %}{% endif %}": "a b",
		"{% for x in xs %}{{ x }}{{ loop.index }}{% endfor %}":                                     "xs",
		"{% macro m(p) %}{{ p }}{{ q }}{% endmacro %}{{ m(1) }}":                                   "q",
		"{{ range(n) }}": "n",
	} {
		got, err := Undeclared(src)
		if err != nil || !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, %v; want %q", src, got, err, want)
		}
	}
	if _, err := Undeclared("{% if %}"); err == nil {
		t.Error("a malformed template gives no error")
	}
	// Beyond maxMetaWork a name counts as undeclared.
	var b strings.Builder
	const many = 5000
	for i := range many {
		fmt.Fprintf(&b, "{%% if a %%}{%% set x%d = 1 %%}{%% endif %%}", i)
	}
	got, err := Undeclared(b.String())
	if err != nil || len(got) != many+1 {
		t.Errorf("%d names, %v", len(got), err)
	}
}
