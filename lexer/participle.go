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

// Source hands the tokens of an Expr to participle. Positions hold offsets
// only.
type Source struct {
	Expr Expr
	// Bad is the Invalid token that ended the tokens, if one did.
	Bad Token
	// Last is the EOF token that ended them.
	Last Token
}

// Next implements participle's lexer.Lexer.
func (s *Source) Next() (plexer.Token, error) {
	t := s.Expr.Next()
	switch t.Kind {
	case Invalid:
		s.Bad = t
		return plexer.Token{}, ErrInvalid
	case EOF:
		s.Last = t
		return plexer.EOFToken(plexer.Position{Offset: int(t.Start)}), nil
	}
	return plexer.Token{
		Type:  TypeOf(t.Kind),
		Value: s.Expr.Src[t.Start:t.End],
		Pos:   plexer.Position{Offset: int(t.Start)},
	}, nil
}
