package document

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

func TestWriteLayout(t *testing.T) {
	src := `prompt:
  template:
    - role: system
      content: |-
        S
        line2 {{name}}
      name: x
    - role: user
      content: "{{q}}"
  template_variables:
    - name
    - q
  metadata:
    version: '1.0'
    n: 1.10
    flag: true
    nothing: null
    empty: {}
    none: []
    date: '2026-01-02'
  custom_data: {}
`
	want := strings.Replace(src, `"{{q}}"`, `'{{q}}'`, 1)
	_, s, diags := read(t, "a.yaml", src, YAMLOptions{})
	if diags != nil {
		t.Fatal(diags)
	}
	if diff := cmp.Diff(want, string(WriteYAML(s))); diff != "" {
		t.Error(diff)
	}
}

// texts that tempt a writer to lose bytes.
var nasty = []string{"", " ", "\n", "\n\n", " \n", "\n ", "a\n", "a\n\n", "\na", " a", "a ", "  a\n b\n", "\ta\nb", "a\n\tb\n", "a\n  \nb", "a\n \n",
	"a\r\nb", "a\rb", "- a", "# a", "a # b", "a: b", "a:", "{{x}}", "{x}", "[x]", "*x", "&x", "!x", "| x", "> x", "%x", "@x", "`x`", "'", "''", "\"", "a'b\"c",
	"yes", "No", "on", "y", "null", "~", "true", "1", "1.10", "01234", "0o7", "0x1F", "1e3", ".inf", "1_000", "12:30:45", "2026-01-02", "<<", "=", "---", "...", "--- a",
	"a\n---\nb\n", "a\n...\n", "\u0085", "a\u2028b", "\ufeffa", "a\ufeff\nb", "\x00\x1b[0m", "é\n日本\n", "😀", "a\\nb", "a\\", "? a", ", a", "a, b", "key\n: v", strings.Repeat("x", 2000),
	"x\n" + strings.Repeat("y ", 500) + "\n\n\n", "#\n#\n", "\n# a\n", " \n \n", "a\n\n\n b"}

func TestWriteKeepsEveryByte(t *testing.T) {
	check := func(text string) {
		t.Helper()
		in := &ast.Structure{Kind: ast.SMap, Map: []ast.Entry{
			{Key: "k", Value: ast.Structure{Kind: ast.SString, Str: text}},
			{Key: text + "!", Value: ast.Structure{Kind: ast.SList, Items: []ast.Structure{
				{Kind: ast.SString, Str: text},
				{Kind: ast.SMap, Map: []ast.Entry{{Key: "c", Value: ast.Structure{Kind: ast.SString, Str: text}}, {Key: "d", Value: ast.Structure{Kind: ast.SString, Str: "end"}}}},
				{Kind: ast.SList, Items: []ast.Structure{{Kind: ast.SString, Str: text}}},
			}}},
		}}
		want := plain(in)
		out := WriteYAML(in)
		for _, o := range []YAMLOptions{{}, {Booleans11: true}} {
			s, diags := ReadData(source.New("a.yaml", string(out)), o)
			if diags != nil {
				t.Fatalf("%q: %v\n%s", text, diags, out)
			}
			if diff := cmp.Diff(want, plain(s)); diff != "" {
				t.Fatalf("%q: %s\n%s", text, diff, out)
			}
		}
		j, err := WriteJSON(in)
		if err != nil {
			t.Fatal(err)
		}
		s, diags := ReadData(source.New("a.json", string(j)), YAMLOptions{})
		if diags != nil {
			t.Fatalf("%q: %v\n%s", text, diags, j)
		}
		if diff := cmp.Diff(want, plain(s)); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
	}
	for _, text := range nasty {
		check(text)
	}
	r := rand.New(rand.NewSource(1))
	alphabet := []string{"a", "b", " ", " ", "\n", "\n", "\t", "-", ":", "#", "{", "}", "'", "\"", "\\", "é", "|", "\r", "0", "\u2028"}
	for range 3000 {
		var b strings.Builder
		for range r.Intn(12) {
			b.WriteString(alphabet[r.Intn(len(alphabet))])
		}
		check(b.String())
	}
}

func TestWriteKeepsSpellings(t *testing.T) {
	src := "a: 1.10\nb: 01234\nc: 0x1F\nd: yes\ne: True\nf: 1e3\ng: .inf\nh: 99999999999999999999\ni: ~\n"
	_, s, _ := read(t, "a.yaml", src, YAMLOptions{Booleans11: true})
	_, again, diags := read(t, "a.yaml", string(WriteYAML(s)), YAMLOptions{Booleans11: true})
	if diags != nil {
		t.Fatal(diags)
	}
	if diff := cmp.Diff(plain(s), plain(again)); diff != "" {
		t.Error(diff)
	}
}
