package lexer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/fuzz/growth"
)

// finish reads the inside of p where it is a tag. It returns the code of what is
// wrong with it, and the place.
func finish(s *JinjaScanner, p *JinjaPiece, x *Expr) string {
	if p.Kind != JinjaOutput && p.Kind != JinjaTag {
		return ""
	}
	s.Tokens(p, x)
	s.Finish(p, x)
	if x.Fault == NoFault {
		return ""
	}
	codes := map[Fault]string{OpenString: "PCC053", BadBracket: "PCC054", TooDeep: "PCC901"}
	code := codes[x.Fault]
	if code == "" {
		code = "PCC055"
	}
	return fmt.Sprintf("%s %d", code, x.Pos)
}

// scanJinja writes one line a piece: kind and text or inside, quoted.
func scanJinja(src string, o JinjaOptions) (lines []string) {
	s := NewJinjaScanner(source.New("t", src), source.Span{}, o, 200, func(d *diag.Diagnostic) {
		lines = append(lines, fmt.Sprintf("%s %d", d.Code, d.Span.Start))
	})
	names := [...]string{"eof", "text", "out", "tag", "comment"}
	var x Expr
	for {
		p := s.Next()
		if fault := finish(s, &p, &x); fault != "" {
			lines = append(lines, fault)
		}
		switch p.Kind {
		case JinjaEOF:
			return lines
		case JinjaText, JinjaComment:
			lines = append(lines, fmt.Sprintf("%s %q", names[p.Kind], p.Text))
		default:
			line := fmt.Sprintf("%s %q", names[p.Kind], src[p.Inside.Start:p.Inside.End])
			if !p.Closed {
				line += " open"
			}
			lines = append(lines, line)
		}
	}
}

