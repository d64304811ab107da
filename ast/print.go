package ast

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Spelling is what Print and EscapeText need to know of a syntax: its
// delimiters and which of them make tags.
type Spelling struct {
	Open, Close string
	Soft, Hard  bool
	// HardBlocks says that block tags are written with doubled delimiters:
	// single angle brackets would end at the first `>`.
	HardBlocks bool
}

// spellings are the native syntaxes by name.
var spellings = map[string]Spelling{
	"brace":        {Open: "{", Close: "}", Soft: true, Hard: true},
	"angle":        {Open: "<", Close: ">", Soft: true, Hard: true, HardBlocks: true},
	"single-brace": {Open: "{", Close: "}", Soft: true},
	"double-brace": {Open: "{", Close: "}", Hard: true, HardBlocks: true},
	"single-angle": {Open: "<", Close: ">", Soft: true},
	"double-angle": {Open: "<", Close: ">", Hard: true, HardBlocks: true},
}

// Print writes t as source in its own syntax. Parsing the result gives t again,
// but for positions, empty comments and the split of texts. Nodes that have no
// form in template text (those of documents) are printed as what is inside them.
func Print(t *Template) string {
	if t.Syntax == "jinja" {
		return printJinja(t)
	}
	s, ok := spellings[t.Syntax]
	switch {
	case ok:
	case t.Open != "":
		s = Spelling{Open: t.Open, Close: t.Close, Soft: true}
	default:
		s = spellings["brace"]
	}
	p := &printer{s: s, clean: true}
	if t.Front != nil {
		p.b.WriteString("---\n" + t.File.Slice(t.Front.Span))
		if !strings.HasSuffix(p.b.String(), "\n") {
			p.b.WriteByte('\n')
		}
		p.b.WriteString("---\n")
	}
	p.body(t.Body)
	return p.b.String()
}

// printer writes a template. It keeps the parser's account of the current line,
// since a line that holds only block tags and blanks disappears: what is to be
// kept must not come to stand on such a line.
type printer struct {
	b strings.Builder
	s Spelling
	// clean: the line holds only block tags, comments and blanks so far;
	// tagged: at least one of the former; blank: at least one blank;
	// broken: the line begins behind a line break of the text.
	clean, tagged, blank, broken bool
	// open: the last thing written is text that ends in an opening delimiter.
	open bool
	// under is the include that the line before this one belongs to.
	under *Include
}

func (p *printer) body(nodes []Node) {
	for _, n := range nodes {
		p.node(n)
	}
}

func (p *printer) node(n Node) {
	switch n := n.(type) {
	case *Text:
		p.text(n.Value)
	case *Output:
		p.output(n)
	case *Comment:
		p.mark(p.s.Open+"#"+n.Text+"#"+p.s.Close, false)
	case *When:
		for i, b := range n.Branches {
			word := "when "
			if i > 0 {
				word = "else when "
			}
			p.tag(word + p.expr(b.Cond))
			p.body(b.Body)
		}
		p.otherwise(n.HasElse, "else", n.Else)
		p.tag("/when")
	case *Loop:
		p.tag("loop " + p.loopHead(n))
		p.body(n.Body)
		p.otherwise(n.HasElse, "else", n.Else)
		p.tag("/loop")
	case *Switch:
		p.tag("switch " + p.expr(n.Subject))
		for _, c := range n.Cases {
			p.tag("case " + p.list(c.Values))
			p.body(c.Body)
		}
		p.otherwise(n.HasDefault, "default", n.Default)
		p.tag("/switch")
	case *Message:
		p.tag("message " + p.role(n.Role) + p.attrs(" ", " ", n.Attrs))
		p.body(n.Body)
		p.endMessage()
	case *Messages:
		p.tag("messages " + p.expr(n.List))
	case *Include:
		p.tag("include " + p.expr(n.Name) + p.attrs(" with ", ", ", n.With))
		if n.Standalone && n.LineBreak != "" {
			p.newline(n.LineBreak)
			p.under = n
		}
	default:
		Bodies(n, func(b *[]Node) { p.body(*b) })
	}
}

func (p *printer) otherwise(has bool, word string, body []Node) {
	if has {
		p.tag(word)
		p.body(body)
	}
}

// newline ends the line in a break that is not part of the text.
func (p *printer) newline(brk string) {
	p.b.WriteString(brk)
	p.clean, p.tagged, p.blank, p.broken, p.open, p.under = true, false, false, false, false, nil
}

// text writes literal text.
func (p *printer) text(s string) {
	if s == "" {
		return
	}
	if rest := strings.TrimLeft(s, " \t"); p.clean && p.tagged && !p.blank &&
		(strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r\n")) {
		p.newline("\n")
	}
	if p.open && p.s.opens(s) {
		p.b.WriteString(p.s.empty())
	}
	p.b.WriteString(p.s.escape(s, p.b.Len() == 0, p.lastByte()))
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		p.clean, p.tagged, p.blank, p.broken = true, false, false, true
		s = s[i+1:]
	}
	if strings.Trim(s, " \t") != "" {
		p.clean = false
	} else if s != "" {
		p.blank = true
	}
	p.open = strings.HasSuffix(p.b.String(), p.s.Open)
}

