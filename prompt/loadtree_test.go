package prompt

import (
	"errors"
	"slices"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
)

// LoadAll goes on where LoadDir gives up, and says the same of what is broken.
func TestLoadAll(t *testing.T) {
	fsys := filesOf(
		"p/bad.md", "{{ x|nothing }}",
		"p/good.md", "Hi {name}",
		"p/agent/config.yaml", "prompt:\n- user: hi.jinja\n",
		"p/agent/templates/hi.jinja", "hi",
		"p/worse.yaml", "messages:\n- usr: hi\n",
	)
	set, list := LoadAll(fsys, "p", WithTestFiles())
	if got := set.Names(); !slices.Equal(got, []string{"agent", "good.md"}) {
		t.Errorf("loaded %q", got)
	}
	files := map[string]bool{}
	for _, d := range list {
		if d.File != nil && d.Severity == diag.Error {
			files[d.File.Name] = true
		}
	}
	for _, name := range []string{"p/bad.md", "p/worse.yaml"} {
		if !files[name] {
			t.Errorf("nothing is said of %s", name)
		}
	}
	if _, err := LoadDir(fsys, "p", WithTestFiles()); err == nil {
		t.Error("LoadDir gives no error")
	}
}

func TestWithExclude(t *testing.T) {
	fsys := filesOf(
		"p/a.md", "a", "p/README.md", "{{when x}}", "p/ReadMe.txt", "{{when x}}", "p/readme/b.md", "b",
		"p/drafts/c.md", "{{when x}}", "p/sub/drafts/d.md", "{{when x}}", "p/e.draft.md", "{{when x}}", "p/sub/f.md", "f",
		"p/.hidden/g.md", "{{when x}}",
	)
	for _, tt := range []struct {
		patterns, names []string // names nil: an error
	}{
		{nil, nil},
		{[]string{"drafts", "*.draft.md"}, []string{"a.md", "readme/b.md", "sub/f.md"}},
		{[]string{"drafts/", "*.draft.md", "sub"}, []string{"a.md", "readme/b.md"}},
		{[]string{"drafts", "*.draft.md", "sub/f.md"}, []string{"a.md", "readme/b.md"}},
		{[]string{"drafts", "*.draft.md", "sub/*"}, []string{"a.md", "readme/b.md"}},
		{[]string{"/drafts", "*.draft.md"}, nil}, // no pattern begins at the root
		{[]string{"*"}, []string{}},
		{[]string{"["}, nil},
	} {
		set, err := LoadDir(fsys, "p", WithExclude(tt.patterns...))
		if err != nil {
			if tt.names != nil {
				t.Errorf("%q: %v", tt.patterns, err)
			}
			continue
		}
		if got := set.Names(); tt.names == nil || !slices.Equal(got, tt.names) {
			t.Errorf("%q: %q, want %q", tt.patterns, got, tt.names)
		}
	}
	if _, err := LoadDir(fsys, "p", WithExclude("[")); !errors.Is(err, &diag.Diagnostic{Code: "PCC240"}) {
		t.Errorf("a pattern that cannot be read: %v", err)
	}
	if s, err := Load(fsys, "p/a.md", WithExclude("a.md")); err != nil || s.Len() != 1 {
		t.Errorf("a file that is named is loaded: %v", err)
	}
}

// Data that stands beside prompts and has a key of theirs is no prompt, in a tree;
// who names the file is taken at the word.
func TestDataInTree(t *testing.T) {
	for _, c := range []struct {
		text   string
		prompt bool
	}{
		{`{"user":{"name":"Ada","tags":["x"]}}`, false},
		{`{"user":{"name":"Ada Lovelace","age":36,"address":{"city":"New York"}},"plan":"pro"}`, false},
		{"user: Ada\n", false},
		{"user: Ada King Lovelace\nplan: pro\n", false},
		{"system: linux\nuser: ada\n", false},
		{"system: 1\nuser: 2\n", false},
		{"user: {name}\n", true},
		{"user: Hi {name}\n", true},
		{"user:\n  greeting: Hi {name}\n  task: sum up\n", true},
		{"user: Tell me a good joke.\n", true},
		{"system: Be kind.\nuser: {x}\n", true},
		{"user: |\n  One\n  two\n", true},
		{"prompts: {user: Ada}\n", true},
		{"user: [\"{x}\"]\n", true}, // a fault of a prompt
	} {
		fsys := filesOf("p/a.md", "a", "p/d.yaml", c.text)
		set, list := LoadAll(fsys, "p")
		known := len(set.Names()) > 1 || list.HasErrors()
		if known != c.prompt || !c.prompt && len(list) > 0 {
			t.Errorf("%q: loaded %q, %v", c.text, set.Names(), list)
		}
		if _, err := Load(fsys, "p/d.yaml"); err != nil && diag.AsList(err)[0].Code == "PCC416" {
			t.Errorf("%q alone: %v", c.text, err)
		}
		if set, _ := LoadAll(fsys, "p", WithForm("agentforge")); !c.prompt && len(set.Names()) < 2 && diag.AsList(errOf(Load(fsys, "p/d.yaml"))) == nil {
			t.Errorf("%q with a form: loaded %q", c.text, set.Names())
		}
	}
}

func errOf(_ *Set, err error) error { return err }
