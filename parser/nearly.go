package parser

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// This file finds what is read as the language has it, and most likely meant
// otherwise: misspelt keywords and filters, which are text, and angle tags that
// end at a comparison's `>`.

// elseWords are what other languages begin `else when` with.
var elseWords = map[string]bool{"elif": true, "elseif": true, "elsif": true, "elsewhen": true}

// plainWords are English words that are near a keyword and no misspelling.
var plainWords = map[string]bool{"then": true, "look": true, "messages": true, "massage": true, "includes": true, "included": true}

// choiceWords are English words that are near a filter and no misspelling: they
// stand in choices, such as {long|short}.
var choiceWords = map[string]bool{
	"short": true, "little": true, "fast": true, "slower": true, "least": true, "formal": true, "found": true,
	"lost": true, "sound": true, "ground": true, "bound": true, "lists": true, "listen": true, "watch": true,
	"east": true, "spring": true, "winter": true, "item": true, "joint": true, "coin": true, "joined": true,
	"quota": true, "quite": true, "intent": true, "invent": true, "revert": true, "revenge": true,
	"traverse": true, "antique": true, "same": true, "slide": true, "lengthy": true, "selected": true,
	"rejected": true, "project": true, "object": true, "groups": true, "catch": true, "patch": true, "save": true,
	"sale": true, "strong": true, "strings": true, "sting": true, "trip": true, "grim": true, "prim": true,
	"supper": true, "flower": true, "power": true, "tower": true, "shower": true, "enter": true, "enters": true,
	"number": true, "bullet": true, "county": true, "country": true, "account": true, "counts": true,
	"count": true, "token": true, "hence": true, "pence": true, "decent": true, "descent": true, "recent": true,
	"online": true, "offline": true, "outline": true, "guards": true, "print": true, "flat": true, "port": true,
	"sports": true, "former": true, "forest": true, "stripe": true, "replay": true, "joiner": true, "past": true,
	"cast": true, "thirst": true, "tile": true, "post": true, "most": true, "just": true, "list": true,
	"mind": true, "line": true, "lane": true, "time": true, "join": true,
}

// nearTag warns of text in single delimiters that has the shape of a block tag
// and begins with a misspelt keyword.
func (p *parser) nearTag(piece *lexer.Piece) {
	if p.opts.PlaceholdersOnly {
		return
	}
	if p.syn.Hard && piece.Count > 1 || !p.syn.Soft {
		p.trimmedTag(piece)
		return
	}
	p.nearPart(piece)
	src := p.src[:p.scan.End]
	at := piece.Inside
	closing := at < len(src) && src[at] == '/'
	if closing {
		at++
	}
	end := letters(src, at)
	word := src[at:end]
	next := end + blanksAt(src[end:])
	switch {
	case word == "" || !closing && isKeyword(word):
	case closing:
		if len(p.frames) > 0 && strings.HasPrefix(src[next:], p.syn.Close) {
			p.nearClosing(piece, word, next+len(p.syn.Close))
		}
	case next > end:
		if want := p.nearKeyword(word); want != "" && p.shaped(piece, want, end) {
			p.nearMiss(p.span(piece.Inside-len(p.syn.Open), p.lex.Pos), word, want, p.span(at, end))
		}
	}
}

// nearPart warns of text inside a block that divides it but for blanks or a colon:
// { else }, {else:}, { case "a" }.
func (p *parser) nearPart(piece *lexer.Piece) {
	if len(p.frames) == 0 || piece.Slash || p.group() != nil {
		return
	}
	src := p.src[:p.scan.End]
	at := piece.Inside + blanksAt(src[piece.Inside:])
	end := letters(src, at)
	inSwitch := p.top().kind == switchBlock
	next := end + blanksAt(src[end:])
	switch keywordOf(src[at:end]) {
	case elseWord:
		if p.top().kind != whenBlock && p.top().kind != loopBlock {
			return
		}
	case defaultWord:
		if !inSwitch {
			return
		}
	case caseWord:
		if !inSwitch || at == piece.Inside || next == end {
			return
		}
		n := strings.IndexAny(src[next:min(len(src), next+longLiteral)], "\r\n"+p.syn.Open+p.syn.Close)
		if n <= 0 {
			return
		}
		next += n
	default:
		return
	}
	inside := strings.TrimSpace(src[at:next])
	if next < len(src) && src[next] == ':' {
		next++
		next += blanksAt(src[next:])
	}
	if !strings.HasPrefix(src[next:], p.syn.Close) {
		return
	}
	span := p.span(piece.Inside-len(p.syn.Open), next+len(p.syn.Close))
	want := p.spell(inside, false)
	p.noTag(span, src[at:end], "write "+want, diag.Fix{Span: span, Replacement: want})
}

// trimmedTag warns of a block's tag in doubled braces that begins with a sign of
// Jinja's white-space control, and is text for it.
func (p *parser) trimmedTag(piece *lexer.Piece) {
	src, at := p.src[:p.scan.End], piece.Inside
	if p.syn.Angle || !p.syn.Hard || piece.Count < 2 || piece.Slash || at >= len(src) || src[at] != '-' && src[at] != '+' {
		return
	}
	start := at
	at++
	at += blanksAt(src[at:])
	word := at
	if word < len(src) && src[word] == '/' {
		word++
	}
	end := letters(src, word)
	switch {
	case word > at && blockOf(src[word:end]) != noBlock:
	case word == at && isKeyword(src[word:end]) && p.gap(end, true) > end && beginsHead(src, p.gap(end, true)):
	default:
		return
	}
	d := diag.New("PCC116", p.file, p.span(piece.Inside-2*len(p.syn.Open), end), "this is text, not a tag: it begins with `%s`", src[start:start+1]).
		WithHelp("there is no white-space control here: delete the `%s`; lines that hold only block tags disappear by themselves", src[start:start+1])
	whereText(d, p.inRaw())
	p.report(d)
}

