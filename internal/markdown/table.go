package markdown

import "strings"

// gap is between the columns of a table.
const gap = 2

// Cells are the cells of a line of a table, as they are written: a bar that is part
// of one stands behind a backslash.
func Cells(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	var cells []string
	begin := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++ // and what is behind it
		case '|':
			cells = append(cells, strings.TrimSpace(line[begin:i]))
			begin = i + 1
		}
	}
	return append(cells, strings.TrimSpace(line[begin:]))
}

// table shows the lines of a table: its head, dashes, its rows.
func (s *shower) table(lines []string) {
	var rows [][][]word
	columns := 0
	for i, line := range lines {
		if i == 1 {
			continue // the dashes
		}
		var row [][]word
		for _, c := range Cells(line) {
			row = append(row, s.inline(strings.ReplaceAll(c, `\|`, "|"), false))
		}
		columns = max(columns, len(row))
		rows = append(rows, row)
	}
	widths := columnWidths(rows, columns, s.o.Width-gap*(columns-1))
	wrapped := make([][][][]word, len(rows)) // rows, cells, lines
	apart := false                           // rows of several lines need an empty one between them
	for i, row := range rows {
		for c, words := range row {
			cell := wrap(words, widths[c])
			wrapped[i] = append(wrapped[i], cell)
			apart = apart || i > 0 && len(cell) > 1
		}
	}
	for i, row := range wrapped {
		s.row(row, widths)
		switch {
		case i == 0 && lineWidth(joinedCells(rows[0])) > 0:
			s.rule(widths)
		case i > 0 && apart && i+1 < len(wrapped):
			s.out.WriteByte('\n')
		}
	}
}

// joinedCells are the words of all cells of a row.
func joinedCells(row [][]word) (all []word) {
	for _, c := range row {
		all = append(all, c...)
	}
	return all
}

// row shows the lines of a row.
func (s *shower) row(cells [][][]word, widths []int) {
	height := 0
	for _, c := range cells {
		height = max(height, len(c))
	}
	for i := range height {
		blanks := 0
		for c, cell := range cells {
			n := 0
			if i < len(cell) {
				s.out.WriteString(strings.Repeat(" ", blanks))
				blanks = 0
				s.line(cell[i])
				n = lineWidth(cell[i])
			}
			blanks += widths[c] - n + gap
		}
		s.out.WriteByte('\n')
	}
}

// rule shows the line between the head and the rows.
func (s *shower) rule(widths []int) {
	for c, w := range widths {
		if c > 0 {
			s.out.WriteString(strings.Repeat(" ", gap))
		}
		s.out.WriteString(strings.Repeat("─", w))
	}
	s.out.WriteByte('\n')
}

// columnWidths are the widths of columns that together have room. Where not all fit,
// each gets what its longest word takes, or an equal share, and what is left goes, one
// after the other, to the column in which most text does not fit.
func columnWidths(rows [][][]word, columns, room int) []int {
	widths := make([]int, columns)
	sum := 0
	for c := range widths {
		for _, row := range rows {
			if c < len(row) {
				widths[c] = max(widths[c], lineWidth(row[c]))
			}
		}
		sum += widths[c]
	}
	if sum <= room {
		return widths
	}
	share := max(room/max(columns, 1), 1)
	beyond := make([][]int, columns) // what each cell needs
	for c := range widths {
		longest := 0
		for _, row := range rows {
			if c < len(row) {
				beyond[c] = append(beyond[c], lineWidth(row[c]))
				for _, w := range row[c] {
					for part := range strings.SplitSeq(w.text, " ") {
						longest = max(longest, word{text: part}.width())
					}
				}
			}
		}
		widths[c] = max(min(longest, share), 1)
		room -= widths[c]
	}
	for ; room > 0; room-- {
		most, best := 0, -1
		for c := range beyond {
			over := 0
			for _, n := range beyond[c] {
				over += max(n-widths[c], 0)
			}
			if over > most {
				most, best = over, c
			}
		}
		if best < 0 {
			break
		}
		widths[best]++
	}
	return widths
}
