package parser

import "testing"

// TestKeywords: the switch over words and the table of rules are of one mind.
func TestKeywords(t *testing.T) {
	if keywords[noKeyword] != (keywordRule{}) || keywordOf("whenever") != noKeyword || keywordOf("") != noKeyword {
		t.Error("what is no keyword has a rule")
	}
	for k := noKeyword + 1; int(k) < len(keywords); k++ {
		rule := keywords[k]
		if got := keywordOf(rule.word); got != k {
			t.Errorf("keywordOf(%q) is %d, want %d", rule.word, got, k)
		}
		if rule.usage == "" {
			t.Errorf("%s has no usage", rule.word)
		}
		if rule.block != noBlock && (rule.block.word() != rule.word || blockOf(rule.word) != rule.block) {
			t.Errorf("%s opens a block of %s", rule.word, rule.block.word())
		}
	}
	if got := len(anywhereWords()); got != 6 {
		t.Errorf("%d keywords may stand anywhere: %v", got, anywhereWords())
	}
}
