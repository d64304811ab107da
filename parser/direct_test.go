package parser_test

import (
	"reflect"
	"testing"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// TestDirectHeads reads heads of all sequences of some parts with the direct
// ways and without: trees and diagnostics are the same.
func TestDirectHeads(t *testing.T) {
	parts := []string{"", " ", "a", "a.b", ".0", "true", "not", "==", " == ", "'s'", `"é"`, `'\\n'`, "'", " as ", " as x", "as", ",", "é", "\n", "\t", "[0]", "loop", "if"}
	for _, syn := range []*lexer.Syntax{lexer.Brace(), lexer.Angle()} {
		for _, form := range []string{"{when %}t{/when}", "{{when %}}t{{/when}}", "{when a}{else when %}t{/when}", "{loop %}t{/loop}", "{{loop %}}t{{/loop}}", "{switch %}{case 'a'}{/switch}"} {
			for _, a := range parts {
				for _, b := range parts {
					for _, c := range parts {
						src := ""
						for _, r := range form {
							switch {
							case r == '%':
								src += a + b + c
							case r == '{' && syn.Angle:
								src += "<"
							case r == '}' && syn.Angle:
								src += ">"
							default:
								src += string(r)
							}
						}
						o := parser.Options{Syntax: syn, Filters: parser.KnownFilters}
						fast, list := parser.Parse(source.New("x", src), o)
						slow, slowList := parser.Parse(source.New("x", src), parser.Slow(o))
						if list.Error() != slowList.Error() {
							t.Fatalf("%q: the direct ways say\n%v\nthe productions\n%v", src, list, slowList)
						}
						if !reflect.DeepEqual(fast.Body, slow.Body) { // positions too
							t.Fatalf("%q: the direct ways make\n%s\nthe productions\n%s", src, parser.Dump(fast.Body), parser.Dump(slow.Body))
						}
					}
				}
			}
		}
	}
}
