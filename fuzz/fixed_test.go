package fuzz

import (
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
)

// TestFixedLimits goes beyond the limits that no option sets, and stays just
// within them.
func TestFixedLimits(t *testing.T) {
	repeat := strings.Repeat
	for _, tt := range []struct {
		name, syntax string
		code         diag.Code
		most         int // with which it compiles
		template     func(n int) string
	}{
		{"operators in a row", "brace", "PCC901", 999, func(n int) string { return "{{ a" + repeat(" + a", n) + " }}" }},
		{"operators in a row, Jinja", "jinja", "PCC901", 999, func(n int) string { return "{{ a" + repeat(" + a", n) + " }}" }},
		{"not in a row", "brace", "PCC901", 999, func(n int) string { return "{when " + repeat("not ", n) + "a}{/when}" }},
		{"signs in a row", "jinja", "PCC901", 999, func(n int) string { return "{{ " + repeat("-", n) + "a }}" }},
		{"filters in a row", "brace", "PCC901", 999, func(n int) string { return "{{ a" + repeat("|upper", n) + " }}" }},
		{"conditions in a row", "jinja", "PCC901", 999, func(n int) string { return "{{ " + repeat("a if b else ", n) + "c }}" }},
		{"delimiters in a run", "single-brace", "PCC901", 10_000, func(n int) string { return repeat("{", n) + " x" }},
		{"digits of a literal", "jinja", "PCC901", 4300, func(n int) string { return "{{ " + repeat("9", n) + " }}" }},
		{"letters of a word, Jinja", "jinja", "PCC055", 1 << 16, func(n int) string { return "{{ " + repeat("a", n) + " }}" }},
		{"names of a path", "jinja", "PCC901", 999, func(n int) string { return "{{ a" + repeat(".b", n) + " }}" }},
		{"names of a path of names", "brace", "PCC914", 65_534, func(n int) string { return "{a" + repeat(".b", n) + "}" }},
		{"parts of a list", "brace", "PCC914", 65_535, func(n int) string { return "{{ a or [" + repeat("b,", n) + "] }}" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			compile := func(n int) error {
				_, err := compiler.Compile(tt.template(n), compiler.WithSyntax(tt.syntax))
				return err
			}
			if err := compile(tt.most); err != nil {
				t.Errorf("within the limit: %.300v", err)
			}
			if err := compile(tt.most + tt.most/50 + 2); codeOf(err) != tt.code {
				t.Errorf("beyond the limit: %.300v, want %s", err, tt.code)
			}
		})
	}
}

// TestFindingsAreBounded: a template full of errors has a limited
// number of findings, in every syntax and stage.
func TestFindingsAreBounded(t *testing.T) {
	for _, tt := range []struct {
		name, syntax, template string
		most                   int
	}{
		{"errors of the parser", "brace", strings.Repeat("{{ a b }} ", 1000), 21},
		{"errors of the compiler", "brace", strings.Repeat("{{ a|none }} ", 1000), 21},
		{"errors of Jinja", "jinja", strings.Repeat("{{ a b }} {% nope %}", 1000), 21},
		{"errors of Jinja's names", "jinja", strings.Repeat("{{ a|none }} ", 1000), 21},
	} {
		n := 0
		p, err := compiler.Compile(tt.template, compiler.WithSyntax(tt.syntax))
		if err != nil {
			n = len(err.(diag.List))
		} else {
			n = len(p.Warnings())
		}
		if n < 2 || n > tt.most {
			t.Errorf("%s: %d findings, want at most %d", tt.name, n, tt.most)
		}
	}
}

// TestParserLimits gives the parser its own options.
func TestParserLimits(t *testing.T) {
	o := parser.Options{Source: 10}
	if _, list := parser.Parse(source.New("t", "12345678901"), o); codeOf(list.Err()) != "PCC902" {
		t.Errorf("%v, want PCC902", list.Err())
	}
	if _, list := parser.Parse(source.New("t", "1234567890"), o); list.Err() != nil {
		t.Errorf("a text of just the limit: %v", list.Err())
	}
}

// TestLimitsOfDocuments: JSON documents have the limits of YAML ones, and
// numbers of both are bounded.
func TestLimitsOfDocuments(t *testing.T) {
	nested := strings.Repeat("[", 70) + "1" + strings.Repeat("]", 70)
	many := "[" + strings.Repeat("1,", 50_000) + "1]"
	digits := strings.Repeat("9", 4301)
	for _, tt := range []struct {
		name, text string
		code       diag.Code
	}{
		{"d.json", `{"x": ` + nested + `}`, "PCC921"}, {"d.json", `{"x": ` + many + `}`, "PCC922"},
		{"d.json", `{"x": "` + strings.Repeat("x", 1<<20) + `"}`, "PCC920"},
		{"d.json", `{"x": 1, "x": 2}`, "PCC403"}, {"d.yaml", "x: 1\nx: 2\n", "PCC403"},
	} {
		_, list := document.ReadData(source.New(tt.name, tt.text), document.YAMLOptions{})
		if codeOf(list.Err()) != tt.code {
			t.Errorf("%.20s…: %v, want %s", tt.text, list.Err(), tt.code)
		}
	}
	for _, text := range []string{"x: " + digits + "\n", `{"x": ` + digits + `}`} {
		s, list := document.ReadData(source.New("d.yaml", text), document.YAMLOptions{})
		if s == nil || list.Err() != nil {
			t.Fatalf("%.20s…: %v", text, list.Err())
		}
		if x, _ := s.Get("x"); x.Kind.String() != "text" {
			t.Errorf("%.20s…: a number of 4,301 digits is %s, want text", text, x.Kind)
		}
	}
}
