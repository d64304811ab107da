package document

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/fuzz/growth"
)

func read(t *testing.T, name, text string, o YAMLOptions) (*source.File, *ast.Structure, diag.List) {
	t.Helper()
	f := source.New(name, text)
	s, diags := ReadData(f, o)
	return f, s, diags
}

// plain turns a structure into Go values, spelled scalars as "spelling:kind".
func plain(s *ast.Structure) any {
	switch s.Kind {
	case ast.SList:
		out := []any{}
		for i := range s.Items {
			out = append(out, plain(&s.Items[i]))
		}
		return out
	case ast.SMap:
		out := map[string]any{}
		for i := range s.Map {
			out[s.Map[i].Key] = plain(&s.Map[i].Value)
		}
		return out
	case ast.SString:
		return s.Str
	case ast.SNull:
		return nil
	}
	return fmt.Sprintf("%s:%s", s.Source, s.Kind)
}

func TestScalars(t *testing.T) {
	for _, c := range []struct {
		yaml string
		o    YAMLOptions
		want any
	}{
		{"NO", YAMLOptions{}, "NO"},
		{"NO", YAMLOptions{Booleans11: true}, "NO:boolean"},
		{"yes", YAMLOptions{Booleans11: true}, "yes:boolean"},
		{"y", YAMLOptions{Booleans11: true}, "y"},
		{"1.10", YAMLOptions{}, "1.10:number"},
		{"01234", YAMLOptions{}, "01234"},
		{"-007.50", YAMLOptions{}, "-007.50"},
		{"!!int 007", YAMLOptions{}, "007:integer"},
		{"0", YAMLOptions{}, "0:integer"},
		{"0.5", YAMLOptions{}, "0.5:number"},
		{"2026-01-02", YAMLOptions{}, "2026-01-02"},
		{"12:30:45", YAMLOptions{}, "12:30:45"},
		{"1_000", YAMLOptions{}, "1_000"},
		{"0o14", YAMLOptions{}, "0o14:integer"},
		{"0x1F", YAMLOptions{}, "0x1F:integer"},
		{"0b11", YAMLOptions{}, "0b11"},
		{"1e3", YAMLOptions{}, "1e3:number"},
		{".inf", YAMLOptions{}, ".inf:number"},
		{"-.INF", YAMLOptions{}, "-.INF:number"},
		{".nan", YAMLOptions{}, ".nan:number"},
		{"null", YAMLOptions{}, nil},
		{"~", YAMLOptions{}, nil},
		{"", YAMLOptions{}, nil},
		{"True", YAMLOptions{}, "True:boolean"},
		{"tRue", YAMLOptions{}, "tRue"},
		{"'12'", YAMLOptions{}, "12"},
		{"!!str 12", YAMLOptions{}, "12"},
		{"! 12", YAMLOptions{}, "12"},
		{"!!int '12'", YAMLOptions{}, ":integer"},
		{"!!float 12", YAMLOptions{}, "12:number"},
		{"99999999999999999999", YAMLOptions{}, "99999999999999999999:integer"},
	} {
		_, s, diags := read(t, "a.yaml", "v: "+c.yaml+"\n", c.o)
		if diags != nil {
			t.Errorf("%q: %v", c.yaml, diags)
			continue
		}
		if got := plain(&s.Map[0].Value); !cmp.Equal(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.yaml, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          YAMLOptions
		code       diag.Code
		line, col  int
		help       string
	}{
		{"duplicate key", "a: 1\nb: 2\na: 3\n", YAMLOptions{}, "PCC403", 3, 1, "remove"},
		{"duplicate in a flow map", "x: {ä: 1, ä: 2}\n", YAMLOptions{}, "PCC403", 1, 11, "remove"},
		{"tag", "a: !!python/object/apply:os.system ['id']\n", YAMLOptions{}, "PCC404", 1, 4, "remove"},
		{"custom tag", "a:\n  - !include /etc/passwd\n", YAMLOptions{}, "PCC404", 2, 5, "remove"},
		{"binary", "a: !!binary /v8=\n", YAMLOptions{}, "PCC404", 1, 4, "remove"},
		{"tag on a key", "!x a: 1\n", YAMLOptions{}, "PCC404", 1, 1, "remove"},
		{"value does not fit", "a: !!int x\n", YAMLOptions{}, "PCC404", 1, 10, "drop the tag"},
		{"second document", "a: 1\n---\nb: 2\n", YAMLOptions{}, "PCC405", 2, 1, "separate file"},
		{"self alias", "a: &a [*a]\n", YAMLOptions{}, "PCC406", 1, 8, ""},
		{"later anchor", "a: *x\nb: &x 1\n", YAMLOptions{}, "PCC406", 1, 4, "define the anchor"},
		{"list as key", "? [a]\n: x\n", YAMLOptions{}, "PCC407", 1, 3, ""},
		{"merge of a text", "<<: x\n", YAMLOptions{}, "PCC408", 1, 1, "alias"},
		{"unquoted soft", "s: {persona}\n", YAMLOptions{Placeholders: PlaceholdersRefuse}, "PCC402", 1, 4, `"{persona}"`},
		{"unquoted hard", "s: {{persona}}\n", YAMLOptions{Placeholders: PlaceholdersRefuse}, "PCC402", 1, 4, `"{{persona}}"`},
		{"unquoted hard with filter", "s: {{ a.b|upper }}\n", YAMLOptions{Placeholders: PlaceholdersRefuse}, "PCC402", 1, 4, ""},
		{"soft with text", "a: ok\ns: {x} hi\n", YAMLOptions{}, "PCC402", 2, 4, `"{x} hi"`},
		{"hard with text", "a:\n  - b: 'x'\n  - c: {{x}} hi\n", YAMLOptions{}, "PCC402", 3, 8, `"{{x}} hi"`},
		{"soft with text in a list", "- a\n- {x}, you\n", YAMLOptions{}, "PCC402", 2, 3, `"{x}, you"`},
		{"hard as text policy", "s: {{x}}\n", YAMLOptions{Placeholders: PlaceholdersText}, "PCC402", 1, 4, ""},
		{"colon in value", "user: tell me: why\n", YAMLOptions{}, "PCC401", 1, 14, "quote the value"},
		{"colon in an item", "a:\n  - b: c: d\n", YAMLOptions{}, "PCC401", 2, 9, "quote the value"},
		{"open single quote", "a: 1\nb: 'it''s\nc: 2\n", YAMLOptions{}, "PCC401", 2, 4, "closing quote"},
		{"open quote behind closed ones", "a: \"x\n  y\"\nb: \"z\nc: 'd'\n", YAMLOptions{}, "PCC401", 3, 4, "closing quote"},
		{"tab", "a:\n\tb: 1\n", YAMLOptions{}, "PCC401", 2, 2, "spaces"},
		{"open quote", "a: \"x\nb: 2\n", YAMLOptions{}, "PCC401", 1, 4, ""},
		{"at sign", "a: @x\n", YAMLOptions{}, "PCC401", 1, 4, "quote the value"},
		{"question mark in brackets", "a: 1\nb:\n  c: {d: e?, f: g}\n", YAMLOptions{}, "PCC401", 3, 6, "quote the value"},
		{"question mark in brackets on the first line", "c: {d: e?, f: g}\n", YAMLOptions{}, "PCC401", 1, 4, "quote the value"},
		{"bracket that is never closed", "a: 1\nb: [c\nd: e\n", YAMLOptions{}, "PCC401", 2, 4, "close the bracket"},
		{"half of a surrogate pair", "a: 1\nb:\n  c: \"d\\ud83d e\"\n", YAMLOptions{}, "PCC401", 3, 8, `\U0001f600`},
		{"surrogate pair of JSON", "{\"a\": \"\\ud83d\\ude00\"}", YAMLOptions{}, "PCC401", 1, 8, `\U0001f600`},
		{"escape without digits", "a: \"\\xg\"\n", YAMLOptions{}, "PCC401", 1, 5, "digits"},
		{"quotes in quotes", "a: 1\nb: 2\nc: \"x\"y\"\nd: 4\n", YAMLOptions{}, "PCC401", 3, 7, "quote the whole value"},
		{"indentation between two levels", "a:\n- b: 1\n  c: 2\n d: 3\ne: 4\n", YAMLOptions{}, "PCC401", 4, 2, "indentation"},
		{"indentation in a map", "a:\n    b: 1\n    c: 2\n  d: 3\ne: 4\n", YAMLOptions{}, "PCC401", 4, 3, "indentation"},
		{"quotes in quotes behind a version", "%YAML 1.2\n---\na: 1\nc: \"x\"y\"\n", YAMLOptions{}, "PCC401", 4, 7, "quote the whole value"},
		{"quotes in quotes of a second document", "a: 1\n---\nb: 2\nc: \"x\"y\"\n", YAMLOptions{}, "PCC401", 4, 7, "quote the whole value"},
		{"a long text, of which the map is told", "x:\n  a:\n  - b: 1\n    c: 2\n" + strings.Repeat("#\n", 40000) + "   d: 3\n", YAMLOptions{}, "PCC401", 2, 3, ""},
		{"panic of yaml.v3", "0: [:!00 ï\n- !!a\n  - !!b ? :\n", YAMLOptions{}, "PCC401", 1, 1, ""},
		{"UTF-16", "\xff\xfea\x00:\x00", YAMLOptions{}, "PCC415", 1, 1, "UTF-16"},
		{"not UTF-8", "a: b\xffc\n", YAMLOptions{}, "PCC415", 1, 5, "UTF-8"},
		{"too large", "a: " + strings.Repeat("x", 1<<20), YAMLOptions{}, "PCC920", 1, 1, ""},
		{"too deep in flow", strings.Repeat("[", 100) + strings.Repeat("]", 100), YAMLOptions{}, "PCC921", 1, 66, ""},
		{"far too deep", strings.Repeat("[", 500000), YAMLOptions{}, "PCC921", 1, 1, "flatten"},
		{"too deep in blocks", strings.Repeat("- ", 90) + "x", YAMLOptions{}, "PCC921", 1, 131, ""},
		{"too many values", strings.Repeat("- x\n", 60000), YAMLOptions{}, "PCC922", 50000, 3, ""},
		{"laughs", "a: &a [x,x]\nb: &b [" + strings.Repeat("*a,", 50) + "]\nc: &c [" + strings.Repeat("*b,", 50) + "]\n", YAMLOptions{Limits: Limits{Nodes: 1000, Aliases: 1000}}, "PCC922", 1, 10, ""},
		{"aliases", "a: &a x\nb: [" + strings.Repeat("*a,", 101) + "]\n", YAMLOptions{}, "PCC923", 2, 305, ""},
	} {
		_, s, diags := read(t, "a.yaml", c.text, c.o)
		if s != nil || len(diags) == 0 {
			t.Errorf("%s: read without a diagnostic", c.name)
			continue
		}
		d := diags[0]
		_, p, _ := d.Position()
		if d.Code != c.code || p.Line != c.line || p.Column != c.col || !strings.Contains(d.Help, c.help) {
			t.Errorf("%s: got %d:%d %s %q help %q; want %d:%d %s help %q", c.name, p.Line, p.Column, d.Code, d.Message, d.Help, c.line, c.col, c.code, c.help)
		}
	}
}

func TestAccepted(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          YAMLOptions
		want       any
	}{
		{"version line", "# head\n%YAML 1.2\n---\na: b\n", YAMLOptions{}, map[string]any{"a": "b"}},
		{"percent in the body stays", "a: |\n  %YAML 1.2\n", YAMLOptions{}, map[string]any{"a": "%YAML 1.2\n"}},
		{"empty", "", YAMLOptions{}, nil},
		{"comments only", "# nothing\n", YAMLOptions{}, nil},
		{"BOM", "\ufeffa: b\n", YAMLOptions{}, map[string]any{"a": "b"}},
		{"merge", "x: &x {r: user, k: 1}\ny:\n  <<: *x\n  r: system\n", YAMLOptions{},
			map[string]any{"x": map[string]any{"r": "user", "k": "1:integer"}, "y": map[string]any{"r": "system", "k": "1:integer"}}},
		{"soft as text", "u: {user_input}\n", YAMLOptions{Placeholders: PlaceholdersText}, map[string]any{"u": "{user_input}"}},
		{"a dotted one stays a map", "u: {a.b}\n", YAMLOptions{Placeholders: PlaceholdersText}, map[string]any{"u": map[string]any{"a.b": nil}}},
		{"a map with a value is no placeholder", "u: {a: 1}\n", YAMLOptions{Placeholders: PlaceholdersRefuse}, map[string]any{"u": map[string]any{"a": "1:integer"}}},
		{"in data it is a map", "u: {a}\n", YAMLOptions{}, map[string]any{"u": map[string]any{"a": nil}}},
		{"duplicates by option", "a: 1\na: 2\n", YAMLOptions{DuplicatesLast: true}, map[string]any{"a": "2:integer"}},
		{"scalar styles", "a: one\\n\\ntwo\nb: \"one\\n\\ntwo\"\nc: >-\n  x\n  y\n\n  z\nd: |+\n  keep\n\n", YAMLOptions{},
			map[string]any{"a": `one\n\ntwo`, "b": "one\n\ntwo", "c": "x y\nz", "d": "keep\n\n"}},
		{"braces in a block do not nest", "a: |\n  " + strings.Repeat("{[", 200) + "\n", YAMLOptions{}, map[string]any{"a": strings.Repeat("{[", 200) + "\n"}},
	} {
		_, s, diags := read(t, "a.yaml", c.text, c.o)
		if diags.HasErrors() {
			t.Errorf("%s: %v", c.name, diags)
			continue
		}
		if diff := cmp.Diff(c.want, plain(s)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		text      string
		want      any
		code      diag.Code
		line, col int
	}{
		{`{"a": [1, 1.0, "x\ud83d\ude00\n", null, true, {}]}`, map[string]any{"a": []any{"1:integer", "1.0:number", "x😀\n", nil, "true:boolean", map[string]any{}}}, "", 0, 0},
		{`{"a": 1, "a": 2}`, nil, "PCC403", 1, 10},
		{`{"a": 1} {"b": 2}`, nil, "PCC405", 1, 10},
		{"[{\"c\":\"line one\nline two\"}]", nil, "PCC409", 1, 16},
		{`{"a": 1,}`, nil, "PCC409", 1, 9},
		{`{"a": `, nil, "PCC409", 1, 7},
		{`{"a": "\ud800"}`, nil, "PCC409", 1, 8},
		{`{a: 1}`, nil, "PCC409", 1, 2},
		{strings.Repeat(`[`, 100000), nil, "PCC921", 1, 66},
		{strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), nil, "PCC921", 1, 326},
	} {
		_, s, diags := read(t, "a.json", c.text, YAMLOptions{})
		if c.code != "" {
			if len(diags) == 0 {
				t.Errorf("%.40q: no diagnostic", c.text)
				continue
			}
			_, p, _ := diags[0].Position()
			if diags[0].Code != c.code || p.Line != c.line || p.Column != c.col {
				t.Errorf("%.40q: got %v, want %s at %d:%d", c.text, diags[0], c.code, c.line, c.col)
			}
			continue
		}
		if diags != nil {
			t.Errorf("%.40q: %v", c.text, diags)
			continue
		}
		if diff := cmp.Diff(c.want, plain(s)); diff != "" {
			t.Errorf("%.40q: %s", c.text, diff)
		}
	}
}