func (p *printer) lastByte() byte {
	if s := p.b.String(); s != "" {
		return s[len(s)-1]
	}
	return 0
}

// mark writes a block tag or comment; soft says that it has single delimiters
// that text before it could double.
func (p *printer) mark(s string, soft bool) {
	p.separate(soft)
	p.b.WriteString(s)
	p.tagged, p.open = true, false
}

// separate writes an empty comment where an opening delimiter at the end of the
// text would join those of a soft tag.
func (p *printer) separate(soft bool) {
	if soft && p.open {
		p.b.WriteString(p.s.empty())
		p.tagged = true
	}
}

// tag writes a block tag.
func (p *printer) tag(inside string) {
	p.mark(p.s.tag(inside), !p.s.HardBlocks)
}

// tag puts delimiters around the inside of a block tag.
func (s Spelling) tag(inside string) string {
	if s.HardBlocks {
		return s.Open + s.Open + inside + s.Close + s.Close
	}
	return s.Open + inside + s.Close
}

// endMessage closes a message. A closing tag that has its line to itself takes
// the line break before it away, so it may have to be given one.
func (p *printer) endMessage() {
	switch {
	case !p.clean || p.blank:
		p.tag("/message")
		return
	case p.tagged || p.broken:
		p.newline("\n")
	case p.under != nil && !p.under.DropBreak:
		p.mark(p.s.empty(), false)
		p.newline("\n")
	}
	p.tag("/message")
	p.newline("\n")
}

func (p *printer) output(n *Output) {
	raw := n.Raw
	soft := n.Soft && p.s.Soft
	if raw == "" {
		x := exprPrinter{close: p.s.Close}
		x.expr(n.Expr, precCond)
		switch {
		case soft:
			raw = p.s.Open + x.b.String() + p.s.Close
		default:
			raw = p.s.Open + p.s.Open + " " + x.b.String() + " " + p.s.Close + p.s.Close
		}
	}
	p.separate(soft)
	p.b.WriteString(raw)
	p.clean, p.open = false, false
}

// expr writes an expression inside a block tag; where the tag ends at a single
// `>`, one that holds such a sign goes in parentheses.
func (p *printer) expr(e Expr) string {
	x := exprPrinter{close: p.s.Close}
	x.expr(e, precCond)
	s := x.b.String()
	if !p.s.HardBlocks && p.s.Close == ">" && strings.Contains(s, ">") {
		return "(" + s + ")"
	}
	return s
}

func (p *printer) list(items []Expr) string {
	var parts []string
	for _, e := range items {
		parts = append(parts, p.expr(e))
	}
	return strings.Join(parts, ", ")
}

func (p *printer) attrs(before, between string, args []Arg) string {
	if len(args) == 0 {
		return ""
	}
	var parts []string
	for _, a := range args {
		parts = append(parts, a.Name+"="+p.expr(a.Value))
	}
	return before + strings.Join(parts, between)
}

func (p *printer) role(e Expr) string {
	if l, ok := e.(*Literal); ok && l.Kind == StringLit && IsRole(l.Str) {
		return l.Str
	}
	return p.expr(e)
}

func (p *printer) loopHead(n *Loop) string {
	head := p.expr(n.Iter)
	switch {
	case n.Mode == LoopBare:
		return head
	case n.Target.List && len(n.Target.Items) == 2:
		return head + " as " + n.Target.Items[0].Name + ", " + n.Target.Items[1].Name
	}
	return head + " as " + n.Target.Name
}

// empty is the comment that prints nothing.
func (s Spelling) empty() string { return s.Open + "##" + s.Close }

// EscapeText returns a template that renders exactly text: an empty comment
// stands between what would otherwise make a mark.
func (s Spelling) EscapeText(text string) string { return s.escape(text, true, 0) }

// escape escapes text that begins the template (head) or stands behind the byte
// before.
func (s Spelling) escape(text string, head bool, before byte) string {
	var b strings.Builder
	if head && (strings.HasPrefix(text, "\ufeff") || strings.HasPrefix(text, "---")) {
		b.WriteString(s.empty())
	}
	for {
		n := strings.Index(text, s.Open)
		if n < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:n])
		if n > 0 {
			before = text[n-1]
		}
		if before == '/' {
			b.WriteString(s.empty())
		}
		b.WriteString(s.Open)
		text, before = text[n+len(s.Open):], 0
		if s.opens(text) {
			b.WriteString(s.empty())
		}
	}
}

// opens reports whether an opening delimiter before text might make a mark.
func (s Spelling) opens(text string) bool {
	if text == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text)
	switch {
	case text[0] == s.Open[0], r == '#', r == '%' && s.Open == "{":
		return true // and so the text holds no two delimiters in a row
	case r == '_', r == '/', unicode.IsLetter(r):
		return s.Soft
	}
	return false
}