func TestJinjaScanner(t *testing.T) {
	both := JinjaOptions{TrimBlocks: true, LstripBlocks: true}
	trim := JinjaOptions{TrimBlocks: true}
	lstrip := JinjaOptions{LstripBlocks: true}
	lines := JinjaOptions{LineStatementPrefix: "#", LineCommentPrefix: "##"}
	erb := JinjaOptions{BlockStart: "<%", BlockEnd: "%>", VariableStart: "<%=", VariableEnd: "%>",
		CommentStart: "<%#", CommentEnd: "%>"}
	for _, c := range []struct {
		name string
		opts JinjaOptions
		src  string
		want string
	}{
		{"plain", JinjaOptions{}, "a {{ b }} c", `text "a "; out " b "; text " c"`},
		{"single braces are text", JinjaOptions{}, "{ } %} }} #}", `text "{ } %} }} #}"`},
		{"trailing newline goes once", JinjaOptions{}, "a\n\n", `text "a\n"`},
		{"trailing CRLF goes once", JinjaOptions{}, "a\r\n\r\n", `text "a\n"`},
		{"trailing newline kept", JinjaOptions{KeepTrailingNewline: true}, "a\n", `text "a\n"`},
		{"nothing but a newline", JinjaOptions{}, "\n", ""},
		{"line breaks", JinjaOptions{}, "a\r\nb\rc\nd", `text "a\nb\nc\nd"`},
		{"newline sequence", JinjaOptions{NewlineSequence: "\r\n"}, "a\r\nb\rc\nd", `text "a\r\nb\r\nc\r\nd"`},
		{"braces nest", JinjaOptions{}, "{{ {'a':{'b':1}} }}", `out " {'a':{'b':1}} "`},
		{"braces nest at once", JinjaOptions{}, "{{{'a':1}}}", `out "{'a':1}"`},
		{"closer in a string", JinjaOptions{}, "{{ '}}' ~ \"\\\"}}\" }}", `out " '}}' ~ \"\\\"}}\" "`},
		{"minus is a sign", JinjaOptions{}, "a {{-1}}", `text "a"; out "1"`},
		{"two minuses", JinjaOptions{}, "a {{--1 -}} b", `text "a"; out "-1 "; text "b"`},
		{"strip all", JinjaOptions{}, "a \n\u00a0{%- x -%}\u2028 b", `text "a"; tag " x "; text "b"`},
		{"comment strips", JinjaOptions{}, "a {#- c -#} b", `text "a"; comment " c "; text "b"`},
		{"comment shares a minus", JinjaOptions{}, "a {#-#} b", `text "a"; comment ""; text " b"`},
		{"empty comment", JinjaOptions{}, "a{##}b", `text "a"; comment ""; text "b"`},
		{"comments do not nest", JinjaOptions{}, "{# {# {{ #} #}", `comment " {# {{ "; text " #}"`},
		{"trim takes one newline", trim, "{% x %}\n\na", `tag " x "; text "\na"`},
		{"trim takes a CRLF", trim, "{% x %}\r\na", `tag " x "; text "a"`},
		{"trim wants it at once", trim, "{% x %} \na", `tag " x "; text " \na"`},
		{"trim after comments", trim, "{# x #}\na", `comment " x "; text "a"`},
		{"no trim after outputs", trim, "{{ x }}\na", `out " x "; text "\na"`},
		{"plus stops trim", trim, "{% x +%}\na", `tag " x "; text "\na"`},
		{"raw does not trim, endraw does", trim, "{% raw %}\na{% endraw %}\nb", `text "\na"; text "b"`},
		{"lstrip at the start", lstrip, "  \t{% x %}", `tag " x "`},
		{"lstrip after a newline", lstrip, "a\n  {% x %}", `text "a\n"; tag " x "`},
		{"lstrip not within a line", lstrip, "a  {% x %}  {% y %}", `text "a  "; tag " x "; text "  "; tag " y "`},
		{"lstrip not for outputs", lstrip, "  {{ x }}", `text "  "; out " x "`},
		{"lstrip for comments", lstrip, "  {# x #}", `comment " x "`},
		{"plus stops lstrip", lstrip, "  {%+ x %}", `text "  "; tag " x "`},
		{"lstrip wide blanks", lstrip, "a\n\u00a0{% x %}", `text "a\n"; tag " x "`},
		{"lstrip after a trimmed newline", both, "{% x %}\n  {% y %}\nz", `tag " x "; tag " y "; text "z"`},
		{"lstrip after stripped newline", lstrip, "{{ a -}}\n{% x %}", `out " a "; tag " x "`},
		{"raw obeys lstrip", lstrip, "  {% raw %} a\n  {% endraw %}", `text " a\n"`},
		{"raw strips inside", JinjaOptions{}, "x {%- raw -%} {{ a }} {%- endraw -%} y", `text "x"; text "{{ a }}"; text "y"`},
		{"raw holds tags", JinjaOptions{}, "{% raw %}{% if %}{% end {% endraw %}", `text "{% if %}{% end "`},
		{"raw+ is a tag", JinjaOptions{}, "{% raw +%}", `tag " raw "`},
		{"rawer is a tag", JinjaOptions{}, "{% rawer %}", `tag " rawer "`},
		{"longest opener wins", erb, "<%= a %><% b %><%# c %>", `out " a "; tag " b "; comment " c "`},
		{"closer that is an operator", JinjaOptions{VariableStart: "<<", VariableEnd: ">>"}, "<< a >= b >>c", `out " a >= b "; text "c"`},
		{"dollar braces", JinjaOptions{VariableStart: "${", VariableEnd: "}"}, "${ {'a': 1}.a }b", `out " {'a': 1}.a "; text "b"`},
		{"line statement", lines, "a\n  # if x:\nb\n# endif", `text "a\n"; tag " if x:"; text "b\n"; tag " endif"`},
		{"line statement takes blank lines", lines, "# x\n\n  \n  b", `tag " x"; text "  b"`},
		{"line statement goes on in brackets", lines, "# set x = [1,\n 2]\nb", `tag " set x = [1,\n 2]"; text "b"`},
		{"line statement only at line start", lines, "a # x", `text "a # x"`},
		{"line comment", lines, "a  ## b\nc", `text "a"; comment " b"; text "\nc"`},
		{"line comment at start", lines, "## b\nc", `comment " b"; text "\nc"`},
		{"line statement with sign", lines, "a\n  #- x\nb", `text "a"; tag " x"; text "b"`},

		{"open comment", JinjaOptions{}, "a {# b", `text "a "; PCC051 2; comment ""`},
		{"open raw", JinjaOptions{}, "a {% raw %} b", `text "a "; PCC052 2`},
		{"open string", JinjaOptions{}, "{{ 'a }}b", `PCC053 3; out " "; text "b"`},
		{"raw at the end", JinjaOptions{}, "a {% raw %}", `text "a "`},
		{"comment at the end", JinjaOptions{}, "a{#-", `text "a"; comment ""`},
		{"open output", JinjaOptions{}, "{{ a", `out " a" open`},
		{"closing bracket", JinjaOptions{}, "{{ 1 }x}}b", `PCC054 5; out " 1 "; text "b"`},
		{"wrong bracket", JinjaOptions{}, "{{ (1] }}b", `PCC054 5; out " (1"; text "b"`},
		{"names beyond ASCII", JinjaOptions{}, "{{ größe.名前 }}", `out " größe.名前 "`},
		{"not in a name", JinjaOptions{}, "{{ a² }}{{ ·a }}{{ a· }}", `PCC055 4; out " a"; PCC055 12; out " "; out " a· "`},
		{"bad characters", JinjaOptions{}, "{{ a ? b }}{{ 🐍 }}{{ ! }}{{ != }}",
			`PCC055 5; out " a "; PCC055 14; out " "; PCC055 24; out " "; out " != "`},
	} {
		t.Run(c.name, func(t *testing.T) {
			// A diagnostic is reported while the text before it is pending:
			// order by line is enough here, so compare sorted by appearance.
			got := strings.Join(scanJinja(c.src, c.opts), "; ")
			if diff := cmp.Diff(normalizeOrder(c.want), normalizeOrder(got)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.src, diff)
			}
		})
	}
}

