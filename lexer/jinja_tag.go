package lexer

import (
	"strings"

	"github.com/pcc-lang/pcc/ast/source"
)

// This file finds where the tags of a Jinja source end.

// tag makes p the tag or output that op opens.
func (s *JinjaScanner) tag(p *JinjaPiece, op *opening, kind JinjaKind) {
	p.Kind, p.Span, p.Inside = kind, s.span(op.start, op.end), s.span(op.end, op.end)
	p.Closed, p.Broken, p.line = false, false, false
	if p.Text != "" {
		p.Text = ""
	}
}

// Simple reports whether the closer of p begins with no byte that a name, a number,
// a string, a path or a comparison may hold: before it those can be read without
// tokens.
func (s *JinjaScanner) Simple(p *JinjaPiece) bool {
	return !p.line && s.simple[p.Kind-JinjaOutput]
}

func simpleCloser(end string) bool {
	switch c := end[0]; classes[c] {
	case cPunct:
		return strings.IndexByte(".=+-", c) < 0
	case cBad:
		return !isPythonSpace(rune(c))
	}
	return false
}

// EndsAt reports whether the closer of p, which is Simple, stands at offset pos. If
// so, p ends there, and Next goes on behind it.
func (s *JinjaScanner) EndsAt(p *JinjaPiece, pos int) bool {
	at, end, sign := pos, s.ends[p.Kind-JinjaOutput], byte(0)
	if at < len(s.src) && (s.src[at] == '-' || s.src[at] == '+' && p.Kind == JinjaTag) {
		sign = s.src[at]
		at++
	}
	if !standsAt(s.src, at, end) {
		return false
	}
	at += len(end)
	p.Closed, p.Inside.End, p.Span.End = true, source.Pos(pos), source.Pos(at)
	s.pos = s.behind(at, sign, p.Kind == JinjaTag)
	return true
}

// Tokens makes x read the tokens inside p, up to its closer. The closer counts only
// where no bracket is open and a token could begin, so that `}}` may stand in a
// string or end two dicts. A line statement ends with its line, which goes on while
// a bracket is open. x keeps its memory.
func (s *JinjaScanner) Tokens(p *JinjaPiece, x *Expr) {
	*x = Expr{Src: s.src, Pos: int(p.Inside.Start), End: len(s.src), Limit: s.depth, Python: true, brackets: x.brackets[:0]}
	switch {
	case p.line:
		x.Line = true
	case p.Kind == JinjaTag:
		x.Close, x.Signs = s.opts.BlockEnd, "-+"
	default:
		x.Close, x.Signs = s.opts.VariableEnd, "-"
	}
}

// Finish reads the rest of p, of which x has read some tokens. p then tells where it
// ends, and Next goes on behind it; behind a fault, that is the next closer.
func (s *JinjaScanner) Finish(p *JinjaPiece, x *Expr) {
	x.Budget = nil // nothing is made of the rest
	for !x.ended {
		x.Next()
	}
	end := int(x.final.Start)
	p.Inside.End, p.Closed, p.Broken = x.final.Start, x.Closed, x.Fault != NoFault
	s.pos = len(s.src)
	if p.line {
		s.endLine(p, x)
		return
	}
	closer := s.ends[p.Kind-JinjaOutput]
	switch n := strings.Index(s.src[end:], closer); {
	case x.Closed:
		p.Span.End = x.final.End
		s.pos, _ = s.closer(end, closer, p.Kind == JinjaTag)
	case p.Broken && !x.stops() && n >= 0:
		s.pos, _ = s.closer(end+n, closer, p.Kind == JinjaTag)
		p.Closed = true
		p.Span.End = source.Pos(end + n + len(closer))
	default:
		p.Span.End = source.Pos(s.pos)
	}
}

// stops reports whether a fault is that of a limit, behind which nothing is read.
func (x *Expr) stops() bool { return x.Fault == TooDeep || x.Fault == NoMemory }

// endLine ends a line statement. Blank lines that follow belong to it.
func (s *JinjaScanner) endLine(p *JinjaPiece, x *Expr) {
	end := int(x.final.Start)
	p.Span.End = x.final.Start
	switch {
	case x.Closed:
		s.pos = s.lineEnd(end)
	case !p.Broken:
		p.Closed = x.Depth == 0
	default:
		p.Closed = true
		if n := strings.IndexAny(s.src[end:], "\n\r"); n >= 0 && !x.stops() {
			s.pos = s.skipNewline(end + n)
		}
	}
}

// lineEnd returns the end of the last line break in the white space at pos, or
// the source's end where only white space follows.
func (s *JinjaScanner) lineEnd(pos int) int {
	end := s.skipSpace(pos)
	if end == len(s.src) {
		return end
	}
	return pos + strings.LastIndexAny(s.src[pos:end], "\n\r") + 1
}
