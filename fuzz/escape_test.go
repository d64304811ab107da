package fuzz

import (
	"testing"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/lexer"
)

// FuzzEscapeRender checks that every string has a template that renders exactly it,
// in every syntax.
func FuzzEscapeRender(f *testing.F) {
	for _, s := range goldens(f) {
		f.Add(s.template)
	}
	for _, s := range []string{"", "{##}", "/{/{", "}/}", "{{{{", "\ufeff---\n---\n", "---\r\n---\r\n", "{# a #}", "<task></task>", "{%raw%}{%endraw%}", "a\r\n", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || len(s) > 1<<12 {
			return
		}
		for _, syntax := range lexer.Names() {
			src, err := compiler.Escape(s, compiler.Syntax(syntax))
			if err != nil {
				t.Fatalf("%s: %v", syntax, err)
			}
			p, err := compiler.Compile(src, compiler.WithSyntax(compiler.Syntax(syntax)))
			if err != nil {
				t.Fatalf("%s: %q escaped to %q does not compile: %v", syntax, s, src, err)
			}
			got, err := p.Render(nil)
			if err != nil || got != s {
				t.Fatalf("%s: %q escaped to %q renders %q, %v", syntax, s, src, got, err)
			}
		}
	})
}
