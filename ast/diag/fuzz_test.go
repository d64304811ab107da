package diag

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/source"
)

// FuzzText renders diagnostics about any span of any text, labels included:
// the result is short, is UTF-8, and holds nothing that a terminal obeys.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"", "\n", "{when a}\n\tb\r\n漢字{x}", "\x1b[2J\x00\xff\u202e", "e\u0301" + strings.Repeat("👩‍👧 ", 99),
		strings.Repeat("a\n", 40), strings.Repeat("long ", 400),
		"\t", strings.Repeat("\xaa", 1400),
	} {
		n := uint32(len(s))
		f.Add(s, uint32(0), n, n/2, n, "here")
		f.Add(s, n/2, n/2+1, uint32(0), n/3, "\x1b")
		f.Add(s, n, n+9, n+1, uint32(3), "two\nlines")
	}
	f.Fuzz(func(t *testing.T, src string, a, b, c, d uint32, text string) {
		file := source.New(text, src)
		x := &Diagnostic{Code: "PCC999", Message: text, Help: text, SpanLabel: text, Trace: []string{text}, File: file,
			Span: source.Span{Start: source.Pos(a), End: source.Pos(b)}}
		x.WithLabel(source.Span{Start: source.Pos(c), End: source.Pos(d)}, "%s", text)
		x.WithLabel(source.Span{Start: source.Pos(b), End: source.Pos(c)}, "second")
		var out bytes.Buffer
		if err := Text(&out, List{x}, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if len(got) > maxBytes {
			t.Errorf("%d bytes, want at most %d", len(got), maxBytes)
		}
		if !utf8.ValidString(got) {
			t.Errorf("not UTF-8: %q", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202A && r <= 0x202E {
				t.Errorf("a terminal would obey %U in %q", r, got)
			}
		}
		if !strings.Contains(got, "^") {
			t.Errorf("no caret in\n%s", got)
		}
		for _, render := range []func() error{
			func() error { return JSON(&out, List{x}) },
			func() error { return SARIF(&out, List{x}, SARIFOptions{}) },
			func() error { return GitHub(&out, List{x}) },
		} {
			if err := render(); err != nil {
				t.Error(err)
			}
		}
	})
}
