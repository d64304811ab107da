package vm

import (
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/source"
)

// The searches here pay as they go and take time in proportion to both texts.
// Those of package strings compare a long text at every place where its beginning
// occurs, as long as that was seldom so far.

// longPattern is the length from which a text is searched for by twoWay.
const longPattern = 256

// Index is strings.Index. It may break off, see Env.Stopped.
func (p *Pace) Index(e *Env, s, sub string) int {
	if len(sub) > len(s) {
		return -1
	}
	if len(sub) > longPattern {
		return p.twoWay(e, chars{s, false}, chars{sub, false})
	}
	at, window := 0, 4*touchStep
	for {
		n := min(len(s)-at, window+len(sub))
		if i := strings.Index(s[at:at+n], sub); i >= 0 {
			if p.Stopped(e, i+len(sub)) {
				return -1
			}
			return at + i
		}
		if p.Stopped(e, n) || at+n == len(s) {
			return -1
		}
		at += n - len(sub) + 1
		window = min(2*window, bulkStep)
	}
}

// LastIndex is strings.LastIndex. It may break off, see Env.Stopped.
func (p *Pace) LastIndex(e *Env, s, sub string) int {
	if len(sub) > len(s) {
		return -1
	}
	if len(sub) > longPattern {
		if i := p.twoWay(e, chars{s, true}, chars{sub, true}); i >= 0 {
			return len(s) - i - len(sub)
		}
		return -1
	}
	window := 4 * touchStep
	for end := len(s); ; {
		from := max(end-window-len(sub), 0)
		if i := strings.LastIndex(s[from:end], sub); i >= 0 {
			if p.Stopped(e, end-from-i) {
				return -1
			}
			return from + i
		}
		if p.Stopped(e, end-from) || from == 0 {
			return -1
		}
		end = from + len(sub) - 1
		window = min(2*window, bulkStep)
	}
}

// Count is strings.Count. It may break off, see Env.Stopped.
func (p *Pace) Count(e *Env, s, sub string) int {
	switch len(sub) {
	case 0:
		return e.RuneCount(s) + 1
	case 1:
		n := 0
		for len(s) > bulkStep {
			if p.Stopped(e, bulkStep) {
				return n
			}
			n += strings.Count(s[:bulkStep], sub)
			s = s[bulkStep:]
		}
		p.Stopped(e, len(s))
		return n + strings.Count(s, sub)
	}
	for n := 0; ; n++ {
		i := p.Index(e, s, sub)
		if i < 0 {
			return n
		}
		s = s[i+len(sub):]
	}
}

// Equal reports whether two texts are equal. It may break off, see Env.Stopped.
func (p *Pace) Equal(e *Env, a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for len(a) > bulkStep {
		if p.Stopped(e, bulkStep) || a[:bulkStep] != b[:bulkStep] {
			return false
		}
		a, b = a[bulkStep:], b[bulkStep:]
	}
	return !p.Stopped(e, len(a)) && a == b
}

// chars are the bytes of a text, from its end where rev is set.
type chars struct {
	s   string
	rev bool
}

func (c chars) at(i int) byte {
	if c.rev {
		return c.s[len(c.s)-1-i]
	}
	return c.s[i]
}

// twoWay finds x in y by the algorithm of Crochemore and Perrin, "Two-way string
// matching" (1991), which takes linear time and no memory; -1 where it is not.
func (p *Pace) twoWay(e *Env, y, x chars) int {
	n, m := len(y.s), len(x.s)
	cut, period, ok := p.factorize(e, x)
	if !ok {
		return -1
	}
	periodic := true
	for i := range cut {
		if x.at(i) != x.at(i+period) {
			periodic = false
			break
		}
	}
	if !periodic {
		period = max(cut, m-cut) + 1
	}
	known := 0 // bytes of x that are known to match, where x is periodic
	for j := 0; j <= n-m; {
		i := max(cut, known)
		from := i
		for i < m && x.at(i) == y.at(i+j) {
			i++
		}
		if p.Stopped(e, 1+i-from) {
			return -1
		}
		if i < m {
			j += i - cut + 1
			known = 0
			continue
		}
		for i = cut - 1; i >= known && x.at(i) == y.at(i+j); i-- {
		}
		if i < known {
			return j
		}
		if p.Stopped(e, cut-i) {
			return -1
		}
		j += period
		if periodic {
			known = m - period
		}
	}
	return -1
}

