package ast

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printJinja writes a template in the Jinja syntax, with Jinja's own
// delimiters. The signs that it puts into tags keep every white-space option
// from changing the text: `{%+` against lstrip_blocks, `+%}` against
// trim_blocks; a line break that ends the template stands in a raw block,
// where keep_trailing_newline does not matter.
func printJinja(t *Template) string {
	p := &jinjaPrinter{}
	if t.Front != nil {
		p.b = append(p.b, "---\n"+t.File.Slice(t.Front.Span)...)
		if p.b[len(p.b)-1] != '\n' {
			p.b = append(p.b, '\n')
		}
		p.b = append(p.b, "---\n"...)
	}
	p.body(t.Body)
	p.flush(true)
	return string(p.b)
}

type jinjaPrinter struct {
	b    []byte
	text strings.Builder // text that is not written yet
	// closer is the closing delimiter of a tag that ends what is written, which
	// takes a `+` if a line break follows.
	closer string
	// blank says that blanks stand before the place, at which a tag takes `+`.
	blank bool
}

func (p *jinjaPrinter) body(nodes []Node) {
	for _, n := range nodes {
		p.node(n)
	}
}

func (p *jinjaPrinter) node(n Node) {
	switch n := n.(type) {
	case *Text:
		p.text.WriteString(n.Value)
	case *Output:
		p.flush(false)
		p.settle("")
		p.b = append(p.b, "{{ "+PrintExpr(n.Expr)+" }}"...)
	case *Comment:
		if n.Text != "" {
			p.comment(strings.ReplaceAll(n.Text, "#}", "# }"))
		}
	case *When:
		p.when(n)
	case *Loop:
		p.loop(n)
	case *Set:
		p.tag("set " + jinjaTarget(&n.Target, true) + " = " + PrintExpr(n.Value))
	case *SetBlock:
		head := "set " + jinjaTarget(&n.Target, true)
		if n.Filter != nil {
			head += "|" + PrintExpr(n.Filter)
		}
		p.block(head, n.Body, "endset")
	case *With:
		parts := make([]string, len(n.Targets))
		for i := range n.Targets {
			parts[i] = jinjaTarget(&n.Targets[i], true) + " = " + PrintExpr(n.Values[i])
		}
		p.block(strings.TrimSpace("with "+strings.Join(parts, ", ")), n.Body, "endwith")
	case *Macro:
		p.block("macro "+n.Name+jinjaParams(n.Params), n.Body, "endmacro")
	case *CallBlock:
		head, call := "call", PrintExpr(n.Call)
		if len(n.Params) > 0 || strings.HasPrefix(call, "(") { // which would be read as the parameters
			head += jinjaParams(n.Params)
		}
		p.block(head+" "+call, n.Body, "endcall")
	case *FilterBlock:
		p.block("filter "+PrintExpr(n.Filter), n.Body, "endfilter")
	case *Block:
		p.block("block "+n.Name+words(n.Scoped, "scoped")+words(n.Required, "required"), n.Body, "endblock")
	case *Autoescape:
		p.block("autoescape "+PrintExpr(n.On), n.Body, "endautoescape")
	case *Generation:
		p.block("generation", n.Body, "endgeneration")
	case *Extends:
		p.tag("extends " + PrintExpr(n.Name))
	case *Include:
		p.tag("include " + PrintExpr(n.Name) + words(n.IgnoreMissing, "ignore missing") + words(n.WithoutContext, "without context"))
	case *Import:
		p.tag("import " + PrintExpr(n.Name) + " as " + n.Alias + words(n.WithContext, "with context"))
	case *FromImport:
		p.fromImport(n)
	case *Do:
		p.tag("do " + PrintExpr(n.Expr))
	case *Break:
		p.tag("break")
	case *Continue:
		p.tag("continue")
	}
}

func words(on bool, s string) string {
	if on {
		return " " + s
	}
	return ""
}

func (p *jinjaPrinter) when(n *When) {
	for i, b := range n.Branches {
		word := "elif "
		if i == 0 {
			word = "if "
		}
		p.tag(word + unconditional(b.Cond))
		p.body(b.Body)
	}
	if n.HasElse {
		p.tag("else")
		p.body(n.Else)
	}
	p.tag("endif")
}