// normalizeOrder moves codes to the end: the scanner reports them before it
// returns the text in front of the faulty tag.
func normalizeOrder(s string) string {
	var rest, codes []string
	for line := range strings.SplitSeq(s, "; ") {
		if strings.HasPrefix(line, "PCC") {
			codes = append(codes, line)
		} else if line != "" {
			rest = append(rest, line)
		}
	}
	return strings.Join(append(rest, codes...), "\n")
}

// TestJinjaScannerTiles checks that pieces follow one another without overlap,
// and that only raw tags and stripped white space lie between them.
func TestJinjaScannerTiles(t *testing.T) {
	src := "a {%- if x -%}\n b {{ y }}{# c #} {% raw %}{{{% endraw %}\n{% endif %}\n"
	for _, o := range []JinjaOptions{{}, {TrimBlocks: true, LstripBlocks: true}, {KeepTrailingNewline: true}} {
		s := NewJinjaScanner(source.New("t", src), source.Span{}, o, 200, func(d *diag.Diagnostic) { t.Error(d) })
		last := source.Pos(0)
		var x Expr
		for {
			p := s.Next()
			finish(s, &p, &x)
			if p.Span.Start < last || p.Span.End < p.Span.Start {
				t.Fatalf("piece %+v begins before %d", p, last)
			}
			if gap := strings.TrimSpace(src[last:p.Span.Start]); gap != "" && !strings.Contains(gap, "raw") {
				t.Errorf("%q lies between pieces", gap)
			}
			if last = p.Span.End; p.Kind == JinjaEOF {
				break
			}
		}
	}
}

