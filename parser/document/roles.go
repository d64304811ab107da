package document

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// roleMarkers are the lines that begin a message with `format: roles`.
var roleMarkers = map[string]string{"system:": "system", "user:": "user", "assistant:": "assistant"}

// splitRoles turns the body of t into messages at the marker lines of its own
// text, before any value is known: a value that looks like a marker stays text.
// A message's last line break is dropped.
func (r *reporter) splitRoles(t *ast.Template, body source.Span) {
	if t.Chat {
		return // it has message blocks
	}
	s := roleSplitter{reporter: r, body: body}
	for i, n := range t.Body {
		text, ok := n.(*ast.Text)
		if !ok {
			s.warnInside(n)
			s.add(n)
			continue
		}
		atStart := i == 0 || text.Start > 0 && r.file.Text[text.Start-1] == '\n'
		atEnd := i == len(t.Body)-1
		if next := int(text.End); !atEnd && next > 0 && next <= len(r.file.Text) {
			// A block tag with its line to itself was taken out, break and all.
			_, output := t.Body[i+1].(*ast.Output)
			atEnd = !output && r.file.Text[next-1] == '\n'
		}
		s.text(text, atStart, atEnd)
	}
	s.finish()
	if len(s.messages) == 0 {
		r.report("PCC413", source.Span{Start: body.Start, End: body.Start}, "no line says whose message this is")
		return
	}
	t.Body, t.Chat = s.messages, true
}

type roleSplitter struct {
	*reporter
	body     source.Span
	messages []ast.Node
	current  *ast.Message
	said     bool // a line with a role and a text was reported
	stray    bool // text before the first marker was reported
}

// text goes through the lines of a text node.
func (s *roleSplitter) text(t *ast.Text, atStart, atEnd bool) {
	exact := int(t.End)-int(t.Start) == len(t.Value) // no un-escaping: offsets are one for one
	rest, off := t.Value, 0
	from := 0 // start of the piece that belongs to the current message
	for first := true; rest != ""; first = false {
		line, next := rest, len(rest)
		n := strings.IndexByte(rest, '\n')
		if n >= 0 {
			line, next = rest[:n], n+1
		}
		role, ok := roleMarkers[strings.TrimSuffix(line, "\r")]
		if !ok && exact && (!first || atStart) {
			s.nearMarker(line, t.Start+source.Pos(off))
		}
		if ok && (!first || atStart) && (n >= 0 || atEnd) {
			s.piece(t, exact, from, off)
			at := t.Start
			if exact {
				at += source.Pos(off)
			}
			s.begin(role, source.Span{Start: at, End: at + source.Pos(len(role)) + 1})
			from = off + next
		}
		off += next
		rest = rest[next:]
	}
	s.piece(t, exact, from, len(t.Value))
}

// nearMarker warns of a line that is nearly a marker: in capitals, with blanks, with
// text behind the colon, or of a role that has none. Of lines with text behind the
// colon, which may quote a dialogue, the first is told.
func (s *roleSplitter) nearMarker(line string, at source.Pos) {
	word, rest, ok := strings.Cut(line, ":")
	name := strings.TrimSpace(word)
	role := strings.ToLower(name)
	if !ok || len(word) > longestMarker || !slices.Contains(ast.Roles(), role) {
		return
	}
	said := strings.TrimSpace(rest) != ""
	if said && (s.said || name != role && strings.ToUpper(name[:1])+role[1:] != name) {
		return
	}
	d := s.report("PCC414", source.Span{Start: at, End: at + source.Pos(len(word)) + 1}, "`%s:` begins no message here", name)
	switch _, marks := roleMarkers[role+":"]; {
	case !marks:
		d.Help = "with `format: roles` there are system, user and assistant; write {message " + role + "} … {/message} for others"
	case said:
		s.said = true
		d.Help = "write `" + role + ":` alone on its line and the text below it; if the line is meant as text, write {##} before it"
	default:
		d.Help = "write `" + role + ":`, in small letters and without blanks; if the line is meant as text, write {##} before it"
	}
}

// longestMarker bounds the word before the colon of a near marker, in bytes.
const longestMarker = 40

// piece adds bytes from..to of t's value to the current message.
func (s *roleSplitter) piece(t *ast.Text, exact bool, from, to int) {
	if from >= to {
		return
	}
	n := &ast.Text{Range: t.Range, Value: t.Value[from:to]}
	if exact {
		n.Range = ast.Range{Start: t.Start + source.Pos(from), End: t.Start + source.Pos(to)}
	}
	s.add(n)
}

func (s *roleSplitter) add(n ast.Node) {
	if s.current != nil {
		s.current.Body = append(s.current.Body, n)
		s.current.End = max(s.current.End, n.Span().End)
		return
	}
	if t, ok := n.(*ast.Text); ok && strings.TrimSpace(t.Value) == "" {
		return
	}
	if _, ok := n.(*ast.Comment); ok || s.stray {
		return
	}
	s.stray = true
	s.report("PCC413", n.Span(), "this stands before the first role marker and belongs to no message")
}

func (s *roleSplitter) begin(role string, span source.Span) {
	s.finish()
	s.current = &ast.Message{Range: ast.At(span), Role: &ast.Literal{Range: ast.At(span), Kind: ast.StringLit, Str: role}}
}

// finish closes the current message and drops its last line break.
func (s *roleSplitter) finish() {
	m := s.current
	if m == nil {
		return
	}
	if n := len(m.Body); n > 0 {
		if t, ok := m.Body[n-1].(*ast.Text); ok {
			if v, cut := strings.CutSuffix(t.Value, "\n"); cut {
				t.Value = strings.TrimSuffix(v, "\r")
			}
			if t.Value == "" {
				m.Body = m.Body[:n-1]
			}
		}
	}
	s.messages = append(s.messages, m)
	s.current = nil
}

// warnInside warns of marker lines in the source of a block.
func (s *roleSplitter) warnInside(n ast.Node) {
	switch n.(type) {
	case *ast.When, *ast.Loop, *ast.Switch:
	default:
		return
	}
	span := n.Span()
	off := span.Start
	for _, line := range strings.SplitAfter(s.file.Slice(span), "\n") {
		if role, ok := roleMarkers[strings.TrimRight(line, "\r\n")]; ok && off > span.Start {
			s.report("PCC414", source.Span{Start: off, End: off + source.Pos(len(role)) + 1}, "`%s:` inside a block begins no message", role)
		}
		off += source.Pos(len(line))
	}
}