func (p *jinjaPrinter) loop(n *Loop) {
	head := "for " + jinjaTarget(&n.Target, true) + " in " + unconditional(n.Iter)
	if n.Filter != nil {
		head += " if " + PrintExpr(n.Filter)
	}
	p.tag(head + words(n.Recursive, "recursive"))
	p.body(n.Body)
	if n.HasElse {
		p.tag("else")
		p.body(n.Else)
	}
	p.tag("endfor")
}

func (p *jinjaPrinter) fromImport(n *FromImport) {
	names := make([]string, len(n.Names))
	for i, a := range n.Names {
		names[i] = a.Name
		if a.As != a.Name {
			names[i] += " as " + a.As
		}
	}
	context := words(n.WithContext, "with context")
	if len(names) == 0 && context == "" {
		context = " without context" // one of the two must be there
	}
	p.tag("from " + PrintExpr(n.Name) + " import " + strings.Join(names, ", ") + context)
}

// unconditional writes an expression where `a if b` needs parentheses.
func unconditional(e Expr) string {
	var x exprPrinter
	x.expr(e, precOr)
	return x.b.String()
}

func (p *jinjaPrinter) block(head string, body []Node, end string) {
	p.tag(head)
	p.body(body)
	p.tag(end)
}

func (p *jinjaPrinter) tag(inside string) {
	p.flush(false)
	p.b = append(p.b, "{%"...)
	if p.blank {
		p.b = append(p.b, '+')
	}
	p.b = append(p.b, " "+inside+" %}"...)
	p.settle("%}")
}

func (p *jinjaPrinter) comment(text string) {
	p.flush(false)
	p.b = append(p.b, "{#"...)
	if p.blank || strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		p.b = append(p.b, '+')
	}
	p.b = append(p.b, text...)
	if strings.HasSuffix(text, "-") || strings.HasSuffix(text, "+") {
		p.b = append(p.b, "+#}"...)
		p.settle("")
		return
	}
	p.b = append(p.b, "#}"...)
	p.settle("#}")
}

// settle notes what ends the output after a tag.
func (p *jinjaPrinter) settle(closer string) { p.closer, p.blank = closer, false }

// flush writes the text that was collected.
func (p *jinjaPrinter) flush(last bool) {
	s := p.text.String()
	p.text.Reset()
	if s == "" {
		return
	}
	n := len(s)
	if last { // the line break that ends the source may go
		n = len(strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r"))
	}
	if opensJinja(s) || (!last || n < len(s)) && strings.HasSuffix(s[:n], "{") ||
		len(p.b) == 0 && (strings.HasPrefix(s, "---") || strings.HasPrefix(s, "\ufeff")) {
		p.raw(s)
		return
	}
	s, tail := s[:n], s[n:]
	if s != "" {
		if p.closer != "" && (s[0] == '\n' || s[0] == '\r') {
			p.b = append(append(p.b[:len(p.b)-len(p.closer)], '+'), p.closer...)
		}
		p.b = append(p.b, s...)
		p.settle("")
		line := s[strings.LastIndexAny(s, "\n\r")+1:]
		r, _ := utf8.DecodeLastRuneInString(line)
		p.blank = line != "" && (unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f)
	}
	if tail != "" {
		p.raw(tail)
	}
}

// opensJinja reports whether s holds an opening delimiter.
func opensJinja(s string) bool {
	return strings.Contains(s, "{{") || strings.Contains(s, "{%") || strings.Contains(s, "{#")
}

// raw writes text in raw blocks. One that would end a raw block is split.
func (p *jinjaPrinter) raw(s string) {
	if strings.Contains(s, "endraw") {
		s = strings.ReplaceAll(s, "{%", "{{%+ endraw +%}{%+ raw %}%")
	}
	p.b = append(p.b, "{%+ raw %}"+s+"{%+ endraw +%}"...)
	p.settle("")
}

// jinjaTarget writes what is assigned to.
func jinjaTarget(t *Target, outer bool) string {
	switch {
	case t.Attr != "":
		return t.Name + "." + t.Attr
	case !t.List:
		return t.Name
	}
	parts := make([]string, len(t.Items))
	for i := range t.Items {
		parts[i] = jinjaTarget(&t.Items[i], false)
	}
	s := strings.Join(parts, ", ")
	if len(parts) == 1 {
		s += ","
	}
	if outer && len(parts) > 0 {
		return s
	}
	return "(" + s + ")"
}

func jinjaParams(params []Param) string {
	parts := make([]string, len(params))
	for i, q := range params {
		parts[i] = q.Name
		if q.Default != nil {
			parts[i] += "=" + PrintExpr(q.Default)
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
