package parser_test

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	plexer "github.com/alecthomas/participle/v2/lexer"
)

// The whole language as one grammar, with a production for each level of
// precedence. It is the oracle that the parser is compared with, and the
// grammar in docs/language.md. It is slow, recursive and knows nothing of text that
// looks like tags: it reads the well-formed templates only.
type (
	Template struct {
		Items []*Item `parser:"@@*"`
	}
	Item struct {
		Text     *string   `parser:"  @( Text | Blank )"`
		Comment  *string   `parser:"| @Comment"`
		Raw      *string   `parser:"| @Raw"`
		When     *When     `parser:"| @@"`
		Loop     *Loop     `parser:"| @@"`
		Switch   *Switch   `parser:"| @@"`
		Message  *Message  `parser:"| @@"`
		Messages *Messages `parser:"| @@"`
		Include  *Include  `parser:"| @@"`
		Output   *Output   `parser:"| @@"`
	}
	When struct {
		Cond  *Expr       `parser:"Open 'when' @@ Close"`
		Body  []*Item     `parser:"@@*"`
		Elses []*ElseWhen `parser:"@@*"`
		Else  *Else       `parser:"@@?"`
		End   string      `parser:"Open '/' @'when' Close"`
	}
	ElseWhen struct {
		Cond *Expr   `parser:"Open 'else' 'when' @@ Close"`
		Body []*Item `parser:"@@*"`
	}
	Else struct {
		Word string  `parser:"Open @'else' Close"`
		Body []*Item `parser:"@@*"`
	}
	Loop struct {
		Iter   *Expr   `parser:"Open 'loop' @@"`
		First  *string `parser:"( 'as' @Name"`
		Second *string `parser:"( ',' @Name )? )? Close"`
		Body   []*Item `parser:"@@*"`
		Else   *Else   `parser:"@@?"`
		End    string  `parser:"Open '/' @'loop' Close"`
	}
	Switch struct {
		Subject *Expr    `parser:"Open 'switch' @@ Close"`
		Blank   []string `parser:"@( Blank | Comment )*"`
		Cases   []*Case  `parser:"@@*"`
		Default *Default `parser:"@@?"`
		End     string   `parser:"Open '/' @'switch' Close"`
	}
	Case struct {
		Values []*Expr `parser:"Open 'case' @@ ( ',' @@ )* Close"`
		Body   []*Item `parser:"@@*"`
	}
	Default struct {
		Word string  `parser:"Open @'default' Close"`
		Body []*Item `parser:"@@*"`
	}
	Message struct {
		Role  *Expr       `parser:"Open 'message' @@"`
		Attrs []*KeyValue `parser:"@@* Close"`
		Body  []*Item     `parser:"@@*"`
		End   string      `parser:"Open '/' @'message' Close"`
	}
	Messages struct {
		List *Expr `parser:"Open 'messages' @@ Close"`
	}
	Include struct {
		Name *Expr       `parser:"Open 'include' @@"`
		With []*KeyValue `parser:"( 'with' @@ ( ',' @@ )* )? Close"`
	}
	KeyValue struct {
		Name  string `parser:"@Name '='"`
		Value *Expr  `parser:"@@"`
	}
	Output struct {
		Pos, EndPos plexer.Position
		Expr        *Expr `parser:"Open @@ Close"`
	}

	Expr struct {
		Then *Or   `parser:"@@"`
		If   *Or   `parser:"( 'if' @@"`
		Else *Expr `parser:"( 'else' @@ )? )?"`
	}
	Or struct {
		Parts []*And `parser:"@@ ( 'or' @@ )*"`
	}
	And struct {
		Parts []*Not `parser:"@@ ( 'and' @@ )*"`
	}
	Not struct {
		Not     *Not     `parser:"  'not' @@"`
		Compare *Compare `parser:"| @@"`
	}
	Compare struct {
		X    *Sum        `parser:"@@"`
		Rest []*Relation `parser:"@@*"`
	}
	Relation struct {
		Op string `parser:"@( '==' | '!=' | '<=' | '<' | '>=' | '>' | 'in' | 'not' 'in' )"`
		Y  *Sum   `parser:"@@"`
	}
	Sum struct {
		X    *Concat    `parser:"@@"`
		Rest []*SumRest `parser:"@@*"`
	}
	SumRest struct {
		Op string  `parser:"@( '+' | '-' )"`
		Y  *Concat `parser:"@@"`
	}
	Concat struct {
		Parts []*Product `parser:"@@ ( '~' @@ )*"`
	}
	Product struct {
		X    *Power         `parser:"@@"`
		Rest []*ProductRest `parser:"@@*"`
	}
	ProductRest struct {
		Op string `parser:"@( '*' | '//' | '/' | '%' )"`
		Y  *Power `parser:"@@"`
	}
	Power struct {
		Parts []*Unary `parser:"@@ ( '**' @@ )*"`
	}
	Unary struct {
		X       *Signed    `parser:"@@"`
		Applied []*Applied `parser:"@@*"`
	}
	Applied struct {
		Filter *Filter `parser:"  '|' @@"`
		Test   *Test   `parser:"| 'is' @@"`
		Call   *Args   `parser:"| @@"`
	}
	Filter struct {
		Name string `parser:"@( Name | Word ) ( @'.' @( Name | Word ) )*"`
		Args *Args  `parser:"@@?"`
	}
	Test struct {
		Not  bool     `parser:"@'not'?"`
		Name string   `parser:"@( Name | 'in' | Constant )"`
		Args *Args    `parser:"( @@"`
		Arg  *Operand `parser:"| @@ )?"`
	}
	Operand struct {
		Primary *Bare      `parser:"@@"`
		Postfix []*Postfix `parser:"@@*"`
	}
	Signed struct {
		Op   string  `parser:"( @( '-' | '+' )"`
		X    *Signed `parser:"  @@ )"`
		Term *Term   `parser:"| @@"`
	}
	Term struct {
		Primary *Primary   `parser:"@@"`
		Postfix []*Postfix `parser:"@@*"`
	}
	Postfix struct {
		Attr      *string    `parser:"  '.' ( @( Name | Word | Constant )"`
		Int       *string    `parser:"      | @Int )"`
		Subscript *Subscript `parser:"| '[' @@ ']'"`
		Call      *Args      `parser:"| @@"`
	}
	Subscript struct {
		Index *Expr      `parser:"( @@"`
		Slice *SliceTail `parser:"  @@? )"`
		Open  *SliceTail `parser:"| @@"`
	}
	SliceTail struct {
		Colon string `parser:"@':'"`
		Hi    *Expr  `parser:"@@?"`
		Step  *Step  `parser:"@@?"`
	}
	Step struct {
		Colon string `parser:"@':'"`
		Step  *Expr  `parser:"@@?"`
	}
	Args struct {
		Args []*Arg `parser:"'(' ( @@ ( ',' @@ )* ','? )? ')'"`
	}
	Arg struct {
		Star  string `parser:"( @( '**' | '*' )"`
		Name  string `parser:"| @Name '=' )?"`
		Value *Expr  `parser:"@@"`
	}
	Primary struct {
		Bare  *Bare `parser:"  @@"`
		Paren *Expr `parser:"| '(' @@ ')'"`
	}
	Bare struct {
		Strings  []string `parser:"  @String+"`
		Float    *string  `parser:"| @Float"`
		Int      *string  `parser:"| @Int"`
		Constant *string  `parser:"| @Constant"`
		Name     *string  `parser:"| @Name"`
		List     *List    `parser:"| @@"`
		Dict     *Dict    `parser:"| @@"`
	}
	List struct {
		Open  string  `parser:"@'['"`
		Items []*Expr `parser:"( @@ ( ',' @@ )* ','? )? ']'"`
	}
	Dict struct {
		Open    string   `parser:"@'{'"`
		Entries []*Entry `parser:"( @@ ( ',' @@ )* ','? )? '}'"`
	}
	Entry struct {
		Key   *Expr `parser:"@@ ':'"`
		Value *Expr `parser:"@@"`
	}
)

