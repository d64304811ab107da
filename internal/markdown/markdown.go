// Package markdown shows pages of Markdown on a terminal.
//
// It reads what the project's own pages are written in, not all of CommonMark:
// headings with #, paragraphs, lists with * of one level, tables, fenced blocks,
// comments; in a line code, links, and what is strong.
package markdown

import (
	"strings"
	"unicode/utf8"
)

// Options say how a page is shown.
type Options struct {
	// Width is the number of columns; lines of blocks may be longer. Fewer than 20
	// are taken for 20.
	Width int
	// Color marks headings, code and what is strong by escape sequences of ANSI.
	Color bool
	// Link gives the words for the target of a link, which stand behind its text; ""
	// for none. Without it the target itself does.
	Link func(target string) string
}

// styles of text.
type style uint8

const (
	plain style = iota
	strong
	code
	heading
	faint
)

// sequences begin a style on a terminal; sgrEnd ends each.
var sequences = [...]string{plain: "", strong: "\x1b[1m", code: "\x1b[36m", heading: "\x1b[1;4m", faint: "\x1b[2m"}

const sgrEnd = "\x1b[0m"

// Terminal shows a page.
func Terminal(page string, o Options) string {
	o.Width = max(o.Width, 20)
	s := shower{o: o, lines: strings.Split(strings.TrimRight(page, "\n"), "\n")}
	for s.at < len(s.lines) {
		s.block()
	}
	return strings.TrimRight(s.out.String(), "\n") + "\n"
}

type shower struct {
	o     Options
	lines []string
	at    int // the next line
	out   strings.Builder
}

// block shows the block that begins at the next line.
func (s *shower) block() {
	line := s.lines[s.at]
	switch {
	case strings.TrimSpace(line) == "":
		s.at++
	case strings.HasPrefix(line, "<!--") && strings.HasSuffix(strings.TrimSpace(line), "-->"):
		s.at++
	case strings.HasPrefix(line, "```"):
		s.fenced()
	case strings.HasPrefix(line, "#"):
		s.at++
		s.heading(strings.TrimSpace(strings.TrimLeft(line, "#")))
	case strings.HasPrefix(line, "|"):
		begin := s.at
		for s.at < len(s.lines) && strings.HasPrefix(s.lines[s.at], "|") {
			s.at++
		}
		s.table(s.lines[begin:s.at])
		s.out.WriteByte('\n')
	case strings.HasPrefix(line, "* "):
		s.at++
		s.paragraph("* ", "  ", s.text(line[2:], "  "))
		if s.at == len(s.lines) || !strings.HasPrefix(s.lines[s.at], "* ") {
			s.out.WriteByte('\n')
		}
	default:
		s.at++
		s.paragraph("", "", s.text(line, ""))
		s.out.WriteByte('\n')
	}
}

// text is the first line of a paragraph with those that belong to it: up to an empty
// one, or one that begins a block.
func (s *shower) text(first, indent string) string {
	lines := []string{first}
	for ; s.at < len(s.lines); s.at++ {
		line := s.lines[s.at]
		rest, ok := strings.CutPrefix(line, indent)
		if strings.TrimSpace(line) == "" || !ok || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "```") ||
			strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "<!--") {
			break
		}
		lines = append(lines, rest)
	}
	return strings.Join(lines, " ")
}

// heading shows a heading.
func (s *shower) heading(text string) {
	if s.out.Len() > 0 {
		s.out.WriteByte('\n')
	}
	words := s.inline(text, false)
	for i := range words {
		words[i].style = heading
	}
	s.wrapped("", "", words)
	if !s.o.Color {
		s.out.WriteString(strings.Repeat("─", min(lineWidth(words), s.o.Width)) + "\n")
	}
	s.out.WriteByte('\n')
}

// paragraph shows text behind a mark, further lines behind another.
func (s *shower) paragraph(mark, indent, text string) {
	s.wrapped(mark, indent, s.inline(text, !s.o.Color))
}

// fenced shows a block of code, indented, behind the name of a file or what it is.
func (s *shower) fenced() {
	first := s.lines[s.at]
	mark := strings.TrimLeft(first, "`")
	fence := first[:len(first)-len(mark)]
	label := strings.TrimSpace(mark)
	switch name, isFile := strings.CutPrefix(label, "file "); {
	case isFile:
		label = name
	case label == "json":
		label = "data"
	case label == "console", label == "sh", label == "go", label == "ebnf":
		label = ""
	}
	if label != "" {
		s.out.WriteString("  " + s.styled(label+":", faint) + "\n")
	}
	for s.at++; s.at < len(s.lines) && s.lines[s.at] != fence; s.at++ {
		line := s.lines[s.at]
		if line == "" {
			s.out.WriteByte('\n')
			continue
		}
		line = strings.ReplaceAll(line, "\t", "    ")
		if command, ok := strings.CutPrefix(line, "$ "); ok && mark == "console" {
			line = "$ " + s.styled(command, strong)
		}
		s.out.WriteString("    " + line + "\n")
	}
	s.at++
	s.out.WriteByte('\n')
}

