package parser

import (
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// foreign collects what looks like tags of other languages and is text here.
type foreign struct {
	jinja       source.Span // {% …
	handlebars  [handlebarsTags]source.Span
	open, close source.Span // {if … and {endif}, {/if} or {end}
	word        string      // of open
}

// Tags of Handlebars and Mustache.
const (
	handlebarsBlock   = iota // {{#name
	handlebarsInverse        // {{^name
	handlebarsPartial        // {{> name
	handlebarsComment        // {{! text
	handlebarsTags
)

// any reports whether something was noted.
func (f *foreign) any() bool {
	return f.jinja != source.Span{} || f.handlebars != [handlebarsTags]source.Span{} || f.open.End > 0 && f.close.Start > f.open.Start
}

// foreignTags tell what to write for a tag of another language that begins
// with a word, in the brace syntax.
var foreignTags = map[string]string{
	"if": "when condition", "unless": "when not condition", "for": "loop items as item",
	"foreach": "loop items as item", "each": "loop items", "range": "loop items",
	"elif": "else when condition", "elseif": "else when condition", "elsif": "else when condition",
	"endif": "/when", "endfor": "/loop", "with": "when value", "set": "when condition",
}

// look notes what the piece, which is text, looks like.
func (f *foreign) look(p *parser, piece *lexer.Piece) {
	src, i := p.src[:p.scan.End], piece.Inside
	if i >= len(src) || p.opts.PlaceholdersOnly {
		return
	}
	first := func(s *source.Span, end int) {
		if *s == (source.Span{}) {
			*s = p.span(piece.Inside-min(piece.Count, 2)*len(p.syn.Open), end)
		}
	}
	switch c := src[i]; {
	case c == '%' && piece.Count == 1 && p.syn.Open == "{":
		if jinjaKeyword(src, i+1) != "" {
			first(&f.jinja, i+1)
		}
	case piece.Count > 1 && p.syn.Open == "{" && i+1 < len(src) && strings.IndexByte("#^>!", c) >= 0:
		at := i + 1
		if c == '>' {
			at += blanksAt(src[at:])
		}
		switch end := lexer.WordEnd(src, at); {
		case c == '!' && (src[at] == ' ' || strings.HasPrefix(src[at:], "--")):
			first(&f.handlebars[handlebarsComment], at)
		case end == at || c == '!':
		case c == '>':
			first(&f.handlebars[handlebarsPartial], end)
		case c == '^':
			first(&f.handlebars[handlebarsInverse], end)
		default:
			first(&f.handlebars[handlebarsBlock], end)
		}
	case !p.syn.Soft && piece.Count == 1: // no tag in this syntax, whatever the word
	case c == '/':
		if end := lexer.WordEnd(src, i+1); f.word != "" && foreignTags[src[i+1:end]] != "" && strings.HasPrefix(src[end:], p.syn.Close) {
			first(&f.close, end+1)
		}
	case isNameByte(c):
		end := lexer.WordEnd(src, i)
		if w := src[i:end]; foreignTags[w] != "" && end < len(src) && src[end] == ' ' && p.nearKeyword(w) == "" {
			if f.word == "" {
				f.word = w
			}
			first(&f.open, end)
		}
	}
}

// jinjaKeyword returns the keyword of the Jinja tag whose `{%` ended at i, "" if it
// is none.
func jinjaKeyword(src string, i int) string {
	if i < len(src) && (src[i] == '-' || src[i] == '+') {
		i++
	}
	for i < len(src) && (src[i] == ' ' || src[i] >= '\t' && src[i] <= '\r') {
		i++
	}
	end := i
	for end < len(src) && src[end] >= 'a' && src[end] <= 'z' {
		end++
	}
	switch word := src[i:end]; word {
	case "if", "elif", "else", "endif", "for", "endfor", "set", "endset", "macro", "endmacro", "call", "endcall",
		"filter", "endfilter", "with", "endwith", "block", "endblock", "extends", "include", "import", "from",
		"raw", "endraw", "do", "break", "continue", "autoescape", "endautoescape", "generation", "endgeneration",
		"trans", "endtrans", "pluralize":
		return word
	}
	return ""
}

// warn reports what was found.
func (f *foreign) warn(p *parser) {
	none := source.Span{}
	if f.jinja != none {
		d := diag.New("PCC112", p.file, f.jinja, "a Jinja tag is text in the %s syntax", p.syn.Name).
			WithHelp("choose the jinja syntax, or write %s … %s", p.spell("when condition", !p.syn.Soft), p.spell("/when", !p.syn.Soft))
		whereText(d, p.inRaw())
		p.report(d)
	}
	for tag, at := range f.handlebars {
		if at == none {
			continue
		}
		d := diag.New("PCC112", p.file, at, "a Handlebars %s is text in the %s syntax", [...]string{"block", "inverse block", "partial", "comment"}[tag], p.syn.Name)
		switch tag {
		case handlebarsBlock:
			d.WithHelp("write %s … %s, or %s … %s",
				p.spell("when condition", p.syn.Hard), p.spell("/when", p.syn.Hard),
				p.spell("loop items as item", p.syn.Hard), p.spell("/loop", p.syn.Hard))
		case handlebarsInverse:
			d.WithHelp("write %s … %s", p.spell("when not condition", p.syn.Hard), p.spell("/when", p.syn.Hard))
		case handlebarsPartial:
			d.WithHelp("write %s", p.spell(`include "file"`, p.syn.Hard))
		case handlebarsComment:
			d.WithHelp("write %s", p.spell("# comment #", false))
		}
		whereText(d, p.inRaw())
		p.report(d)
	}
	if f.open != none && f.close != none && f.open.Start < f.close.Start {
		d := diag.New("PCC112", p.file, f.open, "`%s` begins no tag here: this is text", f.word).
			WithHelp("write %s", p.spell(foreignTags[f.word], !p.syn.Soft)).
			WithLabel(f.close, "this looks like its end")
		whereText(d, p.inRaw())
		p.report(d)
	}
}

// foreignHelp makes the help line of a malformed hard placeholder that of the tag
// of another language, or the misspelt keyword, which it begins with.
func (p *parser) foreignHelp(d *diag.Diagnostic, piece *lexer.Piece) {
	at := piece.Inside + blanksAt(p.src[piece.Inside:p.scan.End])
	word := p.src[at:lexer.WordEnd(p.src[:p.scan.End], at)]
	if tag := foreignTags[word]; tag != "" {
		d.WithHelp("write %s", p.spell(tag, true))
	} else if near := p.nearKeyword(word); near != "" {
		d.WithHelp("did you mean `%s`?", near)
	}
}
