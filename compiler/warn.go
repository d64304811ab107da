package compiler

import (
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm/guard"
)

// suspicious reports what is allowed and likely an attack, or open to one:
// names that look like others, and texts that leave the end of a control token
// to a value. Sources in which neither can be are not walked.
func suspicious(t *ast.Template) diag.List {
	f := t.File
	foreign := !f.ASCII() && holdsForeign(f.Text)
	tokens := guard.MayHoldToken(f.Text)
	if !foreign && !tokens {
		return nil
	}
	var list diag.List
	name := func(s string, at source.Span) {
		if mixesScripts(s) {
			list = append(list, diag.New("PCC233", f, at, "the name `%s` mixes letters of scripts that look alike", s).WithNames(s))
		}
	}
	ast.Walk(t.Body, func(n ast.Node) bool {
		if out, ok := n.(*ast.Output); ok && tokens {
			const longest = 64
			start := int(out.Span().Start)
			if guard.EndsInToken(f.Text[max(0, start-longest):start]) {
				list = append(list, diag.New("PCC234", f, out.Span(), "the text before this placeholder begins a control token, which a value may complete"))
			}
		}
		if foreign {
			ast.Exprs(n, func(e ast.Expr) {
				ast.WalkExpr(e, func(e ast.Expr) bool {
					switch e := e.(type) {
					case *ast.Name:
						name(e.Name, e.Span())
					case *ast.Attr:
						name(e.Name, e.Span())
					}
					return true
				})
			})
		}
		return true
	})
	return list
}

// holdsForeign reports whether text has letters like those of ASCII from other
// scripts.
func holdsForeign(text string) bool {
	for i := 0; i < len(text); {
		const step = 32
		if i+step <= len(text) && source.IsASCII(text[i:i+step]) {
			i += step
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r >= 0x370 && scriptOf(r) != 0 {
			return true
		}
		i += n
	}
	return false
}

// scriptOf numbers the scripts whose letters look alike; 0 is any other.
func scriptOf(r rune) int {
	switch {
	case r < 0x80:
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return 1
		}
	case unicode.Is(unicode.Latin, r):
		return 1
	case unicode.Is(unicode.Cyrillic, r):
		return 2
	case unicode.Is(unicode.Greek, r):
		return 3
	}
	return 0
}

// mixesScripts reports whether letters of two such scripts stand side by side:
// a rule of Unicode's security mechanisms (UTS #39, mixed-script detection),
// cut down to the scripts that are mistaken for one another.
func mixesScripts(s string) bool {
	seen := 0
	for _, r := range s {
		n := scriptOf(r)
		if n != 0 && seen != 0 && n != seen {
			return true
		}
		if n != 0 {
			seen = n
		}
	}
	return false
}
