package diag

import (
	"unicode"
	"unicode/utf8"
)

// Bounds of the near-miss search, so that a hostile set of names costs little:
// names longer than nearMaxRunes are never near, only the first MaxCandidates are
// looked at, and a run does not compare more than nearMaxWork letters, which takes
// some hundredths of a second.
const (
	nearMaxRunes = 64
	nearMaxWork  = 10_000_000
)

// MaxCandidates is the number of names among which a near one is searched.
const MaxCandidates = 20_000

// listWork is what listing a candidate counts as, in letters.
const listWork = 16

// Near returns the candidate that a person who wrote name most likely meant;
// ok is false where none is close, or name is a candidate itself. Spellings that differ only in case, `_` and
// `-` are the nearest; else the distance of Damerau and Levenshtein (an
// insertion, deletion, substitution or swap of neighbours counts one) may be a
// third of the name's length, at least one. Ties go to the candidate that
// sorts first, so the answer does not depend on the order of candidates.
func Near(name string, candidates []string) (best string, ok bool) {
	var n Nearest
	return n.Find(name, func() []string { return candidates })
}

// Nearest looks for near misses for one run, such as a compilation or a render.
// The names of a run, what they may be meant for, how long and how many they are
// may all be hostile: it gives up once it has compared a fixed number of letters.
// The zero value is ready.
type Nearest struct{ work int }

// MayBeNear reports whether a name is short enough to be near another one.
func MayBeNear(name string) bool {
	return name != "" && len(name) <= nearMaxRunes*utf8.UTFMax && utf8.RuneCountInString(name) <= nearMaxRunes
}

// Find is Near among the candidates that known lists; that is not called where
// the search has been given up or no name can be near.
func (n *Nearest) Find(name string, known func() []string) (best string, ok bool) {
	if n.work >= nearMaxWork || !MayBeNear(name) {
		return "", false
	}
	candidates := known()
	n.work += 1 + listWork*len(candidates)
	want := []rune(name)
	limit := max(1, len(want)/3)
	if len(want) == 1 {
		// Any two letters are one substitution apart: only case counts.
		limit = 0
	}
	bestDistance := limit + 1
	var rows distanceRows
	for _, c := range candidates[:min(len(candidates), MaxCandidates)] {
		if c == name {
			return "", false // what is known is not misspelt
		}
		if !MayBeNear(c) {
			continue
		}
		d := 0
		if !sameFolded(c, name) {
			d = limit + 1
			if more := utf8.RuneCountInString(c) - len(want); more <= limit && -more <= limit { // letters put in or left out
				d = max(1, rows.distance(want, []rune(c), min(bestDistance, limit)))
			}
		}
		if n.work += len(c) + rows.letters; n.work >= nearMaxWork {
			return "", false // the answer would depend on the order of candidates
		}
		rows.letters = 0
		if d < bestDistance || (d == bestDistance && ok && c < best) {
			if d > limit {
				continue
			}
			best, bestDistance, ok = c, d, true
		}
	}
	return best, ok
}

// sameFolded reports whether a and b are one name but for what people mix up when
// they write it from memory: case, `_` and `-`.
func sameFolded(a, b string) bool {
	for {
		x, a2 := nextFolded(a)
		y, b2 := nextFolded(b)
		if x != y {
			return false
		}
		if x < 0 {
			return true
		}
		a, b = a2, b2
	}
}

// nextFolded is the first letter of s that counts, in lower case, and what stands
// behind it; it is negative where there is none.
func nextFolded(s string) (r rune, rest string) {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if s = s[n:]; r != '_' && r != '-' {
			return unicode.ToLower(r), s
		}
	}
	return -1, ""
}

// distanceRows are the three rows of the dynamic programme that are alive at a
// time, and the number of letters that it has compared. Names have at most
// nearMaxRunes letters.
type distanceRows struct {
	rows    [3][nearMaxRunes + 1]int16
	letters int
}

// distance is the restricted Damerau-Levenshtein distance (optimal string
// alignment) of a and b, or limit+1 where it is greater than limit.
func (r *distanceRows) distance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	n := len(b) + 1
	prev2, prev, cur := r.rows[0][:n], r.rows[1][:n], r.rows[2][:n]
	for j := range prev {
		prev[j] = int16(j)
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = int16(i)
		least := cur[0]
		for j := 1; j < n; j++ {
			cost := int16(1)
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, prev2[j-2]+1)
			}
			cur[j] = d
			least = min(least, d)
		}
		r.letters += n
		if int(least) > limit {
			return limit + 1
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return min(int(prev[len(b)]), limit+1)
}
