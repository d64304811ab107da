package diag

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// TextOptions controls Text.
type TextOptions struct {
	// Color writes ANSI colours. Whether the output is a terminal and what
	// NO_COLOR says is for the caller to find out.
	Color bool
	// Width is the number of columns of source text that a line shows; longer
	// lines are cut around the span. 0 means 100.
	Width int
}

// ANSI attributes of the parts of a diagnostic.
const (
	styleNone = iota
	styleError
	styleWarning
	styleNote
	styleGutter
	styleBold
)

var ansi = [...]string{"", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m", "\x1b[1;34m", "\x1b[1m"}

// Text writes the list for people: each diagnostic with its message, the place
// and the lines that it speaks of, carets below, and help. At most 4 KiB for
// each diagnostic, colours apart; source text is shown with control characters
// made visible.
func Text(w io.Writer, l List, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = 100
	}
	o.Width = max(o.Width, 20)
	for i, d := range l {
		var out []byte
		for _, plan := range plans {
			r := textRenderer{o: o, severity: int(d.Severity) + styleError, plan: plan}
			r.o.Width = min(o.Width, plan.width)
			r.diagnostic(d)
			out = r.out.Bytes()
			if r.plain <= maxBytes {
				break
			}
		}
		if i > 0 {
			out = append([]byte{'\n'}, out...)
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
	}
	return nil
}

// plan is how much of a diagnostic is shown.
type plan struct {
	width  int  // columns of a source line
	labels int  // labels at most
	beside bool // labels may share the primary place's lines
	trace  int  // entries of the trace at most
}

// plans are tried in turn until the text fits into maxBytes. The last always
// does: four source lines of 60 characters, and texts that are bounded.
var plans = [...]plan{
	{width: 1000, labels: 8, beside: true, trace: 8},
	{width: 100, labels: 8, beside: false, trace: 4},
	{width: 30, labels: 0, beside: false, trace: 2},
}

type textRenderer struct {
	o        TextOptions
	severity int // style of the diagnostic's severity
	gutter   int // digits of the largest line number
	out      bytes.Buffer
	plain    int // bytes written, colours apart
	plan     plan
}

// put writes s in a style.
func (r *textRenderer) put(style int, s string) {
	r.plain += len(s)
	if style == styleNone || !r.o.Color || s == "" {
		r.out.WriteString(s)
		return
	}
	r.out.WriteString(ansi[style])
	r.out.WriteString(s)
	r.out.WriteString("\x1b[0m")
}

func (r *textRenderer) newline() { r.put(styleNone, "\n") }

func (r *textRenderer) diagnostic(d *Diagnostic) {
	head := d.Severity.String()
	if d.Code != "" {
		head += "[" + string(d.Code) + "]"
	}
	r.put(r.severity, head)
	r.put(styleBold, ": "+Shorten(indented(d.Message, "  "), maxMessage))
	r.newline()

	blocks, left := blocksOf(d, r.o.Width, r.plan)
	for _, b := range blocks {
		for _, line := range b.lines {
			r.gutter = max(r.gutter, len(strconv.Itoa(line.number)))
		}
	}
	r.gutter = max(r.gutter, 1)
	tail := r.tail(d)
	for i, b := range blocks {
		if i > 0 {
			// The primary block always fits; the further ones only while the
			// budget lasts.
			probe := textRenderer{o: TextOptions{Width: r.o.Width}, gutter: r.gutter}
			probe.block(b, false)
			if r.plain+probe.plain+tail.plain+64 > maxBytes {
				left += len(blocks) - i
				break
			}
		}
		r.block(b, i == 0)
	}
	if left > 0 {
		r.footer("note", fmt.Sprintf("%d more places are not shown", left), maxHelp)
	}
	r.out.Write(tail.out.Bytes())
	r.plain += tail.plain
}

// tail renders the lines after the snippets.
func (r *textRenderer) tail(d *Diagnostic) *textRenderer {
	t := &textRenderer{o: r.o, severity: r.severity, gutter: r.gutter}
	trace, maxTrace := d.Trace, r.plan.trace
	if len(trace) > maxTrace {
		// The outermost places tell where it began, the innermost what was
		// being done.
		skipped := fmt.Sprintf("… %d more …", len(trace)-maxTrace)
		trace = slices.Concat(trace[:maxTrace/2], []string{skipped}, trace[len(trace)-maxTrace/2:])
	}
	for _, e := range trace {
		t.footer("note", e, maxTraceEntry)
	}
	if d.Note != "" {
		t.footer("note", d.Note, maxNote)
	}
	switch {
	case d.Help != "":
		t.footer("help", d.Help, maxHelp)
	case d.Fix != nil && d.Fix.Replacement != "":
		t.footer("help", "write "+d.Fix.Replacement, maxHelp)
	}
	return t
}

// footer writes a line such as "   = help: text", the text cut to n bytes.
func (r *textRenderer) footer(kind, text string, n int) {
	indent := strings.Repeat(" ", r.gutter+2)
	r.put(styleGutter, indent+"= ")
	r.put(styleBold, kind+":")
	r.put(styleNone, " "+Shorten(indented(text, indent+strings.Repeat(" ", len(kind)+4)), n))
	r.newline()
}

// indented makes s visible but keeps its line breaks, each further line
// indented, so that no text can pass for a diagnostic of its own.
func indented(s, indent string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i := range lines {
		lines[i] = visible(strings.TrimSuffix(lines[i], "\r"))
	}
	return strings.Join(lines, "\n"+indent)
}

// block writes an arrow and the lines of one block.
func (r *textRenderer) block(b block, primary bool) {
	arrow := "::: "
	if primary {
		arrow = "--> "
	}
	r.put(styleGutter, strings.Repeat(" ", r.gutter+1)+arrow)
	r.put(styleNone, fmt.Sprintf("%s:%d:%d", shortenLeft(visible(b.at.file.Name), maxFileName), b.at.start.Line, b.at.start.Column))
	r.newline()
	if len(b.lines) == 0 {
		return
	}
	r.gutterRow()
	r.newline()
	for i, line := range b.lines {
		if i > 0 && line.number > b.lines[i-1].number+1 {
			r.put(styleGutter, "...")
			if b.rail {
				r.put(styleNone, strings.Repeat(" ", max(0, r.gutter+1)))
				if b.lines[i-1].rail != railNone && line.rail != railNone {
					r.put(r.severity, "|")
				}
			}
			r.newline()
		}
		r.line(b, line)
	}
}

// gutterRow writes the gutter of a row that is no source line.
func (r *textRenderer) gutterRow() {
	r.put(styleGutter, strings.Repeat(" ", r.gutter+2)+"|")
}

// blockOrder sorts labels by place, so that their lines come in order.
func blockOrder(a, b mark) int {
	if a.at.span.Start != b.at.span.Start {
		return int(int64(a.at.span.Start) - int64(b.at.span.Start))
	}
	return int(int64(a.at.span.End) - int64(b.at.span.End))
}

// mark is one underlined place.
type mark struct {
	at      place
	primary bool
	text    string
}

// block is a snippet of one file: the marks whose lines are shown together.
type block struct {
	at    place // what the arrow names
	lines []snippetLine
	rail  bool // the primary mark spans several lines: a rail joins them
}

// blocksOf lays out the snippets of d: the primary place with the labels that
// can be shown beside it first, then one block for each further label. left is
// the number of labels beyond those that the plan allows.
func blocksOf(d *Diagnostic, width int, plan plan) (blocks []block, left int) {
	at, ok := placeOf(d.File, d.Span)
	if !ok {
		return nil, 0
	}
	main := []mark{{at: at, primary: true, text: d.SpanLabel}}
	var others []mark
	labels := d.Labels
	if len(labels) > plan.labels {
		left, labels = len(labels)-plan.labels, labels[:plan.labels]
	}
	for _, l := range labels {
		f := l.File
		if f == nil {
			f = d.File
		}
		p, _ := placeOf(f, l.Span)
		m := mark{at: p, text: l.Message}
		if p.file == at.file && plan.beside && besides(m, main, width) {
			main = append(main, m)
		} else {
			others = append(others, m)
		}
	}
	blocks = append(blocks, newBlock(at, main, width))
	for _, m := range others {
		blocks = append(blocks, newBlock(m.at, []mark{m}, width))
	}
	return blocks, left
}

// besides reports whether m can be drawn in a block with the marks: it must
// be near enough on a line that it shares with one of them.
func besides(m mark, marks []mark, width int) bool {
	for _, o := range marks {
		if o.at.start.Line == m.at.start.Line {
			a, b := o.at.start.Column, m.at.start.Column
			if max(a, b)-min(a, b) > width/2 {
				return false
			}
		}
	}
	return true
}

// newBlock lays out the lines of marks of one file.
func newBlock(at place, marks []mark, width int) block {
	slices.SortStableFunc(marks, blockOrder)
	b := block{at: at}
	if at.file.Private {
		return b
	}
	byLine := map[int]*snippetLine{}
	line := func(n int) *snippetLine {
		l := byLine[n]
		if l == nil {
			l = &snippetLine{number: n}
			byLine[n] = l
		}
		return l
	}
	for _, m := range marks {
		first, last := m.at.start.Line, lastLine(m.at)
		switch {
		case first == last:
			l := line(first)
			l.marks = append(l.marks, m)
		case !m.primary:
			// Only the primary mark gets a rail; a label on several lines is
			// drawn to the end of its first: columns cuts it there.
			l := line(first)
			l.marks = append(l.marks, m)
		default:
			b.rail = true
			for n := first; n <= last; n++ {
				if n > first+1 && n < last-1 && last-first > 3 {
					continue
				}
				line(n).rail = railInside
			}
			line(first).rail, line(first).open = railOpen, m
			line(last).rail, line(last).close = railClose, m
		}
	}
	for n := range byLine {
		b.lines = append(b.lines, *byLine[n])
	}
	slices.SortFunc(b.lines, func(x, y snippetLine) int { return x.number - y.number })
	for i := range b.lines {
		b.lines[i].layout(at.file, width)
	}
	return b
}

// lastLine is the line of the last character of p: a span that ends just
// after a line break does not reach into the next line.
func lastLine(p place) int {
	if p.end.Column == 1 && p.span.End > p.span.Start {
		return p.end.Line - 1
	}
	return p.end.Line
}
