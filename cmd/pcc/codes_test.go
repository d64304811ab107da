package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
)

// runMain runs the command line in this process, in a folder of its own with
// the given files.
func runMain(t *testing.T, files map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out, errs bytes.Buffer
	code = Main(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// endings are the forms of examples that can be run, with the endings of files
// that hold such.
var endings = map[string]string{"": ".txt", "template": ".txt", "document": ".yaml", "json": ".json"}

// codesOf runs an example of the table of codes and returns what it raises.
func codesOf(t *testing.T, e diag.Entry, text string) []diag.Code {
	t.Helper()
	name := "example" + endings[e.Form]
	files := map[string]string{name: text}
	args := []string{"compile", name, "--format", "json"}
	if e.Data != "" {
		files["data.json"] = e.Data
		args = append(args, "--data", "data.json")
	}
	if e.Syntax != "" {
		args = append(args, "--syntax", e.Syntax)
	}
	if e.Syntax == "jinja" {
		args = append(args, "--jinja", "extensions=loopcontrols,do")
	}
	_, stdout, stderr := runMain(t, files, args...)
	var codes []diag.Code
	for d := json.NewDecoder(strings.NewReader(stdout)); ; {
		var x struct{ Code diag.Code }
		if err := d.Decode(&x); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, stdout)
		}
		codes = append(codes, x.Code)
	}
	if stderr != "" {
		t.Errorf("the command line says: %s", stderr)
	}
	return codes
}

// TestCodes runs the examples that the table of codes gives: the bad one must
// raise its code, the good one nothing at all.
func TestCodes(t *testing.T) {
	form := regexp.MustCompile(`^PCC\d{3}$`)
	var last diag.Code
	for _, e := range diag.Entries() {
		t.Run(string(e.Code), func(t *testing.T) {
			if !form.MatchString(string(e.Code)) || e.Code == last {
				t.Errorf("code %q is malformed or stands in the table twice", e.Code)
			}
			last = e.Code
			for field, text := range map[string]string{"Title": e.Title, "Explain": e.Explain, "Help": e.Help, "Bad": e.Bad} {
				if strings.TrimSpace(text) == "" {
					t.Errorf("the entry has no %s", field)
				}
			}
			if e.Title != "" && strings.HasSuffix(e.Title, ".") || strings.HasSuffix(e.Help, ".") {
				t.Errorf("title and help are phrases without a full stop: %q, %q", e.Title, e.Help)
			}
			if _, ok := endings[e.Form]; !ok {
				return // Bad describes what cannot be shown in a few lines
			}
			if e.Good == "" {
				t.Fatal("the entry has no Good example")
			}
			if bad := codesOf(t, e, e.Bad); !slices.Contains(bad, e.Code) {
				t.Errorf("the bad example raises %v:\n%s", bad, e.Bad)
			}
			good := codesOf(t, e, e.Good)
			if e.Form == "document" && e.Data != "" && !slices.Contains(good, e.Code) {
				// The data is made for the bad example; that the good one does not
				// read all of it is no fault.
				good = slices.DeleteFunc(good, func(c diag.Code) bool { return c == "PCC353" || c == "PCC355" })
			}
			if len(good) > 0 {
				t.Errorf("the good example raises %v:\n%s", good, e.Good)
			}
		})
	}
}
