package document

import (
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// Names of the entries that a pair has besides its chat entry "".
const (
	PairPrompt = "prompt"
	PairSystem = "system"
)

var pairKeys = []string{"name", "description", "syntax", "undefined", "roles", "variables", "vars",
	"template", "system_template", "metadata", "model", "tests"}

// PairOptions are what a text of a pair is parsed with: placeholders are
// {{name}}, letters, digits and `_` only, all else is text.
func PairOptions(o parser.Options) parser.Options {
	o.Syntax, o.PlaceholdersOnly, o.Names = lexer.DoubleBrace(), true, parser.NamesWord
	return o
}

// pair reads `template` and `system_template`. The entry "" is the chat of
// both, "prompt" and "system" are the texts.
func (r *reader) pair(s *ast.Structure) {
	r.head = r.foreignMeta(s)
	r.doc.Meta = r.head
	r.extraKeys(r.head, pairKeys)
	o := PairOptions(r.o.Parser)
	if r.head.Syntax != "" {
		o = r.parserOptions(r.head.Syntax)
	}
	rules := ast.Rules{Form: ast.FormPair, Syntax: r.head.Syntax}
	human, ok := s.Get("template")
	if !ok {
		r.report("PCC420", keySpan(s, "system_template"), "`system_template` stands beside a `template`, and there is none").
			WithHelp("add `template:` with the text of the user's message")
		return
	}
	if human.Kind == ast.SNull || human.Kind == ast.SList || human.Kind == ast.SMap {
		r.want("a text", "template", human)
		return
	}
	var body []ast.Node
	system, ok := s.Get("system_template")
	if ok && system.Kind != ast.SNull {
		if system.Kind == ast.SList || system.Kind == ast.SMap {
			r.want("a text", "system_template", system)
			return
		}
		e := r.template(system, o)
		body = append(body, &ast.Message{Range: system.Range, Role: literal("system", system.Span()), Body: []ast.Node{e}})
		defer r.entry(PairSystem, system.Span(), []ast.Node{e}, false, r.head, rules, system)
	}
	e := r.template(human, o)
	body = append(body, &ast.Message{Range: human.Range, Role: literal("user", human.Span()), Body: []ast.Node{e}})
	r.entry("", s.Span(), body, true, r.head, rules, s)
	r.entry(PairPrompt, human.Span(), []ast.Node{e}, false, r.head, rules, human)
	if t, ok := s.Get("tests"); ok {
		r.tests(t)
	}
	slices.SortStableFunc(r.doc.Entries, func(a, b *ast.DocumentEntry) int { return len(a.Name) - len(b.Name) })
}
