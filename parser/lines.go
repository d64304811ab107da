package parser

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// line is what is known of the current line, for the standalone rule: a line
// that holds only block tags, comments and blanks disappears with its break.
type line struct {
	// clean: only block tags, comments and blanks so far; tagged: at least one
	// of the former two; blocks: at least one block tag.
	clean, tagged, blocks bool
	// blanks are the texts of this line, each with the number of blanks at its
	// end that belong to the line.
	blanks []lineBlank
	// before is the text that ends in the break before this line, where that
	// break is still in a text.
	before *ast.Text
	// under is the include that stands alone on the line before this one.
	under    *ast.Include
	includes []*ast.Include
	// closed: a {/message} stands on the line.
	closed bool
}

type lineBlank struct {
	text *ast.Text
	n    int
}

// tag notes a block tag on the line.
func (l *line) tag() { l.tagged, l.blocks = true, true }

// comment notes a comment on the line.
func (l *line) comment() { l.tagged = true }

// content notes something that is neither a block tag nor a blank.
func (l *line) content() {
	l.clean = false
	l.blanks = l.blanks[:0]
}

// start begins a new line, after the break at the end of before (which may be
// nil: the break is gone).
func (l *line) start(before *ast.Text) {
	l.clean, l.tagged, l.blocks, l.closed = true, false, false, false
	l.before, l.blanks, l.includes = before, l.blanks[:0], l.includes[:0]
	if l.under != nil {
		l.under = nil
	}
}

// end ends the line with the line break brk ("" at the end of the text), and
// drops it if it is a standalone one.
func (l *line) end(p *parser, brk string) {
	if !l.clean || !l.tagged {
		return
	}
	for _, b := range l.blanks {
		cut(b.text, b.n)
		p.needsMerge = p.needsMerge || b.text.Value == ""
	}
	for i, inc := range l.includes {
		inc.Standalone = true
		if i == len(l.includes)-1 {
			inc.LineBreak = brk
		}
	}
	switch {
	case !l.closed:
	case l.before != nil:
		cut(l.before, len(breakAtEnd(l.before.Value)))
		p.needsMerge = p.needsMerge || l.before.Value == ""
	case l.under != nil:
		l.under.DropBreak = true
	}
}

// lastInclude is the include that gives the line its text, nil if there is
// none.
func (l *line) lastInclude() *ast.Include {
	if n := len(l.includes); n > 0 {
		return l.includes[n-1]
	}
	return nil
}

// cut takes n bytes off the end of t.
func cut(t *ast.Text, n int) {
	t.Value = t.Value[:len(t.Value)-n]
	t.End -= source.Pos(n)
}

// breakAtEnd returns the line break that s ends in, "" if there is none.
func breakAtEnd(s string) string {
	switch {
	case strings.HasSuffix(s, "\r\n"):
		return s[len(s)-2:]
	case strings.HasSuffix(s, "\n"):
		return s[len(s)-1:]
	}
	return ""
}

// breakAt returns the line break that s begins with, "" if there is none.
func breakAt(s string) string {
	switch {
	case strings.HasPrefix(s, "\n"):
		return s[:1]
	case strings.HasPrefix(s, "\r\n"):
		return s[:2]
	}
	return ""
}

// blanksAt returns the number of blanks that s begins with.
func blanksAt(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' && s[i] != '\t' {
			return i
		}
	}
	return len(s)
}

// text puts src[start:end] into the body, and keeps account of lines.
func (p *parser) text(start, end int) {
	if start >= end {
		return
	}
	s := p.src[start:end]
	if p.line.clean && p.line.tagged {
		n := blanksAt(s)
		if brk := breakAt(s[n:]); brk != "" {
			p.line.end(p, brk)
			before, under := (*ast.Text)(nil), p.line.lastInclude()
			if !p.line.blocks { // the line was never there: what is before it still is
				before, under = p.line.before, p.line.under
			}
			p.line.start(before)
			p.line.under = under
			start += n + len(brk)
			s = s[n+len(brk):]
		}
	}
	if s == "" {
		return
	}
	t := p.alloc.text(start, end, s)
	p.add(t)
	// What the text ends in says all: what is no blank there makes the line one of
	// content, whichever line of the text it is on.
	tail := len(s)
	for tail > 0 && (s[tail-1] == ' ' || s[tail-1] == '\t') {
		tail--
	}
	switch {
	case tail > 0 && s[tail-1] != '\n':
		p.line.content()
		return
	case tail > 0:
		p.line.start(t)
	}
	if n := len(s) - tail; n > 0 && p.line.clean {
		p.line.blanks = append(p.line.blanks, lineBlank{t, n})
	}
}

// mergeTexts joins adjacent texts and drops empty ones, in all bodies. The depth of
// blocks is limited, so it may recurse.
func mergeTexts(body []ast.Node) []ast.Node {
	out := body[:0]
	for i := 0; i < len(body); i++ {
		t, ok := body[i].(*ast.Text)
		if !ok {
			ast.Bodies(body[i], func(b *[]ast.Node) { *b = mergeTexts(*b) })
			out = append(out, body[i])
			continue
		}
		j := i + 1
		for j < len(body) {
			if _, ok := body[j].(*ast.Text); !ok {
				break
			}
			j++
		}
		if j > i+1 {
			t = join(body[i:j])
			i = j - 1
		}
		if t.Value != "" {
			out = append(out, t)
		}
	}
	clear(body[len(out):])
	return out
}

// join makes one text of several.
func join(texts []ast.Node) *ast.Text {
	n := 0
	for _, t := range texts {
		n += len(t.(*ast.Text).Value)
	}
	var b strings.Builder
	b.Grow(n)
	first := texts[0].(*ast.Text)
	out := &ast.Text{Range: first.Range}
	for _, t := range texts {
		t := t.(*ast.Text)
		b.WriteString(t.Value)
		out.End = max(out.End, t.End)
	}
	out.Value = b.String()
	return out
}
