package fuzz

import (
	"testing"

	"github.com/pcc-lang/pcc/lexer"
)

// FuzzScan: the pieces of a text and the text between them tile the source,
// whatever the parser accepts of them; so do tokens and the blanks between them.
func FuzzScan(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, which byte, src string) {
		syn := pick(which)
		s := lexer.NewScanner(src, 0, len(src), syn)
		s.Watch = which&64 != 0
		last := 0
		for n := 0; ; n++ {
			if n > len(src) {
				t.Fatal("the scanner does not move")
			}
			p := s.Next()
			if p.Run < last || p.Start < p.Run || p.End < p.Start || p.End > len(src) {
				t.Fatalf("piece %+v behind offset %d", p, last)
			}
			last = p.End
			if p.Kind == lexer.EndOfText {
				break
			}
			if want := syn.Open; p.Kind != lexer.CloseDelims && src[p.Run:p.Run+len(want)] != want {
				t.Fatalf("piece %+v does not begin with %q", p, want)
			}
			if p.Kind == lexer.Tag {
				end := tokens(t, src, p.Inside, syn)
				if which&128 != 0 {
					s.Accept(end)
					last = end
				}
			}
		}
	})
}

// tokens reads the tokens from an offset on and returns where they end.
func tokens(t *testing.T, src string, at int, syn *lexer.Syntax) int {
	x := lexer.Expr{Src: src, Pos: at, End: len(src), Close: syn.Close, Limit: 200}
	last := at
	for {
		tok := x.Next()
		if int(tok.Start) < last || tok.End < tok.Start || int(tok.End) > len(src) {
			t.Fatalf("token %+v behind offset %d", tok, last)
		}
		for _, c := range []byte(src[last:tok.Start]) {
			if c != ' ' && (c < '\t' || c > '\r') {
				t.Fatalf("byte %q between tokens", c)
			}
		}
		last = int(tok.End)
		if tok.Kind == lexer.EOF || tok.Kind == lexer.Invalid {
			return last
		}
		if tok.End == tok.Start {
			t.Fatalf("empty token %+v", tok)
		}
	}
}
