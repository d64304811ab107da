package diag

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/pcc-lang/pcc/ast/source"
)

// railKind tells what the rail left of a line of a multi-line mark does.
type railKind uint8

const (
	railNone railKind = iota
	railOpen
	railInside
	railClose
)

// snippetLine is one source line of a block with its marks.
type snippetLine struct {
	number int
	marks  []mark // single-line marks on it, in order
	rail   railKind
	open   mark // railOpen: the mark that begins here
	close  mark // railClose: the mark that ends here

	start source.Pos // of the line in the file
	cells []cell
}

// cell is one character of a source line as it is shown.
type cell struct {
	text  string
	width int        // columns
	tab   bool       // shown as a tab, here and in the rows below
	at    source.Pos // byte offset in the file
	size  int        // bytes in the file
	cut   bool       // stands for what was cut away
}

// layout cuts the line to width columns around what is marked on it.
func (l *snippetLine) layout(f *source.File, width int) {
	text := f.Line(l.number)
	l.start = f.LineStart(l.number)
	end := l.start + source.Pos(len(text))
	// The window is around the primary mark, else the first.
	from, to := l.start, l.start
	switch {
	case l.rail == railOpen:
		from, to = l.open.at.span.Start, l.open.at.span.Start+1
	case l.rail == railClose:
		from, to = l.close.at.span.End, l.close.at.span.End
	case len(l.marks) > 0:
		m := l.marks[0]
		for _, o := range l.marks {
			if o.primary {
				m = o
			}
		}
		from, to = m.at.span.Start, m.at.span.End
	}
	from, to = min(from, end), min(to, end)

	// Bytes first, so that a line of megabytes costs nothing: no more than
	// width characters of 4 bytes each count on either side.
	reach := source.Pos(4 * width)
	lo, hi := l.start, end
	if from-lo > reach {
		lo = from - reach
	}
	if hi-from > 2*reach {
		hi = from + 2*reach
	}
	for n := 1; n < utf8.UTFMax && lo > l.start && lo < from && !utf8.RuneStart(f.Text[lo]); n++ {
		lo++
	}
	cells := cellsOf(f.Text[lo:hi], lo)

	// Then columns: if all does not fit, the mark with some text before it.
	total := 0
	for _, c := range cells {
		total += c.width
	}
	if total <= width && len(cells) <= 2*width && lo == l.start && hi == end {
		l.cells = cells
		return
	}
	first := 0
	for first < len(cells) && cells[first].end() <= from {
		first++
	}
	marked := 0
	for i := first; i < len(cells) && cells[i].at < to; i++ {
		marked += cells[i].width
	}
	before := max(width/5, (width-marked)/2)
	i := first
	for cols := 0; i > 0 && cols+cells[i-1].width <= before && first-i < 2*before; i-- {
		cols += cells[i-1].width
	}
	j, cols := i, 0
	for j < len(cells) && cols+cells[j].width <= width && j-i < 2*width {
		cols += cells[j].width
		j++
	}
	// Room is left at the end: show more of the start.
	for j == len(cells) && hi == end && i > 0 && cols+cells[i-1].width <= width && j-i < 2*width {
		i--
		cols += cells[i].width
	}
	var shown []cell
	if i > 0 || lo > l.start {
		shown = append(shown, cell{text: "…", width: 1, at: l.start, cut: true})
	}
	shown = append(shown, cells[i:j]...)
	if j < len(cells) || hi < end {
		shown = append(shown, cell{text: "…", width: 1, at: end, cut: true})
	}
	l.cells = shown
}

// end is the byte offset behind the cell.
func (c *cell) end() source.Pos { return c.at + source.Pos(c.size) }

// cellsOf splits text, whose first byte is at offset at, into what a terminal
// shows in one place each: characters with their combining marks, emoji that are
// joined. Characters that would not be seen are shown by themselves.
func cellsOf(text string, at source.Pos) []cell {
	cells := make([]cell, 0, len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		c := cell{text: text[i : i+n], at: at + source.Pos(i)}
		if r == '\t' {
			c.tab, c.width = true, 1
		} else if v, ok := visibleRune(r, n, text[i]); ok {
			c.text, c.width = v, utf8.RuneCountInString(v)
		} else if n == 1 && i+1 < len(text) && text[i+1] < utf8.RuneSelf {
			c.width = 1
		} else {
			c.text, c.width = cluster(text[i:])
			n = len(c.text)
		}
		c.size = n
		cells = append(cells, c)
		i += n
	}
	return cells
}

