package compiler_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/fuzz/growth"
)

// openers are pieces of templates that hostile sources repeat millions of
// times, with what stands before and behind the repetitions.
var openers = []struct{ syntax, before, piece, after string }{
	{"brace", "", "{", ""},
	{"brace", "", "{{", ""},
	{"brace", "", "}", ""},
	{"brace", "", "/{", ""},
	{"brace", "", "/{/}", ""},
	{"brace", "/{", "/{ {a} ", ""},
	{"brace", "", "{#", ""},
	{"brace", "", "{# ", ""},
	{"brace", "", "{##}", ""},
	{"brace", "", "{a", ""},
	{"brace", "", "{a|", ""},
	{"brace", "", "{a}", ""},
	{"brace", "", "{{a", ""},
	{"brace", "", "{when a}", ""},
	{"brace", "", "{{when a}}", ""},
	{"brace", "", "{loop a as b}", ""},
	{"brace", "", "{loop a}", ""},
	{"brace", "", "{switch a}{case 1}", ""},
	{"brace", "", "{message user}", ""},
	{"brace", "", "{/when}", ""},
	{"brace", "", "{else}", ""},
	{"brace", "", "{when a}{/when}", ""},
	{"brace", "", "{include \"a\"}", ""},
	{"brace", "{when a}", "{else when a}", "{/when}"},
	{"brace", "{when a == \"\"}", "{else when a == \"x\"}", "{/when}"},
	{"brace", "{switch a}", "{case 1}", "{/switch}"},
	{"brace", "{switch a}{case ", "b,", "b}{/switch}"},
	{"brace", "{{ a ", "(", ""},
	{"brace", "{{ a ~ ", "(", "b"},
	{"brace", "{{ a", "[", ""},
	{"brace", "{{ a ~ ", "[", ""},
	{"brace", "{{ a ~ ", "{1:", ""},
	{"brace", "", "{{ a|none }}", ""},
	{"brace", "", "{{ a|upper(1) }}", ""},
	{"brace", "", "{when 1}{/when}", ""},
	{"brace", "---\nvariables: {}\n---\n", "{{ a }}", ""},
	{"brace", "{message user}{/message}", "{include \"a\"}", ""},
	{"brace", "{{ a", ".b", " }}"},
	{"brace", "{a", ".b", "}"},
	{"brace", "{{ a", "[0]", " }}"},
	{"brace", "{{ a", "[1:]", " }}"},
	{"brace", "{{ a", "()", " }}"},
	{"brace", "{{ a", "|upper", " }}"},
	{"brace", "{a", "|upper", "}"},
	{"brace", "{{ a", "|default(a", " }}"},
	{"brace", "{{ a", " is defined", " }}"},
	{"brace", "{{ a ~ ", "not ", "b }}"},
	{"brace", "{when ", "not ", "b}{/when}"},
	{"brace", "{{ a ~ ", "-", "b }}"},
	{"brace", "{{ a", " + a", " }}"},
	{"brace", "{{ a", " ~ a", " }}"},
	{"brace", "{{ a", " ** a", " }}"},
	{"brace", "{{ a", " and a", " }}"},
	{"brace", "{{ a", " or a", " }}"},
	{"brace", "{{ a", " < a", " }}"},
	{"brace", "{{ a", " if a", " }}"},
	{"brace", "{{ a", " if a else a", " }}"},
	{"brace", "{{ a or [", "1,", "1] }}"},
	{"brace", "{{ a or [", "b,", "1] }}"},
	{"brace", "{{ a or {", "1:b,", "} }}"},
	{"brace", "{{ a(", "b,", "b) }}"},
	{"brace", "{{ a|join(", "b,", "b) }}"},
	{"brace", "{{ a ~ \"", "\\n", "\" }}"},
	{"brace", "{{ a ~ ", "\"x\" ", " }}"},
	{"brace", "{{ a ~ ", "9", " }}"},
	{"brace", "{{ a ~ ", "x", " }}"},
	{"brace", "", "\n", ""},
	{"brace", "", "a\n{# c #}\n", ""},
	{"angle", "", "<", ""},
	{"angle", "", "<<", ""},
	{"angle", "", "</", ""},
	{"angle", "", "<a>", ""},
	{"angle", "", "<a></a>", ""},
	{"angle", "", "<<a", ""},
	{"angle", "", "<<a ", ""},
	{"angle", "", "/<", ""},
	{"angle", "", "<when a>", ""},
	{"angle", "", "<when a b>", ""},
	{"angle", "", "<#", ""},
	{"auto", "", "{a}<a>", ""},
	{"auto", "", "{%", ""},
	{"auto", "", "{{-", ""},
	{"auto", "---\n", "a: {", ""},
	{"auto", "---\n", "- ", "\n---\n"},
	{"jinja", "", "{{", ""},
	{"jinja", "", "{%", ""},
	{"jinja", "", "{#", ""},
	{"jinja", "", "{% if a %}", ""},
	{"jinja", "", "{% for a in b %}", ""},
	{"jinja", "", "{% set a = 1 %}", ""},
	{"jinja", "", "{% macro a() %}", ""},
	{"jinja", "", "{% raw %}", ""},
	{"jinja", "{{ a", "|upper", " }}"},
	{"jinja", "{{ a", " + a", " }}"},
	{"jinja", "{{ ", "(", ""},
	{"jinja", "{{ ", "not ", "a }}"},
	{"jinja", "{{ ", "[", ""},
	{"jinja", "{% if a %}", "{% elif a %}", "{% endif %}"},
	{"jinja", "{% set a", ",a", " = b %}"},
}

// TestRepeatedPieces compiles each piece repeated: the compiler neither
// overflows the stack, which nothing could recover from, nor takes more than
// linear time. PCC_HOSTILE=1 takes sixty times as many. What compiles also renders or fails with a diagnostic.
func TestRepeatedPieces(t *testing.T) {
	size := 50_000
	if os.Getenv("PCC_HOSTILE") != "" {
		size = 3_000_000
	}
	for _, o := range openers {
		t.Run(fmt.Sprintf("%s %s%s", o.syntax, o.before, o.piece), func(t *testing.T) {
			src := o.before + strings.Repeat(o.piece, size/len(o.piece)) + o.after
			p, err := compiler.Compile(src, compiler.WithSyntax(compiler.Syntax(o.syntax)))
			if err != nil && codes(err) == "" {
				t.Errorf("no diagnostics: %v", err)
			}
			if strings.Contains(codes(err), "PCC299") {
				t.Errorf("the compiler made faulty code: %v", err)
			}
			growth.Linear(t, "compiling", size/len(o.piece), func(n int) {
				p, err := compiler.Compile(o.before+strings.Repeat(o.piece, n)+o.after, compiler.WithSyntax(compiler.Syntax(o.syntax)))
				if err == nil {
					_, _ = p.MessagesContext(t.Context(), map[string]any{"a": "x", "b": nil})
				}
			})
			if len(diag.AsList(err)) > 130 {
				t.Errorf("%d diagnostics", len(diag.AsList(err)))
			}
			outcome := "error " + codes(err)
			if err == nil {
				_, err := p.MessagesContext(t.Context(), map[string]any{"a": "x", "b": nil})
				outcome = "renders"
				if err != nil {
					outcome = "render error " + codes(err)
				}
			}
			t.Logf("%.60s", outcome)
		})
	}
}
