package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/internal/conformance"
)

// userCommand is a row of users/cases.jsonl that is a command line: the template is
// a file called name, which MAIN stands for.
type userCommand struct {
	ID, Name       string
	Template, Data json.RawMessage
	Cmd            []string
	Files          map[string]string
	Expect         struct{ Text *string }
	Holds          string `json:"expect_message_holds"`
}

// TestUserCommands runs the re-creations of public reports that are command
// lines; TestUserCases in package prompt runs the others.
func TestUserCommands(t *testing.T) {
	folder := conformance.Folder(t)
	text, err := os.ReadFile(filepath.Join(folder, "users", "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var row userCommand
		if err := json.Unmarshal(line, &row); err != nil || row.Cmd == nil {
			continue // rows of TestUserCases have other forms
		}
		t.Run(row.ID, func(t *testing.T) {
			dir := t.TempDir()
			put := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			main := put(row.Name, generated(t, row.Template))
			for name, text := range row.Files {
				put(name, text)
			}
			args := append([]string(nil), row.Cmd...)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "MAIN", main)
			}
			args = append(args, "-d", put("data of the row.json", string(row.Data)))
			var out, errs bytes.Buffer
			code := Main(args, strings.NewReader(""), &out, &errs)
			if want := row.Expect.Text; want != nil && (code != exitOK || out.String() != *want) {
				t.Errorf("exit code %d, %q, want %q\n%s", code, out.String(), *want, errs.String())
			}
			if !strings.Contains(errs.String(), row.Holds) {
				t.Errorf("says %q, which lacks %q", errs.String(), row.Holds)
			}
			if row.Expect.Text == nil && row.Holds == "" {
				t.Error("the row expects nothing that is looked at")
			}
		})
	}
}

// generated is a text of a row: as it stands there, or the value of a Python
// expression.
func generated(t *testing.T, raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var by struct{ Gen string }
	if err := json.Unmarshal(raw, &by); err != nil || by.Gen == "" {
		t.Fatalf("the template is neither a text nor generated: %v", err)
	}
	out, err := exec.Command("python3", "-c", "import json, sys; sys.stdout.write(eval(sys.argv[1]))", by.Gen).Output()
	if err != nil {
		t.Fatalf("the row's template is made by Python: %v", err)
	}
	return string(out)
}
