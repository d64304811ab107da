package parser_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// TestDirectHeads reads heads of all sequences of some parts with the direct
// ways and without: trees, positions and diagnostics are the same. The head
// stands where a form has an @.
func TestDirectHeads(t *testing.T) {
	angle := strings.NewReplacer("{", "<", "}", ">")
	native := []string{"{when @}t{/when}", "{{when @}}t{{/when}}", "{when a}{else when @}t{/when}", "{loop @}t{/loop}", "{{loop @}}t{{/loop}}"}
	var soft []string
	for _, form := range native {
		soft = append(soft, angle.Replace(form))
	}
	for _, s := range []struct {
		syntax *lexer.Syntax
		word   string // between an item and what is looped over
		forms  []string
	}{
		{lexer.Brace(), " as ", native},
		{lexer.Angle(), " as ", soft},
		{lexer.Jinja(), " in ", []string{"{% if @ %}t{% endif %}", "{%- if a %}{% elif @-%}t{% endif%}", "{% for @ %}t{%+endfor %}", "{{ @ }}", "{{@-}}",
			"{% if a %}{% for x in b %}{% @ %}"}},
	} {
		parts := []string{"", " ", "a", "a.b", ".0", "true", "not", "==", " == ", "'s'", `"é"`, `'\n'`, "'", s.word, s.word + "x", "as", ",", "é", "\n", "[0]", "if", "endif"}
		for _, form := range s.forms {
			for _, a := range parts {
				for _, b := range parts {
					for _, c := range parts {
						src := strings.Replace(form, "@", a+b+c, 1)
						o := parser.Options{Syntax: s.syntax, Filters: parser.KnownFilters}
						fast, list := parser.Parse(source.New("x", src), o)
						slow, slowList := parser.Parse(source.New("x", src), parser.Slow(o))
						if list.Error() != slowList.Error() {
							t.Fatalf("%q: the direct ways say\n%v\nothers\n%v", src, list, slowList)
						}
						if !reflect.DeepEqual(fast.Body, slow.Body) {
							t.Fatalf("%q: the direct ways make\n%s\nothers\n%s", src, parser.Dump(fast.Body), parser.Dump(slow.Body))
						}
					}
				}
			}
		}
	}
}
