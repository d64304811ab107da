package lexer

import (
	"fmt"
	"strings"
	"testing"
)

var pieceNames = [...]string{EndOfText: "end", Comment: "comment", Tag: "tag", CloseTag: "closing", OpenDelims: "openers", CloseDelims: "closers"}

// dumpPieces lists the pieces of src, all tags taken as text behind their
// opener.
func dumpPieces(src string, syn *Syntax, watch bool) string {
	s := NewScanner(src, 0, len(src), syn)
	s.Watch = watch
	var out []string
	for {
		p := s.Next()
		if p.Kind == EndOfText {
			return strings.Join(out, " ")
		}
		d := fmt.Sprintf("%s@%d", pieceNames[p.Kind], p.Start)
		if p.Start > p.Run {
			d += fmt.Sprintf("+%d", p.Start-p.Run)
		}
		for _, flag := range []struct {
			on   bool
			text string
		}{{p.Hard, "!"}, {p.Slash, "/"}, {p.Word != "", ":" + p.Word}} {
			if flag.on {
				d += flag.text
			}
		}
		out = append(out, d)
	}
}

func TestScanner(t *testing.T) {
	square, err := Custom("[[", "]]")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		syn       *Syntax
		src, want string
	}{
		{&brace, "a {b} {{c}} { d } {{ d }} {1}", "tag@2 tag@6! openers@12 tag@18! openers@26"},
		{&brace, "{{{a}}} {{{{a", "tag@1+1! tag@10+2!"},
		{&brace, `{{"a"}} {{ 1`, "openers@0 tag@8!"},
		{&brace, "{# c #}x{##}{#a#}{# open", "comment@0 comment@8 openers@12 openers@17"},
		{&brace, "{/when} {{ /when }} {/When} {/when/} {{/when}", "closing@0:when closing@8!:when openers@20 openers@28 closing@38+1:when"},
		{&brace, "/{a} /{{ b }} //{", "tag@1/ tag@6!/ openers@16/"},
		{&angle, "a < b <c> <<d>> << e <p class=", "openers@2 tag@6 tag@10! openers@16 tag@21"},
		{&singleBrace, "{{a}}", "tag@1+1"},
		{&doubleBrace, "{a} {{0}} {{ 0", "openers@0 tag@4! tag@10!"},
		{square, "[a] [[b]] /[[c [[# x #]]", "tag@4 tag@11/ comment@15"},
	} {
		if got := dumpPieces(tt.src, tt.syn, false); got != tt.want {
			t.Errorf("%s: %q\n got %s\nwant %s", tt.syn.Name, tt.src, got, tt.want)
		}
	}
	if got, want := dumpPieces("/{a } /} b }}", &brace, true), "tag@1/ closers@4 closers@7/ closers@11"; got != want {
		t.Errorf("watching: %s, want %s", got, want)
	}
}

func TestPath(t *testing.T) {
	for _, tt := range []struct {
		src        string
		first, end int
	}{
		{"a.b.c}", 1, 5}, {"name", 4, 4}, {"a.0.b", 1, 5}, {"a.00", 1, 1}, {"a.0x", 1, 1}, {"a.", 1, 1}, {"1a", 0, 0}, {"", 0, 0},
		{"a..b", 1, 1}, {"a.1é", 1, 1}, {"a.1234567890123456789", 1, 1},
	} {
		if first, end := Path(tt.src, 0); first != tt.first || end != tt.end {
			t.Errorf("Path(%q) = %d, %d, want %d, %d", tt.src, first, end, tt.first, tt.end)
		}
	}
}

func TestSyntaxes(t *testing.T) {
	for _, name := range Names() {
		if s, ok := ByName(name); !ok || s.Name != name {
			t.Errorf("ByName(%q) = %v, %v", name, s, ok)
		}
	}
	for _, name := range []string{"", "auto", "dbrace", "Brace"} {
		if _, ok := ByName(name); ok {
			t.Errorf("ByName(%q) is a syntax", name)
		}
	}
	for _, d := range [][2]string{{"", "]"}, {"[", "["}, {"[", "[["}, {"a", "b"}, {"[ ", "]"}, {"/", "]"}, {"[", "'"}, {"\xff", "]"}} {
		if _, err := Custom(d[0], d[1]); err == nil {
			t.Errorf("Custom(%q, %q) is allowed", d[0], d[1])
		}
	}
	for _, d := range [][2]string{{"[[", "]]"}, {"${", "}"}, {"«", "»"}, {"%(", ")"}} {
		if _, err := Custom(d[0], d[1]); err != nil {
			t.Errorf("Custom(%q, %q): %v", d[0], d[1], err)
		}
	}
}

func TestScannerAllocates(t *testing.T) {
	src := strings.Repeat("text {a.b} {{ c }} {# c #} /{x/} {when a}{/when} { } ", 50)
	if n := testing.AllocsPerRun(10, func() {
		s := NewScanner(src, 0, len(src), &brace)
		for s.Next().Kind != EndOfText {
		}
	}); n > 1 { // the scanner itself
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkScanner(b *testing.B) {
	src := strings.Repeat("Some text {name} and more {{ user.name }} {when a}yes{/when}\n", 1000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewScanner(src, 0, len(src), &brace)
		for s.Next().Kind != EndOfText {
		}
	}
}