// factorize finds where to cut x such that its right part, with the given period,
// tells how far to move on: the later one of the largest suffixes in the order of
// bytes and in its reverse.
func (p *Pace) factorize(e *Env, x chars) (cut, period int, ok bool) {
	cut, period = -1, 1
	for _, down := range []bool{false, true} {
		i, j, k, per := -1, 0, 1, 1
		for j+k < len(x.s) {
			if p.Stopped(e, 1) {
				return 0, 0, false
			}
			a, b := x.at(j+k), x.at(i+k)
			if down {
				a, b = b, a
			}
			switch {
			case a < b:
				j += k
				k, per = 1, j-i
			case a == b && k != per:
				k++
			case a == b:
				j += per
				k = 1
			default:
				i = j
				j++
				k, per = 1, 1
			}
		}
		if i >= cut {
			cut, period = i, per
		}
	}
	return cut + 1, period, true
}

// runeBlock is how much of a text is counted at once to find a code point.
const runeBlock = 4 << 10

// runeWork is how many times as long counting the code points of a text takes as
// what bulk work does with a byte otherwise.
const runeWork = 16

// RuneCount is utf8.RuneCountInString. It may break off, see Stopped.
func (e *Env) RuneCount(s string) int {
	if len(s) < touchStep {
		return utf8.RuneCountInString(s)
	}
	n := 0
	for p := e.Parts(s); p.Next(); {
		n += utf8.RuneCountInString(p.Text)
	}
	return n
}

// CutRunes returns the first n code points of s and the rest, paying for what it
// walks over. It may break off, see Stopped.
func (e *Env) CutRunes(s string, n int) (head, tail string) {
	if n <= 0 {
		return "", s
	}
	if n >= len(s) {
		return s, ""
	}
	var pace Pace
	from := 0
	for n > runeBlock && len(s)-from > runeBlock { // counting is faster than walking
		k := cutBefore(s[from:], runeBlock)
		n -= utf8.RuneCountInString(s[from : from+k])
		from += k
		if pace.Stopped(e, runeWork*k) {
			return s, ""
		}
	}
	rest := s[from:]
	if n <= len(rest) && source.IsASCII(rest[:n]) {
		return s[:from+n], s[from+n:]
	}
	for i := range rest {
		if n == 0 {
			pace.Stopped(e, runeWork*i)
			return s[:from+i], s[from+i:]
		}
		n--
	}
	return s, ""
}

// codePoint returns code point i of s, negative from the end, paying for what it
// walks over.
func (e *Env) codePoint(s string, i int64) (c string, ok bool, err error) {
	if i >= int64(len(s)) || i < -int64(len(s)) {
		return "", false, nil
	}
	if i >= 0 {
		_, s = e.CutRunes(s, int(i))
		_, size := utf8.DecodeRuneInString(s)
		return s[:size], s != "", e.StopError()
	}
	var pace Pace
	n := int(-i) // the n-th from the end
	for len(s) > runeBlock {
		from := cutBefore(s, len(s)-runeBlock)
		k := utf8.RuneCountInString(s[from:])
		if k >= n {
			break
		}
		if pace.Stopped(e, runeWork*(len(s)-from)) {
			return "", false, e.StopError()
		}
		s, n = s[:from], n-k
	}
	for ; s != ""; n-- {
		_, size := utf8.DecodeLastRuneInString(s)
		if n == 1 {
			return s[len(s)-size:], true, nil
		}
		s = s[:len(s)-size]
	}
	return "", false, nil
}