// TestTextPositions marks a byte in each text with @ and looks where it is
// said to stand in the document.
func TestTextPositions(t *testing.T) {
	for _, c := range []struct{ name, file, text string }{
		{"plain", "a.yaml", "k: some @text\n"},
		{"plain over lines", "a.yaml", "k: some\n  folded\n\n  te@xt\nb: 1\n"},
		{"single", "a.yaml", "k: 'it''s @here'\n"},
		{"single over lines", "a.yaml", "- k: 'it''s\n\n    far @here'\n"},
		{"double", "a.yaml", `k: "\u00e4\n\t\x41 @here"` + "\n"},
		{"double joined", "a.yaml", "k: \"one \\\n    two @three\"\n"},
		{"double over lines", "a.yaml", "k: \"one  \n  two\n\n\n  @three\"\n"},
		{"literal", "a.yaml", "m:\n  - k: |\n      one\n        two @here\n"},
		{"literal, empty lines first", "a.yaml", "k: |\n\n\n  one @here\n"},
		{"literal, indentation given", "a.yaml", "k: |2-\n    one\n   t@wo\n"},
		{"literal, CRLF", "a.yaml", "k: |\r\n  one\r\n  two\r\n\r\n  t@hree\r\n"},
		{"literal with a comment", "a.yaml", "k: |+ # why\n  one @two\n\n"},
		{"folded", "a.yaml", "k: >\n  one\n  two\n\n  three\n    more\n    @more\n  end\n"},
		{"folded, end", "a.yaml", "k: >-\n  one\n  two\n\n\n  three\n    more\n\n  e@nd\n\n"},
		{"folded, more-indented first", "a.yaml", "k: >2\n\n    code\n  text\n  te@xt\n"},
		{"behind a tag and an anchor", "a.yaml", "k: !!str &x \"a @b\"\n"},
		{"tag on its own line", "a.yaml", "k: !!str # c\n  a @b\n"},
		{"wide characters before", "a.yaml", "{ä: '日本', k: 'x @y'}\n"},
		{"BOM", "a.yaml", "\ufeffk: x @y\n"},
		{"JSON", "a.json", `{"k": "a\ud83d\ude00\n \/ @b"}`},
	} {
		f, s, diags := read(t, c.file, c.text, YAMLOptions{})
		if diags != nil {
			t.Errorf("%s: %v", c.name, diags)
			continue
		}
		v := s
		for v.Kind != ast.SString {
			if v.Kind == ast.SList {
				v = &v.Items[0]
				continue
			}
			if k, ok := v.Get("k"); ok {
				v = k
			} else {
				v = &v.Map[0].Value
			}
		}
		tf := TextFile(f, v)
		at := strings.IndexByte(v.Str, '@')
		if root, p := tf.Root(source.Pos(at)); root != f || int(p) != strings.IndexByte(c.text, '@') {
			t.Errorf("%s: %q: the mark is said to stand at %d, it stands at %d", c.name, v.Str, p, strings.IndexByte(c.text, '@'))
		}
	}
}

