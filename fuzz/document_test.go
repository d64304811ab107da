package fuzz

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/prompt"
)

// maxDocument is the longest document that is tried.
const maxDocument = 4096

// mostBytes is what may be allocated for a text: a fixed amount, and some for each
// of its bytes.
func mostBytes(text string) int { return 1<<20 + 4096*len(text) }

// FuzzDocument loads documents of all forms: nothing panics or takes long,
// findings stand inside the files, and what loads can be saved and loaded again
// without losing a byte.
func FuzzDocument(f *testing.F) {
	archives, err := filepath.Glob("../testdata/document/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("no documents: %v", err)
	}
	for _, name := range archives {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if document.IsDocument(file.Name) {
				f.Add(string(file.Data), false)
			}
		}
	}
	f.Add(`{"prompt": {"template": "a {{b}}", "metadata": {"x": [1, 2.50, null]}}}`, true)
	f.Add("a: &a [*a]\nb: !!x y\n? [c]\n: |2-\n  d\n", false)
	f.Add("messages:\n- user: >+\n    a\n\n     b\n\n", false)
	f.Fuzz(func(t *testing.T, text string, asJSON bool) {
		if len(text) > maxDocument {
			t.Skip()
		}
		name := "doc.yaml"
		if asJSON {
			name = "doc.json"
		}
		files := fstest.MapFS{name: {Data: []byte(text)}, "a.md": {Data: []byte("Hi {x}")}, "u.jinja": {Data: []byte("{{ x }}")}}
		var set *prompt.Set
		var err error
		frugal(t, "loading", mostBytes(text), func() { set, err = prompt.Load(files, name) })
		if err != nil {
			checkFindings(t, err.(diag.List), text)
			return
		}
		for _, p := range set.All() {
			frugal(t, "rendering", mostBytes(text), func() { _, _ = p.Messages(map[string]any{"x": "v"}) })
		}
		for _, format := range []string{"yaml", "json"} {
			b, err := set.Encode(format)
			if err != nil {
				continue // JSON has no infinity
			}
			again, err := prompt.LoadText("again."+format, string(b), files)
			if err != nil {
				if strings.Contains(err.Error(), "PCC92") {
					continue // aliases written out may pass a limit
				}
				t.Fatalf("saved as %s: %v\n%s", format, err, b)
			}
			if one, two := encoded(set), encoded(again); !bytes.Equal(one, two) {
				t.Fatalf("saved as %s, it reads\n%s\nwas\n%s", format, two, one)
			}
		}
	})
}

// encoded is a set's data as JSON, or nil.
func encoded(s *prompt.Set) []byte {
	b, err := s.Encode("json")
	if err != nil {
		return nil
	}
	return b
}

func checkFindings(t *testing.T, list diag.List, text string) {
	t.Helper()
	for _, d := range list {
		if d.File == nil {
			continue
		}
		f, at := d.File.Root(d.Span.Start)
		if int(at) > len(f.Text) {
			t.Errorf("%s begins at %d of %d", d.Code, at, len(f.Text))
		}
		if d.Message == "" || !utf8.ValidString(d.Message) && utf8.ValidString(text) {
			t.Errorf("%s: message %q", d.Code, d.Message)
		}
	}
}

// FuzzTextPositions holds the places of texts in YAML against the texts: where
// source and text agree on a byte, it is the same byte.
func FuzzTextPositions(f *testing.F) {
	for _, s := range []string{"k: a b\n  c\n", "k: 'it''s'\n", `k: "a\n\x41\u00e4\U0001F600 \
  b"` + "\n", "k: |\n  a\n   b\n\n  c\n", "k: >-\n  a\n  b\n\n   c\n\n  d\n", "- k: |2+\n     a\n\n", "k: !!str &x >\n  a\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxDocument {
			t.Skip()
		}
		file := source.New("a.yaml", text)
		s, diags := document.ReadData(file, document.YAMLOptions{})
		if diags.HasErrors() || s == nil {
			return
		}
		checkTexts(t, file, s)
	})
}

func checkTexts(t *testing.T, f *source.File, s *ast.Structure) {
	t.Helper()
	switch s.Kind {
	case ast.SList:
		for i := range s.Items {
			checkTexts(t, f, &s.Items[i])
		}
	case ast.SMap:
		for i := range s.Map {
			checkTexts(t, f, &s.Map[i].Value)
		}
	case ast.SString:
		tf := document.TextFile(f, s)
		last := source.Pos(0)
		for i := 0; i <= len(s.Str); i++ {
			p := tf.Map(source.Pos(i))
			if int(p) > len(f.Text) || p < last {
				t.Fatalf("%q: byte %d of %q is said to stand at %d, after %d", f.Text, i, s.Str, p, last)
			}
			last = p
		}
	}
}
