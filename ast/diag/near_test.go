package diag

import (
	"fmt"
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	for _, tt := range []struct {
		name       string
		candidates string
		want       string
	}{
		{"nmae", "name age", "name"},           // swap of neighbours
		{"nam", "name age", "name"},            // deletion
		{"namee", "name age", "name"},          // insertion
		{"nane", "name age", "name"},           // substitution
		{"userName", "user_name", "user_name"}, // other spelling conventions
		{"user-id", "user_id users", "user_id"},
		{"NAME", "name same", "name"},
		{"customer_nmae", "customer_name customer", "customer_name"},
		{"x", "y z", ""},             // one letter says nothing
		{"x", "X y", "X"},            // but its case does
		{"plan", "name", ""},         // too far
		{"name", "name", ""},         // the same name is no near miss
		{"top_p", "top_k top_p", ""}, // a known name is not misspelt,
		{"top_p", "top_p top_k", ""}, // wherever it is listed
		{"cat", "cot cut", "cot"},    // ties sort
		{"cat", "cut cot", "cot"},
		{"größe", "grösse große", "große"},
		{"", "a", ""},
		{strings.Repeat("a", 65), strings.Repeat("a", 66), ""},
	} {
		got, ok := Near(tt.name, strings.Fields(tt.candidates))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Near(%q, %q) = %q, %v; want %q", tt.name, tt.candidates, got, ok, tt.want)
		}
	}
}

// slowDistance is the textbook definition, without rows or limits.
func slowDistance(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestDistanceAgainstDefinition(t *testing.T) {
	// All words of up to 4 letters over {a, b, c}, against some of them.
	words := []string{""}
	for i := 0; i < len(words); i++ {
		if len(words[i]) < 4 {
			for _, c := range "abc" {
				words = append(words, words[i]+string(c))
			}
		}
	}
	var rows distanceRows
	for i, a := range words {
		for _, b := range words[i%7:] {
			want := slowDistance([]rune(a), []rune(b))
			for limit := range 4 {
				w := min(want, limit+1)
				if got := rows.distance([]rune(a), []rune(b), limit); got != w {
					t.Fatalf("distance(%q, %q, limit %d) = %d, want %d", a, b, limit, got, w)
				}
			}
		}
	}
}

func TestNearIsBounded(t *testing.T) {
	many := make([]string, 0, MaxCandidates+1)
	for range MaxCandidates {
		many = append(many, strings.Repeat("z", 60))
	}
	many = append(many, "name")
	if got, ok := Near("nam", many); ok {
		t.Errorf("Near looked at more than %d candidates and found %q", MaxCandidates, got)
	}
}

// A run compares a bounded number of letters, whichever names it looks for among
// whichever others, and lists none for names that are too long to be near.
func TestNearestIsBounded(t *testing.T) {
	names := func(n, length int, letter string) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint(strings.Repeat(letter, length), i))
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		names  []string
		others []string
	}{
		{"many among many", names(3000, 5, "a"), names(3000, 6, "a")},
		{"long ones", names(3000, 58, "a"), names(3000, 58, "b")},
		{"one among very many", names(3000, 1, "a"), names(1_000_000, 1, "b")},
		{"among long ones", names(3000, 4, "a"), names(3000, 200, "b")},
		{"letters of several bytes", names(3000, 50, "ß"), names(3000, 50, "ö")},
	} {
		var n Nearest
		lists := 0
		for _, name := range tt.names {
			n.Find(name, func() []string { lists++; return tt.others })
		}
		if most := nearMaxWork + listWork*len(tt.others) + 64*65; n.work > most {
			t.Errorf("%s: %d letters are compared, want at most %d", tt.name, n.work, most)
		}
		if most := 1 + nearMaxWork/(listWork*len(tt.others)); lists > most {
			t.Errorf("%s: the candidates are listed %d times, want at most %d", tt.name, lists, most)
		}
		if _, ok := n.Find("name", func() []string { return []string{"nmae"} }); ok {
			t.Errorf("%s: the search goes on", tt.name)
		}
	}
	var n Nearest
	n.Find(strings.Repeat("a.", 100_000), func() []string { t.Error("candidates are listed for a long name"); return nil })
	if got, ok := n.Find("nmae", func() []string { return []string{"name"} }); !ok || got != "name" {
		t.Errorf("%q, %v", got, ok)
	}
}