// TestAlignerAgrees aligns texts whose letters are all different, so that a
// wrong place cannot look right.
func TestAlignerAgrees(t *testing.T) {
	for _, text := range []string{
		"k: abc def\n  ghi\n\n  jkl\nx: 1\n",
		"k: >\n  abc\n  def\n\n   ghi\n   jkl\n\n  mno\n  pqr\n",
		"k: >-\n\n  abc\n\n\n  def\nx: 1\n",
		"k: |\n  abc\n\n   def\n  ghi\n",
		"k: \"abc\\ndef\\\n  ghi\n  jkl\"\n",
		"k: 'abc''def\n  ghi'\n",
		"k: >\n   abc\n\n  \tdef\n",
	} {
		f, s, diags := read(t, "a.yaml", text, YAMLOptions{})
		if diags != nil {
			continue
		}
		v, _ := s.Get("k")
		a := aligner{src: f.Text, at: int(v.Start), value: v.Str}
		if !a.run() {
			t.Errorf("%q: source and value differ after %d of %d bytes", text, a.done, len(v.Str))
		}
		tf := TextFile(f, v)
		for i, c := range []byte(v.Str) {
			if c < 'a' || c > 'z' {
				continue
			}
			if _, p := tf.Root(source.Pos(i)); text[p] != c {
				t.Errorf("%q: byte %d (%q) is said to be %q", text, i, c, text[p])
			}
		}
	}
}

// TestHostileYAMLIsFast runs inputs that are known to be slow or deep.
func TestHostileYAMLIsFast(t *testing.T) {
	const n = 1<<20 - 64
	for name, text := range map[string]string{
		"comments":        strings.Repeat("#\n", n/2),
		"open brackets":   strings.Repeat("[", n),
		"open braces":     strings.Repeat("{", n),
		"pairs":           strings.Repeat("{a: ", n/4),
		"dashes":          strings.Repeat("- ", n/2),
		"question marks":  strings.Repeat("? ", n/2),
		"keys on a line":  strings.Repeat("a: ", n/3),
		"anchors":         strings.Repeat("- &a x\n", n/7),
		"one line flow":   "[" + strings.Repeat("ä,", n/3) + "]",
		"nested comments": strings.Repeat("- # c\n  ", n/8),
		"deep blocks": func() string {
			var b strings.Builder
			for i := 0; b.Len() < n-3000; i++ {
				b.WriteString(strings.Repeat(" ", i) + "a:\n")
			}
			return b.String()
		}(),
		"quotes":     strings.Repeat("\"", n),
		"folded":     "k: >\n" + strings.Repeat("  a\n\n", n/5),
		"blank ends": "k: |\n" + strings.Repeat("  \n", n/3),
		"aliases":    "a: &a x\nb: [" + strings.Repeat("*a,", n/3) + "]",
		"tags":       strings.Repeat("!", n),
		"tag chain":  strings.Repeat("!a ", n/3),
		"brace text": "k: " + strings.Repeat("{x} ", n/4),
		"one scalar": "k: " + strings.Repeat("a ", n/2),
	} {
		growth.Linear(t, name, len(text), func(n int) {
			f := source.New("a.yaml", text[:n])
			s, _ := ReadData(f, YAMLOptions{Placeholders: PlaceholdersRefuse})
			if s != nil && s.Kind == ast.SMap {
				TextFile(f, &s.Map[0].Value)
			}
		})
	}
}

// TestImports holds the arrows of the architecture: yaml and jsontext end here.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip("go list does not run here:", err)
	}
	for _, dep := range strings.Fields(string(out)) {
		if strings.HasSuffix(dep, "/pcc/vm") || strings.HasSuffix(dep, "/pcc/compiler") {
			t.Errorf("the reader of documents must not import %s", dep)
		}
	}
}
