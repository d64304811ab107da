package workload

import (
	"math/rand/v2"
	"strings"
)

// words hold what prompts hold: plain words, other scripts, and characters
// that engines escape or take for tags when they look at values.
var words = strings.Fields(`the model reads answer question about shipping
order refund policy invoice customer account please summarise compare list
each item carefully because prices vary between regions and seasons over
time while support teams work late é naïve Straße 東京 данные π≈3.14 "quoted"
it's <b>bold</b> a&b {name} {{user}} {%raw%} <|im_end|> $100 50% key=value
C:\temp path/to/file end. Therefore, however; moreover: finally!`)

// prose returns text of at least n bytes, and at most one word more.
func prose(r *rand.Rand, n int) string {
	var b strings.Builder
	b.Grow(n + 24)
	for b.Len() < n {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[r.IntN(len(words))])
	}
	return b.String()
}

// about returns a length within a third of n.
func about(r *rand.Rand, n int) int {
	return n*2/3 + r.IntN(n*2/3+1)
}

// around is prose of about n bytes.
func around(r *rand.Rand, n int) string { return prose(r, about(r, n)) }

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }
