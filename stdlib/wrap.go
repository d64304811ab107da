package stdlib

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pcc-lang/pcc/internal/size"
	"github.com/pcc-lang/pcc/vm"
)

// wrapOptions are those of Python's textwrap.wrap that wordwrap uses; tabs and
// newlines inside a line stay as they are.
type wrapOptions struct {
	width                   int
	breakLong, breakHyphens bool
}

// chunk is an indivisible stretch of a line: a word or a run of blanks.
type chunk struct{ from, to int32 }

// chunkSize is what a chunk takes in memory.
const chunkSize = 8

func (c chunk) len() int { return int(c.to - c.from) }

// wrapText is textwrap.wrap for one paragraph; put gets the lines.
func wrapText(env *vm.Env, s string, opt wrapOptions, put func(line string) error) error {
	// Its characters, and for each the end of a run of hyphens.
	if err := chargeProduct(env, len(s), 8); err != nil {
		return err
	}
	line := make([]rune, 0, len(s))
	for p := env.Parts(s); p.Next(); {
		for _, r := range p.Text {
			line = append(line, r)
		}
	}
	chunks, err := splitChunks(env, line, opt.breakHyphens)
	if err != nil {
		return err
	}
	return wrapChunks(env, line, chunks, opt, put)
}

func isWrapSpace(r rune) bool {
	return r == ' ' || r >= '\t' && r <= '\r'
}

// splitChunks cuts a line where textwrap would.
func splitChunks(env *vm.Env, line []rune, hyphens bool) ([]chunk, error) {
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
			j = int(runs[i])
		default:
			j = wordEnd(env, &pace, line, runs, i)
		}
		if len(chunks) == cap(chunks) {
			if err := env.Charge(chunkSize * max(2*cap(chunks), 4)); err != nil {
				return nil, err
			}
			chunks = slices.Grow(chunks, max(cap(chunks), 4))
		}
		chunks = append(chunks, chunk{int32(i), int32(j)})
		pace.Stopped(env, j-i)
		i = j
	}
	return chunks, env.StopError()
}

// hyphenRuns gives for each hyphen the end of the run that it stands in.
func hyphenRuns(env *vm.Env, line []rune) []int32 {
	ends := make([]int32, len(line))
	var pace vm.Pace
	for i := len(line) - 1; i >= 0 && !pace.Stopped(env, 1); i-- {
		switch {
		case line[i] != '-':
			ends[i] = int32(i)
		case i+1 < len(line) && line[i+1] == '-':
			ends[i] = ends[i+1]
		default:
			ends[i] = int32(i) + 1
		}
	}
	return ends
}

// isDash reports whether an em dash written as hyphens, between words, begins
// at i.
func isDash(line []rune, runs []int32, i int) bool {
	if i == 0 || line[i] != '-' || int(runs[i])-i < 2 || int(runs[i]) >= len(line) {
		return false
	}
	before := line[i-1]
	return (isWordRune(before) || strings.ContainsRune(`!"'&.,?`, before)) && isWordRune(line[runs[i]])
}

// wordEnd finds the end of the word, possibly of one part of a hyphenated
// word, that begins at i.
func wordEnd(env *vm.Env, pace *vm.Pace, line []rune, runs []int32, i int) int {
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
func wrapChunks(env *vm.Env, line []rune, chunks []chunk, opt wrapOptions, put func(line string) error) error {
	lines := 0
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
		if err := env.Charge(size.Value); err != nil {
			return err
		}
		if lines > 0 && blank(chunks[0]) {
			chunks = chunks[1:]
		}
		// The line is what lies between from and to; last is its last chunk.
		var last chunk
		from, length := int32(-1), 0
		take := func(c chunk) {
			if from < 0 {
				from = c.from
			}
			last = c
		}
		for len(chunks) > 0 && length+chunks[0].len() <= opt.width {
			take(chunks[0])
			length += chunks[0].len()
			chunks = chunks[1:]
			if pace.Stopped(env, chunkSize) {
				return env.StopError()
			}
		}
		if len(chunks) > 0 && chunks[0].len() > opt.width {
			switch {
			case opt.breakLong:
				end := breakPoint(line, chunks[0], opt.width-length, opt.breakHyphens)
				take(chunk{chunks[0].from, end})
				chunks[0].from = end
			case from < 0:
				take(chunks[0])
				chunks = chunks[1:]
			}
		}
		to := last.to
		if from < 0 {
			continue
		}
		if blank(last) {
			to = last.from
		}
		if from < to {
			lines++
			if err := env.Charge(int(to - from)); err != nil {
				return err
			}
			if err := put(string(line[from:to])); err != nil {
				return err
			}
		}
	}
	return nil
}

// breakPoint says where to break a word that is too long: after space
// characters, or after the last hyphen before that.
func breakPoint(line []rune, c chunk, space int, hyphens bool) int32 {
	end := int(c.from) + space
	if !hyphens || c.len() <= space {
		return int32(min(end, int(c.to)))
	}
	for h := end - 1; h > int(c.from); h-- {
		if line[h] != '-' {
			continue
		}
		for k := int(c.from); k < h; k++ {
			if line[k] != '-' {
				return int32(h) + 1
			}
		}
		break
	}
	return int32(end)
}