// oracleLexer cuts a template of the brace syntax into tokens, by regular
// expressions.
type oracleLexer struct{}

var oracleSymbols = []string{"Text", "Blank", "Comment", "Raw", "Open", "Close", "Word", "Constant", "Name", "Float", "Int", "String", "Sign"}

func (oracleLexer) Symbols() map[string]plexer.TokenType {
	m := map[string]plexer.TokenType{"EOF": plexer.EOF}
	for i, s := range oracleSymbols {
		m[s] = plexer.TokenType(-2 - i)
	}
	return m
}

func (d oracleLexer) Lex(_ string, r io.Reader) (plexer.Lexer, error) {
	b, err := io.ReadAll(r)
	return &oracleTokens{src: string(b), symbols: d.Symbols()}, err
}

type oracleTokens struct {
	src     string
	pos     int
	symbols map[string]plexer.TokenType
	// close is the delimiter of the tag that is being read, depth the number
	// of open brackets in it; head says that nothing of it was read yet.
	close string
	depth int
	head  bool
}

var (
	reText    = regexp.MustCompile(`^[^{}/]+`)
	reBlank   = regexp.MustCompile(`^[ \t\r\n]+`)
	reComment = regexp.MustCompile(`^\{#(?:[ \t\r\n][^#]*)?#\}`)
	reOpen    = regexp.MustCompile(`^(?:\{\{|\{)`)
	reHead    = regexp.MustCompile(`^(?:(?:when|loop|switch|message|messages|include|case)[ \t]+(?:["'0-9(\[{A-Za-z_]|[-+][^ \t\r\n])|(?:else|default)[ \t]*\}|else[ \t]+when[ \t])`)
	reName1   = regexp.MustCompile(`^(?:when|loop|switch|message|messages|include|case)[ \t]+(?:(?:and|or|in|is|if)\b|not[ \t\r\n]+in\b)`)
	// reSpread is a keyword that is a name and goes on as its tag might: the
	// productions know no blanks.
	reSpread  = regexp.MustCompile(`^(?:when|loop|switch|message|messages|include|case)[ \t\r\n]*[-+(\[{"'0-9]`)
	reKeyword = regexp.MustCompile(`^(?:else|default)(?:[^A-Za-z0-9_])`)
	reRaw     = regexp.MustCompile(`^(?:\{raw\}|\{\{[ \t]*raw[ \t]*\}\})`)
	reRawEnd  = regexp.MustCompile(`\{[ \t]*/raw[ \t]*\}`)
	reWord    = regexp.MustCompile(`^(?:and|or|not|in|is|if|else|as|with)\b`)
	reConst   = regexp.MustCompile(`^(?:true|True|false|False|none|None|null)\b`)
	reName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	reFloat   = regexp.MustCompile(`^[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)`)
	reInt     = regexp.MustCompile(`^(?:0|[1-9][0-9]*)`)
	reString  = regexp.MustCompile(`^(?:"[^"\\]*"|'[^'\\]*')`)
	reSign    = regexp.MustCompile(`^(?:==|!=|<=|>=|\*\*|//|[-+*/%~()\[\]{}<>=.:,|])`)
)

