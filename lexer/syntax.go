// Package lexer splits template texts into text and tags, and the inside of
// tags into tokens.
//
// What enters: a source.File and a Syntax, the table of delimiters. What
// leaves: pieces (text, literal group marks, comments, tag candidates) from
// Scanner, and tokens from Expr. Nothing is allocated for a piece or a token;
// positions are byte offsets into the file.
package lexer

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Syntax is a table of delimiters: one spelling of the template language.
// Syntaxes are immutable and compared by pointer or by Name.
type Syntax struct {
	Name string
	// Open and Close are the single delimiters, of which comments (Open "#" …
	// "#" Close), literal groups ("/" Open … "/" Close) and, where Hard is set,
	// the doubled delimiters are made.
	Open, Close string
	// Soft says that single delimiters make tags, Hard that doubled ones do.
	Soft, Hard bool
	// Angle selects the rules for life beside XML: a soft <x> with a later </x>
	// is text, closing tags count only while their block is open, and tags that
	// do not parse are text.
	Angle bool
	// Digits says that a hard placeholder of word characters only may begin
	// with a digit: {{0}}.
	Digits bool
	// Jinja marks the one syntax whose text is not read by Scanner.
	Jinja bool
}

// The syntaxes of the language.
var (
	brace       = Syntax{Name: "brace", Open: "{", Close: "}", Soft: true, Hard: true}
	angle       = Syntax{Name: "angle", Open: "<", Close: ">", Soft: true, Hard: true, Angle: true}
	singleBrace = Syntax{Name: "single-brace", Open: "{", Close: "}", Soft: true}
	doubleBrace = Syntax{Name: "double-brace", Open: "{", Close: "}", Hard: true, Digits: true}
	singleAngle = Syntax{Name: "single-angle", Open: "<", Close: ">", Soft: true, Angle: true}
	doubleAngle = Syntax{Name: "double-angle", Open: "<", Close: ">", Hard: true, Angle: true}
	jinja       = Syntax{Name: "jinja", Open: "{", Close: "}", Jinja: true}
)

// all lists the syntaxes in the order in which they are presented.
var all = [...]*Syntax{&brace, &angle, &singleBrace, &doubleBrace, &singleAngle, &doubleAngle, &jinja}

// Brace is {x} and {{ x }}.
func Brace() *Syntax { return &brace }

// Angle is <x> and <<x>>.
func Angle() *Syntax { return &angle }

// SingleBrace is {x} alone.
func SingleBrace() *Syntax { return &singleBrace }

// DoubleBrace is {{x}} alone.
func DoubleBrace() *Syntax { return &doubleBrace }

// SingleAngle is <x> alone.
func SingleAngle() *Syntax { return &singleAngle }

// DoubleAngle is <<x>> alone.
func DoubleAngle() *Syntax { return &doubleAngle }

// Jinja is {{ x }} and {% … %}, with Jinja's own scanner.
func Jinja() *Syntax { return &jinja }

// ByName returns the syntax of that name; "auto" and unknown names give false.
func ByName(name string) (*Syntax, bool) {
	for _, s := range all {
		if s.Name == name {
			return s, true
		}
	}
	return nil, false
}

// Names lists the names that ByName knows, in the order of presentation.
func Names() []string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return names
}

// Custom makes a syntax with soft delimiters of one's own, such as "[[" and
// "]]" or "${" and "}". It fails where they could not be told from text or
// from the inside of a tag.
func Custom(open, closing string) (*Syntax, error) {
	for _, d := range []string{open, closing} {
		if d == "" || len(d) > 16 || !utf8.ValidString(d) {
			return nil, errors.New("a delimiter has 1 to 16 bytes of UTF-8")
		}
		for _, r := range d {
			if r == '_' || r == '.' || r == '/' || r == '#' || r == '"' || r == '\'' || r == '\\' || r == '|' ||
				unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSpace(r) || unicode.IsControl(r) {
				return nil, errors.New("a delimiter holds no letters, digits, blanks, quotes, nor any of _ . / # | \\")
			}
		}
	}
	if open == closing || strings.HasPrefix(open, closing) || strings.HasPrefix(closing, open) {
		return nil, errors.New("the opening and the closing delimiter must differ from their beginning")
	}
	return &Syntax{Name: "custom", Open: open, Close: closing, Soft: true}, nil
}
