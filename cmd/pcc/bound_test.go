package main

import (
	"encoding/json"
	"fmt"
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