func (t *oracleTokens) token(kind string, n int) (plexer.Token, error) {
	tok := plexer.Token{Type: t.symbols[kind], Value: t.src[t.pos : t.pos+n], Pos: plexer.Position{Offset: t.pos}}
	t.pos += n
	return tok, nil
}

func (t *oracleTokens) Next() (plexer.Token, error) {
	if t.pos >= len(t.src) {
		if t.close != "" {
			return plexer.Token{}, fmt.Errorf("open tag")
		}
		return plexer.EOFToken(plexer.Position{Offset: t.pos}), nil
	}
	rest := t.src[t.pos:]
	if t.close == "" {
		switch {
		case reComment.MatchString(rest):
			return t.token("Comment", len(reComment.FindString(rest)))
		case rawBlock(rest) > 0:
			return t.token("Raw", rawBlock(rest))
		case reOpen.MatchString(rest):
			n := len(reOpen.FindString(rest))
			blank := reBlank.FindString(rest[n:])
			if n == 1 && blank != "" {
				return plexer.Token{}, fmt.Errorf("a soft tag does not begin with a blank")
			}
			if word := rest[n+len(blank):]; strings.ContainsAny(blank, "\r\n") && (word == "" || word[0] == '/' || reHead.MatchString(word)) {
				return plexer.Token{}, fmt.Errorf("a block's tag does not begin with a line break")
			}
			t.close, t.depth, t.head = strings.Repeat("}", n), 0, true
			return t.token("Open", n)
		case reText.MatchString(rest):
			if n := len(reText.FindString(rest)); len(reBlank.FindString(rest)) == n {
				return t.token("Blank", n)
			} else {
				return t.token("Text", n)
			}
		}
		return plexer.Token{}, fmt.Errorf("a brace or slash in text")
	}
	if blank := reBlank.FindString(rest); blank != "" {
		if t.close == "}" && strings.ContainsAny(blank, "\r\n") {
			return plexer.Token{}, fmt.Errorf("a line break in a soft tag")
		}
		t.pos += len(blank)
		return t.Next()
	}
	head := t.head
	t.head = false
	switch {
	case t.depth == 0 && strings.HasPrefix(rest, t.close):
		n := len(t.close)
		t.close = ""
		return t.token("Close", n)
	case head && rest[0] == '/' && reName.MatchString(rest[1:]):
		behind := rest[1+len(reName.FindString(rest[1:])):]
		if strings.ContainsAny(reBlank.FindString(behind), "\r\n") {
			return plexer.Token{}, fmt.Errorf("a line break in a closing tag")
		}
		t.head = false
		return t.token("Sign", 1)
	case head && rest[0] == '/':
		return plexer.Token{}, fmt.Errorf("a closing tag names its block at once")
	case head && reHead.MatchString(rest) && !reName1.MatchString(rest):
		return t.token("Word", len(reName.FindString(rest)))
	case head && reSpread.MatchString(rest):
		return plexer.Token{}, fmt.Errorf("a name that the grammar takes for a keyword")
	case head && reKeyword.MatchString(rest) && !strings.ContainsAny(rest[len(reName.FindString(rest)):][:1], ".|}"):
		return plexer.Token{}, fmt.Errorf("a keyword that might be a name")
	case reConst.MatchString(rest):
		return t.token("Constant", len(reConst.FindString(rest)))
	case reWord.MatchString(rest):
		return t.token("Word", len(reWord.FindString(rest)))
	case reName.MatchString(rest):
		return t.token("Name", len(reName.FindString(rest)))
	case reFloat.MatchString(rest) && (t.pos == 0 || t.src[t.pos-1] != '.'):
		return t.token("Float", len(reFloat.FindString(rest)))
	case reInt.MatchString(rest):
		return t.token("Int", len(reInt.FindString(rest)))
	case reString.MatchString(rest):
		return t.token("String", len(reString.FindString(rest)))
	case reSign.MatchString(rest):
		n := len(reSign.FindString(rest))
		switch rest[0] {
		case '(', '[', '{':
			t.depth++
		case ')', ']', '}':
			t.depth--
		}
		return t.token("Sign", n)
	}
	return plexer.Token{}, fmt.Errorf("no token")
}

// rawBlock is the length of the raw block that s begins with, 0 if it begins with
// none.
func rawBlock(s string) int {
	open := reRaw.FindString(s)
	if open == "" {
		return 0
	}
	for at := len(open); ; {
		m := reRawEnd.FindStringIndex(s[at:])
		if m == nil {
			return 0
		}
		start, end := at+m[0], at+m[1]
		hard := strings.HasPrefix(s[end:], "}") && s[start-1] == '{'
		if hard && start-1 < len(open) || !hard && strings.ContainsAny(s[start+1:start+2], " \t") {
			hard = false
		}
		switch {
		case hard && strings.HasPrefix(open, "{{"):
			return end + 1
		case !hard && !strings.HasPrefix(open, "{{") && s[start+1] == '/':
			return end
		}
		at = end
	}
}

var oracle = sync.OnceValue(func() *participle.Parser[Template] {
	return participle.MustBuild[Template](participle.Lexer(oracleLexer{}), participle.UseLookahead(64))
})
