package compiler

import (
	"errors"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/parser"
)

// TestManyTags: the number of tags is limited in every syntax, to the tag.
func TestManyTags(t *testing.T) {
	for _, c := range []struct{ syntax, tag, last string }{
		{"brace", "{x}", "y"}, {"angle", "<x>", "y"}, {"double-brace", "{{x}}", "y"}, {"jinja", "{{ x }}", "y"},
		{"jinja", "{% set x = 1 %}", "y"}, {"brace", "{#}{# c #}", "y"},
	} {
		n := parser.MaxTags
		if _, err := Compile(strings.Repeat(c.tag, n)+c.last, WithSyntax(Syntax(c.syntax))); err != nil {
			t.Errorf("%s: %d times %s: %v", c.syntax, n, c.tag, err)
		}
		_, err := Compile(strings.Repeat(c.tag, n+1)+c.last, WithSyntax(Syntax(c.syntax)))
		if !errors.Is(err, &diag.Diagnostic{Code: "PCC917"}) {
			t.Errorf("%s: %d times %s: %v, want PCC917", c.syntax, n+1, c.tag, err)
		}
	}
}

// TestProgramRoom: no construct known makes code out of proportion to its
// source, so the last resort against one is tested by itself.
func TestProgramRoom(t *testing.T) {
	l := &lowerer{file: source.New("t", "{x}")}
	l.room = 0
	if !l.fits(source.Span{}) || len(l.errs) > 0 {
		t.Fatal("a program that just fits is refused")
	}
	l.room = -1
	for range 2 { // told once
		if l.fits(source.Span{}) {
			t.Error("a program that is too large is accepted")
		}
	}
	if len(l.errs) != 1 || !errors.Is(l.errs[0], &diag.Diagnostic{Code: "PCC916"}) {
		t.Errorf("the findings are %v", l.errs)
	}
}
