package parser

import (
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// This file decides what becomes of tags that cannot be read, text or an error, and
// tells what to write where text is meant.

// openTag is the error of a tag without its closing delimiter.
func (p *parser) openTag(piece *lexer.Piece) *diag.Diagnostic {
	return diag.New("PCC110", p.file, p.span(piece.Start, piece.Inside), "the tag is never closed").
		WithHelp("add `%s`, or write `%s` literally as `/%[2]s … /%[1]s`", p.closer(piece.Hard), p.src[piece.Start:piece.Inside])
}

// malformed decides what becomes of a tag that cannot be read: text where the
// language says so (ok is false), else an error; end is where to go on.
func (p *parser) malformed(piece *lexer.Piece, d *diag.Diagnostic, keyword bool) (end int, ok bool) {
	if d.Code == "PCC918" || d.Code == "PCC901" && !p.mayBeText(piece, keyword) {
		p.list = append(p.list, d)
		p.stopped = true
		return p.scan.End, true
	}
	if p.mayBeText(piece, keyword) && (piece.Slash || d.Code != "PCC006") {
		if keyword && !piece.Slash {
			w := diag.New("PCC116", p.file, p.span(piece.Start, piece.Inside), "this is text, not a tag: %s", d.Message)
			w.Labels = append(w.Labels, diag.Label{File: p.file, Span: d.Span, Message: "it is no tag because of this"})
			p.orText(w, piece)
			p.report(w)
		}
		return 0, false
	}
	if d.Code == "PCC110" && d.Span.Start != source.Pos(piece.Start) {
		// Another tag opens inside: what is wrong is that this one is not closed.
		open := p.openTag(piece)
		open.Labels = append(open.Labels, diag.Label{File: p.file, Span: d.Span, Message: "another tag opens here"})
		d = open
	}
	if piece.Hard && (d.Code == "PCC101" || d.Code == "PCC003") && p.unclosed(piece, int(d.Span.Start)) {
		open := p.openTag(piece)
		open.Labels = append(open.Labels, diag.Label{File: p.file, Span: d.Span, Message: "what is here is no part of it"})
		d = open
	}
	if d.Code == "PCC102" && d.Span.Start > 0 && strings.IndexByte("-+", p.src[d.Span.Start-1]) >= 0 {
		d.Help = "there is no white-space control here: delete the `" + p.src[d.Span.Start-1:d.Span.Start] + "`; lines that hold only block tags disappear by themselves"
	}
	if !keyword && (d.Code == "PCC101" || d.Code == "PCC003") {
		if e, _ := diag.Lookup(d.Code); d.Help == e.Help {
			p.foreignHelp(d, piece)
		}
		if rest := p.src[d.Span.Start:p.scan.End]; piece.Hard && strings.HasPrefix(rest, p.syn.Close) && !strings.HasPrefix(rest, p.closer(true)) {
			d.WithHelp("what %s opens, %s closes", p.src[piece.Start:piece.Inside], p.closer(true))
		}
	}
	p.orText(d, piece)
	p.report(d)
	return p.resume(piece, max(piece.Inside, int(d.Span.Start))), true
}

// unclosed reports whether a hard tag that cannot be read on at offset from has
// no closing delimiter before the next tag of its width.
func (p *parser) unclosed(piece *lexer.Piece, from int) bool {
	rest := p.src[from:p.scan.End]
	if strings.HasPrefix(rest, p.syn.Close) {
		return false // one is there, and too short
	}
	c, o := strings.Index(rest, p.closer(true)), strings.Index(rest, p.src[piece.Start:piece.Inside])
	return c < 0 || o >= 0 && o < c
}

// longLiteral is the length of tags that are too long to be repeated in a help
// line.
const longLiteral = 60

// orText goes on the help line of a finding about the tag piece with what to write
// where the tag is meant as text.
func (p *parser) orText(d *diag.Diagnostic, piece *lexer.Piece) {
	at := piece.Inside + blanksAt(p.src[piece.Inside:p.scan.End])
	switch p.src[at:letters(p.src[:p.scan.End], at)] {
	case "else", "case", "default": // they are tags in blocks alone
		return
	}
	opener := p.src[piece.Start:piece.Inside]
	switch {
	case d.Code == "PCC901", d.Code == "PCC006", strings.Contains(d.Help, "/"+opener):
		return
	}
	form := p.literal(p.src[piece.Start:min(p.scan.End, piece.Start+longLiteral)], piece.Hard)
	if form == "" {
		form = "/" + opener + " … /" + p.closer(piece.Hard)
	}
	whereText(d, "write "+form)
}

// whereText goes on the help line of d with what to do where text is meant.
func whereText(d *diag.Diagnostic, what string) {
	switch {
	case what == "":
	case d.Help == "":
		d.Help = "where it is text, " + what
	case strings.HasSuffix(d.Help, "?"):
		d.Help += " Where it is text, " + what
	default:
		d.Help += "; where it is text, " + what
	}
}

// inRaw tells to use the raw block of the syntax, "" where it has none.
func (p *parser) inRaw() string {
	if p.syn.Angle && !p.syn.Hard {
		return ""
	}
	hard := p.syn.Angle || !p.syn.Soft
	return "put it into " + p.spell("raw", hard) + " … " + p.spell("/raw", hard)
}

// literal writes the tag that src begins with as a literal group; it is "" where the
// tag ends far away or not at all.
func (p *parser) literal(src string, hard bool) string {
	closer := p.closer(hard)
	n := strings.Index(src, closer)
	w := len(p.syn.Open)
	if hard {
		w *= 2
	}
	if n < w || n >= longLiteral || strings.ContainsAny(src[:n], "\r\n") ||
		strings.Contains(src[w:n], p.syn.Open) { // a tag in a group is read
		return ""
	}
	return "/" + src[:n] + "/" + closer
}

// mayBeText reports whether a malformed tag is text rather than an error.
func (p *parser) mayBeText(piece *lexer.Piece, keyword bool) bool {
	switch {
	case piece.Slash:
		return true // the opener of a literal group
	case p.syn.Angle:
		return !piece.Hard || !keyword
	}
	return !piece.Hard && !keyword
}

// resume finds where to go on after the malformed tag piece: behind its closing
// delimiter if one comes before the next opener, else where it broke off.
func (p *parser) resume(piece *lexer.Piece, from int) int {
	rest := p.src[from:p.scan.End]
	closer, opener := p.closer(piece.Hard), p.src[piece.Start:piece.Inside]
	c := strings.Index(rest, closer)
	o := strings.Index(rest, opener)
	switch {
	case c >= 0 && (o < 0 || c < o):
		return from + c + len(closer)
	case o >= 0:
		return from + o
	}
	return from
}
