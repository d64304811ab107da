package lexer

import (
	"strings"
	"testing"
)

// TestTokens: whatever was read before, productions see the tokens of the tag
// alone, and an EOF behind them.
func TestTokens(t *testing.T) {
	var tokens Tokens
	for _, n := range []int{1, 14, 15, 16, 3, 17, 0, 100, 2} {
		for _, end := range []string{"", "?", "'"} {
			src := strings.Repeat("a ", n) + end
			peek := tokens.Read(Expr{Src: src, End: len(src)})
			for i := range n {
				if tok := peek.Next(); tok.Type != TypeOf(Name) || tok.Value != "a" || tok.Pos.Offset != 2*i {
					t.Fatalf("%q: token %d is %v", src, i, tok)
				}
			}
			if end != "" {
				if tok := peek.Next(); tok.Type != TypeOf(Invalid) || int(tokens.Bad.Start) != 2*n {
					t.Fatalf("%q ends as %v, Bad %v", src, tok, tokens.Bad)
				}
			} else if tokens.Bad != (Token{}) {
				t.Fatalf("%q: Bad is %v", src, tokens.Bad)
			}
			if tok := peek.Next(); !tok.EOF() || int(tokens.Last.Start) != 2*n {
				t.Fatalf("%q ends as %v, Last %v", src, tok, tokens.Last)
			}
		}
	}
	kept := len(tokens.kept)
	tokens.Reset()
	if len(tokens.kept) != kept {
		t.Error("Reset gives the memory of few tokens back")
	}
	for i, tok := range tokens.kept {
		if tok.Value != "" {
			t.Fatalf("token %d holds %q still", i, tok.Value)
		}
	}
	long := strings.Repeat("a ", 5000)
	tokens.Read(Expr{Src: long, End: len(long)})
	if tokens.Reset(); tokens.kept != nil {
		t.Error("Reset keeps the memory of many tokens")
	}
}

// TestTokensAllocate: reading a tag like one before allocates nothing.
func TestTokensAllocate(t *testing.T) {
	var tokens Tokens
	src := strings.Repeat("a + ", 30)
	if n := testing.AllocsPerRun(10, func() { tokens.Read(Expr{Src: src, End: len(src)}) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
