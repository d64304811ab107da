package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestFindingsAreBounded: of very many findings a command writes some, errors
// first, and says how many others there are, in each form and for each command.
func TestFindingsAreBounded(t *testing.T) {
	const n = 3 * maxFindings
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{nope%d}\n", i)
	}
	files := map[string]string{"t.md": b.String(), "none.json": "{}", "two.jsonl": "{}\n{}\n"}
	for _, tt := range []struct {
		args  string
		begin string // of each warning
		shown int
		last  []string
	}{
		{"render t.md", "warning[PCC380]", maxFindings, []string{"note: 2000 warnings, 1 note more, not shown here\n", "\n3000 warnings, 1 note\n"}},
		{"render t.md -d none.json", "warning[PCC380]", maxFindings, []string{"note: 2000 warnings more, not shown here\n", "\n3000 warnings\n"}},
		{"render t.md --strict", "error[PCC380]", maxFindings, []string{"2000 errors, 1 note more, not shown here\n", "\n3000 errors, 1 note\n"}},
		{"render t.md --format github", "::warning", maxFindings, []string{"2000 warnings, 1 note more, not shown here"}},
		{"render t.md --format json", `{"code":"PCC380"`, maxFindings, []string{"2000 warnings, 1 note more, not shown here"}},
		{"render t.md --format sarif", `"ruleId": "PCC380"`, maxFindings, []string{"2000 warnings, 1 note more, not shown here"}},
		{"batch t.md --rows two.jsonl", "warning[PCC380]", maxFindings, []string{"2000 warnings more, not shown here\n", "\n3000 warnings\n"}},
	} {
		_, _, stderr := runMain(t, files, strings.Fields(tt.args)...)
		if got := strings.Count(stderr, tt.begin); got != tt.shown {
			t.Errorf("%s: %d findings are shown, want %d\n%.300s", tt.args, got, tt.shown, stderr)
		}
		for _, want := range tt.last {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: %q is missing at the end: %q", tt.args, want, stderr[max(0, len(stderr)-300):])
			}
		}
		if strings.HasSuffix(tt.args, "sarif") && !json.Valid([]byte(stderr)) {
			t.Errorf("%s: no JSON", tt.args)
		}
	}
}

// TestErrorsComeBeforeWarnings: what is left out of a long list is what matters least.
func TestErrorsComeBeforeWarnings(t *testing.T) {
	var b strings.Builder
	for i := range 2 * maxFindings {
		fmt.Fprintf(&b, "{nope%d}\n", i)
	}
	files := map[string]string{"a.md": b.String(), "rows.jsonl": "{}\n[]\n"}
	code, _, stderr := runMain(t, files, "batch", "a.md", "--rows", "rows.jsonl", "--on-error", "skip")
	if code != exitFindings || strings.Count(stderr, "\nerror")+strings.Count(stderr[:5], "error") != 1 || !strings.Contains(stderr, "warnings, 1 note more") {
		t.Errorf("exit code %d, findings %.300q … %q", code, stderr, stderr[max(0, len(stderr)-300):])
	}
}

// TestResultsAreBounded: results of rows that are held until all are there have a
// limit together.
func TestResultsAreBounded(t *testing.T) {
	const chatml = "{% for m in messages %}{{ m.content }}{% endfor %}"
	if code, _, stderr := runMain(t, map[string]string{"t.md": "{{ n }} and more", "chat.jinja": chatml, "rows.jsonl": strings.Repeat("{\"n\": 12345}\n", 20),
		"chat.jsonl": strings.Repeat(`{"messages": [{"role": "user", "content": "a few letters"}]}`+"\n", 20)}, "compile", "t.md"); code != exitOK {
		t.Fatal(stderr)
	}
	for _, tt := range []struct {
		args  string
		room  int
		code  int
		wrote bool
	}{
		{"render t.md -d rows.jsonl", 300, exitOK, true},
		{"render t.md -d rows.jsonl", 299, exitFindings, false},
		{"render t.md -d rows.jsonl --as messages", 299, exitFindings, false},
		{"render chat.jinja -d chat.jsonl --profile hf", 200, exitFindings, false},
		{"chat chat.jinja -d chat.jsonl", 1000, exitOK, true},
		{"chat chat.jinja -d chat.jsonl", 200, exitFindings, false},
		{"chat chat.jinja -d chat.jsonl --segments", 200, exitFindings, false},
		{"chat chat.jinja -d chat.jsonl -o out.txt", 200, exitFindings, false},
	} {
		var out, errs bytes.Buffer
		a := newApp(t.Context(), strings.NewReader(""), &out, &errs)
		a.maxResult = tt.room
		if code := a.run(strings.Fields(tt.args)); code != tt.code || (out.Len() > 0) != tt.wrote || strings.Contains(errs.String(), "PCC907") == tt.wrote {
			t.Errorf("%s with room for %d: exit code %d, %d bytes\n%s", tt.args, tt.room, code, out.Len(), errs.String())
		}
	}
	if _, err := os.Stat("out.txt"); err == nil {
		t.Error("a file is written")
	}
}
