package lexer

import "github.com/pcc-lang/pcc/ast/source"

// Kind is the kind of a token inside a tag.
type Kind uint8

// Kinds of tokens. All syntaxes share them.
const (
	// EOF ends the tokens of a tag: at its closing delimiter or at the end of
	// the range.
	EOF Kind = iota
	// Invalid stands for a character or string that is no token; Expr.Fault
	// tells why.
	Invalid
	Name
	Int
	Float
	String
	Plus
	Minus
	Star
	Slash
	SlashSlash
	Percent
	StarStar
	Tilde
	LParen
	RParen
	LBracket
	RBracket
	LBrace
	RBrace
	EqEq
	NotEq
	Less
	LessEq
	Greater
	GreaterEq
	Assign
	Dot
	Colon
	Comma
	Pipe
	Semicolon
	numKinds
)

// kinds names the kinds: in messages, in grammars, in token dumps.
var kinds = [numKinds]string{
	EOF: "EOF", Invalid: "Invalid", Name: "Name", Int: "Int", Float: "Float", String: "String",
	Plus: "+", Minus: "-", Star: "*", Slash: "/", SlashSlash: "//", Percent: "%", StarStar: "**", Tilde: "~",
	LParen: "(", RParen: ")", LBracket: "[", RBracket: "]", LBrace: "{", RBrace: "}",
	EqEq: "==", NotEq: "!=", Less: "<", LessEq: "<=", Greater: ">", GreaterEq: ">=", Assign: "=",
	Dot: ".", Colon: ":", Comma: ",", Pipe: "|", Semicolon: ";",
}

// String returns the kind's name, or its spelling for punctuation.
func (k Kind) String() string {
	if k < numKinds {
		return kinds[k]
	}
	return "?"
}

// Token is a token inside a tag. Blanks between tokens are not tokens.
type Token struct {
	Kind       Kind
	Start, End source.Pos
}

// Span returns the token's place in the file.
func (t Token) Span() source.Span { return source.Span{Start: t.Start, End: t.End} }
