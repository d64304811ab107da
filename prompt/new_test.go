package prompt_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// madeChat is a chat with all that a message may have.
func madeChat(t *testing.T) *prompt.Set {
	t.Helper()
	extra := vm.NewMap(1)
	extra.Set("cache", vm.Bool(true))
	part := vm.NewMap(2)
	part.Set("type", vm.String("text"))
	part.Set("text", vm.String("{{ question }}"))
	s, err := prompt.NewChat([]vm.Message{
		{Role: "system", Content: "Be {{ how }}."},
		{Role: "user", Parts: vm.ListOf([]vm.Value{vm.MapOf(part)}), Name: "ann", Extra: extra},
	}, prompt.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rendered(t *testing.T, s *prompt.Set) string {
	t.Helper()
	p, err := s.Find("")
	if err != nil {
		t.Fatal(err)
	}
	ms, err := p.Messages(map[string]any{"how": "kind", "question": "Why?"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := prompt.FormatMessages(ms, "messages", prompt.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(vm.AppendJSON(nil, v, vm.JSONOptions{}))
}

// TestMadeDocuments makes a document by a program, renders it, saves it, and
// renders what was saved.
func TestMadeDocuments(t *testing.T) {
	s := madeChat(t)
	want := `[{"role": "system", "content": "Be kind."}, {"role": "user", "content": [{"type": "text", "text": "Why?"}], "name": "ann", "cache": true}]`
	if diff := cmp.Diff(want, rendered(t, s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.yaml", "b.yml", "c.JSON"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Save(file); err != nil {
			t.Fatal(err)
		}
		again, err := prompt.LoadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, rendered(t, again)); diff != "" {
			t.Errorf("%s, saved and loaded (-want +got)\n%s", name, diff)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has another mode than before: %v, %v", name, info.Mode(), err)
		}
	}
	// What fails leaves no file behind.
	for _, name := range []string{"d.txt", "none/d.yaml", "folder.yaml"} {
		if name == "folder.yaml" {
			if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Save(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is saved", name)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "a.yaml b.yml c.JSON folder.yaml" {
		t.Errorf("the folder holds %s", got)
	}
}

// TestUnmadeDocuments gives what cannot stand in a document: the error says
// which message it is in.
func TestUnmadeDocuments(t *testing.T) {
	extra := vm.NewMap(1)
	extra.Set("f", vm.Of(func() {}))
	cyclic := []any{nil}
	cyclic[0] = cyclic
	for _, m := range []vm.Message{{Role: "user", Parts: vm.Of(func() {})}, {Role: "user", Parts: vm.Of(cyclic)}, {Role: "user", Content: "x", Extra: extra}} {
		s, err := prompt.NewChat([]vm.Message{{Role: "system", Content: "x"}, m}, prompt.Spec{})
		if s != nil || err == nil || !strings.Contains(err.Error(), "message 2") {
			t.Errorf("%v: %v", m, err)
		}
	}
}

// TestUnknownNames gives names that nothing has to what takes names.
func TestUnknownNames(t *testing.T) {
	code := func(err error) string {
		d := &diag.Diagnostic{}
		errors.As(err, &d)
		return string(d.Code)
	}
	if s, err := compiler.Escape("{x}", "nope"); s != "" || code(err) != "PCC220" {
		t.Errorf("Escape: %q, %v", s, err)
	}
	if _, err := compiler.Compile("x", compiler.WithAgentForgeVersion("nope")); code(err) != "PCC240" {
		t.Errorf("WithAgentForgeVersion: %v", err)
	}
	for _, version := range []string{"head", "v0.5.0", "v0.4.0", "v0.2.11", "4425be8", "f5760dd"} {
		if _, err := compiler.Compile("x", compiler.WithAgentForgeVersion(version)); err != nil {
			t.Errorf("WithAgentForgeVersion(%q): %v", version, err)
		}
	}
	if _, ok := compiler.Profile("nope").Options(); ok {
		t.Error("ProfileOptions knows every name")
	}
	if o, ok := compiler.Profile("hf").Options(); !ok || o.Sandbox != vm.SandboxImmutable {
		t.Errorf("ProfileOptions(hf): %+v, %v", o, ok)
	}
}

// TestCheckFile tells the same of a file as Check of its text.
func TestCheckFile(t *testing.T) {
	dir := t.TempDir()
	for _, src := range []string{"Hi {name}", "{when false}x{/when}", "{{ a b }}"} {
		file := filepath.Join(dir, "a.md")
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		want, got := compiler.Check(src, compiler.WithName(file)), compiler.CheckFile(file)
		if diff := cmp.Diff(want.Error(), got.Error()); diff != "" {
			t.Errorf("%s (-Check +CheckFile)\n%s", src, diff)
		}
	}
	if l := compiler.CheckFile(dir); !l.HasErrors() {
		t.Errorf("a folder: %v", l)
	}
	if l := compiler.CheckFile(filepath.Join(dir, "none.md")); !l.HasErrors() {
		t.Errorf("a file that is not there: %v", l)
	}
}