// TestJinjaSimple reads insides up to whose end there are only words, blanks and
// marks, which are skipped at once, beside those where that would be wrong.
func TestJinjaSimple(t *testing.T) {
	letters := JinjaOptions{BlockStart: "<x", BlockEnd: "x>", VariableStart: "<y", VariableEnd: "y>"}
	twins := JinjaOptions{BlockStart: "<<", BlockEnd: ">>", CommentStart: "<<", CommentEnd: "#>", VariableStart: "<=", VariableEnd: "=>"}
	word := strings.Repeat("a", MaxWord)
	for _, c := range []struct {
		opts      JinjaOptions
		src, want string
	}{
		{JinjaOptions{}, "{{ a.b, c|d: 1 }}", `out " a.b, c|d: 1 "`},
		{JinjaOptions{}, "{% a % b %}{{ a % b }}", `tag " a % b "; out " a % b "`},
		{JinjaOptions{}, "{{ a -}} {%+ b +%}", `out " a "; tag " b "`},
		{JinjaOptions{}, "{{ e\u0301 }}", "out \" e\u0301 \""}, // a mark, which begins no word
		{JinjaOptions{}, "{{ a \u0301 }}", `PCC055 5; out " a "`},
		{JinjaOptions{}, "{{ a", `out " a" open`},
		{JinjaOptions{}, "{{ " + word + " }}", `out " ` + word + ` "`},
		{JinjaOptions{}, "{{ a" + word + " }}", `PCC055 3; out " "`},
		{letters, "<y axy> y><x ax> x>", `out " axy> "; tag " ax> "`},
		{twins, "<< a >><= b =>", `PCC051 0; comment ""`},
	} {
		got := strings.Join(scanJinja(c.src, c.opts), "; ")
		if got != c.want {
			t.Errorf("%.40q:\n got %.200s\nwant %.200s", c.src, got, c.want)
		}
	}
}

func TestJinjaBracketDepth(t *testing.T) {
	for n, want := range map[int]string{200: "", 201: "PCC901"} {
		src := "{{ " + strings.Repeat("(", n) + strings.Repeat(")", n) + " }}"
		got := ""
		s, x := NewJinjaScanner(source.New("t", src), source.Span{}, JinjaOptions{}, 200, nil), Expr{}
		p := s.Next()
		got, _, _ = strings.Cut(finish(s, &p, &x), " ")
		if got != want {
			t.Errorf("%d brackets: got %q, want %q", n, got, want)
		}
	}
}

// TestJinjaScannerLinear runs hostile repetitions at two sizes.
func TestJinjaScannerLinear(t *testing.T) {
	lines := JinjaOptions{LineStatementPrefix: "#", LineCommentPrefix: "##"}
	for _, c := range []struct {
		unit string
		opts JinjaOptions
	}{
		{"{{ a", JinjaOptions{}}, {"{% a", JinjaOptions{}}, {"{#", JinjaOptions{}}, {"{% raw %}", JinjaOptions{}},
		{"{%  ", JinjaOptions{LstripBlocks: true}}, {"{{ a }}\n ", JinjaOptions{LstripBlocks: true}},
		{"{{ ( }}", JinjaOptions{}}, {"{{ ' }}", JinjaOptions{}}, {"{{ \\' }}", JinjaOptions{}}, {"{%- x -%} ", JinjaOptions{}},
		{"   ", lines}, {"# a \t", lines}, {" x##", lines}, {"# x\n \n", lines}, {"{% raw %}{% {% ", JinjaOptions{}},
	} {
		growth.Linear(t, c.unit, 200_000, func(n int) {
			src := strings.Repeat(c.unit, n)
			s := NewJinjaScanner(source.New("t", src), source.Span{}, c.opts, 200, func(*diag.Diagnostic) {})
			var x Expr
			for p := s.Next(); p.Kind != JinjaEOF; p = s.Next() {
				finish(s, &p, &x)
			}
		})
	}
}

func BenchmarkJinjaScanner(b *testing.B) {
	src := strings.Repeat("Hello {{ user.name }},\n{% if a %}\n  text of some length here\n{% endif %}\n", 100)
	f := source.New("t", src)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewJinjaScanner(f, source.Span{}, JinjaOptions{TrimBlocks: true, LstripBlocks: true}, 200, nil)
		var x Expr
		for p := s.Next(); p.Kind != JinjaEOF; p = s.Next() {
			finish(s, &p, &x)
		}
	}
}
