package lexer

import "math"

// TokenBytes is what a token inside a tag counts for the nodes that are made of
// it, whatever they are: an operator with its operand takes two.
const TokenBytes = 96

// Budget is the memory that reading and compiling a template may still take, in
// bytes. A nil Budget knows no end.
type Budget struct{ left int64 }

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int64) Budget { return Budget{bytes} }

// Take takes n bytes and reports whether they were left. Once they were not, no
// later ones are.
func (b *Budget) Take(n int64) bool {
	if b == nil {
		return true
	}
	b.left -= n
	return b.left >= 0
}

// Left returns the bytes that are left, less than 0 where there were too few.
func (b *Budget) Left() int64 {
	if b == nil {
		return math.MaxInt64
	}
	return b.left
}

// Spent reports whether there were too few bytes.
func (b *Budget) Spent() bool { return b != nil && b.left < 0 }
