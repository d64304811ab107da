package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// readYAML reads a file of the project into v.
func readYAML(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestCIPage holds docs/ci.md against the action and the hooks that it describes, and
// runs the hooks' commands.
func TestCIPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Default string }
	}
	readYAML(t, "action.yml", &action)
	if len(action.Inputs) == 0 {
		t.Error("the action has no inputs")
	}
	for name, input := range action.Inputs {
		if row := fmt.Sprintf("| `%s` |", name); !strings.Contains(string(page), row) {
			t.Errorf("the page lacks the input %s", name)
		}
		if cell := fmt.Sprintf("| `%s` |\n", input.Default); !strings.Contains(string(page), cell) {
			t.Errorf("the page lacks the default %s of %s", input.Default, name)
		}
	}

	var hooks []struct {
		ID, Entry     string
		Args          []string
		PassFilenames bool `yaml:"pass_filenames"`
	}
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	if len(hooks) == 0 {
		t.Error("there are no hooks")
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("ok.yaml", []byte("template: Hi {x}\ntests: [{data: {x: 1}, expect: {text: Hi 1}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("other.yaml", []byte("on: push\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, h := range hooks {
		if !strings.Contains(string(page), "id: "+h.ID+"\n") {
			t.Errorf("the page lacks the hook %s", h.ID)
		}
		args := append(strings.Fields(h.Entry), h.Args...)
		var stdout, stderr bytes.Buffer
		if code := newApp(t.Context(), nil, &stdout, &stderr).run(append(args[1:], "--config", "none")); args[0] != "pcc" || h.PassFilenames || code != 0 {
			t.Errorf("%s: %v, exit %d, %s%s", h.ID, args, code, &stdout, &stderr)
		}
	}
}

// TestActionScript runs the step of the action that checks, with a program in the
// place of pcc: tests run where compiling finds something, and that is not forgotten.
func TestActionScript(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	var action struct {
		Runs struct{ Steps []struct{ Run string } }
	}
	readYAML(t, "action.yml", &action)
	steps := action.Runs.Steps
	for _, tt := range []struct {
		compile, test int
		tests         string
		code          int
		said          string
	}{
		{0, 0, "true", 0, "compile a b --strict=false --format github\ntest a b --format github\n"},
		{1, 0, "true", 1, "compile a b --strict=false --format github\ntest a b --format github\n"},
		{0, 1, "true", 1, "compile a b --strict=false --format github\ntest a b --format github\n"},
		{1, 1, "false", 1, "compile a b --strict=false --format github\n"},
		{0, 1, "false", 0, "compile a b --strict=false --format github\n"},
	} {
		dir := t.TempDir()
		program := fmt.Sprintf("#!/bin/sh\necho \"$@\"\n[ $1 = compile ] && exit %d\nexit %d\n", tt.compile, tt.test)
		if err := os.WriteFile(filepath.Join(dir, "pcc"), []byte(program), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bash, "-eo", "pipefail", "-c", steps[len(steps)-1].Run)
		cmd.Env = append(os.Environ(), "RUNNER_TEMP="+dir, "PATHS=a b", "STRICT=false", "TEST="+tt.tests)
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != tt.code || string(out) != tt.said {
			t.Errorf("compile %d, test %d %s: exit %d, %s %v", tt.compile, tt.test, tt.tests, code, out, err)
		}
	}
}
