package lexer

import "strings"

// This file finds the openers of tags and comments in a Jinja source.

// find looks for the first opener at or after pos.
func (s *JinjaScanner) find(pos int) (opening, bool) {
	for pos < len(s.src) {
		switch {
		case s.linewise:
		case s.one != 0:
			n := strings.IndexByte(s.src[pos:], s.one)
			if n < 0 {
				return opening{}, false
			}
			pos += n
		default:
			for pos < len(s.src) && s.starts[s.src[pos]/64]&(1<<(s.src[pos]%64)) == 0 {
				pos++
			}
		}
		if op, ok := s.at(pos); ok {
			return op, true
		}
		pos++
	}
	return opening{}, false
}

// at tells which opener begins at pos. The raw tag comes before all others,
// then the longest opener wins.
func (s *JinjaScanner) at(pos int) (opening, bool) {
	if pos >= len(s.src) {
		return opening{}, false
	}
	if s.pairs {
		return s.pairAt(pos)
	}
	if op, ok := s.rawAt(pos); ok {
		return op, true
	}
	for i := range s.openers {
		o, from := &s.openers[i], pos
		switch o.kind {
		case lineStatementOpener:
			if !s.lineStart(pos) {
				continue
			}
			for from < len(s.src) && (s.src[from] == ' ' || s.src[from] == '\t' || s.src[from] == '\v') {
				from++
			}
		case lineCommentOpener:
			if !s.lineStart(pos) && s.spaceBefore(pos) {
				continue
			}
			from = s.skipBlanks(pos)
		}
		if standsAt(s.src, from, o.text) {
			op := opening{start: pos, end: from + len(o.text), kind: o.kind}
			if op.end < len(s.src) && (s.src[op.end] == '-' || s.src[op.end] == '+') {
				op.sign = s.src[op.end]
				op.end++
			}
			return op, true
		}
	}
	return opening{}, false
}

// pairAt is at where all openers are pairs.
func (s *JinjaScanner) pairAt(pos int) (opening, bool) {
	src := s.src
	if pos+1 >= len(src) || src[pos] != s.one {
		return opening{}, false
	}
	for i := range s.openers {
		o := &s.openers[i]
		if src[pos+1] != o.text[1] {
			continue
		}
		if o.kind == blockOpener {
			if op, ok := s.rawAt(pos); ok {
				return op, true
			}
		}
		op := opening{start: pos, end: pos + 2, kind: o.kind}
		if op.end < len(src) && (src[op.end] == '-' || src[op.end] == '+') {
			op.sign = src[op.end]
			op.end++
		}
		return op, true
	}
	return opening{}, false
}

// standsAt reports whether the delimiter d stands in src at pos. Delimiters are
// short.
func standsAt(src string, pos int, d string) bool {
	if len(src)-pos < len(d) {
		return false
	}
	for i := range len(d) {
		if src[pos+i] != d[i] {
			return false
		}
	}
	return true
}

// rawAt matches `{% raw %}`, of which only the forms with `-` have signs.
func (s *JinjaScanner) rawAt(pos int) (opening, bool) {
	if !standsAt(s.src, pos, s.opts.BlockStart) {
		return opening{}, false
	}
	op := opening{start: pos, kind: rawOpener}
	pos += len(s.opts.BlockStart)
	if pos < len(s.src) && (s.src[pos] == '-' || s.src[pos] == '+') {
		op.sign = s.src[pos]
		pos++
	}
	pos = s.skipSpace(pos)
	if !standsAt(s.src, pos, "raw") {
		return opening{}, false
	}
	pos = s.skipSpace(pos + len("raw"))
	switch {
	case strings.HasPrefix(s.src[pos:], "-"+s.opts.BlockEnd):
		op.end = s.skipSpace(pos + 1 + len(s.opts.BlockEnd))
	case strings.HasPrefix(s.src[pos:], s.opts.BlockEnd):
		op.end = pos + len(s.opts.BlockEnd)
	default:
		return opening{}, false
	}
	return op, true
}
