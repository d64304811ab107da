package parser

import (
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/lexer"
)

// This file tells tags from what looks like them by what they begin with: a
// keyword that opens a block from one that is a variable, and an expression in
// doubled delimiters from text.

// beginsHead reports whether what stands at src[i], behind a keyword and blanks,
// makes a block tag of the keyword: what an expression begins with. Operators
// make it a variable instead, as in {{ message or "x" }}.
func beginsHead(src string, i int) bool {
	if i >= len(src) {
		return false
	}
	switch c := src[i]; {
	case c == '"', c == '\'', c >= '0' && c <= '9', c == '(', c == '[', c == '{':
		return true
	case c == '-', c == '+':
		return i+1 < len(src) && !isSpace(src[i+1])
	case c < utf8.RuneSelf && !isNameByte(c):
		return false
	case c < utf8.RuneSelf && strings.IndexByte("aino", c) < 0:
		return true // no operator begins with this
	}
	if r, _ := utf8.DecodeRuneInString(src[i:]); !lexer.IsNameStart(r) {
		return false
	}
	end := nearPathEnd(src, i)
	switch src[i:end] {
	case "and", "or", "in", "is", "if":
		return false
	case "not":
		for end < len(src) && isSpace(src[end]) {
			end++
		}
		return !strings.HasPrefix(src[end:], "in") || nearPathEnd(src, end) != end+len("in")
	}
	return true
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// spaced reads a placeholder with doubled delimiters that begins with no name:
// {{ (a + b)|round }}. It is one where a blank or line break follows the opener,
// and the inside, up to the first closer and holding no opener, is an expression
// that a literal could not replace. All else is text. The insides that are looked
// at do not overlap.
func (p *parser) spaced(piece *lexer.Piece, at int) bool {
	src := p.src[:p.scan.End]
	if p.syn.Angle || !isSpace(src[piece.Inside]) {
		return false
	}
	for at < len(src) && isSpace(src[at]) {
		at++
	}
	end := at
	for ; ; end++ {
		n := strings.IndexAny(src[end:], "{}")
		if n < 0 || end+n+1 >= len(src) {
			return false
		}
		if end += n; src[end] == src[end+1] {
			break
		}
	}
	if src[end] == '{' || src[at] == '{' {
		return false
	}
	if word := lexer.WordEnd(src, at); isKeyword(src[at:word]) && word < end && isSpace(src[word]) && beginsHead(src, p.gap(word, true)) {
		d := diag.New("PCC116", p.file, p.span(piece.Start, end+2), "this is text, not a tag: a line break stands before `%s`", src[at:word]).
			WithHelp("write `%s` on the line of the opening braces", src[at:word])
		p.orText(d, piece)
		p.report(d)
		return false
	}
	p.lex = lexer.Expr{Src: p.src, Pos: at, End: end, Limit: p.depth, Budget: p.alloc.budget}
	p.expr = exprParser{file: p.file, lex: &p.lex, alloc: p.alloc, last: p.expr.last}
	x := &p.expr
	x.read()
	e := x.expr()
	if x.atEnd(); x.err != nil || !computes(e) {
		return false
	}
	if d := p.bidiIn(piece.Start, end); d != nil {
		p.report(d)
		return false
	}
	p.output(piece, e, end+len(p.closer(true)))
	return true
}

// computes reports whether an expression reads a name, calls, filters or tests.
func computes(e ast.Expr) (yes bool) {
	ast.WalkExpr(e, func(e ast.Expr) bool {
		switch e.(type) {
		case *ast.Name, *ast.Call, *ast.Filter, *ast.Test:
			yes = true
		}
		return !yes
	})
	return yes
}

// noHead warns of text in single delimiters that begins with the keyword of a
// block and goes on as nothing that a block may begin with.
func (p *parser) noHead(piece *lexer.Piece, word string, end int) {
	if !keywords[keywordOf(word)].anywhere {
		return
	}
	src := p.src[:p.scan.End]
	if end >= len(src) || src[end] != ' ' && src[end] != '\t' || piece.Slash || p.brief() || p.group() != nil {
		return
	}
	stops := "\r\n" + p.syn.Open + p.syn.Close
	if p.syn.Angle { // `<` begins no head, so that it may be what is wrong with this one
		src, stops = src[:min(len(src), end+longLiteral)], "\r\n"+p.syn.Close
	}
	n := strings.IndexAny(src[end:], stops)
	if n < 0 || !strings.HasPrefix(src[end+n:], p.syn.Close) {
		return
	}
	d := diag.New("PCC116", p.file, p.span(piece.Start, end+n+len(p.syn.Close)), "this is text, not a tag: `%s` lacks what it needs", word)
	d.Help = p.usage(word, false)
	if r, _ := utf8.DecodeRuneInString(src[end+blanksAt(src[end:]):]); charHints[r] != "" {
		d.Help = charHints[r]
	}
	p.orText(d, piece)
	p.report(d)
	if len(p.headless) < maxWarnings {
		p.headless = append(p.headless, d)
	}
}
