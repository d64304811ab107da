package diag

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/pcc-lang/pcc/ast/source"
)

// span finds the n-th (from 0) occurrence of part in f.
func span(t *testing.T, f *source.File, part string, n int) source.Span {
	t.Helper()
	at := 0
	for ; ; n-- {
		i := strings.Index(f.Text[at:], part)
		if i < 0 {
			t.Fatalf("%q is not in the source", part)
		}
		at += i
		if n == 0 {
			return source.Span{Start: source.Pos(at), End: source.Pos(at + len(part))}
		}
		at++
	}
}

func text(t *testing.T, o TextOptions, l ...*Diagnostic) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, l, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	file := func(s string) *source.File { return source.New("prompts/greet.md", s) }
	for _, tt := range []struct {
		name string
		make func(t *testing.T) *Diagnostic
		want string
	}{
		{"one line", func(t *testing.T) *Diagnostic {
			f := file("Hello\n\n{when user.tier == \"pro\"}\nDear customer\n")
			return &Diagnostic{Code: "PCC104", Message: "`when` is never closed", File: f,
				Span: span(t, f, `{when user.tier == "pro"}`, 0), SpanLabel: "opened here",
				Help: "add {/when} before the end of the file"}
		}, `
error[PCC104]: ` + "`when`" + ` is never closed
  --> prompts/greet.md:3:1
   |
 3 | {when user.tier == "pro"}
   | ^^^^^^^^^^^^^^^^^^^^^^^^^ opened here
   = help: add {/when} before the end of the file
`},
		{"no file, no code", func(t *testing.T) *Diagnostic {
			return &Diagnostic{Message: "no template", Severity: Warning, Help: "name one"}
		}, `
warning: no template
   = help: name one
`},
		{"a point at the end of the file", func(t *testing.T) *Diagnostic {
			f := file("a\nbc")
			return &Diagnostic{Code: "PCC100", Message: "unexpected end", File: f, Span: source.Span{Start: 4, End: 4}}
		}, `
error[PCC100]: unexpected end
  --> prompts/greet.md:2:3
   |
 2 | bc
   |   ^
`},
		{"after the last line break", func(t *testing.T) *Diagnostic {
			f := file("a\n")
			return &Diagnostic{Code: "PCC100", Message: "unexpected end", File: f, Span: source.Span{Start: 2, End: 9}}
		}, `
error[PCC100]: unexpected end
  --> prompts/greet.md:2:1
   |
 2 |
   | ^
`},
		{"tabs stay tabs", func(t *testing.T) *Diagnostic {
			f := file("a\tb\t{nmae}\tc")
			return &Diagnostic{Code: "PCC201", Message: "unknown", File: f, Span: span(t, f, "nmae", 0), SpanLabel: "here"}
		}, `
error[PCC201]: unknown
  --> prompts/greet.md:1:6
   |
 1 | a	b	{nmae}	c
   |  	 	 ^^^^ here
`},
		{"a tab inside the span", func(t *testing.T) *Diagnostic {
			f := file("{when\tx} {y}")
			return &Diagnostic{Code: "PCC201", Message: "unknown", File: f, Span: span(t, f, "when\tx", 0)}
		}, `
error[PCC201]: unknown
  --> prompts/greet.md:1:2
   |
 1 | {when	x} {y}
   |  ^^^^	^
`},
		{"only a tab", func(t *testing.T) *Diagnostic {
			f := file("a\tb")
			return &Diagnostic{Message: "tab", File: f, Span: source.Span{Start: 1, End: 2}}
		}, `
error: tab
  --> prompts/greet.md:1:2
   |
 1 | a	b
   |  ^
`},
		{"wide characters and combining marks", func(t *testing.T) *Diagnostic {
			f := file("你好, e\u0301 {名前} 👋 x")
			return &Diagnostic{Message: "unknown", File: f, Span: span(t, f, "名前", 0), SpanLabel: "this"}
		}, `
error: unknown
  --> prompts/greet.md:1:9
   |
 1 | 你好, e` + "\u0301" + ` {名前} 👋 x
   |          ^^^^ this
`},
		{"labels on one line", func(t *testing.T) *Diagnostic {
			f := file("{loop items as item} {a}")
			return (&Diagnostic{Code: "PCC210", Message: "`item` twice", File: f, Span: span(t, f, "item", 1), SpanLabel: "second"}).
				WithLabel(span(t, f, "loop", 0), "this loop").
				WithLabel(span(t, f, "items", 0), "a list")
		}, `
error[PCC210]: ` + "`item`" + ` twice
  --> prompts/greet.md:1:16
   |
 1 | {loop items as item} {a}
   |  ---- -----    ^^^^ second
   |  |    |
   |  |    a list
   |  |
   |  this loop
`},
		{"label inside the primary span", func(t *testing.T) *Diagnostic {
			f := file("{a.b.c}")
			return (&Diagnostic{Message: "no such key", File: f, Span: span(t, f, "{a.b.c}", 0), SpanLabel: "in this tag"}).
				WithLabel(span(t, f, "b", 0), "a number")
		}, `
error: no such key
  --> prompts/greet.md:1:1
   |
 1 | {a.b.c}
   | ^^^^^^^
   | |  |
   | |  a number
   | |
   | in this tag
`},
		{"labels on other lines", func(t *testing.T) *Diagnostic {
			f := file(strings.Repeat("text\n", 8) + "{when a}\nx\n" + strings.Repeat("more\n", 4) + "{/loop}\n")
			return (&Diagnostic{Code: "PCC105", Message: "wrong closer", File: f, Span: span(t, f, "{/loop}", 0), SpanLabel: "closes nothing"}).
				WithLabel(span(t, f, "{when a}", 0), "open block")
		}, `
error[PCC105]: wrong closer
   --> prompts/greet.md:15:1
    |
  9 | {when a}
    | -------- open block
...
 15 | {/loop}
    | ^^^^^^^ closes nothing
`},
		{"labels in other files", func(t *testing.T) *Diagnostic {
			f, g := file("{include \"b\"}"), source.New("b.md", "x\n  {include \"a\"}\n")
			return &Diagnostic{Code: "PCC220", Message: "includes itself", File: f, Span: span(t, f, `{include "b"}`, 0),
				Labels: []Label{{File: g, Span: span(t, g, `{include "a"}`, 0), Message: "and back"}},
				Trace:  []string{"turn 3 of loop at greet.md:1:1"}}
		}, `
error[PCC220]: includes itself
  --> prompts/greet.md:1:1
   |
 1 | {include "b"}
   | ^^^^^^^^^^^^^
  ::: b.md:2:3
   |
 2 |   {include "a"}
   |   ------------- and back
   = note: turn 3 of loop at greet.md:1:1
`},
		{"several lines from the start of a line", func(t *testing.T) *Diagnostic {
			f := file("a\n{{ one\n  + two }}\nb")
			return &Diagnostic{Message: "cannot add", File: f, Span: span(t, f, "{{ one\n  + two }}", 0), SpanLabel: "here"}
		}, `
error: cannot add
  --> prompts/greet.md:2:1
   |
 2 | / {{ one
 3 | |   + two }}
   | |__________^ here
`},
		{"several lines from within a line", func(t *testing.T) *Diagnostic {
			f := file("ab {{ one\n+\n+\n+\n+\n  + two }} b")
			return (&Diagnostic{Message: "cannot add", File: f, Span: span(t, f, f.Text[3:len(f.Text)-2], 0), SpanLabel: "here"}).
				WithLabel(span(t, f, "two", 0), "a map")
		}, `
error: cannot add
  --> prompts/greet.md:1:4
   |
 1 |   ab {{ one
   |  ____^
 2 | | +
...  |
 5 | | +
 6 | |   + two }} b
   | |     --- a map
   | |__________^ here
`},
		{"a span that ends with its line break", func(t *testing.T) *Diagnostic {
			f := file("one\ntwo\n")
			return &Diagnostic{Message: "odd", File: f, Span: span(t, f, "one\n", 0)}
		}, `
error: odd
  --> prompts/greet.md:1:1
   |
 1 | one
   | ^^^
`},
		{"CRLF", func(t *testing.T) *Diagnostic {
			f := file("one\r\n{x}\r\n")
			return &Diagnostic{Message: "odd", File: f, Span: span(t, f, "{x}\r\n", 0)}
		}, `
error: odd
  --> prompts/greet.md:2:1
   |
 2 | {x}
   | ^^^
`},
		{"nothing reaches the terminal raw", func(t *testing.T) *Diagnostic {
			f := source.New("a\x1b[2Jb.md", "\x1b[31m{x\u202e}\x00\xff\u200b\x9b")
			return &Diagnostic{Message: "bad \x1b]0;title\x07 name", File: f, Span: span(t, f, "x\u202e", 0),
				SpanLabel: "\rhere", Help: "line\nerror[PCC000]: forged"}
		}, `
error: bad ␛]0;title␇ name
  --> a␛[2Jb.md:1:7
   |
 1 | ␛[31m{x<U+202E>}␀<FF><U+200B><9B>
   |       ^^^^^^^^^ ␍here
   = help: line
           error[PCC000]: forged
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := text(t, TextOptions{}, tt.make(t))
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), got); diff != "" {
				t.Errorf("(-want +got)\n%s\n%s", diff, got)
			}
		})
	}
}

func TestTextColor(t *testing.T) {
	f := source.New("a.md", "{x}")
	d := &Diagnostic{Code: "PCC200", Message: "m", File: f, Span: source.Span{Start: 0, End: 3}, Help: "h"}
	colored := text(t, TextOptions{Color: true}, d)
	if !strings.Contains(colored, "\x1b[1;31merror[PCC200]\x1b[0m") || !strings.Contains(colored, "\x1b[1;31m^^^\x1b[0m") {
		t.Errorf("the severity and the carets are not red:\n%q", colored)
	}
	plain := colored
	for _, a := range ansi[1:] {
		plain = strings.ReplaceAll(plain, a, "")
	}
	plain = strings.ReplaceAll(plain, "\x1b[0m", "")
	if want := text(t, TextOptions{}, d); plain != want {
		t.Errorf("colours change the text:\n%s\nwant\n%s", plain, want)
	}
}

func TestTextSeparates(t *testing.T) {
	d := &Diagnostic{Message: "m", Severity: Note}
	if got, want := text(t, TextOptions{}, d, d), "note: m\n\nnote: m\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTextLongLines(t *testing.T) {
	long := strings.Repeat("word ", 200_000)
	f := source.New("a.md", long+"{nmae}"+long+"\n"+long)
	d := (&Diagnostic{Message: "unknown", File: f, Span: span(t, f, "{nmae}", 0), SpanLabel: "here"}).
		WithLabel(source.Span{Start: 0, End: 4}, "the start of the line")
	got := text(t, TextOptions{Width: 40}, d)
	want := `
error: unknown
  --> a.md:1:1000001
   |
 1 | …d word word word {nmae}word word word wo…
   |                   ^^^^^^ here
  ::: a.md:1:1
   |
 1 | word word word word word word word word …
   | ---- the start of the line
`
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, got)
	}
}

// TestTextIsBounded holds renderings of hostile sources below 4 KiB.
func TestTextIsBounded(t *testing.T) {
	sources := map[string]string{
		"combining":  "{x" + strings.Repeat("\u0301", 100_000) + "}",
		"wide":       strings.Repeat("漢", 50_000),
		"invisible":  strings.Repeat("\u202e", 50_000),
		"controls":   strings.Repeat("\x1b", 50_000),
		"tabs":       strings.Repeat("\t", 50_000),
		"lines":      strings.Repeat("漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\n", 5_000),
		"no UTF-8":   strings.Repeat("\xff", 50_000),
		"zero width": strings.Repeat("\u200d", 50_000),
	}
	for name, s := range sources {
		t.Run(name, func(t *testing.T) {
			f := source.New(strings.Repeat("dir/", 2000)+"a.md", s)
			n := source.Pos(len(s))
			for _, sp := range []source.Span{{Start: 0, End: n}, {Start: n / 2, End: n/2 + 3}, {Start: n, End: n}, {Start: n / 3, End: n}} {
				d := &Diagnostic{Code: "PCC999", Message: strings.Repeat("m", 9000), File: f, Span: sp,
					SpanLabel: strings.Repeat("l", 9000), Help: strings.Repeat("h\n", 9000)}
				for i := range 30 {
					at := source.Pos(i) * n / 30
					d.WithLabel(source.Span{Start: at, End: min(n, at+40)}, "%s", strings.Repeat("label ", 1000))
					d.Trace = append(d.Trace, strings.Repeat("trace ", 100))
				}
				got := text(t, TextOptions{}, d)
				if len(got) > maxBytes {
					t.Errorf("span %v: %d bytes, want at most %d", sp, len(got), maxBytes)
				}
				if !strings.Contains(got, "= help: ") {
					t.Errorf("span %v: the help line is lost", sp)
				}
			}
		})
	}
}

// TestTextCaretsAlign checks that the carets begin in the column of the marked
// text and are as wide, for a mark at each place of lines of many kinds, also
// inside what is shown in one place.
func TestTextCaretsAlign(t *testing.T) {
	for _, line := range []string{
		"plain ascii line {x}", "漢字 mixed with é and e\u0301 ok {e\u0301}\u0301", "emoji 👩‍👩‍👧 family, 🇩🇪🇫🇷 flags, 👍🏽 and ❤️ {x}", "a\u202eb\x07c\x00d",
		strings.Repeat("long ", 60) + "漢字", "\xffbad\xfe utf8", "각 각 हिन्दी ไทย", "🏴\U000e0067\U000e007f tags",
		strings.Repeat("👩‍👩‍👧", 20) + "x",
	} {
		f := source.New("a.md", line)
		starts, width := map[int]string{}, map[int]int{}
		for _, c := range cellsOf(line, 0) {
			for i := range c.size {
				starts[int(c.at)+i], width[int(c.at)+i] = c.text, c.width
			}
		}
		for i, r := range line {
			if r < 0x21 || width[i] == 0 {
				continue
			}
			d := &Diagnostic{Message: "m", File: f, Span: source.Span{Start: source.Pos(i), End: source.Pos(i + len(string(r)))}}
			if r == utf8.RuneError {
				d.Span.End = d.Span.Start + 1
			}
			rows := strings.Split(text(t, TextOptions{Width: 40}, d), "\n")
			src, carets := rows[3], strings.TrimRight(rows[4], " ")
			want := strings.Index(carets, "^")
			before, rest, _ := strings.Cut(src, starts[i])
			for rest != "" && uniseg.StringWidth(before) != want {
				more, next, _ := strings.Cut(rest, starts[i])
				before, rest = before+starts[i]+more, next
			}
			if uniseg.StringWidth(before) != want || len(carets)-want != width[i] {
				t.Fatalf("%q, offset %d: no %q above the caret\n%s\n%s", line, i, starts[i], src, carets)
			}
		}
	}
}

// TestCells pins what is shown in one place, with its width.
func TestCells(t *testing.T) {
	for text, want := range map[string]string{
		"ab":            "a1 b1",
		"漢e\u0301":      "漢2 e\u03011",
		"👩‍👩‍👧x":        "👩‍👩‍👧2 x1",
		"🇩🇪🇫🇷":          "🇩🇪2 🇫🇷2",
		"❤️":            "❤️2",
		"각":             "각2",
		"a\u200bb\tc":   "<U+200B>",
		"🏴\U000e0067":   "🏴2 <U+E0067>9",
		"e\u0301\u202e": "e\u03011 <U+202E>8",
		"\u0301a":       "\u0301",
	} {
		var got []string
		size := 0
		for _, c := range cellsOf(text, 0) {
			got = append(got, fmt.Sprintf("%s%d", c.text, c.width))
			size += c.size
		}
		if s := strings.Join(got, " "); !strings.Contains(s, want) || size != len(text) {
			t.Errorf("%+q: %+q, want %+q", text, s, want)
		}
	}
}

func TestTextInsideDocument(t *testing.T) {
	doc := source.New("a.yaml", "template: |\n  Hello {nmae}\n  bye\n")
	inner := &source.File{Name: "template", Text: "Hello {nmae}\nbye\n", Outer: doc, Map: func(p source.Pos) source.Pos {
		if p < 13 {
			return p + 14
		}
		return p + 16
	}}
	d := &Diagnostic{Message: "unknown", File: inner, Span: source.Span{Start: 6, End: 12}}
	want := `error: unknown
  --> a.yaml:2:9
   |
 2 |   Hello {nmae}
   |         ^^^^^^
`
	if got := text(t, TextOptions{}, d); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTextKeepsPrivateFilesPrivate(t *testing.T) {
	f := &source.File{Name: "data.yaml", Text: "password: hunter2\npassword: hunter3\n", Private: true}
	d := (&Diagnostic{Message: "a key stands twice", File: f, Span: source.Span{Start: 18, End: 26}, Help: "remove one"}).
		WithLabel(source.Span{Start: 0, End: 8}, "first here")
	want := `error: a key stands twice
  --> data.yaml:2:1
   = help: remove one
`
	if got := text(t, TextOptions{}, d); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func ExampleText() {
	f := source.New("greet.md", "Hello {nmae}")
	d := &Diagnostic{Code: "PCC201", Message: "unknown variable `nmae`", File: f,
		Span: source.Span{Start: 6, End: 12}, Help: "did you mean `name`?"}
	var b strings.Builder
	_ = Text(&b, List{d}, TextOptions{})
	fmt.Print(b.String())
	// Output:
	// error[PCC201]: unknown variable `nmae`
	//   --> greet.md:1:7
	//    |
	//  1 | Hello {nmae}
	//    |       ^^^^^^
	//    = help: did you mean `name`?
}
