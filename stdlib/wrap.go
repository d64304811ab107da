package stdlib

import (
	"strings"
	"unicode"

	"github.com/pcc-lang/pcc/vm"
)

// wrapOptions are those of Python's textwrap.wrap that wordwrap uses; tabs and
// newlines inside a line stay as they are.
type wrapOptions struct {
	width                   int
	breakLong, breakHyphens bool
}

// chunk is an indivisible stretch of a line: a word or a run of blanks.
type chunk struct{ from, to int }

func (c chunk) len() int { return c.to - c.from }

// wrapText is textwrap.wrap for one paragraph.
func wrapText(env *vm.Env, s string, opt wrapOptions) ([]string, error) {
	if err := chargeProduct(env, len(s), 8); err != nil {
		return nil, err
	}
	line := []rune(s)
	chunks := splitChunks(env, line, opt.breakHyphens)
	if err := env.StopError(); err != nil {
		return nil, err
	}
	return wrapChunks(env, line, chunks, opt)
}

func isWrapSpace(r rune) bool {
	return r == ' ' || r >= '\t' && r <= '\r'
}

// splitChunks cuts a line where textwrap would.
func splitChunks(env *vm.Env, line []rune, hyphens bool) []chunk {
	runs := hyphenRuns(env, line)
	var chunks []chunk
	var pace vm.Pace
	for i := 0; i < len(line) && !pace.Stopped(env, 4); {
		j := i + 1
		switch {
		case isWrapSpace(line[i]):
			for j < len(line) && isWrapSpace(line[j]) {
				j++
			}
		case !hyphens:
			for j < len(line) && !isWrapSpace(line[j]) {
				j++
			}
		case isDash(line, runs, i):
			j = runs[i]
		default:
			j = wordEnd(env, &pace, line, runs, i)
		}
		chunks = append(chunks, chunk{i, j})
		i = j
	}
	return chunks
}

// hyphenRuns gives for each hyphen the end of the run that it stands in.
func hyphenRuns(env *vm.Env, line []rune) []int {
	ends := make([]int, len(line))
	var pace vm.Pace
	for i := len(line) - 1; i >= 0 && !pace.Stopped(env, 1); i-- {
		switch {
		case line[i] != '-':
			ends[i] = i
		case i+1 < len(line) && line[i+1] == '-':
			ends[i] = ends[i+1]
		default:
			ends[i] = i + 1
		}
	}
	return ends
}

// isDash reports whether an em dash written as hyphens, between words, begins
// at i.
func isDash(line []rune, runs []int, i int) bool {
	if i == 0 || line[i] != '-' || runs[i]-i < 2 || runs[i] >= len(line) {
		return false
	}
	before := line[i-1]
	return (isWordRune(before) || strings.ContainsRune(`!"'&.,?`, before)) && isWordRune(line[runs[i]])
}

// wordEnd finds the end of the word, possibly of one part of a hyphenated
// word, that begins at i.
func wordEnd(env *vm.Env, pace *vm.Pace, line []rune, runs []int, i int) int {
	letter := func(k int) bool {
		return k >= 0 && k < len(line) && isWordRune(line[k]) && !unicode.Is(unicode.Nd, line[k])
	}
	for j := i + 1; j < len(line); j++ {
		if pace.Stopped(env, 4) {
			break
		}
		if isWrapSpace(line[j]) || isDash(line, runs, j) {
			return j
		}
		if line[j] != '-' {
			continue
		}
		before := letter(j-1) && (letter(j-2) || j >= 2 && line[j-2] == '-' && letter(j-3))
		after := letter(j+1) && (letter(j+2) || j+2 < len(line) && line[j+2] == '-' && letter(j+3))
		if before && after {
			return j + 1
		}
	}
	return len(line)
}

// wrapChunks fills lines with chunks.
func wrapChunks(env *vm.Env, line []rune, chunks []chunk, opt wrapOptions) ([]string, error) {
	var lines []string
	var pace vm.Pace
	blank := func(c chunk) bool {
		for _, r := range line[c.from:c.to] {
			if pace.Stopped(env, 1) || !isSpace(r) {
				return false
			}
		}
		return true
	}
	for len(chunks) > 0 {
		if err := env.Charge(valueSize); err != nil {
			return nil, err
		}
		if len(lines) > 0 && blank(chunks[0]) {
			chunks = chunks[1:]
		}
		var current []chunk
		length := 0
		for len(chunks) > 0 && length+chunks[0].len() <= opt.width {
			current = append(current, chunks[0])
			length += chunks[0].len()
			chunks = chunks[1:]
		}
		if len(chunks) > 0 && chunks[0].len() > opt.width {
			switch {
			case opt.breakLong:
				end := breakPoint(line, chunks[0], opt.width-length, opt.breakHyphens)
				current = append(current, chunk{chunks[0].from, end})
				chunks[0].from = end
			case len(current) == 0:
				current = append(current, chunks[0])
				chunks = chunks[1:]
			}
		}
		if n := len(current); n > 0 && blank(current[n-1]) {
			current = current[:n-1]
		}
		if n := len(current); n > 0 {
			lines = append(lines, string(line[current[0].from:current[n-1].to]))
		}
	}
	return lines, nil
}

// breakPoint says where to break a word that is too long: after space
// characters, or after the last hyphen before that.
func breakPoint(line []rune, c chunk, space int, hyphens bool) int {
	end := c.from + space
	if !hyphens || c.len() <= space {
		return min(end, c.to)
	}
	for h := end - 1; h > c.from; h-- {
		if line[h] != '-' {
			continue
		}
		for k := c.from; k < h; k++ {
			if line[k] != '-' {
				return h + 1
			}
		}
		break
	}
	return end
}