// cluster is the first grapheme cluster of text up to a character that is not
// shown as it is, and its width in columns.
func cluster(text string) (string, int) {
	first, _, width, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	for i, r := range first {
		_, size := utf8.DecodeRuneInString(first[i:])
		if _, ok := visibleRune(r, size, first[i]); i > 0 && ok {
			return first[:i], uniseg.StringWidth(first[:i])
		}
	}
	return first, width
}

// columns returns the column range [a, b) that the offsets [from, to) take in
// the shown line, at least one column wide, and the tabs' columns.
func (l *snippetLine) columns(from, to source.Pos) (a, b int) {
	col, a := 0, -1
	for _, c := range l.cells {
		if c.cut && c.at == l.start {
			// The left cut stands before everything that is shown.
			if from < l.firstShown() {
				a = col
			}
			col += c.width
			continue
		}
		if a < 0 && (c.at >= from || c.end() > from) && c.width > 0 {
			a = col
		}
		if c.at < to {
			b = col + c.width
		}
		col += c.width
	}
	if a < 0 {
		a = col
	}
	return a, max(b, a+1)
}

func (l *snippetLine) firstShown() source.Pos {
	for _, c := range l.cells {
		if !c.cut {
			return c.at
		}
	}
	return l.start
}

// row is a line of marks below a source line, one entry a column.
type row struct {
	chars  []rune
	styles []int
}

func (w *row) set(col int, c rune, style int) {
	for len(w.chars) <= col {
		w.chars = append(w.chars, ' ')
		w.styles = append(w.styles, styleNone)
	}
	w.chars[col], w.styles[col] = c, style
}

// line writes a source line and the rows of marks below it.
func (r *textRenderer) line(b block, l snippetLine) {
	num := strconv.Itoa(l.number)
	r.put(styleGutter, " "+strings.Repeat(" ", r.gutter-len(num))+num+" |")
	var text strings.Builder
	for _, c := range l.cells {
		text.WriteString(c.text)
	}
	atStart := l.rail == railOpen && strings.TrimLeft(l.textBefore(l.open.at.span.Start), " \t") == ""
	if b.rail {
		switch {
		case atStart:
			r.put(styleNone, " ")
			r.put(r.severity, "/")
		case l.rail == railInside || l.rail == railClose:
			r.put(styleNone, " ")
			r.put(r.severity, "|")
		case l.cells != nil:
			r.put(styleNone, "  ")
		}
	}
	if text.Len() > 0 {
		r.put(styleNone, " "+text.String())
	}
	r.newline()

	rail := l.rail == railInside || l.rail == railClose || atStart
	if len(l.marks) > 0 {
		r.marks(b, l, rail)
	}
	if l.rail == railOpen && !atStart {
		r.railRow(l, l.open, l.open.at.span.Start, l.open.at.span.Start+1, " ", "")
	}
	if l.rail == railClose {
		end := l.close.at.span.End
		_, n := utf8.DecodeLastRuneInString(l.textBefore(end))
		r.railRow(l, l.close, end-source.Pos(n), end, "|", l.close.text)
	}
}

// textBefore is the shown line's text before offset p (what was cut away is
// not in it).
func (l *snippetLine) textBefore(p source.Pos) string {
	var b strings.Builder
	for _, c := range l.cells {
		if c.cut || c.at < p {
			b.WriteString(c.text)
		}
	}
	return b.String()
}

// railRow writes the row in which the rail of a multi-line mark turns to its
// first or last character: " ___^" or "|___^ text".
func (r *textRenderer) railRow(l snippetLine, m mark, from, to source.Pos, rail, text string) {
	a, _ := l.columns(from, to)
	var w row
	for col := range a {
		w.set(col, '_', r.severity)
	}
	w.set(a, '^', r.severity)
	r.gutterRow()
	r.put(styleNone, " ")
	if rail == " " {
		r.put(styleNone, rail)
	} else {
		r.put(r.severity, rail)
	}
	r.put(r.severity, "_")
	r.row(l, w, text, r.severity)
}

