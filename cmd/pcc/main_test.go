package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// closedPipe is a reader that is gone.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

// full is a device without space.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

func TestClosedPipeIsQuiet(t *testing.T) {
	for _, args := range [][]string{{"explain"}, {"version"}, {"help"}, {"render", "-", "-D", "x=1"}} {
		var errs bytes.Buffer
		if code := Main(args, strings.NewReader("{x}"), closedPipe{}, &errs); code != exitOK || errs.Len() > 0 {
			t.Errorf("%v: exit code %d, %q", args, code, errs.String())
		}
	}
}

func TestFullDeviceIsAFailure(t *testing.T) {
	for _, args := range []string{"explain", "explain PCC101", "help", "help render", "render --help", "help --man", "--version", "version", "completion bash", "filters"} {
		var errs bytes.Buffer
		if code := Main(strings.Fields(args), strings.NewReader(""), full{}, &errs); code != exitUsage || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: exit code %d, %q", args, code, errs.String())
		}
	}
}

func TestBrokenInputIsAFailure(t *testing.T) {
	var errs bytes.Buffer
	broken := io.MultiReader(strings.NewReader("{x}"), errReader{})
	if code := Main([]string{"render", "-"}, broken, io.Discard, &errs); code != exitUsage || !strings.Contains(errs.String(), "cable") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("the cable is out") }

// TestWriteFileIsAtomic fails a write half-way and looks at what is left.
func TestWriteFileIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.txt")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	a := newApp(t.Context(), nil, nil, nil)
	f, err := a.createTemp(path, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := f.Stat(); info.Mode().Perm()&^0o640 != 0 {
		t.Errorf("the temporary file has mode %v, wider than the final one", info.Mode())
	}
	f.Close()
	a.discardTemp()
	if err := a.writeFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, want that of the old file", info.Mode())
	}
	if b, _ := os.ReadFile(path); string(b) != "new" {
		t.Errorf("content %q", b)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("files left behind: %v", entries)
	}
}

func TestAmount(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int64 // 0: an error
	}{
		{"1", 1}, {"10_000", 10_000}, {"64K", 64 << 10}, {"2m", 2 << 20}, {"1G", 1 << 30},
		{"0", 0}, {"-1", 0}, {"K", 0}, {"1.5M", 0}, {"9999999999G", 0}, {"", 0}, {"1KB", 0},
	} {
		var wide int64
		err := (&amount{wide: &wide}).Set(tt.in)
		if (err == nil) != (tt.want != 0) || wide != tt.want {
			t.Errorf("Set(%q) = %d, %v; want %d", tt.in, wide, err, tt.want)
		}
		if tt.want != 0 {
			var again int64
			if err := (&amount{wide: &again}).Set(writeAmount(wide)); err != nil || again != wide {
				t.Errorf("writeAmount(%d) = %q, which reads as %d, %v", wide, writeAmount(wide), again, err)
			}
		}
	}
	var narrow int
	if err := (&amount{narrow: &narrow}).Set("4G"); err == nil {
		t.Errorf("4G fits into an int of 32 bits: %d", narrow)
	}
}

func TestDataForm(t *testing.T) {
	for _, tt := range []struct{ path, text, want string }{
		{"a.json", "[", "json"},
		{"a.JSONL", "", "jsonl"},
		{"a.ndjson", "", "jsonl"},
		{"a.yml", "{", "yaml"},
		{"-", `{"a": 1}`, "json"},
		{"-", "{\"a\": 1}\n", "json"},
		{"-", "{\n\"a\": 1}\n", "json"},
		{"-", "{\"a\": {\n\"b\": 1}}\n", "json"},
		{"-", "{\"a\": 1}\n\n{\"a\": 2}", "jsonl"},
		{"-", "a: 1\n", "yaml"},
		{"-", "", "yaml"},
		{"/dev/fd/63", `{"a": 1}`, "json"},
	} {
		if got := dataForm(tt.path, []byte(tt.text)); got != tt.want {
			t.Errorf("dataForm(%q, %q) = %q, want %q", tt.path, tt.text, got, tt.want)
		}
	}
}

func TestDefine(t *testing.T) {
	data := vm.NewMap(1)
	user := vm.NewMap(1)
	user.Set("id", vm.Int(7))
	data.Set("user", vm.MapOf(user))
	for _, s := range []string{"a=x=y", "n:=1", "f:=1.0", "l:=[1, {\"b\": null}]", "user.name=Ada", "x.y.z:=true", "empty="} {
		if err := define(data, s); err != nil {
			t.Fatalf("define(%q): %v", s, err)
		}
	}
	got := string(vm.AppendJSON(nil, vm.MapOf(data), vm.JSONOptions{}))
	want := `{"user": {"id": 7, "name": "Ada"}, "a": "x=y", "n": 1, "f": 1.0, "l": [1, {"b": null}], "x": {"y": {"z": true}}, "empty": ""}`
	if diff := cmp.Diff(strings.ReplaceAll(want, "1.0", "1"), strings.ReplaceAll(got, "1.0", "1")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, ok := user.Get("name"); ok {
		t.Error("define changed a map that other rows share")
	}
}

// TestHelpIsComplete wants an example and a short text of every command.
func TestHelpIsComplete(t *testing.T) {
	a := newApp(t.Context(), nil, io.Discard, io.Discard)
	root := a.rootCommand()
	for _, c := range root.Commands() {
		if c.Short == "" || c.Example == "" {
			t.Errorf("%s lacks a short text or an example", c.Name())
		}
		for line := range strings.Lines(c.Example) {
			if !strings.Contains(line, "pcc") {
				t.Errorf("%s: example %q does not call pcc", c.Name(), line)
			}
		}
	}
}

// TestConfigurable wants every setting to be a flag of some command.
func TestConfigurable(t *testing.T) {
	root := newApp(t.Context(), nil, io.Discard, io.Discard).rootCommand()
	known := map[string]bool{}
	for _, c := range root.Commands() {
		for _, name := range configurable {
			if c.Flags().Lookup(name) != nil || root.PersistentFlags().Lookup(name) != nil {
				known[name] = true
			}
		}
	}
	for _, name := range configurable {
		if !known[name] {
			t.Errorf("setting %q is a flag of no command", name)
		}
	}
}

// TestTreeDump shows that every kind of field gets into the dump.
func TestTreeDump(t *testing.T) {
	if len(dumpTree(&ast.Template{File: source.New("x.md", ""), Syntax: "brace"})) == 0 {
		t.Error("an empty template gives no line")
	}
}
