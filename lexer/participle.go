package lexer

import (
	"errors"
	"io"
	"strings"

	plexer "github.com/alecthomas/participle/v2/lexer"
)

// ErrInvalid is returned by a token source whose Expr met an Invalid token; the
// Expr tells the fault.
var ErrInvalid = errors.New("invalid token")

// TypeOf returns the token type of participle that stands for k: EOF is
// participle's own, the others count down from -2.
func TypeOf(k Kind) plexer.TokenType {
	if k == EOF {
		return plexer.EOF
	}
	return plexer.TokenType(-1 - int(k))
}

// KindOf is the inverse of TypeOf.
func KindOf(t plexer.TokenType) Kind {
	if t >= plexer.EOF || t < TypeOf(numKinds-1) {
		return EOF
	}
	return Kind(-1 - int(t))
}

// Definition is the token definition that grammars are built with: its symbols
// are the kinds of tokens by name.
type Definition struct{}

// Symbols implements participle's lexer.Definition.
func (Definition) Symbols() map[string]plexer.TokenType {
	m := make(map[string]plexer.TokenType, numKinds)
	for k := EOF; k < numKinds; k++ {
		m[k.String()] = TypeOf(k)
	}
	return m
}

// Lex implements participle's lexer.Definition: it reads all of r as the inside
// of one tag.
func (d Definition) Lex(name string, r io.Reader) (plexer.Lexer, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return d.LexString(name, string(b))
}

// LexString implements participle's lexer.StringDefinition.
func (Definition) LexString(_, src string) (plexer.Lexer, error) {
	return &Source{Expr: Expr{Src: strings.Clone(src), End: len(src)}}, nil
}

// Source hands the tokens of an Expr to participle, until one is Invalid.
type Source struct{ Expr Expr }

// Next implements participle's lexer.Lexer.
func (s *Source) Next() (plexer.Token, error) {
	t := s.Expr.Next()
	if t.Kind == Invalid {
		return plexer.Token{}, ErrInvalid
	}
	return s.Expr.peekable(t), nil
}

// peekable makes a token of participle of t. Its position holds the offset only.
func (x *Expr) peekable(t Token) plexer.Token {
	p := plexer.Token{Type: TypeOf(t.Kind), Pos: plexer.Position{Offset: int(t.Start)}}
	if t.Kind != EOF {
		p.Value = x.Src[t.Start:t.End]
	}
	return p
}

// Tokens hands the tokens of one tag after another to productions of participle,
// in memory that it keeps. The zero Tokens is ready for use.
type Tokens struct {
	// Expr is where the tokens come from; it tells the fault of Bad.
	Expr Expr
	// Bad is the Invalid token that ended the tokens, the zero Token where none did.
	Bad Token
	// Last is the token that ended them.
	Last Token

	peek *plexer.PeekingLexer
	kept []plexer.Token // those of peek
	used int            // how many of them were written
}

// Read reads all tokens of x, up to its end or to an Invalid token, which an EOF
// follows. The result is good until the next Read.
func (t *Tokens) Read(x Expr) *plexer.PeekingLexer {
	t.Expr, t.Bad = x, Token{}
	n := 0
	for {
		if n+1 >= len(t.kept) { // an EOF must have room behind an Invalid
			t.grow(n + 1)
		}
		t.Last = t.Expr.Next()
		t.kept[n] = t.Expr.peekable(t.Last)
		n++
		if t.Last.Kind == Invalid {
			t.Bad = t.Last
			t.Last = Token{EOF, t.Bad.Start, t.Bad.Start}
			t.kept[n] = t.Expr.peekable(t.Last)
			n++
		}
		if t.Last.Kind == EOF {
			break
		}
	}
	t.used = max(t.used, n)
	t.peek.LoadCheckpoint(plexer.Checkpoint{})
	return t.peek
}

// peekedBytes is what making memory for a token of a production takes, with what
// is copied while it grows.
const peekedBytes = 640

// grow makes memory for the tokens that Expr still has, and n more. A PeekingLexer
// makes its own memory, as many tokens as it is given, and shows it as a range of
// them. Where the budget does not reach for all there is room for few more: the
// next token is then the last.
func (t *Tokens) grow(n int) {
	const fewest = 16
	rest, more := t.Expr, 0
	if t.Expr.Budget != nil {
		left := *t.Expr.Budget // the tokens are paid for when they are read
		rest.Budget = &left
	}
	for rest.Next().Kind > Invalid {
		more++
	}
	if size := n + more + 1; size > fewest && !t.Expr.Budget.Take(peekedBytes*int64(size-len(t.kept))) {
		more = 1
	}
	old, size := t.kept, max(fewest, n+more+1)
	blank := blankTokens(size - 1)
	t.peek, _ = plexer.Upgrade(&blank) // these are never an error
	t.kept = t.peek.Range(0, plexer.RawCursor(size))
	copy(t.kept, old)
}

// Reset lets go of the source that the tokens are of; it keeps the memory of few.
func (t *Tokens) Reset() {
	const most = 1 << 10
	if len(t.kept) > most {
		*t = Tokens{}
		return
	}
	clear(t.kept[:t.used])
	t.Expr, t.used = Expr{}, 0
}

// blankTokens is a lexer of so many tokens that are no tokens, and an EOF.
type blankTokens int

// Next implements participle's lexer.Lexer.
func (n *blankTokens) Next() (plexer.Token, error) {
	if *n == 0 {
		return plexer.EOFToken(plexer.Position{}), nil
	}
	*n--
	return plexer.Token{Type: TypeOf(Invalid)}, nil
}