// marks writes the caret row of single-line marks and hangs their texts below.
func (r *textRenderer) marks(b block, l snippetLine, rail bool) {
	type drawn struct {
		mark
		a, b  int
		style int
	}
	var ds []drawn
	for _, m := range l.marks {
		d := drawn{mark: m, style: styleGutter}
		d.a, d.b = l.columns(m.at.span.Start, min(m.at.span.End, l.start+source.Pos(len(m.at.file.Line(l.number)))))
		if m.primary {
			d.style = r.severity
		}
		ds = append(ds, d)
	}
	var carets row
	for _, primary := range []bool{false, true} { // the primary mark on top
		for _, d := range ds {
			if d.primary != primary {
				continue
			}
			c := '-'
			if primary {
				c = '^'
			}
			for col := d.a; col < d.b; col++ {
				carets.set(col, c, d.style)
			}
		}
	}
	slices.SortStableFunc(ds, func(x, y drawn) int { return x.a - y.a })
	// The text of the mark that ends last stands in the caret row; the others
	// hang below, the rightmost first.
	inline := len(ds) - 1
	for _, d := range ds {
		if d.b > ds[inline].b {
			inline = -1
			break
		}
	}
	text, style := "", styleNone
	if inline >= 0 {
		text, style = ds[inline].text, ds[inline].style
	}
	r.marksGutter(b, rail)
	r.row(l, carets, text, style)
	var hanging []drawn
	for i, d := range ds {
		if i != inline && d.text != "" {
			hanging = append(hanging, d)
		}
	}
	for n := len(hanging); n > 0; n-- {
		var bars row
		for _, d := range hanging[:n] {
			bars.set(d.a, '|', d.style)
		}
		r.marksGutter(b, rail)
		r.row(l, bars, "", styleNone)
		last := hanging[n-1]
		var w row
		for _, d := range hanging[:n-1] {
			if d.a < last.a {
				w.set(d.a, '|', d.style)
			}
		}
		for len(w.chars) < last.a {
			w.set(len(w.chars), ' ', styleNone)
		}
		r.marksGutter(b, rail)
		r.textRow(l, w, last.text, last.style)
	}
}

func (r *textRenderer) marksGutter(b block, rail bool) {
	r.gutterRow()
	if b.rail {
		r.put(styleNone, " ")
		if rail {
			r.put(r.severity, "|")
		} else {
			r.put(styleNone, " ")
		}
	}
	r.put(styleNone, " ")
}

// row writes a row of marks with a text one column after it.
func (r *textRenderer) row(l snippetLine, w row, text string, style int) {
	r.rowChars(l, w)
	if text != "" {
		r.put(style, " "+Shorten(visible(text), maxLabelText))
	}
	r.newline()
}

// textRow writes a row and a text directly after it.
func (r *textRenderer) textRow(l snippetLine, w row, text string, style int) {
	r.rowChars(l, w)
	r.put(style, Shorten(visible(text), maxLabelText))
	r.newline()
}

// rowChars writes a row. Where the source line has a tab, the row has one too,
// so that both advance alike whatever the terminal's tab width; a mark that
// covers nothing but tabs keeps one character before the first of them.
func (r *textRenderer) rowChars(l snippetLine, w row) {
	tabs := map[int]bool{}
	col := 0
	for _, c := range l.cells {
		if c.tab {
			tabs[col] = true
		}
		col += c.width
	}
	for i := 0; i < len(w.chars); {
		j, onlyTabs := i, true
		for j < len(w.chars) && w.styles[j] == w.styles[i] && w.chars[j] == w.chars[i] {
			onlyTabs = onlyTabs && tabs[j]
			j++
		}
		var s strings.Builder
		if onlyTabs && w.chars[i] != ' ' {
			s.WriteRune(w.chars[i])
		}
		for k := i; k < j; k++ {
			switch {
			case !tabs[k]:
				s.WriteRune(w.chars[k])
			case k < len(w.chars)-1 || !onlyTabs || w.chars[i] == ' ':
				s.WriteByte('\t')
			}
		}
		r.put(w.styles[i], s.String())
		i = j
	}
}