// letters returns the end of a run of ASCII letters.
func letters(src string, i int) int {
	for i < len(src) && src[i]|0x20 >= 'a' && src[i]|0x20 <= 'z' {
		i++
	}
	return i
}

// nearKeyword returns the keyword that a word was most likely meant for, where
// a tag of it may stand.
func (p *parser) nearKeyword(word string) string {
	if plainWords[word] {
		return ""
	}
	if word == "import" || word == "partial" {
		return "include"
	}
	words := anywhereWords()
	if len(p.frames) > 0 {
		switch p.top().kind {
		case whenBlock:
			if elseWords[strings.ToLower(word)] {
				return "else when"
			}
			words = append(words, "else")
		case switchBlock:
			words = append(words, "case")
		}
	}
	near, _ := diag.Near(word, words)
	return near
}

// shaped reports whether what follows a word at offset at is what the keyword
// needs, up to the closing delimiter.
func (p *parser) shaped(piece *lexer.Piece, keyword string, at int) bool {
	x := p.placeholder(piece, at)
	if keyword == "else" && !x.skipWord("when") {
		return false
	}
	e := x.expr()
	switch keyword {
	case "loop":
		if x.skipWord("as") {
			for x.expect(lexer.Name) && x.skip(lexer.Comma) {
			}
		}
	case "include":
		if lit, ok := e.(*ast.Literal); !ok || lit.Kind != ast.StringLit {
			return false
		}
	}
	return x.atEnd() && p.lex.Closed
}

// nearClosing warns of a closing tag of a misspelt or foreign word.
func (p *parser) nearClosing(piece *lexer.Piece, word string, end int) {
	open := make([]string, 0, 4)
	for i := len(p.frames) - 1; i >= 0 && len(open) < cap(open); i-- {
		open = append(open, p.frames[i].kind.word())
	}
	near, ok := diag.Near(word, open)
	if !ok && !p.syn.Angle { // an element may have any name
		switch inner := open[0]; strings.ToLower(word) {
		case "if", "unless", "end", "endif", "endwhen":
			near, ok = inner, inner == "when"
		case "for", "foreach", "each", "range", "endfor", "endloop":
			near, ok = inner, inner == "loop"
		}
	}
	if ok {
		start := piece.Inside - len(p.syn.Open)
		p.nearMiss(p.span(start, end), "/"+word, "/"+near, p.span(piece.Inside, piece.Inside+1+len(word)))
	}
}

func (p *parser) nearMiss(span source.Span, word, want string, at source.Span) {
	p.noTag(span, word, "did you mean `"+want+"`?", diag.Fix{Span: at, Replacement: want})
}

// noTag warns of text that is nearly a tag for its word.
func (p *parser) noTag(span source.Span, word, help string, fix diag.Fix) {
	d := diag.New("PCC123", p.file, span, "`%s` begins no tag: this is text", word).WithHelp("%s", help)
	d.Fix = &fix
	if form := p.literal(p.file.Slice(span), false); form != "" {
		whereText(d, "write "+form)
	}
	p.misspelt = true
	p.report(d)
}

// nearFilter warns of a soft placeholder that is text for a misspelt filter, and
// reports whether it did.
func (p *parser) nearFilter(span source.Span, name string, at source.Span) bool {
	const shortest = 4 // {win|mix} and the like are choices
	if p.opts.NearFilter == nil || choiceWords[name] || utf8.RuneCountInString(name) < shortest {
		return false
	}
	if near, ok := p.opts.NearFilter(name); ok && len(near) >= shortest {
		d := diag.New("PCC122", p.file, span, "there is no filter `%s`: this is text", name).
			WithHelp("did you mean `%s`?", near).WithNames(name)
		d.Fix = &diag.Fix{Span: at, Replacement: near}
		if form := p.literal(p.file.Slice(span), false); form != "" {
			whereText(d, "write "+form)
		}
		p.misspelt = true
		p.report(d)
		return true
	}
	return false
}

// endsEarly warns of a soft keyword tag in angle brackets, just read, that ends
// at a `>` which was meant to compare.
func (p *parser) endsEarly(piece *lexer.Piece) {
	src, end := p.src[:p.scan.End], p.scan.Pos
	word := letters(src, piece.Inside)
	if !isKeyword(src[piece.Inside:word]) || end-word < 3 {
		return
	}
	n := strings.IndexAny(src[end:], "<>\r\n")
	if n < 0 || src[end+n] != '>' {
		return
	}
	operand := strings.TrimPrefix(src[end:end+n], "=")
	op := ">" + src[end:end+n-len(operand)]
	start := end + n - len(operand)
	x := newExprParser(p.file, p.span(start, end+n), p.depth, false)
	e := x.expr()
	if !x.atEnd() {
		return
	}
	apart := len(op) > 1 || unicode.IsSpace(rune(src[end-2])) // <when a > 3>, <when a>=3>
	if lit, ok := e.(*ast.Literal); !apart && (!ok || lit.Kind != ast.IntLit || src[start] == ' ') {
		return // <when a>text > more
	}
	from := word + blanksAt(src[word:])
	keyword := strings.TrimSpace(src[piece.Inside:from])
	if rest := src[from:]; keyword == "else" && strings.HasPrefix(rest, "when") {
		from += len("when")
		from += blanksAt(src[from:])
		keyword = "else when"
	}
	left := strings.TrimSpace(src[from : end-1])
	p.report(diag.New("PCC124", p.file, p.span(piece.Start, end+n+1), "the tag ends at its first `>`: what follows is text").
		WithHelp("write <%s (%s %s %s)>", keyword, left, op, strings.TrimSpace(operand)))
}