func (s *shower) styled(text string, st style) string {
	if !s.o.Color || st == plain || text == "" {
		return text
	}
	return sequences[st] + text + sgrEnd
}

// word is what is not divided at the end of a line, where it fits into one.
type word struct {
	text   string
	style  style
	joined bool // to the word before, without a blank
}

func (w word) width() int { return utf8.RuneCountInString(w.text) }

// inline divides text into words with their styles. Code keeps its quotes where
// quoted is set.
func (s *shower) inline(text string, quoted bool) []word {
	var words []word
	st, blank := plain, true
	add := func(text string, st style) {
		if text == "" {
			return
		}
		words = append(words, word{text, st, !blank})
		blank = false
	}
	for text != "" {
		switch {
		case text[0] == ' ':
			blank, text = true, text[1:]
		case text[0] == '`':
			body := strings.TrimLeft(text, "`")
			ticks := text[:len(text)-len(body)]
			body, rest, ok := strings.Cut(body, ticks)
			if !ok {
				add(text, st)
				return words
			}
			body = strings.TrimSpace(body)
			if quoted {
				body = "`" + body + "`"
			}
			add(body, code)
			text = rest
		case strings.HasPrefix(text, "**"):
			text = text[2:]
			st = strong - st // the one or the other
		case text[0] == '[' && isLink(text):
			label, rest, _ := strings.Cut(text[1:], "](")
			target, rest, _ := strings.Cut(rest, ")")
			for _, w := range s.inline(label, quoted) {
				blank = blank || !w.joined
				add(w.text, max(w.style, st))
			}
			if s.o.Link != nil {
				target = s.o.Link(target)
			}
			if target != "" {
				blank = true
				add("("+target+")", plain)
			}
			text = rest
		default:
			n := strings.IndexAny(text[1:], " `*[") + 1
			if n == 0 {
				n = len(text)
			}
			add(text[:n], st)
			text = text[n:]
		}
	}
	return words
}

// isLink reports whether text begins with a link.
func isLink(text string) bool {
	end := strings.IndexByte(text, ']')
	return end > 0 && strings.HasPrefix(text[end:], "](") && strings.IndexByte(text[end:], ')') > 0
}

// wrapped writes words in lines of the page's width, the first behind a mark, the
// others behind an indent of the same width.
func (s *shower) wrapped(mark, indent string, words []word) {
	for i, line := range wrap(words, s.o.Width-utf8.RuneCountInString(mark)) {
		if i > 0 {
			mark = indent
		}
		s.out.WriteString(mark)
		s.line(line)
		s.out.WriteByte('\n')
	}
}

// line writes the words of a line, those of one style as one text.
func (s *shower) line(words []word) {
	run, st := "", plain
	for i, w := range words {
		blank := ""
		if i > 0 && !w.joined {
			blank = " "
		}
		if i > 0 && w.style != st {
			s.out.WriteString(s.styled(run, st) + blank)
			run, blank = "", ""
		}
		run, st = run+blank+w.text, w.style
	}
	s.out.WriteString(s.styled(run, st))
}

// lineWidth is the width of words in one line.
func lineWidth(words []word) (n int) {
	for i, w := range words {
		if n += w.width(); i > 0 && !w.joined {
			n++
		}
	}
	return n
}

// wrap divides words into lines of at most width columns. Words that are joined stay
// together where they fit into a line.
func wrap(words []word, width int) (lines [][]word) {
	var line []word
	n := 0
	put := func(group []word) {
		wide := widthOf(group)
		gap := 1
		if n == 0 || group[0].joined {
			gap = 0
		}
		if n > 0 && n+gap+wide > width {
			lines, line, n, gap = append(lines, line), nil, 0, 0
		}
		line, n = append(line, group...), n+gap+wide
	}
	for len(words) > 0 {
		k := 1
		for k < len(words) && words[k].joined {
			k++
		}
		if widthOf(words[:k]) <= width {
			put(words[:k])
		} else {
			for _, w := range words[:k] {
				for _, part := range divided(w, width) {
					put([]word{part})
				}
			}
		}
		words = words[k:]
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// widthOf is that of joined words.
func widthOf(group []word) (n int) {
	for _, w := range group {
		n += w.width()
	}
	return n
}

// divided are the parts of a word that is longer than a line, or belongs to one that
// is: at its blanks, which code may have, and else where the line ends.
func divided(w word, width int) (parts []word) {
	joined := w.joined
	for part := range strings.SplitSeq(w.text, " ") {
		for n := utf8.RuneCountInString(part); n > width; n -= width {
			cut := 0
			for range width {
				_, size := utf8.DecodeRuneInString(part[cut:])
				cut += size
			}
			parts = append(parts, word{part[:cut], w.style, joined})
			part, joined = part[cut:], true
		}
		parts = append(parts, word{part, w.style, joined})
		joined = false
	}
	return parts
}
