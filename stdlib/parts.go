package stdlib

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// Work on long text goes over it piece by piece (vm.Env.Parts), so that the end
// of the context ends it soon. A function here that breaks off for this reason
// returns whatever it has; the call of the builtin fails. An env of nil is no
// context.

// pieceBytes is how much of a text is worked on at once.
const pieceBytes = 64 << 10

// inPieces applies f, which must not depend on what stands around its text.
func inPieces(f func(string) string) func(*vm.Env, string) string {
	return func(env *vm.Env, s string) string {
		if len(s) <= pieceBytes {
			return f(s)
		}
		return build(env, s, func(b *strings.Builder, part string, _ int) { b.WriteString(f(part)) })
	}
}

// build makes a text of about the length of s of its pieces; at is the offset
// of each.
func build(env *vm.Env, s string, write func(b *strings.Builder, part string, at int)) string {
	var b strings.Builder
	if env.StopError() == nil {
		b.Grow(len(s))
	}
	for p := env.Parts(s); p.Next(); {
		write(&b, p.Text, p.At)
	}
	return b.String()
}

// indexRune is the offset of the first character of which is is true, or -1.
func indexRune(env *vm.Env, s string, is func(rune) bool) int {
	for p := env.Parts(s); p.Next(); {
		if i := strings.IndexFunc(p.Text, is); i >= 0 {
			return p.At + i
		}
	}
	return -1
}

// trimLeft and trimRight are strings.TrimLeftFunc and TrimRightFunc.
func trimLeft(env *vm.Env, s string, in func(rune) bool) string {
	i := indexRune(env, s, func(r rune) bool { return !in(r) })
	if i < 0 {
		return ""
	}
	return s[i:]
}

func trimRight(env *vm.Env, s string, in func(rune) bool) string {
	for s != "" {
		from := max(len(s)-pieceBytes, 0)
		for from > 0 && !utf8.RuneStart(s[from]) {
			from--
		}
		if kept := strings.TrimRightFunc(s[from:], in); kept != "" || env.Stopped() {
			return s[:from+len(kept)]
		}
		s = s[:from]
	}
	return ""
}

// trimFunc trims at both ends as the flags say.
func trimFunc(env *vm.Env, s string, in func(rune) bool, left, right bool) string {
	if left {
		s = trimLeft(env, s, in)
	}
	if right {
		s = trimRight(env, s, in)
	}
	return s
}

// trimSpace trims white space as Python's str.strip knows it. Short runs of
// ASCII, which are nearly all, are looked at here.
func trimSpace(env *vm.Env, s string, left, right bool) string {
	const few = 64
	for n := 0; left && s != "" && n < few && asciiSpace(s[0]); n++ {
		s = s[1:]
	}
	for n := 0; right && s != "" && n < few && asciiSpace(s[len(s)-1]); n++ {
		s = s[:len(s)-1]
	}
	if s == "" {
		return s
	}
	inside := func(c byte) bool { return c > ' ' && c < utf8.RuneSelf }
	return trimFunc(env, s, isSpace, left && !inside(s[0]), right && !inside(s[len(s)-1]))
}

// asciiSpace is isSpace below 0x80.
func asciiSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' || c >= 0x1c && c <= 0x1f }

// countText is strings.Count.
func countText(env *vm.Env, s, sub string) int {
	var pace vm.Pace
	return pace.Count(env, s, sub)
}

// eachLine gives the lines of a text as str.splitlines does, without their line
// breaks unless keepEnds is set.
func eachLine(env *vm.Env, s string, keepEnds bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		var pace vm.Pace
		for start := 0; start < len(s); {
			i, size := start, 0
			for i < len(s) {
				r := rune(s[i])
				if size = 1; r >= utf8.RuneSelf {
					r, size = utf8.DecodeRuneInString(s[i:])
				}
				if pace.Stopped(env, size) {
					return
				}
				if isLineBreak(r) {
					break
				}
				i, size = i+size, 0
			}
			next := i + size
			if size == 1 && s[i] == '\r' && next < len(s) && s[next] == '\n' {
				next++
			}
			end := i
			if keepEnds {
				end = next
			}
			if !yield(s[start:end]) {
				return
			}
			start = next
		}
	}
}

// replaceFirst replaces the first n occurrences of old, of which there are as
// many; an empty text occurs before each character and at the end.
func replaceFirst(env *vm.Env, s, old, repl string, n int) string {
	var b strings.Builder
	b.Grow(len(s) + n*(len(repl)-len(old)))
	var pace vm.Pace
	for i := range n {
		at := 0
		if old != "" {
			if at = pace.Index(env, s, old); at < 0 {
				break
			}
		} else if i > 0 {
			_, at = utf8.DecodeRuneInString(s)
		}
		if pace.Stopped(env, 8+at+len(repl)) {
			break
		}
		if env.Append(&b, s[:at]) || env.Append(&b, repl) {
			break
		}
		s = s[at+len(old):]
	}
	env.Append(&b, s)
	return b.String()
}

// joinWords joins the words of s with single blanks.
func joinWords(env *vm.Env, s string) string {
	inside := false
	return build(env, s, func(b *strings.Builder, part string, _ int) {
		start := 0
		for i, r := range part {
			switch {
			case !isSpace(r):
				if !inside && b.Len() > 0 {
					b.WriteByte(' ')
				}
				if !inside {
					start, inside = i, true
				}
			case inside:
				b.WriteString(part[start:i])
				inside = false
			}
		}
		if inside {
			b.WriteString(part[start:])
		}
	})
}
