package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An interrupted batch says how far it came.
func TestInterruptedBatch(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("t.md", []byte("{{ n }}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rows, output, want string
	}{
		{"", "out", "pcc: stopped before the first row was written\nGo on with --resume; the rows before it are in out.part.\n"},
		{"", "-", "pcc: stopped before the first row was written\n"},
	} {
		ctx, stop := context.WithCancel(t.Context())
		var stdout, stderr bytes.Buffer
		a := newApp(ctx, stoppingReader{stop}, &stdout, &stderr)
		a.environ = func() []string { return nil }
		code := a.run([]string{"batch", "t.md", "--rows", "-", "-o", tt.output})
		if code != exitInterrupt || stderr.String() != tt.want {
			t.Errorf("-o %s: exit code %d, %q", tt.output, code, stderr.String())
		}
		os.Remove("out.part")
		stop()
	}
}

// stoppingReader interrupts the command where it reads, and has nothing.
type stoppingReader struct{ stop func() }

func (r stoppingReader) Read([]byte) (int, error) { r.stop(); return 0, io.EOF }

// Two batches never write one file.
func TestBatchIsAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	a := newApp(t.Context(), strings.NewReader(""), io.Discard, io.Discard)
	first, err := a.openPart("out.part", 0o666, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.WriteString(rowPrefix + "1, \"text\": \"\"}\n"); err != nil {
		t.Fatal(err)
	}
	if lock(first) { // else the system has no such locks
		again, err := os.OpenFile("out.part", os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		held := !lock(again)
		again.Close()
		_, err = a.openPart("out.part", 0o666, true)
		if held && (err == nil || !strings.Contains(err.Error(), "another batch writes it")) {
			t.Errorf("the file is opened twice: %v", err)
		}
	}
	if _, err := a.openPart("out.part", 0o666, false); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("the file is made twice: %v", err)
	}
	first.Close()
	second, err := a.openPart("out.part", 0o666, true)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if row, err := behindLastRow(second, 1<<20); row != 1 || err != nil {
		t.Errorf("row %d, %v", row, err)
	}
}

// What no batch wrote stays as it is, to the byte.
func TestBehindLastRow(t *testing.T) {
	name := t.TempDir() + "/part"
	for _, tt := range []struct {
		text string
		row  int64 // -1: refused
		rest string
	}{
		{"", 0, ""},
		{"{\"ro", 0, ""},
		{"{\"row\": 1, \"te", 0, ""},
		{"{\"row\": 1, \"text\": \"\"}\n{\"row\": 4, \"te", 1, "{\"row\": 1, \"text\": \"\"}\n"},
		{"{\"row\": 1, \"text\": \"\"}\n{\"row\": 4, \"text\": \"\"}\n", 4, "{\"row\": 1, \"text\": \"\"}\n{\"row\": 4, \"text\": \"\"}\n"},
		{"notes", -1, ""},
		{"notes\n", -1, ""},
		{"{\"row\": 1, \"text\": \"\"}\nnotes", -1, ""},
		{"notes\n{\"row\": 1, \"text\": \"\"}\n", -1, ""},
		{"{\"row\": 1, \"text\": \n", -1, ""},
		{"{\"row\": 2, \"text\": \"\"}\n{\"row\": 2, \"text\": \"\"}\n", -1, ""},
		{"{\"row\": 0, \"text\": \"\"}\n", -1, ""},
		{"{\"row\": 99999999999999999999, \"text\": \"\"}\n", -1, ""},
		{"{\"name\": 1}\n", -1, ""},
		{"\n", -1, ""},
	} {
		if err := os.WriteFile(name, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		row, err := behindLastRow(f, 1<<20)
		f.Close()
		rest := tt.rest
		if tt.row < 0 {
			rest = tt.text
			if err == nil {
				t.Errorf("%q is taken for the rows of a batch", tt.text)
			}
		} else if err != nil || row != tt.row {
			t.Errorf("%q: row %d, %v", tt.text, row, err)
		}
		if b, _ := os.ReadFile(name); string(b) != rest {
			t.Errorf("%q became %q", tt.text, b)
		}
	}
}

// Of a long file that is no batch's output little is read, and of a long line no more
// than a result can have.
func TestLongLinesOfPartFiles(t *testing.T) {
	const whole = 4 << 30 // sparse: it takes no room
	for name, tt := range map[string]struct {
		text    string
		longest int64
		read    int64
	}{
		"no row":       {"", 1 << 40, 4 << 20},
		"nearly one":   {`{"row" : 1, "text": "`, 1 << 40, 4 << 20},
		"a long row":   {rowPrefix + `1, "text": "`, 10 << 20, 20 << 20},
		"a row before": {rowPrefix + `1, "text": ""}` + "\n", 1 << 40, 4 << 20},
	} {
		f, err := os.Create(filepath.Join(t.TempDir(), "out.part"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(tt.text); err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(whole); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		_, err = behindLastRow(f, tt.longest)
		at, _ := f.Seek(0, io.SeekCurrent)
		info, _ := f.Stat()
		if err != errNoBatch || at > tt.read || info.Size() != whole {
			t.Errorf("%s: %v, %d bytes are read, %d are left", name, err, at, info.Size())
		}
		f.Close()
	}
}
