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
