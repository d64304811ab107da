package parser

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// faultDiag makes the error for an Invalid token of lex.
func faultDiag(f *source.File, lex *lexer.Expr, span source.Span) *diag.Diagnostic {
	text := f.Slice(span)
	switch lex.Fault {
	case lexer.OpenString:
		return diag.New("PCC002", f, span, "the string is never closed").
			WithHelp("add a %s, or put a backslash before it where it is part of the text", text)
	case lexer.TooDeep:
		return diag.New("PCC901", f, span, "brackets are nested more than %d deep", lex.Limit)
	case lexer.AnotherOpener:
		return diag.New("PCC110", f, span, "a tag opens inside another one")
	case lexer.StrayBlank:
		return diag.New("PCC101", f, span, "unexpected blank")
	case lexer.NoMemory:
		return noMemory(f, span)
	}
	r, _ := utf8.DecodeRuneInString(text)
	d := diag.New("PCC003", f, span, "unexpected character %s", printable(r))
	if h, ok := charHints[r]; ok {
		d.Help = h
	}
	return d
}

// jinjaFaultDiag is faultDiag for the tokens of Jinja, whose faults have codes of
// their own.
func jinjaFaultDiag(f *source.File, lex *lexer.Expr, span source.Span) *diag.Diagnostic {
	text := f.Slice(span)
	switch lex.Fault {
	case lexer.OpenString:
		return diag.New("PCC053", f, span, "string is never closed")
	case lexer.TooDeep:
		return diag.New("PCC901", f, span, "brackets are nested more than %d deep", lex.Limit)
	case lexer.BadBracket:
		d := diag.New("PCC054", f, span, "unexpected `%s`", text)
		if want := lex.Wanted(); want != 0 {
			d.Message += fmt.Sprintf(", expected `%c`", want)
		}
		return d
	case lexer.NoMemory:
		return noMemory(f, span)
	case lexer.LongWord:
		return diag.New("PCC055", f, span, "a name or number of more than %d bytes", lexer.MaxWord)
	}
	r, _ := utf8.DecodeRuneInString(text)
	if lex.Fault == lexer.BadName {
		return diag.New("PCC055", f, span, "invalid character %s in a name", printable(r))
	}
	d := diag.New("PCC055", f, span, "unexpected character %s", printable(r))
	if h, ok := charHints[r]; ok {
		d.Help = h
	}
	return d
}

// charHints tell what to write in place of characters of other languages.
var charHints = map[rune]string{
	'!': "write `not x`, or `a != b`",
	'&': "write `a and b`",
	'?': "write `a if condition else b`, or `x|default(\"…\")`",
	'$': "names stand alone, without `$`",
	'@': "names stand alone, without `@`",
	'`': "write strings in straight quotes: \"…\" or '…'",
	'“': "write strings in straight quotes: \"…\" or '…'",
	'”': "write strings in straight quotes: \"…\" or '…'",
	'‘': "write strings in straight quotes: \"…\" or '…'",
	'’': "write strings in straight quotes: \"…\" or '…'",
	'^': "write `a ** b` for a power",
	'#': "comments are tags of their own: {# … #}",
}

// printable shows a character, by its number where it cannot be seen.
func printable(r rune) string {
	if r > ' ' && r < 0x7f || r > 0xa0 && !lexer.IsFiller(r) && fmt.Sprintf("%q", r)[1] != '\\' {
		return fmt.Sprintf("`%c`", r)
	}
	return fmt.Sprintf("U+%04X", r)
}

// unexpectedDiag makes the error for a token where want was needed.
func unexpectedDiag(f *source.File, t token, want string) *diag.Diagnostic {
	code, msg := diag.Code("PCC101"), "unexpected "+t.String()
	if t.Kind == lexer.EOF {
		code, msg = "PCC102", "the tag ends too early"
	}
	if want != "" {
		msg += ", expected " + want
	}
	d := diag.New(code, f, t.Span(), "%s", msg)
	switch {
	case t.Kind == lexer.Assign:
		d.Help = "write `==` to compare"
	case t.Kind == lexer.Pipe:
		d.Help = "write `or` for a choice, or a filter's name after `|`"
	case t.Kind == lexer.Colon && behindFilter(f, t.Start):
		d.Help = "arguments of a filter stand in parentheses, as in x|join(\", \")"
	case t.Kind == lexer.Name && wordHints[t.Text] != "":
		d.Help = wordHints[t.Text]
	}
	return d
}

// behindFilter reports whether the name of a filter ends at pos.
func behindFilter(f *source.File, at source.Pos) bool {
	const longest = 40
	if f == nil {
		return false
	}
	before := f.Slice(source.Span{Start: at - min(at, longest), End: at})
	return strings.HasSuffix(strings.TrimRightFunc(before, lexer.IsNamePart), "|")
}

// wordHints tell what to write in place of words of other languages.
var wordHints = map[string]string{
	"AND": "operators are written small: `and`",
	"OR":  "operators are written small: `or`",
	"NOT": "operators are written small: `not`",
	"eq":  "write `==`",
	"ne":  "write `!=`",
	"gt":  "write `>`",
	"lt":  "write `<`",

	"else": "no block is open here that it could divide; in an expression write `a if condition else b`",
}

// String describes the current token, for messages.
func (t token) String() string {
	switch t.Kind {
	case lexer.EOF:
		return "the end of the tag"
	case lexer.String:
		return "string"
	case lexer.Name, lexer.Int, lexer.Float:
		return fmt.Sprintf("`%s`", clip(t.Text))
	}
	return fmt.Sprintf("`%s`", t.Text)
}

// clip shortens a long piece of source for a message.
func clip(s string) string {
	const most = 40
	return diag.Shorten(s, most)
}
