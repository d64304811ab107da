package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// Devices and files that are no terminals get no colours.
func TestIsTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, w := range map[string]any{"the null device": null, "a file": file, "a buffer": &bytes.Buffer{}} {
		if isTerminal(w) {
			t.Errorf("%s is taken for a terminal", name)
		}
	}
}

// Colours go to terminals that can show them, unless the user or the environment
// says otherwise.
func TestColored(t *testing.T) {
	for _, tt := range []struct {
		flag     string
		environ  []string
		terminal bool
		want     bool
	}{
		{"auto", []string{"TERM=xterm"}, true, true},
		{"auto", []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, true, true},
		{"auto", []string{"TERM=xterm", "COLORTERM=truecolor"}, false, false},
		{"auto", []string{"TERM=dumb"}, true, false},
		{"auto", []string{"TERM=xterm", "NO_COLOR=1"}, true, false},
		{"auto", []string{"TERM=xterm", "NO_COLOR=please"}, true, false},
		{"auto", []string{"TERM=xterm", "NO_COLOR=0"}, true, false},
		{"auto", []string{"TERM=xterm", "NO_COLOR="}, true, true},
		{"auto", []string{"TERM=xterm", "CLICOLOR=0"}, true, false},
		{"auto", []string{"TERM=xterm", "CLICOLOR=1"}, true, true},
		{"auto", []string{"TERM=xterm", "CLICOLOR=1"}, false, false},
		{"auto", []string{"CLICOLOR_FORCE=1"}, false, true},
		{"auto", []string{"TERM=dumb", "CLICOLOR_FORCE=1"}, true, true},
		{"auto", []string{"TERM=xterm", "CLICOLOR=0", "CLICOLOR_FORCE=1"}, true, true},
		{"auto", []string{"CLICOLOR_FORCE=1", "NO_COLOR=1"}, false, false},
		{"always", []string{"NO_COLOR=1", "TERM=dumb"}, false, true},
		{"never", []string{"TERM=xterm", "CLICOLOR_FORCE=1"}, true, false},
	} {
		a := newApp(t.Context(), nil, nil, nil)
		a.color = tt.flag
		a.environ = func() []string { return tt.environ }
		a.lookupEnv = func(name string) (string, bool) {
			for _, e := range tt.environ {
				if v, ok := strings.CutPrefix(e, name+"="); ok {
					return v, true
				}
			}
			return "", false
		}
		a.isTerminal = func(any) bool { return tt.terminal }
		if got := a.colored(nil); got != tt.want {
			t.Errorf("--color %s, %v, terminal %v: %v", tt.flag, tt.environ, tt.terminal, got)
		}
	}
}
